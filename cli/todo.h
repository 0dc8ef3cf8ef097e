/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_TODO_H
#define CLI_TODO_H

#include "db/store.h"
#include "runner/plan.h"

/*
 * What is left to do of a sweep: which cell in which block. Comparisons are made within blocks, and a block pairs only
 * runs of one call of the program: so a block that is not complete runs again as a whole, and what it has is
 * superseded. Cells that waited for a scheduler of another kernel form blocks of their own.
 */
struct todo {
	size_t n_cells;
	bool *needed;	  /* [block * n_cells + cell] */
	unsigned *ok, *bad; /* of each cell: runs that stand */
	VEC(int64_t) superseded; /* ids of runs that no longer count */
};

/* 'cells' and 'runs' NULL: nothing has been done yet. Cells that failed or stopped need nothing. */
void todo_make(const struct plan *p, const cell_rows_t *cells, const run_rows_t *runs, struct todo *out);
void todo_release(struct todo *t);

bool todo_needs(const struct todo *t, const struct step *step);

#endif
