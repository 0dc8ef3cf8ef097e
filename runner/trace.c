// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/trace.h"

#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/settings.h"

#define TRIES 100
#define TRY_NS 20000000L
#define OPEN_FILES 16

static const char *const names[TRACE_KINDS] = {
	[TRACE_TREE] = "tree",
	[TRACE_MOUNT] = "mount",
	[TRACE_WORK] = "work",
	[TRACE_FS] = "file system",
	[TRACE_CGROUP] = "cgroup",
	[TRACE_IO_SUBTREE] = "io-subtree",
};

const char *trace_kind_name(enum trace_kind kind)
{
	return kind < TRACE_KINDS ? names[kind] : NULL;
}

static bool is_work(const char *path, const char *last)
{
	size_t len = strlen(last);

	return (size_t)(last - path) == strlen(settings_rundir()) && str_starts(path, settings_rundir()) &&
	       len > strlen("/.work") && !strcmp(last + len - strlen(".work"), ".work");
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
	case TRACE_WORK:
		return is_work(t->path, last);
	case TRACE_FS:
		return str_starts(t->path, "/dev/") && strlen(last) == UUID_TEXT;
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
	/* a process that dies may have been faster */
	return (type == FTW_DP ? rmdir(path) : unlink(path)) && errno != ENOENT ? -1 : 0;
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

static bool is_of(blkid_probe probe, const char *uuid)
{
	const char *found = NULL;

	return !blkid_probe_lookup_value(probe, "UUID", &found, NULL) && !strcmp(found, uuid);
}

/* As wipefs does it, signature by signature. Another file system, or none, is not ours to touch. */
static int wipe(int fd, const char *uuid)
{
	blkid_probe probe = blkid_new_probe();
	int bad = !probe || blkid_probe_set_device(probe, fd, 0, 0);

	if (!bad) {
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_UUID);
		while (!bad && !blkid_do_probe(probe) && is_of(probe, uuid))
			bad = blkid_do_wipe(probe, 0);
	}
	blkid_free_probe(probe);
	return bad || fsync(fd) ? -1 : 0;
}

static int remove_fs(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTOFREE char *device = mem_strndup(path, (size_t)(slash - path));
	AUTOCLOSE int fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);

	/* ENXIO, ENODEV: the disk is gone, and what was on it */
	if (fd < 0)
		return errno == ENXIO || errno == ENODEV ? 0 : -1;
	return wipe(fd, slash + 1);
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
	case TRACE_WORK:
		return remove_tree(t->path);
	case TRACE_FS:
		return remove_fs(t->path);
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
