/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_DISTRIBUTION_H
#define CLI_DISTRIBUTION_H

#include "db/series.h"
#include "db/store.h"
#include "report/plot.h"

/*
 * Append the plots of how latencies are distributed: a curve a variant, over all its runs in 'set' together, from the
 * histograms in their outputs. ERR_FAULT: no output has any (they were pruned, or come from elsewhere).
 */
int distribution_plots(struct store *s, const struct series_set *set, const int64_t *sweeps, size_t n_sweeps,
		       enum direction direction, plots_t *out, struct err *err);

#endif
