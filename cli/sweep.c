// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweep.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/belief.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/stage.h"
#include "cli/todo.h"
#include "common/units.h"
#include "db/series.h"
#include "report/compare.h"
#include "runner/run.h"

#define ATTEMPTS 3		 /* of a run whose settings were changed, and runs of a cell that fail in a row */

/* What has become of a cell. */
struct cell_record {
	unsigned ok, bad, bad_in_a_row;
	bool closed; /* not run any more */
	bool uncounted; /* closed before the first run: the progress does not count it */
	char *reason;
};

/* The database, opened by a thread of its own while the disk and the machine are looked at: a new one takes as long. */
struct opening {
	const char *path;
	struct store *store;
	struct err err;
	pthread_t thread;
	bool apart; /* the thread is at it */
};

struct sweep {
	const struct options *opt;
	struct setup *setup;
	struct opening opening;
	struct store *store; /* NULL: not opened yet */
	const struct sweep_past *past; /* NULL: a new sweep */
	struct sweep_outcome *out;
	struct todo todo;
	fds_t locks;
	struct settings *settings;
	struct guard *guard;
	struct child_captured units; /* systemctl, asked for systemd's units */
	struct stage stage;
	char *workdir, *fio_version, *identity;
	struct run_context run;
	struct sweep_row row;	/* of a new sweep */
	int64_t id;		/* of the sweep in the store; 0: not there yet */
	struct cell_row *cells;
	struct cell_record *records;
	int64_t invocation, environment;
	struct belief belief;
	facts_t facts; /* of the environment, from before the first run */
	char *machine; /* the same as JSON, with fio's version: from the first result on */
	bool wrote;		/* some run has overwritten the device already */
	int64_t last_canary_ns; /* CLOCK_MONOTONIC */
	struct progress progress;
};

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

/* ---- before the first run ---- */

static int needs_fio(struct err *err)
{
	return err_context(err, "iobench needs fio 3.0 or newer");
}

/* Which one it is tells its first result: to ask for it takes 40 ms. */
static int check_fio(struct err *err)
{
	return child_is_installed("fio", err) ? 0 : needs_fio(err);
}

/* A result without a version is that of a run that failed, or of another program. */
static int learn_fio(struct sweep *w, const struct parsed *parsed, struct err *err)
{
	static const char *const argv[] = { "fio", "--version", NULL };
	AUTOSTR struct str text = { 0 };
	const char *version = parsed && parsed->tool && str_starts(parsed->tool, "fio-") ? parsed->tool : NULL;
	unsigned long major;

	if (!version && child_capture(argv, &text, err)) {
		if (err)
			err->kind = ERR_NEEDS;
		return needs_fio(err);
	}
	if (!version)
		version = str_trim(text.s ? text.s : (char[]){ "" });
	major = str_starts(version, "fio-") ? strtoul(version + strlen("fio-"), NULL, 10) : 0;
	if (major < 3)
		return err_set(err, ERR_NEEDS, "iobench needs fio 3.0 or newer, this one is '%s'", version);
	w->fio_version = mem_strdup(version);
	return 0;
}

static int check_uses_of(const struct setup *s, const struct target *t, const char *db, struct err *err)
{
	uses_t uses = { 0 };
	bool shared = option_given(&s->options, "shared-read") && !s->writes;
	int bad = target_uses(t, db, &uses, err);

	if (!bad && shared)
		for (size_t i = 0; i < uses.n; i++)
			say("measuring all the same: %s", uses.items[i].text);
	/* what was found before something could not be looked at says enough */
	if (!shared && (!bad || uses.n))
		bad = uses_refuse(t, &uses, err);
	uses_release(&uses);
	return bad ? -1 : 0;
}

static int check_uses(const struct setup *s, const char *db, struct err *err)
{
	for (size_t i = 0; !s->dir && i < s->targets.n; i++)
		if (check_uses_of(s, &s->targets.items[i], db, err))
			return -1;
	return 0;
}

