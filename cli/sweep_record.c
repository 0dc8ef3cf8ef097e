// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweep_state.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* All that resume needs to make the same plan again, as JSON. */
static char *plan_json(const struct sweep *w, const char *boot_id)
{
	cJSON *json = cJSON_CreateObject(), *options = cJSON_AddArrayToObject(json, "options");
	cJSON *disks = cJSON_AddArrayToObject(json, "disks");
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

static int put_sweep(struct sweep *w, const char *boot_id, struct err *err)
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
	w->row.plan = plan_json(w, boot_id);
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

int sweep_record(struct sweep *w, struct err *err)
{
	char boot_id[UUID_TEXT];
	bool failed;

	host_boot_id(boot_id);
	fill_cells(w);
	if (host_capture(w->setup->disks.items, w->setup->disks.n, &w->setup->subject, &w->facts, err) || store_join(w->store, err))
		return -1;
	failed = (w->past ? take_up_sweep(w, err) : put_sweep(w, boot_id, err)) ||
		 store_put_invocation(w->store, w->id, boot_id, w->opt->typed, &w->invocation, err);
	if (store_join_end(w->store, failed, err)) {
		w->id = 0;
		return -1;
	}
	w->out->sweep = w->id;
	return 0;
}

/* ---- results ---- */

static const char *const state_names[] = {
	[RUN_OK] = "ok",		    [RUN_FAILED] = "failed", [RUN_INVALID] = "invalid",
	[RUN_INTERRUPTED] = "interrupted", [RUN_LOST] = "failed",
};

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
		return err_context(err, NEEDS_FIO);
	}
	if (!version)
		version = str_trim(text.s ? text.s : (char[]){ "" });
	major = str_starts(version, "fio-") ? strtoul(version + strlen("fio-"), NULL, 10) : 0;
	if (major < 3)
		return err_set(err, ERR_NEEDS, NEEDS_FIO ", this one is '%s'", version);
	w->fio_version = mem_strdup(version);
	return 0;
}

/* Releases the facts. */
static char *environment_text(const struct sweep *w, facts_t *facts)
{
	struct str text = { 0 };

	host_udev_rules(facts);
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

int sweep_store_result(struct sweep *w, const struct step *step, const char *kind, unsigned position, int attempt,
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

int sweep_close_cell(struct sweep *w, unsigned cell, const char *state, const char *reason, struct err *err)
{
	w->records[cell].closed = true;
	return store_set_cell_state(w->store, w->cells[cell].id, state, reason, err);
}

int sweep_judge(struct sweep *w, struct err *err)
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
