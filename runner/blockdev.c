// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/blockdev.h"

#include <errno.h>
#include <libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runner/sysfs.h"

int blockdev_dir(dev_t number, char out[PATH_MAX])
{
	AUTOFREE char *sub = mem_printf("dev/block/%u:%u", major(number), minor(number));

	return sysfs_resolve(sysfs_root(), sub, out);
}

dev_t blockdev_number(const char *dir)
{
	unsigned maj, min;
	char text[32] = "";

	/* NOLINTNEXTLINE(cert-err34-c): the kernel prints it with "%u:%u" */
	if (sysfs_read(dir, "dev", text, sizeof(text), NULL) || sscanf(text, "%u:%u", &maj, &min) != 2)
		return 0;
	return makedev(maj, min);
}

const char *blockdev_name(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash ? slash + 1 : dir;
}

char *blockdev_node(const char *dir)
{
	char *node = mem_printf("/dev/%s", blockdev_name(dir));

	for (char *p = node; *p; p++)
		if (*p == '!')
			*p = '/';
	return node;
}

char *blockdev_label(const char *dir)
{
	char name[128] = "";

	if (!sysfs_read(dir, "dm/name", name, sizeof(name), NULL) && name[0])
		return mem_printf("/dev/mapper/%s", name);
	return blockdev_node(dir);
}

bool blockdev_is_partition(const char *dir)
{
	return sysfs_exists(dir, "partition");
}

char *blockdev_whole(const char *dir)
{
	size_t len = strlen(dir);

	if (blockdev_is_partition(dir))
		len -= strlen(blockdev_name(dir)) + 1;
	return mem_strndup(dir, len);
}

static void add_resolved(const char *dir, const char *sub, strings_t *out)
{
	char path[PATH_MAX];

	/* One that went away since it was listed is no longer there to be told of. */
	if (!sysfs_resolve(dir, sub, path) && !strings_has(out, path))
		strings_add(out, path);
}

/* Append the devices that the directory dir/sub has links to. */
static int add_links(const char *dir, const char *sub, strings_t *out, struct err *err)
{
	strings_t AUTOSTRINGS names = { 0 };
	AUTOFREE char *links = mem_printf("%s/%s", dir, sub);

	if (sysfs_list_dirs(dir, sub, &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++)
		add_resolved(links, names.items[i], out);
	return 0;
}

int blockdev_partitions(const char *dir, strings_t *out, struct err *err)
{
	strings_t AUTOSTRINGS names = { 0 };

	if (sysfs_list_dirs(dir, "", &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		AUTOFREE char *sub = mem_printf("%s/%s", dir, names.items[i]);

		if (blockdev_is_partition(sub))
			strings_add(out, sub);
	}
	return 0;
}

/* A loop device opens its file without claiming it and is no holder: only its own attribute tells. */
static int add_loops(const char *dir, strings_t *out, struct err *err)
{
	AUTOFREE char *block = mem_printf("%s/block", sysfs_root());
	strings_t AUTOSTRINGS names = { 0 };
	dev_t number = blockdev_number(dir);

	if (!number)
		return 0;
	if (sysfs_list_dirs(block, "", &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		AUTOFREE char *attr = mem_printf("%s/loop/backing_file", names.items[i]);
		char file[PATH_MAX] = "";
		struct stat st;

		if (!sysfs_read(block, attr, file, sizeof(file), NULL) && !stat(file, &st) && S_ISBLK(st.st_mode) &&
		    st.st_rdev == number)
			add_resolved(block, names.items[i], out);
	}
	return 0;
}

int blockdev_above(const char *dir, strings_t *out, struct err *err)
{
	return add_links(dir, "holders", out, err) || add_loops(dir, out, err) ? -1 : 0;
}

/*
 * nvme2n1, when multipath, has no slaves/; its paths are the hidden disks nvme2cYn1 (nvme_mpath_set_disk_name() in
 * drivers/nvme/host/multipath.c).
 */
static int add_nvme_paths(const char *dir, strings_t *out, struct err *err)
{
	AUTOFREE char *block = mem_printf("%s/block", sysfs_root());
	strings_t AUTOSTRINGS names = { 0 };
	unsigned subsystem, ns;
	int end = 0;

	/* NOLINTNEXTLINE(cert-err34-c): digits the kernel printed */
	if (sscanf(blockdev_name(dir), "nvme%un%u%n", &subsystem, &ns, &end) != 2 || blockdev_name(dir)[end])
		return 0;
	if (sysfs_list_dirs(block, "", &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		unsigned s, controller, n;

		/* NOLINTNEXTLINE(cert-err34-c): likewise */
		if (sscanf(names.items[i], "nvme%uc%un%u", &s, &controller, &n) == 3 && s == subsystem && n == ns)
			add_resolved(block, names.items[i], out);
	}
	return 0;
}

int blockdev_below(const char *dir, strings_t *out, struct err *err)
{
	return add_links(dir, "slaves", out, err) || add_nvme_paths(dir, out, err) ? -1 : 0;
}

int blockdev_btrfs(const char *dir, strings_t *out, struct err *err)
{
	AUTOFREE char *all = mem_printf("%s/fs/btrfs", sysfs_root());
	strings_t AUTOSTRINGS names = { 0 };

	if (sysfs_list_dirs(all, "", &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		AUTOFREE char *sub = mem_printf("%s/devices", names.items[i]);
		strings_t AUTOSTRINGS members = { 0 };

		if (add_links(all, sub, &members, err))
			return -1;
		if (!strings_has(&members, dir))
			continue;
		for (size_t j = 0; j < members.n; j++)
			strings_add(out, members.items[j]);
		return 0;
	}
	strings_add(out, dir);
	return 0;
}

dev_t blockdev_of_mount(struct libmnt_fs *fs)
{
	const char *source = mnt_fs_get_source(fs);
	struct stat st;

	if (major(mnt_fs_get_devno(fs)))
		return mnt_fs_get_devno(fs);
	if (!source || source[0] != '/' || stat(source, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

/* By the mount point: for file systems whose files carry an invented device number. */
static int device_by_mount(const char *path, dev_t *number, struct err *err)
{
	struct libmnt_table *mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = mounts ? mnt_table_find_mountpoint(mounts, path, MNT_ITER_BACKWARD) : NULL;
	int ret = 0;

	*number = fs ? blockdev_of_mount(fs) : 0;
	if (!fs)
		ret = err_set(err, ERR_FAULT, "cannot tell which file system '%s' is on", path);
	else if (!*number)
		ret = err_set(err, ERR_NEEDS, "'%s' is on %s (%s), which has no disk of its own", path,
			      mnt_fs_get_fstype(fs), mnt_fs_get_source(fs));
	mnt_unref_table(mounts);
	return ret;
}

int blockdev_of_path(const char *path, strings_t *out, struct err *err)
{
	char real[PATH_MAX], dir[PATH_MAX];
	struct stat st;
	dev_t number;

	if (!realpath(path, real) || stat(real, &st))
		return err_sys(err, ERR_NEEDS, errno, "cannot look at '%s'", path);
	number = st.st_dev;
	if (!major(number) && device_by_mount(real, &number, err))
		return -1;
	if (blockdev_dir(number, dir))
		return err_set(err, ERR_NEEDS, "'%s' is on device %u:%u, which sysfs does not know", path,
			       major(number), minor(number));
	return blockdev_btrfs(dir, out, err);
}
