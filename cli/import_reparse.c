// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/import_file.h"
#include "cli/outcome.h"
#include "db/import.h"
#include "parsers/bundle.h"

/* A run whose output was read again. */
struct reread {
	struct parsed parsed; /* of one actor */
	struct actor_samples alone;
	struct scenario scenario; /* of several, who they are */
	struct outcome outcome;
	struct run_result result;
	char *actor, *state, *reason;
};

/* Runs of one cell. */
struct again {
	VEC(struct reparsed_run) runs;
	VEC(struct reread *) rereads;
};

struct reparse {
	struct store *s;
	const char *workload; /* text of the sweep's: who its actors are; NULL: it has none */
	size_t n_read, n_without, n_refused, n_failed;
};

static void again_release(struct again *a)
{
	for (size_t i = 0; i < a->rereads.n; i++) {
		struct reread *r = a->rereads.items[i];

		parsed_release(&r->parsed);
		outcome_release(&r->outcome);
		run_result_release(&r->result);
		scenario_release(&r->scenario);
		free(r->actor);
		free(r->state);
		free(r->reason);
		free(r);
	}
	vec_free(&a->rereads);
	vec_free(&a->runs);
}

/*
 * Only what its output alone decided can change: a run of ours that failed, was invalid or superseded stays so, for
 * there were other reasons.
 */
static void judge(const struct run_details *d, const char *failed, struct reread *r, struct reparsed_run *out)
{
	bool imported = !strcmp(d->sweep.kind, "import"), ok = !strcmp(d->run.state, "ok");
	bool stays = !ok && !(imported && !strcmp(d->run.state, "failed"));
	const char *reason = stays ? d->run.reason : failed;

	out->state = r->state = mem_strdup(stays ? d->run.state : failed ? "failed" : "ok");
	out->reason = r->reason = mem_strdup(reason);
}

static int read_alone(const struct run_details *d, struct reread *r, struct reparsed_run *out, struct err *err)
{
	const struct parser *which;

	if (parser_read(d->raw, d->raw_len, parser_find(d->run.format), &r->parsed, &which, err))
		return -1;
	r->actor = mem_strdup(d->actors.n ? d->actors.items[0] : "fio");
	r->alone = (struct actor_samples){ r->actor, &r->parsed };
	out->actors = &r->alone;
	out->n_actors = 1;
	judge(d, r->parsed.failed ? r->parsed.reason : NULL, r, out);
	return 0;
}

/* How long a command took is in no output: it stays. */
static int64_t old_startup_ns(const struct run_details *d, const char *actor)
{
	for (size_t i = 0; i < d->samples.n; i++)
		if (d->samples.items[i].metric == metric_find("startup_time") && !strcmp(d->actors.items[i], actor))
			return (int64_t)d->samples.items[i].value;
	return 0;
}

static const struct actor *find_actor(const struct scenario *s, const char *name)
{
	for (size_t i = 0; i < s->actors.n; i++)
		if (!strcmp(s->actors.items[i].name, name))
			return &s->actors.items[i];
	return NULL;
}

/* The result of the run as it was when its actors had ended. */
static int unpack(const struct run_details *d, const struct scenario *s, struct run_result *out, struct err *err)
{
	struct bundle_part part;
	size_t at = 0;

	*out = (struct run_result){ .state = RUN_OK };
	while (bundle_next(d->raw, d->raw_len, &at, &part)) {
		const struct actor *actor = find_actor(s, part.actor);
		struct actor_result *a = vec_push(&out->actors);

		*a = (struct actor_result){ .actor = actor };
		if (!actor)
			return err_set(err, ERR_FAULT, "its workload has no actor '%s'", part.actor);
		str_addn(&a->raw, part.text, part.len);
		a->elapsed_ns = old_startup_ns(d, part.actor);
		a->stopped = actor->role == ACTOR_BACKGROUND;
	}
	return at == d->raw_len ? 0 : err_set(err, ERR_FAULT, "its outputs do not end where they should");
}

/* An output with nothing in it that had something before: better the samples of then. */
static int check_read(const struct run_result *r, const struct outcome *o, struct err *err)
{
	for (size_t i = 0; i < r->actors.n; i++)
		if (r->actors.items[i].actor->parser && !o->parsed.items[i].samples.n && !o->parsed.items[i].failed)
			return err_set(err, ERR_FAULT, "%s", *r->reason ? r->reason : "an actor printed nothing");
	return 0;
}

