// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/belief.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

#include "checks/doctor.h"
#include "checks/environment.h"
#include "checks/kernel_log.h"
#include "checks/plan.h"
#include "checks/run.h"
#include "checks/series.h"
#include "checks/settings.h"
#include "cli/command.h"
#include "db/series.h"
#include "runner/kmsg.h"
#include "runner/simdisk.h"

void warnings_release(warnings_t *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->items[i].code);
		free(w->items[i].text);
	}
	vec_free(w);
}

static void keep(struct check_findings *f, warnings_t *out)
{
	for (size_t i = 0; i < f->list.n; i++) {
		struct warning_row *row = vec_push(out);

		row->code = mem_strdup(check_codes[f->list.items[i].id].code);
		row->text = mem_strdup(f->list.items[i].text);
	}
	check_findings_release(f);
}

static void say_findings(const struct check_findings *f)
{
	for (size_t i = 0; i < f->list.n; i++) {
		const struct check_code *code = &check_codes[f->list.items[i].id];

		say("warning: %s: %s (%s)", code->title, f->list.items[i].text, code->advice);
	}
}

static bool is_of_units(const struct doctor_item *item)
{
	return item->id == CHECK_SERVICES || item->id == CHECK_TIMERS;
}

/* What doctor would warn of: of systemd's units, or all else. What keeps a sweep from starting is an error of its own. */
static void say_machine(const struct belief *b, bool of_units)
{
	doctor_items_t items = { 0 };

	check_doctor(&b->facts, (int64_t)setup_estimate_ns(b->setup), &items);
	for (size_t i = 0; i < items.n; i++) {
		const struct doctor_item *item = &items.items[i];

		if (item->status == DOCTOR_WARN && !item->need && is_of_units(item) == of_units)
			say("warning: %s%s%s: %s (%s)", check_codes[item->id].title, item->subject ? " of " : "",
			    item->subject ? item->subject : "", item->text, check_codes[item->id].advice);
	}
	doctor_items_release(&items);
}

static bool is_simulated(const struct setup *s)
{
	bool simulated = false;

	for (size_t i = 0; i < s->disks.n; i++) {
		AUTOSTR struct str description = { 0 };

		simulated |= simdisk_is(s->disks.items[i]->sysdir, &description);
	}
	return simulated;
}

/* Between two looks lies one run. */
static void look_at_simulators(struct belief *b)
{
	b->sim_commands = b->sim_late = 0;
	for (size_t i = 0; b->target.simulated && i < b->setup->disks.n; i++) {
		uint64_t ended = 0, late = 0;

		if (simdisk_late(b->setup->disks.items[i]->sysdir, &ended, &late)) {
			b->sim_commands += ended;
			b->sim_late += late;
		}
	}
}

void belief_start(struct belief *b, const struct setup *s)
{
	struct check_findings found = { 0 };
	struct workload job;

	*b = (struct belief){ .setup = s, .kmsg = kmsg_open() };
	doctor_facts_gather(&s->targets.items[0], true, &b->facts);
	check_target_of(&s->targets.items[0], &b->facts, &b->target);
	b->target.n_disks = (unsigned)s->disks.n;
	b->target.simulated = is_simulated(s);
	/* a file system that the workload makes writes for itself too */
	b->target.files |= !!s->scenario.fs;
	b->loads = mem_alloc(s->plan.cells.n, sizeof(*b->loads));
	setup_main_job(s, &job);
	for (size_t i = 0; i < s->plan.cells.n; i++) {
		check_load_of(&s->plan, &job, &s->plan.cells.items[i], &b->loads[i]);
		b->loads[i].timed = scenario_is_timed(&s->scenario);
	}
	look_at_simulators(b);
	say_machine(b, false);
	check_plan(&s->plan, &b->target, &found);
	check_loads(&s->plan, &job, &b->target, &found);
	say_findings(&found);
	check_findings_release(&found);
	workload_release(&job);
}

void belief_say_units(struct belief *b, struct child_captured *units)
{
	doctor_units_end(units, &b->facts);
	say_machine(b, true);
}

