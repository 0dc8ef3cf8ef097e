// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fio that measures nothing and returns at once: its rates are noise (tests/noise.h), the same for every cell, on a
 * machine that drifts from call to call. It knows of blocks and names of schedulers no more than fio does.
 *
 *	$FAKE_STATE	file in which the machine's state is kept; its first word is the number of runs so far
 *	$FAKE_SEED	of a machine that has no such file yet
 *	$FAKE_FACTOR	sequential reads of two jobs are faster by this while queue/nomerges of the disk is 2
 *
 * From iobench's job files it takes DEV, RW, JOBS and RUNTIME, from the environment as they do.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "tests/noise.h"

#define LEVEL_STAYS 16 /* runs, in the mean */

struct machine {
	uint64_t runs;
	struct noise noise;
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	if (!value) {
		fprintf(stderr, "fio: no $%s\n", name);
		exit(1);
	}
	return value;
}

static int load(const char *path, struct machine *m)
{
	FILE *f = fopen(path, "r");
	char line[256], *at;

	if (!f) {
		noise_state = strtoull(variable("FAKE_SEED"), NULL, 10) ^ 0x66616b6566696f; /* not iobench's --seed */
		noise_state = random_next(&noise_state);
		return errno == ENOENT ? 0 : -1;
	}
	at = fgets(line, sizeof(line), f);
	fclose(f);
	if (!at)
		return -1;
	m->runs = strtoull(at, &at, 10);
	noise_state = strtoull(at, &at, 16);
	m->noise.walk = strtod(at, &at);
	m->noise.slow = strtod(at, &at);
	return *at == '\n' ? 0 : -1;
}

static int save(const char *path, const struct machine *m)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "%" PRIu64 " %" PRIx64 " %a %a\n", m->runs, noise_state, m->noise.walk, m->noise.slow);
	return fclose(f);
}

/* What is true, and that only under the setting: all that a disk knows of a variant. */
static double true_log(unsigned long jobs)
{
	const char *factor = getenv("FAKE_FACTOR"), *dev = variable("DEV"), *name = strrchr(dev, '/');
	char path[256];
	int nomerges;
	FILE *f;

	if (!factor || jobs != 2 || strcmp(variable("RW"), "read"))
		return 0;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/nomerges", name ? name + 1 : dev);
	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "fio: cannot read '%s'\n", path);
		exit(1);
	}
	nomerges = fgetc(f);
	fclose(f);
	return nomerges == '2' ? log(strtod(factor, NULL)) : 0;
}

/* ---- output ---- */

/* The value by which json+ names the bin of a latency: the middle of one of 64 a power of two (fio's stat.c). */
static uint64_t bin_of(double ns)
{
	uint64_t v = (uint64_t)ns;
	int shift = 63 - __builtin_clzll(v | 64) - 6;

	return shift > 0 ? (v >> shift << shift) + (1ULL << (shift - 1)) : v;
}

/* Nine in ten I/Os take a bit less than the mean, the others longer, one in a hundred much longer. */
static void print_latency(double mean_ns, uint64_t n)
{
	static const struct {
		const char *percent;
		int bin;
	} percentiles[] = { { "50.000000", 0 }, { "90.000000", 0 }, { "95.000000", 1 }, { "99.000000", 1 },
			    { "99.900000", 2 } };
	const uint64_t bins[] = { bin_of(0.93 * mean_ns), bin_of(1.5 * mean_ns), bin_of(2.8 * mean_ns) };
	const uint64_t counts[] = { n - n / 10, n / 10 - n / 100, n / 100 };

	printf("      \"clat_ns\" : { \"min\" : %" PRIu64 ", \"max\" : %" PRIu64 ", \"mean\" : %f, \"stddev\" : %f,\n"
	       "        \"N\" : %" PRIu64 ", \"percentile\" : {",
	       bins[0], bins[2], mean_ns, mean_ns / 4, n);
	for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
		printf("%s \"%s\" : %" PRIu64, i ? "," : "", percentiles[i].percent, bins[percentiles[i].bin]);
	printf(" },\n        \"bins\" : {");
	for (size_t i = 0; i < ARRAY_LEN(bins); i++)
		printf("%s \"%" PRIu64 "\" : %" PRIu64, i ? "," : "", bins[i], counts[i]);
	printf(" } },\n      \"lat_ns\" : { \"min\" : %" PRIu64 ", \"max\" : %" PRIu64 ", \"mean\" : %f,\n"
	       "        \"stddev\" : %f, \"N\" : %" PRIu64 " }\n",
	       bins[0] + 100, bins[2] + 100, mean_ns + 100, mean_ns / 4, n);
}

static void print_job(const char *pattern, unsigned long jobs, double iops, unsigned long runtime_ms)
{
	uint64_t ios = (uint64_t)(iops / (double)jobs * (double)runtime_ms / 1000), bytes = ios * 4096;
	double rate = (double)ios * 1000 / (double)runtime_ms;

	printf("  { \"jobname\" : \"patterns\", \"groupid\" : 0, \"error\" : 0, \"eta\" : 0, \"elapsed\" : %lu,\n"
	       "    \"job options\" : { \"numjobs\" : \"%lu\", \"rw\" : \"%s\" },\n",
	       runtime_ms / 1000 + 1, jobs, pattern);
	printf("    \"read\" : { \"io_bytes\" : %" PRIu64 ", \"io_kbytes\" : %" PRIu64 ", \"bw_bytes\" : %.0f,\n"
	       "      \"bw\" : %.0f, \"iops\" : %f, \"runtime\" : %lu, \"total_ios\" : %" PRIu64 ",\n"
	       "      \"short_ios\" : 0, \"drop_ios\" : 0,\n",
	       bytes, bytes >> 10, rate * 4096, rate * 4, rate, runtime_ms, ios);
	print_latency(1e9 / rate, ios);
	printf("    },\n    \"write\" : { \"io_bytes\" : 0, \"bw_bytes\" : 0, \"iops\" : 0.000000, \"runtime\" : 0,\n"
	       "      \"total_ios\" : 0 },\n"
	       "    \"job_runtime\" : %lu, \"usr_cpu\" : 1.500000, \"sys_cpu\" : 4.500000, \"ctx\" : %" PRIu64 ",\n"
	       "    \"majf\" : 0, \"minf\" : 60 }",
	       runtime_ms, ios);
}

int main(int argc, char **argv)
{
	struct machine m = { 0 };
	unsigned long jobs, runtime_ms;
	double iops;

	if (argc > 1 && !strcmp(argv[1], "--version"))
		return puts("fio-3.33") < 0;
	jobs = strtoul(variable("JOBS"), NULL, 10);
	runtime_ms = strtoul(variable("RUNTIME"), NULL, 10);
	if (load(variable("FAKE_STATE"), &m)) {
		fprintf(stderr, "fio: cannot read '%s'\n", variable("FAKE_STATE"));
		return 1;
	}
	if (!m.runs || noise_uniform() < 1.0 / LEVEL_STAYS)
		m.noise.slow = 0.05 * noise_gauss();
	iops = exp(10 + true_log(jobs) + noise_next(&m.noise, 1));
	m.runs++;
	if (save(variable("FAKE_STATE"), &m))
		return 1;
	puts("{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1500000000,\n  \"jobs\" : [");
	for (unsigned long i = 0; i < jobs; i++) {
		printf("%s", i ? ",\n" : "");
		print_job(variable("RW"), jobs, iops, runtime_ms);
	}
	return puts("\n  ]\n}") < 0;
}
