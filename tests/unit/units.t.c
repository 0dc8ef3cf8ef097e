// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "common/str.h"
#include "common/units.h"

#define K 1024ULL
#define M (K * K)
#define G (K * M)
#define T (K * G)

/* A text and the number it stands for, or a part of the complaint about it. */
struct number_case {
	const char *text;
	uint64_t want;
	const char *complaint;
};

static void run_cases(const char *what, int (*parse)(const char *, uint64_t *, struct err *),
		      const struct number_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct number_case *c = &cases[i];
		AUTOFREE char *name = mem_printf("%s '%s'", what, c->text);
		uint64_t got = 4711;
		struct err err = { 0 };
		int bad = parse(c->text, &got, &err);

		if (!c->complaint) {
			ok(!bad && got == c->want, "%s is %" PRIu64, name, c->want);
			if (bad || got != c->want)
				printf("# got %d, %" PRIu64 " %s\n", bad, got, err.msg);
			is_int(err.kind, ERR_NONE, "and no error is left behind");
			continue;
		}
		is_int(bad, -1, name);
		has(err.msg, c->complaint, "the complaint says why");
		has(err.msg, c->text, "and names the text");
		is_int(err.kind, ERR_USAGE, "as wrong usage");
	}
}

static void test_count(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "8", 8, NULL },
		{ "007", 7, NULL },
		{ "18446744073709551615", UINT64_MAX, NULL },
		{ "18446744073709551616", 0, "too large" },
		{ "99999999999999999999999", 0, "too large" },
		{ "", 0, "not a whole number" },
		{ "-1", 0, "not a whole number" },
		{ "+1", 0, "not a whole number" },
		{ " 5", 0, "not a whole number" },
		{ "5 ", 0, "not a whole number" },
		{ "1e3", 0, "not a whole number" },
		{ "0x10", 0, "not a whole number" },
		{ "1.0", 0, "not a whole number" },
		{ "x", 0, "not a whole number" },
	};

	run_cases("count", units_parse_count, cases, ARRAY_LEN(cases));
}

static void test_size(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "4096", 4096, NULL },
		{ "4k", 4 * K, NULL },
		{ "4K", 4 * K, NULL },
		{ "4KiB", 4 * K, NULL },
		{ "4KB", 4000, NULL },
		{ "4kb", 4000, NULL },
		{ "512B", 512, NULL },
		{ "3m", 3 * M, NULL },
		{ "3MiB", 3 * M, NULL },
		{ "3MB", 3000000, NULL },
		{ "5G", 5 * G, NULL },
		{ "5GiB", 5 * G, NULL },
		{ "5GB", 5000000000, NULL },
		{ "2T", 2 * T, NULL },
		{ "2TiB", 2 * T, NULL },
		{ "2TB", 2000000000000, NULL },
		{ "1.5G", G + G / 2, NULL },
		{ "0.5k", 512, NULL },
		{ ".5k", 512, NULL },
		{ "1.000", 1, NULL },
		{ "1.001KB", 1001, NULL },
		{ "0.123456789TB", 123456789000, NULL }, /* fraction times unit is over 64 bits, the size is not */
		{ "16777215T", 16777215 * T, NULL },
		{ "16777215.5T", 16777215 * T + T / 2, NULL },
		{ "16777216T", 0, "too large" }, /* 2^64 */
		{ "18446744073709551615", UINT64_MAX, NULL },
		{ "18446744073709551616", 0, "too large" },
		{ "99999999999999999999T", 0, "too large" },
		{ "18446744073709551615.9KB", 0, "too large" },
		{ "1.0005KB", 0, "does not come to a whole number" },
		{ "1.5", 0, "does not come to a whole number" },
		{ "1.999999999T", 0, "does not come to a whole number" },
		{ "", 0, "not a size" },
		{ ".", 0, "not a size" },
		{ "k", 0, "not a size" },
		{ "-4k", 0, "not a size" },
		{ "+4k", 0, "not a size" },
		{ "1e3", 0, "not a size" },
		{ " 5", 0, "not a size" },
		{ "5 k", 0, "not a size" },
		{ "5k ", 0, "not a size" },
		{ "4kk", 0, "not a size" },
		{ "4Ki", 0, "not a size" },
		{ "4P", 0, "not a size" },
		{ "1.2.3k", 0, "not a size" },
		{ "1,5G", 0, "not a size" },
		{ "nan", 0, "not a size" },
		{ "0x10", 0, "not a size" },
	};

	run_cases("size", units_parse_size, cases, ARRAY_LEN(cases));
}

