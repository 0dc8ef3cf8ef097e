// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/cross.h"
#include "report/rank.h"

/*
 * Below these numbers no result could be significant: two of all 2^n flips of n pairs, or of all ways to deal 2n runs,
 * are as extreme as the most extreme one. 2/2^6 = 0.031, 2/C(8,4) = 0.029.
 */
#define PAIRS_MIN 6
#define RUNS_MIN 4

#define BEYOND_DOUBT 10 /* standard errors: p = 0.0002 with the fewest runs, less with more */

/* ---- matching ---- */

/* Facts of a series that are not axes but tell cells apart like one. */
static const char *fact(const struct series *s, const char *name)
{
	if (!strcmp(name, "variant"))
		return s->variant;
	if (!strcmp(name, "actor"))
		return s->actor;
	if (!strcmp(name, "disk"))
		return s->device;
	if (!strcmp(name, "host"))
		return s->host;
	return series_axis(s, name);
}

static void find_names(const members_t *members, strings_t *names)
{
	for (size_t i = 0; i < members->n; i++)
		for (size_t k = 0; k < members->items[i]->axes.n; k++)
			if (!strings_has(names, members->items[i]->axes.items[k].name))
				strings_add(names, members->items[i]->axes.items[k].name);
}

static bool one_value(const members_t *members, const char *name)
{
	for (size_t i = 1; i < members->n; i++)
		if (!same_text(fact(members->items[i], name), fact(members->items[0], name)))
			return false;
	return members->n;
}

/* "size: 2 GiB against 5 GiB" */
static char *difference_text(const char *name, const char *of_a, const char *of_b)
{
	AUTOFREE char *a = of_a ? key_text(name, of_a) : mem_strdup("none");
	AUTOFREE char *b = of_b ? key_text(name, of_b) : mem_strdup("none");
	char buf[KEY_TEXT];

	return mem_printf("%s: %s against %s", key_head(name, buf), a, b);
}

/* Split the names of all axes into those that tell cells apart and those that tell the sides apart. */
static void find_matched(struct comparison *c, const members_t *a, const members_t *b, strings_t *matched)
{
	AUTOSTRINGS strings_t names = { 0 };

	strings_add(&names, "variant");
	find_names(a, &names);
	find_names(b, &names);
	strings_add(&names, "actor");
	strings_add(&names, "disk");
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.items[i], *of_a, *of_b;
		AUTOFREE char *text = NULL;

		if (!one_value(a, name) || !one_value(b, name) ||
		    same_text(fact(a->items[0], name), fact(b->items[0], name))) {
			strings_add(matched, name);
			continue;
		}
		of_a = given_text(fact(a->items[0], name));
		of_b = given_text(fact(b->items[0], name));
		text = difference_text(name, of_a, of_b);
		if (!strings_has(&c->differences, text)) /* of another metric */
			strings_add(&c->differences, text);
	}
	/* a host tells sides apart, but no cells */
	if (one_value(a, "host") && one_value(b, "host") && !same_text(a->items[0]->host, b->items[0]->host))
		*vec_push(&c->differences) = mem_printf("host: %s against %s", a->items[0]->host, b->items[0]->host);
}

static bool same_cell(const struct series *a, const struct series *b, const strings_t *matched)
{
	bool same = a->direction == b->direction && a->metric == b->metric;

	for (size_t i = 0; i < matched->n; i++)
		same = same && same_text(fact(a, matched->items[i]), fact(b, matched->items[i]));
	return same;
}

/* Move what is the same cell as 'like' from 'left' to 'out'. */
static void take_cell(members_t *left, const struct series *like, const strings_t *matched, members_t *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < left->n; i++)
		if (same_cell(left->items[i], like, matched))
			*vec_push(out) = left->items[i];
		else
			left->items[kept++] = left->items[i];
	left->n = kept;
}

static void copy_members(const members_t *from, members_t *to)
{
	for (size_t i = 0; i < from->n; i++)
		*vec_push(to) = from->items[i];
}

static void copy_with_data(const members_t *from, members_t *to)
{
	for (size_t i = 0; i < from->n; i++)
		if (series_has_data(from->items[i]) && from->items[i]->job == JOB_ALL)
			*vec_push(to) = from->items[i];
}

