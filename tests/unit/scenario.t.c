// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <math.h>

#include "common/units.h"
#include "parsers/bundle.h"
#include "parsers/share.h"
#include "runner/scenario.h"

static struct scenario s;
static struct err err;

static int parse(const char *text)
{
	struct workload w;
	int bad;

	err = (struct err){ 0 };
	workload_from_text("x", text, &w);
	bad = scenario_parse(&w, &s, &err);
	workload_release(&w);
	return bad;
}

static void test_plain(void)
{
	ok(!parse("[global]\nrw=read\n[a]\n"), "a fio job file");
	ok(s.plain && s.actors.n == 1, "is a scenario with one actor");
	is(s.actors.items[0].name, "fio", "of the name that is stored");
	is(s.actors.items[0].job, "[global]\nrw=read\n[a]\n", "whose job is the file");
	is(s.actors.items[0].parser, "fio-json", "with fio's parser");
	ok(s.actors.items[0].role == ACTOR_FOREGROUND && !s.needs.n, "in the foreground");
	scenario_release(&s);
	ok(!s.actors.items, "released it is empty");
}

static void test_scenario(void)
{
	const struct actor *a;

	ok(!parse("# Why?\n[scenario]\nfs = xfs\nprefill = data\nspace = 1M\nneeds = awk, sed\n"
		  "[bg]\nrole = background\nweight = 300\njob =\n\trw=${RW}\n\t# a comment\n\tdirectory=${SCRATCH}\n"
		  "[front-1]\nprogram = cmd -d ${DIR}/x  a\\ b\nparser = lines\ndelay = 1.5s\ntimed = yes\nmetrics = bw , iops\n"
		  "[each]\nper_device = yes\njob =\n\trw=write\n"), "a scenario: %s", err.msg);
	ok(!s.plain, "is not plain");
	is(s.fs, "xfs", "file system");
	is(s.prefill, "data", "file to read from");
	is_int((long long)s.space_bytes, 1 << 20, "space");
	is_int((long long)s.needs.n, 5, "what must be installed: two, fio once, the command, mkfs");
	ok(strings_has(&s.needs, "sed") && strings_has(&s.needs, "fio") && strings_has(&s.needs, "cmd") &&
	   strings_has(&s.needs, "mkfs.xfs"), "these");
	is_int((long long)s.actors.n, 3, "three actors");
	a = &s.actors.items[0];
	is(a->name, "bg", "in the order of the file");
	ok(a->role == ACTOR_BACKGROUND && a->weight == 300 && !a->timed, "the first is in the background");
	is(a->job, "[global]\nrw=${RW}\ndirectory=${SCRATCH}\nallow_file_create=1\n[bg]\n",
	   "its job becomes a job file, which may make files of its own");
	a = &s.actors.items[1];
	ok(!a->job && a->timed && a->role == ACTOR_FOREGROUND, "the second is a program in the foreground");
	is_int((long long)a->program.n, 4, "of four words");
	is(a->program.items[3], "a b", "one with an escaped blank");
	is(a->parser, "lines", "its parser");
	is_int((long long)a->metrics.n, 2, "its metrics");
	is(a->metrics.items[1], "iops", "without blanks");
	scenario_release(&s);
	ok(!parse("[scenario]\n[a]\njob =\n\trw=read\n"), "an actor that names no file");
	is(s.actors.items[0].job, "[global]\nrw=read\nallow_file_create=0\n[a]\nfilename=${DEV}\n",
	   "gets the devices, and makes none");
	scenario_release(&s);
}

