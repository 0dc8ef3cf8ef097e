// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * { "tables": [ { title, legend, …, "values": [ one object for each value, with all that names it ] } ] }
 * Each value is an object (and a line) made and freed on its own: a tree of a million would not fit in memory.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "report/emit.h"
#include "report/utf8.h"

/* JSON must be UTF-8: what is not becomes U+FFFD. */
static cJSON *text_item(const char *text)
{
	AUTOSTR struct str clean = { 0 };

	while (*text) {
		const char *start = text;

		if (utf8_next(&text) == UTF8_BAD)
			str_add(&clean, "\xef\xbf\xbd");
		else
			str_addn(&clean, start, (size_t)(text - start));
	}
	return cJSON_CreateString(str_text(&clean));
}

static void add_text(cJSON *object, const char *name, const char *text)
{
	if (text)
		cJSON_AddItemToObject(object, name, text_item(text));
}

/* cJSON prints too few digits for some doubles, so numbers are ours. */
static void add_cell(cJSON *object, const char *name, const struct table_cell *cell)
{
	AUTOSTR struct str digits = { 0 };

	if (cell->type == CELL_TEXT) {
		add_text(object, name, cell->text);
		return;
	}
	emit_cell_exact(cell, &digits);
	cJSON_AddRawToObject(object, name, digits.len ? digits.s : "null");
}

static void add_array(cJSON *object, const char *name, const strings_t *texts)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);

	for (size_t i = 0; i < texts->n; i++)
		cJSON_AddItemToArray(array, text_item(texts->items[i]));
}

/* Append 'object' in one line and free it; 'open': without its closing brace. */
static void put(struct str *out, cJSON *object, bool open)
{
	char *text = cJSON_PrintUnformatted(object);

	if (!text)
		abort(); /* as mem_alloc */
	str_addn(out, text, strlen(text) - open);
	cJSON_free(text);
	cJSON_Delete(object);
}

static void put_value(struct str *out, const struct table *t, const struct table_row *row, size_t column)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t c = 0; c < t->columns.n; c++)
		if (t->columns.items[c].is_label)
			add_cell(object, t->columns.items[c].name, &row->cells[c]);
	for (size_t f = 0; f < EMIT_FACTS; f++)
		add_text(object, emit_fact_names[f], emit_fact(&t->columns.items[column], f));
	add_cell(object, "value", &row->cells[column]);
	put(out, object, false);
}

static void put_table(struct str *out, const struct table *t)
{
	AUTOSTRINGS strings_t notes = { 0 };
	cJSON *head = cJSON_CreateObject();
	const char *before = "\n";

	add_text(head, "table", t->label);
	add_text(head, "title", t->title);
	add_array(head, "legend", &t->legend);
	add_text(head, "caption", t->caption);
	emit_notes(t, &notes);
	add_array(head, "notes", &notes);
	put(out, head, true);
	str_add(out, ",\"values\":[");
	for (size_t r = 0; r < t->rows.n; r++) {
		for (size_t c = 0; c < t->columns.n; c++) {
			if (t->columns.items[c].is_label)
				continue;
			str_add(out, before);
			put_value(out, t, &t->rows.items[r], c);
			before = ",\n";
		}
	}
	str_add(out, "]}");
}

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	(void)opt;
	(void)err;
	str_add(out, "{\"tables\":[");
	for (size_t i = 0; i < ts->list.n; i++) {
		str_add(out, i ? ",\n" : "\n");
		put_table(out, ts->list.items[i]);
	}
	str_add(out, "]}\n");
	return 0;
}

const struct emitter emit_json = { "json", "an object a value, every digit, for other programs", emit, false };
