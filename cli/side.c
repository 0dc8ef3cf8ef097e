// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/side.h"

#include <ctype.h>
#include <string.h>

#include "common/units.h"
#include "runner/plan.h"

#define DATE "date="
#define KERNEL "kernel="
#define HOST "host="
#define NAMES_MAX 8

void side_release(struct side *s)
{
	vec_free(&s->sweeps);
	free(s->kernel);
	free(s->variant);
	free(s->axis);
	free(s->value);
	vec_free(&s->members);
}

/* ---- which sweeps ---- */

int side_check_name(const char *name, struct err *err)
{
	static const char *const taken[] = { DATE, KERNEL, HOST };
	const char *means = NULL;

	if (!name)
		return 0;
	if (!strcmp(name, "last") || str_starts(name, "last~"))
		means = "last";
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		if (str_starts(name, taken[i]))
			means = taken[i];
	return means ? err_set(err, ERR_USAGE, "--name '%s': nobody could ask for that sweep, '%s' means others: take another name",
			       name, means)
		     : 0;
}

static bool find_sweep(struct store *db, const char *text, struct side *s)
{
	struct sweep_row row = { 0 };

	if (store_find_sweep(db, text, &row, NULL))
		return false;
	*vec_push(&s->sweeps) = row.id;
	sweep_row_release(&row);
	return true;
}

static int find_days(struct store *db, const char *text, struct side *s, struct err *err)
{
	int64_t from, until;

	if (units_parse_days(text, &from, &until, err) || store_sweeps_between(db, from, until, &s->sweeps, err))
		return -1;
	return s->sweeps.n ? 0 : err_set(err, ERR_USAGE, "no sweep started on '%s' ('iobench list' shows when they did)", text);
}

/* The i-th name of a list that may be long. */
static void add_few(struct str *list, const char *name, size_t i)
{
	if (i < NAMES_MAX)
		str_addf(list, "%s%s", i ? ", " : "", name);
	else if (i == NAMES_MAX)
		str_add(list, ", ...");
}

/* "6.1.0" is 6.1.0-37-amd64 where that is the only one of it; 6.1 is not 6.12. */
static int find_release(struct store *db, const char *text, char **out, struct err *err)
{
	AUTOSTRINGS strings_t all = { 0 };
	AUTOSTR struct str matching = { 0 }, there = { 0 };
	const char *found = NULL;
	size_t n = 0;

	if (store_list_kernels(db, &all, err))
		return -1;
	for (size_t i = 0; i < all.n; i++) {
		const char *kernel = all.items[i], *rest = str_starts(kernel, text) ? kernel + strlen(text) : NULL;

		add_few(&there, kernel, i);
		if (!rest || isalnum((unsigned char)*rest))
			continue;
		add_few(&matching, kernel, n);
		if (*rest == '\0') { /* itself, whatever starts like it */
			*out = mem_strdup(kernel);
			return 0;
		}
		found = kernel;
		n++;
	}
	if (n > 1)
		return err_set(err, ERR_USAGE, "kernel '%s' is the start of several: %s", text, str_text(&matching));
	if (!n)
		return err_set(err, ERR_USAGE, "nothing was measured under kernel '%s' (there are %s)", text,
			       there.len ? str_text(&there) : "none that are known");
	*out = mem_strdup(found);
	return 0;
}

static int find_kernel(struct store *db, const char *text, struct side *s, struct err *err)
{
	int64_t id;

	if (find_release(db, text, &s->kernel, err) || store_sweep_of_kernel(db, s->kernel, &id, err))
		return -1;
	if (!id)
		return err_set(err, ERR_USAGE, "no sweep has results of kernel '%s'", s->kernel);
	*vec_push(&s->sweeps) = id;
	return 0;
}

/* The newest sweep that a host has made, of those with the name of 'like' (0: of all). */
static int find_host(struct store *db, const char *host, int64_t like, struct side *s, struct err *err)
{
	struct sweep_row row = { 0 };

	if (store_find_sweep_of_host(db, host, like, &row, err))
		return -1;
	s->sweeps.n = 0;
	*vec_push(&s->sweeps) = row.id;
	sweep_row_release(&row);
	return 0;
}

/* 1: 'text' names sweeps, 0: it does not, -1: it would, but. */
static int find_which(struct store *db, const char *text, struct side *s, struct err *err)
{
	if (str_starts(text, DATE))
		return find_days(db, text + strlen(DATE), s, err) ? -1 : 1;
	if (str_starts(text, KERNEL))
		return find_kernel(db, text + strlen(KERNEL), s, err) ? -1 : 1;
	if (str_starts(text, HOST))
		return find_host(db, text + strlen(HOST), 0, s, err) ? -1 : 1;
	return find_sweep(db, text, s);
}

/* ---- and what of them ---- */

