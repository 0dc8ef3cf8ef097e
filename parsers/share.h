/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_SHARE_H
#define PARSERS_SHARE_H

#include "parsers/sample.h"

/* What actors with weights got of the disk: the figures that no actor's own output holds. */
struct share_part {
	struct parsed *parsed; /* of an actor */
	unsigned weight;       /* 0: it does not take part */
};

/*
 * Add to each part 'share' (of the bandwidth of all) and 'share_per_weight' (that over its share of the weights: 1 is
 * what it should have), and to 'all' the 'weighted_jain': (sum x)^2 / (n sum x^2) over x = bandwidth / weight, 1 when
 * each got what it should. Nothing is added when fewer than two take part, or the bandwidth of one is not known.
 */
void share_add(const struct share_part *parts, size_t n, struct parsed *all);

#endif
