// SPDX-License-Identifier: GPL-2.0-or-later
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/str.h"
#include "parsers/fio_job.h"
#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * fio --output-format=json and json+, versions 2.1 to 3.41. What changed in between (dates in fio's git log):
 *
 *	2.1.14	total_ios; before it iops is an integer and the only word on the number of I/Os
 *	2.2.12	json+: every bin by its index, plus FIO_IO_U_PLAT_BITS; since 2.20 bins > 0 by their value
 *	2.21	io_bytes counts bytes, io_kbytes appears; before it io_bytes counts KiB
 *	3.0	clat_ns, lat_ns, slat_ns instead of clat, lat, slat in us (2.99 on); 3.2 bw_bytes
 *	3.4	sync; 3.8 job_runtime; 3.18 N, and percentiles for each kind of latency
 */

/* Members */

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const cJSON *object_member(const cJSON *object, const char *key)
{
	const cJSON *item = member(object, key);

	return cJSON_IsObject(item) ? item : NULL;
}

/* NaN for what is no number, below zero (counters of 32 bits that wrapped) or above 64 bits. */
static double value_of(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 0x1p63 ? item->valuedouble : NAN;
}

static double number(const cJSON *object, const char *key)
{
	return value_of(member(object, key));
}

static const char *string(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(member(object, key));
}

/* Latencies */

static bool has_percentile(const struct fio_dist *dist, unsigned percent_e6)
{
	for (size_t i = 0; i < dist->percentiles.n; i++)
		if (dist->percentiles.items[i].percent_e6 == percent_e6)
			return true;
	return false;
}

static void read_percentiles(const cJSON *list, double ns, struct fio_dist *dist)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		/* "0.00" fills the list of old versions. */
		unsigned percent_e6 = item->string ? metric_percent_e6(item->string) : 0;
		double value = value_of(item);

		if (!percent_e6 || isnan(value) || has_percentile(dist, percent_e6))
			continue;
		if (dist->percentiles.n == FIO_MAX_PERCENTILES)
			return;
		*vec_push(&dist->percentiles) = (struct fio_percentile){ percent_e6, value * ns };
	}
}

/* stat.c, plat_idx_to_val of fio 2.2.12 to 2.19: the middle of the bin of that index. */
static double bin_middle(uint64_t index, unsigned bits)
{
	uint64_t per_group = 1ULL << bits, error_bits = (index >> bits) - 1;
	double width = ldexp(1, (int)error_bits);

	if (index < 2 * per_group)
		return (double)index;
	return (double)per_group * width + floor(((double)(index % per_group) + 0.5) * width);
}

static void read_bins(const cJSON *bins, double ns, struct fio_dist *dist)
{
	double plat_bits = number(bins, "FIO_IO_U_PLAT_BITS");
	bool indexed = plat_bits >= 1 && plat_bits <= 16;
	const cJSON *item;

	if (!bins)
		return;
	dist->parts_with_bins = 1;
	cJSON_ArrayForEach(item, bins) {
		double count = value_of(item);
		uint64_t key;

		if (!(count > 0) || !item->string || !isdigit((unsigned char)item->string[0]))
			continue;
		key = strtoull(item->string, NULL, 10);
		fio_dist_add_bin(dist, ns * (indexed ? bin_middle(key, (unsigned)plat_bits) : (double)key), count);
	}
}

static void read_lat(const cJSON *parent, enum fio_lat_kind kind, double ios, struct fio_lat *lat)
{
	static const char *const key_ns[FIO_N_LATS] = { "lat_ns", "clat_ns", "slat_ns", "lat_ns" };
	static const char *const key_us[FIO_N_LATS] = { "lat", "clat", "slat", "lat" };
	const cJSON *from = object_member(parent, key_ns[kind]);
	double ns = from ? 1 : 1000;

	if (!from)
		from = object_member(parent, key_us[kind]);
	lat->n = number(from, "N");
	lat->min_ns = number(from, "min") * ns;
	lat->max_ns = number(from, "max") * ns;
	lat->mean_ns = number(from, "mean") * ns;
	lat->stddev_ns = number(from, "stddev") * ns;
	lat->weight = isnan(lat->n) ? ios : lat->n;
	/* With gtod_reduce or disable_clat, fio measures nothing and prints zeros. */
	lat->known = isnan(lat->n) ? lat->mean_ns > 0 || lat->max_ns > 0 : lat->n > 0;
	if (!lat->known)
		return;
	if (lat->weight < 2)
		lat->stddev_ns = NAN;
	lat->dist.parts = 1;
	read_percentiles(object_member(from, "percentile"), ns, &lat->dist);
	read_bins(object_member(from, "bins"), ns, &lat->dist);
}

