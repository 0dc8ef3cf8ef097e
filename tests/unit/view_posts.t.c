// SPDX-License-Identifier: GPL-2.0-or-later
/* The layouts with the numbers of the posts whose shapes they have, in every format. */
#include "tests/golden/golden.h"
#include "tests/golden/series.h"

#define MS 1e6
#define KIB 1024.0

static void add_text_axis(struct series *s, const char *name, const char *value)
{
	add_axis(s, name, value);
}

/* A fresh set for each format: emitting one frees it. */
typedef struct series_set (*set_maker)(void);

static void in_every_format(const char *layout, set_maker make_set, const char *name)
{
	static const char *const formats[][2] = { { "text", "txt" }, { "latex", "tex" }, { "markdown", "md" },
						  { "csv", "csv" },  { "json", "json" }, { "html", "html" } };

	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct series_set set = make_set();
		AUTOFREE char *text = emitted(layout, &set, NULL, formats[i][0], (struct emit_options){ 0 });
		AUTOFREE char *file = mem_printf("%s.%s", name, formats[i][1]);

		is_golden(text, file);
		if (!i)
			is_mail(text, name);
	}
}

/* ---- linux-kernel, 2008-04-18, "[RESEND][RFC] BFQ I/O Scheduler" ---- */

static const struct {
	const char *pattern, *variant;
	double lat, lat_sd, bw, bw_sd;
} post2008[] = {
	{ "randread", "CFQ", 841.788, 4070.3, 2428.032, 23.1 },
	{ "randread", "CFQ (i=0)", 536.728, 216.9, 3841.024, 8.5 },
	{ "randread", "BFQ", 884.4, 8816.0, 2439.04, 1375.0 },
	{ "read", "CFQ", 2865.331, 737.2, 46866.048, 103.1 },
	{ "read", "CFQ (i=0)", 2544.618, 1047.2, 52685.952, 294.2 },
	{ "read", "BFQ", 2860.795, 419.1, 46850.944, 81.5 },
};

static struct series_set set2008(void)
{
	struct series_set set = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(post2008); i++) {
		struct facts f = { .variant = post2008[i].variant, .pattern = post2008[i].pattern, .jobs = 128 };

		give_summary(add(&set, "lat_mean", f), 8, post2008[i].lat * MS, NAN);
		give_summary(add(&set, "lat_stddev", f), 8, post2008[i].lat_sd * MS, NAN);
		give_summary(add(&set, "bw", f), 8, post2008[i].bw * KIB, post2008[i].bw_sd * KIB);
	}
	return set;
}

static void test_2008(void)
{
	struct series_set set = set2008();
	AUTOFREE char *text = emitted("schedulers", &set, NULL, "text", (struct emit_options){ 0 });

	in_every_format("schedulers", set2008, "post2008");
	has(text, "==================================x8=======================================\n", "the line of the post");
	has(text, "-----------------------------------------------\n"
		  "           Latency (ms)       Bandwidth (KiB/s)\n"
		  "-----------------------------------------------\n"
		  "CFQ        841.788 (4070.3)   2428.032 (23.1)\n"
		  "CFQ (i=0)  536.728 (216.9)    3841.024 (8.5)\n"
		  "BFQ        884.4 (8816.0)     2439.04 (1375.0)\n", "the post's block, to the blank");
	has(text, "of latency over single I/Os, of\n  bandwidth over runs", "it says which deviation is which");
}

/* Where one row lacks the deviation over I/Os, the column is over runs, and says so. */
static void test_one_kind(void)
{
	struct facts f = { .variant = "none", .pattern = "read", .jobs = 1 };
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	GIVE(add(&set, "lat_mean", f), 1 * MS, 3 * MS);
	GIVE(add(&set, "lat_stddev", f), 50 * MS, 50 * MS);
	f.variant = "bfq";
	GIVE(add(&set, "lat_mean", f), 2 * MS, 2 * MS);
	text = emitted("schedulers", &set, NULL, "text", (struct emit_options){ 0 });
	has(text, "of latency over runs", "one row without it: over runs for all");
	has(text, "2 (1.414)", "and that is what stands there");
	has(text, "bfq   2 (0.000)          -", "a row without bandwidth has '-'");
}

