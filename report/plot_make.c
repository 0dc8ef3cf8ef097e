// SPDX-License-Identifier: GPL-2.0-or-later
/* Series into plots. */
#include <math.h>
#include <string.h>

#include "checks/codes.h"
#include "common/units.h"
#include "report/figure.h"
#include "report/plot.h"
#include "report/trend.h"

#define LOG_SPAN 16	  /* from the smallest to the largest job count: beyond it the small ones would crowd */
#define NS_PER_MIN 60e9
#define DATES 4 /* below a trend */
#define S_PER_DAY 86400

struct making {
	const struct plot_options *opt;
	const struct cross *cross;
	const strings_t *rows, *columns;
	struct n_range n;
};

static bool is_percentile(const struct plot_options *opt)
{
	return opt->metric->flags & METRIC_PERCENTILE;
}

/* Percentiles are not averaged: their bars are always from the least to the greatest. */
static enum plot_bars bars_of(const struct plot_options *opt)
{
	return is_percentile(opt) && opt->bars != PLOT_BARS_NONE ? PLOT_BARS_RANGE : opt->bars;
}

static void set_bars(const struct plot_options *opt, const struct stats *stats, struct plot_point *p)
{
	switch (bars_of(opt)) {
	case PLOT_BARS_STDDEV:
		p->low = stats->mean - stats->stddev;
		p->high = stats->mean + stats->stddev;
		break;
	case PLOT_BARS_CI:
		p->low = stats->mean_low;
		p->high = stats->mean_high;
		break;
	case PLOT_BARS_RANGE:
		p->low = stats->n > 1 ? stats->min : NAN;
		p->high = stats->n > 1 ? stats->max : NAN;
		break;
	case PLOT_BARS_NONE:
		break;
	}
}

static struct plot_point point_of(const struct plot_options *opt, const struct series *s, double x)
{
	struct stats stats = series_summary(s, opt->metric->print_scale);
	struct plot_point p = { x, is_percentile(opt) ? stats.median : stats.mean, NAN, NAN };

	set_bars(opt, &stats, &p);
	return p;
}

static char *bars_legend(const struct plot_options *opt, const struct n_range *n)
{
	static const char *const kinds[] = {
		[PLOT_BARS_STDDEV] = "mean, bars: stddev",
		[PLOT_BARS_CI] = "mean, bars: 95% interval of it",
		[PLOT_BARS_RANGE] = "mean, bars: min to max",
		[PLOT_BARS_NONE] = "mean",
	};
	/* of one run there is nothing to draw them of */
	enum plot_bars bars = n->highest == 1 ? PLOT_BARS_NONE : bars_of(opt);
	struct str text = { 0 };

	if (is_percentile(opt))
		str_addf(&text, "%s%s", opt->kind == PLOT_TREND ? "mean of the runs' percentiles" : "median",
			 bars == PLOT_BARS_NONE ? "" : ", bars: min to max");
	else
		str_add(&text, kinds[bars]);
	add_n_text(&text, n);
	return str_steal(&text);
}

static char *metric_title(const struct metric *m)
{
	static const char *const better[] = {
		[BETTER_NEITHER] = "", [BETTER_HIGHER] = " (higher is better)", [BETTER_LOWER] = " (lower is better)"
	};

	if (!strcmp(m->print_unit, "IOPS"))
		return mem_printf("IOPS%s", better[m->better]);
	return *m->print_unit ? mem_printf("%s in %s%s", m->title, m->print_unit, better[m->better])
			      : mem_printf("%s%s", m->title, better[m->better]);
}

static struct plot_series *new_series(struct plot *p, const struct making *m, size_t column)
{
	struct plot_series *s = vec_push(&p->series);

	s->name = line_text(&m->cross->columns.items[column], m->columns);
	return s;
}

static void add_tick(struct plot *p, double x, char *text)
{
	*vec_push(&p->ticks) = (struct plot_tick){ x, text };
}

