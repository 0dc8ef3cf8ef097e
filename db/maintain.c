// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/handle.h"
#include "db/store.h"

#define BACKUP_PAGES 256 /* between two of which a writer may have its turn */
#define BACKUP_PAUSE_MS 5

static int copy_pages(struct store *s, sqlite3 *to, const char *path, struct err *err)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", s->db, "main");
	int rc;

	if (!b)
		return err_set(err, ERR_FAULT, "cannot write '%s': %s", path, sqlite3_errmsg(to));
	while ((rc = sqlite3_backup_step(b, BACKUP_PAGES)) == SQLITE_OK || rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
		sqlite3_sleep(BACKUP_PAUSE_MS);
	rc = sqlite3_backup_finish(b);
	return rc == SQLITE_OK ? 0
			       : err_set(err, ERR_FAULT, "cannot back up '%s' to '%s': %s", s->path, path,
					 sqlite3_errstr(rc));
}

int store_backup(struct store *s, const char *path, struct err *err)
{
	AUTOFREE char *part = mem_printf("%s.part", path);
	sqlite3 *to = NULL;
	int bad;

	if (!access(path, F_OK))
		return err_set(err, ERR_NEEDS, "'%s' exists already: a backup overwrites nothing", path);
	unlink(part);
	bad = sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)
		      ? err_set(err, ERR_FAULT, "cannot create '%s': %s", part, sqlite3_errmsg(to))
		      : copy_pages(s, to, part, err);
	/* a plain file that any SQLite opens, also on a medium that cannot be written */
	if (!bad && sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL))
		bad = err_set(err, ERR_FAULT, "cannot finish '%s': %s", part, sqlite3_errmsg(to));
	if (sqlite3_close(to) && !bad)
		bad = err_set(err, ERR_FAULT, "cannot close '%s'", part);
	if (!bad && rename(part, path))
		bad = err_sys(err, ERR_FAULT, errno, "cannot name the backup '%s'", path);
	if (bad)
		unlink(part);
	return bad;
}

static int add_problems(struct store *s, enum sql which, const char *fine, struct str *problems, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, which, NO_ARGS, err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (!fine || !text || strcmp(text, fine))
			str_addf(problems, "%s\n", text ? text : "(nothing)");
	}
	return more;
}

int store_check(struct store *s, struct str *problems, struct err *err)
{
	return add_problems(s, SQL_CHECK_INTEGRITY, "ok", problems, err) ||
	       add_problems(s, SQL_CHECK_FOREIGN_KEYS, NULL, problems, err) ||
	       add_problems(s, SQL_CHECK_SUMMARIES, NULL, problems, err);
}
