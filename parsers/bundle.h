/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_BUNDLE_H
#define PARSERS_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

/*
 * The outputs of several actors as one: what is stored as the raw output of a run of a scenario, under the format
 * BUNDLE_FORMAT. Each is kept byte for byte behind a line "=== ACTOR FORMAT BYTES".
 */
#define BUNDLE_FORMAT "bundle"

void bundle_add(struct str *bundle, const char *actor, const char *format, const char *text, size_t len);

struct bundle_part {
	char actor[64], format[64];
	const char *text; /* in the bundle; not NUL-terminated */
	size_t len;
};

/* The next part, from '*at', which moves on. False behind the last, and where 'text' is no bundle. */
bool bundle_next(const char *text, size_t len, size_t *at, struct bundle_part *out);

#endif
