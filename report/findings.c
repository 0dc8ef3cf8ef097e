// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/group.h"

#define DENT_DEPTH 0.8	/* its bottom is at most so much of the lower one of its ends (the 2017 dent: 0.62) */
#define CLIFF_DEPTH 0.7 /* left after the step */
#define UNSTABLE 0.1	/* half-width of the 95% interval over the mean; twice what 'iobench show' warns of */
#define UNSTABLE_MIN_RUNS 3

const char *const finding_names[FINDING_N] = {
	[FINDING_DENT] = "dent",   [FINDING_CLIFF] = "cliff", [FINDING_CROSSING] = "cross-over",
	[FINDING_TRADE] = "trade", [FINDING_LEVEL] = "ahead", [FINDING_UNSTABLE] = "unstable",
};

/* A subset's variants over its job counts, in one metric. 'g', 'h' are groups, 'j' job counts everywhere below. */
struct line {
	const struct subset *subset;
	const struct metric *metric;
	groups_t groups;
	strings_t jobs;		       /* rising; "" where a cell has none */
	const struct series **cells;   /* [j * groups.n + g]; NULL: no data */
	size_t *pairs;		       /* [(g * groups.n + h) * jobs.n + j], g < h: place in the family + 1; 0: none */
	size_t *steps;		       /* [g * jobs.n + j]: from j to j + 1, likewise */
	bool *in_dent;		       /* [g * jobs.n + j]: job counts of g's dents, with their ends */
	bool *shaped;		       /* [g * groups.n + h], g < h: a dent says it already */
};
typedef VEC(struct line) lines_t;

struct maker {
	lines_t lines;
	struct comparison family;
	struct findings *out;
};

/* g against h in one cell, or a step against the one before. */
struct relation {
	bool known;
	double ratio;
	int sign; /* 1: more, -1: less, 0: no change that counts */
	double p;
	size_t n_low, n_high; /* runs of either side */
};

/* ---- the family ---- */

static const struct series *cell_at(const struct line *l, size_t g, size_t j)
{
	return l->cells[j * l->groups.n + g];
}

static void fill_line(struct line *l)
{
	const members_t *members = &l->subset->members;

	for (size_t i = 0; i < members->n; i++)
		if (!strings_has(&l->jobs, series_jobs(members->items[i])))
			strings_add(&l->jobs, series_jobs(members->items[i]));
	if (l->jobs.n)
		qsort(l->jobs.items, l->jobs.n, sizeof(*l->jobs.items), series_jobs_order);
	groups_find(members, &l->groups);
	l->cells = mem_alloc(l->jobs.n * l->groups.n, sizeof(*l->cells));
	l->pairs = mem_alloc(l->groups.n * l->groups.n * l->jobs.n, sizeof(*l->pairs));
	l->steps = mem_alloc(l->groups.n * l->jobs.n, sizeof(*l->steps));
	l->in_dent = mem_alloc(l->groups.n * l->jobs.n, sizeof(*l->in_dent));
	l->shaped = mem_alloc(l->groups.n * l->groups.n, sizeof(*l->shaped));
	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];
		size_t j = 0;

		while (strcmp(l->jobs.items[j], series_jobs(s)) != 0)
			j++;
		if (series_has_data(s))
			l->cells[j * l->groups.n + group_index(&l->groups, s)] = s;
	}
}

static size_t add_comparison(struct maker *m, const struct series *a, const struct series *b)
{
	members_t of_a = { 0 }, of_b = { 0 };

	if (!a || !b)
		return 0;
	*vec_push(&of_a) = a;
	*vec_push(&of_b) = b;
	compare_add(&m->family, &of_a, &of_b);
	vec_free(&of_a);
	vec_free(&of_b);
	return m->family.cells.n;
}

static void add_line_comparisons(struct maker *m, struct line *l)
{
	size_t n = l->groups.n;

	for (size_t j = 0; j < l->jobs.n; j++)
		for (size_t g = 0; g < n; g++) {
			for (size_t h = g + 1; h < n; h++)
				l->pairs[(g * n + h) * l->jobs.n + j] =
					add_comparison(m, cell_at(l, g, j), cell_at(l, h, j));
			/* steps are looked for in throughput only */
			if (j + 1 < l->jobs.n && l->metric->better == BETTER_HIGHER)
				l->steps[g * l->jobs.n + j] = add_comparison(m, cell_at(l, g, j), cell_at(l, g, j + 1));
		}
}

