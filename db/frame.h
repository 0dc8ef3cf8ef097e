/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_FRAME_H
#define DB_FRAME_H

#include <stddef.h>

#include "common/err.h"

/* An output compressed as the database keeps it: one zstd frame. */
struct frame {
	char *bytes; /* owned; NULL: none */
	size_t len;
};

/* What compressing needs over and over: zeroed memory, of one thread. */
struct framer {
	struct ZSTD_CCtx_s *zstd;
};

/* Fill 'out', which must be empty. */
int frame_make(struct framer *f, const char *raw, size_t len, struct frame *out, struct err *err);
void frame_release(struct frame *f);
void framer_release(struct framer *f);

#endif