void belief_of_run(struct belief *b, unsigned cell, const struct run_result *r, const struct parsed *parsed,
		   warnings_t *out)
{
	struct check_findings found = { 0 };
	uint64_t ended = b->sim_commands, late = b->sim_late;

	look_at_simulators(b);
	check_run(&(struct check_run){ .load = &b->loads[cell],
				       .target = &b->target,
				       .parsed = parsed,
				       .before = &r->before,
				       .after = &r->after,
				       .usage = { true, r->read_bytes, r->write_bytes, r->user_us },
				       .elapsed_ns = r->elapsed_ns,
				       .requested = str_text(&r->requested),
				       .effective = str_text(&r->effective) },
		  &found);
	if (b->sim_commands > ended) /* less: it has died */
		check_simulator(b->sim_commands - ended, b->sim_late - late, &found);
	/* with every run, so that no table made of them can leave it out */
	if (b->target.simulated)
		check_add(&found, CHECK_SIMULATED_DISK, "%s", b->target.disks);
	keep(&found, out);
}

static void look_at_kernel(struct belief *b, struct check_findings *found)
{
	AUTOSTRINGS strings_t messages = { 0 }, disks = { 0 };
	size_t before = found->list.n;

	for (size_t i = 0; i < b->setup->disks.n; i++)
		strings_add(&disks, b->setup->disks.items[i]->name);
	kmsg_read(b->kmsg, &messages);
	check_kernel_log(&messages, &disks, found);
	if (found->list.n == before || b->complaint)
		return;
	b->complaint = mem_strdup(found->list.items[before].text);
	say("warning: %s: %s (%s)", check_codes[CHECK_KERNEL_LOG].title, b->complaint, check_codes[CHECK_KERNEL_LOG].advice);
}

void belief_of_kernel(struct belief *b, warnings_t *out)
{
	struct check_findings found = { 0 };

	look_at_kernel(b, &found);
	keep(&found, out);
}

/* The values of a series and their blocks, as checks want them; the caller frees both. */
static void take_values(const struct series *s, double **values, unsigned **blocks)
{
	*values = mem_alloc(s->points.n, sizeof(**values));
	*blocks = mem_alloc(s->points.n, sizeof(**blocks));
	for (size_t i = 0; i < s->points.n; i++) {
		(*values)[i] = s->points.items[i].value;
		(*blocks)[i] = (unsigned)s->points.items[i].block;
	}
}

static void judge_series(const struct series *s, struct check_findings *found)
{
	AUTOFREE double *values = NULL;
	AUTOFREE unsigned *blocks = NULL;

	take_values(s, &values, &blocks);
	if (s->points.n)
		check_series(s->metric->print_unit, values, blocks, s->points.n, found);
}

/* How many runs of the cell there were, and how many of them were thrown away because of changed settings. */
static void judge_attempts(const run_rows_t *runs, int64_t cell, struct check_findings *found)
{
	unsigned invalid = 0, all = 0;

	for (size_t i = 0; i < runs->n; i++) {
		if (runs->items[i].cell != cell)
			continue;
		all++;
		invalid += !strcmp(runs->items[i].state, "invalid");
	}
	check_attempts(invalid, all, found);
}

/* The frequency of the CPUs in the good runs of a cell, from what was counted with each. */
static void judge_frequency(const run_rows_t *runs, int64_t cell, const char *governor, struct check_findings *found)
{
	VEC(double) khz = { 0 };

	for (size_t i = 0; i < runs->n; i++) {
		const struct run_row *r = &runs->items[i];
		cJSON *counters = r->cell == cell && !strcmp(r->state, "ok") && r->counters ? cJSON_Parse(r->counters) : NULL;
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(counters, "cpu.mean_khz_after");

		if (cJSON_IsNumber(value))
			*vec_push(&khz) = value->valuedouble;
		cJSON_Delete(counters);
	}
	if (governor && khz.n)
		check_frequency(governor, khz.items, khz.n, found);
	vec_free(&khz);
}

static void judge_drift(const struct series_set *set, struct check_findings *found)
{
	VEC(struct check_point) points = { 0 };

	for (size_t i = 0; i < set->list.n; i++)
		for (size_t k = 0; k < set->list.items[i].points.n; k++) {
			const struct series_point *p = &set->list.items[i].points.items[k];

			*vec_push(&points) = (struct check_point){ (unsigned)i, (unsigned)p->block, p->value };
		}
	if (points.n)
		check_sweep_drift(set->list.items[0].metric->print_unit, points.items, points.n, found);
	vec_free(&points);
}

