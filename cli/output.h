/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/command.h"
#include "db/series.h"
#include "db/store.h"
#include "db/trend.h"
#include "parsers/metric.h"
#include "parsers/sample.h"
#include "report/table.h"

/* Tables as --layout, --format, --metric, --direction and -o ask for: what report prints and a sweep ends with. */

/* What --metric and --direction name. */
typedef VEC(const struct metric *) metrics_t;
int choose_metrics(const struct options *opt, metrics_t *out, struct err *err);
int choose_direction(const struct options *opt, enum direction *out, struct err *err);

/*
 * The sweeps that the operands name, or that --since does; without either the last, or with 'every' all of them. The
 * caller frees '*ids'.
 */
int choose_sweeps(const struct options *opt, struct store *s, bool every, int64_t **ids, size_t *n, struct err *err);

/* Leave in the series of a trend what meets every --where; rows of one sweep cannot be asked for so. */
int choose_where_trend(const struct options *opt, struct trend *t, struct err *err);

/* The one that --format names. */
struct emitter;
int choose_format(const struct options *opt, const struct emitter **out, struct err *err);

/* Leave in the set what meets every --where. */
int choose_where(const struct options *opt, struct series_set *set, struct err *err);

/* Append what was given as --where. */
void where_given(const struct options *opt, strings_t *out);

/* To the file, or the terminal for NULL and "-". */
int output_write(const char *path, const struct str *text, struct err *err);

/* Whether --layout is one over many sweeps. */
bool output_is_trend(const struct options *opt);

/* Find out what is wrong with these options before anything is measured. */
int output_check(const struct options *opt, struct err *err);
int output_check_format(const struct options *opt, struct err *err); /* for commands that have one shape */

/* Could --output be written, before hours are spent on what shall stand in it? Leaves no trace. */
int output_check_file(const struct options *opt, struct err *err);

/* What is not typed is as the workload of the sweeps wants it (cli/shape.h). */
int output_tables(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n, struct err *err);

/* Print tables that are made already, as --format and -o ask for. */
int output_emit(const struct options *opt, const struct tables *tables, struct err *err);

#endif
