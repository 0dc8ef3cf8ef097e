// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parsers/bundle.h"
#include "parsers/parser.h"
#include "parsers/share.h"

#define NO_FORMAT "none" /* of a program whose output nobody reads */

__attribute__((format(printf, 2, 3))) static void fail(struct run_result *r, const char *fmt, ...)
{
	va_list ap;

	if (r->state != RUN_OK)
		return;
	r->state = RUN_FAILED;
	va_start(ap, fmt);
	vsnprintf(r->reason, sizeof(r->reason), fmt, ap);
	va_end(ap);
}

/* As messages call it: "fio's" of a plain job. */
static const char *whose(const struct scenario *s, const struct actor *a, char out[64])
{
	snprintf(out, 64, s->plain ? "%s" : "actor '%s'", a->name);
	return out;
}

static void read_output(const struct scenario *s, const struct actor_result *a, struct run_result *r,
			struct parsed *parsed)
{
	const struct parser *parser = a->actor->parser ? parser_find(a->actor->parser) : NULL;
	struct err err = { 0 };
	char name[64];

	whose(s, a->actor, name);
	if (!parser)
		return;
	if (!a->raw.len)
		fail(r, "%s printed nothing", name);
	else if (parser->parse(str_text(&a->raw), a->raw.len, parsed, &err))
		fail(r, "the output of %s cannot be understood: %.800s", name, err.msg);
	else if (parsed->failed && !a->stopped)
		fail(r, "%s%s%s", s->plain ? "" : name, s->plain ? "" : ": ", parsed->reason);
}

/* fio's own start and end take a third of a second: the time of its I/O is what the disk and its scheduler made of it. */
static void add_startup_time(const struct actor_result *a, struct parsed *parsed)
{
	double ios, mean_ns;

	if (!a->actor->timed)
		return;
	if (!a->actor->job)
		parsed_add(parsed, "startup_time", DIR_ALL, JOB_ALL, (double)a->elapsed_ns);
	else if (parsed_get(parsed, "ios", DIR_ALL, &ios) && parsed_get(parsed, "lat_mean", DIR_ALL, &mean_ns))
		parsed_add(parsed, "startup_time", DIR_ALL, JOB_ALL, ios * mean_ns);
}

static void add_shares(const struct run_result *r, struct outcome *o)
{
	struct share_part *parts = mem_alloc(r->actors.n + 1, sizeof(*parts));

	for (size_t i = 0; i < r->actors.n; i++)
		parts[i] = (struct share_part){ &o->parsed.items[i], r->actors.items[i].actor->weight };
	share_add(parts, r->actors.n, &o->all);
	free(parts);
}

static void check_metrics_of(const strings_t *metrics, const struct parsed *parsed, const char *name,
			     struct run_result *r)
{
	double value;

	for (size_t k = 0; k < metrics->n; k++)
		if (!parsed_get(parsed, metrics->items[k], DIR_ALL, &value))
			fail(r, "%s gave no %s", name, metrics->items[k]);
}

static void check_metrics(const struct scenario *s, struct run_result *r, const struct outcome *o)
{
	for (size_t i = 0; i < r->actors.n; i++) {
		const struct actor *a = r->actors.items[i].actor;
		char name[64];

		check_metrics_of(&a->metrics, &o->parsed.items[i], whose(s, a, name), r);
	}
	check_metrics_of(&s->metrics, &o->all, "the actors together", r);
}

static void collect_words(const struct scenario *s, const struct actor_result *a, const struct parsed *parsed,
			  struct str *words)
{
	const char *said[] = { str_text(&a->words), parsed->diagnostics };

	for (size_t i = 0; i < ARRAY_LEN(said); i++)
		if (said[i] && *said[i])
			str_addf(words, "%s%s%s%s", words->len ? "\n" : "", s->plain ? "" : a->actor->name,
				 s->plain ? "" : ": ", said[i]);
}

static size_t find_main(const struct run_result *r)
{
	size_t first = r->actors.n;

	for (size_t i = r->actors.n; i--;)
		if (r->actors.items[i].actor->role == ACTOR_FOREGROUND &&
		    (first == r->actors.n || r->actors.items[i].actor->job || !r->actors.items[first].actor->job))
			first = i;
	return first;
}

static void take_samples(struct outcome *o, const char *actor, const struct parsed *parsed)
{
	if (parsed->samples.n)
		*vec_push(&o->samples) = (struct actor_samples){ actor, parsed };
}

void outcome_read(const struct scenario *s, struct run_result *r, struct outcome *o)
{
	*o = (struct outcome){ .format = s->plain ? s->actors.items[0].parser : BUNDLE_FORMAT };
	for (size_t i = 0; i < r->actors.n; i++) {
		const struct actor_result *a = &r->actors.items[i];
		struct parsed *parsed = vec_push(&o->parsed);

		read_output(s, a, r, parsed);
		add_startup_time(a, parsed);
		collect_words(s, a, parsed, &o->words);
		if (s->plain)
			str_addn(&o->raw, str_text(&a->raw), a->raw.len);
		else
			bundle_add(&o->raw, a->actor->name, a->actor->parser ? a->actor->parser : NO_FORMAT,
				   str_text(&a->raw), a->raw.len);
	}
	o->main = find_main(r);
	add_shares(r, o);
	check_metrics(s, r, o);
	for (size_t i = 0; i < r->actors.n; i++)
		take_samples(o, r->actors.items[i].actor->name, &o->parsed.items[i]);
	take_samples(o, OUTCOME_ALL, &o->all);
}

const struct parsed *outcome_main(const struct outcome *o)
{
	return o->main < o->parsed.n ? &o->parsed.items[o->main] : NULL;
}

void outcome_release(struct outcome *o)
{
	for (size_t i = 0; i < o->parsed.n; i++)
		parsed_release(&o->parsed.items[i]);
	vec_free(&o->parsed);
	parsed_release(&o->all);
	str_release(&o->raw);
	str_release(&o->words);
	vec_free(&o->samples);
}
