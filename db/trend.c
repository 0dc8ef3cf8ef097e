// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/trend.h"

#include <math.h>
#include <string.h>

#include "db/handle.h"

/* A configuration, and the series that are of it. */
struct config {
	char *variant;
	VEC(struct axis_value) axes;
	VEC(size_t) series;
};

struct reader {
	struct store *s;
	const struct metric *metric;
	int64_t metric_id; /* 0: never stored */
	enum direction direction;
	VEC(struct config) configs;	     /* by id */
	strings_t kernels, actors, devices; /* by id of the environment, actor, disk; a kernel "" is not known */
	char *host;			    /* of the sweep that is read */
	struct trend *out;
};

static void reader_release(struct reader *x)
{
	for (size_t i = 0; i < x->configs.n; i++) {
		struct config *c = &x->configs.items[i];

		for (size_t k = 0; k < c->axes.n; k++) {
			free((char *)c->axes.items[k].name);
			free((char *)c->axes.items[k].value);
		}
		vec_free(&c->axes);
		vec_free(&c->series);
		free(c->variant);
	}
	vec_free(&x->configs);
	strings_release(&x->kernels);
	strings_release(&x->actors);
	strings_release(&x->devices);
	free(x->host);
}

/* The text at place 'id', which grows to hold it. */
static char **name_at(strings_t *names, int64_t id)
{
	while (names->n <= (size_t)id)
		*vec_push(names) = NULL;
	return &names->items[id];
}

static int load_names(struct reader *x, enum sql which, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, which, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0)
		*name_at(out, sqlite3_column_int64(st, 0)) = sql_column_string(st, 1);
	return more;
}

/* NULL on error. Borrowed until the next call. */
static struct config *config_at(struct reader *x, int64_t id, struct err *err)
{
	struct config *c;
	sqlite3_stmt *st;
	int more = -1;

	while (x->configs.n <= (size_t)id)
		*vec_push(&x->configs) = (struct config){ 0 };
	c = &x->configs.items[id];
	if (c->variant)
		return c;
	st = sql_start(x->s, SQL_VARIANT_OF_CONFIG, ARGS(sql_int(id)), err);
	while (st && (more = sql_next(x->s, st, err)) > 0)
		c->variant = sql_column_string(st, 0);
	st = more ? NULL : sql_start(x->s, SQL_AXES_OF_CONFIG, ARGS(sql_int(id)), err);
	for (more = -1; st && (more = sql_next(x->s, st, err)) > 0;)
		*vec_push(&c->axes) = (struct axis_value){ sql_column_string(st, 0), sql_column_string(st, 1) };
	return more ? NULL : c;
}

/* Borrowed; "" where the environment does not tell. NULL on error. */
static const char *kernel_of(struct reader *x, int64_t environment, struct err *err)
{
	char **kernel = name_at(&x->kernels, environment);
	sqlite3_stmt *st = *kernel ? NULL : sql_start(x->s, SQL_ENVIRONMENT_FACTS, ARGS(sql_int(environment)), err);
	int more = *kernel ? 0 : -1;

	while (st && (more = sql_next(x->s, st, err)) > 0)
		*kernel = sql_column_string(st, 0);
	if (!more && !*kernel)
		*kernel = mem_strdup("");
	return more ? NULL : *kernel;
}

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* The number of the series with these facts, made where there is none; the newest kernels are found first. 0 on error. */
static int64_t series_of(struct reader *x, int64_t config, int64_t environment, const char *kernel, const char *actor,
			 const char *device, struct err *err)
{
	struct config *c = config_at(x, config, err);
	struct series *s;

	if (!c)
		return 0;
	for (size_t i = c->series.n; i-- > 0;) {
		s = &x->out->series.list.items[c->series.items[i]];
		if (same(s->kernel, kernel) && same(s->actor, actor) && same(s->device, device) && same(s->host, x->host))
			return s->cell;
	}
	*vec_push(&c->series) = x->out->series.list.n;
	s = vec_push(&x->out->series.list);
	*s = (struct series){
		.cell = (int64_t)x->out->series.list.n,
		.environment = environment,
		.host = mem_strdup(x->host),
		.variant = mem_strdup(c->variant),
		.kernel = *kernel ? mem_strdup(kernel) : NULL,
		.actor = mem_strdup(actor ? actor : ""),
		.state = mem_strdup("done"),
		.metric = x->metric,
		.direction = x->direction,
		.job = JOB_ALL,
		.device = device && *device ? mem_strdup(device) : NULL,
		.summary_only = true,
	};
	for (size_t i = 0; i < c->axes.n; i++)
		*vec_push(&s->axes) = (struct series_axis){ mem_strdup(c->axes.items[i].name),
							    mem_strdup(c->axes.items[i].value) };
	return s->cell;
}

/* 'row.series' 0: an error before. */
static int add_row(struct reader *x, struct trend_row row)
{
	struct series *s;

	if (!row.series)
		return -1;
	s = &x->out->series.list.items[row.series - 1];
	row.sweep = x->out->sweeps.n - 1;
	*vec_push(&x->out->rows) = row;
	s->n = row.n;
	s->mean = row.mean;
	s->stddev = row.stddev;
	return 0;
}

