// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "checks/codes.h"
#include "cli/command.h"
#include "cli/distribution.h"
#include "cli/gnuplot.h"
#include "cli/output.h"
#include "common/units.h"

#define SIZE_LIMIT 20000

static const struct option_row options_plot[] = {
	{ "kind", "NAME", "jobs: over job counts, a line a variant; bars: workloads beside each other; time: every run "
			  "over the time, with its block; perjob: what each job got; cdf: how latencies are distributed; "
			  "trend: over the dates of sweeps, all of the database (default: jobs)", 'k', false, false },
	{ "metric", "NAME", "bw, iops, lat, clat_p99, usr_cpu, ctx ... (default: iops; perjob: bw)", 'm', false, false },
	{ "direction", "NAME", "all, read, write, trim: whose I/O the metric is of (default: all)", 0, false, false },
	{ "where", "AXIS=VALUE[,...]", "only these; may be given more than once", 0, false, true },
	{ "bars", "NAME", "what error bars show: stddev, ci (95% of the mean), range (min to max), none "
			  "(default: stddev; percentiles: range; dumb: none)", 0, false, false },
	{ "terminal", "NAME", "png, svg, pdf, or dumb: characters, for mail (default: what FILE ends in; svg)", 't', false,
	  false },
	{ "size", "WIDTHxHEIGHT", "pixels; pdf: points; dumb: characters", 0, false, false },
	{ "output", "FILE", "where to; several plots put their names before the ending (default: a file a plot, named "
			    "after it; dumb: the terminal)", 'o', false, false },
	{ "keep", "DIRECTORY", "keep gnuplot's scripts and data there", 0, false, false },
	{ 0 },
};

struct request {
	struct plot_options plot;
	struct plot_output output;
	enum direction direction;
};

static int choose_name(const char *option_name, const char *name, const char *const *names, size_t n, size_t *out,
		       struct err *err)
{
	AUTOSTR struct str list = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name)) {
			*out = i;
			return 0;
		}
		str_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	return err_set(err, ERR_USAGE, "unknown --%s '%s' (%s)", option_name, name, str_text(&list));
}

static int choose_kind(const struct options *opt, struct request *r, struct err *err)
{
	static const char *const kinds[] = {
		[PLOT_JOBS] = "jobs",	  [PLOT_BARS] = "bars", [PLOT_TIME] = "time",
		[PLOT_PERJOB] = "perjob", [PLOT_CDF] = "cdf",  [PLOT_TREND] = "trend",
	};
	static const char *const bars[] = { [PLOT_BARS_STDDEV] = "stddev", [PLOT_BARS_CI] = "ci",
					    [PLOT_BARS_RANGE] = "range", [PLOT_BARS_NONE] = "none" };
	const char *kind = option(opt, "kind"), *bar = option(opt, "bars");
	size_t chosen_kind = PLOT_JOBS, chosen_bars = PLOT_BARS_STDDEV;

	if ((kind && choose_name("kind", kind, kinds, ARRAY_LEN(kinds), &chosen_kind, err)) ||
	    (bar && choose_name("bars", bar, bars, ARRAY_LEN(bars), &chosen_bars, err)))
		return -1;
	r->plot.kind = (enum plot_kind)chosen_kind;
	r->plot.bars = (enum plot_bars)chosen_bars;
	return 0;
}

static int choose_metric(const struct options *opt, struct request *r, struct err *err)
{
	metrics_t metrics = { 0 };
	int bad = choose_metrics(opt, &metrics, err);

	if (!bad && metrics.n > 1)
		bad = err_set(err, ERR_USAGE, "a plot shows one metric");
	if (!bad && metrics.n && r->plot.kind == PLOT_CDF)
		bad = err_set(err, ERR_USAGE, "--metric: a cdf is of completion latencies");
	if (!bad)
		r->plot.metric = metrics.n ? metrics.items[0] : metric_find(r->plot.kind == PLOT_PERJOB ? "bw" : "iops");
	vec_free(&metrics);
	return bad;
}

