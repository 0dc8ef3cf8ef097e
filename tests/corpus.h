/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

/* What tests of parsers share: the corpus with its INDEX, damage that is the same on every machine, and sanity. */

#include <stdint.h>

#include "common/file.h"
#include "common/mem.h"
#include "parsers/parser.h"
#include "tests/tap.h"

#define CORPUS "../shared/corpus/"

static double get_of(const struct parsed *p, const char *name, enum direction direction, int job, const char *device)
{
	const struct metric *m = metric_find(name);

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.items[i];

		if (s->metric == m && s->direction == direction && s->job == job &&
		    (device ? s->device && !strcmp(s->device, device) : !s->device))
			return s->value;
	}
	return NAN;
}

static double get(const struct parsed *p, const char *name, enum direction direction, int job)
{
	return get_of(p, name, direction, job, NULL);
}

static int column(const strings_t *head, const char *name)
{
	for (size_t i = 0; i < head->n; i++)
		if (!strcmp(head->items[i], name))
			return (int)i;
	return -1;
}

/* 'listed' is "-" (not in the file), "0" (the file says 0, which for rates and latencies means none), or rounded. */
static bool as_listed(double got, const char *listed, bool zero_is_missing)
{
	const char *point = strchr(listed, '.');
	double digits = point ? (double)strlen(point + 1) : 0, want = strtod(listed, NULL);

	if (!strcmp(listed, "-"))
		return isnan(got);
	if (want == 0 && (zero_is_missing || isnan(got)))
		return isnan(got);
	return fabs(got - want) <= 0.5000001 * pow(10, -digits);
}

static const struct {
	const char *column, *metric;
	enum direction direction;
	double per_unit; /* of the listed unit */
	bool zero_is_missing;
} listed[] = {
	{ "r_bw_KiBps", "bw", DIR_READ, 1024, true },
	{ "r_iops", "iops", DIR_READ, 1, true },
	{ "r_clat_mean_us", "clat_mean", DIR_READ, 1000, true },
	{ "r_clat_p99_us", "clat_p99", DIR_READ, 1000, true },
	{ "w_bw_KiBps", "bw", DIR_WRITE, 1024, true },
	{ "w_iops", "iops", DIR_WRITE, 1, true },
	{ "w_clat_mean_us", "clat_mean", DIR_WRITE, 1000, true },
	{ "w_clat_p99_us", "clat_p99", DIR_WRITE, 1000, true },
	{ "ctx", "ctx", DIR_ALL, 1, false },
	{ "usr_cpu", "usr_cpu", DIR_ALL, 1, false },
	{ "sys_cpu", "sys_cpu", DIR_ALL, 1, false },
};

/* 'relative': how exactly; 0: to the digits listed. */
static void test_listed(const struct parsed *p, const strings_t *head, const strings_t *row, double relative)
{
	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		int c = column(head, listed[i].column);
		double got = get(p, listed[i].metric, listed[i].direction, 0) / listed[i].per_unit;

		if (c < 0)
			continue;
		if (!strcmp(listed[i].metric, "bw") && !(relative > 0))
			got = floor(got); /* fio cuts off */
		if (relative > 0 && fabs(got - strtod(row->items[c], NULL)) <= relative * got)
			got = strtod(row->items[c], NULL);
		if (!ok(as_listed(got, row->items[c], listed[i].zero_is_missing), "%s: %s", row->items[0],
			listed[i].column))
			printf("# got %.17g, listed %s\n", got, row->items[c]);
	}
}

typedef void row_test(const char *folder, const strings_t *head, const strings_t *row);

/* Run 'test' for every row of a folder's INDEX whose file is 'wanted'. */
static void test_index(const char *folder, bool (*wanted)(const char *file), size_t at_least, row_test *test)
{
	AUTOFREE char *path = mem_printf("%sINDEX.tsv", folder);
	AUTOSTRINGS strings_t lines = { 0 }, head = { 0 };
	AUTOSTR struct str text = { 0 };
	size_t rows = 0;

	if (file_slurp(path, &text, NULL)) {
		skip(1, "no corpus beside this tree");
		return;
	}
	str_split(text.s, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		AUTOSTRINGS strings_t row = { 0 };

		if (!lines.items[i][0] || lines.items[i][0] == '#')
			continue;
		str_split(lines.items[i], '\t', head.n ? &row : &head);
		if (!row.n || !wanted(row.items[0]))
			continue;
		test(folder, &head, &row);
		rows++;
	}
	ok(rows >= at_least, "%s has %zu files for this test", folder, rows);
}

/* Numbers that are the same on every machine: xorshift64*. */
static uint64_t random_state;

static size_t random_below(size_t n)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (size_t)(random_state * 0x2545F4914F6CDD1DULL >> 33) % n;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = *(const struct sample *const *)a, *y = *(const struct sample *const *)b;
	int by_device = strcmp(x->device ? x->device : "", y->device ? y->device : "");

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->job != y->job)
		return x->job - y->job;
	return x->direction != y->direction ? (int)x->direction - (int)y->direction : by_device;
}

/* Whatever was read: every sample is a number, not below zero, and there once. */
static bool is_sane(const struct parsed *p)
{
	AUTOFREE const struct sample **order = mem_alloc(p->samples.n, sizeof(*order));

	for (size_t i = 0; i < p->samples.n; i++) {
		order[i] = &p->samples.items[i];
		if (!isfinite(order[i]->value) || order[i]->value < 0 || !order[i]->metric)
			return false;
	}
	if (p->samples.n)
		qsort(order, p->samples.n, sizeof(*order), compare_samples);
	for (size_t i = 1; i < p->samples.n; i++)
		if (!compare_samples(&order[i - 1], &order[i]))
			return false;
	return p->failed == !!p->reason;
}

#endif
