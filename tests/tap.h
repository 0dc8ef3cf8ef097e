/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

/* Test Anything Protocol for unit tests: one header, used by exactly one main() each. */

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failures;

__attribute__((format(printf, 2, 3))) static bool ok(bool pass, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	tap_failures += !pass;
	return pass;
}

/* Equal strings (NULL equals only NULL). */
__attribute__((unused)) static bool is(const char *got, const char *want, const char *what)
{
	bool pass = got && want ? !strcmp(got, want) : got == want;

	ok(pass, "%s", what);
	if (!pass)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)", want ? want : "(null)");
	return pass;
}

__attribute__((unused)) static bool is_int(long long got, long long want, const char *what)
{
	bool pass = got == want;

	ok(pass, "%s", what);
	if (!pass)
		printf("#      got: %lld\n# expected: %lld\n", got, want);
	return pass;
}

/* Equal within a relative error (absolute for want == 0). */
__attribute__((unused)) static bool is_near(double got, double want, double relative, const char *what)
{
	bool pass = fabs(got - want) <= relative * (want != 0 ? fabs(want) : 1); /* false for NaN */

	ok(pass, "%s", what);
	if (!pass)
		printf("#      got: %.17g\n# expected: %.17g within %g\n", got, want, relative);
	return pass;
}

/* 'text' holds 'part'. */
__attribute__((unused)) static bool has(const char *text, const char *part, const char *what)
{
	bool pass = text && strstr(text, part);

	ok(pass, "%s", what);
	if (!pass)
		printf("#      got: %s\n#  lacking: %s\n", text ? text : "(null)", part);
	return pass;
}

__attribute__((unused)) static void skip(int n, const char *why)
{
	while (n--)
		printf("ok %d # SKIP %s\n", ++tap_count, why);
}

/* The plan, last: return its value from main(). */
__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures != 0;
}

#endif
