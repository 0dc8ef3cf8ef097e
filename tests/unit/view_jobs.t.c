// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/golden/golden.h"
#include "tests/golden/series.h"

/* ---- the post ---- */

/* linux-kernel, 2017-04-10, "bfq-mq performance comparison to cfq": mean and stddev over 10 runs, 1 to 8 jobs */
static const double post_read[8][4] = {
	{ 17060.300, 77.090, 17657.500, 69.602 },  { 15318.200, 28.817, 10678.000, 279.070 },
	{ 15403.200, 42.762, 9874.600, 93.436 },   { 14521.200, 624.111, 9918.700, 226.425 },
	{ 13893.900, 144.354, 9485.000, 109.291 }, { 13065.300, 180.608, 9419.800, 75.043 },
	{ 12169.600, 95.422, 9863.800, 227.662 },  { 12422.200, 215.535, 15335.300, 245.764 },
};
static const double post_write[8][4] = {
	{ 14171.300, 80.796, 14392.500, 182.587 }, { 13520.000, 88.967, 9565.400, 119.400 },
	{ 13396.100, 44.936, 9284.000, 25.122 },   { 13139.800, 62.325, 8846.600, 45.926 },
	{ 12942.400, 45.729, 8568.700, 35.852 },   { 12650.600, 41.283, 8275.500, 199.273 },
	{ 12475.900, 43.565, 8252.200, 33.145 },   { 12307.200, 43.594, 13617.500, 127.773 },
};

static void add_post(struct series_set *set, const char *pattern, const double rows[8][4])
{
	for (int jobs = 1; jobs <= 8; jobs++) {
		struct facts f = {
			.variant = "cfq",
			.pattern = pattern,
			.jobs = jobs,
			.governor = "powersave",
			.driver = "intel_pstate",
		};

		give_summary(add(set, "iops", f), 10, rows[jobs - 1][0], rows[jobs - 1][1]);
		f.variant = "bfq_mq";
		give_summary(add(set, "iops", f), 10, rows[jobs - 1][2], rows[jobs - 1][3]);
	}
}

static struct series_set post(void)
{
	struct series_set set = { 0 };

	add_post(&set, "read", post_read);
	add_post(&set, "write", post_write);
	return set;
}

static void test_post(void)
{
	struct series_set set = post(), again = post(), fragment = post();
	AUTOFREE char *text = text_of(&set, NULL);
	AUTOFREE char *latex = emitted("jobs", &fragment, NULL, "latex", (struct emit_options){ 0 });
	AUTOFREE char *csv = emitted("jobs", &again, NULL, "csv", (struct emit_options){ 0 });

	is_mail(text, "the post");
	has(text, "\n 1 & 17060.300 &   77.090 & 17657.500 &   69.602\n 2 & 15318.200 &", "the post's rows, to the blank");
	is_golden(text, "post2017.txt");
	is_golden(latex, "post2017.tex");
	is_golden(csv, "post2017.csv");
}

/* ---- a simulated disk ---- */

static void test_simulated(void)
{
	static const char *const formats[] = { "text", "latex", "markdown", "json" };

	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct series_set set = post();
		struct tables tables = { 0 };
		struct str real = { 0 }, out = { 0 };
		struct view_options opt = { 0 };

		view_make(view_find("jobs"), &set, &opt, &tables, NULL);
		emitter_find(formats[i])->emit(&tables, &(struct emit_options){ 0 }, &real, NULL);
		tables_release(&tables);
		strings_add(&set.warnings, "simulated-disk");
		view_make(view_find("jobs"), &set, &opt, &tables, NULL);
		emitter_find(formats[i])->emit(&tables, &(struct emit_options){ 0 }, &out, NULL);
		ok(!strstr(str_text(&real), "simulated disk"), "%s: a disk is not called simulated", formats[i]);
		has(str_text(&out), "simulated disk: sequential reads", "a simulated one is, in the head of the first table");
		has(str_text(&out), "simulated disk: sequential writes", "and of the second");
		tables_release(&tables);
		series_set_release(&set);
		str_release(&real);
		str_release(&out);
	}
}

