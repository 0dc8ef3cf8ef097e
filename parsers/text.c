// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void text_unquote(const char *text, const char *end, struct str *out)
{
	for (const char *line = text; line < end;) {
		const char *next = memchr(line, '\n', (size_t)(end - line));

		next = next ? next + 1 : end;
		if (*line == '>')
			while (line < next && (*line == '>' || *line == ' '))
				line++;
		str_addn(out, line, (size_t)(next - line));
		line = next;
	}
}

/* Without what is no text, in place. */
static void purge(struct str *copy)
{
	const char *from = str_starts(str_text(copy), "\xef\xbb\xbf") ? copy->s + 3 : copy->s;
	char *to = copy->s;

	for (; from < copy->s + copy->len; from++)
		if (*from != '\r')
			*to++ = *from ? *from : ' ';
	copy->len = (size_t)(to - copy->s);
	*to = '\0';
}

void text_read(struct text *t, const char *text, size_t len)
{
	struct str copy = { 0 };
	char *line, *end;

	*t = (struct text){ 0 };
	text_unquote(text, text + len, &copy);
	if (!copy.len) {
		str_release(&copy);
		return;
	}
	purge(&copy);
	t->copy = copy.s;
	for (line = copy.s; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		*vec_push(&t->lines) = line;
	}
	t->cut = *line;
	if (*line)
		*vec_push(&t->lines) = line;
}

void text_release(struct text *t)
{
	vec_free(&t->lines);
	free(t->copy);
	t->copy = NULL;
}

static int each_line(const struct text *t, text_line *read, void *arg, struct err *err)
{
	for (size_t i = 0; i < t->lines.n; i++) {
		char *line = t->lines.items[i];
		char first = line[strspn(line, " \t")];

		if (!first || first == '#')
			continue;
		if (t->cut && i + 1 == t->lines.n)
			return err_set(err, ERR_FAULT, "line %zu: no line end behind it: it may be cut off", i + 1);
		if (read(line, i + 1, arg, err))
			return -1;
	}
	return 0;
}

int text_each_line(const char *text, size_t len, text_line *read, void *arg, struct err *err)
{
	struct text t;
	int bad;

	text_read(&t, text, len);
	bad = each_line(&t, read, arg, err);
	text_release(&t);
	return bad;
}

bool text_number(const char **p, double *value)
{
	size_t digits = strspn(*p, "0123456789");
	char *end;

	if (!digits)
		return false;
	if (digits == 1 && (*p)[0] == '0' && tolower((unsigned char)(*p)[1]) == 'x')
		return false;
	*value = strtod(*p, &end);
	*p = end;
	return *value < 0x1p63;
}

double text_value(const char *text)
{
	double value;

	return text_number(&text, &value) && !*text ? value : NAN;
}

void text_skip_blanks(const char **p)
{
	*p += strspn(*p, " \t");
}

double text_unit_factor(const struct metric *metric, const char *unit)
{
	static const struct {
		const char *stored, *written;
		double factor;
	} units[] = {
		{ "B/s", "B/s", 1 }, { "B/s", "KiB/s", 0x1p10 }, { "B/s", "MiB/s", 0x1p20 }, { "B/s", "GiB/s", 0x1p30 },
		{ "B/s", "KB/s", 0x1p10 }, { "B/s", "kB/s", 1e3 }, { "B/s", "MB/s", 1e6 }, { "B/s", "GB/s", 1e9 },
		{ "B", "B", 1 }, { "B", "KiB", 0x1p10 }, { "B", "MiB", 0x1p20 }, { "B", "GiB", 0x1p30 },
		{ "B", "KB", 0x1p10 }, { "B", "kB", 1e3 }, { "B", "MB", 1e6 }, { "B", "GB", 1e9 },
		{ "ns", "ns", 1 }, { "ns", "nsec", 1 }, { "ns", "us", 1e3 }, { "ns", "usec", 1e3 },
		{ "ns", "ms", 1e6 }, { "ns", "msec", 1e6 }, { "ns", "s", 1e9 }, { "ns", "sec", 1e9 },
		{ "IOPS", "IOPS", 1 }, { "IOPS", "kIOPS", 1e3 }, { "IOPS", "1/s", 1 },
	};

	if (!strcmp(metric->unit, unit))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i].stored, metric->unit) && !strcmp(units[i].written, unit))
			return units[i].factor;
	return NAN;
}
