// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <sys/stat.h>
#include <unistd.h>

#include "runner/workload.h"

static char root[] = "/tmp/iobench-workload.XXXXXX";

static char *put(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", root, name);
	struct err err = { 0 };

	if (file_replace(path, text, strlen(text), &err))
		abort();
	return path;
}

static void test_question(void)
{
	static const struct {
		const char *text, *want, *what;
	} cases[] = {
		{ "# SPDX-License-Identifier: MIT\n# Why?\n# Because.\n[global]\n# not this\n", "Why?\nBecause.",
		  "the comment at the start, without the licence" },
		{ "; Why?\n;;  Because.\n[x]\n", "Why?\nBecause.", "the other mark of fio's" },
		{ "# Why?\n#\n# Because.\n", "Why?\n\nBecause.", "an empty line of the comment stays" },
		{ "# Why?\n\n# not this\n", "Why?", "an empty line ends it" },
		{ "#\n# Why?\n", "Why?", "an empty line before it goes" },
		{ "[global]\n# not this\n", "", "none" },
		{ "", "", "an empty file" },
		{ "# Why?", "Why?", "a file without a newline" },
		{ "# 50% of #1; all\n", "50% of #1; all", "marks inside the line stay" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct workload w;

		workload_from_text("x", cases[i].text, &w);
		is(w.question, cases[i].want, cases[i].what);
		is(w.text, cases[i].text, "and the text is kept whole");
		workload_release(&w);
		ok(!w.name && !w.text && !w.question, "released it is empty");
	}
}

static void test_presets(void)
{
	struct workload w;

	workload_from_text("x", "# Why?\n# iobench: --jobs 1-8\n#iobench: --runs 3\n# Because.\n[x]\n# iobench: --bs 1k\n", &w);
	is(w.question, "Why?\nBecause.", "options are no part of the question");
	is(w.presets, " --jobs 1-8 --runs 3", "those of the opening comment are kept");
	workload_release(&w);
	workload_from_text("x", "# about iobench: it\n", &w);
	is(w.presets, "", "a word in a sentence is none");
	workload_release(&w);
}

static void test_uses(void)
{
	struct workload w;

	workload_from_text("x", "# ${RW} is in a comment\n; so is ${BS}\n \t# and ${SIZE}\n[x]\nfilename=${DEV}\n"
				"numjobs=${JOBS} \nruntime=$RUNTIME\nramp_time=${RAMPING}\nprefix=a${IODEPTH}b # ${DIRECT}\n"
				"# ${IOENGINE}\nioengine=${IOENGINE}\n", &w);
	ok(workload_uses(&w, "DEV") && workload_uses(&w, "JOBS"), "variables in values are used");
	ok(workload_uses(&w, "IODEPTH"), "in the middle of one too");
	ok(!workload_uses(&w, "RW") && !workload_uses(&w, "BS") && !workload_uses(&w, "SIZE"), "those in comments are not");
	ok(!workload_uses(&w, "DIRECT"), "nor behind a value");
	ok(workload_uses(&w, "IOENGINE"), "unless it is used further on");
	ok(!workload_uses(&w, "RUNTIME"), "fio knows no $NAME");
	ok(!workload_uses(&w, "RAMP"), "part of a name is not the name");
	ok(!workload_uses(&w, "NEVER"), "what is not there is not used");
	workload_release(&w);
}

static void test_load(void)
{
	AUTOFREE char *plain = put("alpha.fio", "# A?\n[x]\n"), *beta = put("beta.fio", "# B?\n[x]\n");
	AUTOFREE char *odd = put("odd-name", "[x]\n"), *hidden = put(".fio", "[x]\n"), *other = put("gamma.txt", "");
	AUTOFREE char *folder = mem_printf("%s/folder.fio", root);
	AUTOSTRINGS strings_t names = { 0 }, folders = { 0 };
	struct err err = { 0 };
	struct workload w;
	char hash[HASH_TEXT];

	setenv("IOBENCH_JOBS", root, 1);
	workload_folders(&folders);
	is(folders.items[0], root, "$IOBENCH_JOBS comes first");
	workload_list(&names);
	ok(strings_has(&names, "alpha") && strings_has(&names, "beta"), "job files are listed by name");
	ok(!strings_has(&names, "") && !strings_has(&names, "gamma") && !strings_has(&names, "odd-name"), "others are not");
	for (size_t i = 1; i < names.n; i++)
		ok(strcmp(names.items[i - 1], names.items[i]) < 0, "in order, none twice");

	ok(!workload_load("alpha", &w, &err), "by name");
	is(w.name, "alpha", "it has the name");
	is(w.path, plain, "the path");
	is(w.question, "A?", "the question");
	hash_text(hash, "# A?\n[x]\n", 9);
	is(w.hash, hash, "and the hash of its text");
	workload_release(&w);
	ok(!workload_load(beta, &w, &err), "by path");
	is(w.name, "beta", "it is called by its file");
	workload_release(&w);
	ok(!workload_load(odd, &w, &err), "a file that is not called .fio");
	is(w.name, "odd-name", "is called as it is");
	workload_release(&w);

	is_int(workload_load("alpah", &w, &err), -1, "a name that is not there is an error");
	is_int(err.kind, ERR_USAGE, "of usage");
	has(err.msg, "'alpah'", "that names it");
	has(err.msg, "alpha, beta", "and those there are");
	is_int(workload_load("./alpha.fio", &w, &err), -1, "a path that is not there");
	has(err.msg, "./alpha.fio", "is named");
	is_int(err.kind, ERR_USAGE, "as wrong usage");
	is_int(workload_load("alpha.fio", &w, &err), -1, "what ends in .fio is a path, not a name");
	is_int(workload_load("", &w, &err), -1, "no name at all is an error");
	mkdir(folder, 0700);
	is_int(workload_load(folder, &w, &err), -1, "so is a folder");
	rmdir(folder);

	unlink(plain);
	unlink(beta);
	unlink(odd);
	unlink(hidden);
	unlink(other);
	setenv("IOBENCH_JOBS", "/nonexistent", 1);
	ok(workload_load("nothing", &w, &err), "with nowhere to look");
	has(err.msg, "no workload 'nothing'", "it is said");
	unsetenv("IOBENCH_JOBS");
}

static void add(struct plan *p, enum axis_id id, const char *list)
{
	struct err err = { 0 };

	if (axis_parse(id, list, &p->axes[id], &err))
		printf("Bail out! %s\n", err.msg);
}

static void test_environment(void)
{
	AUTOSTRINGS strings_t env = { 0 };
	struct plan p = { .runs = 1 };
	struct cell c = { .at = { [AXIS_BS] = 1, [AXIS_NUMJOBS] = 2 } };

	add(&p, AXIS_GOVERNOR, "powersave");
	add(&p, AXIS_IOENGINE, "libaio");
	add(&p, AXIS_BS, "4k,1m");
	add(&p, AXIS_RAMP, "0");
	add(&p, AXIS_RUNTIME, "1.5s");
	add(&p, AXIS_PATTERN, "randread");
	add(&p, AXIS_NUMJOBS, "1,2,8");
	workload_environment(&p, &c, "/dev/sd\\:a", 18446744073709551615u, &env);
	is_int(env.n, 8, "DEV, RANDSEED, and the axes in use");
	ok(strings_has(&env, "DEV=/dev/sd\\:a"), "DEV is what was given");
	ok(strings_has(&env, "RANDSEED=18446744073709551615"), "RANDSEED");
	ok(strings_has(&env, "IOENGINE=libaio"), "a word");
	ok(strings_has(&env, "BS=1048576"), "a size, of the cell, in bytes");
	ok(strings_has(&env, "RAMP=0ms") && strings_has(&env, "RUNTIME=1500ms"), "durations in milliseconds");
	ok(strings_has(&env, "RW=randread"), "the pattern");
	ok(strings_has(&env, "JOBS=8"), "a count, of the cell");
	for (size_t i = 0; i < env.n; i++)
		ok(!strstr(env.items[i], "governor") && !str_starts(env.items[i], "SIZE"),
		   "nothing of an axis that is not for the job file or not in use");
	plan_release(&p);
}

/* As fio 3.33 reads filename=: ':' separates, '\:' does not, every other backslash is part of the name. */
static void test_escape(void)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "/dev/sda", "/dev/sda" },	{ "/dev/a:b", "/dev/a\\:b" }, { "/a\\b", "/a\\b" }, { "/a\\:b", "/a\\\\:b" },
		{ "::", "\\:\\:" },		{ "", "" },		      { "/a b,c", "/a b,c" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = workload_escape_path(cases[i].path);
		AUTOFREE char *what = mem_printf("escape '%s'", cases[i].path);

		is(got, cases[i].want, what);
	}
}

static void test_devices(void)
{
	AUTOSTRINGS strings_t paths = { 0 };
	struct plan p = { .runs = 1 };
	struct cell c = { .at = { [AXIS_DEVICES] = 1 } };
	char *all, *some;

	strings_add(&paths, "/dev/a");
	strings_add(&paths, "/dev/b\\:1");
	strings_add(&paths, "/dev/c");
	all = workload_devices(&p, &c, &paths);
	is(all, "/dev/a:/dev/b\\:1:/dev/c", "without the axis, all devices");
	add(&p, AXIS_DEVICES, "1,2");
	some = workload_devices(&p, &c, &paths);
	is(some, "/dev/a:/dev/b\\:1", "with it, the first ones");
	is_int((long long)workload_count_devices(&p, &c, &paths), 2, "as many as the cell has");
	free(all);
	free(some);
	plan_release(&p);
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_question();
	test_presets();
	test_uses();
	test_load();
	test_environment();
	test_escape();
	test_devices();
	rmdir(root);
	return tap_done();
}
