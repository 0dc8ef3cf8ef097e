// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate without a database: answers that are known, and how often it is wrong with 32 cells. Run by hand it prints
 * figures of docs/methodology.md: build/tests/unit/nights.t
 */
#include "report/nights.h"

#include <time.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "common/units.h"
#include "tests/tap.h"
#include "tests/unit/compare_series.h"
#include "tests/unit/night_noise.h"

#define NIGHT_NS (86400 * NS_PER_S)
#define START_NS (20000 * NIGHT_NS + 2 * 3600 * NS_PER_S) /* 2024-10-04, two in the morning, UTC */

/* ---- changes of a series ---- */

static void one_change(const double *values, size_t n, enum change_kind kind, size_t first, const char *what)
{
	changes_t found = { 0 };

	changes_find(values, n, 0.01, &found);
	ok(found.n == 1 && found.items[0].kind == kind && found.items[0].first == first && found.items[0].end == n,
	   "%s: one change, and where it is", what);
	vec_free(&found);
}

static size_t n_changes(const double *values, size_t n)
{
	changes_t found = { 0 };
	size_t count;

	changes_find(values, n, 0.01, &found);
	count = found.n;
	vec_free(&found);
	return count;
}

/* Annual flow of the Nile at Aswan, 1871-1970, R's data set "Nile": its level falls after 1898 (Cobb 1978). */
static void test_nile(void)
{
	static const double nile[] = {
		1120, 1160, 963,  1210, 1160, 1160, 813, 1230, 1370, 1140, 995,	 935, 1110, 994,  1020, 960, 1180, 799, 958, 1140,
		1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840,  874,	 694, 940,  833,  701,	916, 692,  1020, 1050, 969,
		831,  726,  456,  824,	702,  1120, 1100, 832,	764, 821,  768,	 845, 864,  862,  698,	845, 744,  796, 1040, 759,
		781,  865,  845,  944,	984,  897,  822,  1010, 771, 676,  649,	 846, 812,  742,  801,	1040, 860, 874, 848, 890,
		744,  749,  838,  1050, 918,  986,  797,  923,	975, 815,  1020, 906, 901,  1170, 912,	746, 919,  718, 714, 740,
	};
	changes_t found = { 0 };

	one_change(nile, 100, CHANGE_STEP, 28, "the Nile");
	changes_find(nile, 100, 0.01, &found);
	is_near(found.items[0].before, 1097.75, 1e-9, "the level up to 1898");
	is_near(found.items[0].after, 849.97222222, 1e-9, "the level from 1899 on");
	vec_free(&found);
}

/* Noise that is the same everywhere: 0 to 6. */
static void fill(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (double)((i + 1) * 17 % 7);
}

static void test_changes(void)
{
	double values[60];
	changes_t found = { 0 };

	fill(values, 60);
	is_int((long long)n_changes(values, 60), 0, "no change is none");
	for (size_t i = 0; i < 60; i++)
		values[i] += (double)i / 3;
	one_change(values, 60, CHANGE_SLIDE, 0, "a slow slide");
	changes_find(values, 60, 0.01, &found);
	is_near(found.items[0].after - found.items[0].before, 59.0 / 3, 0.02, "its size is that of its line");
	vec_free(&found);
	fill(values, 60);
	values[30] = 100;
	is_int((long long)n_changes(values, 60), 0, "one broken night is no change");
	values[30] = 3;
	values[59] = 100;
	is_int((long long)n_changes(values, 60), 0, "nor is it at the end");
	fill(values, 60);
	for (size_t i = 20; i < 26; i++)
		values[i] += 9;
	changes_find(values, 60, 0.01, &found);
	ok(found.n == 2 && found.items[0].first == 20 && found.items[1].first == 26, "there and back: both are found");
	vec_free(&found);
	fill(values, 60);
	for (size_t i = 2; i < 60; i++)
		values[i] += 30;
	one_change(values, 12, CHANGE_STEP, 2, "a step on the third day of twelve");
	for (size_t i = 0; i < 60; i++)
		values[i] = i < 40 ? 5 : 4;
	one_change(values, 60, CHANGE_STEP, 40, "a step without any noise");
	for (size_t i = 0; i < 60; i++)
		values[i] = 0.1;
	is_int((long long)n_changes(values, 60), 0, "values that are all the same have no change");
	is_int((long long)n_changes(values, 0), 0, "nor has nothing");
	values[4] = 50;
	is_int((long long)n_changes(values, SERIES_MIN - 1), 0, "nor what is too short to say");
}

