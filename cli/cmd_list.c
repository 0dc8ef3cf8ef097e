// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cell_text.h"
#include "cli/command.h"
#include "common/units.h"
#include "db/store.h"

static const struct option_row options_list[] = {
	{ "cells", NULL, "the cells of each sweep too, with their state", 'c', false, false },
	{ 0 },
};

static void print_cells(const cell_rows_t *cells)
{
	AUTOSTRINGS strings_t axes = { 0 };

	cells_varying(cells, &axes);
	for (size_t i = 0; i < cells->n; i++) {
		const struct cell_row *c = &cells->items[i];
		AUTOSTR struct str text = { 0 };

		cell_text(c, &axes, &text);
		printf("    %4d %-8s %s%s%s\n", c->ordinal + 1, c->state, str_text(&text), c->reason ? ": " : "",
		       c->reason ? c->reason : "");
	}
}

/* "12 cells", "1 run": nothing is said of what there is none of. */
static void add_count(struct str *line, int64_t n, const char *what, bool counted)
{
	if (n || counted)
		str_addf(line, "%s%" PRId64 " %s%s", line->len ? ", " : "", n, what, counted && n != 1 ? "s" : "");
}

static int print_sweep(struct store *s, const struct sweep_row *r, bool with_cells, bool with_host, struct err *err)
{
	AUTOSTR struct str counts = { 0 };
	AUTOFREE char *where = NULL;
	cell_rows_t cells = { 0 };
	char when[UNITS_TEXT];
	int bad = 0;

	add_count(&counts, r->n_cells, "cell", true);
	add_count(&counts, r->n_pending, "pending", false);
	add_count(&counts, r->n_failed, "failed", false);
	add_count(&counts, r->n_runs_ok, "run", true);
	add_count(&counts, r->n_runs_bad, "not counted", false);
	where = mem_printf("%s%s%s", r->devices, with_host ? " on " : "", with_host ? r->host : "");
	printf("%.8s  %s  %-11s  %-10s  %s%s%s\n", r->uuid, units_format_time(when, r->started_ns, localtime_r, "%F %R"),
	       r->state, where, str_text(&counts), *r->name ? "  " : "",
	       r->name);
	if (!with_cells)
		return 0;
	bad = store_list_cells(s, r->id, &cells, err);
	if (!bad)
		print_cells(&cells);
	cell_rows_release(&cells);
	return bad;
}

/* What was imported has none. */
static bool has_host(const struct sweep_row *r)
{
	return r->host && *r->host;
}

static bool of_several_hosts(const sweep_rows_t *all)
{
	const char *first = NULL;

	for (size_t i = 0; i < all->n; i++) {
		if (first && has_host(&all->items[i]) && strcmp(all->items[i].host, first) != 0)
			return true;
		if (has_host(&all->items[i]))
			first = all->items[i].host;
	}
	return false;
}

static int print_all(struct store *s, const struct options *opt, struct err *err)
{
	bool with_cells = option_given(opt, "cells"), with_host;
	sweep_rows_t all = { 0 };
	int bad = 0;

	for (size_t i = 0; !bad && i < opt->operands.n; i++) {
		struct sweep_row row = { 0 };

		bad = store_find_sweep(s, opt->operands.items[i], &row, err) || print_sweep(s, &row, with_cells, false, err);
		sweep_row_release(&row);
	}
	if (opt->operands.n)
		return bad;
	bad = store_list_sweeps(s, &all, err);
	with_host = !bad && of_several_hosts(&all);
	for (size_t i = 0; !bad && i < all.n; i++)
		bad = print_sweep(s, &all.items[i], with_cells, with_host && has_host(&all.items[i]), err);
	sweep_rows_release(&all);
	return bad;
}

static int run(const struct options *opt, struct err *err)
{
	AUTOSTORE struct store *s = open_database(opt, STORE_READ, err);

	return !s || print_all(s, opt, err) ? -1 : 0;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "the sweeps of a database",
	.operands = "[SWEEP]...",
	.groups = { options_list, options_db },
	.run = run,
};