/* What a dead sweep left is put back first: it may also be what uses the disk. */
static int check_stale(struct err *err)
{
	AUTOSTR struct str stale = { 0 };

	settings_stale(&stale);
	return stale.len ? err_set(err, ERR_NEEDS, "%s", str_trim(stale.s)) : 0;
}

int sweep_check_free(const struct setup *s, const char *db, struct err *err)
{
	return check_stale(err) || check_uses(s, db, err) ? -1 : 0;
}

static int lock_targets(struct sweep *w, struct err *err)
{
	for (size_t i = 0; i < w->setup->targets.n; i++)
		if (target_lock(&w->setup->targets.items[i], &w->locks, err)) {
			struct err used = { 0 };

			/* what uses the disk says more than that it cannot be opened */
			if (err && err->errnum != EWOULDBLOCK && check_uses(w->setup, w->opening.path, &used))
				*err = used;
			return -1;
		}
	return 0;
}

static void *open_store(void *arg)
{
	struct opening *o = arg;

	o->store = store_open(o->path, STORE_CREATE, &o->err);
	return NULL;
}

/* Not on the CPU that we are on: where the kernel starts a thread there, it waits for us. */
static void open_begin(struct opening *o)
{
	pthread_attr_t attr;
	cpu_set_t others;

	if (o->store)
		return;
	pthread_attr_init(&attr);
	if (!sched_getaffinity(0, sizeof(others), &others)) {
		CPU_CLR((size_t)sched_getcpu(), &others);
		if (CPU_COUNT(&others))
			pthread_attr_setaffinity_np(&attr, sizeof(others), &others);
	}
	o->apart = !pthread_create(&o->thread, &attr, open_store, o);
	pthread_attr_destroy(&attr);
	if (!o->apart)
		open_store(o);
}

/* What was begun, once; later calls find it done. */
static int open_end(struct opening *o, struct err *err)
{
	if (o->apart)
		pthread_join(o->thread, NULL);
	o->apart = false;
	if (o->store)
		return 0;
	if (err)
		*err = o->err;
	return -1;
}

/* Looks at everything, and changes no setting yet. */
static int look_around(struct sweep *w, struct err *err)
{
	struct setup *setup = w->setup;

	open_begin(&w->opening);
	if (check_uses(setup, w->opening.path, err))
		return -1;
	w->settings = settings_open(setup->disks.items, setup->disks.n, &setup->plan.variants, setup->plan.axes[AXIS_GOVERNOR].n, err);
	if (!w->settings)
		return -1;
	belief_start(&w->belief, setup);
	belief_say(&w->belief);
	return 0;
}

/* One journal that has both. */
static int begin_settings(struct sweep *w, struct err *err)
{
	w->workdir = mem_printf("%s/%s.work", settings_rundir(), w->setup->disks.items[0]->name);
	if (settings_note_trace(w->settings, TRACE_WORK, w->workdir, err) || settings_begin(w->settings, err))
		return -1;
	if (mkdir(w->workdir, 0700) && errno != EEXIST)
		return err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", w->workdir);
	return 0;
}

