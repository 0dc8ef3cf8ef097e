// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "db/merge.h"

static int merge(const char *to, const char *path, struct err *err)
{
	struct merge_counts n = { 0 };
	int bad = store_merge(to, path, &n, err);

	if (!bad)
		printf("'%s': %" PRId64 " sweeps new, %" PRId64 " grown; %" PRId64 " runs new, %" PRId64 " known already\n", path,
		       n.sweeps_new, n.sweeps_grown, n.runs_new, n.runs_known);
	for (size_t i = 0; i < n.known.n; i++)
		say("'%s': its sweep %.8s was not merged: the same files were imported here before, as sweep %.8s", path,
		    n.known.items[i].uuid, n.known.items[i].other);
	for (size_t i = 0; i < n.baselines.n; i++)
		say("'%s': baseline '%s' was a night of another box here: it is the one that was named last now", path,
		    n.baselines.items[i]);
	for (size_t i = 0; i < n.left.n; i++)
		say("'%s': its table '%s' was not merged: this iobench does not know how", path, n.left.items[i]);
	merge_counts_release(&n);
	return bad;
}

static int run(const struct options *opt, struct err *err)
{
	if (!opt->operands.n)
		return err_set(err, ERR_USAGE, "nothing to merge: name the databases that come into '%s'", option_db(opt));
	for (size_t i = 0; i < opt->operands.n; i++)
		if (merge(option_db(opt), opt->operands.items[i], err))
			return -1;
	return 0;
}

const struct command cmd_merge = {
	.name = "merge",
	.summary = "bring what other databases hold, of other boxes too, into this one",
	.operands = "DATABASE...",
	.about = "The same run comes once, however often it is merged, and a sweep that has grown gets its new runs. A database is "
		 "merged as a whole or not at all. It is only read, also while a sweep writes to it; of a box that measures, take "
		 "what 'iobench db backup' makes. Do not merge into a database that a sweep writes to: a long merge makes it wait.\n\n"
		 "Files that were imported on both sides come once too. Figures and output of a run that is here already stay as "
		 "they are, whatever 'import --reparse' or 'db prune' did to it there.\n\n"
		 "Sweeps keep the name of their box: --rows, --cols and --where know it as 'host', and compare as host=NAME.",
	.groups = { options_db },
	.run = run,
};
