/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_FINDING_H
#define CHECKS_FINDING_H

#include "checks/codes.h"
#include "common/mem.h"

/* One thing that is doubtful: which, and the sentence with its figures (owned). */
struct check_finding {
	enum check_id id;
	char *text;
};

/* Zeroed memory is an empty list. */
struct check_findings {
	VEC(struct check_finding) list;
};

void check_add(struct check_findings *f, enum check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void check_findings_release(struct check_findings *f);

#endif
