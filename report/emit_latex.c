// SPDX-License-Identifier: GPL-2.0-or-later
/* A booktabs table to \input, or a whole document of them. */
#include <ctype.h>
#include <string.h>

#include "report/emit.h"
#include "report/utf8.h"

/* In points: 17 cm of A4, a digit of Computer Modern at 10 pt, and \tabcolsep on both sides of a column. */
#define LINE_PT 483
#define DIGIT_PT 5
#define GAP_PT 12

/*
 * What TeX would take for something else. '[' and '*' behind a row's \\ would be read as its arguments; \textquotedbl
 * is missing in the OT1 encoding, and '"' itself is active under babel; \$ would need a font of its own there.
 */
static const char *const escapes[128] = {
	['_'] = "\\_",
	['&'] = "\\&",
	['%'] = "\\%",
	['#'] = "\\#",
	['$'] = "{\\upshape\\char36}",
	['{'] = "\\{",
	['}'] = "\\}",
	['~'] = "\\textasciitilde{}",
	['^'] = "\\textasciicircum{}",
	['\\'] = "\\textbackslash{}",
	['<'] = "\\textless{}",
	['>'] = "\\textgreater{}",
	['|'] = "\\textbar{}",
	['"'] = "{\\ttfamily\\char34}",
	['`'] = "{}`{}",
	['['] = "{[}",
	[']'] = "{]}",
	['*'] = "{*}",
};

