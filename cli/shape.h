/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include "cli/command.h"
#include "db/store.h"
#include "report/view.h"
#include "runner/scenario.h"

/*
 * The shape that a workload wants its tables in: options of its comment ("# iobench: --layout cpu"), and the metrics
 * of its actors. Both are taken from the database, so that every report of a sweep looks as the sweep's own.
 */
struct shape {
	struct options options; /* those given, and what the workload wants beside them, marked as preset */
	VEC(struct view_main) mains; /* of all the sweeps' workloads, each once */
	VEC(struct scenario) scenarios; /* hold the mains' names */
};

/* Workloads that differ in what they want have no shape together; one that this iobench cannot read has none. */
int shape_find(const struct options *given, struct store *s, const int64_t *sweeps, size_t n, struct shape *out,
	       struct err *err);
void shape_release(struct shape *shape);

#endif
