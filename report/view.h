/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "common/err.h"
#include "db/series.h"
#include "parsers/metric.h"
#include "report/table.h"

struct view_options {
	const struct metric *metric; /* NULL: what the layout shows by default; the long one takes the whole set */
};

/*
 * A view turns series into tables. To add one: a file view_NAME.c that defines a 'const struct view', and a row in
 * report/view.c.
 */
struct view {
	const char *name; /* --layout */
	const char *title;
	int (*make)(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err);
};

/*
 * Make the tables, and below the last of them a note for every kind of warning that is stored with these cells and
 * their runs: what it is and what to do.
 */
int view_make(const struct view *v, const struct series_set *set, const struct view_options *opt, struct tables *out,
	      struct err *err);

const struct view *view_find(const char *name);
const struct view *view_at(size_t i);

#endif
