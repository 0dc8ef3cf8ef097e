// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <inttypes.h>
#include <unistd.h>

#include "checks/environment.h"
#include "checks/limits.h"
#include "checks/plan.h"
#include "checks/run.h"
#include "checks/series.h"
#include "checks/settings.h"
#include "parsers/parser.h"

/* ---- codes ---- */

static void test_codes(void)
{
	bool whole = true, unique = true, plain = true, found = true;

	for (size_t i = 0; i < CHECK_N; i++) {
		const struct check_code *c = &check_codes[i];

		whole &= c->code && c->title && c->advice && !strchr(c->advice, '\n');
		plain &= c->code && strspn(c->code, "abcdefghijklmnopqrstuvwxyz-") == strlen(c->code);
		for (size_t k = 0; k < i; k++)
			unique &= strcmp(c->code, check_codes[k].code) != 0;
		found &= check_code_find(c->code) == c;
	}
	ok(whole, "every code has a name, a title and one line of advice");
	ok(plain && unique, "codes are lower-case words, each there once");
	ok(found && !check_code_find("W-OF-LATER"), "found by name, others not");
	ok(check_codes[CHECK_FOREIGN_IO].level == CHECK_OF_RUN && check_codes[CHECK_SPREAD].level == CHECK_OF_CELL &&
		   check_codes[CHECK_FEW_RUNS].level == CHECK_OF_SWEEP &&
		   check_codes[CHECK_SWAP].level == CHECK_OF_MACHINE,
	   "each has its level");
}

/* The codes of findings in their order, "foreign-io not-idle"; empties the list. */
static char *codes_of(struct check_findings *f)
{
	struct str text = { 0 };

	for (size_t i = 0; i < f->list.n; i++)
		str_addf(&text, "%s%s", i ? " " : "", check_codes[f->list.items[i].id].code);
	check_findings_release(f);
	return text.len ? str_steal(&text) : mem_strdup("");
}

static void codes_are(struct check_findings *f, const char *want, const char *what)
{
	AUTOFREE char *got = codes_of(f);

	is(got, want, what);
}

/* ---- a run of which nothing can be said: 4 jobs for 10 s at 400 us an I/O ---- */

#define MIB (1ULL << 20)

static struct check_load load;
static struct check_target target;
static struct host_counters before, after;
static struct parsed parsed;
static struct check_run run;
static double job_s[4], iops, lat_us, usr, runtime_s, read_mib, write_mib;

static void quiet_run(void)
{
	static struct host_disk_counters disk_before, disk_after;

	load = (struct check_load){ .pattern = "randread",
				    .ioengine = "libaio",
				    .numjobs = 4,
				    .iodepth = 1,
				    .bs_bytes = 4096,
				    .runtime_ns = 10 * NS_PER_S,
				    .ramp_ns = 2 * NS_PER_S,
				    .region_bytes = 5120 * MIB,
				    .direct = CHECK_YES,
				    .own_regions = CHECK_YES,
				    .writes = CHECK_NO,
				    .has_ramp = true };
	target = (struct check_target){ .n_disks = 1,
					.disks = "sda",
					.disk_bytes = 1000000 * MIB,
					.ram_bytes = 8192 * MIB,
					.logical_block_bytes = 512,
					.physical_block_bytes = 4096,
					.kernel = 6018 };
	disk_before = (struct host_disk_counters){
		.name = "sda", .present = true, .read_bytes = 7 * MIB, .write_bytes = 3 * MIB
	};
	disk_after = disk_before;
	disk_after.read_bytes += 480 * MIB;
	before = (struct host_counters){
		.taken_ns = 1, .user_us = 500, .cpu.known = true, .io.known = true, .memory.known = true
	};
	before.disks.items = &disk_before;
	before.disks.n = 1;
	after = before;
	after.disks.items = &disk_after;
	after.taken_ns += 12330000000;
	after.user_us += 600000; /* of the load 500000 */
	after.system_us += 2000000;
	after.idle_us += 22000000;
	after.cpu.some_us += 6000000; /* its own jobs wait for CPUs */
	run = (struct check_run){ .load = &load,
				  .target = &target,
				  .parsed = &parsed,
				  .before = &before,
				  .after = &after,
				  .usage = { true, 480 * MIB, 0, 500000 },
				  .elapsed_ns = 12330000000,
				  .requested =
					  "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/iosched/slice_idle\":\"8\"}",
				  .effective =
					  "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/iosched/slice_idle\":\"8\","
					  "\"sda:queue/nr_requests\":\"64\",\"sda:queue/rotational\":\"0\"}" };
	iops = 10000;
	lat_us = 398;
	usr = 0.5;
	runtime_s = 10.001;
	read_mib = 400;
	write_mib = 0;
	for (int i = 0; i < 4; i++)
		job_s[i] = 10.0 + i / 1000.0;
}

static void judge(const char *want, const char *what)
{
	struct check_findings f = { 0 };

	parsed_add(&parsed, "iops", DIR_ALL, JOB_ALL, iops);
	parsed_add(&parsed, "lat_mean", DIR_ALL, JOB_ALL, lat_us * 1000);
	parsed_add(&parsed, "usr_cpu", DIR_ALL, JOB_ALL, usr);
	parsed_add(&parsed, "runtime", DIR_ALL, JOB_ALL, runtime_s * 1e9);
	parsed_add(&parsed, "io_bytes", DIR_READ, JOB_ALL, read_mib > 0 ? read_mib * MIB : NAN);
	parsed_add(&parsed, "io_bytes", DIR_WRITE, JOB_ALL, write_mib > 0 ? write_mib * MIB : NAN);
	for (int i = 0; i < 4; i++)
		parsed_add(&parsed, "runtime", DIR_ALL, i, job_s[i] * 1e9);
	check_run(&run, &f);
	codes_are(&f, want, what);
	parsed_release(&parsed);
	quiet_run();
}