void compare_add(struct comparison *c, const members_t *a, const members_t *b)
{
	struct compare_cell *cell = vec_push(&c->cells);

	copy_members(a, &cell->a);
	copy_members(b, &cell->b);
}

void compare_match(struct comparison *c, const members_t *a, const members_t *b)
{
	members_t left_a = { 0 }, left_b = { 0 };
	AUTOSTRINGS strings_t matched = { 0 };

	copy_with_data(a, &left_a);
	copy_with_data(b, &left_b);
	find_matched(c, &left_a, &left_b, &matched);
	while (left_a.n) {
		const struct series *like = left_a.items[0];
		members_t of_a = { 0 }, of_b = { 0 };

		take_cell(&left_a, like, &matched, &of_a);
		take_cell(&left_b, like, &matched, &of_b);
		if (of_b.n)
			compare_add(c, &of_a, &of_b);
		else
			c->unmatched_a++;
		vec_free(&of_a);
		vec_free(&of_b);
	}
	while (left_b.n) {
		const struct series *like = left_b.items[0];
		members_t of_b = { 0 };

		take_cell(&left_b, like, &matched, &of_b);
		c->unmatched_b++;
		vec_free(&of_b);
	}
	vec_free(&left_a);
	vec_free(&left_b);
}

/* ---- the figures of a cell ---- */

/* A block of one invocation: what is resampled. */
struct unit {
	int64_t invocation;
	int block;
};
typedef VEC(struct unit) units_t;
typedef VEC(struct series_point) points_t;
typedef VEC(double) doubles_t;

static unsigned unit_index(units_t *units, const struct series_point *p)
{
	for (size_t i = 0; i < units->n; i++)
		if (units->items[i].invocation == p->invocation && units->items[i].block == p->block)
			return (unsigned)i;
	*vec_push(units) = (struct unit){ p->invocation, p->block };
	return (unsigned)units->n - 1;
}

static void gather(const members_t *side, points_t *out)
{
	for (size_t i = 0; i < side->n; i++)
		for (size_t k = 0; k < side->items[i]->points.n; k++)
			*vec_push(out) = side->items[i]->points.items[k];
}

static bool has_summary(const members_t *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->items[i]->summary_only)
			return true;
	return false;
}

static struct stats stats_of_points(const points_t *points)
{
	AUTOFREE double *values = mem_alloc(points->n, sizeof(*values));

	for (size_t i = 0; i < points->n; i++)
		values[i] = points->items[i].value;
	return stats_of(values, points->n);
}

static bool all_positive(const points_t *points)
{
	for (size_t i = 0; i < points->n; i++)
		if (!(points->items[i].value > 0))
			return false;
	return true;
}

static const struct series_point *find_block(const points_t *points, const struct series_point *like)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->items[i].block == like->block && points->items[i].invocation == like->invocation)
			return &points->items[i];
	return NULL;
}

/* Keep of both what has a partner, at the same place. */
static size_t pair_up(const points_t *a, const points_t *b, points_t *pairs_a, points_t *pairs_b)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct series_point *partner = find_block(b, &a->items[i]);

		if (!partner)
			continue;
		*vec_push(pairs_a) = a->items[i];
		*vec_push(pairs_b) = *partner;
	}
	return pairs_a->n;
}

static void no_verdict(struct compare_cell *cell, char *why)
{
	free(cell->why);
	cell->why = why;
	cell->verdict = COMPARE_NO_VERDICT;
}

static void too_few(struct compare_cell *cell, size_t n, size_t needed)
{
	no_verdict(cell, mem_printf("no verdict possible with n=%zu (%zu needed)", n, needed));
}

static void judge_paired(struct compare_cell *cell, const points_t *a, const points_t *b, units_t *units,
			 struct resample_cell *out)
{
	doubles_t logs = { 0 };

	out->paired = true;
	for (size_t i = 0; i < a->n; i++) {
		double d = log(b->items[i].value / a->items[i].value);

		*vec_push(&logs) = d;
		*vec_push(&out->values) = (struct resample_value){ unit_index(units, &a->items[i]), false, d };
	}
	cell->change = rank_ratio_paired(logs.items, logs.n);
	cell->p_rank = rank_signed(logs.items, logs.n).p;
	vec_free(&logs);
	if (a->n < PAIRS_MIN)
		too_few(cell, a->n, PAIRS_MIN);
}

