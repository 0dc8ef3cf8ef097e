/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_RUN_H
#define CHECKS_RUN_H

#include "checks/load.h"
#include "parsers/sample.h"
#include "runner/host.h"

/*
 * What the load's processes used from their start to their end, ramp and all, as wait4(2) of its first process tells
 * when every other has been waited for below it: ru_inblock and ru_oublock count the 512-byte blocks that a process
 * had submitted (task_io_get_inblock() in Linux; direct I/O to the byte). So what others moved is what the disk
 * counted more.
 */
struct check_usage {
	bool known;
	uint64_t read_bytes, write_bytes, user_us;
};

/* One run that ended well. All borrowed. */
struct check_run {
	const struct check_load *load;
	const struct check_target *target;
	const struct parsed *parsed;
	const struct host_counters *before, *after;
	struct check_usage usage;
	int64_t elapsed_ns;
	const char *requested, *effective; /* see checks/settings.h */
};

/* Everything doubtful about the run; what its cell alone tells is not repeated (check_load). */
void check_run(const struct check_run *r, struct check_findings *out);

/* Of 'commands' that a simulated disk ended during a run, so many were 'late' by more than a millisecond. */
void check_simulator(uint64_t commands, uint64_t late, struct check_findings *out);

#endif
