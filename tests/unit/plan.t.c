// SPDX-License-Identifier: GPL-2.0-or-later
#define MATHLIB_STANDALONE
#include "tests/tap.h"

#include <Rmath.h>
#include <inttypes.h>

#include "common/units.h"
#include "runner/plan.h"

/* ---- variants ---- */

/* The names of the variants of a list, joined by ' ', or the complaint. */
static char *variants(const char *list, bool force, const char *const *assignments)
{
	variants_t v = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };
	int bad = variants_parse(list, force, &v, &err);

	for (; !bad && assignments && *assignments; assignments++)
		bad = variants_multiply(&v, *assignments, &err);
	if (bad)
		str_addf(&out, "%d: %s", (int)err.kind, err.msg);
	else if (err.kind)
		str_addf(&out, "an error left behind: %s", err.msg);
	for (size_t i = 0; !bad && i < v.n; i++)
		str_addf(&out, "%s%s", i ? " " : "", v.items[i].name);
	variants_release(&v);
	return str_steal(&out);
}

struct grammar_case {
	const char *list, *want;
};

static void run_cases(const struct grammar_case *cases, size_t n, bool force)
{
	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *got = variants(cases[i].list, force, NULL);
		AUTOFREE char *what = mem_printf("--scheds '%s'%s", cases[i].list, force ? " --force-sched" : "");

		is(got, cases[i].want, what);
	}
}

#define BFQ_HAS                                                                                                 \
	"slice_idle, slice_idle_us, low_latency, back_seek_max, back_seek_penalty, fifo_expire_async, "         \
	"fifo_expire_sync, max_budget, strict_guarantees, timeout_sync"

