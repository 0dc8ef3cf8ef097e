// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/sysfs.h"

static char root[] = "/tmp/iobench-sysfs.XXXXXX";

/*
 * In place of libc's: the next 'failures' writes to a file of ours fail with 'failure', as only a driver could make
 * them fail.
 */
static int failures, failure, writes;
static bool cut_short;

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fd > 2) {
		writes++;
		if (failures > 0) {
			failures--;
			errno = failure;
			return -1;
		}
		if (cut_short)
			n--;
	}
	return syscall(SYS_write, fd, bytes, n);
}

static void put(const char *name, const char *value)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, name);
	FILE *f = fopen(path, "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		abort();
}

static void make_dir(const char *name)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, name);

	if (mkdir(path, 0777))
		abort();
}

static void test_root(void)
{
	unsetenv("IOBENCH_SYSFS");
	is(sysfs_root(), "/sys", "the kernel's sysfs without a variable");
	ok(sysfs_is_kernels(), "and it says so");
	setenv("IOBENCH_SYSFS", "", 1);
	is(sysfs_root(), "/sys", "an empty variable is none");
	setenv("IOBENCH_SYSFS", root, 1);
	is(sysfs_root(), root, "$IOBENCH_SYSFS");
	ok(!sysfs_is_kernels(), "and it is not the kernel's");
}

static void test_read(void)
{
	struct err err = { 0 };
	char text[16] = "";

	put("plain", "none [bfq] \n");
	is_int(sysfs_read(root, "plain", text, sizeof(text), &err), 0, "an attribute is read");
	is(text, "none [bfq]", "without newline and blanks at its end");
	put("plain", "  a\n b\n");
	sysfs_read(root, "plain", text, sizeof(text), &err);
	is(text, "  a\n b", "blanks and newlines inside stay");
	put("plain", "");
	is_int(sysfs_read(root, "plain", text, sizeof(text), &err), 0, "an empty attribute is read");
	is(text, "", "as nothing");

	put("plain", "123456789012345\n");
	is_int(sysfs_read(root, "plain", text, sizeof(text), &err), -1, "a value must fit with its newline");
	is_int(err.errnum, ENAMETOOLONG, "ENAMETOOLONG");
	put("plain", "12345678901234\n");
	is_int(sysfs_read(root, "plain", text, sizeof(text), &err), 0, "the longest that fits");
	is(text, "12345678901234", "is whole");

	is_int(sysfs_read(root, "absent", text, sizeof(text), &err), -1, "an absent attribute");
	is_int(err.errnum, ENOENT, "is ENOENT");
	has(err.msg, "/absent'", "and named");
	is_int(sysfs_read(root, "", text, sizeof(text), &err), -1, "a directory is none");
	is_int(err.errnum, EISDIR, "EISDIR");
}

