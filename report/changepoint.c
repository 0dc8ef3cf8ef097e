// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/changepoint.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "report/stats.h"

#define ROUNDING 1e-12	    /* a deviation below this share of the mean is none */
#define MAD_TO_SIGMA 1.4826 /* 1/qnorm(3/4): what makes the median distance of normal values their deviation */

void values_clip(const double *values, size_t n, double *out)
{
	AUTOFREE double *work = mem_alloc(n, sizeof(*work));
	double median, most;

	memcpy(out, values, n * sizeof(*out));
	if (n < CLIP_MIN)
		return;
	memcpy(work, values, n * sizeof(*work));
	median = stats_sort(work, n);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(values[i] - median);
	most = CLIP_DEVIATIONS * MAD_TO_SIGMA * stats_sort(work, n);
	for (size_t i = 0; i < n && most > 0; i++)
		out[i] = fmin(fmax(values[i], median - most), median + most);
}

/* ---- one change in a stretch ---- */

/* A model of a stretch against the same level all through. */
struct fit {
	enum { FIT_LEVEL, FIT_LINE, FIT_STEP, FIT_BUMP } kind;
	size_t from, to; /* step: to is the end; bump: another level in the middle */
	double rest;	 /* sum of squares that it leaves */
	double p;
};

/* A stretch and its sums; 'sums' has the sum of the values before each place. */
struct stretch {
	const double *values, *sums;
	size_t n;
	double squares; /* about the mean */
};

/* What is left when values from..to have a mean of their own. */
static double rest_with(const struct stretch *s, size_t from, size_t to)
{
	double inside = (double)(to - from), outside = (double)s->n - inside;
	double sum = s->sums[to] - s->sums[from];
	double difference = sum / inside - (s->sums[s->n] - sum) / outside;

	return fmax(0, s->squares - difference * difference * inside * outside / (double)s->n);
}

/* Two-sided p of Student's t for one parameter more, times the number of places at which it was looked for. */
static void set_p(const struct stretch *s, struct fit *f, double places)
{
	double df = (double)s->n - 2, explained = s->squares - f->rest;

	if (explained <= 0)
		f->p = 1;
	else if (f->rest <= s->squares * DBL_EPSILON)
		f->p = 0;
	else
		f->p = fmin(1, places * 2 * pt(-sqrt(explained / (f->rest / df)), df, 1, 0));
}

/* Sum of squares of 0, 1, … n - 1 about their mean. */
static double spread_of_places(size_t n)
{
	return (double)n * ((double)n * (double)n - 1) / 12;
}

static double slope_of(const struct stretch *s)
{
	double middle = ((double)s->n - 1) / 2, xy = 0;

	for (size_t i = 0; i < s->n; i++)
		xy += ((double)i - middle) * s->values[i];
	return xy / spread_of_places(s->n);
}

static struct fit fit_line(const struct stretch *s)
{
	double slope = slope_of(s);

	return (struct fit){ .kind = FIT_LINE,
			     .to = s->n,
			     .rest = fmax(0, s->squares - slope * slope * spread_of_places(s->n)) };
}

static void try_place(const struct stretch *s, size_t from, size_t to, struct fit *best)
{
	double rest = rest_with(s, from, to);

	if (rest >= best->rest)
		return;
	best->rest = rest;
	best->from = from;
	best->to = to;
}

/* Bayes' information criterion, less what is the same for all: a place that was chosen is a parameter. */
static double cost(const struct stretch *s, const struct fit *f)
{
	return (double)s->n * log(fmax(f->rest, DBL_MIN)) + f->kind * log((double)s->n);
}

/*
 * The best of a line, a step and a bump that 'level' allows. Each kind has a third of the level for all of its places: a
 * line has one, and must not become harder to see because there are some sixty steps and two thousand bumps.
 */
static struct fit fit_stretch(const struct stretch *s, double level)
{
	struct fit best = { .kind = FIT_LEVEL, .rest = s->squares };
	struct fit fits[] = { fit_line(s),
			      { .kind = FIT_STEP, .to = s->n, .rest = s->squares },
			      { .kind = FIT_BUMP, .rest = s->squares } };
	size_t places[] = { 1, 0, 0 };

	for (size_t from = STRETCH_MIN; from + STRETCH_MIN <= s->n; from++, places[1]++)
		try_place(s, from, s->n, &fits[1]);
	for (size_t from = STRETCH_MIN; from < s->n; from++)
		for (size_t to = from + STRETCH_MIN; to + STRETCH_MIN <= s->n; to++, places[2]++)
			try_place(s, from, to, &fits[2]);
	for (size_t i = 0; i < ARRAY_LEN(fits); i++) {
		size_t share = places[i] * ARRAY_LEN(fits);

		set_p(s, &fits[i], (double)share);
		if (fits[i].p <= level && (best.kind == FIT_LEVEL || cost(s, &fits[i]) < cost(s, &best)))
			best = fits[i];
	}
	return best;
}

