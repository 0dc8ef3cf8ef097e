// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_vset(struct err *e, enum err_kind kind, int errnum, const char *fmt, va_list ap)
{
	if (!e)
		return;
	e->kind = kind;
	e->errnum = errnum;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(e, kind, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, enum err_kind kind, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	err_vset(e, kind, errnum, fmt, ap);
	va_end(ap);
	if (e) {
		len = strlen(e->msg);
		snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror(errnum));
	}
	return -1;
}

int err_context(struct err *e, const char *fmt, ...)
{
	char old[sizeof(((struct err *)0)->msg)];
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	return -1;
}
