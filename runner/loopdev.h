/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_LOOPDEV_H
#define RUNNER_LOOPDEV_H

#include "common/err.h"
#include "common/str.h"

/*
 * Put a free loop device on a file, direct I/O, by one ioctl (LOOP_CONFIGURE, Linux 5.8). '*name' is "loop3", the
 * caller frees; '*fd' is its node, open and locked (flock) so that udev stays off until it is closed. ERR_NEEDS where
 * there is none to be had.
 */
int loopdev_attach(const char *file, char **name, int *fd, struct err *err);

/* Detach and wait until it is. Whoever has it open keeps it: that is an error after some seconds. */
int loopdev_detach(const char *name, struct err *err);

/* The loop device that stands on a file, "loop3"; NULL: none. The caller frees. */
char *loopdev_of(const char *file);

#endif
