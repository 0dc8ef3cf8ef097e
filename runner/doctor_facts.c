// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/doctor_facts.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <linux/ioprio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/file.h"
#include "common/units.h"
#include "runner/child.h"
#include "runner/cpufreq.h"
#include "runner/host.h"
#include "runner/settings.h"
#include "runner/sysfs.h"

/* ---- services and timers ---- */

/* What changes settings or disturbs disks, on the distributions that have it. */
static const char *const units[] = { "tuned.service",
				     "power-profiles-daemon.service",
				     "tlp.service",
				     "laptop-mode.service",
				     "thermald.service",
				     "smartd.service",
				     "smartmontools.service",
				     "udisks2.service",
				     "mdcheck_start.timer",
				     "mdcheck_continue.timer",
				     "raid-check.timer",
				     "fstrim.timer",
				     "updatedb.timer",
				     "plocate-updatedb.timer",
				     "mlocate-updatedb.timer",
				     "man-db.timer",
				     "apt-daily.timer",
				     "apt-daily-upgrade.timer",
				     "dnf-makecache.timer",
				     "e2scrub_all.timer",
				     "xfs_scrub_all.timer",
				     "btrfs-scrub.timer",
				     "btrfs-balance.timer" };

static bool has_unit(const struct doctor_facts *f, const char *name)
{
	for (size_t i = 0; i < f->units.n; i++)
		if (!strcmp(f->units.items[i].name, name))
			return true;
	return false;
}

