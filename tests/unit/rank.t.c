// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/rank.h"

#include "tests/tap.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "common/mem.h"
#include "common/str.h"

#define STATREF "../shared/statref/"
#define PUBLISHED "../shared/published/"

typedef VEC(double) doubles_t;

/* "1,2,3" */
static void parse_list(const char *text, doubles_t *out)
{
	AUTOSTRINGS strings_t parts = { 0 };

	str_split(text, ',', &parts);
	for (size_t i = 0; i < parts.n; i++)
		*vec_push(out) = strtod(parts.items[i], NULL);
}

static double list_ratio(double got, double want)
{
	return want != 0 ? fabs(got / want - 1) : fabs(got);
}

/* ---- Welch ---- */

static struct welch welch_of(const char *x, const char *y)
{
	doubles_t a = { 0 }, b = { 0 };
	struct stats of_a, of_b;

	parse_list(x, &a);
	parse_list(y, &b);
	of_a = stats_of(a.items, a.n);
	of_b = stats_of(b.items, b.n);
	vec_free(&a);
	vec_free(&b);
	return stats_welch(&of_a, &of_b);
}

/* Rows of statref/welch_t.tsv: exact rational moments and 40 digits, R's own values in the first and the last. */
static void test_welch(void)
{
	static const struct {
		const char *x, *y;
		double t, df, p;
	} rows[] = {
		{ "1,2,3", "1.1,2.9,4.2", -0.68649512735572626, 3.4104431643463766, 0.53619490753126687 },
		{ "61233.5,60988.1,61502.7,61120.0,60875.4", "64001.2,63877.9,64220.3,63555.5,64101.8",
		  -17.876649421465098, 7.9780982861572225, 1.0135155511500034e-7 },
		{ "1,2,3,4,5", "5,4,3,2,1", 0, 8, 1 },
		{ "7,-4,18,17,-3,-5,1,10,11,-2", "-1,12,-1,-3,3,-5,5,2,-11,-1,-3", 1.6037172876755148,
		  15.590512968733771, 0.12883936962193396 },
		{ "1,3", "4,5", -2.2360679774997897, 1.4705882352941176, 0.19872738893452614 },
	};
	struct stats a = stats_from_summary(10, 5, 0), b = stats_from_summary(10, 6, 0), one = stats_of((double[]){ 5 }, 1);
	struct ratio r;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct welch w = welch_of(rows[i].x, rows[i].y);

		ok(list_ratio(w.t, rows[i].t) < 1e-10 && list_ratio(w.df, rows[i].df) < 1e-10 &&
			   list_ratio(w.p, rows[i].p) < 1e-10,
		   "Welch %s against %s: t=%.16g df=%.16g p=%.16g", rows[i].x, rows[i].y, w.t, w.df, w.p);
	}
	ok(isinf(stats_welch(&a, &b).t) && stats_welch(&a, &b).t < 0 && stats_welch(&a, &b).p == 0,
	   "nothing varies, means differ: p 0");
	ok(stats_welch(&a, &a).t == 0 && stats_welch(&a, &a).p == 1, "nothing varies, means are the same: p 1");
	ok(isnan(stats_welch(&a, &one).p), "one value has no deviation: no test");
	/* 2017, reads, 8 jobs: log se = sqrt(0.0173508^2/10 + 0.0160261^2/10), df 17.888, t 2.1019 */
	a = stats_from_summary(10, 12422.2, 215.535);
	b = stats_from_summary(10, 15335.3, 245.764);
	r = stats_ratio_of_means(&a, &b);
	is_near(r.value, 15335.3 / 12422.2, 1e-15, "ratio of two means");
	is_near(r.low, 1.2345076 * exp(-2.1019 * 0.0074694), 1e-4, "its interval, low end");
	is_near(r.high, 1.2345076 * exp(2.1019 * 0.0074694), 1e-4, "its interval, high end");
	a.mean = -1;
	ok(isnan(stats_ratio_of_means(&a, &b).value), "no ratio to a negative mean");
}

