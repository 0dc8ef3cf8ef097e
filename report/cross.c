// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cross.h"

#include <string.h>

/* Looked at in this order for what splits tables; pattern first, so that the tables of one stand together. */
static const char *const first_keys[] = { "pattern" };
static const char *const last_keys[] = { "variant", "metric", "direction", "actor", "disk", "job" };
/* Of what no cell is made: they split only where results would share a place otherwise. */
static const char *const where_measured[] = { "host", "sweep", "kernel", "environment", "sweep id" };

static const char *const always_told[] = { "pattern", "numjobs" };

static bool is_among(const char *key, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

/* A cell without runs knows neither who will act nor where: it goes with anyone's. */
static bool matches(const struct series *s, const char *value, const char *other)
{
	return !strcmp(value, other) || (!*value && !series_has_data(s));
}

static void candidates(const members_t *members, strings_t *out)
{
	for (size_t i = 0; i < ARRAY_LEN(first_keys); i++)
		strings_add(out, first_keys[i]);
	for (size_t i = 0; i < members->n; i++)
		for (size_t k = 0; k < members->items[i]->axes.n; k++)
			if (!strings_has(out, members->items[i]->axes.items[k].name))
				strings_add(out, members->items[i]->axes.items[k].name);
	for (size_t i = 0; i < ARRAY_LEN(last_keys); i++)
		if (!strings_has(out, last_keys[i]))
			strings_add(out, last_keys[i]);
}

static bool varies(const members_t *members, const char *key)
{
	char first_buf[KEY_TEXT] = "", buf[KEY_TEXT] = "";
	const char *first = NULL;

	for (size_t i = 0; i < members->n; i++) {
		const char *value = key_value(members->items[i], key, first ? buf : first_buf);

		if (!*value && !series_has_data(members->items[i]))
			continue;
		if (first && strcmp(first, value) != 0)
			return true;
		first = first ? first : value;
	}
	return false;
}

void keys_varying(const members_t *members, const strings_t *except, strings_t *out)
{
	AUTOSTRINGS strings_t keys = { 0 };

	candidates(members, &keys);
	for (size_t i = 0; i < keys.n; i++)
		if (!strings_has(except, keys.items[i]) && !strings_has(out, keys.items[i]) &&
		    varies(members, keys.items[i]))
			strings_add(out, keys.items[i]);
}

/* All values of a series for some keys, so that equal ones are equal strings. */
static char *place_name(const struct series *s, const strings_t *const *lists, size_t n)
{
	struct str name = { 0 };
	char buf[KEY_TEXT];

	str_add(&name, "");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lists[i]->n; k++)
			str_addf(&name, "%s\x1f", key_value(s, lists[i]->items[k], buf));
	return str_steal(&name);
}

/* Whether two series with data have the same place: that must not be. */
static bool collide(const members_t *members, const strings_t *rows, const strings_t *columns,
		    const strings_t *splitters)
{
	const strings_t *const lists[] = { rows, columns, splitters };
	AUTOSTRINGS strings_t names = { 0 };

	for (size_t i = 0; i < members->n; i++)
		if (series_has_data(members->items[i]))
			*vec_push(&names) = place_name(members->items[i], lists, ARRAY_LEN(lists));
	strings_sort(&names);
	for (size_t i = 1; i < names.n; i++)
		if (!strcmp(names.items[i - 1], names.items[i]))
			return true;
	return false;
}

static void find_splitters(const members_t *members, const strings_t *rows, const strings_t *columns, strings_t *out)
{
	AUTOSTRINGS strings_t laid_out = { 0 };

	for (size_t i = 0; i < rows->n; i++)
		strings_add(&laid_out, rows->items[i]);
	for (size_t i = 0; i < columns->n; i++)
		strings_add(&laid_out, columns->items[i]);
	keys_varying(members, &laid_out, out);
	for (size_t i = 0; i < ARRAY_LEN(where_measured) && collide(members, rows, columns, out); i++)
		if (!strings_has(&laid_out, where_measured[i]) && varies(members, where_measured[i]))
			strings_add(out, where_measured[i]);
}

