// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/merge.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/handle.h"
#include "db/schema.h"

#define COPY ".merge-" /* and the id of the process that made it */

/* Where the rows are taken from: the file itself, or a copy of it in our schema. */
struct source {
	char *uri;
	char *copy; /* to be removed; NULL */
};

/* With what SQLite keeps beside it. */
static void remove_database(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-shm" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTOFREE char *name = mem_printf("%s%s", path, ends[i]);

		unlink(name);
	}
}

static void source_release(struct source *from)
{
	if (from->copy)
		remove_database(from->copy);
	free(from->copy);
	free(from->uri);
	*from = (struct source){ 0 };
}

/* A merge that was killed while it made its copy leaves one behind. */
static void remove_stale_copies(const char *to)
{
	const char *slash = strrchr(to, '/');
	AUTOFREE char *folder = slash ? mem_strndup(to, (size_t)(slash - to) + 1) : mem_strdup("./");
	AUTOFREE char *start = mem_printf("%s" COPY, slash ? slash + 1 : to);
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		AUTOFREE char *path = mem_printf("%s%s", folder, entry->d_name);
		long pid = str_starts(entry->d_name, start) ? strtol(entry->d_name + strlen(start), NULL, 10) : 0;

		if (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH)
			unlink(path);
	}
	if (dir)
		closedir(dir);
}

/* An older schema: the copy is brought up to date as any database that is opened for writing. */
static int make_copy(struct store *old, const char *to, struct source *from, struct err *err)
{
	AUTOSTORE struct store *copy = NULL;

	remove_stale_copies(to);
	from->copy = mem_printf("%s" COPY "%d", to, (int)getpid());
	if (store_backup(old, from->copy, err))
		return -1;
	copy = store_open(from->copy, STORE_WRITE, err);
	if (!copy)
		return -1;
	/* which needs no other file of its name: it is removed once it is open */
	from->uri = sql_uri(from->copy, "immutable=1");
	return 0;
}

static int check_sound(struct store *s, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_CHECK_QUICKLY, NO_ARGS, NULL);
	bool sound = st && sql_next(s, st, NULL) > 0 && !strcmp((const char *)sqlite3_column_text(st, 0), "ok");

	sqlite3_reset(st);
	return sound ? 0 : err_set(err, ERR_FAULT, "database '%s': damaged", s->path);
}

static int find_source(const char *path, const char *to, struct source *from, struct err *err)
{
	struct stat a, b;
	AUTOSTORE struct store *s = NULL;

	if (!stat(path, &a) && !stat(to, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return err_set(err, ERR_USAGE, "'%s' cannot be merged into itself", path);
	s = store_open(path, STORE_READ, err);
	if (!s)
		return -1;
	/* what cannot be merged leaves no empty database behind */
	if (access(to, F_OK) && check_sound(s, err))
		return -1;
	if (s->version < schema_n_steps)
		return make_copy(s, to, from, err);
	from->uri = sql_uri(path, s->immutable ? "immutable=1" : "mode=ro");
	return 0;
}

/* "src.NAME" stands in the script. */
static bool is_merged(const char *name)
{
	AUTOFREE char *wanted = mem_printf("src.%s", name);
	size_t len = strlen(wanted);

	for (const char *at = merge_script; (at = strstr(at, wanted)); at += len)
		if (!isalnum((unsigned char)at[len]) && at[len] != '_')
			return true;
	return false;
}

/* Those tables of the source that would be left behind, with a query for each that tells whether it has rows. */
static int find_left(struct store *s, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_SOURCE_TABLES, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		char *query = sqlite3_mprintf("SELECT 1 FROM src.\"%w\"", name);
		sqlite3_stmt *rows = NULL;

		if (!is_merged(name) && sqlite3_prepare_v2(s->db, query, -1, &rows, NULL) == SQLITE_OK &&
		    sqlite3_step(rows) == SQLITE_ROW)
			strings_add(out, name);
		sqlite3_finalize(rows);
		sqlite3_free(query);
	}
	return more;
}

/* Cells that were here before and have got runs, or lost some. */
static int make_summaries(struct store *s, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_MERGE_TOUCHED, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		struct sql_arg cell = sql_int(sqlite3_column_int64(st, 0));

		if (sql_run(s, SQL_FORGET_SUMMARIES, &cell, 1, err) || sql_run(s, SQL_SUMMARISE_CELL, &cell, 1, err)) {
			sqlite3_reset(st);
			return -1;
		}
	}
	return more;
}

static int count(struct store *s, struct merge_counts *counts, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_MERGE_COUNTS, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		counts->sweeps_new = sqlite3_column_int64(st, 0);
		counts->sweeps_grown = sqlite3_column_int64(st, 1);
		counts->runs_new = sqlite3_column_int64(st, 2);
		counts->runs_known = sqlite3_column_int64(st, 3) - counts->runs_new;
	}
	return more;
}

static int find_known_imports(struct store *s, import_twins_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_MERGE_IMPORTS, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*vec_push(out) = (struct import_twin){ sql_column_string(st, 0), sql_column_string(st, 1) };
	return more;
}

static int find_lost_baselines(struct store *s, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_MERGE_BASELINES, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		strings_add(out, (const char *)sqlite3_column_text(st, 0));
	return more;
}

/* An error of SQLite does not tell which of the two files it is about, and the words are those of the one that is written. */
static int blame(const char *path, struct err *err)
{
	AUTOSTORE struct store *s = store_open(path, STORE_READ, NULL);

	return s ? check_sound(s, err) : -1;
}

/* The temporary tables of the script go with the connection, which is therefore of this merge alone. */
static int merge(struct store *s, struct source *from, const char *path, struct merge_counts *counts, struct err *err)
{
	bool failed;

	if (sql_run(s, SQL_ATTACH_SOURCE, ARGS(sql_string(from->uri)), NULL))
		return err_set(err, ERR_FAULT, "database '%s': %s", path, sqlite3_errmsg(s->db));
	source_release(from);
	if (store_begin(s, err))
		return -1;
	failed = sql_script(s, merge_script, err) || make_summaries(s, err) || count(s, counts, err) ||
		 find_known_imports(s, &counts->known, err) || find_lost_baselines(s, &counts->baselines, err) ||
		 find_left(s, &counts->left, err);
	if (!store_end(s, failed, err))
		return 0;
	if (err->kind == ERR_FAULT)
		blame(path, err);
	return -1;
}

int store_merge(const char *to, const char *path, struct merge_counts *counts, struct err *err)
{
	struct source from = { 0 };
	struct store *s = NULL;
	int bad = find_source(path, to, &from, err);

	if (!bad)
		s = store_open(to, STORE_CREATE, err);
	bad = !s || merge(s, &from, path, counts, err);
	store_close(s);
	source_release(&from);
	return bad ? err_context(err, "cannot merge '%s'", path) : 0;
}

void merge_counts_release(struct merge_counts *counts)
{
	strings_release(&counts->left);
	strings_release(&counts->baselines);
	for (size_t i = 0; i < counts->known.n; i++) {
		free(counts->known.items[i].uuid);
		free(counts->known.items[i].other);
	}
	vec_free(&counts->known);
}