/* The columns are those of SQL_TREND. */
static int read_row(struct reader *x, sqlite3_stmt *st, struct err *err)
{
	int64_t environment = sqlite3_column_int64(st, 1), n = sqlite3_column_int64(st, 4);
	const char *kernel = kernel_of(x, environment, err);

	if (!kernel)
		return -1;
	return add_row(x, (struct trend_row){
			   .environment = environment,
			   .series = series_of(x, sqlite3_column_int64(st, 0), environment, kernel,
					       *name_at(&x->actors, sqlite3_column_int64(st, 2)),
					       *name_at(&x->devices, sqlite3_column_int64(st, 3)), err),
			   .n = (uint64_t)n,
			   .mean = sqlite3_column_double(st, 5),
			   .stddev = n > 1 ? sqrt(sqlite3_column_double(st, 6) / (double)(n - 1)) : NAN,
			   .min = sqlite3_column_double(st, 7),
			   .max = sqlite3_column_double(st, 8),
		   });
}

/* The columns are those of SQL_TREND_PUBLISHED. */
static int read_published(struct reader *x, sqlite3_stmt *st, struct err *err)
{
	bool has_stddev = sqlite3_column_type(st, 3) != SQLITE_NULL;

	return add_row(x, (struct trend_row){
			   .series = series_of(x, sqlite3_column_int64(st, 0), 0, "", NULL, NULL, err),
			   .n = (uint64_t)sqlite3_column_int64(st, 1),
			   .mean = sqlite3_column_double(st, 2),
			   .stddev = has_stddev ? sqlite3_column_double(st, 3) : NAN,
			   .min = NAN,
			   .max = NAN,
		   });
}

static int add_rows(struct reader *x, enum sql which, int64_t sweep, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, which, ARGS(sql_int(sweep), sql_int(x->metric_id), sql_int(x->direction)), err);
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0)
		if (which == SQL_TREND ? read_row(x, st, err) : read_published(x, st, err)) {
			sqlite3_reset(st);
			return -1;
		}
	return more;
}

static int look_for_warning(struct reader *x, int64_t sweep, const char *code, struct err *err)
{
	int64_t found;
	int there = strings_has(&x->out->series.warnings, code)
			    ? 0
			    : sql_find_int(x->s, SQL_HAS_RUN_WARNING, ARGS(sql_int(sweep), sql_string(code)), &found, err);

	if (there > 0)
		strings_add(&x->out->series.warnings, code);
	return there < 0 ? -1 : 0;
}

static int add_sweep(struct reader *x, int64_t id, const char *simulated, struct err *err)
{
	sqlite3_stmt *st = sql_start(x->s, SQL_TREND_SWEEP, ARGS(sql_int(id)), err);
	bool imported = false;
	int more = -1;

	while (st && (more = sql_next(x->s, st, err)) > 0) {
		struct trend_sweep *sweep = vec_push(&x->out->sweeps);

		sweep->id = id;
		snprintf(sweep->uuid, sizeof(sweep->uuid), "%s", (const char *)sqlite3_column_text(st, 0));
		sweep->name = sql_column_string(st, 1);
		sweep->started_ns = sqlite3_column_int64(st, 3);
		free(x->host);
		x->host = sql_column_string(st, 4);
		imported = !strcmp((const char *)sqlite3_column_text(st, 2), "import");
	}
	if (more || !x->out->sweeps.n || x->out->sweeps.items[x->out->sweeps.n - 1].id != id)
		return more;
	if (add_rows(x, SQL_TREND, id, err) || (imported && add_rows(x, SQL_TREND_PUBLISHED, id, err)))
		return -1;
	return look_for_warning(x, id, simulated, err);
}

int store_query_trend(struct store *s, const int64_t *sweeps, size_t n, const struct metric *metric,
		      enum direction direction, const char *simulated, struct trend *out, struct err *err)
{
	struct reader x = { .s = s, .metric = metric, .direction = direction, .out = out };
	int bad;

	/* one transaction: a sweep may be storing runs into this database meanwhile */
	if (sql_run(s, SQL_BEGIN_READ, NO_ARGS, err))
		return -1;
	bad = sql_find_int(s, SQL_FIND_METRIC, ARGS(sql_string(metric->name)), &x.metric_id, err) < 0 ||
	      load_names(&x, SQL_LIST_ACTORS, &x.actors, err) || load_names(&x, SQL_LIST_DEVICES, &x.devices, err);
	for (size_t i = 0; !bad && i < n; i++)
		bad = add_sweep(&x, sweeps[i], simulated, err);
	sql_run(s, SQL_COMMIT, NO_ARGS, NULL);
	reader_release(&x);
	if (!bad)
		return 0;
	trend_release(out);
	return -1;
}

void trend_release(struct trend *t)
{
	for (size_t i = 0; i < t->sweeps.n; i++)
		free(t->sweeps.items[i].name);
	vec_free(&t->sweeps);
	series_set_release(&t->series);
	vec_free(&t->rows);
}
