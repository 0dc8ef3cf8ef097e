// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout 'jobs', shape of the post of 2017: a table a pattern (and value of every other axis that varies), a row
 * a job count, a column group a variant under one governor, kernel, environment and sweep.
 */
#include <math.h>
#include <string.h>

#include "report/figure.h"
#include "report/group.h"
#include "report/subset.h"
#include "report/view.h"

struct grid {
	const struct metric *metric;
	const struct figures *figures;
	groups_t groups;
	strings_t jobs;	     /* one a row; "" where the cell has no job count */
	struct stats *cells; /* jobs.n rows of groups.n */
	bool *known;	     /* which of them hold data */
};

static void fill_grid(struct grid *g, const members_t *members)
{
	for (size_t i = 0; i < members->n; i++)
		if (!strings_has(&g->jobs, series_jobs(members->items[i])))
			strings_add(&g->jobs, series_jobs(members->items[i]));
	if (g->jobs.n)
		qsort(g->jobs.items, g->jobs.n, sizeof(*g->jobs.items), series_jobs_order);
	groups_find(members, &g->groups);
	g->cells = mem_alloc(g->jobs.n * g->groups.n, sizeof(*g->cells));
	g->known = mem_alloc(g->jobs.n * g->groups.n, sizeof(*g->known));
	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];
		size_t row = 0, at;

		if (!series_has_data(s))
			continue;
		while (strcmp(g->jobs.items[row], series_jobs(s)) != 0)
			row++;
		at = row * g->groups.n + group_index(&g->groups, s);
		g->cells[at] = series_summary(s, g->metric->print_scale);
		g->known[at] = true;
	}
}

static int decimals_of(const struct grid *g)
{
	double largest = 0;

	for (size_t i = 0; i < g->jobs.n * g->groups.n; i++)
		for (size_t c = 0; c < g->figures->n && g->known[i]; c++)
			largest = fmax(largest, fabs(figure_value(&g->cells[i], g->figures->columns[c].which)));
	return figure_decimals(largest);
}

static struct n_range n_range_of(const struct grid *g)
{
	struct n_range r = { 0 };

	for (size_t i = 0; i < g->jobs.n * g->groups.n; i++)
		if (g->known[i])
			n_range_add(&r, g->cells[i].n);
	n_range_finish(&r);
	return r;
}

/* "n=8" or "n=8 in [1], 9 in [2]": cells of a row with another number of runs than most; NULL if there is none. */
static char *row_note(const struct grid *g, size_t row, const struct n_range *range)
{
	const struct stats *cells = g->cells + row * g->groups.n;
	struct str text = { 0 };
	size_t others = 0, first = 0, cells_known = 0, alike = 0;

	for (size_t i = 0; i < g->groups.n; i++) {
		if (!g->known[row * g->groups.n + i])
			continue;
		first = cells_known++ ? first : cells[i].n;
		alike += cells[i].n == first;
		if (cells[i].n == range->usual)
			continue;
		str_addf(&text, others++ ? ", " : "n=");
		if (cells[i].n)
			str_addf(&text, "%zu in [%zu]", cells[i].n, i);
		else
			str_addf(&text, "? in [%zu]", i);
	}
	if (others && alike == cells_known && first) {
		str_clear(&text);
		str_addf(&text, "n=%zu", first);
	}
	return others ? str_steal(&text) : NULL;
}

static void add_columns(struct table *t, const struct grid *g)
{
	const char *unit = *g->metric->print_unit ? g->metric->print_unit : NULL;

	table_add_column(t, "jobs", "numjobs", NULL, NULL)->is_label = true;
	for (size_t i = 0; i < g->groups.n; i++) {
		struct table_column *c;

		for (size_t k = 0; k < g->figures->n; k++) {
			c = table_add_column(t, g->figures->columns[k].name, g->figures->columns[k].name, unit, g->figures->columns[k].kind);
			c->group = mem_printf("[%zu]", i);
			c->series = mem_strdup(g->groups.items[i].name);
			c->width = g->figures->columns[k].width;
		}
		c = table_add_column(t, "n", "n", NULL, "number of runs");
		c->series = mem_strdup(g->groups.items[i].name);
		c->for_machines = true;
	}
}

static void add_rows(struct table *t, const struct grid *g, const struct n_range *range)
{
	int decimals = decimals_of(g);

	for (size_t r = 0; r < g->jobs.n; r++) {
		struct table_row *row = table_add_row(t);

		if (*g->jobs.items[r])
			table_set_integer(row, 0, strtod(g->jobs.items[r], NULL));
		row->note = row_note(g, r, range);
		for (size_t i = 0; i < g->groups.n; i++) {
			const struct stats *s = &g->cells[r * g->groups.n + i];
			size_t column = 1 + i * (g->figures->n + 1);

			if (!g->known[r * g->groups.n + i])
				continue;
			for (size_t k = 0; k < g->figures->n; k++)
				table_set_real(row, column + k, figure_value(s, g->figures->columns[k].which), decimals);
			if (s->n)
				table_set_integer(row, column + g->figures->n, (double)s->n);
		}
	}
}

static void fill_table(struct table *t, const members_t *members, const struct metric *metric)
{
	struct grid g = { .metric = metric, .figures = figures_of(metric) };
	struct n_range range;

	fill_grid(&g, members);
	range = n_range_of(&g);
	t->caption = figure_caption(metric, g.figures, &range);
	for (size_t i = 0; i < g.groups.n; i++) {
		AUTOFREE char *line = mem_printf("[%zu] - %s", i, g.groups.items[i].legend);

		strings_add(&t->legend, line);
	}
	add_columns(t, &g);
	add_rows(t, &g, &range);
	gap_notes(members, &t->notes);
	stop_notes(members, &t->notes);
	shard_notes(members, &t->notes);
	if (groups_lack_cpufreq(&g.groups))
		strings_add(&t->notes, "no cpufreq on this machine");
	groups_release(&g.groups);
	strings_release(&g.jobs);
	free(g.cells);
	free(g.known);
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *metric = opt->metric ? opt->metric : metric_find("iops");
	subsets_t subsets = { 0 };

	subsets_find(set, metric, &subsets);
	if (!subsets.n)
		return err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there", metric->name);
	for (size_t i = 0; i < subsets.n; i++) {
		struct table *t = table_new(subsets.items[i].title, subsets.items[i].label);

		t->separator = mem_strdup(" & ");
		fill_table(t, &subsets.items[i].members, metric);
		*vec_push(&out->list) = t;
	}
	subsets_release(&subsets);
	return 0;
}

const struct view view_jobs = {
	.name = "jobs",
	.title = "a table a pattern: job counts down, variants across",
	.make = make,
};
