// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/import_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "cli/import_cell.h"
#include "common/units.h"
#include "db/import.h"

static int sweep_init(struct importer *im, const char *name, struct sweep_row *row, struct err *err)
{
	*row = (struct sweep_row){
		.kind = mem_strdup("import"), .name = mem_strdup(name), .note = mem_strdup(""),
		.command = mem_strdup(im->opt->typed), .state = mem_strdup("done"), .host = mem_strdup(""),
		.devices = mem_strdup(""), .started_ns = now_realtime_ns(), .ended_ns = now_realtime_ns(),
	};
	return uuid_new(row->uuid, err);
}

/* What is known of where the output comes from, as JSON: the caller frees. */
static char *environment_of(const struct parsed *p)
{
	cJSON *json = cJSON_CreateObject();
	char *text, *copy;

	if (p->tool)
		cJSON_AddStringToObject(json, str_starts(p->tool, "fio-") ? "fio.version" : "tool", p->tool);
	text = cJSON_PrintUnformatted(json);
	copy = mem_strdup(text);
	cJSON_free(text);
	cJSON_Delete(json);
	return copy;
}

static int fill_run(const struct input *in, struct run_row *run, struct err *err)
{
	bool refused = in->refused.kind, failed = refused || in->parsed.failed;
	double elapsed_ns = 0;

	parsed_get(&in->parsed, "runtime", DIR_ALL, &elapsed_ns);
	*run = (struct run_row){
		.kind = mem_strdup("measure"),
		.state = mem_strdup(failed ? "failed" : "ok"),
		.reason = mem_strdup(refused ? in->refused.msg : in->parsed.reason),
		.started_ns = in->path ? in->st.st_mtim.tv_sec * NS_PER_S + in->st.st_mtim.tv_nsec : now_realtime_ns(),
		.elapsed_ns = elapsed_ns < 0x1p62 ? (int64_t)elapsed_ns : 0,
		.tool = mem_strdup(in->parsed.tool),
		.format = mem_strdup(in->parser->name),
		.raw = str_text(&in->text),
		.raw_len = in->text.len,
		.frame = in->frame.bytes ? &in->frame : NULL,
		.diagnostics = mem_strdup(in->parsed.diagnostics),
	};
	return uuid_new(run->uuid, err);
}

static const char *axis_of(const struct cell_row *cell, const char *name)
{
	for (size_t i = 0; i < cell->n_axes; i++)
		if (!strcmp(cell->axes[i].name, name))
			return cell->axes[i].value;
	return "";
}

/*
 * What cannot be read does not tell its axes: it stands with the first of its variant and pattern that could be read,
 * or else in a cell of its own.
 */
static int find_company(const struct importer *im, struct cell_row *mine, struct err *err)
{
	cell_rows_t cells = { 0 };

	if (!im->sweep.id)
		return 0;
	if (store_list_cells(im->store, im->sweep.id, &cells, err))
		return -1;
	for (size_t i = 0; i < cells.n; i++)
		if (!strcmp(cells.items[i].variant, mine->variant) &&
		    !strcmp(axis_of(&cells.items[i], "pattern"), axis_of(mine, "pattern"))) {
			struct cell_row found = cells.items[i];

			cells.items[i] = *mine;
			*mine = found;
			break;
		}
	cell_rows_release(&cells);
	return 0;
}

static int store_run(struct importer *im, struct input *in, const struct import_file *file, struct err *err)
{
	const char *name = option(im->opt, "name");
	const char *actor = str_starts(in->parser->name, "fio-") ? "fio" : in->parser->name;
	AUTOFREE char *environment = environment_of(&in->parsed);
	struct run_row run = { 0 };
	int bad = 0;

	if (!im->sweep.kind)
		bad = sweep_init(im, name ? name : "", &im->sweep, err);
	bad = bad || (in->refused.kind && find_company(im, &in->cell, err)) || fill_run(in, &run, err);
	run.invocation = im->invocation;
	run.block = im->n_stored;
	bad = bad || store_import_run(im->store, file, &im->sweep, &in->cell, environment, &run, actor, &in->parsed, err);
	if (!bad) {
		im->invocation = run.invocation;
		im->n_stored++;
	}
	if (!bad && !strcmp(run.state, "failed")) {
		im->n_failed++;
		say("'%s': stored as a failed run: %s", in->name, run.reason);
	} else if (!bad) {
		im->n_read++;
	}
	run_row_release(&run);
	return bad ? -1 : 0;
}

/* Published tables: a sweep a source. */

typedef VEC(struct published_sweep) published_sweeps_t;