static void test_all_welch(void)
{
	AUTOFCLOSE FILE *f = fopen(STATREF "welch_t.tsv", "r");
	size_t rows = 0;
	double worst = 0, worst_offset = 0;
	char line[4096];

	if (!f) {
		skip(2, "no " STATREF "welch_t.tsv");
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		AUTOSTRINGS strings_t part = { 0 };
		struct welch w;
		double *here;

		str_split(line, '\t', &part);
		if (*line == '#' || part.n < 6 || !strcmp(part.items[0], "name"))
			continue;
		rows++;
		w = welch_of(part.items[1], part.items[2]);
		here = strstr(part.items[0], "offset 1e7") ? &worst_offset : &worst;
		*here = fmax(*here, list_ratio(w.t, strtod(part.items[3], NULL)));
		*here = fmax(*here, list_ratio(w.df, strtod(part.items[4], NULL)));
		*here = fmax(*here, list_ratio(w.p, strtod(part.items[5], NULL)));
	}
	ok(rows == 10 && worst < 1e-10, "Welch: %zu rows, worst relative error %.1e", rows, worst);
	/* 10000000.1 is no double: 8 digits are left of what it is beyond the 1e7 */
	ok(worst_offset > 0 && worst_offset < 1e-7, "Welch, offset 1e7: relative error %.1e", worst_offset);
}

/* ---- Mann-Whitney ---- */

static struct rank_test sum_of(const char *x, const char *y, const char *method)
{
	doubles_t a = { 0 }, b = { 0 };
	struct rank_test t;

	parse_list(x, &a);
	parse_list(y, &b);
	t = !strcmp(method, "exact") ? rank_sum(a.items, a.n, b.items, b.n)
				     : rank_sum_normal(a.items, a.n, b.items, b.n, !strcmp(method, "asymptotic_cc"));
	vec_free(&a);
	vec_free(&b);
	return t;
}

