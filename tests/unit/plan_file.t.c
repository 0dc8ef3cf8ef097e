// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <unistd.h>

#include "cli/budget.h"
#include "cli/plan_file.h"
#include "common/file.h"
#include "common/units.h"

static const struct option_row options_own[] = {
	{ "dev", "DEVICE", "what to measure", 'd', false, true },
	{ "scheds", "LIST", "schedulers", 's', false, false },
	{ "runs", "N", "how often", 'n', false, false },
	{ "note", "TEXT", "kept with it", 0, false, false },
	{ "name", "NAME", "of the sweep", 0, false, false },
	{ "set", "KNOB=LIST", "a setting", 0, false, true },
	{ "buffered", NULL, "through the page cache", 0, false, false },
	{ "write-ok", "DEVICE", "allow writes", 0, true, true },
	{ "plan", "FILE", "a plan", 0, false, false },
	{ "budget", "TIME", "how long", 0, false, false },
	{ 0 },
};
static const struct command own = { .name = "sweep", .summary = "measure", .groups = { options_own } };

static struct plan_file plan;
static struct err err;
static char dir[] = "/tmp/plan-file.XXXXXX";

static int load(const char *text)
{
	AUTOFREE char *path = mem_printf("%s/night.ini", dir);

	plan_file_release(&plan);
	err = (struct err){ 0 };
	if (file_replace(path, text, strlen(text), &err))
		return -1;
	return plan_file_load(&own, path, &plan, &err);
}

/* The options of section 'i' as "name=value" lines, with those of a command line 'typed' beside. */
static struct str text_of_options;
static const char *options_of(size_t i, const char *name, const char *value)
{
	struct str *text = &text_of_options;
	struct options typed = { .typed = mem_strdup("iobench") }, opt;

	str_clear(text);
	if (name && option_add(&own, &typed, name, value, &err))
		return err.msg;
	plan_file_options(&plan, i, &typed, &opt);
	for (size_t k = 0; k < opt.given.n; k++)
		str_addf(text, "%s=%s\n", opt.given.items[k].row->name, opt.given.items[k].value);
	options_release(&typed);
	options_release(&opt);
	return str_text(text);
}

static void test_reading(void)
{
	ok(!load("dev = /dev/a\n# a comment\n[all]\nruns = 6\nset = a/b=1\n; another\n"
		 "[one]\nscheds = bfq,bfq:low_latency=0 ; what it is for\n[two]\nset = c/d=2\nset = e/f=3\nbuffered = yes\n[three]\n"),
	   "a plan with three sweeps");
	is_int((long long)plan.sections.n - 1, 3, "has three");
	is(plan.name, "night", "its name is that of the file");
	is(plan.sections.items[3].name, "three", "a section without keys is a sweep too");
	is(options_of(1, NULL, NULL), "scheds=bfq,bfq:low_latency=0\ndev=/dev/a\nruns=6\nset=a/b=1\n",
	   "what the section says, then what all say, and no comment");
	is(options_of(2, NULL, NULL), "set=c/d=2\nset=e/f=3\nbuffered=\ndev=/dev/a\nruns=6\n",
	   "an option that the section says stands alone, also where it repeats");
	is(options_of(3, NULL, NULL), "dev=/dev/a\nruns=6\nset=a/b=1\n", "one that says nothing has what all say");
	is(options_of(2, "set", "x/y=0"), "set=x/y=0\nbuffered=\ndev=/dev/a\nruns=6\n", "what is typed stands alone");

	ok(!load("[all]\nbuffered = yes\nwrite-ok = yes\n[one]\nbuffered = no\n[two]\nwrite-ok = /dev/sdb\n"), "yes and no");
	is(options_of(1, NULL, NULL), "write-ok=\n", "no takes back what all say; yes needs no argument");
	is(options_of(2, NULL, NULL), "write-ok=/dev/sdb\nbuffered=\n", "an argument that may be missing");

	ok(!load("dev = /dev/a\nbudget = 4h\n"), "a plan without sections");
	is_int((long long)plan.sections.n - 1, 1, "is one sweep");
	is(plan.sections.items[1].name, "night", "with the name of the file");
	is(plan_file_common(&plan, "budget"), "4h", "the budget is for all");
	is(options_of(1, NULL, NULL), "dev=/dev/a\n", "and no option of a sweep");
}

