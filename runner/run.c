// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/units.h"

#define JOB_FILE "job.fio"
#define OUT_FILE "out.json"
#define WORDS_FILE "words.txt"
#define QUIET_LIMIT_NS (2 * NS_PER_S) /* how long a run waits for requests of others to finish */
#define PATIENCE_NS (5 * NS_PER_S)	   /* with a guard that was told to stop a child and does not answer */
#define UNKNOWN_LIMIT_NS (3600 * NS_PER_S) /* of a job file that sets its own times */

struct command {
	strings_t environment, argv;
};

static void command_release(struct command *c)
{
	strings_release(&c->environment);
	strings_release(&c->argv);
}

bool run_cell_writes(const struct run_context *ctx, const struct cell *cell)
{
	const struct axis_point *pattern = plan_at(ctx->plan, cell, AXIS_PATTERN);

	/* a job file with patterns of its own is taken at its word: without --write-ok fio runs it --readonly */
	return pattern ? pattern_find(pattern->text)->writes : ctx->writes;
}

static void make_command(const struct run_context *ctx, const struct cell *cell, uint64_t randseed, struct command *c)
{
	AUTOFREE char *dev = workload_devices(ctx->plan, cell, ctx->paths, NULL);

	strings_add(&c->argv, "fio");
	/* no group_reporting: json+ has the histogram of every job, and the run's own percentiles come from their sum */
	strings_add(&c->argv, "--output-format=json+");
	strings_add(&c->argv, "--eta=never");
	if (!run_cell_writes(ctx, cell))
		strings_add(&c->argv, "--readonly");
	for (size_t i = 0; i < ctx->fio_args->n; i++)
		strings_add(&c->argv, ctx->fio_args->items[i]);
	if (ctx->workdir)
		*vec_push(&c->argv) = mem_printf("%s/" JOB_FILE, ctx->workdir);
	else
		strings_add(&c->argv, ctx->workload->path);
	workload_environment(ctx->plan, cell, dev, randseed, &c->environment);
}

static void print_command(const struct command *c, struct str *out)
{
	const strings_t *parts[] = { &c->environment, &c->argv };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t k = 0; k < parts[i]->n; k++) {
			const char *s = parts[i]->items[k];

			if (out->len)
				str_add(out, " ");
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
	struct command c = { 0 };

	make_command(ctx, cell, randseed, &c);
	print_command(&c, out);
	command_release(&c);
}

