// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "parsers/parser.h"
#include "tests/fuzz/check.h"

/* Every format of text, each by its own parser whatever sniffs: from an error nothing comes, else only numbers. */

static void check_parsed(const struct parsed *p)
{
	CHECK(p->failed == !!p->reason);
	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.items[i];

		CHECK(s->metric && isfinite(s->value) && s->value >= 0);
		CHECK(s->job >= JOB_ALL && s->job < p->njobs);
		CHECK(s->direction >= DIR_ALL && s->direction <= DIR_TRIM);
	}
	for (size_t i = 0; i < p->axes.n; i++)
		CHECK(p->axes.items[i].name);
	for (size_t i = 0; i < p->published.n; i++)
		CHECK(p->published.items[i].metric && isfinite(p->published.items[i].mean) && p->published.items[i].variant);
}

static void check_parser(const struct parser *parser, const char *text, size_t size)
{
	struct parsed parsed = { 0 };
	struct err err = { 0 };
	int bad = parser->parse(text, size, &parsed, &err);

	check_err(bad, &err, ERR_FAULT);
	parser->sniff(text, size);
	if (bad)
		CHECK(!parsed.samples.n && !parsed.axes.n && !parsed.published.n && !parsed.tool && !parsed.diagnostics);
	else
		check_parsed(&parsed);
	parsed_release(&parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *text = mem_strndup((const char *)data, size);

	for (size_t i = 0; parser_at(i); i++)
		if (strcmp(parser_at(i)->name, "fio-json") != 0)
			check_parser(parser_at(i), text, size);
	return 0;
}
