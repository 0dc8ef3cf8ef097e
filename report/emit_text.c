// SPDX-License-Identifier: GPL-2.0-or-later
/* For a mail: spaces only, no trailing ones, and lines that still fit 80 columns when quoted. */
#include <string.h>

#include "report/emit.h"
#include "report/utf8.h"

#define WIDTH 76
#define SENTENCE_INDENT 3 /* below "1. " */
#define LABEL_MIN 2 /* "jo" over "bs" */

struct page {
	const struct table *t;
	size_t limit;
	const char *separator;
	size_t gap;
	size_t *widths;
	struct str *out;
};

/* Append 'line' without trailing blanks, and empty it. */
static void put_line(struct page *p, struct str *line)
{
	str_add(p->out, str_text(line));
	str_end_line(p->out);
	str_clear(line);
}

static void put_prose(struct page *p, const char *prefix, const char *text, size_t indent)
{
	utf8_add_wrapped(p->out, prefix, text, indent, p->limit);
}

enum align { LEFT, CENTRE, RIGHT };

static void put_aligned(struct str *line, const char *text, size_t width, enum align align)
{
	AUTOSTR struct str clean = { 0 };
	size_t used, pad, before;

	utf8_add_printable(&clean, text);
	used = utf8_width(str_text(&clean));
	pad = used < width ? width - used : 0;
	before = align == LEFT ? 0 : align == RIGHT ? pad : (pad + 1) / 2;
	str_pad(line, ' ', before);
	str_add(line, str_text(&clean));
	str_pad(line, ' ', pad - before);
}

/* Where the first line of a label's broken heading ends; its start if it need not be broken. */
static const char *label_break(const char *head, size_t width)
{
	const char *end = head;

	if (utf8_width(head) <= width)
		return head;
	for (const char *next = head; *next; end = next) {
		AUTOFREE char *piece = NULL;

		utf8_next(&next);
		piece = mem_strndup(head, (size_t)(next - head));
		if (utf8_width(piece) > width)
			break;
	}
	return end;
}

static void measure(struct page *p)
{
	const struct table *t = p->t;
	emit_columns_t all = { 0 };

	for (size_t i = 0; i < t->columns.n; i++) {
		const struct table_column *c = &t->columns.items[i];
		size_t head = utf8_width(c->head), width;

		if (!emit_column_is_shown(c))
			continue;
		width = emit_column_width(t, i);
		if (c->is_label && t->separator) /* only the shape of the 2017 post breaks them */
			head = head <= 2 * LABEL_MIN ? LABEL_MIN : (head + 1) / 2; /* two lines are enough */
		if (width < head)
			width = head;
		p->widths[i] = width < c->width ? c->width : width;
		*vec_push(&all) = i;
	}
	for (size_t from = 0, to; from < all.n; from = to) {
		const char *group = t->columns.items[all.items[from]].group;
		size_t width = 0;

		to = emit_group_end(t, &all, from);
		for (size_t i = from; i < to; i++)
			width += p->widths[all.items[i]] + (i > from ? p->gap : 0);
		if (group && utf8_width(group) > width)
			p->widths[all.items[to - 1]] += utf8_width(group) - width;
	}
	vec_free(&all);
}

/* The upper heading line: group headings over their columns, and the start of label headings that are too long. */
static void put_upper_head(struct page *p, const emit_columns_t *block)
{
	AUTOSTR struct str line = { 0 };
	bool empty = true;

	for (size_t from = 0, to; from < block->n; from = to) {
		const struct table_column *c = &p->t->columns.items[block->items[from]];
		AUTOFREE char *text = NULL;
		size_t width = 0;

		to = emit_group_end(p->t, block, from);
		for (size_t i = from; i < to; i++)
			width += p->widths[block->items[i]] + (i > from ? p->gap : 0);
		if (c->is_label)
			text = mem_strndup(c->head, (size_t)(label_break(c->head, width) - c->head));
		else
			text = mem_strdup(c->group ? c->group : "");
		empty = empty && !*text;
		str_pad(&line, ' ', from ? p->gap : 0);
		put_aligned(&line, text, width, c->is_label ? LEFT : CENTRE);
	}
	if (!empty)
		put_line(p, &line);
}

static void put_lower_head(struct page *p, const emit_columns_t *block)
{
	AUTOSTR struct str line = { 0 };

	for (size_t i = 0; i < block->n; i++) {
		size_t column = block->items[i], width = p->widths[column];
		const struct table_column *c = &p->t->columns.items[column];
		bool left = c->is_label || emit_column_is_text(p->t, column);

		str_pad(&line, ' ', i ? p->gap : 0);
		put_aligned(&line, c->is_label ? label_break(c->head, width) : c->head, width, left ? LEFT : CENTRE);
	}
	put_line(p, &line);
}

/* Dashes below (and in a ruled table above) the heads: under each one, or all across. */
static void put_rule(struct page *p, const emit_columns_t *block)
{
	AUTOSTR struct str line = { 0 };

	for (size_t i = 0; i < block->n; i++) {
		str_pad(&line, p->t->style == TABLE_RULED ? '-' : ' ', i ? p->gap : 0);
		str_pad(&line, '-', p->widths[block->items[i]]);
	}
	put_line(p, &line);
}

static void put_heads(struct page *p, const emit_columns_t *block)
{
	if (p->t->style == TABLE_RULED)
		put_rule(p, block);
	put_upper_head(p, block);
	put_lower_head(p, block);
	if (p->t->style != TABLE_PLAIN)
		put_rule(p, block);
}