/* No dashes and quotes made of two characters: they are kept apart. */
static void add_escaped(struct str *out, const char *text)
{
	for (const char *end; *text; text = end) {
		AUTOFREE char *piece = NULL;

		for (end = text + 1; *end && (*end != end[-1] || !strchr("-,'", *end)); end++)
			;
		piece = mem_strndup(text, (size_t)(end - text));
		utf8_add_escaped(out, piece, escapes);
		str_add(out, *end ? "{}" : "");
	}
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool is_number(const struct table_cell *cell)
{
	return cell->type == CELL_INTEGER || cell->type == CELL_REAL;
}

static void add_cell(struct str *out, const struct table *t, const struct table_row *row, size_t column, bool siunitx)
{
	AUTOSTR struct str text = { 0 };
	bool number = is_number(&row->cells[column]) && !emit_column_is_joined(t, column);

	emit_place_text(t, row, column, &text);
	number = number && *text.s != '<';
	if (!number)
		str_add(out, siunitx ? "{" : "");
	if (number && !siunitx && *text.s == '-')
		str_addf(out, "$-$%s", text.s + 1);
	else
		add_escaped(out, text.s);
	if (!number)
		str_add(out, siunitx ? "}" : "");
}

/* "S[table-format=-5.3]": siunitx needs the digits before and behind the point. */
static void add_siunitx_column(struct str *out, const struct table *t, size_t column)
{
	size_t integer = 1, decimals = 0;
	bool negative = false;

	for (size_t r = 0; r < t->rows.n; r++) {
		const struct table_cell *cell = &t->rows.items[r].cells[column];
		AUTOSTR struct str text = { 0 };
		const char *digits;

		if (!is_number(cell))
			continue;
		emit_cell_text(cell, &text);
		digits = text.s + (*text.s == '-');
		negative = negative || digits != text.s;
		integer = larger(integer, strcspn(digits, "."));
		if (strchr(digits, '.'))
			decimals = larger(decimals, strlen(strchr(digits, '.') + 1));
	}
	str_addf(out, "S[table-format=%s%zu", negative ? "-" : "", integer);
	if (decimals)
		str_addf(out, ".%zu", decimals);
	str_add(out, "]");
}

static void add_group_heads(struct str *out, const struct table *t, const emit_columns_t *block)
{
	AUTOSTR struct str heads = { 0 }, rules = { 0 };

	for (size_t from = 0, to; from < block->n; from = to) {
		const char *group = t->columns.items[block->items[from]].group;

		to = emit_group_end(t, block, from);
		str_add(&heads, from ? " & " : "");
		if (!group)
			continue;
		str_addf(&heads, "\\multicolumn{%zu}{c}{", to - from);
		add_escaped(&heads, group);
		str_add(&heads, "}");
		str_addf(&rules, "\\cmidrule(lr){%zu-%zu}", from + 1, to);
	}
	if (rules.len)
		str_addf(out, "    %s \\\\\n    %s\n", str_text(&heads), str_text(&rules));
}

static void add_tabular(struct str *out, const struct table *t, const emit_columns_t *block, bool siunitx)
{
	str_add(out, "  \\begin{tabular}{");
	for (size_t i = 0; i < block->n; i++) {
		if (emit_column_is_text(t, block->items[i]))
			str_add(out, "l");
		else if (siunitx)
			add_siunitx_column(out, t, block->items[i]);
		else
			str_add(out, "r");
	}
	str_add(out, "}\n    \\toprule\n");
	add_group_heads(out, t, block);
	for (size_t i = 0; i < block->n; i++) {
		str_add(out, i ? " & " : "    ");
		str_add(out, siunitx ? "{" : "");
		add_escaped(out, t->columns.items[block->items[i]].head);
		str_add(out, siunitx ? "}" : "");
	}
	str_add(out, " \\\\\n    \\midrule\n");
	for (size_t r = 0; r < t->rows.n; r++) {
		if (r && t->rows.items[r].rule_before)
			str_add(out, "    \\midrule\n");
		for (size_t i = 0; i < block->n; i++) {
			str_add(out, i ? " & " : "    ");
			add_cell(out, t, &t->rows.items[r], block->items[i], siunitx);
		}
		str_add(out, " \\\\\n");
	}
	str_add(out, "    \\bottomrule\n  \\end{tabular}\n");
}

static void add_caption(struct str *out, const struct table *t)
{
	str_add(out, "  \\caption{");
	add_escaped(out, t->title ? t->title : "");
	str_add(out, t->title && t->caption ? ", " : "");
	add_escaped(out, t->caption ? t->caption : "");
	str_add(out, "}\n");
	if (!t->label)
		return;
	str_add(out, "  \\label{tab:");
	for (const char *s = t->label; *s; s++)
		str_pad(out, (unsigned char)*s < 0x80 && isalnum((unsigned char)*s) ? *s : '-', 1);
	str_add(out, "}\n");
}

static void add_small_line(struct str *out, const char *text)
{
	str_add(out, "    ");
	add_escaped(out, text);
	str_add(out, "\\par\n");
}

static void add_small_print(struct str *out, const struct table *t)
{
	AUTOSTRINGS strings_t notes = { 0 };

	emit_notes(t, &notes);
	if (!t->legend.n && !notes.n)
		return;
	str_add(out, "  \\par\\medskip\n  {\\footnotesize\\raggedright\n");
	for (size_t i = 0; i < t->legend.n; i++)
		add_small_line(out, t->legend.items[i]);
	for (size_t i = 0; i < notes.n; i++)
		add_small_line(out, notes.items[i]);
	str_add(out, "  }\n");
}

static void add_table(struct str *out, const struct table *t, bool siunitx)
{
	AUTOFREE size_t *widths = mem_alloc(t->columns.n, sizeof(*widths));
	AUTOBLOCKS emit_blocks_t blocks = { 0 };

	for (size_t i = 0; i < t->columns.n; i++)
		widths[i] = DIGIT_PT * larger(emit_column_width(t, i), utf8_width(t->columns.items[i].head));
	emit_split(t, widths, GAP_PT, LINE_PT - GAP_PT, &blocks);
	str_add(out, "\\begin{table}[htbp]\n  \\centering\n");
	add_caption(out, t);
	for (size_t b = 0; b < blocks.n; b++) {
		str_add(out, b ? "  \\par\\medskip\n" : "");
		add_tabular(out, t, &blocks.items[b], siunitx);
	}
	add_small_print(out, t);
	str_add(out, "\\end{table}\n");
}

static void add_sentences(struct str *out, const struct table *t)
{
	/* another disk than one thinks is no matter of a document's own headings */
	if (t->simulated) {
		str_add(out, "\\noindent ");
		add_escaped(out, t->title);
		str_add(out, "\n\n");
	}
	emit_sentences(t, &(struct emit_list){ add_escaped, "\\begin{enumerate}\n", "  \\item{} ", "\n    (", ")",
					       "\n", "\\end{enumerate}\n" }, out);
	for (size_t i = 0; i <= t->notes.n; i++) {
		const char *text = i ? t->notes.items[i - 1] : t->caption ? t->caption : "";

		str_add(out, i ? "\\par " : "");
		add_escaped(out, text);
		str_add(out, "\n");
	}
}

/*
 * Tables stay where they are put: LaTeX gives up when many float and no text lies between them. A character that the
 * font lacks is printed as '?' instead of stopping pdflatex. T1 only with Latin Modern: other T1 fonts would be
 * bitmaps where cm-super is not installed.
 */
static const char preamble[] =
	"\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}{}\n"
	"\\setlength{\\belowcaptionskip}{\\medskipamount}\n"
	"\\makeatletter\n"
	"\\renewenvironment{table}[1][]%\n"
	"  {\\par\\bigskip\\noindent\\begin{minipage}{\\linewidth}\\def\\@captype{table}}%\n"
	"  {\\end{minipage}\\par\\bigskip}\n"
	"\\def\\UTFviii@undefined@err#1{?}\n"
	"\\def\\TextSymbolUnavailable#1{?}\n"
	"\\makeatother\n";

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	(void)err;
	if (opt->standalone) {
		str_add(out, "\\documentclass[a4paper]{article}\n\\usepackage[margin=2cm]{geometry}\n");
		str_addf(out, "\\usepackage{booktabs%s}\n", opt->siunitx ? ",siunitx" : "");
		str_addf(out, "%s\\begin{document}\n\\section*{", preamble);
		add_escaped(out, opt->document_title ? opt->document_title : "iobench");
		str_add(out, "}\n");
	} else {
		str_addf(out, "%% needs \\usepackage{booktabs%s}\n", opt->siunitx ? ",siunitx" : "");
	}
	for (size_t i = 0; i < ts->list.n; i++)
		if (ts->list.items[i]->style == TABLE_LIST)
			add_sentences(out, ts->list.items[i]);
		else
			add_table(out, ts->list.items[i], opt->siunitx);
	if (opt->standalone)
		str_add(out, "\\end{document}\n");
	return 0;
}

const struct emitter emit_latex = { "latex", "booktabs tables to \\input, or a document", emit, true };
