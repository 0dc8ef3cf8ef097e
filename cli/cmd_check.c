// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/command.h"
#include "cli/differences.h"
#include "cli/output.h"
#include "common/units.h"
#include "db/baseline.h"
#include "report/cross.h"
#include "report/emit.h"
#include "report/night_report.h"

static const struct option_row options_check[] = {
	{ "baseline", "NAME", "hold it against all nights since this one ('iobench baseline')", 0, false, false },
	{ "nights", "N", "hold it against the last N nights (default: 60)", 0, false, false },
	{ "reference", "VARIANT", "what the others are measured by, in the same blocks (default: none)", 0, false, false },
	{ "min-effect", "PERCENT", "smaller changes are not named, significant or not (default: 2%)", 0, false, false },
	{ "tolerance", "PERCENT", "a cell in which no smaller change than this would be seen is too noisy (default: 20%)", 0,
	  false, false },
	{ "each-sweep", NULL, "take every sweep for a night, not what started between noon and noon: to try it in a day", 0,
	  false, false },
	{ "junit", "FILE", "write JUnit XML there too", 0, false, false },
	{ "markdown", "FILE", "write a summary for a CI page there too", 0, false, false },
	{ 0 },
};

/* All that a check takes from the database, and what comes of it. */
struct check {
	struct store *db;
	const struct options *opt;
	const struct emitter *emitter;
	metrics_t metrics;
	enum direction direction;
	nights_t all;
	nights_t nights; /* a part of 'all'; the last one is judged */
	struct series_set set;
	acknowledged_rows_t acknowledged;
	VEC(struct night_known) known;
	VEC(const char *) reasons; /* of 'known' */
	bool *chosen;
	struct gate_options options;
	struct gate gate;
	struct night_report report;
};

static void check_release(struct check *c)
{
	night_report_release(&c->report);
	gate_release(&c->gate);
	free(c->chosen);
	for (size_t i = 0; i < c->known.n; i++)
		free(c->known.items[i].series);
	vec_free(&c->known);
	vec_free(&c->reasons);
	acknowledged_rows_release(&c->acknowledged);
	series_set_release(&c->set);
	nights_release(&c->all);
	vec_free(&c->metrics);
	store_close(c->db);
}

static int percent_option(const struct options *opt, const char *name, double *share, struct err *err)
{
	if (!option_given(opt, name) || !units_parse_percent(option(opt, name), share, err))
		return 0;
	return err_context(err, "--%s", name);
}

static int read_options(struct check *c, struct err *err)
{
	const char *reference = option(c->opt, "reference");

	c->options = (struct gate_options){ .reference = reference ? reference : "none",
					    .min_effect = NIGHTS_MIN_EFFECT,
					    .tolerance = NIGHTS_TOLERANCE };
	if (c->opt->operands.n > 1)
		return err_set(err, ERR_USAGE, "one night at a time is judged: that of '%s'", c->opt->operands.items[0]);
	if (choose_format(c->opt, &c->emitter, err) || choose_metrics(c->opt, &c->metrics, err) ||
	    choose_direction(c->opt, &c->direction, err) ||
	    percent_option(c->opt, "min-effect", &c->options.min_effect, err) ||
	    percent_option(c->opt, "tolerance", &c->options.tolerance, err))
		return -1;
	if (!c->metrics.n)
		*vec_push(&c->metrics) = metric_find("iops");
	return 0;
}

static int load_nights(struct check *c, struct err *err)
{
	sweep_times_t times = { 0 };
	VEC(struct night_sweep) sweeps = { 0 };

	if (store_list_sweep_times(c->db, &times, err))
		return -1;
	for (size_t i = 0; i < times.n; i++)
		*vec_push(&sweeps) = (struct night_sweep){ times.items[i].id, times.items[i].started_ns };
	nights_group(sweeps.items, sweeps.n, option_given(c->opt, "each-sweep"), &c->all);
	vec_free(&times);
	vec_free(&sweeps);
	if (!c->all.n)
		return err_set(err, ERR_USAGE, "there is no sweep in '%s'", store_path(c->db));
	return 0;
}

