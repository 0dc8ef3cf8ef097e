// SPDX-License-Identifier: GPL-2.0-or-later
/* Long form: a line for each value, with all that names it. RFC 4180 quoting, lines end in a plain newline. */
#include <string.h>

#include "report/emit.h"

static void add_field(struct str *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		str_add(out, text);
		return;
	}
	str_add(out, "\"");
	for (const char *s = text; *s; s++) {
		str_add(out, *s == '"' ? "\"" : "");
		str_addn(out, s, 1);
	}
	str_add(out, "\"");
}

/* One header serves all tables: every label that one of them has, every fact that one of their values has. */
struct layout {
	bool has_name, simulated;
	strings_t labels;
	bool has_fact[EMIT_FACTS];
};

static void layout_of(const struct tables *ts, struct layout *l)
{
	for (size_t i = 0; i < ts->list.n; i++) {
		const struct table *t = ts->list.items[i];

		l->has_name = l->has_name || t->label;
		l->simulated = l->simulated || t->simulated;
		for (size_t c = 0; c < t->columns.n; c++) {
			const struct table_column *column = &t->columns.items[c];

			if (column->is_label && !strings_has(&l->labels, column->name))
				strings_add(&l->labels, column->name);
			for (size_t f = 0; f < EMIT_FACTS && !column->is_label; f++)
				l->has_fact[f] = l->has_fact[f] || emit_fact(column, f);
		}
	}
}

static void add_header(struct str *out, const struct layout *l)
{
	str_add(out, l->has_name ? "table," : "");
	for (size_t i = 0; i < l->labels.n; i++) {
		add_field(out, l->labels.items[i]);
		str_add(out, ",");
	}
	for (size_t f = 0; f < EMIT_FACTS; f++)
		if (l->has_fact[f])
			str_addf(out, "%s,", emit_fact_names[f]);
	str_add(out, l->simulated ? "simulated,value\n" : "value\n");
}

static void add_cell(struct str *out, const struct table_cell *cell)
{
	AUTOSTR struct str text = { 0 };

	emit_cell_exact(cell, &text);
	add_field(out, str_text(&text));
}

/* Where the labels of the header stand in a table; its number of columns where it has none of that name. */
static void find_labels(const struct table *t, const struct layout *l, size_t *places)
{
	for (size_t i = 0; i < l->labels.n; i++) {
		size_t c = 0;

		while (c < t->columns.n && (!t->columns.items[c].is_label ||
					    strcmp(t->columns.items[c].name, l->labels.items[i]) != 0))
			c++;
		places[i] = c;
	}
}

/* What all values of a row have in front. */
static void row_prefix(const struct table *t, const struct table_row *row, const struct layout *l,
		       const size_t *places, struct str *out)
{
	if (l->has_name) {
		add_field(out, t->label ? t->label : "");
		str_add(out, ",");
	}
	for (size_t i = 0; i < l->labels.n; i++) {
		if (places[i] < t->columns.n)
			add_cell(out, &row->cells[places[i]]);
		str_add(out, ",");
	}
}

static void add_row(const struct table *t, const struct table_row *row, const struct layout *l, const size_t *places,
		    struct str *out)
{
	AUTOSTR struct str prefix = { 0 };

	row_prefix(t, row, l, places, &prefix);
	for (size_t c = 0; c < t->columns.n; c++) {
		const struct table_column *column = &t->columns.items[c];

		if (column->is_label)
			continue;
		str_addn(out, str_text(&prefix), prefix.len);
		for (size_t f = 0; f < EMIT_FACTS; f++) {
			if (!l->has_fact[f])
				continue;
			add_field(out, emit_fact(column, f) ? emit_fact(column, f) : "");
			str_add(out, ",");
		}
		if (l->simulated)
			str_add(out, !t->simulated ? "," : t->partly ? "partly," : "yes,");
		add_cell(out, &row->cells[c]);
		str_add(out, "\n");
	}
}

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	struct layout l = { 0 };

	(void)opt;
	(void)err;
	layout_of(ts, &l);
	add_header(out, &l);
	for (size_t i = 0; i < ts->list.n; i++) {
		const struct table *t = ts->list.items[i];
		AUTOFREE size_t *places = mem_alloc(l.labels.n, sizeof(*places));

		find_labels(t, &l, places);
		for (size_t r = 0; r < t->rows.n; r++)
			add_row(t, &t->rows.items[r], &l, places, out);
	}
	strings_release(&l.labels);
	return 0;
}

const struct emitter emit_csv = { "csv", "a line a value, every digit, for other programs", emit, false };
