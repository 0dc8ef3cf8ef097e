// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checks/codes.h"
#include "cli/cell_text.h"
#include "cli/page.h"
#include "cli/shape.h"
#include "common/units.h"
#include "report/compare.h"
#include "report/cross.h"
#include "report/emit.h"
#include "report/findings.h"
#include "report/view.h"

const struct option_row options_layout[] = {
	{ "layout", "NAME", "jobs: a table a pattern, a row a job count; schedulers, cpu, rawio, workloads: the shapes of "
			    "other posts; matrix: any axes down and across; summary: every statistic; compare: every "
			    "variant against the first; trend: a row a sweep, over all of the database; long: a row a value "
			    "(default: jobs; long for csv and json; matrix with --rows or --cols)", 'l', false, false },
	{ "rows", "AXES", "matrix: what goes down: numjobs, pattern, bs, variant, governor, kernel, sweep, metric ... "
			  "(default: jobs)", 0, false, false },
	{ "cols", "AXES", "matrix: what goes across; what is in neither and varies makes tables of its own "
			  "(default: variant)", 0, false, false },
	{ 0 },
};

const struct option_row options_since[] = {
	{ "since", "DATE|N", "all sweeps from that day on (2026-11-01), or the last N, instead of naming them", 0, false, false },
	{ 0 },
};

const struct option_row options_table[] = {
	{ "where", "AXIS=VALUE[,...]", "only these; may be given more than once", 0, false, true },
	{ "format", "NAME", "text, latex, markdown, csv, json, html (default: text)", 'f', false, false },
	{ "metric", "NAMES", "bw, iops, lat, clat_p99, usr_cpu, ctx ...; several for matrix, summary, workloads "
			     "(default: what the layout shows: iops; long: all)", 'm', false, false },
	{ "direction", "NAME", "all, read, write, trim: whose I/O the metric is of (default: all)", 0, false, false },
	{ "standalone", NULL, "LaTeX: a whole document instead of a fragment", 0, false, false },
	{ "siunitx", NULL, "LaTeX: columns of the siunitx package", 0, false, false },
	{ "output", "FILE", "write there instead of to the terminal", 'o', false, false },
	{ 0 },
};

static const char *const direction_names[] = {
	[DIR_ALL] = "all", [DIR_READ] = "read", [DIR_WRITE] = "write", [DIR_TRIM] = "trim",
};

struct choice {
	const struct view *view;
	const struct emitter *emitter;
	metrics_t metrics; /* asked for, else those that the layout shows; none: all that are stored */
	bool given;	   /* they were asked for */
	enum direction direction;
	strings_t rows, columns; /* of the matrix; none: its own */
};

static void choice_release(struct choice *c)
{
	vec_free(&c->metrics);
	strings_release(&c->rows);
	strings_release(&c->columns);
}

static int unknown_metric(const char *name, struct err *err)
{
	const char *names[256], *nearest;
	size_t n = 0;

	for (; n < ARRAY_LEN(names) && metric_at(n); n++)
		names[n] = metric_at(n)->name;
	nearest = str_nearest(name, names, n);
	if (nearest)
		return err_set(err, ERR_USAGE, "unknown metric '%s' (did you mean '%s'?)", name, nearest);
	return err_set(err, ERR_USAGE, "unknown metric '%s' (there are bw, iops, lat_mean, clat_p99, usr_cpu, ctx ...)",
		       name);
}

int choose_metrics(const struct options *opt, metrics_t *out, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };

	if (!option(opt, "metric"))
		return 0;
	str_split(option(opt, "metric"), ',', &names);
	for (size_t i = 0; i < names.n; i++) {
		const struct metric *m = metric_find(names.items[i]);

		if (!m)
			return unknown_metric(names.items[i], err);
		*vec_push(out) = m;
	}
	return 0;
}

int choose_direction(const struct options *opt, enum direction *out, struct err *err)
{
	const char *direction = option(opt, "direction");

	*out = DIR_ALL;
	if (!direction)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(direction_names); i++)
		if (!strcmp(direction_names[i], direction)) {
			*out = (enum direction)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "unknown direction '%s' (all, read, write, trim)", direction);
}

