// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without arguments: tests over a tree that looks like sysfs. Its device numbers are of major 120, which is reserved
 * for local use, so that nothing of the machine can be mistaken for them.
 *
 * With arguments: the driver of tests/system/device.t. 'device.t FUNCTION OPERAND [ARGUMENT]' calls one function on
 * real devices and prints what it gave, or "error KIND: message".
 */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runner/blockdev.h"
#include "runner/device.h"
#include "runner/process.h"
#include "runner/sysfs.h"

/* ---- the driver ---- */

static int complain(const struct err *err)
{
	printf("error %d: %s\n", err->kind, err->msg);
	return 1;
}

static int drive_target(const struct target *t)
{
	printf("node %s\nidentity %s\nsize %llu\npartition %d\ndir %d\n", t->node, t->identity,
	       (unsigned long long)t->size_bytes, t->is_partition, t->is_dir);
	for (size_t i = 0; i < t->disks.n; i++)
		printf("disk %s %s %llu\n", t->disks.items[i].name, t->disks.items[i].node,
		       (unsigned long long)t->disks.items[i].size_bytes);
	return 0;
}

static int drive_uses(const struct target *t, const char *database)
{
	static const char *const kinds[] = { "mount", "swap", "holder", "open", "files", "claimed" };
	uses_t uses = { 0 };
	struct err err;
	int ret = target_uses(t, database, &uses, &err);

	for (size_t i = 0; i < uses.n; i++)
		printf("%s%s %s\n", uses.items[i].beside ? "beside " : "", kinds[uses.items[i].kind],
		       uses.items[i].text);
	uses_release(&uses);
	return ret ? complain(&err) : 0;
}

static int drive_signature(const struct target *t)
{
	AUTOFREE char *text = NULL;
	struct err err;

	if (target_signature(t, &text, &err))
		return complain(&err);
	printf("%s\n", text ? text : "(blank)");
	return 0;
}

/* Claim or lock, and with an argument run that while we have it. */
static int drive_take(const struct target *t, const char *how, const char *command)
{
	fds_t fds = { 0 };
	struct err err;
	int ret = !strcmp(how, "lock") ? target_lock(t, &fds, &err) :
					 target_claim(t, !strcmp(how, "claim-write"), vec_push(&fds), &err);

	if (ret && strcmp(how, "lock") != 0)
		vec_free(&fds);
	if (ret)
		return complain(&err);
	printf("taken\n");
	fflush(stdout);
	if (command && system(command))
		ret = 1;
	fds_close(&fds);
	return ret;
}

/* Who uses it while we and a child of ours have it open, or have 'claimed' exclusively? */
static int drive_own(const struct target *t, const char *claimed)
{
	int fd = open(claimed ? claimed : t->node, O_RDONLY | (claimed ? O_EXCL : 0)), ret; /* for the child too */
	FILE *child = popen("exec cat", "we");

	if (fd < 0 || !child)
		abort();
	ret = drive_uses(t, NULL);
	pclose(child);
	close(fd);
	return ret;
}

static int drive_lock_both(const struct target *t, const char *other)
{
	struct target u = { 0 };
	fds_t locks = { 0 };
	struct err err;
	int ret = target_open(other, &u, &err) || target_lock(t, &locks, &err) || target_lock(&u, &locks, &err);

	printf("%zu locks\n", locks.n);
	fds_close(&locks);
	target_release(&u);
	return ret ? complain(&err) : 0;
}

static int drive_devices(void)
{
	strings_t AUTOSTRINGS left_out = { 0 };
	disks_t disks = { 0 };
	struct err err;

	if (devices_list(&disks, &left_out, &err))
		return complain(&err);
	for (size_t i = 0; i < disks.n; i++)
		printf("disk %s\n", disks.items[i].name);
	for (size_t i = 0; i < left_out.n; i++)
		printf("not %s\n", left_out.items[i]);
	disks_release(&disks);
	return 0;
}

