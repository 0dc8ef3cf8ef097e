// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout 'compare': a row a cell that both sides have, what sticks out most first. Without sides every variant is
 * held against the first one of the set, a table each and all of them one family.
 */
#include <math.h>
#include <string.h>

#include "report/compare.h"
#include "report/view.h"

#define ROW_NOTES_MAX 3 /* with the same words */

struct pair {
	const char *name_a, *name_b;
	const struct metric *metric;
	size_t first, end; /* its cells in the comparison */
};
typedef VEC(struct pair) pairs_t;

static double middle_of(const struct compare_cell *cell, const struct stats *s)
{
	return cell->a.items[0]->metric->flags & METRIC_PERCENTILE && !isnan(s->median) ? s->median : s->mean;
}

/* Axes, and the variant, that tell the rows of a table apart. */
static void find_labels(const struct comparison *c, const struct pair *pair, strings_t *labels)
{
	const struct series *first = c->cells.items[pair->first].a.items[0];

	for (size_t i = pair->first; i < pair->end; i++) {
		const struct series *s = c->cells.items[i].a.items[0];

		if (!same_text(s->variant, first->variant) && !strings_has(labels, "variant"))
			strings_add(labels, "variant");
		for (size_t k = 0; k < s->axes.n; k++) {
			const char *name = s->axes.items[k].name;

			/* pattern and job count name a cell to whoever reads, also where there is one of them */
			if ((!same_text(s->axes.items[k].value, series_axis(first, name)) || !strcmp(name, "pattern") ||
			     !strcmp(name, "numjobs")) &&
			    !strings_has(labels, name))
				strings_add(labels, name);
		}
	}
}

static void set_label(struct table_row *row, size_t column, const struct compare_cell *cell, const char *name)
{
	const struct series *s = cell->a.items[0];
	const char *of_a = !strcmp(name, "variant") ? s->variant : series_axis(s, name);
	const char *of_b = !strcmp(name, "variant") ? cell->b.items[0]->variant : series_axis(cell->b.items[0], name);
	AUTOFREE char *both = same_text(of_a, of_b) ? NULL : mem_printf("%s/%s", of_a ? of_a : "", of_b ? of_b : "");
	size_t len = of_a ? strlen(of_a) : 0;

	if (!both && len && len < 16 && strspn(of_a, "0123456789") == len)
		table_set_integer(row, column, strtod(of_a, NULL));
	else
		table_set_text(row, column, both ? both : of_a);
}

static void add_columns(struct table *t, const struct pair *pair, const strings_t *labels, const struct metric *m)
{
	const char *middle = m->flags & METRIC_PERCENTILE ? "median over runs of each run's percentile" : "mean over runs";
	struct table_column *c;

	for (size_t i = 0; i < labels->n; i++) {
		c = table_add_column(t, !strcmp(labels->items[i], "numjobs") ? "jobs" : labels->items[i], labels->items[i],
				     NULL, NULL);
		c->is_label = true;
		c->width = strlen(c->head);
	}
	c = table_add_column(t, "A", "a", m->print_unit, middle);
	c->series = mem_strdup(pair->name_a);
	c = table_add_column(t, "B", "b", m->print_unit, middle);
	c->series = mem_strdup(pair->name_b);
	table_add_column(t, "change", "change", "%", "B over A, Hodges-Lehmann")->group = mem_strdup("percent");
	table_add_column(t, "from", "low", "%", "95% interval of the change")->group = mem_strdup("percent");
	table_add_column(t, "to", "high", "%", "95% interval of the change")->group = mem_strdup("percent");
	table_add_column(t, "family", "p", NULL, "p adjusted for all cells")->group = mem_strdup("p");
	table_add_column(t, "alone", "p_alone", NULL, "p of the cell alone, not adjusted")->group = mem_strdup("p");
	table_add_column(t, "", "verdict", NULL, NULL);
	table_add_column(t, "n A", "n_a", NULL, NULL)->for_machines = true;
	table_add_column(t, "n B", "n_b", NULL, NULL)->for_machines = true;
	table_add_column(t, "how", "how", NULL, NULL)->for_machines = true;
}

static const char *verdict_of(const struct compare_cell *cell)
{
	int better = compare_cell_better(cell);

	if (cell->verdict == COMPARE_NO_VERDICT)
		return "?";
	if (cell->verdict == COMPARE_ALIKE)
		return "~";
	return better > 0 ? "better" : better < 0 ? "worse" : "changed";
}

static const char *const how_names[] = {
	[COMPARE_PAIRED] = "paired",
	[COMPARE_UNPAIRED] = "unpaired",
	[COMPARE_SWEEPS] = "sweeps",
	[COMPARE_SUMMARIES] = "summaries",
};

