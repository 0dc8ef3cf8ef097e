/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include <stdbool.h>

#include "common/err.h"
#include "db/series.h"
#include "parsers/metric.h"
#include "report/subset.h"
#include "report/table.h"

struct trend;

/* What the layout compare holds against each other: series of the set, named for readers. */
struct view_sides {
	const members_t *a, *b;
	const char *name_a, *name_b;
	const strings_t *differences; /* of kernel, fio, settings …: lines above the table */
	double min_effect;
};

/* A figure that a workload is about: of one of its actors, or of "all" of them. Borrowed. */
struct view_main {
	const char *actor;
	const struct metric *metric;
};

struct view_options {
	const struct metric *metric; /* NULL: what the layout shows by default; the long one takes the whole set */
	const struct metric *const *metrics; /* several, for layouts that show several */
	size_t n_metrics;		     /* 0: 'metric' alone */
	const strings_t *rows, *columns;     /* keys of the matrix; NULL: its own */
	const struct view_main *mains; /* rows of the layout workloads, where no metric was asked for */
	size_t n_mains;		       /* 0: it finds them itself */
	const struct view_sides *sides; /* NULL: compare holds every variant against the first */
	const strings_t *notes;		/* NULL, or lines for below the last table: what the set cannot tell */
	const struct trend *trend;	/* for a view of_trend, which shows it instead of the set */
};

/*
 * A view turns series into tables. To add one: a file view_NAME.c that defines a 'const struct view', and a row in
 * report/view.c.
 */
struct view {
	const char *name; /* --layout */
	const char *title;
	const char *const *metrics; /* shown where none is asked for, ended by NULL; NULL: iops */
	bool every;		    /* takes every metric that is stored, where none is asked for */
	bool several;		    /* --metric may name several */
	bool of_trend;		    /* shows summaries of many sweeps (db/trend.h) */
	int (*make)(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err);
};

/*
 * Make the tables, and below the last of them a note for every kind of warning that is stored with these cells and
 * their runs: what it is and what to do.
 */
int view_make(const struct view *v, const struct series_set *set, const struct view_options *opt, struct tables *out,
	      struct err *err);

/* The same without the warnings: for a page that has them elsewhere. */
int view_make_unwarned(const struct view *v, const struct series_set *set, const struct view_options *opt, struct tables *out,
		       struct err *err);

/*
 * Put "simulated disk: " before the title of each table if all of the set was measured on one, "partly simulated: " if some
 * was: whoever sees only the head must not take it for a measurement of hardware. Csv has no titles: a column "simulated" says it there. view_make()
 * does it.
 */
void view_mark_simulated(const struct series_set *set, struct tables *out);

/*
 * Note below the last table if any of the set was measured one cell after the other: of 40 such sweeps of one scheduler
 * under two names 39 claimed a change (docs/methodology.md). For tables that view_make() does not make; it notes all.
 */
void view_warn_of_order(const struct series_set *set, struct tables *out);

/* Add to the legend of each table which module of a file is which build, and the kernel's tree. view_make() does it. */
void view_add_subject(const struct series_set *set, struct tables *out);

/*
 * Note below the last table what is the same in all cells and so stands in no title, row or column: block size, depth,
 * engine, times, kernel ... A table without them cannot be repeated by who sees only it. view_make() does it.
 */
void view_add_conditions(const struct series_set *set, struct tables *out);

const struct view *view_find(const char *name);
const struct view *view_at(size_t i);

#endif
