// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/group.h"

#include <string.h>

static bool same_subject(const struct series *a, const struct series *b)
{
	return (a->whole ? a->whole : a->sweep) == (b->whole ? b->whole : b->sweep) && same_text(a->variant, b->variant) &&
	       same_text(series_axis(a, "governor"), series_axis(b, "governor"));
}

/* A cell without runs has no environment yet: it belongs to any group of its subject. */
static bool in_group(const struct group *g, const struct series *s)
{
	/* shards have their own, but no row is of two */
	return same_subject(g->series, s) &&
	       (g->series->sweep != s->sweep || g->series->environment == s->environment || !g->series->environment || !s->environment);
}

size_t group_index(const groups_t *groups, const struct series *s)
{
	size_t i = 0;

	while (i < groups->n && !in_group(&groups->items[i], s))
		i++;
	return i;
}

static void add_groups(const members_t *members, groups_t *groups)
{
	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];
		size_t at = group_index(groups, s);
		struct group *g = at < groups->n ? &groups->items[at] : vec_push(groups);

		if (!g->series || !g->series->environment)
			g->series = s;
		g->measured = g->measured || (series_has_data(s) && !s->summary_only && !s->imported);
	}
}

static const char *kernel_of(const struct series *s)
{
	return given_text(s->kernel);
}

static const char *sweep_of(const struct series *s)
{
	return given_text(s->sweep_name);
}

static const char *host_of(const struct series *s)
{
	return given_text(s->host);
}

static const char *driver_of(const struct series *s)
{
	return given_text(s->cpufreq_driver);
}

/* Whether two groups say something different; those that say nothing do not count. */
static bool differ(const groups_t *groups, const char *(*what)(const struct series *))
{
	const char *first = NULL;

	for (size_t i = 0; i < groups->n; i++) {
		const char *this = what(groups->items[i].series);

		if (first && this && strcmp(first, this) != 0)
			return true;
		first = first ? first : this;
	}
	return false;
}

static bool any_driver(const groups_t *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		if (driver_of(groups->items[i].series))
			return true;
	return false;
}

static bool lacks_cpufreq(const struct group *g)
{
	return g->measured && !driver_of(g->series) && !series_axis(g->series, "governor");
}

static bool legend_taken(const groups_t *groups, const struct group *g)
{
	for (size_t i = 0; i < groups->n; i++)
		if (&groups->items[i] != g && same_text(groups->items[i].legend, g->legend))
			return true;
	return false;
}

/* "bfq, intel_pstate driver, powersave governor", and what else tells the groups apart. */
static void make_legends(groups_t *groups)
{
	bool drivers = any_driver(groups), kernels = differ(groups, kernel_of), sweeps = differ(groups, sweep_of);
	bool hosts = differ(groups, host_of);

	for (size_t i = 0; i < groups->n; i++) {
		const struct series *s = groups->items[i].series;
		const char *swept = series_axis(s, "governor");
		const char *governor = swept ? swept : driver_of(s) ? s->cpufreq_governor : NULL;
		struct str text = { 0 };

		str_add(&text, s->variant);
		if (driver_of(s))
			str_addf(&text, ", %s driver", driver_of(s));
		if (governor)
			str_addf(&text, ", %s governor", governor);
		if (drivers && lacks_cpufreq(&groups->items[i]))
			str_add(&text, ", no cpufreq");
		if (kernels && kernel_of(s))
			str_addf(&text, ", kernel %s", kernel_of(s));
		if (hosts && host_of(s))
			str_addf(&text, ", host %s", host_of(s));
		if (sweeps && sweep_of(s))
			str_addf(&text, ", sweep %s", sweep_of(s));
		groups->items[i].legend = str_steal(&text);
	}
}

/* By numbers, where words do not tell the groups apart. */
static void add_numbers(groups_t *groups)
{
	AUTOFREE bool *ambiguous = mem_alloc(groups->n, sizeof(*ambiguous));

	for (size_t i = 0; i < groups->n; i++) {
		ambiguous[i] = legend_taken(groups, &groups->items[i]);
		groups->items[i].words = mem_strdup(groups->items[i].legend);
	}
	for (size_t i = 0; i < groups->n; i++) {
		const struct series *s = groups->items[i].series;
		AUTOFREE char *old = NULL;

		if (!ambiguous[i])
			continue;
		old = groups->items[i].legend;
		groups->items[i].legend = mem_printf("%s, sweep %lld, environment %lld", old, (long long)s->sweep,
						     (long long)s->environment);
	}
}

