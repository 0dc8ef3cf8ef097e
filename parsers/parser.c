// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/parser.h"

#include <string.h>

#include "common/mem.h"

/* One row a parser. Where several sniff at the same text, the first that can read it has it. */
#define PARSERS(row) \
	row(fio_json)

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
