// SPDX-License-Identifier: GPL-2.0-or-later
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "cli/sweep.h"
#include "common/units.h"
#include "runner/host.h"
#include "runner/settings.h"

extern const struct command cmd_sweep;

static const struct option_row options_resume[] = {
	{ "dev", "DEVICE", "where the sweep's disk is now, if it has another name; of several, all in their order", 'd', false,
	  true },
	{ "write-ok", "DEVICE", "as for sweep: what was allowed then is asked for again", 0, true, true },
	{ "budget", "TIME", "stop between two repetitions at the end of this time", 0, false, false },
	{ "drop", NULL, "give up the cells that are pending, for good", 0, false, false },
	{ 0 },
};

/* All that is there of the sweep. */
struct past {
	struct sweep_row sweep;
	cell_rows_t cells;
	run_rows_t runs;
	struct workload_row workload;
};

static void past_release(struct past *p)
{
	sweep_row_release(&p->sweep);
	cell_rows_release(&p->cells);
	run_rows_release(&p->runs);
	free(p->workload.name);
	free(p->workload.text);
}

/* The newest sweep that is not done. */
static int find_unfinished(struct store *s, struct sweep_row *out, struct err *err)
{
	sweep_rows_t all = { 0 };
	AUTOFREE char *uuid = NULL;

	if (store_list_sweeps(s, &all, err))
		return -1;
	for (size_t i = all.n; i-- && !uuid;)
		if (strcmp(all.items[i].state, "done"))
			uuid = mem_strdup(all.items[i].uuid);
	sweep_rows_release(&all);
	if (!uuid)
		return err_set(err, ERR_USAGE, "nothing to resume in '%s': every sweep is done", store_path(s));
	return store_find_sweep(s, uuid, out, err);
}

static int past_load(const struct options *opt, struct store *s, struct past *p, struct err *err)
{
	int bad = opt->operands.n ? store_find_sweep(s, opt->operands.items[0], &p->sweep, err)
				  : find_unfinished(s, &p->sweep, err);

	if (!bad && p->sweep.kind && !strcmp(p->sweep.kind, "import"))
		bad = err_set(err, ERR_USAGE, "sweep %.8s was imported: there is nothing to run again", p->sweep.uuid);
	return bad || store_list_cells(s, p->sweep.id, &p->cells, err) ||
			       store_list_runs(s, p->sweep.id, &p->runs, err) ||
			       store_get_workload(s, p->sweep.id, &p->workload, err)
		       ? -1
		       : 0;
}

static bool is_of_tables(const char *name)
{
	static const struct option_row *const groups[] = { options_layout, options_table };

	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		for (const struct option_row *r = groups[i]; r->name; r++)
			if (!strcmp(r->name, name))
				return true;
	return false;
}

/* The options of the sweep as they were typed then, with its seed; tables as asked for now. */
static int stored_options(const struct past *p, const struct options *now, struct options *out, struct err *err)
{
	cJSON *plan = p->sweep.plan ? cJSON_Parse(p->sweep.plan) : NULL, *pair;
	const cJSON *seed = cJSON_GetObjectItemCaseSensitive(plan, "seed");
	const cJSON *region = cJSON_GetObjectItemCaseSensitive(plan, "region_bytes");
	int bad = 0;

	if (!cJSON_IsString(seed))
		bad = err_set(err, ERR_FAULT, "sweep %.8s has no plan that could go on", p->sweep.uuid);
	cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(plan, "options"))
	{
		const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(pair, 0));
		const char *value = cJSON_GetStringValue(cJSON_GetArrayItem(pair, 1));
		/* consent to write is of its day: somebody may have put his data there since */
		bool replaced = name && ((!strcmp(name, "dev") && option_given(now, "dev")) || !strcmp(name, "write-ok"));

		replaced = replaced || (name && is_of_tables(name));
		if (!bad && name && value && !replaced)
			bad = option_add(&cmd_sweep, out, name, value, err);
	}
	if (!bad && !option_given(out, "seed"))
		bad = option_add(&cmd_sweep, out, "seed", seed->valuestring, err);
	for (size_t i = 0; !bad && i < now->given.n; i++)
		if (!strcmp(now->given.items[i].row->name, "dev") || !strcmp(now->given.items[i].row->name, "write-ok"))
			bad = option_add(&cmd_sweep, out, now->given.items[i].row->name, now->given.items[i].value, err);
	/* the free space of a file system changes, the regions of a sweep do not */
	if (!bad && cJSON_IsString(region) && strcmp(region->valuestring, "0") && !option_given(out, "size"))
		bad = option_add(&cmd_sweep, out, "size", region->valuestring, err);
	for (size_t i = 0; !bad && i < now->given.n; i++)
		if (is_of_tables(now->given.items[i].row->name))
			bad = option_add(&cmd_sweep, out, now->given.items[i].row->name, now->given.items[i].value, err);
	out->typed = mem_strdup(now->typed);
	cJSON_Delete(plan);
	return bad;
}

