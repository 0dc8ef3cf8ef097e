// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/handle.h"
#include "db/schema.h"
#include "db/series.h"
#include "tests/tap.h"

#define ENVIRONMENT "{\"cpufreq.driver\":\"intel_pstate\",\"kernel.release\":\"6.18.1\",\"queue\":{\"nr\":64}}"
#define N_CELLS 3
#define S(text) ((char *)(text)) /* rows that go in only borrow it */

static void must(bool good, const char *what, const struct err *err)
{
	if (good)
		return;
	printf("Bail out! %s: %s\n", what, err->msg);
	exit(1);
}

/* The first column of the first row of a query, by a connection that has nothing to do with ours. */
static int64_t ask(const char *path, const char *sql)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int64_t value = -1;

	sqlite3_open(path, &db);
	sqlite3_busy_timeout(db, STORE_BUSY_MS);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		value = sqlite3_column_int64(st, 0);
	else
		printf("# %s: %s\n", sql, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

static void tell(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *problem = NULL;

	sqlite3_open(path, &db);
	sqlite3_busy_timeout(db, STORE_BUSY_MS);
	if (sqlite3_exec(db, sql, NULL, NULL, &problem) != SQLITE_OK)
		printf("# %s: %s\n", sql, problem);
	sqlite3_free(problem);
	sqlite3_close(db);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

/* A sweep of three cells, ready to take runs. */
struct fixture {
	const char *path;
	struct store *s;
	struct sweep_row sweep;
	struct axis_value axes[N_CELLS][2];
	struct cell_row cells[N_CELLS];
	int64_t environment, invocation;
	int n_runs;
};

static void fixture_sweep(struct fixture *f, const char *name, int64_t started_ns)
{
	static const char *const jobs[N_CELLS] = { "1", "2", "4" };
	static const char *const keys[N_CELLS] = { "bfq/read/1", "bfq/read/2", "bfq/read/4" };
	struct workload_row workload = { S("default"), S("[job]\nrw=${RW}\n") };
	struct err err = { 0 };

	f->sweep = (struct sweep_row){ .name = S(name), .state = S("running"), .seed = 7, .started_ns = started_ns };
	must(!uuid_new(f->sweep.uuid, &err), "uuid", &err);
	for (int i = 0; i < N_CELLS; i++) {
		f->axes[i][0] = (struct axis_value){ "pattern", "read" };
		f->axes[i][1] = (struct axis_value){ "numjobs", jobs[i] };
		f->cells[i] = (struct cell_row){
			.ordinal = i,
			.key = S(keys[i]),
			.variant = S("bfq"),
			.state = S("pending"),
			.axes = f->axes[i],
			.n_axes = 2,
		};
	}
	must(!store_put_sweep(f->s, &f->sweep, &workload, f->cells, N_CELLS, &err) &&
		     !store_put_environment(f->s, ENVIRONMENT, &f->environment, &err) &&
		     !store_put_invocation(f->s, f->sweep.id, "boot", "iobench sweep", &f->invocation, &err),
	     "sweep", &err);
}

static void fixture_open(struct fixture *f, const char *path)
{
	struct err err = { 0 };

	*f = (struct fixture){ .path = path, .s = store_open(path, STORE_CREATE, &err) };
	must(f->s, "open", &err);
	fixture_sweep(f, "night", 1000);
}

static struct run_row a_run(struct fixture *f, int cell, int block)
{
	struct run_row run = {
		.cell = f->cells[cell].id,
		.environment = f->environment,
		.invocation = f->invocation,
		.block = block,
		.position = cell,
		.kind = S("measure"),
		.state = S("ok"),
		.started_ns = 5000 + f->n_runs++,
		.requested = S("{\"scheduler\":\"bfq\"}"),
		.format = S("fio-json"),
		.raw = "{\"jobs\":[]}",
		.raw_len = 11,
	};
	struct err err = { 0 };

	must(!uuid_new(run.uuid, &err), "uuid", &err);
	return run;
}

/* Bandwidth of the run as a whole and of two jobs, and a metric that is not kept for jobs. */
static void a_result(struct parsed *out, double bw)
{
	for (int direction = DIR_ALL; direction <= DIR_READ; direction++) {
		for (int job = 0; job < 2; job++)
			parsed_add(out, "bw", (enum direction)direction, job, bw / 2 + job);
		parsed_add(out, "bw", (enum direction)direction, JOB_ALL, bw);
	}
	parsed_add(out, "usr_cpu", DIR_ALL, 0, 4.5);
	parsed_add(out, "usr_cpu", DIR_ALL, JOB_ALL, bw / 1000);
}

static int put(struct fixture *f, struct run_row *run, double bw, struct err *err)
{
	struct parsed parsed = { 0 };
	int rc;

	a_result(&parsed, bw);
	rc = store_put_run(f->s, run, "fio", &parsed, NULL, 0, err);
	parsed_release(&parsed);
	return rc;
}

static void put_ok(struct fixture *f, int cell, int block, double bw)
{
	struct run_row run = a_run(f, cell, block);
	struct err err = { 0 };

	must(!put(f, &run, bw, &err), "put", &err);
}

static const struct metric *bw;
static const char *const bad_states[] = { "failed", "invalid", "interrupted", "superseded" };

static void query(struct fixture *f, struct series_query q, struct series_set *out)
{
	struct err err = { 0 };

	if (!q.sweeps) {
		q.sweeps = &f->sweep.id;
		q.n_sweeps = 1;
	}
	*out = (struct series_set){ 0 };
	must(!store_query_series(f->s, &q, out, &err), "query", &err);
}

static void test_schema(void)
{
	struct err err = { 0 };
	struct store *s = store_open("schema.db", STORE_CREATE, &err);

	must(s, "open", &err);
	is(store_path(s), "schema.db", "path as given");
	is_int(ask("schema.db", "PRAGMA application_id"), 0x696f626e, "application_id is ours");
	is_int(ask("schema.db", "PRAGMA user_version"), schema_n_steps, "user_version is the number of migrations");
	is_int(ask("schema.db", "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND schema = 'main' "
				"AND name NOT LIKE 'sqlite_%' AND NOT strict"),
	       0, "every table is STRICT");
	ok(ask("schema.db", "SELECT count(*) FROM pragma_table_list WHERE strict") >= 17, "tables are there");
	is_int(ask("schema.db", "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1, "WAL");
	is_int(access("schema.db-wal", F_OK), 0, "the -wal file is there while it is open");
	{
		sqlite3_stmt *st = NULL;

		sqlite3_prepare_v2(s->db, "SELECT (SELECT synchronous FROM pragma_synchronous) * 10 + "
					  "(SELECT foreign_keys FROM pragma_foreign_keys)", -1, &st, NULL);
		sqlite3_step(st);
		is_int(sqlite3_column_int(st, 0), 21, "synchronous=FULL, foreign keys on");
		sqlite3_finalize(st);
	}
	store_close(s);
	ok(access("schema.db-wal", F_OK), "a closed database is one file");
	if (symlink("schema.db", "link.db"))
		exit(1);
	s = store_open("link.db", STORE_CREATE, &err);
	ok(s, "a database that is there opens with STORE_CREATE, also behind a link: %s", err.msg);
	store_close(s);
}

static void refused(const char *path, enum store_mode mode, const char *part, const char *what)
{
	struct err err = { 0 };
	struct store *s = store_open(path, mode, &err);

	ok(!s && err.kind == ERR_NEEDS, "refused with 'needs not met': %s", what);
	has(err.msg, part, what);
	has(err.msg, path, "the message names the database");
	store_close(s);
}

static void test_refusals(void)
{
	AUTOSTR struct str text = { 0 };
	struct err err = { 0 };
	struct store *s;

	refused("absent.db", STORE_READ, "No such file", "absent, to read");
	refused("absent.db", STORE_WRITE, "No such file", "absent, to write");
	ok(access("absent.db", F_OK), "it was not created");
	refused("no/folder.db", STORE_CREATE, "No such file", "folder absent");
	write_file("short.txt", "hello\n");
	for (int mode = STORE_CREATE; mode <= STORE_READ; mode++)
		refused("short.txt", (enum store_mode)mode, "not a database", "a short text file");
	while (text.len < 20000)
		str_addf(&text, "line %zu of a text that is longer than a page\n", text.len);
	write_file("long.txt", str_text(&text));
	for (int mode = STORE_CREATE; mode <= STORE_READ; mode++)
		refused("long.txt", (enum store_mode)mode, "not a database", "a long text file");
	str_clear(&text);
	must(!file_slurp("short.txt", &text, &err), "read back", &err);
	is(str_text(&text), "hello\n", "the text file is as it was");
	mkdir("folder.db", 0755);
	mkfifo("pipe.db", 0644);
	for (int mode = STORE_CREATE; mode <= STORE_READ; mode++) {
		refused("folder.db", (enum store_mode)mode, "not a regular file", "a folder");
		refused("/dev/null", (enum store_mode)mode, "not a regular file", "a device");
		refused("pipe.db", (enum store_mode)mode, "not a regular file", "a pipe");
	}

	tell("other.db", "CREATE TABLE bookmark (url TEXT)");
	refused("other.db", STORE_CREATE, "another program", "tables of another program");
	tell("foreign.db", "PRAGMA application_id = 252006673");
	refused("foreign.db", STORE_CREATE, "0xf055111", "application_id of another program (Fossil)");
	is_int(ask("other.db", "SELECT count(*) FROM sqlite_schema"), 1, "nothing was added to it");
	is_int(ask("other.db", "SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1,
	       "nor was its journal mode changed");

	s = store_open("newer.db", STORE_CREATE, &err);
	must(s, "open", &err);
	store_close(s);
	tell("newer.db", "PRAGMA user_version = 99");
	for (int mode = STORE_CREATE; mode <= STORE_READ; mode++)
		refused("newer.db", (enum store_mode)mode, "schema 99", "a newer schema");
	refused("newer.db", STORE_READ, schema_n_steps == 1 ? "up to 1;" : "up to", "our own version is named too");
}

static void test_migration(void)
{
	struct err err = { 0 };
	struct store *s;

	write_file("empty.db", "");
	refused("empty.db", STORE_READ, "is empty", "an empty file, to read");
	s = store_open("empty.db", STORE_WRITE, &err);
	ok(s, "an empty file is migrated from version 0: %s", err.msg);
	store_close(s);
	is_int(ask("empty.db", "PRAGMA user_version"), schema_n_steps, "to the newest version");
	s = store_open("empty.db", STORE_READ, &err);
	ok(s, "and can be read then");
	store_close(s);

	/* A step that fails in its middle: a table of the first migration is there already. */
	tell("half.db", "PRAGMA application_id = 0x696f626e; CREATE TABLE sample (x)");
	s = store_open("half.db", STORE_WRITE, &err);
	ok(!s, "a migration that cannot be made is an error");
	has(err.msg, "sample already exists", "it says why");
	is_int(ask("half.db", "SELECT count(*) FROM sqlite_schema"), 1, "nothing of the failed step is left");
	is_int(ask("half.db", "PRAGMA user_version"), 0, "and the version is as before");
	refused("half.db", STORE_READ, "is empty", "it is not taken for a whole database");

	s = store_open(":memory:", STORE_CREATE, &err);
	ok(s && !access("./:memory:", F_OK), "':memory:' is a file like any other");
	store_close(s);
}

static void compare_sweeps(const struct sweep_row *got, const struct sweep_row *want)
{
	is_int(got->id, want->id, "sweep: id");
	is(got->uuid, want->uuid, "sweep: uuid");
	is(got->name, want->name, "sweep: name");
	is(got->note, want->note, "sweep: note");
	is(got->command, want->command, "sweep: command");
	is(got->plan, want->plan, "sweep: plan");
	ok(got->seed == want->seed, "sweep: seed");
	is(got->state, want->state, "sweep: state");
	is(got->host, want->host, "sweep: host");
	is(got->devices, want->devices, "sweep: devices");
	is_int(got->started_ns, want->started_ns, "sweep: started");
	is_int(got->ended_ns, want->ended_ns, "sweep: ended");
}

static void compare_cells(const struct cell_row *got, const struct cell_row *want)
{
	is_int(got->id, want->id, "cell: id");
	is_int(got->ordinal, want->ordinal, "cell: ordinal");
	is(got->key, want->key, "cell: key");
	is(got->variant, want->variant, "cell: variant");
	is(got->state, want->state, "cell: state");
	is(got->reason, want->reason, "cell: reason");
	is_int((long long)got->n_axes, (long long)want->n_axes, "cell: number of axes");
	for (size_t i = 0; i < want->n_axes && got->n_axes == want->n_axes; i++) {
		is(got->axes[i].name, want->axes[i].name, "cell: name of axis");
		is(got->axes[i].value, want->axes[i].value, "cell: value of axis");
	}
}

static void compare_runs(const struct run_row *got, const struct run_row *want)
{
	is_int(got->id, want->id, "run: id");
	is(got->uuid, want->uuid, "run: uuid");
	is_int(got->cell, want->cell, "run: cell");
	is_int(got->environment, want->environment, "run: environment");
	is_int(got->invocation, want->invocation, "run: invocation");
	is_int(got->block, want->block, "run: block");
	is_int(got->position, want->position, "run: position");
	is_int(got->attempt, want->attempt, "run: attempt");
	is(got->kind, want->kind, "run: kind");
	is(got->state, want->state, "run: state");
	is(got->reason, want->reason, "run: reason");
	is_int(got->started_ns, want->started_ns, "run: started");
	is_int(got->elapsed_ns, want->elapsed_ns, "run: elapsed");
	ok(got->randseed == want->randseed, "run: randseed");
	is(got->requested, want->requested, "run: requested settings");
	is(got->effective, want->effective, "run: effective settings");
	is(got->counters, want->counters, "run: counters");
	is(got->command, want->command, "run: command");
	is_int(got->exit_status, want->exit_status, "run: exit status");
	is(got->tool, want->tool, "run: tool");
	is(got->format, want->format, "run: format");
	is(got->diagnostics, want->diagnostics, "run: diagnostics");
}

static void compare_raw(const struct run_details *got, const struct run_row *want)
{
	is_int((long long)got->raw_len, (long long)want->raw_len, "raw: length");
	ok(!want->raw == !got->raw, "raw: there or not");
	if (want->raw && got->raw && got->raw_len == want->raw_len) {
		ok(!memcmp(got->raw, want->raw, want->raw_len), "raw: every byte");
		is_int(got->raw[got->raw_len], 0, "raw: a NUL behind it");
	}
}

/* Samples of all sorts; what is kept of them is checked below. */
static void parse_all_sorts(struct parsed *p)
{
	parsed_add(p, "bw", DIR_READ, 0, 1.5);
	parsed_add(p, "bw", DIR_READ, 1, 2.5);
	parsed_add(p, "usr_cpu", DIR_ALL, 0, 3.5); /* not kept for jobs */
	parsed_add(p, "bw", DIR_READ, JOB_ALL, 4.0);
	parsed_add(p, "bw", DIR_WRITE, JOB_ALL, 0.0);
	parsed_add(p, "clat_p99.95", DIR_READ, JOB_ALL, 1e15 + 0.5);
	parsed_add(p, "iops", DIR_ALL, JOB_ALL, 1);
	p->samples.items[p->samples.n - 1].value = NAN;
	parsed_add(p, "iops", DIR_READ, JOB_ALL, 1);
	p->samples.items[p->samples.n - 1].value = -INFINITY;
	parsed_add(p, "disk_util", DIR_ALL, JOB_ALL, 50);
	p->samples.items[p->samples.n - 1].device = mem_strdup("sda");
	parsed_add(p, "disk_util", DIR_ALL, JOB_ALL, 75);
	p->samples.items[p->samples.n - 1].device = mem_strdup("sdb");
}

static const struct sample *find_sample(const struct run_details *d, const char *metric, enum direction direction,
					int job, const char *device)
{
	for (size_t i = 0; i < d->samples.n; i++) {
		const struct sample *s = &d->samples.items[i];

		if (s->metric == metric_find(metric) && s->direction == direction && s->job == job &&
		    !strcmp(s->device ? s->device : "", device))
			return s;
	}
	return NULL;
}

static void check_all_sorts(const struct run_details *d)
{
	static const struct {
		const char *metric, *device;
		enum direction direction;
		int job;
		double value;
	} want[] = {
		{ "bw", "", DIR_READ, 0, 1.5 },		    { "bw", "", DIR_READ, 1, 2.5 },
		{ "bw", "", DIR_READ, JOB_ALL, 4 },	    { "bw", "", DIR_WRITE, JOB_ALL, 0 },
		{ "clat_p99.95", "", DIR_READ, JOB_ALL, 1e15 + 0.5 },
		{ "disk_util", "sda", DIR_ALL, JOB_ALL, 50 }, { "disk_util", "sdb", DIR_ALL, JOB_ALL, 75 },
	};

	is_int((long long)d->samples.n, ARRAY_LEN(want), "samples: no NaN, no infinity, no job where none is kept");
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct sample *s = find_sample(d, want[i].metric, want[i].direction, want[i].job, want[i].device);

		ok(s && s->value == want[i].value, "sample %s%s of job %d, exactly", want[i].metric, want[i].device,
		   want[i].job);
	}
}

static void check_stored(const char *path, const struct sweep_row *sweep, const struct cell_row *cells,
			 const struct run_row *runs)
{
	struct err err = { 0 };
	struct store *s = store_open(path, STORE_READ, &err);
	cell_rows_t got_cells = { 0 };
	sweep_rows_t sweeps = { 0 };
	run_rows_t got_runs = { 0 };
	struct workload_row workload;

	must(s, "open to read", &err);
	ok(!store_list_sweeps(s, &sweeps, &err) && sweeps.n == 1, "one sweep is listed: %s", err.msg);
	compare_sweeps(&sweeps.items[0], sweep);
	is_int(sweeps.items[0].n_cells, 2, "counts: cells");
	is_int(sweeps.items[0].n_failed, 1, "counts: failed cells");
	is_int(sweeps.items[0].n_runs_ok, 0, "counts: good runs; a canary is none");
	is_int(sweeps.items[0].n_runs_bad, 1, "counts: bad runs");
	ok(!store_list_cells(s, sweep->id, &got_cells, &err) && got_cells.n == 2, "two cells are listed: %s", err.msg);
	compare_cells(&got_cells.items[0], &cells[1]);
	compare_cells(&got_cells.items[1], &cells[0]);
	ok(!store_list_runs(s, sweep->id, &got_runs, &err) && got_runs.n == 2, "two runs are listed: %s", err.msg);
	for (int i = 0; i < 2; i++) {
		struct run_details d = { 0 };

		compare_runs(&got_runs.items[i], &runs[i]);
		must(!store_get_run(s, runs[i].uuid, &d, &err), "get run", &err);
		compare_runs(&d.run, &runs[i]);
		compare_raw(&d, &runs[i]);
		compare_sweeps(&d.sweep, sweep);
		compare_cells(&d.cell, &cells[i]);
		is(d.environment, ENVIRONMENT, "environment of the run");
		is_int((long long)d.warnings.n, i ? 0 : 2, "number of warnings");
		if (!i) {
			is(d.warnings.items[0].code, "W-SHORT", "warning: code");
			is(d.warnings.items[1].text, "it's late", "warning: text");
			check_all_sorts(&d);
		} else {
			is_int((long long)d.samples.n, 0, "a run without output has no samples");
		}
		run_details_release(&d);
	}
	ok(!store_get_workload(s, sweep->id, &workload, &err), "workload: %s", err.msg);
	is(workload.name, "mine.fio", "workload: name");
	is(workload.text, "[job]\nrw=${RW}\n", "workload: text");
	free(workload.name);
	free(workload.text);
	sweep_rows_release(&sweeps);
	cell_rows_release(&got_cells);
	run_rows_release(&got_runs);
	store_close(s);
}

static void test_round_trip(void)
{
	static const char raw[] = "fio: \xff\0 noise\n{\"jobs\":[]}\n\0\0";
	struct axis_value axes[] = { { "pattern", "read" }, { "numjobs", "8" }, { "bs_bytes", "4096" } };
	struct cell_row cells[] = {
		{ .ordinal = 1, .key = S("k1"), .variant = S("bfq:slice_idle=0"), .state = S("failed"),
		  .reason = S("no such tunable"), .axes = axes, .n_axes = 3 },
		{ .ordinal = 0, .key = S("k0"), .variant = S("none"), .state = S("pending") },
	};
	struct sweep_row sweep = {
		.name = S("nächtlich"), .note = S("a; DROP TABLE run"), .command = S("iobench sweep"),
		.plan = S("{\"runs\":10}"), .seed = UINT64_MAX - 5, .state = S("interrupted"), .host = S("box"),
		.devices = S("/dev/sdb"), .started_ns = 1700000000123456789, .ended_ns = 1700000001000000000,
	};
	struct warning_row warnings[] = { { S("W-SHORT"), S("run too short") }, { S("W-LATE"), S("it's late") } };
	struct run_row runs[] = {
		{ .block = 3, .position = 2, .attempt = 1, .kind = S("measure"), .state = S("failed"),
		  .reason = S("signal 9"), .started_ns = 1700000000200000000, .elapsed_ns = 10330000000,
		  .randseed = UINT64_MAX, .exit_status = 9, .requested = S("{\"a\":1}"), .effective = S("{\"a\":2}"),
		  .counters = S("{\"reads\":3}"), .command = S("fio x.fio"), .tool = S("fio-3.33"),
		  .format = S("fio-json"), .raw = raw, .raw_len = sizeof(raw) - 1, .diagnostics = S("fio: \xc3\xa4") },
		{ .kind = S("canary"), .state = S("ok") },
	};
	struct parsed parsed = { 0 };
	struct err err = { 0 };
	struct store *s = store_open("round.db", STORE_CREATE, &err);

	must(s, "open", &err);
	must(!uuid_new(sweep.uuid, &err) && !uuid_new(runs[0].uuid, &err) && !uuid_new(runs[1].uuid, &err), "uuid",
	     &err);
	ok(!store_put_sweep(s, &sweep, &(struct workload_row){ S("mine.fio"), S("[job]\nrw=${RW}\n") }, cells, 2, &err),
	   "put sweep: %s", err.msg);
	ok(sweep.id > 0 && cells[0].id > 0 && cells[1].id > 0 && cells[0].id != cells[1].id, "ids are filled in");
	for (int i = 0; i < 2; i++) {
		ok(!store_put_environment(s, ENVIRONMENT, &runs[i].environment, &err), "put environment: %s", err.msg);
		ok(!store_put_invocation(s, sweep.id, "boot", "iobench resume", &runs[i].invocation, &err),
		   "put invocation: %s", err.msg);
		runs[i].cell = cells[i].id;
	}
	is_int(runs[0].environment, runs[1].environment, "the same environment is the same row");
	ok(runs[0].invocation != runs[1].invocation, "another invocation is another row");
	parse_all_sorts(&parsed);
	ok(!store_put_run(s, &runs[0], "fio", &parsed, warnings, 2, &err), "put run: %s", err.msg);
	ok(!store_put_run(s, &runs[1], "fio", NULL, NULL, 0, &err), "put a run of which nothing is known: %s", err.msg);
	ok(runs[0].id > 0 && runs[1].id > runs[0].id, "ids of runs are filled in");
	is_int(ask("round.db", "SELECT count(*) FROM summary"), 0, "neither enters a mean");
	store_close(s);
	check_stored("round.db", &sweep, cells, runs);
	parsed_release(&parsed);
}

static void test_raw_sizes(void)
{
	static const size_t sizes[] = { 0, 1, 3000000 };
	struct fixture f;

	fixture_open(&f, "raw.db");
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTOFREE char *raw = mem_alloc(sizes[i] + 1, 1);
		struct run_row run = a_run(&f, 0, 1);
		struct run_details d = { 0 };
		struct err err = { 0 };
		unsigned x = 1;

		for (size_t k = 0; k < sizes[i]; k++)
			raw[k] = (char)((x = x * 1103515245 + 12345) >> 16);
		run.raw = raw;
		run.raw_len = sizes[i];
		must(!put(&f, &run, 1, &err) && !store_get_run(f.s, run.uuid, &d, &err), "put and get", &err);
		compare_raw(&d, &run);
		run_details_release(&d);
	}
	store_close(f.s);
}

static void test_damaged_raw(void)
{
	static const char *const damages[] = {
		"UPDATE raw SET zstd = substr(zstd, 1, length(zstd) - 1)",
		"UPDATE raw SET bytes = 4000000000000",
		"UPDATE raw SET zstd = zeroblob(20)",
		"UPDATE raw SET zstd = cast(substr(zstd, 1, length(zstd) - 1) || x'00' AS BLOB)", /* the checksum */
	};

	for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
		AUTOFREE char *path = mem_printf("damaged%zu.db", i);
		struct run_details d = { 0 };
		struct err err = { 0 };
		struct run_row run;
		struct fixture f;

		fixture_open(&f, path);
		run = a_run(&f, 0, 1);
		must(!put(&f, &run, 1, &err), "put", &err);
		tell(path, damages[i]);
		ok(store_get_run(f.s, run.uuid, &d, &err) && strstr(err.msg, "damaged"), "found: %s", damages[i]);
		ok(!d.run.state && !d.raw, "nothing is given out");
		store_close(f.s);
	}
}

/* SQLite's PRAGMA synchronous of this connection: 2 waits for the disk at every commit, 1 does not. */
static int waits(struct store *s)
{
	sqlite3_stmt *st = NULL;
	int level = -1;

	if (sqlite3_prepare_v2(s->db, "PRAGMA synchronous", -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		level = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return level;
}

/* Of calls that were joined all are there, or none. */
static void test_joined(void)
{
	struct fixture f;
	struct err err = { 0 };
	int64_t id;

	fixture_open(&f, "joined.db");
	ok(!store_join(f.s, &err) && !store_put_environment(f.s, "{\"a\":1}", &id, &err), "begin to join: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 1, "others do not see the first of them alone");
	is_int(waits(f.s), 1, "nobody waits for the disk");
	ok(!store_put_environment(f.s, "{\"a\":2}", &id, &err) && !store_join_end(f.s, false, &err), "end it: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 3, "but then both");
	is_int(waits(f.s), 2, "but what is stored next does");

	ok(!store_join(f.s, &err) && !store_put_environment(f.s, "{\"a\":3}", &id, &err), "join again: %s", err.msg);
	ok(store_put_environment(f.s, "no JSON", &id, &err) && store_join_end(f.s, false, &err), "one fails: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 3, "and takes the others with it");
	is_int(waits(f.s), 2, "also then");
	ok(!store_join(f.s, &err) && !store_put_environment(f.s, "{\"a\":3}", &id, &err), "join once more: %s", err.msg);
	ok(store_join_end(f.s, true, &err), "who joined them fails");
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 3, "and takes them with it");
	ok(!store_put_environment(f.s, "{\"a\":3}", &id, &err), "behind it all is as ever: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 4, "a call is a transaction");
	store_close(f.s);
}

static void test_content_is_shared(void)
{
	struct fixture f;

	fixture_open(&f, "shared.db");
	put_ok(&f, 0, 1, 100);
	fixture_sweep(&f, "night", 2000);
	put_ok(&f, 0, 1, 100);
	is_int(ask(f.path, "SELECT count(*) FROM cell"), 2 * N_CELLS, "a cell a sweep");
	is_int(ask(f.path, "SELECT count(*) FROM config"), N_CELLS, "the same configuration is one row for all nights");
	is_int(ask(f.path, "SELECT count(*) FROM config_axis"), 2 * N_CELLS, "and its axes are there once");
	is_int(ask(f.path, "SELECT count(*) FROM environment"), 1, "the same environment is one row");
	is_int(ask(f.path, "SELECT count(*) FROM settings"), 1, "the same settings are one row");
	is_int(ask(f.path, "SELECT count(*) FROM workload"), 1, "the same workload is one row");
	is_int(ask(f.path, "SELECT count(*) FROM metric"), 2, "a metric is one row");
	store_close(f.s);
}

static void test_bad_rows(void)
{
	struct parsed twice = { 0 };
	struct err err = { 0 };
	struct fixture f;
	struct run_row run;
	int64_t id;

	fixture_open(&f, "bad.db");
	run = a_run(&f, 0, 1);
	run.cell = 12345;
	ok(put(&f, &run, 1, &err), "a run of no cell is refused");
	has(err.msg, "FOREIGN KEY", "by the foreign key");
	has(err.msg, run.uuid, "the run is named");
	run = a_run(&f, 0, 1);
	run.state = S("fine");
	ok(put(&f, &run, 1, &err), "a state that there is not is refused");
	run = a_run(&f, 0, 1);
	parsed_add(&twice, "bw", DIR_ALL, JOB_ALL, 1);
	parsed_add(&twice, "bw", DIR_ALL, JOB_ALL, 2);
	ok(store_put_run(f.s, &run, "fio", &twice, NULL, 0, &err), "the same number twice is refused");
	has(err.msg, "'bw'", "and named");
	is_int(run.id, 0, "it has no id");
	is_int(ask(f.path, "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM run_detail) + "
			   "(SELECT count(*) FROM raw) + (SELECT count(*) FROM sample) + (SELECT count(*) FROM metric)"),
	       0, "nothing is left of a run that was refused");
	ok(!put(&f, &run, 1, &err), "the next one is stored, its metrics too: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM sample JOIN metric ON metric.id = metric"), 7, "with its samples");
	ok(put(&f, &run, 1, &err), "the same uuid again is refused");
	ok(store_put_environment(f.s, "{\"half\":", &id, &err), "an environment that is not JSON is refused");
	run = a_run(&f, 1, 1);
	ok(!put(&f, &run, 1, &err), "and another run is stored after all that: %s", err.msg);
	f.cells[1].key = f.cells[0].key;
	must(!uuid_new(f.sweep.uuid, &err), "uuid", &err);
	ok(store_put_sweep(f.s, &f.sweep, NULL, f.cells, N_CELLS, &err), "a plan with the same cell twice is refused");
	has(err.msg, f.cells[0].key, "and the cell is named");
	is_int(ask(f.path, "SELECT count(*) FROM sweep"), 1, "nothing of it is stored");
	ok(store_set_cell_state(f.s, 999, "done", NULL, &err) && strstr(err.msg, "no cell"), "a cell that is not there");
	ok(store_set_sweep_state(f.s, 999, "done", 1, &err) && strstr(err.msg, "no sweep"), "a sweep that is not there");
	parsed_release(&twice);
	store_close(f.s);
}

static void test_states(void)
{
	struct sweep_row sweep = { 0 };
	cell_rows_t cells = { 0 };
	struct err err = { 0 };
	struct fixture f;
	struct run_row run;

	fixture_open(&f, "states.db");
	ok(!store_set_cell_state(f.s, f.cells[0].id, "done", NULL, &err), "cell done");
	ok(!store_set_cell_state(f.s, f.cells[1].id, "pending", "cfq is not offered", &err), "cell pending, and why");
	ok(!store_set_sweep_state(f.s, f.sweep.id, "done", 4711, &err), "sweep done");
	put_ok(&f, 0, 1, 1);
	put_ok(&f, 0, 2, 1);
	for (int i = 0; i < 3; i++) {
		run = a_run(&f, 1, 1);
		run.state = S(bad_states[i]);
		must(!put(&f, &run, 1, &err), "put", &err);
	}
	must(!store_find_sweep(f.s, "last", &sweep, &err), "find", &err);
	is(sweep.state, "done", "state of the sweep");
	is_int(sweep.ended_ns, 4711, "end of the sweep");
	is_int(sweep.n_cells, 3, "cells");
	is_int(sweep.n_done, 1, "cells done");
	is_int(sweep.n_pending, 2, "cells pending");
	is_int(sweep.n_failed, 0, "cells failed");
	is_int(sweep.n_runs_ok, 2, "good runs");
	is_int(sweep.n_runs_bad, 3, "bad runs");
	must(!store_list_cells(f.s, f.sweep.id, &cells, &err), "list", &err);
	is(cells.items[0].state, "done", "state of the cell");
	is(cells.items[1].reason, "cfq is not offered", "reason of the cell");
	is(cells.items[2].axes[1].value, "4", "axes go to the right cell");
	cell_rows_release(&cells);
	sweep_row_release(&sweep);
	store_close(f.s);
}

static void found(struct fixture *f, const char *text, const char *uuid)
{
	struct sweep_row row = { 0 };
	struct err err = { 0 };

	ok(!store_find_sweep(f->s, text, &row, &err), "'%s' is found: %s", text, err.msg);
	is(row.uuid, uuid, text);
	sweep_row_release(&row);
}

static void not_found(struct fixture *f, const char *text, const char *part)
{
	struct sweep_row row = { 0 };
	struct err err = { 0 };

	ok(store_find_sweep(f->s, text, &row, &err) && err.kind == ERR_USAGE, "'%s' is a usage error", text);
	has(err.msg, part, text);
}

static void test_find_sweep(void)
{
	static const char *const uuids[] = {
		"aaaa1111-0000-4000-8000-000000000000", "aaaa2222-0000-4000-8000-000000000000",
		"beef3333-0000-4000-8000-000000000000", "cccc4444-0000-4000-8000-000000000000",
	};
	static const char *const names[] = { "nightly", NULL, "nightly", "aaaa" };
	static const int64_t started[] = { 30, 10, 20, 40 }; /* after a merge, ids are not in the order of time */
	struct fixture f = { .path = "find.db" };
	struct run_details d = { 0 };
	sweep_rows_t rows = { 0 };
	struct err err = { 0 };

	f.s = store_open(f.path, STORE_CREATE, &err);
	must(f.s, "open", &err);
	not_found(&f, "last", "no sweep 'last'");
	for (size_t i = 0; i < ARRAY_LEN(uuids); i++) {
		struct sweep_row row = { .name = S(names[i]), .state = S("done"), .started_ns = started[i] };

		memcpy(row.uuid, uuids[i], UUID_TEXT);
		must(!store_put_sweep(f.s, &row, NULL, NULL, 0, &err), "put", &err);
	}
	found(&f, "last", uuids[3]);
	found(&f, "last~0", uuids[3]);
	found(&f, "last~1", uuids[0]);
	found(&f, "last~3", uuids[1]);
	not_found(&f, "last~4", "no sweep 'last~4'");
	not_found(&f, "last~x", "no sweep 'last~x'");
	not_found(&f, "lastly", "no sweep 'lastly'");
	found(&f, "nightly", uuids[0]);
	found(&f, "beef", uuids[2]);
	found(&f, "b", uuids[2]);
	found(&f, "aaaa1", uuids[0]);
	found(&f, uuids[1], uuids[1]);
	found(&f, "aaaa", uuids[3]); /* the name wins */
	not_found(&f, "aaa", uuids[0]);
	not_found(&f, "aaa", uuids[1]);
	not_found(&f, "aaa", "(nightly)");
	not_found(&f, "", "no sweep ''");
	not_found(&f, "%", "no sweep '%'");
	not_found(&f, "aaaa1111-0000-4000-8000-0000000000000", "no sweep");
	must(!store_list_sweeps(f.s, &rows, &err), "list", &err);
	is_int((long long)rows.n, 4, "all are listed");
	is(rows.items[0].uuid, uuids[1], "oldest first");
	is(rows.items[3].uuid, uuids[3], "newest last");
	ok(store_get_run(f.s, "", &d, &err) && err.kind == ERR_USAGE, "no run has no id");
	ok(store_get_run(f.s, "abc", &d, &err) && err.kind == ERR_USAGE, "a run that is not there is a usage error");
	sweep_rows_release(&rows);
	store_close(f.s);
}

static void test_ambiguous_run(void)
{
	struct run_details d = { 0 };
	struct err err = { 0 };
	struct fixture f;

	fixture_open(&f, "ambiguous.db");
	for (int i = 0; i < 9; i++) {
		struct run_row run = a_run(&f, 0, i);

		memcpy(run.uuid, "feed", 4);
		run.uuid[4] = (char)('0' + i);
		must(!put(&f, &run, 1, &err), "put", &err);
	}
	ok(store_get_run(f.s, "feed", &d, &err) && err.kind == ERR_USAGE, "an id that many runs start with is refused");
	has(err.msg, ", ...;", "not all of them are listed");
	ok(!store_get_run(f.s, "feed7", &d, &err), "one more letter makes it clear");
	is_int(d.run.block, 7, "it is the right one");
	run_details_release(&d);
	store_close(f.s);
}

/* Mean and sum of squared deviations in two passes over the points that a query gives. */
static void check_summary(struct fixture *f, int cell, const char *what)
{
	long double sum = 0, squares = 0;
	double low = INFINITY, high = -INFINITY;
	struct series_set set;
	sqlite3_stmt *st;
	size_t n = 0;

	query(f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_READ }, &set);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < set.list.n; i++)
			for (size_t k = 0; k < set.list.items[i].points.n; k++) {
				double value = set.list.items[i].points.items[k].value;

				if (set.list.items[i].cell != f->cells[cell].id)
					break;
				if (!pass) {
					sum += value;
					n++;
				} else {
					squares += (value - sum / n) * (value - sum / n);
					low = fmin(low, value);
					high = fmax(high, value);
				}
			}
	series_set_release(&set);
	sqlite3_prepare_v2(f->s->db, "SELECT n, mean, m2, min, max FROM summary JOIN metric ON metric.id = metric "
				     "WHERE cell = ?1 AND name = 'bw' AND direction = 1", -1, &st, NULL);
	sqlite3_bind_int64(st, 1, f->cells[cell].id);
	if (!n) {
		ok(sqlite3_step(st) == SQLITE_DONE, "%s: no summary", what);
	} else if (ok(sqlite3_step(st) == SQLITE_ROW, "%s: a summary", what)) {
		is_int(sqlite3_column_int64(st, 0), (long long)n, "summary: n");
		is_near(sqlite3_column_double(st, 1), (double)(sum / n), 1e-14, "summary: mean");
		is_near(sqlite3_column_double(st, 2), (double)squares, 1e-7, "summary: m2");
		ok(sqlite3_column_double(st, 3) == low && sqlite3_column_double(st, 4) == high, "summary: min and max");
		ok(sqlite3_step(st) == SQLITE_DONE, "one row");
	}
	sqlite3_finalize(st);
}

/* Supersede all runs of a sweep in a block. */
static int supersede(const struct fixture *f, int64_t sweep, int block, struct err *err)
{
	run_rows_t runs = { 0 };
	VEC(int64_t) ids = { 0 };
	int bad = store_list_runs(f->s, sweep, &runs, err);

	for (size_t i = 0; i < runs.n; i++)
		if (runs.items[i].block == block)
			*vec_push(&ids) = runs.items[i].id;
	bad = bad || store_supersede_runs(f->s, ids.items, ids.n, err);
	vec_free(&ids);
	run_rows_release(&runs);
	return bad;
}

static void test_summaries(void)
{
	struct err err = { 0 };
	int64_t before;
	struct fixture f;

	fixture_open(&f, "summary.db");
	/* A large mean with a small spread: sums of squares would lose every digit of it. */
	for (int block = 1; block <= 10; block++)
		for (int cell = 0; cell < 2; cell++)
			put_ok(&f, cell, block, 1e9 + (block * 37 % 11) / 8.0 + cell);
	for (int i = 0; i < 4; i++) {
		struct run_row run = a_run(&f, 0, 11);

		run.kind = S(i == 3 ? "canary" : "measure");
		run.state = S(i == 3 ? "ok" : bad_states[i]);
		must(!put(&f, &run, 5e9, &err), "put", &err);
	}
	check_summary(&f, 0, "ten runs and some that do not count");
	check_summary(&f, 2, "no runs");
	is_int(ask(f.path, "SELECT count(*) FROM summary"), 2 * 3, "none for jobs, one for each metric and direction");
	before = ask(f.path, "SELECT count(*) FROM run");
	ok(!supersede(&f, f.sweep.id, 4, &err), "supersede a block: %s", err.msg);
	is_int(ask(f.path, "SELECT count(*) FROM run"), before, "the runs stay");
	is_int(ask(f.path, "SELECT count(*) FROM run WHERE state = 'superseded' AND block = 4"), 2, "marked");
	is_int(ask(f.path, "SELECT count(*) FROM run WHERE state = 'superseded'"), 2, "those of other blocks are not");
	check_summary(&f, 0, "after superseding");
	check_summary(&f, 1, "after superseding, the other cell");
	put_ok(&f, 0, 4, 1e9 + 5);
	check_summary(&f, 0, "run again");
	is_int(ask(f.path, "SELECT n FROM summary WHERE direction = 1 ORDER BY cell LIMIT 1"), 10, "ten again");

	fixture_sweep(&f, "other", 3000);
	put_ok(&f, 0, 1, 5);
	ok(!supersede(&f, f.sweep.id, 1, &err), "supersede all there is: %s", err.msg);
	check_summary(&f, 0, "nothing left");
	is_int(ask(f.path, "SELECT count(*) FROM run WHERE state = 'superseded'"), 3,
	       "the other sweep's block 1 is untouched");
	store_close(f.s);
}

static void test_environments(void)
{
	struct series_set set;
	struct err err = { 0 };
	struct fixture f;

	fixture_open(&f, "environments.db");
	put_ok(&f, 0, 1, 10);
	must(!store_put_environment(f.s, "{\"kernel.release\":\"5.10.0\",\"cpufreq.driver\":null}", &f.environment,
				    &err), "environment", &err);
	put_ok(&f, 0, 2, 20);
	query(&f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_READ }, &set);
	is_int((long long)set.list.n, 2 + 2, "a series for each environment of a cell");
	is(set.list.items[0].kernel, "6.18.1", "kernel of the first");
	is(set.list.items[0].cpufreq_driver, "intel_pstate", "its cpufreq driver");
	is(set.list.items[1].kernel, "5.10.0", "kernel of the second");
	is(set.list.items[1].cpufreq_driver, NULL, "which has no cpufreq");
	ok(set.list.items[1].points.n == 1 && set.list.items[1].points.items[0].value == 20, "each has its own points");
	is_int(ask(f.path, "SELECT count(*) FROM summary"), 2 * 3, "summaries are by environment");
	series_set_release(&set);
	store_close(f.s);
}

static void check_point(const struct series *s, size_t i, int block, double value)
{
	ok(i < s->points.n && s->points.items[i].block == block && s->points.items[i].value == value,
	   "point %zu is of block %d, value %g", i, block, value);
}

static void test_series(void)
{
	const struct metric *metrics[] = { metric_find("usr_cpu"), bw };
	struct series_set set;
	struct err err = { 0 };
	struct fixture f;

	fixture_open(&f, "series.db");
	for (int block = 3; block >= 1; block--)
		put_ok(&f, 0, block, block * 100);
	put_ok(&f, 2, 1, 7);
	must(!store_set_cell_state(f.s, f.cells[1].id, "failed", "EBUSY", &err), "state", &err);

	query(&f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_READ }, &set);
	must(set.list.n == 3, "one series a cell, also for the one without runs", &err);
	for (int i = 0; i < 3; i++) {
		const struct series *s = &set.list.items[i];

		is_int(s->cell, f.cells[i].id, "in the order of the plan");
		is_int(s->sweep, f.sweep.id, "series: sweep");
		is(s->sweep_name, "night", "series: name of the sweep");
		is(s->variant, "bfq", "series: variant");
		is(series_axis(s, "numjobs"), f.axes[i][1].value, "series: axis");
		is(s->axes.items[0].name, "pattern", "series: axes in their order");
		is(series_axis(s, "governor"), NULL, "an axis that it does not have");
		ok(s->metric == bw && s->direction == DIR_READ && s->job == JOB_ALL, "series: of what");
		is(s->device, NULL, "series: not of a device");
		ok(!s->summary_only && isnan(s->mean) && isnan(s->stddev), "series: not an imported table");
	}
	is(set.list.items[0].kernel, "6.18.1", "series: kernel");
	is(set.list.items[0].cpufreq_driver, "intel_pstate", "series: cpufreq driver");
	is(set.list.items[0].actor, "fio", "series: actor");
	is(set.list.items[0].state, "pending", "series: state of the cell");
	is_int((long long)set.list.items[0].points.n, 3, "series: points");
	check_point(&set.list.items[0], 0, 1, 100); /* stored last */
	check_point(&set.list.items[0], 2, 3, 300);
	is_int(set.list.items[0].points.items[0].started_ns, 5002, "point: when");
	is_int(set.list.items[0].points.items[0].invocation, f.invocation, "point: of which invocation");
	is_int(set.list.items[0].points.items[0].run, 3, "point: of which run");
	is_int(set.list.items[0].environment, f.environment, "series: environment");
	is_int(set.list.items[1].environment, 0, "no run: no environment");
	is_int((long long)set.list.items[1].points.n, 0, "no run: no points");
	is(set.list.items[1].state, "failed", "no run: state");
	is(set.list.items[1].reason, "EBUSY", "no run: reason");
	is(set.list.items[1].actor, "fio", "no run: actor as of the others");
	is(set.list.items[1].kernel, NULL, "no run: no kernel");
	series_set_release(&set);

	query(&f, (struct series_query){ .metrics = metrics, .n_metrics = 2, .direction = DIR_ALL }, &set);
	is_int((long long)set.list.n, 6, "two metrics");
	ok(set.list.items[0].metric == metrics[0] && set.list.items[1].metric == bw, "in the order asked for");
	ok(set.list.items[2].metric == metrics[0] && set.list.items[3].metric == bw, "also for the cell without runs");
	series_set_release(&set);

	query(&f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_READ, .every_job = true },
	      &set);
	is_int((long long)set.list.n, 3 + 1 + 3, "every job: the run as a whole and two jobs; one where there is no run");
	is_int(set.list.items[0].job, JOB_ALL, "the whole first");
	is_int(set.list.items[2].job, 1, "then the jobs");
	check_point(&set.list.items[2], 1, 2, 101);
	series_set_release(&set);

	query(&f, (struct series_query){ .every_direction = true }, &set);
	is_int((long long)set.list.n, 3 * 3, "every metric and direction, also for the cell without runs");
	series_set_release(&set);

	query(&f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_TRIM }, &set);
	is_int((long long)set.list.n, 1, "a direction that no run has: only the cell without runs");
	ok(set.list.items[0].direction == DIR_TRIM && set.list.items[0].cell == f.cells[1].id, "under that direction");
	series_set_release(&set);

	metrics[0] = metric_find("clat_p99.99");
	query(&f, (struct series_query){ .metrics = metrics, .n_metrics = 1, .every_direction = true }, &set);
	is_int((long long)set.list.n, 1, "a metric that was never stored");
	ok(set.list.items[0].direction == DIR_ALL && !*set.list.items[0].actor, "nothing is known of it");
	series_set_release(&set);
	store_close(f.s);
}

