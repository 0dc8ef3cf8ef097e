// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sentence.h"

#include <string.h>

#define WIDTH 72

void sentence_add(struct str *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	str_pad(out, ' ', at);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > WIDTH) {
			str_add(out, "\n");
			str_pad(out, ' ', indent);
			at = indent;
		} else if (!first) {
			str_add(out, " ");
			at++;
		}
		first = false;
		str_addn(out, text, len);
		at += len;
		text += len + (text[len] == ' ');
	}
	str_add(out, "\n");
}