static int choose_size(const char *text, struct plot_output *o, struct err *err)
{
	const char *x = strchr(text, 'x');
	AUTOFREE char *width = x ? mem_strndup(text, (size_t)(x - text)) : NULL;
	uint64_t w, h;

	if (!x || units_parse_count(width, &w, err) || units_parse_count(x + 1, &h, err) || w < 10 || h < 5 ||
	    w > SIZE_LIMIT || h > SIZE_LIMIT)
		return err_set(err, ERR_USAGE, "--size '%s': wants WIDTHxHEIGHT, at most 20000x20000", text);
	o->width = (unsigned)w;
	o->height = (unsigned)h;
	return 0;
}

static const char *ending_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *dot = path ? strrchr(slash ? slash : path, '.') : NULL;

	return dot ? dot : "";
}

static int choose_terminal(const struct options *opt, struct plot_output *o, struct err *err)
{
	const char *typed = option(opt, "terminal"), *ending = ending_of(option(opt, "output"));

	o->terminal = typed ? typed : !strcmp(ending, ".txt") ? "dumb" : *ending ? ending + 1 : "svg";
	if (plot_terminal_is_known(o->terminal))
		return 0;
	if (typed)
		return err_set(err, ERR_USAGE, "unknown terminal '%s' (png, svg, pdf, dumb)", typed);
	return err_set(err, ERR_USAGE, "'%s': cannot tell the format by the ending (.png, .svg, .pdf, or use --terminal)",
		       option(opt, "output"));
}

static int choose(const struct options *opt, struct request *r, struct err *err)
{
	if (choose_kind(opt, r, err) || choose_metric(opt, r, err) || choose_direction(opt, &r->direction, err) ||
	    choose_terminal(opt, &r->output, err) ||
	    (option(opt, "size") && choose_size(option(opt, "size"), &r->output, err)))
		return -1;
	/* of characters they would hide the lines */
	if (!option(opt, "bars") && !strcmp(r->output.terminal, "dumb"))
		r->plot.bars = PLOT_BARS_NONE;
	return 0;
}

static int find_trend(const struct options *opt, struct store *s, const struct request *r, plots_t *out,
		      struct err *err)
{
	AUTOFREE int64_t *ids = NULL;
	struct trend trend = { 0 };
	size_t n;
	int bad = choose_sweeps(opt, s, true, &ids, &n, err) ||
		  store_query_trend(s, ids, n, r->plot.metric, r->direction, check_codes[CHECK_SIMULATED_DISK].code, &trend,
				    err) ||
		  choose_where_trend(opt, &trend, err) || plots_make_trend(&trend, &r->plot, out, err);

	trend_release(&trend);
	return bad ? -1 : 0;
}

/* A picture is passed on without the rest: it says where it is from. Of several sweeps there is no line that could. */
static int add_origin(struct store *s, int64_t sweep, const struct series_set *set, plots_t *plots, struct err *err)
{
	sweep_rows_t sweeps = { 0 };
	const char *kernel = set_common_kernel(set), *bytes = set_common_axis(set, "bs_bytes");
	AUTOSTR struct str bs = { 0 };
	int bad = store_list_sweeps(s, &sweeps, err);

	if (bytes) {
		add_axis_text(&bs, "bs_bytes", bytes);
		str_add(&bs, ", ");
	}
	for (size_t i = 0; i < sweeps.n; i++) {
		const struct sweep_row *row = &sweeps.items[i];
		char day[UNITS_TEXT];

		if (row->id != sweep || (row->kind && !strcmp(row->kind, "import")))
			continue;
		units_format_time(day, row->started_ns, localtime_r, "%F");
		for (size_t k = 0; k < plots->n; k++)
			plots->items[k].origin = mem_printf("%s, %s%s%s%ssweep %.8s of %s", row->devices, str_text(&bs),
							    kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ", " : "",
							    row->uuid, day);
	}
	sweep_rows_release(&sweeps);
	return bad;
}

