/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_FACTS_H
#define RUNNER_FACTS_H

#include <stdint.h>

#include "common/mem.h"
#include "common/str.h"

/*
 * A flat JSON object in one canonical form: keys sorted by bytes, no white space, numbers as integers, bytes outside
 * ASCII as '?' (what a disk says of itself need not be UTF-8). The same facts, added in any order, give the same bytes.
 * Keys are printf-formatted, and each is to be added once. Zeroed memory is an empty set.
 */
struct fact {
	char *key;
	void *value; /* cJSON */
};
typedef VEC(struct fact) facts_t;

void facts_text(facts_t *f, const char *text, const char *key, ...) __attribute__((format(printf, 3, 4)));
void facts_number(facts_t *f, int64_t value, const char *key, ...) __attribute__((format(printf, 3, 4)));
void facts_null(facts_t *f, const char *key, ...) __attribute__((format(printf, 2, 3)));

/* Append the object to 'json' and release the facts. */
void facts_print(facts_t *f, struct str *json);
void facts_release(facts_t *f);

#endif
