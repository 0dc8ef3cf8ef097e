/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_TEXT_H
#define PARSERS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "parsers/metric.h"

/* What the parsers of text share: lines, numbers and units. */

/*
 * A copy of an input, cut into lines: without mail quoting, carriage returns and byte order mark, and with a blank for
 * every NUL byte.
 */
struct text {
	char *copy;
	VEC(char *) lines; /* in 'copy' */
	bool cut;	   /* no line end behind the last line: it may not be whole */
};
void text_read(struct text *t, const char *text, size_t len);
void text_release(struct text *t);

/*
 * Formats of a line a value: call 'read' for every line but blank ones and remarks ('#'), which counts from 1 and may be
 * changed. A last line without its end may be cut off: an error. So is what 'read' returns but 0, which ends it.
 */
typedef int text_line(char *line, size_t number, void *arg, struct err *err);
int text_each_line(const char *text, size_t len, text_line *read, void *arg, struct err *err);

/* Append the lines of 'text' up to 'end' to 'out', without the '>' and blanks that mails put in front of them. */
void text_unquote(const char *text, const char *end, struct str *out);

/*
 * A number below 2^63 and not below 0 in decimal digits, at '*p', which is moved behind it. False for anything else:
 * no sign, no hexadecimal, no nan.
 */
bool text_number(const char **p, double *value);

/* The whole of 'text' as such a number; NaN if it is none. */
double text_value(const char *text);

/* Blanks and tabs at '*p' are skipped. */
void text_skip_blanks(const char **p);

/*
 * What a number in 'unit', as people and programs write it ("KiB/s", "msec"), is multiplied with to be in the stored
 * unit of the metric; NaN if it is no unit of such things. "KB/s" is 1024 B/s, as in fio 1 and 2 and rawio, which are
 * all that print it so; "kB/s" and "MB/s" are decimal.
 */
double text_unit_factor(const struct metric *metric, const char *unit);

#endif
