// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys: the names by which series are laid out and chosen. */
#include <inttypes.h>
#include <string.h>

#include "common/units.h"
#include "report/cross.h"

/* Those that are no axis. */
static const char *const fixed[] = { "variant", "metric", "direction", "actor", "disk",
				     "job",	"sweep",  "host",      "kernel", "environment" };

/* What people type, and tables say, for a name that the database has. */
static const struct {
	const char *typed, *key;
} aliases[] = {
	{ "jobs", "numjobs" },	 { "scheduler", "variant" }, { "sched", "variant" }, { "scheds", "variant" },
	{ "variants", "variant" }, { "patterns", "pattern" },	 { "governors", "governor" },
};

static const char *const directions[] = {
	[DIR_ALL] = "all", [DIR_READ] = "reads", [DIR_WRITE] = "writes", [DIR_TRIM] = "trims"
};

static bool ends_in(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && !strcmp(s + len - end_len, end);
}

static const char *number(char buf[KEY_TEXT], int64_t value)
{
	snprintf(buf, KEY_TEXT, "%" PRId64, value);
	return buf;
}

const char *key_value(const struct series *s, const char *key, char buf[KEY_TEXT])
{
	const char *value = series_axis(s, key);

	if (value)
		return value;
	if (!strcmp(key, "variant"))
		value = s->variant;
	else if (!strcmp(key, "metric"))
		value = s->metric ? s->metric->name : NULL;
	else if (!strcmp(key, "direction"))
		value = directions[s->direction];
	else if (!strcmp(key, "actor"))
		value = s->actor;
	else if (!strcmp(key, "disk"))
		value = s->device;
	else if (!strcmp(key, "job"))
		value = s->job == JOB_ALL ? NULL : number(buf, s->job + 1);
	else if (!strcmp(key, "sweep"))
		value = s->sweep_name;
	else if (!strcmp(key, "sweep id"))
		value = number(buf, s->sweep);
	else if (!strcmp(key, "host"))
		value = s->host;
	else if (!strcmp(key, "kernel"))
		value = s->kernel;
	else if (!strcmp(key, "environment"))
		value = s->environment ? number(buf, s->environment) : NULL;
	return value ? value : "";
}

const char *key_head(const char *key, char buf[KEY_TEXT])
{
	if (!strcmp(key, "numjobs"))
		return "jobs";
	snprintf(buf, KEY_TEXT, "%s", key);
	if (ends_in(buf, "_bytes"))
		buf[strlen(buf) - strlen("_bytes")] = '\0';
	else if (ends_in(buf, "_ns"))
		buf[strlen(buf) - strlen("_ns")] = '\0';
	return buf;
}

char *key_text(const char *key, const char *value)
{
	char text[UNITS_TEXT];

	if (*value && ends_in(key, "_bytes"))
		return mem_strdup(units_format_size(text, strtoull(value, NULL, 10)));
	if (*value && ends_in(key, "_ns"))
		return mem_strdup(units_format_duration(text, strtoull(value, NULL, 10)));
	return mem_strdup(value);
}

char *key_phrase(const char *key, const char *value)
{
	struct str text = { 0 };

	if (!strcmp(key, "pattern") && pattern_title(value))
		str_add(&text, pattern_title(value));
	else if (!strcmp(key, "numjobs"))
		str_addf(&text, strcmp(value, "1") != 0 ? "%s jobs" : "%s job", value);
	else if (!strcmp(key, "variant") || !strcmp(key, "pattern") || !strcmp(key, "metric") || !strcmp(key, "actor") ||
		 !strcmp(key, "disk") || !strcmp(key, "direction"))
		str_add(&text, value);
	else
		add_axis_text(&text, key, value);
	return str_steal(&text);
}

static bool is_axis(const struct series_set *set, const char *name, const char **out)
{
	for (size_t i = 0; i < set->list.n; i++)
		for (size_t k = 0; k < set->list.items[i].axes.n; k++)
			if (!strcmp(set->list.items[i].axes.items[k].name, name)) {
				*out = set->list.items[i].axes.items[k].name;
				return true;
			}
	return false;
}

/* Of the names that are told, and of others that are understood too. */
static const char *nearest_key(const char *typed, const strings_t *told)
{
	const char *nearest = str_nearest(typed, (const char *const *)told->items, told->n);
	const char *more[2 * ARRAY_LEN(aliases)];

	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		more[2 * i] = aliases[i].typed;
		more[2 * i + 1] = aliases[i].key;
	}
	return nearest ? nearest : str_nearest(typed, more, ARRAY_LEN(more));
}

