// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/finding.h"

#include <stdarg.h>
#include <stdio.h>

void check_add(struct check_findings *f, enum check_id id, const char *fmt, ...)
{
	struct check_finding *finding = vec_push(&f->list);
	va_list ap;

	finding->id = id;
	va_start(ap, fmt);
	if (vasprintf(&finding->text, fmt, ap) < 0)
		abort(); /* no memory: as in common/mem.h */
	va_end(ap);
}

void check_findings_release(struct check_findings *f)
{
	for (size_t i = 0; i < f->list.n; i++)
		free(f->list.items[i].text);
	vec_free(&f->list);
}