static struct relation relation_of(const struct maker *m, size_t place, bool turned)
{
	const struct compare_cell *c = place ? &m->family.cells.items[place - 1] : NULL;
	struct relation r = { 0 };

	if (!c || isnan(c->change.value))
		return r;
	r.known = true;
	r.ratio = turned ? 1 / c->change.value : c->change.value;
	r.sign = c->verdict != COMPARE_CHANGED ? 0 : r.ratio > 1 ? 1 : -1;
	r.p = c->p;
	r.n_low = c->of_a.n < c->of_b.n ? c->of_a.n : c->of_b.n;
	r.n_high = c->of_a.n > c->of_b.n ? c->of_a.n : c->of_b.n;
	return r;
}

/* g against h. */
static struct relation relation(const struct maker *m, const struct line *l, size_t g, size_t h, size_t j)
{
	size_t low = g < h ? g : h, high = g < h ? h : g;

	/* the family has the lower group as side A, and a change is that of B */
	return relation_of(m, l->pairs[(low * l->groups.n + high) * l->jobs.n + j], g < h);
}

static struct relation step(const struct maker *m, const struct line *l, size_t g, size_t j)
{
	return relation_of(m, l->steps[g * l->jobs.n + j], false);
}

/* ---- words ---- */

static void add_finding(struct maker *m, enum finding_kind kind, double strength, char *text, char *hint)
{
	*vec_push(&m->out->list) = (struct finding){ kind, fabs(strength), text, hint };
}

static const char *name_of(const struct line *l, size_t g)
{
	return l->groups.items[g].name;
}

/* What relations over a range of job counts have in common. */
struct range {
	bool any;
	double low, high; /* ratio */
	double p;
	size_t n_low, n_high, count;
	size_t first, last; /* job counts */
};

static void range_add(struct range *r, const struct relation *x, size_t j)
{
	if (!r->any)
		*r = (struct range){ true, x->ratio, x->ratio, x->p, x->n_low, x->n_high, 0, j, j };
	r->low = fmin(r->low, x->ratio);
	r->high = fmax(r->high, x->ratio);
	r->p = fmax(r->p, x->p);
	r->n_low = x->n_low < r->n_low ? x->n_low : r->n_low;
	r->n_high = x->n_high > r->n_high ? x->n_high : r->n_high;
	r->last = j;
	r->count++;
}

/* "64-81%" */
static void add_percents(struct str *out, double low, double high)
{
	long a = lround(100 * low), b = lround(100 * high);

	if (a == b)
		str_addf(out, "%ld%%", a);
	else
		str_addf(out, "%ld-%ld%%", a, b);
}

/* By how much something is above ("12-30% more"), from ratios above 1; from 3 on as "3.2-4.0 times". */
static void add_more(struct str *out, double low, double high, const char *more)
{
	if (low < 3) {
		add_percents(out, low - 1, high - 1);
		str_addf(out, " %s", more);
	} else if (lround(10 * low) == lround(10 * high)) {
		str_addf(out, "%.1f times", low);
	} else {
		str_addf(out, "%.1f-%.1f times", low, high);
	}
}

/* "(n=10 each, p<0.001)" */
static void add_evidence(struct str *out, const struct range *r)
{
	if (r->n_low == r->n_high)
		str_addf(out, " (n=%zu each, ", r->n_low);
	else
		str_addf(out, " (n=%zu-%zu, ", r->n_low, r->n_high);
	if (r->p < 0.001)
		str_add(out, "p<0.001)");
	else
		str_addf(out, "p=%.3f)", r->p);
}

/* ", 2-7 jobs" */
static void add_jobs(struct str *out, const struct line *l, size_t first, size_t last)
{
	if (!*l->jobs.items[last])
		return;
	if (first == last)
		str_addf(out, ", %s job%s", l->jobs.items[first], strcmp(l->jobs.items[first], "1") ? "s" : "");
	else
		str_addf(out, ", %s-%s jobs", l->jobs.items[first], l->jobs.items[last]);
}

