// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int file_slurp(const char *path, struct str *out, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot open '%s'", path);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, ERR_FAULT, errno, "cannot read '%s'", path);
		str_addn(out, chunk, (size_t)n);
	}
	return 0;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int sync_folder_of(const char *path)
{
	AUTOFREE char *copy = mem_strdup(path);
	AUTOCLOSE int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

/* 0 or errno. */
static int put(const char *path, const void *bytes, size_t len, bool durable)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), bad;

	if (fd < 0)
		return errno;
	bad = write_all(fd, bytes, len) || (durable && fsync(fd)) ? errno : 0;
	return close(fd) && !bad ? errno : bad;
}

int file_write(const char *path, const void *bytes, size_t len, struct err *err)
{
	int bad = put(path, bytes, len, false);

	return bad ? err_sys(err, ERR_FAULT, bad, "cannot write '%s'", path) : 0;
}

int file_replace(const char *path, const void *bytes, size_t len, struct err *err)
{
	AUTOFREE char *tmp = mem_printf("%s.tmp", path);
	int bad = put(tmp, bytes, len, true);

	if (!bad && (rename(tmp, path) || sync_folder_of(path)))
		bad = errno;
	if (!bad)
		return 0;
	unlink(tmp);
	return err_sys(err, ERR_FAULT, bad, "cannot write '%s'", path);
}

void hash_text(char out[HASH_TEXT], const void *bytes, size_t len)
{
	struct sha256_ctx sha;
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_init(&sha);
	sha256_update(&sha, len, bytes);
	sha256_digest(&sha, sizeof(digest), digest);
	base16_encode_update(out, sizeof(digest), digest);
	out[HASH_TEXT - 1] = '\0';
}

int uuid_new(char out[UUID_TEXT], struct err *err)
{
	unsigned char b[16];

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		return err_sys(err, ERR_FAULT, errno, "the kernel gave no UUID");
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(out, UUID_TEXT, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
		 b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	return 0;
}
