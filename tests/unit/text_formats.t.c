// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/corpus.h"

/* Every format but fio's JSON: the files of the corpus, damage, and small inputs of each shape. */

static int read_text(const char *text, size_t len, const char *format, struct parsed *p, const struct parser **which,
		     struct err *err)
{
	*err = (struct err){ 0 };
	return parser_read(text, len, format ? parser_find(format) : NULL, p, which, err);
}

/*
 * The corpus
 */

static bool is_json(const char *file)
{
	return file[0] == 'j' || strstr(file, ".json") || strstr(file, "json.txt") ||
	       !strcmp(file, "g_all_formats.txt") || !strcmp(file, "g_client_server.txt") ||
	       !strcmp(file, "g_efbig_or_sigxfsz.txt");
}

static bool is_text(const char *file)
{
	return !is_json(file);
}

static bool is_terse(const char *file)
{
	return strstr(file, "terse") || file[0] == 't';
}

/* In this folder's rows of terse outputs '-' stands for what the list leaves out, not for what the file does. */
static void forget_unlisted(struct parsed *p, const strings_t *head, const strings_t *row)
{
	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		int c = column(head, listed[i].column);

		for (size_t k = 0; c >= 0 && !strcmp(row->items[c], "-") && k < p->samples.n; k++)
			if (p->samples.items[k].metric == metric_find(listed[i].metric) &&
			    p->samples.items[k].direction == listed[i].direction)
				p->samples.items[k].direction = DIR_TRIM;
	}
}

static void test_row(const char *folder, const strings_t *head, const strings_t *row)
{
	const char *file = row->items[0], *error = row->items[column(head, "error")];
	AUTOFREE char *path = mem_printf("%s%s", folder, file);
	AUTOSTR struct str text = { 0 };
	const struct parser *which;
	struct parsed p = { 0 };
	struct err err = { 0 };

	file_slurp(path, &text, NULL);
	if (!ok(!read_text(str_text(&text), text.len, NULL, &p, &which, &err), "%s is read: %s", file, err.msg))
		return;
	is(which->name, is_terse(file) ? "fio-terse" : "fio-text", "by the right parser");
	if (strtod(error, NULL) != 0) {
		AUTOFREE char *words = mem_printf("ended with error %s", error);

		ok(p.failed, "%s failed", file);
		has(p.reason, words, "and says how");
	} else {
		ok(!p.failed, "%s: %s", file, p.reason ? p.reason : "no failure");
	}
	if (is_terse(file) && strstr(folder, "generated"))
		forget_unlisted(&p, head, row);
	test_listed(&p, head, row, is_terse(file) ? 0 : 0.006);
	parsed_release(&p);
}

/* Whatever is taken for a result after damage is that of the whole file, or of its first formats. */
static bool same_rates(const struct parsed *a, const struct parsed *b)
{
	static const char *const names[] = { "bw", "iops", "clat_mean", "ctx", "ios", "files", "clat_p99", "sys_cpu" };

	for (int d = DIR_ALL; d <= DIR_TRIM; d++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			double x = get(a, names[i], d, JOB_ALL), y = get(b, names[i], d, JOB_ALL);

			if (isnan(x) != isnan(y) || (!isnan(x) && x != y))
				return false;
		}
	return a->njobs == b->njobs;
}

/*
 * What has several results beside each other, without a word on how many there should be: a part of them is as good.
 */
static bool has_good_parts(const char *file)
{
	static const char *const files[] = {
		"n3_lkml_bfq_before_after.txt", "fsmark33_xfs_13rows.txt", "loops.txt", "two_blocks.txt", "terse_v3.txt",
		"terse_v3_two.txt", "lines.txt", "table.tsv",
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!strcmp(files[i], file))
			return true;
	return false;
}

