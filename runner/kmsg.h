/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_KMSG_H
#define RUNNER_KMSG_H

#include "common/str.h"

/* What the kernel says (Documentation/ABI/testing/dev-kmsg). */

/* Opened at its end: what is said from now on can be read. -1 where it may not be read; the caller closes. */
int kmsg_open(void);

/*
 * Append the messages since the last time, without their heads, a line each. Those that programs wrote into the log are
 * left out: any of them could say anything. Never waits; what the kernel has dropped meanwhile is lost.
 */
void kmsg_read(int fd, strings_t *out);

#endif
