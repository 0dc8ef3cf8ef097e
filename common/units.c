// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/str.h"

#define DURATION_MAX_NS (INT64_MAX / 2) /* 146 years: what is added to a time of now, or taken from it, stays one */
#define LIST_MAX 10000 /* a week of runs of a minute, without any other axis */

int units_parse_count(const char *text, uint64_t *out, struct err *err)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return err_set(err, ERR_USAGE, "'%s' is not a whole number", text);
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*end)
		return err_set(err, ERR_USAGE, "'%s' is not a whole number", text);
	if (errno == ERANGE)
		return err_set(err, ERR_USAGE, "'%s' is too large", text);
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* A decimal number and one of 'units', to an integer of the base unit. Exact: no double is involved. */
static int parse_with_unit(const char *text, const struct unit *units, size_t n, const char *what, uint64_t *out,
			   struct err *err)
{
	uint64_t whole = 0, part = 0, scale = 1, factor = 0;
	unsigned __int128 fraction; /* 9 digits of a terabyte are more than 64 bits, times the scale */
	const char *p = text;
	bool digits = false;

	for (; isdigit((unsigned char)*p); p++, digits = true)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return err_set(err, ERR_USAGE, "%s '%s' is too large", what, text);
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p) && scale < 1000000000; p++, scale *= 10, digits = true)
			part = part * 10 + (uint64_t)(*p - '0');
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(p, units[i].name))
			factor = units[i].factor;
	if (!digits || !factor)
		return err_set(err, ERR_USAGE, "'%s' is not a %s", text, what);
	fraction = (unsigned __int128)part * factor;
	if (fraction % scale)
		return err_set(err, ERR_USAGE, "%s '%s' does not come to a whole number", what, text);
	if (__builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, (uint64_t)(fraction / scale), out))
		return err_set(err, ERR_USAGE, "%s '%s' is too large", what, text);
	return 0;
}

int units_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	static const struct unit units[] = {
		{ "", 1 },	      { "b", 1 },		{ "k", 1ULL << 10 },   { "kib", 1ULL << 10 },
		{ "kb", 1000 },	      { "m", 1ULL << 20 },	{ "mib", 1ULL << 20 }, { "mb", 1000000 },
		{ "g", 1ULL << 30 },  { "gib", 1ULL << 30 },	{ "gb", 1000000000 },  { "t", 1ULL << 40 },
		{ "tib", 1ULL << 40 }, { "tb", 1000000000000 },
	};

	return parse_with_unit(text, units, ARRAY_LEN(units), "size", bytes, err);
}

int units_parse_duration(const char *text, uint64_t *ns, struct err *err)
{
	static const struct unit units[] = {
		{ "", NS_PER_S },	{ "s", NS_PER_S },	   { "ms", 1000000 }, { "m", 60 * NS_PER_S },
		{ "min", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S }, { "d", 24 * 3600 * NS_PER_S },
		{ "us", 1000 },
	};

	if (parse_with_unit(text, units, ARRAY_LEN(units), "duration", ns, err))
		return -1;
	return *ns > DURATION_MAX_NS ? err_set(err, ERR_USAGE, "duration '%s' is too large", text) : 0;
}

int units_parse_percent(const char *text, double *share, struct err *err)
{
	char *end;

	*share = strtod(text, &end) / 100;
	if (end == text || strcmp(*end == '%' ? end + 1 : end, "") || !(*share >= 0 && *share < 10))
		return err_set(err, ERR_USAGE, "'%s' is not a percentage", text);
	return 0;
}

const char *units_format_size(char out[UNITS_TEXT], uint64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t u = 0;
	uint64_t unit = 1;

	/* 1023.95 would be rounded to 1024.0 of a unit */
	while (u + 1 < ARRAY_LEN(names) && (double)bytes / (double)unit >= 1023.95) {
		unit *= 1024;
		u++;
	}
	if (bytes % unit == 0)
		snprintf(out, UNITS_TEXT, "%" PRIu64 " %s", bytes / unit, names[u]);
	else
		snprintf(out, UNITS_TEXT, "%.1f %s", (double)bytes / (double)unit, names[u]);
	return out;
}

const char *units_format_duration(char out[UNITS_TEXT], uint64_t ns)
{
	uint64_t s = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2);

	/* what three digits would round to 1e+03 goes into the next unit */
	if (!ns)
		snprintf(out, UNITS_TEXT, "0 s");
	else if (ns < 999500)
		snprintf(out, UNITS_TEXT, "%.3g us", (double)ns / 1e3);
	else if (ns < 999500000)
		snprintf(out, UNITS_TEXT, "%.3g ms", (double)ns / 1e6);
	else if (s < 60)
		snprintf(out, UNITS_TEXT, "%.3g s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(out, UNITS_TEXT, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(out, UNITS_TEXT, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s % 3600 / 60);
	return out;
}