static void test_pooled(void)
{
	struct facts f = { .variant = "none", .pattern = "read", .jobs = 1 };
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	GIVE(add(&set, "lat_mean", f), 100 * MS, 300 * MS);
	GIVE(add(&set, "lat_stddev", f), 30 * MS, 40 * MS);
	text = emitted("schedulers", &set, NULL, "text", (struct emit_options){ 0 });
	has(text, "200 (35.4)", "deviations over I/Os of several runs are pooled: sqrt((30^2 + 40^2) / 2)");
}

/* ---- linux-scsi, 2014-06-18, "scsi-mq": one run each ---- */

static const struct {
	const char *variant;
	int devices;
	double usr, sys, ctx;
} post2014[] = {
	{ "sq", 1, 10.25, 89.42, 2210 },    { "sq", 2, 10.23, 89.34, 5003 },	 { "sq", 3, 9.36, 90.21, 7947 },
	{ "sq", 4, 8.96, 90.10, 19308 },    { "sq", 5, 8.97, 89.70, 31494 },	 { "sq", 6, 8.39, 90.08, 47826 },
	{ "sq", 7, 7.65, 89.65, 130563 },   { "sq", 8, 6.47, 84.08, 753140 },	 { "mq", 1, 1.43, 14.43, 500998 },
	{ "mq", 2, 1.37, 14.13, 979842 },   { "mq", 3, 1.47, 14.81, 1547996 },	 { "mq", 4, 1.79, 16.51, 2321154 },
	{ "mq", 5, 2.49, 22.09, 4145747 },  { "mq", 6, 2.98, 27.07, 6356183 },	 { "mq", 7, 3.39, 30.48, 8675960 },
	{ "mq", 8, 3.37, 31.46, 10462001 },
};

static struct series_set set2014(void)
{
	struct series_set set = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(post2014); i++) {
		struct facts f = { .variant = post2014[i].variant, .pattern = "randrw" };
		AUTOFREE char *devices = mem_printf("%.*s", 2 * post2014[i].devices - 1, "b,c,d,e,f,g,h,i");
		const struct {
			const char *metric;
			double value;
		} values[] = { { "usr_cpu", post2014[i].usr }, { "sys_cpu", post2014[i].sys }, { "ctx", post2014[i].ctx } };

		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			struct series *s = add(&set, values[k].metric, f);

			add_text_axis(s, "device", devices);
			give_summary(s, 1, values[k].value, NAN);
		}
	}
	return set;
}

/* A sweep over the number of devices: all its cells are on the same disks. */
static void test_devices(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	for (int n = 10; n >= 1; n -= 9) {
		struct series *s = add(&set, "usr_cpu", (struct facts){ .variant = "none" });
		AUTOFREE char *number = mem_printf("%d", n);

		add_text_axis(s, "device", "/dev/sda,/dev/sdb");
		add_text_axis(s, "devices", number);
		add_text_axis(s, "workload", "cost");
		GIVE(s, n);
	}
	text = emitted("cpu", &set, NULL, "text", (struct emit_options){ 0 });
	has(text, "* cost\n", "without a pattern the title is the workload");
	has(text, "\nnone           1   1.00", "the number of devices is a row");
	has(text, "\nnone          10  10.00", "in the order of numbers");
}

static void test_2014(void)
{
	struct series_set set = set2014(), with_spread = { 0 };
	AUTOFREE char *text = emitted("cpu", &set, NULL, "text", (struct emit_options){ 0 }), *spread = NULL;
	struct facts f = { .variant = "none", .pattern = "read", .jobs = 4 };

	in_every_format("cpu", set2014, "post2014");
	has(text, "\nsq             1  10.25  89.42      2210       -       -       -\n", "a row is a number of disks; no latency, '-'");
	has(text, "sq             8   6.47  84.08    753140       -       -       -\n\nmq             1   1.43", "a group a variant");
	GIVE(add(&with_spread, "usr_cpu", f), 1, 3);
	spread = emitted("cpu", &with_spread, NULL, "text", (struct emit_options){ 0 });
	has(spread, "2.00 (1.41)", "several runs: the deviation stands beside the mean");
	has(spread, "mean (sample stddev, n-1) over 2 runs", "and is named");
}

