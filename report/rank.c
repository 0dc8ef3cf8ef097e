// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "common/mem.h"

#define EXACT_MAX 50 /* values a side; R's wilcox.test stops at the same */
#define TAIL 0.025   /* of a 95% interval, each side */

/* A value and which sample, or sign, it has. 'doubled': twice its rank, so that the ranks of ties are whole. */
struct ranked {
	double value;
	bool first;
	unsigned doubled;
};

static int by_ranked_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* Sort and rank; gives the sum of t^3 - t over groups of t ties. */
static double rank_all(struct ranked *r, size_t n)
{
	double ties = 0;
	size_t end;

	if (n)
		qsort(r, n, sizeof(*r), by_ranked_value);
	for (size_t i = 0; i < n; i = end) {
		double t;

		end = i;
		while (end < n && r[end].value == r[i].value)
			end++;
		for (size_t k = i; k < end; k++)
			r[k].doubled = (unsigned)(i + 1 + end);
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

static unsigned doubled_sum(const struct ranked *r, size_t n, bool first)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += r[i].first == first ? r[i].doubled : 0;
	return sum;
}

static double two_sided(double below, double above)
{
	return fmin(1, 2 * fmin(below, above));
}

/* Two-sided p of 'sum' among equally likely subsets; ways[s] counts those that sum up to s. */
static double tail_of(const double *ways, size_t n_sums, unsigned sum, double total)
{
	double below = 0, above = 0;

	for (size_t s = 0; s < n_sums; s++) {
		below += s <= sum ? ways[s] : 0;
		above += s >= sum ? ways[s] : 0;
	}
	return two_sided(below / total, above / total);
}

/*
 * The library's psignrank() and pwilcox() know no ties, which rounded figures have: count the subsets of the ranks as
 * they are. Counts are whole numbers in doubles, exact up to 2^53.
 */
static double exact_signed(const struct ranked *r, size_t n, unsigned sum)
{
	unsigned all = doubled_sum(r, n, true) + doubled_sum(r, n, false);
	AUTOFREE double *ways = mem_alloc(all + 1, sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (unsigned s = all + 1; s-- > r[i].doubled;)
			ways[s] += ways[s - r[i].doubled];
	return tail_of(ways, all + 1, sum, ldexp(1, (int)n));
}

/* As above, among the subsets of m of all n. */
static double exact_sum(const struct ranked *r, size_t n, size_t m, unsigned sum)
{
	unsigned all = doubled_sum(r, n, true) + doubled_sum(r, n, false);
	AUTOFREE double *ways = mem_alloc((m + 1) * (all + 1), sizeof(*ways));
	double total = 0;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i < m ? i + 1 : m; k; k--) {
			double *with = ways + k * (all + 1), *without = with - (all + 1);

			for (unsigned s = r[i].doubled; s <= all; s++)
				with[s] += without[s - r[i].doubled];
		}
	for (unsigned s = 0; s <= all; s++)
		total += ways[m * (all + 1) + s];
	return tail_of(ways + m * (all + 1), all + 1, sum, total);
}

/* 'distance' of a statistic from its mean. */
static double normal_p(double distance, double variance, bool continuity)
{
	if (!(variance > 0))
		return 1;
	distance = fabs(distance) - (continuity ? 0.5 : 0);
	return fmin(1, 2 * pnorm(distance / sqrt(variance), 0, 1, 0, 0));
}

struct rank_test rank_signed(const double *differences, size_t n)
{
	AUTOFREE struct ranked *r = mem_alloc(n, sizeof(*r));
	struct rank_test t = { NAN, NAN, true };
	double ties, k;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (differences[i] != 0)
			r[kept++] = (struct ranked){ fabs(differences[i]), differences[i] > 0, 0 };
	if (!kept)
		return t;
	ties = rank_all(r, kept);
	t.statistic = doubled_sum(r, kept, true) / 2.0;
	t.exact = kept <= EXACT_MAX;
	k = (double)kept;
	t.p = t.exact ? exact_signed(r, kept, doubled_sum(r, kept, true))
		      : normal_p(t.statistic - k * (k + 1) / 4, k * (k + 1) * (2 * k + 1) / 24 - ties / 48, true);
	return t;
}

static struct ranked *rank_both(const double *x, size_t m, const double *y, size_t n, double *ties)
{
	struct ranked *r = mem_alloc(m + n, sizeof(*r));

	for (size_t i = 0; i < m; i++)
		r[i] = (struct ranked){ x[i], true, 0 };
	for (size_t i = 0; i < n; i++)
		r[m + i] = (struct ranked){ y[i], false, 0 };
	*ties = rank_all(r, m + n);
	return r;
}

struct rank_test rank_sum_normal(const double *x, size_t m, const double *y, size_t n, bool continuity)
{
	double ties, a = (double)m, b = (double)n, all = a + b;
	AUTOFREE struct ranked *r = rank_both(x, m, y, n, &ties);
	struct rank_test t = { NAN, NAN, false };

	if (!m || !n)
		return t;
	t.statistic = doubled_sum(r, m + n, true) / 2.0 - a * (a + 1) / 2;
	t.p = normal_p(t.statistic - a * b / 2, a * b / 12 * (all + 1 - ties / (all * (all - 1))), continuity);
	return t;
}

struct rank_test rank_sum(const double *x, size_t m, const double *y, size_t n)
{
	double ties;
	AUTOFREE struct ranked *r = rank_both(x, m, y, n, &ties);
	struct rank_test t = rank_sum_normal(x, m, y, n, true);

	if (!m || !n || m > EXACT_MAX || n > EXACT_MAX)
		return t;
	t.exact = true;
	t.p = exact_sum(r, m + n, m, doubled_sum(r, m + n, true));
	return t;
}

/* The ratio in the middle of n shifts (which this sorts), and those at rank k from both ends; k 0: no interval. */
static struct ratio ratio_of(double *shifts, size_t n, double k)
{
	struct ratio r = { NAN, NAN, NAN };

	if (!n)
		return r;
	r.value = exp(stats_sort(shifts, n));
	if (k >= 1 && k <= (double)n) {
		r.low = exp(shifts[(size_t)k - 1]);
		r.high = exp(shifts[n - (size_t)k]);
	}
	return r;
}

struct ratio rank_ratio_paired(const double *log_ratios, size_t n)
{
	AUTOFREE double *walsh = mem_alloc(n * (n + 1) / 2 + 1, sizeof(*walsh));
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[k++] = (log_ratios[i] + log_ratios[j]) / 2;
	return ratio_of(walsh, k, n ? qsignrank(TAIL, (double)n, 1, 0) : 0);
}

struct ratio rank_ratio(const double *log_x, size_t m, const double *log_y, size_t n)
{
	AUTOFREE double *shifts = mem_alloc(m * n + 1, sizeof(*shifts));

	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			shifts[i * n + j] = log_y[j] - log_x[i];
	return ratio_of(shifts, m * n, m && n ? qwilcox(TAIL, (double)m, (double)n, 1, 0) : 0);
}