/* ---- of two sweeps, one on a simulated disk ---- */

static char *first_title(const struct series_set *set)
{
	struct tables tables = { 0 };
	char *title;

	view_make(view_find("jobs"), set, &(struct view_options){ 0 }, &tables, NULL);
	title = mem_strdup(tables.list.items[0]->title);
	tables_release(&tables);
	return title;
}

static void test_partly_simulated(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *all = NULL, *some = NULL, *none = NULL;

	for (int sweep = 1; sweep <= 2; sweep++) {
		struct series *s = add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read", .jobs = 1 });

		s->sweep = sweep;
		GIVE(s, 1);
	}
	strings_add(&set.warnings, "simulated-disk");
	*vec_push(&set.warnings_of) = (struct series_warning){ 1, mem_strdup("simulated-disk") };
	some = first_title(&set);
	is(some, "partly simulated: sequential reads", "one of two sweeps");
	set.list.items[1].sweep = 1;
	all = first_title(&set);
	is(all, "simulated disk: sequential reads", "all that is shown");
	set.list.items[0].sweep = set.list.items[1].sweep = 2;
	none = first_title(&set);
	is(none, "sequential reads", "what was simulated is not shown");
	series_set_release(&set);
}

/* ---- widths ---- */

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static struct series_set wide_set(int variants, double scale)
{
	static const char *const names[] = { "none", "mq-deadline", "kyber", "bfq", "bfq:low_latency=0" };
	struct series_set set = { 0 };

	for (int jobs = 1; jobs <= 2; jobs++) {
		for (int v = 0; v < variants; v++) {
			struct facts f = { .variant = names[v], .pattern = "randread", .jobs = jobs, .environment = 1 };

			GIVE(add(&set, "bw", f), scale * (1 + v), scale * (1.3 + v), scale * (1.1 + v));
		}
	}
	return set;
}

static void test_widths(void)
{
	/* 1234567.9 KiB/s and more */
	struct series_set three = wide_set(3, 1264197529.3), four = wide_set(4, 64197529.3), one = wide_set(1, 12e9);
	struct series_set five = wide_set(5, 1264197529.3);
	AUTOFREE char *fits = text_of(&three, "bw");
	AUTOFREE char *split = text_of(&four, "bw");
	AUTOFREE char *large = text_of(&one, "bw");
	AUTOFREE char *page = emitted("jobs", &five, "bw", "latex", (struct emit_options){ .standalone = true });

	is_mail(fits, "three variants, 7 digits");
	is_int((long long)count(fits, "\nbs "), 1, "three variants with 7 digits stand side by side");
	has(fits, " 1 & 1399177.0 & 188583.4 & 2633744.9 &", "7 digits have one decimal, so that they fit");
	is_mail(split, "four variants");
	is_int((long long)count(split, "\nbs "), 2, "four variants are cut into two blocks");
	is_int((long long)count(split, "[3] - bfq"), 1, "with one legend above");
	is_int((long long)count(split, "\n 2 & "), 2, "and the labels in both");
	has(split, "\njo", "which have a heading each");
	is_golden(page, "wide.tex");
	has(large, " 1 & 13281250.0 & ", "8 digits have one decimal");
}

/* ---- n, missing values, pending cells ---- */

static struct series_set gaps(void)
{
	struct series_set set = { 0 };
	struct facts bfq = { .variant = "bfq", .pattern = "read", .jobs = 1, .environment = 3, .kernel = "6.1.0" };
	struct facts cfq = { .variant = "cfq", .pattern = "read", .jobs = 1 };
	struct facts kyber = { .variant = "kyber", .pattern = "read", .jobs = 1, .environment = 3, .kernel = "6.1.0" };
	struct series *s;

