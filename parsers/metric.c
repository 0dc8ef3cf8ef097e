// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/metric.h"

#include <ctype.h>
#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#define KiB (1 / 1024.0)
#define MiB (1 / 1048576.0)
#define US 1e-3
#define S 1e-9

#define LATENCY(id, what, mean_flags, max_flags)                                                               \
	{ id "_mean", what ", mean", "ns", "us", US, BETTER_LOWER, mean_flags },                                \
	{ id "_min", what ", minimum", "ns", "us", US, BETTER_LOWER, 0 },                                       \
	{ id "_max", what ", maximum", "ns", "us", US, BETTER_LOWER, max_flags },                               \
	{ id "_stddev", what ", stddev over I/Os", "ns", "us", US, BETTER_LOWER, 0 },                           \
	{ id "_n", what ", I/Os measured", "", "", 1, BETTER_NEITHER, 0 }

#define PERCENTILE(name, title, flags) { name, title, "ns", "us", US, BETTER_LOWER, METRIC_PERCENTILE | (flags) }
#define COUNT(name, title) { name, title, "", "", 1, BETTER_NEITHER, 0 }
#define SHARE(name, title) { name, title, "%", "%", 1, BETTER_NEITHER, 0 }

/* fio's HOWTO: a bucket holds what took longer than the bucket below and at most this. */
#define BUCKET(id, bound) SHARE("lat_bucket_" id, "share of I/Os, latency bucket up to " bound)
/* HOWTO: a depth entry covers the depths from its value to below the next entry's ... */
#define LEVEL(id, depths) SHARE("iodepth_level_" id, "share of I/Os issued at depth " depths)
/* ... but a submit or complete entry what is above the previous entry's value up to its own. */
#define CALLS(id, ios)                                                                                         \
	SHARE("iodepth_submit_" id, "share of submit calls with " ios " I/Os"),                                 \
	SHARE("iodepth_complete_" id, "share of completion calls with " ios " I/Os")

