// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/sample.h"

#include <assert.h>
#include <math.h>

void parsed_release(struct parsed *p)
{
	for (size_t i = 0; i < p->samples.n; i++)
		free(p->samples.items[i].device);
	vec_free(&p->samples);
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