/* ---- all of them ---- */

/* A stretch ready to be looked at; the caller frees 'values' and 'sums'. */
static struct stretch stretch_of(const double *from, size_t n, double **values, double **sums)
{
	struct stretch s = { .n = n };
	double mean;

	*values = mem_alloc(n, sizeof(double));
	*sums = mem_alloc(n + 1, sizeof(double));
	values_clip(from, n, *values);
	for (size_t i = 0; i < n; i++)
		(*sums)[i + 1] = (*sums)[i] + (*values)[i];
	mean = (*sums)[n] / (double)n;
	for (size_t i = 0; i < n; i++)
		s.squares += ((*values)[i] - mean) * ((*values)[i] - mean);
	s.values = *values;
	s.sums = *sums;
	return s;
}

/* A stretch without a step in it; 'at_first' and 'at_last' are where its line begins and ends. */
struct piece {
	size_t first, end;
	bool slides;
	double p; /* of the line */
	double at_first, at_last;
};
typedef VEC(struct piece) pieces_t;

struct search {
	const double *values;
	double level;
	pieces_t pieces;
	double *p_of_cut; /* at the place where a piece begins */
};

static void add_piece(struct search *x, size_t first, const struct stretch *s, const struct fit *fit)
{
	bool slides = fit->kind == FIT_LINE;
	double mean = s->sums[s->n] / (double)s->n, half = slides ? slope_of(s) * ((double)s->n - 1) / 2 : 0;

	*vec_push(&x->pieces) = (struct piece){ .first = first,
						.end = first + s->n,
						.slides = slides,
						.p = fit->p,
						.at_first = mean - half,
						.at_last = mean + half };
}

/* Binary segmentation (Vostrikova 1981): what is found cuts the stretch, and the parts are looked at again. */
static void search(struct search *x, size_t first, size_t end)
{
	size_t n = end - first, cuts[4] = { 0, n, n, n }, n_cuts;
	AUTOFREE double *sums = NULL, *values = NULL;
	struct stretch s = stretch_of(x->values + first, n, &values, &sums);
	struct fit fit = { .kind = FIT_LEVEL, .p = 1 };

	if (n >= SERIES_MIN && sqrt(s.squares / (double)n) > ROUNDING * (1 + fabs(sums[n] / (double)n)))
		fit = fit_stretch(&s, x->level);
	if (fit.kind == FIT_LEVEL || fit.kind == FIT_LINE) {
		add_piece(x, first, &s, &fit);
		return;
	}
	cuts[1] = fit.from;
	cuts[2] = fit.to;
	n_cuts = fit.kind == FIT_STEP ? 2 : 3;
	for (size_t i = 0; i < n_cuts; i++) {
		if (i)
			x->p_of_cut[first + cuts[i]] = fit.p;
		search(x, first + cuts[i], first + cuts[i + 1]);
	}
}

/*
 * Where else the step between two pieces could be: twice the log of the likelihood ratio to the best place is below that
 * of 20 to 1.
 */
static void find_range(const double *values, const struct piece *before, const struct piece *after, struct change *c)
{
	AUTOFREE double *clipped = NULL, *sums = NULL;
	struct stretch s = stretch_of(values + before->first, after->end - before->first, &clipped, &sums);
	double best = INFINITY, n = (double)s.n;

	c->early = c->late = c->first;
	if (before->slides || after->slides)
		return;
	for (size_t k = 1; k < s.n; k++)
		best = fmin(best, rest_with(&s, k, s.n));
	for (size_t k = 1; k < s.n; k++) {
		size_t at = before->first + k;

		if (n * log(fmax(rest_with(&s, k, s.n), DBL_MIN) / fmax(best, DBL_MIN)) > 2 * log(20))
			continue;
		c->early = at < c->early ? at : c->early;
		c->late = at > c->late ? at : c->late;
	}
}

void changes_find(const double *values, size_t n, double level, changes_t *out)
{
	struct search x = { .values = values, .level = level, .p_of_cut = mem_alloc(n + 1, sizeof(double)) };

	if (n)
		search(&x, 0, n);
	for (size_t i = 0; i < x.pieces.n; i++) {
		const struct piece *piece = &x.pieces.items[i];

		if (i) {
			*vec_push(out) = (struct change){ .kind = CHANGE_STEP,
							  .first = piece->first,
							  .end = piece->end,
							  .before = piece[-1].at_last,
							  .after = piece->at_first,
							  .p = x.p_of_cut[piece->first] };
			find_range(values, piece - 1, piece, &out->items[out->n - 1]);
		}
		if (piece->slides)
			*vec_push(out) = (struct change){ .kind = CHANGE_SLIDE,
							  .first = piece->first,
							  .end = piece->end,
							  .early = piece->first,
							  .late = piece->first,
							  .before = piece->at_first,
							  .after = piece->at_last,
							  .p = piece->p };
	}
	free(x.p_of_cut);
	vec_free(&x.pieces);
}
