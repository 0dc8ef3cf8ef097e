/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stdint.h>

/*
 * Numbers that look random and are the same for the same state on every machine. SplitMix64 (Steele, Lea, Flood
 * 2014): a full-period mix of a counter, so that any seed is a good one.
 */
uint64_t random_next(uint64_t *state);

/* A number below n, each equally likely. */
uint64_t random_below(uint64_t *state, uint64_t n);

#endif