static void test_grammar(void)
{
	static const struct grammar_case cases[] = {
		{ "bfq", "bfq" },
		{ "cfq,bfq,mq-deadline", "cfq bfq mq-deadline" },
		{ "current", "current" },
		{ "current,bfq", "current bfq" },
		{ "bfq,bfq:low_latency=0,bfq:slice_idle=0:low_latency=0", "bfq bfq:low_latency=0 bfq:slice_idle=0:low_latency=0" },
		{ "none:queue/nr_requests=64", "none:queue/nr_requests=64" },
		{ "current:queue/nr_requests=64", "current:queue/nr_requests=64" },
		{ "bfq:queue/rotational=1:slice_idle=0", "bfq:queue/rotational=1:slice_idle=0" },
		{ "bfq:slice_idle=", "2: 'slice_idle' of 'bfq' is given no value" },
		{ "bfq:slice_idle", "2: 'slice_idle' in 'bfq:slice_idle' is not NAME=VALUE" },
		{ "bfq:", "2: '' in 'bfq:' is not NAME=VALUE" },
		{ "", "2: the list of schedulers is empty" },
		{ ",", "2: a scheduler in the list has no name" },
		{ "bfq,", "2: a scheduler in the list has no name" },
		{ "bfq,,none", "2: a scheduler in the list has no name" },
		{ ":slice_idle=0", "2: a scheduler in the list has no name" },
		{ "@/x.ko", "2: a scheduler in the list has no name" },
		{ "bfq@", "2: 'bfq@' names no file behind '@'" },
		{ "bfq@/a@b.ko", "2: 'bfq@/a@b.ko' has more than one '@' (write '\\@' in a path)" },
		{ "bfq,bfq", "2: scheduler 'bfq' is given twice" },
		{ "bfq:slice_idle=0:slice_idle=0", "2: 'slice_idle' is set twice in 'bfq:slice_idle=0:slice_idle=0'" },
		{ "bfq:slice_idle=0:slice_idle=8", "2: 'slice_idle' is set twice in 'bfq:slice_idle=0:slice_idle=8'" },
		{ "bfq:slice_idle=0:low_latency=0,none,bfq:low_latency=0:slice_idle=0",
		  "2: scheduler 'bfq:low_latency=0:slice_idle=0' is given twice" },
		{ "bfq@/a.ko,bfq@/a.ko", "2: scheduler 'bfq@/a.ko' is given twice" },
		{ "bfq,bfq@/a.ko,bfq@/b.ko", "bfq bfq@/a.ko bfq@/b.ko" },
		{ "bfq:queue/scheduler=none", "2: 'queue/scheduler' is set by --scheds, not as a setting of 'bfq'" },
		{ "bfq:queue/iosched/slice_idle=0",
		  "2: 'queue/iosched/slice_idle' is not a setting of a disk (write queue/NAME or device/NAME)" },
		{ "kyber:slice_idle=0",
		  "2: scheduler 'kyber' has no tunable 'slice_idle' (it has read_lat_nsec, write_lat_nsec)" },
		{ "bfq:slice_idel=0",
		  "2: scheduler 'bfq' has no tunable 'slice_idel' (did you mean 'slice_idle'? it has " BFQ_HAS ")" },
		{ "bfq:read_expire=1", "2: scheduler 'bfq' has no tunable 'read_expire' (it has " BFQ_HAS ")" },
		{ "none:slice_idle=0", "2: scheduler 'none' has no tunables, so no 'slice_idle'" },
		{ "current:slice_idle=0", "2: scheduler 'current' has no tunables, so no 'slice_idle'" },
		{ "bfg", "2: unknown scheduler 'bfg' (did you mean 'bfq'? --force-sched tries it as it is)" },
		{ "curent", "2: unknown scheduler 'curent' (did you mean 'current'? --force-sched tries it as it is)" },
		{ "BFQ", "2: unknown scheduler 'BFQ' (--force-sched tries it as it is)" },
		{ " bfq", "2: unknown scheduler ' bfq' (did you mean 'bfq'? --force-sched tries it as it is)" },
		{ "adios", "2: unknown scheduler 'adios' (--force-sched tries it as it is)" },
		{ "bfq,adios", "2: unknown scheduler 'adios' (--force-sched tries it as it is)" },
	};
	static const struct grammar_case forced[] = {
		{ "adios,bfq", "adios bfq" },
		{ "bfg", "bfg" },
		{ "adios:queue/nr_requests=64", "adios:queue/nr_requests=64" },
		{ "adios:x=1", "2: scheduler 'adios' has no tunables, so no 'x'" },
		{ "", "2: the list of schedulers is empty" },
		{ "adios,adios", "2: scheduler 'adios' is given twice" },
	};
	variants_t v = { 0 };
	struct err err = { 0 };

	run_cases(cases, ARRAY_LEN(cases), false);
	run_cases(forced, ARRAY_LEN(forced), true);
	ok(!variants_parse("bfq", false, &v, &err) && !variants_parse("none", false, &v, &err), "two lists, one after the other");
	is_int(v.n, 2, "are appended");
	ok(variants_parse("bfq", false, &v, &err), "what is in both is given twice");
	variants_release(&v);
	ok(!v.items && !v.n, "released they are gone");
}

