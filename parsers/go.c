// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "parsers/ci_name.h"
#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * The Go benchmark format (golang.org/design/14313-benchmark-format): results are lines
 *
 *	BenchmarkNAME[-PROCS] ITERATIONS VALUE UNIT [VALUE UNIT]...
 *
 * and all other lines are for others; of lines "key: value" only "sweep" is of interest. Results of one name are runs of
 * one cell: what is kept is their number, mean and deviation. A unit is "IOPS", one of bandwidth, or the name of a metric,
 * '-', and a unit of it; values in other units (the "ns/op" that Go itself always prints) are left out, and so are
 * percentiles, which have no mean over runs.
 */

struct result {
	char *name, *sweep; /* "" is none */
	const struct metric *metric;
	enum direction direction;
	size_t n;
	double mean, squares; /* Welford: sum of squared differences from the mean */
};
typedef VEC(struct result) results_t;

static void results_release(results_t *results)
{
	for (size_t i = 0; i < results->n; i++) {
		free(results->items[i].name);
		free(results->items[i].sweep);
	}
	vec_free(results);
}

/* The metric that a unit tells, and what values are multiplied with; NULL: none of ours. */
static const struct metric *metric_of_unit(const char *unit, enum direction *direction, double *factor)
{
	static const char *const plain[] = { "iops", "bw" };
	const char *name = unit, *dash;
	const struct metric *metric;
	AUTOFREE char *stem = NULL;

	*direction = ci_name_direction(&name);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		metric = metric_find(plain[i]);
		*factor = text_unit_factor(metric, name);
		if (!isnan(*factor))
			return metric;
	}
	dash = strrchr(name, '-');
	stem = dash ? mem_strndup(name, (size_t)(dash - name)) : mem_strdup(name);
	metric = metric_find(stem);
	if (!metric || metric->flags & METRIC_PERCENTILE)
		return NULL;
	*factor = text_unit_factor(metric, dash ? dash + 1 : "");
	return isnan(*factor) ? NULL : metric;
}

static struct result *result_of(results_t *results, const char *name, const char *sweep, const struct metric *metric,
				enum direction direction)
{
	struct result *r;

	/* lines of one name stand together */
	for (size_t i = results->n; i--;) {
		r = &results->items[i];
		if (r->metric == metric && r->direction == direction && !strcmp(r->name, name) && !strcmp(r->sweep, sweep))
			return r;
	}
	r = vec_push(results);
	r->name = mem_strdup(name);
	r->sweep = mem_strdup(sweep);
	r->metric = metric;
	r->direction = direction;
	return r;
}

static void add_value(struct result *r, double value)
{
	double difference = value - r->mean;

	r->n++;
	r->mean += difference / (double)r->n;
	r->squares += difference * (value - r->mean);
}

static void split_fields(const char *line, strings_t *out)
{
	static const char blanks[] = " \t\v\f\r";

	for (line += strspn(line, blanks); *line; line += strspn(line, blanks)) {
		size_t len = strcspn(line, blanks);

		*vec_push(out) = mem_strndup(line, len);
		line += len;
	}
}

static int read_result(const char *line, size_t number, const char *sweep, results_t *results, struct err *err)
{
	static const char benchmark[] = "Benchmark";
	AUTOSTRINGS strings_t fields = { 0 };

	split_fields(line, &fields);
	if (fields.n < 4 || fields.n % 2)
		return err_set(err, ERR_FAULT, "line %zu: not a name, iterations, and pairs of value and unit", number);
	if (isnan(text_value(fields.items[1])))
		return err_set(err, ERR_FAULT, "line %zu: '%s' is no number of iterations", number, fields.items[1]);
	for (size_t i = 2; i < fields.n; i += 2) {
		enum direction direction;
		double factor, value = text_value(fields.items[i]);
		const struct metric *metric = metric_of_unit(fields.items[i + 1], &direction, &factor);

		if (!metric)
			continue;
		if (isnan(value))
			return err_set(err, ERR_FAULT, "line %zu: '%s' is not a number", number, fields.items[i]);
		add_value(result_of(results, fields.items[0] + strlen(benchmark), sweep, metric, direction), value * factor);
	}
	return 0;
}

/* "IO/variant=…" is ours; of other names a trailing "-8" is GOMAXPROCS. */
static void publish(const struct result *r, struct parsed *out)
{
	static const char ours[] = "IO/";
	bool is_ours = str_starts(r->name, ours);
	AUTOFREE char *name = mem_strdup(is_ours ? r->name + strlen(ours) : r->name);
	char *dash = strrchr(name, '-');
	struct published *p = vec_push(&out->published);

	if (!is_ours && dash && dash != name && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")]) {
		*dash = '\0';
		*vec_push(&p->axes) = mem_printf("gomaxprocs=%s", dash + 1);
	}
	ci_name_read(*name ? name : "Benchmark", p);
	p->source = *r->sweep ? mem_strdup(r->sweep) : NULL;
	p->metric = r->metric;
	p->direction = r->direction;
	p->n = r->n;
	p->mean = r->mean;
	p->stddev = r->n > 1 ? sqrt(r->squares / (double)(r->n - 1)) : NAN;
}

static int read_lines(const struct text *t, results_t *results, struct err *err)
{
	static const char key[] = "sweep:";
	const char *sweep = "";

	for (size_t i = 0; i < t->lines.n; i++) {
		char *line = t->lines.items[i];

		if (str_starts(line, key))
			sweep = str_trim(line + strlen(key));
		if (!str_starts(line, "Benchmark"))
			continue;
		if (t->cut && i + 1 == t->lines.n)
			return err_set(err, ERR_FAULT, "line %zu: no line end behind it: it may be cut off", i + 1);
		if (read_result(line, i + 1, sweep, results, err))
			return -1;
	}
	return results->n ? 0 : err_set(err, ERR_FAULT, "no line has a unit that tells one of our metrics ('IOPS', 'MB/s', "
							"'lat_mean-ns')");
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	results_t results = { 0 };
	struct text t;
	int bad;

	text_read(&t, text, len);
	bad = read_lines(&t, &results, err);
	for (size_t i = 0; !bad && i < results.n; i++)
		if (isfinite(results.items[i].mean))
			publish(&results.items[i], out);
	if (!bad && !out->published.n)
		bad = err_set(err, ERR_FAULT, "no finite value in it");
	results_release(&results);
	text_release(&t);
	return bad;
}

/* A line starts with a benchmark's name and a number. */
static bool sniff(const char *text, size_t len)
{
	static const char benchmark[] = "Benchmark";
	const char *end = text + len;

	for (const char *line = text; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
		line += *line == '\n';
		if (!str_starts(line, benchmark))
			continue;
		line += strcspn(line, " \t\r\n");
		text_skip_blanks(&line);
		if (*line >= '0' && *line <= '9')
			return true;
	}
	return false;
}

const struct parser go = {
	.name = "go",
	.title = "Go benchmark format",
	.wants = "a line \"BenchmarkNAME ITERATIONS VALUE UNIT\"",
	.sniff = sniff,
	.parse = parse,
};
