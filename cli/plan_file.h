/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_PLAN_FILE_H
#define CLI_PLAN_FILE_H

#include "cli/command.h"

/*
 * Plan files: the sweeps of a night in INI, as the options of sweep would say them.
 *
 *	# which question
 *	[all]				for every sweep; so are keys before the first section
 *	dev = /dev/sdb			a key is a long option
 *	set = queue/nr_requests=64	repeated where the option may be
 *	set = device/queue_depth=1
 *	buffered = yes			an option without argument; no: not what [all] says
 *
 *	[throughput]			a sweep, and its name unless 'name' gives another
 *	scheds = none,\			goes on in the next line, which is indented
 *		bfq
 *	note = "a \; b"			in quotes \n, \t, \xHH, and any other character behind a '\' for itself
 *
 * A ';' behind a blank begins a comment. Who is nearer stands alone: an option that is typed, else that of the section,
 * else that of [all], also where the option repeats; those that are not of the section go for the sweeps that have a use
 * for them. What inih takes: lines up to 198 characters, names up to 48.
 */

struct plan_entry {
	const struct option_row *row;
	char *value; /* as given until 'open' is false, then what it stands for */
	bool open;   /* goes on in the next line */
	bool no;     /* "= no": not given here, whatever [all] says */
};
struct plan_section {
	char *name;
	VEC(struct plan_entry) entries;
};
struct plan_file {
	char *name, *path;
	VEC(struct plan_section) sections; /* the first is what is common; one or more sweeps follow */
};

/* The names of plans that come with the program, sorted, and where one is: NULL if it is not there. The caller frees. */
void plan_file_list(strings_t *names);
char *plan_file_path(const char *name_or_path);

/* ERR_USAGE names file and line, and for an unknown key the nearest name of an option of 'c'. */
int plan_file_load(const struct command *c, const char *name_or_path, struct plan_file *out, struct err *err);
void plan_file_release(struct plan_file *p);

/* Options of a call, of which a plan's sweeps have none: plan, save-plan, dry-run, and budget, which [all] may have. */
bool plan_file_is_of_call(const char *option);

/* Does section 'i' itself say it? */
bool plan_file_says(const struct plan_file *p, size_t i, const char *option);

/* What is said in [all]; NULL if it is not. */
const char *plan_file_common(const struct plan_file *p, const char *option);

/* The options of the sweep in section 'i' (from 1), as if all had been typed. */
void plan_file_options(const struct plan_file *p, size_t i, const struct options *typed, struct options *out);

/* Write the file that says these sweeps, 'budget' unless it is NULL. ERR_USAGE if there is such a file. */
int plan_file_save(const char *path, const struct options *sweeps, size_t n, const char *budget, struct err *err);

#endif
