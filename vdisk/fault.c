// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/fault.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static const struct {
	const char *name;
	bool of_commands, timed;
} kinds[] = {
	[FAULT_CLEAR] = { "clear", false, false }, [FAULT_EIO] = { "eio", true, false },
	[FAULT_SLOW] = { "slow", true, true },	   [FAULT_STUCK] = { "stuck", true, false },
	[FAULT_HANG] = { "hang", false, true },	   [FAULT_GONE] = { "gone", false, false },
};

static int parse_probability(const char *text, double *out, struct err *err)
{
	char *end;

	*out = strtod(text, &end);
	if (!*text || *end || !(*out > 0 && *out <= 1))
		return err_set(err, ERR_USAGE, "'%s' is not a probability (above 0, up to 1)", text);
	return 0;
}

static int parse_op(const char *text, struct fault *f, struct err *err)
{
	f->reads = strcmp(text, "write") != 0;
	f->writes = strcmp(text, "read") != 0;
	return f->reads && f->writes ? err_set(err, ERR_USAGE, "'%s' is not read or write", text) : 0;
}

static int parse_pair(char *pair, struct fault *f, struct err *err)
{
	char *value = strchr(pair, '=');
	uint64_t ns;

	if (value)
		*value++ = '\0';
	if (value && kinds[f->kind].of_commands) {
		if (!strcmp(pair, "from"))
			return units_parse_size(value, &f->from, err);
		if (!strcmp(pair, "to"))
			return units_parse_size(value, &f->to, err);
		if (!strcmp(pair, "p"))
			return parse_probability(value, &f->probability, err);
		if (!strcmp(pair, "op"))
			return parse_op(value, f, err);
	}
	if (value && kinds[f->kind].timed && !strcmp(pair, "time")) {
		if (units_parse_duration(value, &ns, err))
			return -1;
		f->ns = ns > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)ns;
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "'%s' has no '%s' (from=, to=, p=, op= of eio, slow and stuck; time= of slow and hang)",
		       kinds[f->kind].name, pair);
}

int fault_parse(const char *text, struct fault *out, struct err *err)
{
	AUTOSTRINGS strings_t words = { 0 };
	size_t kind = 0;

	str_split(text, ':', &words);
	*out = (struct fault){ .to = UINT64_MAX, .probability = 1, .reads = true, .writes = true };
	while (kind < ARRAY_LEN(kinds) && strcmp(kinds[kind].name, words.items[0]) != 0)
		kind++;
	if (kind == ARRAY_LEN(kinds))
		return err_set(err, ERR_USAGE, "'%s' is not a fault (eio, slow, stuck, hang, gone, clear)",
			       words.items[0]);
	out->kind = (enum fault_kind)kind;
	for (size_t i = 1; i < words.n; i++)
		if (parse_pair(words.items[i], out, err))
			return -1;
	if (out->to <= out->from)
		return err_set(err, ERR_USAGE, "'to' is not behind 'from'");
	if (kinds[kind].timed && !out->ns)
		return err_set(err, ERR_USAGE, "'%s' needs a time ('%s:time=2s')", kinds[kind].name,
			       kinds[kind].name);
	return 0;
}

void fault_print(const struct fault *f, struct str *out)
{
	str_add(out, kinds[f->kind].name);
	if (kinds[f->kind].of_commands) {
		if (f->from)
			str_addf(out, ":from=%" PRIu64, f->from);
		if (f->to != UINT64_MAX)
			str_addf(out, ":to=%" PRIu64, f->to);
		if (f->probability < 1)
			str_addf(out, ":p=%g", f->probability);
		if (!f->reads || !f->writes)
			str_addf(out, ":op=%s", f->reads ? "read" : "write");
	}
	if (kinds[f->kind].timed)
		str_addf(out, ":time=%gms", (double)f->ns / 1e6);
	str_addf(out, " (struck %" PRIu64 " times)", f->hits);
}

bool fault_strikes(const struct fault *f, bool is_write, uint64_t offset, uint64_t len, double random)
{
	return (is_write ? f->writes : f->reads) && offset < f->to && offset + len > f->from &&
	       random < f->probability;
}
