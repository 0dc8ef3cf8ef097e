// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/store.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "common/units.h"
#include "db/handle.h"

#define CANDIDATES_MAX 5 /* shown of an ambiguous id */

void sweep_row_release(struct sweep_row *r)
{
	free(r->kind);
	free(r->name);
	free(r->note);
	free(r->command);
	free(r->plan);
	free(r->state);
	free(r->host);
	free(r->devices);
	*r = (struct sweep_row){ 0 };
}

void sweep_rows_release(sweep_rows_t *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		sweep_row_release(&rows->items[i]);
	vec_free(rows);
}

void run_row_release(struct run_row *r)
{
	free(r->kind);
	free(r->state);
	free(r->reason);
	free(r->requested);
	free(r->effective);
	free(r->counters);
	free(r->command);
	free(r->tool);
	free(r->format);
	free(r->diagnostics);
	*r = (struct run_row){ 0 };
}

void run_rows_release(run_rows_t *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		run_row_release(&rows->items[i]);
	vec_free(rows);
}

void cell_row_release(struct cell_row *r)
{
	for (size_t i = 0; i < r->n_axes; i++) {
		free((char *)r->axes[i].name);
		free((char *)r->axes[i].value);
	}
	free(r->axes);
	free(r->key);
	free(r->variant);
	free(r->state);
	free(r->reason);
	*r = (struct cell_row){ 0 };
}

void cell_rows_release(cell_rows_t *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		cell_row_release(&rows->items[i]);
	vec_free(rows);
}

void run_details_release(struct run_details *d)
{
	run_row_release(&d->run);
	sweep_row_release(&d->sweep);
	cell_row_release(&d->cell);
	free(d->environment);
	free(d->raw);
	for (size_t i = 0; i < d->samples.n; i++)
		free(d->samples.items[i].device);
	vec_free(&d->samples);
	strings_release(&d->actors);
	warning_counts_release(&d->warnings);
	*d = (struct run_details){ 0 };
}

static void read_uuid(char out[UUID_TEXT], sqlite3_stmt *st, int column)
{
	snprintf(out, UUID_TEXT, "%s", (const char *)sqlite3_column_text(st, column));
}

/* The columns are SWEEP_COLUMNS of statements.c. */
static void read_sweep(sqlite3_stmt *st, struct sweep_row *r)
{
	r->id = sqlite3_column_int64(st, 0);
	read_uuid(r->uuid, st, 1);
	r->name = sql_column_string(st, 2);
	r->note = sql_column_string(st, 3);
	r->command = sql_column_string(st, 4);
	r->plan = sql_column_string(st, 5);
	r->seed = (uint64_t)sqlite3_column_int64(st, 6);
	r->state = sql_column_string(st, 7);
	r->host = sql_column_string(st, 8);
	r->devices = sql_column_string(st, 9);
	r->started_ns = sqlite3_column_int64(st, 10);
	r->ended_ns = sqlite3_column_int64(st, 11);
	r->kind = sql_column_string(st, 12);
}

/* CELL_COLUMNS */
static void read_cell(sqlite3_stmt *st, struct cell_row *r)
{
	r->id = sqlite3_column_int64(st, 0);
	r->ordinal = sqlite3_column_int(st, 1);
	r->key = sql_column_string(st, 2);
	r->variant = sql_column_string(st, 3);
	r->state = sql_column_string(st, 4);
	r->reason = sql_column_string(st, 5);
	r->config = sqlite3_column_int64(st, 6);
}

/* RUN_COLUMNS */
static void read_run(sqlite3_stmt *st, struct run_row *r)
{
	r->id = sqlite3_column_int64(st, 0);
	read_uuid(r->uuid, st, 1);
	r->cell = sqlite3_column_int64(st, 2);
	r->environment = sqlite3_column_int64(st, 3);
	r->invocation = sqlite3_column_int64(st, 4);
	r->block = sqlite3_column_int(st, 5);
	r->position = sqlite3_column_int(st, 6);
	r->attempt = sqlite3_column_int(st, 7);
	r->kind = sql_column_string(st, 8);
	r->state = sql_column_string(st, 9);
	r->reason = sql_column_string(st, 10);
	r->started_ns = sqlite3_column_int64(st, 11);
	r->elapsed_ns = sqlite3_column_int64(st, 12);
	r->randseed = (uint64_t)sqlite3_column_int64(st, 13);
	r->exit_status = sqlite3_column_int(st, 14);
	r->requested = sql_column_string(st, 15);
	r->effective = sql_column_string(st, 16);
	r->counters = sql_column_string(st, 17);
	r->command = sql_column_string(st, 18);
	r->tool = sql_column_string(st, 19);
	r->format = sql_column_string(st, 20);
	r->diagnostics = sql_column_string(st, 21);
}

