// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_TRIES 100
#define BUSY_WAIT_NS 20000000L

static const char *fake_root(void)
{
	const char *root = getenv("IOBENCH_SYSFS");

	return root && *root ? root : NULL;
}

const char *sysfs_root(void)
{
	const char *root = fake_root();

	return root ? root : "/sys";
}

bool sysfs_is_kernels(void)
{
	return !fake_root();
}

static int open_attr(const char *dir, const char *attr, int flags)
{
	AUTOFREE char *path = mem_printf("%s/%s", dir, attr);

	return open(path, flags | O_CLOEXEC);
}

static int stat_attr(const char *dir, const char *attr, struct stat *st)
{
	AUTOFREE char *path = mem_printf("%s/%s", dir, attr);

	return stat(path, st);
}

/* sysfs hands out all that fits at once (seq_read_iter() in fs/seq_file.c); a fake tree may not, and is read to its end. */
static ssize_t read_all(int fd, char *out, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, out + len, size - len);
		if (n < 0 && errno != EINTR)
			return -1;
		len += n > 0 ? (size_t)n : 0;
	} while (n && len < size && (n < 0 || !sysfs_is_kernels()));
	return (ssize_t)len;
}

int sysfs_read(const char *dir, const char *attr, char *out, size_t size, struct err *err)
{
	AUTOCLOSE int fd = open_attr(dir, attr, O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot open '%s/%s'", dir, attr);
	len = read_all(fd, out, size);
	if (len >= 0 && (size_t)len == size) {
		errno = ENAMETOOLONG;
		len = -1;
	}
	if (len < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot read '%s/%s'", dir, attr);
	while (len && strchr(" \t\n", out[len - 1]))
		len--;
	out[len] = '\0';
	return 0;
}

uint64_t sysfs_read_number(const char *dir, const char *attr, uint64_t fallback)
{
	char text[32] = "", *end;
	uint64_t value;

	if (sysfs_read(dir, attr, text, sizeof(text), NULL) || text[0] < '0' || text[0] > '9')
		return fallback;
	errno = 0;
	value = strtoull(text, &end, 10);
	return errno || *end ? fallback : value;
}

/* 0, or the errno of the call that failed. */
static int write_once(const char *dir, const char *attr, const char *value)
{
	AUTOCLOSE int fd = open_attr(dir, attr, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, value, strlen(value));
	if (n < 0)
		return errno;
	return (size_t)n == strlen(value) ? 0 : EIO;
}

int sysfs_write(const char *dir, const char *attr, const char *value, struct err *err)
{
	int bad = write_once(dir, attr, value);

	for (int i = 0; bad == EBUSY && i < BUSY_TRIES; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = BUSY_WAIT_NS }, NULL);
		bad = write_once(dir, attr, value);
	}
	return bad ? err_sys(err, ERR_FAULT, bad, "cannot write '%s' to '%s/%s'", value, dir, attr) : 0;
}

bool sysfs_exists(const char *dir, const char *attr)
{
	struct stat st;

	return !stat_attr(dir, attr, &st);
}

bool sysfs_writable(const char *dir, const char *attr)
{
	struct stat st;

	return !stat_attr(dir, attr, &st) && st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH);
}

uint64_t sysfs_inode(const char *dir, const char *attr)
{
	struct stat st;

	return stat_attr(dir, attr, &st) ? 0 : st.st_ino;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Symbolic links are what they lead to, where 'flags' say so. */
static bool is_type(DIR *d, const struct dirent *entry, mode_t type, int flags)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return (mode_t)DTTOIF(entry->d_type) == type;
	return !fstatat(dirfd(d), entry->d_name, &st, flags) && (st.st_mode & S_IFMT) == type;
}

static int list(const char *dir, const char *sub, mode_t type, int flags, strings_t *names, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/%s", dir, sub);
	size_t before = names->n;
	struct dirent *entry;
	DIR *d = opendir(path);

	if (!d)
		return errno == ENOENT ? 0 : err_sys(err, ERR_FAULT, errno, "cannot list '%s'", path);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.' && is_type(d, entry, type, flags))
			strings_add(names, entry->d_name);
	closedir(d);
	if (names->n > before)
		qsort(names->items + before, names->n - before, sizeof(*names->items), by_name);
	return 0;
}

int sysfs_list(const char *dir, const char *sub, strings_t *names, struct err *err)
{
	return list(dir, sub, S_IFREG, AT_SYMLINK_NOFOLLOW, names, err);
}

int sysfs_list_dirs(const char *dir, const char *sub, strings_t *names, struct err *err)
{
	return list(dir, sub, S_IFDIR, 0, names, err);
}

int sysfs_resolve(const char *dir, const char *sub, char out[PATH_MAX])
{
	AUTOFREE char *path = mem_printf("%s/%s", dir, sub);

	return realpath(path, out) ? 0 : -1;
}

int sysfs_scheduler_parse(const char *line, char *current, size_t size, strings_t *offered)
{
	AUTOFREE char *copy = mem_strdup(line);
	const char *now = NULL;
	size_t n = 0;
	char *save;

	for (char *word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save), n++) {
		size_t len = strlen(word);

		if (len > 2 && word[0] == '[' && word[len - 1] == ']') {
			word[len - 1] = '\0';
			now = ++word;
		}
		strings_add(offered, word);
	}
	if (!now && n == 1 && !strcmp(offered->items[offered->n - 1], "none"))
		now = "none";
	if (!now || strlen(now) >= size)
		return -1;
	memcpy(current, now, strlen(now) + 1);
	return 0;
}
