// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * million FILE [RUNS [HOST]]: a database as a nightly box leaves it after three years: a sweep a night, 32 cells (4
 * variants x 2 patterns x 4 job counts) of 30 runs in random blocks, 12 values of each run as a whole, a new kernel
 * every 60 nights, now and then a warning or a failed run. The last night bfq has lost 8% of its random reads.
 * Raw outputs and disk counters are left out: no table reads them. The same arguments make the same values.
 */
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/random.h"
#include "common/units.h"
#include "db/schema.h"
#include "db/statements.h"
#include "db/store.h"

#define RUNS 30 /* of a cell in a night */
#define KERNEL_NIGHTS 60
#define FIRST_NIGHT_NS 1640995200000000000LL /* 2022-01-01 */
#define NIGHT_NS (24 * 3600 * NS_PER_S)
#define RUN_NS (12 * NS_PER_S)

static const struct variant_at {
	const char *name, *settings;
	double read, randread; /* IOPS of one job */
} variants[] = {
	{ "none", "{\"scheduler\":\"none\"}", 17000, 140 },
	{ "mq-deadline", "{\"scheduler\":\"mq-deadline\"}", 16800, 150 },
	{ "bfq", "{\"scheduler\":\"bfq\"}", 15300, 135 },
	{ "bfq:low_latency=0", "{\"iosched/low_latency\":\"0\",\"scheduler\":\"bfq\"}", 16500, 139 },
};
static const char *const patterns[] = { "read", "randread" };
static const int jobs[] = { 1, 2, 4, 8 };
#define CELLS (ARRAY_LEN(variants) * ARRAY_LEN(patterns) * ARRAY_LEN(jobs))

/* Each is a factor of what IOPS give. */
static const char *const metrics[] = { "iops", "bw", "ios", "runtime", "lat_mean", "clat_mean", "clat_p50", "clat_p99",
				       "clat_p99.9", "usr_cpu", "sys_cpu", "ctx" };
#define METRICS ARRAY_LEN(metrics)

struct sum {
	int64_t n;
	double mean, m2, min, max;
};

static sqlite3 *db;
static sqlite3_stmt *statements[SQL_N], *add_summary;
static uint64_t state = 8;
static const char *host = "box1";
static int64_t metric_ids[METRICS], settings_ids[ARRAY_LEN(variants)], config_ids[CELLS], actor_id;

static void fail(const char *what)
{
	fprintf(stderr, "million: %s: %s\n", what, db ? sqlite3_errmsg(db) : "");
	exit(1);
}

static void exec(const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail(sql);
}

static sqlite3_stmt *start(enum sql which)
{
	if (!statements[which] && sqlite3_prepare_v2(db, sql_text[which], -1, &statements[which], NULL))
		fail(sql_text[which]);
	return statements[which];
}

/* 'types': i an int64_t, d a double, s a string or NULL, n no argument but SQL's NULL. The id of the row. */
static int64_t add(enum sql which, const char *types, ...)
{
	sqlite3_stmt *st = start(which);
	va_list args;

	va_start(args, types);
	for (int i = 1; *types; types++, i++)
		if (*types == 'i')
			sqlite3_bind_int64(st, i, va_arg(args, int64_t));
		else if (*types == 'n')
			sqlite3_bind_null(st, i);
		else if (*types == 'd')
			sqlite3_bind_double(st, i, va_arg(args, double));
		else
			sqlite3_bind_text(st, i, va_arg(args, const char *), -1, SQLITE_STATIC);
	va_end(args);
	if (sqlite3_step(st) != SQLITE_DONE)
		fail(sql_text[which]);
	sqlite3_reset(st);
	return sqlite3_last_insert_rowid(db);
}

