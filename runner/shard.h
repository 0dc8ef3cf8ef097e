/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_SHARD_H
#define RUNNER_SHARD_H

#include "runner/plan.h"

/*
 * Parts of a plan for several boxes, or several nights. A row (what has the same value on every axis but the governor) is in
 * one shard with all its variants, so that whatever is compared is measured together. Which one follows from the plan alone:
 * the longest rows are dealt first, each to the shard that has the least to do so far.
 */

/* "2/8"; ERR_USAGE unless 1 <= part <= of. */
int shard_parse(const char *text, unsigned *part, unsigned *of, struct err *err);

/* Leave only the cells of that part in the plan, in their order: none where there are fewer rows than shards. */
void shard_cut(struct plan *p, unsigned part, unsigned of);

/* Rows of a whole plan. */
size_t shard_count_rows(const struct plan *p);

/* The same for all shards of a plan, on any disk and host: variants, axes, runs. For a name; the caller frees. */
char *shard_plan_name(const struct plan *p);

#endif
