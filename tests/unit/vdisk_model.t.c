// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated disk in virtual time: what comes out must be what can be worked out from the profile's figures. */
#include "tests/tap.h"
#include "common/units.h"
#include "vdisk/fault.h"
#include "vdisk/model.h"
#include "vdisk/replay.h"

static struct profile profile_of(const char *name)
{
	struct profile p = { 0 };
	struct err err = { 0 };

	if (profile_load(name, &p, &err))
		printf("# %s\n", err.msg);
	return p;
}

/* Run a trace; what came of it, and the counters. */
static struct replay play(const struct profile *p, uint64_t bytes, const char *trace, unsigned depth,
			  struct model_counters *count)
{
	struct replay r = { .depth = depth };
	struct err err = { 0 };
	struct model m;
	FILE *f = fmemopen((void *)trace, strlen(trace), "r");

	model_init(&m, p, bytes);
	if (replay_run(&m, f, &r, &err))
		printf("# %s\n", err.msg);
	if (count)
		*count = m.count;
	model_release(&m);
	fclose(f);
	return r;
}

static double iops(const struct replay *r)
{
	return (double)r->commands * 1e9 / (double)r->elapsed_ns;
}

static double mb_s(const struct replay *r)
{
	return (double)r->bytes * 1e3 / (double)r->elapsed_ns;
}

static uint64_t draw(uint64_t below)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % below;
}

static char *random_reads(uint64_t bytes, unsigned n)
{
	struct str s = { 0 };

	while (n--)
		str_addf(&s, "read %llu 4k\n", (unsigned long long)(draw(bytes / 4096) * 4096));
	return str_steal(&s);
}

static char *sequential(const char *op, uint64_t from, unsigned n)
{
	struct str s = { 0 };

	for (unsigned i = 0; i < n; i++)
		str_addf(&s, "%s %llu 64k\n", op, (unsigned long long)(from + i * 65536ULL));
	return str_steal(&s);
}

/* ---- the mechanics, against the profile ---- */

static void test_profiles(void)
{
	for (const struct profile_text *t = profile_texts; t->name; t++) {
		struct profile p;
		struct err err = { 0 };

		ok(!profile_load(t->name, &p, &err), "profile '%s' is whole %s", t->name, err.msg);
	}
	ok(profile_texts[4].name && !profile_texts[5].name, "there are five");
}

/* The curve of the data sheet, worked out here from its three points: what the model's must agree with. */
static double seek_ms(const struct profile *p, double distance, double stroke)
{
	double third = stroke / 3;
	double b = (p->seek_average_ms - p->seek_track_ms) / (sqrt(third) - 1);

	if (distance < 1)
		return 0;
	if (distance <= third)
		return p->seek_track_ms + b * (sqrt(distance) - 1);
	return p->seek_average_ms + (p->seek_full_ms - p->seek_average_ms) * (distance - third) / (stroke - third);
}

static void test_seeks(const char *name, uint64_t bytes)
{
	struct profile p = profile_of(name);
	struct geometry g;

	geometry_make(&p, bytes, &g);
	is_near((double)geometry_seek_ns(&g, 1) / 1e6, p.seek_track_ms, 1e-5, "track to track as in the profile");
	is_near((double)geometry_seek_ns(&g, g.cylinders - 1) / 1e6, p.seek_full_ms, 1e-5, "full stroke as in the profile");
	is_near((double)geometry_seek_ns(&g, g.cylinders / 3) / 1e6, p.seek_average_ms, 0.01,
		"a third of the stroke takes the average");
	is_int(geometry_seek_ns(&g, 0), 0, "no distance, no time");
}

static void test_random(const char *name)
{
	struct profile p = profile_of(name);
	AUTOFREE char *trace = random_reads(p.size_bytes, 20000);
	struct replay r = play(&p, 0, trace, 1, NULL);
	struct geometry g;
	double seek = 0, transfer, rotation = 60e3 / (double)p.rpm;
	unsigned n = 100000;

	geometry_make(&p, p.size_bytes, &g);
	for (unsigned i = 0; i < n; i++) {
		struct place a, b;

		geometry_place(&g, draw(g.sectors), &a);
		geometry_place(&g, draw(g.sectors), &b);
		seek += seek_ms(&p, fabs((double)a.cylinder - (double)b.cylinder), (double)g.cylinders - 1) / n;
	}
	transfer = 4096 / 1e3 / ((p.rim_mb_s + p.hub_mb_s) / 2);
	is_near(iops(&r), 1e3 / (p.overhead_us / 1e3 + seek + rotation / 2 + transfer), 0.03, name);
	is_near(seek, p.seek_average_ms, 0.15, "and the mean seek is near the data sheet's");
}

