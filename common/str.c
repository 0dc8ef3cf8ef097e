// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void str_reserve(struct str *b, size_t more)
{
	if (more > SIZE_MAX - b->len - 1)
		abort();
	if (b->len + more + 1 > b->cap) {
		b->cap = 2 * (b->len + more + 1);
		b->s = mem_realloc(b->s, b->cap, 1);
	}
}

void str_addn(struct str *b, const char *bytes, size_t len)
{
	str_reserve(b, len);
	memcpy(b->s + b->len, bytes, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void str_add(struct str *b, const char *text)
{
	str_addn(b, text, strlen(text));
}

void str_vaddf(struct str *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		abort();
	str_reserve(b, (size_t)len);
	vsnprintf(b->s + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
}

void str_addf(struct str *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(b, fmt, ap);
	va_end(ap);
}

void str_pad(struct str *b, char c, size_t n)
{
	str_reserve(b, n);
	memset(b->s + b->len, c, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void str_end_line(struct str *b)
{
	while (b->len && b->s[b->len - 1] == ' ')
		b->len--;
	str_add(b, "\n");
}

const char *str_text(const struct str *b)
{
	return b->s ? b->s : "";
}

char *str_steal(struct str *b)
{
	char *s = b->s ? b->s : mem_strdup("");

	*b = (struct str){ 0 };
	return s;
}

void str_clear(struct str *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}

void str_release(struct str *b)
{
	free(b->s);
	*b = (struct str){ 0 };
}

void strings_add(strings_t *v, const char *text)
{
	*vec_push(v) = mem_strdup(text);
}

bool strings_has(const strings_t *v, const char *text)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->items[i], text))
			return true;
	return false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strings_sort(strings_t *v)
{
	if (v->n)
		qsort(v->items, v->n, sizeof(*v->items), compare_texts);
}

void strings_release(strings_t *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	vec_free(v);
}

void str_split(const char *text, char sep, strings_t *out)
{
	struct str piece = { 0 };

	for (const char *p = text;; p++) {
		if (p[0] == '\\' && p[1] == sep) {
			str_addn(&piece, ++p, 1);
		} else if (p[0] == '\\' && p[1]) {
			str_addn(&piece, p++, 2);
		} else if (*p == sep || !*p) {
			*vec_push(out) = str_steal(&piece);
			if (!*p)
				return;
		} else {
			str_addn(&piece, p, 1);
		}
	}
}

char *str_unescape(const char *s)
{
	struct str out = { 0 };

	for (; *s; s++) {
		if (s[0] == '\\' && s[1])
			s++;
		str_addn(&out, s, 1);
	}
	return str_steal(&out);
}

char *str_trim(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return s;
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

#define WORD_MAX 63

/* Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment). */
static size_t edit_distance(const char *a, const char *b)
{
	size_t d[WORD_MAX + 1][WORD_MAX + 1], la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= la; i++) {
		for (size_t j = 0; j <= lb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < d[i][j])
				d[i][j] = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < d[i][j])
				d[i][j] = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

const char *str_nearest(const char *word, const char *const *names, size_t n)
{
	size_t len = strlen(word), best = len <= 4 ? 1 : len / 3;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(word, names[i]);

		if (d <= best && (!nearest || d < best)) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
