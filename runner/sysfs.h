/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_SYSFS_H
#define RUNNER_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/str.h"

/*
 * The only code that opens anything in sysfs. Throughout, 'dir' is an absolute path below sysfs_root() (a device's
 * directory) and 'attr' a path below that ("queue/scheduler").
 */

/* Where sysfs is: $IOBENCH_SYSFS (the tests' fake tree), else where the kernel's is mounted. No '/' at its end. */
const char *sysfs_root(void);

/* False below $IOBENCH_SYSFS: libraries that read sysfs by themselves would then tell of other devices. */
bool sysfs_is_kernels(void);

/*
 * The value without its final newline and without blanks before that; an empty attribute gives "". A value that does
 * not fit into 'size' bytes is an error (ENAMETOOLONG). err->errnum is the system call's (ENOENT: no such attribute;
 * EINVAL, EIO and others come from the driver).
 */
int sysfs_read(const char *dir, const char *attr, char *out, size_t size, struct err *err);

/* A whole number in decimal; 'fallback' when the attribute is absent or is something else. */
uint64_t sysfs_read_number(const char *dir, const char *attr, uint64_t fallback);

/*
 * Write 'value' by one write(2), as the kernel wants it; nothing is ever created. EBUSY (udev is at work on the
 * device) is retried for up to two seconds, other errors are reported at once. err->errnum says which. Success only
 * means that the kernel took the bytes: read back what it made of them.
 */
int sysfs_write(const char *dir, const char *attr, const char *value, struct err *err);

bool sysfs_exists(const char *dir, const char *attr);

/* By the mode bits: root may open 0444 files everywhere else, but sysfs refuses to write them. */
bool sysfs_writable(const char *dir, const char *attr);

/* 0 when absent. queue/iosched gets a new number whenever a scheduler is selected, also the one before. */
uint64_t sysfs_inode(const char *dir, const char *attr);

/* Append the names of the plain attribute files in dir/sub, sorted; none if that is absent (queue/iosched under none). */
int sysfs_list(const char *dir, const char *sub, strings_t *names, struct err *err);

/* Append the names of the directories in dir/sub ("" for dir itself) and of links to such, sorted; none as above. */
int sysfs_list_dirs(const char *dir, const char *sub, strings_t *names, struct err *err);

/* dir/sub without links: where a device really is. -1 (errno) when there is no such thing. */
int sysfs_resolve(const char *dir, const char *sub, char out[PATH_MAX]);

/*
 * What queue/scheduler says: "none [mq-deadline] kyber bfq" puts "mq-deadline" into 'current' and appends all four
 * names to 'offered'. A line of just "none", which queues give that cannot have a scheduler (elv_iosched_show() in
 * block/elevator.c: with schedulers "none" is bracketed when current), offers only none, and that is current.
 * -1: the line names no current one, or it does not fit into 'size'.
 */
int sysfs_scheduler_parse(const char *line, char *current, size_t size, strings_t *offered);

#endif
