// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "db/import.h"
#include "db/series.h"
#include "tests/tap.h"

/* What was measured elsewhere, in the database: whole or not at all. */

static char path[] = "/tmp/iobench-import.XXXXXX";

static struct store *fresh(void)
{
	AUTOFREE char *wal = mem_printf("%s-wal", path), *shm = mem_printf("%s-shm", path);
	struct err err;
	struct store *s;

	unlink(path);
	unlink(wal);
	unlink(shm);
	s = store_open(path, STORE_CREATE, &err);
	if (!s) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return s;
}

static int64_t invocation; /* of the sweep made last */
static int n_stored;	   /* runs of it */

static void sweep_make(struct sweep_row *row)
{
	*row = (struct sweep_row){ .kind = (char *)"import", .name = (char *)"lab", .state = (char *)"done", .started_ns = 1 };
	uuid_new(row->uuid, NULL);
	invocation = 0;
	n_stored = 0;
}

/* A run of one sample; 'twice': of the same sample twice, which the schema refuses. */
static int import_one(struct store *s, struct sweep_row *sweep, const char *hash, const char *variant, double iops,
		      bool twice, struct err *err)
{
	struct axis_value axis = { "pattern", "read" };
	struct cell_row cell = { .key = (char *)variant, .variant = (char *)variant, .state = (char *)"pending", .axes = &axis,
				 .n_axes = 1 };
	struct import_file file = { .path = "x.json", .format = "fio-json" };
	struct run_row run = { .kind = (char *)"measure", .state = (char *)(iops > 0 ? "ok" : "failed"), .raw = "raw",
			       .raw_len = 3, .invocation = invocation, .block = n_stored,
			       .reason = (char *)(iops > 0 ? NULL : "it was cut off") };
	struct parsed parsed = { 0 };
	int rc;

	snprintf(file.hash, sizeof(file.hash), "%s", hash);
	uuid_new(run.uuid, NULL);
	for (int i = 0; iops > 0 && i < (twice ? 2 : 1); i++)
		parsed_add(&parsed, "iops", DIR_ALL, JOB_ALL, iops);
	rc = store_import_run(s, &file, sweep, &cell, "{}", &run, "fio", &parsed, err);
	parsed_release(&parsed);
	if (!rc) {
		invocation = run.invocation;
		n_stored++;
	}
	return rc;
}

static size_t count_sweeps(struct store *s, struct sweep_row *last)
{
	sweep_rows_t rows = { 0 };
	size_t n;

	store_list_sweeps(s, &rows, NULL);
	n = rows.n;
	if (n && last) {
		last->n_cells = rows.items[n - 1].n_cells;
		last->n_done = rows.items[n - 1].n_done;
		last->n_failed = rows.items[n - 1].n_failed;
		last->n_runs_ok = rows.items[n - 1].n_runs_ok;
		last->n_runs_bad = rows.items[n - 1].n_runs_bad;
	}
	sweep_rows_release(&rows);
	return n;
}

static void test_whole_or_nothing(void)
{
	struct store *s = fresh();
	struct sweep_row sweep, seen = { 0 };
	char *where = NULL;
	struct err err = { 0 };

	sweep_make(&sweep);
	ok(import_one(s, &sweep, "a", "cfq", 1, true, &err) == -1 && strstr(err.msg, "'x.json'"), "a sample twice: %s", err.msg);
	is_int(sweep.id, 0, "its sweep is not there");
	is_int((long long)count_sweeps(s, NULL), 0, "nor anything else");
	is_int(store_find_import(s, "a", &where, &err), 0, "nor the file");
	ok(!import_one(s, &sweep, "a", "cfq", 100, false, &err), "a good one");
	ok(sweep.id > 0, "makes the sweep");
	is_int(store_find_import(s, "a", &where, &err), 1, "and is known by its hash");
	is(where, "'x.json' in sweep 'lab'", "where it is");
	free(where);
	ok(import_one(s, &sweep, "a", "cfq", 100, false, &err) == -1, "the same once more is refused");
	ok(!import_one(s, &sweep, "b", "cfq", 300, false, &err), "another run of the cell");
	ok(!import_one(s, &sweep, "c", "cfq", 0, false, &err), "a failed one");
	ok(!import_one(s, &sweep, "d", "bfq", 0, false, &err), "a failed one of another cell");
	is_int((long long)count_sweeps(s, &seen), 1, "one sweep");
	is_int(seen.n_cells, 2, "two cells");
	is_int(seen.n_done, 1, "one has a good run");
	is_int(seen.n_failed, 1, "the other has not");
	is_int(seen.n_runs_ok, 2, "good runs");
	is_int(seen.n_runs_bad, 2, "failed runs");
	store_close(s);
}

static void query(struct store *s, int64_t sweep, const char *metric, struct series_set *set)
{
	const struct metric *m = metric_find(metric);

	store_query_series(s, &(struct series_query){ .sweeps = &sweep, .n_sweeps = 1, .metrics = &m, .n_metrics = 1 }, set, NULL);
}

