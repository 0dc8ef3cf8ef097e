// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shape.h"

#include <string.h>

#include "cli/outcome.h"

extern const struct command cmd_sweep;

static void add_mains(struct shape *shape, const char *actor, const strings_t *metrics)
{
	for (size_t i = 0; i < metrics->n; i++) {
		struct view_main add = { actor, metric_find(metrics->items[i]) };
		bool known = !add.metric;

		for (size_t k = 0; k < shape->mains.n; k++)
			known |= shape->mains.items[k].metric == add.metric && !strcmp(shape->mains.items[k].actor, actor);
		if (!known)
			*vec_push(&shape->mains) = add;
	}
}

static void take_scenario(struct shape *shape, const struct workload *w)
{
	struct scenario *s = vec_push(&shape->scenarios);

	if (scenario_parse(w, s, NULL)) {
		shape->scenarios.n--;
		return;
	}
	for (size_t i = 0; i < s->actors.n; i++)
		add_mains(shape, s->actors.items[i].name, &s->actors.items[i].metrics);
	add_mains(shape, OUTCOME_ALL, &s->metrics);
}

/* The workload of a sweep; NULL 'presets' afterwards: it wants nothing, or not what the others want. */
static int take_workload(struct shape *shape, struct store *s, int64_t sweep, char **presets, bool first,
			 struct err *err)
{
	struct workload_row row = { 0 };
	struct workload w;

	if (store_get_workload(s, sweep, &row, err))
		return -1;
	/* an imported one has none */
	workload_from_text(row.name ? row.name : "", row.text ? row.text : "", &w);
	take_scenario(shape, &w);
	if (first) {
		*presets = mem_strdup(w.presets);
	} else if (*presets && strcmp(*presets, w.presets) != 0) {
		free(*presets);
		*presets = NULL;
	}
	workload_release(&w);
	free(row.name);
	free(row.text);
	return 0;
}

int shape_find(const struct options *given, struct store *s, const int64_t *sweeps, size_t n, struct shape *out,
	       struct err *err)
{
	AUTOFREE char *presets = NULL;
	int bad = 0;

	*out = (struct shape){ 0 };
	options_copy(given, &out->options);
	for (size_t i = 0; !bad && i < n; i++)
		bad = take_workload(out, s, sweeps[i], &presets, !i, err);
	if (bad || !presets || !options_preset(&cmd_sweep, &out->options, presets, NULL))
		return bad;
	/* of another iobench, with options that we do not have */
	options_release(&out->options);
	options_copy(given, &out->options);
	return 0;
}

void shape_release(struct shape *shape)
{
	options_release(&shape->options);
	for (size_t i = 0; i < shape->scenarios.n; i++)
		scenario_release(&shape->scenarios.items[i]);
	vec_free(&shape->scenarios);
	vec_free(&shape->mains);
}
