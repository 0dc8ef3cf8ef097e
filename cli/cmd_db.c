// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "common/units.h"
#include "db/maintain.h"

static const struct option_row options_prune[] = {
	{ "older", "TIME", "prune: outputs of runs from before that: 90d, 12h", 0, false, false },
	{ "keep-sweeps", "LIST", "prune: but not those of these sweeps (of a name the newest): last,monday", 0, false, false },
	{ 0 },
};

static int check(struct store *s, const struct options *opt, struct err *err)
{
	AUTOSTR struct str problems = { 0 };

	(void)opt;
	if (store_check(s, &problems, err))
		return -1;
	if (problems.len) {
		fputs(str_text(&problems), stdout);
		return err_set(err, ERR_FAULT, "'%s' is damaged: see above", store_path(s));
	}
	printf("'%s' is sound\n", store_path(s));
	return 0;
}

static int backup(struct store *s, const struct options *opt, struct err *err)
{
	const char *path = opt->operands.items[1];

	if (store_backup(s, path, err))
		return -1;
	printf("'%s' is a copy of '%s'\n", path, store_path(s));
	return 0;
}

typedef VEC(int64_t) ids_t;

static int find_kept(struct store *s, const struct options *opt, ids_t *out, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };

	if (option(opt, "keep-sweeps"))
		str_split(option(opt, "keep-sweeps"), ',', &names);
	for (size_t i = 0; i < names.n; i++) {
		struct sweep_row row = { 0 };

		if (store_find_sweep(s, names.items[i], &row, err))
			return -1;
		*vec_push(out) = row.id;
		sweep_row_release(&row);
	}
	return 0;
}

static int prune(struct store *s, const struct options *opt, struct err *err)
{
	const char *older = option(opt, "older");
	char bytes[UNITS_TEXT], stored[UNITS_TEXT];
	struct raw_amount gone = { 0 };
	ids_t kept = { 0 };
	uint64_t age_ns;
	int bad;

	if (!older)
		return err_set(err, ERR_USAGE, "outputs of which age? give --older, such as --older 90d");
	/* elsewhere these are seconds: who means days would lose all */
	if (*older && isdigit((unsigned char)older[strlen(older) - 1]))
		return err_set(err, ERR_USAGE, "--older '%s': of what? write %sd for days, %sh for hours", older, older, older);
	bad = units_parse_duration(older, &age_ns, err) || find_kept(s, opt, &kept, err) ||
	      store_prune(s, now_realtime_ns() - (int64_t)age_ns, kept.items, kept.n, &gone, err);
	vec_free(&kept);
	if (bad)
		return -1;
	printf("outputs of %" PRId64 " runs are gone: %s, %s of the file%s\n", gone.runs,
	       units_format_size(bytes, (uint64_t)gone.bytes), units_format_size(stored, (uint64_t)gone.stored),
	       gone.runs ? " ('iobench db vacuum' makes it smaller)" : "");
	return 0;
}

static int vacuum(struct store *s, const struct options *opt, struct err *err)
{
	char before[UNITS_TEXT], after[UNITS_TEXT];
	int64_t was, is;
	bool held;

	(void)opt;
	if (store_vacuum(s, &was, &is, &held, err))
		return -1;
	if (held)
		return err_set(err, ERR_NEEDS, "another process reads '%s', so that it does not get smaller; try again when that is "
			       "done", store_path(s));
	printf("'%s': %s, before %s\n", store_path(s), units_format_size(after, (uint64_t)is),
	       units_format_size(before, (uint64_t)was));
	return 0;
}

static void print_time(const char *what, int64_t ns)
{
	char text[UNITS_TEXT];

	if (ns)
		printf("%-14s %s\n", what, units_format_time(text, ns, localtime_r, "%F %R"));
}

