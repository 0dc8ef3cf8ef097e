// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/import.h"

#include <math.h>
#include <string.h>

#include "common/units.h"
#include "db/put.h"

int store_find_import(struct store *s, const char *hash, char **where, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_FIND_IMPORT, ARGS(sql_string(hash)), err);
	int more = -1, found = 0;

	while (st && (more = sql_next(s, st, err)) > 0) {
		*where = mem_printf("'%s' in sweep '%s'", (const char *)sqlite3_column_text(st, 0),
				    (const char *)sqlite3_column_text(st, 1));
		found = 1;
	}
	return more ? -1 : found;
}

static int note_import(struct store *s, const struct import_file *file, int64_t sweep, struct err *err)
{
	return sql_run(s, SQL_ADD_IMPORT,
		       ARGS(sql_string(file->hash), sql_string(file->path), sql_string(file->format), sql_int(sweep),
			    sql_int(now_realtime_ns())), err);
}

static int find_cell(struct store *s, int64_t sweep, struct cell_row *cell, struct err *err)
{
	int64_t n = 0;
	int found = sql_find_int(s, SQL_FIND_CELL, ARGS(sql_int(sweep), sql_string(cell->key)), &cell->id, err);

	if (found)
		return found < 0 ? -1 : 0;
	if (sql_find_int(s, SQL_COUNT_SWEEP_CELLS, ARGS(sql_int(sweep)), &n, err) < 0)
		return -1;
	cell->ordinal = (int)n;
	return put_cell(s, sweep, cell, err);
}

static int put_run(struct store *s, const char *environment, struct run_row *run, const char *actor,
		   const struct parsed *parsed, struct err *err)
{
	bool counts = !strcmp(run->state, "ok") && !strcmp(run->kind, "measure");
	struct batch_sample whose = { .cell = run->cell };
	int64_t id;

	if (intern_content(s, SQL_FIND_ENVIRONMENT, SQL_ADD_ENVIRONMENT, environment, &run->environment, err))
		return -1;
	whose.environment = run->environment;
	if (put_run_row(s, run, &id, err) || put_detail(s, run, id, err) || put_raw(s, run, id, err) ||
	    put_samples(s, id, actor, parsed, s->batch && counts ? &whose : NULL, err))
		return -1;
	run->id = id;
	if (s->batch) {
		batch_note_cell(s, run->cell);
		return 0;
	}
	return sql_run(s, SQL_SUMMARISE_RUN, ARGS(sql_int(id)), err) ||
	       sql_run(s, SQL_SET_IMPORTED_CELL, ARGS(sql_int(run->cell)), err);
}

int store_import_run(struct store *s, const struct import_file *file, struct sweep_row *sweep, struct cell_row *cell,
		     const char *environment, struct run_row *run, const char *actor, const struct parsed *parsed,
		     struct err *err)
{
	bool is_new = !sweep->id, failed;

	if (store_begin(s, err))
		return -1;
	failed = (is_new && (put_sweep_row(s, sweep, NULL, err) ||
			     put_invocation(s, sweep->id, NULL, sweep->command, &run->invocation, err))) ||
		 find_cell(s, sweep->id, cell, err);
	run->cell = cell->id;
	failed = failed || put_run(s, environment, run, actor, parsed, err) || note_import(s, file, sweep->id, err);
	if (!store_end(s, failed, err))
		return 0;
	if (is_new)
		sweep->id = 0;
	return err_context(err, "cannot store '%s'", file->path);
}

int store_import_begin(struct store *s, struct err *err)
{
	/* checks cost as much as the rows; all ids come from the same transaction */
	if (sql_script(s, "PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; "
			  "PRAGMA wal_autocheckpoint = 16384", err))
		return -1;
	s->batch = batch_new();
	return 0;
}

int store_import_end(struct store *s, struct err *err)
{
	int bad = s->batch ? batch_commit(s, err) : 0;

	batch_free(s->batch);
	s->batch = NULL;
	return bad || sql_script(s, "PRAGMA foreign_keys = ON; PRAGMA temp_store = DEFAULT; PRAGMA cache_size = -2000; "
				 "PRAGMA wal_autocheckpoint = 1000", err) ? -1 : 0;
}

static int put_published(struct store *s, int64_t cell, const struct published *row, struct err *err)
{
	int64_t metric;

	if (metric_id(s, row->metric, &metric, err))
		return -1;
	/* SQLite stores NaN as NULL. */
	return sql_run(s, SQL_ADD_PUBLISHED,
		       ARGS(sql_int(cell), sql_int(metric), sql_int(row->direction), sql_int((int64_t)row->n),
			    sql_real(row->mean), sql_real(row->stddev)), err);
}

static int put_table(struct store *s, struct published_sweep *table, struct err *err)
{
	if (put_sweep_row(s, &table->sweep, NULL, err))
		return -1;
	for (size_t i = 0; i < table->cells.n; i++)
		if (put_cell(s, table->sweep.id, &table->cells.items[i], err))
			return -1;
	for (size_t i = 0; i < table->rows.n; i++)
		if (put_published(s, table->cells.items[table->rows.items[i].cell].id, table->rows.items[i].row, err))
			return -1;
	return 0;
}

int store_import_tables(struct store *s, const struct import_file *file, struct published_sweep *tables, size_t n,
			struct err *err)
{
	bool failed = false;

	if (store_begin(s, err))
		return -1;
	for (size_t i = 0; !failed && i < n; i++)
		failed = put_table(s, &tables[i], err);
	failed = failed || note_import(s, file, tables[0].sweep.id, err);
	return store_end(s, failed, err) ? err_context(err, "cannot store '%s'", file->path) : 0;
}

static int replace_run(struct store *s, const struct reparsed_run *r, struct err *err)
{
	if (sql_run(s, SQL_FORGET_SAMPLES, ARGS(sql_int(r->run)), err))
		return -1;
	for (size_t i = 0; i < r->n_actors; i++)
		if (put_samples(s, r->run, r->actors[i].actor, r->actors[i].parsed, NULL, err))
			return -1;
	return sql_run(s, SQL_SET_RUN_STATE, ARGS(sql_int(r->run), sql_string(r->state), sql_string(r->reason)), err);
}

int store_replace_samples(struct store *s, int64_t cell, const struct reparsed_run *runs, size_t n, struct err *err)
{
	bool failed = false;

	if (store_begin(s, err))
		return -1;
	for (size_t i = 0; !failed && i < n; i++)
		failed = replace_run(s, &runs[i], err);
	failed = failed || sql_run(s, SQL_FORGET_SUMMARIES, ARGS(sql_int(cell)), err) ||
		 sql_run(s, SQL_SUMMARISE_CELL, ARGS(sql_int(cell)), err) ||
		 sql_run(s, SQL_SET_IMPORTED_CELL, ARGS(sql_int(cell)), err);
	return store_end(s, failed, err);
}