/* All that --since names, or all there are; at least one. */
static int sweeps_since(struct store *s, const char *since, int64_t **ids, size_t *n, struct err *err)
{
	int64_t from = INT64_MIN, until = INT64_MAX;
	sweep_ids_t all = { 0 };
	uint64_t last = 0;
	int bad = 0;

	if (since && units_parse_count(since, &last, NULL))
		bad = strstr(since, "..") || units_parse_days(since, &from, &until, NULL)
			      ? err_set(err, ERR_USAGE, "--since '%s': wants a day (2026-11-01) or a number of sweeps", since)
			      : 0;
	else if (since && !last)
		bad = err_set(err, ERR_USAGE, "--since 0: wants a day (2026-11-01) or a number of sweeps");
	bad = bad || store_sweeps_between(s, from, INT64_MAX, &all, err);
	if (!bad && !all.n)
		bad = since ? err_set(err, ERR_USAGE, "no sweep in '%s' started since %s", store_path(s), since)
			    : err_set(err, ERR_USAGE, "there is no sweep in '%s'", store_path(s));
	if (last && last < all.n) {
		memmove(all.items, all.items + (all.n - last), last * sizeof(*all.items));
		all.n = last;
	}
	*ids = all.items;
	*n = all.n;
	return bad ? -1 : 0;
}

int choose_sweeps(const struct options *opt, struct store *s, bool every, int64_t **ids, size_t *n, struct err *err)
{
	static char *const last[] = { (char *)"last" };
	char *const *names = opt->operands.n ? opt->operands.items : last;

	if (option_given(opt, "since") && opt->operands.n)
		return err_set(err, ERR_USAGE, "--since names sweeps, and so does '%s': give one of them", opt->operands.items[0]);
	if (option_given(opt, "since") || (every && !opt->operands.n))
		return sweeps_since(s, option(opt, "since"), ids, n, err);
	*n = opt->operands.n ? opt->operands.n : 1;
	*ids = mem_alloc(*n, sizeof(**ids));
	for (size_t i = 0; i < *n; i++) {
		struct sweep_row row = { 0 };

		if (store_find_sweep(s, names[i], &row, err))
			return -1;
		(*ids)[i] = row.id;
		sweep_row_release(&row);
	}
	return 0;
}

void where_given(const struct options *opt, strings_t *out)
{
	for (size_t i = 0; i < opt->given.n; i++)
		if (!strcmp(opt->given.items[i].row->name, "where"))
			strings_add(out, opt->given.items[i].value);
}

int choose_where(const struct options *opt, struct series_set *set, struct err *err)
{
	AUTOSTRINGS strings_t conditions = { 0 };

	where_given(opt, &conditions);
	return where_apply(set, &conditions, err);
}

int choose_where_trend(const struct options *opt, struct trend *t, struct err *err)
{
	for (size_t i = 0; i < opt->given.n; i++) {
		const char *value = opt->given.items[i].value;

		if (!strcmp(opt->given.items[i].row->name, "where") &&
		    (str_starts(value, "sweep=") || str_starts(value, "environment=")))
			return err_set(err, ERR_USAGE, "--where '%s': a trend is over sweeps; name some, or use --since", value);
	}
	return choose_where(opt, &t->series, err);
}

static int unknown_layout(const char *layout, struct err *err)
{
	AUTOSTR struct str names = { 0 };

	for (size_t i = 0; view_at(i); i++)
		str_addf(&names, "%s%s", i ? ", " : "", view_at(i)->name);
	return err_set(err, ERR_USAGE, "unknown layout '%s' (%s)", layout, str_text(&names));
}

static int unknown_format(const char *format, struct err *err)
{
	AUTOSTR struct str names = { 0 };

	for (size_t i = 0; emitter_at(i); i++)
		str_addf(&names, "%s%s", i ? ", " : "", emitter_at(i)->name);
	return err_set(err, ERR_USAGE, "unknown format '%s' (%s)", format, str_text(&names));
}

/*
 * The layout that the workload wants goes where nothing else is asked for: not for machines, not when axes are named,
 * and not with a typed metric that it would not show.
 */
