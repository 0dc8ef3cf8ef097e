/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_CPUFREQ_H
#define RUNNER_CPUFREQ_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/str.h"
#include "common/units.h"

/*
 * CPU frequency governors, through libcpupower. Driver and governor belong together in everything that is shown:
 * the powersave governor of intel_pstate is dynamic, that of acpi-cpufreq is the lowest frequency.
 */

#define CPUFREQ_NAME 24 /* the kernel's names have at most 19 characters ("balance_performance"), numbers fewer */

/* What one CPU had. Flat, so that it can be in memory shared with the process that puts it back. */
struct cpufreq_saved {
	unsigned cpu;
	char driver[CPUFREQ_NAME];
	char governor[CPUFREQ_NAME];
	char epp[CPUFREQ_NAME]; /* energy_performance_preference; "" where the driver has none */
	unsigned long min_khz, max_khz;
	unsigned long speed_khz; /* what was set under the userspace governor; 0 under any other */
};

/* Numbers of the CPUs that are online (holes are usual), none if the kernel does not say. */
void cpufreq_online(numbers_t *cpus);

/* Does any online CPU have a cpufreq policy? Virtual machines mostly have none. */
bool cpufreq_present(void);

/* Of one CPU: the driver (NULL if it has no policy), and the governors its kernel offers, appended to 'out'. */
const char *cpufreq_driver(unsigned cpu, char out[CPUFREQ_NAME]);
void cpufreq_governors(unsigned cpu, strings_t *out);

/*
 * Every online CPU that has a policy, in the order of their numbers; none on a machine without cpufreq. ERR_FAULT if
 * there are more than 'cap': as many as cpufreq_online() gives are always enough.
 */
int cpufreq_save(struct cpufreq_saved *out, size_t cap, size_t *n, struct err *err);

/*
 * Could 'governor' be set on every online CPU? Nothing is touched. ERR_NEEDS when the machine has no cpufreq or a CPU
 * does not offer it (the message says what it does), ERR_USAGE when no kernel has such a governor.
 */
int cpufreq_check(const char *governor, struct err *err);

/*
 * Set it on every online CPU, after cpufreq_check, and verify. After an error some CPUs may have it: cpufreq_restore
 * puts back what was saved.
 */
int cpufreq_set_governor(const char *governor, struct err *err);

/* Do all online CPUs, also those that came online meanwhile, have it? Names the first that has not (ERR_FAULT). */
int cpufreq_verify(const char *governor, struct err *err);

/*
 * Put back what differs from 'saved', and read all of it back. What could not be put back is appended to 'problems', a
 * line each, with the value it had, the one wanted, and the one it has now; then -1. Allocates only for these lines
 * (libcpupower, for a moment, for each value it reads).
 */
int cpufreq_restore(const struct cpufreq_saved *saved, size_t n, struct str *problems);

#endif
