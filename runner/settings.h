/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_SETTINGS_H
#define RUNNER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "runner/cpufreq.h"
#include "runner/device.h"
#include "runner/knob.h"
#include "runner/module.h"
#include "runner/plan.h"
#include "runner/trace.h"

/*
 * The settings of the disks (and CPUs) that a sweep changes: saved, set, verified, put back.
 *
 *     settings_open ─► settings_begin ─► (settings_apply ─► settings_changed)… ─► settings_restore ─► settings_close
 *
 * What was saved lives in memory shared with the guard process, and in a journal that outlives both: it is on disk
 * before the first change and goes away after the last setting is verified to be back.
 */

#define SETTINGS_DISKS 32
#define SETTINGS_ATTRS 112
#define SETTINGS_CPUS 4096
#define SETTINGS_VALUE 160

struct saved_attr {
	char path[KNOB_PATH];	     /* below the disk's directory: "queue/iosched/slice_idle" */
	char before[SETTINGS_VALUE]; /* "" is a value too */
};

struct saved_disk {
	char name[64];
	char sysdir[512];
	uint64_t diskseq; /* 0: the kernel does not count them */
	char scheduler[64]; /* "" where the disk has none to choose */
	/*
	 * nr_requests under `none` is the number of hardware tags. Where a run has written it, this holds what they
	 * were, until they are put back: no later switch of the scheduler does that.
	 */
	char tags[24];
	unsigned n_attrs;
	struct saved_attr attrs[SETTINGS_ATTRS];
};

/* A module that variants exchange; its name is "" where none is exchanged. */
struct saved_module {
	char name[64];		       /* as in /sys/module */
	char build_id[BUILD_ID_TEXT]; /* of the one before the sweep; "" if none was loaded */
};

/* The part that a restore needs: flat, no pointers. */
struct saved {
	unsigned n_disks;
	struct saved_module module;
	bool cpus; /* governors are part of it */
	size_t n_cpus;
	struct saved_disk disks[SETTINGS_DISKS];
	struct cpufreq_saved cpu[SETTINGS_CPUS];
	unsigned n_traces;
	struct trace traces[TRACES]; /* in the order in which they were made */
};

struct settings;

/*
 * Lock the disks (and the governors if 'governors') against another iobench, and save what they have now of all that
 * a switch may change and 'variants' set. Nothing is changed. ERR_NEEDS: another iobench measures on one of them (pid
 * named). Ask settings_stale first.
 */
struct settings *settings_open(const struct disk *const *disks, size_t n, const variants_t *variants, bool governors,
			       struct err *err);

/*
 * The variants' own modules: 'files' (borrowed, as long as the settings live) has one for each path that a variant
 * names, 'scheduler' is whose they all are. From settings_begin on, each run has the module of its variant loaded, or
 * the system's own. A sweep that exchanges a module excludes every other that measures its scheduler: ERR_NEEDS.
 */
int settings_exchange(struct settings *s, const char *scheduler, const module_files_t *files, struct err *err);

/*
 * Something is about to be made that must not outlive the sweep: it goes to the journal first (before settings_begin:
 * to the one that is written there). settings_restore takes it away, the last one first, before it puts settings back;
 * settings_forget_trace when that was done already.
 */
int settings_note_trace(struct settings *s, enum trace_kind kind, const char *path, struct err *err);
void settings_forget_trace(struct settings *s, const char *path);

/* The descriptors of the locks, for the guard to keep. */
const int *settings_locks(const struct settings *s, size_t *n);

/* Write the journal. From here on settings_restore (or the guard, or iobench restore) is owed. */
int settings_begin(struct settings *s, struct err *err);

enum settings_result {
	SETTINGS_OK = 0,
	SETTINGS_FAILED = -1,
	SETTINGS_NOT_OFFERED = -2, /* this kernel has no such scheduler for this disk */
	SETTINGS_GONE = -3,	   /* the disk is not there any more */
};

/*
 * Make the settings of one run on every disk: a freshly created scheduler, then its tunables and the rest, in the
 * order of the knob table, after the module that it wants was loaded; what earlier runs set and this one does not goes back to what it was. 'governor' NULL:
 * left alone. 'requested' and, if all went well, 'effective' get flat JSON objects "DISK:PATH" → text: what was asked
 * for and what is read back (all tunables and every watched knob).
 */
enum settings_result settings_apply(struct settings *s, const struct variant *v, const char *governor,
				    struct str *requested, struct str *effective, struct err *err);

/* The name of a disk that is not there any more, or that is another one now; NULL if all are there. */
const char *settings_gone(const struct settings *s);

/*
 * Has anybody changed what the last settings_apply left? Every value that was read back then is compared, and whether
 * the scheduler was created anew. Appends what changed to 'what', separated by "; ".
 */
bool settings_changed(struct settings *s, struct str *what);

/* Would selecting the scheduler work? Tries it (and may so load its module), and puts the old one back. */
enum settings_result settings_probe(struct settings *s, const char *scheduler, struct err *err);

/*
 * Put everything back: the module, for each disk the hardware tags, the knobs that schedulers look at, the scheduler, then the
 * rest, then governors; verified. When all is back the journal is removed. Else -1, and 'problems' (may be NULL) gets
 * a line for each knob with its value before, wanted and now. Allocates nothing of its own while all goes well.
 * Does nothing if nothing was begun.
 */
int settings_restore(struct settings *s, struct str *problems);

/* Release locks and memory; restores nothing. */
void settings_close(struct settings *s);

/* ---- what dead sweeps left behind ---- */

/* Where journals and locks are: $IOBENCH_RUNDIR or /run/iobench, which a reboot clears as it resets sysfs. */
const char *settings_rundir(void);

/* Journals whose sweep is dead: one line each, what to type. Empty if there is none. */
void settings_stale(struct str *lines);

/* Is any sweep alive on this machine, or the guard of a dead one? */
bool settings_any_alive(void);

struct restore_report {
	unsigned restored, alive, dropped, failed; /* journals */
	struct str text;			   /* a line for each thing done or not */
};

/*
 * Replay every journal whose sweep is dead, after killing what is left of its processes. One of another boot or half written (then nothing had been changed yet)
 * is dropped, a disk that was replaced since (diskseq) is left alone; all is said. -1 if something could not be put
 * back: those journals stay.
 */
int settings_replay(struct restore_report *report, struct err *err);

#endif
