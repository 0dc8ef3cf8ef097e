/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_NIGHT_NOISE_H
#define TESTS_UNIT_NIGHT_NOISE_H

/*
 * What nights on a real box do to figures, for the tests of the gate. All of it is seeded. Deviations of logs: the box
 * wanders by 1% from night to night and each block by 3%, both alike for all variants; a variant differs from itself by
 * 1.5% from night to night in a cell, by 0.5% in all its cells together; a run by 2%.
 */
#include "tests/noise.h"

#define NOISE_CELLS_MAX 64

struct night_noise {
	bool broken; /* one night in 50 one cell is up to 30% off */
	double box, block;
	double of_variant, of_cell[NOISE_CELLS_MAX];
};

static void noise_next_night(struct night_noise *n, unsigned cells)
{
	n->box += 0.01 * noise_gauss();
	n->of_variant = 0.005 * noise_gauss();
	for (unsigned i = 0; i < cells; i++)
		n->of_cell[i] = 0.015 * noise_gauss();
	if (n->broken && noise_uniform() < 0.02)
		n->of_cell[random_below(&noise_state, cells)] += 0.6 * (noise_uniform() - 0.5);
}

static void noise_next_block(struct night_noise *n)
{
	n->block = 0.03 * noise_gauss();
}

/* The log of a run's figure without what is true of its cell; the reference knows nothing of the variant. */
static double noise_run(const struct night_noise *n, unsigned cell, bool reference)
{
	return n->box + n->block + 0.02 * noise_gauss() + (reference ? 0 : n->of_variant + n->of_cell[cell]);
}

#endif