/* "sequential reads, 2-7 jobs: " */
static void add_where(struct str *out, const struct line *l, const struct range *r)
{
	str_add(out, l->subset->title);
	add_jobs(out, l, r->first, r->last);
	if (r->count < r->last - r->first + 1)
		str_addf(out, " (%zu of %zu job counts)", r->count, r->last - r->first + 1);
	str_add(out, ": ");
}

/* ---- dents ---- */

/* A dent that ends with the 8th queue is a known one. */
static char *dent_hint(const struct line *l, size_t g, size_t after)
{
	const char *variant = l->groups.items[g].series->variant;

	if (!variant || !str_starts(variant, "bfq") || strcmp(l->jobs.items[after], "8") || strstr(variant, "low_latency=0"))
		return NULL;
	return mem_printf("bfq raises the weight of new queues for latency (low_latency), but not of 8 or more that are created "
			  "together (bfq_large_burst_thresh = 8 in block/bfq-iosched.c): that the dent ends at 8 jobs fits this; "
			  "try %s:low_latency=0",
			  variant);
}

struct dent {
	struct range bottom;
	double ends; /* the lower one of the two */
	struct relation after;
	size_t h; /* against which */
};

/* The run of job counts from 'first' on where g is below h, if it is a dent; *next is where to go on. */
static bool find_dent(const struct maker *m, const struct line *l, size_t g, size_t h, size_t first, size_t *next,
		      struct dent *out)
{
	struct relation before = { 0 }, r = { 0 };
	size_t j = first;

	*out = (struct dent){ .h = h };
	if (first)
		before = relation(m, l, g, h, first - 1);
	for (; j < l->jobs.n; j++) {
		r = relation(m, l, g, h, j);
		if (!r.known || r.sign >= 0)
			break;
		range_add(&out->bottom, &r, j);
	}
	*next = j > first ? j : first + 1;
	if (!out->bottom.any || !before.known || j == l->jobs.n || !r.known)
		return false;
	out->after = r;
	out->ends = fmin(before.ratio, r.ratio);
	return out->bottom.low <= DENT_DEPTH * out->ends;
}

static void mark_dent(struct line *l, size_t g, size_t first, size_t last)
{
	for (size_t j = first - 1; j <= last + 1; j++)
		l->in_dent[g * l->jobs.n + j] = true;
}

static void tell_dent(struct maker *m, struct line *l, size_t g, const struct dent *d)
{
	struct str text = { 0 };
	size_t after = d->bottom.last + 1;

	add_where(&text, l, &d->bottom);
	str_addf(&text, "%s falls to ", name_of(l, g));
	add_percents(&text, d->bottom.low, d->bottom.high);
	str_addf(&text, " of %s", name_of(l, d->h));
	add_evidence(&text, &d->bottom);
	if (d->after.sign > 0) {
		str_add(&text, " and is ");
		add_more(&text, d->after.ratio, d->after.ratio, "ahead");
		str_addf(&text, " at %s: a dent", l->jobs.items[after]);
	} else {
		str_addf(&text, " and cannot be told from it at %s: a dent", l->jobs.items[after]);
	}
	add_finding(m, FINDING_DENT, log(d->bottom.low / d->ends), str_steal(&text), dent_hint(l, g, after));
	mark_dent(l, g, d->bottom.first, d->bottom.last);
}

/* Told is the dent against the variant where it is deepest. */
static void find_dents_against_others(struct maker *m, struct line *l, size_t g)
{
	size_t n = l->groups.n;
	struct dent deepest = { 0 };
	size_t next;

	for (size_t h = 0; h < n; h++)
		for (size_t j = 0; h != g && j < l->jobs.n; j = next) {
			struct dent d;

			if (!find_dent(m, l, g, h, j, &next, &d))
				continue;
			l->shaped[(g < h ? g : h) * n + (g < h ? h : g)] = true;
			if (!deepest.bottom.any || d.bottom.low / d.ends < deepest.bottom.low / deepest.ends)
				deepest = d;
		}
	if (deepest.bottom.any)
		tell_dent(m, l, g, &deepest);
}

