/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_HOST_H
#define RUNNER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/file.h"
#include "common/mem.h"
#include "common/str.h"
#include "runner/device.h"
#include "runner/facts.h"
#include "runner/module.h"

/* ---- the environment of runs (host.c) ---- */

/* What is under test beside what the machine has: zeroed memory is nothing. */
struct subject {
	const char *scheduler; /* whose modules these are; borrowed. NULL: there are none */
	module_files_t modules;
	char *tree; /* git describe of the kernel's source; NULL */
};

/*
 * Add what the machine and the disks are. As JSON (facts_print) the same facts give the same bytes, so there is nothing
 * among them that changes by itself (no load, no temperature, no frequency of the moment) and nothing that selecting a
 * scheduler changes. What this machine does not tell is left out; only
 * "cpufreq.driver" is null where there is no cpufreq. What sysfs says is text as it stands there, block sizes and
 * "rotational" are in "disk.NAME.queue.*"; values that differ between CPUs are "mixed: VALUE xN, VALUE xN"; memory is
 * rounded to 64 MiB.
 *
 * Take it before the first setting is made, and after the schedulers of the plan have been tried: a module that is not
 * loaded has no build-id here ("module.bfq.build_id"; what is built in is covered by "kernel.build_id").
 *
 * Files of modules that variants load are "module.bfq@PATH.build_id", ".vermagic" and ".srcversion", the kernel's source
 * is "kernel_tree": the same for all runs of a sweep, whichever of them is loaded. 'subject' may be NULL. ERR_NEEDS if one
 * of the disks is gone.
 */
int host_capture(const struct disk *const *disks, size_t n, const struct subject *subject, facts_t *facts, struct err *err);

/* Add which of udev's rules set the scheduler of any disk ("udev.scheduler_rules"). */
void host_udev_rules(facts_t *facts);

/* This boot's id as the kernel gives it; "" where it gives none. */
void host_boot_id(char out[UUID_TEXT]);

/* ---- what the machine counts (host_counters.c) ---- */

/* Of one disk since boot, from its "stat" attribute (Documentation/block/stat.rst); sectors are 512 bytes there. */
struct host_disk_counters {
	char name[64];
	bool present; /* false: the disk is gone, and all of this is 0 */
	uint64_t read_ios, read_merges, read_bytes, read_ms;
	uint64_t write_ios, write_merges, write_bytes, write_ms;
	uint64_t in_flight; /* requests at this moment */
	uint64_t busy_ms, queue_ms;
	uint64_t discard_ios, discard_merges, discard_bytes, discard_ms; /* 0 before Linux 4.18 */
	uint64_t flush_ios, flush_ms;					 /* 0 before Linux 5.5 */
	bool has_temperature;
	int64_t temperature_millicelsius; /* where the disk has an hwmon (drivetemp, nvme) */
};

/* Time in which some (or all) tasks waited: Documentation/accounting/psi.rst. */
struct host_pressure {
	bool known;
	uint64_t some_us, full_us;
};

struct host_counters {
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	VEC(struct host_disk_counters) disks; /* in the order asked for */
	/* over all CPUs, since boot; in steps of the kernel's USER_HZ, mostly 10 ms */
	uint64_t user_us, nice_us, system_us, idle_us, iowait_us, irq_us, softirq_us, steal_us;
	struct host_pressure cpu, io, memory;
	uint64_t load1_percent; /* the load average of a minute; 100 is one task */
	uint64_t mean_khz; /* of the CPUs at this moment, what cpufreq calls the current frequency; 0: not known */
	bool has_throttles;
	uint64_t throttles; /* thermal throttling events of x86 cores, and of packages (counted once for each CPU) */
};

/*
 * The kernel itself takes the time from the CPU's counter, and the counter is one that fio takes by itself (invariant TSC: CPUID
 * 0x80000007, bit 8 of EDX; fio's arch-x86-common.h). False on other architectures.
 */
bool host_has_steady_tsc(void);

/*
 * Take a snapshot into 'out', which is overwritten: release the last one before. -1 if a disk is gone (the rest is
 * read all the same). Where a drive has a thermometer this asks it, which takes as long as the drive takes.
 */
int host_counters_read(const struct disk *const *disks, size_t n, struct host_counters *out);
void host_counters_release(struct host_counters *c);

/* How many requests the disks are at work on now; for polling: asks no drive anything. -1 if a disk is gone. */
int host_in_flight(const struct disk *const *disks, size_t n, uint64_t *requests);

/*
 * Append what happened between two snapshots of the same disks, as a flat canonical JSON object: "disk.sda.read_bytes",
 * "cpu.steal_us", "pressure.io.some_us", "elapsed_ns"…; what is no count is given with "_before" and "_after".
 */
void host_counters_json(const struct host_counters *before, const struct host_counters *after, struct str *json);

#endif
