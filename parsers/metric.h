/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_METRIC_H
#define PARSERS_METRIC_H

#include <stddef.h>

/* The table of metrics: the only place that knows names, units and which way is better. */

enum better { BETTER_NEITHER, BETTER_HIGHER, BETTER_LOWER };

enum {
	METRIC_PER_JOB = 1 << 0,    /* also kept for every job of a run, not only for the run as a whole */
	METRIC_PERCENTILE = 1 << 1, /* must not be averaged over runs without saying so: reports give the median */
};

struct metric {
	const char *name;	/* as in the database and in --metric: "bw", "clat_mean", "clat_p99.9" */
	const char *title;	/* as in a table's head: "bandwidth", "completion latency, mean" */
	const char *unit;	/* of stored values: "B/s", "IOPS", "ns", "%", "" for counts */
	const char *print_unit; /* of printed values: "KiB/s", "us"; the same text as 'unit' where nothing is scaled */
	double print_scale;	/* printed = stored * print_scale */
	enum better better;
	unsigned flags;
};

/*
 * The metric of that name, NULL if there is none. Short names that people type are accepted ("lat" is lat_mean,
 * "clat p99" is clat_p99). Any percentile that fio can print exists: "clat_p99.95". The result lives for ever and
 * there is one object a name, so pointers can be compared. Any thread may ask.
 */
const struct metric *metric_find(const char *name);

/*
 * The percentile of a latency ("lat", "clat", "slat", "sync_lat") at 'percent_e6' millionths of a percent: 99900000 is
 * p99.9. NULL if there is no such latency.
 */
const struct metric *metric_percentile(const char *latency, unsigned percent_e6);

/* "99.9", or fio's "99.900000", in millionths of a percent; 0 if the text is no percentile above 0 and up to 100. */
unsigned metric_percent_e6(const char *text);

/* The i-th row of the table, NULL behind the last: for help texts and "did you mean". */
const struct metric *metric_at(size_t i);

#endif
