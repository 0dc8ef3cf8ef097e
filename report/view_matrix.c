// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout 'matrix': any axes down, any across (--rows, --cols), any metric. */
#include <math.h>
#include <string.h>

#include "report/cross_table.h"

struct matrix {
	const struct cross *cross;
	const strings_t *rows, *columns;
	const struct metric *metric; /* of the whole table; NULL: the lines differ */
	bool metric_down;	     /* "metric" is a key of the rows */
};

static const struct metric *metric_of_line(const struct cross_line *line, const strings_t *keys)
{
	for (size_t k = 0; k < keys->n; k++)
		if (!strcmp(keys->items[k], "metric"))
			return metric_find(line->values.items[k]);
	return NULL;
}

static const struct metric *metric_at_place(const struct matrix *m, size_t row, size_t column)
{
	const struct metric *metric = m->metric;

	metric = metric ? metric : metric_of_line(&m->cross->rows.items[row], m->rows);
	return metric ? metric : metric_of_line(&m->cross->columns.items[column], m->columns);
}

/* Percentiles and other metrics have different figures, which cannot stand in one column. */
static int check_column(const struct matrix *m, size_t column, struct err *err)
{
	for (size_t r = 1; r < m->cross->rows.n; r++)
		if (figures_of(metric_at_place(m, r, column)) != figures_of(metric_at_place(m, 0, column)))
			return err_set(err, ERR_USAGE, "percentiles and other metrics cannot stand in one column: "
						       "use --cols metric, or one --metric");
	return 0;
}

static int column_decimals(const struct matrix *m, size_t column)
{
	double largest = 0;

	for (size_t r = 0; r < m->cross->rows.n; r++) {
		const struct series *s = cross_at(m->cross, r, column);
		const struct figures *figures = figures_of(metric_at_place(m, r, column));
		struct stats stats;

		if (!s)
			continue;
		stats = series_summary(s, s->metric->print_scale);
		for (size_t f = 0; f < figures->n; f++)
			largest = fmax(largest, fabs(figure_value(&stats, figures->columns[f].which)));
	}
	return figure_decimals(largest);
}

static void add_columns(struct table *t, const struct matrix *m, size_t column)
{
	const struct metric *metric = metric_at_place(m, 0, column);
	const struct figures *figures = figures_of(metric);
	const char *unit = !m->metric_down && *metric->print_unit ? metric->print_unit : NULL;
	AUTOFREE char *series = line_text(&m->cross->columns.items[column], m->columns);
	AUTOFREE char *group = m->metric || m->metric_down || !unit ? mem_strdup(series)
								    : mem_printf("%s (%s)", series, unit);

	for (size_t f = 0; f <= figures->n; f++) {
		bool last = f == figures->n;
		struct table_column *c = last ? table_add_column(t, "n", "n", NULL, "number of runs")
					      : table_add_column(t, figures->columns[f].name, figures->columns[f].name,
								 unit, figures->columns[f].kind);

		c->for_machines = last;
		c->series = *series ? mem_strdup(series) : NULL;
		c->group = *group ? mem_strdup(group) : NULL;
	}
}

static void set_place(const struct matrix *m, struct table_row *row, size_t at, const struct series *s, int decimals)
{
	const struct figures *figures = figures_of(s->metric);
	struct stats stats = series_summary(s, s->metric->print_scale);

	(void)m;
	for (size_t f = 0; f < figures->n; f++)
		table_set_real(row, at + f, figure_value(&stats, figures->columns[f].which), decimals);
	if (stats.n)
		table_set_integer(row, at + figures->n, (double)stats.n);
}

static void add_rows(struct table *t, const struct matrix *m, size_t labels, const int *decimals)
{
	for (size_t r = 0; r < m->cross->rows.n; r++) {
		struct table_row *row = table_add_row(t);
		size_t at = labels;

		cross_set_labels(row, m->rows, &m->cross->rows.items[r]);
		if (m->metric_down)
			table_set_text(row, labels - 1, metric_at_place(m, r, 0)->print_unit);
		for (size_t c = 0; c < m->cross->columns.n; c++) {
			const struct series *s = cross_at(m->cross, r, c);

			if (s)
				set_place(m, row, at, s, decimals[c]);
			at += figures_of(metric_at_place(m, r, c))->n + 1;
		}
	}
}

static int add_table(const struct matrix *m, struct tables *out, struct err *err)
{
	struct table *t = table_new(m->cross->title, m->cross->label);
	AUTOFREE int *decimals = mem_alloc(m->cross->columns.n, sizeof(*decimals));
	struct n_range n = cross_n_range(m->cross);

	*vec_push(&out->list) = t;
	t->caption = figure_caption(m->metric, figures_of(metric_at_place(m, 0, 0)), &n);
	cross_add_labels(t, m->rows);
	if (m->metric_down)
		table_add_column(t, "unit", "unit", NULL, NULL)->is_label = true;
	for (size_t c = 0; c < m->cross->columns.n; c++) {
		if (check_column(m, c, err))
			return -1;
		decimals[c] = column_decimals(m, c);
		add_columns(t, m, c);
	}
	add_rows(t, m, m->rows->n + m->metric_down, decimals);
	cross_add_remarks(t, &m->cross->members);
	return 0;
}

/* The keys as typed, in the words of the database. */
static int find_keys(const struct series_set *set, const strings_t *typed, strings_t *out, struct err *err)
{
	for (size_t i = 0; i < typed->n; i++) {
		const char *key = key_find(set, typed->items[i], err);

		if (!key)
			return -1;
		if (!strings_has(out, key))
			strings_add(out, key);
	}
	return 0;
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *one = opt->metric ? opt->metric : metric_find("iops");
	const struct metric *const *metrics = opt->n_metrics ? opt->metrics : &one;
	size_t n_metrics = opt->n_metrics ? opt->n_metrics : 1;
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };
	bool down, bad = false;

	members_find(set, metrics, n_metrics, &members);
	if (!members.n)
		return cross_nothing(opt, "iops", err);
	if (opt->rows)
		bad = find_keys(set, opt->rows, &rows, err);
	else
		strings_add(&rows, "numjobs");
	if (opt->columns)
		bad = bad || find_keys(set, opt->columns, &columns, err);
	else
		cross_add_subject(&members, &columns);
	for (size_t i = 0; !opt->columns && i < rows.n; i++)
		for (size_t k = 0; k < columns.n;) /* --rows variant alone: not across too */
			if (strcmp(columns.items[k], rows.items[i])) {
				k++;
			} else {
				free(columns.items[k]);
				memmove(columns.items + k, columns.items + k + 1, (--columns.n - k) * sizeof(char *));
			}
	for (size_t i = 0; !bad && i < rows.n; i++)
		if (strings_has(&columns, rows.items[i]))
			bad = err_set(err, ERR_USAGE, "'%s' cannot be both in --rows and in --cols", rows.items[i]);
	down = strings_has(&rows, "metric");
	if (!bad)
		cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; !bad && i < crosses.n; i++)
		bad = add_table(&(struct matrix){ .cross = &crosses.items[i],
						  .rows = &rows,
						  .columns = &columns,
						  .metric = down || strings_has(&columns, "metric")
								    ? NULL
								    : crosses.items[i].members.items[0]->metric,
						  .metric_down = down },
				out, err);
	crosses_release(&crosses);
	vec_free(&members);
	return bad ? -1 : 0;
}

const struct view view_matrix = {
	.name = "matrix",
	.title = "any axes down and across (--rows, --cols)",
	.several = true,
	.make = make,
};
