// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/emit.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "report/utf8.h"

extern const struct emitter emit_text, emit_latex, emit_markdown, emit_csv, emit_json, emit_html;

static const struct emitter *const emitters[] = { &emit_text, &emit_latex, &emit_markdown, &emit_csv, &emit_json,
						  &emit_html };

const struct emitter *emitter_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(emitters); i++)
		if (!strcmp(emitters[i]->name, name))
			return emitters[i];
	return NULL;
}

const struct emitter *emitter_at(size_t i)
{
	return i < ARRAY_LEN(emitters) ? emitters[i] : NULL;
}

/* Numbers come with the locale's decimal point: make it '.' in what was appended from 'start' on. */
static void fix_point(struct str *out, size_t start)
{
	const char *point = localeconv()->decimal_point;
	char *at = strstr(out->s + start, point);
	size_t extra = strlen(point) - 1;

	if (!at)
		return;
	*at = '.';
	memmove(at + 1, at + 1 + extra, strlen(at + 1 + extra) + 1);
	out->len -= extra;
}

static void trim_zeros(struct str *out, size_t start)
{
	if (!strchr(out->s + start, '.'))
		return;
	while (out->s[out->len - 1] == '0')
		out->s[--out->len] = '\0';
	if (out->s[out->len - 1] == '.')
		out->s[--out->len] = '\0';
}

static void add_real(const struct table_cell *cell, struct str *out)
{
	size_t start = out->len;
	char *digits;

	if (cell->as_bound && cell->value > 0 && cell->value < 0.5 * pow(10, -cell->decimals))
		str_addf(out, "<%.*f", cell->decimals, pow(10, -cell->decimals));
	else
		str_addf(out, "%.*f", cell->decimals, cell->value);
	fix_point(out, start);
	if (cell->trim_zeros)
		trim_zeros(out, start);
	digits = out->s + start;
	if (*digits == '-' && !digits[strspn(digits, "-0.")]) { /* no "-0.000" */
		memmove(digits, digits + 1, strlen(digits));
		out->len--;
	}
}

void emit_cell_text(const struct table_cell *cell, struct str *out)
{
	switch (cell->type) {
	case CELL_MISSING:
		str_add(out, "-");
		break;
	case CELL_TEXT:
		str_add(out, cell->text);
		break;
	case CELL_INTEGER:
		str_addf(out, "%.0f", cell->value);
		break;
	case CELL_REAL:
		add_real(cell, out);
		break;
	}
}

bool emit_column_is_shown(const struct table_column *c)
{
	return !c->for_machines && !c->in_parens;
}

bool emit_column_is_joined(const struct table *t, size_t column)
{
	return column + 1 < t->columns.n && t->columns.items[column + 1].in_parens;
}

void emit_place_text(const struct table *t, const struct table_row *row, size_t column, struct str *out)
{
	emit_cell_text(&row->cells[column], out);
	if (!emit_column_is_joined(t, column) || row->cells[column].type == CELL_MISSING ||
	    row->cells[column + 1].type == CELL_MISSING)
		return;
	str_add(out, " (");
	emit_cell_text(&row->cells[column + 1], out);
	str_add(out, ")");
}

void emit_cell_exact(const struct table_cell *cell, struct str *out)
{
	size_t start = out->len;
	char digits[32];

	if (cell->type == CELL_TEXT)
		str_add(out, cell->text);
	if (cell->type == CELL_TEXT || cell->type == CELL_MISSING)
		return;
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, cell->value);
		if (strtod(digits, NULL) == cell->value)
			break;
	}
	str_add(out, digits);
	fix_point(out, start);
}

static void add_row_name(const struct table *t, const struct table_row *row, struct str *out)
{
	const char *between = "";

	for (size_t i = 0; i < t->columns.n; i++) {
		if (!t->columns.items[i].is_label)
			continue;
		str_addf(out, "%s%s ", between, t->columns.items[i].head);
		emit_cell_text(&row->cells[i], out);
		between = ", ";
	}
}

void emit_notes(const struct table *t, strings_t *out)
{
	for (size_t r = 0; r < t->rows.n; r++) {
		const struct table_row *row = &t->rows.items[r];
		AUTOSTR struct str text = { 0 };

		if (!row->note)
			continue;
		add_row_name(t, row, &text);
		str_addf(&text, ": %s", row->note);
		strings_add(out, str_text(&text));
	}
	for (size_t i = 0; i < t->notes.n; i++)
		strings_add(out, t->notes.items[i]);
}

