// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The real libcpupower, which reads fixed paths, over a tree of our own that is mounted in a private namespace. What
 * it (and runner/sysfs) writes goes through the write() of this program, which makes plain files behave as cpufreq's:
 * a write replaces the whole value, unknown governors and crossed limits are refused, intel_pstate has no energy
 * preference but its own under performance, only the userspace governor has a speed.
 */
#include "runner/cpufreq.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/file.h"
#include "tests/tap.h"

#define ROOT "/sys/devices/system/cpu"

static unsigned deaf = ~0U; /* the CPU whose files take every value and stay as they are */
static struct str written; /* "cpu0/scaling_governor=performance " for each write that came through */

static void put(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static char *get(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *path_of(const char *fmt, va_list ap)
{
	char tail[128];

	vsnprintf(tail, sizeof(tail), fmt, ap);
	return mem_printf(ROOT "/%s", tail);
}

/* The kernel's side: sets a value whatever it is. */
static void put(const char *text, const char *fmt, ...)
{
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	AUTOFREE char *path = path_of(fmt, ap);
	va_end(ap);
	f = fopen(path, "we");
	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f))
		abort();
}

static char *get(const char *fmt, ...)
{
	struct str text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	AUTOFREE char *path = path_of(fmt, ap);
	va_end(ap);
	file_slurp(path, &text, NULL);
	if (text.len && text.s[text.len - 1] == '\n')
		text.s[text.len - 1] = '\0';
	return str_steal(&text);
}

static bool value_is(const char *want, unsigned cpu, const char *attr)
{
	AUTOFREE char *now = get("cpu%u/cpufreq/%s", cpu, attr);

	return !strcmp(now, want);
}

static unsigned long khz(unsigned cpu, const char *attr)
{
	AUTOFREE char *now = get("cpu%u/cpufreq/%s", cpu, attr);

	return strtoul(now, NULL, 10);
}

/* 0 or the errno with which cpufreq refuses the value. */
static int refused(unsigned cpu, const char *attr, const char *value)
{
	AUTOFREE char *offered = get("cpu%u/cpufreq/scaling_available_governors", cpu);
	AUTOSTRINGS strings_t governors = { 0 };
	unsigned long number = strtoul(value, NULL, 10);

	if (!strcmp(attr, "scaling_governor")) {
		str_split(offered, ' ', &governors);
		return strings_has(&governors, value) ? 0 : EINVAL;
	}
	if (!strcmp(attr, "energy_performance_preference"))
		return value_is("performance", cpu, "scaling_governor") ? EBUSY : 0;
	if (!strcmp(attr, "scaling_min_freq"))
		return number > khz(cpu, "scaling_max_freq") ? EINVAL : 0;
	if (!strcmp(attr, "scaling_max_freq"))
		return number < khz(cpu, "scaling_min_freq") ? EINVAL : 0;
	if (!strcmp(attr, "scaling_setspeed"))
		return value_is("userspace", cpu, "scaling_governor") ? 0 : EINVAL;
	return EACCES;
}

static void side_effects(unsigned cpu, const char *attr, const char *value)
{
	if (strcmp(attr, "scaling_governor") != 0)
		return;
	if (!strcmp(value, "performance"))
		put("performance", "cpu%u/cpufreq/energy_performance_preference", cpu);
	put(strcmp(value, "userspace") ? "<unsupported>" : "800000", "cpu%u/cpufreq/scaling_setspeed", cpu);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	static bool inside;
	char link[64], path[256] = "", attr[64], value[64];
	unsigned cpu;
	int bad;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (inside || readlink(link, path, sizeof(path) - 1) < 0 ||
	    sscanf(path, ROOT "/cpu%u/cpufreq/%63s", &cpu, attr) != 2)
		return syscall(SYS_write, fd, buf, n);
	inside = true;
	snprintf(value, sizeof(value), "%.*s", (int)n, (const char *)buf);
	bad = refused(cpu, attr, value);
	if (!bad && cpu != deaf) {
		str_addf(&written, "cpu%u/%s=%s ", cpu, attr, value);
		put(value, "cpu%u/cpufreq/%s", cpu, attr);
		side_effects(cpu, attr, value);
	}
	inside = false;
	errno = bad ? bad : errno;
	return bad ? -1 : (ssize_t)n;
}

