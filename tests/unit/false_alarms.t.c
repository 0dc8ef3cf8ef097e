// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often does a comparison claim a change where there is none, and how often does it find one that is there? By
 * the whole of report/compare, on noise as bad as that of a disk in a busy machine and on recorded runs. Run by hand
 * it prints the figures of docs/methodology.md: build/tests/unit/false_alarms.t
 */
#include "report/compare.h"

#include "tests/noise.h"
#include "tests/tap.h"
#include "tests/unit/compare_series.h"

#define REPETITIONS "../shared/repetitions/"
#define FAMILIES 400
#define MOST_FALSE 0.075 /* 5% and 2.5 points */

/* ---- noise ---- */

static double loudness = 1; /* of what is of a single run */

static void shuffle(unsigned *order, unsigned n)
{
	for (unsigned left = n; left > 1; left--) {
		unsigned k = (unsigned)random_below(&noise_state, left), other = order[k];

		order[k] = order[left - 1];
		order[left - 1] = other;
	}
}

/* A sweep in randomised blocks over 'set', whose series are all empty; 'effects' are the logs of what is true. */
static void measure(struct series_set *set, int invocation, int blocks, const double *effects)
{
	struct noise noise = { 0 };
	unsigned order[64], n = (unsigned)set->list.n;

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (int block = 0; block < blocks; block++) {
		noise.slow = 0.05 * noise_gauss();
		shuffle(order, n);
		for (unsigned i = 0; i < n; i++) {
			struct series *s = &set->list.items[order[i]];

			double true_log = 10 + (effects ? effects[order[i]] : 0);

			series_point(s, invocation, block, exp(true_log + noise_next(&noise, loudness)));
		}
	}
}

static void add_cells(struct series_set *set, const char *variant, int n)
{
	for (int i = 0; i < n; i++)
		series_add(set, "iops", variant, "read", i + 1);
}

/* ---- what a comparison claims ---- */

struct claims {
	unsigned families, significant, large; /* those that claim anything: at all, and beyond 2% */
};

static unsigned n_changed(const members_t *a, const members_t *b, double min_effect)
{
	struct comparison c = { 0 };
	unsigned changed = 0;

	compare_match(&c, a, b);
	compare_judge(&c, &(struct compare_options){ .min_effect = min_effect, .seed = random_next(&noise_state) });
	for (size_t i = 0; i < c.cells.n; i++)
		changed += c.cells.items[i].verdict == COMPARE_CHANGED;
	comparison_release(&c);
	return changed;
}

static void claim(struct claims *claims, const struct series_set *set)
{
	members_t a = { 0 }, b = { 0 };

	members_of(set, "x", &a);
	members_of(set, "y", &b);
	claims->families++;
	claims->significant += n_changed(&a, &b, 0) > 0;
	claims->large += n_changed(&a, &b, COMPARE_MIN_EFFECT) > 0;
	vec_free(&a);
	vec_free(&b);
}

static void judge(const struct claims *c, const char *what)
{
	double significant = 100.0 * c->significant / c->families;

	ok(c->families && c->significant <= MOST_FALSE * c->families && c->large <= c->significant,
	   "%s: %u of %u families claim a change (%.1f%%), %u one above 2%%", what, c->significant, c->families, significant,
	   c->large);
}

/* ---- nothing is there ---- */

static void test_paired(int cells, int blocks)
{
	AUTOFREE char *what = mem_printf("paired, %d cells x %d blocks", cells, blocks);
	struct claims claims = { 0 };

	noise_state = (uint64_t)(cells * 1000 + blocks);
	for (int i = 0; i < FAMILIES; i++) {
		struct series_set set = { 0 };

		add_cells(&set, "x", cells);
		add_cells(&set, "y", cells);
		measure(&set, 1, blocks, NULL);
		claim(&claims, &set);
		series_set_release(&set);
	}
	judge(&claims, what);
}

/* Two sweeps. No test can tell a drift between them from a change: so here is none, only within blocks. */
static void test_unpaired(bool summaries)
{
	struct claims claims = { 0 };

	noise_state = 77;
	for (int i = 0; i < FAMILIES / (summaries ? 1 : 4); i++) {
		struct series_set set = { 0 };

		add_cells(&set, "x", 16);
		add_cells(&set, "y", 16);
		for (int block = 0; block < 20; block++) {
			struct noise noise = { 0, 0.03 * noise_gauss() };

			for (size_t k = 0; k < 16; k++) {
				struct series *s = &set.list.items[k + (block < 10 ? 0 : 16)];

				noise.walk = 0;
				series_point(s, block < 10 ? 1 : 2, block % 10,
					     exp(10 + noise_next(&noise, loudness)));
			}
		}
		for (size_t k = 0; summaries && k < set.list.n; k++) {
			struct series *s = &set.list.items[k];
			double values[10];
			struct stats of;

			for (size_t v = 0; v < 10; v++)
				values[v] = s->points.items[v].value;
			of = stats_of(values, 10);
			vec_free(&s->points);
			series_summary(s, 10, of.mean, of.stddev);
		}
		claim(&claims, &set);
		series_set_release(&set);
	}
	judge(&claims, summaries ? "from n, mean, stddev, 16 cells x 10 runs" : "unpaired, 16 cells x 10 runs");
}