static void test_clip(void)
{
	double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1000 }, out[12];

	/* median 6.5, median distance from it 3 */
	values_clip(values, 12, out);
	is_near(out[11], 6.5 + 4 * 1.4826 * 3, 1e-12, "what is far out counts only so far");
	is_near(out[0], 1, 0, "and the rest is as it was");
	values_clip(values, CLIP_MIN - 1, out);
	is_near(out[10], 11, 0, "few values stay as they are");
	values[10] = 1000;
	values_clip(values + 1, 11, out);
	is_near(out[10], 1000, 0, "whatever they are");
}

/* ---- one night ---- */

/* Deviation sqrt(6/5), standard error of a new one sqrt(7/5); quantiles of t with 5 degrees of freedom from tables. */
static void test_t(void)
{
	static const double earlier[] = { -1, -1, -1, 1, 1, 1 }, same[] = { 2, 2, 2, 2, 2, 2 };
	double error = sqrt(1.4);
	struct night_test t = night_test(earlier, 6, -2.570581836 * error, 0.01);

	is_near(t.change, -2.570581836 * error, 1e-12, "the change");
	is_near(t.sd, sqrt(1.2), 1e-12, "the deviation between nights");
	is_near(t.p, 0.05, 1e-8, "Student's t, 97.5%, 5 degrees of freedom");
	is_near(t.detectable, error * (4.032142983 + 0.919543780), 1e-8, "what would be seen: 99.5% and 80%");
	is_near(night_test(same, 6, 2, 0.01).p, 1, 0, "nights that never vary: the same again");
	is_near(night_test(same, 6, 2.001, 0.01).p, 0, 0, "and anything else");
}

static void test_group(void)
{
	/* 22:00, 02:00 and 11:59 are one night; 12:00 begins the next */
	int64_t midnight = START_NS - 2 * 3600 * NS_PER_S;
	struct night_sweep sweeps[] = { { 1, midnight - 2 * 3600 * NS_PER_S },
					{ 2, midnight + 2 * 3600 * NS_PER_S },
					{ 3, midnight + 12 * 3600 * NS_PER_S - NS_PER_S },
					{ 4, midnight + 12 * 3600 * NS_PER_S } };
	nights_t nights = { 0 };

	nights_group(sweeps, 4, false, &nights);
	is_int((long long)nights.n, 2, "from noon to noon is one night");
	is_int((long long)nights.items[0].sweeps.n, 3, "with all of its sweeps");
	is(nights.items[0].date, "2024-10-03", "named by the day on which it begins");
	is(nights.items[1].date, "2024-10-04", "and the next");
	ok(nights.items[0].last_ns == sweeps[2].started_ns, "its last sweep is known");
	nights_release(&nights);
	nights_group(sweeps, 4, true, &nights);
	is_int((long long)nights.n, 4, "or each sweep is");
	is(nights.items[1].date, "2024-10-04 02:00", "and then has its time");
	nights_release(&nights);
	setenv("TZ", "EST5", 1);
	tzset();
	nights_group(sweeps, 4, false, &nights);
	is_int((long long)nights.n, 1, "noon is that of this place");
	nights_release(&nights);
	setenv("TZ", "UTC", 1);
	tzset();
}

