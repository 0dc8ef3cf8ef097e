/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_IMPORT_CELL_H
#define CLI_IMPORT_CELL_H

#include "cli/command.h"
#include "db/store.h"

/* Which cell an imported output is of: from options of import, then what it says itself, then where the file lies. */

/* ERR_USAGE for a '--set' that is none. */
int import_cell_check(const struct options *opt, struct err *err);

/*
 * The cell of an output. Its variant is --sched and --label, else the name of the file's folder; 'path' NULL: there is
 * no file. 'parsed' NULL: the output could not be read. 'out' owns all of it: release as one of cell_rows_t.
 */
void import_cell_make(const struct options *opt, const char *path, const struct parsed *parsed, struct cell_row *out);

/* The cell of a row of a published table, likewise. */
void import_cell_published(const struct options *opt, const struct published *row, struct cell_row *out);

#endif
