// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "db/series.h"
#include "db/store.h"
#include "report/compare.h"
#include "report/findings.h"
#include "report/view.h"

#define WIDTH 72 /* fits a quoted mail, indented */

/* Append words, broken at WIDTH, further lines indented; what is appended starts a line. */
static void add_wrapped(struct str *out, const char *text, size_t indent)
{
	size_t at = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (at && at + 1 + len > WIDTH) {
			str_add(out, "\n");
			str_pad(out, ' ', indent);
			at = indent;
		} else if (at) {
			str_add(out, " ");
			at++;
		}
		str_addn(out, text, len);
		at += len;
		text += len + (text[len] == ' ');
	}
	str_add(out, "\n");
}

static char *sentences(const struct findings *f, const struct table *t)
{
	struct str out = { 0 };
	AUTOFREE char *family = mem_printf("%zu comparisons, p adjusted for all of them; what changes by less than %g%% is not "
					   "named%s",
					   f->family, f->min_effect * 100,
					   f->list.n ? "" : ". Nothing sticks out");

	if (t->simulated)
		str_addf(&out, "* %s\n\n", t->title);
	for (size_t i = 0; i < f->list.n; i++) {
		AUTOFREE char *head = mem_printf("%zu. %s", i + 1, f->list.items[i].text);
		AUTOFREE char *hint = f->list.items[i].hint ? mem_printf("(%s)", f->list.items[i].hint) : NULL;

		add_wrapped(&out, head, 3);
		if (hint) {
			str_pad(&out, ' ', 3);
			add_wrapped(&out, hint, 3);
		}
	}
	if (f->list.n)
		str_add(&out, "\n");
	add_wrapped(&out, family, 2);
	if (f->unjudged)
		str_addf(&out, "no verdict possible in %zu more: too few runs\n", f->unjudged);
	return str_steal(&out);
}

/* Sentences for readers, a table for everything that reads tables. */
static int print(const struct options *opt, const struct series_set *set, const struct findings *f, struct err *err)
{
	const char *format = option(opt, "format");
	struct tables tables = { 0 };
	int bad = 0;

	*vec_push(&tables.list) = findings_table(f);
	view_mark_simulated(set, &tables);
	if ((!format || !strcmp(format, "text")) && !option_given(opt, "output")) {
		AUTOFREE char *text = sentences(f, tables.list.items[0]);

		fputs(text, stdout);
	} else {
		bad = output_emit(opt, &tables, err);
	}
	tables_release(&tables);
	return bad;
}

static int make(const struct options *opt, struct store *db, struct err *err)
{
	AUTOFREE int64_t *ids = NULL;
	const struct metric *const *metrics = findings_metrics();
	struct series_set set = { 0 };
	struct findings f = { 0 };
	size_t n_metrics = 0, n = 0;
	int bad;

	while (metrics[n_metrics])
		n_metrics++;
	bad = choose_sweeps(opt, db, false, &ids, &n, err) ||
	      store_query_series(
		      db, &(struct series_query){ .sweeps = ids, .n_sweeps = n, .metrics = metrics, .n_metrics = n_metrics },
		      &set, err);
	if (!bad) {
		findings_make(&set, COMPARE_MIN_EFFECT, &f);
		bad = print(opt, &set, &f, err);
	}
	findings_release(&f);
	series_set_release(&set);
	return bad ? -1 : 0;
}

static int run(const struct options *opt, struct err *err)
{
	struct store *db;
	int bad;

	if (output_check_format(opt, err))
		return -1;
	db = store_open(option_db(opt), STORE_READ, err);
	if (!db)
		return -1;
	bad = make(opt, db, err);
	store_close(db);
	return bad;
}

static const struct option_row options_findings[] = {
	{ "format", "NAME", "text, latex, markdown, csv, json (default: text)", 'f', false, false },
	{ "output", "FILE", "write a table of them there instead of sentences to the terminal", 'o', false, false },
	{ 0 },
};

const struct command cmd_findings = {
	.name = "findings",
	.summary = "what sticks out in a sweep, in sentences with figures",
	.operands = "[SWEEP]...",
	.about = "Dents (a variant falls away on a range of job counts and comes back), cliffs, cross-overs, trades (throughput "
		 "bought with latency or fairness), who is ahead of whom, unstable cells; the strongest first. Without a SWEEP: "
		 "last.",
	.groups = { options_findings, options_db },
	.run = run,
};
