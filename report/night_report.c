// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/night_report.h"

#include <math.h>
#include <string.h>

#include "checks/codes.h"
#include "report/cross.h"

/* ---- events ---- */

static bool same_event(const struct night_event *a, const struct night_event *b)
{
	if (a->slides != b->slides || a->known != b->known || a->of_references != b->of_references || !same_text(a->host, b->host))
		return false;
	/* steps of several cells that could be at the same night are taken for one */
	return a->slides ? a->early == b->early && a->late == b->late : a->early <= b->late && b->early <= a->late;
}

/* The cell that knows best when it was says it for all. */
static void narrow(struct night_event *e, const struct night_event *by)
{
	if (by->late - by->early >= e->late - e->early)
		return;
	e->night = by->night;
	e->early = by->early;
	e->late = by->late;
	e->before = by->before;
	memcpy(e->environments, by->environments, sizeof(e->environments));
	memcpy(e->runs, by->runs, sizeof(e->runs));
}

static struct night_event *find_event(struct night_report *r, const struct night_event *like)
{
	struct night_event *e;

	for (size_t i = 0; i < r->events.n; i++) {
		e = &r->events.items[i];
		if (!same_event(e, like))
			continue;
		narrow(e, like);
		return e;
	}
	e = vec_push(&r->events);
	*e = *like;
	return e;
}


static void add_event(struct night_report *r, const struct night_cell *cell, const struct change *c, const char *known)
{
	bool slides = c->kind == CHANGE_SLIDE;
	size_t from = slides ? c->first : c->early - 1, to = slides ? c->end - 1 : c->late;
	const struct night_value *v = cell->values.items;
	const struct night_event like = {
		.night = slides ? v[to].night : v[c->first].night,
		.early = v[slides ? c->first : c->early].night,
		.late = v[to].night,
		.before = v[from].night,
		.slides = slides,
		.of_references = cell->is_reference,
		.known = known,
		.host = cell->series->host,
		.environments = { v[from].environment, v[to].environment },
		.runs = { v[from].run, v[to].run },
	};

	struct night_event *e = find_event(r, &like);

	*vec_push(&e->parts) = (struct night_event_part){ cell, c->before, c->after };
}

static double mean_ratio(const struct night_cell *cell, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += cell->values.items[i].ratio;
	return sum / (double)(to - from);
}

static void add_changes(struct night_report *r, const struct night_cell *cell)
{
	for (size_t i = 0; i < cell->changes.n; i++) {
		const struct change *c = &cell->changes.items[i];

		if (fabs(expm1(c->after - c->before)) > r->gate->options.min_effect)
			add_event(r, cell, c, NULL);
	}
}

/* Of the changes that are known for a cell the last one: the baseline begins with it. */
static void add_known(struct night_report *r, const struct series_set *set, const struct night_cell *cell,
		      const char *const *reasons)
{
	const struct gate_options *o = &r->gate->options;
	const char *reason = NULL;
	size_t last = 0;

	for (size_t i = 0; i < o->n_known; i++)
		if (o->known[i].series[cell->series - set->list.items] && o->known[i].night >= last) {
			last = o->known[i].night;
			reason = reasons[i];
		}
	if (reason && cell->first && cell->first < cell->values.n)
		add_event(r, cell, &(struct change){ .kind = CHANGE_STEP,
						     .first = cell->first,
						     .early = cell->first,
						     .late = cell->first,
						     .before = mean_ratio(cell, 0, cell->first),
						     .after = mean_ratio(cell, cell->first, cell->values.n) },
			  reason);
}

static int by_night(const void *va, const void *vb)
{
	const struct night_event *a = va, *b = vb;

	if (a->night != b->night)
		return a->night < b->night ? -1 : 1;
	return a->of_references - b->of_references;
}

void night_report_make(const struct series_set *set, const struct gate *gate, const nights_t *nights,
		       const char *const *reasons, struct night_report *out)
{
	AUTOSTRINGS strings_t except = { 0 };
	members_t members = { 0 };

	*out = (struct night_report){ .gate = gate, .nights = nights };
	out->simulated = strings_has(&set->warnings, check_codes[CHECK_SIMULATED_DISK].code);
	for (size_t i = 0; i < gate->cells.n; i++) {
		*vec_push(&members) = gate->cells.items[i].series;
		add_known(out, set, &gate->cells.items[i], reasons);
		add_changes(out, &gate->cells.items[i]);
	}
	for (size_t i = 0; i < gate->references.n; i++)
		add_changes(out, &gate->references.items[i]);
	if (out->events.n)
		qsort(out->events.items, out->events.n, sizeof(*out->events.items), by_night);
	strings_add(&out->keys, "variant");
	strings_add(&out->keys, "pattern");
	strings_add(&out->keys, "numjobs");
	/* where it was measured names no cell */
	strings_add(&except, "kernel");
	strings_add(&except, "environment");
	strings_add(&except, "sweep");
	keys_varying(&members, &except, &out->keys);
	for (size_t i = 1; i < members.n; i++)
		if (!same_text(members.items[i]->host, members.items[0]->host)) {
			strings_add(&out->keys, "host");
			break;
		}
	vec_free(&members);
}

