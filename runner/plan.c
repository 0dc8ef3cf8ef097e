// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/random.h"
#include "common/units.h"

const struct axis axes[AXIS_N] = {
	[AXIS_GOVERNOR] = { "governor", "governors", NULL, AXIS_WORD, NULL },
	[AXIS_IOENGINE] = { "ioengine", "ioengine", "IOENGINE", AXIS_WORD, "libaio" },
	[AXIS_DIRECT] = { "direct", "direct", "DIRECT", AXIS_COUNT, "1" },
	[AXIS_BS] = { "bs_bytes", "bs", "BS", AXIS_SIZE_BYTES, "4k" },
	[AXIS_SIZE] = { "size_bytes", "size", "SIZE", AXIS_SIZE_BYTES, "5G" },
	[AXIS_IODEPTH] = { "iodepth", "iodepth", "IODEPTH", AXIS_COUNT, "1" },
	[AXIS_RAMP] = { "ramp_ns", "ramp", "RAMP", AXIS_DURATION_NS, "2" },
	[AXIS_RUNTIME] = { "runtime_ns", "runtime", "RUNTIME", AXIS_DURATION_NS, "10" },
	[AXIS_DEVICES] = { "devices", "devices", "DEVICES", AXIS_COUNT, NULL },
	[AXIS_PATTERN] = { "pattern", "patterns", "RW", AXIS_WORD, "read,randread" },
	[AXIS_NUMJOBS] = { "numjobs", "jobs", "JOBS", AXIS_COUNT, "1-8" },
};

static const struct pattern patterns[] = {
	{ "read", "sequential reads", false },
	{ "write", "sequential writes", true },
	{ "randread", "random reads", false },
	{ "randwrite", "random writes", true },
	{ "rw", "sequential reads and writes", true },
	{ "randrw", "random reads and writes", true },
};

const struct pattern *pattern_find(const char *name)
{
	if (!strcmp(name, "readwrite")) /* fio's other name for it */
		name = "rw";
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	return NULL;
}

static void variant_release(struct variant *v)
{
	free(v->name);
	free(v->scheduler);
	free(v->module);
	free(v->label);
	for (size_t i = 0; i < v->settings.n; i++) {
		free(v->settings.items[i].name);
		free(v->settings.items[i].value);
	}
	vec_free(&v->settings);
}

void variants_release(variants_t *v)
{
	for (size_t i = 0; i < v->n; i++)
		variant_release(&v->items[i]);
	vec_free(v);
}

int scheduler_check(const char *name, struct err *err)
{
	const char *names[64], *nearest;
	size_t n = 0;

	if (scheduler_find(name) || !strcmp(name, "current"))
		return 0;
	for (; n < ARRAY_LEN(names) - 1 && scheduler_at(n); n++)
		names[n] = scheduler_at(n)->name;
	names[n++] = "current";
	nearest = str_nearest(name, names, n);
	if (nearest)
		return err_set(err, ERR_USAGE, "unknown scheduler '%s' (did you mean '%s'? --force-sched tries it as it is)",
			       name, nearest);
	return err_set(err, ERR_USAGE, "unknown scheduler '%s' (--force-sched tries it as it is)", name);
}

static int add_setting(struct variant *v, const char *name, const char *value, struct err *err)
{
	struct variant_setting s = { .name = mem_strdup(name), .value = mem_strdup(value) };
	const struct knob *k = knob_find(s.name, v->scheduler, &s.knob, err);
	int bad = k ? 0 : -1;

	if (k && k->stage == KNOB_SCHEDULER)
		bad = err_set(err, ERR_USAGE, "'%s' is set by --scheds, not as a setting of '%s'", name, v->scheduler);
	if (!bad && (!*value || strchr(value, '\n')))
		bad = err_set(err, ERR_USAGE, "'%s' of '%s' is given no value", name, v->scheduler);
	for (size_t i = 0; !bad && i < v->settings.n; i++)
		if (!strcmp(v->settings.items[i].name, name))
			bad = err_set(err, ERR_USAGE, "'%s' is set twice in '%s'", name, v->name);
	if (bad) {
		free(s.name);
		free(s.value);
		return -1;
	}
	if (k != &s.knob)
		s.knob = *k;
	*vec_push(&v->settings) = s;
	return 0;
}

static int variant_parse(const char *text, bool force, struct variant *v, struct err *err)
{
	AUTOSTRINGS strings_t parts = { 0 }, head = { 0 };

	str_split(text, ':', &parts);
	str_split(parts.items[0], '@', &head);
	v->name = mem_strdup(text);
	v->scheduler = str_unescape(head.items[0]);
	if (!*v->scheduler)
		return err_set(err, ERR_USAGE, "a scheduler in the list has no name");
	if (head.n > 2)
		return err_set(err, ERR_USAGE, "'%s' has more than one '@' (write '\\@' in a path)", text);
	if (head.n == 2)
		v->module = str_unescape(head.items[1]);
	if (v->module && !*v->module)
		return err_set(err, ERR_USAGE, "'%s' names no file behind '@'", text);
	if (!force && scheduler_check(v->scheduler, err))
		return -1;
	for (size_t i = 1; i < parts.n; i++) {
		AUTOFREE char *part = str_unescape(parts.items[i]);
		char *equal = strchr(part, '=');

		if (!equal)
			return err_set(err, ERR_USAGE, "'%s' in '%s' is not NAME=VALUE", part, text);
		*equal = '\0';
		if (add_setting(v, part, equal + 1, err))
			return -1;
	}
	return 0;
}

