// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/mem.h"

#define PIECE_BYTES (1 << 20)

static int open_unnamed(const char *dir, struct err *err)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	AUTOFREE char *name = NULL;

	/* not every file system can make a file without a name */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		name = mem_printf("%s/.iobench-vdisk.XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd < 0 ? err_sys(err, ERR_NEEDS, errno, "cannot make a backing file in '%s'", dir) : fd;
}

int backing_open(struct backing *b, const char *where, uint64_t bytes, struct err *err)
{
	*b = (struct backing){ .fd = -1, .bytes = bytes };
	if (!strcmp(where, "memory")) {
		b->text = mem_strdup(where);
		b->fd = memfd_create("iobench-vdisk", MFD_CLOEXEC);
		if (b->fd < 0)
			err_sys(err, ERR_NEEDS, errno, "cannot make a backing file in memory");
	} else {
		b->text = mem_printf("a file in %s", where);
		b->fd = open_unnamed(where, err);
	}
	if (b->fd >= 0 && ftruncate(b->fd, (off_t)bytes)) {
		err_sys(err, ERR_NEEDS, errno, "'%s' cannot hold a file of the disk's size ('--backing memory' can)", where);
		close(b->fd);
		b->fd = -1;
	}
	if (b->fd < 0) {
		free(b->text);
		return -1;
	}
	b->written = mem_alloc(bytes / PIECE_BYTES / 8 + 1, 1);
	return 0;
}

void backing_close(struct backing *b)
{
	close(b->fd);
	free(b->written);
	free(b->text);
}

static bool was_written(const struct backing *b, size_t len, uint64_t offset)
{
	for (uint64_t i = offset / PIECE_BYTES; i * PIECE_BYTES < offset + len; i++)
		if (__atomic_load_n(&b->written[i / 8], __ATOMIC_ACQUIRE) & 1 << i % 8)
			return true;
	return false;
}

int backing_read(struct backing *b, void *to, size_t len, uint64_t offset)
{
	char *at = to;

	if (!was_written(b, len, offset)) {
		memset(to, 0, len);
		return 0;
	}
	while (len) {
		ssize_t n = pread(b->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int backing_write(struct backing *b, const void *from, size_t len, uint64_t offset)
{
	const char *at = from;

	for (uint64_t i = offset / PIECE_BYTES; i * PIECE_BYTES < offset + len; i++)
		__atomic_fetch_or(&b->written[i / 8], (unsigned char)(1 << i % 8), __ATOMIC_RELEASE);
	while (len) {
		ssize_t n = pwrite(b->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int backing_discard(struct backing *b, uint64_t len, uint64_t offset)
{
	return fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)len) ? errno : 0;
}
