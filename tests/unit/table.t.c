// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <cjson/cJSON.h>
#include <locale.h>

#include "report/emit.h"
#include "report/utf8.h"
#include "tests/tap.h"

/* ---- helpers ---- */

static struct table *new_table(struct tables *ts, const char *title)
{
	struct table *t = table_new(title, "label");

	*vec_push(&ts->list) = t;
	return t;
}

static void add_label(struct table *t, const char *head)
{
	table_add_column(t, head, head, NULL, NULL)->is_label = true;
}

static void add_value(struct table *t, const char *group, const char *head)
{
	table_add_column(t, head, head, "IOPS", "of something")->group = mem_strdup(group);
}

static char *emitted(const struct tables *ts, const char *format, struct emit_options opt)
{
	struct str out = { 0 };
	struct err err = { 0 };

	ok(!emitter_find(format)->emit(ts, &opt, &out, &err), "%s is made", format);
	return str_steal(&out);
}

static void is_emitted(struct tables *ts, const char *format, const char *want, const char *what)
{
	AUTOFREE char *got = emitted(ts, format, (struct emit_options){ 0 });

	is(got, want, what);
	tables_release(ts);
}

/* ---- cells ---- */

static void is_cell(struct table_cell cell, const char *text, const char *exact)
{
	AUTOSTR struct str a = { 0 }, b = { 0 };

	emit_cell_text(&cell, &a);
	emit_cell_exact(&cell, &b);
	ok(!strcmp(str_text(&a), text) && !strcmp(str_text(&b), exact), "cell '%s' (%s), exactly '%s' (%s)", text,
	   str_text(&a), exact, str_text(&b));
}

#define REAL(v, d) ((struct table_cell){ .type = CELL_REAL, .value = (v), .decimals = (d) })
#define TRIMMED(v, d) ((struct table_cell){ .type = CELL_REAL, .value = (v), .decimals = (d), .trim_zeros = true })

static void test_cells(void)
{
	is_cell((struct table_cell){ .type = CELL_MISSING }, "-", "");
	is_cell((struct table_cell){ .type = CELL_TEXT, .text = (char[]){ "a" } }, "a", "a");
	is_cell((struct table_cell){ .type = CELL_INTEGER, .value = 1e15 }, "1000000000000000", "1e+15");
	is_cell((struct table_cell){ .type = CELL_INTEGER, .value = 128 }, "128", "128");
	is_cell(REAL(17060.3, 3), "17060.300", "17060.3");
	is_cell(REAL(0.1 + 0.2, 3), "0.300", "0.30000000000000004");
	is_cell(REAL(1.0 / 3, 1), "0.3", "0.3333333333333333");
	is_cell(REAL(2.5, 0), "2", "2.5");
	is_cell(REAL(-0.0001, 3), "0.000", "-0.0001");
	is_cell(REAL(-0.01, 2), "-0.01", "-0.01");
	is_cell(REAL(1e21, 0), "1000000000000000000000", "1e+21");
	/* as the post of 2008 printed them */
	is_cell(TRIMMED(884.4, 3), "884.4", "884.4");
	is_cell(TRIMMED(2439.04, 3), "2439.04", "2439.04");
	is_cell(TRIMMED(2428.032, 3), "2428.032", "2428.032");
	is_cell(TRIMMED(100, 3), "100", "100");
	is_cell(TRIMMED(100, 0), "100", "100");
}

static void test_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "nl_NL.UTF-8" };
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
		found = setlocale(LC_NUMERIC, names[i]);
	if (!found) {
		skip(2, "no locale with a decimal comma is installed");
		return;
	}
	is_cell(REAL(17060.3, 3), "17060.300", "17060.3");
	is_cell(TRIMMED(884.4, 3), "884.4", "884.4");
	setlocale(LC_NUMERIC, "C");
}

