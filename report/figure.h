/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "db/series.h"
#include "parsers/metric.h"
#include "report/stats.h"

/* For views: what a series comes to as figures of a table, and how the table's caption names them. */

/* Over the runs of a series, or from what an imported table says, every value times 'scale'. */
struct stats series_summary(const struct series *s, double scale);

/* A statistic that is a column of its own. */
enum figure { FIGURE_MEAN, FIGURE_STDDEV, FIGURE_MEDIAN, FIGURE_MIN, FIGURE_MAX };
struct figure_column {
	enum figure which;
	const char *name, *kind; /* "stddev", "sample stddev (n-1) over runs" */
	size_t width;
};

/* What is shown of a metric: mean and stddev; of a percentile, which must not be averaged, median, min and max. */
#define FIGURES_MAX 3
struct figures {
	size_t n;
	const char *words, *of; /* of a caption: "mean and stddev (sample, n-1)", and what stands behind the number of runs */
	struct figure_column columns[FIGURES_MAX];
};
const struct figures *figures_of(const struct metric *metric);
/* Of what summaries know: of a percentile the mean of the runs' percentiles instead of their median, and named so. */
const struct figures *figures_of_trend(const struct metric *metric);
double figure_value(const struct stats *s, enum figure which);

/* Digits behind the point: three as in the post of 2017; fewer for numbers so large that they would break the line. */
int figure_decimals(double largest);

/* How many runs the cells of a table have. Zeroed memory is of no cells. */
struct n_cells {
	size_t n, cells;
};
struct n_range {
	size_t cells;		       /* that hold data */
	size_t lowest, highest, usual; /* usual: of most cells; 0 if none is known */
	VEC(struct n_cells) all;
};
void n_range_add(struct n_range *r, size_t n); /* n 0: not known */
void n_range_finish(struct n_range *r);	       /* after the last one: fills in 'usual', releases 'all' */

/* "IOPS (higher is better): mean and stddev (sample, n-1) over 10 runs"; the metric NULL: of several. */
char *figure_caption(const struct metric *metric, const struct figures *figures, const struct n_range *n);
/* " over 10 runs", ", no runs yet" */
void add_n_text(struct str *out, const struct n_range *n);

#endif
