// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"
#include "db/batch.h"
#include "db/handle.h"
#include "db/put.h"
#include "db/schema.h"

#define APPLICATION_ID 0x696f626e /* "iobn"; PRAGMA application_id */

/* 'flags': SQLITE_OPEN_READONLY or READWRITE. The first look into the file may already need its '-wal' and '-shm'. */
static int open_connection(struct store *s, const char *name, int flags, struct err *err)
{
	if (sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
		return store_fail(s, err);
	if (flags & SQLITE_OPEN_READWRITE && sqlite3_db_readonly(s->db, "main") == 1)
		return err_set(err, ERR_NEEDS, "database '%s': read-only, and it must be written", s->path);
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	return sql_script(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", err);
}

static int check_identity(struct store *s, int64_t id, int64_t version, int64_t n_tables, struct err *err)
{
	if (id == APPLICATION_ID && version > schema_n_steps)
		return err_set(err, ERR_NEEDS, "database '%s' has schema %" PRId64 ", and iobench " IOBENCH_VERSION
			       " knows up to %d; use a newer iobench", s->path, version, schema_n_steps);
	if (id != APPLICATION_ID && (id || version || n_tables))
		return err_set(err, ERR_NEEDS, "'%s' is a database of another program (application id %#" PRIx64 ")",
			       s->path, (uint64_t)id & UINT32_MAX);
	return 0;
}

/* The user_version of a database that is ours, 0 for an empty file; -1 on error. */
static int64_t read_version(struct store *s, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_IDENTITY, NO_ARGS, err);
	int64_t id = 0, version = 0, n_tables = 0;
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0) {
		id = sqlite3_column_int64(st, 0);
		version = sqlite3_column_int64(st, 1);
		n_tables = sqlite3_column_int64(st, 2);
	}
	return more || check_identity(s, id, version, n_tables, err) ? -1 : version;
}

/* The steps that are missing, in one transaction; another process may just have made them. */
static int migrate(struct store *s, struct err *err)
{
	AUTOFREE char *marks = mem_printf("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
					  schema_n_steps);
	int64_t version;
	bool failed;

	if (store_begin(s, err))
		return -1;
	version = read_version(s, err);
	failed = version < 0;
	for (int64_t step = version; !failed && step < schema_n_steps; step++)
		failed = sql_script(s, schema_steps[step], err);
	failed = failed || sql_script(s, marks, err);
	return store_end(s, failed, err) ? err_context(err, "cannot bring the database to schema %d", schema_n_steps) : 0;
}

static int use_wal(struct store *s, struct err *err)
{
	int64_t deadline = now_monotonic_ns() + STORE_BUSY_MS * 1000000LL;
	int rc;

	/* SQLite does not wait for this lock by itself. */
	while ((rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) != SQLITE_OK &&
	       (rc & 0xff) == SQLITE_BUSY && now_monotonic_ns() < deadline)
		usleep(10000);
	return rc == SQLITE_OK ? 0 : store_fail(s, err);
}

/* From here on commits make sure that the files are still these. */
static int watch_files(struct store *s, struct err *err)
{
	const char *file = sqlite3_db_filename(s->db, "main");

	if (stat(file, &s->file) || stat(sqlite3_filename_wal(file), &s->wal))
		return err_sys(err, ERR_FAULT, errno, "database '%s': it, or its '-wal' file, has gone", s->path);
	s->watched = true;
	return 0;
}

/* SQLite would do it, but then cannot tell why it could not. */
static int create_file(const char *path, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno != EEXIST)
		return err_sys(err, ERR_NEEDS, errno, "cannot create database '%s'", path);
	return 0;
}

/*
 * Of an empty file. There is nothing to lose yet, so that only the last of the seven waits for the disk that SQLite would make
 * is needed: the file must not be empty when the first commit, which waits itself, is in its '-wal', for SQLite deletes the
 * '-wal' of an empty file.
 */
