// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/module.h"
#include "tests/fuzz/check.h"

/* A module's file, which may be anything: what is found in it lies in it. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct module_file f;
	struct err err;
	int bad = module_file_parse("x.ko", (const char *)data, size, &f, &err);

	CHECK(!bad == !!f.path);
	CHECK(!f.build_id || strlen(f.build_id) <= 2 * size);
	CHECK(!f.vermagic || strlen(f.vermagic) < size);
	module_file_release(&f);
	return 0;
}
