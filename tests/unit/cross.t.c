// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cross.h"

#include "tests/golden/series.h"

/* "title [row|row] [column|column]" of every table, and '-' or the first value of every place. */
static char *laid_out(const struct series_set *set, const char *rows, const char *columns)
{
	AUTOSTRINGS strings_t down = { 0 }, across = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };
	struct str text = { 0 };

	if (*rows)
		str_split(rows, ',', &down);
	if (*columns)
		str_split(columns, ',', &across);
	members_find(set, NULL, 0, &members);
	cross_make(&members, &down, &across, &crosses);
	for (size_t i = 0; i < crosses.n; i++) {
		const struct cross *c = &crosses.items[i];

		str_addf(&text, "%s%s (%s)", i ? "; " : "", c->title, c->label);
		for (size_t r = 0; r < c->rows.n; r++) {
			AUTOFREE char *row = line_text(&c->rows.items[r], &down);

			str_addf(&text, " [%s:", row);
			for (size_t k = 0; k < c->columns.n; k++) {
				AUTOFREE char *column = line_text(&c->columns.items[k], &across);
				const struct series *s = cross_at(c, r, k);

				str_addf(&text, "%s%s=", k ? "," : " ", column);
				str_addf(&text, s ? "%g" : "-", s ? s->points.items[0].value : 0);
			}
			str_add(&text, "]");
		}
	}
	crosses_release(&crosses);
	vec_free(&members);
	return str_steal(&text);
}

static void is_laid_out(struct series_set *set, const char *rows, const char *columns, const char *want, const char *what)
{
	AUTOFREE char *got = laid_out(set, rows, columns);

	is(got, want, what);
}

static void test_places(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "bfq", .pattern = "read", .environment = 1 };

	for (f.jobs = 10; f.jobs; f.jobs -= f.jobs == 10 ? 8 : f.jobs) {
		f.variant = "none";
		GIVE(add(&set, "iops", f), f.jobs);
		f.variant = "bfq";
		GIVE(add(&set, "iops", f), 100 + f.jobs);
	}
	is_laid_out(&set, "numjobs", "variant", "sequential reads (read) [2 jobs: none=2,bfq=102] [10 jobs: none=10,bfq=110]",
		    "numbers by size, variants in the order of the plan");
	is_laid_out(&set, "variant", "", "sequential reads, 10 jobs (read-numjobs-10) [none: =10] [bfq: =110]; "
					 "sequential reads, 2 jobs (read-numjobs-2) [none: =2] [bfq: =102]",
		    "what varies and is laid out nowhere makes tables");
	is_laid_out(&set, "numjobs,variant", "",
		    "sequential reads (read) [2 jobs, none: =2] [2 jobs, bfq: =102] [10 jobs, none: =10] [10 jobs, bfq: =110]",
		    "several keys in one line");
	series_set_release(&set);
}

/* Two sweeps, two kernels, two environments: apart only where they would meet in one place. */
static void test_collisions(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "cfq", .pattern = "read", .jobs = 1, .kernel = "4.19", .environment = 1, .sweep = 1,
			   .sweep_name = "a" };

	GIVE(add(&set, "iops", f), 1);
	f.variant = "bfq";
	f.kernel = "6.1";
	f.environment = 2;
	GIVE(add(&set, "iops", f), 2);
	is_laid_out(&set, "numjobs", "variant", "sequential reads (read) [1 job: cfq=1,bfq=2]",
		    "variants of different kernels stand in one table");
	f.kernel = "6.2";
	f.environment = 3;
	GIVE(add(&set, "iops", f), 3);
	is_laid_out(&set, "numjobs", "variant",
		    "sequential reads, kernel 4.19 (read-kernel-4.19) [1 job: cfq=1]; sequential reads, kernel 6.1 "
		    "(read-kernel-6.1) [1 job: bfq=2]; sequential reads, kernel 6.2 (read-kernel-6.2) [1 job: bfq=3]",
		    "the same variant under two kernels: tables a kernel");
	is_laid_out(&set, "numjobs", "variant,kernel",
		    "sequential reads (read) [1 job: cfq, kernel 4.19=1,bfq, kernel 6.1=2,bfq, kernel 6.2=3]",
		    "or columns, when asked for");
	f.environment = 4;
	GIVE(add(&set, "iops", f), 4);
	is_laid_out(&set, "variant", "kernel,environment", "sequential reads, 1 job (read-numjobs-1) "
		    "[cfq: kernel 4.19, environment 1=1,kernel 6.1, environment 2=-,kernel 6.2, environment 3=-,kernel 6.2, environment 4=-] "
		    "[bfq: kernel 4.19, environment 1=-,kernel 6.1, environment 2=2,kernel 6.2, environment 3=3,kernel 6.2, environment 4=4]",
		    "environments are told apart");
	f.sweep = 2;
	f.sweep_name = "a";
	GIVE(add(&set, "iops", f), 5);
	{
		AUTOFREE char *got = laid_out(&set, "numjobs", "variant");

		has(got, "sweep id 2", "two sweeps of one name are not mixed either");
		has(got, "bfq=4", "the one");
		has(got, "bfq=5", "and the other are there");
	}
	series_set_release(&set);
}

