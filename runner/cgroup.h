/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_CGROUP_H
#define RUNNER_CGROUP_H

#include <stdbool.h>

#include "common/err.h"

/*
 * Control groups with a weight for I/O: blkio of version 1 or io of version 2, whichever this machine has.
 */
struct cgroups {
	char *root; /* where new groups go: the mount point of the hierarchy; owned */
	bool unified; /* version 2 */
	bool has_io; /* version 2: the children of the root have the controller already */
};

/* ERR_NEEDS where there is neither. */
int cgroups_find(struct cgroups *out, struct err *err);
void cgroups_release(struct cgroups *c);

/* Version 2: give the children of the root the io controller. */
int cgroups_enable_io(const struct cgroups *c, struct err *err);

/* The path of a group of ours for an actor; the caller frees. */
char *cgroup_path(const struct cgroups *c, const char *actor);
int cgroup_make(const char *path, struct err *err);

/*
 * Set its weight for every policy that has one now: bfq's file is there only while bfq is. 'n' becomes for how many;
 * with none the weight has no effect.
 */
int cgroup_set_weight(const char *path, unsigned weight, unsigned *n, struct err *err);

#endif