static const char *layout_of(const struct options *opt, const char *format)
{
	const char *layout = option(opt, "layout");
	const struct view *view = layout ? view_find(layout) : NULL;

	if (layout && option_typed(opt, "layout"))
		return layout;
	if (option_typed(opt, "rows") || option_typed(opt, "cols"))
		return "matrix";
	if (!strcmp(format, "csv") || !strcmp(format, "json"))
		return "long";
	if (view && option_typed(opt, "metric") && view->metrics)
		return "jobs";
	return layout ? layout : "jobs";
}

/* Typed, or the workload's together with its layout. */
static const char *shape_option(const struct options *opt, const char *name, bool of_workload)
{
	return option_typed(opt, name) || of_workload ? option(opt, name) : NULL;
}

static int choose_view(const struct options *opt, struct choice *c, struct err *err)
{
	const char *layout = layout_of(opt, c->emitter->name), *rows, *columns;
	bool typed = option_typed(opt, "layout") || option_typed(opt, "rows") || option_typed(opt, "cols");
	bool of_workload = !typed && option(opt, "layout") && !strcmp(layout, option(opt, "layout"));

	c->view = view_find(layout);
	if (!c->view) {
		unknown_layout(layout, err);
		return -1;
	}
	rows = shape_option(opt, "rows", of_workload);
	columns = shape_option(opt, "cols", of_workload);
	if (rows)
		str_split(rows, ',', &c->rows);
	if (columns)
		str_split(columns, ',', &c->columns);
	if ((c->rows.n || c->columns.n) && strcmp(c->view->name, "matrix") != 0)
		return err_set(err, ERR_USAGE, "--rows and --cols are for the layout 'matrix', not for '%s'",
			       c->view->name);
	return 0;
}

int choose_format(const struct options *opt, const struct emitter **out, struct err *err)
{
	const char *format = option(opt, "format");

	*out = emitter_find(format ? format : "text");
	if (!*out)
		return unknown_format(format, err);
	if (!(*out)->has_options && (option_given(opt, "standalone") || option_given(opt, "siunitx")))
		return err_set(err, ERR_USAGE, "--%s is for --format latex", option_given(opt, "siunitx") ? "siunitx"
													  : "standalone");
	return 0;
}

int output_check_format(const struct options *opt, struct err *err)
{
	const struct emitter *emitter;

	return choose_format(opt, &emitter, err);
}

static int choose(const struct options *opt, struct choice *c, struct err *err)
{
	*c = (struct choice){ 0 };
	if (choose_format(opt, &c->emitter, err) || choose_view(opt, c, err) ||
	    choose_metrics(opt, &c->metrics, err) || choose_direction(opt, &c->direction, err))
		return -1;
	/* the workload's are for layouts that leave it open, which may show but the first */
	if (!option_typed(opt, "metric") && (c->view->metrics || c->view->every))
		c->metrics.n = 0;
	if (!option_typed(opt, "metric") && c->metrics.n > 1 && !c->view->several)
		c->metrics.n = 1;
	c->given = c->metrics.n;
	if (c->metrics.n > 1 && !c->view->several && !c->view->every)
		return err_set(err, ERR_USAGE, "the layout '%s' shows one metric: use --layout matrix, summary or compare",
			       c->view->name);
	for (size_t i = 0; !c->given && c->view->metrics && c->view->metrics[i]; i++)
		*vec_push(&c->metrics) = metric_find(c->view->metrics[i]);
	if (!c->metrics.n && !c->view->every)
		*vec_push(&c->metrics) = metric_find("iops");
	return 0;
}

int output_check(const struct options *opt, struct err *err)
{
	struct choice c;
	int bad = choose(opt, &c, err);

	choice_release(&c);
	return bad;
}

int output_check_file(const struct options *opt, struct err *err)
{
	const char *path = option(opt, "output");
	int fd, why;

	if (!path || !strcmp(path, "-"))
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		unlink(path);
		close(fd);
		return 0;
	}
	/* one that is there keeps what it holds; a pipe may get its reader later */
	if (errno == EEXIST)
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	why = fd < 0 && errno != ENXIO ? errno : 0;
	if (fd >= 0)
		close(fd);
	return why ? err_sys(err, ERR_USAGE, why, "--output: cannot write '%s'", path) : 0;
}