/* ---- linux-kernel, 2006-12-08, "cfq performance gap": rates are per process ---- */

static const struct {
	const char *variant;
	double num_read, kib_each, ops_each, seconds;
} post2006[] = {
	{ "CFQ", 16412, 8338, 2084, 0.492072 },
	{ "NOOP", 16399, 29224, 7306, 0.140284 },
};

static struct series_set set2006(void)
{
	struct series_set set = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(post2006); i++) {
		struct facts f = { .variant = post2006[i].variant, .pattern = "read", .jobs = 16 };
		const struct {
			const char *metric;
			double value;
		} values[] = { { "ios", post2006[i].num_read },
			       { "bw", 16 * post2006[i].kib_each * KIB },
			       { "iops", 16 * post2006[i].ops_each },
			       { "runtime", post2006[i].seconds * 1e9 } };

		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			struct series *s = add(&set, values[k].metric, f);

			add_text_axis(s, "device", "/dev/sda");
			give_summary(s, 1, values[k].value, NAN);
		}
	}
	return set;
}

/* As the post has them: the rates of one process, in its unit. */
static struct series_set published2006(void)
{
	struct series_set set = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(post2006); i++) {
		struct facts f = { .variant = post2006[i].variant, .pattern = "read", .jobs = 16 };

		give_summary(add(&set, "ios", f), 1, post2006[i].num_read, NAN);
		give_summary(add(&set, "job_bw_mean", f), 1, post2006[i].kib_each * KIB, NAN);
		give_summary(add(&set, "job_iops_mean", f), 1, post2006[i].ops_each, NAN);
	}
	return set;
}

static void test_published_2006(void)
{
	struct series_set set = published2006();
	AUTOFREE char *text = emitted("rawio", &set, NULL, "text", (struct emit_options){ 0 });

	has(text, "\nCFQ         16       -     16412          8338              2084\n", "the post's row");
	has(text, "\nCFQ         16       -       133408            33344           -\n", "and 16 times its rates, of all");
}

static void test_2006(void)
{
	struct series_set set = set2006();
	AUTOFREE char *text = emitted("rawio", &set, NULL, "text", (struct emit_options){ 0 });

	in_every_format("rawio", set2006, "post2006");
	has(text, "KiB/sec each", "the rate of a process is named as such");
	has(text, "133408", "and that of all, 16 times as much, stands there too");
	has(text, "0.492072", "the run time is printed whole");
}

/* ---- linux-kernel, 2010-06-21, "cfq: fixes to bring cfq in line with deadline performance" ---- */

static struct series_set set2010(void)
{
	static const char *const variants[] = { "deadline", "cfq, defaults", "cfq, slice_idle=0" };
	/* fs_mark's files/s have no metric of their own yet: what counts is that the row has another unit */
	static const double fs_mark[] = { 294.3, 36.1, 48.0 }, fio[] = { 153, 152, 147 };
	struct series_set set = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		give_summary(add(&set, "iops", (struct facts){ .variant = variants[i], .actor = "fs_mark" }), 0, fs_mark[i], NAN);
	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		struct facts f = { .variant = variants[i], .actor = "fio bsr" };

		give_summary(add(&set, "iops", f), 0, fio[i] * 1e6 / 65536, NAN);
		give_summary(add(&set, "bw", f), 0, fio[i] * 1e6, NAN);
		f.device = "sda";
		give_summary(add(&set, "disk_util", f), 0, 99, NAN);
	}
	return set;
}

static void test_2010(void)
{
	struct series_set set = set2010();
	AUTOFREE char *text = emitted("workloads", &set, NULL, "text", (struct emit_options){ 0 });

	in_every_format("workloads", set2010, "post2010");
	has(text, "fs_mark   iops    IOPS     294.3           36.1               48.0\n", "the post's first row");
	has(text, "fio bsr   bw      MB/s       153            152                147\n", "and the second, in its own unit");
	ok(!strstr(text, "disk_util"), "what the disk counted is no workload");
}

