/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_ENVIRONMENT_H
#define CHECKS_ENVIRONMENT_H

#include "checks/finding.h"

/*
 * Did the machine stay what it was? Two texts of host_capture(), from before the first run and after the settings
 * were put back: governor-changed, environment-changed.
 */
void check_environment(const char *before, const char *after, struct check_findings *out);

/* Environments of two sweeps that are compared: other-kernel, other-fio, environment-changed for all else. */
void check_environments_differ(const char *a, const char *b, struct check_findings *out);

#endif