/* Two days in Berlin on which the clock is put forward and back: their noon is 11 and 13 hours behind their midnight. */
static void test_group_clock(void)
{
	static const struct {
		const char *what;
		int64_t noon_s;
	} days[] = { { "the clock is put forward", 1774778400 /* 2026-03-29 10:00 UTC */ },
		     { "the clock is put back", 1792926000 /* 2026-10-25 11:00 UTC */ } };

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_LEN(days); i++) {
		int64_t noon = days[i].noon_s * NS_PER_S;
		struct night_sweep sweeps[] = { { 1, noon - 3600 * NS_PER_S }, { 2, noon - 60 * NS_PER_S }, { 3, noon },
						{ 4, noon + 1800 * NS_PER_S } };
		nights_t nights = { 0 };

		nights_group(sweeps, 4, false, &nights);
		ok(nights.n == 2 && nights.items[0].sweeps.n == 2, "%s: nights still change at noon", days[i].what);
		nights_release(&nights);
	}
	setenv("TZ", "UTC", 1);
	tzset();
}

/* ---- whole years ---- */

struct year {
	struct series_set set;
	nights_t nights;
	unsigned cells, n;
	int blocks;
	const char *metric;
};

static void year_release(struct year *y)
{
	series_set_release(&y->set);
	nights_release(&y->nights);
}

typedef double (*effect_t)(unsigned night, unsigned cell);

static struct series *series_of(const struct year *y, unsigned night, unsigned i)
{
	return &y->set.list.items[night * 2 * y->cells + i];
}

/* Cells 0 … of bfq, then as many of none; 'effect' is what is true of bfq in a night and cell, a log. */
static void add_night(struct year *y, unsigned night, const struct night_noise *noise, effect_t effect)
{
	for (unsigned i = 0; i < 2 * y->cells; i++) {
		struct series *s = series_add(&y->set, y->metric, i < y->cells ? "bfq" : "none", "read", (int)(i % y->cells) + 1);

		s->sweep = night + 1;
		s->config = i + 1;
		s->environment = 1;
	}
	for (int block = 0; block < y->blocks; block++) {
		struct night_noise now = *noise;

		noise_next_block(&now);
		for (unsigned i = 0; i < 2 * y->cells; i++)
			series_point(series_of(y, night, i), (int)night, block,
				     exp(7 + (i < y->cells && effect ? effect(night, i) : 0) +
					 noise_run(&now, i % y->cells, i >= y->cells)));
	}
}

static void simulate(struct year *y, unsigned cells, unsigned n, bool broken, effect_t effect, const char *metric)
{
	struct night_noise noise = { .broken = broken };
	VEC(struct night_sweep) sweeps = { 0 };

	*y = (struct year){ .cells = cells, .n = n, .blocks = 4, .metric = metric };
	for (unsigned night = 0; night < n; night++) {
		noise_next_night(&noise, cells);
		*vec_push(&sweeps) = (struct night_sweep){ night + 1, START_NS + night * NIGHT_NS };
		add_night(y, night, &noise, effect);
	}
	nights_group(sweeps.items, sweeps.n, false, &y->nights);
	vec_free(&sweeps);
}

static const struct gate_options usual = { .reference = "none", .min_effect = NIGHTS_MIN_EFFECT, .tolerance = NIGHTS_TOLERANCE };

/* Judge night 'last' against the 'window' before it. */
static void judge(const struct year *y, unsigned last, unsigned window, const struct gate_options *options, struct gate *g)
{
	unsigned first = last > window ? last - window : 0;
	nights_t nights = { .items = y->nights.items + first, .n = last - first + 1 };
	struct series_set set = { 0 };

	set.list.items = y->set.list.items + (size_t)first * 2 * y->cells;
	set.list.n = nights.n * 2 * y->cells;
	gate_make(&set, &nights, options, g);
}

