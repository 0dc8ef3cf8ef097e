// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parsers/fio_job.h"
#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * fio's normal report (stat.c, show_thread_status_normal), of versions 2 and 3, alone or quoted in a mail:
 *
 *	name: (g=0): rw=randread, bs=(R) 4096B-4096B, …, ioengine=libaio, iodepth=32	how it was made
 *	Starting 4 processes
 *	name: (groupid=0, jobs=4): err= 0: pid=…					a job or a group
 *	  read: IOPS=47.3k, BW=185MiB/s (194MB/s)(10.8GiB/60001msec)			2.x: io=, bw=, iops=, runt=
 *	    clat (usec): min=8, max=13002, avg=439.83, stdev=421.73
 *	    …
 *	     issued rwts: total=994,1054,0,0 short=0,0,0,0 dropped=0,0,0,0
 *	Run status group 0 (all jobs):
 *	Disk stats (read/write):
 *
 * A mailer may have broken lines: what begins like nothing that fio prints belongs to the line before, where that wants
 * more. 2.x writes KB for KiB. 3.x writes KiB and kB for what they are, in an order that depends on kb_base, or bits.
 * Numbers have three or four digits; "k" and "M" are powers of 1000.
 */

struct reader {
	struct fio_run run;
	struct parsed *out;
	struct fio_job job;
	bool in_job, issued;	/* issued: the line that ends what we read of a job was there, and whole */
	char *name;		/* of the job */
	double threads;		/* that it stands for */
	struct fio_io *io;	/* whose lines follow */
	bool sync;		/* … or those of syncs */
	struct fio_dist *dist;	/* whose percentiles follow; NULL: of something else */
	double percentile_ns;	/* unit of these */
	double started, reported; /* threads */
	int block;		/* results of one fio: there may be several in a file */
	bool foreign;		/* something that is not of fio since the last job */
	struct str words;
};

/* Values */

/* Behind "key=" in a list "min= 4, max=1409.9K, avg=…": NULL if it is not there. */
static const char *find_key(const char *list, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = list; (p = strstr(p, key)); p += len)
		if ((p == list || strchr(" ,;(", p[-1])) && p[len] == '=') {
			p += len + 1;
			text_skip_blanks(&p);
			return p;
		}
	return NULL;
}

/* A number that may end in k, M, G: powers of 1000. NaN if there is none. */
static double scaled(const char *p)
{
	static const char suffixes[] = "kMG";
	double value, factor = 1;
	const char *suffix;

	if (!p || !text_number(&p, &value))
		return NAN;
	suffix = *p ? strchr(suffixes, *p == 'K' ? 'k' : *p) : NULL;
	if (suffix)
		factor = pow(1000, (double)(suffix - suffixes) + 1);
	return value * factor;
}

static double key_value(const char *list, const char *key)
{
	return scaled(find_key(list, key));
}

/*
 * "185MiB", "194MB", "62.5Gibit", "923956B" in bytes. 'old': 2.x, whose KB, MB, GB are powers of 1024. NaN for
 * anything else; '*p' is moved behind it.
 */
static double byte_count(const char **p, bool old)
{
	static const char prefixes[] = "kmgtp";
	const char *prefix;
	double value, base = 1000;

	if (!p || !*p || !text_number(p, &value))
		return NAN;
	prefix = **p ? strchr(prefixes, tolower((unsigned char)**p)) : NULL;
	*p += !!prefix;
	if (old || (prefix && **p == 'i'))
		base = 1024;
	*p += prefix && **p == 'i';
	value *= prefix ? pow(base, (double)(prefix - prefixes) + 1) : 1;
	if (str_starts(*p, "bit"))
		return value / 8;
	return **p == 'B' ? value : NAN;
}

static double bytes_of_key(const char *list, const char *key, bool old)
{
	const char *p = find_key(list, key);

	return byte_count(&p, old);
}