static int count_cells(struct store *s, struct sweep_row *r, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_COUNT_CELLS, ARGS(sql_int(r->id)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		r->n_cells = sqlite3_column_int64(st, 0);
		r->n_done = sqlite3_column_int64(st, 1);
		r->n_pending = sqlite3_column_int64(st, 2);
		r->n_failed = sqlite3_column_int64(st, 3);
	}
	return more;
}

static int count_runs(struct store *s, struct sweep_row *r, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_COUNT_RUNS, ARGS(sql_int(r->id)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		r->n_runs_ok = sqlite3_column_int64(st, 0);
		r->n_runs_bad = sqlite3_column_int64(st, 1);
	}
	return more;
}

/* The sweeps that a statement gives, with their counts; nothing is left in 'out' after an error. */
static int get_sweeps(struct store *s, enum sql which, const struct sql_arg *args, size_t n, sweep_rows_t *out,
		      struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, args, n, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		read_sweep(st, vec_push(out));
	for (size_t i = 0; !more && i < out->n; i++)
		more = count_cells(s, &out->items[i], err) || count_runs(s, &out->items[i], err) ? -1 : 0;
	if (more)
		sweep_rows_release(out);
	return more;
}

/* The first of get_sweeps(): 1 found, 0 none, -1 error. */
static int get_first(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct sweep_row *out,
		     struct err *err)
{
	sweep_rows_t rows = { 0 };
	int found = get_sweeps(s, which, args, n, &rows, err);

	if (!found && rows.n) {
		*out = rows.items[0];
		found = 1;
	}
	vec_free(&rows);
	return found;
}

static int get_sweep(struct store *s, enum sql which, struct sql_arg arg, struct sweep_row *out, struct err *err)
{
	return get_first(s, which, &arg, 1, out, err);
}

int store_find_sweep_of_host(struct store *s, const char *host, int64_t like, struct sweep_row *out, struct err *err)
{
	int found = get_first(s, SQL_SWEEP_OF_HOST, ARGS(sql_string(host), sql_int(like)), out, err);

	if (!found)
		return err_set(err, ERR_USAGE, "there is no %ssweep of host '%s' in '%s'", like ? "such " : "", host, s->path);
	return found > 0 ? 0 : -1;
}

int store_list_sweeps(struct store *s, sweep_rows_t *out, struct err *err)
{
	return get_sweeps(s, SQL_LIST_SWEEPS, NO_ARGS, out, err);
}

int store_sweeps_between(struct store *s, int64_t from_ns, int64_t until_ns, sweep_ids_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_SWEEPS_BY_TIME, ARGS(sql_int(from_ns), sql_int(until_ns)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*vec_push(out) = sqlite3_column_int64(st, 0);
	return more;
}

int store_list_kernels(struct store *s, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_KERNELS, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*vec_push(out) = sql_column_string(st, 0);
	return more;
}

int store_sweep_of_kernel(struct store *s, const char *kernel, int64_t *id, struct err *err)
{
	*id = 0;
	return sql_find_int(s, SQL_SWEEP_BY_KERNEL, ARGS(sql_string(kernel)), id, err) < 0 ? -1 : 0;
}

/* "last" is 0, "last~2" is 2; -1: 'text' says nothing of the kind. */
static int64_t parse_age(const char *text)
{
	uint64_t age = 0;

	if (!str_starts(text, "last") || (text[4] && text[4] != '~'))
		return -1;
	if (text[4] && units_parse_count(text + 5, &age, NULL))
		return -1;
	return age > INT64_MAX ? INT64_MAX : (int64_t)age;
}

/*
 * The id of the one row whose uuid starts with 'prefix': 1 found, 0 none, -1 error, also when there are several.
 * The statement gives id, uuid and a word that helps to choose, at most so many as its second argument says.
 */
static int find_by_uuid(struct store *s, enum sql which, const char *what, const char *prefix, int64_t *id,
			struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, ARGS(sql_string(prefix), sql_int(CANDIDATES_MAX + 1)), err);
	AUTOSTR struct str names = { 0 };
	int more = -1, n = 0;

	while (st && (more = sql_next(s, st, err)) > 0) {
		*id = sqlite3_column_int64(st, 0);
		if (n++ == CANDIDATES_MAX)
			str_add(&names, ", ...");
		else
			str_addf(&names, "%s%s (%s)", names.len ? ", " : "", (const char *)sqlite3_column_text(st, 1),
				 sqlite3_column_text(st, 2) ? (const char *)sqlite3_column_text(st, 2) : "no name");
	}
	if (more)
		return -1;
	if (n > 1)
		return err_set(err, ERR_USAGE, "'%s' is the start of several %ss: %s; type more of the id", prefix,
			       what, str_text(&names));
	return n;
}

