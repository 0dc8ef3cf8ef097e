/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_IMPORT_READ_H
#define CLI_IMPORT_READ_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/file.h"
#include "cli/command.h"
#include "db/frame.h"
#include "db/store.h"
#include "parsers/parser.h"

/* One file to import: what is read of it, and what comes of it. */
struct input {
	char *path;	  /* NULL: standard input */
	const char *name; /* for messages */
	bool named;	  /* by the user, and not found in a folder */
	bool skipped;	  /* 'fault' says why it is not read */
	bool read;	  /* what is below is filled in */
	struct err fault; /* why it could not be read; kind ERR_NONE: it could */
	struct str text;
	struct stat st;
	char hash[HASH_TEXT]; /* of 'text' */
	const struct parser *parser; /* NULL: no parser knows it */
	struct parsed parsed;
	struct err refused; /* what the parser did not like; kind ERR_NONE: it could be parsed */
	struct frame frame; /* of 'text'; may be empty all the same */
	struct cell_row cell; /* of a run */
	size_t held;	    /* bytes, of import_reader */
};

/* Read it, parse it ('forced': with this parser) and make its cell as the options want it. */
void input_read(struct input *in, const struct options *opt, const struct parser *forced);

/*
 * The files of the operands of a command, in order, read ahead by another thread. It does not wait for what may never
 * come: pipes and standard input are left to be read by who gets them. NULL and an error: no thread.
 */
struct import_reader *import_reader_new(const struct options *opt, const struct parser *forced, struct err *err);

/* The next; NULL behind the last. It lasts until the next call. */
struct input *import_reader_next(struct import_reader *r);

/* Stop reading. -1: a folder could not be walked through. */
int import_reader_free(struct import_reader *r, struct err *err);

#endif
