// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 100
#define TRY_NS 20000000L
#define OPEN_FILES 16

static const char *const names[TRACE_KINDS] = {
	[TRACE_TREE] = "tree",
	[TRACE_MOUNT] = "mount",
	[TRACE_CGROUP] = "cgroup",
	[TRACE_IO_SUBTREE] = "io-subtree",
};

const char *trace_kind_name(enum trace_kind kind)
{
	return kind < TRACE_KINDS ? names[kind] : NULL;
}

bool trace_is_ours(const struct trace *t)
{
	const char *last = strrchr(t->path, '/');

	if (t->path[0] != '/' || strstr(t->path, ".."))
		return false;
	switch (t->kind) {
	case TRACE_TREE:
	case TRACE_MOUNT:
		return str_starts(last, "/.iobench-");
	case TRACE_CGROUP:
		return str_starts(last, "/iobench-");
	default:
		return true;
	}
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static int remove_tree(const char *path)
{
	return nftw(path, remove_entry, OPEN_FILES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int remove_mount(const char *path)
{
	/* EINVAL: nothing is mounted there */
	if (umount2(path, UMOUNT_NOFOLLOW) && errno != EINVAL)
		return -1;
	return rmdir(path);
}

static int take_controller(const char *group)
{
	AUTOFREE char *path = mem_printf("%s/cgroup.subtree_control", group);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, "-io", 3) == 3 ? 0 : -1;
}

static int try_remove(const struct trace *t)
{
	switch (t->kind) {
	case TRACE_TREE:
		return remove_tree(t->path);
	case TRACE_MOUNT:
		return remove_mount(t->path);
	case TRACE_CGROUP:
		return rmdir(t->path);
	default:
		return take_controller(t->path);
	}
}

int trace_remove(const struct trace *t, struct str *problems)
{
	int why = EPERM;

	/* a killed process leaves its file system and its group a moment after it was reaped */
	for (int i = 0; trace_is_ours(t) && i < TRIES; i++) {
		if (!try_remove(t) || errno == ENOENT)
			return 0;
		why = errno;
		if (why != EBUSY)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
	}
	if (problems)
		str_addf(problems, "  %s '%s' cannot be removed: %s\n", names[t->kind], t->path, strerror(why));
	return -1;
}
