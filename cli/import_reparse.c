// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/import_file.h"
#include "db/import.h"

/* Runs of one cell whose outputs were read again. */
struct again {
	VEC(struct reparsed_run) runs;
	VEC(struct parsed *) parsed;
	strings_t reasons;
};

struct reparse {
	struct store *s;
	size_t n_read, n_without, n_left, n_refused, n_failed;
};

static void again_release(struct again *a)
{
	for (size_t i = 0; i < a->parsed.n; i++) {
		parsed_release(a->parsed.items[i]);
		free(a->parsed.items[i]);
	}
	vec_free(&a->parsed);
	vec_free(&a->runs);
	strings_release(&a->reasons);
}

/*
 * Only what its output alone decided can change: a run of ours that failed, was invalid or superseded stays so, for
 * there were other reasons.
 */
static void judge(const struct run_details *d, const struct parsed *p, struct again *a)
{
	bool imported = !strcmp(d->sweep.kind, "import"), ok = !strcmp(d->run.state, "ok");
	struct reparsed_run *r = vec_push(&a->runs);
	const char *reason = NULL;

	*r = (struct reparsed_run){ .run = d->run.id, .parsed = p };
	if (!ok && !(imported && !strcmp(d->run.state, "failed"))) {
		strings_add(&a->reasons, d->run.state);
		r->state = a->reasons.items[a->reasons.n - 1];
		reason = d->run.reason;
	} else {
		r->state = p->failed ? "failed" : "ok";
		reason = p->reason;
	}
	if (reason) {
		strings_add(&a->reasons, reason);
		r->reason = a->reasons.items[a->reasons.n - 1];
	}
}

static int read_again(struct reparse *x, const char *uuid, struct again *a, struct err *err)
{
	struct run_details d = { 0 };
	const struct parser *parser, *which;
	struct parsed *p;
	struct err refused = { 0 };

	if (store_get_run(x->s, uuid, &d, err))
		return -1;
	parser = d.run.format ? parser_find(d.run.format) : NULL;
	p = mem_alloc(1, sizeof(*p));
	*vec_push(&a->parsed) = p;
	if (!d.raw || !parser) {
		x->n_without++;
	} else if (parser_read(d.raw, d.raw_len, parser, p, &which, &refused)) {
		/* Refused before too: nothing of it is stored. */
		x->n_failed += d.samples.n == 0;
		x->n_refused += d.samples.n != 0;
		if (d.samples.n)
			say("run '%.8s' stays as it is: %s", d.run.uuid, refused.msg);
	} else {
		judge(&d, p, a);
		x->n_read++;
	}
	run_details_release(&d);
	return 0;
}

static int reparse_cell(struct reparse *x, int64_t cell, const run_rows_t *runs, struct err *err)
{
	struct again a = { 0 };
	int bad = 0;

	for (size_t i = 0; !bad && i < runs->n; i++)
		if (runs->items[i].cell == cell)
			bad = read_again(x, runs->items[i].uuid, &a, err);
	bad = bad || (a.runs.n && store_replace_samples(x->s, cell, a.runs.items, a.runs.n, &x->n_left, err));
	again_release(&a);
	return bad ? -1 : 0;
}

static int reparse_sweep(struct reparse *x, int64_t sweep, struct err *err)
{
	cell_rows_t cells = { 0 };
	run_rows_t runs = { 0 };
	int bad = store_list_cells(x->s, sweep, &cells, err) || store_list_runs(x->s, sweep, &runs, err);

	for (size_t i = 0; !bad && i < cells.n; i++)
		bad = reparse_cell(x, cells.items[i].id, &runs, err);
	cell_rows_release(&cells);
	run_rows_release(&runs);
	return bad ? -1 : 0;
}

int import_reparse(struct store *s, struct err *err)
{
	struct reparse x = { .s = s };
	sweep_rows_t sweeps = { 0 };
	int bad = store_list_sweeps(s, &sweeps, err);

	for (size_t i = 0; !bad && i < sweeps.n; i++)
		bad = reparse_sweep(&x, sweeps.items[i].id, err);
	sweep_rows_release(&sweeps);
	if (bad)
		return -1;
	printf("%zu outputs read again, %zu that cannot be read as before, %zu runs without output", x.n_read - x.n_left,
	       x.n_failed, x.n_without);
	if (x.n_left)
		printf(", %zu of several actors left alone", x.n_left);
	printf("%s\n", x.n_refused ? ", and some refused: see above" : "");
	return x.n_refused ? ERR_FAULT : 0;
}
