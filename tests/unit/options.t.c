// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.h"
#include "common/file.h"

static const struct option_row options_own[] = {
	{ "dev", "DEVICE", "what to measure", 'd', false, false },
	{ "runs", "N", "how often", 'n', false, false },
	{ "runtime", "LIST", "how long", 't', false, false },
	{ "set", "KNOB=LIST", "a setting", 0, false, true },
	{ "dry-run", NULL, "touch nothing", 0, false, false },
	{ "verbose", NULL, "say more", 'v', false, true },
	{ "write-ok", "DEVICE", "allow writes", 0, true, false },
	{ 0 },
};
static const struct command plain = { .name = "sweep",
				      .summary = "measure a disk",
				      .about = "First paragraph of more than one line, which has to be broken where a word ends.\n\n"
					       "Second.",
				      .groups = { options_own, options_db } };
static const struct command with_operands = { .name = "report",
					      .summary = "print tables",
					      .operands = "[SWEEP]...",
					      .groups = { options_own, options_db } };

#define ARGS_MAX 16
static struct options opt;
static struct err err;

/* Parse words separated by blanks, the command's name first. */
static int parse(const struct command *c, const char *line)
{
	AUTOFREE char *copy = mem_strdup(line);
	char *argv[ARGS_MAX + 1] = { 0 };
	int argc = 0;

	for (char *save = NULL, *word = strtok_r(copy, " ", &save); word && argc < ARGS_MAX; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	options_release(&opt);
	opt = (struct options){ 0 };
	err = (struct err){ 0 };
	return options_parse(c, argc, argv, &opt, &err);
}

static void test_forms(void)
{
	ok(!parse(&plain, "sweep"), "no options at all");
	ok(!opt.given.n && !opt.operands.n, "give none");
	is(option(&opt, "dev"), NULL, "an option that is not given has no value");
	ok(!option_given(&opt, "dev"), "and is not given");

	ok(!parse(&plain, "sweep --dev /dev/sdb --runs=3 -t 5 --dry-run"), "long and short ones");
	is(option(&opt, "dev"), "/dev/sdb", "the argument as the next word");
	is(option(&opt, "runs"), "3", "behind '='");
	is(option(&opt, "runtime"), "5", "of a letter");
	is(option(&opt, "dry-run"), "", "without argument the value is empty");
	ok(option_given(&opt, "dry-run"), "but it is given");
	is(opt.typed, "iobench sweep --dev /dev/sdb --runs=3 -t 5 --dry-run", "the line is kept as typed");

	ok(!parse(&plain, "sweep -d/dev/sdb -vn3 -v"), "letters together");
	is(option(&opt, "dev"), "/dev/sdb", "the argument right behind its letter");
	is(option(&opt, "runs"), "3", "and behind several");
	ok(!parse(&plain, "sweep --runs=--3"), "an argument may begin with a dash");
	is(option(&opt, "runs"), "--3", "and is kept");
	ok(!parse(&plain, "sweep --dev=") && !strcmp(option(&opt, "dev"), ""), "or be empty");
	ok(!parse(&plain, "sweep --set a=b=c") && !strcmp(option(&opt, "set"), "a=b=c"), "only the first '=' counts");
	ok(!parse(&plain, "sweep --dry") && option_given(&opt, "dry-run"), "a name may be cut while it is clear");
	ok(!parse(&plain, "sweep --db x") && !strcmp(option_db(&opt), "x"), "options of other groups");

	ok(!parse(&plain, "sweep --write-ok"), "an argument that may lack");
	is(option(&opt, "write-ok"), "", "lacks");
	ok(!parse(&plain, "sweep --write-ok=/dev/sdb"), "or not");
	is(option(&opt, "write-ok"), "/dev/sdb", "with '='");
	ok(!parse(&plain, "sweep --write-ok --runs 3"), "another option behind it");
	is(option(&opt, "write-ok"), "", "is no argument of it");
	is(option(&opt, "runs"), "3", "but itself");
}

static void test_repeats(void)
{
	ok(!parse(&plain, "sweep --set a=1 --runs 2 --set b=2"), "an option that may be repeated");
	is_int(opt.given.n, 3, "is there as often as given");
	is(opt.given.items[0].value, "a=1", "in order");
	is(opt.given.items[2].value, "b=2", "to the end");
	is(option(&opt, "set"), "b=2", "its value is the last");
	is_int(parse(&plain, "sweep --runs 1 -n 2"), -1, "another may not");
	is(err.msg, "--runs is given twice", "by whatever name");
	is_int(err.kind, ERR_USAGE, "as wrong usage");
}

struct complaint {
	const char *line, *want;
};

static void test_complaints(void)
{
	static const struct complaint complaints[] = {
		{ "sweep --bogus", "unknown option '--bogus' ('iobench sweep --help' lists them)" },
		{ "sweep --rnus", "unknown option '--rnus' (did you mean '--runs'? 'iobench sweep --help' lists them)" },
		{ "sweep --rums 3", "unknown option '--rums' (did you mean '--runs'? 'iobench sweep --help' lists them)" },
		{ "sweep --runtme=3",
		  "unknown option '--runtme=3' (did you mean '--runtime'? 'iobench sweep --help' lists them)" },
		{ "sweep --run 3", "unknown option '--run' (did you mean '--runs'? 'iobench sweep --help' lists them)" },
		{ "sweep --dev x --bogus --runs 3", "unknown option '--bogus' ('iobench sweep --help' lists them)" },
		{ "sweep x --bogus y", "unknown option '--bogus' ('iobench sweep --help' lists them)" },
		{ "sweep -z", "unknown option '-z' ('iobench sweep --help' lists them)" },
		{ "sweep -vz", "unknown option '-z' ('iobench sweep --help' lists them)" },
		{ "sweep -zv", "unknown option '-z' ('iobench sweep --help' lists them)" },
		{ "sweep x -zv", "unknown option '-z' ('iobench sweep --help' lists them)" },
		{ "sweep --dev", "option '--dev' wants an argument" },
		{ "sweep --runs 3 -d", "option '-d' wants an argument" },
		{ "sweep --dry-run=1", "option '--dry-run' takes no argument" },
		{ "sweep --help=1", "option '--help' takes no argument" },
		{ "sweep --write-ok /dev/sdb",
		  "'sweep' takes no operand '/dev/sdb' (did you mean '--write-ok=/dev/sdb'?)" },
		{ "sweep --write-ok /dev/sdb --runs 3",
		  "'sweep' takes no operand '/dev/sdb' (did you mean '--write-ok=/dev/sdb'?)" },
		{ "sweep --write-ok=/dev/sdb /dev/sdc",
		  "'sweep' takes no operand '/dev/sdc' ('iobench sweep --help' lists its options)" },
		{ "sweep /dev/sdb", "'sweep' takes no operand '/dev/sdb' ('iobench sweep --help' lists its options)" },
		{ "sweep --runs 3 x", "'sweep' takes no operand 'x' ('iobench sweep --help' lists its options)" },
		{ "sweep -- --runs", "'sweep' takes no operand '--runs' ('iobench sweep --help' lists its options)" },
		{ "sweep -", "'sweep' takes no operand '-' ('iobench sweep --help' lists its options)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
		is_int(parse(&plain, complaints[i].line), -1, complaints[i].line);
		is(err.msg, complaints[i].want, "says why");
		is_int(err.kind, ERR_USAGE, "as wrong usage");
		/* nothing of a line that failed is left for the next */
		ok(!parse(&plain, "sweep -vn 3") && opt.given.n == 2, "and the next line is read from its start");
	}
}

static void test_operands(void)
{
	ok(!parse(&with_operands, "report a --runs 3 b -- --c"), "a command with operands");
	is_int(opt.operands.n, 3, "takes them");
	is(opt.operands.items[0], "a", "before");
	is(opt.operands.items[1], "b", "and behind options");
	is(opt.operands.items[2], "--c", "and behind '--' whatever they look like");
	is(option(&opt, "runs"), "3", "options between them count");
	ok(!parse(&with_operands, "report --write-ok x"), "where there are operands, a word may be one");
	is_int(opt.operands.n, 1, "and is");
}

static void test_add(void)
{
	parse(&plain, "sweep --runs 3");
	ok(!option_add(&plain, &opt, "dev", "/dev/sdb", &err), "an option as if typed");
	is(option(&opt, "dev"), "/dev/sdb", "is given");
	ok(!option_add(&plain, &opt, "dry-run", NULL, &err), "without argument");
	is(option(&opt, "dry-run"), "", "its value is empty");
	is_int(option_add(&plain, &opt, "runs", "4", &err), -1, "what may not repeat may not repeat");
	is(err.msg, "--runs is given twice", "it is said");
	is_int(option_add(&plain, &opt, "rums", "4", &err), -1, "a name that the command does not have");
	is(err.msg, "unknown option 'rums' (did you mean '--runs'? 'iobench sweep --help' lists them)", "is refused");
}

static void test_db(void)
{
	unsetenv("IOBENCH_DB");
	parse(&plain, "sweep");
	is(option_db(&opt), "iobench.db", "the database is ./iobench.db");
	setenv("IOBENCH_DB", "/x.db", 1);
	is(option_db(&opt), "/x.db", "or what $IOBENCH_DB says");
	parse(&plain, "sweep --db y.db");
	is(option_db(&opt), "y.db", "or what --db says");
	setenv("IOBENCH_DB", "", 1);
	parse(&plain, "sweep");
	is(option_db(&opt), "iobench.db", "an empty variable says nothing");
	unsetenv("IOBENCH_DB");
}

/* What parsing 'line' prints on stdout. */
static char *printed(const char *line, int *result)
{
	char path[] = "/tmp/iobench-options.XXXXXX";
	int fd = mkstemp(path), terminal = dup(STDOUT_FILENO);
	struct str text = { 0 };

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	*result = parse(&plain, line);
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	close(fd);
	file_slurp(path, &text, NULL);
	unlink(path);
	return str_steal(&text);
}

static void test_help(void)
{
	int result;
	AUTOFREE char *text = printed("sweep --runs 3 --help --bogus", &result), *again = NULL;
	AUTOSTRINGS strings_t lines = { 0 };
	bool narrow = true, tidy = true;

	is_int(result, 1, "--help ends the parsing");
	ok(str_starts(text, "usage: iobench sweep [OPTION]...\n\nmeasure a disk\n\n"), "it begins with usage and summary");
	has(text, "\n  -d, --dev DEVICE        what to measure\n", "an option with a letter");
	has(text, "\n      --set KNOB=LIST     a setting\n", "one without");
	has(text, "\n      --write-ok[=DEVICE]\n                          allow writes\n", "one too long for its column");
	has(text, "\n      --db FILE ", "those of other groups");
	has(text, "\n  -h, --help              this text\n\nFirst paragraph", "--help itself, then the paragraphs");
	has(text, "\n\nSecond.\n", "each on its own");
	str_split(text, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		size_t len = strlen(lines.items[i]);

		narrow &= len <= 78;
		tidy &= !len || lines.items[i][len - 1] != ' ';
	}
	ok(narrow, "no line is longer than 78 columns");
	ok(tidy, "none ends in a blank");
	again = printed("sweep -h", &result);
	ok(result == 1 && !strcmp(text, again), "-h is the same");
}

static void test_presets(void)
{
	struct options copy;

	ok(!parse(&plain, "sweep --runs 3 --set a=1"), "some options are typed");
	options_copy(&opt, &copy);
	ok(!options_preset(&plain, &copy, " --runs 9 --runtime=7\n--set b=2 --dry-run --write-ok", &err), "others are preset");
	is(option(&copy, "runs"), "3", "what is typed stands");
	is(option(&copy, "runtime"), "7", "what is not typed is taken");
	is(option(&copy, "dry-run"), "", "without an argument too");
	ok(option_given(&copy, "write-ok"), "and one that may lack its argument");
	is_int((long long)copy.given.n, 5, "of an option that repeats the typed ones stand alone");
	ok(option_typed(&copy, "set") && !option_typed(&copy, "runtime"), "the two can be told apart");
	ok(!option_given(&opt, "runtime"), "the original is as it was");
	is_int(options_preset(&plain, &copy, "--runtme 3", &err), -1, "an unknown option");
	has(err.msg, "'--runtme' (did you mean '--runtime'?", "is named");
	is_int(options_preset(&plain, &copy, "word", &err), -1, "a word that is no option");
	is_int(options_preset(&plain, &copy, "--runtime", &err), -1, "a missing argument");
	has(err.msg, "'--runtime' wants an argument", "is said");
	options_release(&copy);
}

int main(void)
{
	test_forms();
	test_repeats();
	test_complaints();
	test_operands();
	test_add();
	test_presets();
	test_db();
	test_help();
	options_release(&opt);
	return tap_done();
}
