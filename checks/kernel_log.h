/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_KERNEL_LOG_H
#define CHECKS_KERNEL_LOG_H

#include "checks/finding.h"
#include "common/str.h"

/*
 * Is there a complaint among the kernel's messages: a WARN, an oops, a hung task, a stall, a word of lockdep, an I/O
 * error of one of the disks? One finding for all, with the first.
 */
void check_kernel_log(const strings_t *messages, const strings_t *disks, struct check_findings *out);

#endif
