// SPDX-License-Identifier: GPL-2.0-or-later
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "parsers/ci_name.h"
#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * What github-action-benchmark takes as customBiggerIsBetter and customSmallerIsBetter: an array of objects with name,
 * value, unit, and maybe range and extra. The name ends in a metric of ours, or the unit is one of rate or bandwidth; the
 * value is a mean. Of what 'export' wrote, "mean of 10 runs" is their number and "± 1.5" the deviation over them, and
 * "median of" leaves the entry out: a table of means cannot hold it. What the range of others is of, is not known.
 */

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* The metric, and in '*name_len' how much of the name is before it. */
static const struct metric *metric_of(const char *name, const char *unit, size_t *name_len, enum direction *direction,
				      double *factor)
{
	static const char *const plain[] = { "iops", "bw" };
	const char *blank = strrchr(name, ' ');
	const struct metric *metric;

	if (blank) {
		const char *word = blank + 1;

		*direction = ci_name_direction(&word);
		metric = metric_find(word);
		*factor = metric ? text_unit_factor(metric, unit) : NAN;
		*name_len = (size_t)(blank - name);
		if (!isnan(*factor) && *name_len)
			return metric;
	}
	*direction = DIR_ALL;
	*name_len = strlen(name);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		metric = metric_find(plain[i]);
		*factor = text_unit_factor(metric, unit);
		if (!isnan(*factor))
			return metric;
	}
	return NULL;
}

/* The number that follows, NaN if it does not. */
static double number_behind(const char *text, const char *start)
{
	const char *p = text && str_starts(text, start) ? text + strlen(start) : "";
	double value;

	return text_number(&p, &value) ? value : NAN;
}

static int read_entry(const cJSON *entry, size_t number, struct parsed *out, struct err *err)
{
	const char *name = text_of(entry, "name"), *unit = text_of(entry, "unit"), *extra = text_of(entry, "extra");
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, "value");
	double factor, n = number_behind(extra, "mean of ");
	const struct metric *metric;
	enum direction direction;
	AUTOFREE char *own = NULL;
	struct published *p;
	size_t name_len;

	if (!name || !*name || !unit || !cJSON_IsNumber(value))
		return err_set(err, ERR_FAULT, "entry %zu: not an object with name, unit and value", number);
	metric = metric_of(name, unit, &name_len, &direction, &factor);
	if (!metric)
		return err_set(err, ERR_FAULT, "entry %zu: neither does '%s' end in a metric of ours with unit '%s', nor is that a "
			       "unit of rate or bandwidth", number, name, unit);
	if (!(value->valuedouble >= 0 && value->valuedouble < 0x1p63))
		return err_set(err, ERR_FAULT, "entry %zu: the value is not a number from 0 on", number);
	if (extra && str_starts(extra, "median"))
		return 0;
	own = mem_strndup(name, name_len);
	p = vec_push(&out->published);
	ci_name_read(own, p);
	p->metric = metric;
	p->direction = direction;
	p->n = n >= 1 ? (size_t)n : 0;
	p->mean = value->valuedouble * factor;
	p->stddev = p->n ? number_behind(text_of(entry, "range"), "\u00b1 ") * factor : NAN;
	return 0;
}

static int read_array(const cJSON *array, struct parsed *out, struct err *err)
{
	const cJSON *entry;
	size_t number = 0;

	if (!cJSON_IsArray(array))
		return err_set(err, ERR_FAULT, "not a JSON array of objects");
	cJSON_ArrayForEach(entry, array)
		if (read_entry(entry, ++number, out, err))
			return -1;
	return out->published.n ? 0 : err_set(err, ERR_FAULT, number ? "only medians in it: a table of means cannot hold them" :
								     "an empty array");
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	cJSON *array = cJSON_ParseWithLengthOpts(text, len + 1, NULL, true);
	int bad = array ? read_array(array, out, err) : err_set(err, ERR_FAULT, "not a JSON document, or a cut one");

	if (bad)
		parsed_release(out);
	cJSON_Delete(array);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	const char *start = text + strspn(text, " \t\r\n");

	return *start == '[' && memmem(text, len, "\"value\"", 7) && memmem(text, len, "\"unit\"", 6);
}

const struct parser github = {
	.name = "github",
	.title = "github-action-benchmark, customBiggerIsBetter and customSmallerIsBetter",
	.wants = "an array of objects with \"name\", \"unit\" and \"value\"",
	.sniff = sniff,
	.parse = parse,
};
