// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/doctor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "checks/limits.h"

#define OLDEST_FIO 3 /* nanosecond latencies in its JSON */

/* What is judged, and where it goes. */
struct visit {
	const struct doctor_facts *f;
	const struct doctor_disk *disk; /* NULL: the machine */
	int64_t horizon_ns;
	doctor_items_t *out;
};

__attribute__((format(printf, 4, 5))) static struct doctor_item *add(const struct visit *v, enum check_id id,
								     enum doctor_status status, const char *fmt, ...)
{
	struct doctor_item *item = vec_push(v->out);
	va_list ap;

	*item = (struct doctor_item){ .id = id,
				      .status = status,
				      .subject = mem_strdup(v->disk ? v->disk->name : NULL) };
	va_start(ap, fmt);
	if (vasprintf(&item->text, fmt, ap) < 0)
		abort(); /* no memory: as in common/mem.h */
	va_end(ap);
	return item;
}

static void add_need(const struct visit *v, enum check_id id, bool met, const char *text)
{
	add(v, id, met ? DOCTOR_OK : DOCTOR_WARN, "%s", text)->need = true;
}

/* ---- needs ---- */

static void judge_root(const struct visit *v)
{
	add_need(v, CHECK_ROOT, v->f->root, v->f->root ? "yes" : "no: settings of disks are root's");
}

static void judge_fio(const struct visit *v)
{
	const char *fio = v->f->fio;
	/* "fio-3.33", "fio-3.36-17-gabc" */
	bool met = fio && str_starts(fio, "fio-") && strtoul(fio + strlen("fio-"), NULL, 10) >= OLDEST_FIO;

	add_need(v, CHECK_FIO, met, fio ? fio : "not found in PATH");
}

static void judge_run_folder(const struct visit *v)
{
	AUTOFREE char *text = v->f->run_folder_fault ? mem_printf("%s: %s", v->f->run_folder, v->f->run_folder_fault)
						     : mem_strdup(v->f->run_folder);

	add_need(v, CHECK_RUN_FOLDER, !v->f->run_folder_fault, text);
}

static void judge_stale(const struct visit *v)
{
	add_need(v, CHECK_STALE_SETTINGS, !v->f->stale, v->f->stale ? v->f->stale : "none");
}

static void judge_uses(const struct visit *v)
{
	if (v->f->has_target && !v->f->uses.n)
		add_need(v, CHECK_DEVICE_USE, true, "none");
	for (size_t i = 0; i < v->f->uses.n; i++)
		add_need(v, CHECK_DEVICE_USE, false, v->f->uses.items[i]);
}

/* ---- the machine ---- */

static void judge_bfq(const struct visit *v)
{
	static const struct {
		enum doctor_status status;
		const char *text;
	} answers[] = {
		[DOCTOR_UNKNOWN] = { DOCTOR_NOT_KNOWN,
				     "neither offered nor loaded, and modprobe is not there to ask" },
		[DOCTOR_NO] = { DOCTOR_NOTE, "this kernel does not have it" },
		[DOCTOR_YES] = { DOCTOR_OK, "there" },
	};

	add(v, CHECK_BFQ, answers[v->f->has_bfq].status, "%s", answers[v->f->has_bfq].text);
}

static void judge_rules(const struct visit *v)
{
	if (!v->f->rules.n)
		add(v, CHECK_UDEV_RULES, DOCTOR_OK, "none");
	for (size_t i = 0; i < v->f->rules.n; i++)
		add(v, CHECK_UDEV_RULES, DOCTOR_NOTE, "%s:%u: %s%s", v->f->rules.items[i].path,
		    v->f->rules.items[i].line, v->f->rules.items[i].text,
		    v->f->has_udev ? "" : " (udev is not running now)");
}

/* Those that set schedulers, read-ahead, governors or power management by themselves. */
static bool changes_settings(const char *unit)
{
	static const char *const names[] = { "tuned.service", "power-profiles-daemon.service", "tlp.service",
					     "laptop-mode.service" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(unit, names[i]))
			return true;
	return false;
}

static bool is_timer(const struct doctor_unit *u)
{
	return strstr(u->name, ".timer");
}