	for (int jobs = 1; jobs <= 10; jobs *= 10) {
		bfq.jobs = cfq.jobs = kyber.jobs = jobs;
		s = add(&set, "iops", cfq);
		s->reason = mem_strdup("Linux 6.1 does not offer it on sdb");
		s = add(&set, "iops", bfq);
		if (jobs == 1)
			GIVE(s, 10, 20, 30);
		else
			GIVE(s, 7);
		if (jobs == 10)
			kyber.environment = 0;
		s = add(&set, "iops", kyber);
		if (jobs == 1) {
			GIVE(s, 100, 102);
		} else {
			free(s->state);
			s->state = mem_strdup("failed");
			s->reason = mem_strdup("fio ended with 1: 'bad magic'");
		}
	}
	return set;
}

static void test_gaps(void)
{
	struct series_set set = gaps(), again = gaps();
	AUTOFREE char *text = text_of(&set, NULL);
	AUTOFREE char *csv = emitted("jobs", &again, NULL, "csv", (struct emit_options){ 0 });

	is_mail(text, "gaps");
	has(text, "\n 1 &         - &        - &    20.000 &   10.000 &   101.000 &    1.414\n",
	    "mean and stddev (n-1) of points; '-' where nothing was measured");
	has(text, "\n\njobs 1: n=2 in [2]\njobs 10: n=1\n", "cells and rows with another n than most are told");
	has(text, "\n10 &         - &        - &     7.000 &        - &         - &        -\n", "one run has no stddev");
	has(text, "over 1-3 runs", "the caption gives the range of n");
	is_int((long long)count(text, "cfq: not measured: Linux 6.1 does not offer it on sdb\n"), 1,
	       "a pending variant is explained once");
	has(text, "kyber: failed where '-' stands: fio ended with 1: 'bad magic'\n", "a failed cell of a measured variant");
	ok(!strstr(text, "[3]"), "a cell without environment opens no column of its own");
	has(text, "\nno cpufreq on this machine\n", "no cpufreq is a stated fact");
	is_golden(text, "gaps.txt");
	is_golden(csv, "gaps.csv");
}

static void test_nothing_measured(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "cfq", .pattern = "read", .jobs = 1 };
	AUTOFREE char *text = NULL;

	add(&set, "iops", f);
	f.jobs = 2;
	add(&set, "iops", f);
	text = text_of(&set, NULL);
	has(text, "mean and stddev (sample, n-1), no runs yet\n", "nothing measured yet is said");
	has(text, "\ncfq: not measured\n", "without a reason too");
	ok(!strstr(text, "cpufreq"), "nothing is said of a machine that measured nothing");
}

static void test_unknown_n(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	give_summary(add(&set, "iops", (struct facts){ .variant = "cfq", .pattern = "read", .jobs = 1 }), 0, 5, NAN);
	text = text_of(&set, NULL);
	has(text, "over runs, n unknown\n", "a published n that is not known");
	has(text, "\n 1 &     5.000 &        -\n", "and a deviation that is not");
}

static void test_nothing_there(void)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	struct err err = { 0 };

	add(&set, "bw", (struct facts){ .variant = "cfq", .pattern = "read", .jobs = 1 });
	is_int(view_find("jobs")->make(&set, &(struct view_options){ 0 }, &tables, &err), -1, "iops is what it shows");
	is(err.msg, "nothing of metric 'iops' is stored there", "and an error if there is none");
	series_set_release(&set);
	tables_release(&tables);
}

/* ---- percentiles ---- */

static void test_percentiles(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	for (int jobs = 1; jobs <= 2; jobs++) {
		struct facts f = {
			.variant = "none",
			.pattern = "randread",
			.jobs = jobs,
			.environment = 1,
			.direction = DIR_READ,
		};

		GIVE(add(&set, "clat_p99", f), 1000e3 * jobs, 3000e3, 9000e3, 1500e3 * jobs);
		f.variant = "bfq";
		GIVE(add(&set, "clat_p99", f), 1e6, 2e6, 3e6, 4e6);
	}
	text = text_of(&set, "p99");
	has(text, "median, min and max over 4\n  runs of each run's percentile\n", "not an average, and said so");
	has(text, "\n 1 &  2250.000 &  1000.000 &  9000.000 &  2500.000 &", "their median in us");
	has(text, "* random reads\n", "a pattern of one direction does not repeat it");
	is_golden(text, "percentile.txt");
}

