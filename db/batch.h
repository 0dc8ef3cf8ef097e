/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_BATCH_H
#define DB_BATCH_H

#include "db/handle.h"

/*
 * Many writes in one transaction, for import: what store_begin() and store_end() enclose becomes a savepoint of it. Summaries
 * are kept in memory and written before the commit, in the order and arithmetic of SQL_SUMMARISE_RUN, so that they are
 * the same to the last bit.
 */
struct batch;

struct batch *batch_new(void);
void batch_free(struct batch *b);

/* For store_begin() and store_end() of a store with a batch. */
int batch_begin(struct store *s, struct err *err);
int batch_end(struct store *s, bool failed, struct err *err);

/* Commit what is there. 0 also if there is nothing. */
int batch_commit(struct store *s, struct err *err);

/* A cell has new runs: its state is set before the commit. */
void batch_note_cell(struct store *s, int64_t cell);

/* A sample of a run as a whole that counts. */
struct batch_sample {
	int64_t cell, environment, metric, actor, device;
	int direction;
};
int batch_add(struct store *s, const struct batch_sample *key, double value, struct err *err);

#endif
