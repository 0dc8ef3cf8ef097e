// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/bundle.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

void bundle_add(struct str *bundle, const char *actor, const char *format, const char *text, size_t len)
{
	str_addf(bundle, "=== %s %s %zu\n", actor, format, len);
	str_addn(bundle, text, len);
	str_add(bundle, "\n");
}

bool bundle_next(const char *text, size_t len, size_t *at, struct bundle_part *out)
{
	const char *start = text + *at, *newline = *at < len ? memchr(start, '\n', len - *at) : NULL;
	AUTOFREE char *head = newline ? mem_strndup(start, (size_t)(newline - start)) : NULL;
	AUTOSTRINGS strings_t words = { 0 };
	uint64_t bytes;
	size_t left;

	if (!head)
		return false;
	str_split(head, ' ', &words);
	left = len - (size_t)(newline + 1 - text);
	if (words.n != 4 || strcmp(words.items[0], "===") || strlen(words.items[1]) >= sizeof(out->actor) ||
	    strlen(words.items[2]) >= sizeof(out->format) || units_parse_count(words.items[3], &bytes, NULL) ||
	    bytes >= left || newline[1 + bytes] != '\n')
		return false;
	snprintf(out->actor, sizeof(out->actor), "%s", words.items[1]);
	snprintf(out->format, sizeof(out->format), "%s", words.items[2]);
	out->text = newline + 1;
	out->len = (size_t)bytes;
	*at = (size_t)(newline + 1 - text) + out->len + 1;
	return true;
}
