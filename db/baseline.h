/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_BASELINE_H
#define DB_BASELINE_H

#include "common/err.h"
#include "common/file.h"
#include "common/mem.h"
#include "common/str.h"

struct store;

/*
 * What 'check' holds a night against. A database of before schema 2 that cannot be written has none of it. Rows that
 * come out own their strings, rows that go in borrow them.
 */

/* A sweep that was good, by a name. */
struct baseline_row {
	char *name;
	int64_t sweep;
	char *sweep_name, uuid[UUID_TEXT]; /* of the sweep; filled in by queries */
	int64_t started_ns;
};
typedef VEC(struct baseline_row) baseline_rows_t;
void baseline_rows_release(baseline_rows_t *rows);

int store_set_baseline(struct store *s, const char *name, int64_t sweep, struct err *err); /* a name may move */
int store_list_baselines(struct store *s, baseline_rows_t *out, struct err *err);	   /* by name */

/* A change that is known: sweeps started before it do not count for the cells that it is about. */
struct acknowledged_row {
	char uuid[UUID_TEXT]; /* filled in by queries */
	int64_t since_ns, made_ns;
	strings_t conditions; /* as of --where: "variant=bfq"; none: all cells */
	char *reason;
};
typedef VEC(struct acknowledged_row) acknowledged_rows_t;
void acknowledged_rows_release(acknowledged_rows_t *rows);

int store_acknowledge(struct store *s, const struct acknowledged_row *row, struct err *err);
int store_list_acknowledged(struct store *s, acknowledged_rows_t *out, struct err *err); /* oldest change first */

/* Forget the baseline of this name, or the one acknowledgement whose uuid starts so. ERR_USAGE if there is none. */
int store_remove_baseline(struct store *s, const char *name, struct err *err);

/* Which sweeps there are and when they started, oldest first; of those that were measured here. */
struct sweep_time {
	int64_t id, started_ns;
};
typedef VEC(struct sweep_time) sweep_times_t;
int store_list_sweep_times(struct store *s, sweep_times_t *out, struct err *err);

/* The settings as read back in a run, JSON; NULL if none are stored. The caller frees. */
int store_get_effective(struct store *s, int64_t run, char **json, struct err *err);

#endif
