// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/corpus.h"

#define DATA "tests/data/fio_json/"
#define MS 1e6
#define S 1e9
#define MISSING NAN

static const struct parser *fio_json;

static int parse_text(const struct str *text, struct parsed *p, struct err *err)
{
	return fio_json->parse(str_text(text), text->len, p, err);
}

static int parse_file(const char *path, struct parsed *p, struct err *err)
{
	AUTOSTR struct str text = { 0 };

	return file_slurp(path, &text, err) || parse_text(&text, p, err) ? -1 : 0;
}

/* Equal to the last digits of a double; MISSING equals only what is missing. */
static bool same(double got, double want)
{
	return isnan(want) ? isnan(got) : fabs(got - want) <= 1e-12 * fabs(want);
}

/*
 * Small inputs: what must come out of each
 */

struct want {
	const char *metric;
	enum direction direction;
	int job;
	double value;
	const char *device;
};

struct input {
	const char *file;
	int njobs;
	const char *error;	 /* part of the message of a refusal */
	const char *reason;	 /* whole; of an output that says that the run failed */
	const char *diagnostics; /* whole */
	struct want want[24];
};

#define R DIR_READ
#define W DIR_WRITE
#define A DIR_ALL
#define JA JOB_ALL

/* bom_crlf.json and all that hold the same document in another dress */
#define SIMPLE                                                                                                 \
	{ "bw", R, 0, 4096000 }, { "bw", A, JA, 4096000 }, { "iops", R, JA, 1000 }, { "ios", R, JA, 1000 },     \
	{ "io_bytes", R, JA, 4096000 }, { "runtime", R, JA, 1 * S }, { "lat_mean", R, 0, 2000 },                \
	{ "lat_stddev", A, JA, 100 }, { "clat_p99", R, JA, 7000 }, { "clat_p99.9", R, JA, 7900 },               \
	{ "clat_max", R, 0, 8000 }, { "usr_cpu", A, JA, 10 }, { "ctx", A, 0, 1010 }, { "ctx_per_io", A, JA, 1.01 }, \
	{ "bw", W, JA, MISSING }, { "slat_mean", R, 0, MISSING }, { "lat_bucket_4us", A, JA, 30 },               \
	{ "lat_bucket_2ms", A, JA, 0 }, { "iodepth_submit_4", A, JA, MISSING }, { "job_bw_jain", A, JA, MISSING }

