/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "common/err.h"
#include "db/series.h"
#include "db/store.h"

/*
 * Results for other programs, mostly of continuous integration. Everything has one name in all formats, of parts that
 * tell it from the others:
 *
 *	variant=bfq:low_latency=0/bs=4k/pattern=read/jobs=4
 *
 * bs, pattern and jobs always, other axes where they vary. In a part, blanks, control characters, '/', '%', and what is
 * not ASCII are written as %xx, so that a name is one word; parsers/ci_name.h reads such names.
 */

struct export_sweep {
	struct sweep_row row;
	cell_rows_t cells;
	run_rows_t runs;
	warning_counts_t warnings;
};

/* Zeroed memory is empty. */
struct export_data {
	VEC(struct export_sweep) sweeps;
	struct series_set set; /* of the metrics asked for, whole runs, one direction */
};
void export_data_release(struct export_data *d);

/*
 * A format for other programs. To add one: a file export_NAME.c that defines a 'const struct exporter', and a row in
 * report/export.c.
 */
struct exporter {
	const char *name;   /* of --format: "go" */
	const char *title;
	enum better better; /* it can hold only metrics of which this is better; BETTER_NEITHER: any */
	bool without_values; /* it makes sense without a single value too */
	int (*write)(const struct export_data *d, struct str *out, struct err *err);
};
const struct exporter *exporter_find(const char *name); /* NULL if there is none */
const struct exporter *exporter_at(size_t i);		/* NULL behind the last */

/* The name of a cell; the caller frees. */
char *export_cell_name(const struct export_data *d, const struct cell_row *cell);

/*
 * The name of a series: of its cell, and "/actor=", "/disk=", "/kernel=", "/environment=" where the cell has several of
 * the same metric. The caller frees.
 */
char *export_series_name(const struct export_data *d, const struct series *s);

/* Whether a cell is among those asked for (--where). */
bool export_has_cell(const struct export_data *d, const struct cell_row *cell);

/* Append a number with the fewest digits that read back as the same one, '.' in every locale. */
void export_number(struct str *out, double value);

/* The same to nine digits, for what is computed and scaled: 120.32, not 120.32000000000001. */
void export_figure(struct str *out, double value);

/* "read/" before the names of metrics that are of one direction; "" for all. */
const char *export_direction(enum direction d);

/* Parts of JUnit XML: ' name="value"', and a property of a suite unless it is empty. */
void junit_add_attribute(struct str *out, const char *name, const char *value);
void junit_add_property(struct str *out, const char *name, const char *value);

#endif
