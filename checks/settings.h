/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_SETTINGS_H
#define CHECKS_SETTINGS_H

#include "checks/load.h"

/*
 * Findings from what a run asked for and what was in effect: clamped, rotational-late, still-idling, zoned-scheduler,
 * queue-full. Both are flat JSON objects "DISK:PATH" → text as settings_apply() makes them; of NULL or broken ones
 * nothing is known.
 */
void check_settings(const char *requested, const char *effective, const struct check_load *load,
		    const struct check_target *target, struct check_findings *out);

/*
 * The value of one setting of any of the disks that has it, in such an object: "queue/iostats". False if none has; a
 * value that does not fit is cut.
 */
bool check_setting(const char *json, const char *path, char *value, size_t size);

#endif
