// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/fio_bins.h"

#include "tests/tap.h"

static double add(const char *text, enum direction direction, latency_bins_t *bins)
{
	return fio_bins_add(text, strlen(text), direction, bins);
}

#define IO(bins) "{\"clat_ns\":{\"bins\":{" bins "}}}"

int main(void)
{
	static const char two_jobs[] = "fio: a word before {\"jobs\":[{\"read\":" IO("\"2000\":30,\"1000\":50") ",\"write\":" IO("\"1000\":7")
				       "},{\"read\":" IO("\"1000\":1,\"x\":9,\"3000\":0,\"4000\":\"9\"") "}]}";
	latency_bins_t bins = { 0 };

	is_near(add(two_jobs, DIR_READ, &bins), 81, 0, "I/Os of all jobs in one direction");
	is_int((long long)bins.n, 2, "bins of equal value stand once, what is no bin is left out");
	ok(bins.items[0].value_ns == 1000 && bins.items[0].count == 51, "the lowest first");
	ok(bins.items[1].value_ns == 2000 && bins.items[1].count == 30, "then the next");
	is_near(add(two_jobs, DIR_ALL, &bins), 88, 0, "of all directions, counted by itself");
	ok(bins.n == 2 && bins.items[0].count == 51 + 58, "and added to what was there");
	vec_free(&bins);
	is_near(add("{\"jobs\":[{\"read\":{\"clat_ns\":{\"mean\":1}}}]}", DIR_ALL, &bins), 0, 0, "no histogram: none");
	is_near(add("{\"jobs\":[{", DIR_ALL, &bins), 0, 0, "a document cut short: none");
	is_near(add("", DIR_ALL, &bins), 0, 0, "nothing: none");
	is_int((long long)bins.n, 0, "and no bins");
	return tap_done();
}
