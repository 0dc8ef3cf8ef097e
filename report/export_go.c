// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Go benchmark format (golang.org/design/14313-benchmark-format), which benchstat and others read: lines
 * "key: value" hold for the results below them, and a result is "BenchmarkNAME ITERATIONS VALUE UNIT [VALUE UNIT]...",
 * the parts of NAME being "/key=value". A line a run, so that benchstat sees how many there are: 1 iteration each.
 * "Unit NAME better=higher" is golang.org/issue/43744.
 *
 * The unit must say what is measured, and end in '-' and the measurement unit: "clat_p99-ns" (benchstat prints ms for
 * it); "IOPS" and "B/s" say it all.
 */
#include <inttypes.h>
#include <string.h>

#include "report/export.h"
#include "report/subset.h"

static void add_unit(struct str *out, const struct series *s)
{
	const struct metric *m = s->metric;

	str_add(out, export_direction(s->direction));
	if (!strcmp(m->name, "iops") || !strcmp(m->name, "bw"))
		str_add(out, m->unit);
	else
		str_addf(out, *m->unit ? "%s-%s" : "%s", m->name, m->unit);
}

/* A line "key: value", or none without a value. */
static void add_config(struct str *out, const char *key, const char *value)
{
	AUTOSTR struct str clean = { 0 };

	if (!value || !*value)
		return;
	for (const char *c = value; *c; c++)
		str_addn(&clean, (unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f ? "?" : c, 1);
	str_addf(out, "%s: %s\n", key, str_text(&clean));
}

/* What tools must know of each unit, once. */
static void add_units(const struct export_data *d, struct str *out)
{
	AUTOSTRINGS strings_t known = { 0 };

	for (size_t i = 0; i < d->set.list.n; i++) {
		const struct series *s = &d->set.list.items[i];
		AUTOSTR struct str unit = { 0 };

		if (!s->metric || !s->points.n || s->metric->better == BETTER_NEITHER)
			continue;
		add_unit(&unit, s);
		if (strings_has(&known, str_text(&unit)))
			continue;
		strings_add(&known, str_text(&unit));
		str_addf(out, "Unit %s better=%s\n", str_text(&unit), s->metric->better == BETTER_HIGHER ? "higher" : "lower");
	}
}

/*
 * A trailing "-4" would be read as GOMAXPROCS: the dash of one is written as %2d.
 */
static void add_name(struct str *out, const char *name)
{
	size_t digits = strlen(name), len = digits;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < len && digits && name[digits - 1] == '-')
		str_addf(out, "BenchmarkIO/%.*s%%2d%s", (int)(digits - 1), name, name + digits);
	else
		str_addf(out, "BenchmarkIO/%s", name);
}

/* Whether two series stand in the same lines: other metrics of the same runs. */
static bool same_runs(const struct series *a, const struct series *b)
{
	return a->cell == b->cell && a->environment == b->environment && same_text(a->actor, b->actor) &&
	       same_text(a->device, b->device);
}

/* The value of one run, by its id; runs of a series are few. */
static const struct series_point *point_of(const struct series *s, int64_t run)
{
	for (size_t i = 0; i < s->points.n; i++)
		if (s->points.items[i].run == run)
			return &s->points.items[i];
	return NULL;
}

static bool is_first(const struct export_data *d, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (d->set.list.items[i].points.n && same_runs(&d->set.list.items[i], &d->set.list.items[at]))
			return false;
	return true;
}

/* The runs of the series at 'at', each with all metrics that it has. */
static size_t add_runs(const struct export_data *d, size_t at, struct str *out)
{
	const struct series *first = &d->set.list.items[at];
	AUTOFREE char *name = export_series_name(d, first);

	for (size_t p = 0; p < first->points.n; p++) {
		add_name(out, name);
		str_add(out, " 1");
		for (size_t i = at; i < d->set.list.n; i++) {
			const struct series *s = &d->set.list.items[i];
			const struct series_point *point =
				s->metric && same_runs(first, s) ? point_of(s, first->points.items[p].run) : NULL;

			if (!point)
				continue;
			str_add(out, " ");
			export_number(out, point->value);
			str_add(out, " ");
			add_unit(out, s);
		}
		str_add(out, "\n");
	}
	return first->points.n;
}

static size_t add_sweep(const struct export_data *d, const struct export_sweep *sweep, struct str *out)
{
	const char *kernel = NULL;
	size_t n = 0;

	/* a file of one sweep does not name it: benchstat makes a table of its own for each value of a key */
	if (d->sweeps.n > 1)
		str_addf(out, "sweep: %.8s\n", sweep->row.uuid);
	for (size_t i = 0; i < d->set.list.n; i++) {
		const struct series *s = &d->set.list.items[i];

		if (s->sweep != sweep->row.id || !s->metric || !s->points.n || !is_first(d, i))
			continue;
		if (!same_text(kernel, s->kernel))
			add_config(out, "kernel", s->kernel);
		kernel = s->kernel;
		n += add_runs(d, i, out);
	}
	return n;
}

static int write_go(const struct export_data *d, struct str *out, struct err *err)
{
	size_t n = 0;

	add_units(d, out);
	for (size_t i = 0; i < d->sweeps.n; i++)
		n += add_sweep(d, &d->sweeps.items[i], out);
	if (!n)
		return err_set(err, ERR_USAGE, "no single runs are stored, which this format is made of (a published table "
					       "has none)");
	return 0;
}

const struct exporter export_go = {
	.name = "go",
	.title = "Go benchmark format, a line a run: benchstat",
	.better = BETTER_NEITHER,
	.write = write_go,
};
