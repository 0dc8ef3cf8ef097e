// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/units.h"
#include "runner/cpufreq.h"
#include "runner/knob.h"
#include "runner/module.h"
#include "runner/simdisk.h"
#include "runner/sysfs.h"
#include "runner/udev_rules.h"

#define VALUE 4096 /* sysfs gives at most a page */

/* Attributes that are facts as they stand; paths are below the root of sysfs. */
static const struct {
	const char *key, *attr;
} machine_attrs[] = {
	{ "cpu.online", "devices/system/cpu/online" },
	{ "cpu.present", "devices/system/cpu/present" },
	{ "cpu.smt", "devices/system/cpu/smt/control" },
	{ "cpufreq.amd_pstate.status", "devices/system/cpu/amd_pstate/status" },
	{ "cpufreq.boost", "devices/system/cpu/cpufreq/boost" },
	{ "cpufreq.intel_pstate.no_turbo", "devices/system/cpu/intel_pstate/no_turbo" },
	{ "cpufreq.intel_pstate.status", "devices/system/cpu/intel_pstate/status" },
	{ "cpuidle.driver", "devices/system/cpu/cpuidle/current_driver" },
	{ "cpuidle.governor", "devices/system/cpu/cpuidle/current_governor_ro" },
	{ "machine.product", "class/dmi/id/product_name" },
	{ "machine.vendor", "class/dmi/id/sys_vendor" },
};

/* The same of disks; paths are below the disk's directory. */
static const struct {
	const char *key, *attr;
} disk_attrs[] = {
	{ "device.queue_depth", "device/queue_depth" },
	{ "device.queue_type", "device/queue_type" },
	{ "firmware", "device/firmware_rev" }, /* NVMe */
	{ "loop.dio", "loop/dio" },
	{ "rev", "device/rev" }, /* SCSI */
	{ "vendor", "device/vendor" },
};

/*
 * The value in the first line "KEY SEP VALUE" of a text, without blanks around it; the caller frees. 'sep' 0: nothing
 * but blanks is between. NULL if there is no such line.
 */
static char *value_of(const char *text, const char *key, char sep)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n'), line += !!line) {
		const char *p = line + len;

		if (strncmp(line, key, len) != 0)
			continue;
		p += strspn(p, " \t");
		if (sep ? *p++ != sep : p == line + len)
			continue;
		p += strspn(p, " \t");
		len = strcspn(p, "\n");
		while (len && strchr(" \t", p[len - 1]))
			len--;
		return mem_strndup(p, len);
	}
	return NULL;
}

static void kernel_facts(facts_t *f)
{
	AUTOSTR struct str cmdline = { 0 };
	struct timespec tick;
	struct utsname u;

	if (!uname(&u)) {
		facts_text(f, u.release, "kernel.release");
		facts_text(f, u.version, "kernel.version");
		facts_text(f, u.machine, "kernel.arch");
		facts_text(f, u.nodename, "host.name");
	}
	if (!file_slurp("/proc/cmdline", &cmdline, NULL) && cmdline.len)
		facts_text(f, str_trim(cmdline.s), "kernel.cmdline");
	/* The coarse clocks advance with the tick: their resolution is 1/HZ (posix_get_coarse_res() in Linux). */
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_nsec)
		facts_number(f, (NS_PER_S + tick.tv_nsec / 2) / tick.tv_nsec, "kernel.hz");
}

static void os_facts(facts_t *f)
{
	static const char *const paths[] = { "/etc/os-release", "/usr/lib/os-release" };

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		AUTOSTR struct str text = { 0 };
		AUTOFREE char *name = NULL;

		if (file_slurp(paths[i], &text, NULL))
			continue;
		name = value_of(str_text(&text), "PRETTY_NAME", '=');
		if (!name)
			continue;
		if (*name == '"' && name[1])
			name[strlen(name) - 1] = '\0';
		facts_text(f, name + (*name == '"'), "os.name");
		return;
	}
}

