/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

/* Append the whole of a file (of any kind that can be read to its end) to 'out'. Errors name the path. */
int file_slurp(const char *path, struct str *out, struct err *err);

/* Make 'path' of 'len' bytes, in place of what was there: for what nobody needs after a crash. */
int file_write(const char *path, const void *bytes, size_t len, struct err *err);

/* Replace 'path' by 'len' bytes so that after a crash either the old or the new content is there whole. */
int file_replace(const char *path, const void *bytes, size_t len, struct err *err);

/* SHA-256 of 'len' bytes as 64 hexadecimal digits. */
#define HASH_TEXT 65
void hash_text(char out[HASH_TEXT], const void *bytes, size_t len);

/* A new random UUID (version 4), from the kernel. */
#define UUID_TEXT 37
int uuid_new(char out[UUID_TEXT], struct err *err);

#endif
