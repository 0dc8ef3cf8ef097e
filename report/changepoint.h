/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_CHANGEPOINT_H
#define REPORT_CHANGEPOINT_H

#include <stddef.h>

#include "common/mem.h"

/*
 * Where a short series of nights changes its level, and whether it slides. Pure. Why it is done so and how often it is
 * wrong: docs/methodology.md.
 */

#define STRETCH_MIN 2	/* values on either side of a change: one alone is no level */
#define SERIES_MIN 6	/* values without which no change is looked for */
#define CLIP_DEVIATIONS 4 /* farther from the median no value counts */
#define CLIP_MIN 12	/* of fewer values the deviation is too uncertain for that */

enum change_kind { CHANGE_STEP, CHANGE_SLIDE };

struct change {
	enum change_kind kind;
	size_t first, end;    /* the stretch that it begins, or that slides: values first to end - 1 */
	size_t early, late;   /* of a step: 'first' may as well be one of these, which are less than 20 times less likely */
	double before, after; /* mean levels of the stretches; of a slide the ends of its line */
	double p;	      /* adjusted for all places where this series could change */
};
typedef VEC(struct change) changes_t;

/* Append the changes whose p is at most 'level', in the order of time; 'values' must be finite. */
void changes_find(const double *values, size_t n, double level, changes_t *out);

/*
 * Copy 'values' to 'out' with what is farther than CLIP_DEVIATIONS from the median moved there; the deviation is 1.4826
 * times the median of the distances from it. Fewer than CLIP_MIN stay as they are. A broken night must not hide what comes after it.
 */
void values_clip(const double *values, size_t n, double *out);

#endif
