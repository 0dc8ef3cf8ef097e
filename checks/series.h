/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_SERIES_H
#define CHECKS_SERIES_H

#include <stddef.h>

#include "checks/finding.h"

/*
 * Findings from many runs, at the end of a sweep. Only valid measurements go in: positive values of one metric, of
 * runs that count.
 */

/* The runs of one cell: spread, drift. 'blocks' are their block numbers (of canaries: their places in the sweep). */
void check_series(const char *what, const double *values, const unsigned *blocks, size_t n,
		  struct check_findings *out);

/*
 * All runs of a sweep: does the mean over its cells drift (sweep-drift)? A machine that gets slower hits all cells of
 * a block, so this sees what is lost in the spread of each. 'cell' only tells cells apart.
 */
struct check_point {
	unsigned cell, block;
	double value;
};
void check_sweep_drift(const char *what, const struct check_point *points, size_t n, struct check_findings *out);

/*
 * Mean frequency of the CPUs in kHz in each run of a cell, 0 where it is not known (cpu-frequency). Only the governor
 * "performance" promises one that stays.
 */
void check_frequency(const char *governor, const double *khz, size_t n, struct check_findings *out);

/* How the runs of a cell went: those that were thrown away because somebody changed settings (settings-changed). */
void check_attempts(unsigned invalid, unsigned all, struct check_findings *out);

#endif