static void add_logs(const points_t *points, bool b, units_t *units, doubles_t *logs, struct resample_cell *out)
{
	for (size_t i = 0; i < points->n; i++) {
		double x = log(points->items[i].value);

		*vec_push(logs) = x;
		*vec_push(&out->values) = (struct resample_value){ unit_index(units, &points->items[i]), b, x };
	}
}

static void judge_unpaired(struct compare_cell *cell, const points_t *a, const points_t *b, units_t *units,
			   struct resample_cell *out)
{
	doubles_t logs_a = { 0 }, logs_b = { 0 };
	size_t least = a->n < b->n ? a->n : b->n;

	add_logs(a, false, units, &logs_a, out);
	add_logs(b, true, units, &logs_b, out);
	cell->change = rank_ratio(logs_a.items, logs_a.n, logs_b.items, logs_b.n);
	cell->p_rank = rank_sum(logs_a.items, logs_a.n, logs_b.items, logs_b.n).p;
	vec_free(&logs_a);
	vec_free(&logs_b);
	if (least < RUNS_MIN && cell->how == COMPARE_SWEEPS)
		no_verdict(cell, mem_printf("no verdict possible with n=%zu: sides of several sweeps need %d each", least, RUNS_MIN));
	else if (least < RUNS_MIN)
		too_few(cell, least, RUNS_MIN);
}

static struct stats stats_of_side(const members_t *side, const points_t *points)
{
	const struct series *s = side->items[0];

	return has_summary(side) ? stats_from_summary(s->n, s->mean, s->stddev) : stats_of_points(points);
}

static void judge_summaries(struct compare_cell *cell)
{
	size_t least = cell->of_a.n < cell->of_b.n ? cell->of_a.n : cell->of_b.n;

	cell->how = COMPARE_SUMMARIES;
	cell->change = stats_ratio_of_means(&cell->of_a, &cell->of_b);
	cell->p_rank = stats_welch(&cell->of_a, &cell->of_b).p;
	if (!least)
		no_verdict(cell, mem_strdup("no verdict possible: n is not known"));
	else if (least < RUNS_MIN)
		too_few(cell, least, RUNS_MIN);
	else if (isnan(cell->p_rank))
		no_verdict(cell, mem_strdup("no verdict possible without a deviation"));
}

static size_t count_sweeps(const members_t *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++) {
		size_t k = 0;

		while (k < i && (side->items[k]->sweep != side->items[i]->sweep || !side->items[k]->points.n))
			k++;
		n += k == i && side->items[i]->points.n;
	}
	return n;
}

/* A value a sweep, which stands for a block of its own. */
static void gather_sweeps(const members_t *side, points_t *out)
{
	for (size_t i = 0; i < side->n; i++) {
		int64_t sweep = side->items[i]->sweep;
		double sum = 0;
		size_t n = 0, k = 0;

		while (k < i && side->items[k]->sweep != sweep)
			k++;
		if (k < i) /* it was gathered already */
			continue;
		for (; k < side->n; k++)
			for (size_t p = 0; side->items[k]->sweep == sweep && p < side->items[k]->points.n; p++, n++)
				sum += log(side->items[k]->points.items[p].value);
		if (n)
			*vec_push(out) = (struct series_point){ .value = exp(sum / (double)n), .invocation = sweep, .block = -1 };
	}
}

/*
 * Of several sweeps the runs of one have in common what changed from night to night: as single values they would make
 * differences between nights significant that any two sets of nights have.
 */
static void judge_sweeps(struct compare_cell *cell, units_t *units, struct resample_cell *out)
{
	points_t a = { 0 }, b = { 0 };

	gather_sweeps(&cell->a, &a);
	gather_sweeps(&cell->b, &b);
	cell->how = COMPARE_SWEEPS;
	cell->of_a = stats_of_points(&a);
	cell->of_b = stats_of_points(&b);
	judge_unpaired(cell, &a, &b, units, out);
	vec_free(&a);
	vec_free(&b);
}

