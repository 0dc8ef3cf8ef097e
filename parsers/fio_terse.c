// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parsers/fio_job.h"
#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * fio --minimal, --output-format=terse, versions 2 to 5 (fio's HOWTO, "Terse output", and stat.c,
 * show_thread_status_terse_all). A job is a line:
 *
 *	version ; fio version (not 2) ; name ; group ; error ; a block a direction ; CPU ; depths ; latencies ; disks
 *
 * with blocks for reads and writes, and trims in 4, 5 and, since fio 3.30 or so, 2. Names may hold ';', unescaped: the
 * list of percentiles tells where the blocks are. Bandwidth is in KiB/s, latencies are in us.
 */

#define N_PERCENTILES 20 /* fields of a list, "0%=0" where not used; FIO_IO_U_LIST_MAX_LEN */
#define BEFORE_LIST 12	 /* fields of a block in front of its list: I/O, slat, clat */

/* Behind the list: latency 4, bandwidth 5; version 5 says how many samples, and IOPS. */
static size_t block_length(unsigned version)
{
	return BEFORE_LIST + N_PERCENTILES + 9 + (version == 5 ? 6 : 0);
}

#define N_CPU 5
#define N_LEVELS 7
#define N_BUCKETS 22 /* us from 2 up, ms from 2 up */
#define N_TAIL (N_CPU + N_LEVELS + N_BUCKETS)
#define N_DISK 9

struct row {
	char **field;
	size_t n, blocks; /* blocks: index of the first block */
	unsigned version;
};

/* "12" and "99.95%", which must have its sign where 'percent'; NaN for what is none. */
static double field_value(const char *field, bool percent)
{
	double value;

	if (!text_number(&field, &value) || (percent && *field++ != '%') || *field)
		return NAN;
	return value;
}

static double number(const struct row *row, size_t at)
{
	return field_value(row->field[at], false);
}

static void read_percentiles(char *const *fields, struct fio_dist *dist)
{
	for (size_t i = 0; i < N_PERCENTILES; i++) {
		char *equals = strstr(fields[i], "%=");
		AUTOFREE char *percent = equals ? mem_strndup(fields[i], (size_t)(equals - fields[i])) : NULL;
		unsigned percent_e6 = percent ? metric_percent_e6(percent) : 0;
		double us = equals ? text_value(equals + 2) : NAN;
		bool known = false;

		for (size_t k = 0; k < dist->percentiles.n; k++)
			known = known || dist->percentiles.items[k].percent_e6 == percent_e6;
		/* Whole us: 0 says no more than that it was less than one. */
		if (percent_e6 && us > 0 && !known)
			*vec_push(&dist->percentiles) = (struct fio_percentile){ percent_e6, us * 1e3 };
	}
}

/* Four fields: min, max, mean, stddev. With gtod_reduce or disable_clat, fio measures nothing and prints zeros. */
static void read_lat(const struct row *row, size_t at, double weight, struct fio_lat *lat)
{
	lat->min_ns = number(row, at) * 1e3;
	lat->max_ns = number(row, at + 1) * 1e3;
	lat->mean_ns = number(row, at + 2) * 1e3;
	lat->stddev_ns = weight < 2 ? NAN : number(row, at + 3) * 1e3;
	lat->weight = weight;
	lat->known = lat->mean_ns > 0 || lat->max_ns > 0;
}

static void read_block(const struct row *row, size_t at, struct fio_io *io)
{
	io->bytes = number(row, at) * 1024;
	io->bw = number(row, at + 1) * 1024;
	io->iops = number(row, at + 2);
	io->runtime_ns = number(row, at + 3) * 1e6;
	fio_io_finish(io);
	if (!io->done)
		return;
	read_lat(row, at + 4, io->weight, &io->lat[FIO_SLAT]);
	read_lat(row, at + 8, io->weight, &io->lat[FIO_CLAT]);
	read_lat(row, at + BEFORE_LIST + N_PERCENTILES, io->weight, &io->lat[FIO_LAT]);
	if (!io->lat[FIO_CLAT].known)
		return;
	io->lat[FIO_CLAT].dist.parts = 1;
	read_percentiles(row->field + at + BEFORE_LIST, &io->lat[FIO_CLAT].dist);
}

