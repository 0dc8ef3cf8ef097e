// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "checks/environment.h"
#include "cli/command.h"
#include "cli/output.h"
#include "db/series.h"
#include "common/units.h"
#include "db/store.h"
#include "report/compare.h"
#include "report/view.h"
#include "runner/plan.h"

#define DIFFERENCES_MAX 12 /* lines of them; two machines differ in everything */

static const struct option_row options_compare[] = {
	{ "min-effect", "PERCENT", "smaller changes are not named, significant or not (default: 2%)", 0, false, false },
	{ 0 },
};

/* A side as typed: which sweep, and of it which variant or which value of an axis; both NULL: all of it. */
struct side {
	const char *typed;
	int64_t sweep;
	char *variant;
	char *axis, *value;
	members_t members;
};

static void side_release(struct side *s)
{
	free(s->variant);
	free(s->axis);
	free(s->value);
	vec_free(&s->members);
}

/* "jobs=8" is the stored axis numjobs, "bs=4k" bs_bytes 4096; what sweep does not know may still be stored. */
static int parse_axis(const char *text, size_t equal, struct side *s, struct err *err)
{
	AUTOFREE char *name = mem_strndup(text, equal);
	axis_points_t points = { 0 };
	int bad = 0;

	s->axis = mem_strdup(name);
	s->value = mem_strdup(text + equal + 1);
	for (int a = 0; a < AXIS_N; a++) {
		if (strcmp(axes[a].option, name) && strcmp(axes[a].name, name))
			continue;
		bad = axis_parse(a, s->value, &points, err);
		if (!bad && points.n != 1)
			bad = err_set(err, ERR_USAGE, "'%s': a side of the comparison is one value", text);
		if (!bad) {
			free(s->axis);
			free(s->value);
			s->axis = mem_strdup(axes[a].name);
			s->value = mem_strdup(points.items[0].text);
		}
		for (size_t i = 0; i < points.n; i++)
			free(points.items[i].text);
		vec_free(&points);
		break;
	}
	return bad;
}

static bool find_sweep(struct store *db, const char *text, int64_t *id)
{
	struct sweep_row row = { 0 };

	if (store_find_sweep(db, text, &row, NULL))
		return false;
	*id = row.id;
	sweep_row_release(&row);
	return true;
}

static bool has_variant(struct store *db, int64_t sweep, const char *name)
{
	cell_rows_t cells = { 0 };
	bool found = false;

	if (store_list_cells(db, sweep, &cells, NULL))
		return false;
	for (size_t i = 0; i < cells.n; i++)
		found = found || !strcmp(cells.items[i].variant, name);
	cell_rows_release(&cells);
	return found;
}

/* The newest sweep that a host has made, of those with the name of 'like' (0: of all). */
static int find_host(struct store *db, const char *host, int64_t like, struct side *s, struct err *err)
{
	struct sweep_row row = { 0 };

	if (store_find_sweep_of_host(db, host, like, &row, err))
		return -1;
	s->sweep = row.id;
	sweep_row_release(&row);
	return 0;
}

static int parse_part(struct store *db, const char *text, struct side *s, struct err *err)
{
	size_t equal = strcspn(text, ":=");

	if (has_variant(db, s->sweep, text)) {
		s->variant = mem_strdup(text);
		return 0;
	}
	/* a variant may have '=' in it, but the name of an axis no ':' before it */
	if (text[equal] == '=')
		return parse_axis(text, equal, s, err);
	return err_set(err, ERR_USAGE,
		       "'%s' is no sweep, and no variant of the sweep ('iobench list' names sweeps, with --cells variants)",
		       text);
}

/* SWEEP, SWEEP/VARIANT, SWEEP/axis=value, host=NAME, SWEEP/host=NAME; VARIANT or axis=value alone are of the last sweep. */
static int parse_side(struct store *db, const char *text, struct side *s, struct err *err)
{
	const char *slash = strchr(text, '/');
	AUTOFREE char *head = slash ? mem_strndup(text, (size_t)(slash - text)) : NULL;

	s->typed = text;
	if (find_sweep(db, text, &s->sweep))
		return 0;
	if (str_starts(text, "host="))
		return find_host(db, text + strlen("host="), 0, s, err);
	if (slash && find_sweep(db, head, &s->sweep) && str_starts(slash + 1, "host="))
		return find_host(db, slash + 1 + strlen("host="), s->sweep, s, err);
	if (slash && find_sweep(db, head, &s->sweep))
		return parse_part(db, slash + 1, s, err);
	if (!find_sweep(db, "last", &s->sweep))
		return err_set(err, ERR_USAGE, "there is no sweep in '%s'", store_path(db));
	return parse_part(db, text, s, err);
}

static bool on_side(const struct side *side, const struct series *s)
{
	const char *value = NULL;

	if (s->sweep != side->sweep)
		return false;
	if (side->variant)
		return same_text(s->variant, side->variant);
	if (!side->axis)
		return true;
	if (!strcmp(side->axis, "kernel"))
		value = s->kernel;
	else if (!strcmp(side->axis, "variant"))
		value = s->variant;
	else
		value = series_axis(s, side->axis);
	return same_text(value, side->value);
}