static int start_guard(struct sweep *w, struct err *err)
{
	VEC(int) keep = { 0 };
	const int *locks;
	size_t n;

	locks = settings_locks(w->settings, &n);
	for (size_t i = 0; i < n; i++)
		*vec_push(&keep) = locks[i];
	for (size_t i = 0; i < w->locks.n; i++)
		*vec_push(&keep) = w->locks.items[i];
	w->guard = guard_start(w->settings, keep.items, keep.n, err);
	vec_free(&keep);
	return w->guard ? 0 : -1;
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

/* Is there anything left to do under the scheduler? */
static bool is_wanted(const struct sweep *w, const char *scheduler)
{
	const struct plan *p = &w->setup->plan;

	for (size_t i = 0; i < p->cells.n; i++)
		if (!w->records[i].closed && !strcmp(p->variants.items[p->cells.items[i].variant].scheduler, scheduler))
			return true;
	return false;
}

/* Cells whose scheduler this kernel does not have stay pending: say so once a scheduler, before anything runs. */
static int probe_schedulers(struct sweep *w, struct err *err)
{
	const struct setup *s = w->setup;
	AUTOSTRINGS strings_t missing = { 0 }, tried = { 0 };
	AUTOFREE char *operands = setup_operands(s);

	for (size_t i = 0; i < s->plan.variants.n; i++) {
		const char *name = s->plan.variants.items[i].scheduler;
		const struct scheduler *known = scheduler_find(name);
		struct err why = { 0 };

		/* what a file has is offered when that is loaded */
		if (s->plan.variants.items[i].module || setup_is_offered(s, name) || strings_has(&tried, name) ||
		    !is_wanted(w, name))
			continue;
		strings_add(&tried, name);
		switch (settings_probe(w->settings, name, &why)) {
		case SETTINGS_OK:
			continue;
		case SETTINGS_NOT_OFFERED:
			break;
		default:
			*err = why;
			return -1;
		}
		strings_add(&missing, name);
		say("this kernel does not offer '%s' for '%s'%s%s: its cells stay pending", name, operands,
		    known && known->history ? " - " : "", known && known->history ? known->history : "");
	}
	for (size_t i = 0; i < s->plan.cells.n; i++) {
		const struct variant *v = &s->plan.variants.items[s->plan.cells.items[i].variant];
		const struct scheduler *known = scheduler_find(v->scheduler);

		if (w->records[i].closed || v->module || !strings_has(&missing, v->scheduler))
			continue;
		w->records[i].closed = true;
		w->records[i].reason = mem_printf("not offered by this kernel%s%s", known && known->history ? "; " : "",
						  known && known->history ? known->history : "");
		w->out->pending = true;
	}
	return 0;
}

/* All that resume needs to make the same plan again, as JSON. */
static char *plan_json(const struct sweep *w)
{
	cJSON *json = cJSON_CreateObject(), *options = cJSON_AddArrayToObject(json, "options");
	cJSON *disks = cJSON_AddArrayToObject(json, "disks");
	char boot_id[UUID_TEXT];
	AUTOFREE char *seed = mem_printf("%" PRIu64, w->setup->plan.seed);
	AUTOFREE char *region = mem_printf("%" PRIu64, w->setup->region_bytes);
	char *text, *copy;

	for (size_t i = 0; i < w->opt->given.n; i++) {
		cJSON *pair = cJSON_CreateArray();

		cJSON_AddItemToArray(pair, cJSON_CreateString(w->opt->given.items[i].row->name));
		cJSON_AddItemToArray(pair, cJSON_CreateString(w->opt->given.items[i].value));
		cJSON_AddItemToArray(options, pair);
	}
	cJSON_AddStringToObject(json, "seed", seed);
	cJSON_AddStringToObject(json, "region_bytes", region);
	host_boot_id(boot_id);
	cJSON_AddStringToObject(json, "boot_id", boot_id);
	for (size_t i = 0; i < w->setup->disks.n; i++) {
		AUTOFREE char *size = mem_printf("%" PRIu64, w->setup->disks.items[i]->size_bytes);
		AUTOFREE char *seq = mem_printf("%" PRIu64, w->setup->disks.items[i]->diskseq);
		cJSON *disk = cJSON_CreateObject();

		cJSON_AddStringToObject(disk, "size_bytes", size);
		cJSON_AddStringToObject(disk, "diskseq", seq);
		cJSON_AddItemToArray(disks, disk);
	}
	text = cJSON_PrintUnformatted(json);
	copy = mem_strdup(text);
	cJSON_free(text);
	cJSON_Delete(json);
	return copy;
}

static void fill_cells(struct sweep *w)
{
	const struct setup *s = w->setup;

	w->identity = setup_identity(s);
	for (size_t i = 0; i < s->plan.cells.n; i++) {
		const struct cell *c = &s->plan.cells.items[i];
		struct cell_row *row = &w->cells[i];

		row->ordinal = (int)i;
		row->key = setup_cell_key(s, c);
		row->variant = mem_strdup(s->plan.variants.items[c->variant].name);
		row->state = mem_strdup("pending");
		row->reason = mem_strdup(w->records[i].reason);
		row->axes = mem_alloc(AXIS_N + 3, sizeof(*row->axes));
		row->axes[row->n_axes++] = (struct axis_value){ "workload", s->workload.name };
		row->axes[row->n_axes++] = (struct axis_value){ "device", w->identity };
		if (option_given(&s->options, "command"))
			row->axes[row->n_axes++] = (struct axis_value){ "command", option(&s->options, "command") };
		for (int a = 0; a < AXIS_N; a++)
			if (plan_at(&s->plan, c, a))
				row->axes[row->n_axes++] =
					(struct axis_value){ axes[a].name, plan_at(&s->plan, c, a)->text };
	}
}

static int put_sweep(struct sweep *w, struct err *err)
{
	const char *name = option(w->opt, "name"), *note = option(w->opt, "note");
	const struct workload_row workload = { w->setup->workload.name, w->setup->workload.text };
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (uuid_new(w->row.uuid, err))
		return -1;
	w->row.name = mem_strdup(name ? name : w->setup->plan_name ? w->setup->plan_name : "");
	w->row.note = mem_strdup(note ? note : "");
	w->row.command = mem_strdup(w->opt->typed);
	w->row.plan = plan_json(w);
	w->row.seed = w->setup->plan.seed;
	w->row.state = mem_strdup("running");
	w->row.host = mem_strdup(host);
	w->row.devices = setup_operands(w->setup);
	w->row.started_ns = now_realtime_ns();
	if (store_put_sweep(w->store, &w->row, &workload, w->cells, w->setup->plan.cells.n, err))
		return -1;
	w->id = w->row.id;
	return 0;
}

/* Go on with a sweep that is in the store: blocks that are not complete run again as a whole. */
static int take_up_sweep(struct sweep *w, struct err *err)
{
	for (size_t i = 0; i < w->setup->plan.cells.n; i++) {
		const struct cell_row *stored = &w->past->cells->items[i];
		bool reopened = !strcmp(stored->state, "done") && !stored->reason && w->todo.ok[i] < w->setup->plan.runs;

		w->cells[i].id = stored->id;
		if (reopened && store_set_cell_state(w->store, stored->id, "pending", NULL, err))
			return -1;
	}
	w->id = w->past->sweep->id;
	if (w->todo.superseded.n && store_supersede_runs(w->store, w->todo.superseded.items, w->todo.superseded.n, err))
		return -1;
	return store_set_sweep_state(w->store, w->id, "running", 0, err);
}

static int record_sweep(struct sweep *w, struct err *err)
{
	char boot_id[UUID_TEXT];
	bool failed;

	host_boot_id(boot_id);
	fill_cells(w);
	if (host_capture(w->setup->disks.items, w->setup->disks.n, &w->setup->subject, &w->facts, err) ||
	    open_end(&w->opening, err))
		return -1;
	w->store = w->opening.store;
	if (store_join(w->store, err))
		return -1;
	failed = (w->past ? take_up_sweep(w, err) : put_sweep(w, err)) ||
		 store_put_invocation(w->store, w->id, boot_id, w->opt->typed, &w->invocation, err);
	if (store_join_end(w->store, failed, err)) {
		w->id = 0;
		return -1;
	}
	w->out->sweep = w->id;
	return 0;
}

/* ---- the runs ---- */

static const char *const state_names[] = {
	[RUN_OK] = "ok",		    [RUN_FAILED] = "failed", [RUN_INVALID] = "invalid",
	[RUN_INTERRUPTED] = "interrupted", [RUN_LOST] = "failed",
};

/* Releases the facts. */
static char *environment_text(const struct sweep *w, facts_t *facts)
{
	udev_rules_t rules = { 0 };
	struct str text = { 0 };

	udev_rules_read(NULL, 0, NULL, 0, &rules);
	host_udev_rules(&rules, facts);
	udev_rules_release(&rules);
	if (w->fio_version)
		facts_text(facts, w->fio_version, "fio.version");
	facts_print(facts, &text);
	return str_steal(&text);
}

/* What the first run need not wait for: a hundred files of rules, and the name of its fio. */
static int put_environment(struct sweep *w, const struct parsed *parsed, struct err *err)
{
	if (learn_fio(w, parsed, err))
		return -1;
	w->machine = environment_text(w, &w->facts);
	return store_put_environment(w->store, w->machine, &w->environment, err);
}

static int store_result(struct sweep *w, const struct step *step, const char *kind, unsigned position, int attempt,
			struct run_result *r, const struct outcome *o, struct err *err)
{
	const struct parsed *parsed = outcome_main(o);
	AUTOSTR struct str counters = { 0 };
	warnings_t warnings = { 0 };
	int bad;
	struct run_row row = { .cell = w->cells[step->cell].id,
			       .invocation = w->invocation,
			       .block = (int)step->block,
			       .position = (int)position,
			       .attempt = attempt,
			       .kind = (char *)kind,
			       .state = (char *)state_names[r->state],
			       .reason = *r->reason ? r->reason : NULL,
			       .started_ns = r->started_ns,
			       .elapsed_ns = r->elapsed_ns,
			       .randseed = plan_randseed(&w->setup->plan, step->block),
			       .requested = (char *)str_text(&r->requested),
			       .effective = r->effective.len ? r->effective.s : NULL,
			       .command = (char *)str_text(&r->command),
			       .exit_status = r->exit_status,
			       .format = (char *)o->format,
			       .raw = o->raw.len ? o->raw.s : NULL,
			       .raw_len = o->raw.len,
			       .diagnostics = o->words.len ? o->words.s : NULL };

	if (!w->environment && put_environment(w, parsed, err))
		return -1;
	row.environment = w->environment;
	row.tool = parsed && parsed->tool ? parsed->tool : w->fio_version;
	if (r->after.disks.n) {
		host_counters_json(&r->before, &r->after, &counters);
		row.counters = (char *)str_text(&counters);
	}
	if (r->state == RUN_OK && parsed && !strcmp(kind, "measure"))
		belief_of_run(&w->belief, step->cell, r, parsed, &warnings);
	progress_clear(&w->progress);
	belief_of_kernel(&w->belief, &warnings);
	bad = uuid_new(row.uuid, err) || store_put_run_of(w->store, &row, o->samples.items, o->samples.n, warnings.items,
							   warnings.n, err);
	warnings_release(&warnings);
	w->out->measured |= !bad;
	/* systemd may have taken its time, which the first run did not wait for */
	if (!bad && w->units.name && !sweep_asked_to_stop())
		belief_say_units(&w->belief, &w->units);
	return bad ? -1 : 0;
}


static int close_cell(struct sweep *w, unsigned cell, const char *state, const char *reason, struct err *err)
{
	w->records[cell].closed = true;
	return store_set_cell_state(w->store, w->cells[cell].id, state, reason, err);
}

/* Book the run in its cell's record. */
static int conclude_run(struct sweep *w, const struct step *step, const struct run_result *r, struct err *err)
{
	struct cell_record *rec = &w->records[step->cell];
	AUTOSTR struct str name = { 0 };

	if (r->state == RUN_OK) {
		rec->bad_in_a_row = 0;
		return ++rec->ok == w->setup->plan.runs ? close_cell(w, step->cell, "done", NULL, err) : 0;
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
		return close_cell(w, step->cell, "pending", r->reason, err);
	}
	w->out->failed = true;
	/* one that never works must not cost the night: the others have the time; an invalid one was tried often enough */
	rec->bad_in_a_row = r->state == RUN_INVALID ? ATTEMPTS : rec->bad_in_a_row + 1;
	if (rec->bad_in_a_row < ATTEMPTS)
		return 0;
	say("%s: given up after %d failures in a row", str_text(&name), ATTEMPTS);
	return close_cell(w, step->cell, "failed", r->reason, err);
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
			bad = store_result(w, step, "measure", position, attempt, &r, &outcome, err);
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
		bad = store_result(w, &(struct step){ block, c }, "canary", 0, 0, &r, &outcome, err);
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
		if (close_cell(w, (unsigned)c, "done", reason, err))
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

static int run_all(struct sweep *w, struct err *err)
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

/* Cells that did not come to an end: failed when some of their runs did, else they stay pending for resume. */
static int close_cells(struct sweep *w, struct err *err)
{
	for (unsigned i = 0; i < w->setup->plan.cells.n; i++) {
		struct cell_record *rec = &w->records[i];
		AUTOFREE char *reason = NULL;

		if (rec->closed || !rec->bad)
			continue;
		reason = mem_printf("%u of %u runs failed, the last: %s", rec->bad, w->setup->plan.runs, rec->reason);
		if (close_cell(w, i, "failed", reason, err))
			return -1;
	}
	return 0;
}

/* What the runs tell together, now that all is as it was. */
static int judge_sweep(struct sweep *w, struct err *err)
{
	AUTOFREE char *now = NULL;
	facts_t facts = { 0 };

	if (host_capture(w->setup->disks.items, w->setup->disks.n, &w->setup->subject, &facts, err)) {
		facts_release(&facts);
		return -1;
	}
	now = environment_text(w, &facts);
	if (!w->machine) /* nothing was run */
		w->machine = environment_text(w, &w->facts);
	return belief_of_sweep(&w->belief, w->store, w->id, w->cells, w->machine, now, err);
}

static int finish(struct sweep *w, int bad, struct err *err)
{
	bool cut = bad || stop_signal || w->out->out_of_time;
	const char *state = cut ? "interrupted" : w->out->pending ? "pending" : "done";

	w->out->signal = stop_signal;
	if (!w->out->sweep)
		return bad;
	if (!bad && !stop_signal)
		bad = (!cut && close_cells(w, err)) || judge_sweep(w, err);
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
	struct sweep w = { .opt = opt, .setup = setup, .past = past, .out = out };
	int bad;

	w.cells = mem_alloc(setup->plan.cells.n, sizeof(*w.cells));
	w.records = mem_alloc(setup->plan.cells.n, sizeof(*w.records));
	w.opening = (struct opening){ .store = *store, .path = *store ? store_path(*store) : option_db(opt) };
	take_stock(&w);
	catch_signals();
	doctor_units_begin(&w.units);
	bad = check_fio(err) || stage_check(setup, err) || check_stale(err) || lock_targets(&w, err) || look_around(&w, err);
	if (!bad && setup->subject.scheduler)
		bad = open_end(&w.opening, err) || settings_exchange(w.settings, setup->subject.scheduler, &setup->subject.modules, err);
	bad = bad || begin_settings(&w, err) || start_guard(&w, err);
	if (!bad) {
		fill_context(&w);
		bad = probe_schedulers(&w, err);
	}
	if (!bad)
		start_progress(&w);
	bad = bad || open_end(&w.opening, err) || stage_make(&w.stage, setup, &w.run, &w.progress, err) ||
	      run_prepare(&w.run, err) || record_sweep(&w, err) || run_all(&w, err);
	progress_clear(&w.progress);
	put_back(&w);
	bad = finish(&w, bad ? -1 : 0, err);
	out->stopped = bad;
	open_end(&w.opening, NULL);
	*store = w.opening.store;
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
