// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/nights.h"

#include <math.h>
#include <string.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "report/stats.h"
#include "report/subset.h"

#define NOON 12

const char *const night_verdict_names[NIGHT_VERDICTS] = {
	[NIGHT_GONE] = "gone",
	[NIGHT_NOT_OFFERED] = "not offered", [NIGHT_SAME] = "same",
	[NIGHT_IMPROVED] = "improved",	     [NIGHT_CHANGED] = "changed",
	[NIGHT_FEW] = "too few nights",	     [NIGHT_NOISY] = "too noisy",
	[NIGHT_NO_REFERENCE] = "no reference", [NIGHT_NOT_MEASURED] = "not measured",
	[NIGHT_REGRESSED] = "regressed",
};

/* ---- nights ---- */

/* The day at whose noon the night begins. By the clock: noon is not always 12 hours behind midnight. */
static void night_of(int64_t ns, char out[UNITS_TEXT])
{
	time_t t = (time_t)(ns / NS_PER_S);
	struct tm tm;

	localtime_r(&t, &tm);
	tm.tm_mday -= tm.tm_hour < NOON;
	tm.tm_hour = NOON;
	mktime(&tm);
	strftime(out, UNITS_TEXT, "%F", &tm);
}

void nights_group(const struct night_sweep *sweeps, size_t n, bool each, nights_t *out)
{
	char night[UNITS_TEXT], last[UNITS_TEXT] = "";

	for (size_t i = 0; i < n; i++) {
		night_of(sweeps[i].started_ns, night);
		if (!i || each || strcmp(night, last) != 0)
			units_format_time(vec_push(out)->date, sweeps[i].started_ns, localtime_r,
					  each ? "%F %R" : "%F");
		memcpy(last, night, sizeof(last));
		out->items[out->n - 1].last_ns = sweeps[i].started_ns;
		*vec_push(&out->items[out->n - 1].sweeps) = sweeps[i].id;
	}
}

void nights_release(nights_t *nights)
{
	for (size_t i = 0; i < nights->n; i++)
		vec_free(&nights->items[i].sweeps);
	vec_free(nights);
}

/* ---- one figure against those of earlier nights ---- */

struct night_test night_test(const double *earlier, size_t n, double now, double level)
{
	AUTOFREE double *clipped = mem_alloc(n, sizeof(*clipped));
	double df = (double)n - 1, error, t;
	struct stats s;

	values_clip(earlier, n, clipped);
	s = stats_of(clipped, n);
	error = s.stddev * sqrt(1 + 1 / (double)n);
	t = fabs(now - s.mean) / error;
	return (struct night_test){
		.change = now - s.mean,
		.sd = s.stddev,
		/* figures that never vary: any other one is a change */
		.p = error > 0 ? 2 * pt(-t, df, 1, 0) : now > s.mean || now < s.mean ? 0 : 1,
		.detectable = error * (qt(1 - level / 2, df, 1, 0) + qt(NIGHTS_POWER, df, 1, 0)),
	};
}

/* ---- figures ---- */

struct gathering {
	const struct series_set *set;
	const nights_t *nights;
	const struct gate_options *options;
	members_t *of_night; /* series of the runs as a whole */
};

static bool has_sweep(const struct night *night, int64_t sweep)
{
	for (size_t i = 0; i < night->sweeps.n; i++)
		if (night->sweeps.items[i] == sweep)
			return true;
	return false;
}

static void sort_into_nights(struct gathering *g)
{
	size_t night = 0;

	for (size_t i = 0; i < g->set->list.n; i++) {
		const struct series *s = &g->set->list.items[i];

		/* the set is in the order of its sweeps: mostly it is the same night again */
		for (size_t tries = 0; !has_sweep(&g->nights->items[night], s->sweep) && tries < g->nights->n; tries++)
			night = (night + 1) % g->nights->n;
		if (s->job == JOB_ALL && !s->summary_only)
			*vec_push(&g->of_night[night]) = s;
	}
}

static const members_t *judged_night(const struct gathering *g)
{
	return &g->of_night[g->nights->n - 1];
}