/* Rows are job counts: their numbers are the places. */
static void make_lines(struct plot *p, const struct making *m)
{
	double least = INFINITY, greatest = 0;

	for (size_t r = 0; r < m->cross->rows.n; r++) {
		const char *jobs = m->cross->rows.items[r].values.items[0];
		double x = *jobs ? strtod(jobs, NULL) : 0;

		add_tick(p, x, mem_strdup(*jobs ? jobs : "?"));
		least = fmin(least, x);
		greatest = fmax(greatest, x);
	}
	p->logarithmic = least > 0 && greatest / least >= LOG_SPAN;
	for (size_t c = 0; c < m->cross->columns.n; c++) {
		struct plot_series *s = new_series(p, m, c);

		for (size_t r = 0; r < m->cross->rows.n; r++)
			if (cross_at(m->cross, r, c))
				*vec_push(&s->points) = point_of(m->opt, cross_at(m->cross, r, c), p->ticks.items[r].x);
	}
}

/* A group of bars for each row, at 0, 1, … */
static void make_bars(struct plot *p, const struct making *m)
{
	for (size_t r = 0; r < m->cross->rows.n; r++) {
		const strings_t *values = &m->cross->rows.items[r].values;

		add_tick(p, (double)r, m->opt->kind == PLOT_PERJOB ? mem_strdup(values->items[0])
								   : line_text(&m->cross->rows.items[r], m->rows));
	}
	for (size_t c = 0; c < m->cross->columns.n; c++) {
		struct plot_series *s = new_series(p, m, c);

		for (size_t r = 0; r < m->cross->rows.n; r++)
			if (cross_at(m->cross, r, c))
				*vec_push(&s->points) = point_of(m->opt, cross_at(m->cross, r, c), (double)r);
	}
}

static int by_start(const void *a, const void *b)
{
	double x = ((const struct plot_point *)a)->x, y = ((const struct plot_point *)b)->x;

	return (x > y) - (x < y);
}

/* The earliest run of a block in any column; false if there is none. */
static bool block_start(const struct cross *c, int64_t invocation, int block, int64_t *out)
{
	bool found = false;

	for (size_t i = 0; i < c->members.n; i++)
		for (size_t k = 0; k < c->members.items[i]->points.n; k++) {
			const struct series_point *p = &c->members.items[i]->points.items[k];

			if (p->block != block || p->invocation != invocation || (found && p->started_ns >= *out))
				continue;
			*out = p->started_ns;
			found = true;
		}
	return found;
}

static bool has_block(const struct plot *p, double x)
{
	for (size_t i = 0; i < p->blocks.n; i++)
		if (p->blocks.items[i].x == x)
			return true;
	return false;
}

static void make_time(struct plot *p, const struct making *m)
{
	int64_t first = INT64_MAX, start;

	for (size_t i = 0; i < m->cross->members.n; i++)
		for (size_t k = 0; k < m->cross->members.items[i]->points.n; k++)
			if (m->cross->members.items[i]->points.items[k].started_ns < first)
				first = m->cross->members.items[i]->points.items[k].started_ns;
	for (size_t c = 0; c < m->cross->columns.n; c++) {
		struct plot_series *s = new_series(p, m, c);
		const struct series *from = cross_at(m->cross, 0, c);

		for (size_t k = 0; from && k < from->points.n; k++) {
			const struct series_point *point = &from->points.items[k];
			double x = (double)(point->started_ns - first) / NS_PER_MIN;

			*vec_push(&s->points) =
				(struct plot_point){ x, point->value * m->opt->metric->print_scale, NAN, NAN };
			if (!block_start(m->cross, point->invocation, point->block, &start))
				continue;
			x = (double)(start - first) / NS_PER_MIN;
			if (!has_block(p, x))
				*vec_push(&p->blocks) = (struct plot_tick){ x, mem_printf("%d", point->block + 1) };
		}
		if (s->points.n)
			qsort(s->points.items, s->points.n, sizeof(*s->points.items), by_start);
	}
}