/* Jobs */

struct document {
	const cJSON *root;
	bool io_bytes_in_kib;
};

static double read_bytes(const struct document *doc, const cJSON *dir, double ios)
{
	double bytes = number(dir, "io_bytes");

	if (!doc->io_bytes_in_kib || member(dir, "io_kbytes"))
		return bytes;
	return bytes == 0 && ios > 0 ? NAN : bytes * 1024; /* less than a KiB was cut off */
}

static void read_io(const struct document *doc, const cJSON *dir, struct fio_io *io)
{
	double bw_bytes = number(dir, "bw_bytes");

	io->ios = number(dir, "total_ios");
	io->bytes = read_bytes(doc, dir, io->ios);
	io->runtime_ns = number(dir, "runtime") * 1e6;
	io->bw = isnan(bw_bytes) ? number(dir, "bw") * 1024 : bw_bytes;
	io->iops = number(dir, "iops");
	fio_io_finish(io);
	for (int kind = 0; io->done && kind < FIO_SYNC_LAT; kind++)
		read_lat(dir, (enum fio_lat_kind)kind, io->weight, &io->lat[kind]);
}

static bool wants_lat_percentiles(const cJSON *options)
{
	const char *value = string(options, "lat_percentiles");

	return value && strcmp(value, "0") != 0;
}

/*
 * From 3.1 to 3.12, percentiles of the whole latency (lat_percentiles=1) are printed as if they were clat's; json+ has
 * their bins in the right place since 3.2.
 */
static void move_percentiles(struct fio_io *io)
{
	struct fio_dist *clat = &io->lat[FIO_CLAT].dist, *lat = &io->lat[FIO_LAT].dist, swap = *lat;

	if (!io->lat[FIO_LAT].known || lat->percentiles.n || !clat->percentiles.n)
		return;
	if (lat->bins.n) {
		lat->percentiles = clat->percentiles;
		clat->percentiles = swap.percentiles;
	} else {
		*lat = *clat;
		*clat = swap;
	}
}

/* With unified_rw_reporting, "mixed" is reads, writes and trims together, beside them ("both") or instead of them. */
static int read_directions(const struct document *doc, const cJSON *from, struct fio_job *job)
{
	static const char *const keys[] = { "mixed", "read", "write", "trim" };
	bool lat_percentiles = wants_lat_percentiles(member(from, "job options")) ||
			       wants_lat_percentiles(member(doc->root, "global options"));
	const cJSON *sync = object_member(from, "sync");
	int found = 0;

	for (int d = DIR_ALL; d <= DIR_TRIM; d++) {
		const cJSON *dir = object_member(from, keys[d]);

		if (!dir)
			continue;
		found++;
		read_io(doc, dir, &job->io[d]);
		if (lat_percentiles)
			move_percentiles(&job->io[d]);
	}
	if (!job->io[DIR_ALL].done)
		fio_job_total(job);
	read_lat(sync, FIO_SYNC_LAT, number(sync, "total_ios"), &job->io[DIR_ALL].lat[FIO_SYNC_LAT]);
	return found;
}

static void read_shares(const cJSON *from, double share[FIO_N_SHARES])
{
	static const char *const bounds[] = { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000",
					      ">=2000" };
	static const char *const levels[] = { "1", "2", "4", "8", "16", "32", ">=64" };
	static const char *const calls[] = { "0", "4", "8", "16", "32", "64", ">=64" };
	static const struct {
		const char *object, *const *keys;
		int first, n;
	} groups[] = {
		{ "latency_ns", bounds, FIO_SHARE_LAT_NS, 10 },	   { "latency_us", bounds, FIO_SHARE_LAT_US, 10 },
		{ "latency_ms", bounds, FIO_SHARE_LAT_MS, 12 },	   { "iodepth_level", levels, FIO_SHARE_LEVEL, 7 },
		{ "iodepth_submit", calls, FIO_SHARE_SUBMIT, 7 },  { "iodepth_complete", calls, FIO_SHARE_COMPLETE, 7 },
	};

	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		const cJSON *object = object_member(from, groups[g].object);

		for (int i = 0; i < groups[g].n; i++)
			share[groups[g].first + i] = number(object, groups[g].keys[i]);
	}
	fio_shares_finish(share);
}