static void set_p(struct table_row *row, size_t column, double p)
{
	table_set_real(row, column, p, 3);
	row->cells[column].as_bound = true;
}

/* Digits behind the point of both sides; large numbers would break the line, and have enough before it. */
static int decimals_of(const struct comparison *c, const struct pair *pair)
{
	double largest = 0;

	for (size_t i = pair->first; i < pair->end; i++) {
		const struct compare_cell *cell = &c->cells.items[i];

		largest = fmax(largest, fabs(middle_of(cell, &cell->of_a)));
		largest = fmax(largest, fabs(middle_of(cell, &cell->of_b)));
	}
	largest *= pair->metric->print_scale;
	return largest < 10 ? 3 : largest < 10000 ? 1 : 0;
}

/* What many cells have in common is told once. */
static bool often(const struct comparison *c, const struct pair *pair, const char *why)
{
	size_t n = 0;

	for (size_t i = pair->first; why && i < pair->end; i++)
		n += same_text(c->cells.items[i].why, why);
	return n > ROW_NOTES_MAX;
}

static void add_common_reasons(struct table *t, const struct comparison *c, const struct pair *pair)
{
	for (size_t i = pair->first; i < pair->end; i++) {
		const char *why = c->cells.items[i].why;
		AUTOFREE char *note = why ? mem_printf("?: %s", why) : NULL;

		if (often(c, pair, why) && !strings_has(&t->notes, note))
			strings_add(&t->notes, note);
	}
}

static void add_row(struct table *t, const struct compare_cell *cell, const strings_t *labels, int decimals, bool with_note)
{
	struct table_row *row = table_add_row(t);
	double scale = cell->a.items[0]->metric->print_scale;
	size_t c = labels->n;

	for (size_t i = 0; i < labels->n; i++)
		set_label(row, i, cell, labels->items[i]);
	table_set_real(row, c++, middle_of(cell, &cell->of_a) * scale, decimals);
	table_set_real(row, c++, middle_of(cell, &cell->of_b) * scale, decimals);
	table_set_real(row, c++, (cell->change.value - 1) * 100, 1);
	table_set_real(row, c++, (cell->change.low - 1) * 100, 1);
	table_set_real(row, c++, (cell->change.high - 1) * 100, 1);
	set_p(row, c++, cell->p);
	set_p(row, c++, cell->p_rank);
	table_set_text(row, c++, verdict_of(cell));
	table_set_integer(row, c++, cell->of_a.n ? (double)cell->of_a.n : NAN);
	table_set_integer(row, c++, cell->of_b.n ? (double)cell->of_b.n : NAN);
	table_set_text(row, c, how_names[cell->how]);
	row->note = with_note ? mem_strdup(cell->why) : NULL;
}

/* "n=10", "n=8-10", "n unknown" */
static void add_n(const struct comparison *c, const struct pair *pair, struct str *out)
{
	size_t low = SIZE_MAX, high = 0;

	for (size_t i = pair->first; i < pair->end; i++) {
		const struct compare_cell *cell = &c->cells.items[i];
		size_t least = cell->of_a.n < cell->of_b.n ? cell->of_a.n : cell->of_b.n;
		size_t most = cell->of_a.n > cell->of_b.n ? cell->of_a.n : cell->of_b.n;

		low = least < low ? least : low;
		high = most > high ? most : high;
	}
	if (!high)
		str_add(out, "n unknown");
	else if (low == high)
		str_addf(out, "n=%zu", low);
	else
		str_addf(out, "n=%zu-%zu", low, high);
}

static bool any_how(const struct comparison *c, const struct pair *pair, enum compare_how how)
{
	for (size_t i = pair->first; i < pair->end; i++)
		if (c->cells.items[i].how == how && c->cells.items[i].verdict != COMPARE_NO_VERDICT)
			return true;
	return false;
}

static bool any_verdict(const struct comparison *c, const struct pair *pair)
{
	for (size_t i = pair->first; i < pair->end; i++)
		if (c->cells.items[i].verdict != COMPARE_NO_VERDICT)
			return true;
	return false;
}

/* What the means are over, verdict or not. */
static const char *units_of(const struct comparison *c, const struct pair *pair)
{
	size_t sweeps = 0;

	for (size_t i = pair->first; i < pair->end; i++)
		sweeps += c->cells.items[i].how == COMPARE_SWEEPS;
	return !sweeps ? "runs" : sweeps == pair->end - pair->first ? "sweeps" : "sweeps or runs";
}

