// SPDX-License-Identifier: GPL-2.0-or-later
/* A plot as a gnuplot script and its data; for gnuplot 5.4. */
#include <math.h>
#include <string.h>

#include "report/plot.h"
#include "report/utf8.h"

/*
 * Colours of Okabe and Ito, which every kind of colour vision tells apart, without the yellow and the black that paper
 * or a dark page swallow, in an order in which neighbours differ in grey too. Dashes, marks and fillings tell the rest.
 */
static const char *const colours[] = { "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7F7F7F" };
static const int marks[] = { 7, 4, 9, 12, 11, 6, 5, 8 };
static const char *const fillings[] = { "solid 0.9", "pattern 4", "solid 0.35", "pattern 2",
					"pattern 0", "pattern 5", "pattern 1" };

#define BAR_COLOUR "#000000" /* of error bars over boxes; a page makes it that of its text */
#define DASHES 5	  /* of gnuplot: solid, dashed, dotted, dash-dot, dash-dot-dot */
#define GROUP_WIDTH 0.8	  /* of a group of bars; the rest is the gap to the next */
#define SHIFT 0.06	  /* of marks at the same job count, in all, so that error bars do not hide each other */
#define BLOCK_NAMES_MAX 12
#define MARKS 30 /* of one line over sweeps */

static const struct terminal {
	const char *name, *options;
	unsigned width, height;
	const char *font;
} terminals[] = {
	{ "png", "pngcairo noenhanced", 960, 600, "sans,14" },
	{ "svg", "svg noenhanced dynamic name 'iobench'", 720, 480, "sans-serif,14" },
	{ "pdf", "pdfcairo noenhanced", 480, 320, "sans,10" },
	{ "dumb", "dumb noenhanced mono", 76, 24, NULL },
};

static const struct terminal *find_terminal(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(terminals); i++)
		if (!strcmp(terminals[i].name, name))
			return &terminals[i];
	return NULL;
}

bool plot_terminal_is_known(const char *terminal)
{
	return find_terminal(terminal);
}

void plot_quote(struct str *out, const char *text)
{
	AUTOSTR struct str clean = { 0 };

	utf8_add_printable(&clean, text);
	str_add(out, "'");
	for (const char *s = str_text(&clean); *s; s++) {
		if (*s == '\'')
			str_add(out, "'");
		str_addn(out, s, 1);
	}
	str_add(out, "'");
}

/* Ticks are formats of their value: '%' must be doubled. */
static void quote_tick(struct str *out, const char *text)
{
	AUTOSTR struct str doubled = { 0 };

	for (const char *s = text; *s; s++) {
		str_add(&doubled, *s == '%' ? "%" : "");
		str_addn(&doubled, s, 1);
	}
	plot_quote(out, str_text(&doubled));
}

/* As few digits as say it, with a point in every locale. */
static void add_number(struct str *out, double value)
{
	struct str text = { 0 };

	if (isnan(value)) {
		str_add(out, "NaN");
		return;
	}
	str_addf(&text, "%.10g", value);
	for (char *s = text.s; *s; s++)
		*s = *s == ',' ? '.' : *s;
	str_add(out, text.s);
	str_release(&text);
}

static void add_terminal(struct str *out, const struct plot_output *o, const char *output_name)
{
	const struct terminal *known = find_terminal(o->terminal), *t = known ? known : &terminals[0];
	unsigned width = o->width ? o->width : t->width, height = o->height ? o->height : t->height;

	str_add(out, "set encoding utf8\n");
	str_addf(out, "set terminal %s size %u", t->options, width);
	/* pdfcairo counts in inches: a point is 1/72 */
	if (!strcmp(t->name, "pdf"))
		str_addf(out, "/72.0,%u/72.0", height);
	else
		str_addf(out, ",%u", height);
	if (t->font)
		str_addf(out, " font '%s'", t->font);
	if (!strcmp(t->name, "svg") && !o->transparent)
		str_add(out, " background '#ffffff'");
	str_add(out, "\nset output ");
	plot_quote(out, output_name);
	str_add(out, "\n");
}

