// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/area.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/file.h"
#include "common/mem.h"
#include "common/units.h"
#include "runner/workload.h"

int area_choose(const char *dir, uint64_t bytes, struct area *out, struct err *err)
{
	char uuid[UUID_TEXT], need[UNITS_TEXT], have[UNITS_TEXT], real[PATH_MAX];
	struct statvfs fs;
	uint64_t free_bytes, reserve_bytes;

	*out = (struct area){ 0 };
	if (!realpath(dir, real) || statvfs(real, &fs))
		return err_sys(err, ERR_NEEDS, errno, "cannot look at '%s'", dir);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	reserve_bytes = (uint64_t)fs.f_blocks * fs.f_frsize / 20;
	if (bytes + reserve_bytes > free_bytes)
		return err_set(err, ERR_NEEDS,
			       "'%s' has %s free; the jobs' files need %s and 5%% of the file system stay free "
			       "(give a smaller --size)",
			       dir, units_format_size(have, free_bytes), units_format_size(need, bytes));
	if (uuid_new(uuid, err))
		return -1;
	out->dir = mem_printf("%s/.iobench-%s", real, uuid);
	out->file = mem_printf("%s/data", out->dir);
	return 0;
}

int area_make(const struct area *a, struct err *err)
{
	return mkdir(a->dir, 0700) ? err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", a->dir) : 0;
}

void area_layout_command(const struct area *a, uint64_t bytes, strings_t *argv)
{
	static const char *const fixed[] = { "fio",	   "--eta=never",      "--name=layout",	   "--rw=write",    "--bs=1M",
					     "--ioengine=psync", "--refill_buffers", "--end_fsync=1" };
	AUTOFREE char *file = workload_escape_path(a->file);

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strings_add(argv, fixed[i]);
	*vec_push(argv) = mem_printf("--filename=%s", file);
	*vec_push(argv) = mem_printf("--size=%" PRIu64, bytes);
}

void area_remove(struct area *a)
{
	if (a->file)
		unlink(a->file);
	if (a->dir)
		rmdir(a->dir);
	free(a->file);
	free(a->dir);
	*a = (struct area){ 0 };
}
