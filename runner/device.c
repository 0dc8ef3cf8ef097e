// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/device.h"

#include <ctype.h>
#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/blockdev.h"
#include "runner/sysfs.h"

/* The first of these attributes that holds anything; the caller frees; NULL if none does. */
static char *first_attr(const char *dir, const char *const *attrs)
{
	char text[512];

	for (; *attrs; attrs++) {
		text[0] = '\0';
		if (!sysfs_read(dir, *attrs, text, sizeof(text), NULL) && *str_trim(text))
			return mem_strdup(str_trim(text));
	}
	return NULL;
}

/* Likewise of udev's properties. */
static char *first_property(struct udev_device *dev, const char *const *keys)
{
	const char *value = NULL;

	while (!value && *keys)
		value = udev_device_get_property_value(dev, *keys++);
	return value && *value ? mem_strdup(value) : NULL;
}

/*
 * What sysfs does not tell. sysfs before udev: udev spells the same wwid otherwise ("0x5000…" for "naa.5000…"), and a
 * disk must not become another one on the day udev is not running.
 */
static void ask_udev(struct disk *d)
{
	struct udev *udev = d->number && sysfs_is_kernels() ? udev_new() : NULL;
	struct udev_device *dev = udev ? udev_device_new_from_devnum(udev, 'b', d->number) : NULL;

	if (dev && !d->wwid)
		d->wwid = first_property(dev, (const char *const[]){ "ID_WWN_WITH_EXTENSION", "ID_WWN", NULL });
	if (dev && !d->serial)
		d->serial = first_property(dev, (const char *const[]){ "ID_SERIAL_SHORT", "ID_SERIAL", NULL });
	udev_device_unref(dev);
	udev_unref(udev);
}

static void disk_read_names(struct disk *d)
{
	d->model = first_attr(d->sysdir, (const char *const[]){ "device/model", "device/name", NULL });
	d->wwid = first_attr(d->sysdir, (const char *const[]){ "wwid", "device/wwid", NULL });
	d->serial = first_attr(d->sysdir, (const char *const[]){ "serial", "device/serial", NULL });
	if (!d->wwid || !d->serial)
		ask_udev(d);
	d->identity = mem_strdup(d->wwid ? d->wwid : d->serial);
	if (!d->identity)
		d->identity = first_attr(d->sysdir, (const char *const[]){ "dm/uuid", "loop/backing_file", NULL });
	if (!d->identity)
		d->identity = mem_strdup(d->name);
}

/* By where the device is in sysfs; the first that fits, so what is plugged into what comes before what it speaks. */
static const struct {
	const char *part, *name;
} transports[] = {
	{ "/usb", "usb" },
	{ "/ata", "sata" },
	{ "/nvme", "nvme" },
	{ "/virtio", "virtio" },
	{ "/mmc", "mmc" },
	{ "/vbd-", "xen" },
	{ "/rport-", "fc" },
	{ "/session", "iscsi" },
	{ "/end_device-", "sas" },
	{ "/host", "scsi" },
	{ "/virtual/block/loop", "loop" },
	{ "/virtual/block/dm-", "dm" },
	{ "/virtual/block/md", "md" },
	{ "/virtual/", "virtual" },
};

static const char *transport_of(const char *sysdir)
{
	for (size_t i = 0; i < ARRAY_LEN(transports); i++)
		if (strstr(sysdir, transports[i].part))
			return transports[i].name;
	return NULL;
}

/* See sysfs_scheduler_parse: without brackets there is no choice. */
static bool has_scheduler(const char *dir)
{
	char line[512] = "";

	return !sysfs_read(dir, "queue/scheduler", line, sizeof(line), NULL) && strchr(line, '[');
}

static uint64_t size_of(const char *dir)
{
	return 512 * sysfs_read_number(dir, "size", 0); /* in sectors of 512 bytes whatever the disk has */
}

