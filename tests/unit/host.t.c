// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Environment and counters over a fake sysfs of plain files; what comes from /proc, udev and libcpupower over files
 * that are bind-mounted in a private namespace.
 */
#include "runner/host.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/tap.h"

static char root[] = "/tmp/iobench-host.XXXXXX";

static void put_bytes(const char *path, const void *bytes, size_t len)
{
	AUTOFREE char *full = *path == '/' ? mem_strdup(path) : mem_printf("%s/%s", root, path);
	FILE *f;

	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "we");
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		abort();
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

/* ELF notes: of somebody else, of another type, then a build-id of 'len' bytes that is said to have 'said'. */
static void put_notes(const char *path, const char *desc, uint32_t len, uint32_t said)
{
	const uint32_t alien[] = { 6, 1, 3 }, abi_tag[] = { 4, 4, 1 }, mine[] = { 4, said, 3 };
	AUTOSTR struct str s = { 0 };

	str_addn(&s, (const char *)alien, sizeof(alien));
	str_addn(&s, "Linux\0\0\0\1\0\0\0", 12);
	str_addn(&s, (const char *)abi_tag, sizeof(abi_tag));
	str_addn(&s, "GNU\0abcd", 8);
	str_addn(&s, (const char *)mine, sizeof(mine));
	str_addn(&s, "GNU\0", 4);
	str_addn(&s, desc, len);
	put_bytes(path, s.s, s.len);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* ---- two disks ---- */

static struct disk sda = {
	.name = "sda",
	.size_bytes = 20000588955648ULL, /* beyond 32 bits, and beyond the digits of "%g" */
	.identity = (char[]){ "wwn-0x5000c500a1b2c3d4" },
	.model = (char[]){ "ST20000NM007D \xff" },
	.serial = (char[]){ "ZVT12345" },
	.transport = (char[]){ "sata" },
};
static struct disk nvme = { .name = "nvme0n1", .size_bytes = 512, .identity = (char[]){ "eui.0025385b21404321" } };
static const struct disk *both[] = { &sda, &nvme }, *swapped[] = { &nvme, &sda };

static void make_tree(void)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "devices/system/cpu/online", "0-1,3\n" },
		{ "devices/system/cpu/present", "0-3\n" },
		{ "devices/system/cpu/smt/control", "on\n" },
		{ "devices/system/cpu/vulnerabilities/meltdown", "Not affected\n" },
		{ "devices/system/cpu/vulnerabilities/retbleed", "Mitigation: untrained return thunk\n" },
		{ "devices/system/cpu/cpuidle/current_driver", "intel_idle\n" },
		{ "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n" },
		{ "devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "10\n" },
		{ "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "0\n" },
		{ "devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "100\n" },
		{ "module/mq_deadline/srcversion", "0123456789ABCDEF0123456\n" },
		{ "class/dmi/id/product_name", "PowerEdge R740\n" },
		{ "hypervisor/type", "xen\n" },
		{ "fs/cgroup/io.cost.qos", "8:1 enable=0 ctrl=auto\n8:0 enable=1 ctrl=user rpct=95.00\n" },
		{ "sda/queue/scheduler", "none [mq-deadline] bfq\n" },
		{ "sda/queue/nr_requests", "64\n" },
		{ "sda/queue/wbt_lat_usec", "75000\n" },
		{ "sda/queue/async_depth", "48\n" },
		{ "sda/queue/iosched/read_expire", "500\n" },
		{ "sda/queue/rotational", "1\n" },
		{ "sda/queue/logical_block_size", "512\n" },
		{ "sda/queue/physical_block_size", "4096\n" },
		{ "sda/queue/write_cache", "write back\n" },
		{ "sda/queue/zoned", "none\n" },
		{ "sda/device/queue_depth", "31\n" },
		{ "sda/device/queue_type", "simple\n" },
		{ "sda/device/rev", "SN03\n" },
		{ "sda/device/hwmon/hwmon3/temp1_input", "41000\n" },
		{ "sda/stat", "     100        5     2048       70       10        1       16        9        0"
			      "       60       79        0        0        0        0        3        2\n" },
		{ "nvme0n1/queue/rotational", "0\n" },
		{ "nvme0n1/device/firmware_rev", "4B2QEXM7\n" },
		{ "nvme0n1/device/hwmon1/temp1_input", "-5850\n" },
		{ "nvme0n1/stat", "1 2 3 4 5 6 7 8 9 10 11\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		put(files[i].path, files[i].text);
	put_notes("kernel/notes", "\x00\x01\xfe\xff", 4, 4);
	put_notes("module/bfq/notes/.note.gnu.build-id", "\xde\xad\xbe\xef\x0a\x20\x09\x0a", 8, 8);
	put_notes("module/kyber_iosched/notes/.note.gnu.build-id", "\xde\xad", 2, 20);
	snprintf(sda.sysdir, sizeof(sda.sysdir), "%s/sda", root);
	snprintf(nvme.sysdir, sizeof(nvme.sysdir), "%s/nvme0n1", root);
	sda.number = makedev(8, 0);
	nvme.number = makedev(259, 0);
}

static char *capture_of(const struct disk *const *disks, size_t n)
{
	struct str json = { 0 };
	facts_t facts = { 0 };
	struct err err;

	if (host_capture(disks, n, NULL, &facts, &err)) {
		printf("# %s\n", err.msg);
		abort();
	}
	facts_text(&facts, "fio-3.33", "fio.version");
	host_udev_rules(&facts);
	facts_print(&facts, &json);
	return str_steal(&json);
}

static char *capture(void)
{
	return capture_of(both, 2);
}

static const char *text_of(const cJSON *facts, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(facts, key));
}

/* The value as it is written, a number too. */
static void fact_is(const cJSON *facts, const char *key, const char *want)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(facts, key);
	AUTOFREE char *number = NULL;

	if (cJSON_IsNumber(item)) {
		number = mem_printf("%.0f", item->valuedouble);
		is(number, want, key);
	} else {
		is(text_of(facts, key), want, key);
	}
}

static void test_facts(void)
{
	AUTOFREE char *json = capture();
	cJSON *facts = cJSON_Parse(json);
	struct utsname u;
	bool sorted = true;

	ok(cJSON_IsObject(facts), "the environment is a JSON object");
	for (const cJSON *i = facts ? facts->child : NULL; i && i->next; i = i->next)
		sorted = sorted && strcmp(i->string, i->next->string) < 0 && !i->child;
	ok(sorted, "flat, its keys sorted, none twice");
	ok(!strpbrk(json, "\n\t"), "without white space around them");
	uname(&u);
	fact_is(facts, "kernel.release", u.release);
	fact_is(facts, "host.name", u.nodename);
	fact_is(facts, "iobench.version", IOBENCH_VERSION);
	fact_is(facts, "fio.version", "fio-3.33");
	fact_is(facts, "cpu.count", "3");
	fact_is(facts, "cpu.online", "0-1,3");
	fact_is(facts, "cpu.smt", "on");
	fact_is(facts, "cpu.mitigations.retbleed", "Mitigation: untrained return thunk");
	fact_is(facts, "cpuidle.driver", "intel_idle");
	ok(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(facts, "cpufreq.driver")), "no cpufreq is null");
	fact_is(facts, "machine.product", "PowerEdge R740");
	fact_is(facts, "machine.hypervisor", "xen");
	fact_is(facts, "machine.vendor", NULL);
	fact_is(facts, "kernel.build_id", "0001feff");
	fact_is(facts, "module.bfq.build_id", "deadbeef0a20090a");
	fact_is(facts, "module.kyber_iosched.build_id", NULL); /* its note is cut short */
	fact_is(facts, "module.mq_deadline.srcversion", "0123456789ABCDEF0123456");
	fact_is(facts, "disk.sda.identity", "wwn-0x5000c500a1b2c3d4");
	fact_is(facts, "disk.sda.model", "ST20000NM007D ?");
	fact_is(facts, "disk.sda.serial", "ZVT12345");
	fact_is(facts, "disk.sda.wwid", NULL);
	fact_is(facts, "disk.sda.transport", "sata");
	has(json, "\"disk.sda.size_bytes\":20000588955648,", "a size in bytes is a whole number");
	fact_is(facts, "disk.sda.rev", "SN03");
	fact_is(facts, "disk.sda.device.queue_depth", "31");
	fact_is(facts, "disk.sda.device.queue_type", "simple");
	fact_is(facts, "disk.sda.queue.rotational", "1");
	fact_is(facts, "disk.sda.queue.physical_block_size", "4096");
	fact_is(facts, "disk.sda.queue.write_cache", "write back");
	fact_is(facts, "disk.sda.io.cost.qos", "enable=1 ctrl=user rpct=95.00");
	fact_is(facts, "disk.nvme0n1.io.cost.qos", NULL);
	fact_is(facts, "disk.nvme0n1.firmware", "4B2QEXM7");
	fact_is(facts, "disk.nvme0n1.queue.rotational", "0");
	ok(!strstr(json, "nr_requests") && !strstr(json, "scheduler\"") && !strstr(json, "wbt_lat") &&
		   !strstr(json, "async_depth") && !strstr(json, "iosched."),
	   "nothing that a switch of the scheduler changes");
	cJSON_Delete(facts);
}

