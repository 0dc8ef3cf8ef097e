/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_COMPARE_SERIES_H
#define TESTS_UNIT_COMPARE_SERIES_H

/* Series made by hand, for the tests of what compares them. */

#include <math.h>

#include "db/series.h"
#include "report/subset.h"

static struct series *series_add(struct series_set *set, const char *metric, const char *variant, const char *pattern,
				 int jobs)
{
	struct series *s = vec_push(&set->list);

	*s = (struct series){
		.sweep = 1,
		.environment = 1,
		.variant = mem_strdup(variant),
		.state = mem_strdup("done"),
		.metric = metric_find(metric),
		.job = JOB_ALL,
		.mean = NAN,
		.stddev = NAN,
	};
	*vec_push(&s->axes) = (struct series_axis){ mem_strdup("pattern"), mem_strdup(pattern) };
	*vec_push(&s->axes) = (struct series_axis){ mem_strdup("numjobs"), mem_printf("%d", jobs) };
	return s;
}

__attribute__((unused)) static void series_point(struct series *s, int invocation, int block, double value)
{
	*vec_push(&s->points) = (struct series_point){ .value = value, .block = block, .invocation = invocation };
}

/* Blocks 0, 1, … of one invocation. */
__attribute__((unused)) static void series_points(struct series *s, int invocation, const double *values, int n)
{
	for (int i = 0; i < n; i++)
		series_point(s, invocation, i, values[i]);
}

__attribute__((unused)) static void series_summary(struct series *s, uint64_t n, double mean, double stddev)
{
	s->summary_only = true;
	s->n = n;
	s->mean = mean;
	s->stddev = stddev;
}

/* Those of a variant; all for NULL. */
__attribute__((unused)) static void members_of(const struct series_set *set, const char *variant, members_t *out)
{
	for (size_t i = 0; i < set->list.n; i++)
		if (!variant || same_text(set->list.items[i].variant, variant))
			*vec_push(out) = &set->list.items[i];
}

#endif
