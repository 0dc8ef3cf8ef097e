// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

extern const struct command cmd_sweep, cmd_resume, cmd_report, cmd_plot, cmd_list, cmd_show, cmd_devices,
	cmd_jobs, cmd_doctor, cmd_restore, cmd_import, cmd_export, cmd_compare, cmd_findings, cmd_aa, cmd_check,
	cmd_baseline, cmd_merge, cmd_db, cmd_vdisk;

const struct command *const commands[] = {
	&cmd_devices, &cmd_doctor, &cmd_jobs, &cmd_sweep, &cmd_resume, &cmd_aa, &cmd_restore,
	&cmd_report, &cmd_plot, &cmd_findings, &cmd_compare, &cmd_list, &cmd_show,
	&cmd_check, &cmd_baseline,
	&cmd_import, &cmd_export, &cmd_merge, &cmd_db,
	&cmd_vdisk, NULL,
};

/* What --help writes above the first command of a group. */
static const struct {
	const struct command *first;
	const char *title;
} groups[] = {
	{ &cmd_devices, "measure" },
	{ &cmd_report, "look at results" },
	{ &cmd_check, "every night" },
	{ &cmd_import, "results and databases" },
	{ &cmd_vdisk, "no disk at hand" },
};

static void print_command(FILE *to, const struct command *c)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (groups[i].first == c)
			fprintf(to, "\n%s:\n", groups[i].title);
	fprintf(to, "  %-10s %s\n", c->name, c->summary);
}

static int print_usage(FILE *to, int code)
{
	fputs("usage: iobench COMMAND [OPTION]...\n\n"
	      "Which I/O scheduler is better on this disk, at what, and by how much?\n",
	      to);
	for (size_t i = 0; commands[i]; i++)
		print_command(to, commands[i]);
	fputs("\n'iobench COMMAND --help' tells more. A first try: iobench sweep --dev /dev/sdX\n"
	      "exit codes: 0 all done; 1 some cells failed; 2 usage; 3 needs not met (root,\n"
	      "fio, device in use); 4 settings could not be restored; 5 done what this kernel\n"
	      "can, cells still pending; 10 regressed, 11 too noisy to tell, 12 too few\n"
	      "nights (check); 130 interrupted\n",
	      to);
	return code;
}

const struct command *find_command(const char *name)
{
	const char *names[32], *nearest;
	size_t n = 0;

	for (; commands[n]; n++) {
		if (!strcmp(commands[n]->name, name))
			return commands[n];
		names[n] = commands[n]->name;
	}
	nearest = str_nearest(name, names, n);
	if (nearest)
		say("unknown command '%s' (did you mean '%s'? 'iobench --help' lists them)", name, nearest);
	else
		say("unknown command '%s' ('iobench --help' lists them)", name);
	return NULL;
}

int main(int argc, char **argv)
{
	struct options opt = { 0 };
	struct err err = { 0 };
	const struct command *c;
	int code;

	if (argc < 2)
		return print_usage(stderr, ERR_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (!strcmp(argv[1], "help") && argc == 2))
		return print_usage(stdout, 0);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("iobench " IOBENCH_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "help")) {
		code = help_run(argc - 2, argv + 2, &err);
	} else {
		c = find_command(argv[1]);
		if (!c)
			return ERR_USAGE;
		code = options_parse(c, argc - 1, argv + 1, &opt, &err);
		if (!code)
			code = c->run(&opt, &err);
		else if (code > 0)
			code = 0;
	}
	if (fflush(stdout) && code == 0)
		code = err_sys(&err, ERR_FAULT, 5, "cannot write the output");
	options_release(&opt);
	if (code >= 0)
		return code;
	say("%s", err.msg);
	return err.kind;
}
