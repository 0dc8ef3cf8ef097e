// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/baseline.h"

#include <cjson/cJSON.h>

#include "common/units.h"
#include "db/handle.h"
#include "db/store.h"

#define SINCE_SCHEMA 2

void baseline_rows_release(baseline_rows_t *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->items[i].name);
		free(rows->items[i].sweep_name);
	}
	vec_free(rows);
}

void acknowledged_rows_release(acknowledged_rows_t *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		strings_release(&rows->items[i].conditions);
		free(rows->items[i].reason);
	}
	vec_free(rows);
}

int store_set_baseline(struct store *s, const char *name, int64_t sweep, struct err *err)
{
	if (store_begin(s, err))
		return -1;
	return store_end(s, sql_run(s, SQL_SET_BASELINE,
				    ARGS(sql_string(name), sql_int(sweep), sql_int(now_realtime_ns())), err), err);
}

int store_list_baselines(struct store *s, baseline_rows_t *out, struct err *err)
{
	sqlite3_stmt *st;
	int more = -1;

	if (s->version < SINCE_SCHEMA)
		return 0;
	st = sql_start(s, SQL_LIST_BASELINES, NO_ARGS, err);
	while (st && (more = sql_next(s, st, err)) > 0) {
		struct baseline_row *row = vec_push(out);

		row->name = sql_column_string(st, 0);
		row->sweep = sqlite3_column_int64(st, 1);
		row->sweep_name = sql_column_string(st, 2);
		snprintf(row->uuid, UUID_TEXT, "%s", (const char *)sqlite3_column_text(st, 3));
		row->started_ns = sqlite3_column_int64(st, 4);
	}
	if (more)
		baseline_rows_release(out);
	return more;
}

static char *conditions_json(const strings_t *conditions)
{
	cJSON *array = cJSON_CreateArray();
	char *text, *copy;

	for (size_t i = 0; i < conditions->n; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(conditions->items[i]));
	text = cJSON_PrintUnformatted(array);
	copy = mem_strdup(text);
	cJSON_free(text);
	cJSON_Delete(array);
	return copy;
}

static void read_conditions(const char *json, strings_t *out)
{
	cJSON *array = cJSON_Parse(json);
	const cJSON *item;

	cJSON_ArrayForEach(item, array) {
		if (cJSON_IsString(item))
			strings_add(out, item->valuestring);
	}
	cJSON_Delete(array);
}

int store_acknowledge(struct store *s, const struct acknowledged_row *row, struct err *err)
{
	AUTOFREE char *conditions = conditions_json(&row->conditions);
	char uuid[UUID_TEXT];

	if (uuid_new(uuid, err) || store_begin(s, err))
		return -1;
	return store_end(s, sql_run(s, SQL_ADD_ACKNOWLEDGED,
				    ARGS(sql_string(uuid), sql_int(row->since_ns), sql_string(conditions),
					 sql_string(row->reason), sql_int(now_realtime_ns())), err), err);
}

int store_list_acknowledged(struct store *s, acknowledged_rows_t *out, struct err *err)
{
	sqlite3_stmt *st;
	int more = -1;

	if (s->version < SINCE_SCHEMA)
		return 0;
	st = sql_start(s, SQL_LIST_ACKNOWLEDGED, NO_ARGS, err);
	while (st && (more = sql_next(s, st, err)) > 0) {
		struct acknowledged_row *row = vec_push(out);

		snprintf(row->uuid, UUID_TEXT, "%s", (const char *)sqlite3_column_text(st, 0));
		row->since_ns = sqlite3_column_int64(st, 1);
		read_conditions((const char *)sqlite3_column_text(st, 2), &row->conditions);
		row->reason = sql_column_string(st, 3);
		row->made_ns = sqlite3_column_int64(st, 4);
	}
	if (more)
		acknowledged_rows_release(out);
	return more;
}

/* One row at most may go: the statement says how many would. */
static int remove_one(struct store *s, enum sql remove, const char *what, const char *name, struct err *err)
{
	int changes;

	if (sql_run(s, remove, ARGS(sql_string(name)), err))
		return -1;
	changes = sqlite3_changes(s->db);
	if (changes > 1)
		return err_set(err, ERR_USAGE, "'%s' is the start of several %s; type more of the id", name, what);
	return changes;
}

int store_remove_baseline(struct store *s, const char *name, struct err *err)
{
	int removed;

	if (store_begin(s, err))
		return -1;
	removed = remove_one(s, SQL_REMOVE_BASELINE, "baselines", name, err);
	if (!removed && *name)
		removed = remove_one(s, SQL_REMOVE_ACKNOWLEDGED, "acknowledgements", name, err);
	if (!removed)
		removed = err_set(err, ERR_USAGE, "no baseline '%s', and no acknowledgement whose id starts so ('iobench "
				  "baseline list' shows them)", name);
	return store_end(s, removed < 0, err);
}

int store_list_sweep_times(struct store *s, sweep_times_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_LIST_SWEEP_TIMES, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*vec_push(out) = (struct sweep_time){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1) };
	if (more)
		vec_free(out);
	return more;
}

int store_get_effective(struct store *s, int64_t run, char **json, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_GET_EFFECTIVE, ARGS(sql_int(run)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*json = sql_column_string(st, 0);
	return more;
}