static int make_schema(struct store *s, struct err *err)
{
	sqlite3_file *file = NULL;

	if (sql_script(s, "PRAGMA synchronous = OFF", err) || use_wal(s, err) || migrate(s, err) ||
	    sql_script(s, "PRAGMA synchronous = FULL", err))
		return -1;
	/* not by a descriptor of ours: to close it would drop SQLite's locks */
	if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
	    file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) != SQLITE_OK)
		return err_sys(err, ERR_FAULT, errno, "cannot write database '%s'", s->path);
	return 0;
}

static int open_to_write(struct store *s, const char *name, bool create, struct err *err)
{
	int64_t version;

	if ((create && create_file(s->path, err)) || open_connection(s, name, SQLITE_OPEN_READWRITE, err))
		return -1;
	version = read_version(s, err);
	if (version < 0 || (version ? use_wal(s, err) : make_schema(s, err)))
		return -1;
	if (version && version < schema_n_steps && migrate(s, err))
		return -1;
	/* The first reading in WAL mode makes the '-wal' file. */
	s->version = read_version(s, err);
	return s->version < 0 || watch_files(s, err) ? -1 : 0;
}

static int64_t look_to_read(struct store *s, const char *name, int flags, struct err *err)
{
	return open_connection(s, name, flags, err) ? -1 : read_version(s, err);
}

/*
 * A WAL database needs a '-shm' file beside it even for reading, so on read-only media it can be opened only as a
 * file that nobody changes (https://sqlite.org/wal.html, "Read-Only Databases"). That would not see a '-wal' file.
 */
static int64_t look_immutable(struct store *s, struct err *err)
{
	AUTOFREE char *real = realpath(s->path, NULL);
	AUTOFREE char *wal = mem_printf("%s-wal", real ? real : s->path);
	AUTOFREE char *uri = sql_uri(s->path, "immutable=1");
	struct stat st;

	if (!stat(wal, &st) && st.st_size)
		return err_set(err, ERR_NEEDS, "database '%s': its newest runs are in '%s', which cannot be read where "
			       "nothing can be written; copy both files to a folder that can be written and read them "
			       "there", s->path, wal);
	sqlite3_finalize(s->statements[SQL_IDENTITY]);
	s->statements[SQL_IDENTITY] = NULL;
	sqlite3_close(s->db);
	s->db = NULL;
	s->immutable = true;
	return look_to_read(s, uri, SQLITE_OPEN_READONLY, err);
}

static bool wants_shm(const struct store *s)
{
	int code = sqlite3_extended_errcode(s->db);

	return (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN;
}

static int open_to_read(struct store *s, const char *name, struct err *err)
{
	int64_t version = look_to_read(s, name, SQLITE_OPEN_READONLY, err);

	if (version < 0 && wants_shm(s))
		version = look_immutable(s, err);
	if (version < 0)
		return -1;
	if (!version)
		return err_set(err, ERR_NEEDS, "database '%s' is empty: nothing was ever stored in it", s->path);
	/* An older schema lacks only tables that are empty then: who reads those looks at the version. */
	s->version = version;
	return 0;
}

/* SQLite would take a blank block device for an empty database. */
static int check_path(const char *path, enum store_mode mode, struct err *err)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, ERR_NEEDS, "database '%s': not a regular file", path);
	if (mode != STORE_CREATE && access(path, R_OK))
		return err_sys(err, ERR_NEEDS, errno, "cannot open database '%s'", path);
	return 0;
}

struct store *store_open(const char *path, enum store_mode mode, struct err *err)
{
	/* "./" keeps SQLite from seeing ":memory:" or "file:" in a name that was typed. */
	AUTOFREE char *name = mem_printf("%s%s", path[0] == '/' ? "" : "./", path);
	struct store *s;