static int unknown_key(const struct series_set *set, const char *typed, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };
	AUTOSTR struct str list = { 0 };
	const char *nearest;
	char buf[KEY_TEXT];

	for (size_t i = 0; i < set->list.n; i++)
		for (size_t k = 0; k < set->list.items[i].axes.n; k++) {
			const char *head = key_head(set->list.items[i].axes.items[k].name, buf);

			if (!strings_has(&names, head))
				strings_add(&names, head);
		}
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strings_add(&names, fixed[i]);
	nearest = nearest_key(typed, &names);
	if (nearest)
		return err_set(err, ERR_USAGE, "no axis '%s' (did you mean '%s'?)", typed, nearest);
	for (size_t i = 0; i < names.n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", names.items[i]);
	return err_set(err, ERR_USAGE, "no axis '%s' (there are %s)", typed, str_text(&list));
}

const char *key_find(const struct series_set *set, const char *typed, struct err *err)
{
	AUTOFREE char *bytes = mem_printf("%s_bytes", typed), *ns = mem_printf("%s_ns", typed);
	const char *key;

	if (is_axis(set, typed, &key) || is_axis(set, bytes, &key) || is_axis(set, ns, &key))
		return key;
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (!strcmp(fixed[i], typed))
			return fixed[i];
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (!strcmp(aliases[i].typed, typed))
			return aliases[i].key;
	unknown_key(set, typed, err);
	return NULL;
}

struct condition {
	const char *key;
	strings_t values;
};

static bool meets(const struct series *s, const void *context)
{
	const struct condition *c = context;
	char buf[KEY_TEXT];
	const char *value = key_value(s, c->key, buf);

	return strings_has(&c->values, value);
}

/* "4k" where sizes are stored in bytes, "2s" where durations are in ns. */
static int canonical_values(struct condition *c, struct err *err)
{
	bool bytes = ends_in(c->key, "_bytes"), ns = ends_in(c->key, "_ns");

	for (size_t i = 0; i < c->values.n; i++) {
		AUTOFREE char *typed = c->values.items[i];
		uint64_t value = 0;
		int bad = bytes ? units_parse_size(typed, &value, err) : ns ? units_parse_duration(typed, &value, err) : 0;

		c->values.items[i] = bytes || ns ? mem_printf("%" PRIu64, value) : str_unescape(typed);
		if (bad)
			return err_context(err, "--where %s", c->key);
	}
	return 0;
}

/* Words that the condition asks for and that no series has: a slip of the fingers should not give an empty table. */
static int check_values(const struct series_set *set, const struct condition *c, struct err *err)
{
	AUTOSTRINGS strings_t there = { 0 };
	char buf[KEY_TEXT];

	for (size_t i = 0; i < set->list.n; i++)
		if (!strings_has(&there, key_value(&set->list.items[i], c->key, buf)))
			strings_add(&there, key_value(&set->list.items[i], c->key, buf));
	for (size_t i = 0; i < c->values.n; i++) {
		AUTOSTR struct str list = { 0 };
		AUTOFREE char *wanted = NULL;

		if (strings_has(&there, c->values.items[i]))
			continue;
		for (size_t k = 0; k < there.n; k++) {
			AUTOFREE char *text = key_text(c->key, there.items[k]);

			str_addf(&list, "%s%s", k ? ", " : "", text);
		}
		wanted = key_text(c->key, c->values.items[i]);
		return err_set(err, ERR_USAGE, "--where %s: nothing has '%s' (there are %s)", key_head(c->key, buf), wanted,
			       str_text(&list));
	}
	return 0;
}

/* Fill 'c' from "axis=v,v"; '*name', which the caller frees, is its key. */
static int parse_condition(const struct series_set *set, const char *text, struct condition *c, char **name,
			   struct err *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text) {
		err_set(err, ERR_USAGE, "--where '%s': wants AXIS=VALUE[,VALUE]...", text);
		return -1;
	}
	*name = mem_strndup(text, (size_t)(equals - text));
	c->key = key_find(set, *name, err);
	if (!c->key) {
		err_context(err, "--where");
		return -1;
	}
	str_split(equals + 1, ',', &c->values);
	/* the key may be a string of a series that goes later */
	free(*name);
	*name = mem_strdup(c->key);
	c->key = *name;
	return canonical_values(c, err) || check_values(set, c, err) ? -1 : 0;
}

int where_apply(struct series_set *set, const strings_t *conditions, struct err *err)
{
	int bad = 0;

	for (size_t i = 0; !bad && i < conditions->n; i++) {
		AUTOFREE char *name = NULL;
		struct condition c = { 0 };

		bad = parse_condition(set, conditions->items[i], &c, &name, err);
		if (!bad)
			series_set_keep(set, meets, &c);
		strings_release(&c.values);
	}
	return bad;
}

int where_mark(const struct series_set *set, const strings_t *conditions, bool *marks, struct err *err)
{
	int bad = 0;

	for (size_t i = 0; i < set->list.n; i++)
		marks[i] = true;
	for (size_t i = 0; !bad && i < conditions->n; i++) {
		AUTOFREE char *name = NULL;
		struct condition c = { 0 };

		bad = parse_condition(set, conditions->items[i], &c, &name, err);
		for (size_t k = 0; !bad && k < set->list.n; k++)
			marks[k] = marks[k] && meets(&set->list.items[k], &c);
		strings_release(&c.values);
	}
	return bad;
}