static struct host_disk_counters *disk_after(void)
{
	return &after.disks.items[0];
}

static void text_is(const char *want, const char *what)
{
	struct check_findings f = { 0 };

	parsed_add(&parsed, "io_bytes", DIR_READ, JOB_ALL, read_mib * MIB);
	check_run(&run, &f);
	is(f.list.n ? f.list.items[0].text : "", want, what);
	check_findings_release(&f);
	parsed_release(&parsed);
	quiet_run();
}

static void test_foreign_io(void)
{
	judge("", "a quiet run raises nothing");

	disk_after()->read_bytes += 4 * MIB;
	judge("", "0.8% of others' reads: nothing");
	disk_after()->read_bytes += 6 * MIB;
	judge("foreign-io", "1.25%: foreign I/O");
	disk_after()->read_bytes += 12 * MIB;
	text_is("the disk read 12 MiB more than the load asked for (2.5% of what that moved)", "with figures");
	disk_after()->write_bytes += 6 * MIB;
	judge("foreign-io", "writes beside a load that only reads");
	disk_after()->write_bytes += 6 * MIB;
	text_is("the disk wrote 6 MiB more than the load asked for (1.2% of what that moved)",
		"reads and writes apart");
	disk_after()->write_bytes += 6 * MIB;
	disk_after()->read_bytes += 6 * MIB;
	judge("foreign-io foreign-io", "both");

	run.usage.read_bytes -= 80 * MIB;
	judge("foreign-io", "the ramp is counted by what the load used: 80 MiB less of it are others'");
	run.usage.known = false;
	judge("", "without that, reads of a load that has a ramp cannot be told apart");
	run.usage.known = false;
	disk_after()->write_bytes += 6 * MIB;
	judge("foreign-io", "but its writes can: it does none");
	run.usage.known = false;
	load.has_ramp = false;
	judge("foreign-io", "nor has a load without ramp hidden reads");
	run.usage.read_bytes = 0;
	judge("", "a kernel that does not count for processes: as if not known");
	load.direct = CHECK_NO;
	disk_after()->read_bytes += 60 * MIB;
	judge("", "buffered I/O reads ahead: no finding");
	target.stacked = true;
	disk_after()->read_bytes += 60 * MIB;
	judge("", "nor on RAID");
	target.files = true;
	disk_after()->read_bytes += 60 * MIB;
	judge("", "nor through a file system");
	disk_after()->present = false;
	disk_after()->read_bytes = 0;
	judge("", "nor of a disk that is gone");
	disk_after()->read_bytes = 0;
	judge("", "nor when its counters began anew");

	load.pattern[0] = '\0';
	write_mib = 200;
	run.usage.write_bytes = 240 * MIB;
	disk_after()->write_bytes += 240 * MIB;
	judge("", "reads and writes of its own");
}

static void test_disk(void)
{
	before.disks.items[0].in_flight = 3;
	judge("not-idle", "requests in flight before the start");
	after.disks.items[0].in_flight = 3;
	judge("", "at the end they are the next one's trouble");

	load.direct = CHECK_NO;
	disk_after()->read_bytes = before.disks.items[0].read_bytes + 350 * MIB;
	judge("from-cache", "350 MiB from the disk for 400 MiB read");
	load.direct = CHECK_NO;
	disk_after()->read_bytes = before.disks.items[0].read_bytes + 365 * MIB;
	judge("", "365 MiB: nothing");
	disk_after()->read_bytes = before.disks.items[0].read_bytes + 12 * MIB;
	text_is("fio read 400 MiB, the disk only 12 MiB", "with figures");
	run.requested = "{}";
	run.effective = "{\"sda:queue/iostats\":\"0\"}";
	disk_after()->read_bytes = before.disks.items[0].read_bytes;
	judge("", "a disk whose counting is off says nothing");

	target.rotational = true;
	judge("too-fast", "10000 random I/Os a second on a rotational disk");
	target.rotational = true;
	load.pattern[0] = 'x';
	judge("", "sequential ones may be");
	target.rotational = true;
	iops = 990;
	lat_us = 4020;
	judge("", "990 a second may be");
	target.rotational = true;
	target.n_disks = 11;
	judge("", "and ten thousand on eleven disks");
}

