/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/*
 * 'iobench help' with something behind it, all of it from the tables of commands and options:
 *
 *	help COMMAND			as COMMAND --help
 *	help --mdoc [COMMAND]		the generated part of a man page (mdoc(7)), up to its lists; see docs/man/
 *	help --list			names of commands, for the completion of shells
 *	help --list COMMAND		its options: name, letter, argument, with tabs between them
 *	help --list COMMAND OPTION	values that an option can have, where they can be listed
 *
 * 'argv' are the words behind "help". Exit code; -1: 'err' says it.
 */
int help_run(int argc, char **argv, struct err *err);

#endif
