/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_IMPORT_FILE_H
#define CLI_IMPORT_FILE_H

#include "cli/command.h"
#include "cli/import_read.h"
#include "db/store.h"
#include "parsers/parser.h"

/* One call of import. */
struct importer {
	const struct options *opt;
	struct store *store;
	const struct parser *forced; /* --format; NULL */
	struct sweep_row sweep;	     /* of the outputs; id 0: none stored yet */
	int64_t invocation;	     /* of the sweep */
	int n_stored;		     /* runs of the sweep */
	strings_t tables;	     /* names of sweeps made of published tables */
	unsigned n_read, n_known, n_skipped, n_failed;
};

/* Store and count one output, and say what is wrong with it. -1 only if nothing more can be stored. */
int import_file(struct importer *im, struct input *in, struct err *err);

/* Read all outputs of a database again; exit code, or -1. */
int import_reparse(struct store *s, struct err *err);

#endif
