// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/plot.h"

#include "tests/golden/golden.h"
#include "tests/golden/series.h"

static void make_plots(const struct series_set *set, struct plot_options opt, const char *metric, plots_t *out)
{
	struct err err = { 0 };

	opt.metric = metric_find(metric);
	ok(!plots_make(set, &opt, out, &err), "plots of %s%s%s", metric, *err.msg ? ": " : "", err.msg);
}

static char *script_of(const struct plot *p, const char *terminal)
{
	struct str out = { 0 };

	plot_script(p, &(struct plot_output){ .terminal = terminal }, "x.dat", "x.out", &out);
	str_add(&out, "# data:\n");
	plot_data(p, &out);
	return str_steal(&out);
}

static char *words_of(const struct plot *p)
{
	struct str out = { 0 };

	plot_describe(p, &out);
	return str_steal(&out);
}

static struct series_set jobs_set(int last)
{
	static const char *const variants[] = { "none", "bfq" };
	struct series_set set = { 0 };

	for (int v = 0; v < 2; v++)
		for (int jobs = last; jobs; jobs /= 2) {
			struct facts f = { .variant = variants[v], .pattern = "read", .jobs = jobs };
			double base = 100 * jobs + 10 * v;

			GIVE(add(&set, "iops", f), base - 3, base, base + 3);
			GIVE(add(&set, "clat_p99", f), 1e6 * base, 3e6 * base, 2.5e6 * base);
		}
	return set;
}

static void test_lines(void)
{
	struct series_set set = jobs_set(4), wide = jobs_set(16);
	plots_t plots = { 0 };
	AUTOFREE char *script = NULL, *words = NULL, *logarithmic = NULL;

	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS }, "iops", &plots);
	make_plots(&wide, (struct plot_options){ .kind = PLOT_JOBS }, "iops", &plots);
	script = script_of(&plots.items[0], "svg");
	words = words_of(&plots.items[0]);
	logarithmic = script_of(&plots.items[1], "png");
	is_golden(script, "plot-jobs.gp");
	has(script, "set yrange [0:*]", "y from 0");
	has(script, "title 'mean, bars: stddev over 3 runs'", "the legend says what the error bars are");
	has(words, "IOPS (higher is better) over jobs. none: 1: 100, 2: 200, 4: 400.", "in words");
	ok(!strstr(script, "logscale"), "few job counts: as they are");
	has(logarithmic, "set logscale x 2", "1 to 16: by doubling");
	has(logarithmic, "set xtics nomirror ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16)", "the job counts that there are");
	plots_release(&plots);
	series_set_release(&set);
	series_set_release(&wide);
}

static void is_bar(enum plot_bars bars, const char *metric, double y, double low, double high, const char *legend)
{
	struct series_set set = jobs_set(1);
	plots_t plots = { 0 };
	const struct plot_point *p;

	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS, .bars = bars }, metric, &plots);
	p = &plots.items[0].series.items[0].points.items[0];
	is_near(p->y, y, 1e-12, "the value");
	ok((isnan(low) && isnan(p->low)) || fabs(p->low - low) < 1e-3, "%s: the low end (%g)", legend, p->low);
	ok((isnan(high) && isnan(p->high)) || fabs(p->high - high) < 1e-3, "%s: the high end (%g)", legend, p->high);
	is(plots.items[0].bars, legend, "and the legend");
	plots_release(&plots);
	series_set_release(&set);
}

/* Of one run there is no deviation, and no bar is drawn. */
static void test_one_run(void)
{
	struct series_set set = { 0 };
	plots_t plots = { 0 };

	GIVE(add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read", .jobs = 1 }), 100);
	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS, .bars = PLOT_BARS_STDDEV }, "iops", &plots);
	is(plots.items[0].bars, "mean over 1 run", "one run: the legend tells of no bars");
	plots_release(&plots);
	series_set_release(&set);
}

