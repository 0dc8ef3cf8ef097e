// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/plan_file.h"
#include "cli/setup.h"
#include "cli/sweep.h"
#include "cli/sweeps.h"
#include "common/units.h"
#include "report/cross.h"
#include "runner/run.h"
#include "runner/shard.h"

static const struct option_row options_record[] = {
	{ "name", "NAME", "name of the sweep, for report and compare", 0, false, false },
	{ "note", "TEXT", "kept with it", 0, false, false },
	{ "plan", "NAME|FILE", "sweeps from a file: a name from 'iobench jobs' or a path. A section a sweep, the keys are these "
			       "options without '--'; [all] is for every sweep. An option that is typed beside it stands for "
			       "all sweeps, alone", 0, false, false },
	{ "save-plan", "FILE", "write a plan that says these sweeps; with --dry-run nothing else is done", 0, false, false },
	{ "budget", "TIME", "fit all sweeps into this time: fewer runs, not below 6, then without the last rows; at its end "
			    "stop between two repetitions, for 'iobench resume'", 0, false, false },
	{ "dry-run", NULL, "print matrix, order, commands, time and bytes to be written; touch nothing", 0, false, false },
	{ 0 },
};

/* ---- --dry-run ---- */

#define ORDER_SHOWN 12

static void print_matrix(const struct setup *s)
{
	printf("workload: %s\nschedulers:", s->workload.name);
	for (size_t i = 0; i < s->plan.variants.n; i++) {
		const struct variant *v = &s->plan.variants.items[i];

		printf(" %s%s", v->name, v->module || setup_is_offered(s, v->scheduler) ? "" : " (not listed: will be tried)");
	}
	putchar('\n');
	for (int a = 0; a < AXIS_N; a++) {
		if (!s->plan.axes[a].n)
			continue;
		printf("%s:", axes[a].option);
		for (size_t i = 0; i < s->plan.axes[a].n; i++) {
			AUTOFREE char *text = key_text(axes[a].name, s->plan.axes[a].items[i].text);

			printf("%s %s", i ? "," : "", text);
		}
		putchar('\n');
	}
	if (s->plan.precision > 0)
		printf("runs: %u to %u, until ratios are known to +-%g%%\n", s->plan.runs_min, s->plan.runs,
		       s->plan.precision * 100);
	else
		printf("runs: %u\n", s->plan.runs);
	printf("seed: %" PRIu64 "\n", s->plan.seed);
	if (s->plan_name)
		printf("shard: %s, %zu of %zu rows\n", option(&s->options, "shard"),
		       setup_count_rows(s) / (s->plan.axes[AXIS_GOVERNOR].n ? s->plan.axes[AXIS_GOVERNOR].n : 1),
		       shard_count_rows(&s->plan));
}

static void print_order(const struct setup *s)
{
	steps_t steps = { 0 };

	plan_steps(&s->plan, &steps);
	printf("\norder: %s; it starts with\n", s->plan.sequential ? "sequential" : "random, repetition by repetition");
	for (size_t i = 0; i < steps.n && i < ORDER_SHOWN; i++) {
		AUTOSTR struct str cell = { 0 };

		setup_describe_cell(s, &s->plan.cells.items[steps.items[i].cell], &cell);
		printf("    %s\n", str_text(&cell));
	}
	if (steps.n > ORDER_SHOWN)
		printf("    ... %zu more\n", steps.n - ORDER_SHOWN);
	vec_free(&steps);
}

static void print_indented(const char *lines)
{
	for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n')
		printf("    %.*s\n", (int)strcspn(line, "\n"), line);
}