/* ---- what makes columns ---- */

static void test_governors(void)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	AUTOFREE char *text = NULL;

	for (int g = 0; g < 2; g++) {
		for (int v = 0; v < 2; v++) {
			struct facts f = {
				.variant = v ? "bfq" : "none",
				.pattern = "read",
				.governor = g ? "performance" : "powersave",
				.driver = "intel_pstate",
				.environment = 1,
				.jobs = 1,
			};

			GIVE(add(&set, "iops", f), 10 * g + v);
		}
	}
	make("jobs", &set, NULL, &tables);
	is(tables.list.items[0]->columns.items[4].series, "bfq, intel_pstate driver, powersave governor",
	   "for machines too, a variant under two governors is told apart");
	tables_release(&tables);
	text = text_of(&set, NULL);
	is_mail(text, "governors");
	has(text,
	    "[0] - none, intel_pstate driver, powersave governor\n"
	    "[1] - bfq, intel_pstate driver, powersave governor\n"
	    "[2] - none, intel_pstate driver, performance governor\n"
	    "[3] - bfq, intel_pstate driver, performance governor\n",
	    "a column group for each variant under each governor");
	ok(!strstr(text, "governor 1") && count(text, "* ") == 1, "governors make no tables of their own");
}

static char *legend_of(struct facts a, struct facts b)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	struct str out = { 0 };

	a.pattern = b.pattern = "read";
	a.jobs = b.jobs = 1;
	GIVE(add(&set, "iops", a), 1, 2);
	GIVE(add(&set, "iops", b), 1, 2);
	make("jobs", &set, NULL, &tables);
	for (size_t i = 0; tables.list.n && i < tables.list.items[0]->legend.n; i++)
		str_addf(&out, "%s\n", tables.list.items[0]->legend.items[i]);
	tables_release(&tables);
	series_set_release(&set);
	return str_steal(&out);
}

static void test_legends(void)
{
	AUTOFREE char *kernels =
		legend_of((struct facts){ .variant = "bfq", .kernel = "4.19.0", .environment = 1, .driver = "acpi-cpufreq" },
			  (struct facts){ .variant = "bfq", .kernel = "6.1.0", .environment = 2, .driver = "acpi-cpufreq" });
	AUTOFREE char *boxes = legend_of(
		(struct facts){ .variant = "bfq", .environment = 1, .sweep_name = "box1", .sweep = 1, .driver = "amd-pstate" },
		(struct facts){ .variant = "bfq", .environment = 2, .sweep_name = "box2", .sweep = 2 });
	AUTOFREE char *nights = legend_of(
		(struct facts){ .variant = "bfq", .environment = 7, .sweep_name = "nightly", .sweep = 1, .kernel = "6.1" },
		(struct facts){ .variant = "bfq", .environment = 7, .sweep_name = "nightly", .sweep = 2, .kernel = "6.1" });
	AUTOFREE char *updated = legend_of((struct facts){ .variant = "bfq", .environment = 7 },
					   (struct facts){ .variant = "bfq", .environment = 8 });

	is(kernels, "[0] - bfq, acpi-cpufreq driver, kernel 4.19.0\n[1] - bfq, acpi-cpufreq driver, kernel 6.1.0\n",
	   "kernels that differ are shown");
	is(boxes, "[0] - bfq, amd-pstate driver, sweep box1\n[1] - bfq, no cpufreq, sweep box2\n",
	   "sweeps of two machines, one without cpufreq");
	is(nights, "[0] - bfq, sweep 1, environment 7\n[1] - bfq, sweep 2, environment 7\n", "sweeps of the same name");
	is(updated, "[0] - bfq, sweep 0, environment 7\n[1] - bfq, sweep 0, environment 8\n",
	   "something else of the environment changed");
}

/* ---- what makes tables ---- */

