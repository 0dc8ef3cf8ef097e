/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "common/str.h"

/* UTF-8 whatever the locale, for names that end up in tables. */

#define UTF8_BAD UINT32_MAX

/* The character at '*s', which is not at its end, and step over it; UTF8_BAD, and one byte, for what is not UTF-8. */
uint32_t utf8_next(const char **s);

/* Columns that 's' takes on a terminal: 2 for East Asian wide characters and emoji, 0 for combining marks. */
size_t utf8_width(const char *s);

/* Append 's' with '?' for control characters and bytes that are not UTF-8: nothing a name holds can break a line. */
void utf8_add_printable(struct str *out, const char *s);

/* The same, with escapes[c] in place of an ASCII character that has one. */
void utf8_add_escaped(struct str *out, const char *text, const char *const escapes[128]);

/*
 * Append 'prefix' and such a text as lines of at most 'limit' columns, broken between words and without trailing blanks;
 * the lines behind the first are indented. What is appended starts a line.
 */
void utf8_add_wrapped(struct str *out, const char *prefix, const char *text, size_t indent, size_t limit);

#endif
