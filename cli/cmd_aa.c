// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/setup.h"

extern const struct command cmd_sweep;

/* What is not given: one cell, of the scheduler as it is now. A job file of one's own may know no pattern or jobs. */
static const struct {
	const char *name, *value;
	bool of_our_job;
} defaults[] = { { "scheds", "current", false }, { "patterns", "read", true }, { "jobs", "1", true } };

static int check_one(const struct options *opt, struct err *err)
{
	static const char *const lists[] = { "scheds", "slice-idle", "set" };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (option_given(opt, lists[i]) && strchr(option(opt, lists[i]), ','))
			return err_set(err, ERR_USAGE, "--%s '%s': an A-A check holds one scheduler against itself", lists[i],
				       option(opt, lists[i]));
	return 0;
}

/* A sweep of the same twice, shown as a comparison. */
static int run(const struct options *opt, struct err *err)
{
	struct options twice = { .typed = mem_strdup(opt->typed) };
	int code = check_one(opt, err);

	for (size_t i = 0; !code && i < opt->given.n; i++)
		code = option_add(&cmd_sweep, &twice, opt->given.items[i].row->name, opt->given.items[i].value, err);
	for (size_t i = 0; !code && i < ARRAY_LEN(defaults); i++)
		if (!option_given(opt, defaults[i].name) && !(defaults[i].of_our_job && option_given(opt, "job")))
			code = option_add(&cmd_sweep, &twice, defaults[i].name, defaults[i].value, err);
	if (!code)
		code = option_add(&cmd_sweep, &twice, "layout", "compare", err);
	if (!code && !option_given(opt, "twice"))
		code = option_add(&cmd_sweep, &twice, "twice", "", err);
	if (!code) {
		say("both names are the same scheduler: what the table calls a change is noise");
		code = cmd_sweep.run(&twice, err);
	}
	options_release(&twice);
	return code;
}

const struct command cmd_aa = {
	.name = "aa",
	.summary = "the A-A check: one cell under two names on your own disk",
	.about = "iobench aa --dev /dev/sdb\n\n"
		 "A sweep in which every cell is there twice, in random order like any other, and the comparison of the two. "
		 "It shows how small a difference this disk and this machine can tell from noise: the width of the intervals. "
		 "A change that is named here is false; more than one in twenty checks should not name any.",
	.groups = { options_sweep, options_table, options_db },
	.run = run,
};
