// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/ci_name.h"

#include <ctype.h>
#include <string.h>

/* "%2f" is '/'. The caller frees. */
static char *unescape(const char *text, size_t len)
{
	struct str out = { 0 };

	for (size_t i = 0; i < len; i++) {
		bool escaped = text[i] == '%' && i + 2 < len && isxdigit((unsigned char)text[i + 1]) &&
			       isxdigit((unsigned char)text[i + 2]);
		char digits[3] = { 0 };
		char byte = text[i];

		if (escaped) {
			memcpy(digits, text + i + 1, 2);
			byte = (char)strtoul(digits, NULL, 16);
			i += 2;
		}
		str_addn(&out, byte ? &byte : "?", 1);
	}
	return out.len ? str_steal(&out) : mem_strdup("");
}

/* Whether a part can be "KEY=VALUE": keys are those of import's --set. */
static bool has_key(const char *part, size_t len)
{
	size_t key = 0;

	while (key < len && (isalnum((unsigned char)part[key]) || strchr("_.-", part[key])))
		key++;
	return key && key < len && part[key] == '=';
}

static void add_part(const char *part, size_t len, struct published *out)
{
	static const char variant[] = "variant=", pattern[] = "pattern=", jobs[] = "jobs=";
	AUTOFREE char *text = unescape(part, len);

	if (str_starts(text, variant) && !out->variant)
		out->variant = mem_strdup(text + strlen(variant));
	else if (str_starts(text, pattern) && !out->pattern)
		out->pattern = mem_strdup(text + strlen(pattern));
	else if (str_starts(text, jobs) && !out->jobs)
		out->jobs = mem_strdup(text + strlen(jobs));
	else
		strings_add(&out->axes, text);
}

static bool is_ours(const char *name)
{
	bool has_variant = false;

	for (const char *part = name; *part;) {
		size_t len = strcspn(part, "/");

		if (!has_key(part, len))
			return false;
		has_variant = has_variant || (str_starts(part, "variant=") && len > strlen("variant="));
		part += len + (part[len] == '/');
	}
	return has_variant;
}

void ci_name_read(const char *name, struct published *out)
{
	if (!is_ours(name)) {
		out->variant = mem_strdup(name);
		return;
	}
	for (const char *part = name; *part;) {
		size_t len = strcspn(part, "/");

		add_part(part, len, out);
		part += len + (part[len] == '/');
	}
}

enum direction ci_name_direction(const char **name)
{
	static const char *const directions[] = { [DIR_READ] = "read/", [DIR_WRITE] = "write/", [DIR_TRIM] = "trim/" };

	for (size_t d = DIR_READ; d < ARRAY_LEN(directions); d++)
		if (str_starts(*name, directions[d])) {
			*name += strlen(directions[d]);
			return (enum direction)d;
		}
	return DIR_ALL;
}
