// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JUnit XML, as Jenkins, GitLab and others show it: a suite a sweep, a test case a cell. A cell that failed is a failure,
 * one that is pending is skipped. What was measured, and warnings, are in the suite's system-out: of the schemas that
 * there are, Ant's has none in a test case. Both Ant's and Jenkins' schema take what is written here.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "report/export.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/subset.h"

void junit_add_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	html_add_text(out, value);
	str_add(out, "\"");
}

static double seconds_of(const struct export_sweep *sweep, const struct cell_row *cell)
{
	double ns = 0;

	for (size_t i = 0; i < sweep->runs.n; i++)
		if (sweep->runs.items[i].cell == cell->id)
			ns += (double)sweep->runs.items[i].elapsed_ns;
	return ns / (double)NS_PER_S;
}

/* Why runs of a cell failed: a line each. */
static void add_reasons(const struct export_sweep *sweep, const struct cell_row *cell, struct str *out)
{
	for (size_t i = 0; i < sweep->runs.n; i++) {
		const struct run_row *run = &sweep->runs.items[i];

		if (run->cell != cell->id || !strcmp(run->state, "ok") || !strcmp(run->state, "superseded"))
			continue;
		str_addf(out, "run %.8s %s: ", run->uuid, run->state);
		html_add_text(out, run->reason ? run->reason : "no reason is stored");
		str_add(out, "\n");
	}
}

static void add_case(const struct export_data *d, const struct export_sweep *sweep, const struct cell_row *cell,
		     const char *class, struct str *out)
{
	AUTOFREE char *name = export_cell_name(d, cell);
	bool failed = !strcmp(cell->state, "failed");

	str_add(out, "    <testcase");
	junit_add_attribute(out, "classname", class);
	junit_add_attribute(out, "name", name);
	str_addf(out, " time=\"%.3f\"", seconds_of(sweep, cell));
	if (!strcmp(cell->state, "done")) {
		str_add(out, "/>\n");
		return;
	}
	str_addf(out, ">\n      <%s", failed ? "failure" : "skipped");
	if (failed)
		junit_add_attribute(out, "type", "failed");
	junit_add_attribute(out, "message", cell->reason ? cell->reason : failed ? "no run of it is good" : "pending");
	str_add(out, ">");
	if (failed)
		add_reasons(sweep, cell, out);
	str_addf(out, "</%s>\n    </testcase>\n", failed ? "failure" : "skipped");
}

/* "NAME: iops 123.4 +- 5.6 IOPS, n=10" */
static void add_result(const struct export_data *d, const struct series *s, struct str *out)
{
	struct stats st = series_summary(s, s->metric->print_scale);
	const struct figures *figures = figures_of(s->metric);
	AUTOFREE char *name = export_series_name(d, s);

	html_add_text(out, name);
	str_addf(out, ": %s%s", export_direction(s->direction), s->metric->name);
	for (size_t i = 0; i < figures->n; i++) {
		double value = figure_value(&st, figures->columns[i].which);

		if (isnan(value))
			continue;
		str_addf(out, ", %s ", figures->columns[i].name);
		export_figure(out, value);
		str_addf(out, "%s%s", *s->metric->print_unit ? " " : "", s->metric->print_unit);
	}
	str_addf(out, ", n %zu\n", st.n);
}

static void add_output(const struct export_data *d, const struct export_sweep *sweep, struct str *out)
{
	str_add(out, "    <system-out>");
	for (size_t i = 0; i < d->set.list.n; i++) {
		const struct series *s = &d->set.list.items[i];

		if (s->sweep == sweep->row.id && s->metric && series_has_data(s))
			add_result(d, s, out);
	}
	for (size_t c = 0; c < sweep->cells.n; c++) {
		const struct cell_row *cell = &sweep->cells.items[c];
		AUTOFREE char *name = export_has_cell(d, cell) ? export_cell_name(d, cell) : NULL;

		for (size_t i = 0; name && i < sweep->warnings.n; i++) {
			const struct warning_count *w = &sweep->warnings.items[i];

			if (w->cell != cell->id)
				continue;
			html_add_text(out, name);
			str_addf(out, ": warning %s: ", w->code);
			html_add_text(out, w->text);
			if (w->n_runs)
				str_addf(out, " (%" PRId64 " run%s)", w->n_runs, w->n_runs == 1 ? "" : "s");
			str_add(out, "\n");
		}
	}
	str_add(out, "</system-out>\n    <system-err/>\n");
}

void junit_add_property(struct str *out, const char *name, const char *value)
{
	if (!given_text(value))
		return;
	str_add(out, "      <property");
	junit_add_attribute(out, "name", name);
	junit_add_attribute(out, "value", value);
	str_add(out, "/>\n");
}

static void add_properties(const struct export_data *d, const struct export_sweep *sweep, struct str *out)
{
	const char *kernel = NULL;

	for (size_t i = 0; i < d->set.list.n && !kernel; i++)
		if (d->set.list.items[i].sweep == sweep->row.id)
			kernel = given_text(d->set.list.items[i].kernel);
	str_add(out, "    <properties>\n");
	junit_add_property(out, "iobench", IOBENCH_VERSION);
	junit_add_property(out, "sweep", sweep->row.uuid);
	junit_add_property(out, "note", sweep->row.note);
	junit_add_property(out, "command", sweep->row.command);
	junit_add_property(out, "devices", sweep->row.devices);
	junit_add_property(out, "kernel", kernel);
	str_add(out, "    </properties>\n");
}

static void add_suite(const struct export_data *d, size_t at, struct str *out)
{
	const struct export_sweep *sweep = &d->sweeps.items[at];
	const char *name = given_text(sweep->row.name) ? sweep->row.name : "sweep";
	AUTOFREE char *class = mem_printf("iobench.%s", name);
	AUTOSTR struct str cases = { 0 };
	size_t n = 0, failures = 0, skipped = 0;
	double seconds = 0;
	char when[UNITS_TEXT];

	for (size_t i = 0; i < sweep->cells.n; i++) {
		const struct cell_row *cell = &sweep->cells.items[i];

		if (!export_has_cell(d, cell))
			continue;
		n++;
		failures += !strcmp(cell->state, "failed");
		skipped += !strcmp(cell->state, "pending");
		seconds += seconds_of(sweep, cell);
		add_case(d, sweep, cell, class, &cases);
	}
	units_format_time(when, sweep->row.started_ns, gmtime_r, "%FT%T");
	str_add(out, "  <testsuite");
	junit_add_attribute(out, "name", name);
	junit_add_attribute(out, "package", "iobench");
	str_addf(out, " id=\"%zu\" timestamp=\"%s\"", at, when);
	junit_add_attribute(out, "hostname", given_text(sweep->row.host) ? sweep->row.host : "localhost");
	str_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n", n, failures, skipped,
		 seconds);
	add_properties(d, sweep, out);
	str_add(out, str_text(&cases));
	add_output(d, sweep, out);
	str_add(out, "  </testsuite>\n");
}

static int write_junit(const struct export_data *d, struct str *out, struct err *err)
{
	(void)err;
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < d->sweeps.n; i++)
		add_suite(d, i, out);
	str_add(out, "</testsuites>\n");
	return 0;
}

const struct exporter export_junit = {
	.name = "junit",
	.title = "JUnit XML: a test case a cell",
	.better = BETTER_NEITHER,
	.without_values = true,
	.write = write_junit,
};
