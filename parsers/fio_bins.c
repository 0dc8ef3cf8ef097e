// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/fio_bins.h"

#include <cjson/cJSON.h>
#include <string.h>

static int compare_bins(const void *a, const void *b)
{
	double x = ((const struct latency_bin *)a)->value_ns, y = ((const struct latency_bin *)b)->value_ns;

	return (x > y) - (x < y);
}

void latency_bins_sort(latency_bins_t *bins)
{
	size_t n = 0;

	if (bins->n)
		qsort(bins->items, bins->n, sizeof(*bins->items), compare_bins);
	for (size_t i = 0; i < bins->n; i++)
		if (n && bins->items[n - 1].value_ns == bins->items[i].value_ns)
			bins->items[n - 1].count += bins->items[i].count;
		else
			bins->items[n++] = bins->items[i];
	bins->n = n;
}

/* fio 3: "bins": { "1234": 5, … }, the key is the value in ns (stat.c, add_ddir_status_json). */
static double add_histogram(const cJSON *io, latency_bins_t *bins)
{
	const cJSON *clat = cJSON_GetObjectItemCaseSensitive(io, "clat_ns");
	const cJSON *from = cJSON_GetObjectItemCaseSensitive(clat, "bins"), *item;
	double sum = 0;

	cJSON_ArrayForEach(item, from)
	{
		char *end;
		double value = strtod(item->string, &end);

		if (end == item->string || *end || !cJSON_IsNumber(item) || item->valuedouble <= 0)
			continue;
		*vec_push(bins) = (struct latency_bin){ value, item->valuedouble };
		sum += item->valuedouble;
	}
	return sum;
}

double fio_bins_add(const char *raw, size_t len, enum direction direction, latency_bins_t *bins)
{
	static const char *const names[] = { [DIR_READ] = "read", [DIR_WRITE] = "write", [DIR_TRIM] = "trim" };
	/* fio's own words may stand before the document */
	const char *start = memchr(raw, '{', len);
	cJSON *json = start ? cJSON_ParseWithLengthOpts(start, len - (size_t)(start - raw), NULL, 0) : NULL;
	const cJSON *job;
	double sum = 0;

	cJSON_ArrayForEach(job, cJSON_GetObjectItemCaseSensitive(json, "jobs"))
		for (size_t d = DIR_READ; d < ARRAY_LEN(names); d++)
			if (direction == DIR_ALL || direction == (enum direction)d)
				sum += add_histogram(cJSON_GetObjectItemCaseSensitive(job, names[d]), bins);
	cJSON_Delete(json);
	latency_bins_sort(bins);
	return sum;
}
