// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/foresee.h"

#include <string.h>

#include "cli/output.h"
#include "report/cross.h"

static void add_axis(struct series *s, const char *name, const char *value)
{
	*vec_push(&s->axes) = (struct series_axis){ mem_strdup(name), mem_strdup(value) };
}

/* The cells as the database will know them, without results. */
static void foresee_cells(const struct setup *s, struct series_set *out)
{
	AUTOFREE char *device = setup_identity(s);

	for (size_t i = 0; i < s->plan.cells.n; i++) {
		const struct cell *c = &s->plan.cells.items[i];
		struct series *series = vec_push(&out->list);

		*series = (struct series){ .variant = mem_strdup(s->plan.variants.items[c->variant].name) };
		add_axis(series, "workload", s->workload.name);
		add_axis(series, "device", device);
		if (option_given(&s->options, "command"))
			add_axis(series, "command", option(&s->options, "command"));
		for (int a = 0; a < AXIS_N; a++)
			if (plan_at(&s->plan, c, a))
				add_axis(series, axes[a].name, plan_at(&s->plan, c, a)->text);
	}
}

/* Values of what the runs will tell (kernel, actor, disk ...) cannot be checked yet. */
static int check_where(struct series_set *cells, char *condition, struct err *err)
{
	AUTOFREE char *typed = mem_strndup(condition, strcspn(condition, "="));
	const strings_t one = { .items = &condition, .n = 1 };
	const char *key;

	if (!strchr(condition, '=') || !*typed)
		return where_apply(cells, &one, err);
	key = key_find(cells, typed, err);
	if (!key)
		return err_context(err, "--where");
	if (!series_axis(&cells->list.items[0], key) && strcmp(key, "variant") != 0)
		return 0;
	return where_apply(cells, &one, err);
}

static int check_keys(const struct series_set *cells, const char *list, struct err *err)
{
	AUTOSTRINGS strings_t keys = { 0 };

	str_split(list, ',', &keys);
	for (size_t i = 0; i < keys.n; i++)
		if (!key_find(cells, keys.items[i], err))
			return -1;
	return 0;
}

int foresee_axes(const struct options *opt, const struct setup *setup, struct err *err)
{
	AUTOSTRINGS strings_t conditions = { 0 };
	struct series_set cells = { 0 };
	int bad = 0;

	where_given(opt, &conditions);
	if (!conditions.n && !option_given(opt, "rows") && !option_given(opt, "cols"))
		return 0;
	foresee_cells(setup, &cells);
	if (option_given(opt, "rows"))
		bad = check_keys(&cells, option(opt, "rows"), err);
	if (!bad && option_given(opt, "cols"))
		bad = check_keys(&cells, option(opt, "cols"), err);
	/* a trend is over other sweeps too, which may have other values */
	for (size_t i = 0; !bad && i < conditions.n && cells.list.n && !output_is_trend(opt); i++)
		bad = check_where(&cells, conditions.items[i], err);
	series_set_release(&cells);
	return bad ? -1 : 0;
}
