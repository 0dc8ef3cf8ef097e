/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "db/series.h"
#include "report/table.h"

/*
 * What sticks out, in sentences with figures: shapes over job counts, which no single comparison shows. All
 * comparisons that it takes, every pair of variants in every cell and every step from a job count to the next, are
 * one family (report/compare.h).
 */
enum finding_kind {
	FINDING_DENT,	  /* a variant falls away on a range of job counts and comes back */
	FINDING_CLIFF,	  /* it falls from one job count to the next */
	FINDING_CROSSING, /* one is ahead with few jobs, the other with many */
	FINDING_TRADE,	  /* throughput bought with latency or fairness */
	FINDING_LEVEL,	  /* one is ahead of the other wherever they differ */
	FINDING_UNSTABLE, /* a mean that the runs do not pin down */
	FINDING_N,
};
extern const char *const finding_names[FINDING_N]; /* "dent" */

struct finding {
	enum finding_kind kind;
	double strength; /* size of the effect: |log ratio| */
	char *text;
	char *hint; /* for known shapes: a cause, where that stands, and what to try; NULL */
};

struct findings {
	VEC(struct finding) list; /* strongest first */
	size_t family;	 /* comparisons with a verdict, for which p is adjusted */
	size_t unjudged; /* without: too few runs, or */
	bool n_unknown;	 /* of one of them at least it is not known how many */
	double min_effect;
};

/* Metrics to look up for them, ended by NULL. */
const struct metric *const *findings_metrics(void);

/* Of series with points and of those that are only summaries. */
void findings_make(const struct series_set *set, double min_effect, struct findings *out);

/* One table of them: for readers a list of sentences with hints, for machines also kind and strength in percent. */
struct table *findings_table(const struct findings *f);

void findings_release(struct findings *f);

#endif
