// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweeps.h"

#include <inttypes.h>
#include <string.h>

#include "cli/budget.h"
#include "cli/foresee.h"
#include "cli/output.h"
#include "cli/plan_file.h"
#include "cli/setup.h"
#include "cli/side.h"
#include "common/units.h"
#include "runner/shard.h"

extern const struct command cmd_sweep;

/* ---- what is asked for ---- */

static void take_options(const struct options *typed, struct requests *out)
{
	struct request *r = vec_push(&out->list);

	r->opt.typed = mem_strdup(typed->typed);
	for (size_t i = 0; i < typed->given.n; i++)
		if (!plan_file_is_of_call(typed->given.items[i].row->name))
			option_add(&cmd_sweep, &r->opt, typed->given.items[i].row->name, typed->given.items[i].value, NULL);
}

static void drop_option(struct options *opt, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < opt->given.n; i++)
		if (strcmp(opt->given.items[i].row->name, name) != 0)
			opt->given.items[kept++] = opt->given.items[i];
		else
			free(opt->given.items[i].value);
	opt->given.n = kept;
}

/* A scenario asks for devices also by a section for each. */
static bool uses(const struct workload *w, enum axis_id id)
{
	return workload_uses(w, axes[id].variable) || (id == AXIS_DEVICES && scenario_is(w->text));
}

/*
 * What goes for all sweeps need not go for each: values of an axis that the workload has not are left out, unless its own
 * section says them. 'used' counts the sweeps that have the axis.
 */
static int drop_unused(const struct plan_file *plan, size_t section, struct options *opt, size_t used[AXIS_N], struct err *err)
{
	const char *job = option(opt, "job");
	struct workload w = { 0 };

	if (workload_load(job ? job : "patterns", &w, err))
		return err_context(err, "sweep '%s'", plan->sections.items[section].name);
	for (int a = 0; a < AXIS_N; a++) {
		const char *names[] = { axes[a].option, a == AXIS_DIRECT ? "buffered" : axes[a].option };

		if (!axes[a].variable || uses(&w, a)) {
			used[a]++;
			continue;
		}
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (!plan_file_says(plan, section, names[i]))
				drop_option(opt, names[i]);
	}
	workload_release(&w);
	return 0;
}

static int check_used(const struct options *typed, const size_t used[AXIS_N], struct err *err)
{
	for (int a = 0; a < AXIS_N; a++)
		if (!used[a] && option_given(typed, axes[a].option))
			return err_set(err, ERR_USAGE, "--%s has no effect: no sweep of the plan uses ${%s}", axes[a].option,
				       axes[a].variable);
	return 0;
}

static int take_sections(const struct plan_file *plan, const struct options *typed, struct requests *out, struct err *err)
{
	size_t used[AXIS_N] = { 0 };

	for (size_t i = 1; i < plan->sections.n; i++) {
		struct request *r = vec_push(&out->list);

		r->name = mem_strdup(plan->sections.items[i].name);
		plan_file_options(plan, i, typed, &r->opt);
		if (!option_given(&r->opt, "name"))
			option_add(&cmd_sweep, &r->opt, "name", r->name, NULL);
		if (drop_unused(plan, i, &r->opt, used, err))
			return -1;
	}
	return check_used(typed, used, err);
}

/* Each table would take the place of the one before it. */
static int check_outputs(const struct requests *r, struct err *err)
{
	for (size_t i = 0; i < r->list.n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *a = option(&r->list.items[k].opt, "output"), *b = option(&r->list.items[i].opt, "output");

			if (a && b && !strcmp(a, b) && strcmp(a, "-") != 0)
				return err_set(err, ERR_USAGE, "sweeps '%s' and '%s' both write to '%s': give each an 'output' of its own",
					       r->list.items[k].name, r->list.items[i].name, a);
		}
	return 0;
}

/* Consent that names no disk is for those of the plan: whoever typed others looked at them, but maybe not into the plan. */
static int check_consent(const struct options *typed, const struct requests *r, struct err *err)
{
	if (!option_given(typed, "dev") || option_given(typed, "write-ok"))
		return 0;
	for (size_t i = 0; i < r->list.n; i++)
		for (size_t k = 0; k < r->list.items[i].opt.given.n; k++) {
			const struct option_value *v = &r->list.items[i].opt.given.items[k];

			if (!strcmp(v->row->name, "write-ok") && !*v->value)
				return err_set(err, ERR_USAGE, "sweep '%s': 'write-ok = yes' of the plan is not for a disk that is typed: type "
							       "--write-ok too, or name the disk in the plan (write-ok = %s)",
					       r->list.items[i].name, option(typed, "dev"));
		}
	return 0;
}

