// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/trace.h"

static char root[] = "/tmp/iobench-trace.XXXXXX";

static void test_ours(void)
{
	static const struct {
		enum trace_kind kind;
		const char *path;
		bool ours;
	} cases[] = {
		{ TRACE_TREE, "/mnt/.iobench-12", true },    { TRACE_TREE, "/mnt/iobench-12", false },
		{ TRACE_TREE, "/mnt/.iobench-12/a", false }, { TRACE_TREE, "mnt/.iobench-12", false },
		{ TRACE_TREE, "/.iobench-/../etc", false },  { TRACE_TREE, "/", false },
		{ TRACE_TREE, "", false },		     { TRACE_MOUNT, "/run/.iobench-m", true },
		{ TRACE_MOUNT, "/home", false },	     { TRACE_CGROUP, "/c/iobench-7", true },
		{ TRACE_CGROUP, "/c/system.slice", false },
		{ TRACE_WORK, "/r/un/sda.work", true },	     { TRACE_WORK, "/r/un/.work", false },
		{ TRACE_WORK, "/r/un/a/sda.work", false },   { TRACE_WORK, "/r/no/sda.work", false },
		{ TRACE_WORK, "/r/un/sda.works", false },    { TRACE_WORK, "/r/unsda.work", false },
		{ TRACE_FS, "/dev/sda/6a1d6a44-0000-4000-8000-0123456789ab", true },
		{ TRACE_FS, "/home/x/6a1d6a44-0000-4000-8000-0123456789ab", false }, { TRACE_FS, "/dev/sda", false },
	};

	setenv("IOBENCH_RUNDIR", "/r/un", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trace t = { .kind = cases[i].kind };

		snprintf(t.path, sizeof(t.path), "%s", cases[i].path);
		ok(trace_is_ours(&t) == cases[i].ours, "%s '%s' is %sours", trace_kind_name(t.kind), t.path,
		   cases[i].ours ? "" : "not ");
	}
}

static void test_tree(void)
{
	struct trace t = { .kind = TRACE_TREE };
	AUTOFREE char *other = mem_printf("%s/other", root), *deep = NULL, *link = NULL, *file = NULL;
	AUTOSTR struct str problems = { 0 };

	snprintf(t.path, sizeof(t.path), "%s/.iobench-x", root);
	ok(!trace_remove(&t, &problems), "what was never made is no fault");
	deep = mem_printf("%s/deep", t.path);
	file = mem_printf("%s/file", deep);
	link = mem_printf("%s/link", t.path);
	mkdir(t.path, 0700);
	mkdir(deep, 0700);
	mkdir(other, 0700);
	ok(!symlink(other, link) && !file_replace(file, "x", 1, NULL), "a tree with a link out of it");
	ok(!trace_remove(&t, &problems), "is removed");
	ok(access(t.path, F_OK) != 0, "whole");
	ok(!access(other, F_OK), "what it links to stays");
	is(str_text(&problems), "", "nothing is said");
	snprintf(t.path, sizeof(t.path), "%s", other);
	ok(trace_remove(&t, &problems), "what is not ours");
	ok(!access(other, F_OK), "is left alone");
	has(str_text(&problems), "cannot be removed", "and said");
	rmdir(other);
}

#define FILES 1000

static char *file_name(const struct trace *t, int i)
{
	return mem_printf("%s/%d", t->path, i);
}

/* A process that dies removes its files while we remove them: what is gone already is no reason to stop. */
static void test_race(void)
{
	struct trace t = { .kind = TRACE_TREE };
	pid_t pid;
	int bad;

	snprintf(t.path, sizeof(t.path), "%s/.iobench-race", root);
	mkdir(t.path, 0700);
	for (int i = 0; i < FILES; i++) {
		AUTOFREE char *name = file_name(&t, i);

		mknod(name, S_IFREG | 0600, 0);
	}
	pid = fork();
	for (int i = 0; !pid && i < FILES; i++)
		unlink(file_name(&t, i));
	if (!pid)
		_exit(0);
	bad = trace_remove(&t, NULL);
	waitpid(pid, NULL, 0);
	is_int(bad, 0, "a tree in which others remove files at the same time");
	ok(access(t.path, F_OK) != 0, "is gone when it is said to be");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_ours();
	test_tree();
	for (int i = 0; i < 3; i++)
		test_race();
	rmdir(root);
	return tap_done();
}