/*
 * The same configuration and figure on the same box, whatever the sweep and the environment. A disk without a serial number
 * is known by its name only, and the sdb of two boxes are two disks.
 */
static bool same_cell(const struct series *a, const struct series *b)
{
	return a->config == b->config && a->metric == b->metric && a->direction == b->direction &&
	       same_text(a->actor, b->actor) && same_text(a->device, b->device) && same_text(a->host, b->host);
}

/* Whether 'b' is what 'a' is but for the variant. */
static bool same_but_variant(const struct series *a, const struct series *b)
{
	if (a->sweep != b->sweep || a->metric != b->metric || a->direction != b->direction || a->axes.n != b->axes.n)
		return false;
	for (size_t i = 0; i < a->axes.n; i++)
		if (!same_text(a->axes.items[i].value, series_axis(b, a->axes.items[i].name)))
			return false;
	return same_text(a->device, b->device) && (same_text(a->actor, b->actor) || !series_has_data(b));
}

static const struct series *find_reference(const struct gathering *g, const struct series *of)
{
	const members_t *night = judged_night(g);

	for (size_t i = 0; i < night->n; i++)
		if (same_text(night->items[i]->variant, g->options->reference) && same_but_variant(of, night->items[i]))
			return night->items[i];
	return NULL;
}

typedef VEC(const struct series_point *) point_refs_t;

static void gather(const struct gathering *g, size_t night, const struct series *like, point_refs_t *out,
		   int64_t *environment)
{
	for (size_t i = 0; i < g->of_night[night].n; i++) {
		const struct series *s = g->of_night[night].items[i];

		if (!same_cell(s, like))
			continue;
		for (size_t k = 0; k < s->points.n; k++)
			if (s->points.items[k].value > 0)
				*vec_push(out) = &s->points.items[k];
		*environment = s->environment ? s->environment : *environment;
	}
}

static const struct series_point *find_block(const point_refs_t *points, const struct series_point *like)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->items[i]->block == like->block && points->items[i]->invocation == like->invocation)
			return points->items[i];
	return NULL;
}

/* The figures of one night; 'reference' NULL: of the cell by itself. False where nothing was measured. */
static bool figure_of(const struct gathering *g, size_t night, const struct series *like,
		      const struct series *reference, struct night_value *out)
{
	point_refs_t own = { 0 }, others = { 0 };
	int64_t unused = 0;

	*out = (struct night_value){ .night = night };
	gather(g, night, like, &own, &out->environment);
	if (reference)
		gather(g, night, reference, &others, &unused);
	for (size_t i = 0; i < own.n; i++) {
		const struct series_point *other = reference ? find_block(&others, own.items[i]) : NULL;

		if (reference && !other)
			continue;
		out->own += log(own.items[i]->value);
		out->ratio += log(own.items[i]->value / (other ? other->value : 1));
		out->run = own.items[i]->run;
		out->pairs++;
	}
	vec_free(&own);
	vec_free(&others);
	out->own /= (double)out->pairs;
	out->ratio /= (double)out->pairs;
	return out->pairs;
}

static size_t index_in(const struct series_set *set, const struct series *s)
{
	return (size_t)(s - set->list.items);
}

/* The night with which the baseline of a cell begins. */
static size_t baseline_start(const struct gathering *g, const struct series *s)
{
	size_t start = 0;

	for (size_t i = 0; i < g->options->n_known; i++) {
		const struct night_known *known = &g->options->known[i];

		if (known->series[index_in(g->set, s)] && known->night > start)
			start = known->night;
	}
	return start;
}

