/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SWEEPS_H
#define CLI_SWEEPS_H

#include <stdint.h>

#include "cli/command.h"
#include "cli/setup.h"

/* The sweeps that one call of sweep asks for: one by its options, or those of --plan. */
struct request {
	char *name; /* of its section; NULL: the only one, by options */
	struct options opt; /* as if all had been typed */
	bool left_out;	    /* there is no time for it */
	bool elsewhere;	    /* all of it is in other shards */
	struct setup *setup; /* by request_setup(); NULL: not made yet */
};
struct requests {
	VEC(struct request) list;
	char *budget; /* --budget as given, NULL: none */
	uint64_t budget_ns;
	int64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
};

/* ERR_USAGE for what is wrong with plan or options. The time of the budget begins here. */
int requests_make(const struct options *typed, struct requests *out, struct err *err);
void requests_release(struct requests *r);

/*
 * Make every setup once, touching nothing: what is typed wrong anywhere is said before anything runs. What the machine
 * lacks for one of several sweeps is left to be told when it is its turn. Marks, and says, what is elsewhere.
 */
int requests_check(struct requests *r, struct err *err);

/* What it is on the machine as it is at its turn, which of a single one is the check. NULL: 'err' says why not. */
struct setup *request_setup(struct request *r, struct err *err);

/* Lower runs and leave out rows until all fit the budget; says what, and the notes of the sweeps say it too. */
int requests_fit(struct requests *r, struct err *err);

#endif