static void make_dir(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void make_dir(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	AUTOFREE char *path = path_of(fmt, ap);
	va_end(ap);
	if (mkdir(path, 0755))
		abort();
}

static void make_policy(unsigned cpu)
{
	make_dir("cpu%u/cpufreq", cpu);
	put("intel_pstate", "cpu%u/cpufreq/scaling_driver", cpu);
	put("powersave", "cpu%u/cpufreq/scaling_governor", cpu);
	put("performance powersave", "cpu%u/cpufreq/scaling_available_governors", cpu);
	put("balance_performance", "cpu%u/cpufreq/energy_performance_preference", cpu);
	put("800000", "cpu%u/cpufreq/scaling_min_freq", cpu);
	put("4000000", "cpu%u/cpufreq/scaling_max_freq", cpu);
	put("<unsupported>", "cpu%u/cpufreq/scaling_setspeed", cpu);
}

/* Four CPUs with a policy, cpu3 offline, cpu4 missing: an empty tmpfs is mounted over the last one. */
static int make_tree(void)
{
	static const unsigned with_policy[] = { 0, 1, 2, 5 };

	if (mount("tmpfs", ROOT, "tmpfs", 0, "mode=755"))
		return -1;
	put("0-2,5", "online");
	make_dir("cpu3");
	put("0", "cpu3/online");
	for (size_t i = 0; i < ARRAY_LEN(with_policy); i++) {
		make_dir("cpu%u", with_policy[i]);
		make_policy(with_policy[i]);
	}
	str_clear(&written);
	return 0;
}

static void fresh_tree(void)
{
	if (umount2(ROOT, MNT_DETACH) || make_tree())
		abort();
}

#define N_CPUS 4
static struct cpufreq_saved saved[N_CPUS];

static void save(void)
{
	size_t n;

	if (cpufreq_save(saved, N_CPUS, &n, NULL) || n != N_CPUS)
		abort();
}

static void test_reading(void)
{
	struct cpufreq_saved few[3];
	AUTOSTRINGS strings_t offered = { 0 };
	numbers_t cpus = { 0 };
	struct err err = { 0 };
	char driver[CPUFREQ_NAME];
	size_t n;

	cpufreq_online(&cpus);
	ok(cpus.n == 4 && cpus.items[2] == 2 && cpus.items[3] == 5, "online CPUs with a hole in the numbers");
	vec_free(&cpus);
	ok(cpufreq_present(), "there is cpufreq");
	is(cpufreq_driver(5, driver), "intel_pstate", "its driver");
	ok(!cpufreq_driver(3, driver) && !cpufreq_driver(4, driver), "none for an offline or a missing CPU");
	cpufreq_governors(1, &offered);
	ok(offered.n == 2 && strings_has(&offered, "performance") && strings_has(&offered, "powersave"),
	   "the governors offered");

	ok(!cpufreq_save(saved, N_CPUS, &n, &err), "every online CPU is saved");
	is_int((long long)n, N_CPUS, "four of them");
	is_int(saved[3].cpu, 5, "the last is cpu 5");
	is(saved[3].driver, "intel_pstate", "driver saved");
	is(saved[3].governor, "powersave", "governor saved");
	is(saved[3].epp, "balance_performance", "energy preference saved");
	ok(saved[3].min_khz == 800000 && saved[3].max_khz == 4000000, "limits saved");
	is_int((long long)saved[3].speed_khz, 0, "powersave has no speed");
	ok(cpufreq_save(few, 3, &n, &err) == -1 && err.kind == ERR_FAULT, "a fourth CPU does not fit into three");
	has(err.msg, "more than 3 CPUs", "and that is said");
}

static void test_setting(void)
{
	AUTOSTR struct str problems = { 0 };
	struct err err = { 0 };

	ok(!cpufreq_set_governor("performance", &err), "performance is set");
	is(str_text(&written),
	   "cpu0/scaling_governor=performance cpu1/scaling_governor=performance "
	   "cpu2/scaling_governor=performance cpu5/scaling_governor=performance ",
	   "on every online CPU and nothing else");
	ok(!cpufreq_verify("performance", &err), "all have it");
	ok(cpufreq_verify("powersave", &err) == -1, "and not the other");

	put("powersave", "cpu5/cpufreq/scaling_governor");
	ok(cpufreq_verify("performance", &err) == -1 && err.kind == ERR_FAULT, "a change behind our back is seen");
	is(err.msg, "cpu 5 has governor 'powersave' instead of 'performance'", "and named");
	put("performance", "cpu5/cpufreq/scaling_governor");

	make_policy(3);
	put("0-3,5", "online");
	ok(cpufreq_verify("performance", &err) == -1, "a CPU that came online meanwhile is seen");
	has(err.msg, "cpu 3 has governor 'powersave'", "and named");
	put("0-2,5", "online");

	str_clear(&written);
	ok(!cpufreq_restore(saved, N_CPUS, &problems), "everything is put back");
	is(str_text(&problems), "", "without a problem");
	is(str_text(&written),
	   "cpu0/scaling_governor=powersave cpu0/energy_performance_preference=balance_performance "
	   "cpu1/scaling_governor=powersave cpu1/energy_performance_preference=balance_performance "
	   "cpu2/scaling_governor=powersave cpu2/energy_performance_preference=balance_performance "
	   "cpu5/scaling_governor=powersave cpu5/energy_performance_preference=balance_performance ",
	   "the governor first, then the energy preference, and nothing that had not changed");
	ok(value_is("powersave", 5, "scaling_governor") &&
		   value_is("balance_performance", 5, "energy_performance_preference"),
	   "the files have it");
	str_clear(&written);
	ok(!cpufreq_restore(saved, N_CPUS, &problems) && !written.len, "a second time writes nothing");
	errno = ERANGE; /* libcpupower 6.1 reads no number while this stands */
	ok(!cpufreq_restore(saved, 1, &problems) && !written.len, "whatever errno is");
	saved[0].epp[0] = '\0';
	ok(!cpufreq_restore(saved, 1, &problems) && !written.len, "and nothing that was not there to be saved");

	deaf = 1;
	ok(cpufreq_set_governor("performance", &err) == -1, "a governor that was taken but is not there");
	is(err.msg, "cpu 1 has governor 'powersave' instead of 'performance'", "is noticed");
	deaf = ~0U;
	cpufreq_restore(saved, N_CPUS, &problems);
}

static void test_refusals(void)
{
	struct err err = { 0 };

	str_clear(&written);
	ok(cpufreq_check("performance", &err) == 0, "performance could be set");
	ok(cpufreq_set_governor("ondemand", &err) == -1 && err.kind == ERR_NEEDS, "ondemand is not offered");
	is(err.msg, "cpu 0 has no governor 'ondemand' (driver intel_pstate offers performance, powersave)",
	   "CPU, driver and what is offered are named");
	put("powersave", "cpu2/cpufreq/scaling_available_governors");
	ok(cpufreq_set_governor("performance", &err) == -1 && err.kind == ERR_NEEDS, "one CPU alone lacks it");
	has(err.msg, "cpu 2 has no governor 'performance' (driver intel_pstate offers powersave)", "that one is named");
	put("performance powersave", "cpu2/cpufreq/scaling_available_governors");
	ok(cpufreq_check("perfromance", &err) == -1 && err.kind == ERR_USAGE, "a mistyped name is a usage error");
	has(err.msg, "did you mean 'performance'?", "with the right one");
	ok(cpufreq_check("", &err) == -1 && err.kind == ERR_USAGE, "so is an empty name");
	ok(cpufreq_check("longer-than-anything-libcpupower-would-take", &err) == -1 && err.kind == ERR_USAGE,
	   "and a very long one");
	is(str_text(&written), "", "nothing was touched");

	put("0-2,5-6", "online");
	ok(cpufreq_check("performance", &err) == -1 && err.kind == ERR_NEEDS, "an online CPU without a policy");
	is(err.msg, "cpu 6 is online but has no cpufreq policy, so no governor 'performance'", "is named");
	save();
	ok(saved[3].cpu == 5, "there is nothing of it to save");
}

static void test_limits(void)
{
	AUTOSTR struct str problems = { 0 };

	put("2000000", "cpu0/cpufreq/scaling_max_freq");
	put("2500000", "cpu1/cpufreq/scaling_min_freq");
	save();
	put("4000000", "cpu0/cpufreq/scaling_max_freq");
	put("3000000", "cpu0/cpufreq/scaling_min_freq");
	put("800000", "cpu1/cpufreq/scaling_min_freq");
	put("1000000", "cpu1/cpufreq/scaling_max_freq");
	ok(!cpufreq_restore(saved, N_CPUS, &problems), "limits are put back");
	is(str_text(&problems), "", "without a problem");
	is(str_text(&written),
	   "cpu0/scaling_min_freq=800000 cpu0/scaling_max_freq=2000000 "
	   "cpu1/scaling_max_freq=4000000 cpu1/scaling_min_freq=2500000 ",
	   "minimum first when they are lowered, maximum first when they are raised");
}

static void test_userspace(void)
{
	AUTOSTR struct str problems = { 0 };
	struct err err = { 0 };

	for (unsigned i = 0; i < N_CPUS; i++)
		put("userspace performance", "cpu%u/cpufreq/scaling_available_governors", saved[i].cpu);
	put("userspace", "cpu1/cpufreq/scaling_governor");
	put("1700000", "cpu1/cpufreq/scaling_setspeed");
	save();
	ok(saved[1].speed_khz == 1700000, "the speed of the userspace governor is saved");
	ok(!cpufreq_set_governor("performance", &err), "another governor is set");
	ok(value_is("<unsupported>", 1, "scaling_setspeed"), "which has no speed");
	cpufreq_restore(&saved[1], 1, &problems);
	is(str_text(&problems), "", "put back");
	ok(value_is("userspace", 1, "scaling_governor") && value_is("1700000", 1, "scaling_setspeed"),
	   "with its speed");
}

static void read_only(const char *path)
{
	if (mount(path, path, NULL, MS_BIND, NULL) || mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL))
		abort();
}