static const struct input inputs[] = {
	{ "bom_crlf.json", 1, .want = { SIMPLE } },
	{ "quoted_mail.txt", 1, .diagnostics = "Hello,\n\nthis is what I see:\n\n\n\nRegards", .want = { SIMPLE } },
	{ "quoted_twice.txt", 1, .diagnostics = "On Monday he wrote:\nfio prints\n\nand so on", .want = { SIMPLE } },
	{ "control_characters.json", 1, .want = { SIMPLE } },
	{ "duplicate_keys.json", 1, .want = { SIMPLE, { "clat_p50", R, JA, 1800 } } },
	{ "foreign.txt", 1,
	  .diagnostics = "jobs { \"a\" : 1 } {} {\"level\":\"info\",\"jobs\":7}\n{ \"half\": [1,\nset x = { \"y\n\n"
			 "{\"level\":\"info\",\"msg\":\"done\"}\nthat is all {",
	  .want = { SIMPLE } },

	/* What is no number is missing, and only that. */
	{ "not_a_number.json", 1,
	  .want = { { "lat_mean", R, 0, MISSING }, { "lat_max", R, 0, 9000 }, { "lat_stddev", R, 0, MISSING },
		    { "clat_stddev", A, JA, MISSING }, { "clat_mean", A, JA, 1900 }, { "iops", R, JA, MISSING },
		    { "bw", R, JA, 4096000 }, { "usr_cpu", A, JA, MISSING }, { "sys_cpu", A, JA, 20 },
		    { "cpu_per_io", A, JA, MISSING } } },
	{ "wrong_types.json", 1,
	  .want = { { "bw", R, JA, MISSING }, { "iops", R, JA, MISSING }, { "ctx", A, 0, MISSING },
		    { "usr_cpu", A, 0, MISSING }, { "sys_cpu", A, 0, 20 }, { "io_bytes", R, JA, 4096000 },
		    { "clat_p99", R, JA, MISSING }, { "clat_p99.9", R, JA, 7900 }, { "clat_p50", R, JA, 1800 },
		    { "iodepth_level_1", A, JA, MISSING }, { "lat_bucket_2us", A, JA, 60 } } },
	{ "gtod_reduce.json", 1,
	  .want = { { "bw", R, JA, 4096000 }, { "lat_mean", R, JA, MISSING }, { "clat_max", A, JA, MISSING },
		    { "clat_n", R, 0, MISSING }, { "lat_bucket_2us", A, JA, MISSING },
		    { "iodepth_level_1", A, JA, 100 }, { "ctx_per_io", A, JA, 1.01 } } },
	{ "below_one_ms.json", 1,
	  .want = { { "io_bytes", R, JA, 1048576 }, { "bw", R, JA, MISSING }, { "iops", A, JA, MISSING },
		    { "runtime", R, 0, MISSING }, { "clat_mean", R, JA, 90 }, { "usr_cpu", A, JA, MISSING } } },
	{ "trimmed.json", 1,
	  .want = { { "bw", R, 0, 1048576 }, { "iops", R, JA, 250 }, { "clat_mean", R, JA, 1000 },
		    { "clat_stddev", R, JA, 50 }, { "clat_p99", A, JA, 2000 }, { "io_bytes", R, JA, MISSING },
		    { "runtime", A, JA, MISSING }, { "clat_n", R, JA, MISSING }, { "clat_min", R, JA, MISSING },
		    { "bw", W, JA, MISSING }, { "ctx", A, JA, MISSING }, { "majf", A, JA, MISSING } } },

	/* Jobs put together: 4096000 B in 1 s and 1024000 B in 2 s; 1000 and 250 I/Os; 100 latencies each. */
	{ "two_jobs_bins.json", 2,
	  .want = { { "bw", R, 0, 4096000 }, { "bw", R, 1, 512000 }, { "bw", R, JA, 2560000 },
		    { "bw", A, JA, 2560000 },
		    { "iops", R, JA, 625 }, { "runtime", R, JA, 2 * S }, { "clat_n", R, JA, 200 },
		    { "clat_mean", R, JA, 2400 }, { "clat_min", R, JA, 800 }, { "clat_max", A, JA, 4100 },
		    /* bins 1000: 60, 2000: 30, 3000: 90, 4000: 20 */
		    { "clat_p50", R, JA, 3000 }, { "clat_p90", R, JA, 3000 }, { "clat_p99", A, JA, 4000 },
		    { "clat_p50", R, 0, 1000 }, { "clat_p50", R, 1, 3000 }, { "lat_p50", R, JA, MISSING },
		    { "usr_cpu", A, JA, 4 }, { "sys_cpu", A, JA, 8 }, { "cpu_per_io", A, JA, 384000 },
		    { "ctx", A, JA, 400 }, { "ctx_per_io", A, JA, 0.32 }, { "minf", A, JA, 18 } } },
	{ "two_jobs_no_bins.json", 2,
	  .want = { { "clat_p50", R, JA, MISSING }, { "clat_p50", A, JA, MISSING }, { "clat_p50", R, 0, 1000 },
		    { "clat_mean", R, JA, 2400 }, { "iodepth_level_1", A, JA, 84 }, { "iodepth_level_2", A, JA, 16 },
		    { "iodepth_level_4", A, JA, 0 }, { "lat_bucket_2us", A, JA, 42 }, { "lat_bucket_4us", A, JA, 58 },
		    { "iodepth_submit_4", A, JA, 100 }, { "iodepth_complete_0", A, JA, MISSING },
		    { "iodepth_complete_0", A, 0, 50 }, { "job_bw_min", A, JA, 512000 },
		    { "job_bw_max", A, JA, 4096000 }, { "bw", W, JA, MISSING } } },
	{ "one_job_has_bins.json", 2,
	  .want = { { "clat_p50", R, JA, MISSING }, { "clat_p99", A, JA, MISSING }, { "clat_p99", R, 1, 3000 } } },
	/* Groups may not have run together. */
	{ "two_groups.json", 2,
	  .want = { { "bw", R, 0, 4096000 }, { "bw", R, JA, MISSING }, { "iops", A, JA, MISSING },
		    { "runtime", A, JA, MISSING }, { "io_bytes", A, JA, 5120000 }, { "clat_mean", R, JA, 2400 },
		    { "clat_p99", R, JA, 4000 }, { "ctx", A, JA, 400 }, { "job_bw_jain", A, JA, MISSING } } },
	/* Unless they say when they began: 4096000 bytes in 1 s and 1024000 in 2 s, 100 ms later. */
	{ "two_groups_together.json", 2,
	  .want = { { "bw", R, JA, 2560000 }, { "iops", A, JA, 625 }, { "runtime", A, JA, 2 * S } } },
	{ "two_groups_apart.json", 2, .want = { { "bw", R, 0, 4096000 }, { "bw", R, JA, MISSING }, { "iops", A, JA, MISSING } } },

	/* Directions put together: 1000 reads in 1 s, 500 writes in 2 s. */
	{ "read_write.json", 1,
	  .want = { { "bw", R, JA, 4096000 }, { "bw", W, JA, 1024000 }, { "bw", A, 0, 3072000 },
		    { "bw", A, JA, 3072000 },
		    { "iops", A, JA, 750 }, { "ios", A, JA, 1500 }, { "io_bytes", A, JA, 6144000 },
		    { "runtime", A, JA, 2 * S }, { "clat_mean", A, JA, 2400 }, { "clat_mean", R, JA, 2000 },
		    { "clat_mean", W, JA, 2800 }, { "clat_p50", A, JA, 3000 }, { "clat_p50", R, JA, 1000 },
		    { "ctx_per_io", A, JA, 2 } } },
	{ "unified_both.json", 1,
	  .want = { { "bw", R, JA, 4096000 }, { "bw", W, JA, 1024000 }, { "bw", A, JA, 3072000 },
		    { "io_bytes", A, JA, 6144000 }, { "clat_mean", A, JA, 2400 }, { "clat_stddev", A, JA, 408 },
		    { "clat_p50", A, JA, 3000 }, { "clat_p99", A, 0, 4000 }, { "clat_p50", W, JA, 3000 } } },
	{ "unified_mixed.json", 1,
	  .want = { { "bw", A, JA, 3072000 }, { "iops", A, JA, 750 }, { "clat_p50", A, JA, 3000 },
		    { "bw", R, JA, MISSING }, { "bw", W, JA, MISSING }, { "ctx_per_io", A, JA, 2 } } },
	{ "trim.json", 1,
	  .want = { { "bw", DIR_TRIM, JA, 8192000 }, { "bw", A, JA, 8192000 }, { "iops", A, JA, 2000 },
		    { "clat_p99", DIR_TRIM, 0, 80 }, { "bw", R, JA, MISSING }, { "bw", W, JA, MISSING } } },
	{ "sync.json", 1,
	  .want = { { "sync_lat_mean", A, JA, 700 }, { "sync_lat_n", A, 0, 500 }, { "sync_lat_p99", A, JA, 8000 },
		    { "clat_mean", W, JA, 1900 }, { "lat_mean", A, JA, 2000 }, { "iops", A, JA, 1000 } } },
	{ "steadystate_disks.json", 2,
	  .want = { { "steadystate_attained", A, 0, 1 }, { "steadystate_attained", A, 1, 0 },
		    { "steadystate_attained", A, JA, 0 }, { "disk_ios", R, JA, 1000, "sdb" },
		    { "disk_ios", W, JA, 5, "sdb" }, { "disk_bytes", R, JA, 4096000, "sdb" },
		    { "disk_merges", R, JA, 3, "sdb" }, { "disk_ticks", R, JA, 1500 * MS, "sdb" },
		    { "disk_ticks", W, JA, MISSING, "sdb" }, { "disk_in_queue", A, JA, MISSING, "sdb" },
		    { "disk_util", A, JA, 99.5, "sdb" }, { "disk_util", A, JA, 0.25, "sda" },
		    { "disk_in_queue", A, JA, 3 * MS, "sda" }, { "disk_util", A, JA, MISSING } } },

	/* Old versions: us, KiB, whole IOPS, zeros and "0.00" for what there is not, bins by index. */
	{ "v21_usec.json", 2,
	  .want = { { "bw", W, 0, 10485760 }, { "io_bytes", W, 0, 104857600 }, { "io_bytes", A, JA, 157286400 },
		    { "bw", A, JA, 15728640 }, { "iops", A, JA, 400 }, { "ios", A, JA, MISSING },
		    { "clat_min", W, 0, 10000 }, { "clat_mean", W, 0, 200500 }, { "clat_p99", W, 1, 600000 },
		    { "clat_mean", A, JA, 125500 }, { "clat_max", A, JA, 900000 }, { "clat_n", A, JA, MISSING },
		    { "lat_mean", W, 0, 201500 }, { "slat_mean", W, 0, MISSING }, { "bw", R, JA, MISSING },
		    { "ctx_per_io", A, JA, MISSING }, { "ctx", A, JA, 14 }, { "lat_bucket_4us", A, JA, 100 },
		    { "lat_bucket_4ns", A, JA, MISSING }, { "clat_p99", A, JA, MISSING },
		    { "usr_cpu", A, 0, 1.5 }, { "usr_cpu", A, JA, MISSING } } },
	/* With 6 bits, index 130 is the middle of 132..133 us, 200 of 288..291, 300 of 864..871; 5 is 5. */
	{ "v218_index_bins.json", 2,
	  .want = { { "clat_p50", W, 0, 133000 }, { "clat_p50", W, 1, 5000 }, { "clat_p50", W, JA, 5000 },
		    { "clat_p95", W, JA, 290000 }, { "clat_p99.5", W, JA, 868000 }, { "ios", W, JA, 200 },
		    { "clat_mean", W, JA, 110000 }, { "io_bytes", W, JA, 819200 } } },
	{ "v31_lat_percentiles.json", 1,
	  .want = { { "lat_p99", R, JA, 7000 }, { "lat_p50", A, 0, 1800 }, { "clat_p99", R, JA, MISSING },
		    { "bw", R, JA, 4096000 }, { "lat_mean", R, JA, 2000 } } },
	{ "v37_lat_percentiles.json", 2,
	  .want = { { "lat_p99", R, 0, 7000 }, { "lat_p99", R, JA, 7000 }, { "lat_p50", A, JA, 1800 },
		    { "clat_p99", R, 0, MISSING }, { "clat_p99", R, JA, MISSING } } },

	/* Client and server: the sum is not one more job, and only fills the gaps of ours (its clat mean is 9999). */
	{ "client.txt", 2,
	  .diagnostics = "hostname=hosta, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.39, flags=1\n"
			 "Jobs: 2 (f=2): [R(2)][50.0%][eta 00m:01s]\rJobs: 2 (f=2)",
	  .want = { { "io_bytes", R, JA, 5120000 }, { "bw", R, JA, 2560000 }, { "clat_mean", R, JA, 2400 },
		    { "clat_p50", R, JA, 3000 }, { "clat_p90", A, JA, 3001 }, { "usr_cpu", A, JA, 4 },
		    { "iodepth_complete_0", A, JA, 48 }, { "job_bw_min", A, JA, 512000 },
		    { "bw", R, 2, MISSING }, { "disk_ios", R, JA, 1000, "hosta:sdb" } } },
	{ "client_no_sum.json", 2,
	  .want = { { "io_bytes", R, JA, 5120000 }, { "clat_mean", R, JA, 2400 }, { "clat_p50", R, JA, MISSING } } },
	{ "client_none.txt", 0, .reason = "no I/O was done: <hosta> fio: engine libaio not loadable",
	  .diagnostics = "<hosta> fio: engine libaio not loadable" },

	/* Several documents: the last whole one. */
	{ "status_interval.txt", 1,
	  .want = { { "ios", R, JA, 3000 }, { "runtime", R, JA, 3 * S }, { "clat_max", R, 0, 23 } } },
	{ "status_cut.txt", 1, .reason = "the last document is cut off or damaged in line 562",
	  .want = { { "ios", R, JA, 2000 }, { "clat_max", R, 0, 22 } } },
	{ "cut_then_whole.txt", 1, .want = { { "ios", R, JA, 2000 } } },

	/* What failed says so. */
	{ "signal.txt", 1, .reason = "fio: terminating on signal 15", .diagnostics = "fio: terminating on signal 15",
	  .want = { SIMPLE } },
	{ "job_signal.txt", 1, .reason = "fio: pid=77, got signal=25",
	  .diagnostics = "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped "
			 "at 1\nfio: pid=77, got signal=25\n\nfio: file hash not empty on exit" },
	{ "enospc.txt", 1,
	  .reason = "fio: io_u error on file /mnt/x.0.0: No space left on device: write offset=4096, buflen=4096",
	  .diagnostics = "fio: io_u error on file /mnt/x.0.0: No space left on device: write offset=4096, "
			 "buflen=4096" },
	{ "error5.json", 3, .reason = "2 of 3 jobs failed; job 'a' ended with error 5 (Input/output error)" },
	{ "error22.txt", 1,
	  .reason = "job 'x' ended with error 22: fio: pid=0, err=22/file:filesetup.c:1155, func=total_file_size, "
		    "error=Invalid argument",
	  .diagnostics = "x: you need to specify size=\nfio: pid=0, err=22/file:filesetup.c:1155, "
			 "func=total_file_size, error=Invalid argument",
	  .want = { { "bw", A, JA, MISSING }, { "clat_mean", A, JA, MISSING }, { "usr_cpu", A, JA, MISSING } } },
	{ "no_io.txt", 2, .reason = "no I/O was done: fio: file creation disallowed by allow_file_create=0",
	  .diagnostics = "fio: file creation disallowed by allow_file_create=0" },

	/* What cannot be read is refused, with the place. */
	{ "truncated.json", .error = "cut off or damaged in line 129" },
	{ "truncated_in_string.json", .error = "cut off or damaged in line 8" },
	{ "no_directions.json", .error = "jobs[1] holds none of 'read', 'write', 'trim', 'mixed'" },
};