static const char *stored_axis(const struct cell_row *c, const char *name)
{
	for (size_t i = 0; i < c->n_axes; i++)
		if (!strcmp(c->axes[i].name, name))
			return c->axes[i].value;
	return NULL;
}

static bool text_is(const cJSON *object, const char *name, uint64_t number)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return !text || strtoull(text, NULL, 10) == number;
}

/*
 * Is it the same disk? One that has no serial number is known by its name or file only: then it must not have been
 * replaced since (diskseq), which cannot be told over a reboot, unless --dev says where it is.
 */
static int check_disks(const struct past *p, const struct setup *s, bool named, struct err *err)
{
	cJSON *plan = cJSON_Parse(p->sweep.plan);
	const char *boot = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(plan, "boot_id"));
	char boot_id[UUID_TEXT];
	int bad = 0;

	host_boot_id(boot_id);
	for (size_t i = 0; !bad && i < s->disks.n; i++) {
		const struct disk *d = s->disks.items[i];
		const cJSON *was = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(plan, "disks"), (int)i);
		bool same_boot = boot && !strcmp(boot, boot_id);

		if (!text_is(was, "size_bytes", d->size_bytes))
			bad = err_set(err, ERR_NEEDS, "'%s' has another size than when sweep %.8s began: another disk cannot go "
						      "on with it", d->name, p->sweep.uuid);
		else if (!d->wwid && !d->serial && !named && !(same_boot && text_is(was, "diskseq", d->diskseq)))
			bad = err_set(err, ERR_NEEDS, "'%s' has no serial number and was attached anew since sweep %.8s began: if "
						      "it is the same disk, say so with --dev", d->name, p->sweep.uuid);
	}
	cJSON_Delete(plan);
	return bad;
}

/* The plan made again must be the plan that was stored: same disk, same cells. */
static int check_same(const struct past *p, const struct setup *s, struct err *err)
{
	const char *device = p->cells.n ? stored_axis(&p->cells.items[0], "device") : NULL;
	AUTOFREE char *identity = setup_identity(s), *operands = setup_operands(s);

	if (device && strcmp(device, identity))
		return err_set(err, ERR_NEEDS, "sweep %.8s measured '%s'; '%s' is '%s' now: another disk cannot go on with it",
			       p->sweep.uuid, device, operands, identity);
	if (p->cells.n != s->plan.cells.n)
		return err_set(err, ERR_NEEDS, "sweep %.8s has %zu cells, and would have %zu now: start a new sweep",
			       p->sweep.uuid, p->cells.n, s->plan.cells.n);
	for (size_t i = 0; i < p->cells.n; i++) {
		AUTOFREE char *key = setup_cell_key(s, &s->plan.cells.items[i]);

		if (strcmp(key, p->cells.items[i].key))
			return err_set(err, ERR_NEEDS,
				       "the plan of sweep %.8s does not fit any more: cell %zu was '%.300s' and would be "
				       "'%.300s': start a new sweep",
				       p->sweep.uuid, i + 1, p->cells.items[i].key, key);
	}
	return 0;
}

