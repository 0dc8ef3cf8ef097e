/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

/*
 * Errors are made where the fact is known, gain context on the way up and are printed once, by cli/.
 *
 * A function that can fail takes a 'struct err *' last and returns -1 (or NULL) after filling it. The message is
 * lower case, names the faulty thing in single quotes, says what is wrong and, where it helps, what to do.
 */

/* What kind of fault it is: the value is the exit code of design.md section 4. */
enum err_kind {
	ERR_NONE = 0,
	ERR_FAULT = 1,	 /* something failed while we worked */
	ERR_USAGE = 2,	 /* typed wrong */
	ERR_NEEDS = 3,	 /* the machine lacks something, or the device may not be used */
	ERR_RESTORE = 4, /* a setting could not be put back */
};

struct err {
	enum err_kind kind;
	int errnum; /* errno of the system call that failed, 0 if none did */
	char msg[1024];
};

/* Fill 'e' (which may be NULL); an over-long message is cut. Always returns -1, so that callers can return it. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and the text of 'errnum' behind the message. */
int err_sys(struct err *e, enum err_kind kind, int errnum, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Put "context: " in front of the message that is there. Always returns -1. */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
