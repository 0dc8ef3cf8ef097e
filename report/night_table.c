// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/cross.h"
#include "report/night_report.h"

/* Columns behind those that name a cell. */
static const struct {
	const char *head, *name, *unit, *kind; /* a kind is explained below the table */
} columns[] = {
	{ "", "verdict", NULL, NULL },
	{ "change %", "change", "%", "of the ratio to the reference, against the mean of the nights before" },
	{ "itself %", "own_change", "%", "of the variant by itself, against the same nights" },
	{ "p", "p", NULL, "adjusted for all cells (Holm)" },
	{ "nights", "nights", NULL, NULL },
	{ "sd %", "sd", "%", "sample stddev over nights" },
	{ "seen %", "detectable", "%", "smallest change that would be seen, in 80% of nights" },
	{ "since", "since", NULL, NULL },
	{ "step %", "step", "%", "change of level since then" },
};

static void add_label_columns(struct table *t, const strings_t *keys)
{
	for (size_t k = 0; k < keys->n; k++) {
		char buf[KEY_TEXT];

		table_add_column(t, key_head(keys->items[k], buf), keys->items[k], NULL, NULL)->is_label = true;
	}
}

static void set_labels(struct table_row *row, const strings_t *keys, const struct series *s)
{
	for (size_t k = 0; k < keys->n; k++) {
		char buf[KEY_TEXT];
		const char *value = key_value(s, keys->items[k], buf);
		AUTOFREE char *text = key_text(keys->items[k], value);

		table_set_text(row, k, *text ? text : NULL);
	}
}

static const char *since_of(const struct night_report *r, const struct night_cell *cell)
{
	return cell->since ? r->nights->items[cell->values.items[cell->since->first].night].date : NULL;
}

/* The machine does not regress: it is not what is judged. */
static const char *verdict_of(const struct night_cell *cell)
{
	if (cell->is_reference && cell->verdict == NIGHT_REGRESSED)
		return "worse";
	return cell->is_reference && cell->verdict == NIGHT_IMPROVED ? "better" : night_verdict_names[cell->verdict];
}

static void add_row(const struct night_report *r, struct table *t, const struct night_cell *cell)
{
	struct table_row *row = table_add_row(t);
	size_t c = r->keys.n;

	set_labels(row, &r->keys, cell->series);
	table_set_text(row, c++, verdict_of(cell));
	table_set_real(row, c++, 100 * expm1(cell->test.change), 1);
	table_set_real(row, c++, 100 * expm1(cell->own_change), 1);
	table_set_real(row, c, cell->p, 4);
	row->cells[c++].as_bound = true;
	table_set_integer(row, c++, cell->n_against ? (double)cell->n_against : NAN);
	table_set_real(row, c++, 100 * cell->test.sd, 1);
	table_set_real(row, c++, 100 * expm1(cell->test.detectable), 1);
	table_set_text(row, c++, since_of(r, cell));
	table_set_real(row, c, cell->since ? 100 * expm1(cell->since->after - cell->since->before) : NAN, 1);
	if (isnan(cell->test.change))
		row->note = mem_strdup(cell->why);
}

/* "change: of the ratio ...; itself: ...": what the heads have no room for. */
static char *explanation(void)
{
	struct str text = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (columns[i].kind)
			str_addf(&text, "%s%.*s: %s", text.len ? "; " : "", (int)strcspn(columns[i].head, " "), columns[i].head,
				 columns[i].kind);
	return str_steal(&text);
}

static struct table *cells_table(const struct night_report *r, bool references)
{
	AUTOFREE char *headline = night_headline(r), *subject = night_subject(r);
	struct table *t = references ? table_new("the machine itself: the reference against no reference", "machine")
				     : table_new(headline, "cells");

	add_label_columns(t, &r->keys);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		table_add_column(t, columns[i].head, columns[i].name, columns[i].unit, columns[i].kind);
	for (size_t verdict = NIGHT_VERDICTS; verdict-- > 0;)
		for (size_t i = 0; i < (references ? r->gate->references.n : r->gate->cells.n); i++) {
			const struct night_cell *cell = references ? &r->gate->references.items[i] : &r->gate->cells.items[i];

			if (cell->verdict == verdict)
				add_row(r, t, cell);
		}
	if (references)
		return t;
	strings_add(&t->legend, subject);
	*vec_push(&t->notes) = explanation();
	return t;
}

static void add_event(const struct night_report *r, struct table *t, const struct night_event *e)
{
	AUTOFREE char *text = night_event_text(r, e);
	AUTOSTR struct str also = { 0 };

	for (size_t i = 0; i < e->differences.n; i++)
		str_addf(&also, "%s%s", i ? "; " : "", e->differences.items[i]);
	for (size_t i = 0; i < e->parts.n; i++) {
		const struct night_event_part *part = &e->parts.items[i];
		struct table_row *row = table_add_row(t);
		AUTOFREE char *name = night_cell_name(r, part->cell);

		table_set_text(row, 0, r->nights->items[e->night].date);
		table_set_text(row, 1, name);
		table_set_text(row, 2, e->known ? "known" : e->slides ? "slide" : "step");
		table_set_real(row, 3, 100 * expm1(part->after - part->before), 1);
		table_set_text(row, 4, r->nights->items[e->early].date);
		table_set_text(row, 5, r->nights->items[e->late].date);
		table_set_text(row, 6, e->known ? e->known : also.len ? str_text(&also) : NULL);
	}
}

static struct table *events_table(const struct night_report *r)
{
	struct table *t = table_new("changes in these nights", "changes");

	table_add_column(t, "night", "night", NULL, NULL)->is_label = true;
	table_add_column(t, "cell", "cell", NULL, NULL)->is_label = true;
	table_add_column(t, "kind", "kind", NULL, NULL)->is_label = true;
	table_add_column(t, "change %", "change", "%", "of the level of the ratios");
	table_add_column(t, "from", "early", NULL, "first night that it may be")->group = mem_strdup("perhaps");
	table_add_column(t, "to", "late", NULL, "last night that it may be")->group = mem_strdup("perhaps");
	table_add_column(t, "what else changed", "with", NULL, NULL);
	for (size_t i = 0; i < r->events.n; i++)
		add_event(r, t, &r->events.items[i]);
	return t;
}

void night_report_tables(const struct night_report *r, struct tables *out)
{
	*vec_push(&out->list) = cells_table(r, false);
	if (r->gate->references.n)
		*vec_push(&out->list) = cells_table(r, true);
	if (r->events.n)
		*vec_push(&out->list) = events_table(r);
}