static int find_plots(const struct options *opt, struct store *s, const struct request *r, plots_t *out,
		      struct err *err)
{
	/* for distributions any metric will do: it is the runs that are wanted */
	bool cdf = r->plot.kind == PLOT_CDF;
	AUTOFREE int64_t *ids = NULL;
	struct series_set set = { 0 };
	size_t n;
	int bad = choose_sweeps(opt, s, false, &ids, &n, err) ||
		  store_query_series(s,
				     &(struct series_query){ .sweeps = ids,
							     .n_sweeps = n,
							     .metrics = &r->plot.metric,
							     .n_metrics = 1,
							     .direction = r->direction,
							     .every_job = r->plot.kind == PLOT_PERJOB },
				     &set, err) ||
		  choose_where(opt, &set, err);

	if (!bad && cdf) {
		bad = distribution_plots(s, &set, ids, n, r->direction, out, err);
		plots_mark_simulated(&set, out, 0);
	} else if (!bad) {
		bad = plots_make(&set, &r->plot, out, err);
	}
	/* lines of characters have no room for it */
	if (!bad && n == 1 && strcmp(r->output.terminal, "dumb") != 0)
		bad = add_origin(s, ids[0], &set, out, err);
	series_set_release(&set);
	return bad;
}

/* "sweep.svg" for the only plot, "sweep-read.svg" for one of several. NULL: the terminal. The caller frees. */
static char *path_of(const struct options *opt, const struct request *r, const char *name, bool only)
{
	const char *path = option(opt, "output"), *ending = ending_of(path);
	bool dumb = !strcmp(r->output.terminal, "dumb");

	if (!path && dumb)
		return NULL;
	if (!path)
		return mem_printf("%s.%s", name, r->output.terminal);
	if (only || !strcmp(path, "-"))
		return mem_strdup(path);
	return mem_printf("%.*s-%s%s", (int)(strlen(path) - strlen(ending)), path, name, ending);
}

/* A mail has no blanks at the end of a line, and no form feed; blank lines around the plot go too. */
static void tidy_lines(struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++) {
		char c = text->s[i];

		while (c == '\n' && n && text->s[n - 1] == ' ')
			n--;
		if (c != '\f' && (c != '\n' || n))
			text->s[n++] = c;
	}
	while (n > 1 && text->s[n - 1] == '\n' && text->s[n - 2] == '\n')
		n--;
	text->len = n;
}

static int draw(const struct options *opt, const struct request *r, const plots_t *plots, size_t i, struct err *err)
{
	const struct plot *p = &plots->items[i];
	AUTOSTR struct str picture = { 0 };
	AUTOFREE char *name = gnuplot_name(p, i), *path = path_of(opt, r, name, plots->n == 1);

	if (gnuplot_draw(p, &r->output, name, option(opt, "keep"), &picture, err))
		return -1;
	if (!strcmp(r->output.terminal, "dumb"))
		tidy_lines(&picture);
	if (output_write(path, &picture, err))
		return -1;
	if (path && strcmp(path, "-") != 0)
		printf("%s\n", path);
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	struct request r = { 0 };
	plots_t plots = { 0 };
	AUTOSTORE struct store *s = NULL;
	int bad;

	if (choose(opt, &r, err))
		return -1;
	s = open_database(opt, STORE_READ, err);
	if (!s)
		return -1;
	bad = r.plot.kind == PLOT_TREND ? find_trend(opt, s, &r, &plots, err) : find_plots(opt, s, &r, &plots, err);
	for (size_t i = 0; i < plots.n && !bad; i++)
		bad = draw(opt, &r, &plots, i, err);
	plots_release(&plots);
	return bad ? -1 : 0;
}

const struct command cmd_plot = {
	.name = "plot",
	.summary = "draw the results of a sweep, with gnuplot",
	.operands = "[SWEEP]...",
	.about = "A SWEEP is the start of an id, a name (the newest of it), 'last' or 'last~N'; without one: last, of the kind "
		 "'trend' all. What varies and is neither on the axis nor in the legend makes plots of its own; --where "
		 "picks some. Below the title of a single sweep stands of what disk, block size, kernel and day it is.",
	.groups = { options_plot, options_since, options_db },
	.run = run,
};