static void test_wants(const struct input *in, const struct parsed *p)
{
	bool all = true;

	for (const struct want *w = in->want; w->metric; w++) {
		double got = get_of(p, w->metric, w->direction, w->job, w->device);

		if (!same(got, w->value)) {
			printf("# %s: %s of direction %d, job %d: %.17g, wanted %.17g\n", in->file, w->metric,
			       (int)w->direction, w->job, got, w->value);
			all = false;
		}
	}
	ok(all, "%s: values", in->file);
}

static void test_input(const struct input *in)
{
	AUTOFREE char *path = mem_printf(DATA "%s", in->file);
	struct parsed p = { 0 };
	struct err err = { 0 };

	if (in->error) {
		ok(parse_file(path, &p, &err) == -1 && err.kind == ERR_FAULT, "%s: refused", in->file);
		has(err.msg, in->error, in->file);
		ok(!p.samples.n && !p.samples.items && !p.tool && !p.diagnostics, "%s: nothing comes out", in->file);
		return;
	}
	if (!ok(!parse_file(path, &p, &err), "%s: parsed", in->file))
		printf("# %s\n", err.msg);
	is_int(p.njobs, in->njobs, "jobs");
	is(p.reason, in->reason, "reason");
	ok(p.failed == !!in->reason, "failed");
	is(p.diagnostics, in->diagnostics, "diagnostics");
	test_wants(in, &p);
	parsed_release(&p);
}