static void disk_read(const char *dir, struct disk *d)
{
	AUTOFREE char *node = blockdev_node(dir);

	*d = (struct disk){
		.number = blockdev_number(dir),
		.size_bytes = size_of(dir),
		.diskseq = sysfs_read_number(dir, "diskseq", 0),
		.logical_block_bytes = (unsigned)sysfs_read_number(dir, "queue/logical_block_size", 512),
		.physical_block_bytes = (unsigned)sysfs_read_number(dir, "queue/physical_block_size", 512),
		.rotational = sysfs_read_number(dir, "queue/rotational", 0),
		.has_scheduler = has_scheduler(dir),
		.transport = mem_strdup(transport_of(dir)),
	};
	snprintf(d->sysdir, sizeof(d->sysdir), "%s", dir);
	snprintf(d->name, sizeof(d->name), "%s", blockdev_name(dir));
	if (d->number)
		snprintf(d->node, sizeof(d->node), "%s", node);
	disk_read_names(d);
}

static void disk_release(struct disk *d)
{
	free(d->model);
	free(d->serial);
	free(d->wwid);
	free(d->identity);
	free(d->transport);
}

void disks_release(disks_t *disks)
{
	for (size_t i = 0; i < disks->n; i++)
		disk_release(&disks->items[i]);
	vec_free(disks);
}

/*
 * Down to the queues that decide. A device with a scheduler of its own is the end, whatever is below: request-based
 * dm (multipath) passes its requests by the schedulers of its members.
 */
static int walk_down(struct target *t, const char *dir, struct err *err)
{
	strings_t AUTOSTRINGS below = { 0 };

	if (strings_has(&t->chain, dir))
		return 0;
	strings_add(&t->chain, dir);
	if (blockdev_is_partition(dir)) {
		AUTOFREE char *whole = blockdev_whole(dir);

		return walk_down(t, whole, err);
	}
	if (!has_scheduler(dir) && blockdev_below(dir, &below, err))
		return -1;
	for (size_t i = 0; i < below.n; i++)
		if (walk_down(t, below.items[i], err))
			return -1;
	if (!below.n)
		disk_read(dir, vec_push(&t->disks));
	return 0;
}

static char *identity_of(const struct target *t, const char *dir)
{
	AUTOFREE char *whole = blockdev_whole(dir);
	const struct disk *found = NULL;
	struct disk d = { 0 };
	char *identity;

	for (size_t i = 0; i < t->disks.n && !found; i++)
		if (!strcmp(t->disks.items[i].sysdir, whole))
			found = &t->disks.items[i];
	if (!found)
		disk_read(whole, &d);
	identity = mem_strdup(found ? found->identity : d.identity);
	disk_release(&d);
	if (blockdev_is_partition(dir)) {
		AUTOFREE char *of_disk = identity;

		identity = mem_printf("%s-part%llu", of_disk, (unsigned long long)sysfs_read_number(dir, "partition", 0));
	}
	return identity;
}

/* All but the operand, for the devices 'dirs', the first of which is the target's own. */
static int target_fill(struct target *t, const strings_t *dirs, struct err *err)
{
	const char *own = dirs->items[0];

	t->number = blockdev_number(own);
	t->size_bytes = size_of(own);
	t->is_partition = blockdev_is_partition(own);
	for (size_t i = 0; i < dirs->n; i++)
		if (walk_down(t, dirs->items[i], err))
			return -1;
	t->identity = identity_of(t, own);
	/* The node we were given works, whatever it is called. */
	if (!strcmp(t->disks.items[0].sysdir, own))
		snprintf(t->disks.items[0].node, sizeof(t->disks.items[0].node), "%s", t->node);
	for (size_t i = 0; i < t->disks.n; i++)
		if (t->disks.items[i].has_scheduler)
			return 0;
	return err_set(err, ERR_NEEDS, "'%s' has no I/O scheduler, nor has anything below it", t->node);
}

static int no_such_device(const char *operand, struct err *err)
{
	AUTOFREE char *guess = mem_printf("/dev/%s", operand);
	struct stat st;

	if (!strchr(operand, '/') && !stat(guess, &st) && S_ISBLK(st.st_mode))
		return err_set(err, ERR_NEEDS, "no such device '%s': did you mean '%s'?", operand, guess);
	return err_set(err, ERR_NEEDS, "no such device '%s': 'iobench devices' lists those there are", operand);
}

