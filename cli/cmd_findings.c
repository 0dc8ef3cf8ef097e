// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"
#include "cli/output.h"
#include "db/series.h"
#include "db/store.h"
#include "report/compare.h"
#include "report/findings.h"
#include "report/view.h"

static int print(const struct options *opt, const struct series_set *set, const struct findings *f, struct err *err)
{
	struct tables tables = { 0 };
	int bad;

	*vec_push(&tables.list) = findings_table(f);
	view_mark_simulated(set, &tables);
	view_warn_of_order(set, &tables);
	bad = output_emit(opt, &tables, err);
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
	AUTOSTORE struct store *db = NULL;

	if (output_check_format(opt, err))
		return -1;
	db = open_database(opt, STORE_READ, err);
	return db ? make(opt, db, err) : -1;
}

static const struct option_row options_findings[] = {
	{ "format", "NAME", "text, latex, markdown, html: sentences; csv, json: a table of them (default: text)", 'f', false,
	  false },
	{ "output", "FILE", "write there instead of to the terminal", 'o', false, false },
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