/* Every number of a part is a number of the whole. */
static bool same_parts(const struct parsed *part, const struct parsed *whole)
{
	for (size_t i = 0; i < part->samples.n; i++) {
		const struct sample *s = &part->samples.items[i];

		if ((s->job != JOB_ALL || !whole->njobs) && !s->device &&
		    get(whole, s->metric->name, s->direction, s->job) != s->value)
			return false;
	}
	for (size_t i = 0; i < part->published.n; i++)
		if (part->published.items[i].mean != whole->published.items[i].mean ||
		    (part->published.items[i].stddev != whole->published.items[i].stddev &&
		     !isnan(whole->published.items[i].stddev)))
			return false;
	return true;
}

static void cut_file(const char *path, const char *file)
{
	AUTOSTR struct str text = { 0 };
	bool sane = true, right = true;
	const struct parser *which;
	struct parsed whole = { 0 };
	struct err err = { 0 };
	int read = 0;

	file_slurp(path, &text, NULL);
	read_text(str_text(&text), text.len, NULL, &whole, &which, &err);
	/* A small file everywhere. */
	for (size_t i = 0; i < (text.len < 4000 ? text.len : 200); i++) {
		size_t len = text.len < 4000 ? i : random_below(text.len);
		AUTOFREE char *cut = mem_strndup(text.s, len); /* its own, so that reading behind it is seen */
		struct parsed p = { 0 };
		int rc = read_text(cut, len, NULL, &p, &which, &err);

		sane &= rc ? err.msg[0] && !p.samples.n && !p.axes.n && !p.tool : is_sane(&p);
		if (!rc && !(has_good_parts(file) ? same_parts(&p, &whole) : same_rates(&p, &whole))) {
			printf("# %s cut at %zu: another result\n", file, len);
			right = false;
		}
		read += !rc;
		parsed_release(&p);
	}
	ok(sane, "%s cut in many places: an error or sane", file);
	ok(right, "%s: an error or what the whole says (%d times)", file, read);
	parsed_release(&whole);
}

static void flip_file(const char *path, const char *file)
{
	AUTOSTR struct str text = { 0 };
	bool sane = true;
	int read = 0;

	file_slurp(path, &text, NULL);
	for (int i = 0; i < 200; i++) {
		AUTOFREE char *flipped = mem_strndup(text.s, text.len);
		const struct parser *which;
		struct parsed p = { 0 };
		struct err err;
		int rc;

		for (size_t n = 1 + random_below(8); n--;) {
			char *at = flipped + random_below(text.len);

			if (i % 2)
				*at ^= (char)(1U << random_below(8));
			else if (*at >= '0' && *at <= '9')
				*at = "0123456789-.eE,"[random_below(15)];
		}
		rc = read_text(flipped, text.len, NULL, &p, &which, &err);
		sane &= rc ? err.msg[0] && !p.samples.n : is_sane(&p);
		read += !rc;
		parsed_release(&p);
	}
	ok(sane, "%s with bytes flipped, 200 times (%d still read): an error or sane", file, read);
}

static void test_damage(const char *folder, const strings_t *head, const strings_t *row)
{
	AUTOFREE char *path = mem_printf("%s%s", folder, row->items[0]);

	(void)head;
	cut_file(path, row->items[0]);
	flip_file(path, row->items[0]);
}

static bool is_fs_mark(const char *file)
{
	return str_starts(file, "fsmark");
}

/* "files_per_sec=8324.8 overhead_us=390190 count=51200 size=8192 fsuse=5" of the first loop */
static void test_fs_mark_row(const char *folder, const strings_t *head, const strings_t *row)
{
	static const struct {
		const char *key, *metric;
		int job;
		double scale;
	} keys[] = {
		{ "files_per_sec=", "files", 0, 1 }, { "overhead_us=", "app_overhead", 0, 1e-3 },
		{ " count=", "file_count", JOB_ALL, 1 }, { " size=", "file_size", JOB_ALL, 1 },
		{ "fsuse=", "fs_use", JOB_ALL, 1 },
	};
	AUTOFREE char *path = mem_printf("%s%s", folder, row->items[0]);
	const char *expected = row->items[column(head, "expected")];
	AUTOSTR struct str text = { 0 };
	const struct parser *which;
	struct parsed p = { 0 };
	struct err err;
	int compared = 0;

	file_slurp(path, &text, NULL);
	if (!ok(!read_text(str_text(&text), text.len, NULL, &p, &which, &err), "%s: read %s", row->items[0], err.msg))
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *at = strstr(expected, keys[i].key);

		if (!at)
			continue;
		compared++;
		is_near(get(&p, keys[i].metric, DIR_ALL, keys[i].job) * keys[i].scale,
			strtod(at + strlen(keys[i].key), NULL), 1e-12, keys[i].metric);
	}
	ok(compared >= 2, "%s: %d values", row->items[0], compared);
	parsed_release(&p);
	cut_file(path, row->items[0]);
	flip_file(path, row->items[0]);
}

