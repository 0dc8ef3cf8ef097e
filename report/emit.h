/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_EMIT_H
#define REPORT_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/str.h"
#include "report/table.h"

struct emit_options {
	int width;	 /* of text, in columns; 0: 76, what fits a quoted mail */
	bool standalone; /* LaTeX: a whole document instead of a fragment to \input */
	bool siunitx;	 /* LaTeX: S columns of siunitx instead of plain right-aligned ones */
	const char *document_title; /* of whole documents; NULL: "iobench" */
};

/*
 * A format turns tables into bytes. To add one: a file emit_NAME.c that defines a 'const struct emitter', and a row
 * in report/emit.c.
 */
struct emitter {
	const char *name; /* "text", "latex", "markdown", "csv", "json" */
	const char *title;
	int (*emit)(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err);
	bool has_options; /* struct emit_options means something to it */
};

const struct emitter *emitter_find(const char *name); /* NULL if there is none */
const struct emitter *emitter_at(size_t i);	      /* NULL behind the last */

/* For readers: the digits of a cell as the column wants them rounded, '.' in every locale, "-" when missing. */
void emit_cell_text(const struct table_cell *cell, struct str *out);

/* The same for a place of a table, with what stands in parentheses behind it: "841.788 (4070.3)". */
void emit_place_text(const struct table *t, const struct table_row *row, size_t column, struct str *out);

/* For machines: the fewest digits that read back as the same number, nothing when missing. */
void emit_cell_exact(const struct table_cell *cell, struct str *out);

/* The notes of all rows, each behind what names its row ("jobs 4: n=8"), then those of the table. */
void emit_notes(const struct table *t, strings_t *out);

/* Of a TABLE_LIST: the sentence of a row. */
const char *emit_sentence(const struct table *t, const struct table_row *row);

/* What markup puts around the sentences of a TABLE_LIST and their notes. */
struct emit_list {
	void (*add_text)(struct str *out, const char *text); /* escapes it */
	const char *open, *item, *note, *note_end, *item_end, *close; /* item NULL: "1. " and so on */
};
void emit_sentences(const struct table *t, const struct emit_list *l, struct str *out);

/* Whether a column is for readers, as one of its own. */
bool emit_column_is_shown(const struct table_column *c);

/* Whether a column has something in parentheses behind it. */
bool emit_column_is_joined(const struct table *t, size_t column);

/* Whether a column holds text, or numbers with others behind them: such columns are aligned at the left. */
bool emit_column_is_text(const struct table *t, size_t column);

/* Columns (on a terminal) that the widest cell of a column takes. */
size_t emit_column_width(const struct table *t, size_t column);

/* The shown columns from 'from' on that stand under the same group heading: the end of them. */
typedef VEC(size_t) emit_columns_t;
size_t emit_group_end(const struct table *t, const emit_columns_t *columns, size_t from);

/*
 * The columns for readers in blocks that fit 'limit', where column i takes widths[i] and 'gap' lies between two:
 * all label columns in every block, the others cut between groups, within one only if it does not fit alone.
 */
typedef VEC(emit_columns_t) emit_blocks_t;
void emit_split(const struct table *t, const size_t *widths, size_t gap, size_t limit, emit_blocks_t *out);
void emit_blocks_release(emit_blocks_t *blocks);
#define AUTOBLOCKS CLEANUP(emit_blocks_release)

/* What machines are told of a value beside its row: "series", "column", "unit", "kind", in this order. */
#define EMIT_FACTS 4
extern const char *const emit_fact_names[EMIT_FACTS];
const char *emit_fact(const struct table_column *column, size_t i); /* NULL where there is none */

#endif
