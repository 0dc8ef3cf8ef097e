// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare.h"

#include "tests/tap.h"
#include "tests/unit/compare_series.h"

static const struct compare_options options = { .min_effect = COMPARE_MIN_EFFECT };

static void compare(const struct series_set *set, const char *a, const char *b, struct comparison *out)
{
	members_t of_a = { 0 }, of_b = { 0 };

	members_of(set, a, &of_a);
	members_of(set, b, &of_b);
	compare_match(out, &of_a, &of_b);
	compare_judge(out, &options);
	vec_free(&of_a);
	vec_free(&of_b);
}

static void done(struct series_set *set, struct comparison *c)
{
	comparison_release(c);
	series_set_release(set);
}

static const double base[] = { 100, 110, 90, 105, 95, 100, 120, 80, 101, 99 };

/* 'base' times 'factor', with wobble of some tenths of a percent. */
static void scaled(double *out, double factor)
{
	for (int i = 0; i < 10; i++)
		out[i] = base[i] * factor * (1 + 0.002 * (i % 3 - 1));
}

static void test_paired(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	const struct compare_cell *cell;
	double up[10], same[10];

	scaled(up, 1.1);
	scaled(same, 1);
	series_points(series_add(&set, "iops", "bfq", "read", 1), 1, base, 10);
	series_points(series_add(&set, "iops", "none", "read", 1), 1, up, 10);
	series_points(series_add(&set, "iops", "bfq", "read", 2), 1, base, 10);
	series_points(series_add(&set, "iops", "none", "read", 2), 1, same, 10);
	series_points(series_add(&set, "iops", "bfq", "write", 1), 1, base, 10);
	compare(&set, "bfq", "none", &c);
	is_int((long long)c.cells.n, 2, "cells are matched on axes, the variant is what is compared");
	is_int((long long)c.unmatched_a, 1, "a cell of one side alone is counted");
	is_int((long long)c.differences.n, 1, "one difference");
	has(c.differences.items[0], "variant: bfq against none", "it is named");
	cell = &c.cells.items[0];
	ok(cell->how == COMPARE_PAIRED && cell->of_a.n == 10, "runs of the same blocks are paired");
	ok(cell->verdict == COMPARE_CHANGED && compare_cell_better(cell) == 1, "10%% up: better");
	is_near(cell->change.value, 1.1, 2e-3, "by so much");
	ok(cell->change.low > 1.09 && cell->change.high < 1.11, "the interval is that of the pairs, not of the spread of 10%%");
	ok(cell->p == 1 / 512.0, "p: 2 of the 1024 flips");
	ok(cell->p_rank == 2 / 1024.0, "Wilcoxon's p beside it");
	ok(c.cells.items[1].verdict == COMPARE_ALIKE && compare_cell_better(&c.cells.items[1]) == 0, "the same is the same");
	ok(c.family == 2 && c.how.every && c.how.draws == 512, "the family and what was done are known");
	done(&set, &c);
}

static void test_difference_texts(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	static const char *const names[] = { "a", "b" }, *const sizes[] = { "2147483648", "5368709120" };

	for (int i = 0; i < 2; i++) {
		struct series *s = series_add(&set, "iops", names[i], "read", 1);

		*vec_push(&s->axes) = (struct series_axis){ mem_strdup("size_bytes"), mem_strdup(sizes[i]) };
		series_points(s, 1, base, 10);
	}
	compare(&set, "a", "b", &c);
	ok(strings_has(&c.differences, "size: 2 GiB against 5 GiB"), "a size is told as people read it");
	done(&set, &c);
}

static void test_min_effect(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	double up[10];

	scaled(up, 1.015);
	series_points(series_add(&set, "iops", "a", "read", 1), 1, base, 10);
	series_points(series_add(&set, "iops", "b", "read", 1), 1, up, 10);
	compare(&set, "a", "b", &c);
	ok(c.cells.items[0].p < 0.05 && c.cells.items[0].verdict == COMPARE_ALIKE, "1.5%%: significant, but too small to name");
	done(&set, &c);
}

