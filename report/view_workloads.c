// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout 'workloads', shape of the post of 2010: a row a workload with a unit of its own, a column a variant. */
#include <math.h>
#include <string.h>

#include "report/cross_table.h"

/* What all series of a workload have in common: keys that vary, but those that are columns and the metric. */
static bool same_workload(const struct series *a, const struct series *b, const strings_t *keys)
{
	char a_buf[KEY_TEXT], b_buf[KEY_TEXT];

	for (size_t k = 0; k < keys->n; k++)
		if (strcmp(key_value(a, keys->items[k], a_buf), key_value(b, keys->items[k], b_buf)) != 0)
			return false;
	return true;
}

static bool asked_for(const struct view_options *opt, const struct metric *m)
{
	bool asked = !opt->n_metrics && !opt->metric;

	for (size_t i = 0; i < opt->n_metrics; i++)
		asked = asked || opt->metrics[i] == m;
	return asked || opt->metric == m;
}

/* Bandwidth where there is any, else the first that has a better and a worse: fs_mark's files/s, a start-up time. */
static const struct metric *own_metric(const members_t *members, const struct series *subject, const strings_t *keys,
				       const struct view_options *opt)
{
	const struct metric *first[3] = { NULL };

	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];

		if (!s->metric || !series_has_data(s) || !same_workload(s, subject, keys) || !asked_for(opt, s->metric))
			continue;
		if (!strcmp(s->metric->name, "bw"))
			return s->metric;
		if (!first[s->metric->better])
			first[s->metric->better] = s->metric;
	}
	return first[BETTER_HIGHER] ? first[BETTER_HIGHER] : first[BETTER_LOWER] ? first[BETTER_LOWER]
										 : first[BETTER_NEITHER];
}

/* What the disks counted is no workload's result. */
static void find_members(const struct series_set *set, members_t *out)
{
	members_t all = { 0 };

	members_find(set, NULL, 0, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!given_text(all.items[i]->device))
			*vec_push(out) = all.items[i];
	vec_free(&all);
}

/* What the workload is about, in its order. */
static void choose_mains(const members_t *all, const struct view_options *opt, members_t *out)
{
	for (size_t m = 0; m < opt->n_mains; m++)
		for (size_t i = 0; i < all->n; i++)
			if (all->items[i]->metric == opt->mains[m].metric && same_text(all->items[i]->actor, opt->mains[m].actor))
				*vec_push(out) = all->items[i];
}

static void choose(const members_t *all, const strings_t *keys, const struct view_options *opt, members_t *out)
{
	AUTOFREE const struct metric **own = mem_alloc(all->n, sizeof(*own));

	for (size_t i = 0; i < all->n; i++) {
		const struct series *s = all->items[i];
		size_t k = 0;

		while (k < i && !same_workload(s, all->items[k], keys))
			k++;
		own[i] = k < i ? own[k] : own_metric(all, s, keys, opt);
		if (own[i] == s->metric)
			*vec_push(out) = s;
	}
}

/* In the post's unit for what is a bandwidth. */
static struct mean_format format_of(const struct metric *m)
{
	if (!strcmp(m->name, "bw"))
		return (struct mean_format){ .unit = "MB/s", .scale = 1e-6 };
	return (struct mean_format){ .unit = m->print_unit, .scale = m->print_scale };
}

/* As the post: 294.3, 36.1, 48.0, but 153, 152, 147. */
static int row_decimals(const struct cross *c, size_t row, double scale)
{
	double smallest = INFINITY;

	for (size_t i = 0; i < c->columns.n; i++) {
		const struct series *s = cross_at(c, row, i);

		if (s)
			smallest = fmin(smallest, fabs(series_summary(s, scale).mean));
	}
	return smallest >= 100 ? 0 : smallest >= 10 ? 1 : 3;
}

static const struct metric *metric_of_row(const struct cross *c, size_t row)
{
	const strings_t *values = &c->rows.items[row].values;

	return metric_find(values->items[values->n - 1]);
}

/*
 * The line without its metric, which is last. 'brief': also without what has one value wherever it has any, such as the
 * block size of the only fio beside other programs; pattern and actor are always told.
 */