static void add_setting(struct str *out, const char *what, const char *text)
{
	if (!text)
		return;
	str_addf(out, "set %s ", what);
	plot_quote(out, text);
	str_add(out, "\n");
}

static void add_title(struct str *out, const struct plot *p)
{
	if (!p->origin) {
		add_setting(out, "title", p->title);
		return;
	}
	str_add(out, "set title ");
	plot_quote(out, p->title ? p->title : "");
	str_add(out, ".\"\\n\".");
	plot_quote(out, p->origin);
	str_add(out, "\n");
}

static bool is_bars(const struct plot *p)
{
	return p->kind == PLOT_BARS || p->kind == PLOT_PERJOB;
}

static void add_ticks(struct str *out, const struct plot *p)
{
	bool crowded = p->kind == PLOT_BARS && p->ticks.n > 3;

	if (!p->ticks.n)
		return;
	str_add(out, crowded ? "set xtics rotate by -20 nomirror (" : "set xtics nomirror (");
	for (size_t i = 0; i < p->ticks.n; i++) {
		str_add(out, i ? ", " : "");
		quote_tick(out, p->ticks.items[i].text);
		str_add(out, " ");
		add_number(out, p->ticks.items[i].x);
	}
	str_add(out, ")\n");
}

static void add_blocks(struct str *out, const struct plot *p)
{
	size_t every = 1 + (p->blocks.n - 1) / BLOCK_NAMES_MAX;

	for (size_t i = 0; i < p->blocks.n; i++) {
		str_add(out, "set arrow from first ");
		add_number(out, p->blocks.items[i].x);
		str_add(out, ", graph 0 to first ");
		add_number(out, p->blocks.items[i].x);
		str_add(out, ", graph 1 nohead lc rgb '#7F7F7F' lw 0.5 dt 3\n");
		if (i % every)
			continue;
		str_add(out, "set label ");
		plot_quote(out, p->blocks.items[i].text);
		str_add(out, " at first ");
		add_number(out, p->blocks.items[i].x);
		str_add(out, ", graph 0.97 offset character 0.4,0 tc rgb '#7F7F7F'\n");
	}
}

/* One job count, or one date (of ten digits, as many as are written), alone would stand on an axis without width. */
static void add_x_range(struct str *out, const struct plot *p)
{
	double least, greatest, margin;

	if (p->kind == PLOT_TIME)
		str_add(out, "set xrange [0:*]\n");
	if (!p->ticks.n)
		return;
	least = p->ticks.items[0].x;
	greatest = p->ticks.items[p->ticks.n - 1].x;
	margin = is_bars(p) ? 0.5 : p->logarithmic ? 0 : greatest > least ? 0.05 * (greatest - least) : fmax(0.5, 1e-6 * greatest);
	str_add(out, "set xrange [");
	add_number(out, p->logarithmic ? least / 1.15 : least - margin);
	str_add(out, ":");
	add_number(out, p->logarithmic ? greatest * 1.15 : greatest + margin);
	str_add(out, "]\n");
}

/* A column of a data block: '' repeats the file. */
static void add_source(struct str *out, const char *data_name, size_t index, bool first)
{
	str_add(out, first ? "plot " : ", \\\n     ");
	plot_quote(out, first ? data_name : "");
	str_addf(out, " index %zu", index);
}

/* Of hundreds of nights a mark at each would hide the line. */
static void add_line_style(struct str *out, size_t i, size_t n_points)
{
	str_addf(out, "lc rgb '%s' lw 2 dt %zu pt %d ps 1", colours[i % ARRAY_LEN(colours)],
		 1 + (i + i / ARRAY_LEN(colours)) % DASHES, marks[i % ARRAY_LEN(marks)]);
	if (n_points > 2 * MARKS)
		str_addf(out, " pi %zu", n_points / MARKS);
}