/* "(10.8GiB/60001msec)", the last parenthesis of the line. */
static void read_done(const char *list, struct fio_io *io)
{
	const char *p = strstr(list, "BW=");

	while (p && (p = strchr(p, '('))) {
		const char *slash = strchr(++p, '/'), *end = p + strcspn(p, ")");
		double ms;

		if (!slash || slash > end)
			continue;
		slash++;
		if (!text_number(&slash, &ms) || !str_starts(slash, "msec)"))
			continue;
		io->bytes = byte_count(&p, false);
		io->runtime_ns = ms * 1e6;
		return;
	}
}

/* Lines of a job. 'rest' is what stands behind the colon, 'unit' what stands in parentheses before it. */

typedef void line_reader(struct reader *r, const char *unit, const char *rest, int arg);

static void read_rates(struct reader *r, const char *unit, const char *rest, int direction)
{
	struct fio_io *io = &r->job.io[direction];

	(void)unit;
	r->io = io;
	r->sync = false;
	r->dist = NULL;
	if (find_key(rest, "runt")) {
		io->bytes = bytes_of_key(rest, "io", true);
		io->bw = bytes_of_key(rest, "bw", true);
		io->iops = key_value(rest, "iops");
		io->runtime_ns = key_value(rest, "runt") * 1e6;
	} else {
		io->bw = bytes_of_key(rest, "BW", false);
		io->iops = key_value(rest, "IOPS");
		read_done(rest, io);
	}
}

static void read_sync_head(struct reader *r, const char *unit, const char *rest, int arg)
{
	(void)unit;
	(void)rest;
	(void)arg;
	r->sync = true;
	r->io = NULL;
	r->dist = NULL;
}

static double unit_ns(const char *unit)
{
	static const char *const units[] = { "nsec", "usec", "msec", "sec" };

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i], unit))
			return pow(1000, (double)i);
	return NAN;
}

/* Where the line of a latency goes; NULL if it is of nothing we know. */
static struct fio_lat *lat_of(struct reader *r, int kind)
{
	if (kind == FIO_SYNC_LAT)
		return r->sync ? &r->job.io[DIR_ALL].lat[kind] : NULL;
	return r->io ? &r->io->lat[kind] : NULL;
}

static void read_lat(struct reader *r, const char *unit, const char *rest, int kind)
{
	struct fio_lat *lat = lat_of(r, kind);
	double ns = unit_ns(unit);

	r->dist = NULL;
	if (!lat || lat->known || isnan(ns))
		return;
	lat->min_ns = key_value(rest, "min") * ns;
	lat->max_ns = key_value(rest, "max") * ns;
	lat->mean_ns = key_value(rest, "avg") * ns;
	lat->stddev_ns = key_value(rest, "stdev") * ns;
	lat->known = lat->mean_ns > 0 || lat->max_ns > 0;
}

/* "     |  1.00th=[   30],  5.00th=[   31]," */
static void read_percentiles(struct reader *r, const char *line)
{
	for (const char *p = line; r->dist && (p = strstr(p, "th=[")); p++) {
		const char *start = p, *value = p + 4;
		AUTOFREE char *percent = NULL;
		unsigned percent_e6;
		double number;

		while (start > line && (isdigit((unsigned char)start[-1]) || start[-1] == '.'))
			start--;
		percent = mem_strndup(start, (size_t)(p - start));
		percent_e6 = metric_percent_e6(percent);
		text_skip_blanks(&value);
		if (!percent_e6 || !text_number(&value, &number) || *value != ']' ||
		    r->dist->percentiles.n == FIO_MAX_PERCENTILES)
			continue;
		for (size_t i = 0; i < r->dist->percentiles.n; i++)
			if (r->dist->percentiles.items[i].percent_e6 == percent_e6)
				number = NAN;
		if (!isnan(number))
			*vec_push(&r->dist->percentiles) =
				(struct fio_percentile){ percent_e6, number * r->percentile_ns };
	}
}

static void read_percentiles_head(struct reader *r, const char *unit, const char *rest, int kind)
{
	struct fio_lat *lat = lat_of(r, kind);

	(void)rest;
	r->percentile_ns = unit_ns(unit);
	r->dist = lat && !isnan(r->percentile_ns) ? &lat->dist : NULL;
	if (r->dist)
		r->dist->parts = 1;
}