static void test_fio_figures(void)
{
	lat_us = 441;
	judge("littles-law", "4.41 in flight of 4: a unit is wrong, or a time");
	lat_us = 439;
	judge("", "4.39: nothing");
	lat_us = 355;
	judge("littles-law", "3.55 in flight of 4");
	lat_us = 355;
	usr = 7;
	judge("", "unless fio's own CPU time between two I/Os explains it");
	iops = 1234;
	lat_us = 2000;
	{
		struct check_findings f = { 0 };

		parsed_add(&parsed, "iops", DIR_ALL, JOB_ALL, iops);
		parsed_add(&parsed, "lat_mean", DIR_ALL, JOB_ALL, lat_us * 1000);
		check_run(&run, &f);
		is(f.list.n ? f.list.items[0].text : "",
		   "1234 IOPS x 2 ms are 2.5 requests in flight; 4 jobs with iodepth 1 should have 4",
		   "with figures");
		check_findings_release(&f);
		parsed_release(&parsed);
		quiet_run();
	}
	lat_us = NAN;
	judge("", "no latencies (gtod_reduce): no finding");
	lat_us = 100;
	load.paced = true;
	judge("", "thinktime: no finding");
	lat_us = 100;
	load.direct = CHECK_NO;
	judge("", "buffered: no finding");
	load.iodepth = 32;
	judge("littles-law queue-full", "iodepth 32 of which one is seen");
	load.iodepth = 32;
	snprintf(load.ioengine, sizeof(load.ioengine), "psync");
	judge("", "with psync, that has no depth, one is right");

	job_s[3] = 5.9;
	judge("jobs-apart", "one of four jobs ran 5.9 s of 10");
	job_s[3] = 6.5;
	judge("", "6.5 s: they overlap by 90%");
	job_s[0] = 2;
	{
		struct check_findings f = { 0 };

		parsed_add(&parsed, "runtime", DIR_ALL, 0, 2e9);
		parsed_add(&parsed, "runtime", DIR_ALL, 1, 10e9);
		parsed_add(&parsed, "runtime", DIR_READ, 1, 1e9);
		check_run(&run, &f);
		is(f.list.n ? f.list.items[0].text : "", "of 2 jobs the shortest ran 2.0 s, the longest 10.0 s",
		   "with figures");
		check_findings_release(&f);
		parsed_release(&parsed);
		quiet_run();
	}

	runtime_s = 9.4;
	judge("ended-early", "9.4 s of 10");
	runtime_s = 9.6;
	judge("", "9.6 s: nothing");
	runtime_s = 11.2;
	judge("ran-long", "11.2 s of 10");
	runtime_s = 10.9;
	judge("", "10.9 s: the last I/Os were slow");
	load.runtime_ns = NS_PER_S;
	load.ramp_ns = 0;
	runtime_s = 1.4;
	run.elapsed_ns = 19 * NS_PER_S / 10;
	judge("", "1.4 s of 1: within half a second");
	run.elapsed_ns = 21 * NS_PER_S;
	judge("ran-long", "21 s for 2 + 10: jobs one after the other");
	run.elapsed_ns = 17 * NS_PER_S;
	judge("", "17 s: a slow start");
	load.runtime_ns = load.ramp_ns = 0;
	run.elapsed_ns = 100 * NS_PER_S;
	judge("", "a job file with times of its own has no length to compare with");
	load.runtime_ns = 0;
	runtime_s = 4.9;
	judge("too-short", "but it is too short all the same");
	load.runtime_ns = 0;
	target.rotational = true;
	snprintf(load.pattern, sizeof(load.pattern), "read");
	runtime_s = 9.9;
	judge("too-short", "on a rotational disk below 10 s");
}

static void test_machine(void)
{
	after.steal_us = 300000;
	judge("cpu-steal", "2.4% of a CPU stolen");
	after.steal_us = 200000;
	judge("", "1.6%: nothing");
	before.has_throttles = after.has_throttles = true;
	before.throttles = after.throttles = 17;
	judge("", "no throttling since boot counts");
	before.has_throttles = after.has_throttles = true;
	after.throttles = 19;
	before.throttles = 17;
	text_is("2 thermal throttling events", "throttling during the run does");

	after.user_us += 1300000;
	judge("cpu-pressure", "others use 11% of a CPU, and tasks wait for CPUs");
	after.user_us += 1300000;
	after.cpu.some_us = before.cpu.some_us + 500000;
	judge("", "the same while nobody waits: there are CPUs enough");
	after.user_us += 3000000;
	after.cpu.known = false;
	judge("cpu-pressure", "others use more than a tenth of all CPUs");
	after.user_us += 3000000;
	run.usage.known = false;
	judge("", "not known who used it: no finding");
	run.usage.user_us += 1300000;
	after.user_us += 1300000;
	judge("", "the load itself may use what it wants");

	after.io.some_us += 1300000;
	judge("io-pressure", "others wait for I/O in 10.5% of the time");
	after.io.some_us += 1200000;
	judge("", "9.7%: nothing");
	after.io.some_us += 9000000;
	snprintf(load.ioengine, sizeof(load.ioengine), "psync");
	judge("", "with psync it is the load that waits");
	after.io.some_us += 9000000;
	load.numjobs = 65;
	lat_us = 6500;
	judge("queue-full", "and with a full queue too");

	after.memory.some_us += 130000;
	judge("memory-pressure", "tasks wait for memory in 1.05% of the time");
	after.memory.some_us += 130000;
	load.direct = CHECK_NO;
	judge("", "with buffered I/O it may be the load");
}

/* ---- settings ---- */

static void settings_give(const char *requested, const char *effective, const char *want, const char *what)
{
	struct check_findings f = { 0 };

	check_settings(requested, effective, &load, &target, &f);
	codes_are(&f, want, what);
}

