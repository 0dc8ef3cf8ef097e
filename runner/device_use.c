// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runner/blockdev.h"
#include "runner/device.h"
#include "runner/process.h"

/* A block device that shares the target's disks: the disk, a partition, or anything built on those. */
struct member {
	char *dir;
	char *label;
	dev_t number, whole; /* 'whole': of a partition, its disk's; else its own */
	bool beside;	     /* not on the target's own blocks */
	strings_t above;     /* built on it */
	char *mounted_on;    /* the first place */
	pid_t mounted_in;    /* whose mount namespace that is in; 0: ours */
	unsigned n_mounts;   /* in that namespace */
	pid_t open_in;	     /* the last process said to have it open */
};

struct search {
	const struct target *t;
	VEC(struct member) members;
	uses_t *out;
};

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->members.n; i++) {
		free(s->members.items[i].dir);
		free(s->members.items[i].label);
		free(s->members.items[i].mounted_on);
		strings_release(&s->members.items[i].above);
	}
	vec_free(&s->members);
}

static const struct member *member_of_dir(const struct search *s, const char *dir)
{
	for (size_t i = 0; i < s->members.n; i++)
		if (!strcmp(s->members.items[i].dir, dir))
			return &s->members.items[i];
	return NULL;
}

static struct member *member_of_number(const struct search *s, dev_t number)
{
	for (size_t i = 0; number && i < s->members.n; i++)
		if (s->members.items[i].number == number)
			return &s->members.items[i];
	return NULL;
}

/* Add a device, its partitions, and everything built on them. */
static int add_members(struct search *s, const char *dir, bool beside, struct err *err)
{
	AUTOFREE char *whole = blockdev_whole(dir);
	strings_t AUTOSTRINGS parts = { 0 }, above = { 0 };
	struct member *m;
	size_t at = s->members.n;
	int bad = 0;

	if (member_of_dir(s, dir))
		return 0;
	m = vec_push(&s->members);
	m->dir = mem_strdup(dir);
	m->label = blockdev_label(dir);
	m->number = blockdev_number(dir);
	m->whole = blockdev_number(whole);
	m->beside = beside && !strings_has(&s->t->chain, dir);
	bad = blockdev_partitions(dir, &parts, err) || blockdev_above(dir, &above, err);
	for (size_t i = 0; !bad && i < parts.n; i++)
		bad = add_members(s, parts.items[i], beside, err);
	for (size_t i = 0; !bad && i < above.n; i++)
		bad = add_members(s, above.items[i], beside, err);
	s->members.items[at].above = above;
	above = (strings_t){ 0 };
	return bad ? -1 : 0;
}

/* The target's own first: what is then still new on its disks is beside it. */
static int find_members(struct search *s, struct err *err)
{
	if (add_members(s, s->t->chain.items[0], false, err))
		return -1;
	for (size_t i = 0; i < s->t->chain.n; i++)
		if (add_members(s, s->t->chain.items[i], true, err))
			return -1;
	return 0;
}

/* Takes 'text'. */
static void add_use(struct search *s, enum use_kind kind, const struct member *m, bool beside, char *text)
{
	*vec_push(s->out) = (struct use){ .kind = kind, .text = text, .number = m->number, .beside = beside };
}

/* ---- mounts and swap ---- */

static void note_mount(const struct search *s, dev_t number, const char *where, pid_t namespace_of)
{
	struct member *m = member_of_number(s, number);

	if (m && !m->n_mounts) {
		m->mounted_on = mem_strdup(where);
		m->mounted_in = namespace_of;
	}
	if (m && m->mounted_in == namespace_of)
		m->n_mounts++;
}

/* A btrfs names only one of its devices. */
static int note_btrfs(const struct search *s, dev_t number, const char *where, pid_t namespace_of, struct err *err)
{
	strings_t AUTOSTRINGS dirs = { 0 };
	char dir[PATH_MAX];

	if (blockdev_dir(number, dir))
		return 0;
	if (blockdev_btrfs(dir, &dirs, err))
		return -1;
	for (size_t i = 0; i < dirs.n; i++)
		note_mount(s, blockdev_number(dirs.items[i]), where, namespace_of);
	return 0;
}