static void test_series_of_sweeps(void)
{
	struct series_set set;
	int64_t sweeps[2];
	struct fixture f;

	fixture_open(&f, "sweeps.db");
	for (int cell = 0; cell < N_CELLS; cell++)
		put_ok(&f, cell, 1, 10 + cell);
	sweeps[1] = f.sweep.id;
	fixture_sweep(&f, NULL, 2000);
	for (int cell = 0; cell < N_CELLS; cell++)
		put_ok(&f, cell, 1, 20 + cell);
	sweeps[0] = f.sweep.id;
	query(&f, (struct series_query){ .sweeps = sweeps, .n_sweeps = 2, .metrics = &bw, .n_metrics = 1,
					 .direction = DIR_READ }, &set);
	is_int((long long)set.list.n, 6, "both sweeps");
	check_point(&set.list.items[0], 0, 1, 20);
	check_point(&set.list.items[5], 0, 1, 12);
	ok(!strncmp(set.list.items[0].sweep_name, f.sweep.uuid, 8) && strlen(set.list.items[0].sweep_name) == 8,
	   "in the order given: the one without a name first, called by the start of its uuid");
	series_set_release(&set);
	query(&f, (struct series_query){ .sweeps = sweeps, .n_sweeps = 0, .metrics = &bw, .n_metrics = 1 }, &set);
	is_int((long long)set.list.n, 0, "no sweeps, no series");
	series_set_release(&set);
	store_close(f.s);
}