/* 1 found, 0 none, -1 error. A name wins over the start of an id: of the id one can type more. */
static int find_sweep(struct store *s, const char *text, struct sweep_row *out, struct err *err)
{
	int64_t id, age = parse_age(text);
	int found;

	if (!*text)
		return 0;
	if (age >= 0)
		return get_sweep(s, SQL_SWEEP_BY_AGE, sql_int(age), out, err);
	found = get_sweep(s, SQL_SWEEP_BY_NAME, sql_string(text), out, err);
	if (found)
		return found;
	found = find_by_uuid(s, SQL_SWEEPS_BY_UUID, "sweep", text, &id, err);
	return found > 0 ? get_sweep(s, SQL_SWEEP_BY_ID, sql_int(id), out, err) : found;
}

int store_find_sweep(struct store *s, const char *text, struct sweep_row *out, struct err *err)
{
	int found = find_sweep(s, text, out, err);

	if (!found)
		return err_set(err, ERR_USAGE, "there is no sweep '%s' in '%s'; 'iobench list' shows those that are",
			       text, s->path);
	return found > 0 ? 0 : -1;
}

/* Hand out the axes that a statement gives, in the order of the cells; a cell of the rows may have none. */
static int get_axes(struct store *s, enum sql which, int64_t arg, struct cell_row *cells, size_t n_cells,
		    struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, ARGS(sql_int(arg)), err);
	VEC(struct axis_value) axes = { 0 };
	size_t i = 0;
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		while (i < n_cells && cells[i].id != sqlite3_column_int64(st, 0)) {
			cells[i].axes = axes.items;
			cells[i++].n_axes = axes.n;
			memset(&axes, 0, sizeof(axes));
		}
		*vec_push(&axes) = (struct axis_value){ sql_column_string(st, 1), sql_column_string(st, 2) };
	}
	if (i < n_cells) {
		cells[i].axes = axes.items;
		cells[i].n_axes = axes.n;
	}
	return more;
}

