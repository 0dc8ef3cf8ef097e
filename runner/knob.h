/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_KNOB_H
#define RUNNER_KNOB_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

/*
 * The table of settings. Names are paths below the disk's directory in sysfs, as in --set: "queue/nr_requests",
 * "device/queue_depth"; the tunables of a scheduler go by their bare name ("slice_idle" is queue/iosched/slice_idle).
 */

/* When a knob is written, in this order, both when a cell's settings are made and when the old ones are put back. */
enum knob_stage {
	KNOB_DEVICE,	/* of the disk itself (queue_depth): everything above depends on it */
	KNOB_BEFORE,	/* read by schedulers when they are created: bfq picks its slice_idle by 'rotational' then */
	KNOB_SCHEDULER, /* resets nr_requests and makes a new iosched directory */
	KNOB_TUNABLE,	/* below iosched/ */
	KNOB_AFTER,	/* all else */
};

enum {
	KNOB_WATCHED = 1 << 0,	/* read back with every run even if the plan does not set it */
	KNOB_BY_SWITCH = 1 << 1, /* a switch of the scheduler gives it a new value by itself … */
	KNOB_STICKS = 1 << 2,	 /* … but not any more once somebody has written it */
};

struct knob {
	const char *name;
	const char *schedulers; /* of tunables: who has it, "bfq cfq"; NULL for the rest */
	enum knob_stage stage;
	unsigned flags;
	const char *unit; /* "" for counts and switches */
};

/*
 * A knob by name for 'scheduler'. Tunables must be in the table (ERR_USAGE names those the scheduler has); a name
 * with a slash that is not is taken as a KNOB_AFTER of that path: the disk's directory decides whether it exists.
 * The result lives for ever for rows of the table, else in '*other' (whose name borrows 'name').
 */
const struct knob *knob_find(const char *name, const char *scheduler, struct knob *other, struct err *err);
const struct knob *knob_at(size_t i); /* NULL behind the last */

bool knob_of_scheduler(const struct knob *k, const char *scheduler);

/* The path below the disk's directory: "queue/iosched/slice_idle", "queue/nr_requests". */
#define KNOB_PATH 96
const char *knob_path(const struct knob *k, char out[KNOB_PATH]);

/* What is known of a scheduler; NULL for a name nobody knows. */
struct scheduler {
	const char *name;
	const char *module;  /* as modprobe knows it; NULL if never a module */
	const char *history; /* why a kernel of today may not offer it; NULL where it should */
};
const struct scheduler *scheduler_find(const char *name);
const struct scheduler *scheduler_at(size_t i);

#endif