static void cpuinfo_facts(facts_t *f)
{
	/* What architectures call it: x86, LoongArch, MIPS, PowerPC, RISC-V, Arm. */
	static const char *const names[] = { "model name", "Model Name", "cpu model", "cpu", "uarch", "CPU part" };
	AUTOSTR struct str text = { 0 };
	AUTOFREE char *model = NULL, *microcode = NULL, *flags = NULL, *type = mem_alloc(VALUE, 1);

	if (file_slurp("/proc/cpuinfo", &text, NULL))
		return;
	for (size_t i = 0; i < ARRAY_LEN(names) && !model; i++)
		model = value_of(str_text(&text), names[i], ':');
	if (model)
		facts_text(f, model, "cpu.model");
	microcode = value_of(str_text(&text), "microcode", ':');
	if (microcode)
		facts_text(f, microcode, "cpu.microcode");
	flags = value_of(str_text(&text), "flags", ':');
	if (!sysfs_read(sysfs_root(), "hypervisor/type", type, VALUE, NULL))
		facts_text(f, type, "machine.hypervisor");
	else if (flags && strstr(flags, " hypervisor"))
		facts_text(f, "yes", "machine.hypervisor");
}

bool host_has_steady_tsc(void)
{
	AUTOFREE char *source = mem_alloc(VALUE, 1), *flags = NULL;
	AUTOSTR struct str text = { 0 };

	if (sysfs_read(sysfs_root(), "devices/system/clocksource/clocksource0/current_clocksource", source, VALUE, NULL) ||
	    strcmp(source, "tsc") || file_slurp("/proc/cpuinfo", &text, NULL))
		return false;
	flags = value_of(str_text(&text), "flags", ':');
	return flags && strstr(flags, " constant_tsc") && strstr(flags, " nonstop_tsc");
}

static void machine_facts(facts_t *f)
{
	AUTOFREE char *value = mem_alloc(VALUE, 1), *dir = NULL;
	AUTOSTRINGS strings_t names = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(machine_attrs); i++)
		if (!sysfs_read(sysfs_root(), machine_attrs[i].attr, value, VALUE, NULL))
			facts_text(f, value, "%s", machine_attrs[i].key);
	dir = mem_printf("%s/devices/system/cpu/vulnerabilities", sysfs_root());
	sysfs_list(dir, ".", &names, NULL);
	for (size_t i = 0; i < names.n; i++)
		if (!sysfs_read(dir, names.items[i], value, VALUE, NULL))
			facts_text(f, value, "cpu.mitigations.%s", names.items[i]);
}

/* The one value of all CPUs, or each different one with the number of CPUs that have it. */
static void fact_in_common(facts_t *f, const strings_t *values, const char *key)
{
	AUTOSTRINGS strings_t seen = { 0 };
	AUTOSTR struct str mixed = { 0 };

	for (size_t i = 0; i < values->n; i++) {
		unsigned count = 0;

		if (strings_has(&seen, values->items[i]))
			continue;
		strings_add(&seen, values->items[i]);
		for (size_t k = i; k < values->n; k++)
			count += !strcmp(values->items[k], values->items[i]);
		str_addf(&mixed, "%s%s x%u", seen.n > 1 ? ", " : "mixed: ", values->items[i], count);
	}
	if (seen.n)
		facts_text(f, seen.n == 1 ? seen.items[0] : str_text(&mixed), "%s", key);
}

static void cpufreq_facts(facts_t *f)
{
	static const struct {
		const char *key;
		size_t offset;
		bool number;
	} properties[] = {
		{ "cpufreq.driver", offsetof(struct cpufreq_saved, driver), false },
		{ "cpufreq.energy_preference", offsetof(struct cpufreq_saved, epp), false },
		{ "cpufreq.governor", offsetof(struct cpufreq_saved, governor), false },
		{ "cpufreq.max_khz", offsetof(struct cpufreq_saved, max_khz), true },
		{ "cpufreq.min_khz", offsetof(struct cpufreq_saved, min_khz), true },
	};
	AUTOFREE struct cpufreq_saved *cpus = NULL;
	numbers_t online = { 0 };
	size_t n = 0;

	cpufreq_online(&online);
	cpus = mem_alloc(online.n, sizeof(*cpus));
	cpufreq_save(cpus, online.n, &n, NULL);
	if (online.n)
		facts_number(f, (int64_t)online.n, "cpu.count");
	vec_free(&online);
	if (!n)
		facts_null(f, "cpufreq.driver");
	for (size_t p = 0; p < ARRAY_LEN(properties); p++) {
		AUTOSTRINGS strings_t values = { 0 };

		for (size_t i = 0; i < n; i++) {
			const void *value = (const char *)&cpus[i] + properties[p].offset;

			if (properties[p].number)
				*vec_push(&values) = mem_printf("%lu", *(const unsigned long *)value);
			else if (*(const char *)value)
				strings_add(&values, value);
		}
		fact_in_common(f, &values, properties[p].key);
	}
}

