// SPDX-License-Identifier: GPL-2.0-or-later
/* Trends: what the database's summaries say of many sweeps, and the tables and plots of it. */
#include "report/trend.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/units.h"
#include "report/figure.h"
#include "report/plot.h"
#include "tests/golden/golden.h"
#include "tests/golden/series.h"

#define DAY_NS (86400 * NS_PER_S)
#define NIGHT_NS (1795831200 * NS_PER_S) /* 2026-11-28 02:00 UTC */
#define SIMULATED "simulated-disk"
#define S(text) ((char *)(text)) /* rows that go in only borrow it */

static void must(bool good, const char *what, const struct err *err)
{
	if (good)
		return;
	printf("Bail out! %s: %s\n", what, err->msg);
	exit(1);
}

/* ---- from the database ---- */

static const char *const variants[] = { "none", "bfq" };
static const char *const environments[] = { "{\"kernel.release\":\"6.1.0\"}",
					    "{\"kernel.release\":\"6.1.0\",\"more\":1}",
					    "{\"kernel.release\":\"6.12.0\"}" };

/* A sweep of two cells; each has 'n' runs under each of the environments in 'under', and one that does not count. */
static int64_t put_sweep(struct store *s, const char *name, int64_t started_ns, const char *under, int n,
			 const char *warning)
{
	struct axis_value axes[] = { { "pattern", "read" }, { "numjobs", "2" } };
	struct cell_row cells[ARRAY_LEN(variants)];
	struct sweep_row sweep = { .name = S(name), .state = S("done"), .started_ns = started_ns };
	struct workload_row workload = { S("default"), S("[job]\n") };
	int64_t environment, invocation;
	struct err err = { 0 };
	int block = 0;

	must(!uuid_new(sweep.uuid, &err), "uuid", &err);
	for (size_t i = 0; i < ARRAY_LEN(cells); i++)
		cells[i] = (struct cell_row){ .ordinal = (int)i,
					      .key = S(variants[i]),
					      .variant = S(variants[i]),
					      .state = S("done"),
					      .axes = axes,
					      .n_axes = ARRAY_LEN(axes) };
	must(!store_put_sweep(s, &sweep, &workload, cells, ARRAY_LEN(cells), &err) &&
		     !store_put_invocation(s, sweep.id, "boot", "iobench sweep", &invocation, &err),
	     "sweep", &err);
	for (; *under; under++) {
		must(!store_put_environment(s, environments[*under - '0'], &environment, &err), "environment", &err);
		for (int i = 0; i <= n; i++, block++)
			for (size_t c = 0; c < ARRAY_LEN(cells); c++) {
				struct run_row run = { .cell = cells[c].id,
						       .environment = environment,
						       .invocation = invocation,
						       .block = block,
						       .position = (int)c,
						       .kind = S("measure"),
						       .state = S(i == n ? "failed" : "ok"),
						       .started_ns = started_ns + block };
				struct warning_row w = { S(warning), S("sim0") };
				struct parsed parsed = { 0 };
				double value = 1000 * (1 + (double)c) + 37 * block % 11 + (double)(started_ns % 1000);

				must(!uuid_new(run.uuid, &err), "uuid", &err);
				parsed_add(&parsed, "iops", DIR_ALL, JOB_ALL, value);
				parsed_add(&parsed, "iops", DIR_READ, JOB_ALL, value / 2);
				parsed_add(&parsed, "bw", DIR_ALL, JOB_ALL, value * 4096);
				must(!store_put_run(s, &run, "fio", &parsed, &w, warning ? 1 : 0, &err), "run", &err);
				parsed_release(&parsed);
			}
	}
	return sweep.id;
}

/* The row that summarises a series. */
static const struct trend_row *row_of(const struct trend *t, const struct series *s)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct trend_row *row = &t->rows.items[i];
		const struct series *of = &t->series.list.items[row->series - 1];

		if (t->sweeps.items[row->sweep].id == s->sweep && row->environment == s->environment &&
		    same_text(of->variant, s->variant) && same_text(of->kernel, s->kernel))
			return row;
	}
	return NULL;
}

/* Every series of the slow way has a row that says the same, and there are no others. */
static void same_as_series(struct store *s, const int64_t *ids, size_t n, enum direction direction, const struct trend *t)
{
	const struct metric *iops = metric_find("iops");
	struct series_query q = { ids, n, &iops, 1, false, direction, false, false };
	struct series_set set = { 0 };
	struct err err = { 0 };
	bool same = true;

	must(!store_query_series(s, &q, &set, &err), "series", &err);
	is_int(t->rows.n, set.list.n, "a row a series");
	for (size_t i = 0; i < set.list.n; i++) {
		const struct trend_row *row = row_of(t, &set.list.items[i]);
		struct stats want = series_summary(&set.list.items[i], 1);

		same = same && row && row->n == want.n && fabs(row->mean - want.mean) < 1e-9 &&
		       (isnan(row->stddev) ? isnan(want.stddev) : fabs(row->stddev - want.stddev) < 1e-9) &&
		       row->min == want.min && row->max == want.max;
	}
	ok(same, "with n, mean, stddev, min and max of its runs");
	series_set_release(&set);
}