static int read_job(const struct document *doc, const cJSON *from, struct fio_job *job)
{
	const cJSON *error = member(from, "error");

	fio_job_init(job);
	job->name = string(from, "jobname");
	job->group = number(from, "groupid");
	job->start_ns = number(from, "job_start") * 1e6;
	job->error = cJSON_IsNumber(error) ? error->valuedouble : 0;
	job->runtime_ns = number(from, "job_runtime") * 1e6;
	/* Of less than a millisecond fio has no shares, and prints 0. */
	job->usr_cpu = job->runtime_ns == 0 ? NAN : number(from, "usr_cpu");
	job->sys_cpu = job->runtime_ns == 0 ? NAN : number(from, "sys_cpu");
	job->ctx = number(from, "ctx");
	job->majf = number(from, "majf");
	job->minf = number(from, "minf");
	job->steadystate = number(object_member(from, "steadystate"), "attained");
	read_shares(from, job->share);
	return read_directions(doc, from, job);
}

/* How the load was made */

static const cJSON *jobs_of(const cJSON *root)
{
	const cJSON *jobs = member(root, "jobs");

	return cJSON_IsArray(jobs) ? jobs : member(root, "client_stats");
}

/* An option of a job: its own, or the one for all. NULL if neither is printed. */
static const char *job_option(const struct document *doc, const cJSON *job, const char *name)
{
	const char *own = string(object_member(job, "job options"), name);

	return own ? own : string(object_member(doc->root, "global options"), name);
}

