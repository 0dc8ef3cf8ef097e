// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/import_cell.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "runner/plan.h"

typedef VEC(struct axis_value) axis_values_t;

/* "bs" and "bs_bytes" are the axis of that name; -1 for one of the user's own. */
static int axis_of(const char *key, size_t len)
{
	for (int i = 0; i < AXIS_N; i++)
		if ((strlen(axes[i].name) == len && !strncmp(axes[i].name, key, len)) ||
		    (strlen(axes[i].option) == len && !strncmp(axes[i].option, key, len)))
			return i;
	return -1;
}

/* The value in the way it is stored ("4k" is 4096); NULL if it is none of that axis, or several. The caller frees. */
static char *canonical(int axis, const char *value, struct err *err)
{
	axis_points_t points = { 0 };
	char *text = NULL;

	if (!axis_parse((enum axis_id)axis, value, &points, err)) {
		if (points.n == 1)
			text = mem_strdup(points.items[0].text);
		else
			err_set(err, ERR_USAGE, "'%s' is several values of '%s'", value, axes[axis].option);
	}
	for (size_t i = 0; i < points.n; i++)
		free(points.items[i].text);
	vec_free(&points);
	return text;
}

static int check_set(const char *set, struct err *err)
{
	const char *equals = strchr(set, '=');
	size_t len = equals ? (size_t)(equals - set) : 0;
	AUTOFREE char *value = NULL;
	int axis;

	if (!len || !equals[1])
		return err_set(err, ERR_USAGE, "--set wants KEY=VALUE, not '%s'", set);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)set[i]) && !strchr("_.-/", set[i]))
			return err_set(err, ERR_USAGE, "--set '%s': a key is letters, digits, '_', '.', '-', '/'", set);
	axis = axis_of(set, len);
	if (axis < 0)
		return 0;
	value = canonical(axis, equals + 1, err);
	return value ? 0 : err_context(err, "--set '%s'", set);
}

int import_cell_check(const struct options *opt, struct err *err)
{
	for (size_t i = 0; i < opt->given.n; i++)
		if (!strcmp(opt->given.items[i].row->name, "set") && check_set(opt->given.items[i].value, err))
			return -1;
	return 0;
}

static void add_axis(axis_values_t *out, const char *name, const char *value)
{
	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(out->items[i].name, name))
			return;
	*vec_push(out) = (struct axis_value){ mem_strdup(name), mem_strdup(value) };
}

/* What was typed as --set for this axis, NULL if nothing was. */
static const char *set_value(const struct options *opt, int axis)
{
	for (size_t i = opt->given.n; i--;) {
		const char *set = opt->given.items[i].value, *equals = strchr(set, '=');

		if (!strcmp(opt->given.items[i].row->name, "set") && axis_of(set, (size_t)(equals - set)) == axis)
			return equals + 1;
	}
	return NULL;
}

static void add_own_axes(const struct options *opt, axis_values_t *out)
{
	for (size_t i = opt->given.n; i--;) {
		const char *set = opt->given.items[i].value, *equals = strchr(set, '=');
		AUTOFREE char *key = NULL;

		if (strcmp(opt->given.items[i].row->name, "set") != 0 || axis_of(set, (size_t)(equals - set)) >= 0)
			continue;
		key = mem_strndup(set, (size_t)(equals - set));
		add_axis(out, key, equals + 1);
	}
}

/* One axis; a value that only the output's own words can tell gets a name without unit. */
static void add_plan_axis(int axis, const char *value, axis_values_t *out)
{
	AUTOFREE char *text = value ? canonical(axis, value, NULL) : NULL;

	if (text)
		add_axis(out, axes[axis].name, text);
	else if (value)
		add_axis(out, axis == AXIS_PATTERN ? axes[axis].name : axes[axis].option, value);
}

/* "randread" of "…/randread-1.json"; NULL if the name does not begin so. */
static const char *pattern_of_path(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
	AUTOFREE char *word = name ? mem_strndup(name, strspn(name, "abcdefghijklmnopqrstuvwxyz")) : NULL;
	const struct pattern *pattern = word ? pattern_find(word) : NULL;

	return pattern ? pattern->name : NULL;
}

