// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout 'summary': a row a cell, and every statistic of its runs. */
#include <math.h>

#include "report/cross_table.h"

#define MEDIAN_MIN 6 /* runs below which order statistics give no 95% interval */

enum statistic { N, MEAN, STDDEV, CV, MEDIAN, MIN, MAX, MEAN_LOW, MEAN_HIGH, MEDIAN_LOW, MEDIAN_HIGH, N_STATISTICS };

static const struct {
	const char *group, *head, *name, *kind;
	bool of_means; /* not of percentiles, which must not be averaged */
} statistics[N_STATISTICS] = {
	[N] = { NULL, "n", "n", "number of runs", false },
	[MEAN] = { NULL, "mean", "mean", "mean over runs", true },
	[STDDEV] = { NULL, "stddev", "stddev", "sample stddev (n-1) over runs", true },
	[CV] = { NULL, "CV %", "cv", "stddev over runs in percent of the mean", true },
	[MEDIAN] = { NULL, "median", "median", "median over runs", false },
	[MIN] = { NULL, "min", "min", "min over runs", false },
	[MAX] = { NULL, "max", "max", "max over runs", false },
	[MEAN_LOW] = { "95% of mean", "from", "mean_low", "95% interval of the mean (Student), lower end", true },
	[MEAN_HIGH] = { "95% of mean", "to", "mean_high", "95% interval of the mean (Student), upper end", true },
	[MEDIAN_LOW] = { "95% of median", "from", "median_low",
			 "95% interval of the median (order statistics), lower end", false },
	[MEDIAN_HIGH] = { "95% of median", "to", "median_high",
			  "95% interval of the median (order statistics), upper end", false },
};

static double value_of(const struct stats *s, enum statistic which)
{
	const double values[N_STATISTICS] = {
		[N] = s->n ? (double)s->n : NAN, [MEAN] = s->mean,	     [STDDEV] = s->stddev,
		[CV] = 100 * s->cv,	 [MEDIAN] = s->median,	     [MIN] = s->min,
		[MAX] = s->max,		 [MEAN_LOW] = s->mean_low,   [MEAN_HIGH] = s->mean_high,
		[MEDIAN_LOW] = s->median_low, [MEDIAN_HIGH] = s->median_high,
	};

	return values[which];
}

static void set_row(struct table_row *row, size_t at, const struct series *s, int decimals)
{
	struct stats stats = series_summary(s, s->metric->print_scale);
	bool percentile = s->metric->flags & METRIC_PERCENTILE;

	for (size_t i = 0; i < N_STATISTICS; i++) {
		double value = statistics[i].of_means && percentile ? NAN : value_of(&stats, (enum statistic)i);

		if (i == N)
			table_set_integer(row, at + i, value);
		else
			table_set_real(row, at + i, value, i == CV ? 1 : decimals);
	}
}

static void add_columns(struct table *t, const struct metric *metric)
{
	const char *unit = metric && *metric->print_unit ? metric->print_unit : NULL;

	for (size_t i = 0; i < N_STATISTICS; i++) {
		struct table_column *c = table_add_column(t, statistics[i].head, statistics[i].name,
							  i == CV ? "%" : i == N ? NULL : unit, statistics[i].kind);

		c->group = mem_strdup(statistics[i].group);
	}
}

static int decimals_of(const struct cross *c)
{
	double largest = 0;

	for (size_t r = 0; r < c->rows.n; r++) {
		const struct series *s = cross_at(c, r, 0);

		if (s)
			largest = fmax(largest, fabs(series_summary(s, s->metric->print_scale).mean));
	}
	return figure_decimals(largest);
}

/* Behind what means cannot be given of, and for how many runs intervals of medians cannot. */
static void add_notes(struct table *t, const struct cross *c, const struct n_range *n)
{
	bool percentile = false;

	for (size_t r = 0; r < c->rows.n; r++)
		percentile = percentile || (cross_at(c, r, 0) && cross_at(c, r, 0)->metric->flags & METRIC_PERCENTILE);
	if (percentile)
		strings_add(&t->notes, "percentiles are not averaged: their figures are over the percentiles of the runs");
	if (n->usual && n->lowest < MEDIAN_MIN)
		strings_add(&t->notes, "no 95% interval of a median of fewer than 6 runs");
}

static void add_table(const struct cross *c, const strings_t *rows, bool several, struct tables *out)
{
	struct table *t = table_new(c->title, c->label);
	const struct metric *metric = several ? NULL : c->members.items[0]->metric;
	struct n_range n = cross_n_range(c);
	size_t labels = rows->n + several;
	int decimals = decimals_of(c);
	struct str caption = { 0 };

	*vec_push(&out->list) = t;
	str_addf(&caption, metric && *metric->print_unit ? "%s in %s" : "%s", metric ? metric->title : "statistics",
		 metric ? metric->print_unit : "");
	add_n_text(&caption, &n);
	t->caption = str_steal(&caption);
	cross_add_labels(t, rows);
	if (several)
		table_add_column(t, "unit", "unit", NULL, NULL)->is_label = true;
	add_columns(t, metric);
	for (size_t r = 0; r < c->rows.n; r++) {
		struct table_row *row = table_add_row(t);
		const struct series *s = cross_at(c, r, 0);

		cross_set_labels(row, rows, &c->rows.items[r]);
		if (several && s)
			table_set_text(row, labels - 1, *s->metric->print_unit ? s->metric->print_unit : NULL);
		if (s)
			set_row(row, labels, s, decimals);
	}
	cross_add_remarks(t, &c->members);
	add_notes(t, c, &n);
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *one = opt->metric ? opt->metric : metric_find("iops");
	const struct metric *const *metrics = opt->n_metrics ? opt->metrics : &one;
	size_t n_metrics = opt->n_metrics ? opt->n_metrics : 1;
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 }, none = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };

	members_find(set, metrics, n_metrics, &members);
	if (!members.n)
		return cross_nothing(opt, "iops", err);
	/* the pattern has tables of its own */
	strings_add(&none, "pattern");
	strings_add(&rows, "variant");
	keys_varying(&members, &none, &rows);
	cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++)
		add_table(&crosses.items[i], &rows, strings_has(&rows, "metric"), out);
	crosses_release(&crosses);
	vec_free(&members);
	return 0;
}

const struct view view_summary = {
	.name = "summary",
	.title = "a row a cell: mean, stddev, median, extremes, 95% intervals",
	.several = true,
	.make = make,
};
