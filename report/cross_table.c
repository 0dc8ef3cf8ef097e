// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cross_table.h"

#include <math.h>
#include <string.h>

#include "report/group.h"

void cross_add_labels(struct table *t, const strings_t *keys)
{
	for (size_t k = 0; k < keys->n; k++) {
		char buf[KEY_TEXT];
		const char *head = key_head(keys->items[k], buf);
		struct table_column *c = table_add_column(t, head, head, NULL, NULL);

		if (!strcmp(keys->items[k], "numjobs")) {
			free(c->name);
			c->name = mem_strdup("numjobs");
		}
		c->is_label = true;
	}
}

void cross_set_labels(struct table_row *row, const strings_t *keys, const struct cross_line *line)
{
	for (size_t k = 0; k < keys->n; k++) {
		const char *value = line->values.items[k];
		AUTOFREE char *text = key_text(keys->items[k], value);

		if (*value && !strcmp(text, value) && !value[strspn(value, "0123456789")])
			table_set_integer(row, k, strtod(value, NULL));
		else
			table_set_text(row, k, *text ? text : NULL);
	}
}

void cross_add_remarks(struct table *t, const members_t *members)
{
	groups_t groups = { 0 };

	groups_find(members, &groups);
	/* without numbers: what differs in environment only, and would share a place, has a table of its own */
	for (size_t i = 0; i < groups.n; i++)
		if (!same_text(groups.items[i].words, groups.items[i].series->variant) &&
		    !strings_has(&t->legend, groups.items[i].words))
			strings_add(&t->legend, groups.items[i].words);
	gap_notes(members, &t->notes);
	shard_notes(members, &t->notes);
	if (groups_lack_cpufreq(&groups))
		strings_add(&t->notes, "no cpufreq on this machine");
	groups_release(&groups);
}

void cross_add_subject(const members_t *members, strings_t *keys)
{
	AUTOSTRINGS strings_t varying = { 0 }, none = { 0 };

	strings_add(keys, "variant");
	keys_varying(members, &none, &varying);
	if (strings_has(&varying, "governor"))
		strings_add(keys, "governor");
}

void cross_add_mean(struct table *t, const struct mean_format *f, bool spread)
{
	const struct {
		const char *head, *name, *unit, *kind;
		bool for_machines, in_parens;
	} columns[MEAN_COLUMNS] = {
		{ f->head, f->name, f->unit, "mean over runs", false, false },
		{ "stddev", f->name, f->unit, "sample stddev (n-1) over runs", !spread, spread },
		{ "n", f->name, NULL, "number of runs", true, false },
	};

	for (size_t i = 0; i < MEAN_COLUMNS; i++) {
		struct table_column *c =
			table_add_column(t, columns[i].head, columns[i].name, columns[i].unit, columns[i].kind);

		c->for_machines = columns[i].for_machines;
		c->in_parens = columns[i].in_parens;
		c->series = mem_strdup(f->series);
	}
}

static bool is_percentile(const struct series *s)
{
	return s->metric && s->metric->flags & METRIC_PERCENTILE;
}

void cross_set_mean(struct table_row *row, size_t column, const struct mean_format *f, const struct series *s)
{
	struct stats stats;

	if (!s)
		return;
	stats = series_summary(s, f->scale);
	table_set_real(row, column, is_percentile(s) ? stats.median : stats.mean, f->decimals);
	table_set_real(row, column + 1, is_percentile(s) ? NAN : stats.stddev, f->decimals);
	if (stats.n)
		table_set_integer(row, column + 2, (double)stats.n);
}

void cross_note_percentiles(struct table *t, const struct cross *c)
{
	for (size_t i = 0; i < c->rows.n * c->columns.n; i++)
		if (c->places[i] && is_percentile(c->places[i])) {
			strings_add(&t->notes, "percentiles are not averaged: theirs is the median over the runs");
			return;
		}
}

bool cross_has_spread(const struct cross *c)
{
	for (size_t i = 0; i < c->rows.n * c->columns.n; i++) {
		const struct series *s = c->places[i];

		if (s && series_has_data(s) && !isnan(series_summary(s, 1).stddev))
			return true;
	}
	return false;
}

struct n_range cross_n_range(const struct cross *c)
{
	struct n_range r = { 0 };

	for (size_t i = 0; i < c->rows.n * c->columns.n; i++)
		if (c->places[i] && series_has_data(c->places[i]))
			n_range_add(&r, c->places[i]->summary_only ? c->places[i]->n : c->places[i]->points.n);
	n_range_finish(&r);
	return r;
}

int cross_nothing(const struct view_options *opt, const char *usual, struct err *err)
{
	if (opt->n_metrics == 1 || opt->metric)
		usual = opt->metric ? opt->metric->name : opt->metrics[0]->name;
	return err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there", usual);
}

size_t cross_metric_column(const struct cross *c, const char *metric)
{
	size_t i = 0;

	while (i < c->columns.n && strcmp(c->columns.items[i].values.items[0], metric) != 0)
		i++;
	return i;
}
