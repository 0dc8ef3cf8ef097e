// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"
#include "runner/cpufreq.h"
#include "runner/facts.h"
#include "runner/sysfs.h"

/* The fields of "stat" in their order. */
static const struct {
	const char *name;
	size_t offset;
	unsigned factor; /* to our unit; 0: a gauge, not a count */
} disk_fields[] = {
#define FIELD(name, factor) { #name, offsetof(struct host_disk_counters, name), factor }
	FIELD(read_ios, 1),    FIELD(read_merges, 1),	 FIELD(read_bytes, 512),    FIELD(read_ms, 1),
	FIELD(write_ios, 1),   FIELD(write_merges, 1),	 FIELD(write_bytes, 512),   FIELD(write_ms, 1),
	FIELD(in_flight, 0),   FIELD(busy_ms, 1),	 FIELD(queue_ms, 1),	    FIELD(discard_ios, 1),
	FIELD(discard_merges, 1), FIELD(discard_bytes, 512), FIELD(discard_ms, 1), FIELD(flush_ios, 1),
	FIELD(flush_ms, 1),
#undef FIELD
};

/* The fields of the first line of /proc/stat in their order. */
static const struct {
	const char *name;
	size_t offset;
} cpu_fields[] = {
#define FIELD(name) { #name, offsetof(struct host_counters, name) }
	FIELD(user_us),	  FIELD(nice_us), FIELD(system_us),  FIELD(idle_us),
	FIELD(iowait_us), FIELD(irq_us),  FIELD(softirq_us), FIELD(steal_us),
#undef FIELD
};

static uint64_t *field_of(void *base, size_t offset)
{
	return (uint64_t *)(void *)((char *)base + offset);
}

static int64_t delta(const void *before, const void *after, size_t offset)
{
	uint64_t a, b;

	memcpy(&b, (const char *)before + offset, sizeof(b));
	memcpy(&a, (const char *)after + offset, sizeof(a));
	return (int64_t)(a - b);
}

/* The next number of a line, moving on behind it; false at its end. */
static bool next_number(const char **p, uint64_t *out)
{
	char *end;

	*out = strtoull(*p, &end, 10);
	if (end == *p)
		return false;
	*p = end;
	return true;
}

/* Below a SCSI device there is a directory "hwmon" of them, below an NVMe controller they are themselves. */
static void read_temperature(const struct disk *disk, struct host_disk_counters *out)
{
	static const char *const parents[] = { "device/hwmon", "device" };

	for (size_t i = 0; i < ARRAY_LEN(parents) && !out->has_temperature; i++) {
		AUTOSTRINGS strings_t dirs = { 0 };

		sysfs_list_dirs(disk->sysdir, parents[i], &dirs, NULL);
		for (size_t k = 0; k < dirs.n && !out->has_temperature; k++) {
			AUTOFREE char *attr = mem_printf("%s/%s/temp1_input", parents[i], dirs.items[k]);
			char text[24];

			if (!str_starts(dirs.items[k], "hwmon") || sysfs_read(disk->sysdir, attr, text, sizeof(text), NULL))
				continue;
			out->temperature_millicelsius = strtoll(text, NULL, 10);
			out->has_temperature = true;
		}
	}
}

static int read_stat(const struct disk *disk, struct host_disk_counters *out)
{
	char text[512];
	const char *p = text;
	uint64_t value;

	snprintf(out->name, sizeof(out->name), "%s", disk->name);
	if (sysfs_read(disk->sysdir, "stat", text, sizeof(text), NULL))
		return -1;
	out->present = true;
	for (size_t i = 0; i < ARRAY_LEN(disk_fields) && next_number(&p, &value); i++)
		*field_of(out, disk_fields[i].offset) = value * (disk_fields[i].factor ? disk_fields[i].factor : 1);
	return 0;
}

int host_in_flight(const struct disk *const *disks, size_t n, uint64_t *requests)
{
	int gone = 0;

	*requests = 0;
	for (size_t i = 0; i < n; i++) {
		struct host_disk_counters now = { 0 };

		gone |= read_stat(disks[i], &now);
		*requests += now.in_flight;
	}
	return gone;
}

static void read_cpu_times(struct host_counters *out)
{
	uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK), ticks;
	AUTOSTR struct str text = { 0 };
	const char *p;

	if (file_slurp("/proc/stat", &text, NULL) || !str_starts(str_text(&text), "cpu "))
		return;
	p = text.s + strlen("cpu ");
	for (size_t i = 0; i < ARRAY_LEN(cpu_fields) && next_number(&p, &ticks); i++)
		*field_of(out, cpu_fields[i].offset) = ticks * tick_us;
}

static uint64_t pressure_total(const char *text, const char *line)
{
	const char *p = strstr(text, line);

	p = p ? strstr(p, "total=") : NULL;
	return p ? strtoull(p + strlen("total="), NULL, 10) : 0;
}

static void read_pressure(const char *path, struct host_pressure *out)
{
	AUTOSTR struct str text = { 0 };

	if (file_slurp(path, &text, NULL))
		return;
	out->known = true;
	out->some_us = pressure_total(str_text(&text), "some ");
	out->full_us = pressure_total(str_text(&text), "full ");
}

