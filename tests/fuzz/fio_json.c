// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "parsers/parser.h"
#include "tests/fuzz/check.h"

/* fio's output: from an error nothing comes, and from anything else only numbers. */

static void check_parsed(const struct parsed *p)
{
	CHECK(p->failed == !!p->reason);
	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.items[i];

		CHECK(s->metric && isfinite(s->value));
		CHECK(s->job >= JOB_ALL && s->job < p->njobs);
		CHECK(s->direction >= DIR_ALL && s->direction <= DIR_TRIM);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *text = mem_strndup((const char *)data, size);
	const struct parser *parser = parser_find("fio-json");
	struct parsed parsed = { 0 };
	struct err err = { 0 };
	int bad = parser->parse(text, size, &parsed, &err);

	check_err(bad, &err, ERR_FAULT);
	parser->sniff(text, size);
	if (bad)
		CHECK(!parsed.samples.n && !parsed.tool && !parsed.diagnostics && !parsed.reason && !parsed.failed);
	else
		check_parsed(&parsed);
	parsed_release(&parsed);
	return 0;
}