/*
 * Nights against nights, between which something changes that nobody asked about. 'apart': each night a sweep of its own;
 * else as if all runs of a side were of one.
 */
static void claim_nights(struct claims *claims, bool apart)
{
	enum { NIGHTS = 8, CELLS = 8, RUNS = 5 };
	struct series_set set = { 0 };

	for (int night = 0; night < 2 * NIGHTS; night++) {
		struct noise noise = { 0, 0.05 * noise_gauss() };

		add_cells(&set, night < NIGHTS ? "x" : "y", CELLS);
		for (size_t k = 0; k < CELLS; k++) {
			struct series *s = &set.list.items[(size_t)night * CELLS + k];
			double of_night = 0.03 * noise_gauss();

			s->sweep = apart ? night : night / NIGHTS;
			for (int block = 0; block < RUNS; block++) {
				noise.walk = 0;
				series_point(s, night, block, exp(10 + of_night + noise_next(&noise, loudness)));
			}
		}
	}
	claim(claims, &set);
	series_set_release(&set);
}

static void test_nights(void)
{
	struct claims nights = { 0 }, runs = { 0 };

	noise_state = 1234;
	for (int i = 0; i < FAMILIES; i++)
		claim_nights(&nights, true);
	for (int i = 0; i < FAMILIES / 8; i++)
		claim_nights(&runs, false);
	judge(&nights, "8 nights against 8, 8 cells x 5 runs");
	ok(runs.significant > 2 * MOST_FALSE * runs.families,
	   "with each run as a value of its own %u of %u families would (%.0f%%)", runs.significant, runs.families,
	   100.0 * runs.significant / runs.families);
}

/* ---- recorded runs ---- */

struct record {
	char cell[64];
	int block;
	double figures[3]; /* IOPS, mean and p99 of the completion latency */
};
typedef VEC(struct record) records_t;

static void load(const char *name, records_t *out)
{
	AUTOFREE char *path = mem_printf(REPETITIONS "%s.tsv", name);
	AUTOFCLOSE FILE *f = fopen(path, "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		struct record r;
		char scheduler[24], pattern[24];

		if (sscanf(line, "%*s %d %23s %23s %*f %lf %lf %lf", &r.block, scheduler, pattern, &r.figures[0], &r.figures[1],
			   &r.figures[2]) != 6)
			continue;
		snprintf(r.cell, sizeof(r.cell), "%s/%s", scheduler, pattern);
		*vec_push(out) = r;
	}
}

/*
 * Runs of one cell only, in the order of their time: eight in a row are a block of four cells with two names each, in
 * random order.
 */