/* "jobs=8" is the stored axis numjobs, "bs=4k" bs_bytes 4096; what sweep does not know may still be stored. */
static int parse_axis(const char *text, size_t equal, struct side *s, struct err *err)
{
	AUTOFREE char *name = mem_strndup(text, equal);
	axis_points_t points = { 0 };
	int bad = 0;

	s->axis = mem_strdup(name);
	s->value = mem_strdup(text + equal + 1);
	for (int a = 0; a < AXIS_N; a++) {
		if (strcmp(axes[a].option, name) && strcmp(axes[a].name, name))
			continue;
		bad = axis_parse(a, s->value, &points, err);
		if (!bad && points.n != 1)
			bad = err_set(err, ERR_USAGE, "'%s': a side of the comparison is one value", text);
		if (!bad) {
			free(s->axis);
			free(s->value);
			s->axis = mem_strdup(axes[a].name);
			s->value = mem_strdup(points.items[0].text);
		}
		for (size_t i = 0; i < points.n; i++)
			free(points.items[i].text);
		vec_free(&points);
		break;
	}
	return bad;
}

static void list_variants(struct store *db, const struct side *s, strings_t *out)
{
	for (size_t k = 0; k < s->sweeps.n; k++) {
		cell_rows_t cells = { 0 };

		if (store_list_cells(db, s->sweeps.items[k], &cells, NULL))
			return;
		for (size_t i = 0; i < cells.n; i++)
			if (!strings_has(out, cells.items[i].variant))
				strings_add(out, cells.items[i].variant);
		cell_rows_release(&cells);
	}
}

static int unknown_part(const char *text, const strings_t *variants, struct err *err)
{
	const char *nearest = str_nearest(text, (const char *const *)variants->items, variants->n);
	AUTOSTR struct str there = { 0 };

	if (nearest)
		return err_set(err, ERR_USAGE, "'%s' is no sweep, and no variant of the sweep (did you mean '%s'?)", text, nearest);
	for (size_t i = 0; i < variants->n; i++) {
		/* there is a scheduler 'none' */
		AUTOFREE char *name = mem_printf("'%s'", variants->items[i]);

		add_few(&there, name, i);
	}
	return err_set(err, ERR_USAGE, "'%s' is no sweep, and no variant of the sweep, which has %s ('iobench list' names sweeps)",
		       text, variants->n ? str_text(&there) : "no cells");
}

static int parse_part(struct store *db, const char *text, struct side *s, struct err *err)
{
	size_t equal = strcspn(text, ":=");
	AUTOSTRINGS strings_t variants = { 0 };

	if (str_starts(text, HOST) && s->sweeps.n == 1)
		return find_host(db, text + strlen(HOST), s->sweeps.items[0], s, err);
	list_variants(db, s, &variants);
	if (strings_has(&variants, text)) {
		s->variant = mem_strdup(text);
		return 0;
	}
	if (str_starts(text, KERNEL) && !s->kernel)
		return find_release(db, text + strlen(KERNEL), &s->kernel, err);
	/* a variant may have '=' in it, but the name of an axis no ':' before it */
	if (text[equal] == '=')
		return parse_axis(text, equal, s, err);
	return unknown_part(text, &variants, err);
}

int side_parse(struct store *db, const char *text, struct side *out, struct err *err)
{
	const char *slash = strchr(text, '/');
	AUTOFREE char *head = slash ? mem_strndup(text, (size_t)(slash - text)) : NULL;
	int found;

	out->typed = text;
	if (find_sweep(db, text, out)) /* also one with a slash in its name */
		return 0;
	found = find_which(db, head ? head : text, out, err);
	if (found)
		return found < 0 ? -1 : slash ? parse_part(db, slash + 1, out, err) : 0;
	if (!find_sweep(db, "last", out))
		return err_set(err, ERR_USAGE, "there is no sweep in '%s'", store_path(db));
	return parse_part(db, text, out, err);
}

static bool on_side(const struct side *side, const struct series *s)
{
	bool there = false;

	for (size_t i = 0; i < side->sweeps.n; i++)
		there = there || s->sweep == side->sweeps.items[i];
	if (!there || (side->kernel && !same_text(s->kernel, side->kernel)) ||
	    (side->variant && !same_text(s->variant, side->variant)))
		return false;
	if (!side->axis)
		return true;
	return same_text(!strcmp(side->axis, "variant") ? s->variant : series_axis(s, side->axis), side->value);
}

int side_fill(const struct series_set *set, const char *asked, struct side *side, struct err *err)
{
	bool any = false;

	for (size_t i = 0; i < set->list.n; i++) {
		if (!on_side(side, &set->list.items[i]))
			continue;
		any = any || series_has_data(&set->list.items[i]);
		*vec_push(&side->members) = &set->list.items[i];
	}
	return any ? 0
		   : err_set(err, ERR_FAULT, "nothing of metric '%s' is stored for '%s' (--metric names others)", asked,
			     side->typed);
}

void side_describe(const struct side *side, const char *name, strings_t *out)
{
	AUTOSTRINGS strings_t kernels = { 0 };
	struct str text = { 0 };

	if (side->sweeps.n < 2)
		return;
	for (size_t i = 0; i < side->members.n; i++)
		if (given_text(side->members.items[i]->kernel) && !strings_has(&kernels, side->members.items[i]->kernel))
			strings_add(&kernels, side->members.items[i]->kernel);
	str_addf(&text, "%s: %zu sweeps", name, side->sweeps.n);
	for (size_t i = 0; i < kernels.n; i++)
		str_addf(&text, "%s%s", i ? ", " : kernels.n > 1 ? ", kernels " : ", kernel ", kernels.items[i]);
	*vec_push(out) = str_steal(&text);
}