static int drive(const char *function, const char *operand, const char *argument)
{
	struct target t;
	struct err err;
	int ret;

	if (!strcmp(function, "devices"))
		return drive_devices();
	if (!strcmp(function, "dir") ? target_of_dir(operand, &t, &err) : target_open(operand, &t, &err))
		return complain(&err);
	if (!strcmp(function, "uses"))
		ret = drive_uses(&t, argument);
	else if (!strcmp(function, "own"))
		ret = drive_own(&t, argument);
	else if (!strcmp(function, "lock-both"))
		ret = drive_lock_both(&t, argument);
	else if (!strcmp(function, "signature"))
		ret = drive_signature(&t);
	else if (!strcmp(function, "write"))
		ret = target_write_check(&t, argument, &err) ? complain(&err) : 0;
	else if (!strcmp(function, "is"))
		ret = !target_is(&t, argument);
	else if (!strcmp(function, "open") || !strcmp(function, "dir"))
		ret = drive_target(&t);
	else
		ret = drive_take(&t, function, argument);
	target_release(&t);
	return ret;
}

/* ---- the tree ---- */

static char top[] = "/tmp/iobench-device.XXXXXX";
static char *root; /* top/sys */

static void put(const char *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *fmt, ...)
{
	struct str AUTOSTR command = { 0 };
	char text[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&command, "cd '%s' && %s", top, text);
	if (system(command.s))
		abort();
}

static void put(const char *value, const char *fmt, ...)
{
	char tail[PATH_MAX];
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(tail, sizeof(tail), fmt, ap);
	va_end(ap);
	AUTOFREE char *path = mem_printf("%s/%s", root, tail);
	AUTOFREE char *parent = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
	if (access(parent, F_OK))
		shell("mkdir -p '%s'", parent);
	f = fopen(path, "we");
	if (!f || fprintf(f, "%s\n", value) < 0 || fclose(f))
		abort();
}

/* A device at 'where' below the root; minor 0 for one without a number. */
static void device(const char *where, unsigned minor, const char *sectors)
{
	AUTOFREE char *number = mem_printf("120:%u", minor);

	put(sectors, "%s/size", where);
	if (minor) {
		put(number, "%s/dev", where);
		shell("mkdir -p sys/dev/block && ln -s '../../%s' 'sys/dev/block/120:%u'", where, minor);
	}
}

static void disk(const char *where, unsigned minor, const char *scheduler)
{
	device(where, minor, "2048000");
	if (scheduler)
		put(scheduler, "%s/queue/scheduler", where);
	shell("mkdir -p sys/block '%s/%s/holders' '%s/%s/slaves' && ln -s '../%s' 'sys/block/'", root, where, root,
	      where, where);
}

static void partition(const char *whole, const char *name, const char *n, unsigned minor)
{
	AUTOFREE char *where = mem_printf("%s/%s", whole, name);

	device(where, minor, "1024000");
	put(n, "%s/partition", where);
	shell("mkdir -p '%s/%s/holders'", root, where);
}

/* 'upper' is made of 'lower'; both below the root. */
static void stack(const char *lower, const char *upper)
{
	shell("ln -s '%s/%s' '%s/%s/holders/'", root, upper, root, lower);
	shell("ln -s '%s/%s' '%s/%s/slaves/'", root, lower, root, upper);
}

#define SDA "devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda"
#define SDB "devices/pci0000:00/0000:00:14.0/usb2/2-1/host6/target6:0:0/6:0:0:0/block/sdb"
#define CCISS "devices/pci0000:00/0000:00:03.0/cciss0/c0d0/block/cciss!c0d0"
#define VDA "devices/pci0000:00/0000:00:02.0/virtio1/block/vda"
#define NVME0 "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1"
#define NVME1 "devices/pci0000:00/0000:01:00.0/nvme/nvme1/nvme1n1"
#define NVME10 "devices/pci0000:00/0000:01:00.0/nvme/nvme1/nvme1n10"
#define VIRTUAL "devices/virtual/block/"
#define MQ "[none] mq-deadline kyber bfq"

