// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables, and the page around them. */
#include <string.h>

#include "report/emit.h"
#include "report/html.h"
#include "report/utf8.h"

static const char style[] =
	":root{color-scheme:light dark;--page:#fff;--text:#1a1a1a;--soft:#595959;--line:#c9c9c9;--band:#f4f4f2;--mark:#8a4b00}\n"
	"@media (prefers-color-scheme:dark){:root{--page:#161616;--text:#e8e8e8;--soft:#a9a9a9;--line:#444;--band:#202020;"
	"--mark:#f0b35a}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;max-width:62rem;padding:1rem;background:var(--page);color:var(--text);"
	"font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
	"h3{font-size:1rem;margin:1.5rem 0 .25rem}\n"
	"p,ul,ol,dl{margin:.25rem 0}ul{padding-left:1.2rem}ol{padding-left:1.6rem}li{margin:.15rem 0}\n"
	".soft,.legend,.notes{color:var(--soft);font-size:.875rem}.legend{list-style:none;padding:0}\n"
	"dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.1rem .75rem;font-size:.875rem}\n"
	"dt{color:var(--soft)}dd{margin:0;min-width:0}\n"
	".scroll{overflow-x:auto;margin:.5rem 0}\n"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}\n"
	"th,td{padding:.15rem .6rem;text-align:left;white-space:nowrap;vertical-align:bottom}\n"
	"thead th{border-bottom:1px solid var(--line);font-weight:600}thead th.group{text-align:center}\n"
	"tbody th{font-weight:400}tbody tr:nth-child(even){background:var(--band)}\n"
	"tbody tr.rule>*{border-top:1px solid var(--line)}\n"
	".n{text-align:right}td.wide{white-space:normal;min-width:14rem}\n"
	"th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid}\n"
	"th[aria-sort=ascending] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' \\2193'}\n"
	".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem}\n"
	"figure{margin:.5rem 0;max-width:34rem}svg{display:block;width:100%;height:auto}\n"
	"details{margin:.75rem 0}summary{cursor:pointer}\n"
	".warnings dt{color:var(--mark);font-weight:600}.warnings{display:block}.warnings dd{margin:0 0 .6rem}\n"
	"@media print{:root{color-scheme:light;--page:#fff;--text:#000;--soft:#333;--line:#999;--band:#fff}"
	"body{max-width:none;padding:0;font-size:10pt}.scroll{overflow:visible}table{font-size:8pt}"
	"th,td{padding:.1rem .3rem}figure,.table,dd{break-inside:avoid}h2,h3,dt{break-after:avoid}.plots{grid-template-columns:1fr 1fr}@page{margin:15mm}}\n";

/* Sorts the rows of a table by a column: numbers by the exact ones in data-v, what is missing always last. */
static const char script[] =
	"document.querySelectorAll('table').forEach(function(t){\n"
	"var body=t.tBodies[0],heads=t.tHead.rows[t.tHead.rows.length-1].cells;\n"
	"Array.prototype.forEach.call(heads,function(th,i){\n"
	"var b=document.createElement('button');b.type='button';b.textContent=th.textContent||'\\u2195';\n"
	"b.title='sort by this column';th.textContent='';th.appendChild(b);\n"
	"b.addEventListener('click',function(){\n"
	"var down=th.getAttribute('aria-sort')==='ascending';\n"
	"Array.prototype.forEach.call(heads,function(h){h.removeAttribute('aria-sort')});\n"
	"th.setAttribute('aria-sort',down?'descending':'ascending');\n"
	"var rows=Array.prototype.slice.call(body.rows);\n"
	"rows.forEach(function(r){r.classList.remove('rule')});\n"
	"function key(r){var c=r.cells[i];return c.dataset.v===undefined?c.textContent:parseFloat(c.dataset.v)}\n"
	"function gone(k){return k==='-'||k===''}\n"
	"rows.sort(function(a,b){var x=key(a),y=key(b);\n"
	"if(gone(x)||gone(y))return gone(x)-gone(y);\n"
	"var o=typeof x==='number'&&typeof y==='number'?x-y:String(x).localeCompare(String(y));\n"
	"return down?-o:o});\n"
	"rows.forEach(function(r){body.appendChild(r)})})})});\n";

void html_add_text(struct str *out, const char *text)
{
	static const char *const escapes[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
	};

	utf8_add_escaped(out, text ? text : "", escapes);
}

static void add_element(struct str *out, const char *open, const char *text, const char *close)
{
	str_add(out, open);
	html_add_text(out, text);
	str_add(out, close);
}

static void add_list(struct str *out, const char *class, const strings_t *texts)
{
	if (!texts->n)
		return;
	str_addf(out, "<ul class=\"%s\">\n", class);
	for (size_t i = 0; i < texts->n; i++)
		add_element(out, "<li>", texts->items[i], "</li>\n");
	str_add(out, "</ul>\n");
}

static const char *cell_class(const struct table *t, size_t column)
{
	return emit_column_is_text(t, column) ? "" : " class=\"n\"";
}