/* A loop device on the file of a simulator: one that answers, one that does not, one that is another file. */
static void test_simulated(void)
{
	AUTOFREE char *file = mem_printf("%s/sim/simulated-disk\n", root), *other = mem_printf("%s/sim/disk\n", root);
	cJSON *facts;

	put("sim/description", "profile=hd103sj rpm=7200\n");
	for (int i = 0; i < 3; i++) {
		AUTOFREE char *json = NULL;

		put("sda/loop/backing_file", i == 2 ? other : file);
		json = capture();
		facts = cJSON_Parse(json);
		fact_is(facts, "disk.sda.simulated", i == 0 ? "profile=hd103sj rpm=7200" : i == 1 ? "unknown" : NULL);
		fact_is(facts, "disk.nvme0n1.simulated", NULL);
		cJSON_Delete(facts);
		if (i == 0)
			put("sim/description", "");
	}
}

static void test_same_bytes(void)
{
	AUTOFREE char *before = capture(), *after = NULL, *other = NULL;
	AUTOFREE char *turned = NULL;
	facts_t facts = { 0 };
	const struct disk gone = { .name = "sdz", .sysdir = "/nonexistent/sdz" }, *sdz = &gone;
	struct err err = { 0 };

	put("sda/queue/scheduler", "none mq-deadline [bfq]\n");
	put("sda/queue/nr_requests", "256\n");
	put("sda/queue/wbt_lat_usec", "0\n");
	put("sda/queue/async_depth", "12\n");
	put("sda/queue/iosched/slice_idle", "8\n");
	put("sda/device/hwmon/hwmon3/temp1_input", "57000\n");
	put("sda/stat", "1 1 1 1 1 1 1 1 1 1 1\n");
	put("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
	after = capture();
	is(after, before, "another scheduler, temperature and counters: the same bytes");
	turned = capture_of(swapped, 2);
	is(turned, before, "the disks in another order: the same bytes");
	put("sda/queue/rotational", "0\n");
	other = capture();
	ok(strcmp(other, before) != 0, "another 'rotational': others");
	ok(host_capture(&sdz, 1, NULL, &facts, &err) == -1 && err.kind == ERR_NEEDS, "a disk that is gone is an error");
	has(err.msg, "disk 'sdz' is gone", "that names it");
	is_int(facts.n, 0, "and gives no facts");
	make_tree();
}

/* ---- counters ---- */

static void test_counters(void)
{
	struct host_counters before, after;
	AUTOSTR struct str json = { 0 };
	uint64_t requests;
	cJSON *facts;

	ok(!host_counters_read(both, 2, &before), "counters are read");
	is_int((long long)before.disks.n, 2, "of both disks");
	is_int((long long)before.disks.items[0].read_bytes, 2048 * 512, "sectors are 512 bytes");
	is_int((long long)before.disks.items[0].flush_ms, 2, "all 17 fields");
	is_int((long long)before.disks.items[1].queue_ms, 11, "an old kernel's 11 fields");
	is_int((long long)before.disks.items[1].discard_ios, 0, "the rest is 0");
	is_int((long long)before.disks.items[1].in_flight, 9, "requests in flight");
	is_int(before.disks.items[0].temperature_millicelsius, 41000, "temperature of a SCSI disk");
	is_int(before.disks.items[1].temperature_millicelsius, -5850, "of an NVMe, below zero");
	is_int((long long)before.throttles, 113, "throttling events of the online CPUs");

	put("sda/stat", "150 5 4096 90 12 1 32 10 2 70 99 0 0 0 0 4 5\n");
	put("sda/device/hwmon/hwmon3/temp1_input", "42000\n");
	put("devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "104\n");
	
	ok(!host_counters_read(both, 2, &after), "and again");
	host_counters_json(&before, &after, &json);
	facts = cJSON_Parse(str_text(&json));
	fact_is(facts, "disk.sda.read_ios", "50");
	fact_is(facts, "disk.sda.read_bytes", "1048576");
	fact_is(facts, "disk.sda.write_bytes", "8192");
	fact_is(facts, "disk.sda.write_merges", "0");
	fact_is(facts, "disk.sda.busy_ms", "10");
	fact_is(facts, "disk.sda.flush_ms", "3");
	fact_is(facts, "disk.sda.in_flight_before", "0");
	fact_is(facts, "disk.sda.in_flight_after", "2");
	fact_is(facts, "disk.sda.temperature_millicelsius_before", "41000");
	fact_is(facts, "disk.sda.temperature_millicelsius_after", "42000");
	fact_is(facts, "disk.nvme0n1.read_ios", "0");
	fact_is(facts, "cpu.throttles", "4");
	ok(after.taken_ns > before.taken_ns && cJSON_GetNumberValue(cJSON_GetObjectItem(facts, "elapsed_ns")) ==
						       (double)(after.taken_ns - before.taken_ns),
	   "time between the two");
	cJSON_Delete(facts);
	host_counters_release(&after);

	ok(!host_in_flight(both, 2, &requests) && requests == 11, "requests in flight on both disks");

	AUTOFREE char *stat = mem_printf("%s/nvme0n1/stat", root);

	unlink(stat);
	ok(host_counters_read(both, 2, &after) == -1, "a disk that is gone is an error");
	ok(after.disks.items[0].present && !after.disks.items[1].present, "and the others are read");
	str_clear(&json);
	host_counters_json(&before, &after, &json);
	ok(strstr(str_text(&json), "disk.sda.read_ios") && !strstr(str_text(&json), "disk.nvme0n1"),
	   "there is nothing to say of it");
	host_counters_release(&before);
	host_counters_release(&after);
	ok(host_in_flight(both, 2, &requests) == -1, "also when only the queues are asked");
	ok(host_counters_read(swapped, 2, &after) == -1, "whichever it is");
	host_counters_release(&after);
	make_tree();
}

static void test_boot_id(void)
{
	char id[UUID_TEXT] = "x";

	host_boot_id(id);
	ok(strlen(id) == 36 && id[8] == '-' && strspn(id, "0123456789abcdef-") == 36, "this boot has an id");
}

/* ---- with files of our own over those of the system ---- */

static void cover(const char *target, const char *text)
{
	AUTOFREE char *file = mem_printf("%s/cover%s", root, target);

	put(file, text);
	if (mount(file, target, NULL, MS_BIND, NULL))
		printf("# cannot cover %s: %s\n", target, strerror(errno));
}

static void test_proc(void)
{
	AUTOFREE char *json = NULL, *type = mem_printf("%s/hypervisor/type", root);
	struct host_counters before, after;
	AUTOSTR struct str counted = { 0 };
	cJSON *facts;

	cover("/proc/cpuinfo", "processor\t: 0\ncpu family\t: 6\ncpu MHz\t\t: 1.0\nmodel name\t: Intel(R) Xeon(R) E-2136 \n"
			       "microcode\t: 0xf4\nflags\t\t: fpu hypervisor vme\n\nprocessor\t: 1\nmodel name\t: other\n");
	cover("/proc/meminfo", "MemTotal:       16316412 kB\nMemFree: 1 kB\nSwapTotal:       1000 kB\n");
	cover("/proc/swaps", "Filename\tType\t\tSize\tUsed\tPriority\n/dev/dm-1 partition\t1000\t7\t-2\n"
			     "/swap\\040file file\t1000\t0\t-3\n");
	cover("/proc/cmdline", "root=/dev/sda1 quiet\n");
	cover("/etc/os-release", "ID=test\nNAME=\"x\"\nPRETTY_NAME=\"Test Linux 1.0 (first)\"\n");
	unlink(type);
	json = capture();
	facts = cJSON_Parse(json);
	fact_is(facts, "cpu.model", "Intel(R) Xeon(R) E-2136");
	fact_is(facts, "cpu.microcode", "0xf4");
	fact_is(facts, "memory.total_bytes", "16710107136"); /* 249 times 64 MiB */
	fact_is(facts, "swap.total_bytes", "1024000");
	fact_is(facts, "swap.areas", "/dev/dm-1 partition, /swap\\040file file");
	fact_is(facts, "kernel.cmdline", "root=/dev/sda1 quiet");
	fact_is(facts, "os.name", "Test Linux 1.0 (first)");
	fact_is(facts, "machine.hypervisor", "yes"); /* by the CPU's flag */
	cJSON_Delete(facts);

	cover("/proc/stat", "cpu  10 20 30 40 50 60 70 80 5 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
	cover("/proc/loadavg", "1.07 2.00 3.00 1/100 999\n");
	cover("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=400\n");
	host_counters_read(both, 2, &before);
	put("cover/proc/stat", "cpu  11 22 33 44 55 66 77 88 5 0\n");
	put("cover/proc/loadavg", "12.50 2.00 3.00 1/100 999\n");
	put("cover/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1900\n"
				      "full avg10=0.00 avg60=0.00 avg300=0.00 total=1100\n");
	host_counters_read(both, 2, &after);
	host_counters_json(&before, &after, &counted);
	facts = cJSON_Parse(str_text(&counted));
	fact_is(facts, "cpu.user_us", "10000");
	fact_is(facts, "cpu.nice_us", "20000");
	fact_is(facts, "cpu.system_us", "30000");
	fact_is(facts, "cpu.idle_us", "40000");
	fact_is(facts, "cpu.iowait_us", "50000");
	fact_is(facts, "cpu.steal_us", "80000");
	fact_is(facts, "load1_percent_before", "107");
	fact_is(facts, "load1_percent_after", "1250");
	if (before.io.known) {
		fact_is(facts, "pressure.io.some_us", "900");
		fact_is(facts, "pressure.io.full_us", "700");
	} else {
		skip(2, "this kernel has no pressure stall information");
	}
	cJSON_Delete(facts);
	host_counters_release(&before);
	host_counters_release(&after);
}

static void hide(const char *dir)
{
	if (mount("tmpfs", dir, "tmpfs", 0, "mode=755") && errno != ENOENT)
		abort();
}

static void test_udev(void)
{
	AUTOFREE char *none = NULL, *json = NULL;
	cJSON *facts;

	hide("/etc/udev/rules.d");
	hide("/usr/local/lib/udev/rules.d");
	hide("/usr/lib/udev/rules.d");
	hide("/run");
	none = capture();
	ok(!strstr(none, "udev."), "no rules, no fact");
	put("/run/udev/rules.d/10-match.rules", "ATTR{queue/scheduler}==\"none\", TEST==\"queue/scheduler\", RUN+=\"x\"\n"
						"ATTR{queue/scheduler} != \"bfq\", ATTR{queue/rotational}=\"1\"\n");
	put("/run/udev/rules.d/20-remark.rules", "  # ATTR{queue/scheduler}=\"bfq\"\n");
	put("/run/udev/rules.d/30-backup.rules~", "ATTR{queue/scheduler}=\"bfq\"\n");
	put("/run/udev/rules.d/60-set.rules",
	    "ACTION==\"add|change\", KERNEL==\"sd*\", ATTR{queue/scheduler}!=\"none\", ATTR{queue/scheduler}=\"bfq\"\n");
	put("/run/udev/rules.d/70-run.rules", "# x\nRUN+=\"/bin/sh -c 'echo bfq > /sys%p/queue/scheduler'\"\n");
	put("/run/udev/rules.d/80-off.rules", "");
	put("/usr/lib/udev/rules.d/80-off.rules", "ATTR{queue/scheduler}=\"bfq\"\n");
	put("/usr/lib/udev/rules.d/90-vendor.rules", "ATTR{queue/scheduler} = \"kyber\"\n");
	json = capture();
	facts = cJSON_Parse(json);
	fact_is(facts, "udev.scheduler_rules",
		"/run/udev/rules.d/60-set.rules, /run/udev/rules.d/70-run.rules, /usr/lib/udev/rules.d/90-vendor.rules");
	cJSON_Delete(facts);
}

/* In test_proc's /proc. */
static void test_clock(void)
{
	static const char source[] = "devices/system/clocksource/clocksource0/current_clocksource";

	put("/proc/cpuinfo", "flags\t\t: fpu tsc constant_tsc nonstop_tsc cpuid\n");
	ok(!host_has_steady_tsc(), "no clocksource told: no steady TSC");
	put(source, "kvm-clock\n");
	ok(!host_has_steady_tsc(), "the kernel takes another clock: none");
	put(source, "tsc\n");
	ok(host_has_steady_tsc(), "the kernel takes the TSC: a steady one");
	put("/proc/cpuinfo", "flags\t\t: fpu tsc constant_tsc cpuid\n");
	ok(!host_has_steady_tsc(), "it stops in deep sleep: none");
	put("/proc/cpuinfo", "flags\t\t: fpu tsc nonstop_tsc cpuid\n");
	ok(!host_has_steady_tsc(), "its rate changes: none");
}

static void test_cpufreq(void)
{
	static const char cpu[] = "/sys/devices/system/cpu";
	AUTOFREE char *json = NULL;
	cJSON *facts;

	hide(cpu);
	unsetenv("IOBENCH_SYSFS");
	put("/sys/devices/system/cpu/online", "0-2\n");
	for (int i = 0; i < 3; i++) {
		const char *const files[][2] = {
			{ "scaling_driver", "intel_pstate\n" },
			{ "scaling_governor", i == 1 ? "performance\n" : "powersave\n" },
			{ "scaling_min_freq", "800000\n" },
			{ "scaling_max_freq", i == 2 ? "3000000\n" : "4000000\n" },
		};

		for (size_t k = 0; k < ARRAY_LEN(files); k++) {
			AUTOFREE char *path = mem_printf("%s/cpu%d/cpufreq/%s", cpu, i, files[k][0]);

			put(path, files[k][1]);
		}
	}
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	json = capture();
	facts = cJSON_Parse(json);
	fact_is(facts, "cpufreq.driver", "intel_pstate");
	fact_is(facts, "cpufreq.governor", "mixed: powersave x2, performance x1");
	fact_is(facts, "cpufreq.min_khz", "800000");
	fact_is(facts, "cpufreq.max_khz", "mixed: 4000000 x2, 3000000 x1");
	fact_is(facts, "cpufreq.energy_preference", NULL);
	fact_is(facts, "cpufreq.intel_pstate.no_turbo", "1");
	cJSON_Delete(facts);
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	setenv("IOBENCH_SYSFS", root, 1);
	make_tree();
	test_facts();
	test_same_bytes();
	test_simulated();
	test_counters();
	test_boot_id();
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip(1, "needs root: /proc, udev rules and cpufreq in a private mount namespace");
	} else {
		test_proc();
		test_clock();
		test_udev();
		test_cpufreq();
	}
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	return tap_done();
}
