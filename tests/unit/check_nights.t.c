// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate, night after night, on databases that were filled through the store: how often it is red on quiet nights, and
 * when it finds what is there. Run by hand it prints figures of docs/methodology.md: build/tests/unit/check_nights.t
 */
#include <stdlib.h>
#include <unistd.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "cli/command.h"
#include "common/file.h"
#include "common/units.h"
#include "db/store.h"
#include "report/nights.h"
#include "tests/tap.h"
#include "tests/unit/night_noise.h"

#define CELLS 4
#define BLOCKS 6
#define NIGHT_NS (86400 * NS_PER_S)
#define START_NS (20000 * NIGHT_NS + 2 * 3600 * NS_PER_S) /* two in the morning, UTC */
#define S(text) ((char *)(text)) /* rows that go in only borrow it */

extern const struct command cmd_check;

static void must(bool good, const char *what, const struct err *err)
{
	if (good)
		return;
	printf("Bail out! %s: %s\n", what, err->msg);
	exit(1);
}

struct world {
	char path[64];
	struct store *s;
	struct night_noise noise;
	struct parsed parsed; /* of one run, used again and again */
	unsigned n;
};

static void world_open(struct world *w, const char *name, uint64_t seed)
{
	struct err err = { 0 };

	noise_state = seed;
	*w = (struct world){ 0 };
	snprintf(w->path, sizeof(w->path), "%s.db", name);
	w->s = store_open(w->path, STORE_CREATE, &err);
	must(w->s, "open", &err);
	parsed_add(&w->parsed, "iops", DIR_ALL, JOB_ALL, 1);
}

static void world_close(struct world *w)
{
	store_close(w->s);
	parsed_release(&w->parsed);
	unlink(w->path);
}

static int64_t put_sweep(struct world *w, struct cell_row *cells)
{
	static const char *const jobs[CELLS] = { "1", "2", "4", "8" };
	struct sweep_row sweep = { .name = S("nightly"), .state = S("done"), .started_ns = START_NS + w->n * NIGHT_NS };
	struct axis_value axes[CELLS][2];
	struct err err = { 0 };

	for (int i = 0; i < CELLS * 2; i++) {
		axes[i % CELLS][0] = (struct axis_value){ "pattern", "read" };
		axes[i % CELLS][1] = (struct axis_value){ "numjobs", jobs[i % CELLS] };
		cells[i] = (struct cell_row){ .ordinal = i,
					      .key = mem_printf("variant=%s;jobs=%s", i < CELLS ? "bfq" : "none", jobs[i % CELLS]),
					      .variant = S(i < CELLS ? "bfq" : "none"),
					      .state = S("done"),
					      .axes = axes[i % CELLS],
					      .n_axes = 2 };
	}
	must(!uuid_new(sweep.uuid, &err) && !store_put_sweep(w->s, &sweep, NULL, cells, CELLS * 2, &err), "sweep", &err);
	for (int i = 0; i < CELLS * 2; i++)
		free(cells[i].key);
	return sweep.id;
}

/* One more night; 'effect' is what is true of bfq in cell 0, a log. */
static void add_night(struct world *w, double effect, const char *kernel)
{
	AUTOFREE char *json = mem_printf("{\"kernel.release\":\"%s\"}", kernel);
	struct cell_row cells[CELLS * 2];
	int64_t sweep = put_sweep(w, cells), environment, invocation;
	struct err err = { 0 };

	must(!store_put_environment(w->s, json, &environment, &err) &&
		     !store_put_invocation(w->s, sweep, "boot", "iobench sweep", &invocation, &err), "night", &err);
	noise_next_night(&w->noise, CELLS);
	for (int block = 0; block < BLOCKS; block++) {
		noise_next_block(&w->noise);
		for (unsigned i = 0; i < CELLS * 2; i++) {
			struct run_row run = { .cell = cells[i].id, .environment = environment, .invocation = invocation,
					       .block = block, .kind = S("measure"), .state = S("ok"), .started_ns = 1 };

			w->parsed.samples.items[0].value = exp(7 + (i ? 0 : effect) + noise_run(&w->noise, i % CELLS, i >= CELLS));
			must(!uuid_new(run.uuid, &err) && !store_put_run(w->s, &run, "fio", &w->parsed, NULL, 0, &err), "run", &err);
		}
	}
	w->n++;
}

/* What 'iobench check' says of a night, 0 the first, and writes to the file 'out'. */
static int check(const struct world *w, unsigned night)
{
	AUTOFREE char *sweep = mem_printf("last~%u", w->n - 1 - night);
	char *argv[] = { S("check"), S("--db"), S(w->path), S("-o"), S("out"), sweep };
	struct options opt = { 0 };
	struct err err = { 0 };
	int code;

	must(!options_parse(&cmd_check, 6, argv, &opt, &err), "options", &err);
	code = cmd_check.run(&opt, &err);
	must(code >= 0, "check", &err);
	options_release(&opt);
	return code;
}

