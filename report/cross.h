/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_CROSS_H
#define REPORT_CROSS_H

#include "report/subset.h"

/*
 * For views and plots: series laid out by two lists of keys, one down, one across. A key is an axis of the cells
 * ("pattern", "numjobs", "bs_bytes" …) or one of "variant", "metric", "direction", "actor", "disk", "job", "sweep",
 * "host", "kernel", "environment". Nothing is ever put together that differs: a key that is in neither list and varies makes
 * tables of its own; host, sweep, kernel and environment do so only where two results would share a place otherwise.
 */

/* The values of one list of keys, in its order; "" where there is none. */
struct cross_line {
	strings_t values;
};
typedef VEC(struct cross_line) cross_lines_t;

struct cross {
	char *title;	   /* "sequential reads, bs 4 KiB" */
	char *label;	   /* "read-bs_bytes-4096"; "all" where nothing varies */
	members_t members; /* in the order of the plan; cells without data too */
	cross_lines_t rows, columns;  /* numbers in their order, all else in that of the plan */
	const struct series **places; /* rows.n lines of columns.n; NULL: nothing was planned there */
};
typedef VEC(struct cross) crosses_t;

/* Append the tables that 'members' make. 'rows' and 'columns' hold keys as key_find() gives them. */
void cross_make(const members_t *members, const strings_t *rows, const strings_t *columns, crosses_t *out);
void crosses_release(crosses_t *crosses);

const struct series *cross_at(const struct cross *c, size_t row, size_t column);

/* The series of the runs as a whole of these metrics; n_metrics 0: of every one. */
void members_find(const struct series_set *set, const struct metric *const *metrics, size_t n_metrics, members_t *out);

/*
 * The key that 'typed' means ("jobs" is numjobs, "bs" is bs_bytes); NULL, and ERR_USAGE naming those there are, if no
 * series has it. Borrowed from the set, or static.
 */
const char *key_find(const struct series_set *set, const char *typed, struct err *err);

/* The value of a key for a series, "" where it has none. 'buf' holds it where it is made up. */
#define KEY_TEXT 32
const char *key_value(const struct series *s, const char *key, char buf[KEY_TEXT]);

/* As a reader knows them: "jobs" for numjobs, "bs" for bs_bytes; "4 KiB". The caller frees the latter. */
const char *key_head(const char *key, char buf[KEY_TEXT]);
char *key_text(const char *key, const char *value);

/* A value as a reader knows it where nothing names its key: "bfq", "4 jobs", "bs 4 KiB". The caller frees. */
char *key_phrase(const char *key, const char *value);

/* The values of a line in one text, "bfq, 4 jobs"; "" for a line without keys. The caller frees. */
char *line_text(const struct cross_line *line, const strings_t *keys);

/* Append every key that varies among the members, but those in 'except', to 'out'. */
void keys_varying(const members_t *members, const strings_t *except, strings_t *out);

/* A condition of --where, "axis=v,v": the series that meet all of them stay. ERR_USAGE says what is wrong. */
int where_apply(struct series_set *set, const strings_t *conditions, struct err *err);

/* The same without taking anything away: 'marks', one for each series of the set, says which meet all of them. */
int where_mark(const struct series_set *set, const strings_t *conditions, bool *marks, struct err *err);

#endif