/* Runs of the same blocks are compared in pairs, unless few of them are: those would not be what was measured. */
static void judge_points(struct compare_cell *cell, const points_t *a, const points_t *b, units_t *units,
			 struct resample_cell *out)
{
	points_t pairs_a = { 0 }, pairs_b = { 0 };
	size_t pairs = pair_up(a, b, &pairs_a, &pairs_b), least = a->n < b->n ? a->n : b->n;

	if (!all_positive(a) || !all_positive(b)) {
		no_verdict(cell, mem_strdup("no verdict possible: no ratio to values of 0"));
	} else if (pairs >= PAIRS_MIN || (pairs && pairs * 2 >= least)) {
		cell->how = COMPARE_PAIRED;
		cell->of_a = stats_of_points(&pairs_a);
		cell->of_b = stats_of_points(&pairs_b);
		judge_paired(cell, &pairs_a, &pairs_b, units, out);
	} else if (!pairs && (count_sweeps(&cell->a) > 1 || count_sweeps(&cell->b) > 1)) {
		judge_sweeps(cell, units, out);
	} else {
		cell->how = COMPARE_UNPAIRED;
		judge_unpaired(cell, a, b, units, out);
	}
	vec_free(&pairs_a);
	vec_free(&pairs_b);
}

static void judge_alone(struct compare_cell *cell, units_t *units, struct resample_cell *out)
{
	points_t a = { 0 }, b = { 0 };

	gather(&cell->a, &a);
	gather(&cell->b, &b);
	cell->verdict = COMPARE_ALIKE;
	cell->p = NAN;
	cell->p_rank = NAN;
	cell->change = (struct ratio){ NAN, NAN, NAN };
	cell->of_a = stats_of_side(&cell->a, &a);
	cell->of_b = stats_of_side(&cell->b, &b);
	if (has_summary(&cell->a) || has_summary(&cell->b))
		judge_summaries(cell);
	else
		judge_points(cell, &a, &b, units, out);
	vec_free(&a);
	vec_free(&b);
}

/* ---- the family ---- */

static int by_p(const void *va, const void *vb)
{
	double a = (*(struct compare_cell *const *)va)->p_rank, b = (*(struct compare_cell *const *)vb)->p_rank;

	return (a > b) - (a < b);
}

/* Holm (1979): the k-th smallest of m times m - k + 1, never less than one before it. */
static void adjust_summaries(struct compare_cell **cells, size_t n)
{
	double p = 0;

	if (n)
		qsort(cells, n, sizeof(struct compare_cell *), by_p);
	for (size_t k = 0; k < n; k++) {
		p = fmax(p, fmin(1, cells[k]->p_rank * (double)(n - k)));
		cells[k]->p = p;
	}
}

static void set_verdict(struct compare_cell *cell, double share, double min_effect)
{
	cell->p = fmin(1, cell->p * share);
	if (cell->p <= COMPARE_ALPHA && fabs(cell->change.value - 1) > min_effect)
		cell->verdict = COMPARE_CHANGED;
}

/* Adjust and judge the cells that can have a verdict; 'alone' are what the cells said by themselves. */
static void judge_family(struct comparison *c, struct resample_cell *alone, const struct compare_options *opt)
{
	AUTOFREE struct compare_cell **measured = mem_alloc(c->cells.n, sizeof(*measured));
	AUTOFREE struct compare_cell **summaries = mem_alloc(c->cells.n, sizeof(*summaries));
	AUTOFREE struct resample_cell *family = mem_alloc(c->cells.n, sizeof(*family));
	size_t n = 0, n_summaries = 0;

	for (size_t i = 0; i < c->cells.n; i++) {
		struct compare_cell *cell = &c->cells.items[i];

		if (cell->verdict == COMPARE_NO_VERDICT)
			continue;
		if (cell->how == COMPARE_SUMMARIES) {
			summaries[n_summaries++] = cell;
			continue;
		}
		family[n] = alone[i];
		measured[n++] = cell;
	}
	c->family = n + n_summaries;
	c->how = resample_family(family, n, opt->seed);
	for (size_t i = 0; i < n; i++)
		measured[i]->p = family[i].p;
	adjust_summaries(summaries, n_summaries);
	/* two families in one, should that ever be, share the error */
	for (size_t i = 0; i < n; i++)
		set_verdict(measured[i], n_summaries ? 2 : 1, opt->min_effect);
	for (size_t i = 0; i < n_summaries; i++)
		set_verdict(summaries[i], n ? 2 : 1, opt->min_effect);
}