static int fill_side(const struct series_set *set, struct side *side, struct err *err)
{
	bool any = false;

	for (size_t i = 0; i < set->list.n; i++) {
		if (!on_side(side, &set->list.items[i]))
			continue;
		any = any || series_has_data(&set->list.items[i]);
		*vec_push(&side->members) = &set->list.items[i];
	}
	return any ? 0 : err_set(err, ERR_FAULT, "nothing of that metric is stored for '%s'", side->typed);
}

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
	AUTOFREE char *of_a = NULL, *of_b = NULL;
	struct check_findings found = { 0 };

	if (!a || !b || a == b)
		return 0;
	if (store_get_environment(db, a, &of_a, err) || store_get_environment(db, b, &of_b, err))
		return -1;
	check_environments_differ(of_a, of_b, &found);
	for (size_t i = 0; i < found.list.n && i < DIFFERENCES_MAX; i++) {
		const struct check_finding *f = &found.list.items[i];
		bool fact = f->id == CHECK_ENVIRONMENT_CHANGED;

		*vec_push(out) = mem_printf("%s: %s", fact ? "not the same" : check_codes[f->id].title, f->text);
	}
	if (found.list.n > DIFFERENCES_MAX)
		*vec_push(out) = mem_printf("and %zu more facts of the machine differ", found.list.n - DIFFERENCES_MAX);
	check_findings_release(&found);
	return 0;
}

static int choose_metric(const struct options *opt, const struct metric **metric, struct err *err)
{
	metrics_t metrics = { 0 };
	int bad = choose_metrics(opt, &metrics, err);

	if (!bad && metrics.n > 1)
		bad = err_set(err, ERR_USAGE, "one metric at a time is compared: '%s'", option(opt, "metric"));
	if (!bad && metrics.n)
		*metric = metrics.items[0];
	vec_free(&metrics);
	return bad;
}

static int compare(const struct options *opt, struct store *db, struct side sides[2], double min_effect, struct err *err)
{
	int64_t sweeps[2];
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	AUTOSTRINGS strings_t differences = { 0 };
	const struct metric *metric = metric_find("iops");
	enum direction direction;
	struct view_sides view = { &sides[0].members,	    &sides[1].members, opt->operands.items[0],
				   opt->operands.items[1], &differences,      min_effect };
	int bad;

	if (choose_metric(opt, &metric, err) || choose_direction(opt, &direction, err) || parse_side(db, opt->operands.items[0], &sides[0], err) ||
	    parse_side(db, opt->operands.items[1], &sides[1], err))
		return -1;
	sweeps[0] = sides[0].sweep;
	sweeps[1] = sides[1].sweep;
	bad = store_query_series(db,
				 &(struct series_query){ .sweeps = sweeps,
							 .n_sweeps = sweeps[0] == sweeps[1] ? 1 : 2,
							 .metrics = &metric,
							 .n_metrics = 1,
							 .direction = direction },
				 &set, err) ||
	      choose_where(opt, &set, err) || fill_side(&set, &sides[0], err) || fill_side(&set, &sides[1], err) ||
	      check_apart(sides, err) || find_differences(db, sides, &differences, err) ||
	      view_make(view_find("compare"), &set, &(struct view_options){ .metric = metric, .sides = &view }, &tables, err) ||
	      output_emit(opt, &tables, err);
	tables_release(&tables);
	series_set_release(&set);
	return bad ? -1 : 0;
}

static int run(const struct options *opt, struct err *err)
{
	double min_effect = COMPARE_MIN_EFFECT;
	struct side sides[2] = { 0 };
	struct store *db;
	int bad;

	if (opt->operands.n != 2)
		return err_set(err, ERR_USAGE, "what is to be compared? give two sides: iobench compare A B");
	if (output_check(opt, err))
		return -1;
	if (option_given(opt, "min-effect") && units_parse_percent(option(opt, "min-effect"), &min_effect, err))
		return err_context(err, "--min-effect");
	db = store_open(option_db(opt), STORE_READ, err);
	if (!db)
		return -1;
	bad = compare(opt, db, sides, min_effect, err);
	side_release(&sides[0]);
	side_release(&sides[1]);
	store_close(db);
	return bad;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "by how much does B differ from A, cell by cell, and is it more than noise?",
	.operands = "A B",
	.about = "A side is a SWEEP ('last', 'last~1', a name, the start of an id), SWEEP/VARIANT, SWEEP/axis=value, host=NAME "
		 "(the newest sweep of that box), or, of the "
		 "last sweep, a VARIANT or axis=value:\n"
		 "  iobench compare mq-deadline bfq\n"
		 "  iobench compare last~1 last\n"
		 "  iobench compare monday/bfq last/bfq:low_latency=0\n"
		 "  iobench compare governor=powersave governor=performance\n"
		 "A change is named (better, worse) when it is significant over all cells together and larger than "
		 "--min-effect; else '~'. '?' is where there is too little to say anything.",
	.groups = { options_compare, options_table, options_db },
	.run = run,
};