/*
 * Small inputs: what must come out of each
 */

#define DATA "tests/data/text/"
#define A DIR_ALL
#define R DIR_READ
#define W DIR_WRITE
#define T DIR_TRIM
#define JA JOB_ALL
#define MISSING NAN
#define KiB 1024.0
#define MiB 1048576.0
#define US 1e3
#define MS 1e6
#define S 1e9

struct want {
	const char *metric;
	enum direction direction;
	int job;
	double value;
	const char *device;
};

struct input {
	const char *file, *format; /* format: what reads it; of a refused one what sniffs at it, NULL if nothing does */
	int njobs;
	const char *error;  /* part of the message; NULL: it is read */
	const char *reason; /* the run failed */
	const char *tool;
	const char *axes; /* "pattern=read bs=4k", in the order of the output */
	struct want want[20];
};

static const struct input inputs[] = {
	{ "terse_v2.txt", "fio-terse", 1,
	  .want = { { "bw", R, 0, 1024 * KiB }, { "iops", R, JA, 256 }, { "io_bytes", A, JA, 4096 * KiB },
		    { "runtime", R, JA, 4 * S }, { "clat_mean", R, 0, 250.25 * US }, { "clat_min", R, 0, 10 * US },
		    { "clat_max", R, 0, 2000 * US }, { "clat_stddev", R, 0, 7.5 * US }, { "slat_mean", R, 0, 1.5 * US },
		    { "lat_mean", R, 0, 251.75 * US }, { "clat_p99", R, 0, 990 * US }, { "clat_p99.9", R, 0, MISSING },
		    { "bw", W, 0, MISSING }, { "clat_mean", W, 0, MISSING }, { "ctx", A, JA, 77 },
		    { "usr_cpu", A, JA, 1.5 }, { "iodepth_level_1", A, JA, 100 }, { "lat_bucket_250us", A, JA, 99 },
		    { "ios", A, JA, MISSING }, { "minf", A, JA, 9 } } },
	{ "terse_v2_trim.txt", "fio-terse", 1, .reason = "job 'd' ended with error 5 (Input/output error)",
	  .want = { { "bw", T, 0, 1024 * KiB }, { "bw", R, 0, MISSING }, { "ctx", A, 0, 77 } } },
	{ "terse_v3.txt", "fio-terse", 2, .tool = "fio-3.1",
	  .want = { { "bw", R, 0, 1024 * KiB }, { "bw", W, 1, 4096 * KiB }, { "iops", W, 1, 1024 },
		    { "disk_ios", R, JA, 100, "sda" }, { "disk_ios", W, JA, 200, "sda" },
		    { "disk_ticks", W, JA, 60 * MS, "sda" }, { "disk_util", A, JA, 99.5, "sda" },
		    { "disk_merges", W, JA, 4, "sdb" }, { "disk_in_queue", A, JA, 7 * MS, "sdb" },
		    { "ctx", A, JA, 154 } } },
	/* Two jobs of a group: data and I/Os over the longest time. */
	{ "terse_v3_two.txt", "fio-terse", 2, .tool = "fio-3.1",
	  .want = { { "bw", R, JA, 8192 * KiB / 4 }, { "iops", R, JA, 2048 / 4 }, { "clat_mean", R, JA, 200.25 * US },
		    { "job_bw_max", A, JA, 2048 * KiB }, { "clat_p99", R, JA, MISSING } } },
	{ "terse_v4.txt", "fio-terse", 1, .tool = "fio-3.36",
	  .reason = "job 'x' ended with error 28 (No space left on device)",
	  .want = { { "bw", T, 0, 512 * KiB }, { "clat_mean", T, 0, 50.5 * US }, { "bw", A, 0, 1536 * KiB } } },
	{ "terse_v5.txt", "fio-terse", 1, .tool = "fio-3.36",
	  .want = { { "bw", W, 0, 1024 * KiB }, { "lat_mean", W, 0, 251.75 * US }, { "usr_cpu", A, 0, 1.5 } } },
	{ "terse_gtod.txt", "fio-terse", 1, .tool = "fio-3.36",
	  .want = { { "bw", R, 0, 1024 * KiB }, { "clat_mean", R, 0, MISSING }, { "clat_p99", R, 0, MISSING },
		    { "lat_mean", R, 0, MISSING } } },
	{ "terse_cut.txt", "fio-terse", .error = "line 1: a terse row of version 3 that is cut off or damaged" },

	{ "v2.txt", "fio-text", 2, .tool = "fio-2.2.10", .axes = "bs=4K pattern=randrw ioengine=libaio iodepth=32 jobs=2",
	  .want = { { "bw", R, 0, 4096 * KiB }, { "iops", R, 0, 1024 }, { "io_bytes", R, 0, 40960 * KiB },
		    { "bw", W, 0, 923956 }, { "io_bytes", W, 0, 20 * MiB }, { "clat_max", R, 0, 1409.9 * MS },
		    { "clat_mean", W, 0, 28.25 * MS }, { "clat_p99", R, 0, 33.024 * MS },
		    { "clat_p99.99", R, 0, 288.768 * MS }, { "slat_mean", R, 0, 12.5 * US }, { "ctx", A, JA, 300 },
		    { "ios", R, JA, 15360 }, { "bw", R, JA, 61440 * KiB / 20 }, { "lat_bucket_2ms", A, 0, 55.14 },
		    { "lat_bucket_4ms", A, 0, 0 }, { "lat_bucket_2ms", A, 1, MISSING }, { "disk_util", A, JA, 0, "md0" },
		    { "disk_ios", R, JA, 7680, "sda" }, { "disk_merges", W, JA, 22, "sda" },
		    { "job_bw_min", A, JA, 1024 * KiB } } },
	{ "v3.txt", "fio-text", 1, .tool = "fio-3.33", .axes = "bs=4096 pattern=randread ioengine=io_uring iodepth=8 jobs=4",
	  .want = { { "bw", R, 0, 1094 * MiB }, { "iops", R, 0, 280000 }, { "io_bytes", R, 0, 32768 * MiB },
		    { "runtime", R, 0, 30.005 * S }, { "slat_max", R, 0, 83.293 * MS }, { "lat_mean", R, 0, 14.63 * MS },
		    { "clat_mean", R, 0, 14618.22 * US }, { "clat_p99", R, 0, 60 * MS }, { "sync_lat_mean", A, 0, 55 * US },
		    { "sync_lat_p99", A, 0, 98 * US }, { "lat_bucket_4ms", A, 0, 4.93 }, { "iodepth_submit_4", A, 0, 100 },
		    { "ios", A, 0, 8400192 }, { "usr_cpu", A, JA, 10.66 }, { "disk_bytes", W, JA, 16384, "nvme0n1" },
		    { "disk_ios", W, JA, 2839164, "nvme0n1" }, { "disk_ticks", R, JA, 672.666 * S, "nvme0n1" } } },
	{ "mail.txt", "fio-text", 1, .axes = "jobs=2",
	  .want = { { "bw", W, 0, 4e6 }, { "iops", W, 0, 1000 }, { "io_bytes", W, 0, 40e6 }, { "clat_stddev", W, 0, 92155.36 },
		    { "clat_max", W, 0, 7.8287 * MS }, { "clat_p99", W, 0, 2802 }, { "clat_p99.9", W, 0, 3326 },
		    { "ctx", A, 0, 47728 }, { "ios", W, 0, 10000 }, { "runtime", W, 0, 10 * S } } },
	{ "units.txt", "fio-text", 1, .axes = "jobs=1",
	  .want = { { "bw", R, 0, 8e9 }, { "iops", R, 0, 2e6 }, { "io_bytes", R, 0, 8e6 }, { "clat_mean", R, 0, 48.79 },
		    { "bw", T, 0, 62.5 * 1024 * MiB / 8 }, { "iops", T, 0, 1.5e6 }, { "io_bytes", T, 0, 8192 * KiB } } },
	{ "two_blocks.txt", "fio-text", 2,
	  .want = { { "bw", R, 0, 277 * MiB }, { "bw", R, 1, 757 * MiB }, { "iops", R, 1, 1550000 },
		    { "clat_mean", R, 0, MISSING }, { "bw", A, JA, MISSING }, { "iops", R, JA, MISSING },
		    { "ctx", A, 1, 9950560 }, { "job_bw_min", A, JA, MISSING } } },
	{ "groups.txt", "fio-text", 2,
	  .want = { { "bw", R, 1, 757 * MiB }, { "bw", A, JA, MISSING }, { "ctx", A, JA, 10816639 } } },
	{ "error.txt", "fio-text", 1, .axes = "jobs=1",
	  .reason = "job 'RANDREAD' ended with error 110: fio: io_u error on file /dev/nullb0: Connection timed out: read "
		    "offset=5873664, buflen=4096",
	  .want = { { "iops", R, 0, 33 }, { "bw", R, 0, 64.6 * KiB } } },
	{ "signal.txt", "fio-text", 1, .axes = "jobs=32", .reason = "fio: terminating on signal 2",
	  .want = { { "iops", R, 0, 567000 } } },
	{ "cut_job.txt", "fio-text", .error = "the report of job '/dev/nvme0n1' is cut off" },
	{ "cut_jobs.txt", "fio-text", .error = "2 jobs were started, 1 are in it" },

	{ "fs_mark.txt", "fs_mark", 1, .tool = "fs_mark-3.3", .axes = "jobs=2",
	  .want = { { "files", A, JA, 8324.8 }, { "files", A, 0, 8324.8 }, { "app_overhead", A, JA, 390.190 * MS },
		    { "file_count", A, JA, 51200 }, { "file_size", A, JA, 8192 }, { "fs_use", A, JA, 5 },
		    { "files_stddev", A, JA, MISSING } } },
	{ "loops.txt", "fs_mark", 2, .tool = "fs_mark-3.3", .axes = "jobs=2",
	  .want = { { "files", A, JA, 200.5 }, { "files", A, 1, 100.5 }, { "files_stddev", A, JA, 141.4213562373095 },
		    { "app_overhead", A, JA, 2 * MS }, { "file_count", A, JA, 2000 }, { "fs_use", A, JA, 6 } } },
	{ "verbose.txt", "fs_mark", 1, .tool = "fs_mark-3.3", .axes = "jobs=2", .want = { { "files", A, JA, 300.5 } } },
	{ "fs_mark_cut.txt", "fs_mark", .error = "no whole line of five numbers" },

	/* Its rates are of one process. */
	{ "rawio.txt", "rawio", 0, .tool = "rawread", .axes = "jobs=16 pattern=read",
	  .want = { { "iops", A, JA, 16412 / 0.492072 }, { "bw", R, JA, 8338 * 16 * KiB }, { "job_bw_mean", A, JA, 8338 * KiB },
		    { "job_iops_mean", A, JA, 16412 / 0.492072 / 16 }, { "ios", R, JA, 16412 },
		    { "runtime", A, JA, 0.492072 * S } } },
	{ "rawio_aggregate.txt", "rawio", 0, .tool = "rawread", .axes = "jobs=4 pattern=write",
	  .want = { { "iops", W, JA, 100 }, { "bw", A, JA, 400 * KiB }, { "job_bw_mean", A, JA, 100 * KiB } } },
	{ "rawio_odd.txt", "rawio", 0, .tool = "rawread", .axes = "jobs=4 pattern=read",
	  .reason = "1000 I/Os in 10 s do not fit the printed rate of 700, be it of one process or of all",
	  .want = { { "bw", A, JA, MISSING } } },

	{ "lines.txt", "name-value", 0,
	  .want = { { "iops", A, JA, 17060.5 }, { "clat_p99", R, JA, 1.25 * MS }, { "bw", A, JA, 4 * MiB },
		    { "ctx", A, JA, 2210 } } },
	{ "lines_unknown.txt", "name-value", .error = "line 2: unknown metric 'iosp'" },
	{ "lines_unit.txt", "name-value", .error = "line 1: 'furlongs' is no unit of 'iops' (stored in 'IOPS')" },
	{ "lines_twice.txt", "name-value", .error = "line 2: 'iops' is there twice" },

	{ "table.tsv", "published", .error = NULL },
	{ "table_metric.tsv", "published", .error = "line 2: unknown metric 'iosp'" },
	{ "table_mean.tsv", "published", .error = "line 2: mean '-' or stddev '2' is not a number" },
	{ "table_n.tsv", "published", .error = "line 2: n '0' or jobs '1' is not a count" },
	{ "table_short.tsv", "published", .error = "line 2: not 9 fields" },
	{ "table_columns.tsv", NULL, .error = "published wants a line with the names of its columns" },
	{ "nothing.txt", NULL, .error = "fio-text wants a line with \"(groupid=\"" },
};