/* One block of "KEY=VALUE" lines; a unit that is not installed has LoadState=not-found. */
static void add_unit(char *block, struct doctor_facts *f)
{
	struct doctor_unit unit = { 0 };
	bool loaded = false;

	for (char *save = NULL, *line = strtok_r(block, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (str_starts(line, "Id="))
			unit.name = line + strlen("Id=");
		else if (str_starts(line, "LoadState="))
			loaded = !strcmp(line, "LoadState=loaded");
		else if (str_starts(line, "ActiveState="))
			unit.active = !strcmp(line, "ActiveState=active") || !strcmp(line, "ActiveState=activating");
		else if (str_starts(line, "NextElapseUSecRealtime=@"))
			unit.next_ns = strtoll(strchr(line, '@') + 1, NULL, 10) * NS_PER_S;
	}
	/* aliases give the same Id again */
	if (!loaded || !unit.name || has_unit(f, unit.name))
		return;
	unit.name = mem_strdup(unit.name);
	*vec_push(&f->units) = unit;
}

void doctor_units_begin(struct child_captured *c)
{
	const char *argv[ARRAY_LEN(units) + 5] = { "systemctl", "show", "--timestamp=unix",
						   "--property=Id,LoadState,ActiveState,NextElapseUSecRealtime" };

	memcpy(argv + 4, units, sizeof(units));
	*c = (struct child_captured){ 0 };
	/* as sd_booted(3) finds out whether systemd runs: systemctl may be there without it, and takes 20 ms to say so */
	if (!access("/run/systemd/system", F_OK))
		child_capture_begin(argv, c);
}

void doctor_units_end(struct child_captured *c, struct doctor_facts *f)
{
	AUTOSTR struct str text = { 0 };

	if (child_capture_end(c, &text, NULL))
		return;
	f->has_units = true;
	for (char *block = text.s, *next; block; block = next) {
		next = strstr(block, "\n\n");
		if (next) {
			*next = '\0';
			next += 2;
		}
		add_unit(block, f);
	}
}

/* ---- disks ---- */

static char *attr_of(const struct disk *d, const char *attr)
{
	char value[512];

	return sysfs_read(d->sysdir, attr, value, sizeof(value), NULL) ? NULL : mem_strdup(value);
}

/* The line of the disk in the root cgroup's io.cost.qos, "8:0 enable=1 ...". */
static char *iocost_of(const struct disk *d)
{
	AUTOFREE char *key = mem_printf("%u:%u ", major(d->number), minor(d->number)), *text = mem_alloc(4096, 1);

	if (sysfs_read(sysfs_root(), "fs/cgroup/io.cost.qos", text, 4096, NULL))
		return NULL;
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (str_starts(line, key))
			return mem_strdup(line + strlen(key));
	return NULL;
}

static const cJSON *at_path(const cJSON *json, const char *const *path)
{
	for (; json && *path; path++)
		json = cJSON_GetObjectItemCaseSensitive(json, *path);
	return json;
}

static enum doctor_answer answer(bool yes)
{
	return yes ? DOCTOR_YES : DOCTOR_NO;
}

static void smart_begin(const struct disk *d, struct child_captured *c)
{
	const char *argv[] = { "smartctl", "--json=c", "-H", "-c", "-l", "selftest", d->node, NULL };

	if (*d->node)
		child_capture_begin(argv, c);
}

/*
 * smartctl's JSON (7.0 and newer): of an ATA disk the self-test status byte, whose upper half is 15 while one runs
 * (ATA8-ACS, SMART READ DATA); of an NVMe the operation of its self-test log, 0 for none. The exit status is a set of
 * bits of which many do not mean failure (smartctl(8)): the output decides.
 */
static void smart_end(struct child_captured *c, struct doctor_disk *out)
{
	static const char *const ata[] = { "ata_smart_data", "self_test", "status", "value", NULL };
	static const char *const nvme[] = { "nvme_self_test_log", "current_self_test_operation", "value", NULL };
	static const char *const passed[] = { "smart_status", "passed", NULL };
	AUTOSTR struct str text = { 0 };
	const cJSON *item;
	cJSON *json;

	child_capture_end(c, &text, NULL);
	json = cJSON_Parse(str_text(&text));
	if ((item = at_path(json, ata)) && cJSON_IsNumber(item))
		out->self_test = answer((int)item->valuedouble >> 4 == 15);
	else if ((item = at_path(json, nvme)) && cJSON_IsNumber(item))
		out->self_test = answer(item->valuedouble > 0);
	item = at_path(json, passed);
	if (cJSON_IsBool(item))
		out->failing = answer(cJSON_IsFalse(item));
	cJSON_Delete(json);
}

static void gather_disk(const struct disk *d, struct doctor_disk *out)
{
	AUTOFREE char *zoned = attr_of(d, "queue/zoned");

	*out = (struct doctor_disk){ .name = mem_strdup(d->name),
				     .rotational = d->rotational,
				     .host_managed = zoned && !strcmp(zoned, "host-managed"),
				     .transport = mem_strdup(d->transport),
				     .schedulers = attr_of(d, "queue/scheduler"),
				     .write_cache = attr_of(d, "queue/write_cache"),
				     .queue_depth = attr_of(d, "device/queue_depth"),
				     .wbt_lat_us = attr_of(d, "queue/wbt_lat_usec"),
				     .iocost = iocost_of(d) };
}

static void gather_uses(const struct target *t, struct doctor_facts *f)
{
	struct err err = { 0 };
	uses_t uses = { 0 };

	if (target_uses(t, NULL, &uses, &err) && !uses.n)
		strings_add(&f->uses, err.msg);
	for (size_t i = 0; i < uses.n; i++)
		strings_add(&f->uses, uses.items[i].text);
	uses_release(&uses);
}

/* ---- the machine ---- */

/* The folder, or where it will be made, as a reason why not; NULL if all is well. The caller frees. */
static char *run_folder_fault(const char *folder)
{
	AUTOFREE char *parent = mem_strdup(folder);
	char *slash = strrchr(parent, '/');

	if (!access(folder, W_OK))
		return NULL;
	if (errno == ENOENT && slash) {
		slash[slash == parent] = '\0';
		if (!access(parent, W_OK))
			return NULL;
	}
	return mem_strdup(strerror(errno));
}

static void gather_needs(struct doctor_facts *f, bool of_sweep)
{
	static const char *const fio[] = { "fio", "--version", NULL };
	AUTOSTR struct str version = { 0 }, stale = { 0 };

	f->root = !geteuid();
	if (!of_sweep && !child_capture(fio, &version, NULL) && version.len)
		f->fio = mem_strdup(str_trim(version.s));
	f->run_folder = mem_strdup(settings_rundir());
	f->run_folder_fault = run_folder_fault(f->run_folder);
	settings_stale(&stale);
	if (stale.len)
		f->stale = mem_strdup(str_trim(stale.s));
}

/*
 * What is built in or loaded is listed by every queue that can have a scheduler; modprobe(8) -n finds modules, and
 * loads none.
 */
static void gather_bfq(struct doctor_facts *f)
{
	static const char *const argv[] = { "modprobe", "-n", "-q", "bfq", NULL };
	AUTOFREE char *block = mem_printf("%s/block", sysfs_root());
	AUTOSTRINGS strings_t names = { 0 };
	AUTOSTR struct str unwanted = { 0 };
	struct err err = { 0 };
	bool has_queue = false;

	sysfs_list_dirs(block, "", &names, NULL);
	for (size_t i = 0; i < names.n && f->has_bfq == DOCTOR_UNKNOWN; i++) {
		AUTOFREE char *attr = mem_printf("%s/queue/scheduler", names.items[i]);
		AUTOSTRINGS strings_t offered = { 0 };
		char line[512], current[64];

		if (sysfs_read(block, attr, line, sizeof(line), NULL) || !strchr(line, '['))
			continue;
		has_queue = true;
		if (!sysfs_scheduler_parse(line, current, sizeof(current), &offered) && strings_has(&offered, "bfq"))
			f->has_bfq = DOCTOR_YES;
	}
	if (f->has_bfq == DOCTOR_UNKNOWN && !child_capture(argv, &unwanted, &err))
		f->has_bfq = DOCTOR_YES;
	else if (f->has_bfq == DOCTOR_UNKNOWN && has_queue && err.kind == ERR_FAULT)
		f->has_bfq = DOCTOR_NO;
}

/* "md0 : active raid1 ..." and, lines below, "      [==>..]  check = 12.6% (…": the first that is at work. */
static void gather_md(struct doctor_facts *f)
{
	static const char *const actions[] = { "check", "resync", "recovery", "reshape", "repair" };
	AUTOSTR struct str text = { 0 };
	char name[64] = "";

	if (file_slurp("/proc/mdstat", &text, NULL) || !text.len)
		return;
	for (char *save = NULL, *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line != ' ')
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, " "), line);
		for (size_t i = 0; i < ARRAY_LEN(actions) && *line == ' ' && !f->md_action; i++) {
			AUTOFREE char *at_work = mem_printf("%s =", actions[i]);

			if (strstr(line, at_work))
				f->md_action = mem_printf("%s: %s", name, actions[i]);
		}
	}
}

