/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include "db/trend.h"
#include "report/cross.h"
#include "report/stats.h"

/* For the layout and the plot 'trend': what was measured in many sweeps, laid out. All is borrowed from the trend. */

/* One sweep under one environment. */
struct trend_line {
	const struct trend_sweep *sweep;
	const char *kernel;	      /* "" where it is not known */
	const struct trend_row **row; /* of each column; NULL: not measured */
};

/* What makes one table or plot: all that is neither a variant nor a governor is the same. */
struct trend_part {
	char *title, *label;
	strings_t columns; /* the variants, with their governors where these were swept */
	VEC(struct trend_line) lines; /* in the order of the sweeps */
};
typedef VEC(struct trend_part) trend_parts_t;

/* Append the parts of what is left in the series of the trend. */
void trend_lay_out(const struct trend *t, trend_parts_t *out);
void trend_parts_release(trend_parts_t *parts);

/* What is known of a row, every value times 'scale'; the median is not. */
struct stats trend_stats(const struct trend_row *row, double scale);

#endif