static void test_series(void)
{
	struct store *s = fresh();
	struct series_set set = { 0 };
	struct sweep_row sweep;
	const struct series *of;

	sweep_make(&sweep);
	import_one(s, &sweep, "a", "cfq", 100, false, NULL);
	import_one(s, &sweep, "b", "cfq", 300, false, NULL);
	import_one(s, &sweep, "c", "cfq", 0, false, NULL);
	import_one(s, &sweep, "d", "bfq", 100, false, NULL);
	query(s, sweep.id, "iops", &set);
	if (!ok(set.list.n == 2 && set.list.items[0].points.n == 2, "series of the good runs"))
		return;
	of = &set.list.items[0];
	ok(of->imported && !of->summary_only, "imported, with its runs");
	ok(of->points.items[0].block != of->points.items[1].block, "each in a block of its own, not to be paired");
	is_int(set.list.items[1].points.items[0].block, 3, "nor with the run of another cell");
	is_int(of->points.items[0].invocation, of->points.items[1].invocation, "of the invocation that imported them");
	series_set_release(&set);
	store_close(s);
}

static void test_published(void)
{
	struct store *s = fresh();
	struct published rows[] = {
		{ .metric = metric_find("iops"), .n = 10, .mean = 17060.3, .stddev = 77.09 },
		{ .metric = metric_find("bw"), .mean = 5, .stddev = NAN },
	};
	struct import_file file = { .hash = "h", .path = "t.tsv", .format = "published" };
	struct published_sweep table = { 0 };
	struct axis_value axis = { "pattern", "read" };
	struct series_set set = { 0 };
	struct err err = { 0 };

	sweep_make(&table.sweep);
	for (int i = 0; i < 2; i++) {
		*vec_push(&table.cells) = (struct cell_row){ .key = (char *)(i ? "b" : "a"), .variant = (char *)(i ? "b" : "a"),
							     .state = (char *)"done", .axes = &axis, .n_axes = 1, .ordinal = i };
		*vec_push(&table.rows) = (struct published_row){ &rows[i], (size_t)i };
	}
	ok(!store_import_tables(s, &file, &table, 1, &err), "a table is stored %s", err.msg);
	query(s, table.sweep.id, "iops", &set);
	/* A cell of which the table gives another metric is not one that lacks its runs. */
	if (ok(set.list.n == 1, "a series for the cell that has it")) {
		const struct series *of = &set.list.items[0];

		ok(of->summary_only && of->imported && !of->points.n, "without runs");
		is_int((long long)of->n, 10, "n");
		is_near(of->mean, 17060.3, 0, "mean");
		is_near(of->stddev, 77.09, 0, "stddev");
		is(of->variant, "a", "variant");
	}
	series_set_release(&set);
	query(s, table.sweep.id, "bw", &set);
	ok(set.list.n == 1 && set.list.items[0].n == 0 && isnan(set.list.items[0].stddev), "what is not given is not there");
	series_set_release(&set);
	/* All of it or nothing. */
	snprintf(file.hash, sizeof(file.hash), "i");
	sweep_make(&table.sweep);
	rows[1].metric = rows[0].metric;
	table.rows.items[1].cell = 0;
	ok(store_import_tables(s, &file, &table, 1, &err) == -1, "a row twice");
	is_int((long long)count_sweeps(s, NULL), 1, "leaves nothing");
	vec_free(&table.cells);
	vec_free(&table.rows);
	store_close(s);
}

static double mean_of(struct store *s, int64_t sweep)
{
	struct series_set set = { 0 };
	double sum = 0;
	size_t n = 0;

	query(s, sweep, "iops", &set);
	for (size_t i = 0; i < set.list.n; i++)
		for (size_t k = 0; k < set.list.items[i].points.n; k++, n++)
			sum += set.list.items[i].points.items[k].value;
	series_set_release(&set);
	return n ? sum / (double)n : NAN;
}

static void test_replace(void)
{
	struct store *s = fresh();
	struct parsed parsed = { 0 };
	struct reparsed_run again[3] = { 0 };
	AUTOSTR struct str problems = { 0 };
	run_rows_t runs = { 0 };
	struct sweep_row sweep;
	const struct actor_samples two[] = { { "fio", &parsed }, { "all", &parsed } };

	sweep_make(&sweep);
	import_one(s, &sweep, "a", "cfq", 100, false, NULL);
	import_one(s, &sweep, "b", "cfq", 300, false, NULL);
	import_one(s, &sweep, "c", "cfq", 0, false, NULL);
	is_near(mean_of(s, sweep.id), 200, 0, "before");
	store_list_runs(s, sweep.id, &runs, NULL);
	parsed_add(&parsed, "iops", DIR_ALL, JOB_ALL, 50);
	for (size_t i = 0; i < 3; i++)
		again[i] = (struct reparsed_run){ .run = runs.items[i].id, .state = i ? "ok" : "failed",
						  .reason = i ? NULL : "so it was", .actors = two, .n_actors = i == 1 ? 2 : 1 };
	ok(!store_replace_samples(s, runs.items[0].cell, again, 3, NULL), "replaced");
	is_near(mean_of(s, sweep.id), 50, 0, "after: of those that are good now");
	run_rows_release(&runs);
	store_list_runs(s, sweep.id, &runs, NULL);
	is(runs.items[0].reason, "so it was", "a reason");
	is(runs.items[2].state, "ok", "a state");
	store_check(s, &problems, NULL);
	is(str_text(&problems), "", "the summary fits");
	run_rows_release(&runs);
	parsed_release(&parsed);
	store_close(s);
}

int main(void)
{
	close(mkstemp(path));
	test_whole_or_nothing();
	test_series();
	test_published();
	test_replace();
	store_close(fresh());
	unlink(path);
	return tap_done();
}
