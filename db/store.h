/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_STORE_H
#define DB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/file.h"
#include "common/mem.h"
#include "common/str.h"
#include "parsers/sample.h"

/*
 * The database: one SQLite file, WAL, synchronous=FULL. Rows that come out own their strings; rows that go in
 * borrow them. Times are CLOCK_REALTIME nanoseconds. Every function that writes is one transaction: after it
 * returned 0 the rows survive a power cut.
 */
struct store;

enum store_mode {
	STORE_CREATE, /* open for writing, made if absent */
	STORE_WRITE,  /* open for writing, must exist */
	STORE_READ,   /* never writes, works on read-only media too; must exist */
};

/*
 * Errors (ERR_NEEDS): not a database, not ours (application_id), newer than we are (both versions are named),
 * read-only, locked for over 10 s, disk full. An older schema is migrated when opened for writing.
 * Every function below may fail with ERR_NEEDS for locked and disk full, with ERR_FAULT for an I/O error, a damaged
 * file, and a file that was deleted or replaced while it was open. One thread at a time; not across fork().
 */
struct store *store_open(const char *path, enum store_mode mode, struct err *err);
void store_close(struct store *s);
static inline void store_auto_close_(struct store *const *s)
{
	store_close(*s);
}
#define AUTOSTORE CLEANUP(store_auto_close_)

/*
 * Make one transaction of the calls in between: all of them or none. Nobody waits for the disk: the next call that stores
 * something does, for both. The second returns -1 if 'failed', or one of them did. Not to be nested.
 */
int store_join(struct store *s, struct err *err);
int store_join_end(struct store *s, bool failed, struct err *err);
const char *store_path(const struct store *s);

struct sweep_row {
	int64_t id; /* filled in by store_put_sweep */
	char uuid[UUID_TEXT];
	char *kind;	/* "sweep" (also NULL), "import": measured elsewhere */
	char *name, *note;
	char *command;	/* as typed */
	char *plan;	/* JSON: all that resume needs; NULL of imports */
	uint64_t seed;
	char *state;	/* "running", "done", "interrupted", "pending" */
	char *host;
	char *devices; /* as typed, for lists */
	int64_t started_ns, ended_ns; /* ended 0: not yet */
	/* filled in by queries only */
	int64_t n_cells, n_done, n_pending, n_failed, n_runs_ok, n_runs_bad;
};
void sweep_row_release(struct sweep_row *r);

/* An axis of a cell, in the order in which views list them. */
struct axis_value {
	const char *name, *value;
};

struct cell_row {
	int64_t id;	/* filled in by store_put_sweep */
	int64_t config; /* filled in by queries: the same for the same key */
	int ordinal;	/* place in the plan */
	char *key;	/* canonical: the same configuration has the same key, variant and axes on every night */
	char *variant;	/* "bfq:slice_idle=0" */
	char *state;	/* "pending", "done", "failed" */
	char *reason;	/* NULL unless pending for a reason, failed, or done with a precision: how precise */
	struct axis_value *axes;
	size_t n_axes;
};

struct workload_row {
	char *name, *text; /* the job file, whole */
};

/* A sweep with all its cells: they are there before the first run. Fills the ids. */
int store_put_sweep(struct store *s, struct sweep_row *sweep, const struct workload_row *workload,
		    struct cell_row *cells, size_t n_cells, struct err *err);
int store_set_sweep_state(struct store *s, int64_t sweep, const char *state, int64_t ended_ns, struct err *err);
int store_note_sweep(struct store *s, int64_t sweep, const char *text, struct err *err); /* added to its note */
int store_set_cell_state(struct store *s, int64_t cell, const char *state, const char *reason, struct err *err);

/* The environment with this content, stored once. 'json' must be canonical (same facts, same bytes). */
int store_put_environment(struct store *s, const char *json, int64_t *id, struct err *err);

/* One call of sweep or resume: runs are paired only within one. */
int store_put_invocation(struct store *s, int64_t sweep, const char *boot_id, const char *command, int64_t *id,
			 struct err *err);

struct warning_row {
	char *code, *text;
};

struct run_row {
	int64_t id; /* filled in by store_put_run */
	char uuid[UUID_TEXT];
	int64_t cell, environment, invocation;
	int block, position; /* position: the how-maniest run of its block */
	int attempt;	     /* 0, 1, … of this cell in this block */
	char *kind;	     /* "measure", "canary" */
	char *state;	     /* "ok", "failed", "invalid", "interrupted", "superseded" */
	char *reason;	     /* NULL when ok */
	int64_t started_ns, elapsed_ns;
	uint64_t randseed;
	char *requested, *effective; /* JSON: settings asked for, and as read back */
	char *counters;		     /* JSON: what the disk and the CPUs counted during the run; NULL if none */
	char *command;		     /* argv and environment of the load generator */
	int exit_status;	     /* of waitpid */
	char *tool;		     /* "fio-3.33"; NULL if not known */
	char *format;		     /* name of the parser of 'raw' */
	const char *raw;	     /* the output, whole, as it came; NULL if there is none */
	size_t raw_len;
	const struct frame *frame; /* of 'raw', of db/frame.h; NULL: made when it is stored */
	char *diagnostics; /* the tool's own words beside the output; NULL if none */
};
void run_row_release(struct run_row *r);

