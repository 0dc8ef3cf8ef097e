// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * For anything else: a line a value, "name value unit", '#' for remarks:
 *
 *	iops 17060.3 IOPS
 *	read/clat_p99 1.25 ms
 *	ctx 2210
 *
 * Names are those of the table of metrics, with "read/", "write/", "trim/" before them where they are of one direction;
 * units are those of text.h, left out where the metric has none.
 */

#define VALUES_MAX 1000 /* there are not so many metrics */

static const char *const directions[] = {
	[DIR_ALL] = "all/", [DIR_READ] = "read/", [DIR_WRITE] = "write/", [DIR_TRIM] = "trim/",
};

/* A direction in front of the name; '*name' is moved behind it. */
static enum direction read_direction(const char **name)
{
	for (size_t d = 0; d < ARRAY_LEN(directions); d++)
		if (str_starts(*name, directions[d])) {
			*name += strlen(directions[d]);
			return (enum direction)d;
		}
	return DIR_ALL;
}

/* The next word of a line, cut off in place; "" behind the last. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end = word + strcspn(word, " \t");

	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static int read_line(char *line, size_t number, void *parsed, struct err *err)
{
	struct parsed *out = parsed;
	const char *name = next_word(&line), *value = next_word(&line), *unit = next_word(&line), *typed = name;
	enum direction d = read_direction(&name);
	const struct metric *metric = metric_find(name);
	double factor, ignored;

	if (out->samples.n == VALUES_MAX)
		return err_set(err, ERR_FAULT, "line %zu: over %d values", number, VALUES_MAX);
	if (!metric)
		return err_set(err, ERR_FAULT, "line %zu: unknown metric '%s'", number, typed);
	factor = text_unit_factor(metric, unit);
	if (isnan(factor) || line[strspn(line, " \t")])
		return err_set(err, ERR_FAULT, "line %zu: '%s%s' is no unit of '%s' (stored in '%s')", number, unit, line,
			       name, metric->unit);
	if (isnan(text_value(value)))
		return err_set(err, ERR_FAULT, "line %zu: '%s' is not a number", number, value);
	if (parsed_get(out, metric->name, d, &ignored))
		return err_set(err, ERR_FAULT, "line %zu: '%s' is there twice", number, typed);
	parsed_add_metric(out, metric, d, JOB_ALL, text_value(value) * factor);
	return 0;
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	int bad = text_each_line(text, len, read_line, out, err);

	if (!bad && !out->samples.n)
		bad = err_set(err, ERR_FAULT, "no line 'name value unit' in it");
	if (bad)
		parsed_release(out);
	return bad;
}

/* The first line that is no remark begins with the name of a metric and a number. */
static bool sniff(const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		AUTOFREE char *line = mem_strndup(text, (size_t)((eol ? eol : end) - text));
		char *p = str_trim(line);
		const char *name;

		text = eol ? eol + 1 : end;
		if (!*p || *p == '#')
			continue;
		name = next_word(&p);
		read_direction(&name);
		return metric_find(name) && !isnan(text_value(next_word(&p)));
	}
	return false;
}

const struct parser name_value = {
	.name = "name-value",
	.title = "lines 'name value unit'",
	.wants = "a first line \"METRIC NUMBER UNIT\"",
	.sniff = sniff,
	.parse = parse,
};