/* Whether CPU, depths and latencies stand at 'at', whole. */
static bool is_tail(const struct row *row, size_t at)
{
	if (at + N_TAIL > row->n)
		return false;
	for (size_t i = 0; i < N_TAIL; i++) {
		bool percent = i < 2 || i >= N_CPU;

		/* Of less than a millisecond, the shares of CPU time can be nan. */
		if (isnan(field_value(row->field[at + i], percent)) && !strstr(row->field[at + i], "nan"))
			return false;
	}
	return true;
}

/* Where the tail is: behind two blocks or three. 0 if the line is not whole. */
static size_t find_tail(const struct row *row, int *n_blocks)
{
	for (*n_blocks = 3; *n_blocks >= 2; --*n_blocks) {
		size_t at = row->blocks + (size_t)*n_blocks * block_length(row->version);

		if (is_tail(row, at))
			return at;
	}
	return 0;
}

static void read_tail(const struct row *row, size_t at, struct fio_job *job)
{
	job->usr_cpu = field_value(row->field[at], true);
	job->sys_cpu = field_value(row->field[at + 1], true);
	job->ctx = number(row, at + 2);
	job->majf = number(row, at + 3);
	job->minf = number(row, at + 4);
	for (size_t i = 0; i < N_LEVELS; i++)
		job->share[FIO_SHARE_LEVEL + i] = field_value(row->field[at + N_CPU + i], true);
	/* Of fewer than 2 us there is one bucket here, and it is the first of us. */
	for (size_t i = 0; i < N_BUCKETS; i++)
		job->share[FIO_SHARE_LAT_US + i] = field_value(row->field[at + N_CPU + N_LEVELS + i], true);
	fio_shares_finish(job->share);
}

/* Every row has all disks of the run. */
static void read_disks(const struct row *row, size_t at, struct parsed *out)
{
	static const struct {
		const char *metric;
		enum direction direction;
		double scale;
	} rows[] = {
		{ "disk_ios", DIR_READ, 1 },	 { "disk_ios", DIR_WRITE, 1 },	    { "disk_merges", DIR_READ, 1 },
		{ "disk_merges", DIR_WRITE, 1 }, { "disk_ticks", DIR_READ, 1e6 },   { "disk_ticks", DIR_WRITE, 1e6 },
		{ "disk_in_queue", DIR_ALL, 1e6 }, { "disk_util", DIR_ALL, 1 },
	};

	for (size_t first = at; at + N_DISK <= row->n; at += N_DISK) {
		/* Cut off, or fields of another kind; a name twice is damage. */
		if (!*row->field[at] || isnan(field_value(row->field[at + N_DISK - 1], true)) ||
		    (at > first && !strcmp(row->field[at], row->field[at - N_DISK])))
			return;
		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			parsed_add_of_device(out, rows[i].metric, rows[i].direction, row->field[at],
					     field_value(row->field[at + 1 + i], i + 2 == N_DISK) * rows[i].scale);
	}
}

/* The fields of the name, which ';' may have cut apart, put together again. */
static char *job_name(const struct row *row)
{
	struct str name = { 0 };

	for (size_t i = row->version == 2 ? 1 : 2; i + 2 < row->blocks; i++)
		str_addf(&name, "%s%s", name.len ? ";" : "", row->field[i]);
	return str_steal(&name);
}

