// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweep_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "db/series.h"
#include "report/compare.h"

#define ATTEMPTS 3 /* of a run whose settings were changed, and runs of a cell that fail in a row */

/* Book the run in its cell's record. */
static int conclude_run(struct sweep *w, const struct step *step, const struct run_result *r, struct err *err)
{
	struct cell_record *rec = &w->records[step->cell];
	AUTOSTR struct str name = { 0 };

	if (r->state == RUN_OK) {
		rec->bad_in_a_row = 0;
		return ++rec->ok == w->setup->plan.runs ? sweep_close_cell(w, step->cell, "done", NULL, err) : 0;
	}
	if (r->state == RUN_INTERRUPTED)
		return 0;
	rec->bad++;
	free(rec->reason);
	rec->reason = mem_strdup(r->reason);
	setup_describe_cell(w->setup, &w->setup->plan.cells.items[step->cell], &name);
	progress_clear(&w->progress);
	say("%s, run %u: %s", str_text(&name), step->block + 1, r->reason);
	if (r->state == RUN_NOT_OFFERED) {
		w->out->pending = true;
		return sweep_close_cell(w, step->cell, "pending", r->reason, err);
	}
	w->out->failed = true;
	/* one that never works must not cost the night: the others have the time; an invalid one was tried often enough */
	rec->bad_in_a_row = r->state == RUN_INVALID ? ATTEMPTS : rec->bad_in_a_row + 1;
	if (rec->bad_in_a_row < ATTEMPTS)
		return 0;
	say("%s: given up after %d failures in a row", str_text(&name), ATTEMPTS);
	return sweep_close_cell(w, step->cell, "failed", r->reason, err);
}

static void figure_text(const struct outcome *o, char *out, size_t size)
{
	const struct parsed *parsed = outcome_main(o);
	double value;

	*out = '\0';
	if (parsed && parsed_get(parsed, "startup_time", DIR_ALL, &value))
		snprintf(out, size, "%.0f ms", value / 1e6);
	else if (parsed && parsed_get(parsed, "iops", DIR_ALL, &value))
		snprintf(out, size, "%.0f IOPS", value);
}

/* One step: the run, and again while somebody changes the settings under it. -1: the sweep cannot go on. */
static int run_step(struct sweep *w, const struct step *step, unsigned position, struct err *err)
{
	const struct cell *cell = &w->setup->plan.cells.items[step->cell];
	AUTOSTR struct str name = { 0 };
	bool again = true;
	int bad = 0;

	setup_describe_cell(w->setup, cell, &name);
	if (!w->wrote && !w->setup->dir && !w->setup->scenario.fs && run_cell_writes(&w->run, cell)) {
		/* once more, right before the first write: the disk may have got a file system since we looked */
		if (setup_check_permission(w->setup, w->opt, err))
			return -1;
		w->wrote = true;
	}
	for (int attempt = 0; again && !bad && !sweep_asked_to_stop(); attempt++) {
		struct run_result r;
		struct outcome outcome;
		char figure[64];

		progress_run(&w->progress, str_text(&name), run_cell_ns(&w->setup->plan, &w->setup->scenario, cell));
		run_cell(&w->run, cell, plan_randseed(&w->setup->plan, step->block), &r);
		outcome_read(&w->setup->scenario, &r, &outcome);
		if (r.state != RUN_NOT_OFFERED)
			bad = sweep_store_result(w, step, "measure", position, attempt, &r, &outcome, err);
		again = r.state == RUN_INVALID && attempt + 1 < ATTEMPTS;
		if (again) {
			progress_clear(&w->progress);
			say("%s, run %u is not valid and is repeated: %s", str_text(&name), step->block + 1, r.reason);
		} else if (!bad) {
			bad = conclude_run(w, step, &r, err);
		}
		if (!bad && r.state == RUN_LOST)
			bad = err_set(err, ERR_FAULT, "the sweep cannot go on: %s", r.reason);
		figure_text(&outcome, figure, sizeof(figure));
		if (!again)
			progress_run_done(&w->progress, figure);
		outcome_release(&outcome);
		run_result_release(&r);
	}
	return bad;
}

