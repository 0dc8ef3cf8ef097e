// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "checks/limits.h"
#include "checks/settings.h"

/* ---- what was counted ---- */

static int64_t counted(const struct check_run *r, size_t offset)
{
	uint64_t before, after;

	memcpy(&before, (const char *)r->before + offset, sizeof(before));
	memcpy(&after, (const char *)r->after + offset, sizeof(after));
	return (int64_t)(after - before);
}
#define COUNTED(r, field) counted(r, offsetof(struct host_counters, field))

/* Of all disks together; negative where one does not count, or began anew. */
static int64_t disk_bytes(const struct check_run *r, enum direction d)
{
	char iostats[8] = "1";
	int64_t sum = 0;

	check_setting(r->effective, "queue/iostats", iostats, sizeof(iostats));
	if (!strcmp(iostats, "0") || !r->before->disks.n || r->before->disks.n != r->after->disks.n)
		return -1;
	for (size_t i = 0; i < r->before->disks.n; i++) {
		const struct host_disk_counters *b = &r->before->disks.items[i], *a = &r->after->disks.items[i];
		int64_t delta = d == DIR_READ ? (int64_t)(a->read_bytes - b->read_bytes)
					      : (int64_t)(a->write_bytes - b->write_bytes);

		if (!b->present || !a->present)
			return -1;
		sum += delta;
	}
	return sum;
}

static double elapsed_us(const struct check_run *r)
{
	return (double)(r->after->taken_ns - r->before->taken_ns) / 1000;
}

/* What fio says it moved after its ramp. */
static double fio_bytes(const struct check_run *r, enum direction d)
{
	double bytes = 0;

	return parsed_get(r->parsed, "io_bytes", d, &bytes) ? bytes : 0;
}

/* What the load moved in all, -1 if that is not known. Kernels without CONFIG_TASK_IO_ACCOUNTING count nothing. */
static double own_bytes(const struct check_run *r, enum direction d)
{
	double used = (double)(d == DIR_READ ? r->usage.read_bytes : r->usage.write_bytes), said = fio_bytes(r, d);

	if (r->usage.known && used >= said)
		return used;
	return r->load->has_ramp && said > 0 ? -1 : said;
}

/* ---- the disk ---- */

static void find_foreign_io(const struct check_run *r, struct check_findings *out)
{
	static const struct {
		enum direction direction;
		const char *verb;
	} ways[] = { { DIR_READ, "read" }, { DIR_WRITE, "wrote" } };
	double all = fmax(own_bytes(r, DIR_READ), 0) + fmax(own_bytes(r, DIR_WRITE), 0);

	/* through files and stacked devices the disk moves other bytes than the load; a cache moves fewer */
	if (r->target->files || r->target->stacked || r->load->direct != CHECK_YES)
		return;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		double own = own_bytes(r, ways[i].direction), disk = (double)disk_bytes(r, ways[i].direction);
		char more[UNITS_TEXT];

		if (own < 0 || disk - own <= FOREIGN_SHARE * all)
			continue;
		units_format_size(more, (uint64_t)(disk - own));
		check_add(out, CHECK_FOREIGN_IO,
			  "the disk %s %s more than the load asked for (%.1f%% of what that moved)", ways[i].verb,
			  more, all > 0 ? 100 * (disk - own) / all : 100);
	}
}

static void find_not_idle(const struct check_run *r, struct check_findings *out)
{
	for (size_t i = 0; i < r->before->disks.n; i++)
		if (r->before->disks.items[i].in_flight)
			check_add(out, CHECK_NOT_IDLE,
				  "%" PRIu64 " requests were in flight on '%s' before the load began",
				  r->before->disks.items[i].in_flight, r->before->disks.items[i].name);
}

static void find_from_cache(const struct check_run *r, struct check_findings *out)
{
	double said = fio_bytes(r, DIR_READ), disk = (double)disk_bytes(r, DIR_READ);
	char said_text[UNITS_TEXT], disk_text[UNITS_TEXT];

	/* the disk's count holds the ramp, fio's does not: what is missing here is really missing */
	if (disk >= 0 && disk < FROM_CACHE_SHARE * said)
		check_add(out, CHECK_FROM_CACHE, "fio read %s, the disk only %s",
			  units_format_size(said_text, (uint64_t)said), units_format_size(disk_text, (uint64_t)disk));
}

