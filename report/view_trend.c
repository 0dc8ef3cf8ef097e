// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout 'trend': a row a sweep, a group of columns a variant, a table all else that tells cells apart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "report/figure.h"
#include "report/trend.h"
#include "report/utf8.h"
#include "report/view.h"

#define NAME_WIDTH 16 /* longer names would take the place of results */

enum label { DATE, SWEEP, ID, KERNEL, N_LABELS };

/* What the labels of a table need to say. */
struct saying {
	bool times;   /* of day: several sweeps started on one */
	bool kernels; /* they differ */
};

static const char *date_text(char out[UNITS_TEXT], bool with_time, const struct trend_line *line)
{
	return units_format_time(out, line->sweep->started_ns, localtime_r, with_time ? "%F %R" : "%F");
}

static struct saying what_to_say(const struct trend_part *p)
{
	struct saying s = { 0 };
	char last[UNITS_TEXT] = "", date[UNITS_TEXT];

	for (size_t i = 0; i < p->lines.n; i++) {
		const struct trend_line *line = &p->lines.items[i];

		s.kernels = s.kernels || strcmp(line->kernel, p->lines.items[0].kernel) != 0;
		if (i && line->sweep != p->lines.items[i - 1].sweep && !strcmp(last, date_text(date, false, line)))
			s.times = true;
		date_text(last, false, line);
	}
	return s;
}

/* Names that are long, or that several sweeps have, tell less than ids. */
static bool name_tells(const struct trend *t, const struct trend_sweep *sweep)
{
	if (!*sweep->name || utf8_width(sweep->name) > NAME_WIDTH)
		return false;
	for (size_t i = 0; i < t->sweeps.n; i++)
		if (&t->sweeps.items[i] != sweep && !strcmp(t->sweeps.items[i].name, sweep->name))
			return false;
	return true;
}

/* What each sweep is called in all tables. */
static void find_names(const struct trend *t, strings_t *out)
{
	for (size_t i = 0; i < t->sweeps.n; i++) {
		const struct trend_sweep *sweep = &t->sweeps.items[i];

		*vec_push(out) = name_tells(t, sweep) ? mem_strdup(sweep->name) : mem_strndup(sweep->uuid, 8);
	}
}

static void add_labels(struct table *t, const struct saying *s)
{
	static const char *const names[N_LABELS] = {
		[DATE] = "date", [SWEEP] = "sweep", [ID] = "id", [KERNEL] = "kernel"
	};

	for (size_t i = 0; i < N_LABELS; i++) {
		struct table_column *c = table_add_column(t, names[i], names[i], NULL, NULL);

		c->is_label = true;
		c->for_machines = i == ID || (i == KERNEL && !s->kernels);
	}
}

static void set_labels(struct table_row *row, const char *name, const struct trend_line *line, const struct saying *s)
{
	char date[UNITS_TEXT];

	table_set_text(row, DATE, date_text(date, s->times, line));
	table_set_text(row, SWEEP, name);
	table_set_text(row, ID, line->sweep->uuid);
	table_set_text(row, KERNEL, *line->kernel ? line->kernel : NULL);
}

static void add_columns(struct table *t, const char *variant, const struct metric *m, const struct figures *figures)
{
	const char *unit = *m->print_unit ? m->print_unit : NULL;

	for (size_t f = 0; f <= figures->n; f++) {
		bool last = f == figures->n;
		struct table_column *c = last ? table_add_column(t, "n", "n", NULL, "number of runs")
					      : table_add_column(t, figures->columns[f].name, figures->columns[f].name, unit,
								 figures->columns[f].kind);

		c->for_machines = last;
		c->series = mem_strdup(variant);
		c->group = mem_strdup(variant);
	}
}

static int decimals_of(const struct trend_part *p, size_t column, const struct metric *m)
{
	double largest = 0;

	for (size_t i = 0; i < p->lines.n; i++)
		if (p->lines.items[i].row[column])
			largest = fmax(largest, fabs(p->lines.items[i].row[column]->mean * m->print_scale));
	return figure_decimals(largest);
}

static void set_values(struct table_row *row, size_t at, const struct trend_row *of, const struct metric *m,
		       const struct figures *figures, int decimals)
{
	struct stats stats = trend_stats(of, m->print_scale);

	for (size_t f = 0; f < figures->n; f++)
		table_set_real(row, at + f, figure_value(&stats, figures->columns[f].which), decimals);
	if (of->n)
		table_set_integer(row, at + figures->n, (double)of->n);
}

static struct n_range n_range_of(const struct trend_part *p)
{
	struct n_range n = { 0 };

	for (size_t i = 0; i < p->lines.n; i++)
		for (size_t c = 0; c < p->columns.n; c++)
			if (p->lines.items[i].row[c])
				n_range_add(&n, p->lines.items[i].row[c]->n);
	n_range_finish(&n);
	return n;
}

static void add_table(const struct trend *trend, const strings_t *names, const struct trend_part *p,
		      const struct metric *m, struct tables *out)
{
	const struct figures *figures = figures_of_trend(m);
	AUTOFREE int *decimals = mem_alloc(p->columns.n, sizeof(*decimals));
	struct table *t = table_new(p->title, p->label);
	struct saying saying = what_to_say(p);
	struct n_range n = n_range_of(p);

	*vec_push(&out->list) = t;
	if (!saying.kernels && p->lines.n && *p->lines.items[0].kernel)
		*vec_push(&t->legend) = mem_printf("kernel %s", p->lines.items[0].kernel);
	t->caption = figure_caption(m, figures, &n);
	add_labels(t, &saying);
	for (size_t c = 0; c < p->columns.n; c++) {
		decimals[c] = decimals_of(p, c, m);
		add_columns(t, p->columns.items[c], m, figures);
	}
	for (size_t i = 0; i < p->lines.n; i++) {
		const struct trend_line *line = &p->lines.items[i];
		struct table_row *row = table_add_row(t);
		size_t sweep = (size_t)(line->sweep - trend->sweeps.items);

		set_labels(row, sweep < names->n ? names->items[sweep] : "", line, &saying);
		for (size_t c = 0; c < p->columns.n; c++)
			if (line->row[c])
				set_values(row, N_LABELS + c * (figures->n + 1), line->row[c], m, figures, decimals[c]);
	}
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *metric = opt->metric ? opt->metric : metric_find("iops");
	AUTOSTRINGS strings_t names = { 0 };
	trend_parts_t parts = { 0 };

	(void)set;
	find_names(opt->trend, &names);
	trend_lay_out(opt->trend, &parts);
	for (size_t i = 0; i < parts.n; i++)
		add_table(opt->trend, &names, &parts.items[i], metric, out);
	trend_parts_release(&parts);
	return out->list.n ? 0 : err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there", metric->name);
}

const struct view view_trend = {
	.name = "trend",
	.title = "a row a sweep, a column a variant: how results change from night to night",
	.of_trend = true,
	.make = make,
};
