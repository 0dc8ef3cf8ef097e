/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_IMPORT_H
#define DB_IMPORT_H

#include "db/store.h"

/* What was measured elsewhere, and what is read anew from outputs that are stored. */

/*
 * A file as it came. All of it is stored, with the note that it was, or nothing. Between store_import_begin() and
 * store_import_end() some thousand files are one transaction (at most two seconds): after a power cut the first so and so
 * many files are there, whole, and import brings the others; behind the end all are on disk. Without those two each
 * file is a transaction.
 */
int store_import_begin(struct store *s, struct err *err);
int store_import_end(struct store *s, struct err *err);

struct import_file {
	char hash[HASH_TEXT]; /* of its bytes */
	const char *path;     /* as given */
	const char *format;   /* name of the parser */
};

/* Whether such bytes were imported before: 1, and '*where' says where ("'x.json' in sweep 'y'", the caller frees), 0, -1 */
int store_find_import(struct store *s, const char *hash, char **where, struct err *err);

/*
 * A run into the cell of this key, which is made if the sweep has none. If the sweep's id is 0 it is made, and
 * run->invocation for it; else that is of the runs before. Each run has a block of its own (run->block), since what was
 * measured elsewhere is not paired. The state of the cell follows from its runs. 'environment' is JSON. Fills the ids;
 * run->cell and environment need not be set.
 */
int store_import_run(struct store *s, const struct import_file *file, struct sweep_row *sweep, struct cell_row *cell,
		     const char *environment, struct run_row *run, const char *actor, const struct parsed *parsed,
		     struct err *err);

/* A published table as a sweep: its cells, and rows of the table with the index of their cell. */
struct published_row {
	const struct published *row;
	size_t cell;
};
struct published_sweep {
	struct sweep_row sweep;
	cell_rows_t cells;
	VEC(struct published_row) rows;
};
int store_import_tables(struct store *s, const struct import_file *file, struct published_sweep *tables, size_t n,
			struct err *err);

/* A run whose output was read again. */
struct reparsed_run {
	int64_t run;
	const char *state, *reason;
	const struct actor_samples *actors;
	size_t n_actors;
};

/* Samples, states and reasons of runs of one cell anew, and its summary: one transaction. */
int store_replace_samples(struct store *s, int64_t cell, const struct reparsed_run *runs, size_t n, struct err *err);

#endif
