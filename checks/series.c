// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "checks/limits.h"
#include "common/mem.h"

/* ---- spread ---- */

static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

static double stddev_of(const double *values, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

static void find_spread(const char *what, const double *values, size_t n, struct check_findings *out)
{
	double mean, stddev, half;

	if (n < SPREAD_MIN_RUNS)
		return;
	mean = mean_of(values, n);
	stddev = stddev_of(values, n, mean);
	half = qt(0.975, (double)n - 1, 1, 0) * stddev / sqrt((double)n) / mean;
	if (half > SPREAD_HALF_WIDTH)
		check_add(out, CHECK_SPREAD,
			  "%s: stddev over %zu runs is %.1f%% of the mean, which is known to +-%.0f%% only", what, n,
			  100 * stddev / mean, 100 * half);
}

/* ---- drift ---- */

struct line {
	double change; /* from the first block to the last, as a factor less 1: -0.1 is a loss of 10% */
	double p;      /* of a slope as large as this without any drift */
};

/* A straight line through logarithms, so that a change is one in percent. 'x' must not be all the same; n > 2. */
static struct line fit(const double *x, const double *logs, size_t n)
{
	double mean_x = mean_of(x, n), mean_y = mean_of(logs, n), xx = 0, xy = 0, rest = 0, slope, error;
	double first = x[0], last = x[0];

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (logs[i] - mean_y);
		first = fmin(first, x[i]);
		last = fmax(last, x[i]);
	}
	slope = xy / xx;
	for (size_t i = 0; i < n; i++)
		rest += pow(logs[i] - mean_y - slope * (x[i] - mean_x), 2);
	error = sqrt(rest / (double)(n - 2) / xx);
	return (struct line){ .change = exp(slope * (last - first)) - 1,
			      .p = error > 0 ? 2 * pt(-fabs(slope / error), (double)n - 2, 1, 0) : 0 };
}

static bool is_drift(const struct line *line, double p)
{
	return line->p < p && fabs(line->change) > DRIFT_SHARE;
}

static bool has_range(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] > x[0] || x[i] < x[0])
			return true;
	return false;
}

void check_series(const char *what, const double *values, const unsigned *blocks, size_t n,
		  struct check_findings *out)
{
	AUTOFREE double *x = mem_alloc(n, sizeof(double)), *logs = mem_alloc(n, sizeof(double));
	struct line line;

	find_spread(what, values, n, out);
	for (size_t i = 0; i < n; i++) {
		x[i] = blocks[i];
		logs[i] = log(values[i]);
	}
	if (n < DRIFT_MIN_BLOCKS || !has_range(x, n))
		return;
	line = fit(x, logs, n);
	if (is_drift(&line, DRIFT_P_CELL))
		check_add(out, CHECK_DRIFT, "%s changed by %+.1f%% from the first of %zu runs to the last (p=%.2g)",
			  what, 100 * line.change, n, line.p);
}

static int by_cell(const void *a, const void *b)
{
	const struct check_point *p = a, *q = b;

	return p->cell < q->cell ? -1 : p->cell > q->cell;
}

static int by_block(const void *a, const void *b)
{
	const struct check_point *p = a, *q = b;

	return p->block < q->block ? -1 : p->block > q->block;
}

/* What is left of each value's logarithm when the mean of its cell is taken away. */
static void subtract_cells(struct check_point *points, size_t n)
{
	qsort(points, n, sizeof(*points), by_cell);
	for (size_t i = 0, end; i < n; i = end) {
		double sum = 0;

		for (end = i; end < n && points[end].cell == points[i].cell; end++)
			sum += points[end].value;
		for (size_t k = i; k < end; k++)
			points[k].value -= sum / (double)(end - i);
	}
}

void check_sweep_drift(const char *what, const struct check_point *points, size_t n, struct check_findings *out)
{
	AUTOFREE struct check_point *left = mem_alloc(n, sizeof(*left));
	AUTOFREE double *x = mem_alloc(n, sizeof(double)), *means = mem_alloc(n, sizeof(double));
	size_t blocks = 0;
	struct line line;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		left[i] = (struct check_point){ points[i].cell, points[i].block, log(points[i].value) };
	subtract_cells(left, n);
	qsort(left, n, sizeof(*left), by_block);
	for (size_t i = 0, end; i < n; i = end, blocks++) {
		double sum = 0;

		for (end = i; end < n && left[end].block == left[i].block; end++)
			sum += left[end].value;
		x[blocks] = left[i].block;
		means[blocks] = sum / (double)(end - i);
	}
	if (blocks < DRIFT_MIN_BLOCKS)
		return;
	line = fit(x, means, blocks);
	if (is_drift(&line, DRIFT_P_SWEEP))
		check_add(out, CHECK_SWEEP_DRIFT,
			  "%s of all cells together changed by %+.1f%% from the first of %zu blocks to the "
			  "last (p=%.2g)",
			  what, 100 * line.change, blocks, line.p);
}

/* ---- */

void check_frequency(const char *governor, const double *khz, size_t n, struct check_findings *out)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < n; i++) {
		if (khz[i] <= 0)
			return;
		low = fmin(low, khz[i]);
		high = fmax(high, khz[i]);
	}
	if (!strcmp(governor, "performance") && high > low * (1 + FREQUENCY_SHARE))
		check_add(out, CHECK_CPU_FREQUENCY, "CPUs ran at %.0f MHz in one run, at %.0f MHz in another",
			  low / 1000, high / 1000);
}

void check_attempts(unsigned invalid, unsigned all, struct check_findings *out)
{
	if (invalid)
		check_add(out, CHECK_SETTINGS_CHANGED, "%u of %u runs were not valid", invalid, all);
}