static int by_count(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Half of the blocks that a night usually has: what was cut short is not the same measurement. */
static size_t least_pairs(const struct night_cell *cell)
{
	AUTOFREE size_t *counts = mem_alloc(cell->values.n, sizeof(*counts));

	if (!cell->values.n)
		return 0;
	for (size_t i = 0; i < cell->values.n; i++)
		counts[i] = cell->values.items[i].pairs;
	qsort(counts, cell->values.n, sizeof(*counts), by_count);
	return (counts[cell->values.n / 2] + 1) / 2;
}

/* All figures of a cell but those of nights that were cut short; of the judged night that too. */
static void fill_values(const struct gathering *g, struct night_cell *cell, const struct series *reference)
{
	size_t last = g->nights->n - 1, start = baseline_start(g, cell->series), least, kept = 0, now_pairs = 0;
	struct night_value value;

	for (size_t night = 0; night < g->nights->n; night++)
		if (figure_of(g, night, cell->series, reference, &value))
			*vec_push(&cell->values) = value;
	least = least_pairs(cell);
	for (size_t i = 0; i < cell->values.n; i++) {
		const struct night_value *v = &cell->values.items[i];

		if (v->night == last) {
			cell->has_now = true;
			now_pairs = v->pairs;
		} else if (v->pairs < least) {
			continue;
		}
		cell->first += v->night < start;
		cell->values.items[kept++] = *v;
	}
	cell->values.n = kept;
	if (cell->has_now && now_pairs < least) {
		cell->verdict = NIGHT_NOISY;
		cell->why = mem_printf("measured in %zu blocks only, half of the usual number is %zu", now_pairs, least);
	}
}

static void missing(struct night_cell *cell, enum night_verdict verdict, char *why)
{
	free(cell->why);
	cell->why = why;
	cell->verdict = verdict;
}

static struct night_cell *new_cell(const struct gathering *g, const struct series *s, struct gate *out)
{
	bool is_reference = same_text(s->variant, g->options->reference);
	struct night_cell *cell = is_reference ? vec_push(&out->references) : vec_push(&out->cells);

	*cell = (struct night_cell){ .series = s, .is_reference = is_reference, .verdict = NIGHT_SAME, .p = NAN };
	cell->test = (struct night_test){ NAN, NAN, NAN, NAN };
	cell->own_change = NAN;
	return cell;
}

static void add_cell(const struct gathering *g, const struct series *s, struct gate *out)
{
	struct night_cell *cell = new_cell(g, s, out);
	const struct series *reference = cell->is_reference ? NULL : find_reference(g, s);
	struct night_value now;
	size_t earlier;

	if (!series_has_data(s)) {
		if (same_text(s->state, "pending") && s->reason)
			missing(cell, NIGHT_NOT_OFFERED, mem_strdup(s->reason));
		else
			missing(cell, NIGHT_NOT_MEASURED, mem_strdup(s->reason ? s->reason : "no good run in this night"));
		return;
	}
	if (!figure_of(g, g->nights->n - 1, s, NULL, &now)) {
		missing(cell, NIGHT_NOT_MEASURED, mem_strdup("its figures are 0: they have no ratio"));
		return;
	}
	fill_values(g, cell, reference);
	if (!cell->is_reference && (!reference || !cell->has_now)) {
		missing(cell, NIGHT_NO_REFERENCE, mem_printf("'%s' was not measured in the same blocks", g->options->reference));
		return;
	}
	earlier = cell->values.n - cell->first - cell->has_now;
	if (cell->verdict == NIGHT_SAME && earlier < NIGHTS_MIN)
		missing(cell, NIGHT_FEW, mem_printf("%zu earlier night%s, %d needed", earlier, earlier == 1 ? "" : "s", NIGHTS_MIN));
}

/* ---- verdicts ---- */

/* Of values from..to - 1. */
static double *figures_of(const struct night_cell *cell, size_t from, size_t to, bool own)
{
	double *figures = mem_alloc(to - from, sizeof(*figures));

	for (size_t i = from; i < to; i++)
		figures[i - from] = own ? cell->values.items[i].own : cell->values.items[i].ratio;
	return figures;
}

static void find_changes(struct night_cell *cell, double level)
{
	AUTOFREE double *ratios = figures_of(cell, cell->first, cell->values.n, false);

	changes_find(ratios, cell->values.n - cell->first, level, &cell->changes);
	for (size_t i = 0; i < cell->changes.n; i++) {
		struct change *c = &cell->changes.items[i];

		c->first += cell->first;
		c->end += cell->first;
		c->early += cell->first;
		c->late += cell->first;
	}
}

/*
 * The nights that the last one is held against: those since the last change if they are enough, else those between it
 * and the change before, else all that count.
 */
static void choose_stretch(const struct night_cell *cell, size_t *from, size_t *to)
{
	size_t end = cell->values.n - 1;

	for (size_t i = cell->changes.n; i-- > 0;) {
		if (end - cell->changes.items[i].first >= NIGHTS_MIN) {
			*from = cell->changes.items[i].first;
			*to = end;
			return;
		}
		end = cell->changes.items[i].first;
	}
	*from = cell->first;
	*to = end - cell->first >= NIGHTS_MIN ? end : cell->values.n - 1;
}

static void test_night(struct night_cell *cell, double level)
{
	const struct night_value *now = &cell->values.items[cell->values.n - 1];
	AUTOFREE double *ratios = NULL, *owns = NULL;
	size_t from, to;

	choose_stretch(cell, &from, &to);
	ratios = figures_of(cell, from, to, false);
	owns = figures_of(cell, from, to, true);
	cell->against = from;
	cell->n_against = to - from;
	cell->test = night_test(ratios, cell->n_against, now->ratio, level);
	cell->own_change = night_test(owns, cell->n_against, now->own, level).change;
}

int night_better(const struct night_cell *cell, double log_change)
{
	enum better better = cell->series->metric->better;

	if (better == BETTER_NEITHER || !(log_change < 0 || log_change > 0))
		return 0;
	return (log_change > 0) == (better == BETTER_HIGHER) ? 1 : -1;
}

static bool is_large(double log_change, const struct gate_options *options)
{
	return fabs(expm1(log_change)) > options->min_effect;
}

static enum night_verdict verdict_of_change(const struct night_cell *cell, double log_change)
{
	int better = night_better(cell, log_change);

	return better < 0 ? NIGHT_REGRESSED : better > 0 ? NIGHT_IMPROVED : NIGHT_CHANGED;
}

/* The last change that is large; NULL if there is none. */
static const struct change *last_change(const struct night_cell *cell, const struct gate_options *options)
{
	for (size_t i = cell->changes.n; i-- > 0;)
		if (is_large(cell->changes.items[i].after - cell->changes.items[i].before, options))
			return &cell->changes.items[i];
	return NULL;
}

/* The night itself says most; then the last change: what got worse stays so until it gets better. */
static void set_verdict(struct night_cell *cell, const struct gate_options *options)
{
	bool significant = cell->p <= NIGHTS_ALPHA && is_large(cell->test.change, options);

	cell->since = last_change(cell, options);
	/* another change than the one before */
	if (significant && cell->since && (cell->against >= cell->since->first ||
					   (cell->test.change > 0) != (cell->since->after > cell->since->before)))
		cell->since = NULL;
	if (cell->since)
		cell->verdict = verdict_of_change(cell, cell->since->after - cell->since->before);
	else if (significant)
		cell->verdict = verdict_of_change(cell, cell->test.change);
	else if (expm1(cell->test.detectable) > options->tolerance)
		missing(cell, NIGHT_NOISY, mem_printf("only a change of more than %.0f%% would be seen; nights differ by %.1f%%",
						      100 * expm1(cell->test.detectable), 100 * cell->test.sd));
}

static int by_p(const void *va, const void *vb)
{
	double a = (*(struct night_cell *const *)va)->test.p, b = (*(struct night_cell *const *)vb)->test.p;

	return (a > b) - (a < b);
}

/*
 * Half of the error is for the night (Holm 1979), half for changes in the nights before (Bonferroni); both are
 * two-sided, so that the halves for the worse add up to NIGHTS_ALPHA. Neither assumes anything of how the cells depend on
 * each other: nights are too few to learn it from.
 */
static void judge_family(struct night_cell *cells, size_t n, const struct gate_options *options)
{
	AUTOFREE struct night_cell **family = mem_alloc(n, sizeof(*family));
	size_t size = 0;
	double p = 0;

	for (size_t i = 0; i < n; i++)
		if (cells[i].verdict == NIGHT_SAME)
			family[size++] = &cells[i];
	for (size_t i = 0; i < size; i++) {
		find_changes(family[i], NIGHTS_ALPHA / (double)size);
		test_night(family[i], NIGHTS_ALPHA / (double)size);
	}
	if (size)
		qsort(family, size, sizeof(struct night_cell *), by_p);
	for (size_t i = 0; i < size; i++) {
		p = fmax(p, fmin(1, family[i]->test.p * (double)(size - i)));
		family[i]->p = p;
		set_verdict(family[i], options);
	}
}

/* One cell for all its sweeps and environments of the night. */
static bool is_told(const members_t *night, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_cell(night->items[k], night->items[i]))
			return true;
	return false;
}

