/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/resample.h"
#include "report/stats.h"
#include "report/subset.h"

/*
 * Two sides, cell by cell: by how much does the second differ from the first, and is that more than noise? Pure; all
 * series are borrowed and must live as long as the comparison. What is compared how, and why: docs/methodology.md.
 */

#define COMPARE_ALPHA 0.05	/* of a whole family: the chance that it names any change where there is none */
#define COMPARE_MIN_EFFECT 0.02 /* smaller changes are not named, significant or not */

enum compare_how {
	COMPARE_PAIRED,	   /* runs of the same block of one invocation, on log ratios */
	COMPARE_UNPAIRED,  /* no blocks in common */
	COMPARE_SWEEPS,	   /* the same of sides of several sweeps: a sweep is one value, the mean of its runs' logs */
	COMPARE_SUMMARIES, /* of one side at least only n, mean and stddev are known */
};

enum compare_verdict {
	COMPARE_NO_VERDICT, /* nothing can be said: 'why' */
	COMPARE_ALIKE,	    /* no change that is both significant and large enough */
	COMPARE_CHANGED,
};

struct compare_cell {
	members_t a, b; /* the series of either side, of one configuration */
	enum compare_how how;
	struct stats of_a, of_b; /* in the metric's stored unit; of the pairs where paired */
	struct ratio change;	 /* b over a: Hodges-Lehmann's; from summaries that of the means */
	double p;      /* adjusted for the whole family; NaN where there is no verdict */
	double p_rank; /* Wilcoxon's or Mann-Whitney's, from summaries Welch's: of this cell alone, not adjusted */
	enum compare_verdict verdict;
	char *why;
};

struct comparison {
	VEC(struct compare_cell) cells;
	strings_t differences; /* besides what is matched: "governor: powersave against performance" */
	size_t unmatched_a, unmatched_b; /* cells of one side that the other has not */
	size_t family;			 /* cells that p is adjusted for: those in which a verdict is possible */
	struct resample_how how;	 /* of those that are not summaries */
};

/* Add one cell to the family; the members are copied. Both sides must have data and be of one metric. */
void compare_add(struct comparison *c, const members_t *a, const members_t *b);

/*
 * Add all cells that both sides have. A cell is told by its variant, axes, direction, actor and disk, except what has
 * one value on each side and another on the other: that is what is compared, and goes into 'differences'.
 */
void compare_match(struct comparison *c, const members_t *a, const members_t *b);

struct compare_options {
	double min_effect; /* 0.02 is 2% */
	uint64_t seed;	   /* of what is resampled at random */
};

/* Fill in all that the cells say, once all of them are there. */
void compare_judge(struct comparison *c, const struct compare_options *opt);

/*
 * How well the ratios of these cells, all variants of one row, are known: the largest half-width of a 95% interval
 * (Student) of the mean log ratio of two of them, paired within blocks, as a share: 0.02 is +-2%; the deviation is that
 * from no change while a change is not certain. Of one cell alone that of its mean log. NaN while not known of all.
 */
double compare_half_width(const members_t *row);

/* Is the second side better (1), worse (-1), or is that not known of the metric or no change (0)? */
int compare_cell_better(const struct compare_cell *cell);

/* Indexes of the cells, what sticks out most first. The caller frees. */
size_t *compare_order(const struct comparison *c);

void comparison_release(struct comparison *c);

#endif