static int read_row(const struct row *row, struct fio_run *run, struct parsed *out)
{
	int n_blocks;
	size_t tail = find_tail(row, &n_blocks);
	AUTOFREE char *name = tail ? job_name(row) : NULL;
	struct fio_job job;

	if (!tail)
		return -1;
	fio_job_init(&job);
	job.name = name;
	job.group = number(row, row->blocks - 2);
	job.error = field_value(row->field[row->blocks - 1] + (*row->field[row->blocks - 1] == '-'), false);
	job.error = isnan(job.error) ? 0 : job.error;
	for (int d = 0; d < n_blocks; d++)
		read_block(row, row->blocks + (size_t)d * block_length(row->version), &job.io[DIR_READ + d]);
	fio_job_total(&job);
	read_tail(row, tail, &job);
	fio_run_add(run, &job, out);
	fio_job_release(&job);
	if (!out->tool && row->version != 2)
		out->tool = mem_strdup(row->field[1]);
	if (run->njobs == 1)
		read_disks(row, tail + N_TAIL, out);
	return 0;
}

/* "3;fio-3.33;" and so on, or "2;". */
static bool starts_row(const char *line)
{
	if (line[0] < '2' || line[0] > '5' || line[1] != ';')
		return false;
	return line[0] == '2' || str_starts(line + 2, "fio-");
}

/* The first field of the first list of percentiles; 0 if there is none where a row can have it. */
static size_t find_list(const struct row *row)
{
	size_t in_a_row = 0;

	for (size_t i = 0; i < row->n; i++) {
		in_a_row = strstr(row->field[i], "%=") ? in_a_row + 1 : 0;
		if (in_a_row == N_PERCENTILES)
			return i + 1 - N_PERCENTILES;
	}
	return 0;
}

/* Cut the line apart, in place. Version 2 begins like many a line: what has no list of percentiles is none. */
static bool split(char *line, struct row *row)
{
	VEC(char *) fields = { 0 };
	size_t list;

	*row = (struct row){ .version = (unsigned)(line[0] - '0') };
	for (char *field = line; field;) {
		*vec_push(&fields) = field;
		field = strchr(field, ';');
		if (field)
			*field++ = '\0';
	}
	row->field = fields.items;
	row->n = fields.n;
	list = find_list(row);
	row->blocks = list > BEFORE_LIST ? list - BEFORE_LIST : 0;
	return row->blocks >= (row->version == 2 ? 4U : 5U);
}

static int read_lines(const struct text *t, struct fio_run *run, struct parsed *out, struct err *err)
{
	AUTOSTR struct str words = { 0 };

	for (size_t i = 0; i < t->lines.n; i++) {
		char *line = t->lines.items[i];
		unsigned version = (unsigned)(line[0] - '0');
		struct row row;
		int bad;

		if (!starts_row(line)) {
			if (fio_says(line))
				str_addf(&words, "%s%s", words.len ? "\n" : "", line);
			continue;
		}
		bad = !split(line, &row);
		if (bad && version == 2 && row.n < 20) {
			free(row.field);
			continue;
		}
		bad = bad || read_row(&row, run, out);
		free(row.field);
		if (bad)
			return err_set(err, ERR_FAULT, "line %zu: a terse row of version %u that is cut off or damaged", i + 1,
				       version);
	}
	if (words.len)
		out->diagnostics = str_steal(&words);
	return run->njobs ? 0 : err_set(err, ERR_FAULT, "no terse row of fio's in it");
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct fio_run run;
	struct text t;
	int bad;

	text_read(&t, text, len);
	fio_run_init(&run);
	bad = read_lines(&t, &run, out, err);
	if (!bad) {
		fio_run_emit(&run, out);
		fio_run_judge(&run, out);
	} else {
		parsed_release(out);
	}
	fio_run_release(&run);
	text_release(&t);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, "%=", 2) &&
	       (memmem(text, len, ";fio-", 5) || memmem(text, len, "2;", 2)) && memmem(text, len, ";0%=0;", 6);
}

const struct parser fio_terse = {
	.name = "fio-terse",
	.title = "fio --output-format=terse, versions 2 to 5",
	.wants = "a line of version 2 to 5 with percentiles like \"0%=0\" between semicolons",
	.sniff = sniff,
	.parse = parse,
};
