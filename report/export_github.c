// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What github-action-benchmark takes as its tools customBiggerIsBetter and customSmallerIsBetter: an array of
 * { "name", "unit", "value", "range", "extra" }. A metric fits one of the two only. The value is the mean over runs and
 * the range its sample deviation; of a percentile, which must not be averaged, the median, and smallest to largest.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "report/figure.h"
#include "report/subset.h"

static void put_number(cJSON *object, const char *name, double value)
{
	AUTOSTR struct str digits = { 0 };

	export_figure(&digits, value);
	cJSON_AddRawToObject(object, name, str_text(&digits));
}

static void put_range(cJSON *object, const struct stats *st, bool percentile)
{
	AUTOSTR struct str range = { 0 };

	if (percentile ? st->n < 2 : isnan(st->stddev))
		return;
	str_add(&range, percentile ? "" : "\u00b1 ");
	export_figure(&range, percentile ? st->min : st->stddev);
	if (percentile) {
		str_add(&range, " to ");
		export_figure(&range, st->max);
	}
	cJSON_AddStringToObject(object, "range", str_text(&range));
}

/* "mean of 10 runs\nkernel 6.1.0": shown where the pointer rests on a point of the chart. */
static void put_extra(cJSON *object, const struct series *s, const struct stats *st, bool percentile)
{
	AUTOSTR struct str extra = { 0 };

	str_add(&extra, percentile ? "median" : "mean");
	if (st->n)
		str_addf(&extra, " of %zu run%s", st->n, st->n == 1 ? "" : "s");
	if (given_text(s->kernel))
		str_addf(&extra, "\nkernel %s", s->kernel);
	cJSON_AddStringToObject(object, "extra", str_text(&extra));
}

static void put_series(const struct export_data *d, const struct series *s, cJSON *array)
{
	struct stats st = series_summary(s, s->metric->print_scale);
	bool percentile = s->metric->flags & METRIC_PERCENTILE && !isnan(st.median);
	AUTOFREE char *own = export_series_name(d, s);
	AUTOFREE char *name = mem_printf("%s %s%s", own, export_direction(s->direction), s->metric->name);
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "name", name);
	cJSON_AddStringToObject(object, "unit", s->metric->print_unit);
	put_number(object, "value", percentile ? st.median : st.mean);
	put_range(object, &st, percentile);
	put_extra(object, s, &st, percentile);
	cJSON_AddItemToArray(array, object);
}

static int write_array(const struct export_data *d, struct str *out, struct err *err)
{
	cJSON *array = cJSON_CreateArray();
	char *text;

	(void)err;
	for (size_t i = 0; i < d->set.list.n; i++)
		if (d->set.list.items[i].metric && series_has_data(&d->set.list.items[i]))
			put_series(d, &d->set.list.items[i], array);
	text = cJSON_Print(array);
	if (!text)
		abort(); /* as mem_alloc */
	str_addf(out, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(array);
	return 0;
}

const struct exporter export_github_bigger = {
	.name = "github-bigger",
	.title = "github-action-benchmark, customBiggerIsBetter",
	.better = BETTER_HIGHER,
	.write = write_array,
};

const struct exporter export_github_smaller = {
	.name = "github-smaller",
	.title = "github-action-benchmark, customSmallerIsBetter",
	.better = BETTER_LOWER,
	.write = write_array,
};
