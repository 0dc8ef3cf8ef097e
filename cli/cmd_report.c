// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"
#include "cli/output.h"
#include "db/store.h"

static int run(const struct options *opt, struct err *err)
{
	AUTOFREE int64_t *ids = NULL;
	AUTOSTORE struct store *s = NULL;
	size_t n;

	if (output_check(opt, err))
		return -1;
	s = open_database(opt, STORE_READ, err);
	if (!s || choose_sweeps(opt, s, output_is_trend(opt), &ids, &n, err))
		return -1;
	return output_tables(opt, s, ids, n, err);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print the tables of a sweep",
	.operands = "[SWEEP]...",
	.about = "A SWEEP is the start of an id, a name (the newest of it), 'last' or 'last~N'; without one: last; of the layout 'trend' all.",
	.groups = { options_since, options_layout, options_table, options_db },
	.run = run,
};