static void test_latency(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	double up[10];

	scaled(up, 1.5);
	series_points(series_add(&set, "clat_p99", "a", "read", 1), 1, base, 10);
	series_points(series_add(&set, "clat_p99", "b", "read", 1), 1, up, 10);
	series_points(series_add(&set, "ctx", "a", "read", 1), 1, base, 10);
	series_points(series_add(&set, "ctx", "b", "read", 1), 1, up, 10);
	compare(&set, "a", "b", &c);
	is_int((long long)c.cells.n, 2, "metrics are not mixed");
	is_int(compare_cell_better(&c.cells.items[0]), -1, "more latency is worse");
	ok(c.cells.items[1].verdict == COMPARE_CHANGED && compare_cell_better(&c.cells.items[1]) == 0,
	   "more context switches are a change, neither better nor worse");
	done(&set, &c);
}

static void test_few(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };

	series_points(series_add(&set, "iops", "a", "read", 1), 1, base, 3);
	series_points(series_add(&set, "iops", "b", "read", 1), 1, (double[]){ 500, 600, 700 }, 3);
	series_points(series_add(&set, "iops", "a", "read", 2), 1, base, 5);
	series_points(series_add(&set, "iops", "b", "read", 2), 2, (double[]){ 500, 600, 700 }, 3);
	series_points(series_add(&set, "iops", "a", "read", 3), 1, (double[]){ 1, 0, 1, 1, 1, 1 }, 6);
	series_points(series_add(&set, "iops", "b", "read", 3), 1, base, 6);
	series_summary(series_add(&set, "iops", "a", "read", 4), 0, 100, NAN);
	series_summary(series_add(&set, "iops", "b", "read", 4), 0, 200, NAN);
	series_summary(series_add(&set, "iops", "a", "read", 5), 10, 100, NAN);
	series_summary(series_add(&set, "iops", "b", "read", 5), 10, 200, 1);
	compare(&set, "a", "b", &c);
	for (size_t i = 0; i < c.cells.n; i++)
		ok(c.cells.items[i].verdict == COMPARE_NO_VERDICT && isnan(c.cells.items[i].p), "cell %zu: no verdict", i);
	has(c.cells.items[0].why, "no verdict possible with n=3 (6 needed)", "three pairs are too few, not 'no difference'");
	has(c.cells.items[1].why, "no verdict possible with n=3 (4 needed)", "three runs likewise");
	has(c.cells.items[2].why, "values of 0", "there is no ratio to 0");
	has(c.cells.items[3].why, "n is not known", "a published table without n");
	has(c.cells.items[4].why, "without a deviation", "one without deviation");
	ok(c.family == 0, "they are not of the family");
	done(&set, &c);
}

static void test_unpaired(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	double up[10];

	scaled(up, 1.5);
	series_points(series_add(&set, "iops", "a", "read", 1), 1, base, 10);
	series_points(series_add(&set, "iops", "b", "read", 1), 2, up, 10);
	compare(&set, "a", "b", &c);
	ok(c.cells.items[0].how == COMPARE_UNPAIRED, "the same block of another invocation is no partner");
	ok(c.cells.items[0].verdict == COMPARE_CHANGED, "found all the same");
	ok(!c.how.every && c.how.draws == 10000, "by dealing the blocks anew, at random");
	is_near(c.cells.items[0].p, 1e-4, 2, "p is small");
	is_near(c.cells.items[0].change.value, 1.5, 0.01, "by so much");
	done(&set, &c);
}

/* Some blocks in common. */
static void test_partly_paired(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	struct series *s;

	series_points(series_add(&set, "iops", "a", "read", 1), 1, base, 10);
	s = series_add(&set, "iops", "b", "read", 1);
	series_points(s, 1, base, 7);
	series_points(s, 2, base + 7, 3);
	series_points(series_add(&set, "iops", "a", "read", 2), 1, base, 10);
	s = series_add(&set, "iops", "b", "read", 2);
	series_points(s, 1, base, 2);
	series_points(s, 2, base + 2, 8);
	compare(&set, "a", "b", &c);
	ok(c.cells.items[0].how == COMPARE_PAIRED && c.cells.items[0].of_b.n == 7, "seven pairs are compared, three runs left out");
	ok(c.cells.items[1].how == COMPARE_UNPAIRED && c.cells.items[1].of_b.n == 10, "for two pairs nothing is left out");
	done(&set, &c);
}