/* What the table cannot say: roots. */
static void test_spread(void)
{
	const double bw[] = { 4096000, 512000 }, sum = bw[0] + bw[1];
	struct parsed p = { 0 };

	parse_file(DATA "two_jobs_bins.json", &p, NULL);
	/* 99 x 100^2 + 99 x 50^2 + (2800 - 2000)^2 x 100 x 100 / 200 = 33237500, over n - 1 = 199 */
	is_near(get(&p, "clat_stddev", R, JA), sqrt(33237500 / 199.0), 1e-12, "stddev of two jobs' latencies");
	is_near(get(&p, "job_bw_stddev", A, JA), (bw[0] - bw[1]) / sqrt(2), 1e-12, "stddev over jobs");
	is_near(get(&p, "job_bw_jain", A, JA), sum * sum / (2 * (bw[0] * bw[0] + bw[1] * bw[1])), 1e-12, "Jain index");
	is(p.tool, "fio-3.33", "tool");
	parsed_release(&p);
}

static void test_refusals(void)
{
	static const char *const texts[] = {
		"", "{", "}", "{}", "[]", "null", "fio-3.33", "{\"jobs\":1}", "{\"jobs\":{}}", "{ \"fio version\"",
		"{\"client_stats\":\"x\"}", "{\"jobs\":[1]}", "{\"jobs\":[null]}", "{\"jobs\":[[]]}", "> {", ">",
		"\xef\xbb\xbf",
		"{\"jobs\":[{\"read\":1,\"write\":[],\"trim\":null}]}",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct str text = { (char *)texts[i], strlen(texts[i]), 0 };
		struct parsed p = { 0 };
		struct err err = { 0 };

		ok(parse_text(&text, &p, &err) == -1 && err.msg[0] && !p.samples.n, "refused: '%s'", texts[i]);
	}
	ok(fio_json->sniff("{ \"fio version\" : ", 18), "sniffs at a beginning");
	ok(!fio_json->sniff("read: IOPS=1 { }", 16), "does not sniff at other text");
}

