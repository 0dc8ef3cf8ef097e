// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/plan.h"
#include "tests/fuzz/check.h"

/*
 * The grammar of schedulers, settings and axes. The first line is the list of --scheds (behind '!' with --force-sched);
 * each other line is a list for the axis that its first character names (a digit), else an argument of --set.
 */

#define VARIANTS_MAX 32 /* lines multiply them: seconds are better spent on other inputs */
#define CELLS_MAX 2000

/* A variant's key is a list itself, of the same variant. */
static void check_key(const struct variant *v)
{
	AUTOFREE char *key = variant_key(v), *again = NULL;
	variants_t one = { 0 };
	struct err err = { 0 };
	int bad = variants_parse(key, true, &one, &err);

	check_err(bad, &err, ERR_USAGE);
	CHECK(!bad && one.n == 1);
	CHECK(one.items[0].settings.n == v->settings.n);
	CHECK(!strcmp(one.items[0].scheduler, v->scheduler));
	CHECK(!one.items[0].module == !v->module && (!v->module || !strcmp(one.items[0].module, v->module)));
	again = variant_key(&one.items[0]);
	CHECK(!strcmp(key, again));
	variants_release(&one);
}

static void check_settings(const struct variant *v)
{
	for (size_t i = 0; i < v->settings.n; i++) {
		const struct variant_setting *s = &v->settings.items[i];
		char path[KNOB_PATH];

		CHECK(!strcmp(s->knob.name, s->name));
		CHECK(s->knob.stage != KNOB_SCHEDULER && *s->value);
		knob_path(&s->knob, path);
		CHECK(str_starts(path, "queue/") || str_starts(path, "device/"));
		CHECK(!strstr(path, "/.") && strcmp(path, "queue/scheduler") != 0);
		CHECK((s->knob.stage == KNOB_TUNABLE) == str_starts(path, "queue/iosched/"));
	}
}

/* Every cell once in each block. */
static void check_order(struct plan *p)
{
	AUTOFREE unsigned *seen = NULL;
	steps_t steps = { 0 };
	size_t cells = p->variants.n;

	for (int i = 0; i < AXIS_N; i++)
		cells *= p->axes[i].n && cells <= CELLS_MAX ? p->axes[i].n : 1;
	if (cells > CELLS_MAX || !cells)
		return;
	plan_make_cells(p);
	CHECK(p->cells.n == cells);
	p->runs = 2;
	plan_steps(p, &steps);
	CHECK(steps.n == 2 * cells);
	seen = mem_alloc(cells, sizeof(*seen));
	for (size_t i = 0; i < steps.n; i++)
		CHECK(steps.items[i].block == i / cells && seen[steps.items[i].cell]++ == i / cells);
	vec_free(&steps);
}

static int take_line(struct plan *p, const char *line, struct err *err)
{
	if (*line < '0' || *line > '9')
		return variants_multiply(&p->variants, line, err);
	if (p->axes[*line - '0'].n)
		return 0;
	return axis_parse(*line - '0', line + 1, &p->axes[*line - '0'], err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *text = mem_strndup((const char *)data, size);
	struct plan p = { .seed = size };
	char *rest = text, *line = strsep(&rest, "\n");
	struct err err = { 0 };
	int bad = variants_parse(line + (*line == '!'), *line == '!', &p.variants, &err);

	check_err(bad, &err, ERR_USAGE);
	while (!bad && p.variants.n <= VARIANTS_MAX && (line = strsep(&rest, "\n"))) {
		bad = take_line(&p, line, &err);
		check_err(bad, &err, ERR_USAGE);
	}
	for (size_t i = 0; !bad && i < p.variants.n; i++) {
		check_settings(&p.variants.items[i]);
		check_key(&p.variants.items[i]);
	}
	if (!bad)
		check_order(&p);
	plan_release(&p);
	return 0;
}
