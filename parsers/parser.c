// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/parser.h"

#include <string.h>

#include "common/mem.h"
#include "common/str.h"

/* One row a parser. Where several sniff at the same text, the first that can read it has it. */
#define PARSERS(row) \
	row(fio_json)   \
	row(fio_terse)  \
	row(fio_text)   \
	row(fs_mark)    \
	row(rawio)      \
	row(published)  \
	row(go)         \
	row(github)     \
	row(name_value)

#define DECLARE(name) extern const struct parser name;
PARSERS(DECLARE)

#define POINTER(name) &(name),
static const struct parser *const parsers[] = { PARSERS(POINTER) };

const struct parser *parser_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(parsers); i++)
		if (!strcmp(parsers[i]->name, name))
			return parsers[i];
	return NULL;
}

const struct parser *parser_at(size_t i)
{
	return i < ARRAY_LEN(parsers) ? parsers[i] : NULL;
}

static int nobody_knows(struct err *err)
{
	AUTOSTR struct str why = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(parsers); i++)
		str_addf(&why, "%s%s wants %s", i ? "; " : "", parsers[i]->name, parsers[i]->wants);
	return err_set(err, ERR_FAULT, "not recognised: %s", str_text(&why));
}

int parser_read(const char *text, size_t len, const struct parser *forced, struct parsed *out,
		const struct parser **which, struct err *err)
{
	AUTOSTR struct str why = { 0 };

	*which = forced;
	for (size_t i = 0; i < ARRAY_LEN(parsers); i++) {
		const struct parser *p = parsers[i];
		struct err declined = { 0 };

		if (forced ? p != forced : !p->sniff(text, len))
			continue;
		if (!p->parse(text, len, out, &declined)) {
			*which = p;
			return 0;
		}
		*which = *which ? *which : p;
		str_addf(&why, "%s%s: %s", why.len ? "; " : "", p->name, declined.msg);
	}
	return *which ? err_set(err, ERR_FAULT, "%s", str_text(&why)) : nobody_knows(err);
}
