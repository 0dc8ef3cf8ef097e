/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_SIMDISK_H
#define RUNNER_SIMDISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/str.h"

/*
 * Simulated disks: a loop device on a file of the program iobench-vdisk. What there is of them is seen in the
 * system, and not in records that could be wrong after a kill -9: below settings_rundir()/vdisk/ a directory for
 * each, named PROFILE-N, which is where its file system is mounted; the loop device is the one that has a file in
 * there.
 */
struct simdisk {
	char *name;	 /* "hd103sj-1" */
	char *dir;	 /* the mount point */
	char *loop;	 /* "loop3"; NULL: none */
	char *description; /* as the simulator gives it: "profile=hd103sj …"; NULL: nobody serves it any more */
};
typedef VEC(struct simdisk) simdisks_t;

/* All of them, those half made and the dead ones too, sorted by name. */
int simdisk_list(simdisks_t *out, struct err *err);
void simdisks_release(simdisks_t *disks);

/* Name, loop3 or /dev/loop3; NULL: none. */
const struct simdisk *simdisk_find(const simdisks_t *disks, const char *what);

/* What is it like? "PROGRAM-ARGUMENTS" are given to iobench-vdisk --serve as they are; NULL-terminated. */
struct simdisk_request {
	const char *program; /* the path of iobench-vdisk */
	const char *profile; /* the name for the directory's */
	const char *const *arguments;
	unsigned tags; /* of the loop device; 0: as many as it has, 128 */
};

/*
 * Make one: start the simulator, put a loop device on its file, make it rotational before any scheduler is chosen.
 * '*node' is "/dev/loop3"; the caller frees. On an error nothing of it is left. ERR_NEEDS: not root, no /dev/fuse, no
 * loop device; what the simulator says of its arguments comes with the kind it has.
 */
int simdisk_create(const struct simdisk_request *r, char **node, struct err *err);

/*
 * Take it away: end its faults, detach the loop device, unmount, wait until the simulator has ended. ERR_NEEDS when
 * it is in use; then nothing is changed. One that is just being made is waited for.
 */
int simdisk_remove(const struct simdisk *d, struct err *err);

/* The text of its file "status"; a fault, as iobench-vdisk reads it, for its file "fault". */
int simdisk_status(const struct simdisk *d, struct str *out, struct err *err);
int simdisk_fault(const struct simdisk *d, const char *fault, struct err *err);

/*
 * Is the disk with this directory in sysfs a simulated one? Its description is appended; "unknown" when the simulator
 * does not answer any more.
 */
bool simdisk_is(const char *sysdir, struct str *description);

/*
 * Commands that the simulated disk with this directory in sysfs has ended since it was made, and those of them over
 * 1 ms late; false if it is none or does not answer.
 */
bool simdisk_late(const char *sysdir, uint64_t *commands, uint64_t *late);

#endif
