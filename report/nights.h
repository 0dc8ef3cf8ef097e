/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_NIGHTS_H
#define REPORT_NIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/units.h"
#include "db/series.h"
#include "report/changepoint.h"

/*
 * Is a night worse than the nights before it? One figure a cell and night: the mean log ratio to the reference variant,
 * run by run of the same block. Pure; series are borrowed. What is judged how, and how often it is wrong:
 * docs/methodology.md.
 */

#define NIGHTS_WINDOW 60       /* nights that the last one is held against */
#define NIGHTS_MIN 6	       /* fewer say nothing */
#define NIGHTS_ALPHA 0.01      /* share of quiet nights that are called regressed in any cell; as many are improved */
#define NIGHTS_MIN_EFFECT 0.02 /* smaller changes are not named */
#define NIGHTS_TOLERANCE 0.20  /* a cell in which no smaller change than this would be seen is too noisy */
#define NIGHTS_POWER 0.8       /* "would be seen": in so many of the nights in which it is there */

/* ---- nights ---- */

struct night_sweep {
	int64_t id, started_ns;
};

struct night {
	char date[UNITS_TEXT]; /* local, of its first sweep: "2026-11-30"; where each is one "2026-11-30 14:05" */
	int64_t last_ns;       /* start of its last sweep */
	VEC(int64_t) sweeps;
};
typedef VEC(struct night) nights_t;

/*
 * Put sweeps, oldest first, into nights: what started between noon and noon, local time, is one; with 'each' every
 * sweep is.
 */
void nights_group(const struct night_sweep *sweeps, size_t n, bool each, nights_t *out);
void nights_release(nights_t *nights);

/* ---- one figure against those of earlier nights ---- */

struct night_test {
	double change;	   /* from the mean of the earlier ones */
	double sd;	   /* of the earlier ones, from night to night */
	double p;	   /* two-sided, of this figure alone */
	double detectable; /* the smallest change that 'level' would find, with NIGHTS_POWER */
};

/* Student's t of one new observation against n earlier ones, n at least 2. */
struct night_test night_test(const double *earlier, size_t n, double now, double level);

/* ---- the gate ---- */

enum night_verdict { /* from the least grave to the gravest */
	NIGHT_GONE,	   /* measured in the night before, and in no sweep of this one */
	NIGHT_NOT_OFFERED, /* this kernel cannot run it */
	NIGHT_SAME,
	NIGHT_IMPROVED,
	NIGHT_CHANGED,	    /* of a metric that has no better */
	NIGHT_FEW,	    /* too few nights */
	NIGHT_NOISY,	    /* nothing as small as the tolerance could be seen */
	NIGHT_NO_REFERENCE, /* the reference was not measured in the same blocks */
	NIGHT_NOT_MEASURED,
	NIGHT_REGRESSED,
	NIGHT_VERDICTS,
};
extern const char *const night_verdict_names[NIGHT_VERDICTS]; /* "regressed" */

/* The figures of a cell in one night; logs are of the metric's stored unit. */
struct night_value {
	size_t night;	   /* which */
	double ratio;	   /* mean log ratio to the reference; of the reference itself its mean log */
	double own;	   /* mean log of the cell, where the reference was measured too */
	size_t pairs;
	int64_t environment, run; /* of one of its runs */
};

struct night_cell {
	const struct series *series; /* what it is: of the night that is judged, or of the one before if it is gone */
	bool is_reference;
	VEC(struct night_value) values; /* oldest first; the judged night's last, where it has one */
	size_t first;			/* values before it are not in the baseline: behind a change that is known */
	bool has_now;
	size_t against, n_against; /* the values that it was judged against */
	struct night_test test;
	double own_change; /* of the cell by itself, from the same nights; a log ratio */
	double p;	   /* adjusted for all cells */
	changes_t changes; /* places are those in 'values' */
	const struct change *since; /* the change that the verdict is about; NULL: the night alone */
	enum night_verdict verdict;
	char *why; /* NULL, or what is missing */
};

/* A change that somebody knows of: earlier nights than 'night' do not count for the cells in 'series'. */
struct night_known {
	size_t night;
	bool *series; /* one for each of the set */
};

struct gate_options {
	const char *reference; /* variant */
	double min_effect, tolerance; /* shares: 0.02 is 2% */
	const bool *chosen;    /* one for each series of the set: those that are judged; NULL: all */
	const struct night_known *known;
	size_t n_known;
};

struct gate {
	VEC(struct night_cell) cells;	   /* that are judged */
	VEC(struct night_cell) references; /* the machine itself: judged alike, against no reference, a family of their own */
	size_t count[NIGHT_VERDICTS];	   /* of the cells */
	enum night_verdict verdict;	   /* of the night: the gravest */
	struct gate_options options;
};

/* Judge the last of 'nights'; the set holds the series of all of them. */
void gate_make(const struct series_set *set, const nights_t *nights, const struct gate_options *options,
	       struct gate *out);
void gate_release(struct gate *g);

/* The exit code: 0, 10 regressed, 11 too noisy to tell, 12 too few nights. */
int gate_exit(const struct gate *g);

/* Is a change of this cell for the better (1), the worse (-1), neither (0)? */
int night_better(const struct night_cell *cell, double log_change);

#endif