static void judge_services(const struct visit *v)
{
	size_t before = v->out->n;

	if (!v->f->has_units) {
		add(v, CHECK_SERVICES, DOCTOR_NOT_KNOWN, "systemd does not answer");
		return;
	}
	for (size_t i = 0; i < v->f->units.n; i++) {
		const struct doctor_unit *u = &v->f->units.items[i];

		if (u->active && !is_timer(u))
			add(v, CHECK_SERVICES, changes_settings(u->name) ? DOCTOR_WARN : DOCTOR_NOTE, "%s is active",
			    u->name);
	}
	if (v->out->n == before)
		add(v, CHECK_SERVICES, DOCTOR_OK, "none active");
}

static void judge_timers(const struct visit *v)
{
	size_t before = v->out->n;

	if (!v->f->has_units) {
		add(v, CHECK_TIMERS, DOCTOR_NOT_KNOWN, "systemd does not answer");
		return;
	}
	for (size_t i = 0; i < v->f->units.n; i++) {
		const struct doctor_unit *u = &v->f->units.items[i];
		int64_t left_ns = u->next_ns - v->f->now_ns;
		char left[UNITS_TEXT];

		if (!u->active || !is_timer(u))
			continue;
		if (!u->next_ns)
			add(v, CHECK_TIMERS, DOCTOR_NOTE, "%s is active, due nobody knows when", u->name);
		else if (left_ns <= 0)
			add(v, CHECK_TIMERS, DOCTOR_WARN, "%s is due now", u->name);
		else if (left_ns < v->horizon_ns)
			add(v, CHECK_TIMERS, DOCTOR_WARN, "%s is due in %s", u->name,
			    units_format_duration(left, (uint64_t)left_ns));
	}
	if (v->out->n == before)
		add(v, CHECK_TIMERS, DOCTOR_OK, "none due");
}

static void judge_md(const struct visit *v)
{
	add(v, CHECK_RAID_CHECK, v->f->md_action ? DOCTOR_WARN : DOCTOR_OK, "%s",
	    v->f->md_action ? v->f->md_action : "none");
}

static void judge_cpufreq(const struct visit *v)
{
	if (!v->f->governor)
		add(v, CHECK_CPUFREQ, DOCTOR_NOT_KNOWN, "this machine has no cpufreq");
	else
		add(v, CHECK_CPUFREQ, strcmp(v->f->governor, "performance") != 0 ? DOCTOR_NOTE : DOCTOR_OK,
		    "driver %s, governor %s", v->f->cpufreq_driver, v->f->governor);
}

static void judge_virtual(const struct visit *v)
{
	add(v, CHECK_VIRTUAL_MACHINE, v->f->virtual_machine ? DOCTOR_NOTE : DOCTOR_OK, "%s",
	    v->f->virtual_machine ? "yes" : "no");
}

static void judge_memory(const struct visit *v)
{
	char swap[UNITS_TEXT], memory[UNITS_TEXT];

	add(v, CHECK_SWAP, v->f->swap_used_bytes ? DOCTOR_NOTE : DOCTOR_OK, "%s",
	    units_format_size(swap, v->f->swap_used_bytes));
	add(v, CHECK_FREE_MEMORY, v->f->memory_available_bytes < LEAST_MEMORY_BYTES ? DOCTOR_WARN : DOCTOR_OK, "%s",
	    units_format_size(memory, v->f->memory_available_bytes));
}

static void judge_load(const struct visit *v)
{
	uint64_t load = v->f->load1_percent;

	add(v, CHECK_LOAD, (double)load > 100 * BUSY_LOAD_SHARE * v->f->cpus ? DOCTOR_WARN : DOCTOR_OK,
	    "%" PRIu64 ".%02" PRIu64 " in the last minute, %u CPU%s", load / 100, load % 100, v->f->cpus,
	    v->f->cpus == 1 ? "" : "s");
}

static void judge_pressure(const struct visit *v)
{
	add(v, CHECK_PRESSURE_COUNTERS, v->f->has_pressure ? DOCTOR_OK : DOCTOR_NOTE, "%s",
	    v->f->has_pressure ? "there" : "off");
}

/* ---- a disk ---- */

static void judge_schedulers(const struct visit *v)
{
	const char *line = v->disk->schedulers;

	/* a queue that can have none prints no brackets: sysfs_scheduler_parse() */
	add(v, CHECK_SCHEDULERS, line && strchr(line, '[') && strchr(line, ' ') ? DOCTOR_OK : DOCTOR_WARN, "%s",
	    line ? line : "none: no queue/scheduler");
}

