/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_STATS_H
#define REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Pure arithmetic on doubles; distributions from R's mathlib. Missing values must be left out by the caller. */

struct stats {
	size_t n;
	double mean;   /* NaN when n is 0; so are median, min, max */
	double stddev; /* sample, n-1; NaN when n < 2 */
	double median;
	double min, max;
	double cv;			/* stddev / mean; NaN where one is missing or the mean is 0 */
	double mean_low, mean_high;	/* 95% interval of the mean (Student); NaN when n < 2 */
	double median_low, median_high; /* at least 95% interval of the median (order statistics); NaN when n < 6 */
};

/*
 * Summary of 'n' values. Mean and deviation are computed in two passes with compensated sums, so that NIST's StRD
 * sets come out to the digits that double holds. 'values' is not changed.
 */
struct stats stats_of(const double *values, size_t n);

/*
 * The same from n, mean and stddev alone (published tables; NaN where not given, n 0 if it is not known): the cv and
 * the interval of the mean follow, the other fields are NaN.
 */
struct stats stats_from_summary(size_t n, double mean, double stddev);

/* Sort values, one at least: their median. */
double stats_sort(double *values, size_t n);

/*
 * Rank l (1 for the smallest) such that the l-th smallest and the l-th largest of n values enclose the median with
 * at least 'confidence' ("0.95"), whatever the distribution; 0 when n is too small for it.
 */
size_t stats_median_rank(size_t n, double confidence);

/* Welch's test that two means are equal, whatever their deviations; NaN where it cannot be told. */
struct welch {
	double t, df, p; /* t > 0: the first mean is the larger one; p two-sided */
};

/*
 * From n, mean and stddev alone, so for published tables too. Needs two values on each side; where nothing varies,
 * t is 0 or infinite and p 1 or 0.
 */
struct welch stats_welch(const struct stats *a, const struct stats *b);

/* A ratio and its 95% interval; NaN where it is not known. */
struct ratio {
	double value, low, high;
};

/*
 * Mean of b over mean of a from summaries: Welch's interval of the difference of the logs, whose deviations are the
 * cv (delta method). Means must be positive.
 */
struct ratio stats_ratio_of_means(const struct stats *a, const struct stats *b);

#endif