/* 2017, sequential reads: from n, mean and stddev alone. */
static void test_summaries(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };

	series_summary(series_add(&set, "iops", "cfq", "read", 1), 10, 17060.3, 77.09);
	series_summary(series_add(&set, "iops", "bfq-mq", "read", 1), 10, 17657.5, 69.602);
	series_summary(series_add(&set, "iops", "cfq", "read", 8), 10, 12422.2, 215.535);
	series_summary(series_add(&set, "iops", "bfq-mq", "read", 8), 10, 15335.3, 245.764);
	series_summary(series_add(&set, "iops", "cfq", "write", 1), 10, 14171.3, 80.796);
	series_summary(series_add(&set, "iops", "bfq-mq", "write", 1), 10, 14392.5, 182.587);
	compare(&set, "cfq", "bfq-mq", &c);
	ok(c.family == 3 && c.cells.items[0].how == COMPARE_SUMMARIES, "summaries are a family too");
	is_near(c.cells.items[0].change.value, 17657.5 / 17060.3, 1e-12, "the ratio of the means");
	ok(c.cells.items[0].verdict == COMPARE_CHANGED && c.cells.items[1].verdict == COMPARE_CHANGED, "3.5%% and 23%%: changes");
	ok(c.cells.items[2].verdict == COMPARE_ALIKE, "1.6%%: below 2%%");
	/* Holm: the largest p of three stays as it is, the smallest is tripled */
	is_near(c.cells.items[2].p, c.cells.items[2].p_rank, 1e-12, "Holm leaves the largest p");
	is_near(c.cells.items[1].p, 3 * c.cells.items[1].p_rank, 1e-12, "and multiplies the smallest by the family");
	is_near(c.cells.items[0].p, 2 * c.cells.items[0].p_rank, 1e-12, "the one between by 2");
	done(&set, &c);
}

static void test_order(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 };
	AUTOFREE size_t *order = NULL;
	double v[10];

	for (int i = 0; i < 4; i++) {
		scaled(v, (double[]){ 1.1, 1, 0.5, 3 }[i]);
		series_points(series_add(&set, "iops", "a", "read", i + 1), 1, base, 10);
		series_points(series_add(&set, "iops", "b", "read", i + 1), 1, v, i == 3 ? 2 : 10);
	}
	compare(&set, "a", "b", &c);
	order = compare_order(&c);
	ok(order[0] == 2 && order[1] == 0 && order[2] == 1 && order[3] == 3,
	   "the largest change first, also downwards; last what has no verdict");
	done(&set, &c);
}

/*
 * Westfall and Young: one cell's p in a family of strong neighbours is what it would be alone (step down), and among
 * cells with nothing it is larger than alone.
 */
static void test_step_down(void)
{
	static const double d[] = { 0.02, 0.03, -0.01, 0.04, 0.05, 0.01, 0.03, 0.02 };
	struct resample_cell one = { .paired = true }, many[9] = { 0 };

	for (unsigned i = 0; i < 8; i++)
		*vec_push(&one.values) = (struct resample_value){ i, false, d[i] };
	many[0] = one;
	for (size_t k = 1; k < 9; k++) {
		many[k].paired = true;
		for (unsigned i = 0; i < 8; i++)
			*vec_push(&many[k].values) =
				(struct resample_value){ i, false, (i * 7 + k * 5) % 8 < 4 ? 0.1 + 0.01 * i : -0.1 };
	}
	resample_family(&one, 1, 1);
	/* alone: sums of at least 0.19 in size; only flips of -0.01 and 0.01 or nothing reach it: 2*3 of 256 */
	is_near(one.p, 6 / 256.0, 1e-12, "alone: the exact p of the flips");
	resample_family(many, 9, 1);
	ok(many[0].p > 6 / 256.0, "among eight others it is larger (%.3f)", many[0].p);
	for (size_t k = 1; k < 9; k++)
		for (size_t i = 0; i < 8; i++)
			many[k].values.items[i].value = 0.1 + 0.0001 * (double)i;
	resample_family(many, 9, 1);
	is_near(many[0].p, 6 / 256.0, 1e-12, "beside what is certain it is as alone: step down");
	ok(many[1].p == 2 / 256.0, "which has the least p there is");
	for (size_t k = 0; k < 9; k++)
		vec_free(&many[k].values);
}

