// SPDX-License-Identifier: GPL-2.0-or-later
/* gnuplot's SVG inside a page; what gnuplot 5.4 writes is in its term/svg.trm. */
#include <string.h>

#include "report/html.h"

/* What is replaced; "%zu" is the number of the plot. */
static const struct {
	const char *from, *to;
} replacements[] = {
	{ "id='gp", "id='plot%zu-gp" },
	{ "'#gp", "'#plot%zu-gp" },
	{ "url(#gp", "url(#plot%zu-gp" }, /* fillings of bars */
	{ "id='textbox'", "id='plot%zu-textbox'" },
	{ "id='greybox'", "id='plot%zu-greybox'" },
	{ "id=\"gnuplot_canvas\"", "id=\"plot%zu-canvas\"" },
	{ "id=\"iobench_plot_", "id=\"plot%zu-series-" },
	/* the page's colours: its text is light in the dark */
	{ "color=\"black\"", "color=\"inherit\"" },
	{ "color=\"white\"", "color=\"inherit\"" },
	{ "color='white'", "style='color:var(--page)'" }, /* what is erased behind a mark */
	{ "stroke='black'", "stroke='currentColor'" },
	{ "stroke=\"black\"", "stroke=\"currentColor\"" },
	{ "fill=\"black\"", "fill=\"currentColor\"" },
	{ "fill = \"black\"", "fill=\"currentColor\"" },
	{ "rgb(  0,   0,   0)", "currentColor" },
};

static void add_numbered(struct str *out, const char *text, size_t number)
{
	const char *at = strstr(text, "%zu");

	if (!at) {
		str_add(out, text);
		return;
	}
	str_addn(out, text, (size_t)(at - text));
	str_addf(out, "%zu", number);
	str_add(out, at + strlen("%zu"));
}

/* A part of a tag at 's' replaced; gives how much of the source that took, 0 if nothing is to be replaced there. */
static size_t replace(struct str *out, const char *s, size_t number)
{
	for (size_t i = 0; i < ARRAY_LEN(replacements); i++)
		if (str_starts(s, replacements[i].from)) {
			add_numbered(out, replacements[i].to, number);
			return strlen(replacements[i].from);
		}
	return 0;
}

/* The end of a <title> or <desc> element at 's'; NULL if there is none. gnuplot's would show as tool tips. */
static const char *skip_words(const char *s)
{
	static const char *const names[][2] = { { "<title>", "</title>" }, { "<desc>", "</desc>" } };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *end = str_starts(s, names[i][0]) ? strstr(s, names[i][1]) : NULL;

		if (end)
			return end + strlen(names[i][1]);
	}
	return NULL;
}

/* Only inside tags: between them is text that somebody chose. */
static void add_body(struct str *out, const char *s, size_t number)
{
	bool in_tag = false;

	while (*s) {
		const char *end = skip_words(s);
		size_t used = end ? (size_t)(end - s) : in_tag ? replace(out, s, number) : 0;

		if (used) {
			s += used;
			continue;
		}
		in_tag = *s == '<' || (in_tag && *s != '>');
		str_addn(out, s++, 1);
	}
}

void html_add_svg(struct str *out, const char *svg, size_t number, const char *title, const char *text)
{
	const char *start = strstr(svg, "<svg"), *body = start ? strchr(start, '>') : NULL;
	const char *box = start ? strstr(start, "viewBox=\"") : NULL;

	if (!body)
		return;
	str_addf(out, "<svg role=\"img\" aria-labelledby=\"plot%zu-title plot%zu-desc\" xmlns=\"http://www.w3.org/2000/svg\" "
		      "xmlns:xlink=\"http://www.w3.org/1999/xlink\"", number, number);
	if (box && box < body)
		str_addf(out, " viewBox=\"%.*s\"", (int)strcspn(box + strlen("viewBox=\""), "\""),
			 box + strlen("viewBox=\""));
	str_addf(out, ">\n<title id=\"plot%zu-title\">", number);
	html_add_text(out, title);
	str_addf(out, "</title>\n<desc id=\"plot%zu-desc\">", number);
	html_add_text(out, text);
	str_add(out, "</desc>\n");
	add_body(out, body + 1, number);
}
