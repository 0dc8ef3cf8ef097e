/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_BLOCKDEV_H
#define RUNNER_BLOCKDEV_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/str.h"

/*
 * How block devices stand on each other, as sysfs tells it. A device is its directory there, links resolved
 * ("…/block/sda/sda1"), never its name: sda2 is not a part of sda21. The lists append such directories.
 */

/* The directory of a device number; -1 when the kernel has no such device. */
int blockdev_dir(dev_t number, char out[PATH_MAX]);

dev_t blockdev_number(const char *dir); /* 0: none (the hidden paths of a multipath NVMe) */
const char *blockdev_name(const char *dir); /* the kernel's, borrowed from 'dir' */

/* "/dev/cciss/c0d0p1" for cciss!c0d0p1: the kernel's devtmpfs turns '!' into '/' (device_get_devnode()). */
char *blockdev_node(const char *dir);

/* As people know it: a dm device as /dev/mapper/NAME, else as blockdev_node. The caller frees. */
char *blockdev_label(const char *dir);

bool blockdev_is_partition(const char *dir);
char *blockdev_whole(const char *dir); /* of a partition its disk, else itself; the caller frees */

int blockdev_partitions(const char *dir, strings_t *out, struct err *err);

/* What directly uses it: holders (md, dm, bcache) and loop devices that have it as their file. */
int blockdev_above(const char *dir, strings_t *out, struct err *err);

/* What it directly consists of: slaves, or the paths of a multipath NVMe head. */
int blockdev_below(const char *dir, strings_t *out, struct err *err);

/* All devices of the btrfs that this one belongs to, itself among them; just itself when it is in none. */
int blockdev_btrfs(const char *dir, strings_t *out, struct err *err);

/*
 * The devices (several: btrfs) below the file system that 'path', which must exist, lies on. ERR_NEEDS names the
 * type of a file system that has none: tmpfs, overlay, NFS, zfs.
 */
int blockdev_of_path(const char *path, strings_t *out, struct err *err);

/* The device a line of mountinfo is about; 0: none. A btrfs has a number of its own and tells by its source. */
struct libmnt_fs;
dev_t blockdev_of_mount(struct libmnt_fs *fs);

#endif
