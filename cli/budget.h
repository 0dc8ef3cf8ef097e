/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What fits into a night. First all sweeps make fewer runs, as equally many as can be and as far down as they may; then
 * rows are left out, the last of the last sweep first, because a plan says first what matters most. A twentieth of the time
 * is kept: what was estimated takes a little longer.
 */
struct budget_part {
	unsigned runs, runs_min; /* as asked for, and the least that is worth it */
	uint64_t *row_ns;	 /* one repetition of each row */
	size_t n_rows;
	bool canaries;
	unsigned fit_runs; /* what it came to */
	size_t fit_rows;   /* the first so many; 0: nothing */
};

/* Below, no comparison of pairs can be significant. */
#define BUDGET_LEAST_RUNS 6

void budget_fit(struct budget_part *parts, size_t n, uint64_t budget_ns);

/* All of it as an estimate. */
uint64_t budget_total_ns(const struct budget_part *parts, size_t n);

#endif