static double uniform(void)
{
	return (double)(random_next(&state) >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static const char *new_uuid(char out[UUID_TEXT])
{
	uint64_t a = random_next(&state), b = random_next(&state);

	snprintf(out, UUID_TEXT, "%08x-%04x-4%03x-a%03x-%012" PRIx64, (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
		 (unsigned)a & 0xfff, (unsigned)(b >> 48) & 0xfff, b & UINT64_C(0xffffffffffff));
	return out;
}

static void hash_of(char out[HASH_TEXT], const char *text)
{
	hash_text(out, text, strlen(text));
}

static void add_config(size_t cell)
{
	const char *variant = variants[cell % ARRAY_LEN(variants)].name;
	AUTOFREE char *numjobs = mem_printf("%d", jobs[cell / ARRAY_LEN(variants) % ARRAY_LEN(jobs)]);
	AUTOFREE char *serial = mem_printf("WD-%s", host);
	const char *const values[][2] = {
		{ "workload", "patterns" }, { "device", serial }, { "ioengine", "libaio" }, { "direct", "1" },
		{ "bs_bytes", "4096" }, { "size_bytes", "5368709120" }, { "iodepth", "1" }, { "ramp_ns", "2000000000" },
		{ "runtime_ns", "10000000000" }, { "pattern", patterns[cell / (CELLS / ARRAY_LEN(patterns))] },
		{ "numjobs", numjobs },
	};
	AUTOSTR struct str key = { 0 };

	str_addf(&key, "variant=%s", variant);
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		str_addf(&key, ";%s=%s", values[i][0], values[i][1]);
	config_ids[cell] = add(SQL_ADD_CONFIG, "ss", str_text(&key), variant);
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		add(SQL_ADD_CONFIG_AXIS, "iiss", config_ids[cell], (int64_t)i, values[i][0], values[i][1]);
}

static void add_names(void)
{
	char hash[HASH_TEXT];

	for (size_t i = 0; i < METRICS; i++)
		metric_ids[i] = add(SQL_ADD_METRIC, "ss", metrics[i], metric_find(metrics[i])->unit);
	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		hash_of(hash, variants[i].settings);
		settings_ids[i] = add(SQL_ADD_SETTINGS, "ss", hash, variants[i].settings);
	}
	for (size_t i = 0; i < CELLS; i++)
		add_config(i);
	actor_id = add(SQL_ADD_ACTOR, "s", "fio");
}

static int64_t add_environment(int64_t night)
{
	char hash[HASH_TEXT];
	AUTOFREE char *json = mem_printf(
		"{\"cpu.count\":8,\"cpu.model\":\"a CPU of this bench\",\"cpufreq.driver\":\"intel_pstate\","
		"\"cpufreq.governor\":\"powersave\",\"disk.sdb.identity\":\"WD-%s\",\"disk.sdb.model\":\"WDC WD10EZEX\",\"fio.version\":\"fio-3.33\","
		"\"host.name\":\"%s\",\"iobench.version\":\"" IOBENCH_VERSION "\",\"kernel.release\":\"6.%" PRId64 ".0\"}",
		host, host, night / KERNEL_NIGHTS);

	hash_of(hash, json);
	return add(SQL_ADD_ENVIRONMENT, "ss", hash, json);
}

static void welford(struct sum *s, double value)
{
	double delta = value - s->mean;

	s->min = s->n && s->min < value ? s->min : value;
	s->max = s->n && s->max > value ? s->max : value;
	s->mean += delta / (double)++s->n;
	s->m2 += delta * (value - s->mean);
}

static double iops_of(size_t cell, bool last_night)
{
	const struct variant_at *v = &variants[cell % ARRAY_LEN(variants)];
	int n = jobs[cell / ARRAY_LEN(variants) % ARRAY_LEN(jobs)];
	bool random = cell >= CELLS / ARRAY_LEN(patterns);
	double iops = random ? v->randread * (1 + 0.1 * (n - 1)) : v->read / (n > 1 ? 4 : 1);

	if (last_night && random && !strcmp(v->name, "bfq"))
		iops *= 0.92;
	return iops * exp(0.015 * normal());
}

static void add_samples(int64_t run, double iops, struct sum *sums)
{
	const double factors[METRICS] = { 1, 4096, 10, 1e10 / iops, 1e9 / iops / iops, 0.95e9 / iops / iops, 0.9e9 / iops / iops,
					  4e9 / iops / iops, 9e9 / iops / iops, 0.001, 0.003, 10.2 };

	for (size_t m = 0; m < METRICS; m++) {
		double value = iops * factors[m];

		add(SQL_ADD_SAMPLE, "iiiiiid", run, actor_id, (int64_t)JOB_ALL, metric_ids[m], (int64_t)0, (int64_t)0, value);
		if (sums)
			welford(&sums[m], value);
	}
}

static void add_run(int64_t cell, size_t at, int64_t environment, int64_t invocation, int block, int position, int64_t started,
		    bool last_night, struct sum *sums)
{
	static const char command[] = "DEV=/dev/sdb RW=randread fio --output-format=json+ --eta=never --readonly job.fio";
	bool failed = uniform() < 0.0005, warned = uniform() < 0.01;
	size_t v = at % ARRAY_LEN(variants);
	char uuid[UUID_TEXT];
	int64_t run = add(SQL_ADD_RUN, "siiiiiisssiiii", new_uuid(uuid), cell, environment, invocation, (int64_t)block,
			  (int64_t)position, (int64_t)0, "measure", failed ? "failed" : "ok", failed ? "fio: exit status 1" : NULL,
			  started, RUN_NS, (int64_t)(random_next(&state) >> 1), (int64_t)(failed ? 256 : 0));

	add(SQL_ADD_RUN_DETAIL, "iiinsssn", run, settings_ids[v], settings_ids[v], command, "fio-3.33", "fio-json");
	if (!failed)
		add_samples(run, iops_of(at, last_night), sums);
	if (warned)
		add(SQL_ADD_RUN_WARNING, "iss", run, "cpu-pressure", "other programs used 22% of a CPU");
}

static void add_summaries(int64_t cell, int64_t environment, const struct sum *sums)
{
	sqlite3_stmt *st = add_summary;

	if (!st && sqlite3_prepare_v2(db, "INSERT INTO summary (cell, environment, metric, direction, actor, device, n, mean, m2, "
				      "min, max) VALUES (?1, ?2, ?3, 0, ?4, 0, ?5, ?6, ?7, ?8, ?9)", -1, &add_summary, NULL))
		fail("summary");
	st = add_summary;
	for (size_t m = 0; m < METRICS; m++) {
		if (!sums[m].n)
			continue;
		sqlite3_bind_int64(st, 1, cell);
		sqlite3_bind_int64(st, 2, environment);
		sqlite3_bind_int64(st, 3, metric_ids[m]);
		sqlite3_bind_int64(st, 4, actor_id);
		sqlite3_bind_int64(st, 5, sums[m].n);
		sqlite3_bind_double(st, 6, sums[m].mean);
		sqlite3_bind_double(st, 7, sums[m].m2);
		sqlite3_bind_double(st, 8, sums[m].min);
		sqlite3_bind_double(st, 9, sums[m].max);
		if (sqlite3_step(st) != SQLITE_DONE)
			fail("summary");
		sqlite3_reset(st);
	}
}

static void shuffle(size_t order[CELLS])
{
	for (size_t i = 0; i < CELLS; i++)
		order[i] = i;
	for (size_t i = CELLS - 1; i; i--) {
		size_t j = (size_t)random_below(&state, i + 1), was = order[i];

		order[i] = order[j];
		order[j] = was;
	}
}

static void add_night(int64_t night, int64_t n_nights, int64_t environment)
{
	static const char plan[] = "{\"options\":[[\"dev\",\"/dev/sdb\"],[\"jobs\",\"1,2,4,8\"],[\"runs\",\"30\"]]}";
	int64_t started = FIRST_NIGHT_NS + night * NIGHT_NS, invocation, sweep, cells[CELLS];
	struct sum sums[CELLS][METRICS] = { 0 };
	size_t order[CELLS];
	char uuid[UUID_TEXT];

	sweep = add(SQL_ADD_SWEEP, "sssssisssiiis", new_uuid(uuid), "nightly", "", "sweep --dev /dev/sdb --name nightly", plan,
		    (int64_t)night, "done", host, "/dev/sdb", (int64_t)1, started,
		    (int64_t)(started + (int64_t)(CELLS * RUNS) * RUN_NS), "sweep");
	invocation = add(SQL_ADD_INVOCATION, "sissi", new_uuid(uuid), sweep, "boot", "sweep", started);
	for (size_t i = 0; i < CELLS; i++)
		cells[i] = add(SQL_ADD_CELL, "iiisn", sweep, config_ids[i], (int64_t)i, "done");
	for (int block = 0; block < RUNS; block++) {
		shuffle(order);
		for (size_t i = 0; i < CELLS; i++, started += RUN_NS)
			add_run(cells[order[i]], order[i], environment, invocation, block, (int)i, started,
				night == n_nights - 1, sums[order[i]]);
	}
	for (size_t i = 0; i < CELLS; i++)
		add_summaries(cells[i], environment, sums[i]);
}

int main(int argc, char **argv)
{
	int64_t n_runs = argc > 2 ? strtoll(argv[2], NULL, 10) : 1000000, n_nights = (n_runs + CELLS * RUNS - 1) / (CELLS * RUNS);
	int64_t environment = 0, from = now_monotonic_ns();
	char hash[HASH_TEXT];
	struct err err = { 0 };
	struct store *s;

	if (argc < 2 || n_nights < 1) {
		fputs("usage: million FILE [RUNS [HOST]]\n", stderr);
		return 2;
	}
	if (!access(argv[1], F_OK))
		fail("the file exists already");
	s = store_open(argv[1], STORE_CREATE, &err);
	if (!s)
		fail(err.msg);
	store_close(s);
	if (argc > 3)
		host = argv[3];
	for (const char *c = host; *c; c++)
		state = state * 31 + (unsigned char)*c;
	if (sqlite3_open(argv[1], &db))
		fail("open");
	exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
	hash_of(hash, "[job]\n");
	add(SQL_ADD_WORKLOAD, "sss", hash, "patterns", "[job]\n");
	add_names();
	for (int64_t night = 0; night < n_nights; night++) {
		if (night % KERNEL_NIGHTS == 0)
			environment = add_environment(night);
		add_night(night, n_nights, environment);
	}
	exec("COMMIT; PRAGMA journal_mode = WAL");
	for (int i = 0; i < SQL_N; i++)
		sqlite3_finalize(statements[i]);
	sqlite3_finalize(add_summary);
	if (sqlite3_close(db))
		fail("close");
	fprintf(stderr, "%" PRId64 " runs in %" PRId64 " nights, made in %.1f s\n", n_nights * (int64_t)(CELLS * RUNS), n_nights,
		(double)(now_monotonic_ns() - from) / 1e9);
	return 0;
}
