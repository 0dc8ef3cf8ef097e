/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_TRACE_H
#define RUNNER_TRACE_H

#include <stdbool.h>

#include "common/err.h"
#include "common/str.h"

/*
 * Traces: what a sweep made on this machine beside its settings, and must take away again: directories, mounts,
 * control groups. They are kept with the saved settings, in memory that the guard shares and in the journal, before
 * they are made; so taking one away that was never made is no fault.
 */
#define TRACES 80
#define TRACE_PATH 512

enum trace_kind {
	TRACE_TREE,    /* a directory of ours with all that is in it, on its own file system */
	TRACE_MOUNT,   /* a file system mounted on an empty directory of ours: both go */
	TRACE_WORK,    /* the folder NAME.work beside the journals, with all that is in it */
	TRACE_FS,      /* DEVICE/UUID: the file system of that UUID on the device: its signatures are wiped */
	TRACE_CGROUP,  /* a control group of ours; no process is in it any more */
	TRACE_IO_SUBTREE, /* the v2 group whose children we gave the io controller (cgroup.subtree_control) */
	TRACE_KINDS,
};

struct trace {
	enum trace_kind kind;
	char path[TRACE_PATH];
};

/* As in the journal: "tree", …; NULL behind the last. */
const char *trace_kind_name(enum trace_kind kind);

/*
 * Only what bears our name is ever taken away, whatever a journal says: an absolute path without "..", whose last part
 * starts with ".iobench-" (trees, mounts) or "iobench-" (groups); of file systems, only one that has the UUID which we
 * gave it and that nobody has mounted.
 */
bool trace_is_ours(const struct trace *t);

/* Take it away; waits a little for a file system that is still busy. Appends to 'problems' (may be NULL) what stays. */
int trace_remove(const struct trace *t, struct str *problems);

#endif
