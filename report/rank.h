/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "report/stats.h"

/* Rank tests and the estimates that belong to them. Pure; values must be finite. */

struct rank_test {
	double statistic; /* Wilcoxon's V, Mann-Whitney's U of the first sample; ties count half */
	double p;	  /* two-sided; NaN when there is nothing to rank */
	bool exact;
};

/*
 * Wilcoxon's signed rank test of differences around 0, zeros left out. Exact up to 50 differences, conditional on
 * the ties there are; above by the normal approximation with correction for ties and continuity.
 */
struct rank_test rank_signed(const double *differences, size_t n);

/* Mann-Whitney of two samples. Exact, conditional on the ties, while both have at most 50 values; else normal. */
struct rank_test rank_sum(const double *x, size_t m, const double *y, size_t n);

/* The same by the normal approximation whatever the size, with Yates' continuity correction or without. */
struct rank_test rank_sum_normal(const double *x, size_t m, const double *y, size_t n, bool continuity);

/*
 * Hodges and Lehmann's shift with its 95% interval (Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods",
 * 3.2, 3.3, 4.2, 4.3), here the ratio exp(shift) of logarithms: of paired differences the median of the Walsh
 * averages (no interval below 6), of two samples the median of all y - x (no interval where 95% cannot be had).
 */
struct ratio rank_ratio_paired(const double *log_ratios, size_t n);
struct ratio rank_ratio(const double *log_x, size_t m, const double *log_y, size_t n);

#endif
