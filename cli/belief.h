/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_BELIEF_H
#define CLI_BELIEF_H

#include "checks/load.h"
#include "cli/setup.h"
#include "db/store.h"
#include "runner/doctor_facts.h"
#include "runner/run.h"

/*
 * What makes the results of a sweep doubtful: checks/ judges, this hands it the facts and what it finds to the user and
 * to the database.
 */
struct belief {
	const struct setup *setup;
	struct doctor_facts facts;
	struct check_target target;
	struct check_load *loads; /* of each cell */
	uint64_t sim_commands, sim_late; /* of simulated disks, when last looked at */
	int kmsg;			 /* the kernel's log where we have read it to; -1: it may not be read */
	char *complaint;		 /* its first since then; NULL: none */
};

typedef VEC(struct warning_row) warnings_t;
void warnings_release(warnings_t *w);

/* Look at machine, disk and plan, and say what will spoil the sweep. */
void belief_start(struct belief *b, const struct setup *s);

/* Say which services and timers will. 'units': of doctor_units_begin(), ended here. */
void belief_say_units(struct belief *b, struct child_captured *units);

/* Append what is doubtful about a run that ended well. */
void belief_of_run(struct belief *b, unsigned cell, const struct run_result *r, const struct parsed *parsed,
		   warnings_t *out);

/* Append what the kernel has complained of since the last time, whatever became of the run. The first time it is said. */
void belief_of_kernel(struct belief *b, warnings_t *out);

/*
 * At the end: store what the runs of each cell tell together, and what the sweep tells as a whole with its first cell;
 * the latter is said too. 'cells' are those of the plan with their ids; 'before' and 'after' are the environments from
 * before the first run and from now.
 */
int belief_of_sweep(struct belief *b, struct store *store, int64_t sweep, const struct cell_row *cells,
		    const char *before, const char *after, struct err *err);

void belief_release(struct belief *b);

#endif
