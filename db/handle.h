/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_HANDLE_H
#define DB_HANDLE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "db/frame.h"
#include "db/statements.h"
#include "parsers/metric.h"

/* What the files of db/ share: the open database, and statements run by name. Nobody else includes this. */

#define STORE_BUSY_MS 10000

struct store_metric {
	const struct metric *metric;
	int64_t id;
};

struct store {
	sqlite3 *db;
	char *path; /* as given */
	int64_t version; /* of the schema; only a database that is read may have less than all */
	bool immutable; /* on a medium that cannot be written */
	bool watched;	       /* open for writing, and the next two are filled in */
	struct stat file, wal; /* as opened: every commit checks that they are still these */
	sqlite3_stmt *statements[SQL_N];
	VEC(struct store_metric) metrics; /* ids already known, in order of pointers */
	struct framer framer;
	struct batch *batch; /* of an import; NULL: every write is a transaction of its own */
	bool joined, join_failed; /* of store_join() */
};

/* A parameter of a statement. Texts and blobs are borrowed until the statement is done; NULL is SQL's NULL. */
struct sql_arg {
	enum { SQL_ARG_INT, SQL_ARG_REAL, SQL_ARG_TEXT, SQL_ARG_BLOB } type;
	union {
		int64_t i;
		double d;
		const void *p;
	};
	size_t len;
};

static inline struct sql_arg sql_int(int64_t i)
{
	return (struct sql_arg){ .type = SQL_ARG_INT, .i = i };
}

static inline struct sql_arg sql_real(double d)
{
	return (struct sql_arg){ .type = SQL_ARG_REAL, .d = d };
}

static inline struct sql_arg sql_string(const char *s)
{
	return (struct sql_arg){ .type = SQL_ARG_TEXT, .p = s };
}

static inline struct sql_arg sql_blob(const void *bytes, size_t len)
{
	return (struct sql_arg){ .type = SQL_ARG_BLOB, .p = bytes, .len = len };
}

/* An array of parameters and its length, for the functions below: ARGS(sql_int(1), sql_string("x")). */
#define ARGS(...)                                                                                               \
	(const struct sql_arg[]){ __VA_ARGS__ }, sizeof((struct sql_arg[]){ __VA_ARGS__ }) / sizeof(struct sql_arg)
#define NO_ARGS NULL, 0

/* Run a statement that gives no rows. */
int sql_run(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct err *err);

/*
 * Start a statement that gives rows: NULL on error. sql_next() gives 1 for a row, 0 behind the last, -1 on error;
 * a loop that leaves before the last row calls sqlite3_reset(), or the database stays read-locked.
 */
sqlite3_stmt *sql_start(struct store *s, enum sql which, const struct sql_arg *args, size_t n, struct err *err);
int sql_next(struct store *s, sqlite3_stmt *st, struct err *err);

/* Run several statements without parameters. */
int sql_script(struct store *s, const char *text, struct err *err);

/* "file:/a/b%3f.db?QUERY" (https://sqlite.org/uri.html); the caller frees. */
char *sql_uri(const char *path, const char *query);

/* The first column of the first row; 1 found (in '*value'), 0 no row, -1 error. */
int sql_find_int(struct store *s, enum sql which, const struct sql_arg *args, size_t n, int64_t *value,
		 struct err *err);

/* A column's text; the caller frees; NULL for SQL's NULL. */
char *sql_column_string(sqlite3_stmt *st, int column);

/*
 * Every write is between these two. store_end() commits, or if 'failed' rolls back and returns -1. Between store_join() and
 * store_join_end() that is left to the latter.
 */
int store_begin(struct store *s, struct err *err);
int store_end(struct store *s, bool failed, struct err *err);

/* For batch.c: end the transaction itself. */
int store_commit(struct store *s, bool failed, struct err *err);

/* Fill 'err' from what SQLite says about its last failure. Always -1. */
int store_fail(struct store *s, struct err *err);

#endif
