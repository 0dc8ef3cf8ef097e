/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "db/store.h"

/*
 * Commands and their options. --help and the man pages' lists come from these tables. To add a command: a file
 * cmd_NAME.c that defines a 'const struct command', and a row in cli/main.c.
 */

struct option_row {
	const char *name;     /* "dev": --dev */
	const char *argument; /* "DEVICE", as shown; NULL: none taken */
	const char *help;
	char letter;	   /* -d; 0: none */
	bool may_lack_argument; /* --write-ok[=DEVICE] */
	bool repeats;	   /* may be given more than once */
};

/* An option as it was given; 'value' is "" for one without argument. */
struct option_value {
	const struct option_row *row;
	char *value;
	bool preset; /* not typed: from options_preset */
};

struct options {
	VEC(struct option_value) given;
	strings_t operands;
	char *typed; /* the command line as typed, for the records */
};

#define COMMAND_GROUPS 6
struct command {
	const char *name, *summary;
	const char *operands; /* "[SWEEP…]", as shown; NULL: takes none */
	const char *about;    /* paragraphs behind the options in --help; NULL: none */
	const struct option_row *groups[COMMAND_GROUPS]; /* each ended by a row without name */
	int (*run)(const struct options *opt, struct err *err); /* exit code; -1: 'err' says it, its kind is the code */
};

extern const struct command *const commands[]; /* ended by NULL */

/* The command of that name; NULL if there is none, and it was said. */
const struct command *find_command(const char *name);

/* The i-th option of the command over all its groups; NULL behind the last. --help is the last of all. */
const struct option_row *option_at(const struct command *c, size_t i);

/* What --help prints. */
void print_help(const struct command *c);

/*
 * Parse the command line behind the command's name. 0: go on; 1: help was asked for and printed; -1: ERR_USAGE.
 */
int options_parse(const struct command *c, int argc, char **argv, struct options *out, struct err *err);
void options_release(struct options *opt);

/* The value as given last, NULL if not given. */
const char *option(const struct options *opt, const char *name);
bool option_given(const struct options *opt, const char *name);

/* The row of an option of the command, --help not among them; NULL and ERR_USAGE with the nearest name if there is none. */
const struct option_row *option_find(const struct command *c, const char *name, struct err *err);

/* Append one option as if it had been typed; ERR_USAGE if the command has none of that name. */
int option_add(const struct command *c, struct options *opt, const char *name, const char *value, struct err *err);

/* Copies 'from', which may go before 'to' is released. */
void options_copy(const struct options *from, struct options *to);

/*
 * Add the options in 'text' ("--jobs 1-8 --patterns read,write", no blanks inside a value) that were not typed: what
 * is typed stands alone, also where the option repeats. ERR_USAGE for what the command does not know.
 */
int options_preset(const struct command *c, struct options *opt, const char *text, struct err *err);

/* Typed, not preset. */
bool option_typed(const struct options *opt, const char *name);

/* Options that several commands share. */
extern const struct option_row options_db[];    /* --db */
extern const struct option_row options_layout[]; /* --layout, --rows, --cols: for commands of more than one shape */
extern const struct option_row options_since[];	 /* --since: for commands whose operands are sweeps */
extern const struct option_row options_table[];	 /* --where, --format, --metric, -o … */

/* The database: --db, $IOBENCH_DB, ./iobench.db. */
const char *option_db(const struct options *opt);

/* Open that database, which must be there: ERR_NEEDS says what to do where it is not. NULL on error. */
struct store *open_database(const struct options *opt, enum store_mode mode, struct err *err);

/* On stderr, "iobench: " before it: one line, at a terminal wrapped to its width. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