static void test_values(void)
{
	ok(!load("[one]\nscheds = none,\\\n\tbfq,\\\n\tkyber\nnote = \"a \\; b \\\"c\\\" \\\\ \\x41\\n\\t.\"\n"), "values of all kinds");
	is(options_of(1, NULL, NULL), "scheds=none,bfq,kyber\nnote=a ; b \"c\" \\ A\n\t.\n", "lines that go on, quotes, escapes");
	ok(!load("[one]\nnote = 5 \" disk\\x\n"), "a quote or a backslash within");
	is(options_of(1, NULL, NULL), "note=5 \" disk\\x\n", "stands for itself");
	ok(!load("[one]\nnote = a\\\\\nruns = 6\n"), "two backslashes at the end");
	is(options_of(1, NULL, NULL), "note=a\\\\\nruns=6\n", "do not go on");
}

/* Write a sweep with this note and read it again. */
static void round_trip(const char *note, const char *what)
{
	AUTOFREE char *path = mem_printf("%s/saved.ini", dir);
	struct options sweep = { .typed = mem_strdup("iobench") }, none = { 0 }, again;

	unlink(path);
	err = (struct err){ 0 };
	option_add(&own, &sweep, "note", note, &err);
	if (ok(!plan_file_save(path, &sweep, 1, NULL, &err), "%s can be written", what)) {
		plan_file_release(&plan);
		if (ok(!plan_file_load(&own, path, &plan, &err), "and read (%s)", err.msg)) {
			plan_file_options(&plan, 1, &none, &again);
			is(option(&again, "note"), note, "and is the same");
			options_release(&again);
		}
	}
	options_release(&sweep);
}

static void test_writing(void)
{
	char ends[3] = "x\\";
	AUTOSTR struct str text = { 0 };
	AUTOFREE char *path = mem_printf("%s/three.ini", dir);
	struct options sweeps[3] = { 0 };

	round_trip("plain: a,b=c", "a value as any");
	round_trip("", "an empty one");
	round_trip(" blanks at its ends\t", "blanks at both ends");
	round_trip("; # a ; b # c", "marks of comments");
	round_trip("\"quoted\"", "quotes");
	round_trip(ends, "a backslash at the end");
	round_trip("two\nlines\x01", "control characters");
	for (int i = 0; i < 400; i++)
		str_addf(&text, "%s", i % 7 ? i % 5 ? "word" : ";" : "   \\ ");
	round_trip(str_text(&text), "a long text");
	str_clear(&text);
	str_pad(&text, ' ', 700);
	round_trip(str_text(&text), "700 blanks");

	for (int i = 0; i < 3; i++) {
		option_add(&own, &sweeps[i], "dev", "/dev/a", &err);
		option_add(&own, &sweeps[i], "set", "a=1", &err);
		if (i != 1)
			option_add(&own, &sweeps[i], "set", "b=1", &err);
	}
	option_add(&own, &sweeps[0], "name", "first", &err);
	option_add(&own, &sweeps[1], "name", "a [strange] name", &err);
	option_add(&own, &sweeps[2], "write-ok", "", &err);
	ok(!plan_file_save(path, sweeps, 3, "2h", &err), "several sweeps");
	str_clear(&text);
	file_slurp(path, &text, &err);
	is(str_text(&text),
	   "# run it by: iobench sweep --plan THIS-FILE\n[all]\nbudget = 2h\ndev = /dev/a\n\n[first]\nset = a=1\nset = b=1\n\n"
	   "[sweep-2]\nset = a=1\nname = a [strange] name\n\n[patterns]\nset = a=1\nset = b=1\nwrite-ok = yes\n",
	   "what all say is said once");
	ok(plan_file_save(path, sweeps, 3, NULL, &err) && err.kind == ERR_USAGE, "a file that is there is not overwritten");
	has(err.msg, "three.ini' is there already", "and named");
	for (int i = 0; i < 3; i++)
		options_release(&sweeps[i]);
}

static void refuse(const char *text, const char *why, const char *what)
{
	ok(load(text) && err.kind == ERR_USAGE, "%s is refused", what);
	has(err.msg, why, "and it is said why");
}

