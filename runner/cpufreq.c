// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/cpufreq.h"

#include <cpufreq.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/sysfs.h"

/* What is saved and put back of a CPU. */
enum property { GOVERNOR, EPP, MIN_KHZ, MAX_KHZ, SPEED, N_PROPERTIES };

static const char *const property_names[N_PROPERTIES] = { "governor", "energy preference", "minimum kHz", "maximum kHz",
							  "speed in kHz" };

#define EPP_FILE "energy_performance_preference" /* libcpupower 6.1 does not know it */

#define CPU_DIR 96

static const char *cpu_dir(unsigned cpu, char out[CPU_DIR])
{
	snprintf(out, CPU_DIR, "%s/devices/system/cpu/cpu%u/cpufreq", sysfs_root(), cpu);
	return out;
}

static void release_numbers(numbers_t *v)
{
	vec_free(v);
}
#define AUTONUMBERS CLEANUP(release_numbers)

void cpufreq_online(numbers_t *cpus)
{
	AUTOFREE char *dir = mem_printf("%s/devices/system/cpu", sysfs_root());
	char list[4096];

	if (!sysfs_read(dir, "online", list, sizeof(list), NULL))
		units_parse_numbers(list, cpus, NULL);
}

const char *cpufreq_driver(unsigned cpu, char out[CPUFREQ_NAME])
{
	char *driver = sysfs_is_kernels() ? cpufreq_get_driver(cpu) : NULL;

	if (!driver)
		return NULL;
	snprintf(out, CPUFREQ_NAME, "%s", driver);
	cpufreq_put_driver(driver);
	return out;
}

void cpufreq_governors(unsigned cpu, strings_t *out)
{
	struct cpufreq_available_governors *first = cpufreq_get_available_governors(cpu);

	for (const struct cpufreq_available_governors *g = first; g; g = g->next)
		strings_add(out, g->governor);
	cpufreq_put_available_governors(first);
}

bool cpufreq_present(void)
{
	AUTONUMBERS numbers_t cpus = { 0 };
	char driver[CPUFREQ_NAME];

	cpufreq_online(&cpus);
	for (size_t i = 0; i < cpus.n; i++)
		if (cpufreq_driver((unsigned)cpus.items[i], driver))
			return true;
	return false;
}

/* All that is saved of a CPU; false (and nothing but its number) if it has no policy, as when it is offline. */
static bool read_cpu(unsigned cpu, struct cpufreq_saved *out)
{
	struct cpufreq_policy *policy;
	char dir[CPU_DIR];

	*out = (struct cpufreq_saved){ .cpu = cpu };
	errno = 0; /* libcpupower takes an ERANGE that was there before for a failure of its own */
	policy = sysfs_is_kernels() ? cpufreq_get_policy(cpu) : NULL;
	if (!policy)
		return false;
	snprintf(out->governor, sizeof(out->governor), "%s", policy->governor);
	out->min_khz = policy->min;
	out->max_khz = policy->max;
	cpufreq_put_policy(policy);
	cpufreq_driver(cpu, out->driver);
	if (sysfs_read(cpu_dir(cpu, dir), EPP_FILE, out->epp, sizeof(out->epp), NULL))
		out->epp[0] = '\0';
	out->speed_khz = sysfs_read_number(dir, "scaling_setspeed", 0); /* "<unsupported>" under other governors */
	return true;
}

int cpufreq_save(struct cpufreq_saved *out, size_t cap, size_t *n, struct err *err)
{
	AUTONUMBERS numbers_t cpus = { 0 };
	struct cpufreq_saved one;

	*n = 0;
	cpufreq_online(&cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		if (!read_cpu((unsigned)cpus.items[i], &one))
			continue;
		if (*n == cap)
			return err_set(err, ERR_FAULT, "more than %zu CPUs have a cpufreq policy", cap);
		out[(*n)++] = one;
	}
	return 0;
}

/* The online CPUs of a machine that has cpufreq. */
static int online_with_cpufreq(numbers_t *cpus, struct err *err)
{
	if (!cpufreq_present())
		return err_set(err, ERR_NEEDS,
			       "this machine has no cpufreq, so no governor can be set (sweep without --governors)");
	cpufreq_online(cpus);
	return 0;
}