static void make_plot(const struct making *m, plots_t *out)
{
	struct plot *p = vec_push(out);

	*p = (struct plot){ .kind = m->opt->kind, .title = mem_strdup(m->cross->title),
			    .label = mem_strdup(m->cross->label), .y_title = metric_title(m->opt->metric) };
	switch (p->kind) {
	case PLOT_JOBS:
		p->x_title = mem_strdup("jobs");
		make_lines(p, m);
		break;
	case PLOT_TIME:
		p->x_title = mem_strdup("minutes since the first run; blocks begin at the vertical lines");
		make_time(p, m);
		return;
	case PLOT_PERJOB:
		p->x_title = mem_strdup("job");
		make_bars(p, m);
		break;
	case PLOT_BARS:
		make_bars(p, m);
		break;
	case PLOT_TREND: /* made by plots_make_trend() */
	case PLOT_CDF:	 /* made by plot_add_cdf() */
		break;
	}
	p->bars = bars_legend(m->opt, &m->n);
}

static void find_members(const struct series_set *set, const struct plot_options *opt, members_t *out)
{
	for (size_t i = 0; i < set->list.n; i++) {
		const struct series *s = &set->list.items[i];
		bool single = s->job != JOB_ALL;

		if (s->metric != opt->metric || (opt->kind == PLOT_PERJOB) != single)
			continue;
		/* an imported table has no runs to show over time */
		if (series_has_data(s) && (opt->kind != PLOT_TIME || s->points.n))
			*vec_push(out) = s;
	}
}

/* What stands on the x axis. */
static void find_rows(const members_t *members, enum plot_kind kind, strings_t *out)
{
	AUTOSTRINGS strings_t except = { 0 };

	if (kind == PLOT_JOBS)
		strings_add(out, "numjobs");
	if (kind == PLOT_PERJOB)
		strings_add(out, "job");
	if (kind != PLOT_BARS)
		return;
	strings_add(out, "pattern");
	strings_add(&except, "variant");
	strings_add(&except, "governor");
	keys_varying(members, &except, out);
}

void plots_mark_simulated(const struct series_set *set, plots_t *plots, size_t from)
{
	enum set_share share = set_has_warning(set, check_codes[CHECK_SIMULATED_DISK].code);

	for (size_t i = from; share != SET_NONE && i < plots->n; i++) {
		AUTOFREE char *title = plots->items[i].title;

		plots->items[i].title = mem_printf("%s: %s", share == SET_SOME ? "partly simulated" : "simulated disk", title ? title : "");
	}
}

int plots_make(const struct series_set *set, const struct plot_options *opt, plots_t *out, struct err *err)
{
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 }, varying = { 0 }, none = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };
	size_t first = out->n;

	find_members(set, opt, &members);
	if (!members.n)
		return err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there%s", opt->metric->name,
			       opt->kind == PLOT_PERJOB ? " for single jobs" : "");
	strings_add(&columns, "variant");
	keys_varying(&members, &none, &varying);
	if (strings_has(&varying, "governor"))
		strings_add(&columns, "governor");
	find_rows(&members, opt->kind, &rows);
	cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++) {
		struct making m = { opt, &crosses.items[i], &rows, &columns, { 0 } };

		for (size_t k = 0; k < m.cross->members.n; k++) {
			const struct series *s = m.cross->members.items[k];

			n_range_add(&m.n, s->summary_only ? s->n : s->points.n);
		}
		n_range_finish(&m.n);
		make_plot(&m, out);
	}
	plots_mark_simulated(set, out, first);
	crosses_release(&crosses);
	vec_free(&members);
	return 0;
}

/* gnuplot's time axis knows no time zones. */
static double local_seconds(int64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm tm;

	localtime_r(&seconds, &tm);
	return (double)(seconds + tm.tm_gmtoff);
}

