/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_MEM_H
#define COMMON_MEM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Memory. When there is none left these abort(): nothing sensible can be done without it, and the guard process
 * puts the settings back whatever way we die.
 */
void *mem_alloc(size_t n, size_t size);		       /* zeroed */
void *mem_realloc(void *p, size_t n, size_t size);     /* new part not zeroed */
char *mem_strdup(const char *s);		       /* NULL gives NULL */
char *mem_strndup(const char *s, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A growable array: struct { T *items; size_t n, cap; }. Zeroed memory is an empty one.
 *     vec_push(v)  → T *, a new zeroed element at the end, valid until the next push
 *     vec_free(v)  frees the array, not what the elements own, and leaves an empty one
 */
#define VEC(type)                    \
	struct {                     \
		type *items;         \
		size_t n, cap;       \
	}
#define vec_push(v)                                                                                            \
	((v)->items = vec_grow_((v)->items, &(v)->n, &(v)->cap, sizeof(*(v)->items)), (v)->items + (v)->n - 1)
#define vec_free(v)                                      \
	do {                                             \
		free((v)->items);                        \
		(v)->items = NULL;                       \
		(v)->n = (v)->cap = 0;                   \
	} while (0)
void *vec_grow_(void *items, size_t *n, size_t *cap, size_t size);

/* Variables that release themselves at the end of their block; for releases that cannot fail. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define AUTOFREE CLEANUP(mem_auto_free_)
#define AUTOCLOSE CLEANUP(mem_auto_close_)
#define AUTOFCLOSE CLEANUP(mem_auto_fclose_)
void mem_auto_free_(void *pp);	    /* of a pointer from the above or malloc */
void mem_auto_close_(const int *fd); /* of a file descriptor, -1 for none */
void mem_auto_fclose_(FILE **fp);

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
