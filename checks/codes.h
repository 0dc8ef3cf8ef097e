/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_CODES_H
#define CHECKS_CODES_H

#include <stddef.h>

/*
 * The table of what can be doubtful. A finding is one of these and a text with its figures; the database holds code
 * and text, a report shows the title, the text of the worst and the advice once a table.
 * To add one: a name here, a row in checks/codes.c.
 */
enum check_id {
	/* of a run */
	CHECK_FOREIGN_IO,
	CHECK_NOT_IDLE,
	CHECK_FROM_CACHE,
	CHECK_TOO_FAST,
	CHECK_LITTLES_LAW,
	CHECK_JOBS_APART,
	CHECK_ENDED_EARLY,
	CHECK_RAN_LONG,
	CHECK_QUEUE_FULL,
	CHECK_CPU_STEAL,
	CHECK_THROTTLED,
	CHECK_CPU_PRESSURE,
	CHECK_IO_PRESSURE,
	CHECK_MEMORY_PRESSURE,
	CHECK_CLAMPED,
	CHECK_ROTATIONAL_LATE,
	CHECK_STILL_IDLING,
	CHECK_ZONED_SCHEDULER,
	CHECK_SIMULATOR_LATE,
	CHECK_KERNEL_LOG,

	/* of a cell */
	CHECK_TOO_SHORT,
	CHECK_SAME_BLOCKS,
	CHECK_TINY_AREA,
	CHECK_NO_DEPTH,
	CHECK_UNALIGNED,
	CHECK_SPREAD,
	CHECK_DRIFT,
	CHECK_CPU_FREQUENCY,
	CHECK_SETTINGS_CHANGED,

	/* of a sweep, or of what is compared */
	CHECK_BFQ_LATENCY,
	CHECK_IO_PRIORITY,
	CHECK_FEW_RUNS,
	CHECK_SEQUENTIAL_ORDER,
	CHECK_STACKED,
	CHECK_SIMULATED_DISK,
	CHECK_SWEEP_DRIFT,
	CHECK_GOVERNOR_CHANGED,
	CHECK_ENVIRONMENT_CHANGED,
	CHECK_OTHER_KERNEL,
	CHECK_OTHER_FIO,

	/* of the machine: what doctor looks at */
	CHECK_ROOT,
	CHECK_FIO,
	CHECK_RUN_FOLDER,
	CHECK_STALE_SETTINGS,
	CHECK_DEVICE_USE,
	CHECK_SCHEDULERS,
	CHECK_ROTATIONAL,
	CHECK_ZONED,
	CHECK_BFQ,
	CHECK_UDEV_RULES,
	CHECK_SERVICES,
	CHECK_TIMERS,
	CHECK_RAID_CHECK,
	CHECK_SELF_TEST,
	CHECK_DISK_HEALTH,
	CHECK_WRITE_CACHE,
	CHECK_QUEUE_DEPTH,
	CHECK_WBT,
	CHECK_IOCOST,
	CHECK_CPUFREQ,
	CHECK_VIRTUAL_MACHINE,
	CHECK_SWAP,
	CHECK_FREE_MEMORY,
	CHECK_LOAD,
	CHECK_PRESSURE_COUNTERS,
	CHECK_N,
};

enum check_level { CHECK_OF_RUN, CHECK_OF_CELL, CHECK_OF_SWEEP, CHECK_OF_MACHINE };

struct check_code {
	const char *code;   /* "foreign-io": as stored */
	const char *title;  /* "others used the disk" */
	const char *advice; /* one line, what to do */
	enum check_level level;
};

extern const struct check_code check_codes[CHECK_N];

/* By the stored code; NULL for one that this version does not know. */
const struct check_code *check_code_find(const char *code);

#endif
