/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/mem.h"
#include "common/str.h"

/*
 * A table of typed cells: what a view makes and a format prints. Views (view_*.c) know nothing of bytes, formats
 * (emit_*.c) nothing of layouts; all they share is here. Everything is owned by the table.
 */

enum table_cell_type { CELL_MISSING, CELL_TEXT, CELL_INTEGER, CELL_REAL };

/* 16 bytes: the long layout has one for every stored value and axis. */
struct table_cell {
	enum table_cell_type type : 8;
	bool trim_zeros;      /* CELL_REAL: drop trailing zeros, as the 2008 post did */
	bool as_bound;	      /* CELL_REAL: what rounds to 0 but is more is "<0.0001" for readers */
	bool shared;	      /* CELL_TEXT: the text belongs to an earlier row */
	signed char decimals; /* CELL_REAL: digits behind the point where the format rounds */
	union {
		char *text;   /* CELL_TEXT */
		double value; /* CELL_INTEGER, CELL_REAL: in the unit of the column */
	};
};

struct table_column {
	char *group; /* heading over neighbouring columns of equal text ("[0]"); NULL: none */
	char *head;  /* "mean" */
	char *name;  /* what it is, for machines: "mean", "stddev", "n" */
	char *unit;  /* "IOPS"; NULL for text columns */
	char *kind;  /* of which deviation or statistic: "sample stddev over runs"; NULL where it is plain */
	char *series; /* which variant it belongs to, whole: "bfq:slice_idle=0"; NULL for row labels */
	bool is_label; /* names the row instead of holding a result */
	bool for_machines; /* only in csv and json: a caption tells readers ("n") */
	bool in_parens;	   /* readers get it in parentheses behind the column before it: "841.788 (4070.3)" */
	size_t width;	   /* text: at least so wide, so that the tables of a sweep line up */
};

struct table_row {
	struct table_cell *cells; /* one for each column */
	char *note;		  /* behind the row in text, a foot note elsewhere; NULL: none */
	bool rule_before;	  /* a rule, or a blank line, above it */
};

/* How text is ruled; other formats have rules of their own. */
enum table_style {
	TABLE_PLAIN,
	TABLE_RULED,  /* the 2008 post: title in the middle, rules above and below the heads, caption below */
	TABLE_DASHED, /* the 2006 post: dashes under each head */
	TABLE_LIST,   /* rows are sentences: readers get a numbered list of the first shown column and their notes */
};

struct table {
	char *title;	   /* "sequential reads" */
	char *label;	   /* short name for LaTeX labels, anchors and csv: "read"; NULL: none */
	strings_t legend;  /* "[0] - bfq, intel_pstate driver, powersave governor" */
	char *caption;	   /* "IOPS; mean and sample stddev (n-1) over runs, n=10" */
	strings_t notes;   /* below: warnings, pending cells, kernels */
	char *separator;   /* between columns of text output: " & " in the 2017 shape; NULL: two blanks */
	enum table_style style;
	bool simulated;	   /* of a simulated disk: a title says it, and csv, which has none, in a column */
	bool partly;	   /* of others too */
	char *banner;	   /* the 2008 post's line of '=' above the first table: "x8"; only in text; NULL: none */
	VEC(struct table_column) columns;
	VEC(struct table_row) rows;
};

struct tables {
	VEC(struct table *) list;
};

struct table *table_new(const char *title, const char *label);
/* Append a column; rows must not exist yet. Strings are copied. Returns it for the fields that are rarely set. */
struct table_column *table_add_column(struct table *t, const char *head, const char *name, const char *unit,
				      const char *kind);
struct table_row *table_add_row(struct table *t); /* all cells CELL_MISSING */
void table_set_text(struct table_row *row, size_t column, const char *text); /* copied; NULL: missing */
void table_set_integer(struct table_row *row, size_t column, double value); /* not finite: missing */
void table_set_real(struct table_row *row, size_t column, double value, int decimals); /* not finite: missing */
/* The cell of an earlier row of the same table (which must not change any more), without a copy of its text. */
void table_share_cell(struct table_row *row, size_t column, const struct table_row *earlier);
void table_free(struct table *t);
void tables_release(struct tables *ts);

#endif
