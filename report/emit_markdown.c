// SPDX-License-Identifier: GPL-2.0-or-later
/* Pipe tables, as GitHub and GitLab show them. */
#include <string.h>

#include "report/emit.h"
#include "report/utf8.h"

static void add_escaped(struct str *out, const char *text)
{
	static const char *const escapes[128] = {
		['\\'] = "\\\\", ['`'] = "\\`", ['*'] = "\\*", ['_'] = "\\_", ['['] = "\\[", [']'] = "\\]",
		['<'] = "\\<",   ['>'] = "\\>", ['|'] = "\\|", ['~'] = "\\~", ['&'] = "\\&", ['#'] = "\\#",
	};

	utf8_add_escaped(out, text, escapes);
}

static void add_line(struct str *out, const char *prefix, const char *text)
{
	str_add(out, prefix);
	add_escaped(out, text);
	str_add(out, "\n");
}

static void add_rows(struct str *out, const struct table *t, const emit_columns_t *shown)
{
	str_add(out, "|");
	for (size_t i = 0; i < shown->n; i++) {
		const struct table_column *c = &t->columns.items[shown->items[i]];

		str_add(out, " ");
		add_escaped(out, c->group ? c->group : "");
		str_add(out, c->group ? " " : "");
		add_escaped(out, c->head);
		str_add(out, " |");
	}
	str_add(out, "\n|");
	for (size_t i = 0; i < shown->n; i++)
		str_add(out, emit_column_is_text(t, shown->items[i]) ? " :-- |" : " --: |");
	str_add(out, "\n");
	for (size_t r = 0; r < t->rows.n; r++) {
		str_add(out, "|");
		for (size_t i = 0; i < shown->n; i++) {
			AUTOSTR struct str cell = { 0 };

			emit_place_text(t, &t->rows.items[r], shown->items[i], &cell);
			str_add(out, " ");
			add_escaped(out, str_text(&cell));
			str_add(out, " |");
		}
		str_add(out, "\n");
	}
}

static void add_list(struct str *out, const strings_t *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		add_line(out, i ? "- " : "\n- ", texts->items[i]);
}

static void add_sentences(struct str *out, const struct table *t)
{
	str_add(out, "\n");
	emit_sentences(t, &(struct emit_list){ add_escaped, "", NULL, "\n   (", ")", "\n", "" }, out);
	if (t->caption)
		add_line(out, t->rows.n ? "\n" : "", t->caption);
	add_list(out, &t->notes);
}

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	(void)opt;
	(void)err;
	for (size_t i = 0; i < ts->list.n; i++) {
		const struct table *t = ts->list.items[i];
		AUTOBLOCKS emit_blocks_t blocks = { 0 };
		AUTOSTRINGS strings_t notes = { 0 };
		AUTOFREE size_t *widths = mem_alloc(t->columns.n, sizeof(*widths));

		str_add(out, i ? "\n" : "");
		add_line(out, "### ", t->title ? t->title : "");
		if (t->style == TABLE_LIST) {
			add_sentences(out, t);
			continue;
		}
		add_list(out, &t->legend);
		if (t->caption)
			add_line(out, "\n", t->caption);
		str_add(out, "\n");
		emit_split(t, widths, 0, SIZE_MAX / 2, &blocks);
		add_rows(out, t, &blocks.items[0]);
		emit_notes(t, &notes);
		add_list(out, &notes);
	}
	return 0;
}

const struct emitter emit_markdown = { "markdown", "for issues and wikis", emit, false };
