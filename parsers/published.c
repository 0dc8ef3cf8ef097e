// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * Published tables: lines of fields between tabs, '#' for remarks, the first line names the columns
 *
 *	source	pattern	variant	jobs	metric	unit	n	mean	stddev
 *
 * in this order. A field without value is empty; units are those of text.h. The deviation is over the runs, but where
 * the metric says otherwise.
 */

enum { SOURCE, PATTERN, VARIANT, JOBS, METRIC, UNIT, N, MEAN, STDDEV, N_FIELDS };

static const char head[] = "source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev";

/* Names that the posts need and the table of metrics has otherwise. */
static const struct {
	const char *name, *metric, *stddev_metric; /* stddev_metric: what the deviation is of, if not of runs */
	enum direction direction;
} names[] = {
	{ "lat_sd_io", "lat_mean", "lat_stddev", DIR_ALL },
	{ "bw_per_process", "job_bw_mean", NULL, DIR_ALL },
	{ "iops_per_process", "job_iops_mean", NULL, DIR_ALL },
	{ "num_read", "ios", NULL, DIR_ALL },
};

static char *or_null(const char *text)
{
	return *text ? mem_strdup(text) : NULL;
}

static void add(char *const *field, const struct metric *metric, double n, double mean, double stddev,
		struct parsed *out)
{
	*vec_push(&out->published) = (struct published){
		.source = or_null(field[SOURCE]), .pattern = or_null(field[PATTERN]), .variant = or_null(field[VARIANT]),
		.jobs = or_null(field[JOBS]), .metric = metric, .direction = DIR_ALL, .n = isnan(n) ? 0 : (size_t)n,
		.mean = mean, .stddev = stddev,
	};
}

/* A number, or nothing: NaN. False for anything else. */
static bool optional(const char *text, double *value)
{
	*value = text_value(text);
	return !*text || !isnan(*value);
}

static int read_row(char *const *field, size_t line, struct parsed *out, struct err *err)
{
	const char *name = field[METRIC], *of_stddev = NULL;
	const struct metric *metric;
	double n, mean = text_value(field[MEAN]), stddev, factor;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i].name, field[METRIC])) {
			name = names[i].metric;
			of_stddev = names[i].stddev_metric;
		}
	metric = metric_find(name);
	if (!metric)
		return err_set(err, ERR_FAULT, "line %zu: unknown metric '%s'", line, field[METRIC]);
	factor = text_unit_factor(metric, field[UNIT]);
	if (isnan(factor))
		return err_set(err, ERR_FAULT, "line %zu: '%s' is no unit of '%s' (stored in '%s')", line, field[UNIT],
			       field[METRIC], metric->unit);
	if (!*field[VARIANT])
		return err_set(err, ERR_FAULT, "line %zu: no variant", line);
	if (isnan(mean) || !optional(field[STDDEV], &stddev))
		return err_set(err, ERR_FAULT, "line %zu: mean '%s' or stddev '%s' is not a number", line, field[MEAN],
			       field[STDDEV]);
	if (!optional(field[N], &n) || (*field[N] && (n < 1 || n != floor(n))) ||
	    !optional(field[JOBS], &(double){ 0 }))
		return err_set(err, ERR_FAULT, "line %zu: n '%s' or jobs '%s' is not a count", line, field[N],
			       field[JOBS]);
	add(field, metric, n, mean * factor, of_stddev ? NAN : stddev * factor, out);
	if (of_stddev && !isnan(stddev))
		add(field, metric_find(of_stddev), n, stddev * factor, NAN, out);
	return 0;
}

/* Cut 'line' apart in place. */
static size_t split(char *line, char *field[N_FIELDS])
{
	size_t n = 0;

	for (char *p = line; p; n++) {
		char *tab = strchr(p, '\t');

		if (tab)
			*tab = '\0';
		if (n < N_FIELDS)
			field[n] = str_trim(p);
		p = tab ? tab + 1 : NULL;
	}
	return n;
}

struct reading {
	struct parsed *out;
	bool below_head;
};

static int read_line(char *line, size_t number, void *arg, struct err *err)
{
	struct reading *r = arg;
	char *field[N_FIELDS];

	if (!r->below_head && strcmp(line, head) != 0)
		return err_set(err, ERR_FAULT, "line %zu: the columns must be source, pattern, variant, jobs, metric, unit, n, "
			       "mean, stddev, with tabs between them", number);
	if (!r->below_head) {
		r->below_head = true;
		return 0;
	}
	if (split(line, field) != N_FIELDS)
		return err_set(err, ERR_FAULT, "line %zu: not %d fields", number, (int)N_FIELDS);
	return read_row(field, number, r->out, err);
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct reading r = { .out = out };
	int bad = text_each_line(text, len, read_line, &r, err);

	if (!bad && !out->published.n)
		bad = err_set(err, ERR_FAULT, "no row in it");
	if (bad)
		parsed_release(out);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, head, strlen(head));
}

const struct parser published = {
	.name = "published",
	.title = "published tables: source, pattern, variant, jobs, metric, unit, n, mean, stddev",
	.wants = "a line with the names of its columns",
	.sniff = sniff,
	.parse = parse,
};