static void test_sequential(const char *name)
{
	struct profile p = profile_of(name);
	AUTOFREE char *rim = sequential("read", 0, 20000);
	AUTOFREE char *hub = sequential("read", p.size_bytes / 4096 * 4096 - 20000 * 65536ULL, 20000);
	struct replay r = play(&p, 0, rim, 1, NULL);

	is_near(mb_s(&r), p.rim_mb_s, 0.03, "sequential reads at the rim come at its rate");
	r = play(&p, 0, hub, 1, NULL);
	is_near(mb_s(&r), p.hub_mb_s, 0.03, "and at the hub at the hub's");
}

static void test_depth(void)
{
	struct profile p = profile_of("hd103sj");
	AUTOFREE char *trace = random_reads(p.size_bytes, 10000);
	struct model_counters count;
	struct replay one = play(&p, 0, trace, 1, NULL), four = play(&p, 0, trace, 4, NULL), many = play(&p, 0, trace, 32, &count);

	/*
	 * Data sheets of disks of 7200 rpm name 168 random reads a second at depth 16 (Seagate Exos X24) and 212 at
	 * depth 32 (WD Ultrastar DC HC580); one at a time takes 8 ms and half a turn, 82 a second: 2.0 to 2.6 times.
	 */
	ok(iops(&many) > 2 * iops(&one) && iops(&many) < 3 * iops(&one), "depth 32 gives 2 to 3 times the reads of depth 1 (%.2f)",
	   iops(&many) / iops(&one));
	ok(iops(&four) > 1.2 * iops(&one) && iops(&four) < iops(&many), "depth 4 is between");
	is_int((long long)count.depth_max, 32, "the drive held 32");
	p.depth = 1;
	many = play(&p, 0, trace, 32, &count);
	is_near(iops(&many), iops(&one), 0.02, "a drive of depth 1 gains nothing from what waits outside");
	is_int((long long)count.depth_max, 1, "it held one");
}

/* Everything near to the head, one command at the other end of the disk: it must not wait for ever. */
static void test_age_limit(void)
{
	struct profile p = profile_of("hd103sj");
	struct str trace = { 0 };
	struct replay r;

	p.age_limit_ms = 200;
	str_addf(&trace, "read 0 4k\nread %llu 4k\n", (unsigned long long)(p.size_bytes - 1048576) / 4096 * 4096);
	for (unsigned i = 0; i < 2000; i++)
		str_addf(&trace, "read %llu 4k\n", (unsigned long long)draw(50000) * 4096);
	r = play(&p, 0, str_text(&trace), 8, NULL);
	ok(r.latency_max_ns > 200000000 && r.latency_max_ns < 240000000, "the far one is served when it is old enough (%.0f ms)",
	   (double)r.latency_max_ns / 1e6);
	p.age_limit_ms = 1e6;
	r = play(&p, 0, str_text(&trace), 8, NULL);
	ok(r.latency_max_ns > 1000000000, "and starves without the limit");
	str_release(&trace);
}

/* ---- time ---- */

static void test_rotation(void)
{
	struct profile p = profile_of("scsi15k");
	struct command c[3] = { 0 };
	struct model m;

	model_init(&m, &p, 0);
	for (unsigned i = 0; i < 3; i++) {
		/* at any time, but always the same sector */
		c[i] = (struct command){ .kind = COMMAND_WRITE, .lba = 12345678, .sectors = 8, .arrival_ns = i * 20000003LL };
		model_run(&m, c[i].arrival_ns);
		model_submit(&m, &c[i]);
		model_run(&m, c[i].arrival_ns + 20000000);
	}
	ok(c[1].done_ns > c[0].done_ns && c[2].done_ns > c[1].done_ns, "all were done");
	is_int((c[1].done_ns - c[0].done_ns) % 4000000, 0, "a sector comes round after whole turns only");
	is_int((c[2].done_ns - c[1].done_ns) % 4000000, 0, "always");
	ok(model_finished(&m) == &c[0] && model_finished(&m) == &c[1] && model_finished(&m) == &c[2] && !model_finished(&m),
	   "they come back in order, once");
	model_release(&m);
}

