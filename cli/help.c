// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/plan_file.h"
#include "parsers/metric.h"
#include "parsers/parser.h"
#include "report/emit.h"
#include "report/export.h"
#include "report/view.h"
#include "runner/plan.h"
#include "runner/workload.h"

/* A word of an mdoc macro's line: quoted, and led by \& so that it is never a macro or a delimiter itself. */
static void put_argument(const char *text)
{
	fputs(" \"\\&", stdout);
	for (const char *c = text; *c; c++)
		fputs(*c == '\\' ? "\\e" : *c == '"' ? "\\(dq" : *c == '-' ? "\\-" : (const char[]){ *c, '\0' }, stdout);
	putchar('"');
}

/* Whether a full stop at 'c' ends a sentence: mdoc wants the next one on a line of its own. */
static bool ends_sentence(const char *text, const char *c)
{
	return *c == '.' && c[1] == ' ' && c > text && c[-1] != '.' && c[-1] != ' ';
}

/* Plain text; an empty line is a new paragraph, another line end a line break, which a blank behind it makes by itself. */
static void put_text(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\n') {
			fputs(c[1] == '\n' ? "\n.Pp\n" : c[1] == ' ' ? "\n" : "\n.br\n", stdout);
			c += c[1] == '\n';
		} else if (*c == '\\' || *c == '-') {
			fputs(*c == '-' ? "\\-" : "\\e", stdout);
		} else if (*c == '\'' || *c == '`' || *c == '~' || *c == '^') {
			printf("\\(%s", *c == '\'' ? "aq" : *c == '`' ? "ga" : *c == '~' ? "ti" : "ha");
		} else if (*c == '.' && (c == text || c[-1] == '\n')) {
			fputs("\\&.", stdout);
		} else if (ends_sentence(text, c)) {
			fputs(".\n", stdout);
			c++;
		} else {
			putchar(*c);
		}
	}
	putchar('\n');
}

/* "November 30, 2026": of $SOURCE_DATE_EPOCH where it is set, so that packages can be built again byte for byte. */
static void put_date(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t t = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	char text[64];
	struct tm tm;

	/* setlocale() was for LC_CTYPE only: months are English */
	strftime(text, sizeof(text), "%B %e, %Y", gmtime_r(&t, &tm));
	printf(".Dd %s\n", text);
}