/* A few dates, evenly apart: midnights, or times of day where all is of a few days. */
static void add_dates(struct plot *p)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t c = 0; c < p->series.n; c++)
		for (size_t i = 0; i < p->series.items[c].points.n; i++) {
			first = fmin(first, p->series.items[c].points.items[i].x);
			last = fmax(last, p->series.items[c].points.items[i].x);
		}
	for (int i = 0; i < (last > first ? DATES : 1); i++) {
		bool days = last - first > DATES * S_PER_DAY;
		double x = first + (last - first) * i / (DATES - 1);
		int64_t seconds = (int64_t)(days ? floor(x / S_PER_DAY) * S_PER_DAY : x);
		char text[UNITS_TEXT];

		/* it is shifted already */
		units_format_time(text, seconds * NS_PER_S, gmtime_r, days ? "%F" : "%m-%d %R");
		add_tick(p, (double)seconds, mem_strdup(text));
	}
}

static void add_trend(const struct trend_part *part, const struct plot_options *opt, plots_t *out)
{
	struct plot *p = vec_push(out);
	struct n_range n = { 0 };

	*p = (struct plot){ .kind = PLOT_TREND, .title = mem_strdup(part->title), .label = mem_strdup(part->label),
			    .y_title = metric_title(opt->metric) };
	for (size_t c = 0; c < part->columns.n; c++) {
		struct plot_series *s = vec_push(&p->series);

		s->name = mem_strdup(part->columns.items[c]);
		for (size_t i = 0; i < part->lines.n; i++) {
			const struct trend_line *line = &part->lines.items[i];
			struct stats stats;
			struct plot_point *point;

			if (!line->row[c])
				continue;
			stats = trend_stats(line->row[c], opt->metric->print_scale);
			n_range_add(&n, line->row[c]->n);
			point = vec_push(&s->points);
			*point = (struct plot_point){ local_seconds(line->sweep->started_ns), stats.mean, NAN, NAN };
			set_bars(opt, &stats, point);
		}
	}
	n_range_finish(&n);
	add_dates(p);
	p->bars = bars_legend(opt, &n);
}

int plots_make_trend(const struct trend *t, const struct plot_options *opt, plots_t *out, struct err *err)
{
	trend_parts_t parts = { 0 };
	size_t first = out->n;

	trend_lay_out(t, &parts);
	for (size_t i = 0; i < parts.n; i++)
		add_trend(&parts.items[i], opt, out);
	plots_mark_simulated(&t->series, out, first);
	trend_parts_release(&parts);
	return out->n > first ? 0 : err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there", opt->metric->name);
}

struct plot *plot_add_cdf(plots_t *out, const char *title, const char *label)
{
	struct plot *p = vec_push(out);

	*p = (struct plot){
		.kind = PLOT_CDF,
		.title = mem_strdup(title),
		.label = mem_strdup(label),
		.x_title = mem_strdup("completion latency in us"),
		.y_title = mem_strdup("share of I/Os in %, of all runs together"),
		.logarithmic = true,
	};
	return p;
}

void plot_add_curve(struct plot *p, const char *name, const struct plot_bin *bins, size_t n)
{
	struct plot_series *s = vec_push(&p->series);
	double total = 0, sum = 0;

	s->name = mem_strdup(name);
	for (size_t i = 0; i < n; i++)
		total += bins[i].count;
	for (size_t i = 0; i < n; i++) {
		sum += bins[i].count;
		if (bins[i].value_ns > 0) /* a logarithm has no 0 */
			*vec_push(&s->points) =
				(struct plot_point){ bins[i].value_ns * 1e-3, 100 * sum / total, NAN, NAN };
	}
}

static void series_free(struct plot_series *s)
{
	free(s->name);
	vec_free(&s->points);
}

void plots_release(plots_t *plots)
{
	for (size_t i = 0; i < plots->n; i++) {
		struct plot *p = &plots->items[i];

		free(p->title);
		free(p->origin);
		free(p->label);
		free(p->x_title);
		free(p->y_title);
		free(p->bars);
		for (size_t k = 0; k < p->series.n; k++)
			series_free(&p->series.items[k]);
		for (size_t k = 0; k < p->ticks.n; k++)
			free(p->ticks.items[k].text);
		for (size_t k = 0; k < p->blocks.n; k++)
			free(p->blocks.items[k].text);
		vec_free(&p->series);
		vec_free(&p->ticks);
		vec_free(&p->blocks);
	}
	vec_free(plots);
}