static void test_duration(void)
{
	static const struct number_case cases[] = {
		{ "0", 0, NULL },
		{ "10", 10 * NS_PER_S, NULL },
		{ "10s", 10 * NS_PER_S, NULL },
		{ "1.5", 3 * NS_PER_S / 2, NULL },
		{ "1.5s", 3 * NS_PER_S / 2, NULL },
		{ "500ms", NS_PER_S / 2, NULL },
		{ "500us", 500000, NULL },
		{ "5m", 300 * NS_PER_S, NULL },
		{ "5min", 300 * NS_PER_S, NULL },
		{ "4h", 14400 * NS_PER_S, NULL },
		{ "0.5h", 1800 * NS_PER_S, NULL },
		{ "1.123456789h", 4044444440400, NULL }, /* fraction times unit is over 64 bits */
		{ "1281023h", 1281023 * 3600ULL * NS_PER_S, NULL },
		{ "1281024h", 0, "too large" }, /* a time of now plus and less it must be one */
		{ "200000d", 0, "too large" },
		{ "5124096h", 0, "too large" },
		{ "0.0005us", 0, "does not come to a whole number" },
		{ "", 0, "not a duration" },
		{ "s", 0, "not a duration" },
		{ "-1s", 0, "not a duration" },
		{ "1e3", 0, "not a duration" },
		{ " 5", 0, "not a duration" },
		{ "5w", 0, "not a duration" },
		{ "1m30s", 0, "not a duration" },
		{ "10ns", 0, "not a duration" },
	};

	run_cases("duration", units_parse_duration, cases, ARRAY_LEN(cases));
}

static void test_format_size(void)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} cases[] = {
		{ 0, "0 B" },
		{ 512, "512 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1025, "1.0 KiB" }, /* not exact: so it has a decimal */
		{ 1536, "1.5 KiB" },
		{ 4096, "4 KiB" },
		{ 1023 * K, "1023 KiB" },
		{ M - 53, "1023.9 KiB" },
		{ M - 1, "1.0 MiB" }, /* never "1024.0 KiB" */
		{ M, "1 MiB" },
		{ 5 * G, "5 GiB" },
		{ 5 * G + G / 2, "5.5 GiB" },
		{ 3 * T, "3 TiB" },
		{ K * T, "1 PiB" },
		{ M * T, "1 EiB" },
		{ UINT64_MAX, "16.0 EiB" },
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *what = mem_printf("%" PRIu64 " bytes", cases[i].bytes);

		is(units_format_size(text, cases[i].bytes), cases[i].want, what);
	}
}

static void test_format_duration(void)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} cases[] = {
		{ 0, "0 s" },
		{ 1500, "1.5 us" },
		{ 999499, "999 us" },
		{ 999999, "1 ms" }, /* never "1e+03 us" */
		{ 1000000, "1 ms" },
		{ 24000000, "24 ms" },
		{ 999499999, "999 ms" },
		{ 999999999, "1 s" },
		{ NS_PER_S, "1 s" },
		{ 4200 * 1000000ULL, "4.2 s" },
		{ 59499 * 1000000ULL, "59.5 s" },
		{ 59999 * 1000000ULL, "1 min 00 s" },
		{ 60 * NS_PER_S, "1 min 00 s" },
		{ 190 * NS_PER_S, "3 min 10 s" },
		{ 3599 * NS_PER_S, "59 min 59 s" },
		{ 3599600 * 1000000ULL, "1 h 00 min" },
		{ 7500 * NS_PER_S, "2 h 05 min" },
		{ 360000 * NS_PER_S, "100 h 00 min" },
		{ UINT64_MAX, "5124095 h 34 min" },
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *what = mem_printf("%" PRIu64 " ns", cases[i].ns);

		is(units_format_duration(text, cases[i].ns), cases[i].want, what);
	}
}

/* The numbers joined by ' ', or the complaint. */
static char *numbers(const char *text)
{
	numbers_t v = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };

	if (units_parse_numbers(text, &v, &err))
		str_addf(&out, "%d: %s", (int)err.kind, err.msg);
	for (size_t i = 0; !err.kind && i < v.n; i++)
		str_addf(&out, "%s%" PRIu64, i ? " " : "", v.items[i]);
	vec_free(&v);
	return str_steal(&out);
}

