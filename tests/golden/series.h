/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_GOLDEN_SERIES_H
#define TESTS_GOLDEN_SERIES_H

/* Series made by hand, and what views and formats make of them. */

#include "report/emit.h"
#include "report/view.h"
#include "tests/tap.h"

/* ---- series by hand ---- */

struct facts {
	const char *variant, *pattern, *governor, *driver, *kernel, *actor, *device, *sweep_name;
	int jobs;
	int64_t sweep, environment;
	enum direction direction;
};

__attribute__((unused)) static void add_axis(struct series *s, const char *name, const char *value)
{
	if (value)
		*vec_push(&s->axes) = (struct series_axis){ mem_strdup(name), mem_strdup(value) };
}

/* A cell without runs; the tests change what they are about. */
__attribute__((unused)) static struct series *add(struct series_set *set, const char *metric, struct facts f)
{
	struct series *s = vec_push(&set->list);
	AUTOFREE char *jobs = f.jobs ? mem_printf("%d", f.jobs) : NULL;

	*s = (struct series){
		.sweep = f.sweep,
		.environment = f.environment,
		.sweep_name = mem_strdup(f.sweep_name),
		.variant = mem_strdup(f.variant),
		.kernel = mem_strdup(f.kernel),
		.cpufreq_driver = mem_strdup(f.driver),
		.actor = mem_strdup(f.actor),
		.device = mem_strdup(f.device),
		.state = mem_strdup("pending"),
		.metric = metric_find(metric),
		.direction = f.direction,
		.job = JOB_ALL,
		.mean = NAN,
		.stddev = NAN,
	};
	add_axis(s, "governor", f.governor);
	add_axis(s, "pattern", f.pattern);
	add_axis(s, "numjobs", jobs);
	return s;
}

__attribute__((unused)) static void done(struct series *s)
{
	free(s->state);
	s->state = mem_strdup("done");
}

__attribute__((unused)) static void give(struct series *s, int n, const double *values)
{
	done(s);
	for (int i = 0; i < n; i++)
		*vec_push(&s->points) =
			(struct series_point){ .value = values[i], .block = i + 1, .invocation = 1, .run = 100 + i };
}

#define GIVE(s, ...) give(s, ARRAY_LEN(((const double[]){ __VA_ARGS__ })), (const double[]){ __VA_ARGS__ })

__attribute__((unused)) static void give_summary(struct series *s, uint64_t n, double mean, double stddev)
{
	done(s);
	s->summary_only = true;
	s->n = n;
	s->mean = mean;
	s->stddev = stddev;
}

/* ---- and what became of them ---- */

__attribute__((unused)) static void make(const char *view, const struct series_set *set, const char *metric, struct tables *out)
{
	struct view_options opt = { .metric = metric ? metric_find(metric) : NULL };
	struct err err = { 0 };

	if (view_find(view)->make(set, &opt, out, &err))
		ok(false, "%s: %s", view, err.msg);
}

/* The output of a format for a metric, which frees the set; the caller frees. */
__attribute__((unused)) static char *emitted(const char *view, struct series_set *set, const char *metric, const char *format,
		     struct emit_options opt)
{
	struct tables tables = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };

	make(view, set, metric, &tables);
	if (emitter_find(format)->emit(&tables, &opt, &out, &err))
		ok(false, "%s: %s", format, err.msg);
	tables_release(&tables);
	series_set_release(set);
	return str_steal(&out);
}

__attribute__((unused)) static char *text_of(struct series_set *set, const char *metric)
{
	return emitted("jobs", set, metric, "text", (struct emit_options){ 0 });
}

/* What a mail wants: at most 76 columns, no tabs, no blanks at the end of a line, ASCII. */
__attribute__((unused)) static void is_mail(const char *text, const char *what)
{
	size_t column = 0, widest = 0, bad = 0;

	for (const char *s = text; *s; s++) {
		bad += *s == '\t' || (*s == '\n' && s > text && s[-1] == ' ') || (unsigned char)*s >= 0x80;
		column = *s == '\n' ? 0 : column + 1;
		widest = column > widest ? column : widest;
	}
	ok(widest <= 76 && !bad, "%s: fit for a mail (%zu columns)", what, widest);
}

#endif