static void add_groups(struct str *out, const struct table *t, const emit_columns_t *shown)
{
	bool any = false;

	for (size_t i = 0; i < shown->n; i++)
		any = any || t->columns.items[shown->items[i]].group;
	if (!any)
		return;
	str_add(out, "<tr>");
	for (size_t from = 0, to; from < shown->n; from = to) {
		const char *group = t->columns.items[shown->items[from]].group;

		to = emit_group_end(t, shown, from);
		if (group)
			str_addf(out, "<th class=\"group\" scope=\"colgroup\" colspan=\"%zu\">", to - from);
		else
			str_add(out, "<td>");
		html_add_text(out, group);
		str_add(out, group ? "</th>" : "</td>");
	}
	str_add(out, "</tr>\n");
}

static void add_cell(struct str *out, const struct table *t, const struct table_row *row, size_t column)
{
	const struct table_cell *cell = &row->cells[column];
	const char *tag = t->columns.items[column].is_label ? "th" : "td";
	AUTOSTR struct str text = { 0 }, exact = { 0 };

	emit_place_text(t, row, column, &text);
	str_addf(out, "<%s%s%s", tag, t->columns.items[column].is_label ? " scope=\"row\"" : "", cell_class(t, column));
	if (cell->type == CELL_INTEGER || cell->type == CELL_REAL) {
		emit_cell_exact(cell, &exact);
		str_addf(out, " data-v=\"%s\"", str_text(&exact));
	}
	add_element(out, ">", str_text(&text), "");
	str_addf(out, "</%s>", tag);
}

static void add_rows(struct str *out, const struct table *t, const emit_columns_t *shown)
{
	str_add(out, "<table>\n<thead>\n");
	add_groups(out, t, shown);
	str_add(out, "<tr>");
	for (size_t i = 0; i < shown->n; i++) {
		str_addf(out, "<th scope=\"col\"%s>", cell_class(t, shown->items[i]));
		add_element(out, "", t->columns.items[shown->items[i]].head, "</th>");
	}
	str_add(out, "</tr>\n</thead>\n<tbody>\n");
	for (size_t r = 0; r < t->rows.n; r++) {
		str_add(out, r && t->rows.items[r].rule_before ? "<tr class=\"rule\">" : "<tr>");
		for (size_t i = 0; i < shown->n; i++)
			add_cell(out, t, &t->rows.items[r], shown->items[i]);
		str_add(out, "</tr>\n");
	}
	str_add(out, "</tbody>\n</table>\n");
}

static void add_sentences(struct str *out, const struct table *t)
{
	emit_sentences(t, &(struct emit_list){ html_add_text, "<ol>\n", "<li>", "<br>\n<span class=\"soft\">",
					       "</span>", "</li>\n", "</ol>\n" }, out);
	if (t->caption)
		add_element(out, "<p class=\"soft\">", t->caption, "</p>\n");
	add_list(out, "notes", &t->notes);
}

static void add_table(struct str *out, const struct table *t)
{
	AUTOBLOCKS emit_blocks_t blocks = { 0 };
	AUTOSTRINGS strings_t notes = { 0 };
	AUTOFREE size_t *widths = mem_alloc(t->columns.n, sizeof(*widths));

	str_add(out, "<div class=\"table\">\n");
	if (t->title)
		add_element(out, "<h3>", t->title, "</h3>\n");
	if (t->style == TABLE_LIST) {
		add_sentences(out, t);
		str_add(out, "</div>\n");
		return;
	}
	add_list(out, "legend", &t->legend);
	if (t->caption)
		add_element(out, "<p class=\"soft\">", t->caption, "</p>\n");
	/* a keyboard must reach what a finger scrolls */
	add_element(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", t->title ? t->title : "table",
		    "\">\n");
	emit_split(t, widths, 0, SIZE_MAX / 2, &blocks);
	add_rows(out, t, &blocks.items[0]);
	str_add(out, "</div>\n");
	emit_notes(t, &notes);
	add_list(out, "notes", &notes);
	str_add(out, "</div>\n");
}

static void fold(struct str *out, const char *title)
{
	add_element(out, "<details>\n<summary>", title, "</summary>\n");
}

static void add_facts(struct str *out, const struct html_page *page)
{
	for (size_t i = 0; i < page->facts.n; i++) {
		const struct html_facts *f = &page->facts.items[i];

		if (!f->list.n)
			continue;
		if (f->folded)
			fold(out, f->title);
		else
			add_element(out, "<h2>", f->title, "</h2>\n");
		str_add(out, "<dl>\n");
		for (size_t k = 0; k < f->list.n; k++) {
			add_element(out, "<dt>", f->list.items[k].name, "</dt>");
			add_element(out, "<dd>", f->list.items[k].value, "</dd>\n");
		}
		str_add(out, f->folded ? "</dl>\n</details>\n" : "</dl>\n");
	}
}