/* The variant where that says it all, else the whole legend. */
static const char *name_of(const groups_t *groups, size_t i)
{
	for (size_t k = 0; k < groups->n; k++)
		if (k != i && same_text(groups->items[k].series->variant, groups->items[i].series->variant))
			return groups->items[i].legend;
	return groups->items[i].series->variant;
}

void groups_find(const members_t *members, groups_t *out)
{
	add_groups(members, out);
	make_legends(out);
	add_numbers(out);
	for (size_t i = 0; i < out->n; i++)
		out->items[i].name = name_of(out, i);
}

void groups_release(groups_t *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		free(groups->items[i].legend);
		free(groups->items[i].words);
	}
	vec_free(groups);
}

bool groups_lack_cpufreq(const groups_t *groups)
{
	bool lacking = false;

	for (size_t i = 0; i < groups->n; i++)
		lacking = lacking || lacks_cpufreq(&groups->items[i]);
	return lacking && !any_driver(groups);
}

static bool same_gap(const struct series *a, const struct series *b)
{
	return same_text(a->variant, b->variant) && same_text(a->state, b->state) && same_text(a->reason, b->reason);
}

/* "cfq: not measured: this kernel does not offer it", once for all cells of a variant that have the same reason. */
static void add_gap_note(const struct series *s, const members_t *members, strings_t *notes)
{
	AUTOSTR struct str text = { 0 };
	bool partly = false;

	for (size_t i = 0; i < members->n; i++) {
		const struct series *other = members->items[i];

		partly = partly || (same_text(other->variant, s->variant) && (series_has_data(other) || !same_gap(other, s)));
	}
	str_addf(&text, "%s: %s%s", s->variant, same_text(s->state, "failed") ? "failed" : "not measured",
		 partly ? " where '-' stands" : "");
	if (given_text(s->reason))
		str_addf(&text, ": %s", s->reason);
	strings_add(notes, str_text(&text));
}

void gap_notes(const members_t *members, strings_t *notes)
{
	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];
		bool told = series_has_data(s) || !s->state || same_text(s->state, "done");

		for (size_t k = 0; k < i; k++)
			told = told || (!series_has_data(members->items[k]) && same_gap(members->items[k], s));
		if (!told)
			add_gap_note(s, members, notes);
	}
}

void stop_notes(const members_t *members, strings_t *notes)
{
	for (size_t i = 0; i < members->n; i++) {
		const struct series *s = members->items[i];
		const char *jobs = series_axis(s, "numjobs"), *governor = series_axis(s, "governor");
		AUTOFREE char *note = NULL;

		if (!same_text(s->state, "done") || !given_text(s->reason))
			continue;
		note = mem_printf("%s%s%s%s%s%s", jobs ? "jobs " : "", jobs ? jobs : "", governor ? ", " : "",
				  governor ? governor : "", jobs || governor ? ": " : "", s->reason);
		if (!strings_has(notes, note))
			strings_add(notes, note);
	}
}

const char *series_jobs(const struct series *s)
{
	const char *jobs = series_axis(s, "numjobs");

	return jobs ? jobs : "";
}

int series_jobs_order(const void *a, const void *b)
{
	unsigned long long x = strtoull(*(char *const *)a, NULL, 10), y = strtoull(*(char *const *)b, NULL, 10);

	return (x > y) - (x < y);
}

static bool of_several_hosts(const members_t *members, const struct series *s)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->items[i]->whole == s->whole && !same_text(members->items[i]->host, s->host))
			return true;
	return false;
}

/* "shard 1/2: jobs 1, 4 on host one" */
static void add_shard_note(const members_t *members, const struct series *s, strings_t *notes)
{
	AUTOSTRINGS strings_t jobs = { 0 };
	AUTOSTR struct str text = { 0 };

	for (size_t i = 0; i < members->n; i++)
		if (members->items[i]->sweep == s->sweep && *series_jobs(members->items[i]) &&
		    !strings_has(&jobs, series_jobs(members->items[i])))
			strings_add(&jobs, series_jobs(members->items[i]));
	str_addf(&text, "shard %s: ", s->shard);
	for (size_t i = 0; i < jobs.n; i++)
		str_addf(&text, "%s%s", i ? ", " : "jobs ", jobs.items[i]);
	str_addf(&text, "%son host %s", jobs.n ? " " : "", s->host);
	if (!strings_has(notes, str_text(&text)))
		strings_add(notes, str_text(&text));
}

void shard_notes(const members_t *members, strings_t *notes)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->items[i]->whole && of_several_hosts(members, members->items[i]))
			add_shard_note(members, members->items[i], notes);
}
