/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_TREND_H
#define DB_TREND_H

#include "db/series.h"
#include "db/store.h"

/*
 * One metric over many sweeps, from the summaries that every stored run keeps up: no run and no sample is read, so three
 * years of nights are as quick as a few thousand runs, and memory grows by a row a cell of a sweep.
 */
struct trend_sweep {
	int64_t id;
	char uuid[UUID_TEXT];
	char *name; /* "" where it has none */
	int64_t started_ns;
};

/* Of one series in one sweep under one environment. Where not given by a published table: n 0, the others NaN. */
struct trend_row {
	size_t sweep;	     /* in 'sweeps' */
	int64_t environment; /* 0: a published table */
	int64_t series;	     /* 'cell' of its series */
	uint64_t n;
	double mean, stddev, min, max; /* in the metric's stored unit; stddev over runs (n-1), NaN for n < 2 */
};

/*
 * 'series' holds what the rows are of, without points: one for each configuration, host, kernel, actor and disk, with data
 * (summary_only; its figures are those of any one row), sweep 0, and its number from 1 on as 'cell'. Some of them may
 * be taken out (series_set_keep()); their rows then belong to nothing. Its only warning is 'simulated', where any is.
 */
struct trend {
	VEC(struct trend_sweep) sweeps; /* as asked for */
	struct series_set series;
	VEC(struct trend_row) rows; /* in the order of the sweeps, then of their plans */
};

/* 'simulated' is the code of the warning that every run on a simulated disk has. 'out' must be empty. */
int store_query_trend(struct store *s, const int64_t *sweeps, size_t n, const struct metric *metric,
		      enum direction direction, const char *simulated, struct trend *out, struct err *err);
void trend_release(struct trend *t);

#endif