static char *caption_of(const struct comparison *c, const struct pair *pair, const struct metric *m)
{
	static const char *const better[] = {
		[BETTER_NEITHER] = "", [BETTER_HIGHER] = " (higher is better)", [BETTER_LOWER] = " (lower is better)"
	};
	struct str text = { 0 };

	str_addf(&text, "%s%s%s%s: %s over %s, ", m->title, *m->print_unit ? " in " : "", m->print_unit, better[m->better],
		 m->flags & METRIC_PERCENTILE ? "median" : "mean", units_of(c, pair));
	add_n(c, pair, &text);
	return str_steal(&text);
}

static bool all_summaries(const struct comparison *c, const struct pair *pair)
{
	for (size_t i = pair->first; i < pair->end; i++)
		if (c->cells.items[i].how != COMPARE_SUMMARIES)
			return false;
	return true;
}

/* How the figures came to be, for whoever doubts them. */
static void add_method(struct table *t, const struct comparison *c, const struct pair *pair, double min_effect)
{
	/* whoever divides B by A finds another change where one run was far off */
	if (!all_summaries(c, pair))
		*vec_push(&t->notes) = mem_printf("change: B over A by Hodges-Lehmann, a median of ratios, not the ratio of the %ss%s",
						  pair->metric->flags & METRIC_PERCENTILE ? "median" : "mean",
						  any_verdict(c, pair) ? "; from, to: its 95% interval" : "");
	else if (any_verdict(c, pair))
		strings_add(&t->notes, "from, to: the 95% interval of the change");
	if (any_how(c, pair, COMPARE_PAIRED))
		strings_add(&t->notes, "runs are paired within blocks; p alone: Wilcoxon's signed ranks, not adjusted");
	if (any_how(c, pair, COMPARE_UNPAIRED))
		strings_add(&t->notes, "the sides were not measured together: what changed between them is in the change; "
				       "p alone: Mann-Whitney, not adjusted");
	if (any_how(c, pair, COMPARE_SWEEPS))
		strings_add(&t->notes, "each sweep counts once, with the mean of the logs of its runs: what changes from sweep to "
				       "sweep anyway is in the interval and in p; p alone: Mann-Whitney, not adjusted");
	if (any_how(c, pair, COMPARE_PAIRED) || any_how(c, pair, COMPARE_UNPAIRED) || any_how(c, pair, COMPARE_SWEEPS))
		*vec_push(&t->notes) = mem_printf("p family: Westfall-Young step-down maxT over the %zu cell%s of this "
						  "comparison, %s%zu resamplings of whole %s",
						  c->family, c->family == 1 ? "" : "s", c->how.every ? "all " : "", c->how.draws,
						  any_how(c, pair, COMPARE_SWEEPS) ? "sweeps" : "blocks");
	if (any_how(c, pair, COMPARE_SUMMARIES))
		*vec_push(&t->notes) = mem_printf("from n, mean and stddev alone: Welch's t, p family: Holm over the %zu "
						  "cell%s of this comparison; the change is that of the means",
						  c->family, c->family == 1 ? "" : "s");
	if (any_verdict(c, pair))
		*vec_push(&t->notes) = mem_printf("~: no change that is significant (p family <= %g) and larger than %g%%",
						  COMPARE_ALPHA, min_effect * 100);
}

static struct table *make_table(const struct comparison *c, const struct pair *pair, const struct view_sides *sides,
				bool several)
{
	const struct metric *m = pair->metric;
	AUTOFREE char *title = mem_printf("%s against %s%s%s", pair->name_b, pair->name_a, several ? ": " : "",
					  several ? m->title : "");
	AUTOFREE char *label = several ? mem_printf("compare-%s", m->name) : mem_strdup("compare");
	AUTOFREE size_t *order = compare_order(c);
	AUTOSTRINGS strings_t labels = { 0 };
	struct table *t = table_new(title, label);

	*vec_push(&t->legend) = mem_printf("A - %s", pair->name_a);
	*vec_push(&t->legend) = mem_printf("B - %s", pair->name_b);
	for (size_t i = 0; i < c->differences.n; i++)
		if (!str_starts(c->differences.items[i], "variant: "))
			strings_add(&t->legend, c->differences.items[i]);
	for (size_t i = 0; sides && sides->differences && i < sides->differences->n; i++)
		strings_add(&t->legend, sides->differences->items[i]);
	t->caption = caption_of(c, pair, m);
	find_labels(c, pair, &labels);
	add_columns(t, pair, &labels, m);
	for (size_t i = 0; i < c->cells.n; i++)
		if (order[i] >= pair->first && order[i] < pair->end)
			add_row(t, &c->cells.items[order[i]], &labels, decimals_of(c, pair),
				!often(c, pair, c->cells.items[order[i]].why));
	add_common_reasons(t, c, pair);
	add_method(t, c, pair, sides ? sides->min_effect : COMPARE_MIN_EFFECT);
	return t;
}

