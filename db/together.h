/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_TOGETHER_H
#define DB_TOGETHER_H

#include "db/series.h"

/* For series.c: what belongs together in a set of several sweeps. */

/* In a set of several hosts, put the model of a disk for its identity into the axis "device". */
int series_name_kinds(struct store *s, struct series_set *set, struct err *err);

/* Fill in 'whole': sweeps of one name that are different parts of as many. */
void series_join_shards(struct series_set *set);

#endif