static int exit_of(const struct year *y, const struct gate_options *options)
{
	struct gate g = { 0 };
	int code;

	judge(y, y->n - 1, NIGHTS_WINDOW, options, &g);
	code = gate_exit(&g);
	gate_release(&g);
	return code;
}

static double last_night(unsigned night, unsigned cell)
{
	return night == 19 && cell == 1 ? log(0.8) : 0;
}

static double since_long(unsigned night, unsigned cell)
{
	return night >= 8 && cell == 1 ? log(0.8) : 0;
}

static void test_verdicts(void)
{
	struct gate_options options = usual;
	struct gate g = { 0 };
	struct year y;

	noise_state = 1;
	simulate(&y, 4, 20, false, NULL, "iops");
	is_int(exit_of(&y, &usual), 0, "a quiet night: 0");
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int((long long)g.cells.n, 4, "the cells of bfq are judged");
	is_int((long long)g.references.n, 4, "those of the reference are not");
	is_int((long long)g.cells.items[0].n_against, 19, "against 19 nights");
	gate_release(&g);
	options.tolerance = 0.01;
	is_int(exit_of(&y, &options), 11, "too noisy for the tolerance: 11");
	options = usual;
	options.reference = "mq-deadline";
	is_int(exit_of(&y, &options), 11, "a reference that was not measured: 11");
	judge(&y, 5, NIGHTS_WINDOW, &usual, &g);
	is_int(gate_exit(&g), 12, "five nights: 12");
	gate_release(&g);
	judge(&y, 6, NIGHTS_WINDOW, &usual, &g);
	ok(gate_exit(&g) != 12, "six nights say something");
	gate_release(&g);
	year_release(&y);

	noise_state = 2;
	simulate(&y, 4, 20, false, last_night, "iops");
	is_int(exit_of(&y, &usual), 10, "20% less in one cell: 10");
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	ok(g.cells.items[1].verdict == NIGHT_REGRESSED && g.count[NIGHT_REGRESSED] == 1, "and it is that cell");
	ok(!g.cells.items[1].since, "by the night alone");
	gate_release(&g);
	options = usual;
	options.min_effect = 0.4;
	is_int(exit_of(&y, &options), 0, "a change that is smaller than --min-effect is none");
	year_release(&y);

	noise_state = 2;
	simulate(&y, 4, 20, false, last_night, "clat_mean");
	is_int(exit_of(&y, &usual), 0, "20% less latency is no regression");
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int(g.cells.items[1].verdict, NIGHT_IMPROVED, "but better");
	gate_release(&g);
	year_release(&y);

	noise_state = 3;
	simulate(&y, 4, 20, false, since_long, "iops");
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	ok(g.verdict == NIGHT_REGRESSED && g.cells.items[1].since, "a step in the nights before is a regression until it is undone");
	ok(g.cells.items[1].since && g.cells.items[1].values.items[g.cells.items[1].since->first].night == 8, "and it is dated");
	is_int((long long)g.cells.items[1].n_against, 11, "the night itself is held against those since then");
	gate_release(&g);
	year_release(&y);
}

/* A disk that gave nothing in a night: no ratio, and no figure of another night in its place. */
static void test_zeros(void)
{
	struct gate g = { 0 };
	struct year y;

	noise_state = 2;
	simulate(&y, 2, 20, false, NULL, "iops");
	for (unsigned i = 0; i < 4; i += 2)
		for (size_t k = 0; k < series_of(&y, 19, i)->points.n; k++)
			series_of(&y, 19, i)->points.items[k].value = 0;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int(gate_exit(&g), 11, "a cell of zeros: 11");
	is(g.cells.items[0].why, "its figures are 0: they have no ratio", "and why");
	is_int(g.references.items[0].verdict, NIGHT_NOT_MEASURED, "a reference of zeros is not judged by the night before");
	gate_release(&g);
	year_release(&y);
}