static int not_a_block_device(const char *operand, mode_t mode, struct err *err)
{
	if (S_ISREG(mode))
		return err_set(err, ERR_NEEDS, "'%s' is a regular file, not a block device: 'losetup --find --show "
			       "--direct-io=on %s' makes one of it", operand, operand);
	if (S_ISDIR(mode))
		return err_set(err, ERR_NEEDS, "'%s' is a directory, not a block device: use --dir to measure with "
			       "files in it", operand);
	return err_set(err, ERR_NEEDS, "'%s' is %s, not a block device", operand,
		       S_ISCHR(mode) ? "a character device" : S_ISFIFO(mode) ? "a pipe" : "a socket");
}

static int open_node(const char *operand, struct target *t, struct err *err)
{
	strings_t AUTOSTRINGS dirs = { 0 };
	char real[PATH_MAX], dir[PATH_MAX];
	struct stat st;

	t->operand = mem_strdup(operand);
	if (stat(operand, &st) || !realpath(operand, real))
		return errno == ENOENT ? no_such_device(operand, err) :
					 err_sys(err, ERR_NEEDS, errno, "cannot look at '%s'", operand);
	if (!S_ISBLK(st.st_mode))
		return not_a_block_device(operand, st.st_mode, err);
	t->node = mem_strdup(real);
	if (blockdev_dir(st.st_rdev, dir))
		return err_set(err, ERR_NEEDS, "'%s' is a node without a device behind it", operand);
	strings_add(&dirs, dir);
	return target_fill(t, &dirs, err);
}

static int open_dir(const char *operand, struct target *t, struct err *err)
{
	strings_t AUTOSTRINGS dirs = { 0 };
	struct stat st;

	t->operand = mem_strdup(operand);
	t->is_dir = true;
	if (stat(operand, &st))
		return err_sys(err, ERR_NEEDS, errno, "cannot look at '%s'", operand);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_NEEDS, "'%s' is not a directory", operand);
	if (blockdev_of_path(operand, &dirs, err))
		return -1;
	t->node = blockdev_node(dirs.items[0]);
	return target_fill(t, &dirs, err);
}

int target_open(const char *operand, struct target *out, struct err *err)
{
	*out = (struct target){ 0 };
	if (!open_node(operand, out, err))
		return 0;
	target_release(out);
	return -1;
}

int target_of_dir(const char *dir, struct target *out, struct err *err)
{
	*out = (struct target){ 0 };
	if (!open_dir(dir, out, err))
		return 0;
	target_release(out);
	return -1;
}

void target_release(struct target *t)
{
	free(t->operand);
	free(t->node);
	free(t->identity);
	strings_release(&t->chain);
	disks_release(&t->disks);
	*t = (struct target){ 0 };
}

bool target_is(const struct target *t, const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == t->number;
}

/* Why an entry of sysfs is no disk to measure; NULL if it is one. */
static const char *no_disk(const struct disk *d)
{
	if (!d->number)
		return "a path of a multipath NVMe, which has no node of its own";
	if (str_starts(d->name, "ram") && isdigit((unsigned char)d->name[3]))
		return "a RAM disk";
	return d->size_bytes ? NULL : "nothing in it or attached to it (size 0)";
}

static void leave_out(strings_t *left_out, const char *name, const char *why)
{
	for (size_t i = 0; i < left_out->n; i++)
		if (str_starts(left_out->items[i], why)) {
			char *longer = mem_printf("%s %s", left_out->items[i], name);

			free(left_out->items[i]);
			left_out->items[i] = longer;
			return;
		}
	*vec_push(left_out) = mem_printf("%s: %s", why, name);
}

int devices_list(disks_t *out, strings_t *left_out, struct err *err)
{
	AUTOFREE char *block = mem_printf("%s/block", sysfs_root());
	strings_t AUTOSTRINGS names = { 0 };
	char dir[PATH_MAX];

	if (sysfs_list_dirs(block, "", &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		struct disk d;
		const char *why;

		if (sysfs_resolve(block, names.items[i], dir))
			continue; /* gone since */
		disk_read(dir, &d);
		why = no_disk(&d);
		if (!why) {
			*vec_push(out) = d;
			continue;
		}
		leave_out(left_out, d.name, why);
		disk_release(&d);
	}
	return 0;
}
