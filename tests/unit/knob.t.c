// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include "runner/knob.h"

static struct err err;

/* The stage of a knob of 'scheduler', -1 if it is refused. */
static int stage(const char *name, const char *scheduler)
{
	struct knob other;
	const struct knob *k;

	err = (struct err){ 0 };
	k = knob_find(name, scheduler, &other, &err);
	return k ? (int)k->stage : -1;
}

/* bfq picks its defaults when it is selected, and a switch resets its tunables and nr_requests: design.md section 7. */
static void test_order(void)
{
	int last = KNOB_DEVICE;
	bool sorted = true;

	for (size_t i = 0; knob_at(i); i++) {
		sorted &= (int)knob_at(i)->stage >= last;
		last = (int)knob_at(i)->stage;
	}
	ok(sorted, "the table is in the order in which knobs are written");
	ok(KNOB_DEVICE < KNOB_BEFORE && KNOB_BEFORE < KNOB_SCHEDULER && KNOB_SCHEDULER < KNOB_TUNABLE &&
		   KNOB_TUNABLE < KNOB_AFTER,
	   "device, before, scheduler, tunables, the rest");
	is_int(stage("device/queue_depth", "bfq"), KNOB_DEVICE, "queue_depth belongs to the device");
	is_int(stage("queue/rotational", "bfq"), KNOB_BEFORE, "rotational comes before the scheduler");
	is_int(stage("queue/add_random", "bfq"), KNOB_BEFORE, "so does add_random");
	is_int(stage("queue/scheduler", "bfq"), KNOB_SCHEDULER, "the scheduler is a stage of its own");
	is_int(stage("slice_idle", "bfq"), KNOB_TUNABLE, "its tunables come after it");
	is_int(stage("queue/nr_requests", "bfq"), KNOB_AFTER, "nr_requests, which it resets, comes after it");
	is_int(stage("queue/wbt_lat_usec", "bfq"), KNOB_AFTER, "so does wbt_lat_usec");
	is_int(stage("queue/rq_affinity", "none"), KNOB_AFTER, "and the rest");
}

static void test_table(void)
{
	bool tunables = true, unique = true, reset = true, fits = true;
	char path[KNOB_PATH];
	size_t n = 0;

	for (; knob_at(n); n++) {
		const struct knob *k = knob_at(n);

		tunables &= (k->stage == KNOB_TUNABLE) == !strchr(k->name, '/');
		tunables &= (k->stage == KNOB_TUNABLE) == !!k->schedulers;
		reset &= k->stage != KNOB_TUNABLE || k->flags & KNOB_BY_SWITCH;
		fits &= !strstr(knob_path(k, path), "..") && strlen(path) < KNOB_PATH - 1 && k->unit;
		for (size_t i = 0; i < n; i++)
			unique &= !!strcmp(k->name, knob_at(i)->name);
	}
	ok(tunables, "tunables, and only they, have a bare name and schedulers");
	ok(reset, "every tunable is reset by a switch of the scheduler");
	ok(unique, "no name is there twice");
	ok(fits, "every path fits");
	ok(!knob_at(n) && !knob_at(n + 1000), "behind the last there is none");
	is(knob_path(knob_at(0), path), "device/queue_depth", "the path of a knob of the device");
	for (size_t i = 0; i < n; i++)
		if (!strcmp(knob_at(i)->name, "slice_idle"))
			is(knob_path(knob_at(i), path), "queue/iosched/slice_idle", "the path of a tunable");
}