/* Everything slower, the reference too; and a known change. */
static void test_machine(void)
{
	struct gate_options options = usual;
	struct gate g = { 0 };
	struct year y;
	bool known[20 * 4] = { false };

	noise_state = 4;
	simulate(&y, 2, 20, false, NULL, "iops");
	for (unsigned i = 0; i < 4; i++)
		for (size_t k = 0; k < series_of(&y, 19, i)->points.n; k++)
			series_of(&y, 19, i)->points.items[k].value *= 0.5;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int(gate_exit(&g), 0, "a machine that is half as fast is no regression of bfq");
	ok(g.references.items[0].verdict == NIGHT_REGRESSED, "it is told of the machine");
	ok(g.cells.items[0].own_change < log(0.6), "and that the cell is slower by itself");
	gate_release(&g);
	year_release(&y);

	noise_state = 3;
	simulate(&y, 2, 20, false, since_long, "iops");
	for (size_t i = 0; i < y.set.list.n; i++)
		known[i] = i % 4 == 1;
	options.known = &(struct night_known){ 8, known };
	options.n_known = 1;
	judge(&y, 19, NIGHTS_WINDOW, &options, &g);
	is_int(gate_exit(&g), 0, "a change that is known is none");
	ok(g.cells.items[1].first == 8 && !g.cells.items[0].first, "the nights before it count no more for that cell, and only for it");
	gate_release(&g);
	options.known = &(struct night_known){ 15, known };
	judge(&y, 19, NIGHTS_WINDOW, &options, &g);
	is_int(gate_exit(&g), 12, "and six nights behind it are needed");
	gate_release(&g);
	year_release(&y);
}

/* What is not there. */
static void test_gaps(void)
{
	struct gate g = { 0 };
	struct year y;

	noise_state = 5;
	simulate(&y, 2, 20, false, NULL, "iops");
	series_of(&y, 19, 2)->points.n = 0; /* none, cell 0 */
	is_int(exit_of(&y, &usual), 11, "no reference in the night: 11 at best");
	series_of(&y, 19, 2)->points.n = 4;
	for (size_t k = 0; k < 4; k++)
		series_of(&y, 19, 2)->points.items[k].block += 10;
	is_int(exit_of(&y, &usual), 11, "nor is one of other blocks any");
	for (size_t k = 0; k < 4; k++)
		series_of(&y, 19, 2)->points.items[k].block -= 10;
	is_int(exit_of(&y, &usual), 0, "with it: 0");
	series_of(&y, 19, 0)->points.n = 1;
	is_int(exit_of(&y, &usual), 11, "a night that was cut short cannot be told");
	series_of(&y, 19, 0)->points.n = 0;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int(g.cells.items[0].verdict, NIGHT_NOT_MEASURED, "a cell without a run is not measured");
	is_int(gate_exit(&g), 11, "which is 11");
	gate_release(&g);
	free(series_of(&y, 19, 0)->state);
	series_of(&y, 19, 0)->state = mem_strdup("pending");
	series_of(&y, 19, 0)->reason = mem_strdup("not offered by this kernel");
	is_int(exit_of(&y, &usual), 0, "but what this kernel cannot run fails no night");
	series_of(&y, 19, 0)->points.n = 4;
	for (size_t k = 0; k < 3; k++)
		series_of(&y, 10, 0)->points.items[k].value = 1;
	series_of(&y, 10, 0)->points.n = 1;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int((long long)g.cells.items[0].n_against, 18, "an earlier night that was cut short counts for nothing");
	gate_release(&g);
	year_release(&y);
	simulate(&y, 2, 20, false, NULL, "iops");
	is_int(exit_of(&y, &usual), 0, "all cells are there: 0");
	series_of(&y, 18, 1)->config = 77;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	ok(g.cells.n == 3 && g.cells.items[2].series == series_of(&y, 18, 1) && g.cells.items[2].verdict == NIGHT_GONE,
	   "a cell that only the night before had is told");
	is_int(gate_exit(&g), 0, "and fails nothing");
	gate_release(&g);
	series_of(&y, 18, 1)->config = 2;
	series_of(&y, 17, 1)->config = 77;
	judge(&y, 19, NIGHTS_WINDOW, &usual, &g);
	is_int((long long)g.cells.n, 2, "one from before that is not: it was told then");
	gate_release(&g);
	year_release(&y);
}