/* Which night is judged: that of the sweep named, else the last one. */
static int find_judged(const struct check *c, size_t *judged, struct err *err)
{
	struct sweep_row row = { 0 };

	*judged = c->all.n - 1;
	if (!c->opt->operands.n)
		return 0;
	if (store_find_sweep(c->db, c->opt->operands.items[0], &row, err))
		return -1;
	for (size_t i = 0; i < c->all.n; i++)
		for (size_t k = 0; k < c->all.items[i].sweeps.n; k++)
			if (c->all.items[i].sweeps.items[k] == row.id) {
				*judged = i;
				sweep_row_release(&row);
				return 0;
			}
	sweep_row_release(&row);
	return err_set(err, ERR_USAGE, "'%s' was imported: nights are of sweeps", c->opt->operands.items[0]);
}

/* The first night whose last sweep started at that time or later. */
static size_t night_since(const nights_t *nights, int64_t since_ns)
{
	size_t i = 0;

	while (i < nights->n && nights->items[i].last_ns < since_ns)
		i++;
	return i;
}

static int find_baseline(const struct check *c, const char *name, size_t *first, struct err *err)
{
	baseline_rows_t rows = { 0 };
	int bad = store_list_baselines(c->db, &rows, err);
	bool found = false;

	for (size_t i = 0; i < rows.n; i++)
		if (!strcmp(rows.items[i].name, name)) {
			*first = night_since(&c->all, rows.items[i].started_ns);
			found = true;
		}
	baseline_rows_release(&rows);
	if (!bad && !found)
		bad = err_set(err, ERR_USAGE, "no baseline '%s' ('iobench baseline list' shows them)", name);
	return bad;
}

static int choose_nights(struct check *c, struct err *err)
{
	uint64_t window = NIGHTS_WINDOW;
	size_t judged, first;

	if (option_given(c->opt, "baseline") && option_given(c->opt, "nights"))
		return err_set(err, ERR_USAGE, "--baseline and --nights say the same thing: give one");
	if (option_given(c->opt, "nights") && units_parse_count(option(c->opt, "nights"), &window, err))
		return err_context(err, "--nights");
	if (window < NIGHTS_MIN)
		return err_set(err, ERR_USAGE, "--nights: %d are needed to say anything", NIGHTS_MIN);
	if (find_judged(c, &judged, err))
		return -1;
	first = judged > window ? judged - window : 0;
	if (option_given(c->opt, "baseline") && find_baseline(c, option(c->opt, "baseline"), &first, err))
		return -1;
	if (first > judged)
		return err_set(err, ERR_USAGE, "the night of %s is before baseline '%s'", c->all.items[judged].date,
			       option(c->opt, "baseline"));
	c->nights.items = c->all.items + first;
	c->nights.n = judged - first + 1;
	return 0;
}

static int load_series(struct check *c, struct err *err)
{
	VEC(int64_t) sweeps = { 0 };
	int bad;

	for (size_t i = 0; i < c->nights.n; i++)
		for (size_t k = 0; k < c->nights.items[i].sweeps.n; k++)
			*vec_push(&sweeps) = c->nights.items[i].sweeps.items[k];
	bad = store_query_series(c->db,
				 &(struct series_query){ .sweeps = sweeps.items,
							 .n_sweeps = sweeps.n,
							 .metrics = c->metrics.items,
							 .n_metrics = c->metrics.n,
							 .direction = c->direction },
				 &c->set, err);
	vec_free(&sweeps);
	return bad;
}

/* What was acknowledged for cells that are no more is about none of these. */
static void choose_known(struct check *c)
{
	for (size_t i = 0; i < c->acknowledged.n; i++) {
		const struct acknowledged_row *row = &c->acknowledged.items[i];
		size_t night = night_since(&c->nights, row->since_ns);
		bool *series;

		if (!night || night == c->nights.n)
			continue;
		series = mem_alloc(c->set.list.n, sizeof(*series));
		if (where_mark(&c->set, &row->conditions, series, NULL)) {
			free(series);
			continue;
		}
		*vec_push(&c->known) = (struct night_known){ night, series };
		*vec_push(&c->reasons) = row->reason;
	}
	c->options.known = c->known.items;
	c->options.n_known = c->known.n;
}