static bool is_chosen(const struct gathering *g, const struct series *s)
{
	return !g->options->chosen || g->options->chosen[index_in(g->set, s)];
}

static void add_cells(const struct gathering *g, struct gate *out)
{
	const members_t *night = judged_night(g);

	for (size_t i = 0; i < night->n; i++)
		if (!is_told(night, i) &&
		    (is_chosen(g, night->items[i]) || same_text(night->items[i]->variant, g->options->reference)))
			add_cell(g, night->items[i], out);
}

/* Also as a cell without a run, which has no actor. */
static bool is_in(const members_t *night, const struct series *s)
{
	for (size_t i = 0; i < night->n; i++)
		if (same_cell(night->items[i], s) || (night->items[i]->config == s->config && !series_has_data(night->items[i])))
			return true;
	return false;
}

/* A sweep that did not come to be, or a plan that was changed: no figure is worse, but somebody may wonder. */
static void add_gone(const struct gathering *g, struct gate *out)
{
	size_t n = g->nights->n;
	const members_t *before = n > 1 ? &g->of_night[n - 2] : NULL;

	for (size_t i = 0; before && i < before->n; i++) {
		const struct series *s = before->items[i];

		if (series_has_data(s) && is_chosen(g, s) && !same_text(s->variant, g->options->reference) &&
		    !is_told(before, i) && !is_in(judged_night(g), s))
			missing(new_cell(g, s, out), NIGHT_GONE,
				mem_printf("measured in the night of %s, not in this one", g->nights->items[n - 2].date));
	}
}

