/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/store.h"

/* An import of the source that did not come, and the sweep that holds the same files here: uuids, owned. */
struct import_twin {
	char *uuid, *other;
};
typedef VEC(struct import_twin) import_twins_t;

/* What a merge has brought, and what was there. */
struct merge_counts {
	int64_t sweeps_new, sweeps_grown, runs_new, runs_known;
	import_twins_t known;
	strings_t baselines; /* names that were two sweeps: the one that was named last has it now */
	strings_t left; /* tables of the source that hold rows and that we do not know */
};

/*
 * Bring everything of the database 'path' that the database 'to' does not have yet, in one transaction: all of it or, after
 * an error, nothing. 'to' is made if absent. A run is known by its uuid, so the same one comes once; environments, workloads,
 * settings and configurations are kept once by what they hold, and so are imports: one of which all files were imported into
 * 'to' before does not come. Of a sweep that both have, the new runs come, and the state is that of the file where it was last
 * worked on. The source is only read, others may go on using it; one of an older schema
 * is copied, and the copy brought up to date. Writers to 'to' wait meanwhile. ERR_NEEDS as store_open(); ERR_USAGE: both
 * are the same file.
 */
int store_merge(const char *to, const char *path, struct merge_counts *counts, struct err *err);
void merge_counts_release(struct merge_counts *counts);

#endif
