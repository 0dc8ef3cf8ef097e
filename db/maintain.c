// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/maintain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/handle.h"

static void remove_part(const char *part)
{
	AUTOFREE char *journal = mem_printf("%s-journal", part);

	unlink(part);
	unlink(journal);
}

/* SQLite would do it, but does not tell why it could not. */
static int create_part(const char *part, struct err *err)
{
	AUTOCLOSE int fd = -1;

	remove_part(part);
	fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? err_sys(err, ERR_NEEDS, errno, "cannot create '%s'", part) : 0;
}

/*
 * All in one transaction: SQLite starts a copy over again when another process has written meanwhile
 * (https://sqlite.org/backup.html), and with a sweep that stores a run every now and then that is for ever. Writers do not
 * wait for who reads a database in WAL mode.
 */
static int copy_pages(struct store *s, sqlite3 *to, const char *part, struct err *err)
{
	sqlite3_backup *b;
	int rc;

	/* BEGIN alone reads nothing yet */
	if (sql_run(s, SQL_BEGIN_READ, NO_ARGS, err) || sql_script(s, "SELECT 1 FROM sqlite_schema", err))
		return -1;
	b = sqlite3_backup_init(to, "main", s->db, "main");
	while (b && sqlite3_backup_step(b, -1) == SQLITE_OK)
		;
	rc = b ? sqlite3_backup_finish(b) : sqlite3_errcode(to);
	sql_run(s, SQL_COMMIT, NO_ARGS, NULL);
	return rc == SQLITE_OK ? 0
			       : err_set(err, (rc & 0xff) == SQLITE_FULL ? ERR_NEEDS : ERR_FAULT, "cannot back up '%s' to '%s': %s",
					 s->path, part, sqlite3_errstr(rc));
}

int store_backup(struct store *s, const char *path, struct err *err)
{
	AUTOFREE char *part = mem_printf("%s.part", path);
	sqlite3 *to = NULL;
	int bad;

	if (!access(path, F_OK))
		return err_set(err, ERR_NEEDS, "'%s' exists already: a backup overwrites nothing", path);
	if (create_part(part, err))
		return -1;
	bad = sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE, NULL)
		      ? err_set(err, ERR_FAULT, "cannot open '%s': %s", part, sqlite3_errmsg(to))
		      : copy_pages(s, to, part, err);
	/* a plain file that any SQLite opens, also on a medium that cannot be written */
	if (!bad && sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL))
		bad = err_set(err, ERR_FAULT, "cannot finish '%s': %s", part, sqlite3_errmsg(to));
	if (sqlite3_close(to) && !bad)
		bad = err_set(err, ERR_FAULT, "cannot close '%s'", part);
	if (!bad && rename(part, path))
		bad = err_sys(err, ERR_FAULT, errno, "cannot name the backup '%s'", path);
	if (bad)
		remove_part(part);
	return bad;
}

static int add_problems(struct store *s, enum sql which, const struct sql_arg *args, size_t n, const char *fine,
			struct str *problems, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, args, n, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (!fine || !text || strcmp(text, fine))
			str_addf(problems, "%s\n", text ? text : "(nothing)");
	}
	return more;
}

static int check_summaries(struct store *s, struct str *problems, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_LIST_CELL_IDS, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		if (add_problems(s, SQL_CHECK_SUMMARY, ARGS(sql_int(sqlite3_column_int64(st, 0))), NULL, problems, err)) {
			sqlite3_reset(st);
			return -1;
		}
	return more;
}

int store_check(struct store *s, struct str *problems, struct err *err)
{
	return add_problems(s, SQL_CHECK_INTEGRITY, NO_ARGS, "ok", problems, err) ||
	       add_problems(s, SQL_CHECK_FOREIGN_KEYS, NO_ARGS, NULL, problems, err) || check_summaries(s, problems, err);
}

/* "[1,2]" for json_each(). */
static void add_ids(struct str *out, const int64_t *ids, size_t n)
{
	str_add(out, "[");
	for (size_t i = 0; i < n; i++)
		str_addf(out, "%s%" PRId64, i ? "," : "", ids[i]);
	str_add(out, "]");
}