static void test_half_width(void)
{
	struct series_set set = { 0 };
	members_t row = { 0 };
	struct series *a = series_add(&set, "iops", "a", "read", 1), *b, *c;

	series_points(a, 1, base, 10);
	*vec_push(&row) = a;
	/* stddev of the logs of 'base' 0.109618, t(9) = 2.26216 */
	is_near(compare_half_width(&row), expm1(2.26216 * 0.109618 / sqrt(10)), 1e-4, "one cell: the interval of its mean");
	b = series_add(&set, "iops", "b", "read", 1);
	a = &set.list.items[0];
	for (int i = 0; i < 10; i++)
		series_point(b, 1, i, base[i] * exp(i % 2 ? 0.01 : -0.01));
	row.items[0] = a;
	*vec_push(&row) = b;
	/* stddev of ten times +-0.01: 0.01 * sqrt(10/9) */
	is_near(compare_half_width(&row), expm1(2.2621572 * 0.01 / 3), 1e-6, "two: that of their log ratios within blocks");
	for (int i = 0; i < 10; i++)
		b->points.items[i].value = base[i] * exp(0.005 + (i % 2 ? 0.01 : -0.01));
	/* mean square 0.005^2 + 0.01^2 */
	is_near(compare_half_width(&row), expm1(2.2621572 * sqrt(0.000125) / 3), 1e-6,
		"a change in doubt counts as deviation");
	for (int i = 0; i < 10; i++)
		b->points.items[i].value = base[i] * exp(0.5 + (i % 2 ? 0.01 : -0.01));
	is_near(compare_half_width(&row), expm1(2.2621572 * 0.01 / 3), 1e-6, "one beyond doubt does not");
	for (int i = 0; i < 10; i++)
		b->points.items[i].value = base[i] * exp(i % 2 ? 0.01 : -0.01);
	c = series_add(&set, "iops", "c", "read", 1);
	row.items[0] = &set.list.items[0];
	row.items[1] = &set.list.items[1];
	for (int i = 0; i < 10; i++)
		series_point(c, 1, i, base[i] * exp(i % 2 ? 0.02 : -0.02));
	*vec_push(&row) = c;
	is_near(compare_half_width(&row), expm1(2.2621572 * 0.02 * sqrt(10 / 9.0) / sqrt(10)), 1e-6, "three: the widest");
	c->points.n = 1;
	ok(isnan(compare_half_width(&row)), "not known of one pair");
	row.n = 0;
	ok(isnan(compare_half_width(&row)), "nor of nothing");
	vec_free(&row);
	series_set_release(&set);
}

/* Sides of several sweeps: each is one value, however many runs and environments it has. */
static void test_sweeps(void)
{
	struct series_set set = { 0 };
	struct comparison c = { 0 }, few = { 0 };
	members_t a = { 0 }, b = { 0 };
	const struct compare_cell *cell;

	for (int night = 0; night < 8; night++) {
		struct series *s = series_add(&set, "iops", night < 4 ? "x" : "y", "read", 1);
		double middle = (night < 4 ? 100 : 200) + night;

		s->sweep = night;
		series_points(s, night, (double[]){ middle / 2, middle * 2 }, 2);
		if (night != 2)
			continue;
		/* a second environment of the same sweep */
		s = series_add(&set, "iops", "x", "read", 1);
		s->sweep = night;
		s->environment = 2;
		series_points(s, night + 100, (double[]){ middle * 8 / 5 }, 1);
	}
	members_of(&set, "x", &a);
	members_of(&set, "y", &b);
	compare_match(&c, &a, &b);
	compare_judge(&c, &(struct compare_options){ .min_effect = 0.02 });
	cell = &c.cells.items[0];
	ok(cell->how == COMPARE_SWEEPS && cell->of_a.n == 4 && cell->of_b.n == 4, "sides of several sweeps: a sweep is a value");
	is_near(cell->of_b.mean, 205.5, 1e-9, "the mean of its logs");
	is_near(cell->of_a.max, cbrt(102. * 102. * 102. * 8 / 5), 1e-9, "over all its environments");
	ok(cell->verdict == COMPARE_CHANGED && cell->p > 0.02 && cell->p < 0.04, "four and four can be told apart");
	b.n = 3;
	compare_match(&few, &a, &b);
	compare_judge(&few, &(struct compare_options){ .min_effect = 0.02 });
	ok(few.cells.items[0].verdict == COMPARE_NO_VERDICT, "four and three cannot");
	is(few.cells.items[0].why, "no verdict possible with n=3: sides of several sweeps need 4 each", "and why");
	comparison_release(&c);
	comparison_release(&few);
	vec_free(&a);
	vec_free(&b);
	series_set_release(&set);
}

int main(void)
{
	test_sweeps();
	test_paired();
	test_difference_texts();
	test_min_effect();
	test_latency();
	test_few();
	test_unpaired();
	test_partly_paired();
	test_summaries();
	test_order();
	test_step_down();
	test_half_width();
	return tap_done();
}