static const struct metric metrics[] = {
	{ "bw", "bandwidth", "B/s", "KiB/s", KiB, BETTER_HIGHER, METRIC_PER_JOB },
	{ "iops", "I/O rate", "IOPS", "IOPS", 1, BETTER_HIGHER, METRIC_PER_JOB },
	{ "io_bytes", "data moved", "B", "MiB", MiB, BETTER_NEITHER, METRIC_PER_JOB },
	{ "runtime", "run time", "ns", "s", S, BETTER_NEITHER, METRIC_PER_JOB },
	COUNT("ios", "I/Os done"),

	LATENCY("lat", "latency", METRIC_PER_JOB, METRIC_PER_JOB),
	LATENCY("clat", "completion latency", METRIC_PER_JOB, 0),
	PERCENTILE("clat_p50", "completion latency, p50", METRIC_PER_JOB),
	PERCENTILE("clat_p95", "completion latency, p95", 0),
	PERCENTILE("clat_p99", "completion latency, p99", METRIC_PER_JOB),
	PERCENTILE("clat_p99.9", "completion latency, p99.9", METRIC_PER_JOB),
	LATENCY("slat", "submission latency", 0, 0),
	LATENCY("sync_lat", "sync latency", 0, 0),

	{ "usr_cpu", "CPU time in user mode", "%", "%", 1, BETTER_NEITHER, 0 },
	{ "sys_cpu", "CPU time in the kernel", "%", "%", 1, BETTER_NEITHER, 0 },
	{ "cpu_per_io", "CPU time per I/O", "ns", "us", US, BETTER_LOWER, 0 },
	COUNT("ctx", "context switches"),
	{ "ctx_per_io", "context switches per I/O", "", "", 1, BETTER_LOWER, 0 },
	COUNT("majf", "major page faults"),
	COUNT("minf", "minor page faults"),

	/* of the actors of a scenario */
	{ "startup_time", "start-up time", "ns", "ms", 1e-6, BETTER_LOWER, 0 },
	{ "share", "share of the bandwidth of all actors", "%", "%", 1, BETTER_NEITHER, 0 },
	{ "share_per_weight", "share of the bandwidth per share of the weights", "", "", 1, BETTER_NEITHER, 0 },
	{ "weighted_jain", "fairness over actors, Jain index of bandwidth per weight", "", "", 1, BETTER_HIGHER, 0 },

	{ "job_bw_min", "bandwidth of the slowest job", "B/s", "KiB/s", KiB, BETTER_HIGHER, 0 },
	{ "job_bw_max", "bandwidth of the fastest job", "B/s", "KiB/s", KiB, BETTER_NEITHER, 0 },
	{ "job_bw_stddev", "bandwidth, stddev over jobs", "B/s", "KiB/s", KiB, BETTER_LOWER, 0 },
	{ "job_bw_jain", "fairness over jobs, Jain index of bandwidth", "", "", 1, BETTER_HIGHER, 0 },

	{ "job_bw_mean", "bandwidth of a job, mean over jobs", "B/s", "KiB/s", KiB, BETTER_HIGHER, 0 },
	{ "job_iops_mean", "I/O rate of a job, mean over jobs", "IOPS", "IOPS", 1, BETTER_HIGHER, 0 },

	{ "files", "files written a second", "files/s", "files/s", 1, BETTER_HIGHER, METRIC_PER_JOB },
	{ "files_stddev", "files written a second, stddev over the loops of a run", "files/s", "files/s", 1,
	  BETTER_NEITHER, 0 },
	{ "app_overhead", "time spent outside of file system calls", "ns", "us", US, BETTER_NEITHER, METRIC_PER_JOB },
	COUNT("file_count", "files there at the end"),
	{ "file_size", "size of a file", "B", "B", 1, BETTER_NEITHER, 0 },
	SHARE("fs_use", "share of the file system in use"),

	COUNT("disk_ios", "disk: requests completed"),
	COUNT("disk_merges", "disk: requests merged"),
	{ "disk_bytes", "disk: data moved", "B", "MiB", MiB, BETTER_NEITHER, 0 },
	{ "disk_ticks", "disk: time spent on requests, summed", "ns", "s", S, BETTER_NEITHER, 0 },
	{ "disk_in_queue", "disk: time in queue, summed", "ns", "s", S, BETTER_NEITHER, 0 },
	SHARE("disk_util", "disk: time busy"),

	COUNT("steadystate_attained", "steady state attained"),

	LEVEL("1", "1"), LEVEL("2", "2-3"), LEVEL("4", "4-7"), LEVEL("8", "8-15"),
	LEVEL("16", "16-31"), LEVEL("32", "32-63"), LEVEL("ge64", "64 and above"),
	CALLS("0", "0"), CALLS("4", "1-4"), CALLS("8", "5-8"), CALLS("16", "9-16"),
	CALLS("32", "17-32"), CALLS("64", "33-64"), CALLS("ge64", "more than 64"),

	BUCKET("2ns", "2 ns"), BUCKET("4ns", "4 ns"), BUCKET("10ns", "10 ns"), BUCKET("20ns", "20 ns"),
	BUCKET("50ns", "50 ns"), BUCKET("100ns", "100 ns"), BUCKET("250ns", "250 ns"), BUCKET("500ns", "500 ns"),
	BUCKET("750ns", "750 ns"), BUCKET("1000ns", "1000 ns"),
	BUCKET("2us", "2 us"), BUCKET("4us", "4 us"), BUCKET("10us", "10 us"), BUCKET("20us", "20 us"),
	BUCKET("50us", "50 us"), BUCKET("100us", "100 us"), BUCKET("250us", "250 us"), BUCKET("500us", "500 us"),
	BUCKET("750us", "750 us"), BUCKET("1000us", "1000 us"),
	BUCKET("2ms", "2 ms"), BUCKET("4ms", "4 ms"), BUCKET("10ms", "10 ms"), BUCKET("20ms", "20 ms"),
	BUCKET("50ms", "50 ms"), BUCKET("100ms", "100 ms"), BUCKET("250ms", "250 ms"), BUCKET("500ms", "500 ms"),
	BUCKET("750ms", "750 ms"), BUCKET("1000ms", "1000 ms"), BUCKET("2000ms", "2000 ms"),
	SHARE("lat_bucket_ge2000ms", "share of I/Os, latency 2000 ms and above"),
};

/* What people type and mean one of the above. */
static const struct {
	const char *typed, *name;
} aliases[] = {
	{ "lat", "lat_mean" },		     { "clat", "clat_mean" },	    { "slat", "slat_mean" },
	{ "sync", "sync_lat_mean" },	     { "sync_lat", "sync_lat_mean" }, { "usr", "usr_cpu" },
	{ "sys", "sys_cpu" },		     { "bandwidth", "bw" },	    { "jain", "job_bw_jain" },
	{ "cpu_us_per_io", "cpu_per_io" },   { "util", "disk_util" },
};