static int take_plan(const struct options *typed, struct requests *out, struct err *err)
{
	static const char *const of_one[] = { "name", "output" };
	struct plan_file plan;
	const char *budget;
	int bad;

	if (plan_file_load(&cmd_sweep, option(typed, "plan"), &plan, err))
		return -1;
	budget = plan_file_common(&plan, "budget");
	if (budget && !out->budget)
		out->budget = mem_strdup(budget);
	bad = take_sections(&plan, typed, out, err) || check_consent(typed, out, err);
	plan_file_release(&plan);
	for (size_t i = 0; !bad && out->list.n > 1 && i < ARRAY_LEN(of_one); i++)
		if (option_given(typed, of_one[i]))
			return err_set(err, ERR_USAGE, "--%s is for one sweep, the plan has %zu: say it in a section of the plan",
				       of_one[i], out->list.n);
	return bad || check_outputs(out, err) ? -1 : 0;
}

int requests_make(const struct options *typed, struct requests *out, struct err *err)
{
	*out = (struct requests){ .budget = mem_strdup(option(typed, "budget")) };
	if (!option_given(typed, "plan"))
		take_options(typed, out);
	else if (take_plan(typed, out, err))
		return -1;
	if (!out->budget)
		return 0;
	if (units_parse_duration(out->budget, &out->budget_ns, err))
		return err_context(err, "--budget");
	out->deadline_ns = now_monotonic_ns() + (int64_t)out->budget_ns;
	return 0;
}

static void forget_setup(struct request *r)
{
	if (r->setup)
		setup_release(r->setup);
	free(r->setup);
	r->setup = NULL;
}

struct setup *request_setup(struct request *r, struct err *err)
{
	if (r->setup)
		return r->setup;
	r->setup = mem_alloc(1, sizeof(*r->setup));
	if (setup_make(&r->opt, NULL, r->setup, err))
		forget_setup(r);
	return r->setup;
}

void requests_release(struct requests *r)
{
	for (size_t i = 0; i < r->list.n; i++) {
		free(r->list.items[i].name);
		options_release(&r->list.items[i].opt);
		forget_setup(&r->list.items[i]);
	}
	vec_free(&r->list);
	free(r->budget);
}

/* One sweep has no use for more shards than rows; of a plan the small ones are in some shards only. */
static int check_shard(const struct request *r, const struct setup *setup, bool of_several, struct err *err)
{
	size_t n = shard_count_rows(&setup->plan);

	if (!setup->too_many_shards || of_several)
		return 0;
	return err_set(err, ERR_USAGE, "--shard %s: the plan has only %zu row%s", option(&r->opt, "shard"), n, n == 1 ? "" : "s");
}

static void mark_elsewhere(struct request *r, const struct setup *setup)
{
	size_t n = shard_count_rows(&setup->plan);

	r->elsewhere = setup->too_many_shards && !setup->plan.cells.n;
	if (r->elsewhere)
		say("sweep '%s': left out, its %zu row%s in other shards than %s", r->name, n, n == 1 ? " is" : "s are",
		    option(&r->opt, "shard"));
}

static int check(struct request *r, bool of_several, struct err *err)
{
	struct setup *setup = NULL;
	int bad = output_check(&r->opt, err) || side_check_name(option(&r->opt, "name"), err) ||
		  !(setup = request_setup(r, err)) || output_check(&setup->options, err) ||
		  foresee_axes(&r->opt, setup, err) || check_shard(r, setup, of_several, err);

	if (!bad)
		mark_elsewhere(r, setup);
	return bad && r->name ? err_context(err, "sweep '%s'", r->name) : bad ? -1 : 0;
}

int requests_check(struct requests *r, struct err *err)
{
	bool some = false;

	for (size_t i = 0; i < r->list.n; i++) {
		if (check(&r->list.items[i], r->list.n > 1, err) && (r->list.n == 1 || err->kind == ERR_USAGE))
			return -1;
		some |= !r->list.items[i].elsewhere;
		/* until it is its turn, or to fit the budget, it may become another */
		if (r->list.n > 1 || r->budget)
			forget_setup(&r->list.items[i]);
	}
	return some ? 0 : err_set(err, ERR_USAGE, "nothing of the plan is in this shard: it has too few rows for so many");
}

/* ---- what there is time for ---- */

static void measure(const struct setup *s, struct budget_part *part)
{
	uint64_t *row_ns = mem_alloc(setup_count_rows(s), sizeof(*row_ns));

	*part = (struct budget_part){ .runs = s->plan.runs,
				      .runs_min = s->plan.runs_min ? s->plan.runs_min : BUDGET_LEAST_RUNS,
				      .n_rows = setup_count_rows(s),
				      .canaries = s->scenario.plain,
				      .row_ns = row_ns };
	if (part->runs_min > part->runs)
		part->runs_min = part->runs;
	for (size_t i = 0; i < part->n_rows; i++)
		row_ns[i] = setup_row_ns(s, i);
}

