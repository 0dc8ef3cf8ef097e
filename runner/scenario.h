/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_SCENARIO_H
#define RUNNER_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/str.h"
#include "runner/plan.h"
#include "runner/workload.h"

/*
 * What a workload does: actors that run at the same time, and what they need around them. A scenario file says it in
 * INI: [scenario] holds what all share, every other section is an actor. A fio job file is the scenario with one
 * actor, "fio", in the foreground.
 *
 *	[scenario]
 *	fs = ext4		made on the device, mounted, and wiped at the end; with --dir the user's own is used
 *	prefill = data		a file of ${SIZE} in ${DIR}, written before the first run
 *	space = 256M		what is needed besides
 *	needs = setfacl		programs besides those of the actors
 *	metrics = weighted_jain	of all actors together: a run without these failed, the layout workloads shows them
 *
 *	[reader]
 *	job =			a fio job: options, indented, a line each ...
 *		rw=read
 *	program = x -d ${DIR}	... or a command: words cut at blanks, '\' escapes; no shell
 *	parser = fio-json	of what the program prints; without one nothing is read from it
 *	role = background	started before, stopped after, must run to the end; foreground (the default): the run ends
 *				when the last of them has
 *	delay = ${RAMP}		start so long after the run's
 *	weight = 300		in a control group of its own with this weight
 *	timed = yes		how long it takes is its result: startup_time
 *	per_device = yes	of a fio job: a section for each device instead of one for all
 *	metrics = bw		likewise, of the actor alone
 *
 * Variables in programs and delays are those of fio jobs: DEV, RANDSEED, those of the axes, and DIR and SCRATCH (an
 * empty directory for each run, in which programs start) where there is a file system.
 */
enum actor_role { ACTOR_FOREGROUND, ACTOR_BACKGROUND };

struct actor {
	char *name;
	char *job;	   /* a whole fio job file, or the options if 'per_device'; NULL: a program */
	strings_t program; /* words, with their variables; empty: a job */
	char *parser;	   /* name; NULL: none */
	enum actor_role role;
	char *delay;	 /* duration, with its variables; NULL: none */
	unsigned weight; /* 1…1000; 0: no control group */
	bool timed, per_device;
	strings_t metrics;
};

struct scenario {
	bool plain; /* a fio job file */
	VEC(struct actor) actors;
	char *fs, *prefill; /* NULL: none */
	uint64_t space_bytes;
	strings_t metrics; /* of all actors together */
	strings_t needs; /* programs that must be installed, each once: its own, the actors', mkfs */
};

/* ERR_USAGE names the line. */
int scenario_parse(const struct workload *w, struct scenario *out, struct err *err);
void scenario_release(struct scenario *s);

/* Replace what the timed actor does by a command; ERR_USAGE if there is no such actor. */
int scenario_set_command(struct scenario *s, const char *command, struct err *err);

/* Is the text a scenario file? It has a section [scenario]. */
bool scenario_is(const char *text);

/* Is how long something takes the result? */
bool scenario_is_timed(const struct scenario *s);

/*
 * Does what the actor does write, as far as that can be told? 'cell' NULL: in any cell of the plan. A program does
 * when it is given the device.
 */
bool actor_writes(const struct actor *a, const struct plan *p, const struct cell *cell);

/* The fio job file for the actor, with a section for each of the first 'n' paths where it wants that. */
char *actor_job(const struct actor *a, const strings_t *paths, size_t n);

/* 'text' with ${NAME} replaced from "NAME=VALUE" strings; what is not there stays. The caller frees. */
char *scenario_expand(const char *text, const strings_t *environment);

/* When the actor starts in a run with this environment, in ns after the run's start. */
uint64_t actor_delay_ns(const struct actor *a, const strings_t *environment);

#endif
