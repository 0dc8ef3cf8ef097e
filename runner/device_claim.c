// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/blockdev.h"
#include "runner/device.h"
#include "runner/process.h"

#define LOCK_TRIES 100
#define LOCK_WAIT_NS 20000000L

static int refuse_busy(const struct target *t, struct err *err)
{
	uses_t uses = { 0 };
	int ret = target_uses(t, NULL, &uses, err);

	if (!ret && !uses_refuse(t, &uses, err))
		err_set(err, ERR_NEEDS, "'%s' was in use a moment ago: try again", t->node);
	uses_release(&uses);
	if (err)
		err->errnum = EBUSY;
	return -1;
}

int target_claim(const struct target *t, bool write, int *fd, struct err *err)
{
	*fd = open(t->node, (write ? O_RDWR : O_RDONLY) | O_EXCL | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	if (errno == EBUSY)
		return refuse_busy(t, err);
	return err_sys(err, ERR_NEEDS, errno, "cannot open '%s'%s", t->node, write ? " for writing" : "");
}

/* The process that took the flock of an open file, by /proc/locks; 0 if that does not tell. */
static pid_t lock_owner(int fd)
{
	struct str AUTOSTR locks = { 0 };
	struct stat st;
	char *save;

	if (fstat(fd, &st) || file_slurp("/proc/locks", &locks, NULL) || !locks.s)
		return 0;
	for (char *line = strtok_r(locks.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long inode;
		unsigned maj, min;
		int pid;

		/* "3: FLOCK  ADVISORY  WRITE 123 00:06:345 0 EOF": proc(5). NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(line, "%*d: FLOCK ADVISORY %*s %d %x:%x:%lu", &pid, &maj, &min, &inode) == 4 &&
		    makedev(maj, min) == st.st_dev && inode == st.st_ino)
			return pid;
	}
	return 0;
}

static int refuse_locked(int fd, const char *node, struct err *err)
{
	pid_t owner = lock_owner(fd);
	AUTOFREE char *process = owner > 0 ? process_text(owner) : mem_strdup("another process (iobench or udev?)");

	err_set(err, ERR_NEEDS, "'%s' is locked by %s", node, process);
	if (err)
		err->errnum = EWOULDBLOCK;
	return -1;
}

/* Two targets may be partitions of one disk, and a second descriptor of ours could not have the same lock. */
static bool has_lock(const fds_t *locks, dev_t number)
{
	struct stat st;

	for (size_t i = 0; i < locks->n; i++)
		if (!fstat(locks->items[i], &st) && st.st_rdev == number)
			return true;
	return false;
}

static int lock_node(const char *node, fds_t *locks, struct err *err)
{
	int fd = open(node, O_RDONLY | O_CLOEXEC), bad;

	if (fd < 0)
		return err_sys(err, ERR_NEEDS, errno, "cannot open '%s' to lock it", node);
	*vec_push(locks) = fd;
	for (int i = 0; (bad = flock(fd, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK && i < LOCK_TRIES; i++)
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_WAIT_NS }, NULL);
	if (bad && errno == EWOULDBLOCK)
		return refuse_locked(fd, node, err);
	return bad ? err_sys(err, ERR_NEEDS, errno, "cannot lock '%s'", node) : 0;
}

int target_lock(const struct target *t, fds_t *locks, struct err *err)
{
	size_t before = locks->n;

	for (size_t i = 0; i < t->chain.n; i++) {
		const char *dir = t->chain.items[i];
		AUTOFREE char *node = i ? blockdev_node(dir) : mem_strdup(t->node);
		dev_t number = blockdev_number(dir);

		if (blockdev_is_partition(dir) || !number || has_lock(locks, number))
			continue;
		if (lock_node(node, locks, err)) {
			while (locks->n > before)
				close(locks->items[--locks->n]);
			if (!before)
				vec_free(locks);
			return -1;
		}
	}
	return 0;
}

void fds_close(fds_t *fds)
{
	for (size_t i = 0; i < fds->n; i++)
		close(fds->items[i]);
	vec_free(fds);
}
