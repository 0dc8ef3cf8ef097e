// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/stats.h"

#include "tests/tap.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "common/mem.h"

#define STATREF "../shared/statref/"

typedef VEC(double) doubles_t;

static void load(const char *name, doubles_t *out)
{
	AUTOFREE char *path = mem_printf("tests/data/nist/%s.dat", name);
	AUTOFCLOSE FILE *f = fopen(path, "r");
	char line[64];

	while (f && fgets(line, sizeof(line), f))
		*vec_push(out) = strtod(line, NULL);
}

/* NumAcc2 to NumAcc4 are centre, then centre - 0.1 and centre + 0.1 in turn, as decimals. */
static void make_num_acc(const char *centre, const char *low, const char *high, doubles_t *out)
{
	*vec_push(out) = strtod(centre, NULL);
	for (int i = 0; i < 500; i++) {
		*vec_push(out) = strtod(low, NULL);
		*vec_push(out) = strtod(high, NULL);
	}
}

/* Digits in which both agree: -log10 of the relative error, at most 15. */
static double digits(double got, double want)
{
	double error = fabs(got - want) / fabs(want);

	return error > 0 ? fmin(15, -log10(error)) : isnan(got) ? 0 : 15;
}

/*
 * Certified values (deviation with n-1) of the StRD univariate sets. No deviation can come out better than the
 * decimals fit into doubles: the exact deviations of those doubles, computed in rational arithmetic, agree with the
 * certified ones to 9.46 digits for NumAcc3, 8.25 for NumAcc4, 13.1 for Mavro. Ours must be these exact ones.
 */
static void test_nist(void)
{
	static const struct {
		const char *name;
		size_t n;
		double mean, stddev, digits_mean, digits_stddev, exact_stddev;
	} sets[] = {
		{ "Lew", 200, -177.435000000000, 277.332168044316, 14, 14, 277.3321680443161 },
		{ "Lottery", 218, 518.958715596330, 291.699727470969, 14, 14, 291.6997274709691 },
		{ "Mavro", 50, 2.00185600000000, 0.000429123454003053, 14, 12, 0.0004291234540030854 },
		{ "Michelso", 100, 299.852400000000, 0.0790105478190518, 14, 13, 0.07901054781905066 },
		{ "NumAcc1", 3, 10000002, 1, 15, 15, 1.0 },
		{ "NumAcc2", 1001, 1.2, 0.1, 15, 14, 0.09999999999999998 },
		{ "NumAcc3", 1001, 1000000.2, 0.1, 15, 9.4, 0.1000000000349246 },
		{ "NumAcc4", 1001, 10000000.2, 0.1, 15, 8.2, 0.10000000055879354 },
		{ "PiDigits", 5000, 4.53480000000000, 2.86733906028871, 14, 14, 2.867339060288708 },
	};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		doubles_t v = { 0 };
		double mean, stddev;
		struct stats s;

		if (!strcmp(sets[i].name, "NumAcc1"))
			for (int k = 0; k < 3; k++)
				*vec_push(&v) = (const double[]){ 10000001, 10000003, 10000002 }[k];
		else if (!strcmp(sets[i].name, "NumAcc2"))
			make_num_acc("1.2", "1.1", "1.3", &v);
		else if (!strcmp(sets[i].name, "NumAcc3"))
			make_num_acc("1000000.2", "1000000.1", "1000000.3", &v);
		else if (!strcmp(sets[i].name, "NumAcc4"))
			make_num_acc("10000000.2", "10000000.1", "10000000.3", &v);
		else
			load(sets[i].name, &v);
		s = stats_of(v.items, v.n);
		mean = digits(s.mean, sets[i].mean);
		stddev = digits(s.stddev, sets[i].stddev);
		ok(s.n == sets[i].n && mean >= sets[i].digits_mean && stddev >= sets[i].digits_stddev,
		   "NIST %s: mean to %.1f digits, stddev to %.1f", sets[i].name, mean, stddev);
		ok(fabs(s.stddev / sets[i].exact_stddev - 1) < 3e-16, "NIST %s: stddev is that of its doubles", sets[i].name);
		vec_free(&v);
	}
}

static void test_small(void)
{
	static const double values[] = { 3, 1, 2, 10 };
	struct stats none = stats_of(NULL, 0), one = stats_of(values, 1), s = stats_of(values, 4);

	ok(none.n == 0 && isnan(none.mean) && isnan(none.stddev) && isnan(none.median) && isnan(none.min) &&
		   isnan(none.max) && isnan(none.cv) && isnan(none.mean_low) && isnan(none.median_low),
	   "no value: nothing is known");
	ok(one.n == 1 && one.mean == 3 && one.median == 3 && one.min == 3 && one.max == 3, "one value: it is all there is");
	ok(isnan(one.stddev) && isnan(one.cv) && isnan(one.mean_low) && isnan(one.mean_high),
	   "one value: no deviation and no interval, not 0");
	ok(s.mean == 4 && s.median == 2.5 && s.min == 1 && s.max == 10, "mean, median of an even number, extremes");
	is_near(s.stddev, sqrt(50 / 3.0), 1e-15, "stddev divides by n-1");
	is_near(s.cv, sqrt(50 / 3.0) / 4, 1e-15, "cv");
	ok(isnan(s.median_low) && isnan(s.median_high), "no interval of the median below 6 values");
	ok(values[0] == 3 && values[1] == 1 && values[3] == 10, "values keep their order");
	ok(stats_of((const double[]){ -1, 1 }, 2).mean == 0 && isnan(stats_of((const double[]){ -1, 1 }, 2).cv),
	   "no cv around a mean of 0");
	ok(stats_of((const double[]){ 1e308, 1e308, 1e308 }, 3).mean == 1e308, "sums do not overflow");
	ok(stats_of((const double[]){ 7, 7, 7, 7, 7, 7, 7 }, 7).stddev == 0, "equal values: deviation exactly 0");
}

