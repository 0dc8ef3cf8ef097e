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

/*
 * Rank l (1 for the smallest) such that the l-th smallest and the l-th largest of n values enclose the median with
 * at least 'confidence' ("0.95"), whatever the distribution; 0 when n is too small for it.
 */
size_t stats_median_rank(size_t n, double confidence);

#endif
