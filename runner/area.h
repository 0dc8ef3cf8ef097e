/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_AREA_H
#define RUNNER_AREA_H

#include <stdint.h>

#include "common/err.h"
#include "common/str.h"

/*
 * Where --dir measures: one file in a new directory of its own, DIR/.iobench-UUID, so that nothing of the user's is
 * ever in its way. The jobs of a run have their regions in it as they would on a device.
 */
struct area {
	char *dir, *file; /* owned */
};

/*
 * Choose its names; nothing is made. ERR_NEEDS if 'bytes' and a reserve of 5% of the file system are not free.
 */
int area_choose(const char *dir, uint64_t bytes, struct area *out, struct err *err);

/* Make the directory. ERR_NEEDS if the file system is read-only. */
int area_make(const struct area *a, struct err *err);

/*
 * Append the command that writes the file with real data (a file that was only allocated reads as zeros, without I/O).
 */
void area_layout_command(const struct area *a, uint64_t bytes, strings_t *argv);

/* Remove file and directory. Does nothing on a zeroed one. */
void area_remove(struct area *a);

#endif