	if (check_path(path, mode, err))
		return NULL;
	/* Databases are used by one thread; refused, and kept as it is, behind the first. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	s = mem_alloc(1, sizeof(*s));
	s->path = mem_strdup(path);
	if (mode == STORE_READ ? open_to_read(s, name, err) : open_to_write(s, name, mode == STORE_CREATE, err)) {
		store_close(s);
		return NULL;
	}
	return s;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (int i = 0; i < SQL_N; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	framer_release(&s->framer);
	batch_free(s->batch);
	vec_free(&s->metrics);
	free(s->path);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

/*
 * The id of the row that 'find' gives for the first 'n_key' arguments; made by 'add' with all of them if there is
 * none. 0 found, 1 made, -1 error.
 */
static int intern(struct store *s, enum sql find, size_t n_key, enum sql add, const struct sql_arg *args, size_t n,
		  int64_t *id, struct err *err)
{
	int found = sql_find_int(s, find, args, n_key, id, err);

	if (found)
		return found < 0 ? -1 : 0;
	if (sql_run(s, add, args, n, err))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	return 1;
}

static int intern_name(struct store *s, enum sql find, enum sql add, const char *name, int64_t *id, struct err *err)
{
	return intern(s, find, 1, add, ARGS(sql_string(name)), id, err) < 0 ? -1 : 0;
}

/* A text kept once by its hash: an environment or settings. */
int intern_content(struct store *s, enum sql find, enum sql add, const char *text, int64_t *id, struct err *err)
{
	char hash[HASH_TEXT];

	hash_text(hash, text, strlen(text));
	return intern(s, find, 1, add, ARGS(sql_string(hash), sql_string(text)), id, err) < 0 ? -1 : 0;
}

static struct sql_arg id_or_null(int64_t id)
{
	return id ? sql_int(id) : sql_string(NULL);
}

static int intern_workload(struct store *s, const struct workload_row *w, int64_t *id, struct err *err)
{
	char hash[HASH_TEXT];

	*id = 0;
	if (!w)
		return 0;
	hash_text(hash, w->text, strlen(w->text));
	return intern(s, SQL_FIND_WORKLOAD, 2, SQL_ADD_WORKLOAD,
		      ARGS(sql_string(hash), sql_string(w->name), sql_string(w->text)), id, err) < 0 ? -1 : 0;
}

int put_cell(struct store *s, int64_t sweep, struct cell_row *cell, struct err *err)
{
	int64_t config;
	int made = intern(s, SQL_FIND_CONFIG, 1, SQL_ADD_CONFIG, ARGS(sql_string(cell->key), sql_string(cell->variant)),
			  &config, err);

	for (size_t i = 0; made > 0 && i < cell->n_axes; i++)
		if (sql_run(s, SQL_ADD_CONFIG_AXIS,
			    ARGS(sql_int(config), sql_int((int64_t)i), sql_string(cell->axes[i].name),
				 sql_string(cell->axes[i].value)), err))
			return -1;
	if (made < 0 || sql_run(s, SQL_ADD_CELL,
				ARGS(sql_int(sweep), sql_int(config), sql_int(cell->ordinal), sql_string(cell->state),
				     sql_string(cell->reason)), err))
		return -1;
	cell->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int put_sweep_row(struct store *s, struct sweep_row *r, const struct workload_row *workload, struct err *err)
{
	int64_t id;

	if (intern_workload(s, workload, &id, err) ||
	    sql_run(s, SQL_ADD_SWEEP,
		    ARGS(sql_string(r->uuid), sql_string(r->name), sql_string(r->note), sql_string(r->command),
			 sql_string(r->plan), sql_int((int64_t)r->seed), sql_string(r->state), sql_string(r->host),
			 sql_string(r->devices), id_or_null(id), sql_int(r->started_ns), sql_int(r->ended_ns),
			 sql_string(r->kind)), err))
		return -1;
	r->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_put_sweep(struct store *s, struct sweep_row *sweep, const struct workload_row *workload,
		    struct cell_row *cells, size_t n_cells, struct err *err)
{
	bool failed;

	if (store_begin(s, err))
		return -1;
	failed = put_sweep_row(s, sweep, workload, err);
	for (size_t i = 0; !failed && i < n_cells; i++)
		if (put_cell(s, sweep->id, &cells[i], err))
			failed = err_context(err, "cannot store cell '%s'", cells[i].key);
	return store_end(s, failed, err);
}

static int update_one(struct store *s, enum sql which, const char *what, const struct sql_arg *args, size_t n,
		      struct err *err)
{
	bool failed;

	if (store_begin(s, err))
		return -1;
	failed = sql_run(s, which, args, n, err);
	if (!failed && !sqlite3_changes(s->db))
		failed = err_set(err, ERR_FAULT, "database '%s' has no %s with id %" PRId64, s->path, what, args[0].i);
	return store_end(s, failed, err);
}

int store_set_sweep_state(struct store *s, int64_t sweep, const char *state, int64_t ended_ns, struct err *err)
{
	return update_one(s, SQL_SET_SWEEP_STATE, "sweep",
			  ARGS(sql_int(sweep), sql_string(state), sql_int(ended_ns)), err);
}

int store_note_sweep(struct store *s, int64_t sweep, const char *text, struct err *err)
{
	return update_one(s, SQL_NOTE_SWEEP, "sweep", ARGS(sql_int(sweep), sql_string(text)), err);
}

int store_set_cell_state(struct store *s, int64_t cell, const char *state, const char *reason, struct err *err)
{
	return update_one(s, SQL_SET_CELL_STATE, "cell",
			  ARGS(sql_int(cell), sql_string(state), sql_string(reason)), err);
}

int store_put_environment(struct store *s, const char *json, int64_t *id, struct err *err)
{
	if (store_begin(s, err))
		return -1;
	return store_end(s, intern_content(s, SQL_FIND_ENVIRONMENT, SQL_ADD_ENVIRONMENT, json, id, err), err);
}

int put_invocation(struct store *s, int64_t sweep, const char *boot_id, const char *command, int64_t *id, struct err *err)
{
	char uuid[UUID_TEXT];

	if (uuid_new(uuid, err) ||
	    sql_run(s, SQL_ADD_INVOCATION,
		    ARGS(sql_string(uuid), sql_int(sweep), sql_string(boot_id), sql_string(command), sql_int(now_realtime_ns())),
		    err))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_put_invocation(struct store *s, int64_t sweep, const char *boot_id, const char *command, int64_t *id,
			 struct err *err)
{
	if (store_begin(s, err))
		return -1;
	return store_end(s, put_invocation(s, sweep, boot_id, command, id, err), err);
}

int put_run_row(struct store *s, const struct run_row *r, int64_t *id, struct err *err)
{
	if (sql_run(s, SQL_ADD_RUN,
		    ARGS(sql_string(r->uuid), sql_int(r->cell), sql_int(r->environment), sql_int(r->invocation),
			 sql_int(r->block), sql_int(r->position), sql_int(r->attempt), sql_string(r->kind),
			 sql_string(r->state), sql_string(r->reason), sql_int(r->started_ns), sql_int(r->elapsed_ns),
			 sql_int((int64_t)r->randseed), sql_int(r->exit_status)), err))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

static int put_settings(struct store *s, const char *json, int64_t *id, struct err *err)
{
	*id = 0;
	return json ? intern_content(s, SQL_FIND_SETTINGS, SQL_ADD_SETTINGS, json, id, err) : 0;
}

int put_detail(struct store *s, const struct run_row *r, int64_t run, struct err *err)
{
	int64_t requested, effective;

	if (put_settings(s, r->requested, &requested, err) || put_settings(s, r->effective, &effective, err))
		return -1;
	return sql_run(s, SQL_ADD_RUN_DETAIL,
		       ARGS(sql_int(run), id_or_null(requested), id_or_null(effective), sql_string(r->counters),
			    sql_string(r->command), sql_string(r->tool), sql_string(r->format),
			    sql_string(r->diagnostics)), err);
}

int put_raw(struct store *s, const struct run_row *r, int64_t run, struct err *err)
{
	const struct frame *frame = r->frame;
	struct frame made = { 0 };
	int bad = 0;

	if (!r->raw)
		return 0;
	if (!frame) {
		bad = frame_make(&s->framer, r->raw, r->raw_len, &made, err);
		frame = &made;
	}
	bad = bad || sql_run(s, SQL_ADD_RAW, ARGS(sql_int(run), sql_int((int64_t)r->raw_len), sql_blob(frame->bytes, frame->len)),
			     err);
	frame_release(&made);
	return bad ? -1 : 0;
}

static int by_pointer(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct store_metric *)a)->metric;
	uintptr_t y = (uintptr_t)((const struct store_metric *)b)->metric;

	return (x > y) - (x < y);
}

/* The id of a metric: from memory after the first time, for it is asked for every sample. */
int metric_id(struct store *s, const struct metric *metric, int64_t *id, struct err *err)
{
	struct store_metric key = { .metric = metric }, *known = NULL;

	if (s->metrics.n)
		known = bsearch(&key, s->metrics.items, s->metrics.n, sizeof(key), by_pointer);
	if (known) {
		*id = known->id;
		return 0;
	}
	if (intern(s, SQL_FIND_METRIC, 1, SQL_ADD_METRIC, ARGS(sql_string(metric->name), sql_string(metric->unit)),
		   &key.id, err) < 0)
		return -1;
	*id = key.id;
	*vec_push(&s->metrics) = key;
	qsort(s->metrics.items, s->metrics.n, sizeof(key), by_pointer);
	return 0;
}

/* A sample with its ids, for the order of the table's key: rows that come in order are appended. */
struct sample_row {
	int64_t metric, device;
	const struct sample *sample;
};
typedef VEC(struct sample_row) sample_rows_t;

#define ORDER(x, y)                          \
	do {                                 \
		if ((x) != (y))              \
			return (x) < (y) ? -1 : 1; \
	} while (0)

static int by_key(const void *va, const void *vb)
{
	const struct sample_row *a = va, *b = vb;

	ORDER(a->sample->job, b->sample->job);
	ORDER(a->metric, b->metric);
	ORDER(a->sample->direction, b->sample->direction);
	ORDER(a->device, b->device);
	return 0;
}

/* A value that is no number is missing, and what is missing has no row. */
static bool is_kept(const struct sample *sample)
{
	return isfinite(sample->value) && (sample->job == JOB_ALL || sample->metric->flags & METRIC_PER_JOB);
}

/* The id of the device of a row; the one before is most often about the same. */
static int device_id(struct store *s, struct sample_row *row, const struct sample_row *before, struct err *err)
{
	const char *device = row->sample->device, *last = before ? before->sample->device : NULL;

	if (!device)
		return 0;
	if (!last || strcmp(device, last) != 0)
		return intern_name(s, SQL_FIND_DEVICE, SQL_ADD_DEVICE, device, &row->device, err);
	row->device = before->device;
	return 0;
}

static int find_rows(struct store *s, const struct parsed *parsed, sample_rows_t *rows, struct err *err)
{
	for (size_t i = 0; i < parsed->samples.n; i++) {
		struct sample_row row = { .sample = &parsed->samples.items[i] };

		if (!is_kept(row.sample))
			continue;
		if (metric_id(s, row.sample->metric, &row.metric, err) ||
		    device_id(s, &row, rows->n ? &rows->items[rows->n - 1] : NULL, err))
			return -1;
		*vec_push(rows) = row;
	}
	if (rows->n)
		qsort(rows->items, rows->n, sizeof(*rows->items), by_key);
	return 0;
}

static const struct sample_block {
	size_t rows;
	enum sql sql;
} sample_blocks[] = { { 64, SQL_ADD_64_SAMPLES }, { 8, SQL_ADD_8_SAMPLES }, { 1, SQL_ADD_SAMPLE } };

static int put_block(struct store *s, int64_t run, int64_t actor, const struct sample_block *block,
		     const struct sample_row *rows, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, block->sql, ARGS(sql_int(run), sql_int(actor)), err);
	int at = 2;

	if (!st)
		return -1;
	for (size_t i = 0; i < block->rows; i++) {
		sqlite3_bind_int64(st, ++at, rows[i].sample->job);
		sqlite3_bind_int64(st, ++at, rows[i].metric);
		sqlite3_bind_int64(st, ++at, rows[i].sample->direction);
		sqlite3_bind_int64(st, ++at, rows[i].device);
		sqlite3_bind_double(st, ++at, rows[i].sample->value);
	}
	return sql_next(s, st, err);
}

static int put_rows(struct store *s, int64_t run, int64_t actor, const sample_rows_t *rows, struct err *err)
{
	const struct sample_block *block = sample_blocks;

	for (size_t done = 0; done < rows->n; done += block->rows) {
		while (block->rows > rows->n - done)
			block++;
		if (put_block(s, run, actor, block, &rows->items[done], err))
			return err_context(err, "cannot store '%s' and what comes with it",
					   rows->items[done].sample->metric->name);
	}
	return 0;
}

static int count_rows(struct store *s, int64_t actor, const sample_rows_t *rows, const struct batch_sample *counts,
		      struct err *err)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct sample_row *row = &rows->items[i];
		const struct batch_sample key = { counts->cell, counts->environment, row->metric, actor, row->device,
						  row->sample->direction };

		if (row->sample->job == JOB_ALL && batch_add(s, &key, row->sample->value, err))
			return -1;
	}
	return 0;
}