/* "2=0.01%, >=64=0.1%" into the shares from 'first' on. */
static void read_shares(struct reader *r, const char *list, const char *const *keys, int first, int n)
{
	for (int i = 0; i < n; i++) {
		const char *p = find_key(list, keys[i]);
		double share;

		if (p && text_number(&p, &share) && *p == '%')
			r->job.share[first + i] = share;
	}
}

static const char *const bounds[] = { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000" };

/* What is not printed of these is 0. */
static void read_buckets(struct reader *r, const char *unit, const char *list)
{
	static const struct {
		const char *unit;
		int first, n;
	} groups[] = { { "nsec", FIO_SHARE_LAT_NS, 10 }, { "usec", FIO_SHARE_LAT_US, 10 }, { "msec", FIO_SHARE_LAT_MS, 12 } };

	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		if (strcmp(groups[g].unit, unit) != 0)
			continue;
		for (int i = FIO_SHARE_LAT_NS; i < FIO_SHARE_LEVEL; i++)
			if (isnan(r->job.share[i]))
				r->job.share[i] = 0;
		read_shares(r, list, bounds, groups[g].first, groups[g].n);
	}
}

/* "lat (usec): min=…" is a latency, "lat (usec) : 50=0.02%, …" says how all of them are distributed. */
static void read_lat_or_buckets(struct reader *r, const char *unit, const char *rest, int kind)
{
	if (find_key(rest, "avg"))
		read_lat(r, unit, rest, kind);
	else
		read_buckets(r, unit, rest);
}

static void read_depths(struct reader *r, const char *unit, const char *rest, int first)
{
	static const char *const levels[] = { "1", "2", "4", "8", "16", "32", ">=64" };
	static const char *const calls[] = { "0", "4", "8", "16", "32", "64", ">=64" };

	(void)unit;
	read_shares(r, rest, first == FIO_SHARE_LEVEL ? levels : calls, first, 7);
}

static void read_cpu(struct reader *r, const char *unit, const char *rest, int arg)
{
	(void)unit;
	(void)arg;
	r->job.usr_cpu = key_value(rest, "usr");
	r->job.sys_cpu = key_value(rest, "sys");
	r->job.ctx = key_value(rest, "ctx");
	r->job.majf = key_value(rest, "majf");
	r->job.minf = key_value(rest, "minf");
}

/* "total=994,1054,0,0 short=…" or, 2.x, "total=r=528381/w=527716/d=0, short=…" */
static void read_issued(struct reader *r, const char *unit, const char *rest, int arg)
{
	const char *p = find_key(rest, "total");
	double ios[3];

	(void)unit;
	(void)arg;
	for (int i = 0; i < 3; i++) {
		if (p && str_starts(p, (const char *[]){ "r=", "w=", "d=" }[i]))
			p += 2;
		if (!p || !text_number(&p, &ios[i]))
			return;
		if (i < 2 && *p++ != (*rest && strstr(rest, "total=r=") ? '/' : ','))
			return;
	}
	for (int i = 0; i < 3; i++)
		r->job.io[DIR_READ + i].ios = ios[i];
	r->job.io[DIR_ALL].ios = ios[0] + ios[1] + ios[2];
	r->issued = true;
}

static void read_nothing(struct reader *r, const char *unit, const char *rest, int arg)
{
	(void)unit;
	(void)rest;
	(void)arg;
	r->dist = NULL;
}