/* As it has to be typed: without the escapes two variants could have one key. */
static void add_escaped(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\,:@", *text))
			str_add(out, "\\");
		str_addn(out, text, 1);
	}
}

char *variant_key(const struct variant *v)
{
	AUTOSTRINGS strings_t settings = { 0 };
	struct str key = { 0 };

	add_escaped(&key, v->scheduler);
	if (v->module) {
		str_add(&key, "@");
		add_escaped(&key, v->module);
	}
	for (size_t i = 0; i < v->settings.n; i++)
		*vec_push(&settings) = mem_printf("%s=%s", v->settings.items[i].name, v->settings.items[i].value);
	strings_sort(&settings);
	for (size_t i = 0; i < settings.n; i++) {
		str_add(&key, ":");
		add_escaped(&key, settings.items[i]);
	}
	if (v->label)
		str_addf(&key, "#%s", v->label);
	return str_steal(&key);
}

static int check_distinct(const variants_t *v, struct err *err)
{
	AUTOSTRINGS strings_t keys = { 0 };

	for (size_t i = 0; i < v->n; i++) {
		AUTOFREE char *key = variant_key(&v->items[i]);

		if (strings_has(&keys, key))
			return err_set(err, ERR_USAGE, "scheduler '%s' is given twice", v->items[i].name);
		strings_add(&keys, key);
	}
	return 0;
}

int variants_parse(const char *text, bool force, variants_t *out, struct err *err)
{
	AUTOSTRINGS strings_t list = { 0 };

	if (!*text)
		return err_set(err, ERR_USAGE, "the list of schedulers is empty");
	str_split(text, ',', &list);
	for (size_t i = 0; i < list.n; i++)
		if (variant_parse(list.items[i], force, vec_push(out), err))
			return -1;
	return check_distinct(out, err);
}

static void variant_copy(const struct variant *from, struct variant *to)
{
	*to = (struct variant){ .name = mem_strdup(from->name),
				.scheduler = mem_strdup(from->scheduler),
				.module = mem_strdup(from->module),
				.label = mem_strdup(from->label) };
	for (size_t i = 0; i < from->settings.n; i++)
		add_setting(to, from->settings.items[i].name, from->settings.items[i].value, NULL);
}

int variants_multiply(variants_t *v, const char *assignment, struct err *err)
{
	AUTOFREE char *name = mem_strdup(assignment);
	AUTOSTRINGS strings_t values = { 0 };
	char *equal = strchr(name, '=');
	variants_t out = { 0 };
	bool any = false;

	if (!equal || !equal[1] || equal == name)
		return err_set(err, ERR_USAGE, "'%s' is not NAME=VALUE,VALUE", assignment);
	*equal = '\0';
	str_split(equal + 1, ',', &values);
	for (size_t i = 0; i < v->n; i++) {
		struct variant *from = &v->items[i];
		bool tunable = !strchr(name, '/');
		struct knob other;

		/* a scheduler without the tunable is no error, and must not leave one behind */
		if (!knob_find(name, from->scheduler, &other, tunable ? NULL : err)) {
			if (!tunable) {
				variants_release(&out);
				return -1;
			}
			variant_copy(from, vec_push(&out));
			continue;
		}
		any = true;
		for (size_t k = 0; k < values.n; k++) {
			AUTOFREE char *value = str_unescape(values.items[k]);
			struct variant *to = vec_push(&out);

			variant_copy(from, to);
			if (!strcmp(values.items[k], "default"))
				continue;
			free(to->name);
			to->name = mem_printf("%s:%s=%s", from->name, name, values.items[k]);
			if (add_setting(to, name, value, err)) {
				variants_release(&out);
				return -1;
			}
		}
	}
	variants_release(v);
	*v = out;
	if (!any)
		return err_set(err, ERR_USAGE, "none of the schedulers has a tunable '%s'", name);
	return check_distinct(v, err);
}

void variants_twice(variants_t *v)
{
	variants_t out = { 0 };

	for (size_t i = 0; i < v->n; i++)
		for (int k = 1; k <= 2; k++) {
			struct variant *to = vec_push(&out);

			variant_copy(&v->items[i], to);
			free(to->name);
			to->name = mem_printf("%s#%d", v->items[i].name, k);
			to->label = mem_printf("%d", k);
		}
	variants_release(v);
	*v = out;
}

static int add_point(enum axis_id id, const char *text, uint64_t number, axis_points_t *out, struct err *err)
{
	struct axis_point *p;

	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].number == number && !strcmp(out->items[i].text, text))
			return err_set(err, ERR_USAGE, "--%s has '%s' twice", axes[id].option, text);
	p = vec_push(out);
	p->text = mem_strdup(text);
	p->number = number;
	return 0;
}

