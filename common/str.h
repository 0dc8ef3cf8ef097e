/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_STR_H
#define COMMON_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/mem.h"

/* A growing string. Zeroed memory is an empty one ('s' is then NULL: use str_text). Always NUL-terminated. */
struct str {
	char *s;
	size_t len, cap;
};

void str_add(struct str *b, const char *text);
void str_addn(struct str *b, const char *bytes, size_t len);
void str_addf(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vaddf(struct str *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void str_pad(struct str *b, char c, size_t n); /* n times c */
void str_end_line(struct str *b);	       /* a newline, in place of the blanks before it */
const char *str_text(const struct str *b);     /* "" when empty; owned by b */
char *str_steal(struct str *b);		       /* the caller frees; b is empty after it */
void str_clear(struct str *b);		       /* length 0, memory kept */
void str_release(struct str *b);
#define AUTOSTR CLEANUP(str_release)

/* An array of owned strings. */
typedef VEC(char *) strings_t;
void strings_add(strings_t *v, const char *text);
bool strings_has(const strings_t *v, const char *text);
void strings_sort(strings_t *v); /* by bytes */
void strings_release(strings_t *v);
#define AUTOSTRINGS CLEANUP(strings_release)

/*
 * Cut 'text' at each 'sep' that no backslash escapes and append the pieces to 'out'. A backslash before 'sep' is
 * taken away; before anything else it stays for the next level of the grammar. "" gives one empty piece.
 */
void str_split(const char *text, char sep, strings_t *out);

/* 's' with every backslash escape resolved; the caller frees. */
char *str_unescape(const char *s);

/* Remove white space at both ends, in place; returns the new start. */
char *str_trim(char *s);

bool str_starts(const char *s, const char *prefix);

/*
 * The one of 'n' names nearest to 'word' (edit distance at most 1 for words up to 4 letters, else a third of its
 * length), for "did you mean"; NULL if none is near.
 */
const char *str_nearest(const char *word, const char *const *names, size_t n);

#endif
