/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "db/store.h"
#include "runner/run.h"

#define OUTCOME_ALL "all" /* no actor has this name */

/* What the outputs of a run's actors say, ready to be stored. */
struct outcome {
	VEC(struct parsed) parsed; /* of each actor of the result */
	struct parsed all;	   /* of all together: fairness over their weights; stored under OUTCOME_ALL */
	size_t main;		   /* whose figures stand for the run: the first fio in the foreground, or the first there */
	struct str raw;		   /* the outputs, several as a bundle */
	struct str words;	   /* what they said beside */
	const char *format;	   /* of 'raw' */
	VEC(struct actor_samples) samples; /* those that have any */
};

/* Also the judge: what an output says of itself, or lacks, can make a run fail that had been well until then. */
void outcome_read(const struct scenario *s, struct run_result *r, struct outcome *out);
const struct parsed *outcome_main(const struct outcome *o); /* NULL where nothing was run */
void outcome_release(struct outcome *o);

#endif
