// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks/doctor.h"
#include "common/file.h"
#include "common/units.h"

/* ---- judging ---- */

#define HOUR_NS (3600 * NS_PER_S)
#define NOW_NS (1800000000 * NS_PER_S)

static struct doctor_facts facts;
static struct doctor_disk disk;
static struct doctor_unit unit;
static struct udev_rule rule;

/* A machine on which one may measure. */
static void good_machine(void)
{
	disk = (struct doctor_disk){ .name = (char *)"sda",
				     .rotational = true,
				     .transport = (char *)"sata",
				     .schedulers = (char *)"none [mq-deadline] bfq",
				     .write_cache = (char *)"write through",
				     .queue_depth = (char *)"31",
				     .wbt_lat_us = (char *)"0",
				     .self_test = DOCTOR_NO,
				     .failing = DOCTOR_NO };
	unit = (struct doctor_unit){ .name = (char *)"fstrim.timer",
				     .active = true,
				     .next_ns = NOW_NS + 30 * HOUR_NS };
	rule = (struct udev_rule){ (char *)"/etc/udev/rules.d/60-x.rules", (char *)"ATTR{queue/scheduler}=\"bfq\"",
				     3 };
	facts = (struct doctor_facts){ .root = true,
				       .fio = (char *)"fio-3.33",
				       .run_folder = (char *)"/run/iobench",
				       .has_target = true,
				       .has_bfq = DOCTOR_YES,
				       .has_udev = true,
				       .has_units = true,
				       .cpufreq_driver = (char *)"acpi-cpufreq",
				       .governor = (char *)"performance",
				       .memory_available_bytes = 1ULL << 33,
				       .load1_percent = 39,
				       .cpus = 4,
				       .has_pressure = true,
				       .now_ns = NOW_NS };
	facts.disks.items = &disk;
	facts.disks.n = 1;
	facts.units.items = &unit;
	facts.units.n = 1;
}

/* What is not "ok": "warn swap: 3 MiB; …", needs with a '!'. */
static char *complaints(void)
{
	doctor_items_t items = { 0 };
	struct str text = { 0 };

	check_doctor(&facts, 24 * HOUR_NS, &items);
	for (size_t i = 0; i < items.n; i++) {
		const struct doctor_item *it = &items.items[i];

		if (it->status != DOCTOR_OK)
			str_addf(&text, "%s%s%s %s%s%s: %s", text.len ? "; " : "", doctor_status_text(it->status),
				 it->need ? "!" : "", check_codes[it->id].code, it->subject ? " " : "",
				 it->subject ? it->subject : "", it->text);
	}
	doctor_items_release(&items);
	good_machine();
	return text.len ? str_steal(&text) : mem_strdup("");
}

static void gives(const char *want, const char *what)
{
	AUTOFREE char *got = complaints();

	is(got, want, what);
}

static void test_needs(void)
{
	char *use = (char *)"'/dev/sda2' is mounted on '/home'";

	gives("", "a good machine: all is ok");
	facts.root = false;
	gives("warn! root: no: settings of disks are root's", "not root");
	facts.fio = NULL;
	gives("warn! fio: not found in PATH", "no fio");
	facts.fio = (char *)"fio-2.21";
	gives("warn! fio: fio-2.21", "an old fio");
	facts.fio = (char *)"fio-3.36-17-gabc";
	gives("", "one built from git");
	facts.run_folder_fault = (char *)"Read-only file system";
	gives("warn! run-folder: /run/iobench: Read-only file system", "no folder for journals");
	facts.stale = (char *)"a sweep died";
	gives("warn! stale-settings: a sweep died", "a journal of a dead sweep");
	facts.uses.items = &use;
	facts.uses.n = 1;
	gives("warn! device-use: '/dev/sda2' is mounted on '/home'", "a device in use");
}

