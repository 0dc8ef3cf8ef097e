// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/todo.h"

#include <stdlib.h>
#include <string.h>

enum group { GROUP_NONE, GROUP_RUNNING, GROUP_WAITED }; /* cells that failed or stopped are in none */

/* Cells were stored in the order of the plan: their ids ascend. */
static int compare_id(const void *id, const void *cell)
{
	int64_t a = *(const int64_t *)id, b = ((const struct cell_row *)cell)->id;

	return (a > b) - (a < b);
}

/* The run of a cell in a block that stands: NULL if there is none. */
static const struct run_row **settled_runs(const struct plan *p, const cell_rows_t *cells, const run_rows_t *runs)
{
	const struct run_row **at = mem_alloc(p->runs * cells->n, sizeof(struct run_row *));

	for (size_t i = 0; i < runs->n; i++) {
		const struct run_row *r = &runs->items[i];
		const struct cell_row *cell = bsearch(&r->cell, cells->items, cells->n, sizeof(*cell), compare_id);

		if (cell && (unsigned)r->block < p->runs && !strcmp(r->kind, "measure") &&
		    (!strcmp(r->state, "ok") || !strcmp(r->state, "failed")))
			at[(size_t)r->block * cells->n + (size_t)(cell - cells->items)] = r;
	}
	return at;
}

static enum group group_of(const struct cell_row *c)
{
	/* what is done for a reason was precise enough: it has stopped before the last block */
	if (!strcmp(c->state, "failed") || (!strcmp(c->state, "done") && c->reason))
		return GROUP_NONE;
	/* the only cells that are pending with a reason are those whose scheduler was not there */
	return !strcmp(c->state, "pending") && c->reason ? GROUP_WAITED : GROUP_RUNNING;
}

static bool block_complete(const cell_rows_t *cells, const struct run_row **block, enum group g)
{
	for (size_t c = 0; c < cells->n; c++)
		if (group_of(&cells->items[c]) == g && !block[c])
			return false;
	return true;
}

static void count(struct todo *t, size_t cell, const struct run_row *r)
{
	if (!strcmp(r->state, "ok"))
		t->ok[cell]++;
	else
		t->bad[cell]++;
}

void todo_make(const struct plan *p, const cell_rows_t *cells, const run_rows_t *runs, struct todo *t)
{
	const struct run_row **settled;

	*t = (struct todo){ .n_cells = p->cells.n };
	t->needed = mem_alloc(p->runs * p->cells.n, sizeof(bool));
	t->ok = mem_alloc(p->cells.n, sizeof(unsigned));
	t->bad = mem_alloc(p->cells.n, sizeof(unsigned));
	if (!cells) {
		memset(t->needed, true, p->runs * p->cells.n);
		return;
	}
	settled = settled_runs(p, cells, runs);
	for (size_t b = 0; b < p->runs; b++) {
		const struct run_row **block = settled + b * cells->n;

		for (size_t c = 0; c < cells->n; c++) {
			enum group g = group_of(&cells->items[c]);
			bool complete = p->sequential ? block[c] != NULL : block_complete(cells, block, g);

			t->needed[b * cells->n + c] = g != GROUP_NONE && !complete;
			if (block[c] && (g == GROUP_NONE || complete))
				count(t, c, block[c]);
			else if (block[c])
				*vec_push(&t->superseded) = block[c]->id;
		}
	}
	free(settled);
}

void todo_release(struct todo *t)
{
	free(t->needed);
	free(t->ok);
	free(t->bad);
	vec_free(&t->superseded);
}

bool todo_needs(const struct todo *t, const struct step *step)
{
	return t->needed[step->block * t->n_cells + step->cell];
}