static const struct line_kind {
	const char *key;
	line_reader *read;
	int arg;
} kinds[] = {
	{ "read", read_rates, DIR_READ },
	{ "write", read_rates, DIR_WRITE },
	{ "trim", read_rates, DIR_TRIM },
	{ "mixed", read_rates, DIR_ALL },
	{ "fsync/fdatasync/sync_file_range", read_sync_head, 0 },
	{ "slat", read_lat, FIO_SLAT },
	{ "clat", read_lat, FIO_CLAT },
	{ "lat", read_lat_or_buckets, FIO_LAT },
	{ "sync", read_lat, FIO_SYNC_LAT },
	{ "slat percentiles", read_percentiles_head, FIO_SLAT },
	{ "clat percentiles", read_percentiles_head, FIO_CLAT },
	{ "lat percentiles", read_percentiles_head, FIO_LAT },
	{ "sync percentiles", read_percentiles_head, FIO_SYNC_LAT },
	{ "cpu", read_cpu, 0 },
	{ "IO depths", read_depths, FIO_SHARE_LEVEL },
	{ "submit", read_depths, FIO_SHARE_SUBMIT },
	{ "complete", read_depths, FIO_SHARE_COMPLETE },
	{ "issued", read_issued, 0 },
	{ "issued rwt", read_issued, 0 },
	{ "issued rwts", read_issued, 0 },
	{ "bw", read_nothing, 0 },
	{ "iops", read_nothing, 0 },
	{ "latency", read_nothing, 0 },
	{ "errors", read_nothing, 0 },
	{ "steadystate", read_nothing, 0 },
	{ "READ", read_nothing, 0 },
	{ "WRITE", read_nothing, 0 },
	{ "TRIM", read_nothing, 0 },
	{ "MIXED", read_nothing, 0 },
	{ "SYNC", read_nothing, 0 },
};

struct head {
	char key[40], unit[16];
	const char *rest;
};

/* "clat percentiles (usec):" apart; NULL if it is no line of a job. */
static const struct line_kind *split_head(const char *line, struct head *head)
{
	size_t len = strcspn(line, ":(=|["), trimmed = len;
	const char *p = line + len;

	*head = (struct head){ .rest = "" };
	while (trimmed && line[trimmed - 1] == ' ')
		trimmed--;
	if (!trimmed || trimmed >= sizeof(head->key))
		return NULL;
	memcpy(head->key, line, trimmed);
	if (*p == '(') {
		size_t unit = strcspn(++p, ") ");

		if (unit < sizeof(head->unit))
			memcpy(head->unit, p, unit);
		p += strcspn(p, ")");
		p += *p == ')';
		text_skip_blanks(&p);
	}
	if (*p != ':')
		return NULL;
	head->rest = p + 1;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].key, head->key))
			return &kinds[i];
	return NULL;
}

/* Jobs */

/* A job's end: -1 if it is not all there. */
static int finish_job(struct reader *r, struct err *err)
{
	struct fio_job *job = &r->job;

	if (!r->in_job)
		return 0;
	r->in_job = false;
	r->io = NULL;
	r->dist = NULL;
	if (!r->issued) {
		fio_job_release(job);
		return err_set(err, ERR_FAULT, "the report of job '%s' is cut off: no whole line 'issued' in it", r->name);
	}
	for (int d = DIR_ALL; d <= DIR_TRIM; d++) {
		struct fio_io *io = &job->io[d];

		/* Of all together only what fio itself prints so ("mixed"). */
		if (d == DIR_ALL && isnan(io->iops) && isnan(io->bw)) {
			io->ios = NAN;
			continue;
		}
		fio_io_finish(io);
		for (int k = 0; k < FIO_SYNC_LAT; k++) {
			io->lat[k].weight = io->weight;
			io->lat[k].known = io->lat[k].known && io->done;
			if (io->weight < 2)
				io->lat[k].stddev_ns = NAN;
		}
	}
	if (!job->io[DIR_ALL].done)
		fio_job_total(job);
	fio_shares_finish(job->share);
	fio_run_add(&r->run, job, r->out);
	fio_job_release(job);
	return 0;
}

/* "name: (groupid=0, jobs=4): err= 0: pid=…"; 'head' is at the parenthesis. */
static int start_job(struct reader *r, const char *line, const char *head, struct err *err)
{
	size_t len = (size_t)(head - line);

	if (finish_job(r, err))
		return -1;
	if (r->foreign && r->run.njobs)
		r->block++;
	while (len && strchr(": ", line[len - 1]))
		len--;
	free(r->name);
	r->name = mem_strndup(line, len);
	fio_job_init(&r->job);
	r->job.name = r->name;
	r->job.group = key_value(head, "groupid") + 1e6 * r->block;
	r->job.error = key_value(head, "err");
	r->job.error = isnan(r->job.error) ? 0 : r->job.error;
	r->threads = key_value(head, "jobs");
	r->reported += isnan(r->threads) ? 0 : r->threads;
	r->in_job = true;
	r->issued = r->sync = r->foreign = false;
	r->io = NULL;
	r->dist = NULL;
	return 0;
}