static void is_titles(struct series_set *set, const char *metric, const char *want, const char *what)
{
	struct tables tables = { 0 };
	AUTOSTR struct str got = { 0 };

	make("jobs", set, metric, &tables);
	for (size_t i = 0; i < tables.list.n; i++)
		str_addf(&got, "%s (%s) %zu\n", tables.list.items[i]->title, tables.list.items[i]->label,
			 tables.list.items[i]->rows.n);
	is(str_text(&got), want, what);
	tables_release(&tables);
	series_set_release(set);
}

static void test_patterns(void)
{
	static const char *const patterns[] = { "randrw", "read", "write", "randread", "randwrite", "rw", "zonemd" };
	struct series_set set = { 0 };

	for (int jobs = 8; jobs; jobs /= 2)
		for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
			GIVE(add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = patterns[i], .jobs = jobs }), 1);
	is_titles(&set, NULL,
		  "random reads and writes (randrw) 4\nsequential reads (read) 4\nsequential writes (write) 4\n"
		  "random reads (randread) 4\nrandom writes (randwrite) 4\nsequential reads and writes (rw) 4\n"
		  "zonemd (zonemd) 4\n",
		  "a table a pattern, in the order of the plan");
}

static void test_other_axes(void)
{
	static const char *const patterns[] = { "read", "write" };
	struct series_set set = { 0 };

	for (int bs = 4096; bs <= 1048576; bs *= 256) {
		for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
			struct series *s = add(&set, "iops", (struct facts){ .pattern = patterns[i], .jobs = 2, .variant = "bfq" });
			AUTOFREE char *bytes = mem_printf("%d", bs);

			add_axis(s, "ioengine", "libaio");
			add_axis(s, "bs_bytes", bytes);
			add_axis(s, "runtime_ns", "10000000000");
			if (bs == 4096)
				add_axis(s, "iodepth", "32");
			GIVE(s, 1);
		}
	}
	is_titles(&set, NULL,
		  "sequential reads, bs 4 KiB, iodepth 32 (read-bs_bytes-4096-iodepth-32) 1\n"
		  "sequential reads, bs 1 MiB (read-bs_bytes-1048576) 1\n"
		  "sequential writes, bs 4 KiB, iodepth 32 (write-bs_bytes-4096-iodepth-32) 1\n"
		  "sequential writes, bs 1 MiB (write-bs_bytes-1048576) 1\n",
		  "axes that vary make tables of their own, below their pattern; those that do not are in no title");
}

/* ---- what stands in no title, row or column ---- */

static char *noted(const struct series_set *set, const char *view)
{
	struct tables tables = { 0 };
	struct str out = { 0 };

	view_make(view_find(view), set, &(struct view_options){ 0 }, &tables, NULL);
	for (size_t i = 0; i < tables.list.n; i++)
		for (size_t k = 0; k < tables.list.items[i]->notes.n; k++)
			if (strstr(tables.list.items[i]->notes.items[k], "all cells: "))
				str_addf(&out, "%zu %s;", i, tables.list.items[i]->notes.items[k]);
	tables_release(&tables);
	return str_steal(&out);
}

static void test_conditions(void)
{
	static const char *const patterns[] = { "read", "write" };
	struct series_set set = { 0 };
	AUTOFREE char *one = NULL, *two = NULL, *kernels = NULL, *longer = NULL;

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		struct series *s = add(&set, "iops", (struct facts){ .pattern = patterns[i], .jobs = 2, .variant = "bfq", .kernel = "6.1" });

		add_axis(s, "device", "/dev/disk");
		add_axis(s, "bs_bytes", "65536");
		add_axis(s, "runtime_ns", "1000000000");
		GIVE(s, 1);
	}
	one = noted(&set, "jobs");
	is(one, "1 all cells: bs 64 KiB, runtime 1 s, kernel 6.1;", "what is the same in all cells is told once, below the last table");
	longer = noted(&set, "long");
	is(longer, "", "but not where it stands in columns");
	free(set.list.items[0].axes.items[set.list.items[0].axes.n - 2].value);
	set.list.items[0].axes.items[set.list.items[0].axes.n - 2].value = mem_strdup("4096");
	two = noted(&set, "jobs");
	is(two, "1 all cells: runtime 1 s, kernel 6.1;", "what varies is not");
	free(set.list.items[0].kernel);
	set.list.items[0].kernel = mem_strdup("6.2");
	kernels = noted(&set, "jobs");
	is(kernels, "1 all cells: runtime 1 s;", "nor are several kernels");
	series_set_release(&set);
}

