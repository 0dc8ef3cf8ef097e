// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view.h"

#include "report/emit.h"
#include "tests/golden/golden.h"
#include "tests/unit/compare_series.h"

/* Six blocks: a clear gain, a clear loss of three job counts, the same, and a cell with too few runs. */
static void fill(struct series_set *set)
{
	static const double base[] = { 1000, 1100, 900, 1050, 950, 1000 };
	static const double factors[] = { 1.2, 0.6, 1.001, 1.3 };

	for (int v = 0; v < 2; v++)
		for (int jobs = 1; jobs <= 4; jobs++) {
			struct series *s = series_add(set, "iops", v ? "bfq:low_latency=0" : "bfq", "read", jobs);

			for (int i = 0; i < (jobs == 4 ? 3 : 6); i++)
				series_point(s, 1, i, base[i] * (v ? factors[jobs - 1] * (1 + 0.003 * (i % 3 - 1)) : 1));
		}
	series_point(series_add(set, "iops", "bfq", "read", 5), 1, 1, 1);
}

static char *emitted(const struct series_set *set, const char *format, const struct view_sides *sides)
{
	const struct view_options opt = { .metric = metric_find("iops"), .sides = sides };
	struct tables tables = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };

	if (view_make(view_find("compare"), set, &opt, &tables, &err) ||
	    emitter_find(format)->emit(&tables, &(struct emit_options){ 0 }, &out, &err))
		ok(false, "%s: %s", format, err.msg);
	tables_release(&tables);
	return str_steal(&out);
}

static void test_sides(void)
{
	static const char *const formats[][2] = {
		{ "text", "compare.txt" }, { "csv", "compare.csv" },	   { "json", "compare.json" },
		{ "latex", "compare.tex" }, { "markdown", "compare.md" },
	};
	struct series_set set = { 0 };
	members_t a = { 0 }, b = { 0 };
	AUTOSTRINGS strings_t differences = { 0 };
	struct view_sides sides = { &a, &b, "monday/bfq", "last/bfq:low_latency=0", &differences, 0.02 };

	fill(&set);
	strings_add(&differences, "measured on different kernels: '6.1' and '6.18'");
	members_of(&set, "bfq", &a);
	members_of(&set, "bfq:low_latency=0", &b);
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		AUTOFREE char *text = emitted(&set, formats[i][0], &sides);

		is_golden(text, formats[i][1]);
	}
	vec_free(&a);
	vec_free(&b);
	series_set_release(&set);
}

static void test_every_variant(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	fill(&set);
	for (int i = 0; i < 6; i++)
		series_point(i ? &set.list.items[set.list.n - 1] : series_add(&set, "iops", "none", "read", 1), 1, i, 2000 + i);
	text = emitted(&set, "text", NULL);
	has(text, "* bfq:low_latency=0 against bfq\n", "without sides: a table for the second variant");
	has(text, "* none against bfq\n", "and one for the third");
	/* 3 cells with a verdict in the first, 1 in the second */
	has(text, "over the 4 cells", "all of them are one family");
	series_set_release(&set);
}

static void test_nothing(void)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	struct err err = { 0 };

	series_point(series_add(&set, "iops", "bfq", "read", 1), 1, 1, 1);
	ok(view_make(view_find("compare"), &set, &(struct view_options){ 0 }, &tables, &err), "one variant: nothing to compare");
	has(err.msg, "on both sides", "said");
	tables_release(&tables);
	series_set_release(&set);
}

int main(void)
{
	test_sides();
	test_every_variant();
	test_nothing();
	return tap_done();
}
