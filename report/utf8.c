// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/utf8.h"

#include <stdbool.h>
#include <string.h>

uint32_t utf8_next(const char **s)
{
	/* RFC 3629: lead byte range, bits it carries, smallest character that needs the length */
	static const struct {
		unsigned char first, last, mask;
		uint32_t smallest;
	} leads[] = { { 0xc2, 0xdf, 0x1f, 0x80 }, { 0xe0, 0xef, 0x0f, 0x800 }, { 0xf0, 0xf4, 0x07, 0x10000 } };
	const unsigned char *p = (const unsigned char *)*s;

	++*s;
	if (*p < 0x80)
		return *p;
	for (size_t i = 0; i < ARRAY_LEN(leads); i++) {
		uint32_t c = *p & leads[i].mask;
		size_t more = 0;

		if (*p < leads[i].first || *p > leads[i].last)
			continue;
		while (more < i + 1 && (p[more + 1] & 0xc0) == 0x80)
			c = c << 6 | (p[++more] & 0x3f);
		if (more < i + 1 || c < leads[i].smallest || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return UTF8_BAD;
		*s += more;
		return c;
	}
	return UTF8_BAD;
}

/* The larger blocks of Unicode 15's EastAsianWidth.txt (W, F) and of the marks in DerivedGeneralCategory.txt. */
static size_t width_of(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		size_t width;
	} ranges[] = {
		{ 0x0300, 0x036f, 0 },	 { 0x1100, 0x115f, 2 },	  { 0x1ab0, 0x1aff, 0 },   { 0x1dc0, 0x1dff, 0 },
		{ 0x200b, 0x200f, 0 },	 { 0x20d0, 0x20ff, 0 },	  { 0x2e80, 0x303e, 2 },   { 0x3041, 0xa4cf, 2 },
		{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },	  { 0xfe00, 0xfe0f, 0 },   { 0xfe20, 0xfe2f, 0 },
		{ 0xfe30, 0xfe6f, 2 },	 { 0xff00, 0xff60, 2 },	  { 0xffe0, 0xffe6, 2 },   { 0x1f300, 0x1f64f, 2 },
		{ 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

size_t utf8_width(const char *s)
{
	size_t width = 0;

	while (*s)
		width += width_of(utf8_next(&s));
	return width;
}

void utf8_add_printable(struct str *out, const char *s)
{
	while (*s) {
		const char *start = s;
		uint32_t c = utf8_next(&s);
		bool bad = c == UTF8_BAD || c < 0x20 || (c >= 0x7f && c < 0xa0);

		str_addn(out, bad ? "?" : start, bad ? 1 : (size_t)(s - start));
	}
}

void utf8_add_escaped(struct str *out, const char *text, const char *const escapes[128])
{
	AUTOSTR struct str clean = { 0 };

	utf8_add_printable(&clean, text);
	for (const char *s = str_text(&clean); *s; s++) {
		const char *escape = (unsigned char)*s < 128 ? escapes[(unsigned char)*s] : NULL;

		if (escape)
			str_add(out, escape);
		else
			str_addn(out, s, 1);
	}
}

void utf8_add_wrapped(struct str *out, const char *prefix, const char *text, size_t indent, size_t limit)
{
	AUTOSTR struct str clean = { 0 };
	size_t used = utf8_width(prefix);
	char *word, *rest;

	utf8_add_printable(&clean, text);
	str_add(out, prefix);
	rest = clean.s;
	for (bool first = true; (word = strsep(&rest, " ")); first = false) {
		size_t width = utf8_width(word);

		if (!first && width && used + 1 + width > limit) {
			str_end_line(out);
			str_pad(out, ' ', indent);
			used = indent;
		} else if (!first) {
			str_add(out, " ");
			used++;
		}
		str_add(out, word);
		used += width;
	}
	str_end_line(out);
}
