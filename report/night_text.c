// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/night_report.h"
#include "report/utf8.h"

#define WIDTH 72    /* a quoted mail has room for it */
#define PARTS_MAX 6 /* cells that are named of one event */
#define CELLS_MAX 8 /* and of one verdict, but for changes: of those all */

static void add_line(struct str *out, const char *before, const char *text)
{
	utf8_add_wrapped(out, before, text, strlen(before) + 2, WIDTH);
}

/* What is said of all cells with this verdict; NULL if it is not the same of all. The caller frees. */
static char *common_text(const struct night_report *r, enum night_verdict verdict)
{
	char *common = NULL;

	for (size_t i = 0; i < r->gate->cells.n; i++) {
		AUTOFREE char *text = NULL;

		if (r->gate->cells.items[i].verdict != verdict)
			continue;
		text = night_cell_text(r, &r->gate->cells.items[i]);
		if (!common) {
			common = mem_strdup(text);
		} else if (strcmp(common, text)) {
			free(common);
			return NULL;
		}
	}
	return common;
}

/* What is a matter of the nights and not of a cell is said once, if all cells agree. */
static bool add_cells_as_one(const struct night_report *r, enum night_verdict verdict, struct str *out)
{
	AUTOFREE char *text = NULL, *line = NULL;

	if ((verdict != NIGHT_FEW && verdict != NIGHT_NO_REFERENCE) || r->gate->count[verdict] < 2)
		return false;
	text = common_text(r, verdict);
	if (!text)
		return false;
	line = mem_printf("%s: %zu cells: %s", night_verdict_names[verdict], r->gate->count[verdict], text);
	add_line(out, "  ", line);
	return true;
}

static void add_cells(const struct night_report *r, enum night_verdict verdict, struct str *out)
{
	bool change = verdict == NIGHT_REGRESSED || verdict == NIGHT_IMPROVED || verdict == NIGHT_CHANGED;
	size_t n = 0;

	if (add_cells_as_one(r, verdict, out))
		return;
	for (size_t i = 0; i < r->gate->cells.n; i++) {
		const struct night_cell *cell = &r->gate->cells.items[i];
		AUTOFREE char *name = NULL, *text = NULL, *line = NULL;

		if (cell->verdict != verdict || (n++ >= CELLS_MAX && !change))
			continue;
		name = night_cell_name(r, cell);
		text = night_cell_text(r, cell);
		line = mem_printf("%s: %s: %s", night_verdict_names[verdict], name, text);
		add_line(out, "  ", line);
	}
	if (n > CELLS_MAX && !change)
		str_addf(out, "  %s: %zu more cell%s\n", night_verdict_names[verdict], n - CELLS_MAX,
			 n - CELLS_MAX == 1 ? "" : "s");
}

/* What could have been seen in the cells that are as before. */
static void add_same(const struct night_report *r, struct str *out)
{
	double least = INFINITY, most = 0;
	AUTOFREE char *line = NULL;

	for (size_t i = 0; i < r->gate->cells.n; i++)
		if (r->gate->cells.items[i].verdict == NIGHT_SAME) {
			least = fmin(least, r->gate->cells.items[i].test.detectable);
			most = fmax(most, r->gate->cells.items[i].test.detectable);
		}
	if (!r->gate->count[NIGHT_SAME])
		return;
	if (r->gate->count[NIGHT_SAME] == 1)
		line = mem_printf("same: 1 cell; a change of %.1f%% would have been seen", 100 * expm1(least));
	else
		line = mem_printf("same: %zu cells; a change of %.1f%% (in the noisiest of %.1f%%) would have been seen",
				  r->gate->count[NIGHT_SAME], 100 * expm1(least), 100 * expm1(most));
	add_line(out, "  ", line);
}

/* The machine itself: what hits the reference alike is no fault of what is judged. */
static void add_machine(const struct night_report *r, struct str *out)
{
	for (size_t i = 0; i < r->gate->references.n; i++) {
		const struct night_cell *cell = &r->gate->references.items[i];
		AUTOFREE char *name = NULL, *text = NULL, *line = NULL;
		int better;

		if (cell->verdict != NIGHT_REGRESSED && cell->verdict != NIGHT_IMPROVED && cell->verdict != NIGHT_CHANGED)
			continue;
		better = night_better(cell, cell->since ? cell->since->after - cell->since->before : cell->test.change);
		name = night_cell_name(r, cell);
		text = night_cell_text(r, cell);
		line = mem_printf("the machine %s: %s: %s; this is held against no variant",
				  better < 0 ? "got worse" : better > 0 ? "got better" : "changed", name, text);
		add_line(out, "  ", line);
	}
}

static void add_event(const struct night_report *r, const struct night_event *e, struct str *out)
{
	AUTOFREE char *head = night_event_text(r, e);

	add_line(out, "  ", head);
	for (size_t i = 0; i < e->parts.n && i < PARTS_MAX; i++) {
		AUTOFREE char *name = night_cell_name(r, e->parts.items[i].cell);
		AUTOFREE char *line =
			mem_printf("%+.1f%% %s", 100 * expm1(e->parts.items[i].after - e->parts.items[i].before), name);

		add_line(out, "    ", line);
	}
	if (e->parts.n > PARTS_MAX)
		str_addf(out, "    and %zu more cells\n", e->parts.n - PARTS_MAX);
	for (size_t i = 0; i < e->differences.n; i++)
		add_line(out, "    ", e->differences.items[i]);
}

void night_report_text(const struct night_report *r, struct str *out)
{
	AUTOFREE char *headline = night_headline(r), *subject = night_subject(r);

	add_line(out, "", headline);
	add_line(out, "", subject);
	str_add(out, "\n");
	for (size_t verdict = NIGHT_VERDICTS; verdict-- > 0;)
		if (verdict != NIGHT_SAME)
			add_cells(r, (enum night_verdict)verdict, out);
	add_same(r, out);
	add_machine(r, out);
	if (r->events.n)
		str_add(out, "\nchanges in these nights\n");
	else if (r->nights->n > 1)
		str_add(out, "\nno change in the level of these nights\n");
	for (size_t i = 0; i < r->events.n; i++)
		add_event(r, &r->events.items[i], out);
	if (!r->gate->references.n)
		add_line(out, "", "hint: without a reference a slower machine cannot be told from a slower scheduler: sweep "
				  "with 'none' among --scheds, or name another with --reference");
}