enum { SDA_0 = 1, SDA_1, SDA_2, SDA_21, SDB_0, CCISS_0, CCISS_1, VDA_0, NVME0_0, NVME0_1, NVME1_0, NVME1_1, NVME10_0,
       DM_0, DM_1, DM_2, MD_0, MD_1, LOOP_0, LOOP_3, ZRAM_0, RAM_0, BTRFS_A, BTRFS_B };

static void make_tree(void)
{
	disk(SDA, SDA_0, "none [bfq] mq-deadline");
	partition(SDA, "sda1", "1", SDA_1);
	partition(SDA, "sda2", "2", SDA_2);
	partition(SDA, "sda21", "21", SDA_21);
	put("naa.5000c500a1b2c3d4", SDA "/device/wwid");
	put("ST2000DM001-1CH1", SDA "/device/model");
	put("1", SDA "/queue/rotational");
	put("512", SDA "/queue/logical_block_size");
	put("4096", SDA "/queue/physical_block_size");
	put("17", SDA "/diskseq");
	disk(SDB, SDB_0, MQ);
	put("USB  Stick  ", SDB "/device/model");
	disk(CCISS, CCISS_0, "noop deadline [cfq]");
	partition(CCISS, "cciss!c0d0p1", "1", CCISS_1);
	disk(VDA, VDA_0, MQ);
	put("vol-0001", VDA "/serial");

	disk(NVME0, NVME0_0, "none");
	partition(NVME0, "nvme0n1p1", "1", NVME0_1);
	put("eui.0025385b71b0a6e1", NVME0 "/wwid");
	disk("devices/pci0000:00/0000:02:00.0/nvme/nvme0/nvme0c0n1", 0, MQ);
	disk("devices/pci0000:00/0000:03:00.0/nvme/nvme2/nvme0c2n1", 0, MQ);
	disk("devices/pci0000:00/0000:03:00.0/nvme/nvme2/nvme0c2n10", 0, MQ);
	disk("devices/pci0000:00/0000:03:00.0/nvme/nvme2/nvme10c2n1", 0, MQ);
	disk(NVME1, NVME1_0, MQ);
	partition(NVME1, "nvme1n1p1", "1", NVME1_1);
	disk(NVME10, NVME10_0, MQ);

	/* vg-home over sda2 and sdb, vg-root beside it on sda2, a mirror of sda1 and vg-home */
	disk(VIRTUAL "dm-0", DM_0, "none");
	put("vg-home", VIRTUAL "dm-0/dm/name");
	put("LVM-abc", VIRTUAL "dm-0/dm/uuid");
	stack(SDA "/sda2", VIRTUAL "dm-0");
	stack(SDB, VIRTUAL "dm-0");
	disk(VIRTUAL "dm-1", DM_1, NULL);
	put("vg-root", VIRTUAL "dm-1/dm/name");
	stack(SDA "/sda2", VIRTUAL "dm-1");
	disk(VIRTUAL "md0", MD_0, NULL);
	stack(SDA "/sda1", VIRTUAL "md0");
	stack(VIRTUAL "dm-0", VIRTUAL "md0");
	/* request-based */
	disk(VIRTUAL "dm-2", DM_2, "[mq-deadline] none");
	stack(NVME10, VIRTUAL "dm-2");
	/* over something that has no scheduler either */
	disk(VIRTUAL "zram0", ZRAM_0, "none");
	disk(VIRTUAL "md1", MD_1, NULL);
	stack(VIRTUAL "zram0", VIRTUAL "md1");

	disk(VIRTUAL "loop0", LOOP_0, MQ);
	put("/var/tmp/disk image", VIRTUAL "loop0/loop/backing_file");
	disk(VIRTUAL "loop3", LOOP_3, MQ);
	put("0", VIRTUAL "loop3/size");
	disk(VIRTUAL "ram0", RAM_0, NULL);

	disk("devices/pci0000:00/0000:04:00.0/ata4/block/sdx", BTRFS_A, MQ);
	disk("devices/pci0000:00/0000:04:00.0/ata5/block/sdy", BTRFS_B, MQ);
	shell("mkdir -p sys/fs/btrfs/some-uuid/devices sys/fs/btrfs/features && cd sys/fs/btrfs/some-uuid/devices && "
	      "ln -s ../../../../block/sdx && ln -s ../../../../block/sdy");
}

