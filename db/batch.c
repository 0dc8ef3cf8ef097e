// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/batch.h"

#include <string.h>

#include "common/units.h"

/* A batch ends with the first write behind one of these. */
#define BATCH_WRITES 4096
#define BATCH_NS (2 * NS_PER_S) /* others wait for the lock, and give up after STORE_BUSY_MS */

#define SLOTS_MIN 1024 /* a power of two, as all sizes of the table */

struct sum {
	struct batch_sample key;
	int64_t n; /* 0: a free slot */
	double mean, m2, min, max;
};

struct batch {
	bool open; /* a transaction is */
	unsigned writes;
	int64_t started_ns;
	bool undone; /* some write was rolled back: the sums hold more than the file */
	VEC(int64_t) cells; /* with new runs */
	struct sum *sums;
	size_t slots, used;
};

struct batch *batch_new(void)
{
	return mem_alloc(1, sizeof(struct batch));
}

static void forget(struct batch *b)
{
	vec_free(&b->cells);
	free(b->sums);
	*b = (struct batch){ 0 };
}

void batch_free(struct batch *b)
{
	if (b)
		forget(b);
	free(b);
}

int batch_begin(struct store *s, struct err *err)
{
	struct batch *b = s->batch;

	if (!b->open && sql_run(s, SQL_BEGIN, NO_ARGS, err))
		return -1;
	if (!b->open)
		b->started_ns = now_monotonic_ns();
	b->open = true;
	return sql_run(s, SQL_SAVEPOINT, NO_ARGS, err);
}

int batch_end(struct store *s, bool failed, struct err *err)
{
	struct batch *b = s->batch;

	if (failed) {
		b->undone = true;
		/* a full disk has rolled back all of it already */
		if (sqlite3_get_autocommit(s->db))
			forget(b);
		else if (!sql_run(s, SQL_ROLLBACK_TO, NO_ARGS, NULL))
			sql_run(s, SQL_RELEASE, NO_ARGS, NULL);
		return -1;
	}
	if (sql_run(s, SQL_RELEASE, NO_ARGS, err))
		return -1;
	if (++b->writes >= BATCH_WRITES || now_monotonic_ns() - b->started_ns > BATCH_NS)
		return batch_commit(s, err);
	return 0;
}

static int write_sum(struct store *s, const struct sum *y, struct err *err)
{
	const struct batch_sample *k = &y->key;

	return sql_run(s, SQL_SET_SUMMARY,
		       ARGS(sql_int(k->cell), sql_int(k->environment), sql_int(k->metric), sql_int(k->direction),
			    sql_int(k->actor), sql_int(k->device), sql_int(y->n), sql_real(y->mean), sql_real(y->m2),
			    sql_real(y->min), sql_real(y->max)), err);
}

static int write_sums(struct store *s, const struct batch *b, struct err *err)
{
	for (size_t i = 0; !b->undone && i < b->slots; i++)
		if (b->sums[i].n && write_sum(s, &b->sums[i], err))
			return -1;
	for (size_t i = 0; i < b->cells.n; i++) {
		struct sql_arg cell = sql_int(b->cells.items[i]);

		if (b->undone && (sql_run(s, SQL_FORGET_SUMMARIES, &cell, 1, err) || sql_run(s, SQL_SUMMARISE_CELL, &cell, 1, err)))
			return -1;
		if (sql_run(s, SQL_SET_IMPORTED_CELL, &cell, 1, err))
			return -1;
	}
	return 0;
}

int batch_commit(struct store *s, struct err *err)
{
	struct batch *b = s->batch;
	bool failed;

	if (!b->open)
		return 0;
	failed = write_sums(s, b, err);
	forget(b);
	return store_commit(s, failed, err);
}

void batch_note_cell(struct store *s, int64_t cell)
{
	struct batch *b = s->batch;

	for (size_t i = b->cells.n; i--;)
		if (b->cells.items[i] == cell)
			return;
	*vec_push(&b->cells) = cell;
}

static size_t hash_of(const struct batch_sample *k)
{
	const uint64_t words[] = { (uint64_t)k->cell, (uint64_t)k->environment, (uint64_t)k->metric, (uint64_t)k->actor,
				   (uint64_t)k->device, (uint64_t)k->direction };
	uint64_t h = 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 20);
}

static bool same_key(const struct batch_sample *a, const struct batch_sample *b)
{
	return a->metric == b->metric && a->direction == b->direction && a->cell == b->cell && a->environment == b->environment &&
	       a->actor == b->actor && a->device == b->device;
}

static struct sum *slot_of(struct batch *b, const struct batch_sample *key)
{
	size_t i = hash_of(key) & (b->slots - 1);

	while (b->sums[i].n && !same_key(&b->sums[i].key, key))
		i = (i + 1) & (b->slots - 1);
	return &b->sums[i];
}

static void grow(struct batch *b)
{
	struct sum *old = b->sums;
	size_t n = b->slots;

	b->slots = n ? n * 2 : SLOTS_MIN;
	b->sums = mem_alloc(b->slots, sizeof(*b->sums));
	for (size_t i = 0; i < n; i++)
		if (old[i].n)
			*slot_of(b, &old[i].key) = old[i];
	free(old);
}

/* What the file has of it already. */
static int load_sum(struct store *s, struct sum *y, struct err *err)
{
	const struct batch_sample *k = &y->key;
	sqlite3_stmt *st = sql_start(s, SQL_GET_SUMMARY,
				     ARGS(sql_int(k->cell), sql_int(k->environment), sql_int(k->metric), sql_int(k->direction),
					  sql_int(k->actor), sql_int(k->device)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		y->n = sqlite3_column_int64(st, 0);
		y->mean = sqlite3_column_double(st, 1);
		y->m2 = sqlite3_column_double(st, 2);
		y->min = sqlite3_column_double(st, 3);
		y->max = sqlite3_column_double(st, 4);
	}
	return more;
}

/* As UPDATE_SUMMARY of statements.c. */
static void welford(struct sum *y, double value)
{
	double n = (double)++y->n, mean = y->mean + (value - y->mean) / n;

	y->m2 += (value - y->mean) * (value - mean);
	y->mean = mean;
	y->min = value < y->min ? value : y->min;
	y->max = value > y->max ? value : y->max;
}

int batch_add(struct store *s, const struct batch_sample *key, double value, struct err *err)
{
	struct batch *b = s->batch;
	struct sum *y;

	if (b->used * 2 >= b->slots)
		grow(b);
	y = slot_of(b, key);
	if (y->n) {
		welford(y, value);
		return 0;
	}
	y->key = *key;
	if (load_sum(s, y, err))
		return -1;
	b->used++;
	if (y->n)
		welford(y, value);
	else
		*y = (struct sum){ *key, 1, value, 0, value, value };
	return 0;
}