int put_samples(struct store *s, int64_t run, const char *actor_name, const struct parsed *parsed,
		const struct batch_sample *counts, struct err *err)
{
	sample_rows_t rows = { 0 };
	int64_t actor;
	int bad;

	if (!parsed || !parsed->samples.n)
		return 0;
	bad = intern_name(s, SQL_FIND_ACTOR, SQL_ADD_ACTOR, actor_name, &actor, err) || find_rows(s, parsed, &rows, err);
	bad = bad || put_rows(s, run, actor, &rows, err) || (counts && count_rows(s, actor, &rows, counts, err));
	vec_free(&rows);
	return bad ? -1 : 0;
}

static int put_warnings(struct store *s, enum sql which, int64_t whose, const struct warning_row *warnings, size_t n,
			struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (sql_run(s, which,
			    ARGS(sql_int(whose), sql_string(warnings[i].code), sql_string(warnings[i].text)), err))
			return -1;
	return 0;
}

int store_put_run_of(struct store *s, struct run_row *run, const struct actor_samples *actors, size_t n_actors,
		     const struct warning_row *warnings, size_t n_warnings, struct err *err)
{
	int64_t id = 0;
	bool failed;

	if (store_begin(s, err))
		return err_context(err, "cannot store run '%s'", run->uuid);
	failed = put_run_row(s, run, &id, err) || put_detail(s, run, id, err) || put_raw(s, run, id, err);
	for (size_t i = 0; !failed && i < n_actors; i++)
		failed = put_samples(s, id, actors[i].actor, actors[i].parsed, NULL, err);
	failed = failed || put_warnings(s, SQL_ADD_RUN_WARNING, id, warnings, n_warnings, err) ||
		 sql_run(s, SQL_SUMMARISE_RUN, ARGS(sql_int(id)), err);
	if (store_end(s, failed, err))
		return err_context(err, "cannot store run '%s'", run->uuid);
	run->id = id;
	return 0;
}

