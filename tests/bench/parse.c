// SPDX-License-Identifier: GPL-2.0-or-later
/* parse FILE...: of each, milliseconds of CPU to parse it (the least of many) and the most memory at once, in times the file. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/file.h"
#include "common/units.h"
#include "parsers/parser.h"

#define LEAST_NS (300 * 1000000LL) /* that each file is parsed again and again, */
#define LEAST_TIMES 8		   /* and how often at least */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static size_t held, most;

static void *count(void *p)
{
	held += malloc_usable_size(p);
	most = held > most ? held : most;
	return p;
}

void *malloc(size_t size)
{
	return count(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return count(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	held -= malloc_usable_size(p);
	return count(__libc_realloc(p, size));
}

void free(void *p)
{
	held -= malloc_usable_size(p);
	__libc_free(p);
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t parse(const struct str *text, size_t *peak)
{
	struct parsed parsed = { 0 };
	const struct parser *which;
	struct err err = { 0 };
	size_t before = held;
	int64_t from, took;

	most = held;
	from = cpu_ns();
	if (parser_read(str_text(text), text->len, NULL, &parsed, &which, &err)) {
		fprintf(stderr, "parse: %s\n", err.msg);
		exit(1);
	}
	took = cpu_ns() - from;
	*peak = most - before;
	parsed_release(&parsed);
	return took;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		AUTOSTR struct str text = { 0 };
		int64_t end = cpu_ns() + LEAST_NS, best = INT64_MAX;
		struct err err = { 0 };
		size_t peak = 0;

		if (file_slurp(argv[i], &text, &err)) {
			fprintf(stderr, "parse: %s\n", err.msg);
			return 1;
		}
		for (int n = 0; n < LEAST_TIMES || cpu_ns() < end; n++) {
			int64_t took = parse(&text, &peak);

			best = took < best ? took : best;
		}
		printf("%.4f %.2f\n", (double)best / 1e6, (double)peak / (double)text.len);
	}
	return 0;
}
