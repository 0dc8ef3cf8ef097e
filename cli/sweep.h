/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <stdint.h>

#include "cli/setup.h"
#include "db/store.h"

/* What a sweep came to; the exit code follows from it. */
struct sweep_outcome {
	int64_t sweep; /* id in the database; 0: it did not get that far */
	bool measured; /* some result is stored */
	bool unrestored; /* some setting could not be put back */
	int signal;	 /* that ended it; 0 */
	bool failed;	 /* some cell failed */
	bool pending;	 /* some cell cannot be run by this kernel */
	bool out_of_time; /* the deadline of the setup came before the last repetition */
	bool stopped;	 /* an error came before its end */
};

/* What is there of a sweep that goes on. Borrowed. */
struct sweep_past {
	const struct sweep_row *sweep;
	const cell_rows_t *cells;
	const run_rows_t *runs;
};

/*
 * Run the plan of 'setup' into the store (NULL: that of --db, opened here; the caller closes it), or with 'past' what is
 * missing of it: settings saved and journalled, every step run, parsed and stored, settings put back and verified
 * whatever happens. -1 if it could not start or had to stop; the outcome is filled all the same.
 */
int sweep_run(const struct options *opt, struct setup *setup, struct store **store, const struct sweep_past *past,
	      struct sweep_outcome *out, struct err *err);

/*
 * What keeps a sweep from starting on these disks: what a dead one left, and who uses them; 'db' is or will be on none of
 * them. ERR_NEEDS says it. Nothing is touched.
 */
int sweep_check_free(const struct setup *s, const char *db, struct err *err);

/* Say what became of it, and where it is. */
void sweep_say_outcome(const struct sweep_outcome *o, const struct store *store);

/* Say what went wrong, and how to go on. */
void sweep_say_error(const struct sweep_outcome *o, const struct store *store, const struct err *err);

/* design.md section 4: where several hold, 4 before 130 before 3 before 1 before 5. 'err' is NULL if all went well. */
int sweep_exit_code(const struct sweep_outcome *o, const struct err *err);

/* Of the exit codes of several sweeps the one that tells for all, in the same order. */
int sweep_worse_code(int a, int b);

/* Has a signal come that ends this program? Only ever true once a sweep has run. */
bool sweep_asked_to_stop(void);

#endif
