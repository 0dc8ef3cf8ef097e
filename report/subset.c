// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/subset.h"

#include <math.h>
#include <string.h>

#include "common/units.h"

#define USUAL_ACTOR "fio" /* of a sweep of one job file */

const char *given_text(const char *s)
{
	return s && *s ? s : NULL;
}

bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool series_has_data(const struct series *s)
{
	return s->points.n || (s->summary_only && !isnan(s->mean));
}

/* Axes that are rows, columns or the table's name; every other one that varies makes tables of its own. */
static bool splits(const char *axis)
{
	return strcmp(axis, "numjobs") != 0 && strcmp(axis, "governor") != 0 && strcmp(axis, "pattern") != 0;
}

/* Add the axes of 'a' on which 'b' has another value, or none. */
static void add_varying(const struct series *a, const struct series *b, strings_t *varying)
{
	for (size_t i = 0; i < a->axes.n; i++) {
		const char *name = a->axes.items[i].name;

		if (splits(name) && !same_text(a->axes.items[i].value, series_axis(b, name)) && !strings_has(varying, name))
			strings_add(varying, name);
	}
}

/*
 * Move from 'left' to 'taken' the first one and all that have its values on these axes, its device and, where there
 * are several actors, its actor. A cell without runs may know no actor yet and goes with anyone's. Returns one that
 * tells what they have in common.
 */
static const struct series *take(members_t *left, const strings_t *axes, bool several_actors,
				 members_t *taken)
{
	const struct series *first = left->items[0];
	size_t kept = 0;

	for (size_t i = 0; i < left->n && several_actors && !given_text(first->actor); i++)
		first = given_text(left->items[i]->actor) ? left->items[i] : first;
	for (size_t i = 0; i < left->n; i++) {
		const struct series *s = left->items[i];
		bool same = (!several_actors || !given_text(s->actor) || same_text(s->actor, first->actor)) &&
			    same_text(s->device, first->device);

		for (size_t k = 0; k < axes->n; k++)
			same = same && same_text(series_axis(s, axes->items[k]), series_axis(first, axes->items[k]));
		if (same)
			*vec_push(taken) = s;
		else
			left->items[kept++] = s;
	}
	left->n = kept;
	return first;
}

struct pattern_row {
	const char *name, *title;
	bool mixed; /* of directions */
};

static const struct pattern_row *pattern_find(const char *pattern)
{
	static const struct pattern_row titles[] = {
		{ "read", "sequential reads", false },
		{ "write", "sequential writes", false },
		{ "trim", "sequential trims", false },
		{ "randread", "random reads", false },
		{ "randwrite", "random writes", false },
		{ "randtrim", "random trims", false },
		{ "rw", "sequential reads and writes", true },
		{ "readwrite", "sequential reads and writes", true },
		{ "randrw", "random reads and writes", true },
	};

	for (size_t i = 0; pattern && i < ARRAY_LEN(titles); i++)
		if (!strcmp(titles[i].name, pattern))
			return &titles[i];
	return NULL;
}

const char *pattern_title(const char *pattern)
{
	const struct pattern_row *known = pattern_find(pattern);

	return known ? known->title : NULL;
}

const char *series_subject(const struct series *s)
{
	const char *workload = given_text(series_axis(s, "workload"));

	return workload ? workload : given_text(s->sweep_name) ? s->sweep_name : "results";
}

const char *set_common_axis(const struct series_set *set, const char *name)
{
	const char *value = set->list.n ? series_axis(&set->list.items[0], name) : NULL;

	for (size_t i = 1; value && i < set->list.n; i++)
		if (!same_text(series_axis(&set->list.items[i], name), value))
			return NULL;
	return value;
}

const char *set_common_kernel(const struct series_set *set)
{
	const char *kernel = NULL;

	for (size_t i = 0; i < set->list.n; i++) {
		const char *of_this = given_text(set->list.items[i].kernel);

		if (of_this && kernel && strcmp(of_this, kernel) != 0)
			return NULL;
		kernel = of_this ? of_this : kernel;
	}
	return kernel;
}

static bool sweep_has_warning(const struct series_set *set, int64_t sweep, const char *code)
{
	for (size_t i = 0; i < set->warnings_of.n; i++)
		if (set->warnings_of.items[i].sweep == sweep && !strcmp(set->warnings_of.items[i].code, code))
			return true;
	return false;
}

enum set_share set_has_warning(const struct series_set *set, const char *code)
{
	bool with = false, without = false;
	int64_t last = -1; /* series of a sweep stand together */

	if (!strings_has(&set->warnings, code))
		return SET_NONE;
	for (size_t i = 0; set->warnings_of.n && i < set->list.n; i++) {
		/* nothing may have come yet of what would have it */
		if (set->list.items[i].sweep == last || !series_has_data(&set->list.items[i]))
			continue;
		last = set->list.items[i].sweep;
		if (sweep_has_warning(set, last, code))
			with = true;
		else
			without = true;
	}
	return with && without ? SET_SOME : without ? SET_NONE : SET_ALL;
}