/* Boots of the same kernel on the same machine differ by some pages: in 64 MiB they do not. */
#define MEMORY_STEP (64LL << 20)

static void memory_facts(facts_t *f)
{
	static const struct {
		const char *key, *line;
		int64_t step;
	} sizes[] = { { "memory.total_bytes", "MemTotal", MEMORY_STEP }, { "swap.total_bytes", "SwapTotal", 1 } };
	AUTOSTR struct str text = { 0 };

	if (file_slurp("/proc/meminfo", &text, NULL))
		return;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTOFREE char *kib = value_of(str_text(&text), sizes[i].line, ':');

		if (kib)
			facts_number(f, (strtoll(kib, NULL, 10) * 1024 + sizes[i].step / 2) / sizes[i].step * sizes[i].step,
				     "%s", sizes[i].key);
	}
}

/* "/dev/sda2 partition, /swapfile file": /proc/swaps has a head, then name, type, size, used, priority. */
static void swap_facts(facts_t *f)
{
	AUTOSTR struct str text = { 0 }, areas = { 0 };
	const char *line;

	if (file_slurp("/proc/swaps", &text, NULL))
		return;
	for (line = strchr(str_text(&text), '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		char name[512], type[32];

		if (sscanf(line + 1, "%511s %31s", name, type) == 2)
			str_addf(&areas, "%s%s %s", areas.len ? ", " : "", name, type);
	}
	if (areas.len)
		facts_text(f, str_text(&areas), "swap.areas");
}

/* ---- which code: build-ids ---- */

/* 'path' below the root of sysfs: the notes are binary, which sysfs_read() is not made for. */
static void build_id_fact(facts_t *f, const char *path, const char *key)
{
	AUTOFREE char *full = mem_printf("%s/%s", sysfs_root(), path);
	AUTOSTR struct str notes = { 0 }, hex = { 0 };

	if (!file_slurp(full, &notes, NULL) && module_note_build_id(str_text(&notes), notes.len, &hex))
		facts_text(f, str_text(&hex), "%s", key);
}

static void code_facts(facts_t *f)
{
	build_id_fact(f, "kernel/notes", "kernel.build_id");
	for (size_t i = 0; scheduler_at(i); i++) {
		AUTOFREE char *notes = NULL, *key = NULL, *version = NULL;
		char text[128], module[64];

		if (!module_of_scheduler(scheduler_at(i)->name, module))
			continue;
		notes = mem_printf("module/%s/notes/.note.gnu.build-id", module);
		key = mem_printf("module.%s.build_id", module);
		build_id_fact(f, notes, key);
		version = mem_printf("module/%s/srcversion", module);
		if (!sysfs_read(sysfs_root(), version, text, sizeof(text), NULL))
			facts_text(f, text, "module.%s.srcversion", module);
	}
}

static void subject_facts(facts_t *f, const struct subject *s)
{
	for (size_t i = 0; i < s->modules.n; i++) {
		const struct module_file *m = &s->modules.items[i];

		facts_text(f, m->build_id, "module.%s@%s.build_id", s->scheduler, m->path);
		facts_text(f, m->vermagic, "module.%s@%s.vermagic", s->scheduler, m->path);
		if (m->srcversion)
			facts_text(f, m->srcversion, "module.%s@%s.srcversion", s->scheduler, m->path);
	}
	if (s->tree)
		facts_text(f, s->tree, "kernel_tree");
}

/* ---- udev rules ---- */

void host_udev_rules(facts_t *facts)
{
	udev_rules_t rules = { 0 };
	AUTOSTR struct str found = { 0 };
	const char *last = "";

	udev_rules_read(NULL, 0, NULL, 0, &rules);
	for (size_t i = 0; i < rules.n; i++) {
		const struct udev_rule *rule = &rules.items[i];

		if (!udev_rule_sets(rule->text, "queue/scheduler") || !strcmp(rule->path, last))
			continue;
		str_addf(&found, "%s%s", found.len ? ", " : "", rule->path);
		last = rule->path;
	}
	if (found.len)
		facts_text(facts, str_text(&found), "udev.scheduler_rules");
	udev_rules_release(&rules);
}

/* ---- disks ---- */

/* Is it the scheduler itself, or does selecting one set it? Then each run has it among its settings. */
static bool made_by_scheduler(const char *queue_attr)
{
	const struct knob *k;

	for (size_t i = 0; (k = knob_at(i)); i++)
		if (str_starts(k->name, "queue/") && !strcmp(k->name + strlen("queue/"), queue_attr))
			return k->stage == KNOB_SCHEDULER || k->flags & KNOB_BY_SWITCH;
	return false;
}

/* Of the root cgroup (Documentation/admin-guide/cgroup-v2.rst), a line a disk: "8:0 enable=1 ctrl=auto ...". */
static void iocost_fact(facts_t *f, const struct disk *disk)
{
	AUTOFREE char *key = mem_printf("%u:%u", major(disk->number), minor(disk->number)), *value = NULL;
	AUTOFREE char *text = mem_alloc(VALUE, 1);

	if (sysfs_read(sysfs_root(), "fs/cgroup/io.cost.qos", text, VALUE, NULL))
		return;
	value = value_of(text, key, 0);
	if (value)
		facts_text(f, value, "disk.%s.io.cost.qos", disk->name);
}

static void disk_facts(facts_t *f, const struct disk *disk)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "identity", disk->identity }, { "model", disk->model },	  { "serial", disk->serial },
		{ "wwid", disk->wwid },		{ "transport", disk->transport },
	};
	AUTOFREE char *value = mem_alloc(VALUE, 1);
	AUTOSTRINGS strings_t names = { 0 };
	AUTOSTR struct str simulated = { 0 };

	if (simdisk_is(disk->sysdir, &simulated))
		facts_text(f, str_text(&simulated), "disk.%s.simulated", disk->name);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].text)
			facts_text(f, texts[i].text, "disk.%s.%s", disk->name, texts[i].key);
	facts_number(f, (int64_t)disk->size_bytes, "disk.%s.size_bytes", disk->name);
	for (size_t i = 0; i < ARRAY_LEN(disk_attrs); i++)
		if (!sysfs_read(disk->sysdir, disk_attrs[i].attr, value, VALUE, NULL))
			facts_text(f, value, "disk.%s.%s", disk->name, disk_attrs[i].key);
	sysfs_list(disk->sysdir, "queue", &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		AUTOFREE char *attr = mem_printf("queue/%s", names.items[i]);

		if (!made_by_scheduler(names.items[i]) && !sysfs_read(disk->sysdir, attr, value, VALUE, NULL))
			facts_text(f, value, "disk.%s.queue.%s", disk->name, names.items[i]);
	}
	iocost_fact(f, disk);
}

int host_capture(const struct disk *const *disks, size_t n, const struct subject *subject, facts_t *facts, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!sysfs_exists(disks[i]->sysdir, "queue"))
			return err_set(err, ERR_NEEDS, "disk '%s' is gone (no '%s/queue')", disks[i]->name,
				       disks[i]->sysdir);
	for (size_t i = 0; i < n; i++)
		disk_facts(facts, disks[i]);
	facts_text(facts, IOBENCH_VERSION, "iobench.version");
	kernel_facts(facts);
	os_facts(facts);
	cpuinfo_facts(facts);
	machine_facts(facts);
	cpufreq_facts(facts);
	memory_facts(facts);
	swap_facts(facts);
	code_facts(facts);
	if (subject)
		subject_facts(facts, subject);
	return 0;
}

void host_boot_id(char out[UUID_TEXT])
{
	AUTOSTR struct str text = { 0 };

	out[0] = '\0';
	if (!file_slurp("/proc/sys/kernel/random/boot_id", &text, NULL) && text.len >= UUID_TEXT - 1)
		snprintf(out, UUID_TEXT, "%.*s", UUID_TEXT - 1, text.s);
}
