/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_WORKLOAD_H
#define RUNNER_WORKLOAD_H

#include <stdbool.h>

#include "common/err.h"
#include "common/file.h"
#include "common/str.h"
#include "runner/plan.h"

/*
 * A workload is a file, never code: jobs/NAME.fio is an ordinary fio job file that takes its axes from the environment
 * by fio's own ${VAR}: DEV (what to measure), RANDSEED, and those of the table of axes (RW, BS, JOBS, …).
 * jobs/NAME.scenario joins several programs: runner/scenario.h.
 */
struct workload {
	char *name;	 /* "patterns"; of a user's file its name without folder, ".fio" and ".scenario" */
	char *path;	 /* where it was found */
	char *text;	 /* the file, whole */
	char *question;	 /* the comment that opens the file, without its marks; "" if there is none */
	char *presets;	 /* of that comment, what stands in lines "# iobench: --jobs 1-8": options of sweep it wants; "" */
	char hash[HASH_TEXT];
};

/*
 * By name, from the folders of workload_folders(), or by path (anything with a slash or ending in ".fio" or ".scenario"). ERR_USAGE
 * names those there are.
 */
int workload_load(const char *name_or_path, struct workload *out, struct err *err);

/* The same from a stored text (resume). Copies. */
void workload_from_text(const char *name, const char *text, struct workload *out);
void workload_release(struct workload *w);

/* Where workloads are looked for: $IOBENCH_JOBS, jobs/ beside the program, the installed data. */
void workload_folders(strings_t *out);

/* Names of all there are, sorted. */
void workload_list(strings_t *names);

/* The same of the files there that end in one of 'n' suffixes, without these: a folder holds plans too. */
void workload_names(const char *const *ends, size_t n, strings_t *names);

/*
 * Every section of a job file must work on filename=${DEV}, its own or of [global], and on nothing else: a job that
 * names another disk or file would measure, or overwrite, what nobody has offered. Where the workload makes a file
 * system ('makes_files'), also on what is in its ${DIR} or ${SCRATCH}. ERR_USAGE names section or line. The same for an
 * option of fio's command line.
 */
int workload_check_job(const char *text, bool makes_files, struct err *err);
int workload_check_option(const char *option, struct err *err);

/* Does the job file use ${variable}? */
bool workload_uses(const struct workload *w, const char *variable);

/*
 * The environment of fio for one run: "NAME=VALUE" for DEV, RANDSEED and every axis of the plan that has a variable.
 * Sizes are in bytes, durations in milliseconds ("10000ms"). 'dev' is what ${DEV} stands for.
 */
void workload_environment(const struct plan *p, const struct cell *c, const char *dev, uint64_t randseed,
			  strings_t *out);

/* A path as fio wants it in filename=, where ':' separates several: escaped by '\'. The caller frees. */
char *workload_escape_path(const char *path);

/*
 * What ${DEV} stands for in a cell: "a:b", the first of the paths (escaped by the above) where the plan has an axis
 * "devices", else all. The caller frees.
 */
char *workload_devices(const struct plan *p, const struct cell *c, const strings_t *paths);
size_t workload_count_devices(const struct plan *p, const struct cell *c, const strings_t *paths);

#endif