static void print_info(const struct store_info *i)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];

	printf("%-14s %" PRId64 "\n", "schema", i->version);
	printf("%-14s %s, %s of it unused\n", "file", units_format_size(a, (uint64_t)i->bytes),
	       units_format_size(b, (uint64_t)i->unused));
	printf("%-14s %" PRId64 " in %" PRId64 " night%s, and %" PRId64 " import%s\n", "sweeps", i->sweeps, i->nights,
	       i->nights == 1 ? "" : "s", i->imports, i->imports == 1 ? "" : "s");
	printf("%-14s %" PRId64 " of %" PRId64 " configuration%s in %" PRId64 " environment%s\n", "cells", i->cells, i->configs,
	       i->configs == 1 ? "" : "s", i->environments, i->environments == 1 ? "" : "s");
	printf("%-14s %" PRId64 ", %" PRId64 " of them count\n", "runs", i->runs, i->runs_ok);
	print_time("oldest run", i->first_ns);
	print_time("newest run", i->last_ns);
	printf("%-14s %" PRId64 "\n", "samples", i->samples);
	printf("%-14s of %" PRId64 " runs: %s, %s in the file\n", "outputs", i->raw.runs,
	       units_format_size(a, (uint64_t)i->raw.bytes), units_format_size(b, (uint64_t)i->raw.stored));
	printf("%-14s ", "hosts");
	for (size_t k = 0; k < i->hosts.n; k++)
		printf("%s%s", k ? ", " : "", i->hosts.items[k]);
	printf("%s\n", i->hosts.n ? "" : "none");
	for (size_t k = 0; k < i->tables.n; k++)
		printf("table %-14s %s\n", i->tables.items[k].name, units_format_size(a, (uint64_t)i->tables.items[k].bytes));
}

static int info(struct store *s, const struct options *opt, struct err *err)
{
	struct store_info i = { 0 };

	(void)opt;
	if (store_get_info(s, &i, err))
		return -1;
	print_info(&i);
	store_info_release(&i);
	return 0;
}

static const struct task {
	const char *name;
	size_t n_operands; /* with the name */
	enum store_mode mode;
	int (*run)(struct store *s, const struct options *opt, struct err *err);
} tasks[] = {
	{ "info", 1, STORE_READ, info },     { "check", 1, STORE_READ, check },	   { "backup", 2, STORE_READ, backup },
	{ "prune", 1, STORE_WRITE, prune }, { "vacuum", 1, STORE_WRITE, vacuum },
};

static const struct task *find_task(const struct options *opt)
{
	for (size_t i = 0; i < ARRAY_LEN(tasks) && opt->operands.n; i++)
		if (!strcmp(tasks[i].name, opt->operands.items[0]) && tasks[i].n_operands == opt->operands.n)
			return &tasks[i];
	return NULL;
}

static int run(const struct options *opt, struct err *err)
{
	const struct task *task = find_task(opt);
	AUTOSTORE struct store *s = NULL;

	if (!task)
		return err_set(err, ERR_USAGE,
			       "write 'db info', 'db check', 'db backup FILE', 'db prune --older TIME' or 'db vacuum'");
	if (strcmp(task->name, "prune") && (option_given(opt, "older") || option_given(opt, "keep-sweeps")))
		return err_set(err, ERR_USAGE, "--older and --keep-sweeps are for 'db prune'");
	s = open_database(opt, task->mode, err);
	return s ? task->run(s, opt, err) : -1;
}

const struct command cmd_db = {
	.name = "db",
	.summary = "what a database holds; check it, back it up, make it smaller",
	.operands = "info | check | backup FILE | prune --older TIME | vacuum",
	.about = "A copy of the file made by cp while a sweep runs may be damaged; 'db backup' makes one that is not.\n\n"
		 "'db prune' forgets the outputs of old runs as fio wrote them, which are most of the file. The runs with all their "
		 "figures stay; only 'import --reparse', 'export --raw' and 'show --raw' have nothing left of them. The space is used "
		 "for new runs; 'db vacuum' gives it back to the file system.",
	.groups = { options_prune, options_db },
	.run = run,
};