/*
 * Canaries: the same two cells again and again, a sequential and a random read under the first variant. They are in no
 * mean; what they drift by, the machine drifts by.
 */
static struct plan short_plan(const struct plan *p, struct cell *cell, struct cell of)
{
	/* static: a plan of one point on the axes of time, whose texts nobody frees */
	static struct axis_point runtime = { (char *)"5000000000", SETUP_CANARY_RUNTIME_NS };
	static struct axis_point ramp = { (char *)"1000000000", SETUP_CANARY_RAMP_NS };
	struct plan reference = *p;

	*cell = of;
	if (p->axes[AXIS_RUNTIME].n) {
		reference.axes[AXIS_RUNTIME].items = &runtime;
		cell->at[AXIS_RUNTIME] = 0;
	}
	if (p->axes[AXIS_RAMP].n) {
		reference.axes[AXIS_RAMP].items = &ramp;
		cell->at[AXIS_RAMP] = 0;
	}
	return reference;
}

static int run_canary(struct sweep *w, const char *pattern, unsigned block, struct err *err)
{
	const struct plan *p = &w->setup->plan;
	struct outcome outcome;
	struct run_result r;
	struct plan reference;
	struct cell cell;
	unsigned c = 0;
	int bad = 0;

	while (c < p->cells.n && (p->cells.items[c].variant || !plan_at(p, &p->cells.items[c], AXIS_PATTERN) ||
				  strcmp(plan_at(p, &p->cells.items[c], AXIS_PATTERN)->text, pattern)))
		c++;
	if (c == p->cells.n || (w->records[c].closed && w->records[c].ok < p->runs) || sweep_asked_to_stop())
		return 0;
	reference = short_plan(p, &cell, p->cells.items[c]);
	w->run.plan = &reference;
	run_cell(&w->run, &cell, plan_randseed(p, 0), &r);
	w->run.plan = p;
	outcome_read(&w->setup->scenario, &r, &outcome);
	if (r.state != RUN_NOT_OFFERED)
		bad = sweep_store_result(w, &(struct step){ block, c }, "canary", 0, 0, &r, &outcome, err);
	if (!bad && r.state == RUN_LOST)
		bad = err_set(err, ERR_FAULT, "the sweep cannot go on: %s", r.reason);
	outcome_release(&outcome);
	run_result_release(&r);
	return bad;
}

/* If it is time: 'now' also before and after the others. */
static int run_canaries(struct sweep *w, unsigned block, bool now, struct err *err)
{
	int bad;

	if (!w->setup->scenario.plain || !setup_has_canaries(w->setup) ||
	    (!now && now_monotonic_ns() - w->last_canary_ns < SETUP_CANARY_EVERY_NS))
		return 0;
	snprintf(w->progress.what, sizeof(w->progress.what), "reference runs");
	bad = run_canary(w, "read", block, err) || run_canary(w, "randread", block, err);
	w->last_canary_ns = now_monotonic_ns();
	return bad;
}

/* ---- rows that are precise enough ---- */

/* It goes on, or has made all its runs. */
static bool in_row(const struct sweep *w, size_t cell)
{
	return !w->records[cell].closed || w->records[cell].ok == w->setup->plan.runs;
}

/* The series of a row's cells, which stand together in the plan. */
static void find_row(struct sweep *w, size_t first, const struct series_set *set, members_t *row)
{
	for (size_t i = 0; i < set->list.n; i++)
		for (size_t c = first; c < first + w->setup->plan.variants.n; c++)
			if (set->list.items[i].cell == w->cells[c].id && set->list.items[i].points.n && in_row(w, c))
				*vec_push(row) = &set->list.items[i];
}