/* Nothing may be quadratic: seconds here, hours if it were. */
static void test_hostile(void)
{
	static const char *const pieces[] = {
		"{\"fio version\":", "{\"a\":", "{ \"fio version\" : \"x\"\n", "> {\n", ": nan(", "[", "{", "\"",
		":nan,", "\\\"{", "{\"jobs\":[",
	};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		AUTOSTR struct str text = { 0 };
		struct parsed p = { 0 };

		while (text.len < 1000000)
			str_add(&text, pieces[i]);
		ok(parse_text(&text, &p, NULL) == -1, "a megabyte of '%.14s' is refused", pieces[i]);
	}
}

/* NUL bytes are legal in a text, wherever they are. */
static void test_nul_bytes(void)
{
	AUTOSTR struct str text = { 0 };
	struct parsed p = { 0 };
	char *name;

	str_addn(&text, "a\0b\n", 4);
	file_slurp(DATA "quoted_mail.txt", &text, NULL);
	name = strstr(text.s + 4, "\"jobname\" : \"a");
	name[13] = '\0';
	/* Behind a NUL byte quoting is not looked for; the document is broken then, but not we. */
	ok(parse_text(&text, &p, NULL) == -1, "a quoted document behind a NUL byte");
	str_clear(&text);
	str_addn(&text, "a\0b\n", 4);
	file_slurp(DATA "read_write.json", &text, NULL);
	name = strstr(text.s + 4, "\"jobname\" : \"r");
	name[13] = '\0';
	ok(!parse_text(&text, &p, NULL), "a NUL byte in words and in a string");
	is(p.diagnostics, "a b", "NUL bytes in diagnostics become blanks");
	is_near(get(&p, "bw", A, JA), 3072000, 0, "bandwidth");
	parsed_release(&p);
}

