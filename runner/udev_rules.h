/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_UDEV_RULES_H
#define RUNNER_UDEV_RULES_H

#include <stdbool.h>

#include "runner/device.h"

/* Who sets the scheduler behind our back: udev's rules. */

/* A line that sets an attribute below queue/; lines that '\' joins are one. */
struct udev_rule {
	char *path, *text;
	unsigned line; /* where it begins */
};
typedef VEC(struct udev_rule) udev_rules_t;

/*
 * Append the rules of the *.rules in 'dirs' (NULL: those of udev) that may be for one of these disks, by what they say of
 * the name and of queue/rotational; all rules where n is 0. A file hides those of the same name in later folders (udev(7)).
 */
void udev_rules_read(const char *const *dirs, size_t n_dirs, const struct disk *disks, size_t n, udev_rules_t *out);
void udev_rules_release(udev_rules_t *rules);

/* Does the text of a rule set an attribute that begins so ("queue/scheduler"), by itself or by a command? */
bool udev_rule_sets(const char *text, const char *attr);

#endif