static char *axes_of(const struct parsed *p)
{
	struct str out = { 0 };

	for (size_t i = 0; i < p->axes.n; i++)
		if (p->axes.items[i].value)
			str_addf(&out, "%s%s=%s", out.len ? " " : "", p->axes.items[i].name, p->axes.items[i].value);
	return out.len ? str_steal(&out) : NULL;
}

static void test_wants(const struct input *in, const struct parsed *p)
{
	bool all = true;

	for (const struct want *w = in->want; w < in->want + ARRAY_LEN(in->want) && w->metric; w++) {
		double got = get_of(p, w->metric, w->direction, w->job, w->device);

		if (isnan(w->value) ? isnan(got) : fabs(got - w->value) <= 1e-12 * fabs(w->value))
			continue;
		printf("# %s: %s of direction %d, job %d: %.17g, wanted %.17g\n", in->file, w->metric,
		       (int)w->direction, w->job, got, w->value);
		all = false;
	}
	ok(all, "%s: values", in->file);
}

static void test_input(const struct input *in)
{
	AUTOFREE char *path = mem_printf(DATA "%s", in->file);
	AUTOFREE char *axes = NULL;
	AUTOSTR struct str text = { 0 };
	const struct parser *which;
	struct parsed p = { 0 };
	struct err err;
	int bad;

	file_slurp(path, &text, NULL);
	bad = read_text(str_text(&text), text.len, NULL, &p, &which, &err);
	is(which ? which->name : NULL, in->format, in->file);
	if (in->error) {
		ok(bad == -1 && err.kind == ERR_FAULT && !p.samples.n && !p.axes.n && !p.tool && !p.diagnostics,
		   "%s: refused, and nothing comes out", in->file);
		has(err.msg, in->error, in->file);
		return;
	}
	ok(!bad && is_sane(&p), "%s: read %s", in->file, err.msg);
	axes = axes_of(&p);
	is_int(p.njobs, in->njobs, "jobs");
	is(p.reason, in->reason, "reason");
	is(p.tool, in->tool, "tool");
	is(axes, in->axes, "axes");
	test_wants(in, &p);
	parsed_release(&p);
	cut_file(path, in->file);
	flip_file(path, in->file);
}