static void test_size(void)
{
	struct profile p = profile_of("hd103sj");
	AUTOFREE char *rim = sequential("read", 0, 8000), *some = random_reads(4ULL << 30, 5000);
	struct replay small = play(&p, 4ULL << 30, rim, 1, NULL), large = play(&p, 0, some, 1, NULL);

	is_near(mb_s(&small), p.rim_mb_s * 0.98, 0.05, "a smaller disk turns and reads like the whole one");
	small = play(&p, 4ULL << 30, some, 1, NULL);
	is_near(iops(&small), 79, 0.05, "and seeks over its whole stroke");
	ok(iops(&large) > 1.3 * iops(&small), "not like a part of the whole disk");
}

/* ---- caches ---- */

static void test_read_cache(void)
{
	struct profile p = profile_of("hd103sj");
	struct model_counters count;
	struct replay r = play(&p, 0, "read 1G 64k\nread 1G 64k 100ms\n", 1, &count);
	double hit_us = p.overhead_us + 65536 / p.interface_mb_s;

	is_int((long long)count.read_hits, 1, "what was read is in the cache");
	is_near((double)r.elapsed_ns / 1e3 - 100000, hit_us, 0.01, "and comes at the interface's rate");
	r = play(&p, 0, "read 1G 64k\nread 1073807360 64k 100ms\n", 1, &count);
	is_int((long long)count.read_hits, 1, "what follows was read ahead");
	r = play(&p, 0, "read 1G 64k\nread 1075838976 64k 100ms\n", 1, &count);
	is_int((long long)count.read_hits, 0, "but not further than the segment");
	r = play(&p, 0, "read 1G 64k\nwrite 1G 4k 100ms\nread 1G 64k 200ms\n", 1, &count);
	is_int((long long)count.read_hits, 0, "a write makes it forgotten");
	p.read_ahead = false;
	r = play(&p, 0, "read 1G 64k\nread 1073807360 64k 100ms\n", 1, &count);
	is_int((long long)count.read_hits, 0, "without reading ahead nothing is there before it is asked for");
}

static void test_write_cache(void)
{
	struct profile p = profile_of("hd103sj");
	AUTOFREE char *many = sequential("write", 0, 20000);
	struct model_counters count;
	struct replay r = play(&p, 0, "write 5G 64k\n", 1, &count);

	is_near((double)r.elapsed_ns / 1e3, p.overhead_us + 65536 / p.interface_mb_s, 0.01,
		"a write is done when the cache has it");
	r = play(&p, 0, "write 5G 64k\nflush\n", 1, &count);
	ok(r.elapsed_ns > 2000000 && count.accesses == 1, "a flush is done when the disk has it");
	r = play(&p, 0, "write 5G 4k\nread 5G 4k 1ms\n", 1, &count);
	is_int((long long)count.read_hits, 1, "what waits in the cache is read from there");
	r = play(&p, 0, many, 1, &count);
	is_near(mb_s(&r), p.rim_mb_s, 0.03, "more than fits goes at the rate of the platters");
	p.write_cache = false;
	r = play(&p, 0, "write 5G 64k\nwrite 5368774656 64k\n", 1, &count);
	ok(count.cached_writes == 0 && r.latency_max_ns > 8333333 - 500000, "without a write cache the next one loses a turn");
}

/* ---- flash ---- */

static void test_flash(void)
{
	struct profile p = profile_of("flash");
	AUTOFREE char *trace = random_reads(p.size_bytes, 5000);
	struct replay one = play(&p, 0, trace, 1, NULL), many = play(&p, 0, trace, 32, NULL);

	is_near(iops(&one), 1e6 / (p.overhead_us + p.read_us + 4096 / p.interface_mb_s), 0.001, "one page after the other");
	ok(iops(&many) > 5 * iops(&one) && iops(&many) <= (double)p.channels * 1e6 / p.read_us, "channels work at the same time");
}

/* ---- what is typed wrong ---- */

