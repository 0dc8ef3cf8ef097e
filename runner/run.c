// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/units.h"
#include "runner/cgroup.h"

#define QUIET_LIMIT_NS (2 * NS_PER_S) /* how long a run waits for requests of others to finish */
#define PATIENCE_NS (5 * NS_PER_S)	   /* with a guard that was told to stop a child and does not answer */
#define UNKNOWN_LIMIT_NS (3600 * NS_PER_S) /* of a workload that sets its own times */
#define BACKGROUND_GRACE_NS (20 * NS_PER_S) /* a slow disk has to finish what is in flight before fio can print */
#define OUTPUT_MAX_BYTES (64ULL << 20) /* in /run, which is memory; fio prints up to 64 KB a job */
#define SCRATCH "/.iobench-run"

struct command {
	strings_t environment, argv;
};

static void command_release(struct command *c)
{
	strings_release(&c->environment);
	strings_release(&c->argv);
}

/* A plain job keeps the name that people know from the process list. */
static char *work_path(const struct run_context *ctx, const struct actor *a, const char *suffix)
{
	return mem_printf("%s/%s.%s", ctx->workdir, ctx->scenario->plain ? "job" : a->name, suffix);
}

/* The paths in it as they are, not as fio wants them. */
static void unescape_all(strings_t *environment)
{
	for (size_t i = 0; i < environment->n; i++)
		for (char *at = environment->items[i]; (at = strstr(at, "\\:")); at++)
			memmove(at, at + 1, strlen(at));
}

static void make_environment(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, strings_t *out)
{
	AUTOFREE char *dev = workload_devices(ctx->plan, cell, ctx->paths);
	AUTOFREE char *dir = ctx->dir ? workload_escape_path(ctx->dir) : NULL;

	workload_environment(ctx->plan, cell, dev, randseed, out);
	if (dir) {
		*vec_push(out) = mem_printf("DIR=%s", dir);
		*vec_push(out) = mem_printf("SCRATCH=%s" SCRATCH, dir);
	}
}

/* A job file with patterns of its own is taken at its word: without --write-ok fio runs it --readonly. */
static bool may_write(const struct run_context *ctx, const struct actor *a, const struct cell *cell)
{
	if (ctx->scenario->plain && !plan_at(ctx->plan, cell, AXIS_PATTERN))
		return ctx->writes;
	return ctx->dir || actor_writes(a, ctx->plan, cell);
}

bool run_cell_writes(const struct run_context *ctx, const struct cell *cell)
{
	for (size_t i = 0; i < ctx->scenario->actors.n; i++)
		if (may_write(ctx, &ctx->scenario->actors.items[i], cell))
			return true;
	return false;
}

static void make_command(const struct run_context *ctx, const struct actor *a, const struct cell *cell,
			 uint64_t randseed, struct command *c)
{
	make_environment(ctx, cell, randseed, &c->environment);
	if (!a->job) {
		unescape_all(&c->environment);
		for (size_t i = 0; i < a->program.n; i++)
			*vec_push(&c->argv) = scenario_expand(a->program.items[i], &c->environment);
		return;
	}
	strings_add(&c->argv, "fio");
	/* no group_reporting: json+ has the histogram of every job, and the run's own percentiles come from their sum */
	strings_add(&c->argv, "--output-format=json+");
	strings_add(&c->argv, "--eta=never");
	if (ctx->says_clock)
		strings_add(&c->argv, "--clocksource=cpu");
	if (!may_write(ctx, a, cell))
		strings_add(&c->argv, "--readonly");
	for (size_t i = 0; i < ctx->fio_args->n; i++)
		strings_add(&c->argv, ctx->fio_args->items[i]);
	*vec_push(&c->argv) = ctx->job_path ? mem_strdup(ctx->job_path) : work_path(ctx, a, "fio");
}

static void print_command(const struct command *c, struct str *out)
{
	const strings_t *parts[] = { &c->environment, &c->argv };
	bool first = true;

	if (out->len)
		str_add(out, "\n");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t k = 0; k < parts[i]->n; k++) {
			const char *s = parts[i]->items[k];

			if (!first)
				str_add(out, " ");
			first = false;
			if (strpbrk(s, " \t\\'\"$&;|<>*?()")) {
				str_add(out, "'");
				for (; *s; s++)
					if (*s == '\'')
						str_add(out, "'\\''");
					else
						str_addn(out, s, 1);
				str_add(out, "'");
			} else {
				str_add(out, s);
			}
		}
}