static double value_at(const struct line *l, size_t g, size_t j)
{
	const struct series *s = cell_at(l, g, j);
	AUTOFREE double *values = s ? mem_alloc(s->points.n, sizeof(*values)) : NULL;

	if (!s)
		return NAN;
	if (s->summary_only)
		return s->mean;
	for (size_t i = 0; i < s->points.n; i++)
		values[i] = s->points.items[i].value;
	return stats_of(values, s->points.n).mean;
}

/* A variant that falls in one step and rises in a later one shows a dent without any other to hold it against. */
static void find_own_dent(struct maker *m, struct line *l, size_t g)
{
	for (size_t i = 1; i + 1 < l->jobs.n; i++) {
		struct relation down = step(m, l, g, i - 1);
		double before = value_at(l, g, i - 1), low = INFINITY, high = 0;

		for (size_t k = i; down.known && down.sign < 0 && k + 1 < l->jobs.n; k++) {
			struct relation up = step(m, l, g, k);
			double after = value_at(l, g, k + 1);
			struct range bottom = { 0 };
			struct str text = { 0 };

			low = fmin(low, value_at(l, g, k));
			high = fmax(high, value_at(l, g, k));
			if (!up.known || up.sign <= 0 || !(high <= DENT_DEPTH * fmin(before, after)))
				continue;
			range_add(&bottom, &down, i);
			range_add(&bottom, &up, k);
			bottom.count = k - i + 1;
			add_where(&text, l, &bottom);
			str_addf(&text, "%s falls to ", name_of(l, g));
			add_percents(&text, low / before, high / before);
			str_addf(&text, " of what it does at %s", l->jobs.items[i - 1]);
			add_evidence(&text, &bottom);
			str_add(&text, " and is back at ");
			add_percents(&text, after / before, after / before);
			str_addf(&text, " at %s: a dent", l->jobs.items[k + 1]);
			add_finding(m, FINDING_DENT, log(low / fmin(before, after)), str_steal(&text), dent_hint(l, g, k + 1));
			mark_dent(l, g, i, k);
			return;
		}
	}
}

static bool has_dent(const struct line *l, size_t g)
{
	for (size_t j = 0; j < l->jobs.n; j++)
		if (l->in_dent[g * l->jobs.n + j])
			return true;
	return false;
}

static void find_dents(struct maker *m, struct line *l)
{
	for (size_t g = 0; g < l->groups.n; g++) {
		find_dents_against_others(m, l, g);
		if (!has_dent(l, g))
			find_own_dent(m, l, g);
	}
}

/* ---- cliffs ---- */

/* All variants that fall in one step are told together: that may be the disk's doing. */
static void find_cliffs(struct maker *m, struct line *l)
{
	for (size_t j = 0; j + 1 < l->jobs.n; j++) {
		struct range range = { 0 };
		struct str who = { 0 }, text = { 0 };

		for (size_t g = 0; g < l->groups.n; g++) {
			struct relation r = step(m, l, g, j);

			if (!r.known || r.sign >= 0 || r.ratio > CLIFF_DEPTH || l->in_dent[g * l->jobs.n + j])
				continue;
			str_addf(&who, "%s%s", range.any ? ", " : "", name_of(l, g));
			range_add(&range, &r, j);
		}
		if (range.any) {
			str_addf(&text, "%s: from %s to %s jobs %s fall%s to ", l->subset->title, l->jobs.items[j],
				 l->jobs.items[j + 1], str_text(&who), range.count == 1 ? "s" : "");
			add_percents(&text, range.low, range.high);
			add_evidence(&text, &range);
			str_add(&text, ": a cliff");
			add_finding(m, FINDING_CLIFF, log(range.low), str_steal(&text), NULL);
		}
		str_release(&who);
	}
}

/* ---- one variant against another ---- */

static double farthest(const struct range *r)
{
	return fmax(fabs(log(r->low)), fabs(log(r->high)));
}

/* "bfq is 12-30% ahead" of ratios that are all above 1, or all below for the other one. */
static void add_ahead(struct str *out, const struct line *l, size_t g, size_t h, const struct range *r)
{
	bool first = r->low > 1;

	str_addf(out, "%s is ", name_of(l, first ? g : h));
	add_more(out, first ? r->low : 1 / r->high, first ? r->high : 1 / r->low, "ahead");
	if (first ? r->low >= 3 : 1 / r->high >= 3)
		str_add(out, " ahead");
}

