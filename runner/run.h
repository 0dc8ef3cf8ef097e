/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_RUN_H
#define RUNNER_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/str.h"
#include "runner/device.h"
#include "runner/guard.h"
#include "runner/host.h"
#include "runner/plan.h"
#include "runner/scenario.h"
#include "runner/settings.h"
#include "runner/workload.h"

/* One cell, once: settings made, actors run, settings verified (design.md section 6). Parsing and storing come after. */

/* What all runs of a sweep share. All borrowed. */
struct run_context {
	const struct plan *plan;
	const struct scenario *scenario;
	struct settings *settings;
	struct guard *guard;
	const struct target *targets;
	size_t n_targets;
	const struct disk *const *disks; /* whose counters are read: those below all targets */
	size_t n_disks;
	const strings_t *paths; /* what ${DEV} stands for, together: targets or the file of --dir, escaped for fio */
	const char *dir; /* what ${DIR} stands for, not escaped; NULL: no file system */
	const strings_t *cgroups; /* of each actor: its control group, "" for none; empty: of none */
	bool claim;	     /* hold the targets exclusively while the load runs: raw devices */
	bool writes;	     /* some pattern writes: without it fio runs with --readonly */
	const strings_t *fio_args;
	/*
	 * Say to fio which clock it is to take: the one that it takes by itself, but then it calibrates it once and not twice,
	 * which spins for 64 ms each time (fio's gettime.c: fio_clock_init). Only with host_has_steady_tsc().
	 */
	bool says_clock;
	const char *workdir; /* for job files and outputs: in memory, not on the disk under test */
	const char *job_path; /* of a dry run: where a plain job is, as there is no workdir; NULL */
	uint64_t grace_ns;   /* a run may take this much longer than ramp + runtime */
	const volatile sig_atomic_t *stop; /* becomes the number of a signal that asks us to end */
	int64_t tick_ns;		   /* call 'tick' this often while the load runs; negative: never */
	void (*tick)(void *arg);
	void *tick_arg;
};

enum run_state {
	RUN_OK,
	RUN_FAILED,
	RUN_INVALID,	 /* the settings were changed behind our back, or some background was not there all the time */
	RUN_INTERRUPTED, /* we were asked to end */
	RUN_NOT_OFFERED, /* nothing was run: this kernel has no such scheduler for the disk */
	RUN_LOST,	 /* nothing more can be run: the disk is gone, or the guard was killed */
};

/* What became of an actor. */
struct actor_result {
	const struct actor *actor; /* borrowed from the scenario */
	struct str raw;		   /* its stdout */
	struct str words;	   /* its stderr */
	int64_t elapsed_ns;	   /* CLOCK_MONOTONIC */
	bool stopped;		   /* by us, when the foreground had ended: what it says of that is no failure */
};

struct run_result {
	enum run_state state;
	char reason[1024]; /* "" when ok */
	int64_t started_ns; /* CLOCK_REALTIME, of the load */
	int64_t elapsed_ns; /* until the foreground's end, CLOCK_MONOTONIC */
	int exit_status;    /* of the first foreground actor that failed, else 0 */
	uint64_t read_bytes, write_bytes, user_us; /* of all actors, see struct guard_event */
	struct str requested, effective; /* JSON, from settings_apply */
	struct str command;		 /* environment and argv of each actor, as one would type them, a line each */
	VEC(struct actor_result) actors; /* as in the scenario; empty where nothing was run */
	struct host_counters before, after;
};

/* The job files that are the same in every run, written once into the workdir. */
int run_prepare(const struct run_context *ctx, struct err *err);

/* Run a cell. What goes wrong is in the result, never lost: there is no error to return. */
void run_cell(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, struct run_result *out);
void run_result_release(struct run_result *r);

/*
 * The commands of a cell as one would type them: variables, then argv; a line an actor. Also for --dry-run (guard and
 * settings unused).
 */
void run_describe(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, struct str *out);

/* Wait until child 'id' has ended, ticking; asks it to stop when told to. False: the guard is gone. */
bool run_wait(const struct run_context *ctx, unsigned id, struct guard_event *event, struct err *err);

/* Does some actor write in this cell? */
bool run_cell_writes(const struct run_context *ctx, const struct cell *cell);

/* How long the run may take before it counts: what the plan says and the longest delay, in ns. */
uint64_t run_cell_ns(const struct plan *p, const struct scenario *s, const struct cell *cell);

#endif