static void test_faults(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "[scenario]\n", "no actor is in the foreground" },
		{ "[scenario]\n[a]\nrole = background\njob =\n\trw=read\n", "no actor is in the foreground" },
		{ "[scenario]\nfoo = 1\n", "workload 'x', line 2: unknown key 'foo' in [scenario]" },
		{ "[scenario]\n[a]\nfoo = 1\n", "line 3: unknown key 'foo' of an actor" },
		{ "[scenario]\nfs = ntfs\n", "unknown file system 'ntfs'" },
		{ "[scenario]\nprefill = a/b\n", "'a/b' is no name for a file" },
		{ "[scenario]\n[a]\njob =\n\trw=read\nprogram = x\n", "actor 'a' has a job and a program" },
		{ "[scenario]\n[a]\nrole = foreground\n", "actor 'a' has neither a job nor a program" },
		{ "[scenario]\n[a]\nrole = both\n", "line 3: 'both' is neither foreground nor background" },
		{ "[scenario]\n[a]\nweight = 0\n", "a weight of 0" },
		{ "[scenario]\n[a]\nweight = 1001\n", "a weight of 1001" },
		{ "[scenario]\n[a]\ndelay = soon\n", "line 3" },
		{ "[scenario]\n[a]\ntimed = maybe\n", "'maybe' is neither yes nor no" },
		{ "[scenario]\n[../a]\nprogram = x\n", "'../a' is no name for an actor" },
		{ "[scenario]\n[all]\nprogram = x\n", "'all' is no name for an actor" },
		{ "[scenario]\n[a]\nprogram = x\ntimed = yes\nrole = background\n", "no end to time" },
		{ "[scenario]\n[a]\nprogram = x\nper_device = yes\n", "per_device is for one" },
		{ "[scenario]\n[a]\nper_device = yes\njob =\n\tfilename=/x\n", "names its files itself" },
		{ "[scenario]\n[a]\njob =\n\trw=read\nparser = y\n", "it has a parser" },
		{ "[scenario]\nprefill = a\n[a]\nprogram = x\n", "there is no 'fs'" },
		{ "[scenario]\n[a]\nword\n", "line 3: is no 'name = value'" },
		{ "a = 1\n[scenario]\n", "line 1: 'a' stands before the first section" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		is_int(parse(cases[i].text), -1, cases[i].want);
		is_int(err.kind, ERR_USAGE, "is wrong usage");
		has(err.msg, cases[i].want, "and said");
		ok(!s.actors.items, "nothing is left");
	}
}

static void test_command(void)
{
	ok(!parse("[scenario]\n[a]\nprogram = x\n[b]\ntimed = yes\njob =\n\trw=read\n"), "a job that is timed");
	ok(!scenario_set_command(&s, "ls -l /", &err), "can be replaced");
	ok(!s.actors.items[1].job && !s.actors.items[1].parser && s.actors.items[1].program.n == 3, "by a command");
	ok(strings_has(&s.needs, "ls"), "which must be installed");
	is_int(scenario_set_command(&s, " ", &err), -1, "but not by nothing");
	scenario_release(&s);
	parse("[a]\nrw=read\n");
	is_int(scenario_set_command(&s, "ls", &err), -1, "where nothing is timed there is nothing to replace");
	scenario_release(&s);
}

static void test_in_a_run(void)
{
	AUTOSTRINGS strings_t env = { 0 }, paths = { 0 };
	struct plan p = { .runs = 1 };
	struct cell c = { 0 };
	char *text, *one;

	strings_add(&env, "DIR=/mnt/a b");
	strings_add(&env, "DIRT=no");
	strings_add(&env, "RAMP=1500ms");
	text = scenario_expand("${DIR}/x${NONE}$DIR${", &env);
	is(text, "/mnt/a b/x${NONE}$DIR${", "variables that are there are replaced, nothing else");
	free(text);

	axis_parse(AXIS_PATTERN, "read,write", &p.axes[AXIS_PATTERN], &err);
	parse("[scenario]\n[a]\ndelay = ${RAMP}\njob =\n\trw=${RW}\n[b]\nper_device = yes\njob =\n\treadwrite = randrw\n"
	      "[c]\ndelay = 2\nprogram = dd of=${DEV}\n[d]\nprogram = ls\n[e]\njob =\n\tbs=4k\n");
	is_int((long long)actor_delay_ns(&s.actors.items[0], &env), 1500000000, "a delay from an axis");
	is_int((long long)actor_delay_ns(&s.actors.items[2], &env), 2 * NS_PER_S, "a fixed one");
	is_int((long long)actor_delay_ns(&s.actors.items[1], &env), 0, "none");
	ok(!actor_writes(&s.actors.items[0], &p, &c), "a pattern that reads");
	c.at[AXIS_PATTERN] = 1;
	ok(actor_writes(&s.actors.items[0], &p, &c), "one that writes");
	ok(actor_writes(&s.actors.items[0], &p, NULL), "and in some cell it does");
	ok(actor_writes(&s.actors.items[1], &p, &c), "one that is fixed");
	ok(actor_writes(&s.actors.items[2], &p, &c), "a program that has the device may write");
	ok(!actor_writes(&s.actors.items[3], &p, &c), "one without it does not");
	ok(!actor_writes(&s.actors.items[4], &p, &c), "fio reads by default");
	strings_add(&paths, "/dev/a");
	strings_add(&paths, "/dev/b");
	text = actor_job(&s.actors.items[1], &paths, 2);
	is(text, "[global]\nreadwrite = randrw\nallow_file_create=0\n[b-1]\nfilename=/dev/a\n[b-2]\nfilename=/dev/b\n",
	   "a section for each device");
	one = actor_job(&s.actors.items[1], &paths, 1);
	ok(strstr(one, "[b-1]") && !strstr(one, "[b-2]"), "of as many as are used");
	free(text);
	free(one);
	scenario_release(&s);
	plan_release(&p);
}