/* The latencies that can have percentiles. */
static const struct {
	const char *id, *title;
} latencies[] = {
	{ "lat", "latency" },
	{ "clat", "completion latency" },
	{ "slat", "submission latency" },
	{ "sync_lat", "sync latency" },
};

static void *by_name; /* tsearch(3) tree of every struct metric there is */
static pthread_mutex_t by_name_lock = PTHREAD_MUTEX_INITIALIZER;

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct metric *)a)->name, ((const struct metric *)b)->name);
}

/* The metric of that name: 'm' itself if there was none. */
static const struct metric *add_name(const struct metric *m)
{
	const struct metric *const *node = tsearch(m, &by_name, compare_names);

	if (!node)
		abort();
	return *node;
}

static const struct metric *find_exact(const char *name)
{
	struct metric key = { .name = name };
	const struct metric *const *found;
	const struct metric *m;

	pthread_mutex_lock(&by_name_lock);
	if (!by_name)
		for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
			add_name(&metrics[i]);
	found = tfind(&key, &by_name, compare_names);
	m = found ? *found : NULL;
	pthread_mutex_unlock(&by_name_lock);
	return m;
}

unsigned metric_percent_e6(const char *text)
{
	const unsigned hundred = 100 * 1000000;
	unsigned value = 0, digits = 0;

	for (; isdigit((unsigned char)*text) && value <= hundred; text++, digits++)
		value = 10 * value + (unsigned)(*text - '0');
	if (!digits || value > 100)
		return 0;
	value *= 1000000;
	if (*text == '.')
		for (unsigned unit = 100000; isdigit((unsigned char)*++text); unit /= 10) {
			if (!unit)
				return 0;
			value += unit * (unsigned)(*text - '0');
		}
	return *text || value > hundred ? 0 : value;
}

/* "99.9" for 99900000 */
static void format_percent(char out[16], unsigned percent_e6)
{
	int len = snprintf(out, 16, "%u.%06u", percent_e6 / 1000000, percent_e6 % 1000000);

	while (out[len - 1] == '0')
		out[--len] = '\0';
	if (out[len - 1] == '.')
		out[len - 1] = '\0';
}

static const struct metric *new_percentile(const char *name, const char *title, const char *percent)
{
	struct metric *made = mem_alloc(1, sizeof(*made));
	const struct metric *m;

	*made = (struct metric)PERCENTILE(mem_strdup(name), mem_printf("%s, p%s", title, percent), 0);
	pthread_mutex_lock(&by_name_lock);
	m = add_name(made);
	pthread_mutex_unlock(&by_name_lock);
	if (m != made) { /* another thread was faster */
		free((char *)made->name);
		free((char *)made->title);
		free(made);
	}
	return m;
}

const struct metric *metric_percentile(const char *latency, unsigned percent_e6)
{
	char name[64], percent[16];
	const struct metric *m;

	for (size_t i = 0; i < ARRAY_LEN(latencies); i++) {
		if (strcmp(latencies[i].id, latency) != 0)
			continue;
		format_percent(percent, percent_e6);
		snprintf(name, sizeof(name), "%s_p%s", latency, percent);
		m = find_exact(name);
		return m ? m : new_percentile(name, latencies[i].title, percent);
	}
	return NULL;
}

/* "clat_p99.90" → clat_p99.9; "p99" → clat_p99; NULL if 'name' does not end in a percentile. Cuts up 'name'. */
static const struct metric *find_percentile(char *name)
{
	char *p = strrchr(name, 'p');
	unsigned percent_e6 = p ? metric_percent_e6(p + 1) : 0;

	if (!percent_e6)
		return NULL;
	if (p == name)
		return metric_percentile("clat", percent_e6);
	if (p[-1] != '_')
		return NULL;
	p[-1] = '\0';
	return metric_percentile(name, percent_e6);
}

const struct metric *metric_find(const char *name)
{
	const struct metric *m = find_exact(name);
	char typed[64];
	size_t len = strlen(name);

	if (m || len >= sizeof(typed))
		return m;
	for (size_t i = 0; i <= len; i++)
		typed[i] = (char)(name[i] == ' ' || name[i] == '-' ? '_' : tolower((unsigned char)name[i]));
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (!strcmp(typed, aliases[i].typed))
			return find_exact(aliases[i].name);
	m = find_exact(typed);
	return m ? m : find_percentile(typed);
}

const struct metric *metric_at(size_t i)
{
	return i < ARRAY_LEN(metrics) ? &metrics[i] : NULL;
}
