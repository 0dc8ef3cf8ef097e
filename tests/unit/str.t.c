// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include "common/str.h"

static void test_growing(void)
{
	AUTOSTR struct str b = { 0 };
	char *stolen;

	is(str_text(&b), "", "an empty string reads \"\"");
	str_add(&b, "");
	is(b.s, "", "adding nothing makes it a string");
	str_add(&b, "ab");
	str_addn(&b, "cdef", 2);
	str_addf(&b, "-%d-%s", 7, "x");
	str_pad(&b, '.', 3);
	str_pad(&b, '!', 0);
	is(b.s, "abcd-7-x...", "text, bytes, format and padding are appended");
	is_int(b.len, 11, "the length counts them");

	str_clear(&b);
	is(b.s, "", "cleared it is empty");
	is_int(b.len, 0, "of length 0");
	for (int i = 0; i < 10000; i++)
		str_addf(&b, "%d,", i);
	is_int(b.len, 48890, "10000 pieces grow it");
	is(b.s + b.len - 10, "9998,9999,", "to the last");
	is_int(strlen(b.s), (long long)b.len, "and it stays terminated");

	stolen = str_steal(&b);
	is(str_text(&b), "", "a stolen string leaves an empty one");
	is_int(strlen(stolen), 48890, "and is whole");
	free(stolen);
	stolen = str_steal(&b);
	is(stolen, "", "stealing from an empty one gives \"\"");
	free(stolen);

	str_addn(&b, "a\0b", 3);
	is_int(b.len, 3, "a NUL is a byte like others");
	ok(!memcmp(b.s, "a\0b", 4), "and stays");
}

static void test_strings(void)
{
	strings_t v = { 0 };

	ok(!strings_has(&v, ""), "no string is in an empty array");
	for (int i = 0; i < 100; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		strings_add(&v, text);
	}
	is_int(v.n, 100, "100 strings");
	is(v.items[99], "99", "are copies in order");
	ok(strings_has(&v, "0") && strings_has(&v, "99"), "the first and the last are found");
	ok(!strings_has(&v, "100") && !strings_has(&v, "9 "), "others are not");
	strings_release(&v);
	ok(!v.items && !v.n && !v.cap, "released it is empty again");
}

/* The pieces joined by '|'. */
static char *split(const char *text, char sep)
{
	AUTOSTRINGS strings_t pieces = { 0 };
	struct str out = { 0 };

	str_split(text, sep, &pieces);
	for (size_t i = 0; i < pieces.n; i++)
		str_addf(&out, "%s%s", i ? "|" : "", pieces.items[i]);
	return str_steal(&out);
}

static void test_split(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "a", "a" },
		{ "a,b,c", "a|b|c" },
		{ ",", "|" },
		{ "a,,b", "a||b" },
		{ ",a,", "|a|" },
		{ "a\\,b,c", "a,b|c" },	     /* an escaped separator is none, and loses its backslash */
		{ "a\\\\,b", "a\\\\|b" },    /* an escaped backslash escapes nothing, and stays for the next level */
		{ "a\\\\\\,b", "a\\\\,b" },  /* both */
		{ "a\\:b,c", "a\\:b|c" },    /* the escape of another level stays */
		{ "a\\", "a\\" },	     /* a backslash at the end is one */
		{ "a,\\", "a|\\" },
		{ "\\,", "," },
		{ "\\n", "\\n" },
	};
	AUTOSTRINGS strings_t more = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = split(cases[i].text, ',');
		AUTOFREE char *what = mem_printf("split '%s'", cases[i].text);

		is(got, cases[i].want, what);
	}
	str_split("a", ',', &more);
	str_split("b,c", ',', &more);
	is_int(more.n, 3, "pieces are appended to those that are there");
}

