// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "common/units.h"
#include "db/baseline.h"
#include "db/store.h"

static const struct option_row options_baseline[] = {
	{ "reason", "TEXT", "ack: why it changed; shown wherever the change is", 0, false, false },
	{ "where", "AXIS=VALUE[,...]", "ack: only of these cells; may be given more than once", 0, false, true },
	{ 0 },
};

static const char *date_of(int64_t ns, char out[UNITS_TEXT])
{
	return units_format_time(out, ns, localtime_r, "%F %R");
}

static int set(const struct options *opt, struct store *s, struct err *err)
{
	const char *name = opt->operands.items[1], *which = opt->operands.n > 2 ? opt->operands.items[2] : "last";
	struct sweep_row row = { 0 };
	char date[UNITS_TEXT];
	int bad;

	if (!*name)
		return err_set(err, ERR_USAGE, "a baseline needs a name");
	bad = store_find_sweep(s, which, &row, err);
	if (!bad && row.kind && !strcmp(row.kind, "import"))
		bad = err_set(err, ERR_USAGE, "'%s' was imported: a baseline is a night of sweeps", which);
	bad = bad || store_set_baseline(s, name, row.id, err);
	if (!bad)
		printf("baseline '%s': the nights since sweep %.8s of %s\n", name, row.uuid, date_of(row.started_ns, date));
	sweep_row_release(&row);
	return bad ? -1 : 0;
}

static void print_baseline(const struct baseline_row *row)
{
	char date[UNITS_TEXT];

	printf("%-16s the nights since sweep %.8s%s%s of %s\n", row->name, row->uuid, row->sweep_name && *row->sweep_name ? " " : "",
	       row->sweep_name ? row->sweep_name : "", date_of(row->started_ns, date));
}

static void print_acknowledged(const struct acknowledged_row *row)
{
	char date[UNITS_TEXT];

	printf("%.8s         acknowledged: a change of %s", row->uuid, date_of(row->since_ns, date));
	for (size_t i = 0; i < row->conditions.n; i++)
		printf("%s %s", i ? "," : " where", row->conditions.items[i]);
	printf(": %s\n", row->reason);
}

static int list(const struct options *opt, struct store *s, struct err *err)
{
	baseline_rows_t rows = { 0 };
	acknowledged_rows_t acknowledged = { 0 };
	int bad = store_list_baselines(s, &rows, err) || store_list_acknowledged(s, &acknowledged, err);

	(void)opt;
	for (size_t i = 0; i < rows.n; i++)
		print_baseline(&rows.items[i]);
	for (size_t i = 0; i < acknowledged.n; i++)
		print_acknowledged(&acknowledged.items[i]);
	if (!bad && !rows.n && !acknowledged.n)
		puts("no baseline, no acknowledged change: 'iobench check' takes the last nights");
	baseline_rows_release(&rows);
	acknowledged_rows_release(&acknowledged);
	return bad ? -1 : 0;
}

static int count_since(struct store *s, int64_t started_ns, size_t *n, struct err *err)
{
	sweep_times_t times = { 0 };
	int bad = store_list_sweep_times(s, &times, err);

	for (size_t i = 0; i < times.n; i++)
		*n += times.items[i].started_ns > started_ns;
	vec_free(&times);
	return bad;
}

static int show(const struct options *opt, struct store *s, struct err *err)
{
	const char *name = opt->operands.items[1];
	baseline_rows_t rows = { 0 };
	int bad = store_list_baselines(s, &rows, err);
	bool found = false;

	for (size_t i = 0; !bad && i < rows.n; i++)
		if (!strcmp(rows.items[i].name, name)) {
			size_t n = 0;

			found = true;
			bad = count_since(s, rows.items[i].started_ns, &n, err);
			print_baseline(&rows.items[i]);
			printf("%zu sweeps since then\n", n);
		}
	baseline_rows_release(&rows);
	if (!bad && !found)
		bad = err_set(err, ERR_USAGE, "no baseline '%s' ('iobench baseline list' shows them)", name);
	return bad;
}

static int remove_one(const struct options *opt, struct store *s, struct err *err)
{
	return store_remove_baseline(s, opt->operands.items[1], err);
}

/* A date, the start of that day here; else a sweep. */
static int parse_since(struct store *s, const char *text, int64_t *since_ns, struct err *err)
{
	struct sweep_row row = { 0 };
	int64_t until_ns;

	if (!strstr(text, "..") && !units_parse_days(text, since_ns, &until_ns, NULL))
		return 0;
	if (store_find_sweep(s, text, &row, err))
		return -1;
	*since_ns = row.started_ns;
	sweep_row_release(&row);
	return 0;
}

static int ack(const struct options *opt, struct store *s, struct err *err)
{
	struct acknowledged_row row = { .reason = (char *)option(opt, "reason") };
	char date[UNITS_TEXT];
	int bad;

	if (!row.reason || !*row.reason)
		return err_set(err, ERR_USAGE, "why did it change? give --reason TEXT");
	where_given(opt, &row.conditions);
	for (size_t i = 0; i < row.conditions.n; i++)
		if (strcspn(row.conditions.items[i], "=") - 1 >= strlen(row.conditions.items[i]) - 1) {
			bad = err_set(err, ERR_USAGE, "--where '%s': wants AXIS=VALUE[,VALUE]...", row.conditions.items[i]);
			strings_release(&row.conditions);
			return bad;
		}
	bad = parse_since(s, opt->operands.items[1], &row.since_ns, err) || store_acknowledge(s, &row, err);
	if (!bad)
		printf("the nights before %s count no more for %s\n", date_of(row.since_ns, date),
		       row.conditions.n ? "these cells" : "any cell");
	strings_release(&row.conditions);
	return bad ? -1 : 0;
}

static const struct action {
	const char *name;
	size_t least, most; /* operands, itself too */
	bool writes;
	int (*run)(const struct options *opt, struct store *s, struct err *err);
} actions[] = {
	{ "set", 2, 3, true, set },	      { "list", 1, 1, false, list }, { "show", 2, 2, false, show },
	{ "remove", 2, 2, true, remove_one }, { "ack", 2, 2, true, ack },
};

static int run(const struct options *opt, struct err *err)
{
	const char *name = opt->operands.n ? opt->operands.items[0] : "list";
	const struct action *action = NULL;
	AUTOSTORE struct store *s = NULL;

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (!strcmp(actions[i].name, name))
			action = &actions[i];
	if (!action || (opt->operands.n && (opt->operands.n < action->least || opt->operands.n > action->most)))
		return err_set(err, ERR_USAGE, "write 'baseline set NAME [SWEEP]', 'list', 'show NAME', 'remove NAME|ID' or 'ack "
			       "SWEEP|DATE --reason TEXT'");
	s = open_database(opt, action->writes ? STORE_WRITE : STORE_READ, err);
	return s ? action->run(opt, s, err) : -1;
}

const struct command cmd_baseline = {
	.name = "baseline",
	.summary = "name a good night for 'check', acknowledge a change that is known",
	.operands = "[list] | set NAME [SWEEP] | show NAME | remove NAME|ID | ack SWEEP|DATE",
	.about = "iobench baseline set 6.18 last\n"
		 "iobench check --baseline 6.18\n"
		 "iobench baseline ack 2026-11-18 --reason 'new default' --where variant=bfq\n\n"
		 "Nights before an acknowledged change are not held against the cells that it is about: 'check' needs 6 nights "
		 "behind it to judge them again. 'remove' takes the name of a baseline or the start of the id of an "
		 "acknowledgement, as 'list' shows them.",
	.groups = { options_baseline, options_db },
	.run = run,
};