/* The canaries of the sweep: each cell of theirs by itself, in order of time. */
static int judge_canaries(struct store *store, int64_t sweep, struct check_findings *found, struct err *err)
{
	struct series_set set = { 0 };
	const struct metric *iops = metric_find("iops");
	int bad = store_query_series(
		store, &(struct series_query){ .sweeps = &sweep, .n_sweeps = 1, .metrics = &iops, .n_metrics = 1, .canaries = true },
		&set, err);

	for (size_t i = 0; !bad && i < set.list.n; i++) {
		AUTOFREE double *values = NULL;
		AUTOFREE unsigned *places = NULL;

		take_values(&set.list.items[i], &values, &places);
		for (size_t k = 0; k < set.list.items[i].points.n; k++)
			places[k] = (unsigned)k;
		if (set.list.items[i].points.n)
			check_series("reference runs, IOPS", values, places, set.list.items[i].points.n, found);
	}
	series_set_release(&set);
	return bad;
}

/* The governor of a cell: its own, else that of the machine. */
static const char *governor_of(const struct belief *b, size_t cell, const struct series_set *set)
{
	const struct axis_point *swept = plan_at(&b->setup->plan, &b->setup->plan.cells.items[cell], AXIS_GOVERNOR);

	return swept ? swept->text : set->list.n ? set->list.items[0].cpufreq_governor : NULL;
}

static int store_cells(const struct belief *b, struct store *store, const struct cell_row *cells,
		       const struct series_set *set, const run_rows_t *runs, struct check_findings *of_sweep,
		       struct err *err)
{
	int bad = 0;

	for (size_t i = 0; !bad && i < b->setup->plan.cells.n; i++) {
		struct check_findings found = { 0 };
		warnings_t rows = { 0 };

		check_load(&b->loads[i], &b->target, &found);
		/* a series for each kernel that the cell was measured under */
		for (size_t k = 0; k < set->list.n; k++)
			if (set->list.items[k].cell == cells[i].id)
				judge_series(&set->list.items[k], &found);
		judge_attempts(runs, cells[i].id, &found);
		judge_frequency(runs, cells[i].id, governor_of(b, i, set), &found);
		keep(&found, &rows);
		if (i == 0)
			keep(of_sweep, &rows);
		bad = store_set_cell_warnings(store, cells[i].id, rows.items, rows.n, err);
		warnings_release(&rows);
	}
	return bad;
}

int belief_of_sweep(struct belief *b, struct store *store, int64_t sweep, const struct cell_row *cells,
		    const char *before, const char *after, struct err *err)
{
	const struct metric *iops = metric_find("iops");
	struct check_findings of_sweep = { 0 };
	struct series_set set = { 0 };
	run_rows_t runs = { 0 };
	int bad = store_query_series(
			  store, &(struct series_query){ .sweeps = &sweep, .n_sweeps = 1, .metrics = &iops, .n_metrics = 1 }, &set,
			  err) ||
		  store_list_runs(store, sweep, &runs, err) || judge_canaries(store, sweep, &of_sweep, err);

	if (!bad) {
		judge_drift(&set, &of_sweep);
		check_environment(before, after, &of_sweep);
		say_findings(&of_sweep);
		look_at_kernel(b, &of_sweep); /* since the last run, settings were put back */
		/* what came with a run that failed is not counted with those in the tables */
		if (b->complaint)
			check_add(&of_sweep, CHECK_KERNEL_LOG, "%s", b->complaint);
		check_plan(&b->setup->plan, &b->target, &of_sweep);
		bad = store_cells(b, store, cells, &set, &runs, &of_sweep, err);
	}
	check_findings_release(&of_sweep);
	series_set_release(&set);
	run_rows_release(&runs);
	return bad ? -1 : 0;
}

void belief_release(struct belief *b)
{
	if (b->loads && b->kmsg >= 0)
		close(b->kmsg);
	free(b->complaint);
	free(b->loads);
	doctor_facts_release(&b->facts);
	*b = (struct belief){ .kmsg = -1 };
}