/* "1.07 0.90 ...": always two decimals */
static void read_load(struct host_counters *out)
{
	AUTOSTR struct str text = { 0 };
	uint64_t whole, part;
	const char *p;

	if (file_slurp("/proc/loadavg", &text, NULL))
		return;
	p = str_text(&text);
	if (next_number(&p, &whole) && *p++ == '.' && next_number(&p, &part))
		out->load1_percent = whole * 100 + part;
}

/* Right after the load's end the CPUs still have the frequency that it ran with: nothing wakes them during it. */
static void read_frequency(struct host_counters *out)
{
	numbers_t cpus = { 0 };
	uint64_t sum_khz = 0, n = 0;

	cpufreq_online(&cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		AUTOFREE char *dir = mem_printf("%s/devices/system/cpu/cpu%" PRIu64, sysfs_root(), cpus.items[i]);
		uint64_t khz = sysfs_read_number(dir, "cpufreq/scaling_cur_freq", 0);

		if (!khz)
			break; /* all have it or none */
		sum_khz += khz;
		n++;
	}
	out->mean_khz = n && n == cpus.n ? sum_khz / n : 0;
	vec_free(&cpus);
}

static void read_throttles(struct host_counters *out)
{
	static const char *const attrs[] = { "core_throttle_count", "package_throttle_count" };
	numbers_t cpus = { 0 };

	cpufreq_online(&cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		AUTOFREE char *dir = mem_printf("%s/devices/system/cpu/cpu%" PRIu64, sysfs_root(), cpus.items[i]);

		if (!sysfs_exists(dir, "thermal_throttle"))
			break; /* all have it or none */
		out->has_throttles = true;
		for (size_t k = 0; k < ARRAY_LEN(attrs); k++) {
			AUTOFREE char *attr = mem_printf("thermal_throttle/%s", attrs[k]);

			out->throttles += sysfs_read_number(dir, attr, 0);
		}
	}
	vec_free(&cpus);
}

int host_counters_read(const struct disk *const *disks, size_t n, struct host_counters *out)
{
	int gone = 0;

	*out = (struct host_counters){ .taken_ns = now_monotonic_ns() };
	read_frequency(out);
	for (size_t i = 0; i < n; i++) {
		struct host_disk_counters *disk = vec_push(&out->disks);

		gone |= read_stat(disks[i], disk);
		read_temperature(disks[i], disk);
	}
	read_cpu_times(out);
	read_pressure("/proc/pressure/cpu", &out->cpu);
	read_pressure("/proc/pressure/io", &out->io);
	read_pressure("/proc/pressure/memory", &out->memory);
	read_load(out);
	read_throttles(out);
	return gone;
}

void host_counters_release(struct host_counters *c)
{
	vec_free(&c->disks);
}

static void disk_facts(facts_t *f, const struct host_disk_counters *before, const struct host_disk_counters *after)
{
	const char *name = before->name;

	if (!before->present || !after->present)
		return;
	for (size_t i = 0; i < ARRAY_LEN(disk_fields); i++)
		if (disk_fields[i].factor)
			facts_number(f, delta(before, after, disk_fields[i].offset), "disk.%s.%s", name,
				     disk_fields[i].name);
	facts_number(f, (int64_t)before->in_flight, "disk.%s.in_flight_before", name);
	facts_number(f, (int64_t)after->in_flight, "disk.%s.in_flight_after", name);
	if (!before->has_temperature || !after->has_temperature)
		return;
	facts_number(f, before->temperature_millicelsius, "disk.%s.temperature_millicelsius_before", name);
	facts_number(f, after->temperature_millicelsius, "disk.%s.temperature_millicelsius_after", name);
}

static void pressure_facts(facts_t *f, const char *what, const struct host_pressure *before,
			   const struct host_pressure *after)
{
	if (!before->known || !after->known)
		return;
	facts_number(f, (int64_t)(after->some_us - before->some_us), "pressure.%s.some_us", what);
	facts_number(f, (int64_t)(after->full_us - before->full_us), "pressure.%s.full_us", what);
}

void host_counters_json(const struct host_counters *before, const struct host_counters *after, struct str *json)
{
	facts_t f = { 0 };

	facts_number(&f, after->taken_ns - before->taken_ns, "elapsed_ns");
	for (size_t i = 0; i < before->disks.n && i < after->disks.n; i++)
		disk_facts(&f, &before->disks.items[i], &after->disks.items[i]);
	for (size_t i = 0; i < ARRAY_LEN(cpu_fields); i++)
		facts_number(&f, delta(before, after, cpu_fields[i].offset), "cpu.%s", cpu_fields[i].name);
	pressure_facts(&f, "cpu", &before->cpu, &after->cpu);
	pressure_facts(&f, "io", &before->io, &after->io);
	pressure_facts(&f, "memory", &before->memory, &after->memory);
	facts_number(&f, (int64_t)before->load1_percent, "load1_percent_before");
	facts_number(&f, (int64_t)after->load1_percent, "load1_percent_after");
	if (after->mean_khz)
		facts_number(&f, (int64_t)after->mean_khz, "cpu.mean_khz_after");
	if (before->has_throttles && after->has_throttles)
		facts_number(&f, (int64_t)(after->throttles - before->throttles), "cpu.throttles");
	facts_print(&f, json);
}