static void gather_cpufreq(struct doctor_facts *f)
{
	AUTOFREE struct cpufreq_saved *cpus = NULL;
	numbers_t online = { 0 };
	size_t n = 0;

	cpufreq_online(&online);
	f->cpus = (unsigned)online.n;
	cpus = mem_alloc(online.n, sizeof(*cpus));
	cpufreq_save(cpus, online.n, &n, NULL);
	vec_free(&online);
	if (!n)
		return;
	f->cpufreq_driver = mem_strdup(cpus[0].driver);
	for (size_t i = 0; i < n && !f->governor; i++)
		if (strcmp(cpus[i].governor, cpus[0].governor) != 0)
			f->governor = mem_strdup("mixed");
	if (!f->governor)
		f->governor = mem_strdup(cpus[0].governor);
}

/* "KEY:   123 kB" */
static uint64_t meminfo_bytes(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
}

/* Without ionice(1) the level comes from nice(1), (nice + 20) / 5 (include/linux/ioprio.h): 4 for 0. */
static char *our_io_priority(void)
{
	int priority = (int)syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0), nice = getpriority(PRIO_PROCESS, 0);
	int class = priority < 0 ? IOPRIO_CLASS_NONE : IOPRIO_PRIO_CLASS(priority);
	/* kernels from 6.0 on work it out themselves, earlier ones say that there is none */
	int level = class == IOPRIO_CLASS_NONE ? (nice + 20) / 5 : IOPRIO_PRIO_LEVEL(priority);

	if (class == IOPRIO_CLASS_RT || class == IOPRIO_CLASS_IDLE)
		return mem_strdup(class == IOPRIO_CLASS_RT ? "ionice realtime" : "ionice idle");
	if (level == IOPRIO_BE_NORM)
		return NULL;
	return level == (nice + 20) / 5 ? mem_printf("nice %d", nice) : mem_printf("ionice level %d", level);
}