static char *row_name(const struct cross *c, size_t row, const strings_t *keys, bool brief)
{
	const strings_t *values = &c->rows.items[row].values;
	struct cross_line line = { 0 };
	char *name;

	for (size_t k = 0; k + 1 < keys->n; k++) {
		bool told = !brief || !strcmp(keys->items[k], "pattern") || !strcmp(keys->items[k], "actor");

		for (size_t r = 0; r < c->rows.n && !told; r++) {
			const char *other = c->rows.items[r].values.items[k];

			told = *other && *values->items[k] && strcmp(other, values->items[k]) != 0;
		}
		strings_add(&line.values, told ? values->items[k] : "");
	}
	name = line_text(&line, &(strings_t){ .items = keys->items, .n = keys->n - 1 });
	strings_release(&line.values);
	if (*name)
		return name;
	free(name);
	return mem_strdup(values->items[keys->n - 1]);
}

/* Brief ones, if these tell the rows apart. */
static void row_names(const struct cross *c, const strings_t *keys, strings_t *out)
{
	bool clear = true;

	for (size_t r = 0; r < c->rows.n; r++) {
		AUTOFREE char *name = row_name(c, r, keys, true);

		clear = clear && !strings_has(out, name);
		strings_add(out, name);
	}
	if (clear)
		return;
	strings_release(out);
	for (size_t r = 0; r < c->rows.n; r++)
		*vec_push(out) = row_name(c, r, keys, false);
}

static void add_table(const struct cross *c, const strings_t *rows, const strings_t *columns, struct tables *out)
{
	struct table *t = table_new(c->title, c->label);
	bool spread = cross_has_spread(c);
	AUTOSTRINGS strings_t names = { 0 };
	struct n_range n = cross_n_range(c);
	struct str caption = { 0 };

	row_names(c, rows, &names);
	*vec_push(&out->list) = t;
	str_add(&caption, spread ? "mean (sample stddev, n-1)" : "mean");
	add_n_text(&caption, &n);
	t->caption = str_steal(&caption);
	table_add_column(t, "workload", "workload", NULL, NULL)->is_label = true;
	table_add_column(t, "metric", "metric", NULL, NULL)->is_label = true;
	table_add_column(t, "unit", "unit", NULL, NULL)->is_label = true;
	for (size_t i = 0; i < c->columns.n; i++) {
		AUTOFREE char *series = line_text(&c->columns.items[i], columns);

		cross_add_mean(t, &(struct mean_format){ .head = series, .name = "value", .series = series }, spread);
	}
	for (size_t r = 0; r < c->rows.n; r++) {
		const struct metric *metric = metric_of_row(c, r);
		struct mean_format f = format_of(metric);
		struct table_row *row = table_add_row(t);

		f.decimals = row_decimals(c, r, f.scale);
		table_set_text(row, 0, names.items[r]);
		table_set_text(row, 1, metric->name);
		table_set_text(row, 2, *f.unit ? f.unit : NULL);
		for (size_t i = 0; i < c->columns.n; i++)
			cross_set_mean(row, 3 + i * MEAN_COLUMNS, &f, cross_at(c, r, i));
	}
	cross_note_percentiles(t, c);
	cross_add_remarks(t, &c->members);
}

static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 }, except = { 0 };
	members_t all = { 0 }, members = { 0 };
	crosses_t crosses = { 0 };

	find_members(set, &all);
	cross_add_subject(&all, &columns);
	strings_add(&except, "variant");
	strings_add(&except, "governor");
	strings_add(&except, "metric");
	keys_varying(&all, &except, &rows);
	if (!opt->metric && !opt->n_metrics)
		choose_mains(&all, opt, &members);
	if (!members.n)
		choose(&all, &rows, opt, &members);
	strings_add(&rows, "metric");
	if (members.n)
		cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++)
		add_table(&crosses.items[i], &rows, &columns, out);
	crosses_release(&crosses);
	vec_free(&all);
	vec_free(&members);
	return out->list.n ? 0 : err_set(err, ERR_FAULT, "no run of it counts ('iobench list --cells' says why)");
}

const struct view view_workloads = {
	.name = "workloads",
	.title = "a row a workload in its own unit, a column a variant",
	.every = true,
	.several = true,
	.make = make,
};
