// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/frame.h"

#include <zstd.h>

#include "common/mem.h"

/* Level 3 is zstd's default; the frame carries a checksum, for it is all that is left of an output. */
#define RAW_LEVEL 3

static void start(struct framer *f)
{
	f->zstd = ZSTD_createCCtx();
	if (!f->zstd)
		abort(); /* no memory: as mem_alloc */
	ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, RAW_LEVEL);
	ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_checksumFlag, 1);
}

int frame_make(struct framer *f, const char *raw, size_t len, struct frame *out, struct err *err)
{
	size_t bound = ZSTD_compressBound(len);

	if (!f->zstd)
		start(f);
	out->bytes = mem_alloc(bound, 1);
	out->len = ZSTD_compress2(f->zstd, out->bytes, bound, raw, len);
	if (!ZSTD_isError(out->len))
		return 0;
	err_set(err, ERR_FAULT, "cannot compress an output of %zu bytes: %s", len, ZSTD_getErrorName(out->len));
	frame_release(out);
	return -1;
}

void frame_release(struct frame *f)
{
	free(f->bytes);
	*f = (struct frame){ 0 };
}

void framer_release(struct framer *f)
{
	ZSTD_freeCCtx(f->zstd);
	f->zstd = NULL;
}
