/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_PLAN_H
#define CHECKS_PLAN_H

#include "checks/load.h"

/*
 * What the plan of a sweep makes doubtful: bfq-latency, io-priority, few-runs, sequential-order, stacked,
 * simulated-disk.
 */
void check_plan(const struct plan *p, const struct check_target *target, struct check_findings *out);

/*
 * To say before the first run: each finding of check_load over all cells once, with the first cell's figures and the
 * number of cells it concerns.
 */
void check_loads(const struct plan *p, const struct workload *w, const struct check_target *target,
		 struct check_findings *out);

#endif
