// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view.h"

#include <string.h>

#include "checks/codes.h"

extern const struct view view_jobs, view_schedulers, view_cpu, view_rawio, view_workloads, view_matrix, view_summary,
	view_compare, view_trend, view_long;

static const struct view *const views[] = { &view_jobs,	     &view_schedulers, &view_cpu,     &view_rawio,
					    &view_workloads, &view_matrix,     &view_summary,
					    &view_compare,   &view_trend,      &view_long };

static void add_warning(const char *name, struct table *last)
{
	const struct check_code *code = check_code_find(name);

	/* one of a newer iobench is still a warning */
	*vec_push(&last->notes) = code ? mem_printf("warning %s: %s; %s", code->code, code->title, code->advice)
				       : mem_printf("warning %s", name);
}

void view_warn_of_order(const struct series_set *set, struct tables *out)
{
	const char *code = check_codes[CHECK_SEQUENTIAL_ORDER].code;

	if (out->list.n && strings_has(&set->warnings, code))
		add_warning(code, out->list.items[out->list.n - 1]);
}

void view_mark_simulated(const struct series_set *set, struct tables *out)
{
	enum set_share share = set_has_warning(set, check_codes[CHECK_SIMULATED_DISK].code);

	for (size_t i = 0; share != SET_NONE && i < out->list.n; i++) {
		struct table *t = out->list.items[i];
		AUTOFREE char *title = t->title;

		t->title = mem_printf("%s: %s", share == SET_SOME ? "partly simulated" : "simulated disk", title ? title : "");
		t->simulated = true;
		t->partly = share == SET_SOME;
	}
}

void view_add_subject(const struct series_set *set, struct tables *out)
{
	AUTOSTRINGS strings_t lines = { 0 };

	for (size_t i = 0; i < set->list.n; i++) {
		const struct series *s = &set->list.items[i];
		AUTOSTRINGS strings_t of_one = { 0 };

		if (!s->subject || (i && s[-1].subject && !strcmp(s[-1].subject, s->subject)))
			continue;
		str_split(s->subject, '\n', &of_one);
		for (size_t k = 0; k < of_one.n; k++)
			if (!strings_has(&lines, of_one.items[k]))
				strings_add(&lines, of_one.items[k]);
	}
	for (size_t i = 0; i < out->list.n; i++)
		for (size_t k = 0; k < lines.n; k++)
			strings_add(&out->list.items[i]->legend, lines.items[k]);
}

/* Axes that a table has in its title, its rows or columns; of the device a reader is told elsewhere. */
static bool is_told(const char *axis)
{
	static const char *const told[] = { "pattern", "numjobs", "device" };

	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		if (!strcmp(told[i], axis))
			return true;
	return false;
}

void view_add_conditions(const struct series_set *set, struct tables *out)
{
	const char *kernel = set_common_kernel(set);
	AUTOSTR struct str text = { 0 };

	for (size_t i = 0; set->list.n && i < set->list.items[0].axes.n; i++) {
		const struct series_axis *axis = &set->list.items[0].axes.items[i];

		if (is_told(axis->name) || !set_common_axis(set, axis->name))
			continue;
		str_add(&text, text.len ? ", " : "all cells: ");
		add_axis_text(&text, axis->name, axis->value);
	}
	if (kernel)
		str_addf(&text, "%skernel %s", text.len ? ", " : "all cells: ", kernel);
	if (text.len && out->list.n)
		strings_add(&out->list.items[out->list.n - 1]->notes, str_text(&text));
}

int view_make_unwarned(const struct view *v, const struct series_set *set, const struct view_options *opt, struct tables *out,
		       struct err *err)
{
	if (v->make(set, opt, out, err))
		return -1;
	view_mark_simulated(set, out);
	view_add_subject(set, out);
	/* the layout 'long' has them in columns */
	if (!v->every)
		view_add_conditions(set, out);
	for (size_t i = 0; out->list.n && opt->notes && i < opt->notes->n; i++)
		strings_add(&out->list.items[out->list.n - 1]->notes, opt->notes->items[i]);
	return 0;
}

int view_make(const struct view *v, const struct series_set *set, const struct view_options *opt, struct tables *out,
	      struct err *err)
{
	if (view_make_unwarned(v, set, opt, out, err))
		return -1;
	for (size_t i = 0; out->list.n && i < set->warnings.n; i++)
		add_warning(set->warnings.items[i], out->list.items[out->list.n - 1]);
	return 0;
}

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(views); i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}

const struct view *view_at(size_t i)
{
	return i < ARRAY_LEN(views) ? views[i] : NULL;
}
