/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_DOCTOR_FACTS_H
#define RUNNER_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runner/child.h"
#include "runner/device.h"
#include "runner/udev_rules.h"

/*
 * What could spoil a measurement on this machine, as it is right now; checks/doctor judges it. Strings are owned;
 * NULL is what the machine does not tell.
 */

/* A service or timer that this machine has. */
struct doctor_unit {
	char *name; /* "fstrim.timer" */
	bool active;
	int64_t next_ns; /* of a timer: CLOCK_REALTIME of its next turn, 0: not known or none */
};

enum doctor_answer { DOCTOR_UNKNOWN, DOCTOR_NO, DOCTOR_YES };

struct doctor_disk {
	char *name;
	bool rotational, host_managed;
	char *transport; /* as a disk's */
	char *schedulers, *write_cache, *queue_depth, *wbt_lat_us, *iocost;
	enum doctor_answer self_test, failing; /* by smartctl, where there is one and the disk answers it */
};

struct doctor_facts {
	bool root;
	char *fio;			     /* what --version prints; NULL: there is no fio */
	char *run_folder, *run_folder_fault; /* why it cannot be written; NULL: it can */
	char *stale;			     /* what dead sweeps left, a line each; NULL: nothing */
	bool has_target;
	strings_t uses; /* of the target */
	VEC(struct doctor_disk) disks; /* below the target */
	enum doctor_answer has_bfq;
	bool has_udev; /* udevd runs */
	udev_rules_t rules; /* for those disks */
	bool has_units; /* systemd answers */
	VEC(struct doctor_unit) units;
	char *md_action;		 /* "md0: check": of a line of /proc/mdstat */
	char *cpufreq_driver, *governor; /* "mixed" when CPUs differ */
	char *kernel;			 /* uname -r */
	char *io_priority;		 /* ours, which programs inherit: "nice 10", "ionice idle"; NULL: the usual */
	bool virtual_machine;
	uint64_t memory_bytes, memory_available_bytes, swap_used_bytes;
	uint64_t load1_percent;
	unsigned cpus;
	bool has_pressure;
	int64_t now_ns; /* CLOCK_REALTIME */
};

/* What systemd knows of its units, asked for in the background; the second waits for it, and adds it to the facts. */
void doctor_units_begin(struct child_captured *units);
void doctor_units_end(struct child_captured *units, struct doctor_facts *f);

/*
 * 'target' may be NULL: then of the machine only. 'of_sweep': without fio's version, what uses the target, systemd's units
 * and udev's rules, which a sweep finds out by itself or does not want; they take 60 ms. What cannot be found out is left
 * unknown.
 */
void doctor_facts_gather(const struct target *target, bool of_sweep, struct doctor_facts *out);
void doctor_facts_release(struct doctor_facts *f);

#endif
