/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_SAMPLE_H
#define PARSERS_SAMPLE_H

#include <stdbool.h>

#include "common/mem.h"
#include "common/str.h"
#include "parsers/metric.h"

/* Which I/O a number is about. The values are those of the database. */
enum direction {
	DIR_ALL = 0, /* reads, writes and trims together; also what has no direction (usr_cpu, ctx) */
	DIR_READ = 1,
	DIR_WRITE = 2,
	DIR_TRIM = 3,
};

#define JOB_ALL (-1) /* the run as a whole, not one of its jobs */

/*
 * One number of one run, in the metric's stored unit. A number that the output does not hold has no sample: missing
 * is never zero.
 */
struct sample {
	const struct metric *metric;
	double value;
	int job; /* 0, 1, … in the order of the output, or JOB_ALL */
	enum direction direction;
	char *device; /* of disk_util rows; NULL elsewhere; owned */
};

/*
 * How the load was made, as far as the output says it, under the names of sweep's options and in the output's own
 * words: "bs" "4k", "pattern" "randread". Not there: not said, or not the same for all jobs.
 */
struct parsed_axis {
	const char *name; /* static */
	char *value;	  /* owned; NULL: several */
};

/* A row of a published table: all that is known of one metric of one cell. */
struct published {
	char *source, *pattern, *variant, *jobs; /* owned; NULL where not given */
	strings_t axes; /* what else tells it from others: "bs=4k", as import's --set */
	const struct metric *metric;
	enum direction direction;
	size_t n; /* runs; 0: not said */
	double mean, stddev; /* over runs, in the stored unit; NaN: not given */
};

/* What one output says. Zeroed memory is an empty one. */
struct parsed {
	VEC(struct sample) samples;
	VEC(struct parsed_axis) axes;
	VEC(struct published) published; /* of a published table; nothing else is filled in then */
	char *tool;	   /* "fio-3.33", NULL if not said */
	char *diagnostics; /* text before, between and after the documents: the tool's own words; NULL if none */
	int njobs;	   /* jobs reported one by one (with group_reporting one stands for many) */
	bool failed;	   /* the output itself says that the run failed or was cut short */
	char *reason;	   /* then: why, in a line */
};

void parsed_release(struct parsed *p);

/* Append a sample. 'metric' must be in the table. A value that is not finite is missing: nothing is added. */
void parsed_add(struct parsed *p, const char *metric, enum direction direction, int job, double value);
void parsed_add_metric(struct parsed *p, const struct metric *metric, enum direction direction, int job, double value);

/* A sample of a disk, for the run as a whole. */
void parsed_add_of_device(struct parsed *p, const char *metric, enum direction direction, const char *device,
			  double value);

/* Say an axis for one job (or for all): NULL and another value than before make it one that is not the same for all. */
void parsed_add_axis(struct parsed *p, const char *name, const char *value);

/* The value of an axis, NULL if there is none that is the same for all jobs. */
const char *parsed_axis(const struct parsed *p, const char *name);

/* The value for the run as a whole; false if missing. */
bool parsed_get(const struct parsed *p, const char *metric, enum direction direction, double *value);

#endif