/* "4096B-4096B" or "4K-4K/…" as a size that does not vary; NULL if it is none. The caller frees. */
static char *block_size(const char *p)
{
	size_t low, high;

	if (!p)
		return NULL;
	if (str_starts(p, "(R)"))
		p += 3;
	text_skip_blanks(&p);
	low = strcspn(p, "-/,");
	if (p[low] != '-')
		return NULL;
	high = strcspn(p + low + 1, "-/, ");
	if (low != high || strncmp(p, p + low + 1, low) != 0)
		return NULL;
	if (low > 1 && p[low - 1] == 'B' && isdigit((unsigned char)p[low - 2]))
		low--;
	return mem_strndup(p, low);
}

static void read_definition(struct reader *r, const char *head)
{
	static const struct {
		const char *axis, *key;
	} rows[] = { { "pattern", "rw" }, { "ioengine", "ioengine" }, { "iodepth", "iodepth" } };
	AUTOFREE char *bs = block_size(find_key(head, "bs"));

	parsed_add_axis(r->out, "bs", bs);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *p = find_key(head, rows[i].key);
		AUTOFREE char *value = p ? mem_strndup(p, strcspn(p, ", ")) : NULL;

		parsed_add_axis(r->out, rows[i].axis, value);
	}
}

/* "  sda: ios=1/2, sectors=…, merge=0/22, ticks=…/…, in_queue=…, util=99.92%" */
static void read_disk(struct reader *r, const char *line, const char *list)
{
	static const struct {
		const char *key, *metric;
		bool both;
		double scale;
	} rows[] = {
		{ "ios", "disk_ios", true, 1 },	      { "sectors", "disk_bytes", true, 512 },
		{ "merge", "disk_merges", true, 1 },  { "ticks", "disk_ticks", true, 1e6 },
		{ "in_queue", "disk_in_queue", false, 1e6 }, { "util", "disk_util", false, 1 },
	};
	AUTOFREE char *device = mem_strndup(line, (size_t)(strchr(line, ':') - line));
	const char *util = find_key(list, "util");
	double value;

	/* util ends the line */
	if (!util || !text_number(&util, &value) || *util != '%')
		return;
	for (size_t i = 0; i < r->out->samples.n; i++)
		if (r->out->samples.items[i].device && !strcmp(r->out->samples.items[i].device, device))
			return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *p = find_key(list, rows[i].key);

		for (int d = rows[i].both ? DIR_READ : DIR_ALL; d <= (rows[i].both ? DIR_WRITE : DIR_ALL); d++) {
			if (!p || !text_number(&p, &value))
				break;
			parsed_add_of_device(r->out, rows[i].metric, (enum direction)d, device, value * rows[i].scale);
			p += *p == '/';
		}
	}
}

/* Lines */

enum line_type { LINE_JOB, LINE_DEFINITION, LINE_STARTING, LINE_VERSION, LINE_STATUS, LINE_DISK, LINE_PERCENTILES,
		 LINE_OF_JOB, LINE_OTHER };

static bool is_disk(const char *line)
{
	const char *colon = strchr(line, ':');
	size_t len = colon ? (size_t)(colon - line) : 0;

	return len && len < 64 && strcspn(line, " ") > len && (str_starts(colon, ": ios=") || str_starts(colon, ": aggrios="));
}

static enum line_type type_of(const char *line)
{
	struct head head;

	if (strstr(line, "(groupid="))
		return LINE_JOB;
	if (strstr(line, ": (g="))
		return LINE_DEFINITION;
	if (str_starts(line, "Starting ") && isdigit((unsigned char)line[strlen("Starting ")]))
		return LINE_STARTING;
	if (str_starts(line, "fio-") && !strchr(line, ' '))
		return LINE_VERSION;
	if (str_starts(line, "Run status group") || str_starts(line, "Disk stats (read/write)"))
		return LINE_STATUS;
	if (*line == '|')
		return LINE_PERCENTILES;
	if (split_head(line, &head))
		return LINE_OF_JOB;
	return is_disk(line) ? LINE_DISK : LINE_OTHER;
}

