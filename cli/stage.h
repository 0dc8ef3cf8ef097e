/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_STAGE_H
#define CLI_STAGE_H

#include "cli/progress.h"
#include "cli/setup.h"
#include "runner/area.h"
#include "runner/run.h"

/*
 * What is made once before the runs of a sweep, for all of them: the files of --dir, a file system on the device,
 * a file to read from, control groups. All of it is noted as a trace first, so settings_restore, the guard or iobench
 * restore take it away: of a file system its signatures, so that the device is blank again.
 */
struct stage {
	struct area area;
	char *dir; /* ${DIR}; NULL: none */
	strings_t cgroups; /* of each actor; "" for none */
};

/* Is what the workload needs installed? Nothing is touched. ERR_NEEDS names what is not. */
int stage_check(const struct setup *s, struct err *err);

/* Fills in what of the runs' context depends on it: paths, dir, claim, cgroups. */
int stage_make(struct stage *st, struct setup *s, struct run_context *run, struct progress *progress, struct err *err);

/* Remove the files now; mounts and groups go with the settings. */
void stage_release(struct stage *st);

#endif
