// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "parsers/parser.h"
#include "parsers/text.h"

/*
 * fs_mark 3.3 (fs_mark.c, print_iteration_stats): below a head that begins with "FSUse%" a line a loop (-L):
 *
 *	FSUse%        Count         Size    Files/sec     App Overhead
 *	     5        51200         8192       8324.8           390190
 *
 * and more columns with -v. Count is of all loops so far, App Overhead is in us. "Average Files/sec" is rounded down,
 * and not read. Each loop is a job of the run, the run as a whole is their mean. The command line above it may hold
 * any bytes.
 */

enum { FSUSE, COUNT, SIZE, FILES, OVERHEAD, N_COLUMNS };

typedef VEC(struct loop { double column[N_COLUMNS]; }) loops_t;

/* At least the five numbers, and nothing but numbers. */
static bool read_row(const char *line, struct loop *loop)
{
	size_t n = 0;

	for (text_skip_blanks(&line); *line; text_skip_blanks(&line)) {
		double value;

		if (!text_number(&line, &value) || (*line && !isspace((unsigned char)*line)))
			return false;
		if (n < N_COLUMNS)
			loop->column[n] = value;
		n++;
	}
	return n >= N_COLUMNS;
}

static void read_version(const char *line, struct parsed *out)
{
	const char *version = strstr(line, "Version "), *threads = strstr(line, "thread(s)");
	AUTOFREE char *text = NULL;

	if (*line != '#' || !version || !threads)
		return;
	version += strlen("Version ");
	free(out->tool);
	out->tool = mem_printf("fs_mark-%.*s", (int)strcspn(version, ", "), version);
	while (threads > line && isspace((unsigned char)threads[-1]))
		threads--;
	while (threads > line && isdigit((unsigned char)threads[-1]))
		threads--;
	text = mem_strndup(threads, strspn(threads, "0123456789"));
	if (*text)
		parsed_add_axis(out, "jobs", text);
}

static void emit(const loops_t *loops, struct parsed *out)
{
	double n = (double)loops->n, files = 0, overhead = 0, deviations = 0;
	const double *last = NULL;

	for (size_t i = 0; i < loops->n; i++) {
		const double *row = loops->items[i].column;

		parsed_add(out, "files", DIR_ALL, (int)i, row[FILES]);
		parsed_add(out, "app_overhead", DIR_ALL, (int)i, row[OVERHEAD] * 1e3);
		files += row[FILES];
		overhead += row[OVERHEAD] * 1e3;
		last = row;
	}
	for (size_t i = 0; i < loops->n; i++)
		deviations += pow(loops->items[i].column[FILES] - files / n, 2);
	parsed_add(out, "files", DIR_ALL, JOB_ALL, files / n);
	parsed_add(out, "files_stddev", DIR_ALL, JOB_ALL, sqrt(deviations / (n - 1)));
	parsed_add(out, "app_overhead", DIR_ALL, JOB_ALL, overhead / n);
	if (!last)
		return;
	parsed_add(out, "file_count", DIR_ALL, JOB_ALL, last[COUNT]);
	parsed_add(out, "file_size", DIR_ALL, JOB_ALL, last[SIZE]);
	parsed_add(out, "fs_use", DIR_ALL, JOB_ALL, last[FSUSE]);
	out->njobs = (int)loops->n;
}

/* What is told instead of a result (fs_mark.c: "fs_mark: …", perror). */
static void judge(const struct text *t, struct parsed *out)
{
	for (size_t i = 0; i < t->lines.n && !out->failed; i++)
		if (strstr(t->lines.items[i], "No space left on device") || str_starts(t->lines.items[i], "fs_mark:")) {
			out->failed = true;
			out->reason = mem_strdup(str_trim(t->lines.items[i]));
			out->diagnostics = mem_strdup(out->reason);
		}
}

static int read_lines(const struct text *t, loops_t *loops, struct parsed *out, struct err *err)
{
	bool below_head = false;
	struct loop loop = { 0 };

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *line = t->lines.items[i];
		bool last = i + 1 == t->lines.n;

		text_skip_blanks(&line);
		read_version(line, out);
		if (str_starts(line, "FSUse%"))
			below_head = true;
		else if (below_head && read_row(line, &loop) && !(last && t->cut))
			*vec_push(loops) = loop;
	}
	if (!loops->n)
		return err_set(err, ERR_FAULT, "line %zu: no whole line of five numbers below the head of fs_mark",
			       t->lines.n);
	return 0;
}

static int parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	loops_t loops = { 0 };
	struct text t;
	int bad;

	text_read(&t, text, len);
	bad = read_lines(&t, &loops, out, err);
	if (!bad) {
		emit(&loops, out);
		judge(&t, out);
	} else {
		parsed_release(out);
	}
	vec_free(&loops);
	text_release(&t);
	return bad;
}

static bool sniff(const char *text, size_t len)
{
	return memmem(text, len, "FSUse%", 6);
}

const struct parser fs_mark = {
	.name = "fs_mark",
	.title = "fs_mark 3.3",
	.wants = "a head \"FSUse%\"",
	.sniff = sniff,
	.parse = parse,
};