static int read_line(struct reader *r, const char *line, bool cut, struct err *err)
{
	enum line_type type = type_of(line);
	const struct line_kind *kind;
	struct head head;
	double started;

	switch (type) {
	case LINE_JOB:
		return start_job(r, line, strstr(line, "(groupid="), err);
	case LINE_DEFINITION:
		read_definition(r, strstr(line, "(g="));
		return 0;
	case LINE_STARTING:
		started = scaled(line + strlen("Starting "));
		r->started += isnan(started) ? 0 : started;
		r->foreign = true;
		return 0;
	case LINE_VERSION:
		r->foreign = true;
		if (!r->out->tool)
			r->out->tool = mem_strdup(line);
		return 0;
	case LINE_STATUS:
		r->foreign = true;
		return finish_job(r, err);
	case LINE_DISK:
		if (!r->in_job)
			read_disk(r, line, strchr(line, ':') + 2);
		return 0;
	case LINE_PERCENTILES:
		read_percentiles(r, line);
		return 0;
	case LINE_OF_JOB:
		kind = split_head(line, &head);
		if (r->in_job && !cut)
			kind->read(r, head.unit, head.rest, kind->arg);
		return 0;
	case LINE_OTHER:
		break;
	}
	if (fio_says(line))
		str_addf(&r->words, "%s%s", r->words.len ? "\n" : "", line);
	else if (*line && (!r->in_job || r->issued))
		r->foreign = true;
	return 0;
}

/* Whether 'next', which begins like nothing of fio's, goes on with the line before. */
static bool goes_on(const struct str *line, const char *next)
{
	size_t word = strcspn(next, " ");

	if (!line->len || !*next || fio_says(next) || type_of(str_text(line)) == LINE_OTHER)
		return false;
	if (strchr(",:=[(/", line->s[line->len - 1]))
		return true;
	return *next == '(' || memchr(next, '=', word);
}

static int read_lines(struct reader *r, const struct text *t, struct err *err)
{
	AUTOSTR struct str line = { 0 };

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *next = str_trim(t->lines.items[i]);

		if (line.len && type_of(next) == LINE_OTHER && goes_on(&line, next)) {
			str_addf(&line, " %s", next);
			continue;
		}
		if (line.len && read_line(r, str_text(&line), false, err))
			return err_context(err, "line %zu", i);
		str_clear(&line);
		str_add(&line, next);
	}
	if ((line.len && read_line(r, str_text(&line), t->cut, err)) || finish_job(r, err))
		return err_context(err, "line %zu", t->lines.n);
	if (!r->run.njobs)
		return err_set(err, ERR_FAULT, "no report of a job in it: no line with '(groupid='");
	if (r->reported < r->started)
		return err_set(err, ERR_FAULT, "line %zu: the report is cut off: %.0f jobs were started, %.0f are in it",
			       t->lines.n, r->started, r->reported);
	return 0;
}

static void finish(struct reader *r)
{
	char threads[32];

	if (r->words.len)
		r->out->diagnostics = str_steal(&r->words);
	if (r->run.one_group && r->reported > 0) {
		snprintf(threads, sizeof(threads), "%.0f", r->reported);
		parsed_add_axis(r->out, "jobs", threads);
	}
	fio_run_emit(&r->run, r->out);
	fio_run_judge(&r->run, r->out);
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct reader r = { .out = out };
	struct text t;
	int bad;

	text_read(&t, text, len);
	fio_run_init(&r.run);
	bad = read_lines(&r, &t, err);
	if (!bad)
		finish(&r);
	else
		parsed_release(out);
	if (r.in_job)
		fio_job_release(&r.job);
	fio_run_release(&r.run);
	str_release(&r.words);
	free(r.name);
	text_release(&t);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, "(groupid=", 9);
}

const struct parser fio_text = {
	.name = "fio-text",
	.title = "fio's normal report, also quoted in a mail",
	.wants = "a line with \"(groupid=\"",
	.sniff = sniff,
	.parse = parse,
};
