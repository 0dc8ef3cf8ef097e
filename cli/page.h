/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "db/series.h"
#include "db/store.h"
#include "db/trend.h"
#include "report/view.h"

/*
 * Append the whole report of these sweeps as an HTML page: what was measured on what, the tables of the view, plots (a
 * note instead where gnuplot is not installed), warnings with advice, every run. 'set' is what the view shows; 'findings'
 * (NULL: none were looked for) is the page's from now on, also after an error.
 */
int page_make(struct store *s, const struct series_set *set, struct table *findings, const int64_t *sweeps, size_t n,
	      const struct view *view, const struct view_options *opt, struct str *out, struct err *err);

/* A trend as a page: its tables, and plots over the dates. All that is known of hundreds of nights would be no page. */
int page_make_trend(const struct trend *trend, const struct view *view, const struct view_options *opt, struct str *out,
		    struct err *err);

#endif
