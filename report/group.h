/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_GROUP_H
#define REPORT_GROUP_H

#include <stdbool.h>

#include "report/subset.h"

/* For views: which series of a table stand in one group of columns, and what readers must know of them. */

/* A variant under one governor, in one environment and sweep. */
struct group {
	const struct series *series; /* one of them, for what they have in common */
	bool measured;		     /* by us, not imported */
	char *legend;		     /* for readers: "bfq, intel_pstate driver, powersave governor" */
	char *words;		     /* the same without the numbers that tell it from another with these words */
	const char *name;	     /* for machines: the variant where that tells it from the others, else the legend */
};
typedef VEC(struct group) groups_t;

/* Append the groups in order of their first cell. Legends say of kernel, host, sweep, environment what differs. */
void groups_find(const members_t *members, groups_t *out);
void groups_release(groups_t *groups);

/* Which of them a series with data belongs to. */
size_t group_index(const groups_t *groups, const struct series *s);

/* Whether the machines that measured these had no cpufreq, all of them. */
bool groups_lack_cpufreq(const groups_t *groups);

/* Append to 'notes' why cells have no data, once a variant and reason: "cfq: not measured: the kernel lacks it". */
void gap_notes(const members_t *members, strings_t *notes);

/* Append how the runs of rows came to an end that were to be precise: "jobs 4: stopped after 8 runs: …". */
void stop_notes(const members_t *members, strings_t *notes);

/* Append which box has measured which job counts, where shards of one plan are of several: "shard 1/2: jobs 1, 4 on host a". */
void shard_notes(const members_t *members, strings_t *notes);

/* The job count of a cell as text, "" where it has none, and qsort's order of such texts. */
const char *series_jobs(const struct series *s);
int series_jobs_order(const void *a, const void *b);

#endif
