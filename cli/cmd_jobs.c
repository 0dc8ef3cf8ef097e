// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/plan_file.h"
#include "runner/workload.h"

/* A plan opens with a comment as a workload does. */
static int print_workload(const char *name, const char *path, struct err *err)
{
	struct workload w = { 0 };

	if (workload_load(path, &w, err))
		return -1;
	printf("%s (%s)\n", name, w.path);
	for (const char *line = w.question; *line; line += strcspn(line, "\n"), line += *line == '\n')
		printf("    %.*s\n", (int)strcspn(line, "\n"), line);
	workload_release(&w);
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 }, plans = { 0 };

	(void)opt;
	workload_list(&names);
	for (size_t i = 0; i < names.n; i++)
		if (print_workload(names.items[i], names.items[i], err))
			return -1;
	plan_file_list(&plans);
	for (size_t i = 0; i < plans.n; i++) {
		AUTOFREE char *path = plan_file_path(plans.items[i]);

		if (i == 0)
			puts("\nplans, several sweeps each: iobench sweep --plan NAME --dev DEVICE");
		if (path && print_workload(plans.items[i], path, err))
			return -1;
	}
	return 0;
}

const struct command cmd_jobs = {
	.name = "jobs",
	.summary = "workloads and plans that come with it, and what each answers",
	.groups = { NULL },
	.run = run,
};