static void with_metric(const members_t *from, const struct metric *metric, members_t *to)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->items[i]->metric == metric)
			*vec_push(to) = from->items[i];
}

static void add_pair(struct comparison *c, pairs_t *pairs, const struct metric *metric, const char *name_a,
		     const char *name_b, const members_t *a, const members_t *b)
{
	struct pair p = { name_a, name_b, metric, c->cells.n, 0 };
	members_t of_a = { 0 }, of_b = { 0 };

	with_metric(a, metric, &of_a);
	with_metric(b, metric, &of_b);
	compare_match(c, &of_a, &of_b);
	p.end = c->cells.n;
	if (p.end > p.first)
		*vec_push(pairs) = p;
	vec_free(&of_a);
	vec_free(&of_b);
}

static void members_of_variant(const members_t *all, const char *variant, members_t *out)
{
	for (size_t i = 0; i < all->n; i++)
		if (same_text(all->items[i]->variant, variant))
			*vec_push(out) = all->items[i];
}

/* Every variant against the first. */
static void add_variants(struct comparison *c, pairs_t *pairs, const struct metric *metric, const members_t *all)
{
	AUTOSTRINGS strings_t seen = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const char *variant = all->items[i]->variant;
		members_t a = { 0 }, b = { 0 };

		if (!variant || strings_has(&seen, variant))
			continue;
		strings_add(&seen, variant);
		if (seen.n < 2)
			continue;
		members_of_variant(all, seen.items[0], &a);
		members_of_variant(all, variant, &b);
		add_pair(c, pairs, metric, all->items[0]->variant, variant, &a, &b);
		vec_free(&a);
		vec_free(&b);
	}
}

static void members_of_metric(const struct series_set *set, const struct metric *metric, members_t *out)
{
	for (size_t i = 0; i < set->list.n; i++)
		if (set->list.items[i].metric == metric && set->list.items[i].job == JOB_ALL && series_has_data(&set->list.items[i]))
			*vec_push(out) = &set->list.items[i];
}

static void add_unmatched(struct table *t, const struct comparison *c)
{
	if (c->unmatched_a || c->unmatched_b)
		*vec_push(&t->notes) = mem_printf("not compared: cells that only one side has (A %zu, B %zu)",
						  c->unmatched_a, c->unmatched_b);
}

/* All metrics are one family: who looks at several has as many chances to find something where there is nothing. */
static int make(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	const struct metric *one = opt->metric ? opt->metric : metric_find("iops");
	const struct metric *const *metrics = opt->n_metrics ? opt->metrics : &one;
	size_t n_metrics = opt->n_metrics ? opt->n_metrics : 1;
	const struct view_sides *sides = opt->sides;
	AUTOSTRINGS strings_t lacking = { 0 };
	struct comparison c = { 0 };
	pairs_t pairs = { 0 };
	int bad = 0;

	for (size_t i = 0; i < n_metrics; i++) {
		size_t before = pairs.n;
		members_t all = { 0 };

		members_of_metric(set, metrics[i], &all);
		if (sides)
			add_pair(&c, &pairs, metrics[i], sides->name_a, sides->name_b, sides->a, sides->b);
		else
			add_variants(&c, &pairs, metrics[i], &all);
		if (pairs.n == before)
			*vec_push(&lacking) = mem_printf("no cell with values of metric '%s' is on both sides", metrics[i]->name);
		vec_free(&all);
	}
	compare_judge(&c, &(struct compare_options){ .min_effect = sides ? sides->min_effect : COMPARE_MIN_EFFECT });
	for (size_t i = 0; i < pairs.n; i++)
		*vec_push(&out->list) = make_table(&c, &pairs.items[i], sides, n_metrics > 1);
	if (pairs.n) {
		add_unmatched(out->list.items[out->list.n - 1], &c);
		for (size_t i = 0; i < lacking.n; i++)
			strings_add(&out->list.items[out->list.n - 1]->notes, lacking.items[i]);
	} else {
		bad = err_set(err, ERR_FAULT, "%s", lacking.items[0]);
	}
	comparison_release(&c);
	vec_free(&pairs);
	return bad;
}

const struct view view_compare = {
	.name = "compare",
	.title = "every cell's change, its interval and p, what sticks out most first",
	.several = true,
	.make = make,
};
