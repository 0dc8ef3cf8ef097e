// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/plan_file.h"
#include "cli/screen.h"
#include "runner/workload.h"

#define FULL_LINE 114 /* of the comments in jobs/, without their "# " */

/* Lines that were broken because they were full become one paragraph again, which is broken where the reader's are. */
static void print_question(const char *text)
{
	AUTOSTR struct str paragraph = { 0 };

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *next = text + len + (text[len] == '\n');

		str_addf(&paragraph, "%s%.*s", paragraph.len ? " " : "", (int)len, text);
		if (!*next || *next == '\n' || len + 1 + strcspn(next, " \n") <= FULL_LINE) {
			print_wrapped(stdout, "    ", str_text(&paragraph), 4, prose_width(stdout));
			str_clear(&paragraph);
		}
		text = next;
	}
}

/* A plan opens with a comment as a workload does. */
static int print_workload(const char *name, const char *path, struct err *err)
{
	struct workload w = { 0 };

	if (workload_load(path, &w, err))
		return -1;
	printf("%s (%s)\n", name, w.path);
	print_question(w.question);
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