static void print_commands(const struct setup *s)
{
	char *unmade[] = { (char[]){ ".iobench-UUID/data" } };
	const strings_t file = { .items = unmade, .n = 1 }, none = { 0 };
	const struct run_context ctx = { .plan = &s->plan,
					 .scenario = &s->scenario,
					 .paths = s->dir ? &file : &s->paths,
					 .fio_args = &s->fio_args,
					 .says_clock = host_has_steady_tsc(),
					 .dir = s->scenario.fs ? "MOUNTED" : NULL,
					 .cgroups = &none,
					 .writes = s->writes,
					 .job_path = s->scenario.plain ? s->workload.path : NULL,
					 .workdir = "WORKDIR" };

	printf("\ncommands of the first repetition, the same under every scheduler:\n");
	for (size_t i = 0; i < s->plan.cells.n; i++) {
		const struct cell *c = &s->plan.cells.items[i];
		AUTOSTR struct str command = { 0 };

		if (c->variant)
			continue;
		run_describe(&ctx, c, plan_randseed(&s->plan, 0), &command);
		print_indented(str_text(&command));
	}
}

static void print_writes(const struct setup *s)
{
	char size[UNITS_TEXT];

	if (s->dir)
		printf("\nwrites: files of %s below '%s', removed at the end\n",
		       units_format_size(size, setup_area_bytes(s)), s->dir);
	for (size_t i = 0; !s->dir && i < s->targets.n; i++) {
		const struct target *t = &s->targets.items[i];

		if (s->scenario.fs)
			printf("\nwrites: MAKES A FILE SYSTEM (%s) on '%s', and writes in it\n", s->scenario.fs, t->node);
		else if (s->writes)
			printf("%swrites: OVERWRITES the first %s of '%s', again and again while the runs last\n",
			       i ? "" : "\n", units_format_size(size, s->region_bytes ? setup_area_bytes(s) : t->size_bytes),
			       t->node);
		else
			printf("%swrites: nothing on '%s'\n", i ? "" : "\n", t->node);
	}
}

static void print_refusal(const struct setup *s, const char *db)
{
	struct err err = { 0 };

	if (sweep_check_free(s, db, &err))
		printf("now a sweep would be refused: %s\n", err.msg);
}

static void dry_run(const struct setup *s, const char *db)
{
	char time[UNITS_TEXT];

	print_matrix(s);
	print_order(s);
	print_commands(s);
	print_writes(s);
	print_refusal(s, db);
	printf("time: %s %s\n", setup_estimate_word(s), units_format_duration(time, setup_estimate_ns(s)));
}

/* ---- the sweeps ---- */

static int sweep(const struct options *opt, struct setup *setup, struct err *err)
{
	struct sweep_outcome outcome = { 0 };
	struct store *store = NULL;
	int bad = sweep_run(opt, setup, &store, NULL, &outcome, err);

	if (!bad)
		sweep_say_outcome(&outcome, store);
	if (!bad)
		bad = output_tables(opt, store, &outcome.sweep, 1, err);
	if (bad)
		sweep_say_error(&outcome, store, err);
	store_close(store);
	return sweep_exit_code(&outcome, bad ? err : NULL);
}

/* What a call is about: what it asks for, and what came of it so far. */
struct call {
	const struct options *opt;
	struct requests requests;
	uint64_t total_ns;
	int code;
};

/* Which of several sweeps it is, before its table. */
static void print_head(const struct call *c, const struct request *r)
{
	const char *format = option(&r->opt, "format");

	if (c->requests.list.n > 1 && !option_given(&r->opt, "output") && (!format || !strcmp(format, "text"))) {
		printf("\n==== %s ====\n", r->name);
		fflush(stdout);
	}
}

static int run_one(struct call *c, struct request *r, struct err *err)
{
	struct setup *setup;

	if (c->requests.deadline_ns && now_monotonic_ns() >= c->requests.deadline_ns) {
		say("sweep '%s': no time is left of --budget %s", r->name ? r->name : "", c->requests.budget);
		return 5;
	}
	setup = request_setup(r, err);
	if (!setup)
		return -1;
	if (c->requests.list.n > 1)
		say("sweep '%s'", r->name);
	setup_say(setup);
	print_head(c, r);
	setup->deadline_ns = c->requests.deadline_ns;
	c->total_ns += setup_estimate_ns(setup);
	if (!option_given(c->opt, "dry-run"))
		return sweep(&r->opt, setup, err);
	dry_run(setup, option_db(&r->opt));
	return 0;
}

