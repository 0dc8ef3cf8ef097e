/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_GUARD_H
#define RUNNER_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "runner/child.h"
#include "runner/settings.h"

/*
 * The guard is a small process between the runner and everything that it runs. It starts the load generator, is its
 * parent and subreaper, enforces its time limit and leaves none of its descendants behind. When the runner is gone,
 * whatever ended it, the guard kills what runs, puts every setting back and removes the journal.
 *
 *     guard_start ─► (guard_run | guard_begin ─► guard_wait … guard_stop ─► guard_wait)… ─► guard_end
 */
struct guard;

/*
 * Fork the guard. It holds the memory of 'settings' (shared with us) and the descriptors 'keep' (the locks), nothing
 * else. The calling process becomes a subreaper too: should the guard be killed, its orphans come to us.
 */
struct guard *guard_start(struct settings *settings, const int *keep, size_t n_keep, struct err *err);

/* How a child ended. */
struct guard_event {
	unsigned id;
	int status;	   /* of waitpid */
	bool timed_out;	   /* over its limit: killed */
	unsigned leftover; /* descendants that outlived the last child and were killed; only in the last child's event */
	/* what it and the descendants that it waited for had the disks do, and their time in user mode (wait4) */
	uint64_t read_bytes, write_bytes, user_us;
};

/* Start a child under the number 'id' (below GUARD_CHILDREN, not in use). ERR_NEEDS if it cannot be executed. */
#define GUARD_CHILDREN 64
int guard_begin(struct guard *g, unsigned id, const struct child_spec *spec, struct err *err);

/*
 * Wait for the end of a child. 1: '*event' is filled; 0: 'timeout_ns' is over (negative: no limit) or a signal came;
 * -1: the guard itself is gone (ERR_FAULT): the caller must child_kill_all() and restore the settings itself.
 * Every signal is unblocked while it waits: block those that must not be missed everywhere else.
 */
int guard_wait(struct guard *g, int64_t timeout_ns, struct guard_event *event, struct err *err);

/* Ask a child (or GUARD_CHILDREN: all) to stop: SIGTERM, 'grace_ns', SIGKILL. Its end comes by guard_wait. */
#define GUARD_GRACE_NS 1000000000LL /* for those whose output nobody waits for */
void guard_stop(struct guard *g, unsigned id, int64_t grace_ns);

/* SIGKILL the guard itself, which has been stopped or hangs: guard_wait will say that it is gone. */
void guard_kill(struct guard *g);

/* Let the guard go, without restoring anything: the runner has done that. */
void guard_end(struct guard *g);

#endif