/* The mounts of a mount namespace, by one of its processes (0: us). By number: names in mountinfo may be stale. */
static int note_mounts(const struct search *s, pid_t pid, struct err *err)
{
	AUTOFREE char *path = pid ? mem_printf("/proc/%d/mountinfo", pid) : mem_strdup("/proc/self/mountinfo");
	struct libmnt_table *table = mnt_new_table_from_file(path);
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int ret = 0;

	if (!table && !pid)
		ret = err_sys(err, ERR_FAULT, errno, "cannot read '%s'", path);
	while (table && iter && !ret && !mnt_table_next_fs(table, iter, &fs)) {
		dev_t number = blockdev_of_mount(fs);
		const char *type = mnt_fs_get_fstype(fs);

		if (number && type && !strcmp(type, "btrfs"))
			ret = note_btrfs(s, number, mnt_fs_get_target(fs), pid, err);
		else
			note_mount(s, number, mnt_fs_get_target(fs), pid);
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return ret;
}

static void report_mounts(struct search *s)
{
	for (size_t i = 0; i < s->members.n; i++) {
		const struct member *m = &s->members.items[i];
		struct str text = { 0 };

		if (!m->n_mounts)
			continue;
		str_addf(&text, "'%s' is mounted on '%s'", m->label, m->mounted_on);
		if (m->n_mounts > 1)
			str_addf(&text, " and %u more place%s", m->n_mounts - 1, m->n_mounts > 2 ? "s" : "");
		if (m->mounted_in) {
			AUTOFREE char *process = process_text(m->mounted_in);

			str_addf(&text, " in the mount namespace of %s", process);
		}
		add_use(s, USE_MOUNT, m, m->beside, str_steal(&text));
	}
}

static int report_swap(struct search *s, struct err *err)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int ret = 0;

	if (table && !access("/proc/swaps", F_OK) && mnt_table_parse_swaps(table, NULL))
		ret = err_sys(err, ERR_FAULT, errno, "cannot read '/proc/swaps'");
	while (table && iter && !ret && !mnt_table_next_fs(table, iter, &fs)) {
		const char *path = mnt_fs_get_source(fs);
		const struct member *m;
		struct stat st;

		m = path && !stat(path, &st) && S_ISBLK(st.st_mode) ? member_of_number(s, st.st_rdev) : NULL;
		if (m)
			add_use(s, USE_SWAP, m, m->beside, mem_printf("'%s' is swap", m->label));
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return ret;
}

/* ---- holders ---- */

static void report_holders(struct search *s)
{
	for (size_t i = 0; i < s->members.n; i++) {
		const struct member *m = &s->members.items[i];

		for (size_t j = 0; j < m->above.n; j++) {
			const struct member *holder = member_of_dir(s, m->above.items[j]);
			const char *name = blockdev_name(m->above.items[j]);

			/* What the target is made of is held by the target itself. */
			if (strings_has(&s->t->chain, m->above.items[j]))
				continue;
			add_use(s, USE_HOLDER, m, m->beside || (holder && holder->beside),
				str_starts(name, "md") ?
					mem_printf("'%s' is a member of '%s'", m->label, name) :
					mem_printf("'%s' is below '%s'", m->label, holder ? holder->label : name));
		}
	}
}

/* ---- processes ---- */

/* What a security module hides of one descriptor is not what hides them all. */
static bool hides_all(DIR *fds, const char *name)
{
	char out[1];

	return errno == EACCES && readlinkat(dirfd(fds), name, out, sizeof(out)) < 0 && errno == EACCES;
}

static void report_open(struct search *s, pid_t pid)
{
	AUTOFREE char *path = mem_printf("/proc/%d/fd", pid);
	struct dirent *entry;
	DIR *fds = opendir(path);

	while (fds && (entry = readdir(fds))) {
		struct member *m;
		struct statx st;

		if (entry->d_name[0] == '.')
			continue;
		/* DONT_SYNC: a descriptor on a dead network file system must not hang us. */
		if (statx(dirfd(fds), entry->d_name, AT_STATX_DONT_SYNC, STATX_TYPE, &st)) {
			if (hides_all(fds, entry->d_name))
				break;
			continue;
		}
		if (!S_ISBLK(st.stx_mode))
			continue;
		m = member_of_number(s, makedev(st.stx_rdev_major, st.stx_rdev_minor));
		if (m && m->open_in != pid && !process_is_ours(pid)) {
			AUTOFREE char *process = process_text(pid);

			m->open_in = pid;
			add_use(s, USE_OPEN, m, m->beside, mem_printf("%s has '%s' open", process, m->label));
		}
	}
	if (fds)
		closedir(fds);
}

/* Which mount namespace a process is in: "mnt:[4026531841]"; false when it is gone or not for us to see. */
static bool mount_namespace(pid_t pid, char out[64])
{
	AUTOFREE char *path = mem_printf("/proc/%d/ns/mnt", pid);
	ssize_t len = readlink(path, out, 63);

	if (len <= 0)
		return false;
	out[len] = '\0';
	return true;
}

/* Has no program: its descriptors and its mounts are those of the kernel. Most processes of an idle machine are such. */
static bool is_kernel_thread(pid_t pid)
{
	AUTOFREE char *path = mem_printf("/proc/%d/exe", pid);
	char out[1];

	return readlink(path, out, sizeof(out)) < 0 && errno == ENOENT;
}

static int scan_processes(struct search *s, struct err *err)
{
	strings_t AUTOSTRINGS seen = { 0 };
	char namespace[64];
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int ret = 0;

	if (!proc)
		return err_sys(err, ERR_FAULT, errno, "cannot list '/proc'");
	ret = note_mounts(s, 0, err);
	if (mount_namespace(getpid(), namespace))
		strings_add(&seen, namespace);
	while (!ret && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || is_kernel_thread(pid))
			continue;
		report_open(s, pid);
		if (!mount_namespace(pid, namespace) || strings_has(&seen, namespace))
			continue;
		strings_add(&seen, namespace);
		ret = note_mounts(s, pid, err);
	}
	closedir(proc);
	return ret;
}