static void test_rows(void)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	struct table *t;

	for (int jobs = 128; jobs; jobs /= 4)
		GIVE(add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read", .jobs = jobs }), jobs);
	GIVE(add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read" }), 1);
	make("jobs", &set, NULL, &tables);
	t = tables.list.items[0];
	ok(t->rows.n == 5 && t->rows.items[1].cells[0].value == 2 && t->rows.items[4].cells[0].value == 128,
	   "job counts are rows, by number and not by letter");
	ok(t->rows.items[0].cells[0].type == CELL_MISSING && t->rows.items[0].cells[1].value == 1,
	   "a cell without a job count has a row");
	ok(t->rows.items[4].cells[1].value == 128, "each with its values");
	tables_release(&tables);
	series_set_release(&set);
}

static void test_directions(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "bfq", .pattern = "randrw", .jobs = 1, .environment = 1 };

	for (int d = DIR_READ; d <= DIR_WRITE; d++) {
		f.direction = (enum direction)d;
		GIVE(add(&set, "clat_mean", f), 1e6 * d);
	}
	add(&set, "clat_mean", (struct facts){ .variant = "cfq", .pattern = "randrw", .jobs = 2 });
	is_titles(&set, "clat",
		  "random reads and writes: reads (randrw-reads) 2\nrandom reads and writes: writes (randrw-writes) 2\n",
		  "where nothing sums up the directions, each has a table, with the cells not yet measured");

	for (int d = DIR_ALL; d <= DIR_WRITE; d++) {
		f.direction = (enum direction)d;
		GIVE(add(&set, "iops", f), 100 * (d == DIR_ALL ? 3 : d));
	}
	is_titles(&set, "iops", "random reads and writes (randrw) 1\n", "else one table does");

	f.direction = DIR_WRITE;
	GIVE(add(&set, "iops", f), 1);
	is_titles(&set, "iops", "random reads and writes: writes (randrw-writes) 1\n", "one direction alone is told");
}

static void test_actors_and_disks(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "cfq", .jobs = 1, .environment = 1, .sweep_name = "moyer2010" };

	add(&set, "bw", (struct facts){ .variant = "bfq", .jobs = 1, .sweep_name = "moyer2010", .actor = "" });
	f.actor = "reader";
	GIVE(add(&set, "bw", f), 1);
	f.actor = "writer";
	GIVE(add(&set, "bw", f), 2);
	is_titles(&set, "bw", "moyer2010, reader (moyer2010-reader) 1\nmoyer2010, writer (moyer2010-writer) 1\n",
		  "a table an actor where there are several; the name of the sweep where there is no pattern");

	f.actor = "fio";
	f.pattern = "read";
	f.device = "sda";
	GIVE(add(&set, "disk_util", f), 90);
	f.device = "sdb";
	GIVE(add(&set, "disk_util", f), 80);
	is_titles(&set, "disk_util", "sequential reads, sda (read-sda) 1\nsequential reads, sdb (read-sdb) 1\n",
		  "a table a disk");
}

