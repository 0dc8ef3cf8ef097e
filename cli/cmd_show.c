// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cell_text.h"
#include "cli/command.h"
#include "common/units.h"
#include "db/store.h"

static const struct option_row options_show[] = {
	{ "raw", NULL, "only the output of the load generator, byte for byte", 0, false, false },
	{ 0 },
};

static const char *direction_text(enum direction d)
{
	static const char *const names[] = { "", "read ", "write ", "trim " };

	return (size_t)d < ARRAY_LEN(names) ? names[d] : "";
}

static void print_samples(const struct run_details *d)
{
	for (size_t i = 0; i < d->samples.n; i++) {
		const struct sample *s = &d->samples.items[i];

		printf("  ");
		if (strcmp(d->actors.items[i], "fio"))
			printf("%s: ", d->actors.items[i]);
		printf("%s%s", direction_text(s->direction), s->metric->name);
		if (s->job != JOB_ALL)
			printf(" of job %d", s->job + 1);
		if (s->device)
			printf(" of %s", s->device);
		printf(": %.10g%s%s\n", s->value * s->metric->print_scale, *s->metric->print_unit ? " " : "",
		       s->metric->print_unit);
	}
}

static void print_text(const char *head, const char *text)
{
	if (text && *text)
		printf("%s: %s\n", head, text);
}

static void print_run(const struct run_details *d)
{
	const struct run_row *r = &d->run;
	char when[UNITS_TEXT], took[UNITS_TEXT];

	printf("run: %s\nsweep: %s%s%s\ncell: %s", r->uuid, d->sweep.uuid, *d->sweep.name ? " " : "", d->sweep.name, d->cell.variant);
	for (size_t i = 0; i < d->cell.n_axes; i++)
		printf(" %s=%s", d->cell.axes[i].name, d->cell.axes[i].value);
	printf("\nblock: %d, place %d, attempt %d, %s\nstate: %s%s%s\nstarted: %s, took %s\nrandseed: %" PRIu64 "\n",
	       r->block + 1, r->position + 1, r->attempt + 1, r->kind, r->state, r->reason ? ": " : "",
	       r->reason ? r->reason : "", units_format_time(when, r->started_ns, localtime_r, "%F %T %z"),
	       units_format_duration(took, (uint64_t)r->elapsed_ns), r->randseed);
	if (WIFSIGNALED(r->exit_status))
		printf("exit: signal %d\n", WTERMSIG(r->exit_status));
	else
		printf("exit: status %d\n", WEXITSTATUS(r->exit_status));
	print_text("tool", r->tool);
	print_text("command", r->command);
	print_text("settings asked for", r->requested);
	print_text("settings in effect", r->effective);
	print_text("counted meanwhile", r->counters);
	print_text("its words", r->diagnostics);
	for (size_t i = 0; i < d->warnings.n; i++)
		printf("warning %s: %s\n", d->warnings.items[i].code, d->warnings.items[i].text);
	print_text("environment", d->environment);
	if (d->raw)
		printf("raw output: %zu bytes of %s ('--raw' prints it)\n", d->raw_len, r->format);
	puts("samples:");
	print_samples(d);
}

static void print_run_line(const struct run_row *r, const cell_rows_t *cells, const strings_t *axes)
{
	char took[UNITS_TEXT];

	printf("%.8s  block %d  %-11s  %-8s", r->uuid, r->block + 1, r->state,
	       units_format_duration(took, (uint64_t)r->elapsed_ns));
	for (size_t i = 0; i < cells->n; i++) {
		const struct cell_row *c = &cells->items[i];

		AUTOSTR struct str text = { 0 };

		if (c->id != r->cell)
			continue;
		cell_text(c, axes, &text);
		printf("  %s", str_text(&text));
	}
	printf("%s%s\n", r->reason ? "  " : "", r->reason ? r->reason : "");
}

static int show_sweep(struct store *s, const struct sweep_row *sweep, struct err *err)
{
	run_rows_t runs = { 0 };
	cell_rows_t cells = { 0 };
	AUTOSTRINGS strings_t axes = { 0 };
	int bad = store_list_runs(s, sweep->id, &runs, err) || store_list_cells(s, sweep->id, &cells, err);

	if (!bad)
		printf("sweep: %s%s%s\ncommand: %s\nseed: %" PRIu64 "\nstate: %s\nhost: %s\n%s%s%s", sweep->uuid,
		       *sweep->name ? " " : "", sweep->name, sweep->command, sweep->seed, sweep->state, sweep->host, *sweep->note ? "note: " : "", sweep->note,
		       *sweep->note ? "\n" : "");
	if (!bad)
		cells_varying(&cells, &axes);
	for (size_t i = 0; !bad && i < runs.n; i++)
		print_run_line(&runs.items[i], &cells, &axes);
	run_rows_release(&runs);
	cell_rows_release(&cells);
	return bad;
}

static int show(struct store *s, const char *what, bool raw, struct err *err)
{
	struct sweep_row sweep = { 0 };
	struct run_details d = { 0 };
	int bad;

	if (!raw && !store_find_sweep(s, what, &sweep, NULL)) {
		bad = show_sweep(s, &sweep, err);
		sweep_row_release(&sweep);
		return bad;
	}
	if (store_get_run(s, what, &d, err))
		return -1;
	if (!raw)
		print_run(&d);
	else if (d.raw)
		fwrite(d.raw, 1, d.raw_len, stdout);
	run_details_release(&d);
	return 0;
}

static int run(const struct options *opt, struct err *err)
{
	AUTOSTORE struct store *s = open_database(opt, STORE_READ, err);
	bool raw = option_given(opt, "raw");
	int bad = 0;

	if (!s)
		return -1;
	if (!opt->operands.n)
		bad = raw ? err_set(err, ERR_USAGE, "--raw wants the id of a run") : show(s, "last", false, err);
	for (size_t i = 0; !bad && i < opt->operands.n; i++)
		bad = show(s, opt->operands.items[i], raw, err);
	return bad ? -1 : 0;
}

const struct command cmd_show = {
	.name = "show",
	.summary = "the runs of a sweep, or one run with everything known of it",
	.operands = "[SWEEP|RUN]...",
	.groups = { options_show, options_db },
	.run = run,
};