static int parse_point(enum axis_id id, const char *text, axis_points_t *out, struct err *err)
{
	enum axis_kind kind = axes[id].kind;
	AUTOFREE char *canonical = NULL;
	uint64_t number = 0;

	if (id == AXIS_PATTERN) {
		const struct pattern *p = pattern_find(text);

		if (!p)
			return err_set(err, ERR_USAGE,
				       "unknown pattern '%s' (there are read, write, randread, randwrite, rw, randrw)",
				       text);
		return add_point(id, p->name, 0, out, err);
	}
	if (kind == AXIS_WORD)
		return add_point(id, text, 0, out, err);
	if (kind == AXIS_SIZE_BYTES ? units_parse_size(text, &number, err) : units_parse_duration(text, &number, err))
		return err_context(err, "--%s", axes[id].option);
	if (!number && id != AXIS_RAMP)
		return err_set(err, ERR_USAGE, "--%s must not be 0", axes[id].option);
	if (kind == AXIS_DURATION_NS && number % 1000000)
		return err_set(err, ERR_USAGE, "--%s '%s' is finer than fio's millisecond", axes[id].option, text);
	canonical = mem_printf("%" PRIu64, number);
	return add_point(id, canonical, number, out, err);
}

int axis_parse(enum axis_id id, const char *text, axis_points_t *out, struct err *err)
{
	AUTOSTRINGS strings_t list = { 0 };

	if (axes[id].kind == AXIS_COUNT) {
		numbers_t numbers = { 0 };
		int bad = units_parse_numbers(text, &numbers, err);

		if (bad)
			err_context(err, "--%s", axes[id].option);
		for (size_t i = 0; !bad && i < numbers.n; i++) {
			AUTOFREE char *canonical = mem_printf("%" PRIu64, numbers.items[i]);

			if (!numbers.items[i] && id != AXIS_DIRECT)
				bad = err_set(err, ERR_USAGE, "--%s must not be 0", axes[id].option);
			else
				bad = add_point(id, canonical, numbers.items[i], out, err);
		}
		vec_free(&numbers);
		return bad;
	}
	str_split(text, ',', &list);
	for (size_t i = 0; i < list.n; i++) {
		if (!*list.items[i])
			return err_set(err, ERR_USAGE, *text ? "--%s '%s' has an empty element" : "--%s '%s' is empty",
				       axes[id].option, text);
		if (parse_point(id, list.items[i], out, err))
			return -1;
	}
	return 0;
}

void plan_make_cells(struct plan *p)
{
	struct cell c = { 0 };
	int i;

	vec_free(&p->cells);
	do {
		for (c.variant = 0; c.variant < p->variants.n; c.variant++)
			*vec_push(&p->cells) = c;
		for (i = AXIS_N - 1; i >= 0; i--) {
			if (++c.at[i] < p->axes[i].n)
				break;
			c.at[i] = 0;
		}
	} while (i >= 0);
}

const struct axis_point *plan_at(const struct plan *p, const struct cell *c, enum axis_id id)
{
	return p->axes[id].n ? &p->axes[id].items[c->at[id]] : NULL;
}

static uint64_t block_state(const struct plan *p, unsigned block, uint64_t purpose)
{
	uint64_t state = p->seed ^ purpose;

	state = random_next(&state) + block;
	return random_next(&state);
}

void plan_steps(const struct plan *p, steps_t *out)
{
	if (p->sequential) {
		for (unsigned v = 0; v < p->variants.n; v++)
			for (unsigned c = 0; c < p->cells.n; c++)
				for (unsigned block = 0; p->cells.items[c].variant == v && block < p->runs; block++)
					*vec_push(out) = (struct step){ block, c };
		return;
	}
	for (unsigned block = 0; block < p->runs; block++) {
		uint64_t state = block_state(p, block, 0);
		struct step *s;

		for (unsigned c = 0; c < p->cells.n; c++)
			*vec_push(out) = (struct step){ block, c };
		s = out->items + out->n - p->cells.n;
		for (size_t left = p->cells.n; left > 1; left--) {
			size_t k = random_below(&state, left);
			struct step other = s[k];

			s[k] = s[left - 1];
			s[left - 1] = other;
		}
	}
}

uint64_t plan_randseed(const struct plan *p, unsigned block)
{
	/* fio takes an unsigned 64-bit number; 0 would mean its own default */
	return block_state(p, block, 0x6f666673657473) >> 1 | 1;
}

uint64_t plan_cell_ns(const struct plan *p, const struct cell *c)
{
	const struct axis_point *ramp = plan_at(p, c, AXIS_RAMP), *runtime = plan_at(p, c, AXIS_RUNTIME);

	return (ramp ? ramp->number : 0) + (runtime ? runtime->number : 0);
}

void plan_release(struct plan *p)
{
	variants_release(&p->variants);
	for (size_t i = 0; i < AXIS_N; i++) {
		for (size_t k = 0; k < p->axes[i].n; k++)
			free(p->axes[i].items[k].text);
		vec_free(&p->axes[i]);
	}
	vec_free(&p->cells);
}
