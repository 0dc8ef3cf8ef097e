/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_DEVICE_H
#define RUNNER_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"

/*
 * What a disk is (device.c), who uses it (device_use.c), taking it for ourselves (device_claim.c) and what is on it
 * (device_data.c). Nothing in here writes
 * to a device or creates a node. Whatever the machine lacks or does not allow is ERR_NEEDS.
 *
 * The order for a sweep: target_open ─► target_lock (udev stays off from here on) ─► target_uses (refuse) ─►
 * target_write_check, and for each run target_claim.
 */

/* A whole disk. Strings are owned and NULL when nobody knows. */
struct disk {
	char name[64];	       /* the kernel's: "sda", "nvme0n1", "cciss!c0d0" */
	char node[PATH_MAX];   /* "/dev/sda"; "" for the hidden paths of a multipath NVMe, which have none */
	char sysdir[PATH_MAX]; /* its directory in sysfs, links resolved */
	dev_t number;	       /* 0 when hidden */
	uint64_t size_bytes;
	uint64_t diskseq; /* another one for every disk the kernel has seen since boot; 0 before Linux 5.15 */
	unsigned logical_block_bytes, physical_block_bytes;
	bool rotational;
	bool has_scheduler; /* its queue can have one */
	char *model, *serial, *wwid;
	char *identity;	 /* the same after a reboot and under another name: wwid, serial, a dm device's uuid, a loop
			    device's file, else the name */
	char *transport; /* "sata", "nvme", "usb", "virtio", "loop", … */
};
typedef VEC(struct disk) disks_t;

/* What is measured: a block device, or the device below a directory. */
struct target {
	char *operand;	/* as typed */
	char *node;	/* the device itself, links resolved: what fio gets */
	char *identity; /* as a disk's; of a partition the disk's and "-part2" */
	dev_t number;
	uint64_t size_bytes;
	bool is_partition;
	bool is_dir;	 /* from target_of_dir */
	strings_t chain; /* directories in sysfs: the device's own, then all between it and its disks, and those */
	disks_t disks;	 /* the disks whose queues decide: for dm, md and multipath NVMe those below, else just one */
};

/* The block device at 'operand'. Fails for anything else, and for one with no I/O scheduler anywhere below. */
int target_open(const char *operand, struct target *out, struct err *err);

/* The device below the file system of a directory. Fails where there is none, as on tmpfs or NFS, naming its type. */
int target_of_dir(const char *dir, struct target *out, struct err *err);

void target_release(struct target *t);

/* Is 'path' (a node or a link to one) this very device? */
bool target_is(const struct target *t, const char *path);

/*
 * Every disk of this box, sorted as sysfs lists them by name. 'left_out' gets a line for each reason why others are no
 * disks one could measure: "a RAM disk: ram0 ram1".
 */
int devices_list(disks_t *out, strings_t *left_out, struct err *err);
void disks_release(disks_t *disks);

/* ---- who uses it ---- */

enum use_kind {
	USE_MOUNT,    /* mounted, in this mount namespace or another */
	USE_SWAP,
	USE_HOLDER,   /* part of an md array, a dm device (LVM, LUKS), bcache, or under a loop device */
	USE_OPEN,     /* open in another process */
	USE_FILES,    /* holds the database */
	USE_CLAIMED,  /* taken exclusively by something that none of the above shows, as zfs does */
};

struct use {
	enum use_kind kind;
	char *text;   /* "'/dev/sdb2' is mounted on '/home'" */
	dev_t number; /* of the device that is used */
	bool beside;  /* on the same disk, but not on the target's own blocks: disturbing, not endangered */
};
typedef VEC(struct use) uses_t;

/*
 * Append everything that uses the target or its disks, and 'database' (a file that is there or will be; NULL: none) if
 * it lies on them. This process and its descendants do not count, except for a claim of ours: ask before target_claim. Fails when
 * a device cannot be opened at all (not root, no medium); what was found until then is in 'out'.
 */
int target_uses(const struct target *t, const char *database, uses_t *out, struct err *err);

/* The error that refuses a target in use, naming as many uses as fit; 0 if there are none. */
int uses_refuse(const struct target *t, const uses_t *uses, struct err *err);

void uses_release(uses_t *uses);

/*
 * Open the target's node exclusively (O_EXCL: fails while it or a partition is mounted, swap, or held by another
 * device; mkfs and mount fail while we have it). Read-only unless 'write': the close of a writer makes udev run its
 * rules again.
 */
int target_claim(const struct target *t, bool write, int *fd, struct err *err);

/*
 * flock(LOCK_EX) the nodes of the target's whole disks: systemd's convention, which keeps udev off, and another
 * iobench. Waits up to two seconds for udev to finish; the error names who has the lock. Appends to 'locks', which may hold
 * those of other targets on the same disk already; they last until every copy of the descriptors is closed.
 */
typedef VEC(int) fds_t;
int target_lock(const struct target *t, fds_t *locks, struct err *err);
void fds_close(fds_t *fds);

/* ---- what is on it ---- */

/*
 * '*text' becomes what libblkid recognises on the target: "an ext4 file system (label 'data')", "a gpt partition
 * table", "an LVM2_member", joined by " and "; NULL if nothing. The caller frees.
 */
int target_signature(const struct target *t, char **text, struct err *err);

/*
 * May it be overwritten? 'write_ok' is the option's argument: NULL not given, "" given without a device. A blank
 * device needs the option, one with something on it needs the option with this very device. ERR_USAGE says what is
 * there. Asked at the start and again before the first write.
 */
int target_write_check(const struct target *t, const char *write_ok, struct err *err);

#endif