static void test_pending(void)
{
	struct series_set set = { 0 };
	struct facts f = { .variant = "none", .pattern = "read", .jobs = 1, .actor = "fio", .environment = 1 };

	GIVE(add(&set, "iops", f), 1);
	f.actor = "fs_mark";
	GIVE(add(&set, "iops", f), 2);
	add(&set, "iops", (struct facts){ .variant = "cfq", .pattern = "read", .jobs = 1 });
	is_laid_out(&set, "numjobs", "variant",
		    "sequential reads, fio (read-actor-fio) [1 job: none=1,cfq=-]; sequential reads, fs_mark "
		    "(read-actor-fs_mark) [1 job: none=2,cfq=-]",
		    "a pending cell stands in the tables of all actors");
	is_laid_out(&set, "actor", "variant", "sequential reads, 1 job (read-numjobs-1) [fio: none=1,cfq=-] [fs_mark: none=2,cfq=-]",
		    "and makes no row of an actor that it does not know");
	series_set_release(&set);
}

static struct series_set sizes(void)
{
	struct series_set set = { 0 };
	static const char *const variants[] = { "none", "a,b" };

	for (int v = 0; v < 2; v++)
		for (int size = 4096; size <= 8192; size *= 2) {
			AUTOFREE char *text = mem_printf("%d", size);
			struct series *s = add(&set, "iops", (struct facts){ .variant = variants[v], .pattern = "read", .jobs = 1 });

			add_axis(s, "bs_bytes", text);
			add_axis(s, "ramp_ns", "2000000000");
			GIVE(s, size + v);
		}
	return set;
}

static int filter(struct series_set *set, const char *condition, struct err *err)
{
	strings_t conditions = { 0 };
	int bad;

	strings_add(&conditions, condition);
	bad = where_apply(set, &conditions, err);
	strings_release(&conditions);
	return bad;
}

static void is_refused(const char *condition, const char *words)
{
	struct series_set set = sizes();
	struct err err = { 0 };

	ok(filter(&set, condition, &err) == -1 && err.kind == ERR_USAGE, "--where '%s' is refused", condition);
	has(err.msg, words, condition);
	series_set_release(&set);
}

static void is_filtered(const char *condition, size_t n, const char *what)
{
	struct series_set set = sizes();
	struct err err = { 0 };

	ok(!filter(&set, condition, &err), "--where '%s' is taken", condition);
	is_int((long long)set.list.n, (long long)n, what);
	series_set_release(&set);
}

static void test_where(void)
{
	struct series_set set = sizes();
	struct err err = { 0 };

	is_filtered("bs=8k", 2, "a size as people type it");
	is_filtered("bs_bytes=4096,8192", 4, "several values, as stored");
	is_filtered("ramp=2s", 4, "a duration");
	is_filtered("variant=a\\,b", 2, "a comma in a name");
	is_filtered("jobs=1", 4, "jobs is numjobs");
	is_refused("bs=16k", "--where bs: nothing has '16 KiB' (there are 4 KiB, 8 KiB)");
	is_refused("bs=x", "--where bs_bytes");
	is_refused("nonsense=1", "no axis 'nonsense' (there are pattern, jobs, bs, ramp, ");
	is_refused("numjob=1", "did you mean 'numjobs'?");
	is_refused("variant", "wants AXIS=VALUE");
	is_refused("=x", "wants AXIS=VALUE");
	ok(!filter(&set, "bs=4k", &err) && !filter(&set, "variant=none", &err) && set.list.n == 1 &&
		   set.list.items[0].points.items[0].value == 4096,
	   "conditions one after the other");
	series_set_release(&set);
}

static void test_texts(void)
{
	AUTOFREE char *size = key_text("bs_bytes", "4096"), *phrase = key_phrase("bs_bytes", "4096");
	AUTOFREE char *jobs = key_phrase("numjobs", "8"), *job = key_phrase("numjobs", "1");
	char buf[KEY_TEXT];

	is(size, "4 KiB", "a size in a cell");
	is(phrase, "bs 4 KiB", "and where nothing names it");
	is(jobs, "8 jobs", "jobs");
	is(job, "1 job", "one job");
	is(key_head("numjobs", buf), "jobs", "heads as people say");
	is(key_head("bs_bytes", buf), "bs", "without the unit");
	is(key_head("bytes", buf), "bytes", "a name is not only its unit");
}

int main(void)
{
	test_places();
	test_collisions();
	test_pending();
	test_where();
	test_texts();
	return tap_done();
}