static int read_bundle(const struct run_details *d, struct reread *r, struct reparsed_run *out, struct err *err)
{
	if (unpack(d, &r->scenario, &r->result, err))
		return -1;
	outcome_read(&r->scenario, &r->result, &r->outcome);
	if (check_read(&r->result, &r->outcome, err))
		return -1;
	out->actors = r->outcome.samples.items;
	out->n_actors = r->outcome.samples.n;
	judge(d, r->result.state == RUN_OK ? NULL : r->result.reason, r, out);
	return 0;
}

/* The actors of a sweep with --command are others than the workload's. */
static int scenario_of(const struct reparse *x, const struct run_details *d, struct scenario *out, struct err *err)
{
	struct workload w;
	int bad;

	workload_from_text("", x->workload ? x->workload : "", &w);
	bad = scenario_parse(&w, out, err);
	workload_release(&w);
	for (size_t i = 0; !bad && i < d->cell.n_axes; i++)
		if (!strcmp(d->cell.axes[i].name, "command"))
			bad = scenario_set_command(out, d->cell.axes[i].value, err);
	return bad;
}

static int read_run(const struct reparse *x, const struct run_details *d, struct reread *r, struct reparsed_run *out,
		    struct err *err)
{
	if (strcmp(d->run.format, BUNDLE_FORMAT) != 0)
		return read_alone(d, r, out, err);
	return scenario_of(x, d, &r->scenario, err) || read_bundle(d, r, out, err) ? -1 : 0;
}

static int read_again(struct reparse *x, const char *uuid, struct again *a, struct err *err)
{
	struct reparsed_run out = { 0 };
	struct run_details d = { 0 };
	struct err refused = { 0 };
	struct reread *r;

	if (store_get_run(x->s, uuid, &d, err))
		return -1;
	r = mem_alloc(1, sizeof(*r));
	*vec_push(&a->rereads) = r;
	out.run = d.run.id;
	if (!d.raw || !d.run.format || (strcmp(d.run.format, BUNDLE_FORMAT) != 0 && !parser_find(d.run.format))) {
		x->n_without++;
	} else if (read_run(x, &d, r, &out, &refused)) {
		/* Refused before too: nothing of it is stored. */
		x->n_failed += d.samples.n == 0;
		x->n_refused += d.samples.n != 0;
		if (d.samples.n)
			say("run '%.8s' stays as it is: %s", d.run.uuid, refused.msg);
	} else {
		*vec_push(&a->runs) = out;
		x->n_read++;
	}
	run_details_release(&d);
	return 0;
}

static int reparse_cell(struct reparse *x, int64_t cell, const run_rows_t *runs, struct err *err)
{
	struct again a = { 0 };
	int bad = 0;

	for (size_t i = 0; !bad && i < runs->n; i++)
		if (runs->items[i].cell == cell)
			bad = read_again(x, runs->items[i].uuid, &a, err);
	bad = bad || (a.runs.n && store_replace_samples(x->s, cell, a.runs.items, a.runs.n, err));
	again_release(&a);
	return bad ? -1 : 0;
}

static int reparse_sweep(struct reparse *x, int64_t sweep, struct err *err)
{
	struct workload_row workload = { 0 };
	cell_rows_t cells = { 0 };
	run_rows_t runs = { 0 };
	int bad = store_list_cells(x->s, sweep, &cells, err) || store_list_runs(x->s, sweep, &runs, err) ||
		  store_get_workload(x->s, sweep, &workload, err);

	x->workload = workload.text;
	for (size_t i = 0; !bad && i < cells.n; i++)
		bad = reparse_cell(x, cells.items[i].id, &runs, err);
	x->workload = NULL;
	free(workload.name);
	free(workload.text);
	cell_rows_release(&cells);
	run_rows_release(&runs);
	return bad ? -1 : 0;
}

int import_reparse(struct store *s, struct err *err)
{
	struct reparse x = { .s = s };
	sweep_rows_t sweeps = { 0 };
	int bad = store_list_sweeps(s, &sweeps, err);

	for (size_t i = 0; !bad && i < sweeps.n; i++)
		bad = reparse_sweep(&x, sweeps.items[i].id, err);
	sweep_rows_release(&sweeps);
	if (bad)
		return -1;
	printf("%zu outputs read again, %zu that cannot be read as before, %zu runs without output%s\n", x.n_read, x.n_failed,
	       x.n_without, x.n_refused ? ", and some refused: see above" : "");
	return x.n_refused ? ERR_FAULT : 0;
}
