// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/cgroup.h"

/* The files of a group, played by plain ones; tests/system/cgroup2.t has real groups. */

static char folder[] = "/tmp/iobench-cgroup.XXXXXX";

static void make(const char *file)
{
	AUTOFREE char *path = mem_printf("%s/%s", folder, file);

	file_replace(path, "default 100\n", 12, NULL);
}

static void holds(const char *file, const char *want, const char *name)
{
	AUTOFREE char *path = mem_printf("%s/%s", folder, file);
	AUTOSTR struct str text = { 0 };

	file_slurp(path, &text, NULL);
	ok(str_starts(str_text(&text), want), "%s: %s", file, name);
	unlink(path);
}

static void test_weights(void)
{
	struct err err = { 0 };
	unsigned n = 9;

	ok(!cgroup_set_weight(folder, 300, &n, &err), "a group without any weight");
	is_int(n, 0, "has none set");
	make("io.weight");
	make("io.bfq.weight");
	ok(!cgroup_set_weight(folder, 300, &n, &err), "version 2: %s", err.msg);
	is_int(n, 2, "two policies");
	holds("io.weight", "300", "is set");
	holds("io.bfq.weight", "300", "so is bfq's");
	make("blkio.bfq.weight");
	ok(!cgroup_set_weight(folder, 1, &n, &err) && n == 1, "version 1: bfq's alone");
	holds("blkio.bfq.weight", "1", "is set");
}

static void test_enable(void)
{
	struct cgroups c = { .root = folder, .unified = true };
	struct err err = { 0 };

	ok(cgroups_enable_io(&c, &err), "a root that cannot give a controller");
	make("cgroup.subtree_control");
	ok(!cgroups_enable_io(&c, &err), "one that can");
	holds("cgroup.subtree_control", "+io", "gives it");
}

static void test_path(void)
{
	struct cgroups c = { .root = folder };
	AUTOFREE char *path = cgroup_path(&c, "reader"), *want = mem_printf("%s/iobench-%ld-reader", folder, (long)getpid());
	struct err err = { 0 };

	is(path, want, "a group is called after us and its actor");
	ok(!cgroup_make(path, &err) && !access(path, F_OK), "and is made below the root");
	ok(cgroup_make(path, &err), "once");
	has(err.msg, want, "which is said");
	rmdir(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_weights();
	test_enable();
	test_path();
	rmdir(folder);
	return tap_done();
}
