/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_FIO_BINS_H
#define PARSERS_FIO_BINS_H

#include <stddef.h>

#include "common/mem.h"
#include "parsers/sample.h"

/* How many I/Os took how long: the histogram of completion latencies that fio prints with json+ (3.0 and later). */
struct latency_bin {
	double value_ns, count;
};
typedef VEC(struct latency_bin) latency_bins_t;
void latency_bins_sort(latency_bins_t *bins); /* in ascending order; those of equal value become one */

/*
 * Add the bins of all jobs in an output to 'bins'; those of equal value stand once, in ascending order. DIR_ALL is all
 * directions together. Gives the number of I/Os counted: 0 where the output has no histogram.
 */
double fio_bins_add(const char *raw, size_t len, enum direction direction, latency_bins_t *bins);

#endif