static void find_too_fast(const struct check_run *r, struct check_findings *out)
{
	double iops, most = ROTATIONAL_IOPS * (double)r->target->n_disks;

	if (r->target->rotational && str_starts(r->load->pattern, "rand") && r->load->direct == CHECK_YES &&
	    parsed_get(r->parsed, "iops", DIR_ALL, &iops) && iops > most)
		check_add(out, CHECK_TOO_FAST, "%.0f random I/Os per second, heads of %u disk%s do at most %.0f",
			  iops, r->target->n_disks, r->target->n_disks == 1 ? "" : "s", most);
}

/* ---- fio's own figures ---- */

static void find_littles_law(const struct check_run *r, struct check_findings *out)
{
	const struct check_load *load = r->load;
	double iops, lat_ns, ran_ns, usr_percent = 0, asked = (double)check_in_flight(load), seen, thinking;

	if (load->direct != CHECK_YES || asked < 1 || load->paced || !parsed_get(r->parsed, "iops", DIR_ALL, &iops) ||
	    !parsed_get(r->parsed, "lat_mean", DIR_ALL, &lat_ns))
		return;
	if (parsed_get(r->parsed, "runtime", DIR_ALL, &ran_ns) && ran_ns < LITTLE_MIN_NS)
		return;
	parsed_get(r->parsed, "usr_cpu", DIR_ALL, &usr_percent);
	seen = iops * lat_ns / 1e9;
	thinking = usr_percent / 100 * (double)load->numjobs;
	if (seen <= asked * (1 + LITTLE_RESIDUE) && seen + thinking >= asked * (1 - LITTLE_RESIDUE))
		return;
	check_add(out, CHECK_LITTLES_LAW,
		  "%.0f IOPS x %.4g ms are %.1f requests in flight; %" PRIu64 " job%s with iodepth "
		  "%" PRIu64 " should have %.0f",
		  iops, lat_ns / 1e6, seen, load->numjobs, load->numjobs == 1 ? "" : "s", load->iodepth, asked);
}

static void find_jobs_apart(const struct check_run *r, struct check_findings *out)
{
	double sum_ns = 0, longest_ns = 0, shortest_ns = INFINITY;
	const struct metric *runtime = metric_find("runtime");
	unsigned n = 0;

	for (size_t i = 0; i < r->parsed->samples.n; i++) {
		const struct sample *s = &r->parsed->samples.items[i];

		if (s->metric != runtime || s->job == JOB_ALL || s->direction != DIR_ALL)
			continue;
		n++;
		sum_ns += s->value;
		longest_ns = fmax(longest_ns, s->value);
		shortest_ns = fmin(shortest_ns, s->value);
	}
	if (n > 1 && sum_ns < OVERLAP_SHARE * n * longest_ns)
		check_add(out, CHECK_JOBS_APART, "of %u jobs the shortest ran %.1f s, the longest %.1f s", n,
			  shortest_ns / 1e9, longest_ns / 1e9);
}

static void find_wrong_length(const struct check_run *r, struct check_findings *out)
{
	double asked_ns = (double)r->load->runtime_ns, ran_ns, wall_ns = (double)r->elapsed_ns;
	double wall_asked_ns = asked_ns + (double)r->load->ramp_ns;

	if (!parsed_get(r->parsed, "runtime", DIR_ALL, &ran_ns))
		ran_ns = NAN;
	if (ran_ns < EARLY_SHARE * asked_ns)
		check_add(out, CHECK_ENDED_EARLY, "fio measured %.2f s of the %.2f s asked for", ran_ns / 1e9,
			  asked_ns / 1e9);
	if (!asked_ns)
		return;
	if (ran_ns > LATE_SHARE * asked_ns && ran_ns > asked_ns + (double)LATE_NS)
		check_add(out, CHECK_RAN_LONG, "fio measured %.2f s instead of the %.2f s asked for", ran_ns / 1e9,
			  asked_ns / 1e9);
	else if (wall_ns > WALL_SHARE * wall_asked_ns && wall_ns > wall_asked_ns + (double)WALL_NS)
		check_add(out, CHECK_RAN_LONG, "the run took %.1f s for %.1f s of ramp and runtime", wall_ns / 1e9,
			  wall_asked_ns / 1e9);
}