/* Through both levels of the grammar each escape is resolved exactly once. */
static void test_two_levels(void)
{
	AUTOSTRINGS strings_t outer = { 0 }, inner = { 0 };
	AUTOFREE char *last = NULL;

	str_split("x@/a\\,b\\:c\\\\d\\@e:f,y", ',', &outer);
	is_int(outer.n, 2, "one separator of the outer level");
	str_split(outer.items[0], ':', &inner);
	is_int(inner.n, 2, "one of the inner");
	last = str_unescape(inner.items[0]);
	is(last, "x@/a,b:c\\d@e", "and the text as it was meant");
}

static void test_unescape(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" }, { "ab", "ab" }, { "\\a", "a" }, { "\\\\", "\\" }, { "a\\", "a\\" }, { "\\\\\\", "\\\\" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = str_unescape(cases[i].text);
		AUTOFREE char *what = mem_printf("unescape '%s'", cases[i].text);

		is(got, cases[i].want, what);
	}
}

static void test_trim(void)
{
	char both[] = " \t a b \r\n\v\f", blank[] = " \n ", none[] = "ab", empty[] = "", high[] = "\xa0x\xa0";

	is(str_trim(both), "a b", "white space goes at both ends, not inside");
	is(str_trim(blank), "", "of white space nothing is left");
	is(str_trim(none), "ab", "without any all is left");
	is(str_trim(empty), "", "an empty string stays empty");
	is(str_trim(high), "\xa0x\xa0", "bytes above 127 are no white space");
}

static void test_starts(void)
{
	ok(str_starts("queue/x", "queue/"), "a prefix");
	ok(str_starts("x", ""), "nothing is a prefix of all");
	ok(str_starts("", ""), "even of nothing");
	ok(!str_starts("que", "queue/"), "a text shorter than the prefix");
	ok(!str_starts("Queue/", "queue/"), "case counts");
}

static void test_nearest(void)
{
	static const char *const names[] = { "bfq", "mq-deadline", "kyber", "none", "slice_idle", "slice_idle_us" };
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "bfg", "bfq" },		/* replaced */
		{ "bf", "bfq" },		/* left out */
		{ "bffq", "bfq" },		/* put in */
		{ "bqf", "bfq" },		/* swapped */
		{ "kybre", "kyber" },
		{ "fxq", NULL },		/* half a swap is none */
		{ "xbq", NULL },
		{ "bbfqq", NULL },		/* two edits in a word of 5: too many */
		{ "qbf", NULL },
		{ "kiber", "kyber" },
		{ "kibre", NULL },
		{ "mq-daedline", "mq-deadline" }, /* two of 11 */
		{ "mqdeadlin", "mq-deadline" },
		{ "deadline", NULL },		/* 3 of 8 are over a third */
		{ "slice_idel", "slice_idle" }, /* the nearer of two */
		{ "slice_idle_u", "slice_idle_us" },
		{ "slice_idle", "slice_idle" },
		{ "", NULL },
		{ "xyz", NULL },
	};
	char word[300], same[300];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *what = mem_printf("nearest to '%s'", cases[i].word);

		is(str_nearest(cases[i].word, names, ARRAY_LEN(names)), cases[i].want, what);
	}
	is(str_nearest("bfq", names, 0), NULL, "of no names none is near");
	is(str_nearest("nona", (const char *const[]){ "nonb", "nonc" }, 2), "nonb", "of equally near ones the first");
	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	is(str_nearest(word, names, ARRAY_LEN(names)), NULL, "nothing is near to a monster");
	is(str_nearest("bfq", (const char *const[]){ word, "bfg" }, 2), "bfg", "a monster among the names does no harm");
	memset(same, 'x', sizeof(same));
	word[63] = same[63] = '\0';
	is(str_nearest(word, (const char *const[]){ same }, 1), same, "63 letters are compared");
	same[63] = 'x';
	same[64] = '\0';
	is(str_nearest(same, (const char *const[]){ word, same }, 2), NULL, "64 are not, nor with 64");
	is(str_nearest(word, (const char *const[]){ same }, 1), NULL, "on either side");
}

int main(void)
{
	test_growing();
	test_strings();
	test_split();
	test_two_levels();
	test_unescape();
	test_trim();
	test_starts();
	test_nearest();
	return tap_done();
}
