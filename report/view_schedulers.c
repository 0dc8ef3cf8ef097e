// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout 'schedulers', shape of the post of 2008: a block a workload, a row a variant, latency beside bandwidth. */
#include <math.h>
#include <string.h>

#include "report/cross_table.h"

static const char *const shown[] = { "lat_mean", "lat_stddev", "bw", NULL };

#define MS 1e-6		  /* from the stored ns */
#define KIB (1 / 1024.0)  /* from the stored bytes */
#define GROUP_WIDTH 17	  /* "2544.618 (1047.2)": the blocks of the post line up */
enum { LABEL, LAT, LAT_DEVIATION, LAT_N, BW, BW_DEVIATION, BW_N };

/*
 * The post prints the deviation over single I/Os beside latencies. That can be done only where it is known of every
 * row: one column never mixes two kinds.
 */
static bool deviation_is_over_ios(const struct cross *c)
{
	size_t mean = cross_metric_column(c, "lat_mean"), stddev = cross_metric_column(c, "lat_stddev");

	if (mean == c->columns.n || stddev == c->columns.n)
		return false;
	for (size_t r = 0; r < c->rows.n; r++)
		if (cross_at(c, r, mean) && !cross_at(c, r, stddev))
			return false;
	return true;
}

/* The deviation over I/Os of all runs together, each about its own mean: runs have about as many I/Os each. */
static double pooled(const struct series *s)
{
	double squares = 0;

	if (s->summary_only)
		return s->mean;
	for (size_t i = 0; i < s->points.n; i++)
		squares += s->points.items[i].value * s->points.items[i].value;
	return sqrt(squares / (double)s->points.n);
}

static void add_pair(struct table *t, const char *head, const char *name, const char *unit, const char *deviation)
{
	table_add_column(t, head, name, unit, "mean over runs")->width = GROUP_WIDTH;
	table_add_column(t, "stddev", name, unit, deviation)->in_parens = true;
	table_add_column(t, "n", name, NULL, "number of runs")->for_machines = true;
}

/* Of the deviation: one as in the post, but a fast disk's latencies would be all 0.0. */
static int deviation_decimals(const struct cross *c, const char *metric, double scale)
{
	size_t column = cross_metric_column(c, metric);
	double largest = 0;

	for (size_t r = 0; r < c->rows.n && column < c->columns.n; r++)
		if (cross_at(c, r, column))
			largest = fmax(largest, fabs(series_summary(cross_at(c, r, column), scale).mean));
	return largest < 10 ? 3 : 1;
}

static void set_pair(struct table_row *row, size_t column, const struct series *s, double scale, int decimals)
{
	struct stats stats;

	if (!s)
		return;
	stats = series_summary(s, scale);
	table_set_real(row, column, stats.mean, 3);
	row->cells[column].trim_zeros = true;
	table_set_real(row, column + 1, stats.stddev, decimals);
	if (stats.n)
		table_set_integer(row, column + 2, (double)stats.n);
}

static const struct series *of_metric(const struct cross *c, size_t row, const char *metric)
{
	size_t column = cross_metric_column(c, metric);

	return column < c->columns.n ? cross_at(c, row, column) : NULL;
}

static void add_table(const struct cross *c, const strings_t *rows, struct tables *out)
{
	bool over_ios = deviation_is_over_ios(c), first = !out->list.n;
	struct table *t = table_new(c->title, c->label);
	int lat_decimals = deviation_decimals(c, "lat_mean", MS), bw_decimals = deviation_decimals(c, "bw", KIB);
	struct n_range n = cross_n_range(c);
	struct str caption = { 0 };

	*vec_push(&out->list) = t;
	t->style = TABLE_RULED;
	if (first && n.usual && n.lowest == n.highest)
		t->banner = mem_printf("x%zu", n.usual);
	str_add(&caption, "mean");
	add_n_text(&caption, &n);
	str_addf(&caption, ", in parentheses the stddev: of latency %s, of bandwidth over runs",
		 over_ios ? "over single I/Os" : "over runs");
	t->caption = str_steal(&caption);
	table_add_column(t, "", "variant", NULL, NULL)->is_label = true;
	add_pair(t, "Latency (ms)", "latency", "ms", over_ios ? "stddev over I/Os" : "sample stddev (n-1) over runs");
	add_pair(t, "Bandwidth (KiB/s)", "bandwidth", "KiB/s", "sample stddev (n-1) over runs");
	for (size_t r = 0; r < c->rows.n; r++) {
		AUTOFREE char *name = line_text(&c->rows.items[r], rows);
		const struct series *over = of_metric(c, r, "lat_stddev");
		struct table_row *row = table_add_row(t);

		table_set_text(row, LABEL, name);
		set_pair(row, LAT, of_metric(c, r, "lat_mean"), MS, lat_decimals);
		if (over_ios)
			table_set_real(row, LAT_DEVIATION, over ? pooled(over) * MS : NAN, lat_decimals);
		set_pair(row, BW, of_metric(c, r, "bw"), KIB, bw_decimals);
	}
	cross_add_remarks(t, &c->members);
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *const metrics[] = { metric_find(shown[0]), metric_find(shown[1]), metric_find(shown[2]) };
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };

	(void)opt;
	members_find(set, metrics, ARRAY_LEN(metrics), &members);
	if (!members.n)
		return err_set(err, ERR_FAULT, "no latency and no bandwidth is stored there");
	cross_add_subject(&members, &rows);
	strings_add(&columns, "metric");
	cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++)
		add_table(&crosses.items[i], &rows, out);
	crosses_release(&crosses);
	vec_free(&members);
	return 0;
}

const struct view view_schedulers = {
	.name = "schedulers",
	.title = "a block a workload: a row a variant, latency and bandwidth as mean (stddev)",
	.metrics = shown,
	.make = make,
};