/* What the actors of a workload are about: in its order, percentiles as medians. */
static void test_mains(void)
{
	const struct view_main mains[] = { { "victim", metric_find("clat_p99") },
					   { "victim", metric_find("iops") },
					   { "aggressor", metric_find("bw") } };
	struct facts victim = { .variant = "bfq", .actor = "victim", .pattern = "read" }, aggressor = victim;
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	AUTOSTR struct str text = { 0 };
	struct err err = { 0 };

	aggressor.actor = "aggressor";
	GIVE(add(&set, "bw", aggressor), 5e6, 7e6);
	GIVE(add(&set, "clat_p99", aggressor), 1e6, 1e6);
	GIVE(add(&set, "clat_p99", victim), 1e6, 1e6, 10e6);
	GIVE(add(&set, "iops", victim), 10, 12);
	GIVE(add(&set, "bw", victim), 1, 2);
	ok(!view_find("workloads")->make(&set, &(struct view_options){ .mains = mains, .n_mains = ARRAY_LEN(mains) }, &tables,
					 &err), "workloads: %s", err.msg);
	emitter_find("text")->emit(&tables, &(struct emit_options){ 0 }, &text, &err);
	has(text.s, "workload   metric    unit  bfq\n"
		    "victim     clat_p99  us    1000\n"
		    "victim     iops      IOPS  11.0 (1.4)\n"
		    "aggressor  bw        MB/s  6.000 (1.414)\n", "a row for each, and for nothing else");
	has(text.s, "percentiles are not averaged", "and what stands for a percentile");
	tables_release(&tables);
	text.len = 0;
	view_find("workloads")->make(&set, &(struct view_options){ .metric = metric_find("bw"), .mains = mains,
								   .n_mains = ARRAY_LEN(mains) }, &tables, &err);
	emitter_find("text")->emit(&tables, &(struct emit_options){ 0 }, &text, &err);
	has(text.s, "victim     bw", "but where a metric is asked for");
	ok(!strstr(text.s, "clat_p99"), "it alone");
	tables_release(&tables);
	series_set_release(&set);
}

static void test_jobs(void)
{
	static const double read[8][4] = {
		{ 17060.300, 77.090, 17657.500, 69.602 },  { 15318.200, 28.817, 10678.000, 279.070 },
		{ 15403.200, 42.762, 9874.600, 93.436 },   { 14521.200, 624.111, 9918.700, 226.425 },
		{ 13893.900, 144.354, 9485.000, 109.291 }, { 13065.300, 180.608, 9419.800, 75.043 },
		{ 12169.600, 95.422, 9863.800, 227.662 },  { 12422.200, 215.535, 15335.300, 245.764 },
	};
	static const char *const formats[][2] = { { "markdown", "post2017.md" }, { "json", "post2017.json" },
						  { "html", "post2017.html" } };

	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct series_set set = { 0 };
		AUTOFREE char *text = NULL;

		for (int jobs = 1; jobs <= 8; jobs++) {
			struct facts f = { .variant = "cfq", .pattern = "read", .jobs = jobs, .governor = "powersave",
					   .driver = "intel_pstate" };

			give_summary(add(&set, "iops", f), 10, read[jobs - 1][0], read[jobs - 1][1]);
			f.variant = "bfq_mq";
			give_summary(add(&set, "iops", f), 10, read[jobs - 1][2], read[jobs - 1][3]);
		}
		text = emitted("jobs", &set, NULL, formats[i][0], (struct emit_options){ 0 });
		is_golden(text, formats[i][1]);
	}
}

/* ---- matrix and summary ---- */

static struct series_set runs(void)
{
	static const char *const patterns[] = { "read", "randread" }, *const variants[] = { "none", "bfq:slice_idle=0" };
	struct series_set set = { 0 };