static bool same_split(const struct series *s, const struct series *first, const strings_t *splitters)
{
	char buf[KEY_TEXT], first_buf[KEY_TEXT];

	for (size_t k = 0; k < splitters->n; k++)
		if (!matches(s, key_value(s, splitters->items[k], buf), key_value(first, splitters->items[k], first_buf)))
			return false;
	return true;
}

/* The place of the line with the values that 's' has, added where there is none. */
static size_t find_line(cross_lines_t *lines, const strings_t *keys, const struct series *s)
{
	struct cross_line *line;
	char buf[KEY_TEXT];

	for (size_t i = 0; i < lines->n; i++) {
		size_t k = 0;

		while (k < keys->n && !strcmp(lines->items[i].values.items[k], key_value(s, keys->items[k], buf)))
			k++;
		if (k == keys->n)
			return i;
	}
	line = vec_push(lines);
	for (size_t k = 0; k < keys->n; k++)
		strings_add(&line->values, key_value(s, keys->items[k], buf));
	return lines->n - 1;
}

static bool is_number(const char *text)
{
	return *text && strlen(text) <= 18 && !text[strspn(text, "0123456789")];
}

/* Numbers by their size; otherwise the lines stay in the order in which they came. */
static int compare_lines(const struct cross_line *a, const struct cross_line *b, const cross_lines_t *all, size_t n_keys)
{
	for (size_t k = 0; k < n_keys; k++) {
		bool numeric = true;
		const char *x = a->values.items[k], *y = b->values.items[k];
		size_t first_x = all->n, first_y = all->n;

		if (!strcmp(x, y))
			continue;
		for (size_t i = all->n; i-- > 0;) {
			const char *value = all->items[i].values.items[k];

			numeric = numeric && (is_number(value) || !*value);
			first_x = strcmp(value, x) ? first_x : i;
			first_y = strcmp(value, y) ? first_y : i;
		}
		if (numeric)
			return strtoll(x, NULL, 10) < strtoll(y, NULL, 10) ? -1 : 1;
		return first_x < first_y ? -1 : 1;
	}
	return 0;
}