static void tell_crossing(struct maker *m, const struct line *l, size_t g, size_t h, const struct range *few,
			  const struct range *many)
{
	struct range both = *few;
	struct str text = { 0 };

	both.p = fmax(few->p, many->p);
	both.n_low = few->n_low < many->n_low ? few->n_low : many->n_low;
	both.n_high = few->n_high > many->n_high ? few->n_high : many->n_high;
	str_addf(&text, "%s: ", l->subset->title);
	add_ahead(&text, l, g, h, few);
	str_addf(&text, " up to %s job%s, ", l->jobs.items[few->last], strcmp(l->jobs.items[few->last], "1") ? "s" : "");
	add_ahead(&text, l, g, h, many);
	str_addf(&text, " from %s on", l->jobs.items[many->first]);
	add_evidence(&text, &both);
	str_add(&text, ": they cross over");
	add_finding(m, FINDING_CROSSING, fmin(farthest(few), farthest(many)), str_steal(&text), NULL);
}

static void tell_level(struct maker *m, const struct line *l, size_t g, size_t h, const struct range *r)
{
	bool first = r->low > 1;
	struct str text = { 0 };

	add_where(&text, l, r);
	add_ahead(&text, l, g, h, r);
	str_addf(&text, " of %s", name_of(l, first ? h : g));
	add_evidence(&text, r);
	add_finding(m, FINDING_LEVEL, farthest(r), str_steal(&text), NULL);
}

static void find_order(struct maker *m, const struct line *l, size_t g, size_t h)
{
	struct range part[2] = { 0 };
	size_t turns = 0;
	int last = 0;

	for (size_t j = 0; j < l->jobs.n; j++) {
		struct relation r = relation(m, l, g, h, j);

		if (!r.known || !r.sign)
			continue;
		turns += last && r.sign != last;
		last = r.sign;
		range_add(&part[turns > 0], &r, j);
	}
	if (turns == 1)
		tell_crossing(m, l, g, h, &part[0], &part[1]);
	else if (!turns && last)
		tell_level(m, l, g, h, &part[0]);
}

static void find_orders(struct maker *m, const struct line *l)
{
	for (size_t g = 0; g < l->groups.n; g++)
		for (size_t h = g + 1; h < l->groups.n; h++)
			if (!l->shaped[g * l->groups.n + h])
				find_order(m, l, g, h);
}

/* ---- trades ---- */

/* The same cells in another metric; its groups and job counts need not be at the same places. */
static bool same_place(const struct line *a, const struct line *b, size_t g, size_t j, size_t *of_g, size_t *of_j)
{
	const struct series *s = cell_at(a, g, j);

	for (*of_j = 0; *of_j < b->jobs.n; (*of_j)++)
		for (*of_g = 0; *of_g < b->groups.n; (*of_g)++) {
			const struct series *other = cell_at(b, *of_g, *of_j);

			if (s && other && other->cell == s->cell && other->sweep == s->sweep &&
			    same_text(b->groups.items[*of_g].name, a->groups.items[g].name) &&
			    same_text(b->jobs.items[*of_j], a->jobs.items[j]))
				return true;
		}
	return false;
}

static int goodness(const struct metric *metric, int sign)
{
	return metric->better == BETTER_LOWER ? -sign : sign;
}

/* g has more than h in the first metric and pays for it in the second. */
static void find_trade(struct maker *m, const struct line *l, const struct line *price, size_t g, size_t h)
{
	struct range gain = { 0 }, paid = { 0 };
	struct str text = { 0 };
	size_t pg, ph, pj, other_j;
	bool latency = price->metric->better == BETTER_LOWER;

	for (size_t j = 0; j < l->jobs.n; j++) {
		struct relation r = relation(m, l, g, h, j), p;

		if (!r.known || r.sign <= 0 || !same_place(l, price, g, j, &pg, &pj) ||
		    !same_place(l, price, h, j, &ph, &other_j))
			continue;
		p = relation(m, price, pg, ph, pj);
		if (!p.known || goodness(price->metric, p.sign) >= 0)
			continue;
		range_add(&gain, &r, j);
		range_add(&paid, &p, j);
	}
	if (!gain.any)
		return;
	paid.p = fmax(paid.p, gain.p);
	add_where(&text, l, &gain);
	add_ahead(&text, l, g, h, &gain);
	str_addf(&text, " of %s in %s, ", name_of(l, h), l->metric->title);
	str_add(&text, "for ");
	if (latency)
		add_more(&text, paid.low, paid.high, "more");
	else
		add_percents(&text, paid.low, paid.high);
	str_addf(&text, "%s %s", !latency ? " of its" : paid.low < 3 ? "" : " its", price->metric->title);
	add_evidence(&text, &paid);
	str_add(&text, ": a trade");
	add_finding(m, FINDING_TRADE, fmin(farthest(&gain), farthest(&paid)), str_steal(&text), NULL);
}