static void test_table(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "t");
	struct table_row *row;

	add_label(t, "a");
	add_value(t, NULL, "b");
	row = table_add_row(t);
	ok(row->cells[0].type == CELL_MISSING && row->cells[1].type == CELL_MISSING, "cells are missing until set");
	table_set_text(row, 0, "one");
	table_set_text(row, 0, "two");
	table_set_real(row, 1, NAN, 3);
	ok(row->cells[1].type == CELL_MISSING, "NaN is missing");
	table_set_real(row, 1, INFINITY, 3);
	ok(row->cells[1].type == CELL_MISSING, "so is an infinity");
	table_set_integer(row, 1, NAN);
	ok(row->cells[1].type == CELL_MISSING, "and no integer");
	table_set_real(row, 1, 1.5, 2);
	row = table_add_row(t);
	table_share_cell(row, 0, &t->rows.items[0]);
	table_share_cell(row, 1, &t->rows.items[0]);
	ok(row->cells[0].text == t->rows.items[0].cells[0].text, "a shared text is not copied");
	ok(row->cells[1].value == 1.5 && row->cells[1].decimals == 2, "a shared number is the same");
	table_set_text(row, 0, NULL);
	is(t->rows.items[0].cells[0].text, "two", "and the first keeps it when the second is set anew");
	ok(sizeof(struct table_cell) == 16, "a cell stays small");
	tables_release(&ts);
	table_free(NULL);
}

/* ---- UTF-8 ---- */

static void test_utf8(void)
{
	static const struct {
		const char *text;
		size_t width;
		const char *printable;
	} rows[] = {
		{ "abc", 3, "abc" },
		{ "größe", 5, "größe" },
		{ "o\xcc\x88", 1, "o\xcc\x88" },	/* combining diaeresis */
		{ "\xe6\xbc\xa2\xe5\xad\x97", 4, "\xe6\xbc\xa2\xe5\xad\x97" },
		{ "\xf0\x9f\x98\x80", 2, "\xf0\x9f\x98\x80" }, /* emoji */
		{ "a\tb\n\x1b[31m\x7f", 10, "a?b??[31m?" },
		{ "\xc2\x9b" "1m", 3, "?1m" },		/* control sequence introducer */
		{ "\xff\xc3", 2, "??" },		/* no lead byte; cut short */
		{ "\xc0\xaf", 2, "??" },		/* overlong */
		{ "\xe0\x9f\xbf", 3, "???" },
		{ "\xed\xa0\x80", 3, "???" },		/* surrogate */
		{ "\xf4\x90\x80\x80", 4, "????" },	/* above U+10FFFF */
		{ "\xe6\xbc", 2, "??" },
	};
	const char *end = "\xf4\x8f\xbf\xbf!";

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTOSTR struct str out = { 0 };

		utf8_add_printable(&out, rows[i].text);
		ok(utf8_width(rows[i].text) == rows[i].width && !strcmp(str_text(&out), rows[i].printable),
		   "UTF-8 row %zu: %zu columns", i, utf8_width(rows[i].text));
	}
	ok(utf8_next(&end) == 0x10ffff && *end == '!', "the last character there is");
}

