// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/sample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void parsed_release(struct parsed *p)
{
	for (size_t i = 0; i < p->samples.n; i++)
		free(p->samples.items[i].device);
	vec_free(&p->samples);
	for (size_t i = 0; i < p->axes.n; i++)
		free(p->axes.items[i].value);
	vec_free(&p->axes);
	for (size_t i = 0; i < p->published.n; i++) {
		free(p->published.items[i].source);
		free(p->published.items[i].pattern);
		free(p->published.items[i].variant);
		free(p->published.items[i].jobs);
		strings_release(&p->published.items[i].axes);
	}
	vec_free(&p->published);
	free(p->tool);
	free(p->diagnostics);
	free(p->reason);
	*p = (struct parsed){ 0 };
}

void parsed_add_metric(struct parsed *p, const struct metric *metric, enum direction direction, int job, double value)
{
	struct sample *s;

	if (!isfinite(value))
		return;
	s = vec_push(&p->samples);
	s->metric = metric;
	s->direction = direction;
	s->job = job;
	s->value = value;
}

void parsed_add(struct parsed *p, const char *metric, enum direction direction, int job, double value)
{
	const struct metric *m = metric_find(metric);

	assert(m);
	parsed_add_metric(p, m, direction, job, value);
}

void parsed_add_of_device(struct parsed *p, const char *metric, enum direction direction, const char *device,
			  double value)
{
	size_t before = p->samples.n;

	parsed_add(p, metric, direction, JOB_ALL, value);
	if (p->samples.n > before)
		p->samples.items[before].device = mem_strdup(device);
}

static struct parsed_axis *find_axis(const struct parsed *p, const char *name)
{
	for (size_t i = 0; i < p->axes.n; i++)
		if (!strcmp(p->axes.items[i].name, name))
			return &p->axes.items[i];
	return NULL;
}

void parsed_add_axis(struct parsed *p, const char *name, const char *value)
{
	struct parsed_axis *axis = find_axis(p, name);

	if (!axis) {
		*vec_push(&p->axes) = (struct parsed_axis){ name, mem_strdup(value) };
	} else if (!axis->value || !value || strcmp(axis->value, value) != 0) {
		free(axis->value);
		axis->value = NULL;
	}
}

const char *parsed_axis(const struct parsed *p, const char *name)
{
	const struct parsed_axis *axis = find_axis(p, name);

	return axis ? axis->value : NULL;
}

bool parsed_get(const struct parsed *p, const char *metric, enum direction direction, double *value)
{
	const struct metric *m = metric_find(metric);

	/* The run as a whole comes behind its jobs. */
	for (size_t i = p->samples.n; m && i-- > 0;) {
		const struct sample *s = &p->samples.items[i];

		if (s->metric == m && s->direction == direction && s->job == JOB_ALL && !s->device) {
			*value = s->value;
			return true;
		}
	}
	return false;
}