static void test_escapes(void)
{
	static const struct {
		const char *list, *scheduler, *module, *name, *value;
	} cases[] = {
		{ "bfq@/lib/bfq.ko", "bfq", "/lib/bfq.ko", NULL, NULL },
		{ "bfq@/a\\,b.ko", "bfq", "/a,b.ko", NULL, NULL },
		{ "bfq@/a\\:b.ko", "bfq", "/a:b.ko", NULL, NULL },
		{ "bfq@/a\\@b.ko", "bfq", "/a@b.ko", NULL, NULL },
		{ "bfq@/a\\\\b.ko", "bfq", "/a\\b.ko", NULL, NULL },
		{ "bfq@/a\\\\\\:\\,\\@.ko", "bfq", "/a\\:,@.ko", NULL, NULL },
		{ "bfq@/a b.ko:slice_idle=0", "bfq", "/a b.ko", "slice_idle", "0" },
		{ "bfq:slice_idle=a\\:b", "bfq", NULL, "slice_idle", "a:b" },
		{ "bfq:slice_idle=a\\,b", "bfq", NULL, "slice_idle", "a,b" },
		{ "bfq:slice_idle=a@b", "bfq", NULL, "slice_idle", "a@b" },
		{ "bfq:slice_idle=a=b", "bfq", NULL, "slice_idle", "a=b" },
		{ "bfq:slice_idle=a\\", "bfq", NULL, "slice_idle", "a\\" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		variants_t v = { 0 };
		struct err err = { 0 };
		AUTOFREE char *key = NULL;

		if (!ok(!variants_parse(cases[i].list, false, &v, &err) && v.n == 1, "one variant: %s", cases[i].list)) {
			variants_release(&v);
			continue;
		}
		is(v.items[0].scheduler, cases[i].scheduler, "its scheduler");
		is(v.items[0].module, cases[i].module, "its module");
		is(v.items[0].settings.n ? v.items[0].settings.items[0].name : NULL, cases[i].name, "its setting");
		is(v.items[0].settings.n ? v.items[0].settings.items[0].value : NULL, cases[i].value, "the value");
		key = variant_key(&v.items[0]);
		variants_release(&v);
		ok(!variants_parse(key, false, &v, &err) && v.n == 1, "its key is a list too: %s", key);
		is(v.n == 1 ? v.items[0].module : "?", cases[i].module, "of the same module");
		is(v.n == 1 && v.items[0].settings.n ? v.items[0].settings.items[0].value : NULL, cases[i].value,
		   "and value");
		variants_release(&v);
	}
}

static char *key_of(const char *list)
{
	variants_t v = { 0 };
	char *key = NULL;

	if (!variants_parse(list, true, &v, NULL) && v.n == 1)
		key = variant_key(&v.items[0]);
	variants_release(&v);
	return key;
}

/* The key is part of a cell's identity: one a variant, whatever the typing, and never one for two. */
static void test_key(void)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "bfq:slice_idle=0:low_latency=0", "bfq:low_latency=0:slice_idle=0", true },
		{ "bfq:slice_idle=0\\:low_latency=0", "bfq:slice_idle=0:low_latency=0", false },
		{ "bfq@/a\\:slice_idle=0", "bfq@/a:slice_idle=0", false },
		{ "bfq\\@/a", "bfq@/a", false },
		{ "bfq@a\\\\", "bfq@a\\", true },
		{ "bfq", "bfq:slice_idle=0", false },
		{ "bfq:slice_idle=0", "bfq:slice_idle=00", false },
		{ "bfq", "current", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *a = key_of(cases[i].a), *b = key_of(cases[i].b);

		ok(a && b && !strcmp(a, b) == cases[i].same, "the keys of '%s' and '%s' are %s", cases[i].a, cases[i].b,
		   cases[i].same ? "the same" : "different");
	}
}

static void test_settings(void)
{
	variants_t v = { 0 };
	struct err err = { 0 };
	const struct variant *one;
	char path[KNOB_PATH];

	ok(!variants_parse("bfq:slice_idle=0:queue/odd=x:queue/rotational=1:device/queue_depth=1", false, &v, &err),
	   "settings of each stage");
	/* the array of variants moves when it grows */
	ok(!variants_parse("none,kyber,mq-deadline,cfq,noop,deadline,bfq-mq,bfq-sq,current", false, &v, &err), "and more");
	one = &v.items[0];
	is_int(one->settings.n, 4, "all are there");
	is(one->settings.items[0].name, "slice_idle", "in the order typed");
	is_int(one->settings.items[0].knob.stage, KNOB_TUNABLE, "with their knobs");
	is(knob_path(&one->settings.items[0].knob, path), "queue/iosched/slice_idle", "whose paths");
	is(knob_path(&one->settings.items[1].knob, path), "queue/odd", "also of those not in the table");
	is_int(one->settings.items[1].knob.stage, KNOB_AFTER, "are known");
	is_int(one->settings.items[2].knob.stage, KNOB_BEFORE, "as are their");
	is_int(one->settings.items[3].knob.stage, KNOB_DEVICE, "stages");
	variants_release(&v);
}

