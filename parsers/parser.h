/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_PARSER_H
#define PARSERS_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "parsers/sample.h"

/*
 * A parser turns the text of one input format into samples. It never prints, never crashes, never makes up a zero.
 * To add one: a file that defines a 'const struct parser', and a row in parsers/parser.c.
 */
struct parser {
	const char *name;  /* "fio-json": as stored with the raw output and in --format of import */
	const char *title; /* "fio --output-format=json or json+" */

	const char *wants; /* what a text must hold to be of this format: "a member \"fio version\"" */

	/* Whether the text may be of this format; cheap. */
	bool (*sniff)(const char *text, size_t len);

	/*
	 * 'text' is NUL-terminated at text[len] (and may hold other NULs). Fills 'out', which must be empty. An error
	 * names the line or JSON path and leaves 'out' empty. A whole output of a failed run is no error: it gives
	 * 'failed' and 'reason'.
	 */
	int (*parse)(const char *text, size_t len, struct parsed *out, struct err *err);
};

/*
 * Read a text with 'forced', or with the first of those that sniff at it which can. '*which' is the one that did, on
 * error the first that sniffed, NULL if none did; the message says what was tried and why each declined.
 */
int parser_read(const char *text, size_t len, const struct parser *forced, struct parsed *out,
		const struct parser **which, struct err *err);

const struct parser *parser_find(const char *name); /* NULL if there is none */
const struct parser *parser_at(size_t i);	    /* NULL behind the last */

#endif