static void test_query(void)
{
	char folder[] = "/tmp/iobench-trend.XXXXXX";
	AUTOFREE char *path = mem_printf("%s/x.db", mkdtemp(folder));
	const struct metric *iops = metric_find("iops"), *latency = metric_find("lat_mean");
	struct err err = { 0 };
	struct store *s = store_open(path, STORE_CREATE, &err);
	struct trend t = { 0 }, reads = { 0 }, none = { 0 };
	sweep_ids_t ids = { 0 }, part = { 0 };
	strings_t kernels = { 0 };
	int64_t first, second, third, id;

	must(s, "open", &err);
	/* stored not in the order in which they started */
	second = put_sweep(s, "b", NIGHT_NS + DAY_NS + 1, "012", 3, NULL);
	first = put_sweep(s, "a", NIGHT_NS + 2, "0", 5, NULL);
	third = put_sweep(s, "", NIGHT_NS + 2 * DAY_NS + 3, "2", 1, SIMULATED);
	put_sweep(s, "empty", NIGHT_NS + 3 * DAY_NS, "", 0, NULL);
	ok(!store_sweeps_between(s, INT64_MIN, INT64_MAX, &ids, &err) && ids.n == 4 && ids.items[0] == first &&
		   ids.items[1] == second && ids.items[2] == third,
	   "sweeps come in the order of their start");
	ok(!store_sweeps_between(s, NIGHT_NS + DAY_NS + 1, NIGHT_NS + 2 * DAY_NS + 3, &part, &err) && part.n == 1 &&
		   part.items[0] == second,
	   "a range holds its first instant and not its last");
	must(!store_query_trend(s, ids.items, 2, iops, DIR_ALL, SIMULATED, &t, &err) &&
		     !store_query_trend(s, ids.items, ids.n, iops, DIR_READ, SIMULATED, &reads, &err) &&
		     !store_query_trend(s, ids.items, ids.n, latency, DIR_ALL, SIMULATED, &none, &err),
	     "trend", &err);
	same_as_series(s, ids.items, 2, DIR_ALL, &t);
	same_as_series(s, ids.items, 3, DIR_READ, &reads);
	is_int(t.series.list.n, 4, "a series for each variant and kernel, however many environments and sweeps");
	is_int(none.rows.n, 0, "no row of what was not measured");
	is_int(t.series.warnings.n, 0, "no warning of what is not simulated");
	ok(reads.series.warnings.n == 1 && !strcmp(reads.series.warnings.items[0], SIMULATED), "one of what is");
	is(t.sweeps.items[0].name, "a", "sweeps have their names");
	ok(!store_list_kernels(s, &kernels, &err) && kernels.n == 2 && !strcmp(kernels.items[1], "6.12.0"), "all kernels");
	ok(!store_sweep_of_kernel(s, "6.1.0", &id, &err) && id == second, "the newest sweep of a kernel");
	ok(!store_sweep_of_kernel(s, "6.12.0", &id, &err) && id == third, "and of another");
	ok(!store_sweep_of_kernel(s, "6.1", &id, &err) && !id, "none of one that never ran");
	trend_release(&t);
	trend_release(&reads);
	trend_release(&none);
	vec_free(&ids);
	vec_free(&part);
	strings_release(&kernels);
	store_close(s);
	unlink(path);
	rmdir(folder);
}

/* ---- tables and plots ---- */

struct night {
	const char *name;
	int64_t started_ns;
	const char *kernel;
	double values[2][2]; /* of variant, job count; 0: none */
};

static void add_row(struct trend *t, size_t sweep, int variant, int jobs, const struct night *night, double value)
{
	AUTOFREE char *count = mem_printf("%d", jobs);
	struct series *s = NULL;

	for (size_t i = 0; i < t->series.list.n; i++) {
		struct series *of = &t->series.list.items[i];

		if (same_text(of->variant, variants[variant]) && same_text(series_axis(of, "numjobs"), count) &&
		    same_text(of->kernel, night->kernel))
			s = of;
	}
	if (!s) {
		s = add(&t->series, "iops", (struct facts){ .variant = variants[variant], .pattern = "read", .jobs = jobs,
							   .kernel = night->kernel, .environment = 1 });
		s->cell = (int64_t)t->series.list.n;
		give_summary(s, 10, value, value / 100);
	}
	*vec_push(&t->rows) = (struct trend_row){ .sweep = sweep, .environment = 1, .series = s->cell, .n = 10, .mean = value,
						  .stddev = value / 100, .min = value * 0.9, .max = value * 1.1 };
}

static struct trend make_trend(const struct night *nights, size_t n)
{
	struct trend t = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct trend_sweep *sweep = vec_push(&t.sweeps);