static int stop_row(struct sweep *w, size_t first, const members_t *row, struct err *err)
{
	const struct plan *p = &w->setup->plan;
	double half = compare_half_width(row);
	bool precise = half <= p->precision;
	size_t least = SIZE_MAX, n = 0;

	for (size_t i = 0; i < row->n; i++)
		least = row->items[i]->points.n < least ? row->items[i]->points.n : least;
	for (size_t c = first; c < first + p->variants.n; c++)
		n += in_row(w, c);
	/* one that has no run yet is not known at all */
	if (!n || row->n != n || least < p->runs_min || (!precise && least < p->runs))
		return 0;
	for (size_t c = first; c < first + p->variants.n; c++) {
		AUTOFREE char *reason = NULL;

		if (!in_row(w, c))
			continue;
		reason = precise ? mem_printf("stopped after %u runs: ratios are known to +-%.1f%%", w->records[c].ok, half * 100)
				 : mem_printf("precision not reached: +-%.1f%% after %u runs", half * 100, w->records[c].ok);
		if (sweep_close_cell(w, (unsigned)c, "done", reason, err))
			return -1;
	}
	return 0;
}

/* Behind a block. The figures are those of the database: so it is the same after a resume. */
static int stop_rows(struct sweep *w, struct err *err)
{
	const struct plan *p = &w->setup->plan;
	const struct metric *iops = metric_find("iops");
	struct series_set set = { 0 };
	int bad;

	if (!(p->precision > 0))
		return 0;
	bad = store_query_series(
		w->store, &(struct series_query){ .sweeps = &w->id, .n_sweeps = 1, .metrics = &iops, .n_metrics = 1 }, &set, err);
	for (size_t first = 0; !bad && first < p->cells.n; first += p->variants.n) {
		members_t row = { 0 };

		find_row(w, first, &set, &row);
		bad = stop_row(w, first, &row, err);
		vec_free(&row);
	}
	series_set_release(&set);
	return bad;
}

/* ---- the end of the time ---- */

/* Would the repetition that begins with this step (of the old order: this run) end behind the deadline? */
static bool is_too_late(const struct sweep *w, const steps_t *steps, size_t i)
{
	const struct plan *p = &w->setup->plan;
	uint64_t runs_ns = 0;
	unsigned runs = 0;

	if (!w->setup->deadline_ns || (i && !p->sequential && steps->items[i].block == steps->items[i - 1].block))
		return false;
	for (size_t k = i; k < steps->n && steps->items[k].block == steps->items[i].block; k++) {
		const struct step *step = &steps->items[k];

		if (p->sequential && k > i)
			break;
		if (!todo_needs(&w->todo, step) || w->records[step->cell].closed)
			continue;
		runs_ns += run_cell_ns(p, &w->setup->scenario, &p->cells.items[step->cell]);
		runs++;
	}
	return runs && now_monotonic_ns() + (int64_t)progress_expect_ns(&w->progress, runs, runs_ns) > w->setup->deadline_ns;
}

static int stop_for_time(struct sweep *w, unsigned block, struct err *err)
{
	AUTOFREE char *note = mem_printf("stopped at the end of --budget, before repetition %u of %u", block + 1,
					 w->setup->plan.runs);

	w->out->out_of_time = true;
	progress_clear(&w->progress);
	say("%s", note);
	return store_note_sweep(w->store, w->id, note, err);
}

int sweep_run_all(struct sweep *w, struct err *err)
{
	const struct plan *p = &w->setup->plan;
	steps_t steps = { 0 };
	int bad = run_canaries(w, 0, true, err);

	plan_steps(p, &steps);
	for (size_t i = 0; !bad && i < steps.n && !sweep_asked_to_stop(); i++) {
		const struct step *step = &steps.items[i];

		if (i && step->block != steps.items[i - 1].block)
			bad = stop_rows(w, err);
		if (!bad && is_too_late(w, &steps, i)) {
			bad = stop_for_time(w, step->block, err);
			break;
		}
		if (bad)
			break;
		if (!todo_needs(&w->todo, step))
			continue;
		if (w->records[step->cell].uncounted)
			continue;
		if (w->records[step->cell].closed)
			progress_skip(&w->progress, run_cell_ns(p, &w->setup->scenario, &p->cells.items[step->cell]));
		else
			bad = run_step(w, step, (unsigned)(p->sequential ? i : i % p->cells.n), err) || run_canaries(w, step->block, false, err);
	}
	vec_free(&steps);
	if (!bad && !sweep_asked_to_stop())
		bad = stop_rows(w, err);
	return bad || run_canaries(w, p->runs - 1, true, err);
}
