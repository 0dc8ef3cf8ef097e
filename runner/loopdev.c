// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/loopdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runner/sysfs.h"

#define TRIES 64	 /* others take loop devices too, between our question and our taking */
#define DETACH_TRIES 500 /* of 10 ms */

static char *sysdir_of(const char *name)
{
	return mem_printf("%s/block/%s", sysfs_root(), name);
}

static int configure(int fd, int file, const char *path)
{
	struct loop_config config = { .fd = (__u32)file, .info = { .lo_flags = LO_FLAGS_DIRECT_IO } };

	snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "%s", path);
	return ioctl(fd, LOOP_CONFIGURE, &config);
}

/* 0: done; 1: somebody else was quicker. */
static int try_attach(int control, int file, const char *path, char **name, int *fd, struct err *err)
{
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	AUTOFREE char *node = mem_printf("/dev/loop%d", number);

	if (number < 0)
		return err_sys(err, ERR_NEEDS, errno, "no loop device is free");
	*fd = open(node, O_RDWR | O_CLOEXEC);
	if (*fd < 0)
		return err_sys(err, ERR_NEEDS, errno, "cannot open the loop device '%s'", node);
	if (!flock(*fd, LOCK_EX) && !configure(*fd, file, path)) {
		*name = mem_printf("loop%d", number);
		return 0;
	}
	err_sys(err, ERR_NEEDS, errno, "cannot put '%s' on '%s'", node, path);
	close(*fd);
	*fd = -1;
	return err && err->errnum == EBUSY ? 1 : -1;
}

static int check_direct(const char *name, struct err *err)
{
	AUTOFREE char *sysdir = sysdir_of(name);

	if (sysfs_read_number(sysdir, "loop/dio", 0) == 1)
		return 0;
	return err_set(err, ERR_NEEDS, "'%s' does no direct I/O on this kernel", name);
}

int loopdev_attach(const char *path, char **name, int *fd, struct err *err)
{
	AUTOCLOSE int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	AUTOCLOSE int file = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	struct err why = { 0 };
	int got = 1;

	*name = NULL;
	*fd = -1;
	if (control < 0)
		return err_sys(err, ERR_NEEDS, errno,
			       "no loop devices: '/dev/loop-control' (the module loop may not be loaded)");
	if (file < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot open '%s'", path);
	for (int i = 0; got > 0 && i < TRIES; i++)
		got = try_attach(control, file, path, name, fd, &why);
	if (!got && !check_direct(*name, &why))
		return 0;
	if (!got) {
		close(*fd);
		loopdev_detach(*name, NULL);
		free(*name);
	}
	if (err)
		*err = why;
	return -1;
}

int loopdev_detach(const char *name, struct err *err)
{
	AUTOFREE char *node = mem_printf("/dev/%s", name), *sysdir = sysdir_of(name);
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, ERR_NEEDS, errno, "cannot open the loop device '%s'", node);
	if (ioctl(fd, LOOP_CLR_FD) && errno != ENXIO) {
		err_sys(err, ERR_NEEDS, errno, "cannot detach '%s'", node);
		close(fd);
		return -1;
	}
	/* the last close does it */
	close(fd);
	for (int i = 0; i < DETACH_TRIES && sysfs_exists(sysdir, "loop/backing_file"); i++)
		usleep(10000);
	return sysfs_exists(sysdir, "loop/backing_file")
		       ? err_set(err, ERR_NEEDS, "'%s' is still open somewhere", node)
		       : 0;
}

char *loopdev_of(const char *file)
{
	AUTOSTRINGS strings_t names = { 0 };
	char *found = NULL;

	sysfs_list_dirs(sysfs_root(), "block", &names, NULL);
	for (size_t i = 0; !found && i < names.n; i++) {
		AUTOFREE char *sysdir = sysdir_of(names.items[i]);
		char path[PATH_MAX];

		if (!sysfs_read(sysdir, "loop/backing_file", path, sizeof(path), NULL) && !strcmp(path, file))
			found = mem_strdup(names.items[i]);
	}
	return found;
}
