// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into iobench: adds up how long the kernel takes to change schedulers, and at the end writes it, in
 * microseconds, to $BENCH_SWITCHES.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int scheduler = -1; /* descriptor of a queue/scheduler that is being written */
static long long total_ns;

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	static const char end[] = "/queue/scheduler";
	size_t len = strlen(path);
	va_list ap;
	int mode, fd;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	if (!next)
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	fd = next(path, flags, mode);
	if ((flags & O_ACCMODE) == O_WRONLY && len >= sizeof(end) && !strcmp(path + len - sizeof(end) + 1, end))
		scheduler = fd;
	return fd;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	static ssize_t (*next)(int, const void *, size_t);
	struct timespec from, to;
	ssize_t n;

	if (!next)
		next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	if (fd != scheduler)
		return next(fd, bytes, len);
	clock_gettime(CLOCK_MONOTONIC, &from);
	n = next(fd, bytes, len);
	clock_gettime(CLOCK_MONOTONIC, &to);
	scheduler = -1;
	total_ns += (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec);
	return n;
}

static __attribute__((destructor)) void tell(void)
{
	const char *path = getenv("BENCH_SWITCHES");
	FILE *f = path && total_ns ? fopen(path, "we") : NULL;

	if (!f)
		return;
	fprintf(f, "%lld\n", total_ns / 1000);
	fclose(f);
}
