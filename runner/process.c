// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"

#define COMM_TEXT 64 /* threads have at most 15 characters, kernel workers some more */

/* The parent of a process and its name; 0 when it is gone, and for those that have none. */
static pid_t process_parent(pid_t pid, char comm[COMM_TEXT])
{
	AUTOFREE char *path = mem_printf("/proc/%d/stat", pid);
	struct str AUTOSTR line = { 0 };
	const char *open, *close;
	int parent;

	comm[0] = '\0';
	if (file_slurp(path, &line, NULL))
		return 0;
	/* "123 (a name) with ) in it) S 1 …": proc(5) */
	open = strchr(str_text(&line), '(');
	close = strrchr(str_text(&line), ')');
	/* NOLINTNEXTLINE(cert-err34-c): digits the kernel printed */
	if (!open || !close || sscanf(close + 1, " %*c %d", &parent) != 1)
		return 0;
	snprintf(comm, COMM_TEXT, "%.*s", (int)(close - open - 1), open + 1);
	return parent;
}

char *process_text(pid_t pid)
{
	char comm[COMM_TEXT];

	process_parent(pid, comm);
	return comm[0] ? mem_printf("process %d (%s)", pid, comm) : mem_printf("process %d", pid);
}

bool process_is_ours(pid_t pid)
{
	char comm[COMM_TEXT];

	while (pid > 0 && pid != getpid())
		pid = process_parent(pid, comm);
	return pid == getpid();
}