static void test_numbers(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "3", "3" },
		{ "1,2,4", "1 2 4" },
		{ "4,1", "4 1" },
		{ "1-8", "1 2 3 4 5 6 7 8" },
		{ "1-8:2", "1 3 5 7" },
		{ "2-8:2", "2 4 6 8" },
		{ "1-8:100", "1" },
		{ "5-5", "5" },
		{ "0-2", "0 1 2" },
		{ "1-2,8,10-20:5", "1 2 8 10 15 20" },
		{ "1,1", "1 1" }, /* what is twice is the caller's business */
		{ "18446744073709551614-18446744073709551615", "18446744073709551614 18446744073709551615" },
		{ "18446744073709551610-18446744073709551615:4", "18446744073709551610 18446744073709551614" },
		{ "1-18446744073709551615:18446744073709551615", "1" },
		{ "", "2: list '' is empty" },
		{ ",", "2: list ',' has an empty element" },
		{ "1,,2", "2: list '1,,2' has an empty element" },
		{ "1,", "2: list '1,' has an empty element" },
		{ "8-1", "2: range '8-1' goes backwards (write '1-8')" },
		{ "1-8:0", "2: range '1-8:0' has step 0" },
		{ "1:2", "2: '1:2' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "1:2-3", "2: '1:2-3' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "-1", "2: '-1' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "1-", "2: '1-' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "-", "2: '-' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "1-8:", "2: '1-8:' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ ":", "2: ':' is not a range (write FIRST-LAST or FIRST-LAST:STEP)" },
		{ "1-2-3", "2: '2-3' is not a whole number" },
		{ "1-8:2:3", "2: '2:3' is not a whole number" },
		{ "1-8:-2", "2: '-2' is not a whole number" },
		{ "1, 2", "2: ' 2' is not a whole number" },
		{ "1e3", "2: '1e3' is not a whole number" },
		{ "4k", "2: '4k' is not a whole number" },
		{ "99999999999999999999", "2: '99999999999999999999' is too large" },
		{ "1-99999999999999999999", "2: '99999999999999999999' is too large" },
		{ "1-10001", "2: with '1-10001' the list has over 10000 values" },
		{ "0-18446744073709551615", "2: with '0-18446744073709551615' the list has over 10000 values" },
		{ "1-9999,1,2", "2: with '2' the list has over 10000 values" },
	};
	numbers_t v = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = numbers(cases[i].text);
		AUTOFREE char *what = mem_printf("numbers '%s'", cases[i].text);

		is(got, cases[i].want, what);
	}
	ok(!units_parse_numbers("1-10000", &v, NULL) && v.n == 10000 && v.items[9999] == 10000,
	   "10000 values are not too many");
	vec_free(&v);
}

static void test_clocks(void)
{
	int64_t a = now_monotonic_ns(), b = now_monotonic_ns();

	ok(b >= a && a > 0, "the monotonic clock does not go back");
	ok(now_realtime_ns() > 1700000000LL * NS_PER_S, "the other counts nanoseconds since 1970");
}

static void test_percent(void)
{
	static const struct {
		const char *text;
		double share; /* -1: refused */
	} cases[] = { { "2%", 0.02 }, { "2", 0.02 }, { "0.5%", 0.005 }, { "0", 0 },	  { "", -1 },	 { "%", -1 },
		      { "2%%", -1 },  { "-1%", -1 }, { "nan", -1 },	{ "1000%", -1 }, { "2 %", -1 } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double share = -2;
		struct err err = { 0 };
		int bad = units_parse_percent(cases[i].text, &share, &err);

		ok(cases[i].share < 0 ? bad && err.kind == ERR_USAGE : !bad && fabs(share - cases[i].share) < 1e-15,
		   "percent '%s'", cases[i].text);
	}
}

static void test_days(void)
{
	static const struct {
		const char *text;
		int64_t from, until; /* seconds; 0: refused */
	} cases[] = { { "2026-11-29", 1795910400, 1795996800 },
		      { "2026-11-01..2026-11-15", 1793491200, 1794787200 },
		      { "2024-02-28..2024-02-29", 1709078400, 1709251200 },
		      { "2026-11-29..2026-11-29", 1795910400, 1795996800 },
		      { "2023-02-29", 0, 0 }, { "2026-11-15..2026-11-01", 0, 0 }, { "2026-11-29..", 0, 0 },
		      { "2026-11-29 ", 0, 0 }, { "2026-1-29", 0, 0 },	{ "2026-13-01", 0, 0 }, { "2026-11-00", 0, 0 },
		      { "", 0, 0 }, { "2026-11-29.2026-11-30", 0, 0 }, { "+026-11-29", 0, 0 }, { "9999-01-01", 0, 0 } };

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t from = 0, until = 0;
		struct err err = { 0 };
		int bad = units_parse_days(cases[i].text, &from, &until, &err);

		ok(cases[i].from ? !bad && from == cases[i].from * NS_PER_S && until == cases[i].until * NS_PER_S
				 : bad && err.kind == ERR_USAGE,
		   "days '%s'", cases[i].text);
	}
	/* a day of 25 hours */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	{
		int64_t from = 0, until = 0;
		struct err err = { 0 };

		ok(!units_parse_days("2026-10-25", &from, &until, &err) && until - from == 25 * 3600 * NS_PER_S,
		   "days are local ones, summer time and all");
	}
}

static void test_format_time(void)
{
	const int64_t ns = 1700000000 * NS_PER_S + 999999999;
	char text[UNITS_TEXT];

	setenv("TZ", "EST5", 1);
	tzset();
	is(units_format_time(text, ns, gmtime_r, "%F %T UTC"), "2023-11-14 22:13:20 UTC", "a time of UTC");
	is(units_format_time(text, ns, localtime_r, "%F %R %z"), "2023-11-14 17:13 -0500", "and here");
}

int main(void)
{
	test_days();
	test_percent();
	test_count();
	test_size();
	test_duration();
	test_format_size();
	test_format_duration();
	test_numbers();
	test_clocks();
	test_format_time();
	return tap_done();
}
