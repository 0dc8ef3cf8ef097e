// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "common/file.h"
#include "common/units.h"

/* In place of libc's: a clock that stands still unless the tests move it. */
static int64_t now_ns = 1000 * NS_PER_S;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ now_ns / NS_PER_S, now_ns % NS_PER_S };
	return 0;
}

#define SECOND ((uint64_t)NS_PER_S)

/* A sweep whose lines are not due before the end of time. */
static void start_silent(struct progress *p, unsigned runs, uint64_t total_ns)
{
	progress_start(p, runs, total_ns);
	p->terminal = false;
	p->last_line_ns = INT64_MAX;
}

/* A run that is asked to take 'run_ns' and takes 'wall_ns'. */
static void run(struct progress *p, uint64_t run_ns, int64_t wall_ns)
{
	progress_run(p, "cell", run_ns);
	now_ns += wall_ns;
	progress_run_done(p, NULL);
}

static void test_arithmetic(void)
{
	struct progress p;
	uint64_t guess_ns;

	start_silent(&p, 10, 10 * 12 * SECOND);
	guess_ns = progress_left_ns(&p);
	ok(guess_ns > 120 * SECOND && guess_ns < 130 * SECOND, "at the start: all runs, and a little for each");

	progress_run(&p, "cell", 12 * SECOND);
	is_int((long long)progress_left_ns(&p), (long long)guess_ns, "a run that has just begun changes nothing");
	now_ns += 5 * NS_PER_S;
	is_int((long long)progress_left_ns(&p), (long long)(guess_ns - 5 * SECOND), "time passes as it does on the clock");
	now_ns += 8 * NS_PER_S;
	progress_run_done(&p, NULL);
	is_int((long long)progress_left_ns(&p), 9 * 13 * NS_PER_S, "after a run of 13 s for 12, the others take 13 s");
	run(&p, 12 * SECOND, 15 * NS_PER_S);
	is_int((long long)progress_left_ns(&p), 8 * 14 * NS_PER_S, "the mean of what they take beyond is what counts");

	progress_skip(&p, 12 * SECOND);
	is_int((long long)progress_left_ns(&p), 7 * 14 * NS_PER_S, "a run that is not run takes nothing");
	run(&p, 12 * SECOND, 100000000);
	is_int((long long)progress_left_ns(&p), 6 * 14 * NS_PER_S, "one that failed at once says nothing of the others");
	progress_run(&p, "cell", 12 * SECOND);
	now_ns += 3600 * NS_PER_S;
	is_int((long long)progress_left_ns(&p), 5 * 14 * NS_PER_S, "one that hangs takes nothing from those to come");
	now_ns -= 3586 * NS_PER_S;
	progress_run_done(&p, NULL);
	for (int i = 0; i < 5; i++)
		run(&p, 12 * SECOND, 14 * NS_PER_S);
	is_int((long long)progress_left_ns(&p), 0, "after the last nothing is left");
	is_int(p.runs_done, 10, "and all are done");
}

static void test_own_times(void)
{
	struct progress p;

	start_silent(&p, 4, 0);
	run(&p, 0, 20 * NS_PER_S);
	is_int((long long)progress_left_ns(&p), 60 * NS_PER_S, "of a job file with its own times the runs tell them");
}

/*
 * A sweep of 32 cells with runtimes of 5 to 20 s, where a run takes from 0.2 to 2.2 s more, 10 times: the time left is
 * right to 10% at the end of each block, from the first on.
 */
static void test_sweep(void)
{
	enum { CELLS = 32, BLOCKS = 10, RUNS = CELLS * BLOCKS };
	static int64_t wall_ns[RUNS];
	static uint64_t run_ns[RUNS];
	uint64_t total_ns = 0, state = 12345;
	int64_t left_ns = 0;
	struct progress p;

	for (int i = 0; i < RUNS; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		run_ns[i] = 5 * SECOND * (1 + (uint64_t)(i % CELLS) % 4);
		wall_ns[i] = (int64_t)run_ns[i] + NS_PER_S / 5 + (int64_t)(state >> 33) % (2 * NS_PER_S);
		total_ns += run_ns[i];
		left_ns += wall_ns[i];
	}
	start_silent(&p, RUNS, total_ns);
	for (int i = 0; i < RUNS; i++) {
		run(&p, run_ns[i], wall_ns[i]);
		left_ns -= wall_ns[i];
		if (i % CELLS == CELLS - 1)
			is_near((double)progress_left_ns(&p), (double)left_ns, 0.1, "right to 10% after a block");
	}
}

/* What is on stderr after 'draw'. */
static char *drawn(void (*draw)(struct progress *p), struct progress *p)
{
	char path[] = "/tmp/iobench-progress.XXXXXX";
	int fd = mkstemp(path), terminal = dup(STDERR_FILENO);
	struct str text = { 0 };

	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	draw(p);
	fflush(stderr);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
	close(fd);
	file_slurp(path, &text, NULL);
	unlink(path);
	return str_steal(&text);
}

static void tick(struct progress *p)
{
	progress_tick(p);
}

static void ten_minutes(struct progress *p)
{
	for (int i = 0; i < 600; i++) {
		now_ns += NS_PER_S;
		progress_tick(p);
	}
}

static void test_lines(void)
{
	struct progress p;
	AUTOFREE char *soon = NULL, *many = NULL;
	int lines = 0;

	progress_start(&p, 200, 200 * 12 * SECOND);
	p.terminal = false;
	p.runs_done = 3;
	snprintf(p.what, sizeof(p.what), "bfq read 8");
	snprintf(p.figure, sizeof(p.figure), "1000 IOPS");
	now_ns += 59 * NS_PER_S;
	soon = drawn(tick, &p);
	is(soon, "", "where there is no terminal nothing is said in the first 59 seconds");
	many = drawn(ten_minutes, &p);
	for (const char *s = many; *s; s++)
		lines += *s == '\n';
	is_int(lines, 10, "then a line a minute");
	ok(str_starts(many, "iobench: run 4 of 200, "), "that begins with the run");
	has(many, " left, bfq read 8 (before: 1000 IOPS)\n", "and says what is left, the cell, and the last figure");
	ok(!strchr(many, '\033') && !strchr(many, '\r'), "without control characters");
}

static void test_terminal(void)
{
	struct progress p;
	AUTOFREE char *half = NULL, *cleared = NULL, *nothing = NULL;

	progress_start(&p, 200, 200 * 12 * SECOND);
	p.terminal = true;
	p.runs_done = 100;
	nothing = drawn(progress_clear, &p);
	is(nothing, "", "before anything is drawn there is nothing to take away");
	half = drawn(tick, &p);
	ok(str_starts(half, "\r[##########..........] run 101 of 200, "), "half is half a bar");
	ok(!strchr(half, '\n') && strlen(half) <= 80 + strlen("\r\033[K"), "in one line");
	cleared = drawn(progress_clear, &p);
	is(cleared, "\r\033[K", "and can be taken away");
	free(cleared);
	cleared = drawn(progress_clear, &p);
	is(cleared, "", "once");
}

static void test_long_names(void)
{
	struct progress p;
	char name[500];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	start_silent(&p, 1, 0);
	progress_run(&p, name, 0);
	progress_run_done(&p, name);
	ok(strlen(p.what) == sizeof(p.what) - 1 && strlen(p.figure) == sizeof(p.figure) - 1, "long names are cut");
}

int main(void)
{
	test_arithmetic();
	test_own_times();
	test_sweep();
	test_lines();
	test_terminal();
	test_long_names();
	return tap_done();
}
