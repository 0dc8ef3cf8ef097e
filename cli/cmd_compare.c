// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/command.h"
#include "cli/differences.h"
#include "cli/output.h"
#include "db/series.h"
#include "cli/side.h"
#include "common/units.h"
#include "db/store.h"
#include "report/compare.h"
#include "report/view.h"

static const struct option_row options_compare[] = {
	{ "min-effect", "PERCENT", "smaller changes are not named, significant or not (default: 2%)", 0, false, false },
	{ 0 },
};

static int check_apart(const struct side sides[2], struct err *err)
{
	for (size_t i = 0; i < sides[0].members.n; i++)
		for (size_t k = 0; k < sides[1].members.n; k++)
			if (sides[0].members.items[i] == sides[1].members.items[k])
				return err_set(err, ERR_USAGE, "'%s' and '%s' have cells in common", sides[0].typed,
					       sides[1].typed);
	return 0;
}

static int64_t environment_of(const struct side *side)
{
	for (size_t i = 0; i < side->members.n; i++)
		if (side->members.items[i]->environment)
			return side->members.items[i]->environment;
	return 0;
}

/* Kernel, fio, disk, settings of the machine: what differs beside what was asked about. */
static int find_differences(struct store *db, const struct side sides[2], strings_t *out, struct err *err)
{
	int64_t a = environment_of(&sides[0]), b = environment_of(&sides[1]);

	return a && b ? environment_differences(db, a, b, out, err) : 0;
}

/* The sweeps of both sides, each once. */
static void all_sweeps(const struct side sides[2], sweep_ids_t *out)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i].sweeps.n; k++) {
			size_t at = 0;

			while (at < out->n && out->items[at] != sides[i].sweeps.items[k])
				at++;
			if (at == out->n)
				*vec_push(out) = sides[i].sweeps.items[k];
		}
}

/* Fill 'set' and the members of the sides. */
static int find_members(const struct options *opt, struct store *db, const metrics_t *metrics, struct side sides[2],
			struct series_set *set, struct err *err)
{
	struct series_query q = { .metrics = metrics->items, .n_metrics = metrics->n };
	const char *asked = option_given(opt, "metric") ? option(opt, "metric") : metrics->items[0]->name;
	sweep_ids_t sweeps = { 0 };
	int bad = choose_direction(opt, &q.direction, err) || side_parse(db, opt->operands.items[0], &sides[0], err) ||
		  side_parse(db, opt->operands.items[1], &sides[1], err);

	all_sweeps(sides, &sweeps);
	q.sweeps = sweeps.items;
	q.n_sweeps = sweeps.n;
	bad = bad || store_query_series(db, &q, set, err) || choose_where(opt, set, err) ||
	      side_fill(set, asked, &sides[0], err) || side_fill(set, asked, &sides[1], err) || check_apart(sides, err);
	vec_free(&sweeps);
	return bad ? -1 : 0;
}

static int compare(const struct options *opt, struct store *db, struct side sides[2], double min_effect, struct err *err)
{
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	AUTOSTRINGS strings_t differences = { 0 };
	struct view_sides view = { &sides[0].members,	    &sides[1].members, opt->operands.items[0],
				   opt->operands.items[1], &differences,      min_effect };
	struct view_options shown = { .sides = &view };
	metrics_t metrics = { 0 };
	int bad = choose_metrics(opt, &metrics, err);

	if (!metrics.n)
		*vec_push(&metrics) = metric_find("iops");
	shown.metrics = metrics.items;
	shown.n_metrics = metrics.n;
	bad = bad || find_members(opt, db, &metrics, sides, &set, err);
	if (!bad) {
		side_describe(&sides[0], "A", &differences);
		side_describe(&sides[1], "B", &differences);
		bad = find_differences(db, sides, &differences, err) ||
		      view_make(view_find("compare"), &set, &shown, &tables, err) || output_emit(opt, &tables, err);
	}
	vec_free(&metrics);
	tables_release(&tables);
	series_set_release(&set);
	return bad ? -1 : 0;
}

static int run(const struct options *opt, struct err *err)
{
	double min_effect = COMPARE_MIN_EFFECT;
	struct side sides[2] = { 0 };
	AUTOSTORE struct store *db = NULL;
	int bad;

	if (opt->operands.n != 2)
		return err_set(err, ERR_USAGE, "what is to be compared? give two sides: iobench compare A B");
	if (output_check_format(opt, err))
		return -1;
	if (option_given(opt, "min-effect") && units_parse_percent(option(opt, "min-effect"), &min_effect, err))
		return err_context(err, "--min-effect");
	db = open_database(opt, STORE_READ, err);
	bad = db ? compare(opt, db, sides, min_effect, err) : -1;
	side_release(&sides[0]);
	side_release(&sides[1]);
	return bad;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "by how much does B differ from A, and is it more than noise?",
	.operands = "A B",
	.about = "A side names sweeps: a SWEEP ('last', 'last~1', a name, the start of an id), date=DAY or date=DAY..DAY (all "
		 "that started then, local time), kernel=RELEASE (the newest sweep with results of it; its start is enough), "
		 "host=NAME (the newest sweep of that box), SWEEP/host=NAME (the newest of that box with that name). "
		 "Behind a slash may stand a VARIANT or axis=value of them; alone, these are of the last sweep:\n"
		 "  iobench compare mq-deadline bfq\n"
		 "  iobench compare last~1 last\n"
		 "  iobench compare monday/bfq last/bfq:low_latency=0\n"
		 "  iobench compare kernel=6.1.0 kernel=6.12\n"
		 "  iobench compare date=2026-11-01..2026-11-15/bfq date=2026-11-16..2026-11-29/bfq\n"
		 "  iobench compare governor=powersave governor=performance\n"
		 "Of sides with four sweeps or more each sweep counts once. Several metrics are one family. "
		 "A change is named (better, worse) when it is significant over all cells together and larger than "
		 "--min-effect; else '~'. '?' is where there is too little to say anything.",
	.groups = { options_compare, options_table, options_db },
	.run = run,
};
