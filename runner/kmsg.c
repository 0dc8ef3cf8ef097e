// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define RECORD 8192 /* the kernel gives a record a read, of at most PRINTKRB_RECORD_MAX = 1024 and its escapes and keys */
#define FACILITY(priority) ((priority) >> 3) /* 0: the kernel, which lets no program write under it */

int kmsg_open(void)
{
	const char *own = getenv("IOBENCH_KMSG"); /* for tests */
	int fd = open(own && *own ? own : "/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* "4,1203,519283,-;text": priority and facility, number, time, flags. Lines of keys behind it begin with a blank. */
static void add_record(const char *line, strings_t *out)
{
	char *end;
	unsigned long priority = strtoul(line, &end, 10);
	const char *text = strchr(line, ';');

	if (*line == ' ' || *end != ',' || !text || FACILITY(priority))
		return;
	strings_add(out, text + 1);
}

void kmsg_read(int fd, strings_t *out)
{
	AUTOFREE char *record = mem_alloc(RECORD, 1);
	ssize_t n;

	if (fd < 0)
		return;
	/* EPIPE: records were overwritten before we came; the next read gives those behind them */
	while ((n = read(fd, record, RECORD - 1)) > 0 || (n < 0 && (errno == EPIPE || errno == EINTR))) {
		AUTOSTRINGS strings_t lines = { 0 };

		record[n > 0 ? n : 0] = '\0';
		str_split(record, '\n', &lines);
		for (size_t i = 0; i < lines.n; i++)
			add_record(lines.items[i], out);
	}
}