static void test_actors_and_devices(void)
{
	struct parsed parsed = { 0 };
	struct series_set set;
	struct err err = { 0 };
	const struct metric *util = metric_find("disk_util");
	struct fixture f;
	struct run_row run;

	fixture_open(&f, "actors.db");
	parse_all_sorts(&parsed);
	run = a_run(&f, 0, 1);
	must(!store_put_run(f.s, &run, "victim", &parsed, NULL, 0, &err), "put", &err);
	run = a_run(&f, 0, 2);
	must(!store_put_run(f.s, &run, "aggressor", &parsed, NULL, 0, &err), "put", &err);
	query(&f, (struct series_query){ .metrics = &util, .n_metrics = 1 }, &set);
	is_int((long long)set.list.n, 3 * 2 * 2, "a series for each actor and device");
	is(set.list.items[0].actor, "victim", "the first actor");
	is(set.list.items[0].device, "sda", "and the first device");
	is(set.list.items[3].actor, "aggressor", "the last actor");
	is(set.list.items[3].device, "sdb", "and the last device");
	is(set.list.items[7].device, "sdb", "cells without runs have the same");
	check_point(&set.list.items[3], 0, 2, 75);
	is_int((long long)set.list.items[3].points.n, 1, "which did not get the points of the others");
	series_set_release(&set);
	parsed_release(&parsed);
	store_close(f.s);
}

