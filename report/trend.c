// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/trend.h"

#include <math.h>
#include <string.h>

/* Where the rows of a series stand. */
struct place {
	size_t part, column;
	const char *kernel;
	bool there; /* it was not taken out */
};

struct stats trend_stats(const struct trend_row *row, double scale)
{
	struct stats s = stats_from_summary(row->n, row->mean * scale, row->stddev * scale);

	s.min = row->min * scale;
	s.max = row->max * scale;
	return s;
}

static void find_columns(const members_t *members, strings_t *out)
{
	AUTOSTRINGS strings_t varying = { 0 }, none = { 0 };

	strings_add(out, "variant");
	keys_varying(members, &none, &varying);
	if (strings_has(&varying, "governor"))
		strings_add(out, "governor");
}

/* 'host' is NULL where there is one only. */
static void add_part(const struct cross *c, const char *host, const strings_t *columns, struct place *places,
		     trend_parts_t *out)
{
	struct trend_part *part = vec_push(out);

	part->title = host ? mem_printf("%s, host %s", c->title, host) : mem_strdup(c->title);
	part->label = host ? mem_printf("%s-host-%s", c->label, host) : mem_strdup(c->label);
	for (size_t i = 0; i < c->columns.n; i++)
		*vec_push(&part->columns) = line_text(&c->columns.items[i], columns);
	for (size_t i = 0; i < c->rows.n * c->columns.n; i++)
		if (c->places[i])
			places[c->places[i]->cell] = (struct place){ .part = out->n - 1,
								     .column = i % c->columns.n,
								     .kernel = c->places[i]->kernel ? c->places[i]->kernel : "",
								     .there = true };
}

/* The sweep's line under that environment: one of the last, since rows come sweep by sweep. */
static struct trend_line *line_of(const struct trend *t, struct trend_part *part, const struct trend_row *row,
				  const char *kernel)
{
	const struct trend_sweep *sweep = &t->sweeps.items[row->sweep];
	struct trend_line *line;

	for (size_t i = part->lines.n; i-- > 0 && part->lines.items[i].sweep == sweep;) {
		line = &part->lines.items[i];
		for (size_t c = 0; c < part->columns.n; c++)
			if (line->row[c] && line->row[c]->environment == row->environment)
				return line;
	}
	line = vec_push(&part->lines);
	*line = (struct trend_line){ sweep, kernel, mem_alloc(part->columns.n, sizeof(struct trend_row *)) };
	return line;
}

/* Of several boxes each by itself: what happened on one is no story of the other. What was imported has no host. */
static void find_hosts(const members_t *members, strings_t *out)
{
	for (size_t i = 0; i < members->n; i++)
		if (given_text(members->items[i]->host) && !strings_has(out, members->items[i]->host))
			strings_add(out, members->items[i]->host);
	strings_add(out, "");
}

/* Kernels are rows of the cross so that they do not split it: a sweep of another kernel is a line, not a table. */
static void add_parts(const members_t *members, const char *host, struct place *places, trend_parts_t *out)
{
	AUTOSTRINGS strings_t kernel = { 0 }, columns = { 0 };
	crosses_t crosses = { 0 };

	strings_add(&kernel, "kernel");
	find_columns(members, &columns);
	if (members->n)
		cross_make(members, &kernel, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++)
		add_part(&crosses.items[i], host, &columns, places, out);
	crosses_release(&crosses);
}

static void add_parts_of(const members_t *members, const char *host, struct place *places, trend_parts_t *out)
{
	members_t own = { 0 };

	for (size_t i = 0; i < members->n; i++)
		if (same_text(members->items[i]->host ? members->items[i]->host : "", host))
			*vec_push(&own) = members->items[i];
	add_parts(&own, *host ? host : NULL, places, out);
	vec_free(&own);
}

void trend_lay_out(const struct trend *t, trend_parts_t *out)
{
	AUTOSTRINGS strings_t hosts = { 0 };
	AUTOFREE struct place *places = NULL;
	members_t members = { 0 };
	int64_t last = 0;

	members_find(&t->series, NULL, 0, &members);
	for (size_t i = 0; i < members.n; i++)
		last = members.items[i]->cell > last ? members.items[i]->cell : last;
	for (size_t i = 0; i < t->rows.n; i++)
		last = t->rows.items[i].series > last ? t->rows.items[i].series : last;
	places = mem_alloc((size_t)last + 1, sizeof(*places));
	find_hosts(&members, &hosts);
	if (hosts.n <= 2)
		add_parts(&members, NULL, places, out);
	for (size_t i = 0; hosts.n > 2 && i < hosts.n; i++)
		add_parts_of(&members, hosts.items[i], places, out);
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct trend_row *row = &t->rows.items[i];
		const struct place *place = &places[row->series];

		if (place->there)
			line_of(t, &out->items[place->part], row, place->kernel)->row[place->column] = row;
	}
	vec_free(&members);
}

void trend_parts_release(trend_parts_t *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		struct trend_part *p = &parts->items[i];

		free(p->title);
		free(p->label);
		strings_release(&p->columns);
		for (size_t k = 0; k < p->lines.n; k++)
			free(p->lines.items[k].row);
		vec_free(&p->lines);
	}
	vec_free(parts);
}
