/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_MAINTAIN_H
#define DB_MAINTAIN_H

#include "db/store.h"

/* The care of a database that grows for years. See store.h for backup and check. */

struct raw_amount {
	int64_t runs;
	int64_t bytes, stored; /* as they came, and as they lie in the file */
};

/*
 * Forget the outputs of runs from before 'before_ns', but those of the sweeps 'keep': runs, samples, summaries stay. What was
 * measured elsewhere is as old as its import. '*out' says what went.
 */
int store_prune(struct store *s, int64_t before_ns, const int64_t *keep, size_t n_keep, struct raw_amount *out,
		struct err *err);

/*
 * Write the file anew without what is unused; bytes before and after. Needs as much space again meanwhile. '*held': another
 * process went on reading it, so that it did not get smaller; try again when that is done.
 */
int store_vacuum(struct store *s, int64_t *before, int64_t *after, bool *held, struct err *err);

struct table_size {
	char *name;
	int64_t bytes; /* with its indexes */
};
struct store_info {
	int64_t version; /* of the schema */
	int64_t bytes;	 /* of the file, without what is still in its '-wal' */
	int64_t unused;	 /* bytes of it that vacuum would give back */
	int64_t sweeps, imports, nights, cells, configs, environments, runs, runs_ok, samples;
	int64_t first_ns, last_ns; /* when the first and the last run started; 0: none */
	struct raw_amount raw;
	strings_t hosts;
	VEC(struct table_size) tables; /* the largest first; none where SQLite cannot tell */
};
int store_get_info(struct store *s, struct store_info *out, struct err *err);
void store_info_release(struct store_info *info);

#endif