static void test_settings(void)
{
	struct check_findings f = { 0 };
	char value[4] = "";

	settings_give("{\"sda:queue/scheduler\":\"kyber\",\"sda:queue/"
		      "nr_requests\":\"064\",\"cpu:governor\":\"performance\"}",
		      "{\"sda:queue/scheduler\":\"kyber\",\"sda:queue/"
		      "nr_requests\":\"64\",\"cpu:governor\":\"performance\"}",
		      "", "what was asked for is in effect");
	check_settings("{\"sda:queue/iosched/timeout_sync\":\"125\"}", "{\"sda:queue/iosched/timeout_sync\":\"128\"}",
		       &load, &target, &f);
	is(f.list.n ? f.list.items[0].text : "",
	   "'queue/iosched/timeout_sync' of 'sda': '125' was asked for, the kernel made '128' of it",
	   "clamped: both are named");
	codes_are(&f, "clamped", "as such");
	settings_give("{\"sda:queue/write_cache\":\"none\"}", "{\"sda:queue/write_cache\":\"write through\"}",
		      "clamped", "texts too");
	settings_give("{\"sda:queue/io_poll_delay\":\"-1\"}", "{}", "clamped", "what cannot be read back too");
	settings_give("half a {", "{\"sda:", "", "broken texts say nothing");
	settings_give(NULL, NULL, "", "none neither");

	settings_give("{\"sda:queue/rotational\":\"1\"}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/rotational\":\"1\",\"sda:queue/iosched/"
		      "slice_idle\":\"0\","
		      "\"sda:queue/iosched/slice_idle_us\":\"0\"}",
		      "rotational-late", "'current' bfq and rotational set: too late");
	settings_give("{\"sda:queue/rotational\":\"1\",\"sda:queue/scheduler\":\"bfq\"}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/rotational\":\"1\"}", "",
		      "a bfq that the sweep selects is not");
	settings_give("{\"sda:queue/rotational\":\"1\"}",
		      "{\"sda:queue/scheduler\":\"none\",\"sda:queue/rotational\":\"1\"}", "",
		      "none does not look at it");
	settings_give("{}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/rotational\":\"1\",\"sda:queue/iosched/"
		      "slice_idle\":\"0\","
		      "\"sda:queue/iosched/slice_idle_us\":\"0\"}",
		      "rotational-late", "'current' bfq that does not idle on a rotational disk");
	settings_give("{}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/rotational\":\"1\",\"sda:queue/iosched/"
		      "slice_idle\":\"0\","
		      "\"sda:queue/iosched/slice_idle_us\":\"500\"}",
		      "", "half a millisecond shows as 0 ms, but is idling");
	settings_give("{\"sda:queue/iosched/slice_idle\":\"0\"}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/rotational\":\"1\",\"sda:queue/iosched/"
		      "slice_idle\":\"0\","
		      "\"sda:queue/iosched/slice_idle_us\":\"0\"}",
		      "", "nor when that is asked for");

	settings_give("{\"sda:queue/scheduler\":\"cfq\",\"sda:queue/iosched/slice_idle\":\"0\"}",
		      "{\"sda:queue/scheduler\":\"cfq\",\"sda:queue/iosched/slice_idle\":\"0\",\"sda:queue/iosched/"
		      "group_idle\":\"8\"}",
		      "still-idling", "slice_idle=0 and group_idle 8");
	settings_give("{\"sda:queue/scheduler\":\"cfq\"}",
		      "{\"sda:queue/scheduler\":\"cfq\",\"sda:queue/iosched/slice_idle\":\"0\",\"sda:queue/iosched/"
		      "group_idle\":\"8\"}",
		      "", "as cfq begins on flash: nobody asked");
	settings_give("{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/iosched/slice_idle\":\"0\"}",
		      "{\"sda:queue/scheduler\":\"bfq\",\"sda:queue/iosched/slice_idle\":\"0\","
		      "\"sda:queue/iosched/strict_guarantees\":\"1\"}",
		      "still-idling", "slice_idle=0 and strict_guarantees");

	target.host_managed = true;
	target.kernel = 6009;
	load.writes = CHECK_YES;
	settings_give("{}", "{\"sda:queue/scheduler\":\"bfq\"}", "zoned-scheduler",
		      "writes under bfq on a host-managed disk");
	settings_give("{}", "{\"sda:queue/scheduler\":\"mq-deadline\"}", "", "under mq-deadline they are in order");
	target.kernel = 6010;
	settings_give("{}", "{\"sda:queue/scheduler\":\"bfq\"}", "", "since Linux 6.10 under all");
	target.kernel = 5004;
	load.writes = CHECK_NO;
	settings_give("{}", "{\"sda:queue/scheduler\":\"kyber\"}", "", "reads have no order");
	quiet_run();

	load.numjobs = 8;
	load.iodepth = 16;
	settings_give("{}", "{\"sda:queue/scheduler\":\"none\",\"sda:queue/nr_requests\":\"127\"}", "queue-full",
		      "128 requests for 127 places");
	settings_give("{}", "{\"sda:queue/scheduler\":\"none\",\"sda:queue/nr_requests\":\"128\"}", "",
		      "128 for 128");
	quiet_run();
	ok(check_setting("{\"cpu:governor\":\"x\",\"sdb:queue/iostats\":\"12345\"}", "queue/iostats", value,
			 sizeof(value)) &&
		   !strcmp(value, "123") && !check_setting("{}", "queue/iostats", value, sizeof(value)),
	   "one value of any disk, cut to its place");
}

/* ---- loads and plans ---- */

static void loads_give(const char *want, const char *what)
{
	struct check_findings f = { 0 };

	check_load(&load, &target, &f);
	codes_are(&f, want, what);
	quiet_run();
}

static void test_loads(void)
{
	loads_give("", "the load of a quiet run");
	load.runtime_ns = 5 * NS_PER_S - 1;
	loads_give("too-short", "under 5 s");
	target.rotational = true;
	load.runtime_ns = 10 * NS_PER_S - 1;
	loads_give("too-short", "under 10 s on a rotational disk");
	target.rotational = true;
	loads_give("", "10 s: enough");

	snprintf(load.pattern, sizeof(load.pattern), "read");
	load.own_regions = CHECK_NO;
	loads_give("same-blocks", "four sequential readers without offset_increment");
	load.own_regions = CHECK_NO;
	loads_give("", "random ones do not follow each other");
	snprintf(load.pattern, sizeof(load.pattern), "read");
	load.own_regions = CHECK_UNKNOWN;
	loads_give("", "where regions are not known: nothing");
	snprintf(load.pattern, sizeof(load.pattern), "read");
	load.own_regions = CHECK_NO;
	load.numjobs = 1;
	loads_give("", "one job shares with nobody");

	target.rotational = true;
	load.region_bytes = 243 * MIB;
	loads_give("tiny-area", "4 x 243 MiB on a TB: twice the cache it may have is 976 MiB");
	target.rotational = true;
	load.region_bytes = 245 * MIB;
	loads_give("", "4 x 245 MiB");
	target.rotational = true;
	target.disk_bytes = 20000000 * MIB;
	load.region_bytes = 257 * MIB;
	loads_give("", "on 20 TB twice 512 MiB: 4 x 257 MiB will do");
	target.rotational = true;
	load.own_regions = CHECK_NO;
	load.region_bytes = 975 * MIB;
	loads_give("tiny-area", "a region for all of them counts once");
	load.own_regions = CHECK_NO;
	load.region_bytes = 16 * MIB;
	loads_give("", "of others, flash and what is virtual, the cache is not known");
	load.own_regions = CHECK_NO;
	load.region_bytes = 4 * MIB;
	loads_give("tiny-area", "but 4 MiB are in a cache anywhere");
	load.direct = CHECK_NO;
	load.region_bytes = 4095 * MIB;
	loads_give("tiny-area", "buffered: less than twice the memory");
	load.direct = CHECK_NO;
	load.region_bytes = 4096 * MIB;
	loads_give("", "twice the memory");

	load.iodepth = 8;
	snprintf(load.ioengine, sizeof(load.ioengine), "pvsync2");
	loads_give("no-depth", "iodepth with a synchronous engine");
	load.iodepth = 8;
	load.direct = CHECK_NO;
	load.region_bytes = 0;
	loads_give("no-depth", "iodepth with buffered libaio");
	load.iodepth = 8;
	loads_give("", "iodepth with direct libaio");

	load.bs_bytes = 512;
	target.logical_block_bytes = 4096;
	loads_give("unaligned", "512 bytes on 4096-byte sectors");
	load.bs_bytes = 512;
	load.writes = CHECK_YES;
	loads_give("unaligned", "writes of less than a physical sector");
	load.bs_bytes = 512;
	loads_give("", "reads of that");
}