int run_prepare(const struct run_context *ctx, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/" JOB_FILE, ctx->workdir);

	return file_replace(path, ctx->workload->text, strlen(ctx->workload->text), err);
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

bool run_wait(const struct run_context *ctx, unsigned id, struct guard_event *event, struct err *err)
{
	int64_t asked_ns = 0;
	int got;

	for (;;) {
		if (*ctx->stop && !asked_ns) {
			guard_stop(ctx->guard, id);
			asked_ns = now_monotonic_ns();
		}
		if (asked_ns && now_monotonic_ns() - asked_ns > PATIENCE_NS)
			guard_kill(ctx->guard);
		got = guard_wait(ctx->guard, asked_ns ? NS_PER_S : ctx->tick_ns, event, err);
		if (got < 0)
			return false;
		if (got > 0 && event->id == id)
			return true;
		if (ctx->tick_ns >= 0)
			ctx->tick(ctx->tick_arg);
	}
}

/* The last line that is not blank. */
static void last_line(const char *text, char *out, size_t size)
{
	AUTOFREE char *copy = mem_strdup(text);
	char *line = NULL, *trimmed;

	for (char *save = NULL, *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (*(trimmed = str_trim(l)))
			line = trimmed;
	snprintf(out, size, "%s", line ? line : "it said nothing");
}

static void judge_end(const struct run_context *ctx, const struct guard_event *event, uint64_t limit_ns,
		      struct run_result *r)
{
	char words[512], limit[UNITS_TEXT];

	last_line(str_text(&r->words), words, sizeof(words));
	if (*ctx->stop)
		conclude(r, RUN_INTERRUPTED, "interrupted by signal %d (%s)", (int)*ctx->stop, strsignal(*ctx->stop));
	else if (event->timed_out)
		conclude(r, RUN_FAILED, "fio had not ended after %s and was killed",
			 units_format_duration(limit, limit_ns));
	else if (WIFSIGNALED(event->status))
		conclude(r, RUN_FAILED, "fio was killed by signal %d (%s)", WTERMSIG(event->status),
			 strsignal(WTERMSIG(event->status)));
	else if (WEXITSTATUS(event->status))
		conclude(r, RUN_FAILED, "fio exited with status %d: %s", WEXITSTATUS(event->status), words);
	else if (event->leftover)
		conclude(r, RUN_FAILED, "fio left %u process%s behind, killed", event->leftover,
			 event->leftover == 1 ? "" : "es");
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

static uint64_t time_limit_ns(const struct run_context *ctx, const struct cell *cell)
{
	uint64_t cell_ns = plan_cell_ns(ctx->plan, cell);

	return (plan_at(ctx->plan, cell, AXIS_RUNTIME) ? cell_ns : UNKNOWN_LIMIT_NS) + ctx->grace_ns;
}

static void run_load(const struct run_context *ctx, const struct cell *cell, const struct command *c,
		     struct run_result *r)
{
	AUTOFREE char *out = mem_printf("%s/" OUT_FILE, ctx->workdir);
	AUTOFREE char *words = mem_printf("%s/" WORDS_FILE, ctx->workdir);
	struct child_spec spec = { .argv = (const char *const *)c->argv.items,
				   .environment = (const char *const *)c->environment.items,
				   .stdout_path = out,
				   .stderr_path = words,
				   .limit_ns = time_limit_ns(ctx, cell) };
	struct guard_event event = { 0 };
	struct err err = { 0 };
	int64_t start_ns;

	host_counters_read(ctx->disks, ctx->n_disks, &r->before);
	r->started_ns = now_realtime_ns();
	start_ns = now_monotonic_ns();
	if (guard_begin(ctx->guard, 0, &spec, &err)) {
		conclude(r, err.kind == ERR_FAULT ? RUN_LOST : RUN_FAILED, "%s", err.msg);
		return;
	}
	if (!run_wait(ctx, 0, &event, &err)) {
		child_kill_all();
		conclude(r, RUN_LOST, "%s", err.msg);
		return;
	}
	r->elapsed_ns = now_monotonic_ns() - start_ns;
	r->exit_status = event.status;
	r->read_bytes = event.read_bytes;
	r->write_bytes = event.write_bytes;
	r->user_us = event.user_us;
	host_counters_read(ctx->disks, ctx->n_disks, &r->after);
	if (file_slurp(out, &r->raw, &err) || file_slurp(words, &r->words, &err))
		conclude(r, RUN_FAILED, "%s", err.msg);
	judge_end(ctx, &event, spec.limit_ns, r);
	judge_settings(ctx, r);
}

static void run_claimed(const struct run_context *ctx, const struct cell *cell, uint64_t randseed,
			struct run_result *r)
{
	const struct axis_point *direct = plan_at(ctx->plan, cell, AXIS_DIRECT);
	struct command c = { 0 };

	make_command(ctx, cell, randseed, &c);
	print_command(&c, &r->command);
	*vec_push(&c.argv) = NULL;
	*vec_push(&c.environment) = NULL;
	if (direct && !direct->number)
		drop_caches();
	wait_for_quiet(ctx);
	if (*ctx->stop)
		conclude(r, RUN_INTERRUPTED, "interrupted before the load was started");
	else
		run_load(ctx, cell, &c, r);
	command_release(&c);
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
	str_release(&r->raw);
	str_release(&r->words);
	host_counters_release(&r->before);
	host_counters_release(&r->after);
}