static void test_read_only(void)
{
	AUTOSTR struct str problems = { 0 };
	struct err err = { 0 };

	save();
	read_only(ROOT "/cpu2/cpufreq/scaling_governor");
	ok(cpufreq_set_governor("performance", &err) == -1 && err.kind == ERR_FAULT, "a governor that is read-only");
	ok(err.errnum == EROFS, "the system's own reason, not libcpupower's ENODEV");
	has(err.msg, "cannot set governor 'performance' on cpu 2: Read-only", "CPU and reason are named");
	ok(value_is("performance", 1, "scaling_governor"), "CPUs before it have been set");
	ok(!cpufreq_restore(saved, N_CPUS, &problems), "and are put back");
	ok(value_is("powersave", 1, "scaling_governor"), "to what they had");

	/* The other way round: what cannot be put back. */
	snprintf(saved[2].governor, sizeof(saved[2].governor), "performance");
	snprintf(saved[2].epp, sizeof(saved[2].epp), "performance");
	put("900000", "cpu2/cpufreq/scaling_min_freq");
	put("performance", "cpu5/cpufreq/scaling_governor");
	str_clear(&written);
	ok(cpufreq_restore(saved, N_CPUS, &problems) == -1, "what cannot be put back is an error");
	is(str_text(&problems),
	   "cpu 2: governor was 'powersave', wanted 'performance', is 'powersave': Read-only file system\n"
	   "cpu 2: energy preference was 'balance_performance', wanted 'performance', is 'balance_performance'\n",
	   "with before, wanted, now and why");
	is(str_text(&written), "cpu2/scaling_min_freq=800000 cpu5/scaling_governor=powersave ",
	   "the rest of that CPU and the next are put back all the same");
}

