/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "common/err.h"
#include "common/str.h"
#include "report/cross.h"

/*
 * Plots: series (or distributions) become a struct plot, a struct plot becomes a gnuplot script and a data file. Who
 * runs gnuplot is not our business. Everything in a plot is owned by it.
 */

enum plot_kind {
	PLOT_JOBS,   /* a metric over job counts, a line a variant */
	PLOT_BARS,   /* bars of the variants beside each other, a group a workload */
	PLOT_TIME,   /* each run over the time of its start: shows drift */
	PLOT_PERJOB, /* bars, a group a job: shows who gets less; wants series of single jobs */
	PLOT_TREND,  /* a metric over the dates of sweeps, a line a variant; made of a trend */
	PLOT_CDF,    /* share of I/Os over latency; filled by plot_add_curve() */
};

/* What the error bars are. */
enum plot_bars { PLOT_BARS_STDDEV, PLOT_BARS_CI, PLOT_BARS_RANGE, PLOT_BARS_NONE };

struct plot_point {
	double x, y, low, high; /* x of PLOT_TREND: seconds since 1970, shifted to local time; low and high: the ends of the error bar, NaN without one */
};

struct plot_series {
	char *name; /* of the legend */
	VEC(struct plot_point) points;
};

struct plot_tick {
	double x;
	char *text;
};

struct plot {
	enum plot_kind kind;
	char *title, *label; /* label: as of a table, for file names and anchors */
	char *origin; /* a line below the title: of what disk, kernel and sweep it is; NULL: not told */
	char *x_title, *y_title;
	char *bars; /* legend of the error bars: "bars: sample stddev over 10 runs"; NULL: there are none */
	bool logarithmic; /* x */
	VEC(struct plot_series) series;
	VEC(struct plot_tick) ticks;  /* of x; none: gnuplot's own */
	VEC(struct plot_tick) blocks; /* PLOT_TIME: where blocks begin, and their names */
};
typedef VEC(struct plot) plots_t;

struct plot_options {
	enum plot_kind kind;
	const struct metric *metric;
	enum plot_bars bars; /* percentiles have min to max instead of stddev and interval */
};

struct trend;

/* Append the plots of a set: one for each value of what is neither on the axis nor in the legend and varies. */
int plots_make(const struct series_set *set, const struct plot_options *opt, plots_t *out, struct err *err);
/* The same of a trend (db/trend.h), of kind PLOT_TREND; 'opt->metric' is that of the trend. */
int plots_make_trend(const struct trend *t, const struct plot_options *opt, plots_t *out, struct err *err);
void plots_release(plots_t *plots);

/* As view_mark_simulated(), of the plots from number 'from' on. plots_make() does it. */
void plots_mark_simulated(const struct series_set *set, plots_t *plots, size_t from);

/*
 * A plot of kind PLOT_CDF without curves yet, and a curve of it from a histogram: 'count' I/Os took 'value' (in
 * ascending order of values, in ns).
 */
struct plot *plot_add_cdf(plots_t *out, const char *title, const char *label);
struct plot_bin {
	double value_ns, count;
};
void plot_add_curve(struct plot *p, const char *name, const struct plot_bin *bins, size_t n);

/* How and where it is drawn. */
struct plot_output {
	const char *terminal; /* "png", "svg", "pdf", "dumb" */
	unsigned width, height; /* pixels, for pdf points, for dumb characters; 0: what suits the terminal */
	bool transparent;	/* svg: no background, to stand in a page */
};
bool plot_terminal_is_known(const char *terminal);

/*
 * The script, which reads 'data_name' and writes 'output_name' in gnuplot's current directory, and the data. Names come
 * out as they are: no enhanced text, no format characters.
 */
void plot_script(const struct plot *p, const struct plot_output *o, const char *data_name, const char *output_name,
		 struct str *script);
void plot_data(const struct plot *p, struct str *data);

/* 'text' as a string constant of gnuplot, in single quotes: nothing in it is special. */
void plot_quote(struct str *out, const char *text);

/* What the plot shows in words and numbers, for those who cannot see it. */
void plot_describe(const struct plot *p, struct str *out);

#endif
