// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <errno.h>

#include "common/err.h"

static void test_set(void)
{
	struct err e = { 0 };

	is_int(err_set(&e, ERR_NEEDS, "no '%s' (%d)", "fio", 3), -1, "err_set returns -1");
	is(e.msg, "no 'fio' (3)", "with its message");
	is_int(e.kind, ERR_NEEDS, "and kind");
	is_int(e.errnum, 0, "and no errno");

	is_int(err_sys(&e, ERR_FAULT, ENOENT, "cannot open '%s'", "x"), -1, "err_sys returns -1");
	is(e.msg, "cannot open 'x': No such file or directory", "with what the system says behind the message");
	is_int(e.errnum, ENOENT, "and the errno");
	is_int(e.kind, ERR_FAULT, "and replaces the kind");

	err_set(&e, ERR_USAGE, "again");
	is_int(e.errnum, 0, "the next error does not keep the errno of the one before");
}

static void test_context(void)
{
	struct err e = { 0 };

	err_sys(&e, ERR_NEEDS, EACCES, "inner");
	is_int(err_context(&e, "--%s", "jobs"), -1, "err_context returns -1");
	is(e.msg, "--jobs: inner: Permission denied", "the context comes first");
	is_int(e.kind, ERR_NEEDS, "it keeps the kind");
	is_int(e.errnum, EACCES, "and the errno");
}

static void test_no_place(void)
{
	is_int(err_set(NULL, ERR_FAULT, "x"), -1, "an error nobody wants: err_set");
	is_int(err_sys(NULL, ERR_FAULT, EIO, "x"), -1, "err_sys");
	is_int(err_context(NULL, "x"), -1, "err_context");
}

/* What does not fit is cut, and nothing is written behind it. */
static void test_long(void)
{
	struct {
		struct err e;
		char behind[16];
	} room = { .behind = "untouched" };
	char text[2 * sizeof(room.e.msg)];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err_set(&room.e, ERR_FAULT, "%s", text);
	is_int(strlen(room.e.msg), sizeof(room.e.msg) - 1, "a long message is cut to what fits");
	err_sys(&room.e, ERR_FAULT, EIO, "%s", text);
	is_int(strlen(room.e.msg), sizeof(room.e.msg) - 1, "so is one with an errno");
	err_context(&room.e, "outer");
	is_int(strlen(room.e.msg), sizeof(room.e.msg) - 1, "and one with a context");
	ok(!strncmp(room.e.msg, "outer: xxx", 10), "whose context is kept");
	err_context(&room.e, "%s", text);
	is_int(strlen(room.e.msg), sizeof(room.e.msg) - 1, "a context that is too long itself");
	is(room.behind, "untouched", "nothing is written behind the message");
}

/* The kinds are exit codes that scripts rely on. */
static void test_kinds(void)
{
	is_int(ERR_NONE, 0, "no error is exit code 0");
	is_int(ERR_FAULT, 1, "a fault 1");
	is_int(ERR_USAGE, 2, "wrong usage 2");
	is_int(ERR_NEEDS, 3, "unmet needs 3");
	is_int(ERR_RESTORE, 4, "an unrestored setting 4");
}

int main(void)
{
	test_set();
	test_context();
	test_no_place();
	test_long();
	test_kinds();
	return tap_done();
}
