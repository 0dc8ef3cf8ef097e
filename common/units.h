/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stdint.h>
#include <time.h>

#include "common/err.h"
#include "common/mem.h"

#define NS_PER_S 1000000000LL

/* A count without unit: decimal digits only. */
int units_parse_count(const char *text, uint64_t *out, struct err *err);

/*
 * A size in bytes: "4096", "4k", "5G" (powers of 1024, any case), "4KiB" (1024) or "4KB" (1000) spelled out, up to T;
 * a fraction is allowed before a unit ("1.5G") when it comes to whole bytes.
 */
int units_parse_size(const char *text, uint64_t *bytes, struct err *err);

/* A duration in nanoseconds: "10", "10s", "500ms", "5m", "4h", "90d", "1.5s". A bare number is seconds. */
int units_parse_duration(const char *text, uint64_t *ns, struct err *err);

/*
 * Days of the local time zone: "2026-11-29", or from one through another "2026-11-01..2026-11-15". In nanoseconds of
 * CLOCK_REALTIME from the start of the first to the end of the last.
 */
int units_parse_days(const char *text, int64_t *from_ns, int64_t *until_ns, struct err *err);

/* A percentage as a share: "2%", "2" and "0.5%" are 0.02, 0.02 and 0.005. 0 to below 1000%. */
int units_parse_percent(const char *text, double *share, struct err *err);

/* "4 KiB", "5 GiB", "512 B": the largest unit that leaves at most one decimal, exact sizes without any. */
#define UNITS_TEXT 32
const char *units_format_size(char out[UNITS_TEXT], uint64_t bytes);

/* "4.2 s", "3 min 10 s", "2 h 05 min" */
const char *units_format_duration(char out[UNITS_TEXT], uint64_t ns);

/* A time of CLOCK_REALTIME as strftime() formats it. 'zone' is localtime_r, or gmtime_r for UTC. */
const char *units_format_time(char out[UNITS_TEXT], int64_t ns, struct tm *zone(const time_t *, struct tm *),
			      const char *format) __attribute__((format(strftime, 4, 0)));

/* Numbers a list of the grammar stands for: "1,2,4", "1-8", "1-8:2". Empty, 8-1, step 0, over 10000 are errors. */
typedef VEC(uint64_t) numbers_t;
int units_parse_numbers(const char *text, numbers_t *out, struct err *err);

/* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
int64_t now_monotonic_ns(void);
int64_t now_realtime_ns(void);

#endif