static void gather_machine(struct doctor_facts *f)
{
	AUTOSTR struct str memory = { 0 }, cpu = { 0 };
	struct host_counters counters;
	struct utsname u;

	if (!file_slurp("/proc/meminfo", &memory, NULL)) {
		f->memory_bytes = meminfo_bytes(str_text(&memory), "MemTotal:");
		f->memory_available_bytes = meminfo_bytes(str_text(&memory), "MemAvailable:");
		f->swap_used_bytes = meminfo_bytes(str_text(&memory), "SwapTotal:") -
				     meminfo_bytes(str_text(&memory), "SwapFree:");
	}
	if (!file_slurp("/proc/cpuinfo", &cpu, NULL))
		f->virtual_machine = strstr(str_text(&cpu), " hypervisor");
	if (!uname(&u))
		f->kernel = mem_strdup(u.release);
	host_counters_read(NULL, 0, &counters);
	f->load1_percent = counters.load1_percent;
	f->has_pressure = counters.cpu.known && counters.io.known;
	host_counters_release(&counters);
	f->io_priority = our_io_priority();
	f->now_ns = now_realtime_ns();
}

void doctor_facts_gather(const struct target *target, bool of_sweep, struct doctor_facts *f)
{
	VEC(struct child_captured) smart = { 0 };
	struct child_captured asked;

	*f = (struct doctor_facts){ .has_target = target };
	if (!of_sweep)
		doctor_units_begin(&asked);
	for (size_t i = 0; target && i < target->disks.n; i++)
		smart_begin(&target->disks.items[i], vec_push(&smart));
	gather_needs(f, of_sweep);
	if (target && !of_sweep)
		gather_uses(target, f);
	for (size_t i = 0; target && i < target->disks.n; i++)
		gather_disk(&target->disks.items[i], vec_push(&f->disks));
	gather_bfq(f);
	f->has_udev = !access("/run/udev/control", F_OK);
	if (!of_sweep) {
		udev_rules_read(NULL, 0, target ? target->disks.items : NULL, target ? target->disks.n : 0, &f->rules);
		doctor_units_end(&asked, f);
	}
	gather_md(f);
	gather_cpufreq(f);
	gather_machine(f);
	for (size_t i = 0; i < smart.n; i++)
		smart_end(&smart.items[i], &f->disks.items[i]);
	vec_free(&smart);
}

static void disk_release(struct doctor_disk *d)
{
	free(d->name);
	free(d->transport);
	free(d->schedulers);
	free(d->write_cache);
	free(d->queue_depth);
	free(d->wbt_lat_us);
	free(d->iocost);
}

void doctor_facts_release(struct doctor_facts *f)
{
	free(f->fio);
	free(f->run_folder);
	free(f->run_folder_fault);
	free(f->stale);
	strings_release(&f->uses);
	for (size_t i = 0; i < f->disks.n; i++)
		disk_release(&f->disks.items[i]);
	vec_free(&f->disks);
	udev_rules_release(&f->rules);
	for (size_t i = 0; i < f->units.n; i++)
		free(f->units.items[i].name);
	vec_free(&f->units);
	free(f->md_action);
	free(f->cpufreq_driver);
	free(f->governor);
	free(f->kernel);
	free(f->io_priority);
	*f = (struct doctor_facts){ 0 };
}
