// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "db/series.h"
#include "report/emit.h"
#include "report/view.h"

const struct option_row options_table[] = {
	{ "layout", "NAME", "jobs: a table a pattern, a row a job count; long: a row a value "
			    "(default: jobs; long for csv and json)", 'l', false, false },
	{ "format", "NAME", "text, latex, markdown, csv, json (default: text)", 'f', false, false },
	{ "metric", "NAME", "bw, iops, lat, clat_p99, usr_cpu, ctx ... (default: iops; with the layout long: all)", 'm', false,
	  false },
	{ "direction", "NAME", "all, read, write, trim: whose I/O the metric is of (default: all)", 0, false, false },
	{ "standalone", NULL, "LaTeX: a whole document instead of a fragment", 0, false, false },
	{ "siunitx", NULL, "LaTeX: columns of the siunitx package", 0, false, false },
	{ "output", "FILE", "write the tables there instead of to the terminal", 'o', false, false },
	{ 0 },
};

static const char *const direction_names[] = {
	[DIR_ALL] = "all", [DIR_READ] = "read", [DIR_WRITE] = "write", [DIR_TRIM] = "trim",
};

struct choice {
	const struct view *view;
	const struct emitter *emitter;
	const struct metric *metric; /* NULL: what the layout shows */
	enum direction direction;
	bool every; /* of metric and direction: the long layout */
};

static int unknown_metric(const char *name, struct err *err)
{
	const char *names[256], *nearest;
	size_t n = 0;

	for (; n < ARRAY_LEN(names) && metric_at(n); n++)
		names[n] = metric_at(n)->name;
	nearest = str_nearest(name, names, n);
	if (nearest)
		return err_set(err, ERR_USAGE, "unknown metric '%s' (did you mean '%s'?)", name, nearest);
	return err_set(err, ERR_USAGE, "unknown metric '%s' (there are bw, iops, lat_mean, clat_p99, usr_cpu, ctx ...)", name);
}

static int choose(const struct options *opt, struct choice *c, struct err *err)
{
	const char *format = option(opt, "format"), *layout = option(opt, "layout");
	const char *metric = option(opt, "metric"), *direction = option(opt, "direction");
	bool data;

	*c = (struct choice){ .emitter = emitter_find(format ? format : "text") };
	if (!c->emitter) {
		err_set(err, ERR_USAGE, "unknown format '%s' (text, latex, markdown, csv, json)", format);
		return -1;
	}
	data = !strcmp(c->emitter->name, "csv") || !strcmp(c->emitter->name, "json");
	c->view = view_find(layout ? layout : data ? "long" : "jobs");
	if (!c->view) {
		err_set(err, ERR_USAGE, "unknown layout '%s' (jobs, long)", layout);
		return -1;
	}
	c->metric = metric ? metric_find(metric) : NULL;
	if (metric && !c->metric)
		return unknown_metric(metric, err);
	c->every = !strcmp(c->view->name, "long");
	for (size_t i = 0; direction && i <= ARRAY_LEN(direction_names); i++) {
		if (i == ARRAY_LEN(direction_names))
			return err_set(err, ERR_USAGE, "unknown direction '%s' (all, read, write, trim)", direction);
		c->direction = (enum direction)i;
		if (!strcmp(direction_names[i], direction))
			break;
	}
	return 0;
}

int output_check(const struct options *opt, struct err *err)
{
	struct choice c;

	return choose(opt, &c, err);
}

static int write_to(FILE *f, const char *name, const struct str *text, struct err *err)
{
	if (fwrite(str_text(text), 1, text->len, f) == text->len && !fflush(f))
		return 0;
	return err_sys(err, ERR_FAULT, errno, "cannot write '%s'", name);
}

static int write_out(const char *path, const struct str *text, struct err *err)
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

int output_tables(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n, struct err *err)
{
	struct choice c;
	struct series_set set = { 0 };
	struct tables tables = { 0 };
	AUTOSTR struct str text = { 0 };
	const struct metric *metric;
	int bad;

	if (choose(opt, &c, err))
		return -1;
	metric = c.metric ? c.metric : metric_find("iops");
	bad = store_query_series(s,
				 &(struct series_query){ .sweeps = sweeps,
							 .n_sweeps = n,
							 .metrics = &metric,
							 .n_metrics = c.every && !c.metric ? 0 : 1,
							 .every_direction = c.every && !option_given(opt, "direction"),
							 .direction = c.direction,
							 .every_job = c.every },
				 &set, err) ||
	      view_make(c.view, &set, &(struct view_options){ .metric = metric }, &tables, err) ||
	      c.emitter->emit(&tables,
			      &(struct emit_options){ .standalone = option_given(opt, "standalone"),
						      .siunitx = option_given(opt, "siunitx") },
			      &text, err) ||
	      write_out(option(opt, "output"), &text, err);
	tables_release(&tables);
	series_set_release(&set);
	return bad ? -1 : 0;
}