void night_report_release(struct night_report *r)
{
	for (size_t i = 0; i < r->events.n; i++) {
		vec_free(&r->events.items[i].parts);
		strings_release(&r->events.items[i].differences);
	}
	vec_free(&r->events);
	strings_release(&r->keys);
}

/* ---- words ---- */

char *night_cell_name(const struct night_report *r, const struct night_cell *cell)
{
	struct str text = { 0 };
	char buf[KEY_TEXT];

	for (size_t k = 0; k < r->keys.n; k++) {
		const char *value = key_value(cell->series, r->keys.items[k], buf);
		AUTOFREE char *phrase = *value ? key_phrase(r->keys.items[k], value) : NULL;

		if (phrase)
			str_addf(&text, "%s%s", text.len ? ", " : "", phrase);
	}
	return str_steal(&text);
}

char *night_headline(const struct night_report *r)
{
	static const char *const words[NIGHT_VERDICTS] = {
		[NIGHT_GONE] = "nothing judged",
		[NIGHT_NOT_OFFERED] = "nothing judged", [NIGHT_SAME] = "as before",
		[NIGHT_IMPROVED] = "improved",		[NIGHT_CHANGED] = "changed",
		[NIGHT_FEW] = "too few nights",		[NIGHT_NOISY] = "too noisy to tell",
		[NIGHT_NO_REFERENCE] = "cannot be told", [NIGHT_NOT_MEASURED] = "cannot be told",
		[NIGHT_REGRESSED] = "regressed",
	};
	struct str text = { 0 };
	bool first = true;

	str_addf(&text, "%s%s: of %zu cell%s", r->simulated ? "simulated disk: " : "", words[r->gate->verdict],
		 r->gate->cells.n, r->gate->cells.n == 1 ? "" : "s");
	for (size_t v = NIGHT_VERDICTS; v-- > 0;) {
		if (r->gate->count[v])
			str_addf(&text, "%s %zu %s", first ? "" : ",", r->gate->count[v], night_verdict_names[v]);
		first = first && !r->gate->count[v];
	}
	return str_steal(&text);
}

char *night_subject(const struct night_report *r)
{
	size_t earlier = r->nights->n - 1;
	const struct metric *metric = r->gate->cells.items[0].series->metric;
	struct str text = { 0 };

	str_addf(&text, "night of %s against ", r->nights->items[earlier].date);
	if (earlier)
		str_addf(&text, "%zu earlier ones, the first of %s", earlier, r->nights->items[0].date);
	else
		str_add(&text, "none before it");
	str_addf(&text, "; ratios to '%s' in the same blocks", r->gate->options.reference);
	if (!strings_has(&r->keys, "metric"))
		str_addf(&text, "; %s", metric->title);
	return str_steal(&text);
}

static double percent(double log_change)
{
	return 100 * expm1(log_change);
}

/* No test of some sixty nights knows a p of 1e-20 to be that. */
static void add_p(struct str *out, double p)
{
	if (p < 0.0001)
		str_add(out, "p<0.0001");
	else
		str_addf(out, "p=%.2g", p);
}

char *night_cell_text(const struct night_report *r, const struct night_cell *cell)
{
	const struct night_test *t = &cell->test;
	const struct change *c = cell->since;
	struct str text = { 0 };

	if (isnan(t->change)) {
		str_add(&text, cell->why ? cell->why : "");
		return str_steal(&text);
	}
	if (c) {
		const struct night_value *values = cell->values.items;

		str_addf(&text, "%+.1f%% %s %s", percent(c->after - c->before), c->kind == CHANGE_STEP ? "since" : "in a slide since",
			 r->nights->items[values[c->first].night].date);
		if (c->kind == CHANGE_SLIDE && c->end < cell->values.n)
			str_addf(&text, " to %s", r->nights->items[values[c->end - 1].night].date);
		str_add(&text, "; this night ");
	}
	str_addf(&text, "%+.1f%%", percent(t->change));
	if (!cell->is_reference)
		str_addf(&text, " to '%s', %+.1f%% by itself", r->gate->options.reference, percent(cell->own_change));
	str_addf(&text, "; n=%zu nights, stddev %.1f%%, ", cell->n_against, 100 * t->sd);
	add_p(&text, cell->p);
	if (cell->why)
		str_addf(&text, "; %s", cell->why);
	return str_steal(&text);
}

char *night_event_text(const struct night_report *r, const struct night_event *e)
{
	const struct night *nights = r->nights->items;
	const char *machine = e->of_references ? " of the machine" : "";
	AUTOFREE char *perhaps = NULL;

	if (e->known)
		return mem_printf("%s: known: %s", nights[e->night].date, e->known);
	if (e->slides)
		return mem_printf("%s to %s: a slide%s", nights[e->early].date, nights[e->late].date, machine);
	if (e->early != e->late)
		perhaps = mem_printf(", or from %s to %s", nights[e->early].date, nights[e->late].date);
	return mem_printf("%s%s: a step%s", nights[e->night].date, perhaps ? perhaps : "", machine);
}