void compare_judge(struct comparison *c, const struct compare_options *opt)
{
	AUTOFREE struct resample_cell *alone = mem_alloc(c->cells.n, sizeof(*alone));
	units_t units = { 0 };

	for (size_t i = 0; i < c->cells.n; i++)
		judge_alone(&c->cells.items[i], &units, &alone[i]);
	judge_family(c, alone, opt);
	for (size_t i = 0; i < c->cells.n; i++)
		vec_free(&alone[i].values);
	vec_free(&units);
}

int compare_cell_better(const struct compare_cell *cell)
{
	enum better better = cell->a.items[0]->metric->better;

	if (cell->verdict != COMPARE_CHANGED || better == BETTER_NEITHER)
		return 0;
	return (cell->change.value > 1) == (better == BETTER_HIGHER) ? 1 : -1;
}

/*
 * The deviation is taken around no change until a change is beyond doubt: then it is the same whichever way the blocks
 * are flipped, and to stop by it favours nothing that the test takes for a change. Around the mean it would favour
 * rows whose ratios agree by chance, and 10% of families without any change would claim one (docs/methodology.md).
 */
static double half_width(const double *logs, size_t n)
{
	struct stats s = stats_of(logs, n);
	double half = (s.mean_high - s.mean_low) / 2, se = s.stddev / sqrt((double)n);

	if (n < 2)
		return NAN;
	if (se > 0 && fabs(s.mean) <= BEYOND_DOUBT * se)
		half *= sqrt(1 + s.mean * s.mean / (se * se) / (double)(n - 1));
	return expm1(half);
}

static double pair_half_width(const struct series *a, const struct series *b)
{
	doubles_t logs = { 0 };
	double half;

	for (size_t i = 0; i < a->points.n; i++)
		for (size_t k = 0; k < b->points.n; k++)
			if (a->points.items[i].block == b->points.items[k].block &&
			    a->points.items[i].invocation == b->points.items[k].invocation)
				*vec_push(&logs) = log(b->points.items[k].value / a->points.items[i].value);
	half = half_width(logs.items, logs.n);
	vec_free(&logs);
	return half;
}

static double own_half_width(const struct series *s)
{
	AUTOFREE double *logs = mem_alloc(s->points.n, sizeof(*logs));
	struct stats stats;

	for (size_t i = 0; i < s->points.n; i++)
		logs[i] = log(s->points.items[i].value);
	stats = stats_of(logs, s->points.n);
	return expm1((stats.mean_high - stats.mean_low) / 2);
}

double compare_half_width(const members_t *row)
{
	double widest = row->n == 1 ? own_half_width(row->items[0]) : row->n ? 0 : NAN;

	for (size_t i = 0; i < row->n; i++)
		for (size_t k = i + 1; k < row->n; k++) {
			double half = pair_half_width(row->items[i], row->items[k]);

			if (isnan(half))
				return NAN;
			widest = fmax(widest, half);
		}
	return widest;
}

/* Changes before the rest, then by size. */
static bool sticks_out_more(const struct compare_cell *a, const struct compare_cell *b)
{
	double x = fabs(log(a->change.value)), y = fabs(log(b->change.value));

	if (a->verdict != b->verdict)
		return a->verdict > b->verdict;
	return x > y || (isnan(y) && !isnan(x));
}

size_t *compare_order(const struct comparison *c)
{
	size_t *order = mem_alloc(c->cells.n, sizeof(*order));

	for (size_t i = 0; i < c->cells.n; i++) {
		size_t k = i;

		for (; k && sticks_out_more(&c->cells.items[i], &c->cells.items[order[k - 1]]); k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

void comparison_release(struct comparison *c)
{
	for (size_t i = 0; i < c->cells.n; i++) {
		vec_free(&c->cells.items[i].a);
		vec_free(&c->cells.items[i].b);
		free(c->cells.items[i].why);
	}
	vec_free(&c->cells);
	strings_release(&c->differences);
}