static const char *said_value(int axis, const char *path, const struct parsed *p)
{
	const char *said = p ? parsed_axis(p, axes[axis].option) : NULL;

	if (p && !said)
		said = parsed_axis(p, axis == AXIS_NUMJOBS ? "jobs" : axes[axis].name);
	return said || axis != AXIS_PATTERN ? said : pattern_of_path(path);
}

/* Names that export has escaped: "%2f" is '/'. In place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		char digits[3] = "";

		if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
			memcpy(digits, s + 1, 2);
			s += 2;
		}
		*to++ = *digits && strcmp(digits, "00") != 0 ? (char)strtoul(digits, NULL, 16) : *s;
	}
	*to = '\0';
}

/* The name of the folder that a file lies in; the caller frees. */
static char *folder_of(const char *path)
{
	AUTOFREE char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL, *name;

	if (!slash || slash == real)
		return mem_strdup("imported");
	*slash = '\0';
	name = mem_strdup(strrchr(real, '/') + 1);
	unescape(name);
	return name;
}

static char *variant_of(const struct options *opt, const char *path)
{
	const char *sched = option(opt, "sched"), *label = option(opt, "label");

	if (sched && label)
		return mem_printf("%s (%s)", sched, label);
	if (sched || label)
		return mem_strdup(sched ? sched : label);
	return path ? folder_of(path) : mem_strdup("imported");
}

/* The same configuration has the same key; a line a part, for no part has lines. */
static char *key_of(const struct cell_row *cell)
{
	struct str key = { 0 };

	str_addf(&key, "import\n%s", cell->variant);
	for (size_t i = 0; i < cell->n_axes; i++)
		str_addf(&key, "\n%s=%s", cell->axes[i].name, cell->axes[i].value);
	return str_steal(&key);
}

static void finish(struct cell_row *out, char *variant, const axis_values_t *values, const char *state)
{
	*out = (struct cell_row){ .variant = variant, .axes = values->items, .n_axes = values->n, .state = mem_strdup(state) };
	out->key = key_of(out);
}

void import_cell_make(const struct options *opt, const char *path, const struct parsed *parsed, struct cell_row *out)
{
	axis_values_t values = { 0 };

	add_own_axes(opt, &values);
	for (int i = 0; i < AXIS_N; i++) {
		const char *set = set_value(opt, i);

		add_plan_axis(i, set ? set : said_value(i, path, parsed), &values);
	}
	finish(out, variant_of(opt, path), &values, "pending");
}

/* What a row itself says of an axis, NULL if it does not. */
static const char *published_value(const struct published *row, int axis)
{
	for (size_t i = 0; i < row->axes.n; i++) {
		const char *text = row->axes.items[i], *equals = strchr(text, '=');

		if (equals && axis_of(text, (size_t)(equals - text)) == axis)
			return equals + 1;
	}
	return axis == AXIS_PATTERN ? row->pattern : axis == AXIS_NUMJOBS ? row->jobs : NULL;
}

static void add_published_axes(const struct published *row, axis_values_t *out)
{
	for (size_t i = 0; i < row->axes.n; i++) {
		const char *text = row->axes.items[i], *equals = strchr(text, '=');
		AUTOFREE char *key = equals ? mem_strndup(text, (size_t)(equals - text)) : NULL;

		if (key && axis_of(key, strlen(key)) < 0)
			add_axis(out, key, equals + 1);
	}
}

void import_cell_published(const struct options *opt, const struct published *row, struct cell_row *out)
{
	axis_values_t values = { 0 };

	add_published_axes(row, &values);
	add_own_axes(opt, &values);
	for (int i = 0; i < AXIS_N; i++) {
		const char *set = set_value(opt, i), *said = published_value(row, i);

		add_plan_axis(i, said ? said : set, &values);
	}
	finish(out, mem_strdup(row->variant), &values, "done");
}