/* A job file that says no runtime is judged by how long it took (check_load judges the others). */
static void find_too_short(const struct check_run *r, struct check_findings *out)
{
	struct check_load measured = { 0 };
	double ran_ns;

	if (r->load->runtime_ns || r->load->timed || !parsed_get(r->parsed, "runtime", DIR_ALL, &ran_ns) || ran_ns < 1)
		return;
	measured.runtime_ns = (uint64_t)ran_ns;
	check_load(&measured, r->target, out);
}

/* ---- the machine ---- */

static void find_steal(const struct check_run *r, struct check_findings *out)
{
	double share = (double)COUNTED(r, steal_us) / elapsed_us(r);

	if (share > STEAL_SHARE)
		check_add(out, CHECK_CPU_STEAL, "CPU time equal to %.1f%% of one CPU was taken away", 100 * share);
}

static void find_throttled(const struct check_run *r, struct check_findings *out)
{
	if (r->before->has_throttles && r->after->has_throttles && r->after->throttles > r->before->throttles)
		check_add(out, CHECK_THROTTLED, "%" PRIu64 " thermal throttling events",
			  r->after->throttles - r->before->throttles);
}

/* Part of the time in which some task waited; 0 where the kernel does not tell. */
static double waited(const struct check_run *r, const struct host_pressure *before, const struct host_pressure *after)
{
	return before->known && after->known ? (double)(after->some_us - before->some_us) / elapsed_us(r) : 0;
}

static void find_cpu_pressure(const struct check_run *r, struct check_findings *out)
{
	int64_t user_us = COUNTED(r, user_us) + COUNTED(r, nice_us), all_us;
	double others_us = (double)user_us - (double)r->usage.user_us,
	       some = waited(r, &r->before->cpu, &r->after->cpu);

	all_us = user_us + COUNTED(r, system_us) + COUNTED(r, idle_us) + COUNTED(r, iowait_us) + COUNTED(r, irq_us) +
		 COUNTED(r, softirq_us) + COUNTED(r, steal_us);
	if (!r->usage.known || (others_us <= OTHERS_CPU_SHARE * (double)all_us &&
				(some <= CPU_WAIT_SHARE || others_us <= OTHERS_CPU_SHARE * elapsed_us(r))))
		return;
	check_add(out, CHECK_CPU_PRESSURE,
		  "other programs used %.0f%% of a CPU; in %.0f%% of the time some task waited for one",
		  100 * others_us / elapsed_us(r), 100 * some);
}

static void find_io_pressure(const struct check_run *r, struct check_findings *out)
{
	uint64_t asked = check_in_flight(r->load);
	double some = waited(r, &r->before->io, &r->after->io);
	char held[24] = "";

	check_setting(r->effective, "queue/nr_requests", held, sizeof(held));
	if (strcmp(r->load->ioengine, "libaio") != 0 || r->load->direct != CHECK_YES || r->target->files || !asked ||
	    asked > strtoull(held, NULL, 10) || some <= IO_WAIT_SHARE)
		return;
	check_add(out, CHECK_IO_PRESSURE, "in %.0f%% of the time some task waited for I/O, and it was not the load",
		  100 * some);
}

static void find_memory_pressure(const struct check_run *r, struct check_findings *out)
{
	double some = waited(r, &r->before->memory, &r->after->memory);

	if (r->load->direct == CHECK_YES && some > MEMORY_WAIT_SHARE)
		check_add(out, CHECK_MEMORY_PRESSURE, "in %.1f%% of the time some task waited for memory",
			  100 * some);
}

void check_run(const struct check_run *r, struct check_findings *out)
{
	static void (*const finds[])(const struct check_run *, struct check_findings *) = {
		find_foreign_io,   find_not_idle,     find_from_cache,	    find_too_fast, find_littles_law,
		find_jobs_apart,   find_wrong_length, find_too_short,	    find_steal,	   find_throttled,
		find_cpu_pressure, find_io_pressure,  find_memory_pressure,
	};

	for (size_t i = 0; i < ARRAY_LEN(finds); i++)
		finds[i](r, out);
	check_settings(r->requested, r->effective, r->load, r->target, out);
}

void check_simulator(uint64_t commands, uint64_t late, struct check_findings *out)
{
	if ((double)late > SIMULATOR_LATE_SHARE * (double)commands)
		check_add(out, CHECK_SIMULATOR_LATE, "%" PRIu64 " of %" PRIu64 " commands were done over 1 ms late", late,
			  commands);
}