const char *emit_sentence(const struct table *t, const struct table_row *row)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (emit_column_is_shown(&t->columns.items[i]) && row->cells[i].type == CELL_TEXT)
			return row->cells[i].text;
	return "";
}

void emit_sentences(const struct table *t, const struct emit_list *l, struct str *out)
{
	str_add(out, t->rows.n ? l->open : "");
	for (size_t r = 0; r < t->rows.n; r++) {
		const struct table_row *row = &t->rows.items[r];

		if (l->item)
			str_add(out, l->item);
		else
			str_addf(out, "%zu. ", r + 1);
		l->add_text(out, emit_sentence(t, row));
		if (row->note) {
			str_add(out, l->note);
			l->add_text(out, row->note);
			str_add(out, l->note_end);
		}
		str_add(out, l->item_end);
	}
	str_add(out, t->rows.n ? l->close : "");
}

bool emit_column_is_text(const struct table *t, size_t column)
{
	if (emit_column_is_joined(t, column))
		return true;
	for (size_t r = 0; r < t->rows.n; r++)
		if (t->rows.items[r].cells[column].type != CELL_MISSING)
			return t->rows.items[r].cells[column].type == CELL_TEXT;
	return false;
}

size_t emit_column_width(const struct table *t, size_t column)
{
	AUTOSTR struct str text = { 0 };
	size_t widest = 0;

	for (size_t r = 0; r < t->rows.n; r++) {
		size_t width;

		str_clear(&text);
		emit_place_text(t, &t->rows.items[r], column, &text);
		width = utf8_width(str_text(&text));
		if (width > widest)
			widest = width;
	}
	return widest;
}

size_t emit_group_end(const struct table *t, const emit_columns_t *columns, size_t from)
{
	const char *group = t->columns.items[columns->items[from]].group;
	size_t end = from + 1;

	while (group && end < columns->n) {
		const char *next = t->columns.items[columns->items[end]].group;

		if (!next || strcmp(group, next) != 0)
			break;
		end++;
	}
	return end;
}

static size_t total(const emit_columns_t *columns, size_t from, size_t to, const size_t *widths, size_t gap)
{
	size_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += widths[columns->items[i]] + gap;
	return sum;
}

static emit_columns_t *block_new(emit_blocks_t *out, const emit_columns_t *labels)
{
	emit_columns_t *block = vec_push(out);

	for (size_t i = 0; i < labels->n; i++)
		*vec_push(block) = labels->items[i];
	return block;
}

void emit_split(const struct table *t, const size_t *widths, size_t gap, size_t limit, emit_blocks_t *out)
{
	emit_columns_t labels = { 0 }, values = { 0 }, *block;
	size_t fixed, used;
	bool whole = true; /* the group at hand */

	for (size_t i = 0; i < t->columns.n; i++)
		if (emit_column_is_shown(&t->columns.items[i]))
			*vec_push(t->columns.items[i].is_label ? &labels : &values) = i;
	fixed = total(&labels, 0, labels.n, widths, gap);
	limit += gap; /* there is none behind the last column */
	block = block_new(out, &labels);
	used = fixed;
	for (size_t from = 0, to, group_end = 0; from < values.n; from = to) {
		if (from == group_end) {
			group_end = emit_group_end(t, &values, from);
			whole = fixed + total(&values, from, group_end, widths, gap) <= limit;
		}
		to = whole ? group_end : from + 1;
		if (block->n > labels.n && used + total(&values, from, to, widths, gap) > limit) {
			block = block_new(out, &labels);
			used = fixed;
		}
		used += total(&values, from, to, widths, gap);
		for (size_t i = from; i < to; i++)
			*vec_push(block) = values.items[i];
	}
	vec_free(&labels);
	vec_free(&values);
}

void emit_blocks_release(emit_blocks_t *blocks)
{
	for (size_t i = 0; i < blocks->n; i++)
		vec_free(&blocks->items[i]);
	vec_free(blocks);
}

const char *const emit_fact_names[EMIT_FACTS] = { "series", "column", "unit", "kind" };

const char *emit_fact(const struct table_column *column, size_t i)
{
	const char *const facts[EMIT_FACTS] = { column->series, column->name, column->unit, column->kind };

	return facts[i];
}
