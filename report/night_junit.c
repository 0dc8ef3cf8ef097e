// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JUnit XML as GitLab (docs.gitlab.com/ci/testing/unit_test_reports) and Jenkins (its junit-10.xsd) read it. The order
 * of elements and the attributes are those of the schema.
 */
#include <inttypes.h>

#include "common/units.h"
#include "report/export.h"
#include "report/html.h"
#include "report/night_report.h"

static const char *element_of(const struct night_cell *cell)
{
	switch (cell->verdict) {
	case NIGHT_REGRESSED:
		return "failure";
	case NIGHT_FEW:
	case NIGHT_NOISY:
	case NIGHT_NO_REFERENCE:
	case NIGHT_NOT_MEASURED:
	case NIGHT_NOT_OFFERED:
	case NIGHT_GONE:
		return "skipped";
	default:
		return NULL;
	}
}

static void add_case(const struct night_report *r, const struct night_cell *cell, struct str *out)
{
	AUTOFREE char *name = night_cell_name(r, cell), *text = night_cell_text(r, cell);
	AUTOFREE char *message = mem_printf("%s: %s", night_verdict_names[cell->verdict], text);
	const char *element = element_of(cell);

	str_add(out, "    <testcase");
	junit_add_attribute(out, "name", name);
	junit_add_attribute(out, "classname", cell->series->metric->name);
	str_add(out, " time=\"0\">\n");
	if (element) {
		str_addf(out, "      <%s", element);
		junit_add_attribute(out, "message", message);
		str_add(out, "/>\n");
	}
	str_add(out, "      <system-out>");
	html_add_text(out, message);
	str_add(out, "</system-out>\n    </testcase>\n");
}

void night_report_junit(const struct night_report *r, struct str *out)
{
	AUTOFREE char *headline = night_headline(r), *subject = night_subject(r);
	const struct night *night = &r->nights->items[r->nights->n - 1];
	size_t failures = r->gate->count[NIGHT_REGRESSED], skipped = 0;
	char stamp[UNITS_TEXT];

	for (size_t i = 0; i < r->gate->cells.n; i++)
		skipped += element_of(&r->gate->cells.items[i]) && r->gate->cells.items[i].verdict != NIGHT_REGRESSED;
	units_format_time(stamp, night->last_ns, gmtime_r, "%FT%T");
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"iobench check\"");
	str_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\" timestamp=\"%s\">\n",
		 r->gate->cells.n, failures, skipped, stamp);
	str_add(out, "    <properties>\n");
	junit_add_property(out, "verdict", headline);
	junit_add_property(out, "night", night->date);
	junit_add_property(out, "judged", subject);
	str_add(out, "    </properties>\n");
	for (size_t i = 0; i < r->gate->cells.n; i++)
		add_case(r, &r->gate->cells.items[i], out);
	str_add(out, "    <system-out>");
	for (size_t i = 0; i < r->events.n; i++) {
		AUTOFREE char *text = night_event_text(r, &r->events.items[i]);

		html_add_text(out, text);
		str_add(out, "\n");
	}
	str_add(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
}
