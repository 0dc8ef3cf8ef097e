// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/handle.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "db/batch.h"
#include "db/store.h"

/* SQLite's result codes (https://sqlite.org/rescode.html) in the words of our users. */
static const struct fault {
	int code;
	enum err_kind kind;
	const char *text;
} faults[] = {
	{ SQLITE_FULL, ERR_NEEDS, "disk full; what was stored before stays" },
	{ SQLITE_BUSY, ERR_NEEDS, "locked by another process for over 10 s; try again when it is done" },
	{ SQLITE_READONLY, ERR_NEEDS, "read-only" },
	{ SQLITE_CANTOPEN, ERR_NEEDS, "cannot be opened" },
	{ SQLITE_NOTADB, ERR_NEEDS, "not a database" },
	{ SQLITE_CORRUPT, ERR_FAULT, "damaged" },
	{ SQLITE_IOERR, ERR_FAULT, "I/O error" },
};

static const struct fault *fault_of(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		if (faults[i].code == (code & 0xff))
			return &faults[i];
	return NULL;
}

int store_fail(struct store *s, struct err *err)
{
	/* A failed COMMIT does not tell SQLite's errno, but leaves it. */
	int left = errno, code = sqlite3_extended_errcode(s->db), errnum = sqlite3_system_errno(s->db);
	const struct fault *fault;

	if (!errnum)
		errnum = left;
	/* A full disk shows as FULL where data are written, but as IOERR where the -shm file or a quota is. */
	if ((code & 0xff) == SQLITE_IOERR && (errnum == ENOSPC || errnum == EDQUOT))
		code = SQLITE_FULL;
	fault = fault_of(code);
	if (!fault)
		return err_set(err, ERR_FAULT, "database '%s': %s", s->path, sqlite3_errmsg(s->db));
	if (errnum && ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN))
		return err_sys(err, fault->kind, errnum, "database '%s': %s", s->path, fault->text);
	return err_set(err, fault->kind, "database '%s': %s", s->path, fault->text);
}

static sqlite3_stmt *prepared(struct store *s, enum sql which, struct err *err)
{
	if (!s->statements[which] && sqlite3_prepare_v3(s->db, sql_text[which], -1, SQLITE_PREPARE_PERSISTENT,
							&s->statements[which], NULL) != SQLITE_OK)
		store_fail(s, err);
	return s->statements[which];
}

static int bind(sqlite3_stmt *st, int i, const struct sql_arg *arg)
{
	switch (arg->type) {
	case SQL_ARG_INT:
		return sqlite3_bind_int64(st, i, arg->i);
	case SQL_ARG_REAL:
		return sqlite3_bind_double(st, i, arg->d);
	case SQL_ARG_TEXT:
		return sqlite3_bind_text(st, i, arg->p, -1, SQLITE_STATIC);
	case SQL_ARG_BLOB:
		return sqlite3_bind_blob64(st, i, arg->p, arg->len, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

sqlite3_stmt *sql_start(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct err *err)
{
	sqlite3_stmt *st = prepared(s, which, err);

	for (size_t i = 0; st && i < n; i++)
		if (bind(st, (int)i + 1, &args[i]) != SQLITE_OK) {
			store_fail(s, err);
			return NULL;
		}
	return st;
}

int sql_next(struct store *s, sqlite3_stmt *st, struct err *err)
{
	int rc;

	errno = 0;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		store_fail(s, err);
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : -1;
}

int sql_run(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, args, n, err);

	return st ? sql_next(s, st, err) : -1;
}

int sql_script(struct store *s, const char *text, struct err *err)
{
	return sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, err);
}

char *sql_uri(const char *path, const char *query)
{
	AUTOFREE char *real = realpath(path, NULL);
	struct str uri = { 0 };

	str_add(&uri, "file://");
	for (const char *p = real ? real : path; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("/._-", *p))
			str_addn(&uri, p, 1);
		else
			str_addf(&uri, "%%%02x", (unsigned)(unsigned char)*p);
	str_addf(&uri, "?%s", query);
	return str_steal(&uri);
}

int sql_find_int(struct store *s, enum sql which, const struct sql_arg *args, size_t n, int64_t *value,
		 struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, args, n, err);
	int found = st ? sql_next(s, st, err) : -1;

	if (found > 0) {
		*value = sqlite3_column_int64(st, 0);
		sqlite3_reset(st);
	}
	return found;
}

char *sql_column_string(sqlite3_stmt *st, int column)
{
	return mem_strdup((const char *)sqlite3_column_text(st, column));
}

int store_begin(struct store *s, struct err *err)
{
	if (s->joined)
		return 0;
	return s->batch ? batch_begin(s, err) : sql_run(s, SQL_BEGIN, NO_ARGS, err);
}

static bool same_file(const char *path, const struct stat *was)
{
	struct stat now;

	return !stat(path, &now) && now.st_dev == was->st_dev && now.st_ino == was->st_ino;
}

/* A commit into files that have no name any more succeeds, and is lost when we close them. */
static int check_not_moved(const struct store *s, struct err *err)
{
	const char *file = sqlite3_db_filename(s->db, "main");

	if (!s->watched || (same_file(file, &s->file) && same_file(sqlite3_filename_wal(file), &s->wal)))
		return 0;
	return err_set(err, ERR_FAULT, "database '%s': it, or its '-wal' file, was deleted or replaced while it was "
		       "open; nothing more can be stored", s->path);
}

int store_end(struct store *s, bool failed, struct err *err)
{
	if (s->joined) {
		s->join_failed |= failed;
		return failed ? -1 : 0;
	}
	if (!s->batch)
		return store_commit(s, failed, err);
	if (failed)
		vec_free(&s->metrics);
	return batch_end(s, failed, err);
}

int store_join(struct store *s, struct err *err)
{
	/* with a '-wal' file, commits wait for the disk only when FULL (https://sqlite.org/pragma.html#pragma_synchronous) */
	if (sql_script(s, "PRAGMA synchronous = NORMAL", err))
		return -1;
	if (store_begin(s, err)) {
		sql_script(s, "PRAGMA synchronous = FULL", NULL);
		return -1;
	}
	s->joined = true;
	s->join_failed = false;
	return 0;
}

int store_join_end(struct store *s, bool failed, struct err *err)
{
	s->joined = false;
	failed = store_end(s, failed || s->join_failed, err);
	return sql_script(s, "PRAGMA synchronous = FULL", failed ? NULL : err) || failed ? -1 : 0;
}

int store_commit(struct store *s, bool failed, struct err *err)
{
	if (!failed && !sql_run(s, SQL_COMMIT, NO_ARGS, err))
		return check_not_moved(s, err);
	/* Some errors (a full disk) have rolled back already. */
	if (!sqlite3_get_autocommit(s->db))
		sql_run(s, SQL_ROLLBACK, NO_ARGS, NULL);
	vec_free(&s->metrics);
	return -1;
}