static void test_multiply(void)
{
	static const struct {
		const char *list, *assignments[4], *want;
	} cases[] = {
		{ "bfq", { "slice_idle=default,0" }, "bfq bfq:slice_idle=0" },
		{ "none,bfq,kyber", { "slice_idle=default,0" }, "none bfq bfq:slice_idle=0 kyber" },
		{ "bfq,none", { "slice_idle=default,0" }, "bfq bfq:slice_idle=0 none" },
		{ "bfq,cfq", { "slice_idle=0,8" }, "bfq:slice_idle=0 bfq:slice_idle=8 cfq:slice_idle=0 cfq:slice_idle=8" },
		{ "bfq:low_latency=0", { "slice_idle=0" }, "bfq:low_latency=0:slice_idle=0" },
		{ "bfq,current", { "slice_idle=0" }, "bfq:slice_idle=0 current" },
		{ "none,current", { "queue/nr_requests=64,256" },
		  "none:queue/nr_requests=64 none:queue/nr_requests=256 current:queue/nr_requests=64 "
		  "current:queue/nr_requests=256" },
		{ "bfq,none", { "slice_idle=default,0", "queue/nr_requests=64,default" },
		  "bfq:queue/nr_requests=64 bfq bfq:slice_idle=0:queue/nr_requests=64 bfq:slice_idle=0 "
		  "none:queue/nr_requests=64 none" },
		{ "none", { "device/queue_depth=1,31" }, "none:device/queue_depth=1 none:device/queue_depth=31" },
		{ "none", { "queue/other=1" }, "none:queue/other=1" },
		{ "bfq", { "slice_idle=default" }, "bfq" },
		{ "bfq", { "slice_idle=0,0" }, "2: scheduler 'bfq:slice_idle=0' is given twice" },
		{ "bfq", { "slice_idle=default,default" }, "2: scheduler 'bfq' is given twice" },
		{ "bfq,bfq:slice_idle=0", { "slice_idle=default,0" },
		  "2: 'slice_idle' is set twice in 'bfq:slice_idle=0:slice_idle=0'" },
		{ "bfq,bfq:slice_idle=0", { "low_latency=0,default" },
		  "bfq:low_latency=0 bfq bfq:slice_idle=0:low_latency=0 bfq:slice_idle=0" },
		{ "bfq", { "slice_idle=0,,8" }, "2: 'slice_idle' of 'bfq' is given no value" },
		{ "bfq", { "slice_idle=" }, "2: 'slice_idle=' is not NAME=VALUE,VALUE" },
		{ "bfq", { "slice_idle" }, "2: 'slice_idle' is not NAME=VALUE,VALUE" },
		{ "bfq", { "=0" }, "2: '=0' is not NAME=VALUE,VALUE" },
		{ "none,kyber", { "slice_idle=0" }, "2: none of the schedulers has a tunable 'slice_idle'" },
		{ "bfq,none", { "nr_requests=64" }, "2: none of the schedulers has a tunable 'nr_requests'" },
		{ "none", { "queue/../x=1" },
		  "2: 'queue/../x' is not a setting of a disk (write queue/NAME or device/NAME)" },
		{ "none", { "queue/scheduler=bfq" }, "2: 'queue/scheduler' is set by --scheds, not as a setting of 'none'" },
	};
	variants_t v = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = variants(cases[i].list, false, cases[i].assignments);
		AUTOFREE char *what = mem_printf("'%s' times '%s'", cases[i].list, cases[i].assignments[0]);

		is(got, cases[i].want, what);
	}
	ok(!variants_parse("bfq", false, &v, &err) && !variants_multiply(&v, "slice_idle=a\\,b\\:c\\\\", &err),
	   "escapes in a value of --set");
	is(v.items[0].settings.items[0].value, "a,b:c\\", "are resolved as in --scheds");
	variants_release(&v);
}

/* ---- axes ---- */

/* The points of a list, joined by ' ', or the complaint. */
static char *points(enum axis_id id, const char *list)
{
	struct plan p = { 0 };
	struct str out = { 0 };
	struct err err = { 0 };

	if (axis_parse(id, list, &p.axes[id], &err))
		str_addf(&out, "%d: %s", (int)err.kind, err.msg);
	for (size_t i = 0; !err.kind && i < p.axes[id].n; i++)
		str_addf(&out, "%s%s", i ? " " : "", p.axes[id].items[i].text);
	plan_release(&p);
	return str_steal(&out);
}

