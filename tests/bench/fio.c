// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fio that does nothing, for what is not fio's: prints the file $BENCH_OUTPUT as its output. $BENCH_STARTED: a file to
 * which the time of the first start is written; $BENCH_SLEEP: seconds that a run takes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

static void note_start(const char *path)
{
	struct timespec now;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;

	if (fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	dprintf(fd, "%lld.%06ld\n", (long long)now.tv_sec, now.tv_nsec / 1000);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *output = getenv("BENCH_OUTPUT"), *seconds = getenv("BENCH_SLEEP");
	int fd;

	if (argc > 1 && !strcmp(argv[1], "--version"))
		return puts("fio-3.33") < 0;
	note_start(getenv("BENCH_STARTED"));
	if (seconds)
		sleep((unsigned)strtoul(seconds, NULL, 10));
	fd = output ? open(output, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 1;
	while (sendfile(STDOUT_FILENO, fd, NULL, 1 << 20) > 0)
		;
	return 0;
}