static void judge_rotational(const struct visit *v)
{
	static const char *const virtual_disks[] = { "virtio", "loop", "xen", "virtual" };
	bool is_virtual = v->f->virtual_machine;

	for (size_t i = 0; v->disk->transport && i < ARRAY_LEN(virtual_disks); i++)
		is_virtual |= !strcmp(v->disk->transport, virtual_disks[i]);
	add(v, CHECK_ROTATIONAL, v->disk->rotational && is_virtual ? DOCTOR_NOTE : DOCTOR_OK, "%d",
	    v->disk->rotational);
	if (v->disk->host_managed)
		add(v, CHECK_ZONED, DOCTOR_NOTE, "host-managed");
}

static void judge_self_test(const struct visit *v)
{
	static const struct {
		enum doctor_status status;
		const char *text;
	} answers[] = {
		[DOCTOR_UNKNOWN] = { DOCTOR_NOT_KNOWN, "smartctl is not there, or the disk does not answer it" },
		[DOCTOR_NO] = { DOCTOR_OK, "none running" },
		[DOCTOR_YES] = { DOCTOR_WARN, "running" },
	};

	add(v, CHECK_SELF_TEST, answers[v->disk->self_test].status, "%s", answers[v->disk->self_test].text);
	if (v->disk->failing != DOCTOR_UNKNOWN)
		add(v, CHECK_DISK_HEALTH, v->disk->failing == DOCTOR_YES ? DOCTOR_WARN : DOCTOR_OK, "%s",
		    v->disk->failing == DOCTOR_YES ? "the disk says that it is failing" : "passed");
}

static void judge_write_cache(const struct visit *v)
{
	if (v->disk->write_cache)
		add(v, CHECK_WRITE_CACHE, !strcmp(v->disk->write_cache, "write back") ? DOCTOR_NOTE : DOCTOR_OK, "%s",
		    v->disk->write_cache);
}

static void judge_queue_depth(const struct visit *v)
{
	if (v->disk->queue_depth)
		add(v, CHECK_QUEUE_DEPTH, !strcmp(v->disk->queue_depth, "1") ? DOCTOR_NOTE : DOCTOR_OK, "%s",
		    v->disk->queue_depth);
}

static void judge_wbt(const struct visit *v)
{
	const char *us = v->disk->wbt_lat_us;

	if (us)
		add(v, CHECK_WBT, strcmp(us, "0") != 0 ? DOCTOR_NOTE : DOCTOR_OK, "%s%s",
		    strcmp(us, "0") != 0 ? us : "off", strcmp(us, "0") != 0 ? " us" : "");
}

static void judge_iocost(const struct visit *v)
{
	bool on = v->disk->iocost && str_starts(v->disk->iocost, "enable=1");

	add(v, CHECK_IOCOST, on ? DOCTOR_WARN : DOCTOR_OK, "%s", on ? v->disk->iocost : "off");
}

/* ---- */

void check_doctor(const struct doctor_facts *f, int64_t horizon_ns, doctor_items_t *out)
{
	static void (*const needs[])(const struct visit *) = {
		judge_root, judge_fio, judge_run_folder, judge_stale, judge_uses,
	};
	static void (*const of_disk[])(const struct visit *) = {
		judge_schedulers,  judge_rotational, judge_self_test, judge_write_cache,
		judge_queue_depth, judge_wbt,	     judge_iocost,
	};
	static void (*const of_machine[])(const struct visit *) = {
		judge_bfq,     judge_rules,   judge_services, judge_timers, judge_md,
		judge_cpufreq, judge_virtual, judge_memory,   judge_load,   judge_pressure,
	};
	struct visit v = { .f = f, .horizon_ns = horizon_ns, .out = out };

	for (size_t i = 0; i < ARRAY_LEN(needs); i++)
		needs[i](&v);
	for (size_t d = 0; d < f->disks.n; d++) {
		v.disk = &f->disks.items[d];
		for (size_t i = 0; i < ARRAY_LEN(of_disk); i++)
			of_disk[i](&v);
	}
	v.disk = NULL;
	for (size_t i = 0; i < ARRAY_LEN(of_machine); i++)
		of_machine[i](&v);
}

void doctor_items_release(doctor_items_t *items)
{
	for (size_t i = 0; i < items->n; i++) {
		free(items->items[i].subject);
		free(items->items[i].text);
	}
	vec_free(items);
}

const char *doctor_status_text(enum doctor_status status)
{
	static const char *const texts[] = { "ok", "note", "warn", "unknown" };

	return texts[status];
}
