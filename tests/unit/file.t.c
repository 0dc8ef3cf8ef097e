// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/file.h"

static char root[] = "/tmp/iobench-file.XXXXXX";

/*
 * In place of libc's: what is done to files is noted in 'steps' ('w'rite, 's'ync, 'r'ename, 'd'irectory synced), and
 * the step 'fails_at' fails with EIO. Writes are cut to 'chunk' bytes; the first 'interrupted' ones are interrupted.
 */
static char steps[64];
static int fails_at = -1, interrupted;
static size_t chunk = SIZE_MAX;

static bool note(char step)
{
	size_t n = strlen(steps);

	if (n && step == 'w' && steps[n - 1] == 'w')
		return false;
	steps[n] = step;
	steps[n + 1] = '\0';
	errno = EIO;
	return (int)n == fails_at;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fd > 2) {
		if (interrupted > 0) {
			interrupted--;
			errno = EINTR;
			return -1;
		}
		if (note('w'))
			return -1;
		n = n < chunk ? n : chunk;
	}
	return syscall(SYS_write, fd, bytes, n);
}

int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || note(S_ISDIR(st.st_mode) ? 'd' : 's'))
		return -1;
	return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	return note('r') ? -1 : (int)syscall(SYS_rename, from, to);
}

static char *in_root(const char *name)
{
	return mem_printf("%s/%s", root, name);
}

static int replace(const char *path, const char *text, struct err *err)
{
	steps[0] = '\0';
	return file_replace(path, text, strlen(text), err);
}

static char *content(const char *path)
{
	struct str text = { 0 };

	if (file_slurp(path, &text, NULL))
		str_add(&text, "(none)");
	return str_steal(&text);
}

static void is_content(const char *path, const char *want, const char *what)
{
	AUTOFREE char *got = content(path);

	is(got, want, what);
}

/* Entries of the folder that are files of ours, so that nothing is left lying around unseen. */
static int count_files(void)
{
	DIR *d = opendir(root);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void test_slurp(void)
{
	AUTOFREE char *path = in_root("slurp"), *missing = in_root("missing");
	AUTOSTR struct str text = { 0 };
	struct err err = { 0 };
	char big[100000];

	memset(big, 'x', sizeof(big));
	big[50000] = '\0';
	ok(!file_replace(path, big, sizeof(big), &err), "a file of 100000 bytes");
	str_add(&text, "before");
	ok(!file_slurp(path, &text, &err), "is read");
	is_int(text.len, 100006, "whole, behind what was there");
	ok(!memcmp(text.s, "before", 6) && !memcmp(text.s + 6, big, sizeof(big)), "byte for byte, a NUL too");
	unlink(path);

	str_clear(&text);
	ok(!file_slurp("/proc/self/status", &text, &err), "a file without a size");
	ok(text.len > 100, "is read to its end");
	ok(file_slurp(missing, &text, &err), "one that is not there is an error");
	has(err.msg, missing, "that names it");
	is_int(err.errnum, ENOENT, "with its errno");
	ok(file_slurp(root, &text, &err), "a folder is an error");
	is_int(err.errnum, EISDIR, "and it says so");
}

static void test_replace(void)
{
	AUTOFREE char *path = in_root("a"), *empty = in_root("empty");
	struct err err = { 0 };
	struct stat before, after;
	char old[4] = "";
	int fd;

	ok(!replace(path, "old", &err), "a new file");
	is_content(path, "old", "has the content");
	is(steps, "wsrd", "written, synced, put in place, and the folder synced: in this order");
	fd = open(path, O_RDONLY);
	stat(path, &before);
	ok(!replace(path, "new!", &err), "replaced");
	is_content(path, "new!", "it has the new content");
	stat(path, &after);
	ok(before.st_ino != after.st_ino, "in another file: the old one was never half written");
	is_int(read(fd, old, 3), 3, "who has the old one open");
	is(old, "old", "goes on reading it whole");
	close(fd);
	is_int(after.st_mode & 0777, 0600, "only its owner may read it");
	ok(!replace(empty, "", &err), "an empty one");
	is_content(empty, "", "is empty");
	is_int(count_files(), 2, "nothing else is left in the folder");
	unlink(empty);

	chunk = 1;
	interrupted = 1;
	ok(!replace(path, "in small pieces", &err), "a write that is interrupted and short goes on");
	is_content(path, "in small pieces", "to the end");
	chunk = SIZE_MAX;
}

/* Whichever step fails: an error, one whole content, nothing left over. */
static void test_replace_fails(void)
{
	static const char *const names[] = { "write", "sync", "rename", "sync of the folder" };
	AUTOFREE char *path = in_root("a"), *tmp = in_root("a.tmp"), *elsewhere = in_root("no/such");
	struct err err = { 0 };

	for (int step = 0; step < 4; step++) {
		AUTOFREE char *what = mem_printf("a failing %s is an error", names[step]);

		replace(path, "old", NULL);
		fails_at = step;
		is_int(replace(path, "new", &err), -1, what);
		fails_at = -1;
		is_int(err.errnum, EIO, "with its errno");
		has(err.msg, path, "and the path");
		/* when only the folder was not synced, the new one is there: whole */
		is_content(path, step < 3 ? "old" : "new", "the content is whole");
		is_int(count_files(), 1, "no other file is left");
		err = (struct err){ 0 };
	}
	replace(path, "old", NULL);

	ok(!symlink("/dev/full", tmp), "a disk that is full");
	is_int(replace(path, "new", &err), -1, "is an error");
	is_int(err.errnum, ENOSPC, "that says so");
	is_content(path, "old", "and the old content stays");
	is_int(count_files(), 1, "with nothing beside it");

	ok(!mkdir(tmp, 0700), "a folder that cannot be written to");
	is_int(replace(path, "new", &err), -1, "is an error");
	is_content(path, "old", "and the old content stays here too");
	rmdir(tmp);
	is_int(replace(elsewhere, "x", &err), -1, "a folder that is not there is an error");
	is_int(err.errnum, ENOENT, "that says so");
	is_int(replace(root, "x", &err), -1, "a folder is not replaced by a file");
	is_content(path, "old", "and keeps what is in it");
	unlink(path);
}

/* FIPS 180-2, appendix B, and the empty message of the NIST example vectors. */
static void test_hash(void)
{
	char million[1000001], out[HASH_TEXT];

	hash_text(out, "", 0);
	is(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "SHA-256 of nothing");
	hash_text(out, "abc", 3);
	is(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "of \"abc\"");
	hash_text(out, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
	is(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "of two blocks");
	memset(million, 'a', sizeof(million));
	hash_text(out, million, 1000000);
	is(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "of a million 'a'");
}

static void test_uuid(void)
{
	char a[UUID_TEXT], b[UUID_TEXT];
	struct err err = { 0 };
	bool shape = true;

	ok(!uuid_new(a, &err) && !uuid_new(b, &err), "two UUIDs");
	ok(strcmp(a, b), "are not the same");
	is_int(strlen(a), 36, "of 36 characters");
	for (int i = 0; i < 36; i++)
		shape &= i == 8 || i == 13 || i == 18 || i == 23 ? a[i] == '-' : !!strchr("0123456789abcdef", a[i]);
	ok(shape, "hexadecimal in five groups");
	ok(a[14] == '4' && strchr("89ab", a[19]), "of version 4");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_slurp();
	test_replace();
	test_replace_fails();
	test_hash();
	test_uuid();
	rmdir(root);
	return tap_done();
}
