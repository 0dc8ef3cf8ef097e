/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_CHILD_H
#define RUNNER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/str.h"

/* What to start: an argv, never a shell. All borrowed. */
struct child_spec {
	const char *const *argv;	/* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *environment; /* "NAME=VALUE" added to ours, NULL-terminated; NULL: none */
	const char *stdout_path;	/* created or truncated; NULL: /dev/null. Files, never pipes: a pipe can fill */
	const char *stderr_path;	/* likewise */
	const char *cgroup;		/* directory of the control group that it belongs to from its start; NULL: ours */
	const char *folder;		/* where it starts; NULL: where we are */
	uint64_t limit_ns;		/* killed after this long; 0: no limit */
	uint64_t file_max_bytes;	/* of every file that it writes (RLIMIT_FSIZE; devices are none); 0: no limit */
	uint64_t output_max_bytes;	/* for the guard: stopped when an output is longer, looked at once a second; 0: never */
};

/*
 * Start a process in a group of its own that dies when we do (PR_SET_PDEATHSIG), with default signals and nothing
 * open but its three streams. Allocates nothing; one thread at a time. An argv[0] that cannot be executed is an error
 * here (ERR_NEEDS).
 */
pid_t child_spawn(const struct child_spec *spec, struct err *err);

/* May such a program be there, as execvp(3) looks for it? False is an error (ERR_NEEDS). */
bool child_is_installed(const char *name, struct err *err);

/*
 * SIGKILL every descendant of this process and reap it, until none is left: processes that left their group and
 * session (fio's workers call setsid) are children of ours once their parents are gone, if this process is a
 * subreaper. Returns how many there were.
 */
unsigned child_kill_all(void);

/*
 * SIGKILL every process that was started with "NAME=VALUE" in its environment, whoever's child it is. For what is left
 * of a dead sweep; it is not waited for. Returns how many there were.
 */
unsigned child_kill_marked(const char *mark);

/*
 * Run to the end and append what it prints on stdout to 'out' (may be NULL). ERR_NEEDS if it cannot be executed; not 0
 * is ERR_FAULT, with what it said on stderr. The second looks in /usr/sbin and /sbin too.
 */
int child_capture(const char *const *argv, struct str *out, struct err *err);
int child_capture_admin(const char *const *argv, struct str *out, struct err *err);

/*
 * The same in two steps, with time for other things in between. What was begun must be ended, also where it could not be
 * started: that is an error of the end. Zeroed memory is none begun, and its end is an error too.
 */
struct child_captured {
	const char *name; /* argv[0], borrowed */
	pid_t pid;
	int out, words;
	struct err err;
};
void child_capture_begin(const char *const *argv, struct child_captured *c);
int child_capture_end(struct child_captured *c, struct str *out, struct err *err);

#endif