const char *units_format_time(char out[UNITS_TEXT], int64_t ns, struct tm *zone(const time_t *, struct tm *),
			      const char *format)
{
	time_t t = (time_t)(ns / NS_PER_S);
	struct tm tm;

	/* the compiler checks it where this is called */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	strftime(out, UNITS_TEXT, format, zone(&t, &tm));
#pragma GCC diagnostic pop
	return out;
}

static int parse_range(const char *text, numbers_t *out, struct err *err)
{
	AUTOFREE char *copy = mem_strdup(text);
	char *dash = strchr(copy, '-'), *colon = strchr(copy, ':');
	uint64_t first = 0, last, step = 1;

	if (colon)
		*colon = '\0';
	if (dash)
		*dash = '\0';
	if ((colon && (!dash || colon < dash || !colon[1])) || (dash && (dash == copy || !dash[1])))
		return err_set(err, ERR_USAGE, "'%s' is not a range (write FIRST-LAST or FIRST-LAST:STEP)", text);
	if (units_parse_count(copy, &first, err))
		return -1;
	last = first;
	if (dash && units_parse_count(dash + 1, &last, err))
		return -1;
	if (colon && units_parse_count(colon + 1, &step, err))
		return -1;
	if (last < first)
		return err_set(err, ERR_USAGE, "range '%s' goes backwards (write '%" PRIu64 "-%" PRIu64 "')", text, last,
			       first);
	if (!step)
		return err_set(err, ERR_USAGE, "range '%s' has step 0", text);
	if ((last - first) / step >= LIST_MAX - out->n)
		return err_set(err, ERR_USAGE, "with '%s' the list has over %d values", text, LIST_MAX);
	for (uint64_t v = first;; v += step) {
		*vec_push(out) = v;
		if (last - v < step)
			return 0;
	}
}

int units_parse_numbers(const char *text, numbers_t *out, struct err *err)
{
	AUTOSTRINGS strings_t pieces = { 0 };

	str_split(text, ',', &pieces);
	for (size_t i = 0; i < pieces.n; i++) {
		if (!*pieces.items[i])
			return err_set(err, ERR_USAGE, *text ? "list '%s' has an empty element" : "list '%s' is empty",
				       text);
		if (parse_range(pieces.items[i], out, err))
			return -1;
	}
	return 0;
}

/* The start of the local day 'later' days behind "2026-11-29"; gives what is behind it, NULL if that is no day. */
static const char *parse_day(const char *text, int later, int64_t *ns)
{
	static const char form[] = "2026-11-29";
	int year, month, day;
	struct tm tm;
	time_t t;

	for (size_t i = 0; form[i]; i++)
		if (form[i] == '-' ? text[i] != '-' : !isdigit((unsigned char)text[i]))
			return NULL;
	year = (int)strtol(text, NULL, 10);
	month = (int)strtol(text + strlen("2026-"), NULL, 10);
	day = (int)strtol(text + strlen("2026-11-"), NULL, 10);
	tm = (struct tm){ .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_isdst = -1 };
	if (mktime(&tm) == -1 || tm.tm_mon != month - 1 || tm.tm_mday != day)
		return NULL;
	tm = (struct tm){ .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day + later, .tm_isdst = -1 };
	t = mktime(&tm);
	if (t == -1 || llabs((long long)t) > INT64_MAX / NS_PER_S) /* nanoseconds end in 2262 */
		return NULL;
	*ns = (int64_t)t * NS_PER_S;
	return text + strlen(form);
}

int units_parse_days(const char *text, int64_t *from_ns, int64_t *until_ns, struct err *err)
{
	const char *last = text, *end = parse_day(text, 0, from_ns);

	if (end && str_starts(end, ".."))
		last = end + 2;
	end = end ? parse_day(last, 1, until_ns) : NULL;
	if (!end || *end)
		return err_set(err, ERR_USAGE, "'%s' is no day and no range of days (2026-11-29, 2026-11-01..2026-11-15)", text);
	if (*until_ns <= *from_ns)
		return err_set(err, ERR_USAGE, "'%s' ends before it begins", text);
	return 0;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t now_monotonic_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

int64_t now_realtime_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}