/* A cell of a plan of one, with axes given or left to the job file. */
static void load_from(const char *job, bool axes_given, struct check_load *out)
{
	struct plan p = { .runs = 1 };
	struct workload w;
	struct cell c = { 0 };

	workload_from_text("x", job, &w);
	if (axes_given) {
		axis_parse(AXIS_NUMJOBS, "3", &p.axes[AXIS_NUMJOBS], NULL);
		axis_parse(AXIS_BS, "64k", &p.axes[AXIS_BS], NULL);
		axis_parse(AXIS_RAMP, "0", &p.axes[AXIS_RAMP], NULL);
		axis_parse(AXIS_RUNTIME, "90", &p.axes[AXIS_RUNTIME], NULL);
		axis_parse(AXIS_PATTERN, "randrw", &p.axes[AXIS_PATTERN], NULL);
		axis_parse(AXIS_DIRECT, "0", &p.axes[AXIS_DIRECT], NULL);
	}
	check_load_of(&p, &w, &c, out);
	plan_release(&p);
	workload_release(&w);
}

static void test_load_of(void)
{
	struct check_load l;

	load_from("# rawread -p 16\n[global]\nfilename=${DEV}\nioengine=psync\ndirect = 1\nrw=read ; "
		  "no\nrw=read\nblocksize=4k\n"
		  "size=4100k\n[rawread]\nnumjobs=16\ngroup_reporting\n",
		  false, &l);
	ok(l.numjobs == 16 && l.bs_bytes == 4096 && l.region_bytes == 4100 << 10 && l.iodepth == 1 && !l.runtime_ns &&
		   !l.has_ramp,
	   "a job file's own numbers");
	is(l.ioengine, "psync", "and words");
	ok(l.direct == CHECK_YES && l.own_regions == CHECK_NO && !l.paced, "and what it says of itself");
	load_from("[global]\nrw=${RW}\nbs=${BS}\nramp_time=${RAMP}\nruntime=${RUNTIME}\ndirect=${DIRECT}\n[j]"
		  "\nnumjobs=${JOBS}\n"
		  "offset_increment=5G\nthinktime=3\nsize=50%\n",
		  true, &l);
	ok(l.numjobs == 3 && l.bs_bytes == 65536 && l.runtime_ns == 90ULL * NS_PER_S && !l.has_ramp &&
		   !l.region_bytes,
	   "numbers of the plan, with their units");
	is(l.pattern, "randrw", "and words");
	ok(l.direct == CHECK_NO && l.own_regions == CHECK_YES && l.writes == CHECK_YES && l.paced,
	   "and what follows");
	load_from("[global]\nrw=${RW}\nbs=${BS}\nramp_time=2\ndirect=${DIRECT}\n[j]\nnumjobs=${JOBS}\n", false, &l);
	ok(!l.numjobs && !l.bs_bytes && !*l.pattern && l.direct == CHECK_UNKNOWN && l.writes == CHECK_UNKNOWN &&
		   l.ramp_ns == 2ULL * NS_PER_S && l.has_ramp,
	   "variables without axes are not known");
	load_from("[a]\nrw=read\nbs=4k\n[b]\nrw=write\nbs=4k\n", false, &l);
	ok(!l.numjobs && !*l.pattern && l.bs_bytes == 4096 && l.own_regions == CHECK_UNKNOWN,
	   "of two sections only what they share");
	load_from("[a]\nbuffered=0\ndirectory=/x\n", false, &l);
	ok(l.direct == CHECK_YES && l.own_regions == CHECK_YES, "fio's other names, and a file for each job");
	load_from("[a]\nrw=read\n", false, &l);
	ok(l.direct == CHECK_NO && l.numjobs == 1, "fio's presets");
}