static void test_twice(void)
{
	variants_t v = { 0 };
	struct err err = { 0 };

	ok(!variants_parse("none,bfq:slice_idle=0", false, &v, &err), "two variants");
	variants_twice(&v);
	ok(v.n == 4 && !strcmp(v.items[0].name, "none#1") && !strcmp(v.items[1].name, "none#2") &&
		   !strcmp(v.items[3].name, "bfq:slice_idle=0#2"),
	   "twice: two names each, side by side");
	for (size_t i = 0; v.n == 4 && i < 4; i++) {
		AUTOFREE char *key = variant_key(&v.items[i]);

		is(key, ((const char *const[]){ "none#1", "none#2", "bfq:slice_idle=0#1", "bfq:slice_idle=0#2" })[i],
		   "a configuration of its own");
	}
	ok(v.n == 4 && !strcmp(v.items[3].scheduler, "bfq") && v.items[3].settings.n == 1, "of the same scheduler and settings");
	variants_release(&v);
}

static void test_axes(void)
{
	static const struct {
		enum axis_id id;
		const char *list, *want;
	} cases[] = {
		{ AXIS_NUMJOBS, "1-8", "1 2 3 4 5 6 7 8" },
		{ AXIS_NUMJOBS, "1-8:2,8", "1 3 5 7 8" },
		{ AXIS_NUMJOBS, "1-4,2", "2: --jobs has '2' twice" },
		{ AXIS_NUMJOBS, "8-1", "2: --jobs: range '8-1' goes backwards (write '1-8')" },
		{ AXIS_NUMJOBS, "1-8:0", "2: --jobs: range '1-8:0' has step 0" },
		{ AXIS_NUMJOBS, "", "2: --jobs: list '' is empty" },
		{ AXIS_NUMJOBS, "1,,2", "2: --jobs: list '1,,2' has an empty element" },
		{ AXIS_NUMJOBS, "0", "2: --jobs must not be 0" },
		{ AXIS_NUMJOBS, "0-2", "2: --jobs must not be 0" },
		{ AXIS_NUMJOBS, "four", "2: --jobs: 'four' is not a whole number" },
		{ AXIS_NUMJOBS, "1-1000000000", "2: --jobs: with '1-1000000000' the list has over 10000 values" },
		{ AXIS_DIRECT, "1,0", "1 0" },
		{ AXIS_BS, "4k,1M,512", "4096 1048576 512" },
		{ AXIS_BS, "4k,4096", "2: --bs has '4096' twice" },
		{ AXIS_BS, "0", "2: --bs must not be 0" },
		{ AXIS_BS, "4x", "2: --bs: '4x' is not a size" },
		{ AXIS_BS, "4k,", "2: --bs '4k,' has an empty element" },
		{ AXIS_BS, "", "2: --bs '' is empty" },
		{ AXIS_SIZE, "5G", "5368709120" },
		{ AXIS_RUNTIME, "10,1.5s", "10000000000 1500000000" },
		{ AXIS_RUNTIME, "0", "2: --runtime must not be 0" },
		{ AXIS_RUNTIME, "100us", "2: --runtime '100us' is finer than fio's millisecond" },
		{ AXIS_RAMP, "0,2", "0 2000000000" },
		{ AXIS_PATTERN, "read,randread", "read randread" },
		{ AXIS_PATTERN, "write,randwrite,rw,randrw", "write randwrite rw randrw" },
		{ AXIS_PATTERN, "readwrite", "rw" },
		{ AXIS_PATTERN, "rw,readwrite", "2: --patterns has 'rw' twice" },
		{ AXIS_PATTERN, "trim", "2: unknown pattern 'trim' (there are read, write, randread, randwrite, rw, randrw)" },
		{ AXIS_PATTERN, "Read", "2: unknown pattern 'Read' (there are read, write, randread, randwrite, rw, randrw)" },
		{ AXIS_PATTERN, ",", "2: --patterns ',' has an empty element" },
		{ AXIS_GOVERNOR, "powersave,performance", "powersave performance" },
		{ AXIS_GOVERNOR, "powersave,powersave", "2: --governors has 'powersave' twice" },
		{ AXIS_IOENGINE, "libaio", "libaio" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = points(cases[i].id, cases[i].list);
		AUTOFREE char *what = mem_printf("--%s '%s'", axes[cases[i].id].option, cases[i].list);

		is(got, cases[i].want, what);
	}
	for (int i = 0; i < AXIS_N; i++) {
		AUTOFREE char *got = axes[i].preset ? points(i, axes[i].preset) : NULL;

		ok(!got || !str_starts(got, "2:"), "the default of --%s is one that could be typed", axes[i].option);
	}
}

static void test_patterns(void)
{
	static const char *const reads[] = { "read", "randread" }, *const writes[] = { "write", "randwrite", "rw", "randrw",
											"readwrite" };

	for (size_t i = 0; i < ARRAY_LEN(reads); i++)
		ok(pattern_find(reads[i]) && !pattern_find(reads[i])->writes, "%s does not write", reads[i]);
	for (size_t i = 0; i < ARRAY_LEN(writes); i++)
		ok(pattern_find(writes[i]) && pattern_find(writes[i])->writes, "%s writes", writes[i]);
	ok(!pattern_find("") && !pattern_find("trim"), "others are not run");
}

/* ---- cells ---- */

static void add(struct plan *p, enum axis_id id, const char *list)
{
	struct err err = { 0 };

	if (axis_parse(id, list, &p->axes[id], &err))
		printf("Bail out! %s\n", err.msg);
}

static void make_plan(struct plan *p, const char *scheds, const char *patterns, const char *jobs, unsigned runs)
{
	struct err err = { 0 };

	*p = (struct plan){ .runs = runs, .seed = 1 };
	if (variants_parse(scheds, false, &p->variants, &err))
		printf("Bail out! %s\n", err.msg);
	if (patterns)
		add(p, AXIS_PATTERN, patterns);
	if (jobs)
		add(p, AXIS_NUMJOBS, jobs);
	plan_make_cells(p);
}

static void test_cells(void)
{
	struct plan p;
	bool unique = true, inside = true;

	make_plan(&p, "none,bfq,kyber", "read,write", "1,2,4,8", 1);
	add(&p, AXIS_RAMP, "2");
	add(&p, AXIS_RUNTIME, "10,20");
	plan_make_cells(&p);
	is_int(p.cells.n, 3 * 2 * 4 * 2, "as many cells as there are combinations");
	for (size_t i = 0; i < p.cells.n; i++) {
		const struct cell *c = &p.cells.items[i];

		inside &= c->variant < 3;
		for (int a = 0; a < AXIS_N; a++)
			inside &= c->at[a] < (p.axes[a].n ? p.axes[a].n : 1);
		for (size_t k = 0; k < i; k++)
			unique &= memcmp(c, &p.cells.items[k], sizeof(*c)) != 0;
	}
	ok(inside, "each of existing variants and values");
	ok(unique, "none is there twice: with their number, all are there");
	ok(p.cells.items[0].variant == 0 && p.cells.items[1].variant == 1 && p.cells.items[2].variant == 2,
	   "the variants of one row stand together");
	is(plan_at(&p, &p.cells.items[2], AXIS_NUMJOBS)->text, "1", "then the job count goes on");
	is(plan_at(&p, &p.cells.items[3], AXIS_NUMJOBS)->text, "2", "to the next row");
	is(plan_at(&p, &p.cells.items[12], AXIS_PATTERN)->text, "write", "then the pattern");
	is_int((long long)plan_at(&p, &p.cells.items[24], AXIS_RUNTIME)->number, 20 * NS_PER_S, "then what comes before it");
	ok(!plan_at(&p, &p.cells.items[0], AXIS_BS), "an axis that is not used has no value");
	is_int((long long)plan_cell_ns(&p, &p.cells.items[0]), 12 * NS_PER_S, "a cell takes ramp and runtime");
	is_int((long long)plan_cell_ns(&p, &p.cells.items[47]), 22 * NS_PER_S, "its own");
	plan_release(&p);

	make_plan(&p, "bfq", NULL, NULL, 1);
	is_int(p.cells.n, 1, "without axes there is a cell a variant");
	is_int((long long)plan_cell_ns(&p, &p.cells.items[0]), 0, "whose time the job file knows");
	plan_release(&p);
}

/* ---- order ---- */

static steps_t steps_of(const struct plan *p)
{
	steps_t s = { 0 };

	plan_steps(p, &s);
	return s;
}

static bool same_steps(const steps_t *a, const steps_t *b)
{
	return a->n == b->n && !memcmp(a->items, b->items, a->n * sizeof(*a->items));
}

/* Block after block, every cell once in each. */
static bool blocks_complete(const struct plan *p, const steps_t *s)
{
	bool good = s->n == p->cells.n * p->runs;

	for (unsigned block = 0; good && block < p->runs; block++) {
		AUTOFREE unsigned *seen = mem_alloc(p->cells.n, sizeof(*seen));

		for (size_t i = 0; i < p->cells.n; i++) {
			const struct step *step = &s->items[block * p->cells.n + i];

			good &= step->block == block && step->cell < p->cells.n && !seen[step->cell]++;
		}
	}
	return good;
}

/* Do block 'i' of 'a' and block 'k' of 'b' have their cells in the same order? */
static bool same_order(const struct plan *p, const steps_t *a, unsigned i, const steps_t *b, unsigned k)
{
	bool same = true;

	for (size_t n = 0; n < p->cells.n; n++)
		same &= a->items[i * p->cells.n + n].cell == b->items[k * p->cells.n + n].cell;
	return same;
}

static void test_order(void)
{
	struct plan p;
	steps_t a, b, c;
	unsigned differ = 0, strange = 0;

	make_plan(&p, "none,bfq,kyber", "read,randread", "1-8", 10);
	a = steps_of(&p);
	b = steps_of(&p);
	p.seed = 2;
	c = steps_of(&p);
	ok(blocks_complete(&p, &a), "every cell once in each block");
	ok(blocks_complete(&p, &c), "with another seed too");
	ok(same_steps(&a, &b), "the same seed gives the same order");
	ok(!same_steps(&a, &c), "another seed another");
	for (unsigned i = 0; i < 10; i++)
		for (unsigned k = 0; k < 10; k++) {
			differ += k < i && !same_order(&p, &a, i, &a, k);
			strange += !same_order(&p, &a, i, &c, k);
		}
	is_int(differ, 45, "each pair of blocks has different orders");
	is_int(strange, 100, "none of which the next seed has too");
	plan_steps(&p, &b);
	is_int(b.n, 2 * 480, "steps are appended");
	vec_free(&a);
	vec_free(&b);
	vec_free(&c);

	p.runs = 4;
	b = steps_of(&p);
	p.runs = 10;
	c = steps_of(&p);
	ok(!memcmp(b.items, c.items, b.n * sizeof(*b.items)), "the first blocks do not depend on how many follow");
	vec_free(&b);
	vec_free(&c);
	plan_release(&p);

	make_plan(&p, "bfq", NULL, NULL, 3);
	a = steps_of(&p);
	ok(blocks_complete(&p, &a), "a single cell runs once in each block");
	vec_free(&a);
	plan_release(&p);
}

static void test_sequential(void)
{
	struct plan p;
	steps_t s;
	bool good;

	make_plan(&p, "none,bfq", "read,write", "1,2", 3);
	p.sequential = true;
	s = steps_of(&p);
	good = s.n == 2 * 4 * 3;
	for (size_t i = 0; good && i < s.n; i++) {
		const struct cell *c = &p.cells.items[s.items[i].cell];

		good = s.items[i].block == i % 3 && c->variant == i / 12 && c->at[AXIS_PATTERN] == i / 6 % 2 &&
		       c->at[AXIS_NUMJOBS] == i / 3 % 2;
	}
	ok(good, "sequential: a scheduler after the other, a cell after the other, its runs in a row");
	vec_free(&s);
	p.seed = 99;
	s = steps_of(&p);
	is_int(s.items[0].cell, 0, "whatever the seed");
	vec_free(&s);
	plan_release(&p);
}

/* Which of the n! orders the first n steps have: 0 for 0 1 2 …. */
static unsigned order_number(const struct step *s, unsigned n)
{
	unsigned number = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned smaller = 0;

		for (unsigned k = i + 1; k < n; k++)
			smaller += s[k].cell < s[i].cell;
		number = number * (n - i) + smaller;
	}
	return number;
}