static void test_wrapped(void)
{
	static const struct {
		const char *prefix, *text, *lines;
	} rows[] = {
		{ "", "", "\n" },
		{ "* ", "one two three", "* one two\n    three\n" },
		{ "* ", "größe größ", "* größe\n    größ\n" },
		{ "* ", "größe grö", "* größe grö\n" }, /* 11 columns of 14 bytes */
		{ "", "\xe6\xbc\xa2\xe5\xad\x97 x \xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2\xe5\xad\x97 x \xe6\xbc\xa2\xe5\xad\x97\n" },
		{ "", "\xe6\xbc\xa2\xe5\xad\x97 xy \xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2\xe5\xad\x97 xy\n    \xe6\xbc\xa2\xe5\xad\x97\n" },
		{ "", "a-word-of-its-own and on", "a-word-of-its-own\n    and on\n" },
		{ "", "eight888  trailing ", "eight888\n    trailing\n" },
		{ "", "tab\there", "tab?here\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTOSTR struct str out = { 0 };

		utf8_add_wrapped(&out, rows[i].prefix, rows[i].text, 4, 11);
		is(str_text(&out), rows[i].lines, rows[i].text);
	}
}

/* ---- text ---- */

static void test_text_shape(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "schedulers");
	struct table_row *row;

	add_label(t, "scheduler");
	add_label(t, "numjobs");
	add_value(t, "latency", "mean");
	add_value(t, "latency", "n");
	add_value(t, "a very long heading", "x");
	add_value(t, NULL, "remark");
	table_add_column(t, "hidden", "hidden", NULL, NULL)->for_machines = true;
	row = table_add_row(t);
	table_set_text(row, 0, "größe");
	table_set_integer(row, 1, 1);
	table_set_real(row, 2, 1.25, 2);
	table_set_integer(row, 3, 10);
	table_set_integer(row, 4, 7);
	table_set_text(row, 5, "ok");
	row->note = mem_strdup("short");
	row = table_add_row(t);
	row->rule_before = true;
	table_set_text(row, 0, "none");
	table_set_integer(row, 1, 16);
	table_set_real(row, 2, -10, 2);
	table_set_text(row, 5, "slower");
	table_set_integer(row, 6, 4711);
	strings_add(&t->notes, "a note");
	is_emitted(&ts, "text",
		   "* schedulers\n"
		   "\n"
		   "                      latency   a very long heading\n"
		   "scheduler  numjobs   mean    n           x           remark\n"
		   "größe            1    1.25  10                    7  ok      short\n"
		   "\n"
		   "none            16  -10.00   -                    -  slower\n"
		   "\n"
		   "a note\n",
		   "labels left, numbers right, groups centred, notes behind");
}

static void test_text_notes_below(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, NULL);
	struct table_row *row;

	add_label(t, "jobs");
	add_value(t, NULL, "x");
	row = table_add_row(t);
	table_set_integer(row, 0, 128);
	table_set_integer(row, 1, 5);
	row->note = mem_strdup("a note so long that behind its row it would not fit into the line of a mail any more");
	strings_add(&t->legend, "[0] - a legend so long that it would not fit into one line of a mail either, indented");
	is_emitted(&ts, "text",
		   "[0] - a legend so long that it would not fit into one line of a mail either,\n"
		   "      indented\n"
		   "\n"
		   "jobs  x\n"
		   " 128  5\n"
		   "\n"
		   "jobs 128: a note so long that behind its row it would not fit into the line\n"
		   "  of a mail any more\n",
		   "what is too long is broken between words, and row notes go below");
}

static void test_split(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "wide");
	struct table_row *row;

	add_label(t, "n");
	for (int i = 0; i < 5; i++)
		add_value(t, i < 3 ? "A" : i < 4 ? "B" : NULL, (const char *[]){ "a1", "a2", "a3", "b1", "c1" }[i]);
	row = table_add_row(t);
	for (size_t i = 0; i < 6; i++)
		table_set_integer(row, i, 12345678);
	{
		AUTOFREE char *two = emitted(&ts, "text", (struct emit_options){ .width = 46 });
		AUTOFREE char *three = emitted(&ts, "text", (struct emit_options){ .width = 28 });
		AUTOFREE char *six = emitted(&ts, "text", (struct emit_options){ .width = 1 });

		is(two,
		   "* wide\n\n"
		   "                        A\n"
		   "n            a1        a2        a3\n"
		   "12345678  12345678  12345678  12345678\n\n"
		   "              B\n"
		   "n            b1        c1\n"
		   "12345678  12345678  12345678\n",
		   "cut between groups, labels in each block");
		is(three,
		   "* wide\n\n"
		   "                   A\n"
		   "n            a1        a2\n"
		   "12345678  12345678  12345678\n\n"
		   "              A         B\n"
		   "n            a3        b1\n"
		   "12345678  12345678  12345678\n\n"
		   "n            c1\n"
		   "12345678  12345678\n",
		   "a group that does not fit alone is cut inside");
		ok(strstr(six, "n            a1\n12345678  12345678\n\n") && strstr(six, "b1\n"),
		   "nothing is lost where nothing fits");
	}
	tables_release(&ts);
}