static void test_target_of(void)
{
	struct disk disk = { .name = "sda",
			     .transport = (char *)"sata",
			     .rotational = true,
			     .size_bytes = 1000 * MIB,
			     .logical_block_bytes = 512,
			     .physical_block_bytes = 4096 },
		    disks[2] = { disk, disk };
	struct doctor_disk zoned = { .host_managed = true };
	struct doctor_facts f = { .kernel = (char *)"6.9.0-rc1+", .memory_bytes = 64 * MIB };
	struct target t = { 0 };
	struct check_target c;

	t.disks.items = disks;
	t.disks.n = 1;
	t.chain.n = 1;
	check_target_of(&t, &f, &c);
	ok(c.rotational && !c.stacked && !c.files && !c.host_managed && c.kernel == 6009 &&
		   c.disk_bytes == 1000 * MIB && c.physical_block_bytes == 4096 && c.ram_bytes == 64 * MIB &&
		   !strcmp(c.disks, "sda"),
	   "a disk");
	f.virtual_machine = true;
	check_target_of(&t, &f, &c);
	ok(!c.rotational, "in a virtual machine nobody knows whether it turns");
	f.virtual_machine = false;
	f.io_priority = (char *)"nice 10";
	check_target_of(&t, &f, &c);
	is(c.io_priority, "nice 10", "another priority than the usual one is known");
	disks[0].transport = (char *)"virtio";
	check_target_of(&t, &f, &c);
	ok(!c.rotational, "nor of a virtual disk");
	disks[0].transport = (char *)"sas";
	t.is_partition = true;
	t.chain.n = 2;
	check_target_of(&t, &f, &c);
	ok(!c.stacked && c.rotational, "a partition is not stacked");
	t.is_partition = false;
	check_target_of(&t, &f, &c);
	ok(c.stacked, "dm on one disk is");
	t.disks.n = 2;
	t.chain.n = 3;
	disks[1].rotational = false;
	f.disks.items = &zoned;
	f.disks.n = 1;
	check_target_of(&t, &f, &c);
	ok(c.stacked && !c.rotational && c.n_disks == 2 && c.host_managed && !strcmp(c.disks, "sda, sda"),
	   "so is md, rotational when all its disks are");
}

/* ---- plans ---- */

static void make_plan(struct plan *p, const struct workload *w, const char *scheds)
{
	*p = (struct plan){ .runs = 10 };
	variants_parse(scheds, false, &p->variants, NULL);
	for (int i = 0; i < AXIS_N; i++)
		if (axes[i].preset && workload_uses(w, axes[i].variable))
			axis_parse(i, axes[i].preset, &p->axes[i], NULL);
	plan_make_cells(p);
}

static void plan_gives(const struct plan *p, const struct workload *w, const char *want, const char *what)
{
	struct check_findings f = { 0 };

	check_plan(p, &target, &f);
	check_loads(p, w, &target, &f);
	codes_are(&f, want, what);
}

static void test_plans(void)
{
	struct plan p;
	struct workload w;
	struct check_findings f = { 0 };

	if (access("jobs/patterns.fio", R_OK)) {
		skip(15, "not at the root of the tree");
		return;
	}
	workload_load("jobs/patterns.fio", &w, NULL);
	make_plan(&p, &w, "none,mq-deadline,kyber,bfq,bfq:low_latency=0");
	plan_gives(&p, &w, "", "the defaults of sweep");
	target.rotational = true;
	plan_gives(&p, &w, "", "on a rotational disk too");
	quiet_run();
	check_load_of(&p, &w, &p.cells.items[0], &load);
	ok(load.numjobs == 1 && load.iodepth == 1 && load.bs_bytes == 4096 && load.runtime_ns == 10ULL * NS_PER_S &&
		   load.ramp_ns == 2ULL * NS_PER_S && load.has_ramp && load.region_bytes == 5120 * MIB &&
		   load.direct == CHECK_YES && load.own_regions == CHECK_YES && load.writes == CHECK_NO &&
		   !strcmp(load.pattern, "read") && !strcmp(load.ioengine, "libaio"),
	   "which are understood");
	quiet_run();
	p.runs = 4;
	plan_gives(&p, &w, "few-runs", "four runs");
	p.runs = 5;
	plan_gives(&p, &w, "", "five");
	p.sequential = true;
	plan_gives(&p, &w, "sequential-order", "the old order");
	p.sequential = false;
	target.stacked = true;
	plan_gives(&p, &w, "stacked", "dm or md");
	target.stacked = false;
	target.simulated = true;
	plan_gives(&p, &w, "simulated-disk", "a simulated disk");
	target.simulated = false;
	snprintf(target.io_priority, sizeof(target.io_priority), "nice 10");
	plan_gives(&p, &w, "io-priority", "bfq and a priority");
	target.io_priority[0] = '\0';
	quiet_run();

	free(p.axes[AXIS_RUNTIME].items[0].text);
	vec_free(&p.axes[AXIS_RUNTIME]);
	axis_parse(AXIS_RUNTIME, "1,10", &p.axes[AXIS_RUNTIME], NULL);
	vec_free(&p.cells);
	plan_make_cells(&p);
	check_loads(&p, &w, &target, &f);
	is(f.list.n == 1 ? f.list.items[0].text : "",
	   "runs of 1 s, should be at least 5 s on this disk (this is the first of 80 such cells, of 160)",
	   "said once for all cells");
	check_findings_release(&f);

	free(p.axes[AXIS_RUNTIME].items[0].text);
	free(p.axes[AXIS_RUNTIME].items[1].text);
	vec_free(&p.axes[AXIS_RUNTIME]);
	axis_parse(AXIS_RUNTIME, "1", &p.axes[AXIS_RUNTIME], NULL);
	vec_free(&p.cells);
	plan_make_cells(&p);
	check_loads(&p, &w, &target, &f);
	is(f.list.n == 1 ? f.list.items[0].text : "", "runs of 1 s, should be at least 5 s on this disk, in all cells",
	   "or that it is of all");
	check_findings_release(&f);
	plan_release(&p);

	make_plan(&p, &w, "bfq,mq-deadline");
	plan_gives(&p, &w, "bfq-latency", "bfq in its default only");
	plan_release(&p);
	make_plan(&p, &w, "bfq:slice_idle=0,none");
	plan_gives(&p, &w, "bfq-latency", "or with another tunable");
	plan_release(&p);
	make_plan(&p, &w, "bfq,bfq:slice_idle=0");
	plan_gives(&p, &w, "", "compared with itself it may be");
	plan_release(&p);
	make_plan(&p, &w, "bfq:low_latency=1,bfq:slice_idle=0:low_latency=0,none");
	plan_gives(&p, &w, "", "with low_latency=0 among the variants");
	plan_release(&p);
	make_plan(&p, &w, "cfq,none,current");
	plan_gives(&p, &w, "", "no bfq");
	plan_release(&p);
	workload_release(&w);
}