/* Instead of what was given of that name. */
static void replace_option(struct options *opt, const char *name, const char *value)
{
	for (size_t i = 0; i < opt->given.n; i++)
		if (!strcmp(opt->given.items[i].row->name, name)) {
			free(opt->given.items[i].value);
			opt->given.items[i].value = mem_strdup(value);
			return;
		}
	option_add(&cmd_sweep, opt, name, value, NULL);
}

static void lower_runs(struct request *r, const struct setup *s, const struct budget_part *part, struct str *note)
{
	AUTOFREE char *range = mem_printf("%u..%u", s->plan.runs_min, part->fit_runs);
	AUTOFREE char *number = mem_printf("%u", part->fit_runs);

	replace_option(&r->opt, "runs", s->plan.runs_min ? range : number);
	str_addf(note, "%u runs instead of %u", part->fit_runs, part->runs);
}

static void leave_rows_out(struct request *r, const struct setup *s, const struct budget_part *part, struct str *note)
{
	const char *given = option(&r->opt, "skip-rows");
	AUTOFREE char *number = mem_printf("%zu", (given ? strtoul(given, NULL, 10) : 0) + part->n_rows - part->fit_rows);
	AUTOSTR struct str first = { 0 };

	replace_option(&r->opt, "skip-rows", number);
	setup_describe_row(s, &s->plan.cells.items[part->fit_rows * s->plan.variants.n], &first);
	str_addf(note, "%sleft out: the last %zu of %zu rows, %s and behind it", note->len ? "; " : "",
		 part->n_rows - part->fit_rows, part->n_rows, str_text(&first));
}

/* Behind what was given as note. */
static void add_note(struct options *opt, const char *text)
{
	const char *given = option(opt, "note");
	AUTOFREE char *note = mem_printf("%s%s%s", given ? given : "", given && *given ? "; " : "", text);

	replace_option(opt, "note", note);
}

static void cut(struct request *r, const struct setup *s, const struct budget_part *part, const char *budget)
{
	AUTOSTR struct str what = { 0 };
	AUTOFREE char *note = NULL;

	r->left_out = part->n_rows && !part->fit_rows;
	/* of the only one the error tells */
	if (r->left_out && !r->name)
		return;
	if (r->left_out) {
		str_add(&what, "left out");
	} else {
		if (part->fit_runs < part->runs)
			lower_runs(r, s, part, &what);
		if (part->fit_rows < part->n_rows)
			leave_rows_out(r, s, part, &what);
	}
	if (!what.len)
		return;
	note = mem_printf("--budget %s: %s", budget, str_text(&what));
	say("%s%s%s%s", r->name ? "sweep '" : "", r->name ? r->name : "", r->name ? "', " : "", note);
	add_note(&r->opt, note);
}

/* Whoever looks at one sweep of the night later sees what there was no time for besides. */
static int note_left_out(struct requests *r, struct err *err)
{
	AUTOSTR struct str names = { 0 };
	bool some = false;

	for (size_t i = 0; i < r->list.n; i++) {
		some |= !r->list.items[i].left_out && !r->list.items[i].elsewhere;
		if (r->list.items[i].left_out)
			str_addf(&names, "%s%s", names.len ? ", " : "no time for ",
				 r->list.items[i].name ? r->list.items[i].name : "it");
	}
	if (!some)
		return err_set(err, ERR_USAGE, "--budget %s is not enough for one row of the first sweep", r->budget);
	for (size_t i = 0; names.len && i < r->list.n; i++)
		if (!r->list.items[i].left_out)
			add_note(&r->list.items[i].opt, str_text(&names));
	return 0;
}

int requests_fit(struct requests *r, struct err *err)
{
	struct budget_part *parts;
	struct setup *setups;
	struct err why;

	if (!r->budget)
		return 0;
	parts = mem_alloc(r->list.n, sizeof(*parts));
	setups = mem_alloc(r->list.n, sizeof(*setups));
	for (size_t i = 0; i < r->list.n; i++)
		if (!r->list.items[i].elsewhere && !setup_make(&r->list.items[i].opt, NULL, &setups[i], &why))
			measure(&setups[i], &parts[i]);
	budget_fit(parts, r->list.n, r->budget_ns);
	for (size_t i = 0; i < r->list.n; i++) {
		if (parts[i].row_ns)
			cut(&r->list.items[i], &setups[i], &parts[i], r->budget);
		free(parts[i].row_ns);
		setup_release(&setups[i]);
	}
	free(parts);
	free(setups);
	return note_left_out(r, err);
}