/*
 * The corpus: what its INDEX says of job 0, and no crash whatever happens to a file
 */

static bool is_json(const char *file)
{
	return file[0] == 'j' || strstr(file, ".json") || strstr(file, "json.txt") ||
	       !strcmp(file, "g_all_formats.txt") || !strcmp(file, "g_client_server.txt") ||
	       !strcmp(file, "g_efbig_or_sigxfsz.txt");
}

/* These say it in their words, not in "error". */
static bool failed_in_words(const char *file)
{
	return !strcmp(file, "j307_enospc_line_err0.json") || !strcmp(file, "j333_signal2.json") ||
	       !strcmp(file, "g_efbig_or_sigxfsz.txt");
}

static void test_row(const char *folder, const strings_t *head, const strings_t *row)
{
	const char *file = row->items[0], *error = row->items[column(head, "error")];
	AUTOFREE char *path = mem_printf("%s%s", folder, file);
	struct parsed p = { 0 };
	struct err err = { 0 };

	if (!strcmp(error, "ERROR")) {
		ok(parse_file(path, &p, &err) == -1 && !p.samples.n, "%s is refused: %s", file, err.msg);
		return;
	}
	if (!ok(!parse_file(path, &p, &err), "%s is read %s", file, err.msg))
		return;
	if (strtod(error, NULL) != 0) {
		AUTOFREE char *words = mem_printf("ended with error %s", error);

		ok(p.failed, "%s failed", file);
		has(p.reason, words, "and says how");
	} else {
		ok(p.failed == failed_in_words(file), "%s: %s", file, p.reason ? p.reason : "no failure");
	}
	test_listed(&p, head, row, 0);
	parsed_release(&p);
}