static int write_to(FILE *f, const char *name, const struct str *text, struct err *err)
{
	if (fwrite(str_text(text), 1, text->len, f) == text->len && !fflush(f))
		return 0;
	return err_sys(err, ERR_FAULT, errno, "cannot write '%s'", name);
}

int output_write(const char *path, const struct str *text, struct err *err)
{
	FILE *f;
	int bad;

	if (!path || !strcmp(path, "-"))
		return write_to(stdout, "the output", text, err);
	f = fopen(path, "we");
	if (!f)
		return err_sys(err, ERR_FAULT, errno, "cannot create '%s'", path);
	bad = write_to(f, path, text, err);
	if (fclose(f) && !bad)
		bad = err_sys(err, ERR_FAULT, errno, "cannot write '%s'", path);
	return bad;
}

int output_emit(const struct options *opt, const struct tables *tables, struct err *err)
{
	AUTOSTR struct str text = { 0 };
	struct emit_options format = { .standalone = option_given(opt, "standalone"),
				       .siunitx = option_given(opt, "siunitx") };
	const struct emitter *emitter;
	int bad = choose_format(opt, &emitter, err) || emitter->emit(tables, &format, &text, err) ||
		  output_write(option(opt, "output"), &text, err);

	return bad ? -1 : 0;
}

static int query(const struct options *opt, struct store *s, const struct choice *c, const int64_t *sweeps, size_t n,
		 struct series_set *set, struct err *err)
{
	bool whole = !strcmp(c->view->name, "long");
	struct series_query q = {
		.sweeps = sweeps,
		.n_sweeps = n,
		.metrics = c->metrics.items,
		.n_metrics = c->metrics.n,
		.every_direction = whole && !option_given(opt, "direction"),
		.direction = c->direction,
		.every_job = whole,
	};

	return store_query_series(s, &q, set, err) || choose_where(opt, set, err) ? -1 : 0;
}

/* Metrics of no layout's own, as imported tables have: the layout whose first metric is there, or workloads. */
static const struct view *view_for(const struct series_set *set)
{
	for (size_t v = 0; view_at(v); v++)
		for (size_t i = 0; view_at(v)->metrics && i < set->list.n; i++)
			if (set->list.items[i].metric == metric_find(view_at(v)->metrics[0]))
				return view_at(v);
	return view_find("workloads");
}

static bool has_data(const struct series_set *set)
{
	for (size_t i = 0; i < set->list.n; i++)
		if (series_has_data(&set->list.items[i]))
			return true;
	return false;
}

/* Where no layout and no metric was asked for, and there is nothing of that of the usual layout: another one. */
static int look_further(struct store *s, struct choice *c, const int64_t *sweeps, size_t n, const struct options *opt,
			struct series_set *set, struct err *err)
{
	struct series_set all = { 0 };
	struct choice any = *c;

	any.metrics.n = 0;
	if (query(opt, s, &any, sweeps, n, &all, err))
		return -1;
	if (has_data(&all)) {
		c->view = view_for(&all);
		series_set_release(set);
		*set = all;
	} else {
		series_set_release(&all);
	}
	return 0;
}

static bool has_cell(const struct series_set *set, int64_t cell)
{
	for (size_t i = 0; i < set->list.n; i++)
		if (set->list.items[i].cell == cell)
			return true;
	return false;
}

/*
 * Cells with results, but none of what the tables show: of jobs in several reporting groups there is no rate of the whole
 * run, for example. They would be missing without a word.
 */
static int note_absent(struct store *s, const int64_t *sweeps, size_t n, const struct series_set *set, strings_t *notes,
		       struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		AUTOSTR struct str first = { 0 };
		AUTOSTRINGS strings_t varying = { 0 };
		cell_rows_t cells = { 0 };
		size_t absent = 0;

		if (store_list_cells(s, sweeps[i], &cells, err))
			return -1;
		cells_varying(&cells, &varying);
		for (size_t k = 0; k < cells.n; k++) {
			if (strcmp(cells.items[k].state, "done") != 0 || has_cell(set, cells.items[k].id))
				continue;
			if (!absent++)
				cell_text(&cells.items[k], &varying, &first);
		}
		if (absent)
			*vec_push(notes) = mem_printf("not shown: %zu cell%s with other results only%s%s; --layout long "
						      "has all of them", absent, absent == 1 ? "" : "s",
						      absent == 1 ? ": " : ", the first: ", str_text(&first));
		cell_rows_release(&cells);
	}
	return 0;
}