static void test_bundle(void)
{
	AUTOSTR struct str b = { 0 };
	struct bundle_part part;
	size_t at = 0;

	bundle_add(&b, "reader", "fio-json", "{\n=== x y 3\n\0}", 14);
	bundle_add(&b, "empty", "none", "", 0);
	ok(bundle_next(str_text(&b), b.len, &at, &part), "the first part");
	is(part.actor, "reader", "its actor");
	is(part.format, "fio-json", "its format");
	ok(part.len == 14 && !memcmp(part.text, "{\n=== x y 3\n\0}", 14), "byte for byte");
	ok(bundle_next(str_text(&b), b.len, &at, &part) && part.len == 0, "an empty one");
	ok(!bundle_next(str_text(&b), b.len, &at, &part), "no more");
	for (size_t len = 0; len < b.len; len++) {
		size_t n = 0;

		for (at = 0; bundle_next(str_text(&b), len, &at, &part); n++)
			if (at > len)
				break;
		if (at > len || n > 1)
			ok(0, "cut at %zu it has too much", len);
	}
	at = 0;
	ok(!bundle_next("=== a b 18446744073709551615\nx", 30, &at, &part), "a length beyond the end is refused");
	ok(!bundle_next("{}\n", 3, &at, &part), "what is no bundle has no parts");
}

static double got(const struct parsed *p, const char *metric)
{
	double value = NAN;

	return parsed_get(p, metric, DIR_ALL, &value) ? value : NAN;
}

static void test_share(void)
{
	struct parsed a = { 0 }, b = { 0 }, other = { 0 }, all = { 0 };
	const struct share_part parts[] = { { &a, 100 }, { &other, 0 }, { &b, 300 } };

	share_add(parts, 3, &all);
	ok(!all.samples.n, "nothing is known of the bandwidth, nothing is added");
	parsed_add(&a, "bw", DIR_ALL, JOB_ALL, 10);
	parsed_add(&b, "bw", DIR_ALL, JOB_ALL, 30);
	parsed_add(&other, "bw", DIR_ALL, JOB_ALL, 1000);
	share_add(parts, 2, &all);
	ok(!all.samples.n, "one alone shares with nobody");
	share_add(parts, 3, &all);
	ok(fabs(got(&a, "share") - 25) < 1e-9 && fabs(got(&b, "share") - 75) < 1e-9, "shares, without who has no weight");
	ok(fabs(got(&a, "share_per_weight") - 1) < 1e-9, "as the weight says");
	ok(fabs(got(&all, "weighted_jain") - 1) < 1e-9, "that is fair");
	is_int((long long)other.samples.n, 1, "the other gets nothing");
	parsed_release(&b);
	parsed_release(&all);
	parsed_add(&b, "bw", DIR_ALL, JOB_ALL, 10);
	share_add(parts, 3, &all);
	/* x = 1/10, 1/30: (4/30)^2 / (2 * 10/900) = 0.8 */
	ok(fabs(got(&all, "weighted_jain") - 0.8) < 1e-9, "equal shares for 100 and 300 are not");
	parsed_release(&a);
	parsed_release(&b);
	parsed_release(&other);
	parsed_release(&all);
}

int main(void)
{
	test_plain();
	test_scenario();
	test_faults();
	test_command();
	test_in_a_run();
	test_bundle();
	test_share();
	return tap_done();
}