		*sweep = (struct trend_sweep){ (int64_t)i + 1, "", mem_strdup(nights[i].name), nights[i].started_ns };
		snprintf(sweep->uuid, sizeof(sweep->uuid), "%08zx-0000-4000-8000-000000000000", 0xa0b1c2d0 + i);
		for (int v = 0; v < 2; v++)
			for (int j = 0; j < 2; j++)
				if (nights[i].values[v][j] > 0)
					add_row(&t, i, v, j + 1, &nights[i], nights[i].values[v][j]);
	}
	return t;
}

static char *shown(const struct trend *t, const char *metric, const char *format)
{
	struct view_options opt = { .metric = metric ? metric_find(metric) : NULL, .trend = t };
	struct tables tables = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };

	must(!view_make(view_find("trend"), &t->series, &opt, &tables, &err), "view", &err);
	must(!emitter_find(format)->emit(&tables, &(struct emit_options){ 0 }, &out, &err), format, &err);
	tables_release(&tables);
	return str_steal(&out);
}

/* One variant lacks in the second night, which was under a new kernel; two have the same name. */
static const struct night nights[] = {
	{ "nightly", NIGHT_NS, "6.1.0", { { 100, 200 }, { 110, 220 } } },
	{ "nightly", NIGHT_NS + DAY_NS, "6.12.0", { { 101, 201 }, { 0, 0 } } },
	{ "release_candidate & a long name", NIGHT_NS + 2 * DAY_NS, "6.12.0", { { 102, 202 }, { 112, 222 } } },
	{ "v6.13", NIGHT_NS + 3 * DAY_NS, "6.12.0", { { 103, 203 }, { 113, 223 } } },
};

static void test_tables(void)
{
	static const struct {
		const char *format, *file;
	} formats[] = { { "text", "trend.txt" }, { "csv", "trend.csv" },   { "json", "trend.json" },
			{ "latex", "trend.tex" }, { "markdown", "trend.md" }, { "html", "trend.html" } };
	struct trend t = make_trend(nights, ARRAY_LEN(nights));

	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		AUTOFREE char *text = shown(&t, NULL, formats[i].format);

		is_golden(text, formats[i].file);
		if (!i)
			is_mail(text, "the trend");
	}
	trend_release(&t);
}

static void test_labels(void)
{
	struct night day[] = { nights[0], nights[3] };
	AUTOFREE char *one_kernel = NULL, *percentiles = NULL;
	struct trend t;

	day[1].kernel = day[0].kernel;
	day[1].started_ns = NIGHT_NS + 3600 * NS_PER_S;
	t = make_trend(day, ARRAY_LEN(day));
	strings_add(&t.series.warnings, SIMULATED);
	one_kernel = shown(&t, NULL, "text");
	percentiles = shown(&t, "clat_p99", "text");
	has(one_kernel, "\nkernel 6.1.0\n", "one kernel stands above the table");
	has(one_kernel, "2026-11-28 02:00  nightly", "two sweeps of a day have their times, a name of one sweep is told");
	has(one_kernel, "2026-11-28 03:00  v6.13", "in their order");
	has(one_kernel, "* simulated disk: sequential reads, 1 job", "a simulated disk is told in the head");
	has(percentiles, "mean, min and max over 10\n", "means of percentiles are called so");
	trend_release(&t);
}

static bool only_bfq(const struct series *s, const void *context)
{
	(void)context;
	return same_text(s->variant, "bfq");
}

static void test_chosen(void)
{
	struct trend t = make_trend(nights, ARRAY_LEN(nights));
	trend_parts_t parts = { 0 };

	series_set_keep(&t.series, only_bfq, NULL);
	trend_lay_out(&t, &parts);
	is_int(parts.n, 2, "a part a job count");
	is_int(parts.items[0].columns.n, 1, "of one variant");
	is_int(parts.items[0].lines.n, 3, "and no line for the night in which it was not measured");
	ok(parts.items[1].lines.items[2].row[0]->mean == 223, "with its values");
	trend_parts_release(&parts);
	trend_release(&t);
}

static void test_plots(void)
{
	struct trend t = make_trend(nights, ARRAY_LEN(nights));
	struct plot_options opt = { .kind = PLOT_TREND, .metric = metric_find("iops") };
	struct str script = { 0 }, words = { 0 };
	struct err err = { 0 };
	plots_t plots = { 0 };

	must(!plots_make_trend(&t, &opt, &plots, &err), "plots", &err);
	plot_script(&plots.items[0], &(struct plot_output){ .terminal = "svg" }, "x.dat", "x.out", &script);
	str_add(&script, "# data:\n");
	plot_data(&plots.items[0], &script);
	is_golden(str_text(&script), "plot-trend.gp");
	plot_describe(&plots.items[1], &words);
	has(str_text(&words), "bfq: 3 sweeps, first 220, last 223, least 220, most 223.", "in words");
	str_release(&script);
	str_release(&words);
	plots_release(&plots);
	trend_release(&t);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	test_query();
	test_tables();
	test_labels();
	test_chosen();
	test_plots();
	return tap_done();
}
