// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"
#include "cli/output.h"
#include "db/store.h"

static int find_sweeps(const struct options *opt, struct store *s, int64_t **ids, size_t *n, struct err *err)
{
	static char *const last[] = { (char *)"last" };
	char *const *names = opt->operands.n ? opt->operands.items : last;

	*n = opt->operands.n ? opt->operands.n : 1;
	*ids = mem_alloc(*n, sizeof(**ids));
	for (size_t i = 0; i < *n; i++) {
		struct sweep_row row = { 0 };

		if (store_find_sweep(s, names[i], &row, err))
			return -1;
		(*ids)[i] = row.id;
		sweep_row_release(&row);
	}
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	AUTOFREE int64_t *ids = NULL;
	struct store *s;
	size_t n;
	int bad;

	if (output_check(opt, err))
		return -1;
	s = store_open(option_db(opt), STORE_READ, err);
	if (!s)
		return -1;
	bad = find_sweeps(opt, s, &ids, &n, err) || output_tables(opt, s, ids, n, err);
	store_close(s);
	return bad ? -1 : 0;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the tables of a sweep",
	.operands = "[SWEEP]...",
	.about = "A SWEEP is the start of an id, a name (the newest of it), 'last' or 'last~N'; without one: last.",
	.groups = { options_table, options_db },
	.run = run,
};