static void test_tunables(void)
{
	static const struct {
		const char *name, *scheduler;
		bool has;
	} cases[] = {
		{ "slice_idle", "bfq", true },	    { "slice_idle", "cfq", true },
		{ "slice_idle", "bfq-mq", true },   { "slice_idle", "mq-deadline", false },
		{ "slice_idle", "kyber", false },   { "slice_idle", "none", false },
		{ "slice_idle", "current", false }, { "low_latency", "bfq", true },
		{ "group_idle", "cfq", true },	    { "group_idle", "bfq", false },
		{ "read_expire", "mq-deadline", true }, { "read_expire", "deadline", true },
		{ "read_expire", "bfq", false },    { "async_depth", "mq-deadline", true },
		{ "async_depth", "deadline", false }, { "read_lat_nsec", "kyber", true },
		{ "slice_idle", "bf", false },	    { "slice_idle", "", false },
		{ "slice_idle", "bfq cfq", false }, { "slice_idle", "fq", false },
		{ "SLICE_IDLE", "bfq", false },	    { "", "bfq", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int got = stage(cases[i].name, cases[i].scheduler);

		ok(got == (cases[i].has ? (int)KNOB_TUNABLE : -1), "'%s' has %s'%s'", cases[i].scheduler,
		   cases[i].has ? "" : "no ", cases[i].name);
		is_int(err.kind, cases[i].has ? ERR_NONE : ERR_USAGE, "and the error fits");
	}
	stage("slice_idel", "bfq");
	has(err.msg, "scheduler 'bfq' has no tunable 'slice_idel' (did you mean 'slice_idle'? it has ",
	    "a mistyped one gets the nearest");
	has(err.msg, "back_seek_penalty", "and all that there are");
	ok(!strstr(err.msg, "fifo_batch"), "but none of another scheduler");
	stage("writes_starved", "kyber");
	is(err.msg, "scheduler 'kyber' has no tunable 'writes_starved' (it has read_lat_nsec, write_lat_nsec)",
	   "one of another scheduler gets those of this one");
	stage("slice_idle", "none");
	is(err.msg, "scheduler 'none' has no tunables, so no 'slice_idle'", "a scheduler without any says so");
}

static void test_other(void)
{
	static const char *const refused[] = {
		"queue/iosched/slice_idle", /* a tunable goes by its name */
		"queue/iosched", "queue/../../x", "queue/..", "../queue/nr_requests", "/queue/nr_requests", "/sys/x", "queue/",
		"device/", "queue//scheduler", "queue/./scheduler", "queue/nr_requests/", "other/x", "/", "Queue/nr_requests",
	};
	struct knob other;
	const struct knob *k;
	char name[KNOB_PATH + 1], path[KNOB_PATH];

	err = (struct err){ 0 };
	k = knob_find("queue/new_thing", "none", &other, &err);
	ok(k == &other && k->stage == KNOB_AFTER && !k->flags, "an attribute that is not in the table comes after the rest");
	is(knob_path(k, path), "queue/new_thing", "under its own path");
	is_int(err.kind, ERR_NONE, "without an error");
	k = knob_find("queue/nr_requests", "none", &other, &err);
	ok(k && k != &other, "a row of the table is not copied");

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		ok(stage(refused[i], "bfq") == -1, "'%s' is refused", refused[i]);
		has(err.msg, refused[i], "by name");
		is_int(err.kind, ERR_USAGE, "as wrong usage");
	}
	memset(name, 'x', sizeof(name));
	memcpy(name, "queue/", 6);
	name[KNOB_PATH] = '\0';
	is_int(stage(name, "bfq"), -1, "a path that does not fit is refused");
	name[KNOB_PATH - 1] = '\0';
	is_int(stage(name, "bfq"), KNOB_AFTER, "one that just fits is not");
}

static void test_schedulers(void)
{
	static const char *const names[] = { "none", "mq-deadline", "kyber", "bfq",	   "cfq",
					     "noop", "deadline",    "bfq-mq", "bfq-sq", "anticipatory" };
	bool known = true;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ok(scheduler_find(names[i]) && !strcmp(scheduler_find(names[i])->name, names[i]), "'%s' is known", names[i]);
	ok(!scheduler_find("") && !scheduler_find("BFQ") && !scheduler_find("current"), "others are not");
	for (; scheduler_at(n); n++)
		known &= scheduler_find(scheduler_at(n)->name) == scheduler_at(n);
	is_int(n, ARRAY_LEN(names), "there are no more, none twice");
	ok(known, "each is found by its name");
	has(scheduler_find("cfq")->history, "5.0", "cfq's history says when it left");
	ok(!scheduler_find("none")->history && !scheduler_find("mq-deadline")->history,
	   "those that every kernel offers have none");
}

int main(void)
{
	test_order();
	test_table();
	test_tunables();
	test_other();
	test_schedulers();
	return tap_done();
}