static int get_cells(struct store *s, enum sql which, enum sql axes, int64_t arg, cell_rows_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, ARGS(sql_int(arg)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		read_cell(st, vec_push(out));
	if (!more)
		more = get_axes(s, axes, arg, out->items, out->n, err);
	if (more)
		cell_rows_release(out);
	return more;
}

int store_list_cells(struct store *s, int64_t sweep, cell_rows_t *out, struct err *err)
{
	return get_cells(s, SQL_LIST_CELLS, SQL_LIST_AXES, sweep, out, err);
}

int store_list_runs(struct store *s, int64_t sweep, run_rows_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_LIST_RUNS, ARGS(sql_int(sweep)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		read_run(st, vec_push(out));
	if (more)
		run_rows_release(out);
	return more;
}

static int get_string(struct store *s, enum sql which, int64_t id, char **out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, ARGS(sql_int(id)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*out = sql_column_string(st, 0);
	return more;
}

/* NULL if the frame does not hold exactly 'len' undamaged bytes. */
static char *decompress(const void *frame, size_t frame_len, size_t len)
{
	char *raw;

	/* Said by the frame too: a damaged length must not make us allocate it. */
	if (ZSTD_getFrameContentSize(frame, frame_len) != len)
		return NULL;
	raw = mem_alloc(len + 1, 1);
	if (ZSTD_decompress(raw, len, frame, frame_len) == len)
		return raw;
	free(raw);
	return NULL;
}

static int get_raw(struct store *s, struct run_details *d, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_GET_RAW, ARGS(sql_int(d->run.id)), err);
	bool there = false;
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		there = true;
		d->raw_len = (size_t)sqlite3_column_int64(st, 0);
		d->raw = decompress(sqlite3_column_blob(st, 1), (size_t)sqlite3_column_bytes(st, 1), d->raw_len);
	}
	if (!more && there && !d->raw)
		return err_set(err, ERR_FAULT, "database '%s': the output of run '%s' is damaged", s->path,
			       d->run.uuid);
	d->run.raw = d->raw;
	d->run.raw_len = d->raw_len;
	return more;
}

static int get_samples(struct store *s, struct run_details *d, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_GET_SAMPLES, ARGS(sql_int(d->run.id)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		const struct metric *metric = metric_find((const char *)sqlite3_column_text(st, 0));
		const char *device = (const char *)sqlite3_column_text(st, 4);

		if (!metric) /* stored by a newer iobench */
			continue;
		strings_add(&d->actors, (const char *)sqlite3_column_text(st, 5));
		*vec_push(&d->samples) = (struct sample){
			.metric = metric,
			.value = sqlite3_column_double(st, 1),
			.job = sqlite3_column_int(st, 2),
			.direction = (enum direction)sqlite3_column_int(st, 3),
			.device = *device ? mem_strdup(device) : NULL,
		};
	}
	return more;
}

/* The columns: code, text, numbers of runs and of cells, the cell. */
static int get_warnings(struct store *s, enum sql which, int64_t of, warning_counts_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, ARGS(sql_int(of)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*vec_push(out) = (struct warning_count){
			.code = sql_column_string(st, 0),
			.text = sql_column_string(st, 1),
			.n_runs = sqlite3_column_int64(st, 2),
			.n_cells = sqlite3_column_int64(st, 3),
			.cell = sqlite3_column_int64(st, 4),
		};
	return more;
}

static int get_run_row(struct store *s, int64_t id, struct run_details *d, int64_t *sweep, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_RUN_BY_ID, ARGS(sql_int(id)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		read_run(st, &d->run);
		*sweep = sqlite3_column_int64(st, 22);
	}
	return more;
}

static int get_run_cell(struct store *s, struct run_details *d, struct err *err)
{
	cell_rows_t rows = { 0 };

	if (get_cells(s, SQL_CELL_BY_ID, SQL_AXES_BY_CELL, d->run.cell, &rows, err))
		return -1;
	if (rows.n)
		d->cell = rows.items[0];
	vec_free(&rows);
	return 0;
}

int store_get_run(struct store *s, const char *uuid_prefix, struct run_details *out, struct err *err)
{
	int64_t id, sweep = 0;
	int found = *uuid_prefix ? find_by_uuid(s, SQL_RUNS_BY_UUID, "run", uuid_prefix, &id, err) : 0;

	if (!found)
		return err_set(err, ERR_USAGE, "there is no run '%s' in '%s'", uuid_prefix, s->path);
	if (found < 0)
		return -1;
	if (get_run_row(s, id, out, &sweep, err) ||
	    get_sweep(s, SQL_SWEEP_BY_ID, sql_int(sweep), &out->sweep, err) < 0 || get_run_cell(s, out, err) ||
	    get_string(s, SQL_GET_ENVIRONMENT, out->run.environment, &out->environment, err) || get_raw(s, out, err) ||
	    get_samples(s, out, err) || get_warnings(s, SQL_GET_WARNINGS, id, &out->warnings, err)) {
		run_details_release(out);
		return -1;
	}
	return 0;
}

int store_get_environment(struct store *s, int64_t id, char **json, struct err *err)
{
	return get_string(s, SQL_GET_ENVIRONMENT, id, json, err);
}

int store_get_workload(struct store *s, int64_t sweep, struct workload_row *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_GET_WORKLOAD, ARGS(sql_int(sweep)), err);
	int more = -1;

	*out = (struct workload_row){ 0 };
	while (st && (more = sql_next(s, st, err)) > 0)
		*out = (struct workload_row){ sql_column_string(st, 0), sql_column_string(st, 1) };
	return more;
}

int store_count_warnings(struct store *s, int64_t sweep, warning_counts_t *out, struct err *err)
{
	return get_warnings(s, SQL_WARNING_COUNTS, sweep, out, err);
}

int store_list_cell_warnings(struct store *s, int64_t sweep, warning_counts_t *out, struct err *err)
{
	return get_warnings(s, SQL_CELL_WARNINGS, sweep, out, err);
}

void warning_counts_release(warning_counts_t *counts)
{
	for (size_t i = 0; i < counts->n; i++) {
		free(counts->items[i].code);
		free(counts->items[i].text);
	}
	vec_free(counts);
}