static void refuses(const char *find, const char *put, const char *message)
{
	struct str text = { 0 };
	struct profile p;
	struct err err = { 0 };
	const char *whole = profile_texts[1].text, *at; /* hd103sj's */

	at = strstr(whole, find);
	str_addn(&text, whole, (size_t)(at - whole));
	str_add(&text, put);
	str_add(&text, at + strlen(find));
	ok(profile_parse("mine", str_text(&text), &p, &err) && err.kind == ERR_USAGE, "refused: '%s'", put);
	has(err.msg, message, message);
	str_release(&text);
}

static void test_refusals(void)
{
	struct profile p;
	struct err err = { 0 };

	refuses("rpm = 7200", "rpm = fast", "'fast' is not a value of 'rpm'");
	refuses("rpm = 7200", "", "'rpm' is missing");
	refuses("rpm = 7200", "rpm = 7200\nrpm = 5400", "'rpm' is there twice");
	refuses("rpm = 7200", "rmp = 7200", "no key 'rmp' in section [mechanics]");
	refuses("rpm = 7200", "rpm 7200", "this is not 'key = value'");
	refuses("kind = rotating", "kind = drum", "'drum' is not a kind");
	refuses("hub_mb_s = 73", "hub_mb_s = 173", "hub_mb_s is larger");
	refuses("depth = 32", "depth = 33", "'33' is not a value of 'depth'");
	refuses("segments = 16", "segments = 64", "larger than the cache");
	ok(profile_load("hd103", &p, &err), "an unknown name is refused");
	has(err.msg, "hd103sj", "with those there are");
}

static void test_trace_refusals(void)
{
	static const struct {
		const char *trace, *message;
	} bad[] = {
		{ "peek 0 4k\n", "line 1: 'peek' is not" },	   { "# remark\n\nread 0\n", "line 3: offset and length" },
		{ "read 100 4k\n", "whole sectors" },		   { "read 2T 4k\n", "beyond the end" },
		{ "read 0 4k 5ms\nread 0 4k 4ms\n", "line 2: '4ms' is before" }, { "read 0 4k 1ms x\n", "'x' is too much" },
	};
	struct profile p = profile_of("hd103sj");

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct replay r = { .depth = 1 };
		struct err err = { 0 };
		struct model m;
		FILE *f = fmemopen((void *)bad[i].trace, strlen(bad[i].trace), "r");

		model_init(&m, &p, 0);
		ok(replay_run(&m, f, &r, &err), "a wrong trace is refused");
		has(err.msg, bad[i].message, bad[i].message);
		model_release(&m);
		fclose(f);
	}
}

static void test_faults(void)
{
	static const char *const bad[] = { "", "eio:from", "eio:p=2", "eio:time=2s", "hang", "hang:time=x", "slow:from=2M:to=1M:time=1s",
					   "gone:p=1", "stuck:op=both", "melt" };
	struct fault f;
	struct str text = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(fault_parse(bad[i], &f, NULL), "no fault: '%s'", bad[i]);
	ok(!fault_parse("eio:from=1M:to=2M:p=0.5:op=read", &f, NULL), "a fault");
	ok(fault_strikes(&f, false, 1 << 20, 512, 0.4), "it strikes inside");
	ok(fault_strikes(&f, false, (1 << 20) - 512, 1024, 0), "what begins before and ends in it");
	ok(!fault_strikes(&f, false, (1 << 20) - 512, 512, 0), "not what ends before");
	ok(!fault_strikes(&f, false, 2 << 20, 512, 0), "not behind");
	ok(!fault_strikes(&f, true, 1 << 20, 512, 0), "not the other operation");
	ok(!fault_strikes(&f, false, 1 << 20, 512, 0.5), "with the probability asked for");
	fault_print(&f, &text);
	is(str_text(&text), "eio:from=1048576:to=2097152:p=0.5:op=read (struck 0 times)", "it prints as it is typed");
	str_release(&text);
}

int main(void)
{
	test_profiles();
	test_seeks("hd103sj", 1000204886016);
	test_seeks("hd103sj", 4ULL << 30);
	test_seeks("nearline", 16000900661248);
	test_random("hd103sj");
	test_random("scsi15k");
	test_random("laptop");
	test_random("nearline");
	test_sequential("hd103sj");
	test_sequential("scsi15k");
	test_sequential("laptop");
	test_sequential("nearline");
	test_depth();
	test_age_limit();
	test_rotation();
	test_size();
	test_read_cache();
	test_write_cache();
	test_flash();
	test_refusals();
	test_trace_refusals();
	test_faults();
	return tap_done();
}