/* ---- the rest ---- */

/* Is the device taken because of a use that is already known? Who has a partition has a share in its disk. */
static bool is_explained(const struct search *s, const struct member *m)
{
	for (size_t i = 0; i < s->out->n; i++) {
		const struct member *used = member_of_number(s, s->out->items[i].number);

		if (used && (used->number == m->number || used->whole == m->number || used->number == m->whole))
			return true;
	}
	return false;
}

/* Devices that somebody opened O_EXCL. Partitions come before their disk, which is taken when one of them is. */
static void report_claims(struct search *s)
{
	for (size_t i = s->members.n; i-- > 0;) {
		const struct member *m = &s->members.items[i];
		AUTOFREE char *node = i ? blockdev_node(m->dir) : mem_strdup(s->t->node);
		AUTOCLOSE int fd = -1;

		/* What is between the target and its disks is taken by the target itself. */
		if (is_explained(s, m) || (i && strings_has(&s->t->chain, m->dir)))
			continue;
		fd = open(node, O_RDONLY | O_EXCL | O_CLOEXEC);
		if (fd < 0 && errno == EBUSY)
			add_use(s, USE_CLAIMED, m, m->beside,
				mem_printf("'%s' is taken exclusively by something that neither /proc nor sysfs "
					   "shows (a zfs pool, a mount of another container)", m->label));
	}
}

static int can_open(const struct target *t, struct err *err)
{
	AUTOCLOSE int fd = open(t->node, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 || errno == EBUSY)
		return 0;
	return err_sys(err, ERR_NEEDS, errno, geteuid() ? "cannot open '%s' (be root)" : "cannot open '%s'", t->node);
}

/* What weighs most first, and always in the same order. */
static int by_weight(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->beside != y->beside)
		return x->beside ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void report_file(struct search *s, const char *path)
{
	AUTOFREE char *copy = path ? mem_strdup(path) : NULL;
	strings_t AUTOSTRINGS dirs = { 0 };
	struct err none;

	/* A file system without a device is on no disk of ours. */
	if (!path || blockdev_of_path(access(path, F_OK) ? dirname(copy) : path, &dirs, &none))
		return;
	for (size_t i = 0; i < dirs.n; i++) {
		const struct member *m = member_of_dir(s, dirs.items[i]);

		if (m)
			add_use(s, USE_FILES, m, m->beside, mem_printf("'%s' holds the database '%s'", m->label, path));
	}
}

int target_uses(const struct target *t, const char *database, uses_t *out, struct err *err)
{
	struct search s = { .t = t, .out = out };
	size_t before = out->n;
	int ret = -1;

	if (!find_members(&s, err) && !scan_processes(&s, err) && !report_swap(&s, err)) {
		report_holders(&s);
		report_mounts(&s);
		report_file(&s, database);
		ret = can_open(t, err);
	}
	if (!ret)
		report_claims(&s);
	if (out->n > before)
		qsort(out->items + before, out->n - before, sizeof(*out->items), by_weight);
	search_release(&s);
	return ret;
}

#define USES_NAMED 4 /* in one message */

int uses_refuse(const struct target *t, const uses_t *uses, struct err *err)
{
	struct str AUTOSTR text = { 0 };
	bool on_it = false;

	for (size_t i = 0; i < uses->n; i++) {
		on_it |= !uses->items[i].beside;
		if (i < USES_NAMED)
			str_addf(&text, "%s%s", i ? "; " : "", uses->items[i].text);
	}
	if (uses->n > USES_NAMED)
		str_addf(&text, "; and %zu more", uses->n - USES_NAMED);
	if (!uses->n)
		return 0;
	return err_set(err, ERR_NEEDS, on_it ? "'%s' is in use: %s" : "the disk of '%s' is in use: %s", t->node,
		       str_text(&text));
}

void uses_release(uses_t *uses)
{
	for (size_t i = 0; i < uses->n; i++)
		free(uses->items[i].text);
	vec_free(uses);
}
