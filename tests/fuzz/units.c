// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/str.h"
#include "common/units.h"
#include "tests/fuzz/check.h"

/* Numbers with units, ranges, and the strings that lists are cut with. */

/* "4 KiB" typed without its blank is the same size again. */
static void check_size(uint64_t bytes)
{
	char text[UNITS_TEXT], *blank;
	uint64_t again;

	units_format_size(text, bytes);
	CHECK(!strstr(text, "1024"));
	blank = strchr(text, ' ');
	CHECK(blank);
	memmove(blank, blank + 1, strlen(blank));
	if (strchr(text, '.') || strchr(text, 'P') || strchr(text, 'E'))
		return;
	CHECK(!units_parse_size(text, &again, NULL) && again == bytes);
}

static void check_duration(uint64_t ns)
{
	char text[UNITS_TEXT];

	units_format_duration(text, ns);
	CHECK(!strstr(text, "e+") && strchr(text, ' '));
}

static void check_numbers(const char *text)
{
	numbers_t v = { 0 };
	struct err err = { 0 };
	int bad = units_parse_numbers(text, &v, &err);

	check_err(bad, &err, ERR_USAGE);
	CHECK(bad || (v.n && v.n <= 10000));
	vec_free(&v);
}

/* The pieces with their separators are as long as the whole, but for the backslashes that were taken away. */
static void check_split(const char *text, char sep)
{
	AUTOSTRINGS strings_t pieces = { 0 };
	size_t len = 0, escapes = 0;

	str_split(text, sep, &pieces);
	CHECK(pieces.n);
	for (size_t i = 0; i < pieces.n; i++) {
		AUTOFREE char *plain = str_unescape(pieces.items[i]);

		len += strlen(pieces.items[i]) + !!i;
		CHECK(strlen(plain) <= strlen(pieces.items[i]));
	}
	for (const char *s = text; *s; s++)
		if (*s == '\\' && s[1])
			escapes += *++s == sep;
	CHECK(len + escapes == strlen(text));
}

/* Numbers near the border of two units, which few texts are. */
static void check_borders(const uint8_t *data, size_t size)
{
	static const uint64_t borders[] = {
		1000, 1000000, 1 << 10, 1 << 20, NS_PER_S, 1ULL << 40, 60 * NS_PER_S, 3600 * NS_PER_S
	};
	uint64_t number;

	if (size < 2)
		return;
	number = borders[data[0] % ARRAY_LEN(borders)];
	number -= number >> data[1] % 64;
	check_size(number);
	check_duration(number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "bfq", "mq-deadline", "kyber", "none" };
	AUTOFREE char *text = mem_strndup((const char *)data, size);
	uint64_t count = 0, bytes = 0, ns = 0;
	struct err err = { 0 };
	int bad = units_parse_count(text, &count, &err), bad_size;

	check_err(bad, &err, ERR_USAGE);
	err = (struct err){ 0 };
	bad_size = units_parse_size(text, &bytes, &err);
	check_err(bad_size, &err, ERR_USAGE);
	CHECK(bad || (!bad_size && bytes == count));
	if (!bad_size)
		check_size(bytes);
	err = (struct err){ 0 };
	bad = units_parse_duration(text, &ns, &err);
	check_err(bad, &err, ERR_USAGE);
	if (!bad)
		check_duration(ns);
	check_numbers(text);
	check_borders(data, size);
	check_split(text, ',');
	check_split(text, ':');
	CHECK(!str_nearest(text, names, ARRAY_LEN(names)) || strlen(text) < 20);
	CHECK(strlen(str_trim(text)) <= size);
	return 0;
}