void gate_make(const struct series_set *set, const nights_t *nights, const struct gate_options *options,
	       struct gate *out)
{
	AUTOFREE members_t *of_night = mem_alloc(nights->n, sizeof(*of_night));
	struct gathering g = { set, nights, options, of_night };

	out->options = *options;
	sort_into_nights(&g);
	add_cells(&g, out);
	add_gone(&g, out);
	judge_family(out->cells.items, out->cells.n, options);
	judge_family(out->references.items, out->references.n, options);
	for (size_t i = 0; i < out->cells.n; i++) {
		enum night_verdict verdict = out->cells.items[i].verdict;

		out->count[verdict]++;
		out->verdict = verdict > out->verdict ? verdict : out->verdict;
	}
	for (size_t i = 0; i < nights->n; i++)
		vec_free(&of_night[i]);
}

int gate_exit(const struct gate *g)
{
	switch (g->verdict) {
	case NIGHT_REGRESSED:
		return 10;
	case NIGHT_NOISY:
	case NIGHT_NO_REFERENCE:
	case NIGHT_NOT_MEASURED:
		return 11;
	case NIGHT_FEW:
	case NIGHT_NOT_OFFERED:
	case NIGHT_GONE:
		return 12;
	default:
		return 0;
	}
}

void gate_release(struct gate *g)
{
	for (size_t i = 0; i < g->cells.n + g->references.n; i++) {
		struct night_cell *cell = i < g->cells.n ? &g->cells.items[i] : &g->references.items[i - g->cells.n];

		vec_free(&cell->values);
		vec_free(&cell->changes);
		free(cell->why);
	}
	vec_free(&g->cells);
	vec_free(&g->references);
	*g = (struct gate){ 0 };
}