/* ---- the others ---- */

static void test_csv(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "one");
	struct table_row *row;

	add_label(t, "jobs");
	add_value(t, NULL, "mean");
	t->columns.items[1].series = mem_strdup("a,\"b\"\nc");
	table_add_column(t, "n", "n", NULL, NULL)->for_machines = true;
	row = table_add_row(t);
	table_set_integer(row, 0, 1);
	table_set_real(row, 1, 0.1, 0);
	t = new_table(&ts, "two");
	add_label(t, "disk");
	add_value(t, NULL, "x");
	row = table_add_row(t);
	table_set_text(row, 0, "größe");
	table_set_real(row, 1, 1e300, 3);
	is_emitted(&ts, "csv",
		   "table,jobs,disk,series,column,unit,kind,value\n"
		   "label,1,,\"a,\"\"b\"\"\nc\",mean,IOPS,of something,0.1\n"
		   "label,1,,,n,,,\n"
		   "label,,größe,,x,IOPS,of something,1e+300\n",
		   "one header for tables of several kinds, quotes doubled, nothing for what is missing");
}

static double number_in(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static const char *text_in(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void test_json(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "a \"title\"\n");
	struct table_row *row;
	AUTOFREE char *json = NULL;
	cJSON *root;
	const cJSON *head, *values;

	add_label(t, "jobs");
	add_value(t, NULL, "mean");
	t->columns.items[1].series = mem_strdup("bad \xff byte");
	row = table_add_row(t);
	table_set_integer(row, 0, 1);
	table_set_real(row, 1, 0.1 + 0.2, 0);
	row->note = mem_strdup("n=8");
	table_add_row(t);
	new_table(&ts, NULL);
	json = emitted(&ts, "json", (struct emit_options){ 0 });
	root = cJSON_Parse(json);
	head = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "tables"), 0);
	values = cJSON_GetObjectItemCaseSensitive(head, "values");
	is(text_in(head, "title"), "a \"title\"\n", "JSON parses, and a title comes back");
	is_int(cJSON_GetArraySize(values), 2, "an object a value");
	ok(number_in(values->child, "value") == 0.1 + 0.2 && number_in(values->child, "jobs") == 1, "with every digit");
	ok(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(values->child->next, "value")), "missing is null");
	is(text_in(values->child, "series"), "bad \xef\xbf\xbd byte", "what is not UTF-8 is replaced");
	is(text_in(values->child, "kind"), "of something", "the kind is in every row");
	is(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(head, "notes")->child), "jobs 1: n=8", "notes");
	is_int(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "tables")), 2, "an empty table is one");
	cJSON_Delete(root);
	tables_release(&ts);
}