static void test_error_bars(void)
{
	is_bar(PLOT_BARS_STDDEV, "iops", 100, 97, 103, "mean, bars: stddev over 3 runs");
	/* Student's 97.5% quantile with 2 degrees of freedom is 4.302653 */
	is_bar(PLOT_BARS_CI, "iops", 100, 100 - 4.302653 * 3 / sqrt(3), 100 + 4.302653 * 3 / sqrt(3),
	       "mean, bars: 95% interval of it over 3 runs");
	is_bar(PLOT_BARS_RANGE, "iops", 100, 97, 103, "mean, bars: min to max over 3 runs");
	is_bar(PLOT_BARS_NONE, "iops", 100, NAN, NAN, "mean over 3 runs");
	is_bar(PLOT_BARS_STDDEV, "clat_p99", 2.5e5, 1e5, 3e5, "median, bars: min to max over 3 runs");
	is_bar(PLOT_BARS_NONE, "clat_p99", 2.5e5, NAN, NAN, "median over 3 runs");
}

/* One run has no deviation: the value is drawn, without a bar. */
static void test_single_run(void)
{
	struct series_set set = { 0 };
	plots_t plots = { 0 };
	AUTOFREE char *script = NULL;

	GIVE(add(&set, "iops", (struct facts){ .variant = "none", .pattern = "read", .jobs = 1 }), 5);
	add(&set, "iops", (struct facts){ .variant = "cfq", .pattern = "read", .jobs = 1 });
	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS }, "iops", &plots);
	script = script_of(&plots.items[0], "svg");
	ok(!strstr(script, "using 1:2:3:4"), "no error bars");
	has(script, "\n1 5 NaN NaN\n", "but the value");
	has(script, "set xrange [0.5:1.5]", "one job count has room on both sides");
	ok(!strstr(script, "cfq"), "what has no result has no line");
	plots_release(&plots);
	series_set_release(&set);
}

static void test_bars(void)
{
	struct series_set set = { 0 };
	plots_t plots = { 0 };
	AUTOFREE char *script = NULL;
	static const char *const patterns[] = { "read", "randwrite" };

	for (int p = 0; p < 2; p++)
		for (int v = 0; v < 9; v++) {
			AUTOFREE char *variant = mem_printf("v%d", v);

			GIVE(add(&set, "iops", (struct facts){ .variant = variant, .pattern = patterns[p], .jobs = 2 }), 10 + v, 12 + v);
		}
	make_plots(&set, (struct plot_options){ .kind = PLOT_BARS }, "iops", &plots);
	is_int((long long)plots.n, 1, "workloads stand in one plot");
	is_int((long long)plots.items[0].series.n, 9, "a bar a variant");
	is(plots.items[0].title, "2 jobs", "what all have in common is the title");
	script = script_of(&plots.items[0], "pdf");
	is_golden(script, "plot-bars.gp");
	has(script, "lc rgb '#0072B2' lw 1.5 fs solid 0.9", "the first bar's colour comes again …");
	has(script, "lc rgb '#0072B2' lw 1.5 fs pattern 4", "… with another filling");
	plots_release(&plots);
	series_set_release(&set);
}

static void test_time(void)
{
	struct series_set set = { 0 };
	plots_t plots = { 0 };
	AUTOFREE char *script = NULL;
	struct facts f = { .variant = "none", .pattern = "read", .jobs = 1 };

	for (int v = 0; v < 2; v++) {
		struct series *s;

		f.variant = v ? "bfq" : "none";
		s = add(&set, "iops", f);
		GIVE(s, 10, 20, 30);
		for (int i = 0; i < 3; i++) {
			s->points.items[i].block = i;
			s->points.items[i].started_ns = 1000000000LL + 60000000000LL * (2 * i + (v ^ (i & 1)));
		}
	}
	make_plots(&set, (struct plot_options){ .kind = PLOT_TIME }, "iops", &plots);
	script = script_of(&plots.items[0], "svg");
	is_golden(script, "plot-time.gp");
	is_int((long long)plots.items[0].blocks.n, 3, "a line a block");
	is_near(plots.items[0].blocks.items[1].x, 2, 0, "at the first run of it, whoever's that is");
	is(plots.items[0].blocks.items[1].text, "2", "counted from 1");
	plots_release(&plots);
	series_set_release(&set);
}