static int choose_cells(struct check *c, struct err *err)
{
	AUTOSTRINGS strings_t conditions = { 0 };

	where_given(c->opt, &conditions);
	c->chosen = mem_alloc(c->set.list.n, sizeof(*c->chosen));
	c->options.chosen = c->chosen;
	return where_mark(&c->set, &conditions, c->chosen, err);
}

static int judge(struct check *c, struct err *err)
{
	int bad = 0;

	choose_known(c);
	gate_make(&c->set, &c->nights, &c->options, &c->gate);
	if (c->gate.cells.n == c->gate.count[NIGHT_GONE])
		return err_set(err, ERR_USAGE, "the night of %s has nothing to judge but the reference '%s'",
			       c->nights.items[c->nights.n - 1].date, c->options.reference);
	night_report_make(&c->set, &c->gate, &c->nights, c->reasons.items, &c->report);
	for (size_t i = 0; !bad && i < c->report.events.n; i++) {
		struct night_event *e = &c->report.events.items[i];

		bad = environment_differences(c->db, e->environments[0], e->environments[1], &e->differences, err) ||
		      setting_differences(c->db, e->runs[0], e->runs[1], &e->differences, err);
	}
	return bad ? -1 : 0;
}

static int write_tables(const struct check *c, const struct emitter *emitter, const char *path, struct err *err)
{
	struct emit_options format = { .standalone = option_given(c->opt, "standalone"),
				       .siunitx = option_given(c->opt, "siunitx") };
	AUTOSTR struct str text = { 0 };
	struct tables tables = { 0 };
	int bad;

	night_report_tables(&c->report, &tables);
	bad = emitter->emit(&tables, &format, &text, err) || output_write(path, &text, err);
	tables_release(&tables);
	return bad ? -1 : 0;
}

static int write_text(const struct check *c, void (*make)(const struct night_report *, struct str *), const char *path,
		      struct err *err)
{
	AUTOSTR struct str text = { 0 };

	make(&c->report, &text);
	return output_write(path, &text, err);
}

static int output(const struct check *c, struct err *err)
{
	const char *junit = option(c->opt, "junit"), *markdown = option(c->opt, "markdown"), *path = option(c->opt, "output");

	if ((junit && write_text(c, night_report_junit, junit, err)) ||
	    (markdown && write_tables(c, emitter_find("markdown"), markdown, err)))
		return -1;
	return c->emitter == emitter_find("text") ? write_text(c, night_report_text, path, err)
						  : write_tables(c, c->emitter, path, err);
}

static int run(const struct options *opt, struct err *err)
{
	struct check c = { .opt = opt };
	int code = read_options(&c, err);

	if (!code) {
		c.db = open_database(opt, STORE_READ, err);
		code = c.db ? 0 : -1;
	}
	if (!code)
		code = load_nights(&c, err) || choose_nights(&c, err) || load_series(&c, err) ||
		       store_list_acknowledged(c.db, &c.acknowledged, err) || choose_cells(&c, err) || judge(&c, err) ||
		       output(&c, err) ? -1 : gate_exit(&c.gate);
	check_release(&c);
	return code;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "is the last night worse than those before it? exit code 10 if so",
	.operands = "[SWEEP]",
	.about = "Judges the night of SWEEP (default: the last one). All sweeps that started between noon and noon are one "
		 "night. Each cell's ratio to the reference, in the same blocks, is held against those of the nights before; "
		 "a change of the machine itself hits the reference too and is told apart. Of several boxes (see 'iobench merge') each is "
		 "held against its own nights, by its host name. A step or a slow slide for the "
		 "worse in those nights counts until it is undone or acknowledged ('iobench baseline ack').\n"
		 "Exit code: 0 nothing is worse; 10 regressed; 11 too noisy to tell, or no reference; 12 fewer than 6 earlier "
		 "nights. --where chooses the cells that are judged.",
	.groups = { options_check, options_table, options_db },
	.run = run,
};
