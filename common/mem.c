// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

void *mem_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		abort();
	return q;
}

char *mem_strndup(const char *s, size_t len)
{
	char *p = mem_alloc(len + 1, 1);

	memcpy(p, s, len);
	return p;
}

char *mem_strdup(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

char *mem_printf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (len < 0)
		abort();
	return s;
}

void *vec_grow_(void *items, size_t *n, size_t *cap, size_t size)
{
	if (*n == *cap) {
		if (*cap > SIZE_MAX / 2)
			abort();
		*cap = *cap ? 2 * *cap : 8;
		items = mem_realloc(items, *cap, size);
	}
	memset((char *)items + *n * size, 0, size);
	++*n;
	return items;
}

void mem_auto_free_(void *pp)
{
	free(*(void **)pp);
}

void mem_auto_close_(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

void mem_auto_fclose_(FILE **fp)
{
	if (*fp)
		fclose(*fp);
}
