/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_CROSS_TABLE_H
#define REPORT_CROSS_TABLE_H

#include "report/cross.h"
#include "report/figure.h"
#include "report/table.h"
#include "report/view.h"

/* For views that lay series out by keys: what their tables have in common. */

/* A column of labels for each key, and what a line has in them. */
void cross_add_labels(struct table *t, const strings_t *keys);
void cross_set_labels(struct table_row *row, const strings_t *keys, const struct cross_line *line);

/*
 * Below and above the table: what the names of variants do not say (kernel, sweep, governor), why cells have no
 * results, that the machine has no cpufreq.
 */
void cross_add_remarks(struct table *t, const members_t *members);

/* "variant", and "governor" where several were swept. */
void cross_add_subject(const members_t *members, strings_t *keys);

/*
 * Means as columns: the mean, its deviation behind it in parentheses where any is known ('spread'; for machines
 * always), and for machines the number of runs. MEAN_COLUMNS columns are appended. Of a percentile, which must not be
 * averaged, the median stands there without a deviation; cross_note_percentiles() says so below the table.
 */
#define MEAN_COLUMNS 3
struct mean_format {
	const char *head, *name, *unit;
	double scale; /* printed = stored * scale */
	int decimals;
	const char *series; /* NULL: none */
};
void cross_add_mean(struct table *t, const struct mean_format *f, bool spread);
void cross_set_mean(struct table_row *row, size_t column, const struct mean_format *f, const struct series *s);
void cross_note_percentiles(struct table *t, const struct cross *c);

/* Whether a deviation is known of any place of a table. */
bool cross_has_spread(const struct cross *c);

/* The numbers of runs in a table, finished. */
struct n_range cross_n_range(const struct cross *c);

/* ERR_FAULT: there is nothing of these metrics. */
int cross_nothing(const struct view_options *opt, const char *usual, struct err *err);

/* The line across with this metric, where the only key across is "metric"; columns.n if there is none. */
size_t cross_metric_column(const struct cross *c, const char *metric);

#endif