/* ---- over the tree ---- */

static char *at(const char *where)
{
	return mem_printf("%s/%s", root, where);
}

static char *joined(const strings_t *names)
{
	struct str out = { 0 };

	for (size_t i = 0; i < names->n; i++)
		str_addf(&out, "%s%s", i ? " " : "", blockdev_name(names->items[i]));
	return str_steal(&out);
}

static void is_list(int (*list)(const char *, strings_t *, struct err *), const char *where, const char *want)
{
	strings_t AUTOSTRINGS dirs = { 0 };
	AUTOFREE char *dir = at(where), *got = NULL;
	AUTOFREE char *what = mem_printf("of %s: %s", blockdev_name(where), *want ? want : "nothing");

	if (list(dir, &dirs, NULL))
		abort();
	got = joined(&dirs);
	is(got, want, what);
}

static void test_graph(void)
{
	AUTOFREE char *sda2 = at(SDA "/sda2"), *sda = at(SDA), *cciss1 = at(CCISS "/cciss!c0d0p1");
	AUTOFREE char *dm0 = at(VIRTUAL "dm-0");
	AUTOFREE char *whole = blockdev_whole(sda2), *same = blockdev_whole(sda), *node = blockdev_node(cciss1);
	AUTOFREE char *mapper = blockdev_label(dm0), *label = blockdev_label(sda2);
	char dir[PATH_MAX] = "";

	is_int(blockdev_dir(makedev(120, SDA_2), dir), 0, "a device is found by its number");
	is(dir, sda2, "where it really is");
	is_int(blockdev_dir(makedev(120, 999), dir), -1, "an unknown number is not");
	ok(blockdev_number(sda2) == makedev(120, SDA_2), "a directory tells its number");
	is(whole, sda, "a partition's disk");
	is(same, sda, "a disk is its own");
	is(node, "/dev/cciss/c0d0p1", "the node of cciss!c0d0p1");
	is(mapper, "/dev/mapper/vg-home", "a dm device by its name");
	is(label, "/dev/sda2", "others by their node");

	is_list(blockdev_partitions, SDA, "sda1 sda2 sda21");
	is_list(blockdev_partitions, SDA "/sda2", "");
	is_list(blockdev_above, SDA "/sda2", "dm-0 dm-1");
	is_list(blockdev_above, SDA, "");
	is_list(blockdev_below, VIRTUAL "dm-0", "sda2 sdb");
	is_list(blockdev_below, NVME0, "nvme0c0n1 nvme0c2n1");
	is_list(blockdev_below, NVME1, "");
	is_list(blockdev_below, NVME0 "/nvme0n1p1", "");
	is_list(blockdev_btrfs, "devices/pci0000:00/0000:04:00.0/ata5/block/sdy", "sdx sdy");
	is_list(blockdev_btrfs, SDA, "sda");
}

/* A node of its own for each device: nothing ever opens them, and no driver is behind the numbers. */
static bool make_nodes(void)
{
	static const struct {
		const char *name;
		unsigned minor;
	} nodes[] = {
		{ "sda", SDA_0 },      { "sda2", SDA_2 },	{ "sda21", SDA_21 },   { "sdb", SDB_0 },
		{ "cciss1", CCISS_1 }, { "vda", VDA_0 },	{ "nvme0n1", NVME0_0 }, { "nvme1n1p1", NVME1_1 },
		{ "dm-0", DM_0 },      { "dm-1", DM_1 },	{ "dm-2", DM_2 },      { "md0", MD_0 },
		{ "md1", MD_1 },       { "loop0", LOOP_0 },	{ "zram0", ZRAM_0 },   { "nothing", 999 },
		{ "nvme0n1p1", NVME0_1 },
	};

	shell("mkdir dev dev/by-id");
	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		AUTOFREE char *path = mem_printf("%s/dev/%s", top, nodes[i].name);

		if (mknod(path, S_IFBLK | 0600, makedev(120, nodes[i].minor)))
			return false;
	}
	shell("ln -s ../sda2 dev/by-id/wwn-0x5000c500a1b2c3d4-part2 && ln -s missing dev/by-id/dangling && "
	      "touch dev/file && mknod dev/char c 120 1 && mkfifo dev/pipe");
	return true;
}

