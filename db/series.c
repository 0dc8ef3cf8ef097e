// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/series.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "db/handle.h"
#include "db/store.h"
#include "db/together.h"

/* What tells the series of one sweep apart: two rows belong together when all of it is equal. */
struct series_key {
	int ordinal; /* of the cell */
	int64_t cell, environment;
	int metric; /* place in query.metrics */
	int direction, job;
	int64_t actor, device;
};

struct series_row {
	struct series_key key;
	struct series_point point;
	/* of a published table, instead of a point */
	bool summary;
	uint64_t n;
	double mean, stddev;
};

typedef VEC(struct series_row) series_rows_t;

struct environment_facts {
	int64_t id;
	char *kernel, *cpufreq_driver, *cpufreq_governor, *subject;
};

struct query {
	struct store *s;
	const struct series_query *q;
	VEC(struct store_metric) metrics; /* those asked for, or all; id 0: never stored */
	int *metric_of_id;		  /* id → place in 'metrics', -1 for others; ids below n_ids */
	int64_t n_ids;
	strings_t actors, devices; /* by id; NULL where there is none */
	VEC(struct environment_facts) environments;
	struct series_set *out;
};

const char *series_axis(const struct series *s, const char *name)
{
	for (size_t i = 0; i < s->axes.n; i++)
		if (!strcmp(s->axes.items[i].name, name))
			return s->axes.items[i].value;
	return NULL;
}

static void series_release(struct series *s)
{
	for (size_t i = 0; i < s->axes.n; i++) {
		free(s->axes.items[i].name);
		free(s->axes.items[i].value);
	}
	vec_free(&s->axes);
	free(s->sweep_name);
	free(s->host);
	free(s->shard);
	free(s->variant);
	free(s->kernel);
	free(s->cpufreq_driver);
	free(s->cpufreq_governor);
	free(s->subject);
	free(s->actor);
	free(s->state);
	free(s->reason);
	free(s->device);
	vec_free(&s->points);
}

void series_set_keep(struct series_set *set, bool (*keep)(const struct series *s, const void *context),
		     const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->list.n; i++) {
		if (keep(&set->list.items[i], context))
			set->list.items[kept++] = set->list.items[i];
		else
			series_release(&set->list.items[i]);
	}
	set->list.n = kept;
}

void series_set_release(struct series_set *set)
{
	for (size_t i = 0; i < set->list.n; i++)
		series_release(&set->list.items[i]);
	vec_free(&set->list);
	strings_release(&set->warnings);
	for (size_t i = 0; i < set->warnings_of.n; i++)
		free(set->warnings_of.items[i].code);
	vec_free(&set->warnings_of);
}

static void query_release(struct query *x)
{
	vec_free(&x->metrics);
	free(x->metric_of_id);
	strings_release(&x->actors);
	strings_release(&x->devices);
	for (size_t i = 0; i < x->environments.n; i++) {
		free(x->environments.items[i].kernel);
		free(x->environments.items[i].cpufreq_driver);
		free(x->environments.items[i].cpufreq_governor);
		free(x->environments.items[i].subject);
	}
	vec_free(&x->environments);
}

/* The names of a dictionary, each at the index that is its id. */
static int load_names(struct store *s, enum sql which, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		size_t id = (size_t)sqlite3_column_int64(st, 0);

		while (out->n <= id)
			*vec_push(out) = NULL;
		out->items[id] = sql_column_string(st, 1);
	}
	return more;
}

static int place_of(const struct query *x, const struct metric *metric)
{
	for (size_t i = 0; i < x->metrics.n; i++)
		if (x->metrics.items[i].metric == metric)
			return (int)i;
	return -1;
}

static int load_metrics(struct query *x, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };

	if (load_names(x->s, SQL_LIST_METRICS, &names, err))
		return -1;
	for (size_t i = 0; i < x->q->n_metrics; i++)
		vec_push(&x->metrics)->metric = x->q->metrics[i];
	x->n_ids = (int64_t)names.n;
	x->metric_of_id = mem_alloc(names.n, sizeof(int));
	for (size_t id = 0; id < names.n; id++) {
		const struct metric *metric = names.items[id] ? metric_find(names.items[id]) : NULL;
		int place;

		if (metric && !x->q->n_metrics)
			vec_push(&x->metrics)->metric = metric;
		place = metric ? place_of(x, metric) : -1;
		if (place >= 0)
			x->metrics.items[place].id = (int64_t)id;
		x->metric_of_id[id] = place;
	}
	return 0;
}