static void test_what_counts(void)
{
	struct warning_row warning = { .text = S("of a run") };
	struct parsed parsed = { 0 };
	struct series_set set;
	struct err err = { 0 };
	struct fixture f;

	fixture_open(&f, "counts.db");
	a_result(&parsed, 100);
	for (int i = 0; i < 7; i++) {
		struct run_row run = a_run(&f, 0, i);

		run.kind = S(i == 5 ? "canary" : "measure");
		run.state = S(i >= 1 && i <= 4 ? bad_states[i - 1] : "ok");
		warning.code = S(i == 0 || i == 6 ? "W-GOOD" : "W-BAD");
		must(!store_put_run(f.s, &run, "fio", &parsed, &warning, 1, &err), "put", &err);
	}
	warning.code = S("W-OLD");
	must(!store_set_cell_warnings(f.s, f.cells[1].id, &warning, 1, &err), "warn of a cell", &err);
	warning.code = S("W-CELL");
	must(!store_set_cell_warnings(f.s, f.cells[1].id, &warning, 1, &err), "warn again, instead", &err);
	query(&f, (struct series_query){ .metrics = &bw, .n_metrics = 1, .direction = DIR_READ }, &set);
	is_int((long long)set.list.items[0].points.n, 2, "only good runs of kind 'measure' count");
	check_point(&set.list.items[0], 0, 0, 100);
	check_point(&set.list.items[0], 1, 6, 100);
	is_int((long long)set.warnings.n, 2, "warnings: those of cells and of runs that count, each once");
	is(set.warnings.items[0], "W-CELL", "warning of a cell");
	is(set.warnings.items[1], "W-GOOD", "warning of a run");
	series_set_release(&set);
	parsed_release(&parsed);
	store_close(f.s);
}