static void find_trades(struct maker *m, const struct line *l)
{
	for (size_t i = 0; i < m->lines.n; i++) {
		const struct line *price = &m->lines.items[i];

		if (price->metric == l->metric || !same_text(price->subset->title, l->subset->title))
			continue;
		for (size_t g = 0; g < l->groups.n; g++)
			for (size_t h = 0; h < l->groups.n; h++)
				if (g != h)
					find_trade(m, l, price, g, h);
	}
}

/* ---- unstable cells ---- */

static double half_width(const struct series *s)
{
	AUTOFREE double *values = mem_alloc(s->points.n, sizeof(*values));
	struct stats stats = stats_from_summary(s->n, s->mean, s->stddev);

	for (size_t i = 0; i < s->points.n; i++)
		values[i] = s->points.items[i].value;
	if (!s->summary_only)
		stats = stats_of(values, s->points.n);
	return stats.n < UNSTABLE_MIN_RUNS ? NAN : (stats.mean_high - stats.mean_low) / 2 / stats.mean;
}

static void find_unstable(struct maker *m, const struct line *l)
{
	for (size_t g = 0; g < l->groups.n; g++) {
		struct range range = { 0 };
		struct str text = { 0 };

		for (size_t j = 0; j < l->jobs.n; j++) {
			const struct series *s = cell_at(l, g, j);
			double half = s ? half_width(s) : NAN;
			size_t n = !s ? 0 : s->summary_only ? s->n : s->points.n;

			if (half > UNSTABLE)
				range_add(&range, &(struct relation){ .ratio = half, .n_low = n, .n_high = n }, j);
		}
		if (!range.any)
			continue;
		add_where(&text, l, &range);
		str_addf(&text, "%s is unstable: the 95%% interval of its mean is +-%ld%%", name_of(l, g), lround(100 * range.low));
		if (lround(100 * range.high) != lround(100 * range.low))
			str_addf(&text, " to +-%ld%%", lround(100 * range.high));
		if (range.n_low == range.n_high)
			str_addf(&text, " (n=%zu)", range.n_low);
		else
			str_addf(&text, " (n=%zu-%zu)", range.n_low, range.n_high);
		add_finding(m, FINDING_UNSTABLE, log1p(range.high), str_steal(&text), NULL);
	}
}

/* ---- all of it ---- */

/* What is paid for throughput: fio's p99 and Jain's index over the jobs. */
const struct metric *const *findings_metrics(void)
{
	static const struct metric *metrics[5];

	if (!metrics[0]) {
		metrics[3] = metric_find("job_bw_jain");
		metrics[2] = metric_find("clat_p99");
		metrics[1] = metric_find("bw");
		metrics[0] = metric_find("iops");
	}
	return metrics;
}

static bool any_of(const struct series_set *set, const struct metric *metric)
{
	for (size_t i = 0; i < set->list.n; i++)
		if (set->list.items[i].metric == metric && series_has_data(&set->list.items[i]))
			return true;
	return false;
}

static void add_lines(struct maker *m, const subsets_t *subsets, const struct metric *metric)
{
	for (size_t i = 0; i < subsets->n; i++) {
		struct line *l = vec_push(&m->lines);

		*l = (struct line){ .subset = &subsets->items[i], .metric = metric };
		fill_line(l);
		add_line_comparisons(m, l);
	}
}

static void line_release(struct line *l)
{
	groups_release(&l->groups);
	strings_release(&l->jobs);
	free(l->cells);
	free(l->pairs);
	free(l->steps);
	free(l->in_dent);
	free(l->shaped);
}