/* ---- series ---- */

static void series_gives(const double *values, size_t n, const char *want, const char *what)
{
	unsigned blocks[64];
	struct check_findings f = { 0 };

	for (unsigned i = 0; i < n; i++)
		blocks[i] = i;
	check_series("iops", values, blocks, n, &f);
	codes_are(&f, want, what);
}

/* Deterministic noise: the sum of 12 uniform numbers of a 64-bit congruential generator, less 6, is nearly normal. */
static double noise(void)
{
	static uint64_t state = 20170405;
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(state >> 11) / 9007199254740992.0;
	}
	return sum;
}

static void test_spread(void)
{
	/* half width is t x stddev / sqrt(n) / mean; of three values 90, 100, x it is 4.303 x s / 1.732 / mean */
	series_gives((const double[]){ 100, 98, 102 }, 3, "", "100 +-4.97%");
	series_gives((const double[]){ 100, 97.9, 102.1 }, 3, "spread", "100 +-5.2%");
	series_gives((const double[]){ 100, 10 }, 2, "", "two values say nothing of their spread");
	series_gives((const double[]){ 93, 107, 93, 107, 93, 107, 93, 107, 93, 107 }, 10, "spread",
		     "10 runs, stddev 7.4%");
	series_gives((const double[]){ 94, 106, 94, 106, 94, 106, 94, 106, 94, 106 }, 10, "", "10 runs, stddev 6.3%");
	series_gives(NULL, 0, "", "no runs");
}

static void test_drift(void)
{
	struct check_findings f = { 0 };
	double values[10];
	unsigned blocks[10], same[10] = { 0 }, found = 0, alarms = 0;

	for (unsigned i = 0; i < 10; i++) {
		values[i] = 1000 * pow(0.9, i / 9.0) * (i % 2 ? 1.002 : 0.998);
		blocks[i] = i;
	}
	check_series("iops", values, blocks, 10, &f);
	ok(f.list.n == 1 && str_starts(f.list.items[0].text, "iops changed by -9.") &&
		   f.list.items[0].id == CHECK_DRIFT,
	   "a loss of 10%% over ten blocks: %s", f.list.n ? f.list.items[0].text : "nothing");
	check_findings_release(&f);
	check_series("iops", values, same, 10, &f);
	codes_are(&f, "", "in one block there is no drift");
	for (unsigned i = 0; i < 10; i++)
		values[i] = 1000 * (1 + 0.029 * i / 9.0);
	series_gives(values, 10, "", "2.9% are below what matters, however sure");
	for (unsigned i = 0; i < 10; i++)
		values[i] = 1000 * (1 + 0.031 * i / 9.0);
	series_gives(values, 10, "drift", "3.1% are not");
	series_gives((const double[]){ 100, 101, 102, 104 }, 4, "", "four runs are too few for a line");

	for (int k = 0; k < 4000; k++) {
		for (unsigned i = 0; i < 10; i++)
			values[i] = 1000 * (1 + 0.05 * noise());
		check_series("iops", values, blocks, 10, &f);
		for (size_t i = 0; i < f.list.n; i++)
			alarms += f.list.items[i].id == CHECK_DRIFT;
		check_findings_release(&f);
		for (unsigned i = 0; i < 10; i++)
			values[i] = 1000 * (1 - 0.2 * i / 9.0) * (1 + 0.02 * noise());
		check_series("iops", values, blocks, 10, &f);
		for (size_t i = 0; i < f.list.n; i++)
			found += f.list.items[i].id == CHECK_DRIFT;
		check_findings_release(&f);
	}
	ok(alarms <= 12, "noise of 5%%: %u false alarms in 4000 cells (expected 4)", alarms);
	ok(found >= 3960, "20%% under noise of 2%%: found in %u of 4000", found);
}

/* 'cells' x 'blocks' with noise, all getting slower together by 'loss'; in an order that is not sorted. */
static unsigned sweep_drifts(unsigned cells, unsigned blocks, double sd, double loss)
{
	AUTOFREE struct check_point *points = mem_alloc((size_t)cells * blocks, sizeof(*points));
	struct check_findings f = { 0 };
	unsigned n = 0, found;

	for (unsigned c = cells; c--;)
		for (unsigned b = 0; b < blocks; b++)
			points[n++] = (struct check_point){
				c, b, 100 * (c + 1) * (1 - loss * b / (blocks - 1)) * (1 + sd * noise())
			};
	check_sweep_drift("iops", points, n, &f);
	found = (unsigned)f.list.n;
	ok(points[0].cell == cells - 1, "what it was given is left as it was");
	check_findings_release(&f);
	return found;
}

static void test_sweep_drift(void)
{
	struct check_findings f = { 0 };

	is_int(sweep_drifts(64, 10, 0.05, 0.06), 1, "6% of all cells together, seen through noise of 5%");
	is_int(sweep_drifts(64, 10, 0.05, 0), 0, "no drift");
	is_int(sweep_drifts(64, 10, 0.01, 0.02), 0, "2% do not matter");
	is_int(sweep_drifts(64, 4, 0.01, 0.2), 0, "four blocks are too few");
	{
		struct check_point holes[40];
		unsigned n = 0;

		/* the fast cell began to work in the fourth block */
		for (unsigned b = 0; b < 10; b++)
			for (unsigned c = 0; c < 4; c++)
				if (c || b >= 3)
					holes[n++] =
						(struct check_point){ c, b, (c ? 100 : 5000) * (1 + 0.01 * noise()) };
		check_sweep_drift("iops", holes, n, &f);
		codes_are(&f, "", "cells that lack some blocks are no drift");
	}
	check_sweep_drift("iops", NULL, 0, &f);
	codes_are(&f, "", "no runs, no drift");
}

