/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdint.h>

#include "common/str.h"
#include "report/table.h"

/*
 * A report as one HTML file: no network, and nothing in it needs a script (one sorts tables where scripts run). Parts
 * that are empty print nothing. Everything is owned by the page but the tables.
 */
struct html_fact {
	char *name, *value;
};

/* Facts under a heading; those that few will read behind a fold. */
struct html_facts {
	char *title;
	bool folded;
	VEC(struct html_fact) list;
};

struct html_plot {
	char *title;
	char *svg;  /* a whole SVG file as gnuplot writes it, without background */
	char *text; /* what it shows, for those who cannot see it */
	bool folded;
};

struct html_warning {
	char *code, *title, *advice; /* title and advice NULL: of a newer iobench */
	char *example;		     /* the text of one such warning, with its figures */
	int64_t n_runs, n_cells;
};

struct html_page {
	char *title;
	VEC(struct html_facts) facts;
	struct table *findings; /* a TABLE_LIST; NULL: none were looked for */
	const struct tables *tables;
	VEC(struct html_plot) plots;
	bool plots_first; /* before the tables */
	VEC(struct html_warning) warnings;
	struct table *runs; /* a row a run, behind a fold; NULL: none */
};

struct html_facts *html_add_facts(struct html_page *page, const char *title, bool folded);
void html_add_fact(struct html_facts *facts, const char *name, const char *value); /* NULL or "" is left out */

void html_write(const struct html_page *page, struct str *out);
void html_release(struct html_page *page);

/* Append text, with what HTML would take for something else escaped. */
void html_add_text(struct str *out, const char *text);

/*
 * Append a gnuplot SVG as an element of a page: names of its own, so that several do not mix, black as the colour of
 * the page's text, so that it is seen in the dark, and what it shows as title and description.
 */
void html_add_svg(struct str *out, const char *svg, size_t number, const char *title, const char *text);

#endif