/* Those from number 'first' on are in no database, and resume knows nothing of them. */
static void say_not_begun(const struct requests *r, size_t first)
{
	AUTOSTR struct str names = { 0 };

	for (size_t i = first; r->list.n > 1 && i < r->list.n; i++)
		if (!r->list.items[i].left_out)
			str_addf(&names, "%s'%s'", names.len ? ", " : "", r->list.items[i].name);
	if (names.len)
		say("not begun, and nothing that 'iobench resume' knows of: %s", str_text(&names));
}

/* One after the other, until one is interrupted or leaves settings behind. What else stops one does not stop the others. */
static int run_all(struct call *c, struct err *err)
{
	size_t n = c->requests.list.n, i;

	for (i = 0; i < n && c->code != ERR_RESTORE && !sweep_asked_to_stop(); i++) {
		struct request *r = &c->requests.list.items[i];
		int code = r->left_out || r->elsewhere ? 0 : run_one(c, r, err);

		if (code < 0 && n == 1)
			return -1;
		if (code < 0)
			say("sweep '%s': %s", r->name, err->msg);
		c->code = sweep_worse_code(c->code, code < 0 ? (int)err->kind : code);
	}
	say_not_begun(&c->requests, i);
	return i < n && sweep_asked_to_stop() ? sweep_worse_code(c->code, 130) : c->code;
}

static int save_plan(const struct requests *r, const char *path, struct err *err)
{
	struct options *sweeps = mem_alloc(r->list.n, sizeof(*sweeps));
	int bad;

	for (size_t i = 0; i < r->list.n; i++)
		sweeps[i] = r->list.items[i].opt; /* borrowed */
	bad = plan_file_save(path, sweeps, r->list.n, r->budget, err);
	free(sweeps);
	if (!bad)
		say("the plan is in '%s'; run it by: iobench sweep --plan %s", path, path);
	return bad;
}

static int check_files(const struct requests *r, struct err *err)
{
	for (size_t i = 0; i < r->list.n; i++)
		if (output_check_file(&r->list.items[i].opt, err))
			return -1;
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	struct call c = { .opt = opt };
	const char *save = option(opt, "save-plan");
	bool dry = option_given(opt, "dry-run");
	char time[UNITS_TEXT];
	int code = -1;

	if (!output_check(opt, err) && !requests_make(opt, &c.requests, err) && !requests_check(&c.requests, err) &&
	    !(save && save_plan(&c.requests, save, err)) && !requests_fit(&c.requests, err)) {
		if (!dry && geteuid())
			code = err_set(err, ERR_NEEDS, "a sweep must be run as root: it changes settings of the disk");
		else if (dry || !check_files(&c.requests, err))
			code = run_all(&c, err);
	}
	if (dry && code >= 0 && c.requests.list.n > 1)
		printf("\nall sweeps: about %s\n", units_format_duration(time, c.total_ns));
	if (dry && code >= 0)
		puts("nothing was touched");
	requests_release(&c.requests);
	return code;
}

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "measure a disk under several schedulers and print the tables",
	.about = "iobench sweep --dev /dev/sdb --scheds cfq,bfq,mq-deadline\n\n"
		 "Reads only, unless a pattern that writes is asked for and --write-ok allows it. The settings of the disk "
		 "are put back at the end, whatever ends the sweep. Sizes take k, M, G, T (powers of 1024), durations ms, s, "
		 "m, h, lists a,b and 1-8 and 1-8:2.\n\n"
		 "iobench sweep --plan nightly-hdd --dev /dev/sdb --budget 4h\n\n"
		 "Several sweeps run one after the other, each under its own name. The exit code is the first of 4, 130, 2, 3, "
		 "1, 5 that one of them ended with; what the budget stopped or this kernel cannot run is 5.",
	.groups = { options_sweep, options_record, options_layout, options_table, options_db },
	.run = run,
};