static int read_rows(struct query *x, enum sql which, const struct sql_arg *args, size_t n, series_rows_t *rows,
		     struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, which, args, n, err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0) {
		int64_t id = sqlite3_column_int64(st, 3);

		if (id >= x->n_ids || x->metric_of_id[id] < 0)
			continue;
		*vec_push(rows) = (struct series_row){
			.key = {
				.cell = sqlite3_column_int64(st, 0),
				.ordinal = sqlite3_column_int(st, 1),
				.environment = sqlite3_column_int64(st, 2),
				.metric = x->metric_of_id[id],
				.direction = sqlite3_column_int(st, 4),
				.job = sqlite3_column_int(st, 5),
				.actor = sqlite3_column_int64(st, 6),
				.device = sqlite3_column_int64(st, 7),
			},
			.point = {
				.value = sqlite3_column_double(st, 8),
				.block = sqlite3_column_int(st, 9),
				.invocation = sqlite3_column_int64(st, 10),
				.run = sqlite3_column_int64(st, 11),
				.started_ns = sqlite3_column_int64(st, 12),
			},
		};
	}
	return more;
}

/* All samples of a sweep that were asked for: for a few metrics of whole runs one range of the key each. */
static int load_rows(struct query *x, int64_t sweep, series_rows_t *rows, struct err *err)
{
	int first = x->q->every_direction ? DIR_ALL : (int)x->q->direction;
	int last = x->q->every_direction ? DIR_TRIM : (int)x->q->direction;
	const char *kind = x->q->canaries ? "canary" : "measure";

	if (x->q->every_job || !x->q->n_metrics)
		return read_rows(x, SQL_SERIES_OF_ALL,
				 ARGS(sql_int(sweep), sql_int(first), sql_int(last),
				      sql_int(x->q->every_job ? INT_MAX : JOB_ALL), sql_string(kind)), rows, err);
	for (size_t i = 0; i < x->metrics.n; i++)
		if (x->metrics.items[i].id &&
		    read_rows(x, SQL_SERIES_OF_METRIC,
			      ARGS(sql_int(sweep), sql_int(first), sql_int(last), sql_int(x->metrics.items[i].id),
				   sql_string(kind)),
			      rows, err))
			return -1;
	return 0;
}

static int load_published(struct query *x, int64_t sweep, series_rows_t *rows, struct err *err)
{
	int first = x->q->every_direction ? DIR_ALL : (int)x->q->direction;
	int last = x->q->every_direction ? DIR_TRIM : (int)x->q->direction;
	sqlite3_stmt *st = sql_start(x->s, SQL_PUBLISHED, ARGS(sql_int(sweep), sql_int(first), sql_int(last)), err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0) {
		int64_t id = sqlite3_column_int64(st, 2);
		bool has_stddev = sqlite3_column_type(st, 6) != SQLITE_NULL;

		if (id >= x->n_ids || x->metric_of_id[id] < 0)
			continue;
		*vec_push(rows) = (struct series_row){
			.key = {
				.cell = sqlite3_column_int64(st, 0),
				.ordinal = sqlite3_column_int(st, 1),
				.metric = x->metric_of_id[id],
				.direction = sqlite3_column_int(st, 3),
				.job = JOB_ALL,
			},
			.summary = true,
			.n = (uint64_t)sqlite3_column_int64(st, 4),
			.mean = sqlite3_column_double(st, 5),
			.stddev = has_stddev ? sqlite3_column_double(st, 6) : NAN,
		};
	}
	return more;
}

#define COMPARE(a, b, field)                                \
	do {                                                \
		if ((a)->field != (b)->field)               \
			return (a)->field < (b)->field ? -1 : 1; \
	} while (0)

/* Also the order in which the series of a sweep come out. */
static int compare_keys(const struct series_key *a, const struct series_key *b)
{
	COMPARE(a, b, ordinal);
	COMPARE(a, b, cell);
	COMPARE(a, b, environment);
	COMPARE(a, b, metric);
	COMPARE(a, b, direction);
	COMPARE(a, b, job);
	COMPARE(a, b, actor);
	COMPARE(a, b, device);
	return 0;
}

static int compare_rows(const void *va, const void *vb)
{
	const struct series_row *a = va, *b = vb;
	int order = compare_keys(&a->key, &b->key);

	if (order)
		return order;
	COMPARE(a, b, point.block);
	COMPARE(a, b, point.run);
	return 0;
}