/*
 * Are all 'n' counts of 'total' draws equally likely? Seeds are fixed, so the answer is always the same: the 99.9%
 * quantile of chi-square is exceeded by one fair choice of seeds in a thousand. A shuffle that swaps each of 3 cells
 * with any of the 3 has orders of 4/27 and 5/27: with 6000 draws a chi-square of 79 on average where 20.5 is the bound.
 */
static void is_uniform(const unsigned *counts, unsigned n, double total, const char *what)
{
	double expected = total / n, sum = 0, bound = qchisq(0.999, n - 1, 1, 0);

	for (unsigned i = 0; i < n; i++)
		sum += (counts[i] - expected) * (counts[i] - expected) / expected;
	ok(sum < bound, "%s (chi-square %.1f, bound %.1f)", what, sum, bound);
}

static void test_uniform(void)
{
	unsigned by_seed[6] = { 0 }, by_block[6] = { 0 }, pairs[36] = { 0 }, five[120] = { 0 }, last, first;
	struct plan p;
	steps_t s;

	make_plan(&p, "none,bfq,kyber", NULL, NULL, 1);
	for (p.seed = 0; p.seed < 6000; p.seed++) {
		s = steps_of(&p);
		by_seed[order_number(s.items, 3)]++;
		vec_free(&s);
	}
	is_uniform(by_seed, 6, 6000, "over 6000 seeds the 6 orders of 3 cells are equally likely");

	p.runs = 36001;
	p.seed = 20170817;
	s = steps_of(&p);
	last = order_number(s.items, 3);
	for (unsigned block = 1; block < p.runs; block++) {
		first = last;
		last = order_number(s.items + 3 * block, 3);
		by_block[last]++;
		pairs[6 * first + last]++;
	}
	is_uniform(by_block, 6, 36000, "over 36000 blocks too");
	is_uniform(pairs, 36, 36000, "and a block does not depend on the one before");
	vec_free(&s);
	plan_release(&p);

	make_plan(&p, "none,bfq,kyber,cfq,noop", NULL, NULL, 24000);
	s = steps_of(&p);
	for (unsigned block = 0; block < p.runs; block++)
		five[order_number(s.items + 5 * block, 5)]++;
	is_uniform(five, 120, 24000, "the 120 orders of 5 cells");
	vec_free(&s);
	plan_release(&p);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void test_randseed(void)
{
	enum { N = 10000 };
	static uint64_t seeds[2 * N];
	struct plan p = { .seed = 7 };
	bool unique = true, fit = true;
	uint64_t bits = 0;

	for (unsigned i = 0; i < N; i++)
		seeds[i] = plan_randseed(&p, i);
	is_int((long long)plan_randseed(&p, 3), (long long)seeds[3], "one seed a block, whoever asks");
	p.runs = 5;
	p.sequential = true;
	is_int((long long)plan_randseed(&p, 3), (long long)seeds[3], "however many blocks there are, in whatever order");
	p.seed = 8;
	for (unsigned i = 0; i < N; i++)
		seeds[N + i] = plan_randseed(&p, i);
	for (size_t i = 0; i < 2 * N; i++) {
		fit &= seeds[i] && seeds[i] <= INT64_MAX;
		bits |= seeds[i];
	}
	qsort(seeds, 2 * N, sizeof(*seeds), compare_numbers);
	for (size_t i = 1; i < 2 * N; i++)
		unique &= seeds[i - 1] != seeds[i];
	ok(unique, "another one in every block, and with every seed of the sweep");
	ok(fit, "never 0, and SQLite's integers hold it");
	ok(bits == INT64_MAX, "all of their bits are used");
}

int main(void)
{
	test_grammar();
	test_escapes();
	test_key();
	test_settings();
	test_multiply();
	test_twice();
	test_axes();
	test_patterns();
	test_cells();
	test_order();
	test_sequential();
	test_uniform();
	test_randseed();
	return tap_done();
}
