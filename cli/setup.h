/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "cli/command.h"
#include "cli/subject.h"
#include "common/units.h"
#include "runner/device.h"
#include "runner/plan.h"
#include "runner/scenario.h"
#include "runner/workload.h"

/* What the options of sweep come to on this machine: the plan and what it runs on. Making one touches nothing. */
struct setup {
	struct options options; /* those typed, and those that the workload wants beside them */
	struct plan plan;
	struct subject subject;
	char *plan_name; /* of a shard: the same for all of the plan; NULL */
	bool too_many_shards; /* for the rows of the plan: this one may have no cells */
	struct workload workload;
	struct scenario scenario;
	VEC(struct target) targets;
	VEC(const struct disk *) disks; /* below all targets: whose settings are changed */
	strings_t offered; /* schedulers that every one of the disks lists */
	strings_t paths; /* ${DEV}: the targets' nodes, escaped for fio; with --dir none before the file is made */
	const char *dir; /* --dir; NULL */
	uint64_t region_bytes; /* a job's own region; 0: the workload does not use ${SIZE} */
	uint64_t max_jobs;
	uint64_t grace_ns; /* that a run may take beyond ramp + runtime */
	bool writes; /* some pattern or actor writes, or --write-ok was given to a job file with patterns of its own */
	strings_t fio_args;
	strings_t notes; /* what the user should know before it starts, a line each */
	int64_t deadline_ns; /* CLOCK_MONOTONIC: no repetition is begun that would end later; 0: none */
};

extern const struct option_row options_sweep[];

/*
 * 'stored' is the workload of an earlier sweep that goes on, taken instead of the file of that name; NULL for a new
 * sweep. Copied. There may be no cells in it: see 'too_many_shards'.
 */
int setup_make(const struct options *opt, const struct workload *stored, struct setup *out, struct err *err);
void setup_release(struct setup *s);

/* May all targets be overwritten, with the --write-ok in 'opt'? Also for a second look, right before the first write. */
int setup_check_permission(const struct setup *s, const struct options *opt, struct err *err);

/* Bytes in which the jobs have their regions together: what --dir lays out. */
uint64_t setup_area_bytes(const struct setup *s);

/* The canonical key of a cell: the same configuration on the same disk has the same key on every night. */
char *setup_cell_key(const struct setup *s, const struct cell *c);

/* "bfq pattern=read numjobs=4": the variant, and the axes that tell this cell from others; or the latter only. */
void setup_describe_cell(const struct setup *s, const struct cell *c, struct str *out);
void setup_describe_row(const struct setup *s, const struct cell *c, struct str *out);

/* A row of the table is all variants at one point of the axes: its cells stand together in the plan. */
size_t setup_count_rows(const struct setup *s);

/* For one repetition of a row as an estimate in ns, and for the canaries of a sweep whose runs take 'runs_ns'. */
uint64_t setup_row_ns(const struct setup *s, size_t row);
uint64_t setup_canaries_ns(uint64_t runs_ns);

/* The targets' identities, joined by ',', and as they were typed, joined by ' '. The caller frees. */
char *setup_identity(const struct setup *s);
char *setup_operands(const struct setup *s);

/* The job that stands for the run where it is judged: the workload itself, or that of the main actor. Released too. */
void setup_main_job(const struct setup *s, struct workload *out);

/* Seconds for all runs of the plan as an estimate in ns: the loads and what comes with each. */
uint64_t setup_estimate_ns(const struct setup *s);

/* What stands before it: "about", or "at least" where the workload takes the time that it takes. */
const char *setup_estimate_word(const struct setup *s);

/*
 * Sweeps of more than half an hour have canaries: short runs of the same two cells at the start, every ten minutes and
 * at the end (design.md section 5).
 */
#define SETUP_CANARY_MIN_NS (30 * 60 * NS_PER_S)
#define SETUP_CANARY_EVERY_NS (10 * 60 * NS_PER_S)
#define SETUP_CANARY_RUNTIME_NS (5 * NS_PER_S)
#define SETUP_CANARY_RAMP_NS NS_PER_S
bool setup_has_canaries(const struct setup *s);

/* Say what is to be measured, what one should know of it, and how long it takes. */
void setup_say(const struct setup *s);

bool setup_is_offered(const struct setup *s, const char *scheduler);

#endif
