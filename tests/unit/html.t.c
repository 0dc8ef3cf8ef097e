// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html.h"

#include "tests/golden/golden.h"

static void test_text(void)
{
	struct str out = { 0 };

	html_add_text(&out, "<a href=\"x\">'&\n\xff größe");
	is(str_text(&out), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;?? größe", "nothing in a text is markup");
	str_release(&out);
}

static void test_svg(void)
{
	static const char svg[] =
		"<?xml version=\"1.0\"?>\n<svg \n width=\"5\" viewBox=\"0 0 640 400\"\n>\n<title>iobench</title>\n"
		"<desc>gnuplot</desc>\n<path id='gpPt0' stroke='black'/><use xlink:href='#gpPt0' color='white'/>"
		"<polygon style = 'fill: url(#gpPat1)'/><g color=\"black\" id=\"gnuplot_canvas\"><text fill=\"black\">fill=\"black\" id='gp</text></g></svg>\n";
	struct str out = { 0 };

	html_add_svg(&out, svg, 3, "a < b", "words");
	is(str_text(&out),
	   "<svg role=\"img\" aria-labelledby=\"plot3-title plot3-desc\" xmlns=\"http://www.w3.org/2000/svg\" "
	   "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 640 400\">\n"
	   "<title id=\"plot3-title\">a &lt; b</title>\n<desc id=\"plot3-desc\">words</desc>\n\n\n\n"
	   "<path id='plot3-gpPt0' stroke='currentColor'/><use xlink:href='#plot3-gpPt0' style='color:var(--page)'/>"
	   "<polygon style = 'fill: url(#plot3-gpPat1)'/><g color=\"inherit\" id=\"plot3-canvas\"><text fill=\"currentColor\">fill=\"black\" id='gp</text></g></svg>\n",
	   "names of its own, the page's colours, its own words; text is left alone");
	str_release(&out);
	html_add_svg(&out, "no picture", 1, "", "");
	is(str_text(&out), "", "what is no SVG adds nothing");
	str_release(&out);
}

static void test_page(void)
{
	struct html_page page = { .title = mem_strdup("a & b") };
	struct html_facts *f = html_add_facts(&page, "Sweep", false);
	struct tables tables = { 0 };
	struct table *t = table_new("t", NULL);
	struct str out = { 0 };

	html_add_fact(f, "command", "iobench sweep --dev '/dev/sdb'");
	html_add_fact(f, "note", "");
	html_add_fact(f, "note", NULL);
	html_add_facts(&page, "Nothing known", false);
	html_add_fact(html_add_facts(&page, "All", true), "k", "v");
	page.findings = table_new("findings", NULL);
	page.findings->style = TABLE_LIST;
	page.findings->caption = mem_strdup("1 comparison");
	table_add_column(page.findings, "finding", "finding", NULL, NULL);
	table_set_text(table_add_row(page.findings), 0, "bfq falls to 64% <of cfq>");
	page.findings->rows.items[0].note = mem_strdup("try low_latency=0");
	*vec_push(&page.warnings) = (struct html_warning){ .code = mem_strdup("spread"), .title = mem_strdup("results differ"),
							   .advice = mem_strdup("run longer"), .example = mem_strdup("CV 20%"),
							   .n_runs = 1, .n_cells = 2 };
	*vec_push(&page.warnings) = (struct html_warning){ .code = mem_strdup("of-tomorrow"), .example = mem_strdup("x"), .n_runs = 2 };
	*vec_push(&tables.list) = t;
	table_add_column(t, "jobs", "numjobs", NULL, NULL)->is_label = true;
	table_add_column(t, "mean", "mean", "IOPS", NULL);
	table_add_column(t, "stddev", "stddev", "IOPS", NULL)->in_parens = true;
	table_add_column(t, "n", "n", NULL, NULL)->for_machines = true;
	table_set_integer(table_add_row(t), 0, 1);
	table_set_real(&t->rows.items[0], 1, 2.0625, 2);
	table_set_real(&t->rows.items[0], 2, 1, 1);
	page.tables = &tables;
	html_write(&page, &out);
	is_golden(str_text(&out), "page.html");
	has(str_text(&out), "<li>bfq falls to 64% &lt;of cfq&gt;<br>\n<span class=\"soft\">try low_latency=0</span></li>", "findings are sentences");
	has(str_text(&out), "data-v=\"2.0625\">2.06 (1.0)</td>", "a cell is sorted by its exact value");
	ok(!strstr(str_text(&out), "Nothing known") && !strstr(str_text(&out), "<dt>note"), "what is not known is not there");
	ok(!strstr(str_text(&out), "src=") && !strstr(str_text(&out), "<link") && !strstr(str_text(&out), "@import"),
	   "nothing is fetched");
	str_clear(&out);
	page.findings->simulated = true;
	html_write(&page, &out);
	has(str_text(&out), "<h2>Simulated disk: findings</h2>", "of a simulated disk the page says so first of all");
	str_release(&out);
	html_release(&page);
	tables_release(&tables);
}

int main(void)
{
	test_text();
	test_svg();
	test_page();
	return tap_done();
}