static void test_frequency(void)
{
	struct check_findings f = { 0 };

	check_frequency("performance", (const double[]){ 3000000, 2900000, 3040000 }, 3, &f);
	codes_are(&f, "", "2.9 to 3.04 GHz");
	check_frequency("performance", (const double[]){ 3000000, 2900000, 3046000 }, 3, &f);
	is(f.list.n ? f.list.items[0].text : "", "CPUs ran at 2900 MHz in one run, at 3046 MHz in another",
	   "2.9 to 3.046 GHz");
	codes_are(&f, "cpu-frequency", "are a finding");
	check_frequency("schedutil", (const double[]){ 3000000, 800000 }, 2, &f);
	codes_are(&f, "", "unless the governor is to change it");
	check_frequency("performance", (const double[]){ 0, 2900000 }, 2, &f);
	codes_are(&f, "", "where it is not known it is not");
	check_attempts(0, 10, &f);
	codes_are(&f, "", "all runs valid");
	check_attempts(2, 12, &f);
	is(f.list.n ? f.list.items[0].text : "", "2 of 12 runs were not valid", "two thrown away");
	codes_are(&f, "settings-changed", "are a finding");
}

/* ---- environments ---- */

static void test_environment(void)
{
	static const char at_start[] =
		"{\"cpufreq.governor\":\"performance\",\"cpufreq.driver\":null,\"kernel.release\":\"6.1\","
		"\"fio.version\":\"fio-3.33\",\"cpu.count\":8,\"module.bfq.build_id\":\"aa\"}";
	struct check_findings f = { 0 };

	check_environment(at_start, at_start, &f);
	codes_are(&f, "", "nothing changed");
	check_environment(at_start,
			  "{\"cpufreq.governor\":\"powersave\",\"cpufreq.driver\":null,\"kernel.release\":\"6.1\","
			  "\"fio.version\":\"fio-3.33\",\"cpu.count\":8}",
			  &f);
	is(f.list.n ? f.list.items[0].text : "", "'cpufreq.governor' went from 'performance' to 'powersave'",
	   "a governor");
	codes_are(&f, "governor-changed", "and not that a module was unloaded");
	check_environment(
		at_start,
		"{\"cpufreq.governor\":\"performance\",\"cpufreq.driver\":null,\"kernel.release\":\"6.1\","
		"\"fio.version\":\"fio-3.33\",\"cpu.count\":7,\"new\":\"fact\",\"module.bfq.build_id\":\"aa\"}",
		&f);
	codes_are(&f, "environment-changed environment-changed", "a CPU went away, a fact came");

	check_environments_differ(at_start, at_start, &f);
	codes_are(&f, "", "sweeps of one machine");
	check_environments_differ(
		at_start, "{\"kernel.release\":\"6.2\",\"kernel.version\":\"#2\",\"fio.version\":\"fio-3.36\"}", &f);
	is(f.list.n ? f.list.items[0].text : "", "'6.1' and '6.2'", "both kernels are named");
	codes_are(&f, "other-kernel other-fio environment-changed environment-changed",
		  "once each, and every other fact that differs");

	check_environments_differ("{\"disk.sda.queue.fua\":\"0\",\"disk.sda.size_bytes\":1}",
				  "{\"disk.sdab.queue.fua\":\"0\",\"disk.sdab.size_bytes\":2}", &f);
	is(f.list.n ? f.list.items[0].text : "", "'disk.sda.size_bytes': '1' and '2'", "the one disk of either is held against the other");
	codes_are(&f, "environment-changed", "fact by fact");
	check_environments_differ("{\"disk.sda.a\":\"0\",\"disk.sdb.a\":\"0\"}", "{\"disk.sdc.a\":\"0\"}", &f);
	codes_are(&f, "environment-changed environment-changed", "of several nobody knows which is which");
}

/* ---- what fio really prints ---- */

static void test_real_output(const char *path, unsigned jobs, unsigned depth, const char *want)
{
	AUTOSTR struct str text = { 0 };
	struct parsed real = { 0 };
	struct check_findings f = { 0 };

	if (file_slurp(path, &text, NULL)) {
		skip(1, "no corpus beside the tree");
		return;
	}
	parser_find("fio-json")->parse(str_text(&text), text.len, &real, NULL);
	run.parsed = &real;
	load.numjobs = jobs;
	load.iodepth = depth;
	load.runtime_ns = 0;
	target.files = true;
	run.requested = "{}";
	run.effective = "{\"sda:queue/iostats\":\"0\"}";
	check_run(&run, &f);
	codes_are(&f, want, path);
	parsed_release(&real);
	quiet_run();
}

static void test_simulator(void)
{
	struct check_findings f = { 0 };

	check_simulator(0, 0, &f);
	check_simulator(1000, 10, &f);
	is_int((long long)f.list.n, 0, "one command in a hundred may be late");
	check_simulator(1000, 11, &f);
	ok(f.list.n == 1 && f.list.items[0].id == CHECK_SIMULATOR_LATE, "more is a simulator that does not keep time");
	has(f.list.n ? f.list.items[0].text : NULL, "11 of 1000 commands", "with the figures");
	check_findings_release(&f);
}

int main(void)
{
	quiet_run();
	test_codes();
	test_simulator();
	test_foreign_io();
	test_disk();
	test_fio_figures();
	test_machine();
	test_settings();
	test_loads();
	test_load_of();
	test_target_of();
	test_plans();
	test_spread();
	test_drift();
	test_sweep_drift();
	test_frequency();
	test_environment();
	test_real_output("../shared/corpus/fio/j301_8jobs_diskutil.json", 8, 32, "littles-law jobs-apart");
	test_real_output("../shared/corpus/fio/j306_8jobs_nogroup.json", 8, 4, "");
	test_real_output("../shared/corpus/fio/j312_randrw.json", 1, 16, "");
	test_real_output("../shared/corpus/fio/j312_randrw.json", 4, 16, "littles-law");
	return tap_done();
}
