// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweep_state.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "common/units.h"

static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	if (!stop_signal)
		stop_signal = sig;
}

/*
 * Signals that end a sweep are noted by a handler and blocked except where the guard is waited for: none is missed
 * between a look at the note and the wait.
 */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction note = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		sigaction(signals[i], &note, NULL);
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Has a signal come that is still blocked? Takes note of it. */
bool sweep_asked_to_stop(void)
{
	struct timespec none = { 0 };
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	while ((sig = sigtimedwait(&set, NULL, &none)) > 0)
		on_signal(sig);
	return stop_signal;
}

static void fill_context(struct sweep *w)
{
	struct setup *s = w->setup;

	w->run = (struct run_context){ .plan = &s->plan,
				       .scenario = &s->scenario,
				       .settings = w->settings,
				       .guard = w->guard,
				       .targets = s->targets.items,
				       .n_targets = s->targets.n,
				       .disks = s->disks.items,
				       .n_disks = s->disks.n,
				       .paths = &s->paths,
				       .claim = !s->dir && !option_given(&w->setup->options, "shared-read"),
				       .writes = s->writes,
				       .fio_args = &s->fio_args,
				       .says_clock = host_has_steady_tsc(),
				       .cgroups = &w->stage.cgroups,
				       .workdir = w->workdir,
				       .grace_ns = s->grace_ns,
				       .stop = &stop_signal,
				       .tick_ns = screen_redraws(stderr) ? NS_PER_S : 60 * NS_PER_S,
				       .tick = progress_tick,
				       .tick_arg = &w->progress };
}

/* Cells that did not come to an end: failed when some of their runs did, else they stay pending for resume. */
static int close_cells(struct sweep *w, struct err *err)
{
	for (unsigned i = 0; i < w->setup->plan.cells.n; i++) {
		struct cell_record *rec = &w->records[i];
		AUTOFREE char *reason = NULL;

		if (rec->closed || !rec->bad)
			continue;
		reason = mem_printf("%u of %u runs failed, the last: %s", rec->bad, w->setup->plan.runs, rec->reason);
		if (sweep_close_cell(w, i, "failed", reason, err))
			return -1;
	}
	return 0;
}

static int finish(struct sweep *w, int bad, struct err *err)
{
	bool cut = bad || stop_signal || w->out->out_of_time;
	const char *state = cut ? "interrupted" : w->out->pending ? "pending" : "done";

	w->out->signal = stop_signal;
	if (!w->out->sweep)
		return bad;
	if (!bad && !stop_signal)
		bad = (!cut && close_cells(w, err)) || sweep_judge(w, err);
	/* the error that stopped us is the one to tell, not that the database still cannot be written */
	if (store_set_sweep_state(w->store, w->id, state, now_realtime_ns(), bad ? NULL : err))
		bad = -1;
	return bad;
}

static void put_back(struct sweep *w)
{
	AUTOSTR struct str problems = { 0 };

	stage_release(&w->stage);
	if (!w->settings)
		return;
	if (settings_restore(w->settings, &problems)) {
		w->out->unrestored = true;
		say("SETTINGS COULD NOT BE PUT BACK:");
		fputs(str_text(&problems), stderr);
		say("the journal is kept; try: iobench restore");
	}
	guard_end(w->guard);
	settings_close(w->settings);
}

static void free_all(struct sweep *w)
{
	fds_close(&w->locks);
	for (size_t i = 0; i < w->setup->plan.cells.n; i++) {
		free(w->cells[i].key);
		free(w->cells[i].variant);
		free(w->cells[i].state);
		free(w->cells[i].reason);
		free(w->cells[i].axes);
		free(w->records[i].reason);
	}
	free(w->cells);
	free(w->records);
	todo_release(&w->todo);
	belief_release(&w->belief);
	facts_release(&w->facts);
	free(w->machine);
	free(w->workdir);
	child_capture_end(&w->units, NULL, NULL);
	free(w->fio_version);
	free(w->identity);
	sweep_row_release(&w->row);
}

static bool stopped(const struct cell_row *c)
{
	return !strcmp(c->state, "done") && c->reason;
}

