// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/random.h"

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, r;

	/* what would favour the low ones is drawn again */
	do
		r = random_next(state);
	while (r >= limit);
	return r % n;
}
