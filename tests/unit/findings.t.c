// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/findings.h"

#include "tests/tap.h"
#include "tests/unit/compare_series.h"

static void find(const struct series_set *set, struct findings *out)
{
	findings_make(set, 0.02, out);
	for (size_t i = 0; i < out->list.n; i++)
		printf("# %s %.2f: %s\n", finding_names[out->list.items[i].kind], out->list.items[i].strength,
		       out->list.items[i].text);
}

static unsigned count(const struct findings *f, enum finding_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->list.n; i++)
		n += f->list.items[i].kind == kind;
	return n;
}

/* The first of a kind; "" if there is none. */
static const struct finding *first(const struct findings *f, enum finding_kind kind)
{
	static const struct finding none = { .text = (char *)"" };

	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.items[i].kind == kind)
			return &f->list.items[i];
	return &none;
}

static void done(struct series_set *set, struct findings *f)
{
	findings_release(f);
	series_set_release(set);
}

/* ---- the post of 2017-04-10: IOPS, mean and stddev of 10 runs ---- */

static void test_2017(void)
{
	static const struct {
		const char *pattern;
		double cfq[8][2], bfq[8][2];
	} tables[] = {
		{ "read",
		  { { 17060.3, 77.09 }, { 15318.2, 28.817 }, { 15403.2, 42.762 }, { 14521.2, 624.111 },
		    { 13893.9, 144.354 }, { 13065.3, 180.608 }, { 12169.6, 95.422 }, { 12422.2, 215.535 } },
		  { { 17657.5, 69.602 }, { 10678, 279.07 }, { 9874.6, 93.436 }, { 9918.7, 226.425 }, { 9485, 109.291 },
		    { 9419.8, 75.043 }, { 9863.8, 227.662 }, { 15335.3, 245.764 } } },
		{ "write",
		  { { 14171.3, 80.796 }, { 13520, 88.967 }, { 13396.1, 44.936 }, { 13139.8, 62.325 },
		    { 12942.4, 45.729 }, { 12650.6, 41.283 }, { 12475.9, 43.565 }, { 12307.2, 43.594 } },
		  { { 14392.5, 182.587 }, { 9565.4, 119.4 }, { 9284, 25.122 }, { 8846.6, 45.926 }, { 8568.7, 35.852 },
		    { 8275.5, 199.273 }, { 8252.2, 33.145 }, { 13617.5, 127.773 } } },
	};
	struct series_set set = { 0 };
	struct findings f = { 0 };

	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (int j = 0; j < 8; j++) {
			series_summary(series_add(&set, "iops", "cfq", tables[t].pattern, j + 1), 10, tables[t].cfq[j][0],
				       tables[t].cfq[j][1]);
			series_summary(series_add(&set, "iops", "bfq-mq", tables[t].pattern, j + 1), 10, tables[t].bfq[j][0],
				       tables[t].bfq[j][1]);
		}
	find(&set, &f);
	is_int(count(&f, FINDING_DENT), 2, "2017: two dents, no more");
	is(f.list.items[0].text,
	   "sequential reads, 2-7 jobs: bfq-mq falls to 64-81% of cfq (n=10 each, p<0.001) and is 23% ahead at 8: a dent",
	   "the deeper one first: that of the reads");
	is(f.list.items[1].text,
	   "sequential writes, 2-7 jobs: bfq-mq falls to 65-71% of cfq (n=10 each, p<0.001) and is 11% ahead at 8: a dent",
	   "that of the writes");
	has(f.list.items[0].hint, "bfq_large_burst_thresh = 8 in block/bfq-iosched.c", "with its known cause and source");
	has(f.list.items[0].hint, "try bfq-mq:low_latency=0", "and what to try");
	is_int((long long)f.list.n, 2, "nothing else is said of these tables");
	/* 16 cells of two variants, and 7 steps of four curves */
	is_int((long long)f.family, 44, "the family: every pair and every step");
	done(&set, &f);
}

/* ---- shapes of measured series ---- */

/* Ten runs around a value, the same wobble for all: pairs are steady, means are not. */
static struct series *runs(struct series_set *set, const char *metric, const char *variant, int jobs, double value)
{
	struct series *s = series_add(set, metric, variant, "read", jobs);

	s->cell = jobs * 10 + *variant;
	for (int i = 0; i < 10; i++)
		series_point(s, 1, i, value * (1 + 0.05 * sin(i)) * (1 + 0.002 * ((i * 7 + jobs) % 5 - 2)));
	return s;
}

static void curve(struct series_set *set, const char *variant, const double *values, int n)
{
	for (int j = 0; j < n; j++)
		runs(set, "iops", variant, j + 1, values[j]);
}

/* A simulated 7200 rpm disk: all fall at the second reader, bfq comes back at the eighth. */
static void test_own_dent(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	curve(&set, "bfq", (double[]){ 8000, 1900, 1850, 1840, 1830, 1820, 1810, 4700 }, 8);
	curve(&set, "none", (double[]){ 8000, 1900, 1850, 1840, 1830, 1820, 1810, 1650 }, 8);
	find(&set, &f);
	is_int(count(&f, FINDING_DENT), 1, "a dent in the variant's own curve");
	has(first(&f, FINDING_DENT)->text, "2-7 jobs: bfq falls to 23-24% of what it does at 1", "its range and depth");
	has(first(&f, FINDING_DENT)->text, "back at 59% at 8", "its end");
	has(first(&f, FINDING_DENT)->hint, "try bfq:low_latency=0", "the known one");
	is_int(count(&f, FINDING_CLIFF), 1, "none falls too and stays there: a cliff");
	has(first(&f, FINDING_CLIFF)->text, "from 1 to 2 jobs none falls to 24%", "where and how deep");
	done(&set, &f);
}