static void test_intervals(void)
{
	static const double ten[] = { 8, 2, 7, 10, 1, 9, 3, 6, 4, 5 };
	struct stats s = stats_of(ten, 10), t = stats_from_summary(10, 17060.3, 77.09);

	/* t(0.975, 9) = 2.2621571627982054: R, and every table */
	is_near(s.mean_high - s.mean, 2.2621571627982054 * s.stddev / sqrt(10), 1e-10, "half width of the mean's interval");
	is_near(s.mean - s.mean_low, 2.2621571627982054 * s.stddev / sqrt(10), 1e-10, "to both sides");
	ok(s.median == 5.5 && s.median_low == 2 && s.median_high == 9, "n=10: median between 2nd and 9th");
	ok(stats_of(ten, 6).median_low == 1 && stats_of(ten, 6).median_high == 10, "n=6: between the extremes");
	ok(stats_of(ten, 7).median == 7, "n=7: median in the middle");
	ok(t.n == 10 && t.mean == 17060.3 && t.stddev == 77.09, "from a summary: as given");
	is_near(t.mean_high, 17060.3 + 2.2621571627982054 * 77.09 / sqrt(10), 1e-12, "from a summary: interval");
	is_near(t.cv, 77.09 / 17060.3, 1e-15, "from a summary: cv");
	ok(isnan(t.median) && isnan(t.min) && isnan(t.max) && isnan(t.median_low), "from a summary: no order statistics");
	ok(isnan(stats_from_summary(1, 5, 2).mean_low) && isnan(stats_from_summary(0, 5, 2).mean_low) &&
		   isnan(stats_from_summary(10, 5, NAN).mean_high),
	   "from a summary: no interval without n or stddev");
}

/* Rows of statref/median_ci_ranks.tsv (exact rational arithmetic): always run. */
static void test_ranks(void)
{
	static const struct {
		size_t n;
		double confidence;
		size_t rank;
	} rows[] = {
		{ 4, 0.9, 0 },	 { 5, 0.9, 1 },	  { 5, 0.95, 0 },  { 6, 0.95, 1 },  { 7, 0.99, 0 },  { 8, 0.99, 1 },
		{ 9, 0.95, 2 },	 { 10, 0.95, 2 }, { 12, 0.95, 3 }, { 20, 0.95, 6 }, { 30, 0.95, 10 }, { 59, 0.99, 20 },
		{ 60, 0.99, 20 }, { 2, 0.5, 1 },  { 3, 0.75, 1 }, /* the last two cover it exactly */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ok(stats_median_rank(rows[i].n, rows[i].confidence) == rows[i].rank, "n=%zu at %g: rank %zu", rows[i].n,
		   rows[i].confidence, rows[i].rank);
}

static void test_all_ranks(void)
{
	AUTOFCLOSE FILE *f = fopen(STATREF "median_ci_ranks.tsv", "r");
	size_t n, l, u, rows = 0, wrong = 0;
	double level, coverage;
	char line[512];

	if (!f) {
		skip(1, "no " STATREF "median_ci_ranks.tsv");
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%zu %lf %zu %zu %lf", &n, &level, &l, &u, &coverage) != 5)
			continue;
		rows++;
		wrong += stats_median_rank(n, level) != l;
	}
	ok(rows == 177 && !wrong, "ranks of the median's interval: %zu rows, %zu wrong", rows, wrong);
}

/* The library's quantiles, and our intervals out of them, against 20 digits computed independently. */
static void test_all_quantiles(void)
{
	AUTOFCLOSE FILE *f = fopen(STATREF "student_t_quantiles.tsv", "r");
	size_t rows = 0, intervals = 0;
	double df, p, want, worst = 0, worst_interval = 0;
	char line[512];

	if (!f) {
		skip(2, "no " STATREF "student_t_quantiles.tsv");
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lf %lf %lf", &df, &p, &want) != 3)
			continue;
		rows++;
		worst = fmax(worst, fabs(qt(p, df, 1, 0) / want - 1));
		if (p != 0.975 || df != floor(df))
			continue;
		intervals++;
		worst_interval = fmax(worst_interval,
				      fabs(stats_from_summary((size_t)df + 1, 0, 1).mean_high * sqrt(df + 1) / want - 1));
	}
	ok(rows == 231 && worst < 1e-10, "t quantiles: %zu rows, worst relative error %.1e", rows, worst);
	ok(intervals == 29 && worst_interval < 1e-10, "intervals of the mean: %zu rows, worst relative error %.1e",
	   intervals, worst_interval);
}

int main(void)
{
	test_nist();
	test_small();
	test_intervals();
	test_ranks();
	test_all_ranks();
	test_all_quantiles();
	return tap_done();
}
