// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "db/store.h"

static int check(struct store *s, struct err *err)
{
	AUTOSTR struct str problems = { 0 };

	if (store_check(s, &problems, err))
		return -1;
	if (problems.len) {
		fputs(str_text(&problems), stdout);
		return err_set(err, ERR_FAULT, "'%s' is damaged: see above", store_path(s));
	}
	printf("'%s' is sound\n", store_path(s));
	return 0;
}

static int backup(struct store *s, const char *path, struct err *err)
{
	if (store_backup(s, path, err))
		return -1;
	printf("'%s' is a copy of '%s'\n", path, store_path(s));
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	const char *what = opt->operands.n ? opt->operands.items[0] : "";
	bool is_backup = !strcmp(what, "backup");
	struct store *s;
	int bad;

	if (!(is_backup && opt->operands.n == 2) && !(!strcmp(what, "check") && opt->operands.n == 1))
		return err_set(err, ERR_USAGE, "write 'db check' or 'db backup FILE'");
	s = store_open(option_db(opt), STORE_READ, err);
	if (!s)
		return -1;
	bad = is_backup ? backup(s, opt->operands.items[1], err) : check(s, err);
	store_close(s);
	return bad;
}

const struct command cmd_db = {
	.name = "db",
	.summary = "check a database, or back it up while a sweep writes to it",
	.operands = "check | backup FILE",
	.about = "A copy of the file made by cp while a sweep runs may be damaged; 'db backup' makes one that is not.",
	.groups = { options_db },
	.run = run,
};