	for (int p = 0; p < 2; p++)
		for (int v = 0; v < 2; v++)
			for (int jobs = 1; jobs <= 10; jobs += 9) {
				struct facts f = { .variant = variants[v], .pattern = patterns[p], .jobs = jobs,
						   .environment = 1, .kernel = "6.1", .sweep_name = "night" };
				double base = 1000 * (p + 1) + 100 * v + jobs;

				GIVE(add(&set, "iops", f), base - 1, base + 1, base, base + 2, base - 2, base + 3, base);
				GIVE(add(&set, "clat_p99", f), 1e6 * base, 2e6 * base);
			}
	return set;
}

static char *matrix(const char *rows, const char *columns, const char *metrics, struct err *err)
{
	struct series_set set = runs();
	AUTOSTRINGS strings_t down = { 0 }, across = { 0 }, names = { 0 };
	const struct metric *shown[4];
	struct tables tables = { 0 };
	struct str text = { 0 };

	str_split(rows, ',', &down);
	str_split(columns, ',', &across);
	str_split(metrics, ',', &names);
	for (size_t i = 0; i < names.n; i++)
		shown[i] = metric_find(names.items[i]);
	if (!view_find("matrix")->make(&set,
				       &(struct view_options){ .metrics = shown, .n_metrics = names.n, .rows = &down,
							       .columns = &across },
				       &tables, err))
		emitter_find("text")->emit(&tables, &(struct emit_options){ 0 }, &text, err);
	tables_release(&tables);
	series_set_release(&set);
	return str_steal(&text);
}

static void test_matrix(void)
{
	struct err err = { 0 };
	AUTOFREE char *by_pattern = matrix("pattern,jobs", "variant", "iops", &err);
	AUTOFREE char *metrics_across = matrix("variant", "metric", "iops,clat_p99", &err);
	AUTOFREE char *metrics_down = matrix("variant,metric", "jobs", "iops", &err);
	AUTOFREE char *mixed = matrix("metric", "variant", "iops,clat_p99", &err);

	has(by_pattern, "read         1  1001.429   1.718  1101.429   1.718\n", "two axes down");
	has(by_pattern, "randread    10  2010.429", "job counts are in the order of numbers");
	has(metrics_across, "* sequential reads, 10 jobs\n", "what is neither down nor across makes tables");
	has(metrics_across, "clat_p99 (us)", "metrics across have their units");
	has(metrics_across, "median", "and percentiles no mean");
	has(metrics_down, "bfq:slice_idle=0  iops    IOPS  1101.429   1.718  1110.429   1.718\n", "metrics down have a unit");
	ok(!*(mixed ? mixed : "") && err.kind == ERR_USAGE, "percentiles and means in one column: refused");
	has(err.msg, "--cols metric", "with what to do instead");
	err = (struct err){ 0 };
	free(matrix("variant", "variant", "iops", &err));
	has(err.msg, "both in --rows and in --cols", "an axis cannot be down and across");
	err = (struct err){ 0 };
	free(matrix("varriant", "jobs", "iops", &err));
	has(err.msg, "did you mean 'variant'?", "an unknown axis: the nearest");
	in_every_format("matrix", runs, "matrix");
}

static void test_summary(void)
{
	struct series_set set = runs(), percentiles = runs(), few = { 0 };
	AUTOFREE char *text = emitted("summary", &set, NULL, "text", (struct emit_options){ 0 });
	AUTOFREE char *of_percentiles = emitted("summary", &percentiles, "clat_p99", "text", (struct emit_options){ 0 });

	in_every_format("summary", runs, "summary");
	has(text, "I/O rate in IOPS over 7 runs", "n stands in the head");
	has(of_percentiles, "percentiles are not averaged", "percentiles have no mean");
	has(of_percentiles, "  2     -       -     -  1501500.0", "but their n");
	has(of_percentiles, "no 95% interval of a median of fewer than 6 runs", "and no interval of two");
	GIVE(add(&few, "iops", (struct facts){ .variant = "none", .pattern = "read", .jobs = 1 }), 5);
	free(emitted("summary", &few, NULL, "csv", (struct emit_options){ 0 }));
}

int main(void)
{
	test_2008();
	test_one_kind();
	test_pooled();
	test_2014();
	test_devices();
	test_2006();
	test_published_2006();
	test_2010();
	test_mains();
	test_jobs();
	test_matrix();
	test_summary();
	return tap_done();
}