/* ---- how often it is wrong ---- */

struct count {
	unsigned nights, red, spells, told;
};

/* 'window' nights and 365 more; a spell is a row of red nights. */
static void count_year(unsigned cells, unsigned window, bool broken, struct count *c)
{
	struct year y;
	bool before = false;

	simulate(&y, cells, 365 + window, broken, NULL, "iops");
	for (unsigned night = window; night < y.n; night++) {
		struct gate g = { 0 };

		judge(&y, night, window, &usual, &g);
		c->nights++;
		c->red += g.verdict == NIGHT_REGRESSED;
		c->spells += g.verdict == NIGHT_REGRESSED && !before;
		c->told += gate_exit(&g) == 0;
		before = g.verdict == NIGHT_REGRESSED;
		gate_release(&g);
	}
	year_release(&y);
}

/*
 * If each night began a spell of false alarms with NIGHTS_ALPHA, so many spells or fewer would be seen in 999 of 1000
 * tests (binomial). Spells, not nights: a night is red for what is in the window, which the next one shares.
 */
static void test_quiet(unsigned cells, unsigned window, bool broken, unsigned years)
{
	struct count c = { 0 };
	unsigned most;

	noise_state = 1000 * cells + window;
	for (unsigned i = 0; i < years; i++)
		count_year(cells, window, broken, &c);
	most = (unsigned)qbinom(0.999, c.nights, NIGHTS_ALPHA, 1, 0);
	ok(c.spells <= most, "%u cells, %u nights before%s: of %u quiet nights %u are red (%.2f%%), in %u spells (at most %u)", cells,
	   window, broken ? ", broken nights" : "", c.nights, c.red, 100.0 * c.red / c.nights, c.spells, most);
}

/* ---- what is there is found, in one of 32 cells ---- */

#define WORLDS 20
#define QUIET 60

static double step_of_5(unsigned night, unsigned cell)
{
	return night >= QUIET && cell == 0 ? log(0.95) : 0;
}

static double slide_of_1_in_1000(unsigned night, unsigned cell)
{
	return night >= QUIET && cell == 0 ? (night - QUIET) * log(0.999) : 0;
}

static void test_found(effect_t effect, unsigned every, unsigned most, const char *what)
{
	unsigned found = 0, waited = 0;

	for (unsigned k = 0; k < WORLDS; k++) {
		bool red = false;
		struct year y;

		noise_state = 9000 + k;
		simulate(&y, 32, QUIET + most, false, effect, "iops");
		for (unsigned night = QUIET; night < y.n && !red; night += every) {
			struct gate g = { 0 };

			judge(&y, night, NIGHTS_WINDOW, &usual, &g);
			red = g.cells.items[0].verdict == NIGHT_REGRESSED;
			waited += red ? night - QUIET : 0;
			gate_release(&g);
		}
		found += red;
		year_release(&y);
	}
	ok(found >= WORLDS - 1, "%s in 1 of 32 cells is found within %u nights in %u of %d worlds, after %.1f", what, most, found,
	   WORLDS, (double)waited / found);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	test_nile();
	test_changes();
	test_clip();
	test_t();
	test_group();
	test_group_clock();
	test_verdicts();
	test_zeros();
	test_machine();
	test_gaps();
	test_found(step_of_5, 1, 12, "a step of 5%");
	test_found(slide_of_1_in_1000, 3, 60, "a slide of 0.1% a night");
	test_quiet(32, 60, false, 2);
	test_quiet(32, 14, false, 2);
	test_quiet(4, 6, false, 4);
	test_quiet(4, 60, true, 4);
	return tap_done();
}