/* Rows of statref/mannwhitney_cases.tsv: R's wilcox.test. */
static void test_rank_sum(void)
{
	static const struct {
		const char *x, *y, *method;
		double u, p;
	} rows[] = {
		{ "19,22,16,29,24", "20,11,17,12", "exact", 17, 0.1111111111111111 },
		{ "1,2,3,4", "5,6,7,8", "exact", 0, 0.02857142857142857 },
		{ "1,3,5,7", "2,4,6", "exact", 6, 1 },
		{ "2,4,6,8,10,12,14,16,18", "-3,-1,1,3,5,7,9,11", "exact", 57, 0.046400658165364046 },
		{ "19,22,16,29,24", "20,11,17,12", "asymptotic_cc", 17, 0.11134688653314045 },
		{ "19,22,16,29,24", "20,11,17,12", "asymptotic", 17, 0.08641073297370003 },
		{ "1,2,3,4,10", "2,4,6,4,5", "asymptotic_cc", 8.5, 0.45780739419094196 },
		{ "1,2,3,4,10", "2,4,6,4,5", "asymptotic", 8.5, 0.39614390915207404 },
		/* ties, exact: of 10 choices of two, the sums of ranks 1, 2.5, 2.5, 4.5, 4.5 are 3.5 twice, 5, 5.5
		   twice, 7 four times, 9; "1,2" has 3.5 */
		{ "1,2", "2,3,3", "exact", 0.5, 0.4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rank_test t = sum_of(rows[i].x, rows[i].y, rows[i].method);

		ok(t.statistic == rows[i].u && fabs(t.p - rows[i].p) < 1e-14, "Mann-Whitney %s against %s, %s: U=%g p=%.16g",
		   rows[i].x, rows[i].y, rows[i].method, t.statistic, t.p);
	}
	ok(isnan(rank_sum(NULL, 0, (double[]){ 1 }, 1).p), "nothing against one value: no p");
	ok(sum_of("5,5,5", "5,5", "exact").p == 1 && sum_of("5,5,5", "5,5", "asymptotic").p == 1, "all equal: p 1");
}

static void test_all_rank_sum(void)
{
	AUTOFCLOSE FILE *cases = fopen(STATREF "mannwhitney_cases.tsv", "r"),
				*exact = fopen(STATREF "mannwhitney_exact.tsv", "r");
	size_t n_cases = 0, n_exact = 0, m, n, u;
	double worst = 0, worst_normal = 0, worst_exact = 0, le, ge, both;
	char line[4096];

	if (!cases || !exact) {
		skip(2, "no " STATREF "mannwhitney_*.tsv");
		return;
	}
	while (fgets(line, sizeof(line), cases)) {
		AUTOSTRINGS strings_t part = { 0 };
		struct rank_test t;
		double *here;

		str_split(str_trim(line), '\t', &part);
		if (*line == '#' || part.n < 6 || !strcmp(part.items[0], "source"))
			continue;
		n_cases++;
		t = sum_of(part.items[1], part.items[2], part.items[5]);
		here = t.exact ? &worst : &worst_normal;
		*here = fmax(*here, fabs(t.p - strtod(part.items[4], NULL)));
		*here = fmax(*here, fabs(t.statistic - strtod(part.items[3], NULL)));
	}
	/* the p of one is quoted to 13 digits */
	ok(n_cases == 12 && worst < 5e-14 && worst_normal < 1e-13,
	   "Mann-Whitney, cases of R and scipy: %zu rows, worst error exact %.1e, normal %.1e", n_cases, worst, worst_normal);
	while (fgets(line, sizeof(line), exact)) {
		double x[64], y[64];
		size_t left;

		if (sscanf(line, "%zu %zu %zu %lf %lf %lf", &m, &n, &u, &le, &ge, &both) != 6)
			continue;
		n_exact++;
		/* samples with this U: y are 1 … n, and each x stands above as many of them as is left to be had */
		left = u;
		for (size_t i = 0; i < n; i++)
			y[i] = (double)(i + 1);
		for (size_t i = 0; i < m; i++) {
			size_t above = left < n ? left : n;

			x[i] = (double)above + 0.5 + (double)i / 1000;
			left -= above;
		}
		worst_exact = fmax(worst_exact, fabs(rank_sum(x, m, y, n).p - both));
	}
	ok(n_exact == 235 && worst_exact < 1e-14, "Mann-Whitney, exact: %zu rows, worst error %.1e", n_exact, worst_exact);
}

/* ---- Wilcoxon ---- */

static void test_rank_signed(void)
{
	double v[60], worst = 0;
	struct rank_test t;

	/* against the library, which knows the distribution without ties */
	for (size_t n = 1; n <= 50; n += 7)
		for (size_t negative = 0; negative <= n; negative += 3) {
			double sum, want;

			for (size_t i = 0; i < n; i++)
				v[i] = (double)(i + 1) * (i < negative ? -1 : 1);
			sum = (double)(n * (n + 1) - negative * (negative + 1)) / 2;
			want = fmin(1, 2 * fmin(psignrank(sum, (double)n, 1, 0), psignrank(sum - 1, (double)n, 0, 0)));
			worst = fmax(worst, fabs(rank_signed(v, n).p - want));
		}
	ok(worst < 1e-12, "signed ranks without ties are R's psignrank, worst error %.1e", worst);
	t = rank_signed((double[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, 10);
	ok(t.statistic == 55 && t.p == 2 / 1024.0 && t.exact, "ten of one sign: p = 2/1024, the least there is");
	/* ranks 1.5 1.5 3 4; V = 1.5: sums at most 1.5 are {}, {1.5}, {1.5}: 3 of 16, twice */
	t = rank_signed((double[]){ 1, -1, -2, -3 }, 4);
	ok(t.statistic == 1.5 && t.p == 6 / 16.0, "ties share a rank");
	t = rank_signed((double[]){ 0, 0, 1, 2, 3 }, 5);
	ok(t.statistic == 6 && t.p == 2 / 8.0, "zeros are left out");
	ok(isnan(rank_signed((double[]){ 0, 0 }, 2).p), "only zeros: no p");
	for (size_t i = 0; i < 60; i++)
		v[i] = (double)(i + 1) * (i % 3 ? 1 : -1);
	t = rank_signed(v, 60);
	/* V = 1830 - sum of 1, 4 … 58 = 1240; mean 915, variance 60*61*121/24 */
	ok(!t.exact && t.statistic == 1240, "60 values: by the normal approximation");
	is_near(t.p, 2 * pnorm(324.5 / sqrt(60 * 61 * 121 / 24.0), 0, 1, 0, 0), 1e-12, "with continuity correction");
}

/* ---- Hodges-Lehmann ---- */

static void test_ratios(void)
{
	/* Hollander and Wolfe's depression scale, examples 3.1 to 3.3: 0.46 and (0.010, 0.786) */
	static const double d[] = { 0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010 };
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
			    y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct ratio r = rank_ratio_paired(d, 9);

	is_near(log(r.value), 0.46, 1e-12, "Hodges-Lehmann, paired: estimate");
	is_near(log(r.low), 0.010, 1e-12, "low end: the 6th smallest Walsh average");
	is_near(log(r.high), 0.786, 1e-12, "high end: the 6th largest");
	ok(isnan(rank_ratio_paired(d, 5).low) && !isnan(rank_ratio_paired(d, 5).value), "no interval of 5 pairs");
	ok(!isnan(rank_ratio_paired(d, 6).low), "one of 6");
	ok(isnan(rank_ratio_paired(d, 0).value), "nothing of no pairs");
	/* their permeability, examples 4.1 to 4.4: R gives 0.305 and [-0.15, 0.76] at 95.2% */
	r = rank_ratio(y, 5, x, 10);
	is_near(log(r.value), 0.305, 1e-12, "Hodges-Lehmann, two samples: estimate");
	is_near(log(r.low), -0.15, 1e-12, "low end");
	is_near(log(r.high), 0.76, 1e-12, "high end");
	ok(isnan(rank_ratio(y, 2, x, 3).low) && isnan(rank_ratio(y, 0, x, 3).value), "none where there is too little");
}

/* ---- the repetitions of the study of ICPE 2024 ---- */

static void test_repetitions(void)
{
	/* rows of published/icpe24_table34_kyber_5reps.tsv, computed with python's statistics */
	static const double reads[] = { 1931.961489, 1919.622669, 1886.936425, 1814.042183, 1827.619923 };
	struct stats s = stats_of(reads, 5);
	AUTOFCLOSE FILE *f = fopen(PUBLISHED "icpe24_table34_kyber_5reps.tsv", "r");
	size_t rows = 0;
	double v[5], mean, stddev, worst = 0;
	char line[1024];

	ok(fabs(s.mean - 1876.036538) < 1e-6 && fabs(s.stddev - 53.229755) < 1e-6, "five repetitions: mean and stddev");
	if (!f) {
		skip(1, "no " PUBLISHED "icpe24_table34_kyber_5reps.tsv");
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %*s %lf %lf %lf %lf %lf %lf %lf", v, v + 1, v + 2, v + 3, v + 4, &mean, &stddev) != 7)
			continue;
		rows++;
		s = stats_of(v, 5);
		worst = fmax(worst, fmax(fabs(s.mean - mean), fabs(s.stddev - stddev)));
	}
	ok(rows == 210 && worst < 1e-5, "all repetitions: %zu rows, worst difference %.1e (6 decimals are given)", rows,
	   worst);
}

int main(void)
{
	test_welch();
	test_all_welch();
	test_rank_sum();
	test_all_rank_sum();
	test_rank_signed();
	test_ratios();
	test_repetitions();
	return tap_done();
}
