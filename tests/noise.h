/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_NOISE_H
#define TESTS_NOISE_H

/*
 * Noise as bad as that of a disk in a busy machine, seeded: the same on every machine for the same 'noise_state'.
 */
#include <math.h>

#include "common/random.h"

static uint64_t noise_state;

static double noise_uniform(void)
{
	return ((double)(random_next(&noise_state) >> 11) + 0.5) * 0x1p-53;
}

static double noise_gauss(void)
{
	return sqrt(-2 * log(noise_uniform())) * cos(2 * M_PI * noise_uniform());
}

/* Student's t with 3 degrees of freedom: no fourth moment, now and then five deviations and more. */
__attribute__((unused)) static double noise_heavy(void)
{
	double a = noise_gauss(), b = noise_gauss(), c = noise_gauss();

	return noise_gauss() / sqrt((a * a + b * b + c * c) / 3);
}

struct noise {
	double walk; /* log rate of the whole machine; drifts from run to run */
	double slow; /* what hits several runs in a row; whoever calls changes it */
};

/* The log of a run's figure without what is of its cell. 'loudness', usually 1, is of what is of a single run. */
__attribute__((unused)) static double noise_next(struct noise *n, double loudness)
{
	n->walk += 0.01 * noise_gauss() - 0.0005;
	return n->walk + n->slow +
	       loudness * (0.04 * noise_heavy() - (noise_uniform() < 0.03 ? 0.3 * noise_uniform() : 0));
}

#endif