static bool has_bars(const struct plot_series *s)
{
	for (size_t i = 0; i < s->points.n; i++)
		if (!isnan(s->points.items[i].low) && !isnan(s->points.items[i].high))
			return true;
	return false;
}

/* gnuplot's own error bars have a hole in the middle, which marks hide, but boxes do not. */
static void add_error_bars(struct str *out, const struct plot *p, const char *data_name, size_t i, size_t index,
			   bool first)
{
	add_source(out, data_name, index, first);
	if (is_bars(p))
		str_add(out, " using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '" BAR_COLOUR
			     "' lw 1.2 dt 1 notitle");
	else
		str_addf(out, " using 1:2:3:4 with yerrorbars lc rgb '%s' lw 1.2 dt 1 pt 0 notitle",
			 colours[i % ARRAY_LEN(colours)]);
}

/* The mark of a value stands over its error bar, a box would hide it. */
static void add_series(struct str *out, const struct plot *p, const char *data_name, size_t i, size_t index)
{
	const struct plot_series *s = &p->series.items[i];
	const char *colour = colours[i % ARRAY_LEN(colours)];
	bool bars = has_bars(s), first = !index;

	if (bars && !is_bars(p)) {
		add_error_bars(out, p, data_name, i, index, first);
		first = false;
	}
	add_source(out, data_name, index, first);
	if (is_bars(p)) {
		size_t filling = (i + i / ARRAY_LEN(colours)) % ARRAY_LEN(fillings);

		str_addf(out, " using 1:2:(%.4g) with boxes lc rgb '%s' lw 1.5 fs %s border lc rgb '%s'",
			 GROUP_WIDTH / (double)p->series.n, colour, fillings[filling], colour);
	} else {
		str_add(out, p->kind == PLOT_CDF ? " using 1:2 with steps " : " using 1:2 with linespoints ");
		add_line_style(out, i, p->kind == PLOT_TREND ? s->points.n : 0);
	}
	str_add(out, " title ");
	plot_quote(out, s->name);
	if (bars && is_bars(p))
		add_error_bars(out, p, data_name, i, index, false);
}

static bool any_bars(const struct plot *p)
{
	for (size_t i = 0; i < p->series.n; i++)
		if (has_bars(&p->series.items[i]))
			return true;
	return false;
}

void plot_script(const struct plot *p, const struct plot_output *o, const char *data_name, const char *output_name,
		 struct str *script)
{
	size_t index = 0;
	bool dumb = !strcmp(o->terminal, "dumb");

	add_terminal(script, o, output_name);
	add_title(script, p);
	add_setting(script, "xlabel", p->x_title);
	add_setting(script, "ylabel", p->y_title);
	str_addf(script, "set key below height 1 %s\n", dumb ? "" : "Left reverse");
	str_add(script, "set border 3\nset tics nomirror out\nset yrange [0:*]\nset pointintervalbox 0\n");
	if (!dumb)
		str_add(script, "set grid y lc rgb '#A0A0A0' lw 0.4 dt 1\n");
	if (p->logarithmic)
		str_addf(script, "set logscale x %d\n", p->kind == PLOT_CDF ? 10 : 2);
	if (p->kind == PLOT_CDF)
		str_add(script, "set yrange [0:100]\nset rmargin 5\n");
	if (p->kind == PLOT_TREND) /* the last date stands below the right corner */
		str_add(script, "set rmargin 6\n");
	add_ticks(script, p);
	add_x_range(script, p);
	add_blocks(script, p);
	str_add(script, "set datafile missing 'NaN'\n");
	for (size_t i = 0; i < p->series.n; i++)
		if (p->series.items[i].points.n)
			add_series(script, p, data_name, i, index++);
	if (p->bars) {
		str_add(script, index ? ", \\\n     keyentry " : "plot keyentry ");
		str_addf(script, any_bars(p) ? "with yerrorbars lc rgb '%s' pt 0 title " : "with dots lc rgb '%s' title ",
			 is_bars(p) ? BAR_COLOUR : "#7F7F7F");
		plot_quote(script, p->bars);
	}
	str_add(script, "\n");
}

