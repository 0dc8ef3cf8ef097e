/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_SERIES_H
#define DB_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "parsers/sample.h"

struct store;

/*
 * A series is all that was measured of one metric in one cell under one environment. The 'axes' are the
 * configuration as it is stored: name and canonical text ("pattern" "read", "numjobs" "8", "bs_bytes" "4096"). Where a set
 * holds sweeps of several hosts, the axis "device" names a disk by its model, where that is known: on the same kind of disk
 * the same configuration is the same on every host.
 */
struct series_axis {
	char *name, *value;
};

struct series_point {
	double value; /* in the metric's stored unit */
	int block;
	int64_t invocation, run, started_ns;
};

struct series {
	int64_t sweep, cell, environment; /* environment 0: the cell has no good run yet */
	int64_t config; /* the same for the same configuration on every night */
	int64_t whole; /* the first of the sweeps in the set that are shards of one with this one; 0: it stands alone */
	char *shard;   /* "2/8"; NULL */
	char *sweep_name, *host, *variant, *kernel, *cpufreq_driver;
	char *cpufreq_governor; /* of the environment: what a sweep that does not set it ran under */
	char *subject; /* of the environment: lines about modules in files and the kernel tree; NULL: there are none */
	char *actor;
	VEC(struct series_axis) axes;
	char *state, *reason; /* of the cell: "done", "pending", "failed" */
	const struct metric *metric;
	enum direction direction;
	int job;
	char *device; /* NULL unless the metric is one of a disk (disk_util) */
	VEC(struct series_point) points; /* in order of block; only runs that count (state ok, kind measure) */
	bool imported;			 /* measured elsewhere: nothing is known of the machine */
	bool summary_only;		 /* imported table: only n, mean, stddev are known, no points */
	uint64_t n;
	double mean, stddev; /* of imported tables; NaN where not given */
};

/* A "CODE" that is stored for some cell or run of a sweep. */
struct series_warning {
	int64_t sweep;
	char *code;
};

struct series_set {
	VEC(struct series) list; /* cells in the order of the plan */
	strings_t warnings;	 /* distinct "CODE" strings stored for these cells and their runs that count */
	VEC(struct series_warning) warnings_of; /* the same by sweep; empty where that is not known (a trend) */
};

struct series_query {
	const int64_t *sweeps; /* ids; none: n_sweeps 0 gives an empty set */
	size_t n_sweeps;
	const struct metric *const *metrics;
	size_t n_metrics; /* 0: every metric */
	bool every_direction; /* else only 'direction' */
	enum direction direction;
	bool every_job; /* else only the run as a whole */
	bool canaries;	/* runs of kind canary instead of those that count, and no empty series for cells without */
};

/*
 * One series for each cell, environment, metric, direction, job, actor and device of which there are samples, in the
 * order of the sweeps as given, then of the plan, then of the metrics as given. A cell that has no good run yet gives
 * one without points, environment and job for each metric, direction, actor and device that other cells of its sweep
 * have, and at least one for each metric asked for (with the direction asked for, DIR_ALL where every one was; actor
 * ""). 'out' must be empty.
 */
int store_query_series(struct store *s, const struct series_query *q, struct series_set *out, struct err *err);

/* The value of an axis, NULL if the cell has none of that name. */
const char *series_axis(const struct series *s, const char *name);

/* Keep the series that 'keep' says true of, in their order, and release the others. */
void series_set_keep(struct series_set *set, bool (*keep)(const struct series *s, const void *context),
		     const void *context);

void series_set_release(struct series_set *set);

#endif