static void put_head(const char *page, const char *summary)
{
	puts(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n.\\\" Generated from the tables behind --help.");
	put_date();
	fputs(".Dt ", stdout);
	for (const char *c = page; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf(" 1\n.Os iobench %s\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", IOBENCH_VERSION, page, summary);
}

static void put_option(const struct option_row *r)
{
	fputs(".It", stdout);
	if (r->letter)
		printf(" Fl %c , Fl \\-%s", r->letter, r->name);
	else
		printf(" Fl \\-%s", r->name);
	if (r->argument) {
		fputs(r->may_lack_argument ? " Ns Op = Ns Ar" : " Ar", stdout);
		put_argument(r->argument);
	}
	putchar('\n');
	put_text(r->help);
}

static void put_page(const struct command *c)
{
	AUTOFREE char *page = mem_printf("iobench-%s", c->name);

	put_head(page, c->summary);
	printf(".Nm \"iobench %s\"\n.Op Ar OPTION Ns ...\n", c->name);
	if (c->operands) {
		fputs(".Ar", stdout);
		put_argument(c->operands);
		putchar('\n');
	}
	puts(".Sh DESCRIPTION");
	if (c->about) {
		put_text(c->about);
		puts(".Pp");
	}
	puts("The options are:\n.Bl -tag -width Ds");
	for (size_t i = 0; option_at(c, i); i++)
		put_option(option_at(c, i));
	puts(".El");
}

static void put_overview(void)
{
	put_head("iobench", "which I/O scheduler is better on this disk, at what, and by how much?");
	puts(".Nm\n.Ar COMMAND\n.Op Ar OPTION Ns ...\n.Nm\n.Fl \\-help | Fl \\-version\n.Sh DESCRIPTION");
	puts("The commands are:\n.Bl -tag -width Ds");
	for (size_t i = 0; commands[i]; i++) {
		printf(".It Xr iobench-%s 1\n", commands[i]->name);
		put_text(commands[i]->summary);
	}
	puts(".El");
}

static void list_options(const struct command *c)
{
	for (size_t i = 0; option_at(c, i); i++) {
		const struct option_row *r = option_at(c, i);

		printf("--%s\t%s\t%s%s\n", r->name, r->letter ? (const char[]){ '-', r->letter, '\0' } : "",
		       r->may_lack_argument ? "=" : "", r->argument ? r->argument : "");
	}
}

static void list_layouts(void)
{
	for (size_t i = 0; view_at(i); i++)
		puts(view_at(i)->name);
}

static void list_emitters(void)
{
	for (size_t i = 0; emitter_at(i); i++)
		puts(emitter_at(i)->name);
}

static void list_parsers(void)
{
	for (size_t i = 0; parser_at(i); i++)
		puts(parser_at(i)->name);
}

static void list_exporters(void)
{
	for (size_t i = 0; exporter_at(i); i++)
		puts(exporter_at(i)->name);
}

static void list_metrics(void)
{
	for (size_t i = 0; metric_at(i); i++)
		puts(metric_at(i)->name);
}

static void list_workloads(void)
{
	AUTOSTRINGS strings_t names = { 0 };

	workload_list(&names);
	for (size_t i = 0; i < names.n; i++)
		puts(names.items[i]);
}

static void list_plans(void)
{
	AUTOSTRINGS strings_t names = { 0 };

	plan_file_list(&names);
	for (size_t i = 0; i < names.n; i++)
		puts(names.items[i]);
}

static void list_axes(void)
{
	puts("variant");
	for (size_t i = 0; i < AXIS_N; i++)
		puts(axes[i].option);
}

/* Where values come from: of one command's option, then of that option of any command. */
static const struct {
	const char *command, *option;
	const char *words; /* values, a line each; NULL: 'list' prints them */
	void (*list)(void);
} values[] = {
	{ "import", "format", NULL, list_parsers },
	{ "export", "format", NULL, list_exporters },
	{ NULL, "format", NULL, list_emitters },
	{ NULL, "layout", NULL, list_layouts },
	{ NULL, "metric", NULL, list_metrics },
	{ NULL, "job", NULL, list_workloads },
	{ NULL, "plan", NULL, list_plans },
	{ NULL, "where", NULL, list_axes },
	{ NULL, "rows", NULL, list_axes },
	{ NULL, "cols", NULL, list_axes },
	{ NULL, "patterns", "read\nwrite\nrandread\nrandwrite\nrw\nrandrw", NULL },
	{ NULL, "direction", "all\nread\nwrite\ntrim", NULL },
	{ NULL, "order", "random\nsequential", NULL },
	{ "plot", "kind", "jobs\nbars\ntime\nperjob\ntrend\ncdf", NULL },
	{ "plot", "bars", "stddev\nci\nrange\nnone", NULL },
	{ "plot", "terminal", "png\nsvg\npdf\ndumb", NULL },
};

static void list_values(const struct command *c, const char *option)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (strcmp(values[i].option, option) || (values[i].command && strcmp(values[i].command, c->name)))
			continue;
		if (values[i].words)
			puts(values[i].words);
		else
			values[i].list();
		return;
	}
}

int help_run(int argc, char **argv, struct err *err)
{
	bool mdoc = !strcmp(argv[0], "--mdoc"), list = !strcmp(argv[0], "--list");
	int named = mdoc || list;
	const struct command *c = argc > named ? find_command(argv[named]) : NULL;

	if (argc > named + 1 + list)
		return err_set(err, ERR_USAGE, "write 'help' or 'help COMMAND'");
	if (argc > named && !c)
		return ERR_USAGE;
	if (!c && mdoc)
		put_overview();
	else if (!c)
		for (size_t i = 0; commands[i]; i++)
			puts(commands[i]->name);
	else if (mdoc)
		put_page(c);
	else if (argc > 2)
		list_values(c, argv[2]);
	else if (list)
		list_options(c);
	else
		print_help(c);
	return 0;
}