/* The columns of the INDEX have no place for these. */
static void test_corpus_specials(void)
{
	struct parsed p = { 0 };

	if (parse_file(CORPUS "generated/g_unified_mixed.json", &p, NULL)) {
		skip(1, "no corpus beside this tree");
		return;
	}
	is_near(floor(get(&p, "bw", A, 0) / 1024), 2730666, 0, "mixed bandwidth");
	is_near(get(&p, "iops", A, 0), 682666.666667, 0, "mixed IOPS");
	ok(as_listed(get(&p, "clat_mean", A, JA) / 1000, "0.17", false), "mixed clat");
	is_near(get(&p, "clat_p99", A, JA), 141, 0, "mixed p99");
	parsed_release(&p);
	parse_file(CORPUS "generated/g_trim.json", &p, NULL);
	is_near(get(&p, "bw", DIR_TRIM, 0), 4096000 * 1024.0, 0, "trim bandwidth");
	is_near(get(&p, "iops", DIR_TRIM, JA), 1024000, 0, "trim IOPS");
	parsed_release(&p);
	parse_file(CORPUS "generated/g_unified_both.json", &p, NULL);
	is_near(get(&p, "ios", A, JA), 2048, 0, "both: I/Os are counted once");
	is_near(get(&p, "clat_mean", A, JA), 55.032715, 0, "both: fio's own mixed latency");
	parsed_release(&p);
	parse_file(CORPUS "generated/g_status_interval_json.txt", &p, NULL);
	is_near(get(&p, "ios", A, JA), 8001, 0, "status-interval: the last document");
	parsed_release(&p);
	parse_file(CORPUS "fio/j307_client_server.txt", &p, NULL);
	is_int(p.njobs, 10, "10 clients, and not their sum");
	is_near(get(&p, "io_bytes", A, JA), 5740351488, 0, "the sum is not added to its parts");
	is_near(floor(get(&p, "bw", A, JA)), 381824630, 0, "bandwidth is what fio's sum says");
	is_near(get(&p, "usr_cpu", A, JA), 1.629769, 0, "CPU time is fio's, our total has none of this version");
	parsed_release(&p);
	parse_file(CORPUS "fio/j333_ss_16jobs_negticks.json", &p, NULL);
	is_int(p.njobs, 16, "16 jobs");
	ok(!isnan(get(&p, "steadystate_attained", A, JA)), "steady state is read");
	for (size_t i = 0; i < p.samples.n; i++)
		if (p.samples.items[i].value < 0)
			ok(false, "%s below zero", p.samples.items[i].metric->name);
	parsed_release(&p);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Cut anywhere inside its only document, a file is refused; behind it, or between documents, it is as it was. */
static void test_cuts(const char *folder, const strings_t *head, const strings_t *row)
{
	AUTOFREE char *path = mem_printf("%s%s", folder, row->items[0]);
	AUTOSTR struct str text = { 0 };
	bool sane = true, refused = true, flagged = true;
	const char *last_brace;
	size_t documents;

	(void)head;
	file_slurp(path, &text, NULL);
	documents = count(text.s, "\"fio version\"");
	last_brace = strrchr(text.s, '}');
	for (int i = 0; i < 200; i++) {
		size_t len = random_below(text.len);
		AUTOFREE char *cut = mem_strndup(text.s, len); /* its own, so that reading behind it is seen */
		struct parsed p = { 0 };
		struct err err = { 0 };
		int rc = fio_json->parse(cut, len, &p, &err);

		sane &= rc ? err.msg[0] && !p.samples.n : is_sane(&p);
		refused &= documents > 1 || rc || text.s + len > last_brace;
		/* Inside a later document: the one before it, and that it is not the last. */
		flagged &= documents == 1 || rc || p.failed || count(cut, "\n}") == count(cut, "\"fio version\"");
		parsed_release(&p);
	}
	ok(sane, "%s cut in 200 places: an error or sane", row->items[0]);
	ok(refused, "%s: no part of a document is taken for the whole", row->items[0]);
	ok(flagged, "%s: an interim document is flagged", row->items[0]);
}

static void test_flips(const char *folder, const strings_t *head, const strings_t *row)
{
	AUTOFREE char *path = mem_printf("%s%s", folder, row->items[0]);
	AUTOSTR struct str text = { 0 };
	bool sane = true;
	int read = 0;

	(void)head;
	file_slurp(path, &text, NULL);
	for (int i = 0; i < 200; i++) {
		AUTOFREE char *flipped = mem_strndup(text.s, text.len);
		struct parsed p = { 0 };
		struct err err = { 0 };
		int rc;

		/* Every other time only within numbers: most other flips are but syntax errors. */
		for (size_t n = 1 + random_below(8); n--;) {
			char *at = flipped + random_below(text.len);

			if (i % 2)
				*at ^= (char)(1U << random_below(8));
			else if (*at >= '0' && *at <= '9')
				*at = "0123456789-.eE,"[random_below(15)];
		}
		rc = fio_json->parse(flipped, text.len, &p, &err);
		sane &= rc ? err.msg[0] && !p.samples.n : is_sane(&p);
		read += !rc;
		parsed_release(&p);
	}
	ok(sane, "%s with bytes flipped, 200 times (%d still read): an error or sane", row->items[0], read);
}

/*
 * Real fio, where it is: what it puts together itself against what we make of the parts
 */

static bool run_fio(const char *args, struct str *out)
{
	const char *common = "fio --output-format=json+ --ioengine=null --bs=4k --size=8m";
	AUTOFREE char *command = mem_printf("%s %s 2>/dev/null", common, args);
	FILE *f = popen(command, "r");
	char chunk[4096];
	size_t n;

	str_clear(out);
	while (f && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		str_addn(out, chunk, n);
	return f && pclose(f) == 0;
}

/* Both parse; every sample of 'a' for the run as a whole is in 'b', equal within rounding of what fio prints. */
static void same_totals(const struct str *a, const struct str *b, const char *what)
{
	struct parsed pa = { 0 }, pb = { 0 };
	int compared = 0, percentiles = 0;
	bool all = true;

	ok(!parse_text(a, &pa, NULL) && !parse_text(b, &pb, NULL), "%s: parsed", what);
	for (size_t i = 0; i < pa.samples.n; i++) {
		const struct sample *s = &pa.samples.items[i];
		double got = get_of(&pb, s->metric->name, s->direction, JOB_ALL, s->device);
		bool percentile = s->metric->flags & METRIC_PERCENTILE;

		if (s->job != JOB_ALL)
			continue;
		compared++;
		percentiles += percentile;
		/* fio prints whole bytes per second, and six decimals */
		if (percentile ? got == s->value : fabs(got - s->value) <= 1e-6 + 2e-9 * s->value)
			continue;
		printf("# %s of direction %d: %.17g against %.17g\n", s->metric->name, (int)s->direction, s->value,
		       got);
		all = false;
	}
	ok(all, "%s: %d figures agree, %d percentiles exactly", what, compared, percentiles);
	ok(percentiles > 30, "%s: percentiles were compared", what);
	parsed_release(&pa);
	parsed_release(&pb);
}

/* fio's "mixed" against what we make of "read" and "write" when "mixed" is hidden. */
static void test_pooled_directions(void)
{
	AUTOSTR struct str text = { 0 }, hidden = { 0 };
	char *mixed;

	if (!ok(run_fio("--name=both --rw=randrw --unified_rw_reporting=both --lat_percentiles=1", &text), "fio both"))
		return;
	str_addn(&hidden, text.s, text.len);
	mixed = strstr(hidden.s, "\"mixed\"");
	if (!ok(mixed, "fio reports them together"))
		return;
	memcpy(mixed, "\"other\"", 7);
	same_totals(&text, &hidden, "reads and writes");
}

/* The same job twice: percentiles from the bins of both are those that fio printed for one. */
static void test_pooled_twins(void)
{
	AUTOSTR struct str text = { 0 }, twice = { 0 };
	struct parsed one = { 0 }, two = { 0 };
	const char *start, *end;
	int percentiles = 0;
	bool all = true;

	if (!ok(run_fio("--name=twin --rw=randread --lat_percentiles=1", &text), "fio twin"))
		return;
	start = strstr(text.s, "\n    {");
	end = start ? strstr(start, "\n    }") : NULL;
	if (!ok(end, "the job is found"))
		return;
	str_addn(&twice, text.s, (size_t)(end + 6 - text.s));
	str_add(&twice, ",");
	str_add(&twice, start);
	ok(!parse_text(&text, &one, NULL) && !parse_text(&twice, &two, NULL), "parsed");
	is_int(two.njobs, 2, "two jobs");
	for (size_t i = 0; i < one.samples.n; i++) {
		const struct sample *s = &one.samples.items[i];

		if (s->job != JOB_ALL || !(s->metric->flags & METRIC_PERCENTILE))
			continue;
		percentiles++;
		all &= get(&two, s->metric->name, s->direction, JOB_ALL) == s->value;
	}
	ok(all && percentiles > 30, "%d percentiles from bins are those that fio printed", percentiles);
	is_near(get(&two, "ios", A, JA), 4096, 0, "I/Os of both");
	parsed_release(&one);
	parsed_release(&two);
}

static double data_rate(const struct parsed *p)
{
	return get(p, "io_bytes", A, JA) / (get(p, "runtime", A, JA) / S);
}

/* Three jobs apart, put together by us, and three put together by fio: what does not depend on the clock. */
static void test_group(void)
{
	static const struct {
		const char *metric;
		double value;
	} rows[] = {
		{ "io_bytes", 3 * 8388608.0 }, { "ios", 3 * 2048 }, { "clat_n", 3 * 2048 }, { "iodepth_level_1", 100 },
	};
	AUTOSTR struct str apart = { 0 }, together = { 0 };
	struct parsed pa = { 0 }, pt = { 0 };

	ok(run_fio("--name=g --rw=randread --numjobs=3", &apart), "fio apart");
	ok(run_fio("--name=g --rw=randread --numjobs=3 --group_reporting", &together), "fio together");
	ok(!parse_text(&apart, &pa, NULL) && !parse_text(&together, &pt, NULL), "parsed");
	is_int(pa.njobs, 3, "three jobs apart");
	is_int(pt.njobs, 1, "one entry together");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		is_near(get(&pa, rows[i].metric, A, JA), rows[i].value, 0, rows[i].metric);
		is_near(get(&pt, rows[i].metric, A, JA), rows[i].value, 0, rows[i].metric);
	}
	/* The rule that bandwidth is data over run time holds for both, to fio's whole bytes. */
	is_near(get(&pa, "bw", A, JA), data_rate(&pa), 1e-9, "bandwidth apart");
	is_near(get(&pt, "bw", A, JA), data_rate(&pt), 1e-9, "bandwidth together");
	ok(get(&pa, "job_bw_min", A, JA) <= get(&pa, "job_bw_max", A, JA), "fairness apart");
	ok(isnan(get(&pt, "job_bw_min", A, JA)), "no fairness together");
	parsed_release(&pa);
	parsed_release(&pt);
}

static void test_real_fio(void)
{
	if (system("fio --version >/dev/null 2>&1")) {
		skip(1, "no fio on this machine");
		return;
	}
	test_pooled_directions();
	test_pooled_twins();
	test_group();
}

int main(void)
{
	fio_json = parser_find("fio-json");
	random_state = 20170101;
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		test_input(&inputs[i]);
	test_spread();
	test_refusals();
	test_hostile();
	test_nul_bytes();
	test_index(CORPUS "fio/", is_json, 20, test_row);
	test_index(CORPUS "generated/", is_json, 12, test_row);
	test_corpus_specials();
	test_index(CORPUS "fio/", is_json, 20, test_cuts);
	test_index(CORPUS "generated/", is_json, 12, test_cuts);
	test_index(CORPUS "fio/", is_json, 20, test_flips);
	test_index(CORPUS "generated/", is_json, 12, test_flips);
	test_real_fio();
	return tap_done();
}
