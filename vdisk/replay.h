/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_REPLAY_H
#define VDISK_REPLAY_H

#include <stdio.h>

#include "vdisk/model.h"

/*
 * Run a trace through the model, in virtual time. A line is "read|write OFFSET LENGTH [AT]" or "flush [AT]": sizes
 * as everywhere ("64k"), AT a time since the start ("1.5ms"), not before that of the line above; without AT the
 * command is given as soon as fewer than 'depth' commands are under way. Empty lines and '#' remarks are skipped.
 */
struct replay {
	unsigned depth;
	FILE *each; /* "OP OFFSET LENGTH ARRIVAL_US LATENCY_US" of every command as it is done; NULL */

	uint64_t commands, bytes;	  /* from here on the results */
	int64_t elapsed_ns, latency_sum_ns, latency_max_ns;
};

/* ERR_USAGE names the line that is wrong. */
int replay_run(struct model *m, FILE *trace, struct replay *r, struct err *err);

/* "requests 1000", "iops 123.4", … and what the disk counted: a line each. */
void replay_print(const struct replay *r, struct str *out);
void counters_print(const struct model_counters *c, const struct geometry *g, struct str *out);

#endif