void run_describe(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, struct str *out)
{
	for (size_t i = 0; i < ctx->scenario->actors.n; i++) {
		struct command c = { 0 };

		make_command(ctx, &ctx->scenario->actors.items[i], cell, randseed, &c);
		print_command(&c, out);
		command_release(&c);
	}
}

uint64_t run_cell_ns(const struct plan *p, const struct scenario *s, const struct cell *cell)
{
	const strings_t none = { 0 };
	uint64_t delay_ns = 0;

	/* a delay that is an axis (${RAMP}) is in the plan's time already */
	for (size_t i = 0; i < s->actors.n; i++) {
		uint64_t ns = actor_delay_ns(&s->actors.items[i], &none);

		delay_ns = ns > delay_ns ? ns : delay_ns;
	}
	return plan_cell_ns(p, cell) + delay_ns;
}

static int write_job(const struct run_context *ctx, const struct actor *a, size_t n_paths, struct err *err)
{
	AUTOFREE char *path = work_path(ctx, a, "fio"), *text = actor_job(a, ctx->paths, n_paths);

	return file_write(path, text, strlen(text), err);
}

int run_prepare(const struct run_context *ctx, struct err *err)
{
	for (size_t i = 0; i < ctx->scenario->actors.n; i++) {
		const struct actor *a = &ctx->scenario->actors.items[i];

		if (a->job && !a->per_device && write_job(ctx, a, ctx->paths->n, err))
			return -1;
	}
	return 0;
}

/* Those that differ with the number of devices. */
static int write_jobs_of_cell(const struct run_context *ctx, const struct cell *cell, struct err *err)
{
	size_t n = workload_count_devices(ctx->plan, cell, ctx->paths);

	for (size_t i = 0; i < ctx->scenario->actors.n; i++) {
		const struct actor *a = &ctx->scenario->actors.items[i];

		if (a->job && a->per_device && write_job(ctx, a, n, err))
			return -1;
	}
	return 0;
}

__attribute__((format(printf, 3, 4))) static void conclude(struct run_result *r, enum run_state state,
							   const char *fmt, ...)
{
	va_list ap;

	r->state = state;
	va_start(ap, fmt);
	vsnprintf(r->reason, sizeof(r->reason), fmt, ap);
	va_end(ap);
}

static void drop_caches(void)
{
	AUTOCLOSE int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	if (fd >= 0 && write(fd, "3", 1) < 0)
		return; /* a container may not: the first read of each block is still from the disk */
}

/* Wait until nothing is in flight on our disks; what stays is seen in the counters of the run. */
static void wait_for_quiet(const struct run_context *ctx)
{
	int64_t limit = now_monotonic_ns() + QUIET_LIMIT_NS;

	while (!*ctx->stop && now_monotonic_ns() < limit) {
		uint64_t in_flight;

		if (host_in_flight(ctx->disks, ctx->n_disks, &in_flight) || !in_flight)
			return;
		usleep(20000);
	}
}

/*
 * Were we asked to end? True the first time; '*asked_ns' gets when. A guard that has not answered for long since then is
 * killed.
 */
static bool must_stop(const struct run_context *ctx, int64_t *asked_ns)
{
	bool first = *ctx->stop && !*asked_ns;

	if (first)
		*asked_ns = now_monotonic_ns();
	if (*asked_ns && now_monotonic_ns() - *asked_ns > PATIENCE_NS)
		guard_kill(ctx->guard);
	return first;
}

/*
 * What the write cache of a disk still holds it would write during the next run, and serve reads of the same places
 * from it: all cells of a repetition have the same offsets. In a sweep of random reads and writes on a simulated disk
 * most reads came from it.
 */