/* Insertion: tables are small, and the order compares against the lines as they came. */
static void sort_lines(cross_lines_t *lines, size_t n_keys)
{
	AUTOFREE struct cross_line *sorted = mem_alloc(lines->n, sizeof(*sorted));

	for (size_t i = 0; i < lines->n; i++) {
		size_t at = i;

		for (; at && compare_lines(&sorted[at - 1], &lines->items[i], lines, n_keys) > 0; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = lines->items[i];
	}
	if (lines->n)
		memcpy(lines->items, sorted, lines->n * sizeof(*sorted));
}

/* Whether a cell without runs could stand in any row of these keys, so that it must not make one of its own. */
static bool homeless(const struct series *s, const strings_t *keys)
{
	static const char *const unknown_yet[] = { "actor", "disk", "job", "kernel", "environment" };
	char buf[KEY_TEXT];

	for (size_t k = 0; k < keys->n && !series_has_data(s); k++)
		if (!*key_value(s, keys->items[k], buf) && is_among(keys->items[k], unknown_yet, ARRAY_LEN(unknown_yet)))
			return true;
	return false;
}

static void lay_out(struct cross *c, const strings_t *rows, const strings_t *columns)
{
	for (size_t i = 0; i < c->members.n; i++) {
		if (!homeless(c->members.items[i], rows))
			find_line(&c->rows, rows, c->members.items[i]);
		if (!homeless(c->members.items[i], columns))
			find_line(&c->columns, columns, c->members.items[i]);
	}
	sort_lines(&c->rows, rows->n);
	sort_lines(&c->columns, columns->n);
	c->places = mem_alloc(c->rows.n * c->columns.n, sizeof(struct series *));
	for (size_t i = 0; i < c->members.n; i++) {
		const struct series *s = c->members.items[i];
		const struct series **place;

		if (homeless(s, rows) || homeless(s, columns))
			continue;
		place = &c->places[find_line(&c->rows, rows, s) * c->columns.n + find_line(&c->columns, columns, s)];
		if (!*place || (series_has_data(s) && !series_has_data(*place)))
			*place = s;
	}
}

/* By the values on which the tables differ; pattern and job count are always said, if not by rows or columns. */
static void name_cross(struct cross *c, const struct series *subject, const strings_t *splitters,
		       const strings_t *rows, const strings_t *columns)
{
	struct str title = { 0 }, label = { 0 };
	AUTOSTRINGS strings_t told = { 0 };
	char buf[KEY_TEXT];

	if (!*key_value(subject, "pattern", buf))
		str_add(&title, series_subject(subject));
	for (size_t i = 0; i < ARRAY_LEN(always_told); i++)
		if (!strings_has(rows, always_told[i]) && !strings_has(columns, always_told[i]))
			strings_add(&told, always_told[i]);
	for (size_t k = 0; k < splitters->n; k++)
		if (!strings_has(&told, splitters->items[k]))
			strings_add(&told, splitters->items[k]);
	for (size_t k = 0; k < told.n; k++) {
		const char *key = told.items[k], *value = key_value(subject, key, buf);
		AUTOFREE char *phrase = key_phrase(key, value);

		if (!*value)
			continue;
		str_addf(&title, "%s%s", title.len ? ", " : "", phrase);
		if (strcmp(key, "pattern"))
			str_addf(&label, "%s%s-%s", label.len ? "-" : "", key, value);
		else
			str_add(&label, value);
	}
	if (!title.len)
		str_add(&title, series_subject(subject));
	if (!label.len)
		str_add(&label, "all");
	c->title = str_steal(&title);
	c->label = str_steal(&label);
}

void cross_make(const members_t *members, const strings_t *rows, const strings_t *columns, crosses_t *out)
{
	AUTOSTRINGS strings_t splitters = { 0 };
	AUTOFREE bool *placed = mem_alloc(members->n, sizeof(bool));

	find_splitters(members, rows, columns, &splitters);
	/* cells with data name the tables; those without go into all that they match, or make their own at the end */
	for (int data = 1; data >= 0; data--)
		for (size_t i = 0; i < members->n; i++) {
			const struct series *first = members->items[i];
			struct cross *c;

			if (placed[i] || series_has_data(first) != data)
				continue;
			c = vec_push(out);
			for (size_t k = 0; k < members->n; k++)
				if (same_split(members->items[k], first, &splitters)) {
					*vec_push(&c->members) = members->items[k];
					placed[k] = true;
				}
			name_cross(c, first, &splitters, rows, columns);
			lay_out(c, rows, columns);
		}
}

static void lines_release(cross_lines_t *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		strings_release(&lines->items[i].values);
	vec_free(lines);
}

void crosses_release(crosses_t *crosses)
{
	for (size_t i = 0; i < crosses->n; i++) {
		struct cross *c = &crosses->items[i];

		free(c->title);
		free(c->label);
		free(c->places);
		vec_free(&c->members);
		lines_release(&c->rows);
		lines_release(&c->columns);
	}
	vec_free(crosses);
}

const struct series *cross_at(const struct cross *c, size_t row, size_t column)
{
	const struct series *s = c->places[row * c->columns.n + column];

	return s && series_has_data(s) ? s : NULL;
}

void members_find(const struct series_set *set, const struct metric *const *metrics, size_t n_metrics, members_t *out)
{
	for (size_t i = 0; i < set->list.n; i++) {
		const struct series *s = &set->list.items[i];
		bool wanted = !n_metrics || !s->metric;

		for (size_t k = 0; k < n_metrics; k++)
			wanted = wanted || s->metric == metrics[k];
		if (wanted && s->job == JOB_ALL)
			*vec_push(out) = s;
	}
}

char *line_text(const struct cross_line *line, const strings_t *keys)
{
	struct str text = { 0 };

	str_add(&text, "");
	for (size_t k = 0; k < keys->n; k++) {
		AUTOFREE char *phrase = *line->values.items[k] ? key_phrase(keys->items[k], line->values.items[k]) : NULL;

		if (phrase)
			str_addf(&text, "%s%s", text.len ? ", " : "", phrase);
	}
	return str_steal(&text);
}
