// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout 'long': the whole set, a row for each value of each run, in the stored unit. For CSV and JSON. The texts
 * of a series are held once, by its first row.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "report/view.h"

static const char *const directions[] = {
	[DIR_ALL] = "all", [DIR_READ] = "read", [DIR_WRITE] = "write", [DIR_TRIM] = "trim"
};

/* Columns, the axes (of which "device" is one) in between: what all points of a series share … */
static const char *const front[] = { "sweep", "sweep_name", "variant" };
static const char *const back[] = { "host", "kernel", "cpufreq_driver", "actor", "disk", "metric", "direction", "unit" };
/* … and what belongs to one row. */
enum { JOB, BLOCK, RUN, KIND, VALUE, N_OWN };
static const char *const own[N_OWN] = { "job", "block", "run", "kind", "value" };

struct long_view {
	struct table *t;
	strings_t axes;
	size_t own; /* where the own columns start */
};

static void add_columns(struct table *t, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		table_add_column(t, names[i], names[i], NULL, NULL)->is_label = true;
}

/* A canonical number becomes one, so that JSON has no quotes around it. */
static void set_axis(struct table_row *row, size_t column, const char *value)
{
	size_t len = value ? strlen(value) : 0;

	if (len && len <= DBL_DIG && strspn(value, "0123456789") == len && (*value != '0' || len == 1))
		table_set_integer(row, column, strtod(value, NULL));
	else
		table_set_text(row, column, value);
}

static void set_texts(struct long_view *v, struct table_row *row, const struct series *s)
{
	const char *const back_texts[] = { s->host,   s->kernel,	     s->cpufreq_driver,	       s->actor,
					   s->device, s->metric->name, directions[s->direction], s->metric->unit };
	size_t column = 0;

	static_assert(ARRAY_LEN(back_texts) == ARRAY_LEN(back), "one text a column");
	table_set_integer(row, column++, (double)s->sweep);
	table_set_text(row, column++, s->sweep_name);
	table_set_text(row, column++, s->variant);
	for (size_t i = 0; i < v->axes.n; i++)
		set_axis(row, column++, series_axis(s, v->axes.items[i]));
	for (size_t i = 0; i < ARRAY_LEN(back_texts); i++)
		table_set_text(row, column++, back_texts[i]);
}

/* A row of the series whose first row is rows.items[first]. */
static struct table_row *add_row(struct long_view *v, const struct series *s, size_t first, double value)
{
	struct table_row *row = table_add_row(v->t);
	const struct table_row *holder = &v->t->rows.items[first];

	if (row == holder)
		set_texts(v, row, s);
	else
		for (size_t c = 0; c < v->own; c++)
			table_share_cell(row, c, holder);
	if (s->job != JOB_ALL)
		table_set_integer(row, v->own + JOB, s->job);
	table_set_real(row, v->own + VALUE, value, 3);
	return row;
}

static void add_series(struct long_view *v, const struct series *s)
{
	const struct {
		const char *kind;
		double value;
	} summary[] = { { "mean over runs", s->mean }, { "stddev over runs", s->stddev },
			{ "number of runs", s->n ? (double)s->n : NAN } };
	size_t first = v->t->rows.n;

	for (size_t i = 0; i < s->points.n; i++) {
		const struct series_point *p = &s->points.items[i];
		struct table_row *row = add_row(v, s, first, p->value);

		table_set_integer(row, v->own + BLOCK, p->block);
		table_set_integer(row, v->own + RUN, (double)p->run);
		if (i)
			table_share_cell(row, v->own + KIND, &v->t->rows.items[first]);
		else
			table_set_text(row, v->own + KIND, "run");
	}
	for (size_t i = 0; s->summary_only && i < ARRAY_LEN(summary); i++)
		if (!isnan(summary[i].value))
			table_set_text(add_row(v, s, first, summary[i].value), v->own + KIND, summary[i].kind);
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	struct long_view v = { .t = table_new("all values", NULL) };

	(void)opt;
	(void)err;
	*vec_push(&out->list) = v.t;
	for (size_t i = 0; i < set->list.n; i++)
		for (size_t k = 0; k < set->list.items[i].axes.n; k++)
			if (!strings_has(&v.axes, set->list.items[i].axes.items[k].name))
				strings_add(&v.axes, set->list.items[i].axes.items[k].name);
	add_columns(v.t, front, ARRAY_LEN(front));
	add_columns(v.t, (const char *const *)v.axes.items, v.axes.n);
	add_columns(v.t, back, ARRAY_LEN(back));
	v.own = v.t->columns.n;
	add_columns(v.t, own, VALUE);
	table_add_column(v.t, own[VALUE], NULL, NULL, NULL);
	for (size_t i = 0; i < set->list.n; i++) {
		const struct series *s = &set->list.items[i];

		if (s->metric)
			add_series(&v, s);
	}
	strings_release(&v.axes);
	return 0;
}

const struct view view_long = {
	.name = "long",
	.title = "everything stored, a row a value, for csv and json",
	.every = true,
	.make = make,
};