static void add_plots(struct str *out, const struct html_page *page, bool folded)
{
	bool any = false;

	for (size_t i = 0; i < page->plots.n; i++) {
		const struct html_plot *p = &page->plots.items[i];

		if (p->folded != folded)
			continue;
		if (!any && folded)
			fold(out, "Runs over time");
		else if (!any)
			str_add(out, "<h2>Plots</h2>\n");
		if (!any)
			str_add(out, "<div class=\"plots\">\n");
		any = true;
		str_add(out, "<figure>\n");
		html_add_svg(out, p->svg, i + 1, p->title, p->text);
		str_add(out, "</figure>\n");
	}
	if (any)
		str_add(out, folded ? "</div>\n</details>\n" : "</div>\n");
}

static void add_counts(struct str *out, const struct html_warning *w)
{
	if (w->n_runs)
		str_addf(out, "%lld run%s", (long long)w->n_runs, w->n_runs == 1 ? "" : "s");
	if (w->n_runs && w->n_cells)
		str_add(out, ", ");
	if (w->n_cells)
		str_addf(out, "%lld cell%s", (long long)w->n_cells, w->n_cells == 1 ? "" : "s");
}

static void add_warnings(struct str *out, const struct html_page *page)
{
	if (!page->warnings.n)
		return;
	str_add(out, "<h2>Warnings</h2>\n<dl class=\"warnings\">\n");
	for (size_t i = 0; i < page->warnings.n; i++) {
		const struct html_warning *w = &page->warnings.items[i];

		add_element(out, "<dt>", w->title ? w->title : w->code, "</dt>\n");
		if (w->advice)
			add_element(out, "<dd>", w->advice, "<br>\n<span class=\"soft\">");
		else
			str_add(out, "<dd><span class=\"soft\">");
		add_element(out, "", w->code, " (");
		add_counts(out, w);
		add_element(out, "): ", w->example, "</span></dd>\n");
	}
	str_add(out, "</dl>\n");
}

static void add_tables(struct str *out, const struct html_page *page)
{
	if (!page->tables || !page->tables->list.n)
		return;
	str_add(out, "<h2>Tables</h2>\n");
	for (size_t i = 0; i < page->tables->list.n; i++)
		add_table(out, page->tables->list.items[i]);
}

void html_write(const struct html_page *page, struct str *out)
{
	str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		     /* whatever a name in here holds: nothing is fetched */
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		     "script-src 'unsafe-inline'\">\n");
	add_element(out, "<title>", page->title, "</title>\n");
	str_addf(out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
	add_element(out, "<h1>", page->title, "</h1>\n");
	if (page->findings) {
		str_addf(out, "<h2>%s</h2>\n", page->findings->simulated ? "Simulated disk: findings" : "Findings");
		add_sentences(out, page->findings);
	}
	add_facts(out, page);
	if (page->plots_first)
		add_plots(out, page, false);
	add_tables(out, page);
	if (!page->plots_first)
		add_plots(out, page, false);
	add_warnings(out, page);
	add_plots(out, page, true);
	if (page->runs) {
		fold(out, "Every run");
		add_table(out, page->runs);
		str_add(out, "</details>\n");
	}
	str_addf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", script);
}

struct html_facts *html_add_facts(struct html_page *page, const char *title, bool folded)
{
	struct html_facts *f = vec_push(&page->facts);

	f->title = mem_strdup(title);
	f->folded = folded;
	return f;
}

void html_add_fact(struct html_facts *facts, const char *name, const char *value)
{
	if (value && *value)
		*vec_push(&facts->list) = (struct html_fact){ mem_strdup(name), mem_strdup(value) };
}

static void facts_release(struct html_facts *f)
{
	for (size_t i = 0; i < f->list.n; i++) {
		free(f->list.items[i].name);
		free(f->list.items[i].value);
	}
	vec_free(&f->list);
	free(f->title);
}

void html_release(struct html_page *page)
{
	for (size_t i = 0; i < page->facts.n; i++)
		facts_release(&page->facts.items[i]);
	vec_free(&page->facts);
	table_free(page->findings);
	for (size_t i = 0; i < page->plots.n; i++) {
		free(page->plots.items[i].title);
		free(page->plots.items[i].svg);
		free(page->plots.items[i].text);
	}
	vec_free(&page->plots);
	for (size_t i = 0; i < page->warnings.n; i++) {
		struct html_warning *w = &page->warnings.items[i];

		free(w->code);
		free(w->title);
		free(w->advice);
		free(w->example);
	}
	vec_free(&page->warnings);
	table_free(page->runs);
	free(page->title);
}

static int emit(const struct tables *ts, const struct emit_options *opt, struct str *out, struct err *err)
{
	struct html_page page = { .title = mem_strdup(opt->document_title ? opt->document_title : "iobench") };

	(void)err;
	if (ts->list.n == 1 && ts->list.items[0]->style == TABLE_LIST)
		page.findings = ts->list.items[0];
	else
		page.tables = ts;
	html_write(&page, out);
	page.findings = NULL; /* it is not ours */
	html_release(&page);
	return 0;
}

const struct emitter emit_html = { "html", "one file for a browser", emit, false };