static void test_offline(void)
{
	AUTOSTR struct str problems = { 0 };
	struct cpufreq_saved now[N_CPUS];
	struct err err = { 0 };
	size_t n;

	save();
	if (cpufreq_set_governor("performance", &err) ||
	    rename(ROOT "/cpu1/cpufreq", ROOT "/cpu1/gone"))
		abort();
	put("0,2,5", "online");
	ok(!cpufreq_verify("performance", &err), "a CPU that went offline does not count");
	ok(!cpufreq_save(now, N_CPUS, &n, &err) && n == 3 && now[1].cpu == 2, "and is not saved");
	ok(cpufreq_restore(saved, N_CPUS, &problems) == -1, "but it cannot be put back");
	is(str_text(&problems), "cpu 1: has no cpufreq policy now (offline?), had governor 'powersave'\n",
	   "which is said, once");
	ok(value_is("powersave", 5, "scaling_governor"), "those behind it are put back");
}

static void test_none(void)
{
	struct err err = { 0 };
	size_t n = 7;

	if (umount2(ROOT, MNT_DETACH) || mount("tmpfs", ROOT, "tmpfs", 0, "mode=755"))
		abort();
	put("0-1", "online");
	make_dir("cpu0");
	make_dir("cpu1");
	ok(!cpufreq_present(), "no cpufreq");
	ok(!cpufreq_save(saved, N_CPUS, &n, &err) && n == 0, "nothing to save is no error");
	ok(cpufreq_check("performance", &err) == -1 && err.kind == ERR_NEEDS, "asking for a governor is");
	has(err.msg, "this machine has no cpufreq", "and says so");
	err = (struct err){ 0 };
	ok(cpufreq_set_governor("performance", &err) == -1 && err.kind == ERR_NEEDS, "setting one too");
	ok(cpufreq_verify("performance", &err) == -1, "nobody has it");
}

static void test_fake_sysfs(void)
{
	char driver[CPUFREQ_NAME];

	fresh_tree();
	setenv("IOBENCH_SYSFS", "/sys", 1);
	ok(!cpufreq_present() && !cpufreq_driver(0, driver), "the machine's CPUs are not shown below another sysfs");
	unsetenv("IOBENCH_SYSFS");
	ok(cpufreq_present(), "and are without it");
}

int main(void)
{
	unsetenv("IOBENCH_SYSFS");
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || make_tree()) {
		skip(1, "needs root: a private mount namespace with a fake /sys/devices/system/cpu");
		return tap_done();
	}
	test_reading();
	test_setting();
	test_refusals();
	fresh_tree();
	test_limits();
	fresh_tree();
	test_userspace();
	fresh_tree();
	test_read_only();
	fresh_tree();
	test_offline();
	test_none();
	test_fake_sysfs();
	str_release(&written);
	return tap_done();
}