static void test_perjob(void)
{
	struct series_set set = { 0 };
	plots_t plots = { 0 };
	struct err err = { 0 };

	for (int job = 0; job < 3; job++) {
		struct series *s = add(&set, "bw", (struct facts){ .variant = "none", .pattern = "read", .jobs = 3 });

		s->job = job;
		GIVE(s, 1024 * (job + 1));
	}
	GIVE(add(&set, "bw", (struct facts){ .variant = "none", .pattern = "read", .jobs = 3 }), 6144);
	make_plots(&set, (struct plot_options){ .kind = PLOT_PERJOB }, "bw", &plots);
	is_int((long long)plots.items[0].ticks.n, 3, "a group a job, the run as a whole is none");
	is(plots.items[0].ticks.items[2].text, "3", "jobs count from 1");
	is_near(plots.items[0].series.items[0].points.items[2].y, 3, 0, "in KiB/s");
	is(plots.items[0].title, "sequential reads, 3 jobs", "title");
	plots_release(&plots);
	ok(plots_make(&set, &(struct plot_options){ .kind = PLOT_PERJOB, .metric = metric_find("iops") }, &plots, &err) == -1,
	   "a metric that single jobs lack");
	has(err.msg, "nothing of metric 'iops' is stored there for single jobs", "is said");
	series_set_release(&set);
}

static void test_cdf(void)
{
	static const struct plot_bin bins[] = { { 0, 1 }, { 1000, 49 }, { 2000, 49 }, { 50000, 1 } };
	plots_t plots = { 0 };
	struct plot *p = plot_add_cdf(&plots, "reads", "read");
	AUTOFREE char *script = NULL, *words = NULL;

	plot_add_curve(p, "none", bins, ARRAY_LEN(bins));
	script = script_of(p, "png");
	words = words_of(p);
	is_int((long long)p->series.items[0].points.n, 3, "a logarithm has no 0");
	is_near(p->series.items[0].points.items[0].y, 50, 1e-12, "but what took none counts");
	is_near(p->series.items[0].points.items[2].y, 100, 1e-12, "all of them in the end");
	is_near(p->series.items[0].points.items[2].x, 50, 1e-12, "in us");
	has(script, "set logscale x 10", "over a logarithm");
	has(words, "none: 50% within 1 us, 99% within 2 us, 99.9% within 50 us.", "in words");
	plots_release(&plots);
}

static void test_names(void)
{
	static const char name[] = "a_b^c{d}@e&f~g\\h\"i'j größe %d\n<x>";
	struct str quoted = { 0 };
	struct series_set set = { 0 };
	plots_t plots = { 0 };
	AUTOFREE char *script = NULL;

	plot_quote(&quoted, name);
	is(str_text(&quoted), "'a_b^c{d}@e&f~g\\h\"i''j größe %d?<x>'", "in single quotes only these are special");
	str_release(&quoted);
	GIVE(add(&set, "iops", (struct facts){ .variant = name, .pattern = "100%d", .jobs = 1 }), 1);
	make_plots(&set, (struct plot_options){ .kind = PLOT_BARS }, "iops", &plots);
	plots.items[0].origin = mem_strdup("/dev/it's");
	script = script_of(&plots.items[0], "svg");
	has(script, "'.\"\\n\".'/dev/it''s'\n", "where it is from is a line of its own below the title");
	has(script, "title 'a_b^c{d}@e&f~g\\h\"i''j größe %d?<x>'", "a legend is no format");
	has(script, "('100%%d' 0)", "a tick is one");
	has(script, "noenhanced", "and nothing is enhanced");
	plots_release(&plots);
	series_set_release(&set);
}

static void test_simulated(void)
{
	struct series_set set = jobs_set(4);
	plots_t plots = { 0 };

	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS }, "iops", &plots);
	strings_add(&set.warnings, "simulated-disk");
	make_plots(&set, (struct plot_options){ .kind = PLOT_JOBS }, "iops", &plots);
	is(plots.items[0].title, "sequential reads", "what was plotted before keeps its title");
	is(plots.items[1].title, "simulated disk: sequential reads", "that of a simulated disk says so");
	plots_release(&plots);
	series_set_release(&set);
}

int main(void)
{
	test_lines();
	test_simulated();
	test_error_bars();
	test_one_run();
	test_single_run();
	test_bars();
	test_time();
	test_perjob();
	test_cdf();
	test_names();
	return tap_done();
}