int store_put_run(struct store *s, struct run_row *run, const char *actor, const struct parsed *parsed,
		  const struct warning_row *warnings, size_t n_warnings, struct err *err)
{
	return store_put_run_of(s, run, &(struct actor_samples){ actor, parsed }, 1, warnings, n_warnings, err);
}

/* Summaries know no taking away: those of the cells are made again. */
static int supersede_run(struct store *s, int64_t run, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_CELL_OF_RUN, ARGS(sql_int(run)), err);
	int64_t cell = 0;
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		cell = sqlite3_column_int64(st, 0);
	return more || sql_run(s, SQL_SUPERSEDE_RUN, ARGS(sql_int(run)), err) ||
	       sql_run(s, SQL_FORGET_SUMMARIES, ARGS(sql_int(cell)), err) ||
	       sql_run(s, SQL_SUMMARISE_CELL, ARGS(sql_int(cell)), err);
}

int store_supersede_runs(struct store *s, const int64_t *runs, size_t n, struct err *err)
{
	bool failed = false;

	if (store_begin(s, err))
		return -1;
	for (size_t i = 0; !failed && i < n; i++)
		failed = supersede_run(s, runs[i], err);
	return store_end(s, failed, err);
}

int store_set_cell_warnings(struct store *s, int64_t cell, const struct warning_row *warnings, size_t n,
			    struct err *err)
{
	bool failed;

	if (store_begin(s, err))
		return -1;
	failed = sql_run(s, SQL_FORGET_CELL_WARNINGS, ARGS(sql_int(cell)), err) ||
		 put_warnings(s, SQL_ADD_CELL_WARNING, cell, warnings, n, err);
	return store_end(s, failed, err);
}