bool output_is_trend(const struct options *opt)
{
	const struct view *view = option_given(opt, "layout") ? view_find(option(opt, "layout")) : NULL;

	return view && view->of_trend;
}

/* The findings of a page: of other metrics than its tables show. NULL where the conditions do not fit those. */
static struct table *find_findings(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n)
{
	struct series_query q = { .sweeps = sweeps, .n_sweeps = n, .metrics = findings_metrics() };
	struct series_set set = { 0 };
	struct findings found = { 0 };
	struct table *t = NULL;

	while (q.metrics[q.n_metrics])
		q.n_metrics++;
	if (!store_query_series(s, &q, &set, NULL) && !choose_where(opt, &set, NULL)) {
		findings_make(&set, COMPARE_MIN_EFFECT, &found);
		t = findings_table(&found);
	}
	findings_release(&found);
	series_set_release(&set);
	return t;
}

static int make_text(const struct options *opt, struct store *s, const struct choice *c, const int64_t *sweeps, size_t n,
		     const struct series_set *set, const struct view_options *shown, struct str *text, struct err *err)
{
	struct emit_options format = { .standalone = option_given(opt, "standalone"),
				       .siunitx = option_given(opt, "siunitx") };
	struct tables tables = { 0 };
	bool html = !strcmp(c->emitter->name, "html");
	int bad;

	if (html && c->view->of_trend)
		return page_make_trend(shown->trend, c->view, shown, text, err);
	if (html)
		return page_make(s, set, find_findings(opt, s, sweeps, n), sweeps, n, c->view, shown, text, err);
	bad = view_make(c->view, set, shown, &tables, err) || c->emitter->emit(&tables, &format, text, err);
	tables_release(&tables);
	return bad;
}

static int print_tables(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n,
			const struct shape *shape, struct err *err)
{
	struct choice c;
	struct series_set set = { 0 };
	struct trend trend = { 0 };
	AUTOSTR struct str text = { 0 };
	AUTOSTRINGS strings_t notes = { 0 };
	int bad = choose(opt, &c, err);

	if (!bad && c.view->of_trend)
		bad = store_query_trend(s, sweeps, n, c.metrics.n ? c.metrics.items[0] : metric_find("iops"), c.direction,
					check_codes[CHECK_SIMULATED_DISK].code, &trend, err) ||
		      choose_where_trend(opt, &trend, err);
	else if (!bad)
		bad = query(opt, s, &c, sweeps, n, &set, err);
	if (!bad && !c.given && !option(opt, "layout") && !strcmp(c.view->name, "jobs") && !has_data(&set))
		bad = look_further(s, &c, sweeps, n, opt, &set, err);
	/* who names conditions knows that not all is shown */
	if (!bad && !c.view->of_trend && !c.view->every && !option_given(opt, "where"))
		bad = note_absent(s, sweeps, n, &set, &notes, err);
	if (!bad) {
		struct view_options shown = {
			.metric = c.given && c.metrics.n == 1 ? c.metrics.items[0] : NULL,
			.metrics = c.metrics.items,
			.n_metrics = c.given ? c.metrics.n : 0,
			.rows = c.rows.n ? &c.rows : NULL,
			.columns = c.columns.n ? &c.columns : NULL,
			.mains = shape->mains.items,
			.n_mains = shape->mains.n,
			.notes = &notes,
			.trend = &trend,
		};

		bad = make_text(opt, s, &c, sweeps, n, c.view->of_trend ? &trend.series : &set, &shown, &text, err) ||
		      output_write(option(opt, "output"), &text, err);
	}
	choice_release(&c);
	series_set_release(&set);
	trend_release(&trend);
	return bad ? -1 : 0;
}

int output_tables(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n, struct err *err)
{
	struct shape shape;
	int bad = shape_find(opt, s, sweeps, n, &shape, err) || print_tables(&shape.options, s, sweeps, n, &shape, err);

	shape_release(&shape);
	return bad ? -1 : 0;
}