static void test_no_dent(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	curve(&set, "a", (double[]){ 1000, 1000, 1000, 1000 }, 4);
	curve(&set, "b", (double[]){ 700, 600, 1000, 1000 }, 4); /* below from the start */
	curve(&set, "c", (double[]){ 1000, 1000, 700, 600 }, 4); /* below to the end */
	curve(&set, "d", (double[]){ 1000, 900, 1000, 1000 }, 4); /* shallow */
	find(&set, &f);
	is_int(count(&f, FINDING_DENT), 0, "a range without both ends, or shallow, is no dent");
	ok(count(&f, FINDING_LEVEL) > 0, "that one is behind is told");
	done(&set, &f);
}

static void test_dent_of_other(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	curve(&set, "kyber", (double[]){ 1000, 1000, 600, 600, 1000 }, 5);
	curve(&set, "none", (double[]){ 1000, 1000, 1000, 1000, 1000 }, 5);
	find(&set, &f);
	is(first(&f, FINDING_DENT)->text,
	   "sequential reads, 3-4 jobs: kyber falls to 60% of none (n=10 each, p=0.002) and cannot be told from it at 5: a dent",
	   "a dent that ends level");
	ok(!first(&f, FINDING_DENT)->hint, "without a known cause no hint");
	done(&set, &f);
}

static void test_crossing(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	curve(&set, "kyber", (double[]){ 1300, 1250, 1000, 900 }, 4);
	curve(&set, "bfq", (double[]){ 1000, 1000, 1000, 1000 }, 4);
	find(&set, &f);
	is_int(count(&f, FINDING_CROSSING), 1, "one cross-over");
	has(first(&f, FINDING_CROSSING)->text, "kyber is 25-30% ahead up to 2 jobs, bfq is 11% ahead from 4 on", "both sides of it");
	is_int(count(&f, FINDING_LEVEL), 0, "and no word of who is ahead");
	done(&set, &f);
}

static void test_level(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	curve(&set, "a", (double[]){ 1000, 1100, 1010, 1200 }, 4);
	curve(&set, "b", (double[]){ 1000, 1000, 1000, 1000 }, 4);
	find(&set, &f);
	has(first(&f, FINDING_LEVEL)->text, "2-4 jobs (2 of 3 job counts): a is 10-20% ahead of b (n=10 each, p=0.002)",
	    "ahead where they differ");
	done(&set, &f);
}

static void test_trade(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	for (int j = 1; j <= 2; j++) {
		runs(&set, "iops", "x", j, 1200);
		runs(&set, "iops", "y", j, 1000);
		runs(&set, "clat_p99", "x", j, 4e6);
		runs(&set, "clat_p99", "y", j, 1e6);
		runs(&set, "job_bw_jain", "x", j, 0.5);
		runs(&set, "job_bw_jain", "y", j, 1);
	}
	find(&set, &f);
	is_int(count(&f, FINDING_TRADE), 2, "throughput for latency, and for fairness");
	for (size_t i = 0; i < f.list.n; i++) {
		if (f.list.items[i].kind == FINDING_TRADE && strstr(f.list.items[i].text, "latency"))
			has(f.list.items[i].text, "1-2 jobs: x is 20% ahead of y in I/O rate, for 4.0 times its completion latency, p99",
			    "the price in latency");
		if (f.list.items[i].kind == FINDING_TRADE && strstr(f.list.items[i].text, "fairness"))
			has(f.list.items[i].text, "for 50% of its fairness over jobs", "the price in fairness");
	}
	done(&set, &f);
}

static void test_unstable_and_few(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	series_points(series_add(&set, "iops", "x", "read", 1), 1, (double[]){ 100, 200, 100, 210 }, 4);
	series_points(series_add(&set, "iops", "y", "read", 1), 1, (double[]){ 1000, 1001, 1002, 1003 }, 4);
	find(&set, &f);
	is_int(count(&f, FINDING_UNSTABLE), 1, "one unstable cell");
	has(first(&f, FINDING_UNSTABLE)->text, "x is unstable: the 95% interval of its mean is +-63% (n=4)", "with its figures");
	is_int((long long)f.unjudged, 1, "four pairs are too few for a verdict");
	is_int(count(&f, FINDING_LEVEL), 0, "and none is given");
	done(&set, &f);
}

static void test_nothing(void)
{
	struct series_set set = { 0 };
	struct findings f = { 0 };

	find(&set, &f);
	is_int((long long)f.list.n, 0, "nothing measured, nothing found");
	done(&set, &f);
}

int main(void)
{
	test_2017();
	test_own_dent();
	test_no_dent();
	test_dent_of_other();
	test_crossing();
	test_level();
	test_trade();
	test_unstable_and_few();
	test_nothing();
	return tap_done();
}