static void test_published(void)
{
	AUTOSTR struct str text = { 0 };
	const struct parser *which;
	struct parsed p = { 0 };
	struct err err;
	const struct published *row;

	file_slurp(DATA "table.tsv", &text, NULL);
	read_text(str_text(&text), text.len, NULL, &p, &which, &err);
	/* A deviation over I/Os is a metric of its own, not one over runs. */
	if (!ok(p.published.n == 4, "rows: three, and one for a deviation over I/Os"))
		return;
	row = p.published.items;
	is(row[0].source, "post", "source");
	is(row[0].pattern, "read", "pattern");
	is(row[0].variant, "cfq", "variant");
	is(row[0].jobs, "1", "jobs");
	is_int((long long)row[0].n, 10, "n");
	is_near(row[0].mean, 17060.3, 0, "mean");
	is_near(row[0].stddev, 77.09, 0, "stddev");
	is(row[1].metric->name, "lat_mean", "lat_sd_io: the latency");
	is_near(row[1].mean, 841.788 * MS, 1e-15, "its mean");
	ok(isnan(row[1].stddev), "without a deviation over runs");
	is(row[2].metric->name, "lat_stddev", "and its deviation");
	is_near(row[2].mean, 4070.3 * MS, 1e-15, "over I/Os");
	is(row[3].pattern, NULL, "an empty field");
	ok(!row[3].n && isnan(row[3].stddev), "n and stddev not given");
	is_near(row[3].mean, 153e6, 0, "MB/s is decimal");
	parsed_release(&p);
}

