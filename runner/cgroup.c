// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/mem.h"

/* Documentation/admin-guide/cgroup-v1/blkio-controller.rst, cgroup-v2.rst, block/bfq-iosched.rst */
static const char *const weight_files[] = { "blkio.bfq.weight", "blkio.weight", "io.bfq.weight", "io.weight" };

static bool lists_io(const char *root, const char *file)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, file);
	AUTOSTR struct str text = { 0 };
	AUTOSTRINGS strings_t names = { 0 };

	if (file_slurp(path, &text, NULL))
		return false;
	str_split(str_trim(text.s ? text.s : (char[]){ "" }), ' ', &names);
	return strings_has(&names, "io");
}

int cgroups_find(struct cgroups *out, struct err *err)
{
	struct libmnt_table *mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	*out = (struct cgroups){ 0 };
	while (mounts && iter && !out->root && !mnt_table_next_fs(mounts, iter, &fs)) {
		const char *type = mnt_fs_get_fstype(fs), *target = mnt_fs_get_target(fs);

		out->unified = type && !strcmp(type, "cgroup2");
		if (out->unified ? lists_io(target, "cgroup.controllers")
				 : type && !strcmp(type, "cgroup") && mnt_fs_match_options(fs, "blkio"))
			out->root = mem_strdup(target);
	}
	mnt_free_iter(iter);
	mnt_unref_table(mounts);
	if (!out->root)
		return err_set(err, ERR_NEEDS, "this machine has no control groups for I/O (blkio, or io of version 2)");
	out->has_io = !out->unified || lists_io(out->root, "cgroup.subtree_control");
	return 0;
}

void cgroups_release(struct cgroups *c)
{
	free(c->root);
	*c = (struct cgroups){ 0 };
}

/* 0: written; 1: there is no such file. */
static int put(const char *folder, const char *file, const char *text, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/%s", folder, file);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return err_sys(err, ERR_NEEDS, errno, "cannot write '%s' to '%s'", text, path);
	return 0;
}

int cgroups_enable_io(const struct cgroups *c, struct err *err)
{
	return put(c->root, "cgroup.subtree_control", "+io", err) ? -1 : 0;
}

char *cgroup_path(const struct cgroups *c, const char *actor)
{
	return mem_printf("%s/iobench-%ld-%s", c->root, (long)getpid(), actor);
}

int cgroup_make(const char *path, struct err *err)
{
	return mkdir(path, 0755) ? err_sys(err, ERR_NEEDS, errno, "cannot make the control group '%s'", path) : 0;
}

int cgroup_set_weight(const char *path, unsigned weight, unsigned *n, struct err *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", weight);
	*n = 0;
	for (size_t i = 0; i < ARRAY_LEN(weight_files); i++) {
		int got = put(path, weight_files[i], text, err);

		if (got < 0)
			return -1;
		*n += !got;
	}
	return 0;
}