static void test_errors(void)
{
	AUTOSTR struct str text = { 0 };

	refuse("[one]\nruns = 6\nschedz = bfq\n", "night.ini', line 3: unknown option 'schedz' (did you mean '--scheds'", "an unknown key");
	refuse("[one]\nhelp = yes\n", "line 2: unknown option 'help'", "what is no option of a sweep");
	refuse("[one]\nplan = x\n", "line 2: 'plan' belongs on the command line", "a plan in a plan");
	refuse("[one]\nbudget = 4h\n", "line 2: 'budget' is for all sweeps together", "a budget of one sweep");
	refuse("[one]\nruns = 6\nruns = 7\n", "line 3: 'runs' is given twice", "a key twice");
	refuse("[one]\nbuffered = 1\n", "line 2: 'buffered' is yes or no, not '1'", "a flag that is a number");
	refuse("[one]\nruns\n", "line 2: is no 'name = value'", "a key alone");
	refuse("[one]\nnote = \"a\n", "line 2: the quotes of 'note' are not closed", "an open quote");
	refuse("[one]\nnote = \"a\" b\n", "line 2: the quotes of 'note' are not closed", "text behind quotes");
	refuse("[one]\nnote = a\\\nruns = 6\n", "line 3: 'note' before it does not go on here", "a line that does not go on");
	refuse("[one]\nnote = a\\\n", "'note' in [one] does not go on behind its '\\'", "nor at the end");
	refuse("[one]\nruns = 6\n[two]\n[one]\n", "line 4: section 'one' is there twice", "a section twice");
	refuse("[]\nruns = 6\n", "line 1: section '' needs a name", "a section without a name");
	refuse("  [one]\nruns = 6\n", "must begin its line", "a section that is indented");
	str_add(&text, "[one]\nnote = ");
	str_pad(&text, 'x', 200);
	refuse(str_text(&text), "line 2 is longer than 198 characters", "a line too long for inih");
	str_clear(&text);
	str_add(&text, "[");
	str_pad(&text, 'x', 60);
	str_add(&text, "]\n");
	refuse(str_text(&text), "needs a name of 1 to 48 characters", "a name too long for inih");
	ok(plan_file_load(&own, "no-such-plan", &plan, &err) && err.kind == ERR_USAGE, "a plan that is not there");
	has(err.msg, "no plan 'no-such-plan'", "is said");
}

#define MINUTE (60ULL * NS_PER_S)

static void test_budget(void)
{
	uint64_t rows[] = { MINUTE, MINUTE, 2 * MINUTE, MINUTE };
	struct budget_part p[2] = { { .runs = 10, .runs_min = 6, .row_ns = rows, .n_rows = 3 },
				    { .runs = 8, .runs_min = 6, .row_ns = rows + 3, .n_rows = 1 } };

	budget_fit(p, 2, 60 * MINUTE);
	ok(p[0].fit_runs == 10 && p[1].fit_runs == 8 && p[0].fit_rows == 3 && p[1].fit_rows == 1, "48 of 60 minutes: all fits");
	budget_fit(p, 2, 48 * MINUTE);
	ok(p[0].fit_runs == 9 && p[1].fit_runs == 8, "a twentieth of the time is kept; who has the most runs gives one up");
	budget_fit(p, 2, 40 * MINUTE);
	ok(p[0].fit_runs == 7 && p[1].fit_runs == 7, "both as equally many as can be");
	budget_fit(p, 2, 36 * MINUTE);
	ok(p[0].fit_runs == 7 && p[1].fit_runs == 6, "the last gives up first");
	budget_fit(p, 2, 32 * MINUTE);
	ok(p[0].fit_runs == 6 && p[1].fit_runs == 6 && p[0].fit_rows == 3 && p[1].fit_rows == 1, "never below the least");
	budget_fit(p, 2, 31 * MINUTE);
	ok(p[0].fit_rows == 3 && p[1].fit_rows == 0, "then the last row of the last sweep is left out");
	budget_fit(p, 2, 25 * MINUTE);
	ok(p[0].fit_rows == 2 && p[0].fit_runs == 6, "then that of the one before");
	is_int((long long)(budget_total_ns(p, 2) / MINUTE), 12, "what it comes to");
	budget_fit(p, 2, MINUTE);
	ok(p[0].fit_rows == 0 && p[1].fit_rows == 0, "nothing fits into nothing");
	p[0].canaries = true;
	budget_fit(p, 2, 60 * MINUTE);
	ok(budget_total_ns(p, 2) > 48 * MINUTE && budget_total_ns(p, 2) < 50 * MINUTE, "reference runs take time too");
}

static void remove_dir(void)
{
	static const char *const names[] = { "night.ini", "saved.ini", "three.ini" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTOFREE char *path = mem_printf("%s/%s", dir, names[i]);

		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_reading();
	test_values();
	test_writing();
	test_errors();
	test_budget();
	plan_file_release(&plan);
	str_release(&text_of_options);
	remove_dir();
	return tap_done();
}