static void test_jobs_of_a_run(void)
{
	struct series_set set = { 0 };
	AUTOFREE char *text = NULL;

	GIVE(add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read", .jobs = 2 }), 30, 30);
	for (int job = 0; job < 2; job++) {
		struct series *s = add(&set, "iops", (struct facts){ .variant = "bfq", .pattern = "read", .jobs = 2 });

		GIVE(s, 10, 20);
		s->job = job;
	}
	text = text_of(&set, NULL);
	has(text, "\n 2 &    30.000 &    0.000\n", "single jobs of a run stay out");
}

/* ---- every format, and names that want escaping ---- */

static struct series_set awkward(void)
{
	static const char *const variants[] = { "bfq_mq", "a&b% #$", "größe{x}~^\\<|>", "[0]*\"--\"" };
	struct series_set set = { 0 };

	for (int jobs = 1; jobs <= 16; jobs *= 4) {
		for (size_t v = 0; v < ARRAY_LEN(variants); v++) {
			struct facts f = { .variant = variants[v], .pattern = "a_b&c", .jobs = jobs, .environment = 1 };
			struct series *s = add(&set, "bw", f);

			if (v == 3)
				s->reason = mem_strdup("no 'x_y' in \"/a,b\"; 100% sure");
			else if (v == 1 && jobs == 4)
				GIVE(s, 51200);
			else
				GIVE(s, 1024e3 * jobs, 1024e3 * jobs + 512e3 * (double)v, 1024e3 * jobs + 3e3);
		}
	}
	return set;
}

static void test_formats(void)
{
	static const struct {
		const char *format, *file;
		struct emit_options opt;
	} forms[] = {
		{ "text", "awkward.txt", { 0 } },
		{ "latex", "awkward.tex", { .standalone = true, .document_title = "100% of a_b" } },
		{ "latex", "awkward-siunitx.tex", { .standalone = true, .siunitx = true } },
		{ "markdown", "awkward.md", { 0 } },
		{ "csv", "awkward.csv", { 0 } },
		{ "json", "awkward.json", { 0 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct series_set set = awkward();
		AUTOFREE char *out = emitted("jobs", &set, "bw", forms[i].format, forms[i].opt);

		is_golden(out, forms[i].file);
	}
}

/* ---- long ---- */

static struct series_set mixed(void)
{
	struct series_set set = { 0 };
	struct facts f = {
		.variant = "bfq:slice_idle=0",
		.pattern = "read",
		.jobs = 2,
		.environment = 1,
		.kernel = "6.1.0",
		.actor = "fio",
		.sweep_name = "first, \"test\"",
		.direction = DIR_READ,
	};

	GIVE(add(&set, "bw", f), 1e9 / 3, 98765432.25);
	GIVE(add(&set, "clat_p99", f), 123456);
	add(&set, "bw", (struct facts){ .variant = "cfq", .pattern = "read", .jobs = 2 });
	f.device = "sdb";
	f.sweep = 7;
	f.direction = DIR_ALL;
	add_axis(add(&set, "disk_util", f), "bs_bytes", "4096");
	add_axis(&set.list.items[set.list.n - 1], "device", "/dev/md0");
	add_axis(&set.list.items[set.list.n - 1], "odd", "007");
	GIVE(&set.list.items[set.list.n - 1], 99.5);
	f.device = NULL;
	GIVE(add(&set, "iops", f), 5);
	set.list.items[set.list.n - 1].job = 1;
	give_summary(add(&set, "iops", (struct facts){ .variant = "cfq", .pattern = "read", .driver = "x" }), 10, 17060.3,
		     77.09);
	return set;
}

static void test_long(void)
{
	struct series_set set = mixed(), again = mixed(), filtered = mixed();
	AUTOFREE char *csv = emitted("long", &set, NULL, "csv", (struct emit_options){ 0 });
	AUTOFREE char *json = emitted("long", &again, NULL, "json", (struct emit_options){ 0 });
	AUTOFREE char *all = emitted("long", &filtered, "iops", "csv", (struct emit_options){ 0 });

	is_golden(csv, "long.csv");
	is_golden(json, "long.json");
	is(all, csv, "all of the set, whatever the metric");
}

int main(void)
{
	test_post();
	test_simulated();
	test_partly_simulated();
	test_widths();
	test_gaps();
	test_nothing_measured();
	test_unknown_n();
	test_nothing_there();
	test_percentiles();
	test_governors();
	test_legends();
	test_patterns();
	test_other_axes();
	test_conditions();
	test_rows();
	test_directions();
	test_actors_and_disks();
	test_jobs_of_a_run();
	test_formats();
	test_long();
	return tap_done();
}