/* A database of three years must not be read through for one sweep: no statement may walk along a large table. */
static void test_plans(void)
{
	static const char *const large[] = { "run", "sample", "cell", "raw", "run_detail", "summary", "warning",
					     "config", "config_axis", "environment", "settings" };
	struct err err = { 0 };
	struct store *s = store_open("schema.db", STORE_READ, &err);

	must(s, "open", &err);
	for (int i = 0; i < SQL_WHOLE; i++) {
		AUTOFREE char *sql = mem_printf("EXPLAIN QUERY PLAN %s", sql_text[i]);
		AUTOSTR struct str bad = { 0 };
		sqlite3_stmt *st = NULL;

		if (!ok(sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) == SQLITE_OK, "statement %d is good SQL", i))
			printf("# %s: %s\n", sql_text[i], sqlite3_errmsg(s->db));
		while (st && sqlite3_step(st) == SQLITE_ROW) {
			const char *step = (const char *)sqlite3_column_text(st, 3);

			/* a kernel is named in no other place, and environments are as few as nights */
			if ((i == SQL_KERNELS || i == SQL_SWEEP_BY_KERNEL) && !strcmp(step, "SCAN environment"))
				continue;
			for (size_t k = 0; str_starts(step, "SCAN ") && k < ARRAY_LEN(large); k++)
				if (str_starts(step + 5, large[k]) && strchr(" ", step[5 + strlen(large[k])]))
					str_add(&bad, step); /* the whole name: strchr() finds the NUL too */
		}
		ok(!bad.len, "no walk along a table in: %.70s %s", sql_text[i], str_text(&bad));
		sqlite3_finalize(st);
	}
	store_close(s);
}

