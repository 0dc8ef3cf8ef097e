/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_PROCESS_H
#define RUNNER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* "process 123 (mkfs)", without the name when it is gone; the caller frees. */
char *process_text(pid_t pid);

/* This process, or one that descends from it? */
bool process_is_ours(pid_t pid);

#endif