static void put_row(struct page *p, const emit_columns_t *block, const struct table_row *row, bool with_note)
{
	AUTOSTR struct str line = { 0 };

	if (row->rule_before && row != p->t->rows.items)
		put_line(p, &line);
	for (size_t i = 0; i < block->n; i++) {
		AUTOSTR struct str cell = { 0 };
		size_t column = block->items[i];

		emit_place_text(p->t, row, column, &cell);
		str_add(&line, i ? p->separator : "");
		put_aligned(&line, str_text(&cell), p->widths[column],
			    emit_column_is_text(p->t, column) ? LEFT : RIGHT);
	}
	/* Rows in the '&' shape get pasted into LaTeX: there the note must be a comment. */
	if (with_note && row->note) {
		str_add(&line, p->t->separator ? "  % " : "  ");
		utf8_add_printable(&line, row->note);
	}
	put_line(p, &line);
}

static bool notes_fit(const struct page *p, const emit_blocks_t *blocks)
{
	const emit_columns_t *block = blocks->items;
	size_t width = 0;

	if (blocks->n != 1)
		return false;
	for (size_t i = 0; i < block->n; i++)
		width += p->widths[block->items[i]] + p->gap;
	for (size_t r = 0; r < p->t->rows.n; r++) {
		const char *note = p->t->rows.items[r].note;

		if (note && width - p->gap + strlen("  % ") + utf8_width(note) > p->limit)
			return false;
	}
	return true;
}

static void put_notes(struct page *p, const strings_t *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		str_add(p->out, i ? "" : "\n");
		put_prose(p, "", notes->items[i], 2);
	}
}

/* As the 2008 post had it: 34 times '=' before the number of repetitions, and 75 columns in all. */
static void put_banner(struct page *p)
{
	AUTOSTR struct str line = { 0 };

	str_pad(&line, '=', 34);
	str_add(&line, p->t->banner);
	str_pad(&line, '=', line.len < 75 ? 75 - line.len : 0);
	put_line(p, &line);
	str_add(p->out, "\n");
}

/* The title in the middle of the widest block. */
static void put_centred_title(struct page *p, const emit_columns_t *block)
{
	AUTOSTR struct str line = { 0 }, title = { 0 };
	size_t width = 0, used;

	for (size_t i = 0; i < block->n; i++)
		width += p->widths[block->items[i]] + (i ? p->gap : 0);
	utf8_add_printable(&title, p->t->title);
	used = utf8_width(str_text(&title));
	str_pad(&line, ' ', used < width ? (width - used) / 2 : 0);
	str_add(&line, str_text(&title));
	put_line(p, &line);
}

static void put_sentences(struct page *p)
{
	for (size_t r = 0; r < p->t->rows.n; r++) {
		const struct table_row *row = &p->t->rows.items[r];
		AUTOFREE char *number = mem_printf("%zu. ", r + 1), *hint = row->note ? mem_printf("(%s)", row->note) : NULL;

		put_prose(p, number, emit_sentence(p->t, row), SENTENCE_INDENT);
		if (hint)
			put_prose(p, "   ", hint, SENTENCE_INDENT);
	}
	str_add(p->out, p->t->rows.n && p->t->caption ? "\n" : "");
	if (p->t->caption)
		put_prose(p, "", p->t->caption, 2);
	for (size_t i = 0; i < p->t->notes.n; i++)
		put_prose(p, "", p->t->notes.items[i], 2);
}

static void put_table(struct page *p)
{
	bool ruled = p->t->style == TABLE_RULED;
	AUTOBLOCKS emit_blocks_t blocks = { 0 };
	AUTOSTRINGS strings_t notes = { 0 };
	bool behind;

	if (p->t->style == TABLE_LIST) {
		if (p->t->simulated) {
			put_prose(p, "* ", p->t->title, 2);
			str_add(p->out, "\n");
		}
		put_sentences(p);
		return;
	}
	if (p->t->banner)
		put_banner(p);
	if (p->t->title && !ruled)
		put_prose(p, "* ", p->t->title, 2);
	for (size_t i = 0; i < p->t->legend.n; i++)
		put_prose(p, "", p->t->legend.items[i], strlen("[0] - "));
	if (p->t->caption && !ruled)
		put_prose(p, "", p->t->caption, 2);
	measure(p);
	emit_split(p->t, p->widths, p->gap, p->limit, &blocks);
	behind = notes_fit(p, &blocks);
	for (size_t b = 0; b < blocks.n; b++) {
		if (b || (!ruled && (p->t->title || p->t->caption)) || p->t->legend.n)
			str_add(p->out, "\n");
		if (ruled && p->t->title && !b)
			put_centred_title(p, &blocks.items[b]);
		put_heads(p, &blocks.items[b]);
		for (size_t r = 0; r < p->t->rows.n; r++)
			put_row(p, &blocks.items[b], &p->t->rows.items[r], behind);
	}
	if (ruled && p->t->caption) {
		str_add(p->out, "\n");
		put_prose(p, "", p->t->caption, 2);
	}
	emit_notes(p->t, &notes);
	put_notes(p, behind ? &p->t->notes : &notes);
}

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < ts->list.n; i++) {
		const struct table *t = ts->list.items[i];
		AUTOFREE size_t *widths = mem_alloc(t->columns.n, sizeof(*widths));
		const char *separator = t->separator ? t->separator : "  ";
		struct page p = {
			.t = t,
			.limit = opt->width > 0 ? (size_t)opt->width : WIDTH,
			.separator = separator,
			.gap = utf8_width(separator),
			.widths = widths,
			.out = out,
		};

		if (i)
			str_add(out, "\n");
		put_table(&p);
	}
	return 0;
}

const struct emitter emit_text = { "text", "for a mail: plain, at most 76 columns", emit, false };
