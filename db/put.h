/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_PUT_H
#define DB_PUT_H

#include "db/batch.h"
#include "db/handle.h"
#include "db/store.h"

/* Rows of store.c, for other files of db/ that write: each inside of a transaction that the caller has begun. */

int intern_content(struct store *s, enum sql find, enum sql add, const char *text, int64_t *id, struct err *err);
int metric_id(struct store *s, const struct metric *metric, int64_t *id, struct err *err);

/* Fill the id of the row. */
int put_sweep_row(struct store *s, struct sweep_row *r, const struct workload_row *workload, struct err *err);
int put_cell(struct store *s, int64_t sweep, struct cell_row *cell, struct err *err);

/* 'boot_id' may be NULL. */
int put_invocation(struct store *s, int64_t sweep, const char *boot_id, const char *command, int64_t *id, struct err *err);

int put_run_row(struct store *s, const struct run_row *r, int64_t *id, struct err *err);
int put_detail(struct store *s, const struct run_row *r, int64_t run, struct err *err);
int put_raw(struct store *s, const struct run_row *r, int64_t run, struct err *err);
/* 'counts', with a batch: the cell and environment whose summaries the run enters; NULL: none. */
int put_samples(struct store *s, int64_t run, const char *actor_name, const struct parsed *parsed,
		const struct batch_sample *counts, struct err *err);

#endif