static void tables_free(published_sweeps_t *tables)
{
	for (size_t i = 0; i < tables->n; i++) {
		sweep_row_release(&tables->items[i].sweep);
		cell_rows_release(&tables->items[i].cells);
		vec_free(&tables->items[i].rows);
	}
	vec_free(tables);
}

static struct published_sweep *table_of(struct importer *im, const char *source, published_sweeps_t *tables,
					struct err *err)
{
	const char *name = option(im->opt, "name");
	AUTOFREE char *wanted = name && source ? mem_printf("%s %s", name, source) :
						 mem_strdup(name ? name : source ? source : "published");

	for (size_t i = 0; i < tables->n; i++)
		if (!strcmp(tables->items[i].sweep.name, wanted))
			return &tables->items[i];
	return sweep_init(im, wanted, &vec_push(tables)->sweep, err) ? NULL : &tables->items[tables->n - 1];
}

static size_t cell_of(struct published_sweep *t, struct cell_row *cell)
{
	for (size_t i = 0; i < t->cells.n; i++)
		if (!strcmp(t->cells.items[i].key, cell->key)) {
			cell_row_release(cell);
			return i;
		}
	cell->ordinal = (int)t->cells.n;
	*vec_push(&t->cells) = *cell;
	return t->cells.n - 1;
}

static int add_published(struct importer *im, const struct published *row, published_sweeps_t *tables, struct err *err)
{
	struct published_sweep *t = table_of(im, row->source, tables, err);
	struct published_row at = { .row = row };
	struct cell_row cell;

	if (!t)
		return -1;
	import_cell_published(im->opt, row, &cell);
	at.cell = cell_of(t, &cell);
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.items[i].cell == at.cell && t->rows.items[i].row->metric == row->metric &&
		    t->rows.items[i].row->direction == row->direction)
			return err_set(err, ERR_FAULT, "two rows give '%s' of '%s', pattern '%s', jobs '%s'",
				       row->metric->name, row->variant, row->pattern ? row->pattern : "",
				       row->jobs ? row->jobs : "");
	*vec_push(&t->rows) = at;
	return 0;
}

static int store_tables(struct importer *im, const struct input *in, const struct import_file *file, struct err *err)
{
	published_sweeps_t tables = { 0 };
	struct err refused = { 0 };
	int bad = 0;

	for (size_t i = 0; !bad && i < in->parsed.published.n; i++)
		bad = add_published(im, &in->parsed.published.items[i], &tables, &refused);
	if (bad) {
		im->n_failed++;
		say("'%s': %s", in->name, refused.msg);
		tables_free(&tables);
		return 0;
	}
	bad = store_import_tables(im->store, file, tables.items, tables.n, err);
	for (size_t i = 0; !bad && i < tables.n; i++)
		strings_add(&im->tables, tables.items[i].sweep.name);
	im->n_read += !bad;
	tables_free(&tables);
	return bad;
}

/* 1 if there is nothing to do with it, and it was said why. */
static int is_settled(struct importer *im, const struct input *in, struct err *err)
{
	AUTOFREE char *where = NULL;
	int known;

	if (in->fault.kind) {
		*(in->skipped ? &im->n_skipped : &im->n_failed) += 1;
		say("%s", in->fault.msg);
		return 1;
	}
	known = store_find_import(im->store, in->hash, &where, err);
	im->n_known += known > 0;
	/* A folder that grows, imported every night, would tell the same thousands again. */
	if (known > 0 && in->named)
		say("'%s': imported before, as %s", in->name, where);
	return known;
}

static void decline(struct importer *im, const struct input *in, bool named)
{
	if (named) {
		im->n_failed++;
		say("'%s': %s", in->name, in->refused.msg);
	} else {
		im->n_skipped++;
		say("'%s': skipped: no parser knows it (import it alone to see why)", in->name);
	}
}

int import_file(struct importer *im, struct input *in, struct err *err)
{
	struct import_file file = { .path = in->name };
	int settled;

	if (!in->read && !in->fault.kind)
		input_read(in, im->opt, im->forced);
	settled = is_settled(im, in, err);
	if (settled)
		return settled < 0 ? -1 : 0;
	memcpy(file.hash, in->hash, sizeof(file.hash));
	file.format = in->parser ? in->parser->name : NULL;
	if (!in->parser)
		decline(im, in, in->named);
	else if (in->parsed.published.n)
		return store_tables(im, in, &file, err);
	else if (in->refused.kind && !strcmp(in->parser->name, "published"))
		decline(im, in, true);
	else
		return store_run(im, in, &file, err);
	return 0;
}
