/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_PLAN_H
#define RUNNER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "runner/knob.h"

/*
 * The plan: variants x axes → cells → the order in which they run. Pure: nothing here looks at the machine.
 */

/* A scheduler with its own settings: NAME[@PATH][:KNOB=VALUE]…, a column of its own in every table. */
struct variant_setting {
	struct knob knob; /* strings borrowed from the table or from 'name' */
	char *name, *value;
};
struct variant {
	char *name;	 /* as in tables: "bfq:slice_idle=0" */
	char *scheduler; /* "bfq"; "current": what the disk has, untouched */
	char *module;	 /* file of the module to load for it; NULL */
	char *label;	 /* tells two of the same apart: "1", "2"; NULL */
	VEC(struct variant_setting) settings; /* as given: the kernel may let one change another */
};
typedef VEC(struct variant) variants_t;

/*
 * Append the variants of a list like "bfq,bfq:low_latency=0,mq-deadline". A scheduler nobody knows is ERR_USAGE with
 * the nearest name unless 'force'; a variant given twice is ERR_USAGE.
 */
int variants_parse(const char *text, bool force, variants_t *out, struct err *err);

/* ERR_USAGE with the nearest name for a scheduler that nobody knows. */
int scheduler_check(const char *name, struct err *err);

/*
 * Replace every variant by one for each value of "NAME=V,V": 'default' leaves the knob alone. Variants whose
 * scheduler has no such tunable stay as they are; ERR_USAGE if none has it.
 */
int variants_multiply(variants_t *v, const char *assignment, struct err *err);
void variants_release(variants_t *v);

/* Every variant under two names, "bfq#1" and "bfq#2": what differs between them is noise (an A-A check). */
void variants_twice(variants_t *v);

/* The settings in canonical order: the same variant however it was typed. The caller frees. */
char *variant_key(const struct variant *v);

/* The axes, in the order in which cells and tables list them. */
enum axis_id {
	AXIS_GOVERNOR,
	AXIS_IOENGINE,
	AXIS_DIRECT,
	AXIS_BS,
	AXIS_SIZE,
	AXIS_IODEPTH,
	AXIS_RAMP,
	AXIS_RUNTIME,
	AXIS_DEVICES, /* how many of the targets the load uses at once */
	AXIS_PATTERN,
	AXIS_NUMJOBS,
	AXIS_N,
};
enum axis_kind { AXIS_WORD, AXIS_COUNT, AXIS_SIZE_BYTES, AXIS_DURATION_NS };

struct axis {
	const char *name;     /* as stored, with unit: "bs_bytes" */
	const char *option;   /* of sweep: "bs" */
	const char *variable; /* ${BS} of the job file; NULL: not for the job file */
	enum axis_kind kind;
	const char *preset; /* default value list; NULL: the axis has no value unless given */
};
extern const struct axis axes[AXIS_N];

struct axis_point {
	char *text; /* canonical: numbers in the base unit */
	uint64_t number;
};
typedef VEC(struct axis_point) axis_points_t;

/* The values of a list for an axis; ERR_USAGE names what is wrong with it. Duplicates are ERR_USAGE. */
int axis_parse(enum axis_id id, const char *text, axis_points_t *out, struct err *err);

/* fio's rw= value as a reader knows it; NULL for one that we do not run. */
struct pattern {
	const char *name, *title;
	bool writes;
};
const struct pattern *pattern_find(const char *name);

struct cell {
	unsigned variant;	 /* index into plan.variants */
	unsigned at[AXIS_N];	 /* index into plan.axes[]; 0 where an axis is not used */
};

struct step {
	unsigned block, cell;
};

struct plan {
	variants_t variants;
	axis_points_t axes[AXIS_N]; /* n = 0: not used */
	unsigned runs;	   /* at most, with a precision */
	unsigned runs_min; /* with a precision: at least */
	double precision;  /* 0.02: a row stops when its ratios are known to 2%; 0: all runs are made */
	uint64_t seed;
	bool sequential; /* the old way: variant after variant, all runs of a cell in a row */
	VEC(struct cell) cells;
};

/* Fill plan.cells: every combination, variants innermost so that a row of the table stands together. */
void plan_make_cells(struct plan *p);

/* The value of a cell on an axis, NULL where the axis is not used. */
const struct axis_point *plan_at(const struct plan *p, const struct cell *c, enum axis_id id);

/*
 * Every run in order: 'runs' blocks, each with every cell once in an order drawn from seed and block (randomised
 * complete blocks), or the sequential order. The caller frees with vec_free.
 */
typedef VEC(struct step) steps_t;
void plan_steps(const struct plan *p, steps_t *out);

/* Seed for the load generator in a block: the same offsets for every cell of the block, others in the next. */
uint64_t plan_randseed(const struct plan *p, unsigned block);

/* ramp + runtime of a cell in ns, 0 where the job file has its own. */
uint64_t plan_cell_ns(const struct plan *p, const struct cell *c);

void plan_release(struct plan *p);

#endif