static int drop(const struct options *opt, struct store *s, const struct past *p, struct err *err)
{
	unsigned n = 0;

	for (size_t i = 0; i < opt->given.n; i++)
		if (strcmp(opt->given.items[i].row->name, "drop") && strcmp(opt->given.items[i].row->name, "db"))
			return err_set(err, ERR_USAGE, "--%s has no effect with --drop", opt->given.items[i].row->name);
	if (!strcmp(p->sweep.state, "running") && settings_any_alive())
		return err_set(err, ERR_NEEDS, "a sweep is running: its pending cells are not given up before it has ended");

	for (size_t i = 0; i < p->cells.n; i++) {
		const struct cell_row *c = &p->cells.items[i];
		AUTOFREE char *reason = mem_printf("given up by resume --drop%s%s", c->reason ? ": " : "",
						   c->reason ? c->reason : "");

		if (strcmp(c->state, "pending"))
			continue;
		if (store_set_cell_state(s, c->id, "failed", reason, err))
			return -1;
		n++;
	}
	if (store_set_sweep_state(s, p->sweep.id, "done", p->sweep.ended_ns, err))
		return -1;
	say("sweep %.8s: %u pending cells given up", p->sweep.uuid, n);
	return 0;
}

static int get_deadline(const struct options *opt, int64_t *deadline_ns, struct err *err)
{
	uint64_t budget_ns;

	if (!option_given(opt, "budget"))
		return 0;
	if (units_parse_duration(option(opt, "budget"), &budget_ns, err))
		return err_context(err, "--budget");
	*deadline_ns = now_monotonic_ns() + (int64_t)budget_ns;
	return 0;
}

static int go_on(const struct options *opt, struct store *s, const struct past *p, struct err *err)
{
	const struct sweep_past past = { &p->sweep, &p->cells, &p->runs };
	struct sweep_outcome outcome = { 0 };
	struct workload workload = { .name = p->workload.name, .text = p->workload.text };
	struct options stored = { 0 };
	struct setup setup = { 0 };
	int bad = stored_options(p, opt, &stored, err) || setup_make(&stored, &workload, &setup, err) ||
		  output_check(&setup.options, err) || output_check_file(&stored, err) || check_same(p, &setup, err) ||
		  check_disks(p, &setup, option_given(opt, "dev"), err) || get_deadline(opt, &setup.deadline_ns, err);

	if (!bad) {
		say("going on with sweep %.8s%s%s", p->sweep.uuid, *p->sweep.name ? " " : "", p->sweep.name);
		setup_say(&setup);
		bad = sweep_run(&stored, &setup, &s, &past, &outcome, err);
	}
	if (!bad)
		sweep_say_outcome(&outcome, s);
	if (!bad)
		bad = output_tables(&stored, s, &outcome.sweep, 1, err);
	if (bad)
		sweep_say_error(&outcome, s, err);
	setup_release(&setup);
	options_release(&stored);
	return sweep_exit_code(&outcome, bad ? err : NULL);
}

static int run(const struct options *opt, struct err *err)
{
	struct past p = { 0 };
	AUTOSTORE struct store *s = NULL;
	int code;

	if (opt->operands.n > 1)
		return err_set(err, ERR_USAGE, "one sweep at a time can be resumed");
	if (geteuid())
		return err_set(err, ERR_NEEDS, "a sweep must be run as root: it changes settings of the disk");
	s = open_database(opt, STORE_WRITE, err);
	if (!s)
		return -1;
	code = past_load(opt, s, &p, err);
	if (!code)
		code = option_given(opt, "drop") ? drop(opt, s, &p, err) : go_on(opt, s, &p, err);
	past_release(&p);
	return code;
}

const struct command cmd_resume = {
	.name = "resume",
	.summary = "go on with an interrupted sweep, or with what waits for a kernel",
	.operands = "[SWEEP]",
	.about = "Without a SWEEP: the newest that is not done. The order and the seeds are those of the sweep; a repetition "
		 "that was not complete runs again as a whole, because only runs made together are compared in pairs.",
	.groups = { options_resume, options_layout, options_table, options_db },
	.run = run,
};