static void read_axes(const struct document *doc, const cJSON *job, struct parsed *out)
{
	static const struct {
		const char *axis, *option, *alias;
	} rows[] = {
		{ "pattern", "rw", "readwrite" }, { "bs", "bs", "blocksize" },	{ "iodepth", "iodepth", NULL },
		{ "ioengine", "ioengine", NULL }, { "direct", "direct", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *value = job_option(doc, job, rows[i].option);

		if (!value && rows[i].alias)
			value = job_option(doc, job, rows[i].alias);
		parsed_add_axis(out, rows[i].axis, value);
	}
}

/*
 * Without group_reporting every clone of a job is printed; with it only "numjobs" tells how many there were, and that
 * fio leaves out where it stands in the global section.
 */
static void read_job_count(const struct document *doc, const struct fio_run *run, struct parsed *out)
{
	const cJSON *jobs = jobs_of(doc->root), *job = jobs->child;
	bool grouped = job_option(doc, job, "group_reporting");
	bool told = object_member(job, "job options") || object_member(doc->root, "global options");
	AUTOFREE char *count = mem_printf("%d", run->njobs);

	if (!grouped && run->one_group && (told || run->njobs > 1))
		parsed_add_axis(out, "jobs", count);
	else if (grouped && run->njobs == 1)
		parsed_add_axis(out, "jobs", job_option(doc, job, "numjobs"));
}

/* Disks */

/* "sda", or "host:sda" in client/server mode; NULL if it has no name. The caller frees. */
static char *disk_name(const cJSON *disk)
{
	const char *name = string(disk, "name"), *host = string(disk, "hostname");

	return host && name ? mem_printf("%s:%s", host, name) : mem_strdup(name);
}

static void emit_disk(const cJSON *disk, const char *device, struct parsed *out)
{
	static const struct {
		const char *key, *metric;
		enum direction direction;
		double scale;
	} rows[] = {
		{ "read_ios", "disk_ios", DIR_READ, 1 },	 { "write_ios", "disk_ios", DIR_WRITE, 1 },
		{ "read_merges", "disk_merges", DIR_READ, 1 },	 { "write_merges", "disk_merges", DIR_WRITE, 1 },
		{ "read_sectors", "disk_bytes", DIR_READ, 512 }, { "write_sectors", "disk_bytes", DIR_WRITE, 512 },
		{ "read_ticks", "disk_ticks", DIR_READ, 1e6 },	 { "write_ticks", "disk_ticks", DIR_WRITE, 1e6 },
		{ "in_queue", "disk_in_queue", DIR_ALL, 1e6 },	 { "util", "disk_util", DIR_ALL, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		parsed_add_of_device(out, rows[i].metric, rows[i].direction, device,
				     number(disk, rows[i].key) * rows[i].scale);
}

struct disk {
	char *device;
	const cJSON *from;
};

static int compare_disks(const void *a, const void *b)
{
	return strcmp(((const struct disk *)a)->device, ((const struct disk *)b)->device);
}

/* Two servers on one host report the same disk twice: once is enough. */
static void emit_disks(const cJSON *list, struct parsed *out)
{
	VEC(struct disk) disks = { 0 };
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		char *device = disk_name(item);

		if (device)
			*vec_push(&disks) = (struct disk){ device, item };
	}
	if (disks.n)
		qsort(disks.items, disks.n, sizeof(*disks.items), compare_disks);
	for (size_t i = 0; i < disks.n; i++)
		if (!i || strcmp(disks.items[i - 1].device, disks.items[i].device) != 0)
			emit_disk(disks.items[i].from, disks.items[i].device, out);
	for (size_t i = 0; i < disks.n; i++)
		free(disks.items[i].device);
	vec_free(&disks);
}

/* Documents */

static bool is_fio_document(const cJSON *root)
{
	return cJSON_IsArray(jobs_of(root));
}

/* In client/server mode fio adds up the clients itself, in one more entry (client.c, handle_ts). */
static bool is_sum_of_clients(const cJSON *root, const char *name)
{
	return !member(root, "jobs") && name && !strcmp(name, "All clients");
}

static bool counts_kib(const char *version)
{
	char *dot;

	return version && str_starts(version, "fio-") && strtoul(version + 4, &dot, 10) == 2 && *dot == '.' &&
	       strtoul(dot + 1, NULL, 10) < 21;
}

static int read_jobs(const struct document *doc, struct fio_run *run, struct parsed *out, struct err *err)
{
	const cJSON *item;
	struct fio_job job, sum;
	bool summed = false;
	int index = 0;

	cJSON_ArrayForEach(item, jobs_of(doc->root)) {
		if (!read_job(doc, item, &job)) {
			fio_job_release(&job);
			if (summed)
				fio_job_release(&sum);
			return err_set(err, ERR_FAULT, "%s[%d] holds none of 'read', 'write', 'trim', 'mixed'",
				       jobs_of(doc->root)->string, index);
		}
		index++;
		if (!summed && is_sum_of_clients(doc->root, job.name)) {
			summed = true;
			sum = job;
			continue;
		}
		fio_run_add(run, &job, out);
		fio_job_release(&job);
		read_axes(doc, item, out);
	}
	if (summed) {
		fio_run_fill_gaps(run, &sum);
		fio_job_release(&sum);
	}
	return 0;
}

static int read_document(const cJSON *root, struct parsed *out, struct err *err)
{
	const char *version = string(root, "fio version");
	const struct document doc = { root, counts_kib(version) };
	struct fio_run run;
	int rc;

	fio_run_init(&run);
	rc = read_jobs(&doc, &run, out, err);
	if (!rc) {
		fio_run_emit(&run, out);
		read_job_count(&doc, &run, out);
		emit_disks(member(root, "disk_util"), out);
		fio_run_judge(&run, out);
		out->tool = mem_strdup(version);
	}
	fio_run_release(&run);
	return rc;
}

/* Text */

/* Where a document may begin: at a brace that opens an object with a member. */
static const char *next_start(const char *p, const char *end)
{
	for (; (p = memchr(p, '{', (size_t)(end - p))); p++) {
		const char *q = p + 1;

		while (q < end && isspace((unsigned char)*q))
			q++;
		if (q < end && *q == '"')
			return p;
	}
	return NULL;
}

/* "fio version" has been the first member since the format began. */
static bool starts_fio(const char *brace)
{
	return str_starts(strchr(brace, '"'), "\"fio version\"");
}

/* The last place in (from, to] where fio begins a document: what is behind it is not part of the one before. */
static const char *restart(const char *from, const char *to, const char *end)
{
	const char *last = NULL;

	for (const char *p = from + 1; p < end && (p = next_start(p, end)) && p <= to; p++)
		if (starts_fio(p))
			last = p;
	return last;
}

/* Where to go on behind a document that begins at 'brace' and breaks at 'fault'. */
static const char *after_fault(const char *brace, const char *fault, const char *end)
{
	const char *again = restart(brace, fault, end);

	if (again)
		return again;
	return fault > brace ? fault : brace + 1;
}

struct scan {
	cJSON *last;	     /* the last whole document */
	struct str words;    /* what stands around the documents */
	const char *broken;  /* start of a document of fio's behind 'last' that is not whole */
	const char *fault;   /* where it breaks */
};

/* Every byte is parsed at most twice: a document begins behind the fault of the one before, or at its restart. */
static void scan_documents(const char *text, const char *end, struct scan *scan)
{
	const char *p = text, *shown = text;

	while (p < end && (p = next_start(p, end))) {
		const char *stop = NULL;
		cJSON *root = cJSON_ParseWithLengthOpts(p, (size_t)(end - p), &stop, false);

		if (is_fio_document(root)) {
			str_addn(&scan->words, shown, (size_t)((scan->broken ? scan->broken : p) - shown));
			cJSON_Delete(scan->last);
			scan->last = root;
			scan->broken = NULL;
			p = shown = stop;
			continue;
		}
		if (!root && !scan->broken && starts_fio(p)) {
			scan->broken = p;
			scan->fault = stop;
		}
		p = root ? stop : after_fault(p, stop, end);
		cJSON_Delete(root);
	}
	str_addn(&scan->words, shown, (size_t)((scan->broken ? scan->broken : end) - shown));
}

/* A mail's quoting: a document that begins on a line "> {". */
static bool is_quoted(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == '>' && line[strspn(line, "> ")] == '{')
			return true;
	}
	return false;
}