static int not_offered(const char *governor, unsigned cpu, const strings_t *offered, struct err *err)
{
	static const char *const known[] = { "conservative", "ondemand",  "performance",
					     "powersave",    "schedutil", "userspace" };
	const char *nearest = str_nearest(governor, known, ARRAY_LEN(known));
	bool exists = nearest && !strcmp(nearest, governor);
	char driver[CPUFREQ_NAME] = "";
	AUTOSTR struct str list = { 0 };

	if (!cpufreq_driver(cpu, driver))
		return err_set(err, ERR_NEEDS, "cpu %u is online but has no cpufreq policy, so no governor '%s'", cpu,
			       governor);
	for (size_t i = 0; i < offered->n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", offered->items[i]);
	return err_set(err, exists ? ERR_NEEDS : ERR_USAGE, "cpu %u has no governor '%s' (driver %s offers %s)%s%s%s", cpu,
		       governor, driver, offered->n ? str_text(&list) : "none", nearest && !exists ? "; did you mean '" : "",
		       nearest && !exists ? nearest : "", nearest && !exists ? "'?" : "");
}

int cpufreq_check(const char *governor, struct err *err)
{
	AUTONUMBERS numbers_t cpus = { 0 };

	if (online_with_cpufreq(&cpus, err))
		return -1;
	for (size_t i = 0; i < cpus.n; i++) {
		AUTOSTRINGS strings_t offered = { 0 };

		cpufreq_governors((unsigned)cpus.items[i], &offered);
		if (!strings_has(&offered, governor))
			return not_offered(governor, (unsigned)cpus.items[i], &offered, err);
	}
	return 0;
}

/* The errno of a call to libcpupower that returned 'rc': its own -ENODEV hides what open() or write() said. */
static int why_failed(int rc)
{
	if (!rc)
		return 0;
	return errno ? errno : -rc;
}

static int put_property(enum property p, const struct cpufreq_saved *wanted)
{
	char governor[CPUFREQ_NAME], dir[CPU_DIR];
	struct err err = { 0 };

	errno = 0;
	switch (p) {
	case GOVERNOR:
		memcpy(governor, wanted->governor, sizeof(governor)); /* libcpupower wants it writable */
		return why_failed(cpufreq_modify_policy_governor(wanted->cpu, governor));
	case MIN_KHZ:
		return why_failed(cpufreq_modify_policy_min(wanted->cpu, wanted->min_khz));
	case MAX_KHZ:
		return why_failed(cpufreq_modify_policy_max(wanted->cpu, wanted->max_khz));
	case SPEED:
		return why_failed(cpufreq_set_frequency(wanted->cpu, wanted->speed_khz));
	default:
		return sysfs_write(cpu_dir(wanted->cpu, dir), EPP_FILE, wanted->epp, &err) ? err.errnum : 0;
	}
}

int cpufreq_set_governor(const char *governor, struct err *err)
{
	AUTONUMBERS numbers_t cpus = { 0 };

	if (cpufreq_check(governor, err))
		return -1;
	cpufreq_online(&cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		struct cpufreq_saved wanted = { .cpu = (unsigned)cpus.items[i] };
		int bad;

		snprintf(wanted.governor, sizeof(wanted.governor), "%s", governor);
		bad = put_property(GOVERNOR, &wanted);
		if (bad)
			return err_sys(err, ERR_FAULT, bad, "cannot set governor '%s' on cpu %u", governor, wanted.cpu);
	}
	return cpufreq_verify(governor, err);
}

int cpufreq_verify(const char *governor, struct err *err)
{
	AUTONUMBERS numbers_t cpus = { 0 };
	struct cpufreq_saved now;

	if (online_with_cpufreq(&cpus, err))
		return -1;
	for (size_t i = 0; i < cpus.n; i++) {
		if (!read_cpu((unsigned)cpus.items[i], &now))
			return err_set(err, ERR_FAULT, "cpu %u has no cpufreq policy instead of governor '%s'", now.cpu,
				       governor);
		if (strcmp(now.governor, governor) != 0)
			return err_set(err, ERR_FAULT, "cpu %u has governor '%s' instead of '%s'", now.cpu, now.governor,
				       governor);
	}
	return 0;
}

/* "" for what the CPU has not. */
static const char *property_text(const struct cpufreq_saved *s, enum property p, char out[CPUFREQ_NAME])
{
	unsigned long khz = p == MIN_KHZ ? s->min_khz : p == MAX_KHZ ? s->max_khz : s->speed_khz;

	if (p == GOVERNOR)
		return s->governor;
	if (p == EPP)
		return s->epp;
	out[0] = '\0';
	if (khz)
		snprintf(out, CPUFREQ_NAME, "%lu", khz);
	return out;
}

static bool differs(const struct cpufreq_saved *now, const struct cpufreq_saved *wanted, enum property p)
{
	char a[CPUFREQ_NAME], b[CPUFREQ_NAME];
	const char *want = property_text(wanted, p, b);

	return *want && strcmp(property_text(now, p, a), want) != 0;
}

static int restore_cpu(const struct cpufreq_saved *wanted, struct str *problems)
{
	char text[3][CPUFREQ_NAME];
	struct cpufreq_saved was, now;
	int why[N_PROPERTIES] = { 0 }, bad = 0;
	bool lowering;

	read_cpu(wanted->cpu, &was);
	/*
	 * The governor first: under performance intel_pstate refuses an energy preference, and only userspace has a
	 * speed, so neither is tried when it could not be put back. No limit may pass the other.
	 */
	lowering = wanted->max_khz < was.min_khz;
	const enum property order[] = { GOVERNOR, EPP, lowering ? MIN_KHZ : MAX_KHZ, lowering ? MAX_KHZ : MIN_KHZ,
					SPEED };

	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		bool hopeless = why[GOVERNOR] && (order[i] == EPP || order[i] == SPEED);

		if (!hopeless && differs(&was, wanted, order[i]))
			why[order[i]] = put_property(order[i], wanted);
	}
	if (!read_cpu(wanted->cpu, &now)) {
		str_addf(problems, "cpu %u: has no cpufreq policy now (offline?), had governor '%s'\n", wanted->cpu,
			 wanted->governor);
		return -1;
	}
	for (enum property p = 0; p < N_PROPERTIES; p++) {
		if (!differs(&now, wanted, p))
			continue;
		bad = -1;
		str_addf(problems, "cpu %u: %s was '%s', wanted '%s', is '%s'%s%s\n", wanted->cpu, property_names[p],
			 property_text(&was, p, text[0]), property_text(wanted, p, text[1]),
			 property_text(&now, p, text[2]), why[p] ? ": " : "", why[p] ? strerror(why[p]) : "");
	}
	return bad;
}

int cpufreq_restore(const struct cpufreq_saved *saved, size_t n, struct str *problems)
{
	int bad = 0;

	for (size_t i = 0; i < n; i++)
		bad |= restore_cpu(&saved[i], problems);
	return bad;
}
