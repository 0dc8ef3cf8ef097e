/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_SUBSET_H
#define REPORT_SUBSET_H

#include <stdbool.h>

#include "db/series.h"
#include "parsers/metric.h"

/* For views: which series stand in one table. All series are borrowed. */

typedef VEC(const struct series *) members_t;

bool series_has_data(const struct series *s);

/* Equal strings, NULL and "" being the same; and NULL for both of these. */
bool same_text(const char *a, const char *b);
const char *given_text(const char *s);

/* "sequential reads" for "read"; NULL for a pattern that has no title. */
const char *pattern_title(const char *pattern);

/* What a table without a pattern is about: the workload, else the name of the sweep. Borrowed. */
const char *series_subject(const struct series *s);

/* The value of an axis that is the same in all of the set; NULL where it is not. Borrowed. */
const char *set_common_axis(const struct series_set *set, const char *name);

/* The kernel of all that has runs; NULL if there are several, or none is known. Borrowed. */
const char *set_common_kernel(const struct series_set *set);

/* Of how many sweeps with results is this warning stored? Where that is not known by sweep, one has it for all. */
enum set_share { SET_NONE, SET_SOME, SET_ALL };
enum set_share set_has_warning(const struct series_set *set, const char *code);

/* Append "bs 4 KiB": an axis and its value as a reader knows them, from a name that ends in its unit. */
void add_axis_text(struct str *out, const char *name, const char *value);

/* The series of a table. */
struct subset {
	members_t members; /* in the order of the plan; cells without data too */
	char *title;	   /* "sequential reads, bs 4 KiB" */
	char *label;	   /* "read-bs_bytes-4096" */
};
typedef VEC(struct subset) subsets_t;

/*
 * Append the subsets of one metric: a table a pattern, and within it one for each value of every other axis that
 * varies (but job counts and governors, which are rows and columns), each disk, each actor where there are several,
 * each direction where nothing sums them up. Only of whole runs, not of their single jobs.
 */
void subsets_find(const struct series_set *set, const struct metric *metric, subsets_t *out);
void subsets_release(subsets_t *subsets);

#endif
