/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

/*
 * Output compared with a file of this folder. After a wanted change of the output, write them anew and read the
 * difference before it is committed:
 *     make check-unit GOLDEN=write; git diff tests/golden
 */

#include "common/file.h"
#include "tests/tap.h"

static bool is_golden(const char *got, const char *name)
{
	AUTOFREE char *path = mem_printf("tests/golden/%s", name);
	const char *mode = getenv("GOLDEN");
	AUTOSTR struct str want = { 0 };
	struct err err;

	if (mode && !strcmp(mode, "write")) {
		AUTOFCLOSE FILE *f = fopen(path, "w");

		return ok(f && fputs(got, f) >= 0 && !fflush(f), "%s is written", name);
	}
	if (file_slurp(path, &want, &err))
		return ok(false, "%s: %s", name, err.msg);
	return is(got, str_text(&want), name);
}

#endif
