/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_BACKING_H
#define VDISK_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/*
 * The bytes of a simulated disk, in a file that has no name: whatever ends this process, nothing is left. What was
 * never written costs no space and reads as zeros without a look at the file.
 */
struct backing {
	int fd;
	uint64_t bytes;
	unsigned char *written; /* a bit for each piece that may hold something */
	char *text;		/* "memory", or "a file in /var/tmp" */
};

/* 'where' is "memory" or a directory. */
int backing_open(struct backing *b, const char *where, uint64_t bytes, struct err *err);
void backing_close(struct backing *b);

/* 0 or an errno. Threads may call them at the same time; the range is inside the disk. */
int backing_read(struct backing *b, void *to, size_t len, uint64_t offset);
int backing_write(struct backing *b, const void *from, size_t len, uint64_t offset);
int backing_discard(struct backing *b, uint64_t len, uint64_t offset);

#endif