static void test_read_number(void)
{
	static const struct {
		const char *text;
		uint64_t want;
	} rows[] = { { "0\n", 0 },	  { "256\n", 256 }, { "18446744073709551615\n", UINT64_MAX },
		     { "18446744073709551616\n", 7 }, { "-1\n", 7 }, { "\n", 7 },
		     { "12 34\n", 7 },	  { "0x10\n", 7 },  { "none\n", 7 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put("number", rows[i].text);
		ok(sysfs_read_number(root, "number", 7) == rows[i].want, "number from row %zu", i);
	}
	is_int((long long)sysfs_read_number(root, "absent", 7), 7, "the fallback for an absent one");
}

static void test_write(void)
{
	struct err err = { 0 };
	char text[16] = "";

	put("attr", "");
	writes = 0;
	is_int(sysfs_write(root, "attr", "bfq", &err), 0, "a value is written");
	is_int(writes, 1, "by one write");
	sysfs_read(root, "attr", text, sizeof(text), NULL);
	is(text, "bfq", "and is there");

	writes = 0, failures = 3, failure = EBUSY;
	is_int(sysfs_write(root, "attr", "none", &err), 0, "EBUSY three times is waited out");
	is_int(writes, 4, "one write each time");
	sysfs_read(root, "attr", text, sizeof(text), NULL);
	is(text, "none", "and the value arrives");

	writes = 0, failures = 1000000;
	is_int(sysfs_write(root, "attr", "bfq", &err), -1, "EBUSY for ever is an error");
	is_int(err.errnum, EBUSY, "EBUSY");
	ok(writes > 10, "after many writes");
	has(err.msg, "'bfq'", "which names the value");
	has(err.msg, "/attr'", "and the attribute");

	writes = 0, failures = 1, failure = EINVAL;
	is_int(sysfs_write(root, "attr", "bfq", &err), -1, "another error");
	is_int(err.errnum, EINVAL, "is told");
	is_int(writes, 1, "at once");

	failures = 0, cut_short = true;
	is_int(sysfs_write(root, "attr", "bfq", &err), -1, "half a value is an error");
	is_int(err.errnum, EIO, "EIO");
	cut_short = false;

	is_int(sysfs_write(root, "absent", "1", &err), -1, "an absent attribute");
	is_int(err.errnum, ENOENT, "is ENOENT");
	ok(!sysfs_exists(root, "absent"), "and is not created");
}

static void test_modes(void)
{
	AUTOFREE char *path = mem_printf("%s/mode", root);

	put("mode", "1");
	ok(chmod(path, 0444) == 0 && !sysfs_writable(root, "mode"), "0444 is not writable, whoever we are");
	ok(chmod(path, 0200) == 0 && sysfs_writable(root, "mode"), "0200 is");
	ok(!sysfs_writable(root, "absent"), "an absent one is not");
	ok(sysfs_exists(root, "mode"), "an attribute exists");
	ok(sysfs_inode(root, "mode") != 0, "and has an inode");
	is_int((long long)sysfs_inode(root, "absent"), 0, "an absent one has none");
	ok(sysfs_inode(root, "mode") != sysfs_inode(root, "attr"), "each its own");
}

static void test_list(void)
{
	AUTOFREE char *to_file = mem_printf("%s/queue/a_link", root);
	AUTOFREE char *to_dir = mem_printf("%s/queue/b_link", root);
	strings_t AUTOSTRINGS names = { 0 };
	struct err err = { 0 };
	char real[PATH_MAX];

	make_dir("queue");
	make_dir("queue/iosched");
	put("queue/slice_idle", "8");
	put("queue/back_seek_max", "16384");
	put("queue/low_latency", "1");
	if (symlink("slice_idle", to_file) || symlink("iosched", to_dir))
		abort();
	strings_add(&names, "zzz");
	is_int(sysfs_list(root, "queue", &names, &err), 0, "a directory is listed");
	is_int((long long)names.n, 4, "only plain files, behind what was there");
	is(names.items[0], "zzz", "which stays first");
	is(names.items[1], "back_seek_max", "sorted: 1");
	is(names.items[2], "low_latency", "sorted: 2");
	is(names.items[3], "slice_idle", "sorted: 3");
	is_int(sysfs_list(root, "queue/iosched", &names, &err), 0, "an empty directory");
	is_int(sysfs_list(root, "absent", &names, &err), 0, "and none at all");
	is_int((long long)names.n, 4, "give nothing");
	is_int(sysfs_list(root, "attr", &names, &err), -1, "a file is no directory");
	is_int(err.errnum, ENOTDIR, "ENOTDIR");

	strings_release(&names);
	is_int(sysfs_list_dirs(root, "queue", &names, &err), 0, "directories are listed");
	is_int((long long)names.n, 2, "also those behind a link");
	is(names.items[0], "b_link", "a link to one");
	is(names.items[1], "iosched", "and one itself");

	is_int(sysfs_resolve(root, "queue/b_link", real), 0, "links resolve");
	has(real, "/queue/iosched", "to where they lead");
	is_int(sysfs_resolve(root, "queue/absent", real), -1, "or say that nothing is there");
}

static void test_scheduler(void)
{
	static const struct {
		const char *line, *current; /* NULL: not understood */
		size_t n;
	} rows[] = {
		{ "none [mq-deadline] kyber bfq", "mq-deadline", 4 },
		{ "[none] mq-deadline kyber bfq", "none", 4 },
		{ "noop deadline [cfq]", "cfq", 3 },
		{ "none", "none", 1 },
		{ "[none]", "none", 1 },
		{ "none bfq", NULL, 2 },
		{ "bfq", NULL, 1 },
		{ "", NULL, 0 },
		{ "none [] bfq", NULL, 3 },
		{ "none [a-name-that-is-too-long]", NULL, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		strings_t AUTOSTRINGS offered = { 0 };
		char current[16] = "untouched";
		int ret = sysfs_scheduler_parse(rows[i].line, current, sizeof(current), &offered);

		is_int(ret, rows[i].current ? 0 : -1, rows[i].line);
		is(current, rows[i].current ? rows[i].current : "untouched", "  the current one");
		is_int((long long)offered.n, (long long)rows[i].n, "  how many are offered");
		if (offered.n > 1)
			ok(strings_has(&offered, i == 2 ? "deadline" : rows[i].n == 4 ? "mq-deadline" : "none"),
			   "  and without brackets");
	}
}

int main(void)
{
	AUTOFREE char *clean = NULL;

	if (!mkdtemp(root))
		abort();
	test_root();
	test_read();
	test_read_number();
	test_write();
	test_modes();
	test_list();
	test_scheduler();
	clean = mem_printf("rm -rf '%s'", root);
	if (system(clean))
		return 1;
	return tap_done();
}