/*
 * Length of what printf makes of a double that is no number: "-nan", "inf", on Windows "-nan(ind)" and "1.#IND00"; 0
 * for all else.
 */
static size_t non_number(const char *start)
{
	const char *p = start + (*start == '-');

	if (!strchr("NnIi1", *p))
		return 0;
	if (!strncasecmp(p, "nan", 3) || !strncasecmp(p, "inf", 3))
		p += 3 + strspn(p + 3, "(adfins)");
	else if (str_starts(p, "1.#"))
		p += 3 + strspn(p + 3, "0123456789ADFINQS");
	else
		return 0;
	return *p && strchr(",}] \t\r\n", *p) ? (size_t)(p - start) : 0;
}

/* The text with null in place of such values, in 'out', which stays empty where there are none. */
static void null_non_numbers(const char *text, const char *end, struct str *out)
{
	const char *done = text;

	for (const char *p = text; p < end; p++) {
		const char *value = p + 1;
		size_t len;

		if (*p != ':' && *p != ',' && *p != '[')
			continue;
		value += strspn(value, " \t\r\n");
		len = non_number(value);
		if (!len)
			continue;
		str_addn(out, done, (size_t)(value - done));
		str_add(out, "null");
		done = value + len;
	}
	if (out->len)
		str_addn(out, done, (size_t)(end - done));
}

static size_t line_number(const char *text, const char *at)
{
	size_t line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* What is worth keeping of the words around the documents; NULL if nothing. The caller frees. */
static char *tidy(struct str *words)
{
	char *s = words->s;

	for (size_t i = 0; i < words->len; i++)
		if (!s[i])
			s[i] = ' ';
	if (s && str_starts(s, "\xef\xbb\xbf"))
		s += 3;
	s = s ? str_trim(s) : NULL;
	return s && *s ? mem_strdup(s) : NULL;
}

static int read_scan(const char *text, struct scan *scan, struct parsed *out, struct err *err)
{
	size_t line = scan->broken ? line_number(text, scan->fault) : 0;

	if (!scan->last && scan->broken)
		return err_set(err, ERR_FAULT, "fio's JSON is cut off or damaged in line %zu", line);
	if (!scan->last)
		return err_set(err, ERR_FAULT, "no JSON of fio's in it: no object with 'jobs' or 'client_stats'");
	out->diagnostics = tidy(&scan->words);
	if (read_document(scan->last, out, err))
		return -1;
	if (scan->broken && !out->failed) {
		out->failed = true;
		out->reason = mem_printf("the last document is cut off or damaged in line %zu", line);
	}
	return 0;
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	AUTOSTR struct str unquoted = { 0 }, numbers = { 0 };
	const char *end = text + len;
	struct scan scan = { 0 };
	int rc;

	if (is_quoted(text)) {
		text_unquote(text, end, &unquoted);
		text = str_text(&unquoted);
		end = text + unquoted.len;
	}
	null_non_numbers(text, end, &numbers);
	if (numbers.len) {
		text = str_text(&numbers);
		end = text + numbers.len;
	}
	scan_documents(text, end, &scan);
	rc = read_scan(text, &scan, out, err);
	if (rc)
		parsed_release(out);
	cJSON_Delete(scan.last);
	str_release(&scan.words);
	return rc;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, "\"fio version\"", 13) || memmem(text, len, "\"jobname\"", 9);
}

const struct parser fio_json = {
	.name = "fio-json",
	.title = "fio --output-format=json or json+",
	.wants = "a member \"fio version\" or \"jobname\"",
	.sniff = sniff,
	.parse = parse,
};