static void test_machine(void)
{
	facts.has_bfq = DOCTOR_NO;
	gives("note bfq: this kernel does not have it", "no bfq");
	facts.has_bfq = DOCTOR_UNKNOWN;
	gives("unknown bfq: neither offered nor loaded, and modprobe is not there to ask", "who knows");

	facts.rules.items = &rule;
	facts.rules.n = 1;
	gives("note udev-rules: /etc/udev/rules.d/60-x.rules:3: ATTR{queue/scheduler}=\"bfq\"", "a udev rule");
	facts.rules.items = &rule;
	facts.rules.n = 1;
	facts.has_udev = false;
	gives("note udev-rules: /etc/udev/rules.d/60-x.rules:3: ATTR{queue/scheduler}=\"bfq\" (udev is not running "
	      "now)",
	      "that nobody runs");

	facts.has_units = false;
	gives("unknown services: systemd does not answer; unknown timers: systemd does not answer", "no systemd");
	unit.next_ns = NOW_NS + 23 * HOUR_NS;
	gives("warn timers: fstrim.timer is due in 23 h 00 min", "a timer due within the night");
	unit.next_ns = NOW_NS - HOUR_NS;
	gives("warn timers: fstrim.timer is due now", "or overdue");
	unit.next_ns = 0;
	gives("note timers: fstrim.timer is active, due nobody knows when", "or who knows when");
	unit.next_ns = NOW_NS;
	unit.active = false;
	gives("", "a timer that is off");
	unit = (struct doctor_unit){ .name = (char *)"tuned.service", .active = true };
	gives("warn services: tuned.service is active", "a service that changes settings");
	unit = (struct doctor_unit){ .name = (char *)"smartd.service", .active = true };
	gives("note services: smartd.service is active", "a service that asks the disk now and then");
	unit = (struct doctor_unit){ .name = (char *)"tuned.service" };
	gives("", "one that is there and not active");
	facts.md_action = (char *)"md0: check";
	gives("warn raid-check: md0: check", "an array being checked");

	facts.governor = (char *)"powersave";
	gives("note cpufreq: driver acpi-cpufreq, governor powersave", "another governor is a fact, no fault");
	facts.governor = facts.cpufreq_driver = NULL;
	gives("unknown cpufreq: this machine has no cpufreq", "no cpufreq");
	facts.swap_used_bytes = 3 << 20;
	gives("note swap: 3 MiB", "swap in use");
	facts.memory_available_bytes = 511 << 20;
	gives("warn free-memory: 511 MiB", "little memory");
	facts.load1_percent = 41;
	gives("warn load: 0.41 in the last minute, 4 CPUs", "a busy machine");
	facts.has_pressure = false;
	gives("note pressure-counters: off", "no pressure counters");
}

static void test_disks(void)
{
	facts.virtual_machine = true;
	gives("note rotational sda: 1; note virtual-machine: yes",
	      "a virtual machine: its disks only say that they turn");
	disk.transport = (char *)"virtio";
	gives("note rotational sda: 1", "a virtual disk");
	disk.transport = (char *)"loop";
	disk.rotational = false;
	gives("", "one that does not say so");
	disk.schedulers = (char *)"none";
	gives("warn schedulers sda: none", "no choice of schedulers");
	disk.schedulers = (char *)"[none]";
	gives("warn schedulers sda: [none]", "only one");
	disk.schedulers = NULL;
	gives("warn schedulers sda: none: no queue/scheduler", "not even that");
	disk.self_test = DOCTOR_YES;
	gives("warn self-test sda: running", "a self-test");
	disk.self_test = disk.failing = DOCTOR_UNKNOWN;
	gives("unknown self-test sda: smartctl is not there, or the disk does not answer it", "who knows");
	disk.failing = DOCTOR_YES;
	gives("warn disk-health sda: the disk says that it is failing", "a failing disk");
	disk.write_cache = (char *)"write back";
	gives("note write-cache sda: write back", "a write cache");
	disk.queue_depth = (char *)"1";
	gives("note queue-depth sda: 1", "no NCQ");
	disk.wbt_lat_us = (char *)"75000";
	gives("note wbt sda: 75000 us", "writeback throttling");
	disk.iocost = (char *)"enable=1 ctrl=user";
	gives("warn iocost sda: enable=1 ctrl=user", "iocost");
	disk.iocost = (char *)"enable=0 ctrl=auto";
	gives("", "iocost that is off");
	disk.host_managed = true;
	gives("note zoned sda: host-managed", "a zoned disk");
	disk = (struct doctor_disk){ .name = (char *)"vda",
				     .transport = (char *)"virtio",
				     .schedulers = (char *)"[none] mq-deadline",
				     .self_test = DOCTOR_NO };
	gives("", "what a disk does not have is not spoken of");
}

/* ---- udev's rules ---- */

static char *root;

static void put(const char *name, const char *text)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, name);
	struct err err = { 0 };

	if (file_replace(path, text, strlen(text), &err))
		printf("# %s\n", err.msg);
}

/* "NAME:LINE NAME:LINE" of what is found for 'disks'. */
static char *rules_for(const struct disk *disks, size_t n)
{
	AUTOFREE char *etc = mem_printf("%s/etc", root), *lib = mem_printf("%s/lib", root);
	const char *const dirs[] = { etc, "/nonexistent/rules.d", lib };
	udev_rules_t rules = { 0 };
	struct str text = { 0 };

	udev_rules_read(dirs, 3, disks, n, &rules);
	for (size_t i = 0; i < rules.n; i++)
		str_addf(&text, "%s%s:%u", text.len ? " " : "", rules.items[i].path + strlen(root) + 1,
			 rules.items[i].line);
	udev_rules_release(&rules);
	return text.len ? str_steal(&text) : mem_strdup("");
}

