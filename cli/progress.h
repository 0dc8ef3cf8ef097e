/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* What a sweep says on stderr while it runs: a line that is redrawn on a terminal, a line a minute elsewhere. */
struct progress {
	bool terminal, drawn;
	unsigned runs, runs_done; /* of the whole plan, skipped ones counted as done */
	uint64_t left_ns;	  /* ramp + runtime of the runs that are not done */
	int64_t overhead_ns;	  /* of the runs measured so far: wall time beyond ramp + runtime */
	unsigned measured;
	int64_t run_started_ns;	  /* CLOCK_MONOTONIC of the run that is on */
	uint64_t run_ns;	  /* its ramp + runtime */
	int64_t last_line_ns;
	char what[160], figure[64]; /* the cell that runs, and what the last one came to */
};

void progress_start(struct progress *p, unsigned runs, uint64_t total_ns);
void progress_run(struct progress *p, const char *what, uint64_t run_ns);
void progress_run_done(struct progress *p, const char *figure); /* 'figure' may be NULL */
void progress_skip(struct progress *p, uint64_t run_ns);
void progress_tick(void *progress); /* draw it now, if it is time to */
void progress_clear(struct progress *p); /* take the line away: something else is to be said */

/* Time left in ns, from what the runs have taken so far. */
uint64_t progress_left_ns(const struct progress *p);

/* What so many runs of 'runs_ns' together are going to take, likewise. */
uint64_t progress_expect_ns(const struct progress *p, unsigned runs, uint64_t runs_ns);

#endif
