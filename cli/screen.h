/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal that the stream goes to; 0: it is none, lines may be as long as they are. */
size_t screen_width(FILE *stream);

/* For text that is read and not searched: narrow enough for a mail, and for the terminal. */
size_t prose_width(FILE *stream);

/* Can a line be drawn over? A terminal that is not 'dumb'. */
bool screen_redraws(FILE *stream);

/*
 * Print 'prefix' and 'text', and a newline: broken between words before column 'width' (0: not at all), the lines behind
 * the first from column 'indent' on. A newline in the text stays one.
 */
void print_wrapped(FILE *to, const char *prefix, const char *text, size_t indent, size_t width);

#endif
