// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * The table of rawread (rawio), as posted to linux-kernel in December 2006:
 *
 *	procs           device    num read   KB/sec     I/O Ops/sec
 *	-----  ---------------  ----------  -------  --------------
 *	   16         /dev/sda       16412     8338            2084
 *	-----  ---------------  ----------  -------  --------------
 *	   16                        16412     8338            2084
 *
 *	Total run time 0.492072 seconds
 *
 * Its rates are those of one process, which it does not say: 16412 reads in 0.492 s are 33353 a second. The reads over
 * the time tell which they are. KB are KiB.
 */

struct rawio_row {
	double procs, num, kib, ops;
};

struct table {
	bool head, writes, total_seen;
	size_t rows, tables;
	struct rawio_row row, sum; /* row: the last one of a device */
	double seconds;
};

/* "16 /dev/sda 16412 8338 2084", or without a device. */
static bool read_row(const char *line, struct rawio_row *row, bool *has_device)
{
	double *const numbers[] = { &row->num, &row->kib, &row->ops };

	text_skip_blanks(&line);
	if (!text_number(&line, &row->procs) || (*line != ' ' && *line != '\t'))
		return false;
	text_skip_blanks(&line);
	*has_device = !isdigit((unsigned char)*line);
	if (*has_device)
		line += strcspn(line, " \t");
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		text_skip_blanks(&line);
		if (!text_number(&line, numbers[i]))
			return false;
	}
	text_skip_blanks(&line);
	return !*line;
}

static void read_line(struct table *t, const char *line)
{
	static const char total[] = "Total run time ";
	const char *time = strstr(line, total);
	struct rawio_row row;
	bool has_device;

	if (strstr(line, "procs") && strstr(line, "KB/sec") && strstr(line, "Ops/sec")) {
		t->head = true;
		t->tables++;
		t->writes = strstr(line, "num writ");
	} else if (time) {
		time += strlen(total);
		if (!text_number(&time, &t->seconds) || !str_starts(time, " seconds"))
			t->seconds = NAN;
	} else if (t->head && read_row(line, &row, &has_device)) {
		if (has_device) {
			t->rows++;
			t->row = row;
		} else {
			t->total_seen = true;
			t->sum = row;
		}
	}
}

static int check(struct table *t, size_t lines, struct err *err)
{
	if (t->tables > 1)
		return err_set(err, ERR_FAULT, "it holds %zu tables of rawread: put each into a file of its own", t->tables);
	if (!t->rows && !t->total_seen)
		return err_set(err, ERR_FAULT, "line %zu: no whole row below the head of rawread's table", lines);
	if (!t->total_seen && t->rows > 1)
		return err_set(err, ERR_FAULT, "line %zu: no row with the total of %zu devices", lines, t->rows);
	if (!t->total_seen)
		t->sum = t->row;
	if (!(t->seconds > 0))
		return err_set(err, ERR_FAULT, "line %zu: no line 'Total run time ... seconds'", lines);
	return t->sum.procs > 0 ? 0 : err_set(err, ERR_FAULT, "no processes");
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 0.02 * b + 1; /* it prints whole numbers */
}

static void emit(const struct table *t, struct parsed *out)
{
	const struct rawio_row *row = &t->sum;
	enum direction d = t->writes ? DIR_WRITE : DIR_READ;
	double all = row->num / t->seconds, procs = row->procs, factor;
	char text[32];

	factor = close_to(row->ops, all / procs) ? procs : close_to(row->ops, all) ? 1 : NAN;
	for (int i = 0; i < 2; i++) {
		enum direction of = i ? d : DIR_ALL;

		parsed_add(out, "ios", of, JOB_ALL, row->num);
		parsed_add(out, "runtime", of, JOB_ALL, t->seconds * 1e9);
		parsed_add(out, "iops", of, JOB_ALL, all);
		parsed_add(out, "bw", of, JOB_ALL, row->kib * 1024 * factor);
		parsed_add(out, "job_iops_mean", of, JOB_ALL, all / procs);
		parsed_add(out, "job_bw_mean", of, JOB_ALL, row->kib * 1024 * factor / procs);
	}
	snprintf(text, sizeof(text), "%.0f", procs);
	parsed_add_axis(out, "jobs", text);
	parsed_add_axis(out, "pattern", t->writes ? "write" : "read");
	out->failed = isnan(factor);
	if (out->failed)
		out->reason = mem_printf("%.0f I/Os in %g s do not fit the printed rate of %.0f, be it of one process or of "
					 "all", row->num, t->seconds, row->ops);
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct table table = { .seconds = NAN };
	struct text t;
	int bad;

	text_read(&t, text, len);
	for (size_t i = 0; i < t.lines.n; i++)
		read_line(&table, t.lines.items[i]);
	bad = check(&table, t.lines.n, err);
	if (!bad) {
		out->tool = mem_strdup("rawread");
		emit(&table, out);
	}
	text_release(&t);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, "procs", 5) && memmem(text, len, "KB/sec", 6) && memmem(text, len, "Ops/sec", 7);
}

const struct parser rawio = {
	.name = "rawio",
	.title = "the table of rawread",
	.wants = "a head with \"procs\", \"KB/sec\", \"Ops/sec\"",
	.sniff = sniff,
	.parse = parse,
};