static int stronger_first(const void *va, const void *vb)
{
	const struct finding *a = va, *b = vb;

	if (a->strength != b->strength)
		return a->strength < b->strength ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void look_at(struct maker *m, struct line *l, const struct metric *throughput)
{
	if (l->metric != throughput)
		return;
	find_dents(m, l);
	find_cliffs(m, l);
	find_orders(m, l);
	find_trades(m, l);
	find_unstable(m, l);
}

void findings_make(const struct series_set *set, double min_effect, struct findings *out)
{
	const struct metric *const *metrics = findings_metrics();
	/* either says the same of a live run; published tables have one of them */
	const struct metric *throughput = any_of(set, metrics[0]) ? metrics[0] : metrics[1];
	const struct metric *const wanted[] = { throughput, metrics[2], metrics[3] };
	subsets_t subsets[ARRAY_LEN(wanted)] = { 0 };
	struct maker m = { .out = out };

	out->min_effect = min_effect;
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (any_of(set, wanted[i]))
			subsets_find(set, wanted[i], &subsets[i]);
		add_lines(&m, &subsets[i], wanted[i]);
	}
	compare_judge(&m.family, &(struct compare_options){ .min_effect = min_effect });
	for (size_t i = 0; i < m.lines.n; i++)
		look_at(&m, &m.lines.items[i], throughput);
	out->family = m.family.family;
	out->unjudged = m.family.cells.n - m.family.family;
	for (size_t i = 0; i < m.family.cells.n; i++)
		out->n_unknown = out->n_unknown || !m.family.cells.items[i].of_a.n || !m.family.cells.items[i].of_b.n;
	if (out->list.n)
		qsort(out->list.items, out->list.n, sizeof(*out->list.items), stronger_first);
	comparison_release(&m.family);
	for (size_t i = 0; i < m.lines.n; i++)
		line_release(&m.lines.items[i]);
	vec_free(&m.lines);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		subsets_release(&subsets[i]);
}

struct table *findings_table(const struct findings *f)
{
	struct table *t = table_new("findings", "findings");
	struct table_column *c;
	const char *why = f->n_unknown ? "too few runs, or it is not known how many" : "too few runs";
	bool differences = false;

	for (size_t i = 0; i < f->list.n; i++)
		differences = differences || f->list.items[i].kind != FINDING_UNSTABLE;
	t->style = TABLE_LIST;
	if (!f->family && f->unjudged) {
		t->caption = mem_printf("no verdict possible in %zu comparison%s: %s", f->unjudged, f->unjudged == 1 ? "" : "s",
					why);
	} else if (!f->family) {
		t->caption = mem_strdup("nothing to compare: findings are about I/O rates and bandwidths of several variants or "
					"job counts");
	} else {
		t->caption = mem_printf("%s%zu comparison%s, p adjusted for all of them; what changes by less than %g%% is not "
					"named",
					differences ? "" : f->list.n ? "No difference sticks out. " : "Nothing sticks out. ",
					f->family, f->family == 1 ? "" : "s", f->min_effect * 100);
		if (f->unjudged)
			*vec_push(&t->notes) = mem_printf("no verdict possible in %zu more: %s", f->unjudged, why);
	}
	c = table_add_column(t, "number", "number", NULL, NULL);
	c->is_label = c->for_machines = true;
	table_add_column(t, "kind", "kind", NULL, NULL)->for_machines = true;
	table_add_column(t, "effect", "effect", "%", "size of the effect, up or down")->for_machines = true;
	table_add_column(t, "finding", "finding", NULL, NULL);
	table_add_column(t, "hint", "hint", NULL, NULL)->for_machines = true;
	for (size_t i = 0; i < f->list.n; i++) {
		struct table_row *row = table_add_row(t);

		table_set_integer(row, 0, (double)i + 1);
		table_set_text(row, 1, finding_names[f->list.items[i].kind]);
		table_set_real(row, 2, 100 * expm1(f->list.items[i].strength), 0);
		table_set_text(row, 3, f->list.items[i].text);
		table_set_text(row, 4, f->list.items[i].hint);
		row->note = mem_strdup(f->list.items[i].hint);
	}
	return t;
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->list.n; i++) {
		free(f->list.items[i].text);
		free(f->list.items[i].hint);
	}
	vec_free(&f->list);
}