static int find_environment(struct query *x, int64_t id, struct environment_facts *out, struct err *err)
{
	sqlite3_stmt *st;
	int more = -1;

	for (size_t i = 0; i < x->environments.n; i++)
		if (x->environments.items[i].id == id) {
			*out = x->environments.items[i];
			return 0;
		}
	st = sql_start(x->s, SQL_ENVIRONMENT_FACTS, ARGS(sql_int(id)), err);
	*out = (struct environment_facts){ .id = id };
	while (st && (more = sql_next(x->s, st, err)) > 0) {
		out->kernel = sql_column_string(st, 0);
		out->cpufreq_driver = sql_column_string(st, 1);
		out->cpufreq_governor = sql_column_string(st, 2);
		out->subject = sql_column_string(st, 3);
	}
	*vec_push(&x->environments) = *out;
	return more;
}

static struct series *add_series(struct query *x, const struct sweep_row *sweep, const struct cell_row *cell,
				 const struct series_key *key, struct err *err)
{
	struct environment_facts facts = { 0 };
	struct series *s;

	if (key->environment && find_environment(x, key->environment, &facts, err))
		return NULL;
	s = vec_push(&x->out->list);
	*s = (struct series){
		.sweep = sweep->id,
		.cell = cell->id,
		.config = cell->config,
		.environment = key->environment,
		.sweep_name = mem_strdup(sweep->name),
		.host = mem_strdup(sweep->host),
		.shard = mem_strdup(sweep->plan),
		.variant = mem_strdup(cell->variant),
		.kernel = mem_strdup(facts.kernel),
		.cpufreq_driver = mem_strdup(facts.cpufreq_driver),
		.cpufreq_governor = mem_strdup(facts.cpufreq_governor),
		.subject = mem_strdup(facts.subject),
		.imported = sweep->kind && !strcmp(sweep->kind, "import"),
		.actor = mem_strdup(key->actor ? x->actors.items[key->actor] : ""),
		.state = mem_strdup(cell->state),
		.reason = mem_strdup(cell->reason),
		.metric = x->metrics.items[key->metric].metric,
		.direction = (enum direction)key->direction,
		.job = key->job,
		.device = key->device ? mem_strdup(x->devices.items[key->device]) : NULL,
		.mean = NAN,
		.stddev = NAN,
	};
	for (size_t i = 0; i < cell->n_axes; i++)
		*vec_push(&s->axes) = (struct series_axis){ mem_strdup(cell->axes[i].name),
							    mem_strdup(cell->axes[i].value) };
	return s;
}

/* The series of one cell out of its rows, which are sorted. Gives the number of rows used, -1 on error. */
static ssize_t add_cell(struct query *x, const struct sweep_row *sweep, const struct cell_row *cell,
			const struct series_row *rows, size_t n, struct err *err)
{
	struct series *s = NULL;
	size_t i;

	for (i = 0; i < n && rows[i].key.cell == cell->id; i++) {
		if (!i || compare_keys(&rows[i - 1].key, &rows[i].key))
			s = add_series(x, sweep, cell, &rows[i].key, err);
		if (!s)
			return -1;
		if (!rows[i].summary) {
			*vec_push(&s->points) = rows[i].point;
			continue;
		}
		s->summary_only = true;
		s->n = rows[i].n;
		s->mean = rows[i].mean;
		s->stddev = rows[i].stddev;
	}
	return (ssize_t)i;
}

typedef VEC(struct series_key) series_keys_t;

static int compare_key_items(const void *a, const void *b)
{
	return compare_keys(a, b);
}

/* What a cell without runs is shown for: what the other cells have, or else what was asked for. Sorted. */
static void find_wanted(const struct query *x, const series_rows_t *rows, series_keys_t *out)
{
	AUTOFREE bool *seen = mem_alloc(x->metrics.n, sizeof(bool));
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct series_key key = rows->items[i].key;

		if (key.job != JOB_ALL)
			continue;
		seen[key.metric] = true;
		key.ordinal = 0;
		key.cell = key.environment = 0;
		*vec_push(out) = key;
	}
	for (size_t i = 0; i < x->q->n_metrics; i++)
		if (!seen[i])
			*vec_push(out) = (struct series_key){
				.metric = (int)i,
				.direction = x->q->every_direction ? DIR_ALL : (int)x->q->direction,
				.job = JOB_ALL,
			};
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), compare_key_items);
	for (size_t i = 0; i < out->n; i++)
		if (!i || compare_keys(&out->items[n - 1], &out->items[i]))
			out->items[n++] = out->items[i];
	out->n = n;
}

