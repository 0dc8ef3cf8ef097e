// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "common/mem.h"

#define CONFIDENCE 0.95

/* Neumaier's variant of Kahan's sum; "Rundungsfehleranalyse einiger Verfahren zur Summation", ZAMM 54 (1974). */
struct sum {
	long double total, lost;
};

static void sum_add(struct sum *s, long double x)
{
	long double t = s->total + x;

	s->lost += fabsl(s->total) >= fabsl(x) ? (s->total - t) + x : (x - t) + s->total;
	s->total = t;
}

static long double sum_of(const struct sum *s)
{
	return s->total + s->lost;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

static void add_mean_interval(struct stats *s)
{
	double half;

	if (s->mean != 0)
		s->cv = s->stddev / s->mean;
	if (s->n < 2)
		return;
	half = qt(1 - (1 - CONFIDENCE) / 2, (double)s->n - 1, 1, 0) * s->stddev / sqrt((double)s->n);
	s->mean_low = s->mean - half;
	s->mean_high = s->mean + half;
}

static void add_order_statistics(struct stats *s, const double *values)
{
	AUTOFREE double *sorted = mem_alloc(s->n, sizeof(*sorted));
	size_t n = s->n, rank = stats_median_rank(n, CONFIDENCE);

	memcpy(sorted, values, n * sizeof(*sorted));
	s->median = stats_sort(sorted, n);
	s->min = sorted[0];
	s->max = sorted[n - 1];
	if (rank) {
		s->median_low = sorted[rank - 1];
		s->median_high = sorted[n - rank];
	}
}

struct stats stats_of(const double *values, size_t n)
{
	struct sum sum = { 0 }, squares = { 0 }, rest = { 0 };
	struct stats s = stats_from_summary(0, NAN, NAN);
	long double mean, r;

	if (!n)
		return s;
	for (size_t i = 0; i < n; i++)
		sum_add(&sum, values[i]);
	mean = sum_of(&sum) / n;
	for (size_t i = 0; i < n; i++) {
		sum_add(&rest, values[i] - mean);
		sum_add(&squares, (values[i] - mean) * (values[i] - mean));
	}
	/* 'rest' would be 0 if the mean were exact: Chan, Golub and LeVeque's correction (1983). */
	r = sum_of(&rest);
	s = stats_from_summary(n, (double)mean, n > 1 ? (double)sqrtl((sum_of(&squares) - r * r / n) / (n - 1)) : NAN);
	add_order_statistics(&s, values);
	return s;
}

struct stats stats_from_summary(size_t n, double mean, double stddev)
{
	struct stats s = { n, mean, stddev, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	add_mean_interval(&s);
	return s;
}

/* Satterthwaite's degrees of freedom of a sum of two squared standard errors. */
static double joint_df(double va, size_t na, double vb, size_t nb)
{
	return (va + vb) * (va + vb) / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
}

struct welch stats_welch(const struct stats *a, const struct stats *b)
{
	double va, vb, difference = a->mean - b->mean;
	struct welch w = { NAN, NAN, NAN };

	if (a->n < 2 || b->n < 2 || isnan(a->stddev) || isnan(b->stddev) || isnan(difference))
		return w;
	va = a->stddev * a->stddev / (double)a->n;
	vb = b->stddev * b->stddev / (double)b->n;
	if (va + vb == 0)
		return (struct welch){ difference != 0 ? copysign(INFINITY, difference) : 0, (double)(a->n + b->n - 2),
				       difference != 0 ? 0 : 1 };
	w.t = difference / sqrt(va + vb);
	w.df = joint_df(va, a->n, vb, b->n);
	w.p = 2 * pt(-fabs(w.t), w.df, 1, 0);
	return w;
}

struct ratio stats_ratio_of_means(const struct stats *a, const struct stats *b)
{
	struct ratio r = { b->mean / a->mean, NAN, NAN };
	double va, vb, half = 0;

	if (!(a->mean > 0 && b->mean > 0))
		return (struct ratio){ NAN, NAN, NAN };
	if (a->n < 2 || b->n < 2 || isnan(a->cv) || isnan(b->cv))
		return r;
	va = a->cv * a->cv / (double)a->n;
	vb = b->cv * b->cv / (double)b->n;
	if (va + vb > 0)
		half = qt(1 - (1 - CONFIDENCE) / 2, joint_df(va, a->n, vb, b->n), 1, 0) * sqrt(va + vb);
	r.low = r.value * exp(-half);
	r.high = r.value * exp(half);
	return r;
}

size_t stats_median_rank(size_t n, double confidence)
{
	double tail = (1 - confidence) / 2;
	double k = qbinom(tail, (double)n, 0.5, 1, 0); /* smallest k with P(X <= k) >= tail */

	/* pbinom() is right to some ulp only: a tail that is met exactly must not fail by one. */
	return (size_t)(pbinom(k, (double)n, 0.5, 1, 0) <= tail * (1 + 1e-12) ? k + 1 : k);
}
