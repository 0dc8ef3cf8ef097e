/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input: a crash is what libFuzzer takes for a finding. */
#define CHECK(holds)                                                                        \
	do {                                                                                \
		if (!(holds)) {                                                             \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
			abort();                                                            \
		}                                                                           \
	} while (0)

/* A function that failed has said why, one that did not has left no error behind. */
static inline void check_err(int bad, const struct err *err, enum err_kind kind)
{
	CHECK(bad == 0 || bad == -1);
	CHECK(bad ? err->kind == kind && *err->msg : err->kind == ERR_NONE);
	CHECK(memchr(err->msg, '\0', sizeof(err->msg)));
}

#endif