static int read_amount(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct raw_amount *out,
		       struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, args, n, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		*out = (struct raw_amount){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
					    sqlite3_column_int64(st, 2) };
	return more;
}

int store_prune(struct store *s, int64_t before_ns, const int64_t *keep, size_t n_keep, struct raw_amount *out,
		struct err *err)
{
	AUTOSTR struct str kept = { 0 };
	bool failed;

	add_ids(&kept, keep, n_keep);
	if (store_begin(s, err))
		return -1;
	failed = read_amount(s, SQL_OLD_RAW, ARGS(sql_int(before_ns), sql_string(kept.s)), out, err) ||
		 sql_run(s, SQL_PRUNE_RAW, ARGS(sql_int(before_ns), sql_string(kept.s)), err);
	return store_end(s, failed, err);
}

static int file_bytes(struct store *s, int64_t *bytes, struct err *err)
{
	struct stat st;

	if (stat(s->path, &st))
		return err_sys(err, ERR_FAULT, errno, "cannot look at '%s'", s->path);
	*bytes = st.st_size;
	return 0;
}

/* All that is in the '-wal' into the file. Of a reader that is in the way no error tells, but the first column. */
static int checkpoint(struct store *s, bool *held, struct err *err)
{
	int64_t busy = 0;

	int found = sql_find_int(s, SQL_CHECKPOINT, NO_ARGS, &busy, err);

	*held = busy;
	return found < 0 ? -1 : 0;
}

int store_vacuum(struct store *s, int64_t *before, int64_t *after, bool *held, struct err *err)
{
	*before = *after = 0;
	if (checkpoint(s, held, err) || *held)
		return *held ? 0 : -1;
	/* The pages go through the '-wal': the file shrinks when they are brought over. */
	return file_bytes(s, before, err) || sql_script(s, "VACUUM", err) || checkpoint(s, held, err) || file_bytes(s, after, err);
}

static int read_counts(struct store *s, struct store_info *out, struct err *err)
{
	int64_t *const fields[] = { &out->version, &out->unused, &out->sweeps,	     &out->imports, &out->nights,  &out->cells,
				    &out->configs, &out->environments, &out->runs,    &out->runs_ok, &out->samples, &out->first_ns,
				    &out->last_ns };
	sqlite3_stmt *st = sql_start(s, SQL_INFO, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		for (size_t i = 0; i < ARRAY_LEN(fields); i++)
			*fields[i] = sqlite3_column_int64(st, (int)i);
	return more;
}

static int read_hosts(struct store *s, strings_t *out, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_LIST_HOSTS, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		strings_add(out, (const char *)sqlite3_column_text(st, 0));
	return more;
}

/* dbstat is a part of SQLite that may be left out (https://sqlite.org/dbstat.html). */
static void read_tables(struct store *s, struct store_info *out)
{
	sqlite3_stmt *st = sql_start(s, SQL_TABLE_SIZES, NO_ARGS, NULL);

	while (st && sql_next(s, st, NULL) > 0)
		*vec_push(&out->tables) = (struct table_size){ sql_column_string(st, 0), sqlite3_column_int64(st, 1) };
}

int store_get_info(struct store *s, struct store_info *out, struct err *err)
{
	/* One transaction: a sweep may be storing meanwhile. */
	int bad = sql_run(s, SQL_BEGIN_READ, NO_ARGS, err);

	if (bad)
		return -1;
	bad = read_counts(s, out, err) || read_amount(s, SQL_ALL_RAW, NO_ARGS, &out->raw, err) ||
	      read_hosts(s, &out->hosts, err) || file_bytes(s, &out->bytes, err);
	if (!bad)
		read_tables(s, out);
	sql_run(s, SQL_COMMIT, NO_ARGS, NULL);
	if (bad)
		store_info_release(out);
	return bad ? -1 : 0;
}

void store_info_release(struct store_info *info)
{
	strings_release(&info->hosts);
	for (size_t i = 0; i < info->tables.n; i++)
		free(info->tables.items[i].name);
	vec_free(&info->tables);
}