/* Nothing may be quadratic: seconds here, hours if it were. */
static void test_hostile(void)
{
	static const char *const pieces[] = {
		"3;fio-1;", "2;0%=0;", "3;fio-;0%=0;\n", "x: (groupid=0, jobs=1): err= 0\n", "(groupid=", "> ", ">\n",
		"\n", "a: ios=1/2, util=1%\n", "FSUse%\n1 2 3 4 5\n", "FSUse% ", "1 2 ", "procs KB/sec Ops/sec\n", "iops 1 IOPS\n",
		"source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\n", "a\tb\tc\t1\tiops\tIOPS\t1\t1\t1\n",
		"(groupid=0)\nread: IOPS=1,\n", "99.9th=[ 1], ", "fio: pid=1\n", "Starting 1\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
		for (size_t k = 0; parser_at(k); k++) {
			AUTOSTR struct str text = { 0 };
			struct parsed p = { 0 };
			struct err err = { 0 };
			int bad;

			while (text.len < 300000)
				str_add(&text, pieces[i]);
			bad = parser_at(k)->parse(str_text(&text), text.len, &p, &err);
			if (bad ? !err.msg[0] || p.samples.n : !is_sane(&p) && parser_at(k) != parser_find("fs_mark"))
				ok(false, "much of '%s' to %s", pieces[i], parser_at(k)->name);
			parsed_release(&p);
		}
	ok(true, "much of little things");
}

static void test_empty(void)
{
	for (size_t k = 0; parser_at(k); k++) {
		struct parsed p = { 0 };
		struct err err = { 0 };

		ok(parser_at(k)->parse("", 0, &p, &err) == -1 && err.msg[0], "%s: nothing is refused", parser_at(k)->name);
		ok(!parser_at(k)->sniff("", 0), "%s: does not sniff at nothing", parser_at(k)->name);
	}
}

int main(void)
{
	random_state = 20260101;
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		test_input(&inputs[i]);
	test_published();
	test_hostile();
	test_empty();
	test_index(CORPUS "fio/", is_text, 10, test_row);
	test_index(CORPUS "generated/", is_text, 7, test_row);
	test_index(CORPUS "fio/", is_text, 10, test_damage);
	test_index(CORPUS "generated/", is_text, 7, test_damage);
	test_index(CORPUS "other/", is_fs_mark, 3, test_fs_mark_row);
	return tap_done();
}
