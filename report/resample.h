/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_RESAMPLE_H
#define REPORT_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mem.h"

/*
 * Control of a whole family of comparisons at once: Westfall and Young's step-down maxT ("Resampling-Based Multiple
 * Testing", 1993, algorithm 4.1) on studentised means. Pure.
 *
 * What is resampled are units: the blocks of a sweep. Under the hypothesis that the sides are the same, all that was
 * measured in a block could as well have come out with the sides exchanged: the signs of all differences of a block
 * flip together, so that the dependence between the cells of a block stays what it is. Where nothing is paired, the
 * units are dealt anew to the two sides, again for all cells alike.
 */
struct resample_value {
	unsigned unit;
	bool b;	      /* not paired: of the second side */
	double value; /* paired: log ratio of the block; else a log */
};

struct resample_cell {
	bool paired;
	VEC(struct resample_value) values; /* at most one a unit; not paired: at least two of each side */
	double statistic; /* out: |t| of the mean log ratio; of Welch where not paired */
	double p;	  /* out: adjusted for the whole family */
};

struct resample_how {
	size_t draws; /* how often the family was resampled */
	bool every;   /* in every way there is, not at random */
};

/* Fill the cells' statistic and p. Up to 12 units all flips are made, else 10000 seeded ones; dealing is seeded. */
struct resample_how resample_family(struct resample_cell *cells, size_t n, uint64_t seed);

#endif