/* Where a point is drawn: bars side by side, marks a little apart. */
static double place(const struct plot *p, double x, size_t i)
{
	double n = (double)p->series.n, off = ((double)i + 0.5) / n - 0.5, span;

	if (is_bars(p))
		return x + off * GROUP_WIDTH;
	if (p->kind != PLOT_JOBS || p->ticks.n < 2)
		return x;
	if (p->logarithmic)
		return x * (1 + off * SHIFT);
	span = p->ticks.items[p->ticks.n - 1].x - p->ticks.items[0].x;
	return x + off * SHIFT * span / (double)(p->ticks.n - 1) * 2;
}

/* A block a series, two blank lines between, which is what gnuplot counts by 'index'. */
void plot_data(const struct plot *p, struct str *data)
{
	size_t index = 0;

	for (size_t i = 0; i < p->series.n; i++) {
		const struct plot_series *s = &p->series.items[i];
		AUTOSTR struct str name = { 0 };

		if (!s->points.n)
			continue;
		utf8_add_printable(&name, s->name);
		str_addf(data, "%s# %s: x, y, low, high\n", index++ ? "\n\n" : "", str_text(&name));
		for (size_t k = 0; k < s->points.n; k++) {
			const struct plot_point *point = &s->points.items[k];

			add_number(data, place(p, point->x, i));
			str_add(data, " ");
			add_number(data, point->y);
			str_add(data, " ");
			add_number(data, point->low);
			str_add(data, " ");
			add_number(data, point->high);
			str_add(data, "\n");
		}
	}
}

static const char *tick_text(const struct plot *p, double x, char buf[32])
{
	for (size_t i = 0; i < p->ticks.n; i++)
		if (p->ticks.items[i].x == x)
			return p->ticks.items[i].text;
	snprintf(buf, 32, "%.4g", x);
	return buf;
}

/* Of many sweeps the first, the last and the extremes. */
static void describe_trend(const struct plot_series *s, struct str *out)
{
	const struct plot_point *first = s->points.items, *last = first + s->points.n - 1, *least = first, *most = first;

	if (!s->points.n)
		return;
	for (const struct plot_point *p = first; p <= last; p++) {
		least = p->y < least->y ? p : least;
		most = p->y > most->y ? p : most;
	}
	str_addf(out, " %zu sweeps, first %.6g, last %.6g, least %.6g, most %.6g", s->points.n, first->y, last->y, least->y,
		 most->y);
}

/* Of a curve the median and the tail say enough. */
static void describe_curve(const struct plot_series *s, struct str *out)
{
	static const double shares[] = { 50, 99, 99.9 };

	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		for (size_t k = 0; k < s->points.n; k++)
			if (s->points.items[k].y >= shares[i]) {
				str_addf(out, "%s%g%% within %.5g us", i ? ", " : " ", shares[i], s->points.items[k].x);
				break;
			}
}

void plot_describe(const struct plot *p, struct str *out)
{
	char buf[32];

	str_addf(out, "%s%s%s.", p->y_title, p->x_title ? " over " : "", p->x_title ? p->x_title : "");
	for (size_t i = 0; i < p->series.n; i++) {
		const struct plot_series *s = &p->series.items[i];

		str_addf(out, " %s:", s->name);
		if (p->kind == PLOT_CDF)
			describe_curve(s, out);
		if (p->kind == PLOT_TREND)
			describe_trend(s, out);
		for (size_t k = 0; k < s->points.n && p->kind != PLOT_CDF && p->kind != PLOT_TREND; k++)
			str_addf(out, "%s%s: %.6g", k ? ", " : " ", tick_text(p, s->points.items[k].x, buf),
				 s->points.items[k].y);
		str_add(out, ".");
	}
	if (p->bars)
		str_addf(out, " %s.", p->bars);
}