static void claim_one_cell(const records_t *records, int figure, struct claims *claims)
{
	for (size_t first = 0; first + 80 <= records->n; first += 80) {
		struct series_set set = { 0 };

		add_cells(&set, "x", 4);
		add_cells(&set, "y", 4);
		for (int block = 0; block < 10; block++) {
			unsigned order[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

			shuffle(order, 8);
			for (size_t i = 0; i < 8; i++)
				series_point(&set.list.items[order[i]], 1, block,
					     records->items[first + (size_t)block * 8 + i].figures[figure]);
		}
		claim(claims, &set);
		series_set_release(&set);
	}
}

/* Many cells: two blocks in a row are one, in which each cell has its two names in random order. */
static void claim_many_cells(const records_t *records, int figure, struct claims *claims)
{
	struct series_set set = { 0 };
	AUTOSTRINGS strings_t cells = { 0 };

	for (size_t i = 0; i < records->n; i++)
		if (!strings_has(&cells, records->items[i].cell))
			strings_add(&cells, records->items[i].cell);
	for (size_t c = 0; c < 2 * cells.n; c++)
		series_add(&set, "iops", c % 2 ? "y" : "x", cells.items[c / 2], 1);
	for (size_t c = 0; c < cells.n; c++)
		for (int block = 0; block < 20; block += 2) {
			size_t side = random_next(&noise_state) >> 63;

			for (size_t i = 0; i < records->n; i++)
				if (!strcmp(records->items[i].cell, cells.items[c]) && records->items[i].block / 2 == block / 2)
					series_point(&set.list.items[2 * c + (side++ & 1)], 1, block / 2,
						     records->items[i].figures[figure]);
		}
	claim(claims, &set);
	series_set_release(&set);
}

static void test_recorded(const char *name, bool one_cell, int times)
{
	records_t records = { 0 };
	struct claims claims = { 0 };
	AUTOFREE char *what = mem_printf("recorded runs, %s", name);

	noise_state = 5;
	load(name, &records);
	if (!records.n) {
		skip(1, "no " REPETITIONS);
		return;
	}
	for (int i = 0; i < times; i++)
		for (int figure = 0; figure < 3; figure++)
			if (one_cell)
				claim_one_cell(&records, figure, &claims);
			else
				claim_many_cells(&records, figure, &claims);
	vec_free(&records);
	judge(&claims, what);
}

/* ---- something is there ---- */

static double variance_of_log_ratio(const struct series *a, const struct series *b)
{
	double d[32], deviation;

	for (size_t i = 0; i < a->points.n; i++)
		d[i] = log(b->points.items[i].value / a->points.items[i].value);
	deviation = stats_of(d, a->points.n).stddev;
	return deviation * deviation;
}

/* A change of twice the deviation of the paired log ratios, in one of 16 cells of 10 blocks. */
static void test_power(void)
{
	double effects[32] = { 0 }, variance = 0, deviation;
	unsigned found = 0, others = 0;

	noise_state = 4242;
	for (int i = 0; i < FAMILIES; i++) {
		struct series_set set = { 0 };

		add_cells(&set, "x", 16);
		add_cells(&set, "y", 16);
		measure(&set, 1, 10, NULL);
		for (size_t k = 0; k < 16; k++)
			variance += variance_of_log_ratio(&set.list.items[k], &set.list.items[16 + k]) / (16 * FAMILIES);
		series_set_release(&set);
	}
	deviation = sqrt(variance);
	effects[16 + 5] = 2 * deviation;
	for (int i = 0; i < FAMILIES; i++) {
		struct series_set set = { 0 };
		members_t a = { 0 }, b = { 0 };
		struct comparison c = { 0 };

		add_cells(&set, "x", 16);
		add_cells(&set, "y", 16);
		measure(&set, 1, 10, effects);
		members_of(&set, "x", &a);
		members_of(&set, "y", &b);
		compare_match(&c, &a, &b);
		compare_judge(&c, &(struct compare_options){ .min_effect = COMPARE_MIN_EFFECT });
		for (size_t k = 0; k < c.cells.n; k++)
			if (c.cells.items[k].verdict == COMPARE_CHANGED) {
				bool there = c.cells.items[k].a.items[0] == &set.list.items[5];

				found += there;
				others += !there;
			}
		comparison_release(&c);
		vec_free(&a);
		vec_free(&b);
		series_set_release(&set);
	}
	ok(found >= 0.9 * FAMILIES, "a change of two deviations (%.1f%%) in one of 16 cells, n=10: found in %u of %d (%.1f%%)",
	   100 * expm1(2 * deviation), found, FAMILIES, 100.0 * found / FAMILIES);
	ok(others <= MOST_FALSE * FAMILIES, "and beside it %u false ones in as many families", others);
}

/* ---- rows that stop when they are precise enough ---- */

/* Cut what was measured behind the block at which a row, the two of one job count, would have stopped. */
static size_t stop_row(struct series *x, struct series *y, size_t most)
{
	members_t row = { 0 };
	size_t n = 6;

	*vec_push(&row) = x;
	*vec_push(&row) = y;
	for (; n < most; n++) {
		x->points.n = y->points.n = n;
		if (compare_half_width(&row) <= 0.02)
			break;
	}
	x->points.n = y->points.n = n;
	vec_free(&row);
	return n;
}

/* 16 rows, --runs 6..30 --precision 2%, against 30 runs of each: what it saves, and how often it is wrong. */
static void test_stopping(double noise)
{
	enum { TIMES = 200, MOST = 30 };
	struct claims all = { 0 }, stopped = { 0 };
	size_t runs = 0, early = 0;
	double variance = 0;

	noise_state = 99;
	loudness = noise;
	for (int i = 0; i < TIMES; i++) {
		struct series_set set = { 0 };

		add_cells(&set, "x", 16);
		add_cells(&set, "y", 16);
		measure(&set, 1, MOST, NULL);
		claim(&all, &set);
		for (size_t k = 0; k < 16; k++) {
			size_t n;

			variance += variance_of_log_ratio(&set.list.items[k], &set.list.items[16 + k]) / (16 * TIMES);
			n = stop_row(&set.list.items[k], &set.list.items[16 + k], MOST);
			runs += n;
			early += n < MOST;
		}
		claim(&stopped, &set);
		series_set_release(&set);
	}
	loudness = 1;
	judge(&all, "30 runs of each row");
	judge(&stopped, "6..30 runs, +-2%");
	ok(early > 0 && runs < 16 * TIMES * MOST, "of %d rows (deviation of the log ratios %.1f%%) %zu stopped early, "
	   "%.0f%% of the runs were made",
	   16 * TIMES, 100 * sqrt(variance), early, 100.0 * (double)runs / (16 * TIMES * MOST));
}

int main(void)
{
	test_paired(16, 10);
	test_paired(16, 6);
	test_paired(32, 12);
	test_unpaired(false);
	test_unpaired(true);
	test_nights();
	test_recorded("e_set1", false, 130);
	test_recorded("e_set2", true, 45);
	test_recorded("e_set3", false, 130);
	test_recorded("e_set4", false, 130);
	test_recorded("e_set5", true, 130);
	test_power();
	test_stopping(0.4);
	test_stopping(0.2);
	return tap_done();
}