static void test_latex(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "_&%#${}~^\\<>|\"[*]-- ''");
	struct table_row *row;
	AUTOFREE char *plain = NULL, *siunitx = NULL;

	add_label(t, "name");
	add_value(t, "g", "x");
	add_value(t, NULL, "y");
	row = table_add_row(t);
	table_set_text(row, 0, "*a\x01");
	table_set_real(row, 1, -1234.5, 2);
	table_set_integer(row, 2, 7);
	row = table_add_row(t);
	row->rule_before = true;
	table_set_text(row, 0, "größe");
	plain = emitted(&ts, "latex", (struct emit_options){ 0 });
	siunitx = emitted(&ts, "latex", (struct emit_options){ .siunitx = true });
	has(plain,
	    "\\caption{\\_\\&\\%\\#{\\upshape\\char36}\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}"
	    "\\textless{}\\textgreater{}\\textbar{}{\\ttfamily\\char34}{[}{*}{]}-{}- '{}'}\n",
	    "every character that TeX would not print is escaped");
	has(plain,
	    "  \\begin{tabular}{lrr}\n"
	    "    \\toprule\n"
	    "     & \\multicolumn{1}{c}{g} &  \\\\\n"
	    "    \\cmidrule(lr){2-2}\n"
	    "    name & x & y \\\\\n"
	    "    \\midrule\n"
	    "    {*}a? & $-$1234.50 & 7 \\\\\n"
	    "    \\midrule\n"
	    "    größe & - & - \\\\\n"
	    "    \\bottomrule\n",
	    "a booktabs table");
	has(siunitx, "{lS[table-format=-4.2]S[table-format=1]}", "columns of siunitx know their digits");
	has(siunitx, "{*}a?} & -1234.50 & 7 \\\\", "numbers bare");
	has(siunitx, "{größe} & {-} & {-} \\\\", "and braces around what is none");
	ok(!strstr(plain, "documentclass") && !strstr(plain, "\\par"), "a fragment, no small print where there is none");
	tables_release(&ts);
}

static void test_markdown(void)
{
	struct tables ts = { 0 };
	struct table *t = new_table(&ts, "a|b");
	struct table_row *row;

	add_label(t, "name");
	add_value(t, "[0]", "mean");
	row = table_add_row(t);
	table_set_text(row, 0, "bfq_mq");
	table_set_real(row, 1, 1.5, 3);
	row->note = mem_strdup("n=8");
	is_emitted(&ts, "markdown",
		   "### a\\|b\n"
		   "\n"
		   "| name | \\[0\\] mean |\n"
		   "| :-- | --: |\n"
		   "| bfq\\_mq | 1.500 |\n"
		   "\n"
		   "- name bfq\\_mq: n=8\n",
		   "a pipe table");
}

static void test_sentences(void)
{
	static const char *const wanted[][2] = {
		{ "text", "1. a_b--c\n   (d_e)\n2. f\n\ng\n" },
		{ "markdown", "### findings\n\n1. a\\_b--c\n   (d\\_e)\n2. f\n\ng\n" },
		{ "latex", "% needs \\usepackage{booktabs}\n\\begin{enumerate}\n  \\item{} a\\_b-{}-c\n    (d\\_e)\n"
			   "  \\item{} f\n\\end{enumerate}\ng\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		struct tables ts = { 0 };
		struct table *t = new_table(&ts, "findings");
		struct table_row *row;

		t->style = TABLE_LIST;
		t->caption = mem_strdup("g");
		add_label(t, "finding");
		row = table_add_row(t);
		table_set_text(row, 0, "a_b--c");
		row->note = mem_strdup("d_e");
		table_set_text(table_add_row(t), 0, "f");
		is_emitted(&ts, wanted[i][0], wanted[i][1], "a list of sentences");
	}
}

static void test_registry(void)
{
	size_t n = 0;

	while (emitter_at(n))
		n++;
	is_int((long long)n, 6, "six formats");
	ok(emitter_find("csv") && !emitter_find("CSV") && !emitter_find(""), "found by name");
}

static void test_no_tables(void)
{
	static const char *const empty[] = { "", "% needs \\usepackage{booktabs}\n", "", "value\n", "{\"tables\":[]}\n" };
	struct tables ts = { 0 };

	AUTOFREE char *page = emitted(&ts, "html", (struct emit_options){ 0 });

	for (size_t i = 0; i < ARRAY_LEN(empty); i++)
		is_emitted(&ts, emitter_at(i)->name, empty[i], "nothing of no tables");
	ok(!strstr(page, "<table") && !strstr(page, "<h2>"), "an empty page has no headings");
}

int main(void)
{
	test_cells();
	test_locale();
	test_table();
	test_utf8();
	test_wrapped();
	test_text_shape();
	test_text_notes_below();
	test_split();
	test_csv();
	test_json();
	test_latex();
	test_markdown();
	test_sentences();
	test_registry();
	test_no_tables();
	return tap_done();
}
