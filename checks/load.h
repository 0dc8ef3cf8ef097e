/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_LOAD_H
#define CHECKS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/finding.h"
#include "runner/doctor_facts.h"
#include "runner/plan.h"
#include "runner/workload.h"

/* A job file of the user's may leave things open: what is not known raises nothing. */
enum check_known { CHECK_UNKNOWN, CHECK_NO, CHECK_YES };

/* What one run of a cell does, from the plan or, where that does not say, from the job file. 0 and "": not known. */
struct check_load {
	char pattern[16], ioengine[16];
	uint64_t numjobs, iodepth, bs_bytes, runtime_ns, ramp_ns;
	uint64_t region_bytes; /* of each job; 0: not known, or the whole device */
	enum check_known direct, own_regions, writes;
	bool has_ramp; /* false: fio counts all that it does */
	bool paced;    /* thinktime, rates or batches: it does not keep its depth */
	bool timed;    /* how long it takes is its result: it cannot be too short */
};
void check_load_of(const struct plan *p, const struct workload *w, const struct cell *c, struct check_load *out);

/* What the load runs on. */
struct check_target {
	bool files;   /* --dir */
	bool stacked; /* dm, md or multipath: bytes and requests are others on the disks below */
	bool simulated;
	bool rotational;   /* all its disks have heads, and say so for themselves */
	bool host_managed; /* zoned */
	unsigned n_disks;
	char disks[128]; /* their names: "sda, sdb" */
	uint64_t disk_bytes;
	unsigned logical_block_bytes, physical_block_bytes;
	uint64_t ram_bytes;
	char io_priority[32]; /* of our programs: "nice 10"; "": the usual */
	unsigned kernel; /* 6010 is Linux 6.10; 0: not known */
};

/*
 * From the target and the facts gathered of it and the machine. 'simulated' is left to the caller. Virtual disks are
 * never rotational here: virtio, loop and emulated disks have queue/rotational 1 by default, whatever is below.
 */
void check_target_of(const struct target *t, const struct doctor_facts *f, struct check_target *out);

/* Requests that are in flight while it runs; 1 a job where iodepth has no effect, 0 when not known. */
uint64_t check_in_flight(const struct check_load *load);

/* Findings that need no run: too-short, same-blocks, tiny-area, no-depth, unaligned. */
void check_load(const struct check_load *load, const struct check_target *target, struct check_findings *out);

#endif