typedef VEC(int64_t) ids_t;

static int load_cells_without_run(struct query *x, int64_t sweep, ids_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, SQL_CELLS_WITHOUT_RUN, ARGS(sql_int(sweep)), err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0)
		*vec_push(out) = sqlite3_column_int64(st, 0);
	return more;
}

/* 'cells', 'rows' and 'empty' (the cells without a run) are all in the order of the plan. */
static int add_cells(struct query *x, const struct sweep_row *sweep, const cell_rows_t *cells,
		     const series_rows_t *rows, const ids_t *empty, const series_keys_t *wanted, struct err *err)
{
	size_t row = 0, next_empty = 0;

	for (size_t i = 0; i < cells->n; i++) {
		ssize_t used = add_cell(x, sweep, &cells->items[i], rows->items + row, rows->n - row, err);

		if (used < 0)
			return -1;
		row += (size_t)used;
		if (next_empty == empty->n || empty->items[next_empty] != cells->items[i].id)
			continue;
		next_empty++;
		for (size_t k = 0; k < wanted->n; k++)
			if (!add_series(x, sweep, &cells->items[i], &wanted->items[k], err))
				return -1;
	}
	return 0;
}

static int load_warnings(struct query *x, int64_t sweep, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, SQL_WARNING_CODES, ARGS(sql_int(sweep)), err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0) {
		const char *code = (const char *)sqlite3_column_text(st, 0);

		if (!strings_has(&x->out->warnings, code))
			strings_add(&x->out->warnings, code);
		*vec_push(&x->out->warnings_of) = (struct series_warning){ sweep, mem_strdup(code) };
	}
	return more;
}

static int load_sweep_name(struct query *x, int64_t id, struct sweep_row *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, SQL_SWEEP_NAME, ARGS(sql_int(id)), err);
	int more = -1;

	out->id = id;
	while (st && (more = sql_next(x->s, st, err)) > 0) {
		out->name = sql_column_string(st, 0);
		out->kind = sql_column_string(st, 1);
		out->host = sql_column_string(st, 2);
		out->plan = sql_column_string(st, 3); /* of its plan only which shard it is */
	}
	return more;
}

static int add_sweep(struct query *x, int64_t id, struct err *err)
{
	struct sweep_row sweep = { 0 };
	series_keys_t wanted = { 0 };
	cell_rows_t cells = { 0 };
	series_rows_t rows = { 0 };
	ids_t empty = { 0 };
	int bad;

	bad = load_sweep_name(x, id, &sweep, err) || store_list_cells(x->s, id, &cells, err) ||
	      load_rows(x, id, &rows, err) || (!x->q->canaries && load_published(x, id, &rows, err)) ||
	      (!x->q->canaries && load_cells_without_run(x, id, &empty, err)) || load_warnings(x, id, err);
	if (!bad) {
		if (rows.n)
			qsort(rows.items, rows.n, sizeof(*rows.items), compare_rows);
		find_wanted(x, &rows, &wanted);
		bad = add_cells(x, &sweep, &cells, &rows, &empty, &wanted, err);
	}
	sweep_row_release(&sweep);
	cell_rows_release(&cells);
	vec_free(&rows);
	vec_free(&empty);
	vec_free(&wanted);
	return bad ? -1 : 0;
}

int store_query_series(struct store *s, const struct series_query *q, struct series_set *out, struct err *err)
{
	struct query x = { .s = s, .q = q, .out = out };
	int bad;

	/* One transaction: a sweep may be storing runs into this database meanwhile. */
	if (sql_run(s, SQL_BEGIN_READ, NO_ARGS, err))
		return -1;
	bad = load_metrics(&x, err) || load_names(s, SQL_LIST_ACTORS, &x.actors, err) ||
	      load_names(s, SQL_LIST_DEVICES, &x.devices, err);
	for (size_t i = 0; !bad && i < q->n_sweeps; i++)
		bad = add_sweep(&x, q->sweeps[i], err);
	bad = bad || series_name_kinds(s, out, err);
	if (!bad)
		series_join_shards(out);
	sql_run(s, SQL_COMMIT, NO_ARGS, NULL);
	query_release(&x);
	if (!bad)
		return 0;
	series_set_release(out);
	return -1;
}