/* Children. What they find out comes back in memory that is shared. */
struct finding {
	int64_t n_stored;
	bool opened, failed, again;
	struct err err, err_open;
};

static struct finding *finding;

static pid_t start(void (*fn)(void *arg), void *arg)
{
	pid_t pid;

	memset(finding, 0, sizeof(*finding));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		fn(arg);
		_exit(0);
	}
	return pid;
}

static int finish(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void put_until_killed(void *arg)
{
	int *fd = arg;
	struct fixture f;

	fixture_open(&f, "killed.db");
	for (int block = 1;; block++)
		for (int cell = 0; cell < N_CELLS; cell++) {
			struct run_row run = a_run(&f, cell, block);
			struct err err = { 0 };

			must(!put(&f, &run, block, &err), "put", &err);
			if (write(*fd, run.uuid, UUID_TEXT - 1) != UUID_TEXT - 1)
				_exit(1);
		}
}

/* One child, killed after 'us'. Reports are appended to 'reported'. */
static bool kill_one(unsigned us, strings_t *reported)
{
	char uuid[UUID_TEXT] = "";
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		exit(1);
	pid = start(put_until_killed, &fds[1]);
	close(fds[1]);
	usleep(us);
	kill(pid, SIGKILL);
	status = finish(pid);
	while (read(fds[0], uuid, UUID_TEXT - 1) == UUID_TEXT - 1)
		strings_add(reported, uuid);
	close(fds[0]);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static size_t count_missing(const char *path, const strings_t *uuids)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	size_t missing = 0;

	sqlite3_open(path, &db);
	sqlite3_prepare_v2(db, "SELECT 1 FROM run WHERE uuid = ?1", -1, &st, NULL);
	for (size_t i = 0; i < uuids->n; i++) {
		sqlite3_bind_text(st, 1, uuids->items[i], -1, SQLITE_STATIC);
		missing += sqlite3_step(st) != SQLITE_ROW;
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return missing;
}

static void check_whole(const char *path)
{
	is_int(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1, "integrity check");
	is_int(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0, "foreign key check");
	is_int(ask(path, "SELECT count(*) FROM run WHERE (SELECT count(*) FROM sample WHERE run = run.id) <> 7 "
			 "OR NOT EXISTS (SELECT 1 FROM raw WHERE run = run.id) "
			 "OR NOT EXISTS (SELECT 1 FROM run_detail WHERE run = run.id)"),
	       0, "no run is there in part");
	is_int(ask(path, "SELECT count(*) FROM cell WHERE (SELECT count(*) FROM run WHERE cell = cell.id) <> "
			 "ifnull((SELECT n FROM summary WHERE cell = cell.id LIMIT 1), 0)"),
	       0, "summaries count the runs that are there");
}

static void test_kill(void)
{
	AUTOSTRINGS strings_t reported = { 0 };
	unsigned x = 12345, killed = 0;
	int64_t n_runs;

	for (int i = 0; i < 20; i++) {
		x = x * 1103515245 + 12345;
		killed += kill_one(3000 + (x >> 8) % 150000, &reported);
		ok(!count_missing("killed.db", &reported), "kill %d: all %zu runs reported so far are there", i, reported.n);
		is_int(ask("killed.db", "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1,
		       "integrity check");
	}
	is_int(killed, 20, "all were killed at work");
	ok(reported.n > 10, "%zu runs were reported by then", reported.n);
	n_runs = ask("killed.db", "SELECT count(*) FROM run");
	ok(n_runs >= (int64_t)reported.n && n_runs <= (int64_t)reported.n + 20,
	   "at most one run a kill was not reported");
	check_whole("killed.db");
}

#define CREATORS 8

static void create(void *arg)
{
	struct err err = { 0 };
	struct store *s = store_open(arg, STORE_CREATE, &err);

	must(s, "create", &err);
	store_close(s);
}

static void test_creators(void)
{
	int good = 0;

	for (int i = 0; i < 30; i++) {
		AUTOFREE char *path = mem_printf("created%d.db", i);
		pid_t pids[CREATORS];

		for (int k = 0; k < CREATORS; k++)
			pids[k] = start(create, path);
		for (int k = 0; k < CREATORS; k++)
			good += finish(pids[k]) == 0;
	}
	is_int(good, 30 * CREATORS, "several processes can create one database at once");
}

#define WRITERS 4
#define RUNS_EACH 50

/* Creates the database too: all start at once on a file that is not there. */
static void write_some(void *arg)
{
	struct fixture f;

	(void)arg;
	fixture_open(&f, "writers.db");
	for (int i = 0; i < RUNS_EACH; i++)
		put_ok(&f, i % N_CELLS, i, i);
	store_close(f.s);
}

static void test_writers(void)
{
	pid_t pids[WRITERS];
	int good = 0;

	for (int i = 0; i < WRITERS; i++)
		pids[i] = start(write_some, NULL);
	for (int i = 0; i < WRITERS; i++)
		good += finish(pids[i]) == 0;
	is_int(good, WRITERS, "several writers create and fill one database at once");
	is_int(ask("writers.db", "SELECT count(*) FROM run"), WRITERS * RUNS_EACH, "all runs are there");
	is_int(ask("writers.db", "SELECT count(*) FROM sweep"), WRITERS, "and all sweeps");
	is_int(ask("writers.db", "SELECT count(*) FROM config"), N_CELLS, "of the same configurations");
	is_int(ask("writers.db", "SELECT count(*) FROM metric"), 2, "and metrics");
	check_whole("writers.db");
}

static void test_read_while_written(void)
{
	struct series_set set;
	struct err err = { 0 };
	struct fixture f, r;

	fixture_open(&f, "both.db");
	put_ok(&f, 0, 1, 1);
	r = f;
	r.s = store_open("both.db", STORE_READ, &err);
	must(r.s, "open to read", &err);
	query(&r, (struct series_query){ .metrics = &bw, .n_metrics = 1 }, &set);
	is_int((long long)set.list.items[0].points.n, 1, "a reader sees what is stored");
	series_set_release(&set);
	put_ok(&f, 0, 2, 2);
	query(&r, (struct series_query){ .metrics = &bw, .n_metrics = 1 }, &set);
	is_int((long long)set.list.items[0].points.n, 2, "and what is stored later");
	series_set_release(&set);
	ok(store_set_sweep_state(r.s, f.sweep.id, "done", 1, &err) && err.kind == ERR_NEEDS, "and cannot write");
	has(err.msg, "read-only", "it says so");
	store_close(r.s);
	store_close(f.s);
}

static void test_locked(void)
{
	struct err err = { 0 };
	sqlite3 *other = NULL;
	struct fixture f;
	struct run_row run;

	fixture_open(&f, "locked.db");
	sqlite3_open("locked.db", &other);
	sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	sqlite3_busy_timeout(f.s->db, 20); /* rather than 10 s */
	run = a_run(&f, 0, 1);
	ok(put(&f, &run, 1, &err) && err.kind == ERR_NEEDS, "a database that another process has locked");
	has(err.msg, "locked", "is said to be");
	has(err.msg, "'locked.db'", "and named");
	sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
	ok(!put(&f, &run, 1, &err), "stored when it is free again");
	sqlite3_close(other);
	store_close(f.s);
}

static void check_fault(struct fixture *f, const char *part)
{
	struct run_row run = a_run(f, 0, 2);
	struct err err = { 0 };

	ok(put(f, &run, 1, &err) && err.kind == ERR_FAULT, "refused to go on");
	has(err.msg, part, "with the reason");
	has(err.msg, f->path, "and the name");
	ok(!run.id, "the run counts as not stored");
	store_close(f->s);
}

static void test_deleted(void)
{
	struct fixture f;

	fixture_open(&f, "deleted.db");
	put_ok(&f, 0, 1, 1);
	unlink("deleted.db");
	check_fault(&f, "deleted or replaced");
	fixture_open(&f, "deleted-wal.db");
	put_ok(&f, 0, 1, 1);
	unlink("deleted-wal.db-wal");
	check_fault(&f, "deleted or replaced");
	fixture_open(&f, "replaced.db");
	put_ok(&f, 0, 1, 1);
	write_file("new.db", "");
	rename("new.db", "replaced.db");
	check_fault(&f, "deleted or replaced");
}

static void put_beyond_limit(void *arg)
{
	struct rlimit limit = { 1000000, RLIM_INFINITY };
	struct fixture f;

	(void)arg;
	fixture_open(&f, "limit.db");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 1000 && !finding->failed; i++) {
		struct run_row run = a_run(&f, 0, i);

		finding->failed = put(&f, &run, 1, &finding->err);
		finding->n_stored += !finding->failed;
	}
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	put_ok(&f, 1, 1, 1);
	finding->again = true;
	store_close(f.s);
}

static void test_io_error(void)
{
	is_int(finish(start(put_beyond_limit, NULL)), 0, "child ends by itself");
	ok(finding->failed && finding->err.kind == ERR_FAULT, "a write that fails is a fault");
	has(finding->err.msg, "I/O error", "said to be one");
	has(finding->err.msg, "File too large", "with the system's words");
	ok(finding->n_stored > 5 && finding->again, "%" PRId64 " runs before it, and one when it works again",
	   finding->n_stored);
	is_int(ask("limit.db", "SELECT count(*) FROM run"), finding->n_stored + 1, "all of them are there");
	check_whole("limit.db");
}

static void test_damaged(void)
{
	struct err err = { 0 };
	struct fixture f;
	sweep_rows_t rows = { 0 };
	FILE *file;

	fixture_open(&f, "damaged.db");
	put_ok(&f, 0, 1, 1);
	store_close(f.s);
	file = fopen("damaged.db", "r+");
	fseek(file, 4096, SEEK_SET);
	for (int i = 0; i < 100 * 4096; i++)
		fputc(i * 7 & 0xff, file);
	fclose(file);
	f.s = store_open("damaged.db", STORE_READ, &err);
	ok(!f.s || store_list_sweeps(f.s, &rows, &err), "a damaged database is an error");
	has(err.msg, "damaged", "it says so");
	store_close(f.s);
}

/* A closed database with one run. */
static void make_medium(const char *path)
{
	struct fixture f;

	fixture_open(&f, path);
	put_ok(&f, 0, 1, 1);
	store_close(f.s);
}

/* In a mount namespace of its own, so that nothing is left when it ends. */
static bool own_mounts(const char *folder, const char *options)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", folder, "tmpfs", 0, options);
}

static void fill_disk(void *arg)
{
	AUTOFREE char *ballast = mem_alloc(1 << 20, 1);
	struct fixture f;
	FILE *file;

	(void)arg;
	if (!own_mounts("full", "size=2m"))
		_exit(2);
	make_medium("full/y.db");
	fixture_open(&f, "full/x.db");
	file = fopen("full/ballast", "w");
	if (!file || fwrite(ballast, 1 << 20, 1, file) != 1 || fclose(file))
		_exit(3);
	while (!finding->failed) {
		struct run_row run = a_run(&f, 0, 1);

		finding->failed = put(&f, &run, 1, &finding->err);
		finding->n_stored += !finding->failed;
	}
	file = fopen("full/rest", "w");
	while (fwrite(ballast, 4096, 1, file) == 1 && !fflush(file))
		;
	fclose(file);
	store_close(store_open("full/y.db", STORE_READ, &finding->err_open));
	unlink("full/ballast");
	unlink("full/rest");
	put_ok(&f, 0, 1, 1);
	store_close(f.s);
	finding->again = ask(f.path, "SELECT count(*) FROM run") == finding->n_stored + 1 &&
			 ask(f.path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1;
}

static void test_disk_full(void)
{
	int status;

	mkdir("full", 0755);
	status = finish(start(fill_disk, NULL));
	if (WEXITSTATUS(status) == 2) {
		skip(1, "no mount namespace for a small tmpfs (needs root)");
		return;
	}
	is_int(status, 0, "child ends by itself");
	is_int(finding->err.kind, ERR_NEEDS, "a full disk is 'needs not met'");
	has(finding->err.msg, "disk full; what was stored before stays", "it says so");
	is_int(finding->err_open.kind, ERR_NEEDS, "also when there is not even room to open one");
	has(finding->err_open.msg, "disk full", "it says so");
	ok(finding->n_stored > 5 && finding->again,
	   "%" PRId64 " runs before it are there, and one stored when there is room again", finding->n_stored);
}

/* Results of one look at a database where nothing can be written. */
static void look(const char *path, enum store_mode mode)
{
	sweep_rows_t rows = { 0 };
	struct store *s = store_open(path, mode, &finding->err);

	finding->opened = s;
	finding->failed = !s || store_list_sweeps(s, &rows, &finding->err);
	finding->n_stored = rows.n ? rows.items[0].n_runs_ok : -1;
	sweep_rows_release(&rows);
	store_close(s);
}

struct look_case {
	const char *path;
	enum store_mode mode;
	void (*before)(void);
};

static void copy_file(const char *from, const char *to)
{
	struct err err = { 0 };
	struct str bytes = { 0 };

	must(!file_slurp(from, &bytes, &err) && !file_replace(to, bytes.s, bytes.len, &err), "copy", &err);
	str_release(&bytes);
}

/* A read-only file system with a closed database, one whose writer was cut off, and one whose -wal file is empty. */
static void use_read_only_medium(void)
{
	struct fixture f;

	if (!own_mounts("medium", "size=4m"))
		_exit(2);
	make_medium("medium/a b?c#d%e.db");
	make_medium("medium/empty-wal.db");
	write_file("medium/empty-wal.db-wal", "");
	fixture_open(&f, "medium/live.db");
	put_ok(&f, 0, 1, 1);
	copy_file("medium/live.db", "medium/cut.db");
	copy_file("medium/live.db-wal", "medium/cut.db-wal");
	store_close(f.s);
	if (mount(NULL, "medium", NULL, MS_REMOUNT | MS_RDONLY, NULL))
		_exit(3);
}

/* Somebody else's folder, for a user who may read it. */
static void use_foreign_folder(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
		_exit(2);
	if (!access("foreign", W_OK))
		_exit(3);
}

static void run_look(void *arg)
{
	const struct look_case *c = arg;

	c->before();
	look(c->path, c->mode);
}

static bool looked(const char *path, enum store_mode mode, void (*before)(void))
{
	struct look_case c = { path, mode, before };
	int status = finish(start(run_look, &c));

	if (WEXITSTATUS(status) == 2) {
		skip(1, "needs root");
		return false;
	}
	return ok(!status, "looked at '%s'", path);
}

static void check_readable(const char *path, void (*before)(void), const char *what)
{
	if (!looked(path, STORE_READ, before))
		return;
	ok(!finding->failed, "%s can be read: %s", what, finding->err.msg);
	is_int(finding->n_stored, 1, "and its run is there");
}

static void check_not_writable(const char *path, enum store_mode mode, void (*before)(void), const char *part)
{
	if (!looked(path, mode, before))
		return;
	ok(!finding->opened && finding->err.kind == ERR_NEEDS, "cannot be written");
	has(finding->err.msg, part, "it says so");
}

static void test_read_only(void)
{
	mkdir("medium", 0755);
	if (symlink("medium/a b?c#d%e.db", "medium-link.db") || symlink("medium/cut.db", "cut-link.db"))
		exit(1);
	check_readable("medium/a b?c#d%e.db", use_read_only_medium, "a name for an URI to stumble over");
	check_readable("medium-link.db", use_read_only_medium, "a database behind a symbolic link");
	check_readable("medium/empty-wal.db", use_read_only_medium, "a database with an empty -wal file");
	check_not_writable("medium/a b?c#d%e.db", STORE_WRITE, use_read_only_medium, "read-only");
	check_not_writable("medium/a b?c#d%e.db", STORE_CREATE, use_read_only_medium, "read-only");
	check_not_writable("medium/new.db", STORE_CREATE, use_read_only_medium, "Read-only file system");
	check_not_writable("medium/cut.db", STORE_READ, use_read_only_medium, "medium/cut.db-wal");
	check_not_writable("cut-link.db", STORE_READ, use_read_only_medium, "medium/cut.db-wal");

	mkdir("foreign", 0755);
	make_medium("foreign/x.db");
	chmod("foreign", 0555);
	check_readable("foreign/x.db", use_foreign_folder, "a database in a folder that may not be written");
	check_not_writable("foreign/x.db", STORE_WRITE, use_foreign_folder, "read-only");
	chmod("foreign/x.db", 0600);
	if (!geteuid())
		check_not_writable("foreign/x.db", STORE_READ, use_foreign_folder, "Permission denied");
	chmod("foreign", 0755);
}

int main(void)
{
	char folder[] = "/tmp/iobench-store-XXXXXX";
	AUTOFREE char *cleanup = NULL;

	if (!mkdtemp(folder) || chdir(folder) || chmod(folder, 0755))
		return 1;
	finding = mmap(NULL, sizeof(*finding), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (finding == MAP_FAILED)
		return 1;
	bw = metric_find("bw");

	test_schema();
	test_plans();
	test_refusals();
	test_migration();
	test_round_trip();
	test_raw_sizes();
	test_damaged_raw();
	test_joined();
	test_content_is_shared();
	test_bad_rows();
	test_states();
	test_find_sweep();
	test_ambiguous_run();
	test_summaries();
	test_environments();
	test_series();
	test_series_of_sweeps();
	test_actors_and_devices();
	test_what_counts();
	test_read_while_written();
	test_creators();
	test_writers();
	test_kill();
	test_locked();
	test_deleted();
	test_io_error();
	test_damaged();
	test_disk_full();
	test_read_only();

	cleanup = mem_printf("rm -rf '%s'", folder);
	if (chdir("/") || system(cleanup))
		return 1;
	return tap_done();
}
