// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/metric.h"
#include "parsers/parser.h"
#include "parsers/sample.h"
#include "tests/tap.h"

static void test_table(void)
{
	const struct metric *m;
	bool found = true, scaled = true, percentiles = true;
	size_t n = 0;

	for (; (m = metric_at(n)); n++) {
		found &= metric_find(m->name) == m;
		scaled &= (m->print_scale == 1) == !strcmp(m->unit, m->print_unit) && m->title[0];
		percentiles &= (strstr(m->name, "_p5") || strstr(m->name, "_p9")) == !!(m->flags & METRIC_PERCENTILE);
	}
	ok(n > 80, "the table has rows");
	ok(found, "every row is found by its name, once");
	ok(scaled, "every row has a title, and another print unit where it is scaled");
	ok(percentiles, "percentiles are flagged as such");
	ok(!metric_at(n) && !metric_at(n + 1000), "nothing behind the last row");
}

static void test_names(void)
{
	static const struct {
		const char *typed, *name;
	} rows[] = {
		{ "bw", "bw" },
		{ "IOPS", "iops" },
		{ "lat", "lat_mean" },
		{ "clat", "clat_mean" },
		{ "slat", "slat_mean" },
		{ "usr", "usr_cpu" },
		{ "sys", "sys_cpu" },
		{ "lat max", "lat_max" },
		{ "clat p99", "clat_p99" },
		{ "p99", "clat_p99" },
		{ "p99.90", "clat_p99.9" },
		{ "lat p50.0", "lat_p50" },
		{ "sync_lat_p99.999999", "sync_lat_p99.999999" },
		{ "slat_p100", "slat_p100" },
		{ "clat_p0.000001", "clat_p0.000001" },
		{ "cpu_us_per_io", "cpu_per_io" },
		{ "", NULL },
		{ "clat_p0", NULL },
		{ "clat_p100.1", NULL },
		{ "clat_p99.9999999", NULL },
		{ "clat_p", NULL },
		{ "clat_p9x", NULL },
		{ "clat_p99999999999999999999", NULL },
		{ "bw_p99", NULL },
		{ "clatp99", NULL },
		{ "a name that is so long that it can be none of ours, whatever else one may say of it", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct metric *m = metric_find(rows[i].typed);

		is(m ? m->name : NULL, rows[i].name, rows[i].typed);
	}
	ok(metric_find("clat_p99.95") == metric_find("clat p99.9500"), "one object a name");
	ok(metric_find("clat_p99") == metric_percentile("clat", 99000000), "also for rows of the table");
	ok(!metric_percentile("bw", 99000000), "no percentiles of what has none");
	is(metric_find("slat_p99.95")->title, "submission latency, p99.95", "title of a percentile");
	is(metric_find("slat_p99.95")->print_unit, "us", "unit of a percentile");
	ok(metric_find("slat_p99.95")->flags == METRIC_PERCENTILE, "flags of a percentile");
}

static void test_flags(void)
{
	static const char *const per_job[] = { "bw",	   "iops",     "io_bytes", "runtime",  "lat_mean",
					       "lat_max",  "clat_mean", "clat_p50", "clat_p99", "clat_p99.9", "files", "app_overhead" };
	size_t n = 0;

	for (size_t i = 0; metric_at(i); i++)
		n += (metric_at(i)->flags & METRIC_PER_JOB) != 0;
	is_int((long long)n, sizeof(per_job) / sizeof(*per_job), "few metrics are kept for every job");
	for (size_t i = 0; i < sizeof(per_job) / sizeof(*per_job); i++)
		ok(metric_find(per_job[i])->flags & METRIC_PER_JOB, "kept for every job: %s", per_job[i]);
	has(metric_find("lat_stddev")->title, "stddev over I/Os", "a deviation says of what");
	has(metric_find("job_bw_stddev")->title, "stddev over jobs", "so does the one over jobs");
	is_near(metric_find("bw")->print_scale * 4096, 4, 0, "4096 B/s print as 4 KiB/s");
	is_near(metric_find("clat p99")->print_scale * 1500, 1.5, 1e-15, "1500 ns print as 1.5 us");
}

static void test_percent(void)
{
	is_int(metric_percent_e6("99.900000"), 99900000, "99.900000");
	is_int(metric_percent_e6("100.000000"), 100000000, "100.000000");
	is_int(metric_percent_e6("1"), 1000000, "1");
	is_int(metric_percent_e6("0.00"), 0, "0.00 is none");
	is_int(metric_percent_e6("-1"), 0, "-1 is none");
	is_int(metric_percent_e6(".5"), 0, ".5 is none");
	is_int(metric_percent_e6("9.5 "), 0, "what trails is refused");
}

static void test_parsed(void)
{
	struct parsed p = { 0 };
	double value = -1;

	parsed_add(&p, "bw", DIR_READ, 0, 1);
	parsed_add(&p, "bw", DIR_READ, JOB_ALL, 2);
	parsed_add(&p, "bw", DIR_WRITE, JOB_ALL, 0);
	parsed_add(&p, "clat_p99.95", DIR_READ, JOB_ALL, 3);
	parsed_add(&p, "iops", DIR_READ, JOB_ALL, NAN);
	parsed_add(&p, "iops", DIR_READ, JOB_ALL, INFINITY);
	is_int((long long)p.samples.n, 4, "what is not finite is not added");
	ok(parsed_get(&p, "bw", DIR_READ, &value) && value == 2, "the run as a whole, not a job");
	ok(parsed_get(&p, "bw", DIR_WRITE, &value) && value == 0, "a zero is a value");
	ok(parsed_get(&p, "p99.95", DIR_READ, &value) && value == 3, "by a short name");
	ok(!parsed_get(&p, "bw", DIR_TRIM, &value), "missing is missing");
	ok(!parsed_get(&p, "no such metric", DIR_READ, &value), "no such metric");
	parsed_release(&p);
	ok(!p.samples.n && !p.samples.items, "released");
}

static void test_parsers(void)
{
	ok(parser_find("fio-json") == parser_at(0), "fio-json is there");
	ok(!parser_find("fio") && !parser_find(""), "unknown names are not found");
	ok(!parser_at(1000), "nothing behind the last parser");
	for (size_t i = 0; parser_at(i); i++)
		ok(parser_at(i)->title && parser_at(i)->sniff && parser_at(i)->parse, "%s is whole", parser_at(i)->name);
}

int main(void)
{
	test_table();
	test_names();
	test_flags();
	test_percent();
	test_parsed();
	test_parsers();
	return tap_done();
}