/* What stands of the cells already. */
static void take_stock(struct sweep *w)
{
	const struct plan *p = &w->setup->plan;

	w->out->measured = w->past && w->past->runs->n;
	todo_make(p, w->past ? w->past->cells : NULL, w->past ? w->past->runs : NULL, &w->todo);
	for (size_t i = 0; i < p->cells.n; i++) {
		struct cell_record *rec = &w->records[i];

		rec->ok = w->todo.ok[i];
		rec->bad = w->todo.bad[i];
		rec->closed = w->past && (rec->ok == p->runs || stopped(&w->past->cells->items[i]) ||
					  !strcmp(w->past->cells->items[i].state, "failed"));
		if (rec->bad)
			rec->reason = mem_strdup("in an earlier call");
		if (w->past && !strcmp(w->past->cells->items[i].state, "failed"))
			w->out->failed = true;
	}
}

static void start_progress(struct sweep *w)
{
	const struct plan *p = &w->setup->plan;
	uint64_t total_ns = 0;
	char time[UNITS_TEXT];
	unsigned runs = 0;

	for (unsigned c = 0; c < p->cells.n; c++)
		w->records[c].uncounted = w->records[c].closed;
	for (unsigned b = 0; b < p->runs; b++)
		for (unsigned c = 0; c < p->cells.n; c++)
			if (todo_needs(&w->todo, &(struct step){ b, c }) && !w->records[c].closed) {
				total_ns += run_cell_ns(p, &w->setup->scenario, &p->cells.items[c]);
				runs++;
			}
	progress_start(&w->progress, runs, total_ns);
	if (!runs)
		say("none of them is left that can be made now");
	else if (runs < p->runs * p->cells.n)
		say("%u of them can be made now, about %s", runs, units_format_duration(time, progress_left_ns(&w->progress)));
}

int sweep_run(const struct options *opt, struct setup *setup, struct store **store, const struct sweep_past *past,
	      struct sweep_outcome *out, struct err *err)
{
	struct sweep w = { .opt = opt, .setup = setup, .store = *store, .past = past, .out = out };
	int bad;

	w.cells = mem_alloc(setup->plan.cells.n, sizeof(*w.cells));
	w.records = mem_alloc(setup->plan.cells.n, sizeof(*w.records));
	w.db = *store ? store_path(*store) : option_db(opt);
	take_stock(&w);
	catch_signals();
	doctor_units_begin(&w.units);
	bad = sweep_look(&w, err) || sweep_guard(&w, err);
	if (!bad) {
		fill_context(&w);
		bad = sweep_probe(&w, err);
	}
	if (!bad)
		start_progress(&w);
	bad = bad || stage_make(&w.stage, setup, &w.run, &w.progress, err) || run_prepare(&w.run, err) ||
	      sweep_record(&w, err) || sweep_run_all(&w, err);
	progress_clear(&w.progress);
	put_back(&w);
	bad = finish(&w, bad ? -1 : 0, err);
	out->stopped = bad;
	sweep_store(&w, NULL);
	*store = w.store;
	free_all(&w);
	return bad;
}

void sweep_say_outcome(const struct sweep_outcome *o, const struct store *store)
{
	if (!o->sweep)
		return;
	if (o->signal)
		say("interrupted (SIG%s): what was measured is in '%s', settings are %s; 'iobench resume' goes on with it",
		    sigabbrev_np(o->signal), store_path(store), o->unrestored ? "NOT ALL PUT BACK" : "put back");
	else if (o->out_of_time)
		say("stored in '%s'; 'iobench resume' makes the repetitions that are missing", store_path(store));
	else if (o->pending)
		say("done what this kernel can; pending cells stay in '%s'", store_path(store));
	else
		say("stored in '%s'", store_path(store));
}

void sweep_say_error(const struct sweep_outcome *o, const struct store *store, const struct err *err)
{
	say("%s", err->msg);
	if (o->sweep && o->stopped && !o->measured)
		say("nothing is stored of it yet but its plan, in '%s': 'iobench resume' goes on with it", store_path(store));
	else if (o->sweep && o->stopped)
		say("what was measured stays in '%s': 'iobench resume' goes on with it", store_path(store));
	else if (o->sweep)
		say("all is stored in '%s': 'iobench report' makes the tables", store_path(store));
}

int sweep_exit_code(const struct sweep_outcome *o, const struct err *err)
{
	if (o->unrestored)
		return ERR_RESTORE;
	if (o->signal)
		return 130;
	if (err)
		return err->kind;
	return o->failed ? 1 : o->pending || o->out_of_time ? 5 : 0;
}

int sweep_worse_code(int a, int b)
{
	static const int order[] = { ERR_RESTORE, 130, ERR_USAGE, ERR_NEEDS, 1, 5 };

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}
