// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"

#include <string.h>

/* Widths of the post: three variants stay inside 76 columns. */
static const struct figures of_plain = { 2, "mean and stddev (sample, n-1)", "", {
	{ FIGURE_MEAN, "mean", "mean over runs", 9 },
	{ FIGURE_STDDEV, "stddev", "sample stddev (n-1) over runs", 8 },
} };
static const struct figures of_percentile = { 3, "median, min and max", " of each run's percentile", {
	{ FIGURE_MEDIAN, "median", "median over runs of each run's percentile", 9 },
	{ FIGURE_MIN, "min", "min over runs of each run's percentile", 9 },
	{ FIGURE_MAX, "max", "max over runs of each run's percentile", 9 },
} };

/* Summaries have no median. */
static const struct figures of_summed_percentile = { 3, "mean, min and max", " of each run's percentile", {
	{ FIGURE_MEAN, "mean", "mean over runs of each run's percentile", 9 },
	{ FIGURE_MIN, "min", "min over runs of each run's percentile", 9 },
	{ FIGURE_MAX, "max", "max over runs of each run's percentile", 9 },
} };

const struct figures *figures_of_trend(const struct metric *metric)
{
	return metric->flags & METRIC_PERCENTILE ? &of_summed_percentile : &of_plain;
}

const struct figures *figures_of(const struct metric *metric)
{
	return metric->flags & METRIC_PERCENTILE ? &of_percentile : &of_plain;
}

double figure_value(const struct stats *s, enum figure which)
{
	const double values[] = {
		[FIGURE_MEAN] = s->mean, [FIGURE_STDDEV] = s->stddev, [FIGURE_MEDIAN] = s->median,
		[FIGURE_MIN] = s->min,	 [FIGURE_MAX] = s->max,
	};

	return values[which];
}

struct stats series_summary(const struct series *s, double scale)
{
	AUTOFREE double *values = mem_alloc(s->points.n, sizeof(*values));

	if (s->summary_only)
		return stats_from_summary(s->n, s->mean * scale, s->stddev * scale);
	for (size_t i = 0; i < s->points.n; i++)
		values[i] = s->points.items[i].value * scale;
	return stats_of(values, s->points.n);
}

int figure_decimals(double largest)
{
	return largest < 1e6 ? 3 : largest < 1e8 ? 1 : 0;
}

void n_range_add(struct n_range *r, size_t n)
{
	r->cells++;
	if (!n)
		return;
	for (size_t i = 0; i < r->all.n; i++)
		if (r->all.items[i].n == n) {
			r->all.items[i].cells++;
			return;
		}
	*vec_push(&r->all) = (struct n_cells){ n, 1 };
	r->lowest = r->lowest && r->lowest < n ? r->lowest : n;
	r->highest = n > r->highest ? n : r->highest;
}

void n_range_finish(struct n_range *r)
{
	size_t most = 0;

	for (size_t i = 0; i < r->all.n; i++)
		if (r->all.items[i].cells > most) {
			most = r->all.items[i].cells;
			r->usual = r->all.items[i].n;
		}
	vec_free(&r->all);
}

void add_n_text(struct str *out, const struct n_range *n)
{
	if (!n->cells)
		str_add(out, ", no runs yet");
	else if (!n->usual)
		str_add(out, " over runs, n unknown");
	else if (n->lowest != n->highest)
		str_addf(out, " over %zu-%zu runs", n->lowest, n->highest);
	else
		str_addf(out, " over %zu run%s", n->usual, n->usual == 1 ? "" : "s");
}

char *figure_caption(const struct metric *m, const struct figures *figures, const struct n_range *n)
{
	static const char *const better[] = {
		[BETTER_NEITHER] = "", [BETTER_HIGHER] = " (higher is better)", [BETTER_LOWER] = " (lower is better)"
	};
	struct str text = { 0 };

	/* "IOPS" says it all, and the line stays one. */
	if (m && !strcmp(m->print_unit, "IOPS"))
		str_add(&text, m->print_unit);
	else if (m)
		str_addf(&text, *m->print_unit ? "%s in %s" : "%s", m->title, m->print_unit);
	if (m)
		str_addf(&text, "%s: ", better[m->better]);
	str_add(&text, figures->words);
	add_n_text(&text, n);
	str_add(&text, figures->of);
	return str_steal(&text);
}