static void flush_written(const struct run_context *ctx, const struct run_result *r)
{
	for (size_t i = 0; i < ctx->n_disks && i < r->before.disks.n && i < r->after.disks.n; i++) {
		AUTOCLOSE int fd = -1;

		if (*ctx->stop || r->after.disks.items[i].write_bytes == r->before.disks.items[i].write_bytes)
			continue;
		fd = open(ctx->disks[i]->node, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			fsync(fd);
	}
}

bool run_wait(const struct run_context *ctx, unsigned id, struct guard_event *event, struct err *err)
{
	int64_t asked_ns = 0;
	int got;

	for (;;) {
		if (must_stop(ctx, &asked_ns))
			guard_stop(ctx->guard, id, GUARD_GRACE_NS);
		got = guard_wait(ctx->guard, asked_ns ? NS_PER_S : ctx->tick_ns, event, err);
		if (got < 0)
			return false;
		if (got > 0 && event->id == id)
			return true;
		if (ctx->tick_ns >= 0)
			ctx->tick(ctx->tick_arg);
	}
}

/* The last two different lines that are not blank: fio says what was wrong, and then that it gives up or what it would know. */
static void last_words(const char *text, char *out, size_t size)
{
	AUTOFREE char *copy = mem_strdup(text);
	const char *line = NULL, *before = NULL;

	for (char *save = NULL, *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		const char *trimmed = str_trim(l);

		if (!*trimmed || (line && !strcmp(line, trimmed)))
			continue;
		before = line;
		line = trimmed;
	}
	snprintf(out, size, "%s%s%s", before ? before : "", before ? "; " : "", line ? line : "it said nothing");
}

/* ---- the actors of a run ---- */

enum part_state { PART_WAITING, PART_RUNNING, PART_ENDED };

struct part {
	const struct actor *actor;
	enum part_state state;
	struct command command;
	char *out, *words; /* paths */
	uint64_t delay_ns, limit_ns;
	int64_t started_ns;
	bool stopped; /* by us */
};

struct play {
	const struct run_context *ctx;
	struct run_result *result;
	VEC(struct part) parts;
	int64_t start_ns;
	bool over; /* all that runs has been told to stop */
};

static bool is_foreground(const struct part *p)
{
	return p->actor->role == ACTOR_FOREGROUND;
}

/* As messages call it. */
static const char *who(const struct play *play, const struct part *p, char out[64])
{
	snprintf(out, 64, play->ctx->scenario->plain ? "%s" : "actor '%s'", p->actor->name);
	return out;
}

static void make_parts(struct play *play, const struct cell *cell, uint64_t randseed)
{
	const struct run_context *ctx = play->ctx;
	bool known = plan_at(ctx->plan, cell, AXIS_RUNTIME);
	uint64_t limit_ns = (known ? run_cell_ns(ctx->plan, ctx->scenario, cell) : UNKNOWN_LIMIT_NS) + ctx->grace_ns;

	for (size_t i = 0; i < ctx->scenario->actors.n; i++) {
		const struct actor *a = &ctx->scenario->actors.items[i];
		struct part *p = vec_push(&play->parts);

		p->actor = a;
		p->limit_ns = a->role == ACTOR_FOREGROUND ? limit_ns : 0;
		make_command(ctx, a, cell, randseed, &p->command);
		print_command(&p->command, &play->result->command);
		p->delay_ns = actor_delay_ns(a, &p->command.environment);
		*vec_push(&p->command.argv) = NULL;
		*vec_push(&p->command.environment) = NULL;
		p->out = work_path(ctx, a, "out");
		p->words = work_path(ctx, a, "words");
	}
}

static void stop_all(struct play *play, int64_t grace_ns)
{
	play->over = true;
	for (size_t i = 0; i < play->parts.n; i++)
		if (play->parts.items[i].state == PART_RUNNING) {
			play->parts.items[i].stopped = true;
			guard_stop(play->ctx->guard, (unsigned)i, grace_ns);
		}
}

static bool any(const struct play *play, bool foreground_only, enum part_state state)
{
	for (size_t i = 0; i < play->parts.n; i++)
		if (play->parts.items[i].state == state && (!foreground_only || is_foreground(&play->parts.items[i])))
			return true;
	return false;
}

/* Does the actor write to files, besides what it prints? fio's logs are such: write_lat_log=… */
static bool writes_files(const struct run_context *ctx, const struct actor *a)
{
	bool writes = !a->job || ctx->dir || ctx->targets[0].is_dir || strstr(a->job, "_log=");

	for (size_t i = 0; i < ctx->fio_args->n; i++)
		writes |= strstr(ctx->fio_args->items[i], "_log") != NULL;
	return writes;
}

/*
 * An output that does not end must not fill /run. Where nothing else is written to files, the kernel sees to it; else the
 * guard looks now and then.
 */
static void limit_output(const struct run_context *ctx, const struct actor *a, struct child_spec *spec)
{
	if (!writes_files(ctx, a))
		spec->file_max_bytes = OUTPUT_MAX_BYTES;
	else
		spec->output_max_bytes = OUTPUT_MAX_BYTES;
}

static int start_part(struct play *play, size_t i)
{
	const struct run_context *ctx = play->ctx;
	struct part *p = &play->parts.items[i];
	AUTOFREE char *scratch = ctx->dir && !p->actor->job ? mem_printf("%s" SCRATCH, ctx->dir) : NULL;
	struct child_spec spec = { .argv = (const char *const *)p->command.argv.items,
				   .environment = (const char *const *)p->command.environment.items,
				   .stdout_path = p->out,
				   .stderr_path = p->words,
				   .cgroup = i < ctx->cgroups->n && *ctx->cgroups->items[i] ? ctx->cgroups->items[i] : NULL,
				   .folder = scratch,
				   .limit_ns = p->limit_ns };
	struct err err = { 0 };

	limit_output(ctx, p->actor, &spec);
	p->started_ns = now_monotonic_ns();
	if (guard_begin(ctx->guard, (unsigned)i, &spec, &err)) {
		conclude(play->result, err.kind == ERR_FAULT ? RUN_LOST : RUN_FAILED, "%s", err.msg);
		return -1;
	}
	p->state = PART_RUNNING;
	return 0;
}

/* Start those whose time has come. How long until the next, -1 if there is none. */
static int64_t start_due(struct play *play)
{
	int64_t next_ns = -1;

	for (size_t i = 0; i < play->parts.n; i++) {
		int64_t left = play->start_ns + (int64_t)play->parts.items[i].delay_ns - now_monotonic_ns();

		if (play->parts.items[i].state != PART_WAITING)
			continue;
		if (left > 0)
			next_ns = next_ns < 0 || left < next_ns ? left : next_ns;
		else if (start_part(play, i))
			return stop_all(play, GUARD_GRACE_NS), -1;
	}
	return next_ns;
}

static void judge_foreground(struct play *play, const struct part *p, const struct guard_event *event)
{
	struct run_result *r = play->result;
	struct actor_result *a = &r->actors.items[p - play->parts.items];
	char words[512], limit[UNITS_TEXT], name[64];

	last_words(str_text(&a->words), words, sizeof(words));
	who(play, p, name);
	if (event->timed_out)
		conclude(r, RUN_FAILED, "%s had not ended after %s and was killed", name,
			 units_format_duration(limit, p->limit_ns));
	else if (WIFSIGNALED(event->status))
		conclude(r, RUN_FAILED, "%s was killed by signal %d (%s)", name, WTERMSIG(event->status),
			 strsignal(WTERMSIG(event->status)));
	else if (WEXITSTATUS(event->status))
		conclude(r, RUN_FAILED, "%s exited with status %d: %s", name, WEXITSTATUS(event->status), words);
	else
		return;
	r->exit_status = event->status;
}

static bool is_long(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (uint64_t)st.st_size >= OUTPUT_MAX_BYTES;
}

/* One has ended: what that means for the run. */
static void part_ended(struct play *play, const struct guard_event *event)
{
	struct part *p = &play->parts.items[event->id];
	struct run_result *r = play->result;
	struct actor_result *a = &r->actors.items[event->id];
	struct err err = { 0 };
	char name[64], limit[UNITS_TEXT];

	p->state = PART_ENDED;
	a->stopped = p->stopped;
	a->elapsed_ns = now_monotonic_ns() - p->started_ns;
	r->read_bytes += event->read_bytes;
	r->write_bytes += event->write_bytes;
	r->user_us += event->user_us;
	who(play, p, name);
	if (is_long(p->out) || is_long(p->words)) {
		if (r->state == RUN_OK)
			conclude(r, RUN_FAILED, "%s printed more than %s and was killed", name,
				 units_format_size(limit, OUTPUT_MAX_BYTES));
	} else if ((file_slurp(p->out, &a->raw, &err) || file_slurp(p->words, &a->words, &err)) && r->state == RUN_OK) {
		conclude(r, RUN_FAILED, "%s", err.msg);
	}
	if (r->state == RUN_OK && is_foreground(p) && !p->stopped)
		judge_foreground(play, p, event);
	else if (r->state == RUN_OK && !p->stopped)
		conclude(r, RUN_INVALID, "%s, in the background, ended before the foreground had", name);
	/* of what we stopped, a child may be a moment later than its parent */
	if (r->state == RUN_OK && event->leftover && !p->stopped)
		conclude(r, RUN_FAILED, "%s left %u process%s behind, killed", name, event->leftover,
			 event->leftover == 1 ? "" : "es");
	if (!play->over && (r->state != RUN_OK || (!any(play, true, PART_RUNNING) && !any(play, true, PART_WAITING)))) {
		r->elapsed_ns = now_monotonic_ns() - play->start_ns;
		stop_all(play, r->state == RUN_OK ? BACKGROUND_GRACE_NS : GUARD_GRACE_NS);
	}
}

/* One that never began while the foreground ran was not what the scenario says either. */
static void judge_waiting(struct play *play)
{
	char name[64];

	for (size_t i = 0; i < play->parts.n && play->result->state == RUN_OK; i++)
		if (play->parts.items[i].state == PART_WAITING)
			conclude(play->result, RUN_INVALID, "%s had not begun when the foreground ended",
				 who(play, &play->parts.items[i], name));
}

/* Until all have ended. False: the guard is gone. */
static bool play_on(struct play *play)
{
	const struct run_context *ctx = play->ctx;
	struct guard_event event;
	struct err err = { 0 };
	int64_t asked_ns = 0;

	while (any(play, false, PART_RUNNING) || (!play->over && any(play, false, PART_WAITING))) {
		int64_t next_ns = play->over ? -1 : start_due(play), wait_ns = ctx->tick_ns;
		int got;

		if (next_ns >= 0 && (wait_ns < 0 || next_ns < wait_ns))
			wait_ns = next_ns;
		if (must_stop(ctx, &asked_ns))
			stop_all(play, GUARD_GRACE_NS);
		if (asked_ns)
			wait_ns = NS_PER_S;
		if (play->over && !any(play, false, PART_RUNNING))
			break;
		got = guard_wait(ctx->guard, wait_ns, &event, &err);
		if (got < 0) {
			child_kill_all();
			conclude(play->result, RUN_LOST, "%s", err.msg);
			return false;
		}
		if (got > 0)
			part_ended(play, &event);
		else if (ctx->tick_ns >= 0)
			ctx->tick(ctx->tick_arg);
	}
	return true;
}

static void release_play(struct play *play)
{
	for (size_t i = 0; i < play->parts.n; i++) {
		command_release(&play->parts.items[i].command);
		free(play->parts.items[i].out);
		free(play->parts.items[i].words);
	}
	vec_free(&play->parts);
}

static void judge_settings(const struct run_context *ctx, struct run_result *r)
{
	AUTOSTR struct str what = { 0 };
	const char *gone = settings_gone(ctx->settings);

	if (gone)
		conclude(r, RUN_LOST, "disk '%s' is gone", gone);
	else if (r->state != RUN_INTERRUPTED && settings_changed(ctx->settings, &what))
		conclude(r, RUN_INVALID, "settings changed during the run: %s", str_text(&what));
}

static void run_load(struct play *play)
{
	const struct run_context *ctx = play->ctx;
	struct run_result *r = play->result;

	host_counters_read(ctx->disks, ctx->n_disks, &r->before);
	r->started_ns = now_realtime_ns();
	play->start_ns = now_monotonic_ns();
	for (size_t i = 0; i < play->parts.n; i++)
		vec_push(&r->actors)->actor = play->parts.items[i].actor;
	if (!play_on(play))
		return;
	host_counters_read(ctx->disks, ctx->n_disks, &r->after);
	if (*ctx->stop)
		conclude(r, RUN_INTERRUPTED, "interrupted by signal %d (%s)", (int)*ctx->stop, strsignal(*ctx->stop));
	judge_waiting(play);
	judge_settings(ctx, r);
}

/* Does anything in it depend on what the page cache holds? */
static bool needs_cold_cache(const struct run_context *ctx, const struct cell *cell)
{
	const struct axis_point *direct = plan_at(ctx->plan, cell, AXIS_DIRECT);

	if (scenario_is_timed(ctx->scenario))
		return true;
	return (direct && !direct->number) || (ctx->dir && !ctx->scenario->plain);
}

/* An empty directory for each run. */
static int make_scratch(const struct run_context *ctx, struct trace *scratch, struct err *err)
{
	*scratch = (struct trace){ .kind = TRACE_TREE };
	if (!ctx->dir)
		return 0;
	snprintf(scratch->path, sizeof(scratch->path), "%s" SCRATCH, ctx->dir);
	if (trace_remove(scratch, NULL) || mkdir(scratch->path, 0700))
		return err_sys(err, ERR_FAULT, errno, "cannot make '%s'", scratch->path);
	return 0;
}

/* Weights are those of a policy, and bfq's is there only while bfq is selected somewhere. */
static int set_weights(const struct run_context *ctx, const struct cell *cell, struct err *err)
{
	const char *scheduler = ctx->plan->variants.items[cell->variant].scheduler;

	for (size_t i = 0; i < ctx->cgroups->n; i++) {
		unsigned n;

		if (!*ctx->cgroups->items[i])
			continue;
		if (cgroup_set_weight(ctx->cgroups->items[i], ctx->scenario->actors.items[i].weight, &n, err))
			return -1;
		if (!n && str_starts(scheduler, "bfq"))
			return err_set(err, ERR_FAULT, "'%s' has no weight to set: this bfq has no control groups",
				       ctx->cgroups->items[i]);
	}
	return 0;
}

static void run_claimed(const struct run_context *ctx, const struct cell *cell, uint64_t randseed,
			struct run_result *r)
{
	struct play play = { .ctx = ctx, .result = r };
	struct err err = { 0 };
	struct trace scratch;

	make_parts(&play, cell, randseed);
	if (write_jobs_of_cell(ctx, cell, &err) || set_weights(ctx, cell, &err) || make_scratch(ctx, &scratch, &err)) {
		conclude(r, RUN_FAILED, "%s", err.msg);
		release_play(&play);
		return;
	}
	if (needs_cold_cache(ctx, cell))
		drop_caches();
	wait_for_quiet(ctx);
	if (*ctx->stop)
		conclude(r, RUN_INTERRUPTED, "interrupted before the load was started");
	else
		run_load(&play);
	flush_written(ctx, r);
	if (ctx->dir)
		trace_remove(&scratch, NULL);
	release_play(&play);
}

static bool apply(const struct run_context *ctx, const struct cell *cell, struct run_result *r)
{
	const struct variant *v = &ctx->plan->variants.items[cell->variant];
	const struct axis_point *governor = plan_at(ctx->plan, cell, AXIS_GOVERNOR);
	struct err err = { 0 };

	switch (settings_apply(ctx->settings, v, governor ? governor->text : NULL, &r->requested, &r->effective, &err)) {
	case SETTINGS_OK:
		return true;
	case SETTINGS_NOT_OFFERED:
		conclude(r, RUN_NOT_OFFERED, "%s", err.msg);
		break;
	case SETTINGS_GONE:
		conclude(r, RUN_LOST, "%s", err.msg);
		break;
	default:
		conclude(r, RUN_FAILED, "%s", err.msg);
	}
	return false;
}

void run_cell(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, struct run_result *r)
{
	fds_t claims = { 0 };
	struct err err = { 0 };

	*r = (struct run_result){ .state = RUN_OK, .started_ns = now_realtime_ns() };
	if (!apply(ctx, cell, r))
		return;
	for (size_t i = 0; ctx->claim && i < ctx->n_targets; i++)
		if (target_claim(&ctx->targets[i], false, vec_push(&claims), &err)) {
			claims.n--;
			conclude(r, RUN_FAILED, "%s", err.msg);
		}
	if (r->state == RUN_OK)
		run_claimed(ctx, cell, randseed, r);
	fds_close(&claims);
}

void run_result_release(struct run_result *r)
{
	str_release(&r->requested);
	str_release(&r->effective);
	str_release(&r->command);
	for (size_t i = 0; i < r->actors.n; i++) {
		str_release(&r->actors.items[i].raw);
		str_release(&r->actors.items[i].words);
	}
	vec_free(&r->actors);
	host_counters_release(&r->before);
	host_counters_release(&r->after);
}
