/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SWEEP_STATE_H
#define CLI_SWEEP_STATE_H

#include <pthread.h>

#include "cli/belief.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/stage.h"
#include "cli/sweep.h"
#include "cli/todo.h"
#include "runner/run.h"

/* A sweep that is on, between the files that make one: sweep.c has them in order, and nobody else knows of it. */

#define NEEDS_FIO "iobench needs fio 3.0 or newer"

/* What has become of a cell. */
struct cell_record {
	unsigned ok, bad, bad_in_a_row;
	bool closed; /* not run any more */
	bool uncounted; /* closed before the first run: the progress does not count it */
	char *reason;
};

struct sweep {
	const struct options *opt;
	struct setup *setup;
	const char *db;	     /* the path of the database */
	struct store *store; /* the opener's until sweep_store() */
	/* opens it while the disk and the machine are looked at: to make a new one takes as long */
	pthread_t opener;
	bool opening; /* the opener is at it */
	struct err open_err;
	const struct sweep_past *past; /* NULL: a new sweep */
	struct sweep_outcome *out;
	struct todo todo;
	fds_t locks;
	struct settings *settings;
	struct guard *guard;
	struct child_captured units; /* systemctl, asked for systemd's units */
	struct stage stage;
	char *workdir, *fio_version, *identity;
	struct run_context run;
	struct sweep_row row;	/* of a new sweep */
	int64_t id;		/* of the sweep in the store; 0: not there yet */
	struct cell_row *cells;
	struct cell_record *records;
	int64_t invocation, environment;
	struct belief belief;
	facts_t facts; /* of the environment, from before the first run */
	char *machine; /* the same as JSON, with fio's version: from the first result on */
	bool wrote;		/* some run has overwritten the device already */
	int64_t last_canary_ns; /* CLOCK_MONOTONIC */
	struct progress progress;
};

/* ---- before the first run (sweep_start.c) ---- */

/* Look at everything, lock the disks, begin to open the database. Changes no setting. */
int sweep_look(struct sweep *w, struct err *err);

/* From here on settings may change: the journal is written, the guard is there, and the database is open. */
int sweep_guard(struct sweep *w, struct err *err);

/* Cells whose scheduler this kernel does not have stay pending: says so once a scheduler, before anything runs. */
int sweep_probe(struct sweep *w, struct err *err);

/* Wait until the database is open. Later calls find it so. */
int sweep_store(struct sweep *w, struct err *err);

/* ---- in the database (sweep_record.c) ---- */

/* Put the sweep into the database, or take up the one that is there. Nobody waits for the disk: the first result does. */
int sweep_record(struct sweep *w, struct err *err);

/* 'kind': "measure", "canary". */
int sweep_store_result(struct sweep *w, const struct step *step, const char *kind, unsigned position, int attempt,
		       struct run_result *r, const struct outcome *o, struct err *err);
int sweep_close_cell(struct sweep *w, unsigned cell, const char *state, const char *reason, struct err *err);

/* What the runs tell together, when all is as it was. */
int sweep_judge(struct sweep *w, struct err *err);

/* ---- the runs (sweep_runs.c) ---- */

/* All that are to be made, until a signal, the deadline, or an error. */
int sweep_run_all(struct sweep *w, struct err *err);

#endif
