// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/resample.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"

#define EVERY_FLIP_UNITS 12
#define DRAWS 10000 /* what was measured is the first of them */
#define ROUNDING 1e-9 /* relative: a draw that ties with what was measured must count as reaching it */

struct family {
	struct resample_cell *cells;
	size_t n, *order; /* by falling statistic */
	unsigned n_units;
	bool *flipped;	/* by unit */
	unsigned *deal; /* units in the order in which they are dealt */
	double *drawn;	/* statistics of a draw, by cell */
	double *by_unit; /* scratch of one cell: value by unit, NaN where it has none */
	size_t *reached; /* by place in 'order' */
};

static double t_of(double mean, double variance)
{
	if (variance > 0)
		return fabs(mean) / sqrt(variance);
	return mean != 0 ? INFINITY : 0;
}

static double t_paired(const struct resample_cell *c, const bool *flipped)
{
	double n = (double)c->values.n, sum = 0, squares = 0, mean;

	for (size_t i = 0; i < c->values.n; i++) {
		double d = c->values.items[i].value;

		sum += flipped[c->values.items[i].unit] ? -d : d;
		squares += d * d;
	}
	mean = sum / n;
	squares -= n * mean * mean;
	/* of equal differences nothing but rounding is left */
	if (squares <= n * mean * mean * 1e-14)
		squares = 0;
	return t_of(mean, squares / (n - 1) / n);
}

struct moments {
	double n, sum, squares;
};

static void moments_add(struct moments *m, double x)
{
	m->n++;
	m->sum += x;
	m->squares += x * x;
}

/* Variance of the mean. */
static double moments_variance(const struct moments *m)
{
	double rest = m->squares - m->sum * m->sum / m->n;

	return rest <= m->squares * 1e-14 ? 0 : rest / (m->n - 1) / m->n;
}

static double t_welch(const struct moments side[2])
{
	return t_of(side[1].sum / side[1].n - side[0].sum / side[0].n,
		    moments_variance(&side[0]) + moments_variance(&side[1]));
}

/* Values are shifted to a mean of about 0, so that their squares keep the digits that matter. */
static double t_measured(const struct resample_cell *c)
{
	struct moments side[2] = { 0 };

	for (size_t i = 0; i < c->values.n; i++)
		moments_add(&side[c->values.items[i].b], c->values.items[i].value - c->values.items[0].value);
	return t_welch(side);
}

/* The units that come first in the deal are the first side, as many as it has. */
static double t_dealt(struct family *f, const struct resample_cell *c)
{
	struct moments side[2] = { 0 };
	size_t n_first = 0;

	for (unsigned u = 0; u < f->n_units; u++)
		f->by_unit[u] = NAN;
	for (size_t i = 0; i < c->values.n; i++) {
		f->by_unit[c->values.items[i].unit] = c->values.items[i].value - c->values.items[0].value;
		n_first += !c->values.items[i].b;
	}
	for (unsigned k = 0; k < f->n_units; k++)
		if (!isnan(f->by_unit[f->deal[k]]))
			moments_add(&side[side[0].n >= (double)n_first], f->by_unit[f->deal[k]]);
	return t_welch(side);
}

static double t_drawn(struct family *f, const struct resample_cell *c)
{
	return c->paired ? t_paired(c, f->flipped) : t_dealt(f, c);
}

/* The step down: the k-th largest statistic is held against the largest of those that are not larger. */
static void count_draw(struct family *f)
{
	double largest = 0;

	for (size_t i = 0; i < f->n; i++)
		f->drawn[i] = t_drawn(f, &f->cells[i]);
	for (size_t k = f->n; k--;) {
		largest = fmax(largest, f->drawn[f->order[k]]);
		f->reached[k] += largest >= f->cells[f->order[k]].statistic * (1 - ROUNDING);
	}
}

static void draw(struct family *f, uint64_t *state)
{
	for (unsigned u = 0; u < f->n_units; u++)
		f->flipped[u] = random_next(state) >> 63;
	for (unsigned left = f->n_units; left > 1; left--) {
		unsigned k = (unsigned)random_below(state, left), other = f->deal[k];

		f->deal[k] = f->deal[left - 1];
		f->deal[left - 1] = other;
	}
}

/* All flips but their mirror images, which have the same |t|; the first is what was measured. */
static size_t draw_every(struct family *f)
{
	size_t draws = (size_t)1 << (f->n_units - 1);

	for (size_t flip = 0; flip < draws; flip++) {
		for (unsigned u = 0; u < f->n_units; u++)
			f->flipped[u] = flip >> u & 1;
		count_draw(f);
	}
	return draws;
}

static size_t draw_some(struct family *f, uint64_t seed)
{
	/* what was measured is one of the draws: p is never 0 */
	for (size_t k = 0; k < f->n; k++)
		f->reached[k] = 1;
	for (size_t i = 1; i < DRAWS; i++) {
		draw(f, &seed);
		count_draw(f);
	}
	return DRAWS;
}

static void sort_cells(struct family *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t k = i;

		for (; k && f->cells[f->order[k - 1]].statistic < f->cells[i].statistic; k--)
			f->order[k] = f->order[k - 1];
		f->order[k] = i;
	}
}

static void set_p(struct family *f, size_t draws)
{
	double p = 0;

	for (size_t k = 0; k < f->n; k++) {
		p = fmax(p, (double)f->reached[k] / (double)draws);
		f->cells[f->order[k]].p = p;
	}
}

struct resample_how resample_family(struct resample_cell *cells, size_t n, uint64_t seed)
{
	struct family f = { .cells = cells, .n = n };
	struct resample_how how = { .every = true };

	for (size_t i = 0; i < n; i++) {
		how.every = how.every && cells[i].paired;
		for (size_t k = 0; k < cells[i].values.n; k++)
			if (cells[i].values.items[k].unit >= f.n_units)
				f.n_units = cells[i].values.items[k].unit + 1;
	}
	how.every = how.every && f.n_units <= EVERY_FLIP_UNITS;
	if (!f.n_units)
		return how;
	f.order = mem_alloc(n, sizeof(*f.order));
	f.drawn = mem_alloc(n, sizeof(*f.drawn));
	f.reached = mem_alloc(n, sizeof(*f.reached));
	f.flipped = mem_alloc(f.n_units, sizeof(*f.flipped));
	f.deal = mem_alloc(f.n_units, sizeof(*f.deal));
	f.by_unit = mem_alloc(f.n_units, sizeof(*f.by_unit));
	for (unsigned u = 0; u < f.n_units; u++)
		f.deal[u] = u;
	for (size_t i = 0; i < n; i++)
		cells[i].statistic = cells[i].paired ? t_paired(&cells[i], f.flipped) : t_measured(&cells[i]);
	sort_cells(&f);
	how.draws = how.every ? draw_every(&f) : draw_some(&f, seed);
	set_p(&f, how.draws);
	free(f.order);
	free(f.drawn);
	free(f.reached);
	free(f.flipped);
	free(f.deal);
	free(f.by_unit);
	return how;
}
