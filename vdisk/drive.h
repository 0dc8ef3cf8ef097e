/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_DRIVE_H
#define VDISK_DRIVE_H

#include <pthread.h>

#include "vdisk/fault.h"
#include "vdisk/model.h"

/*
 * The model in real time. Threads hand over commands; one thread of its own runs the model by CLOCK_MONOTONIC and
 * ends each command when the model says that it is done. Deadlines are absolute: one that is met late delays no
 * other, so errors never add up.
 */

struct io {
	struct command command; /* first: the model gives back a pointer to it */
	int errnum;		/* how it ends: 0 or an errno */
	bool stuck;
	void (*done)(struct io *io); /* called once, without the drive's lock */
};

#define LATE_BUCKETS 128

struct drive {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_t thread;
	struct model model;
	VEC(struct fault) faults;
	struct command *stuck;
	bool stop, gone;
	bool realtime;		       /* the kernel runs us before all ordinary processes */
	int64_t shift_ns;	       /* clock minus the model's time: the sum of the hangs */
	int64_t hang_from_ns, hang_until_ns; /* by the clock; until 0: it does not hang */
	uint64_t late[LATE_BUCKETS]; /* how late commands were done, by the clock against the model: a histogram */
	uint64_t late_n, late_ms_n;
	int64_t late_max_ns; /* late_ms_n: more than 1 ms */
	uint64_t failed, random;
};

/* drive_stop() ends the thread, and at once all that is under way. */
int drive_start(struct drive *d, const struct profile *p, uint64_t bytes, struct err *err);
void drive_stop(struct drive *d);

/*
 * Which faults strike a command? Sets errnum, stuck and extra_ns of 'io', whose kind, lba and sectors are set. False:
 * there is no drive any more; the caller fails the command at once.
 */
bool drive_judge(struct drive *d, struct io *io);
void drive_submit(struct drive *d, struct io *io);

int drive_fault(struct drive *d, const char *text, struct err *err);

/* Counters, timing errors and faults, a line each, appended. */
void drive_print(struct drive *d, struct str *out);

#endif
