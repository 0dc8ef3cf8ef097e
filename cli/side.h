/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SIDE_H
#define CLI_SIDE_H

#include "db/series.h"
#include "db/store.h"
#include "report/subset.h"

/* What 'iobench compare' holds against each other, as typed: sweeps, and what of them. */
struct side {
	const char *typed;
	sweep_ids_t sweeps;
	char *kernel, *variant, *axis, *value; /* NULL: all of it */
	members_t members;		       /* series of a set that meet all of that */
};

/*
 * Which sweeps: a SWEEP, date=DAY or date=DAY..DAY (all that started then), kernel=RELEASE (the newest with results of
 * that kernel), host=NAME (the newest of that box); or the last one. Behind a '/', or alone: a variant or axis=value;
 * SWEEP/host=NAME is the newest of that box with the sweep's name. ERR_USAGE for what is none of these.
 */
int side_parse(struct store *db, const char *text, struct side *out, struct err *err);

/* ERR_USAGE for a name that a sweep cannot have, as it means other sweeps where one is asked for. NULL is none. */
int side_check_name(const char *name, struct err *err);

/* Find the members; ERR_FAULT if none has data. 'asked' says of which metrics the set is. */
int side_fill(const struct series_set *set, const char *asked, struct side *side, struct err *err);

/* Append what a reader must know of a side of several sweeps: "A: 5 sweeps, kernels 6.1.0-37-amd64, 6.12.1". */
void side_describe(const struct side *side, const char *name, strings_t *out);

void side_release(struct side *s);

#endif