void add_axis_text(struct str *out, const char *name, const char *value)
{
	const char *bytes = strstr(name, "_bytes"), *ns = strstr(name, "_ns");
	char text[UNITS_TEXT];

	if (bytes && !bytes[strlen("_bytes")])
		str_addf(out, "%.*s %s", (int)(bytes - name), name, units_format_size(text, strtoull(value, NULL, 10)));
	else if (ns && !ns[strlen("_ns")])
		str_addf(out, "%.*s %s", (int)(ns - name), name, units_format_duration(text, strtoull(value, NULL, 10)));
	else
		str_addf(out, "%s %s", name, value);
}

/* Name a subset by one of its members; 'direction' NULL: all together. */
static void name_subset(struct subset *out, const struct series *s, const strings_t *varying, bool several_actors,
			const char *direction)
{
	const char *pattern = series_axis(s, "pattern");
	const struct pattern_row *known = pattern_find(pattern);
	struct str title = { 0 }, label = { 0 };

	if (!pattern)
		pattern = series_subject(s);
	str_add(&title, known ? known->title : pattern);
	str_add(&label, pattern);
	for (size_t i = 0; i < varying->n; i++) {
		const char *value = series_axis(s, varying->items[i]);

		if (!value || value == pattern)
			continue;
		str_add(&title, ", ");
		add_axis_text(&title, varying->items[i], value);
		str_addf(&label, "-%s-%s", varying->items[i], value);
	}
	/* one of a scenario does not stand for the whole, even where the metric is only of it */
	if (given_text(s->actor) && (several_actors || strcmp(s->actor, USUAL_ACTOR) != 0)) {
		str_addf(&title, ", %s", s->actor);
		str_addf(&label, "-%s", s->actor);
	}
	if (given_text(s->device)) {
		str_addf(&title, ", %s", s->device);
		str_addf(&label, "-%s", s->device);
	}
	if (direction && (!known || known->mixed)) {
		str_addf(&title, ": %s", direction);
		str_addf(&label, "-%s", direction);
	}
	out->title = str_steal(&title);
	out->label = str_steal(&label);
}

/*
 * One subset if there are numbers for all directions together, else one a direction. Cells without numbers stand in
 * each.
 */
static void add_directions(const members_t *members, const struct series *subject, const strings_t *varying,
			   bool several_actors, subsets_t *out)
{
	static const char *const names[] = {
		[DIR_ALL] = NULL, [DIR_READ] = "reads", [DIR_WRITE] = "writes", [DIR_TRIM] = "trims"
	};
	bool present[ARRAY_LEN(names)] = { false };
	size_t n = 0;

	for (size_t i = 0; i < members->n; i++)
		if (series_has_data(members->items[i]))
			present[members->items[i]->direction] = true;
	for (size_t d = 0; d < ARRAY_LEN(names); d++)
		n += present[d];
	for (size_t d = 0; d < ARRAY_LEN(names); d++) {
		struct subset *subset;

		if (n ? !present[d] || (d != DIR_ALL && present[DIR_ALL]) : d != DIR_ALL)
			continue;
		subset = vec_push(out);
		for (size_t i = 0; i < members->n; i++)
			if (members->items[i]->direction == d || !series_has_data(members->items[i]))
				*vec_push(&subset->members) = members->items[i];
		name_subset(subset, subject, varying, several_actors, names[d]);
	}
}

static bool find_several_actors(const members_t *members)
{
	const char *first = NULL;

	for (size_t i = 0; i < members->n; i++) {
		const char *actor = given_text(members->items[i]->actor);

		if (actor && first && strcmp(actor, first) != 0)
			return true;
		first = first ? first : actor;
	}
	return false;
}

void subsets_find(const struct series_set *set, const struct metric *metric, subsets_t *out)
{
	AUTOSTRINGS strings_t pattern = { 0 }, varying = { 0 };
	members_t left = { 0 };
	bool several_actors;

	for (size_t i = 0; i < set->list.n; i++) {
		const struct series *s = &set->list.items[i];

		if (s->job == JOB_ALL && (s->metric == metric || !s->metric))
			*vec_push(&left) = s;
	}
	for (size_t i = 0; i < left.n; i++) {
		add_varying(left.items[i], left.items[0], &varying);
		add_varying(left.items[0], left.items[i], &varying);
	}
	several_actors = find_several_actors(&left);
	strings_add(&pattern, "pattern");
	while (left.n) {
		members_t of_pattern = { 0 };

		take(&left, &pattern, false, &of_pattern);
		while (of_pattern.n) {
			members_t members = { 0 };
			const struct series *subject = take(&of_pattern, &varying, several_actors, &members);

			add_directions(&members, subject, &varying, several_actors, out);
			vec_free(&members);
		}
		vec_free(&of_pattern);
	}
	vec_free(&left);
}

void subsets_release(subsets_t *subsets)
{
	for (size_t i = 0; i < subsets->n; i++) {
		vec_free(&subsets->items[i].members);
		free(subsets->items[i].title);
		free(subsets->items[i].label);
	}
	vec_free(subsets);
}
