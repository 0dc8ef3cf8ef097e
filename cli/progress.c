// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "common/str.h"
#include "common/units.h"

#define BAR 20
#define LINE_EVERY_NS (60 * NS_PER_S)
#define OVERHEAD_GUESS_NS (NS_PER_S * 36 / 100)

void progress_start(struct progress *p, unsigned runs, uint64_t total_ns)
{
	*p = (struct progress){ .terminal = screen_redraws(stderr),
				.runs = runs,
				.left_ns = total_ns,
				.last_line_ns = now_monotonic_ns() };
}

static int64_t each_ns_of(const struct progress *p)
{
	return p->measured ? p->overhead_ns / p->measured : OVERHEAD_GUESS_NS;
}

uint64_t progress_expect_ns(const struct progress *p, unsigned runs, uint64_t runs_ns)
{
	return runs_ns + (uint64_t)each_ns_of(p) * runs;
}

uint64_t progress_left_ns(const struct progress *p)
{
	int64_t each_ns = each_ns_of(p);
	int64_t left_ns = (int64_t)p->left_ns + each_ns * (p->runs - p->runs_done);
	int64_t run_ns = (int64_t)p->run_ns + each_ns, elapsed_ns;

	if (p->run_started_ns) {
		/* a run that is late takes nothing from those to come */
		elapsed_ns = now_monotonic_ns() - p->run_started_ns;
		left_ns -= elapsed_ns < run_ns ? elapsed_ns : run_ns;
	}
	return left_ns > 0 ? (uint64_t)left_ns : 0;
}

static void draw(struct progress *p)
{
	AUTOSTR struct str line = { 0 };
	char left[UNITS_TEXT];
	unsigned filled = p->runs ? BAR * p->runs_done / p->runs : 0;

	units_format_duration(left, progress_left_ns(p));
	if (p->terminal) {
		str_add(&line, "[");
		str_pad(&line, '#', filled);
		str_pad(&line, '.', BAR - filled);
		str_add(&line, "] ");
	}
	str_addf(&line, "run %u of %u, %s left", p->runs_done + (p->runs_done < p->runs), p->runs, left);
	if (*p->what)
		str_addf(&line, ", %s", p->what);
	/* half a number would be another number */
	if (*p->figure && (!p->terminal || line.len + strlen(p->figure) + strlen(" (before: )") < screen_width(stderr)))
		str_addf(&line, " (before: %s)", p->figure);
	if (p->terminal)
		fprintf(stderr, "\r%.*s\033[K", (int)(screen_width(stderr) - 1), str_text(&line));
	else
		fprintf(stderr, "iobench: %s\n", str_text(&line));
	fflush(stderr);
	p->drawn = p->terminal;
}

void progress_tick(void *progress)
{
	struct progress *p = progress;
	int64_t now = now_monotonic_ns();

	if (!p->terminal && now - p->last_line_ns < LINE_EVERY_NS)
		return;
	p->last_line_ns = now;
	draw(p);
}

void progress_run(struct progress *p, const char *what, uint64_t run_ns)
{
	snprintf(p->what, sizeof(p->what), "%s", what);
	p->run_ns = run_ns;
	p->run_started_ns = now_monotonic_ns();
	progress_tick(p);
}

void progress_run_done(struct progress *p, const char *figure)
{
	int64_t overhead_ns = now_monotonic_ns() - p->run_started_ns - (int64_t)p->run_ns;

	/* one that ended early has failed: it does not tell how long the others take */
	if (overhead_ns >= 0) {
		p->overhead_ns += overhead_ns;
		p->measured++;
	}
	p->run_started_ns = 0;
	snprintf(p->figure, sizeof(p->figure), "%s", figure ? figure : "");
	progress_skip(p, p->run_ns);
}

void progress_skip(struct progress *p, uint64_t run_ns)
{
	p->runs_done++;
	p->left_ns -= run_ns < p->left_ns ? run_ns : p->left_ns;
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