static int open_node(const char *name, struct target *t, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/dev/%s", top, name);

	return target_open(path, t, err);
}

static void test_targets(void)
{
	static const struct {
		const char *name, *disks, *identity, *chain;
	} rows[] = {
		{ "sda", "sda", "naa.5000c500a1b2c3d4", "sda" },
		{ "sda2", "sda", "naa.5000c500a1b2c3d4-part2", "sda2 sda" },
		{ "sda21", "sda", "naa.5000c500a1b2c3d4-part21", "sda21 sda" },
		{ "by-id/wwn-0x5000c500a1b2c3d4-part2", "sda", "naa.5000c500a1b2c3d4-part2", "sda2 sda" },
		{ "sdb", "sdb", "sdb", "sdb" },
		{ "cciss1", "cciss!c0d0", "cciss!c0d0-part1", "cciss!c0d0p1 cciss!c0d0" },
		{ "vda", "vda", "vol-0001", "vda" },
		{ "nvme0n1", "nvme0c0n1 nvme0c2n1", "eui.0025385b71b0a6e1", "nvme0n1 nvme0c0n1 nvme0c2n1" },
		{ "nvme0n1p1", "nvme0c0n1 nvme0c2n1", "eui.0025385b71b0a6e1-part1",
		  "nvme0n1p1 nvme0n1 nvme0c0n1 nvme0c2n1" },
		{ "nvme1n1p1", "nvme1n1", "nvme1n1-part1", "nvme1n1p1 nvme1n1" },
		{ "dm-0", "sda sdb", "LVM-abc", "dm-0 sda2 sda sdb" },
		{ "dm-1", "sda", "dm-1", "dm-1 sda2 sda" },
		{ "dm-2", "dm-2", "dm-2", "dm-2" },
		{ "md0", "sda sdb", "md0", "md0 dm-0 sda2 sda sdb sda1" }, /* everything once */
		{ "loop0", "loop0", "/var/tmp/disk image", "loop0" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTOFREE char *chain = NULL;
		struct str AUTOSTR disks = { 0 };
		struct err err = { 0 };
		struct target t;

		if (!ok(!open_node(rows[i].name, &t, &err), "target %s", rows[i].name)) {
			printf("# %s\n", err.msg);
			continue;
		}
		for (size_t j = 0; j < t.disks.n; j++)
			str_addf(&disks, "%s%s", j ? " " : "", t.disks.items[j].name);
		chain = joined(&t.chain);
		is(str_text(&disks), rows[i].disks, "  the queues that decide");
		is(t.identity, rows[i].identity, "  identity");
		is(chain, rows[i].chain, "  the devices it consists of");
		target_release(&t);
	}
}

static void test_disk(void)
{
	struct target t;
	const struct disk *d;

	if (open_node("sda2", &t, NULL))
		abort();
	d = t.disks.items;
	is(d->node, "/dev/sda", "the disk's node");
	is(d->model, "ST2000DM001-1CH1", "model");
	is(d->wwid, "naa.5000c500a1b2c3d4", "wwid");
	is(d->serial, NULL, "no serial");
	is(d->transport, "sata", "transport");
	ok(d->rotational && d->has_scheduler, "rotational, with a scheduler");
	ok(d->number == makedev(120, SDA_0), "number");
	ok(d->size_bytes == 2048000ULL * 512 && t.size_bytes == 1024000ULL * 512, "sizes of disk and partition");
	is_int((long long)d->diskseq, 17, "diskseq");
	is_int(d->logical_block_bytes, 512, "logical block");
	is_int(d->physical_block_bytes, 4096, "physical block");
	ok(t.is_partition && !t.is_dir, "a partition");
	has(t.node, "/dev/sda2", "its own node");
	target_release(&t);

	if (open_node("sdb", &t, NULL))
		abort();
	is(t.disks.items[0].transport, "usb", "USB comes before SCSI");
	is(t.disks.items[0].model, "USB  Stick", "the model without blanks at its end");
	is(t.disks.items[0].node, t.node, "a disk has the node that was given");
	ok(!t.disks.items[0].rotational, "not rotational");
	is_int((long long)t.disks.items[0].diskseq, 0, "an old kernel has no diskseq");
	target_release(&t);

	if (open_node("nvme0n1", &t, NULL))
		abort();
	is(t.disks.items[0].node, "", "the path of a multipath NVMe has no node");
	is_int((long long)t.disks.items[0].number, 0, "and no number");
	is(t.disks.items[0].transport, "nvme", "and is NVMe");
	target_release(&t);
}

static void test_refused(void)
{
	static const struct {
		const char *name, *message;
	} rows[] = {
		{ "sdz", "no such device" },
		{ "by-id/dangling", "no such device" },
		{ "nothing", "without a device" },
		{ "file", "is a regular file, not a block device" },
		{ "file", "losetup --find --show --direct-io=on " },
		{ "char", "is a character device" },
		{ "pipe", "is a pipe" },
		{ "by-id", "use --dir" },
		{ "zram0", "has no I/O scheduler" },
		{ "md1", "has no I/O scheduler" },
		{ "file/x", "Not a directory" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		struct target t;

		ok(open_node(rows[i].name, &t, &err) == -1 && err.kind == ERR_NEEDS && !t.node,
		   "%s is refused", rows[i].name);
		has(err.msg, rows[i].message, "  saying why");
		has(err.msg, rows[i].name, "  and naming it");
	}
	shell("test ! -e dev/sdz");
}

static void test_is(void)
{
	AUTOFREE char *link = mem_printf("%s/dev/by-id/wwn-0x5000c500a1b2c3d4-part2", top);
	AUTOFREE char *other = mem_printf("%s/dev/sda21", top), *file = mem_printf("%s/dev/file", top);
	struct target t;

	if (open_node("sda2", &t, NULL))
		abort();
	ok(target_is(&t, t.node), "a target is its node");
	ok(target_is(&t, link), "and a link to it");
	ok(!target_is(&t, other), "but not sda21");
	ok(!target_is(&t, file) && !target_is(&t, "/no/such/thing"), "nor anything else");
	target_release(&t);
}

/* The nodes cannot be opened, so that target_uses fails at the end, with all in 'out' that sysfs says. */
static void is_used(const char *name, const char *want)
{
	struct str AUTOSTR got = { 0 };
	uses_t uses = { 0 };
	struct err err = { 0 };
	struct target t;

	if (open_node(name, &t, NULL))
		abort();
	ok(target_uses(&t, NULL, &uses, &err) == -1 && err.kind == ERR_NEEDS && err.errnum == ENXIO,
	   "%s: a device that cannot be opened is not called free", name);
	for (size_t i = 0; i < uses.n; i++)
		str_addf(&got, "%s%s; ", uses.items[i].beside ? "beside: " : "", uses.items[i].text);
	is(str_text(&got), want, "  its holders");
	uses_release(&uses);
	target_release(&t);
}

static void test_holders(void)
{
	is_used("vda", "");
	is_used("nvme0n1", ""); /* nvme0c2n10 is another's path */
	is_used("sda", "'/dev/mapper/vg-home' is a member of 'md0'; '/dev/sda1' is a member of 'md0'; "
		       "'/dev/sda2' is below '/dev/mapper/vg-home'; '/dev/sda2' is below '/dev/mapper/vg-root'; ");
	is_used("sda21", "beside: '/dev/mapper/vg-home' is a member of 'md0'; "
			 "beside: '/dev/sda1' is a member of 'md0'; "
			 "beside: '/dev/sda2' is below '/dev/mapper/vg-home'; "
			 "beside: '/dev/sda2' is below '/dev/mapper/vg-root'; ");
	/* What dm-1 lies on is not used by dm-1 itself, but by dm-0 beside it. */
	is_used("dm-1", "beside: '/dev/mapper/vg-home' is a member of 'md0'; "
			"beside: '/dev/sda1' is a member of 'md0'; "
			"beside: '/dev/sda2' is below '/dev/mapper/vg-home'; ");
	is_used("dm-0", "'/dev/mapper/vg-home' is a member of 'md0'; "
			"beside: '/dev/sda1' is a member of 'md0'; "
			"beside: '/dev/sda2' is below '/dev/mapper/vg-root'; ");
	is_used("md0", "beside: '/dev/sda2' is below '/dev/mapper/vg-root'; ");
}

static void test_devices(void)
{
	strings_t AUTOSTRINGS left_out = { 0 };
	struct str AUTOSTR names = { 0 };
	disks_t disks = { 0 };

	is_int(devices_list(&disks, &left_out, NULL), 0, "devices are listed");
	for (size_t i = 0; i < disks.n; i++)
		str_addf(&names, "%s ", disks.items[i].name);
	is(str_text(&names),
	   "cciss!c0d0 dm-0 dm-1 dm-2 loop0 md0 md1 nvme0n1 nvme1n1 nvme1n10 sda sdb sdx sdy vda zram0 ", "all disks");
	for (size_t i = 0; i < left_out.n; i++)
		str_addf(&names, "%s\n", left_out.items[i]);
	is_int((long long)left_out.n, 3, "and what is none, a line a reason");
	has(str_text(&names), "a RAM disk: ram0\n", "a RAM disk");
	has(str_text(&names), "nothing in it or attached to it (size 0): loop3\n", "one without a size");
	has(str_text(&names), "which has no node of its own: nvme0c0n1 nvme0c2n1 nvme0c2n10 nvme10c2n1\n", "the paths of a multipath NVMe together");
	disks_release(&disks);
}

static void test_refusal(void)
{
	uses_t uses = { 0 };
	struct err err = { 0 };
	struct target t;

	if (open_node("sda2", &t, NULL))
		abort();
	is_int(uses_refuse(&t, &uses, &err), 0, "no uses, no refusal");
	*vec_push(&uses) = (struct use){ .text = mem_strdup("use 0"), .beside = true };
	is_int(uses_refuse(&t, &uses, &err), -1, "a use is refused");
	is_int(err.kind, ERR_NEEDS, "as a need");
	ok(str_starts(err.msg, "the disk of '"), "one beside the target is the disk's");
	for (int i = 1; i < 6; i++)
		*vec_push(&uses) = (struct use){ .text = mem_printf("use %d", i) };
	uses_refuse(&t, &uses, &err);
	has(err.msg, "sda2' is in use: use 0; use 1; use 2; use 3; and 2 more", "the first of many are named");
	uses_release(&uses);
	target_release(&t);
}

static void test_processes(void)
{
	AUTOFREE char *us = process_text(getpid()), *gone = process_text(0x3ffffff);
	char want[64];

	snprintf(want, sizeof(want), "process %d (%.15s)", getpid(), program_invocation_short_name);
	is(us, want, "a process by number and name");
	is(gone, "process 67108863", "one that is gone by its number");
	ok(process_is_ours(getpid()), "we are ours");
	ok(!process_is_ours(getppid()) && !process_is_ours(1), "our parent is not");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return drive(argv[1], argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : NULL);
	if (!mkdtemp(top))
		abort();
	root = mem_printf("%s/sys", top);
	setenv("IOBENCH_SYSFS", root, 1);
	make_tree();
	test_graph();
	test_devices();
	test_processes();
	if (make_nodes()) {
		test_targets();
		test_disk();
		test_refused();
		test_is();
		test_holders();
		test_refusal();
	} else {
		skip(1, "device nodes can only be made by root");
	}
	shell("rm -rf '%s'", top);
	free(root);
	return tap_done();
}
