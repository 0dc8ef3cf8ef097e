/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_SERVE_H
#define VDISK_SERVE_H

#include <stdbool.h>

#include "vdisk/profile.h"

/*
 * A file system with the disk as a file, for a loop device to stand on:
 *	simulated-disk	the disk; its name is what others know a simulated disk by
 *	description	one line that never changes: profile, version, every figure
 *	status		what the disk has done, "NAME VALUE" a line
 *	fault		write-only: faults, as fault_parse() reads them
 */
struct serve_options {
	const char *mountpoint, *backing;
	uint64_t bytes;
	bool discard; /* holes may be made; else that is not supported, as on most disks that turn */
	void (*ready)(void); /* called when it is mounted */
};

/* Serve until it is unmounted or a signal comes. */
int serve_run(const struct profile *p, const struct serve_options *opt, struct err *err);

#endif