static void rules_are(const struct disk *disks, size_t n, const char *want, const char *what)
{
	AUTOFREE char *got = rules_for(disks, n);

	is(got, want, what);
}

static void test_rule_text(const char *name, const char *want)
{
	AUTOFREE char *dir = mem_printf("%s/%s", root, name);
	const char *const dirs[] = { dir };
	udev_rules_t rules = { 0 };

	udev_rules_read(dirs, 1, NULL, 0, &rules);
	is(rules.n ? rules.items[0].text : "", want, "a joined line is one text");
	udev_rules_release(&rules);
}

static void test_rules(void)
{
	const struct disk hdd = { .name = "sda", .rotational = true }, nvme = { .name = "nvme0n1" },
			  both[] = { hdd, nvme };

	put("etc/60-io.rules",
	    "# ATTR{queue/scheduler}=\"bfq\"\n"
	    "ACTION==\"add|change\", KERNEL==\"sd[a-z]*|mmcblk*\", ATTR{queue/rotational}==\"1\", \\\n"
	    "  ATTR{queue/scheduler}=\"bfq\"\n"
	    "KERNEL==\"sd*\", ATTR{queue/rotational}==\"0\", ATTR{queue/scheduler}=\"none\"\n"
	    "KERNEL!=\"sd*\", ATTR{queue/read_ahead_kb}=\"128\"\n"
	    "ATTR{queue/scheduler}==\"bfq\", TAG+=\"x\"\n"
	    "ATTR{queue/scheduler}!=\"bfq\", TAG+=\"x\"\n"
	    "ENV{ID_X}==\"1\", RUN+=\"/bin/sh -c 'echo kyber > /sys/block/%k/queue/scheduler'\"\n"
	    "ATTR{queue/nr_requests}=\"64\" \\");
	put("lib/60-io.rules", "ATTR{queue/scheduler}=\"hidden\"\n");
	put("lib/61-other.rules", "ATTR{queue/scheduler}=\"mq-deadline\"\n");
	put("lib/62-no-rules.txt", "ATTR{queue/scheduler}=\"mq-deadline\"\n");
	rules_are(&hdd, 1, "etc/60-io.rules:2 etc/60-io.rules:8 etc/60-io.rules:9 lib/61-other.rules:1",
		  "of a rotational sda: by name and kind, commands, joined lines; hidden files hide");
	rules_are(&nvme, 1, "etc/60-io.rules:5 etc/60-io.rules:8 etc/60-io.rules:9 lib/61-other.rules:1",
		  "of an NVMe: others");
	rules_are(both, 2,
		  "etc/60-io.rules:2 etc/60-io.rules:5 etc/60-io.rules:8 etc/60-io.rules:9 lib/61-other.rules:1",
		  "of either");
	rules_are(NULL, 0,
		  "etc/60-io.rules:2 etc/60-io.rules:4 etc/60-io.rules:5 etc/60-io.rules:8 etc/60-io.rules:9 "
		  "lib/61-other.rules:1",
		  "of any disk: all that set, none that only compare");
	test_rule_text("etc",
		       "ACTION==\"add|change\", KERNEL==\"sd[a-z]*|mmcblk*\", ATTR{queue/rotational}==\"1\",   "
		       "ATTR{queue/scheduler}=\"bfq\"");
}

/* ---- gathering: that it ends and gives sensible figures; fakes of what it asks are in tests/cli/doctor.t ---- */

static void test_gather(void)
{
	struct doctor_facts f;

	doctor_facts_gather(NULL, false, &f);
	ok(!f.has_target && !f.disks.n && f.root == !geteuid() && f.cpus > 0 && f.run_folder && f.kernel &&
		   f.memory_available_bytes > 0 && f.memory_bytes > f.memory_available_bytes && f.now_ns > NOW_NS / 2,
	   "of this machine");
	doctor_facts_release(&f);
	ok(!f.fio && !f.units.n, "and released");
	setpriority(PRIO_PROCESS, 0, 19);
	doctor_facts_gather(NULL, false, &f);
	is(f.io_priority, "nice 19", "and its own priority");
	doctor_facts_release(&f);
}

int main(void)
{
	char template[] = "/tmp/iobench-doctor-XXXXXX";
	AUTOFREE char *etc = NULL, *lib = NULL, *remove = NULL;

	root = mkdtemp(template);
	etc = mem_printf("%s/etc", root);
	lib = mem_printf("%s/lib", root);
	if (mkdir(etc, 0700) || mkdir(lib, 0700))
		return 1;
	good_machine();
	test_needs();
	test_machine();
	test_disks();
	test_rules();
	test_gather();
	remove = mem_printf("rm -rf %s", root);
	if (system(remove))
		printf("# cannot remove %s\n", root);
	return tap_done();
}