static void test_quiet(void)
{
	unsigned exits[13] = { 0 }, spells = 0, most;
	struct world w;
	int last = 0;

	world_open(&w, "quiet", 1);
	for (unsigned i = 0; i < 365 + NIGHTS_MIN; i++)
		add_night(&w, 0, "6.1");
	is_int(check(&w, NIGHTS_MIN - 1), 12, "too few nights at first");
	for (unsigned night = NIGHTS_MIN; night < w.n; night++) {
		int code = check(&w, night);

		exits[code]++;
		spells += code == 10 && last != 10;
		last = code;
	}
	/* as in nights.t.c */
	most = (unsigned)qbinom(0.999, 365, NIGHTS_ALPHA, 1, 0);
	ok(spells <= most, "of 365 quiet nights %u are red, in %u spells (at most %u)", exits[10], spells, most);
	ok(exits[0] >= 300, "%u of them are green, %u too noisy to tell", exits[0], exits[11]);
	world_close(&w);
}

/* ---- what is there is found ---- */

#define WORLDS 10
#define QUIET 30 /* nights before something happens */

/* Whether the last output has both, the second behind the first. */
static bool says(const char *first, const char *second)
{
	AUTOSTR struct str text = { 0 };
	struct err err = { 0 };
	const char *at;

	must(!file_slurp("out", &text, &err), "output", &err);
	at = strstr(str_text(&text), first);
	return at && strstr(at, second);
}

static void test_step(void)
{
	unsigned waited = 0, dated = 0, kernel = 0, green = 0, at_once = 0;

	for (unsigned k = 0; k < WORLDS; k++) {
		struct world w;
		unsigned night = QUIET;

		world_open(&w, "step", 100 + k);
		for (unsigned i = 0; i < QUIET + 14; i++)
			add_night(&w, i >= QUIET ? log(0.95) : 0, i >= QUIET ? "6.2" : "6.1");
		green += check(&w, QUIET - 1) == 0;
		at_once += check(&w, QUIET) == 10;
		while (night < w.n && check(&w, night) != 10)
			night++;
		waited += night - QUIET;
		check(&w, w.n - 1);
		/* day 20030 is 2024-11-03 */
		dated += says("\n  2024-11-02", "a step") || says("\n  2024-11-03", "a step") || says("\n  2024-11-04", "a step");
		kernel += says("changes in these nights", "'6.1' and '6.2'");
		world_close(&w);
	}
	ok(green >= WORLDS - 1, "the night before a step of 5%% is green in %u of %d worlds", green, WORLDS);
	ok(waited <= 5 * WORLDS, "the step is found %.1f nights after its first, in %u of %d worlds at once", (double)waited / WORLDS,
	   at_once, WORLDS);
	ok(dated >= WORLDS - 2, "after two weeks it is dated to a night, in %u of %d worlds", dated, WORLDS);
	ok(kernel >= WORLDS - 2, "and the kernel that changed with it named, in %u", kernel);
}

static void test_slide(void)
{
	unsigned waited = 0, found = 0, named = 0;

	for (unsigned k = 0; k < WORLDS; k++) {
		unsigned night = QUIET;
		struct world w;

		world_open(&w, "slide", 200 + k);
		for (unsigned i = 0; i < QUIET + 60; i++)
			add_night(&w, i >= QUIET ? (i - QUIET) * log(0.999) : 0, "6.1");
		for (; night < w.n && check(&w, night) != 10; night += 3)
			;
		found += night < w.n;
		waited += night - QUIET;
		check(&w, w.n - 1);
		named += says("changes in these nights", "a slide");
		world_close(&w);
	}
	ok(found >= WORLDS - 1, "a slide of 0.1%% a night is found within 60 nights in %u of %d worlds", found, WORLDS);
	ok(waited <= 45 * WORLDS, "when it came to %.1f%%", 0.1 * waited / WORLDS);
	ok(named >= WORLDS / 2, "and after 60 nights called a slide in %u", named);
}

int main(void)
{
	/* every run is a transaction: on a disk that takes minutes */
	char dir[] = "/dev/shm/iobench-nights.XXXXXX", other[] = "/tmp/iobench-nights.XXXXXX";
	const char *made = mkdtemp(dir) ? dir : mkdtemp(other);

	setenv("TZ", "UTC", 1);
	if (!made || chdir(made))
		return 1;
	test_quiet();
	test_step();
	test_slide();
	unlink("out");
	if (chdir("/") || rmdir(made))
		printf("# %s is left\n", made);
	return tap_done();
}