/*
 * One transaction: the run, its samples (those of single jobs only where the metric says so), its raw output
 * compressed, its warnings, the running summaries of its cell. 'actor' names who of a scenario made the numbers
 * ("fio" where there is one).
 */
int store_put_run(struct store *s, struct run_row *run, const char *actor, const struct parsed *parsed,
		  const struct warning_row *warnings, size_t n_warnings, struct err *err);

/* The same of several actors. */
struct actor_samples {
	const char *actor;
	const struct parsed *parsed;
};
int store_put_run_of(struct store *s, struct run_row *run, const struct actor_samples *actors, size_t n_actors,
		     const struct warning_row *warnings, size_t n_warnings, struct err *err);

/* These runs become "superseded": they stay, but count no more, in summaries neither. */
int store_supersede_runs(struct store *s, const int64_t *runs, size_t n, struct err *err);

/* The warnings of a cell as a whole (its runs have their own), instead of those it had. */
int store_set_cell_warnings(struct store *s, int64_t cell, const struct warning_row *warnings, size_t n,
			    struct err *err);

typedef VEC(struct sweep_row) sweep_rows_t;
typedef VEC(struct run_row) run_rows_t;
void sweep_rows_release(sweep_rows_t *rows);
void run_rows_release(run_rows_t *rows);

/*
 * SWEEP of the command line: "last", "last~N" (by time of start), a name (the newest sweep of it), the start of a
 * uuid. In this order: a name wins over the start of an id, of which one can type more. ERR_USAGE if there is none, or
 * if several ids start so.
 */
int store_find_sweep(struct store *s, const char *text, struct sweep_row *out, struct err *err);

/* The newest sweep made by 'host'; of those only with the name of the sweep 'like' unless that is 0. ERR_USAGE: none. */
int store_find_sweep_of_host(struct store *s, const char *host, int64_t like, struct sweep_row *out, struct err *err);
int store_list_sweeps(struct store *s, sweep_rows_t *out, struct err *err); /* oldest first */

/* Ids of the sweeps that started from 'from_ns' on and before 'until_ns', oldest first. */
typedef VEC(int64_t) sweep_ids_t;
int store_sweeps_between(struct store *s, int64_t from_ns, int64_t until_ns, sweep_ids_t *out, struct err *err);

/* Every kernel that results are stored of, and the newest sweep with results of one (0: none). */
int store_list_kernels(struct store *s, strings_t *out, struct err *err);
int store_sweep_of_kernel(struct store *s, const char *kernel, int64_t *id, struct err *err);

typedef VEC(struct cell_row) cell_rows_t; /* rows that came out own their axes too */
void cell_row_release(struct cell_row *r);
void cell_rows_release(cell_rows_t *rows);
int store_list_cells(struct store *s, int64_t sweep, cell_rows_t *out, struct err *err); /* in order of the plan */

/* Runs of a sweep in the order they were made, without raw outputs. */
int store_list_runs(struct store *s, int64_t sweep, run_rows_t *out, struct err *err);

/* What is doubtful in a sweep: one row a code, with the text of one such warning, of how many runs and cells. */
struct warning_count {
	char *code, *text;
	int64_t n_runs, n_cells;
	int64_t cell; /* of store_list_cell_warnings */
};
typedef VEC(struct warning_count) warning_counts_t;
int store_count_warnings(struct store *s, int64_t sweep, warning_counts_t *out, struct err *err);
void warning_counts_release(warning_counts_t *counts);

/* The same for each cell: in order of cells, then of codes. Without runs it is of the cell as a whole. */
int store_list_cell_warnings(struct store *s, int64_t sweep, warning_counts_t *out, struct err *err);

/* One run by a prefix of its uuid, with all that is known of it. */
struct run_details {
	struct run_row run;
	struct sweep_row sweep;
	struct cell_row cell;
	char *environment; /* JSON */
	char *raw;	   /* uncompressed, owned; NULL if none or pruned */
	size_t raw_len;
	VEC(struct sample) samples; /* metric pointers live for ever, devices are owned */
	strings_t actors;	    /* of each sample */
	warning_counts_t warnings;
};
int store_get_run(struct store *s, const char *uuid_prefix, struct run_details *out, struct err *err);
void run_details_release(struct run_details *d);

/*
 * A copy of the database as it is at one moment, also while a sweep writes to it (SQLite's backup API; a copy of the
 * files made by cp may be damaged). ERR_NEEDS if 'path' exists. A copy that was not finished does not get its name.
 */
int store_backup(struct store *s, const char *path, struct err *err);

/*
 * Append a line for everything that is wrong with the database: SQLite's own checks, and summaries that are not those
 * of their runs. Nothing is changed.
 */
int store_check(struct store *s, struct str *problems, struct err *err);

/* The JSON of an environment; the caller frees. */
int store_get_environment(struct store *s, int64_t id, char **json, struct err *err);

/* The workload of a sweep; NULLs for one that was imported. The caller frees. */
int store_get_workload(struct store *s, int64_t sweep, struct workload_row *out, struct err *err);

#endif
