// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/together.h"

#include <string.h>

#include "db/handle.h"

/* What a disk is, and which one. */
struct disk_kind {
	char *identity, *model;
};
typedef VEC(struct disk_kind) disk_kinds_t;

static bool of_several_hosts(const struct series_set *set)
{
	const char *first = NULL;

	for (size_t i = 0; i < set->list.n; i++) {
		const char *host = set->list.items[i].host;

		if (!host || !*host)
			continue;
		if (first && strcmp(host, first) != 0)
			return true;
		first = host;
	}
	return false;
}

static int load_kinds(struct store *s, int64_t environment, disk_kinds_t *kinds, struct err *err)
{
	sqlite3_stmt *st = sql_start(s, SQL_DISK_MODELS, ARGS(sql_int(environment)), err);
	int more = -1;

	while (st && (more = sql_next(s, st, err)) > 0)
		if (sqlite3_column_bytes(st, 0) && sqlite3_column_bytes(st, 1))
			*vec_push(kinds) = (struct disk_kind){ sql_column_string(st, 0), sql_column_string(st, 1) };
	return more;
}

/* An axis may name several disks, or a partition of one: "A,B", "A-part2". */
static void replace(char **text, const struct disk_kind *kind)
{
	const char *at = strstr(*text, kind->identity);
	size_t len = strlen(kind->identity);
	char *made;

	if (!at || (at[len] && at[len] != ',' && at[len] != '-') || (at > *text && at[-1] != ','))
		return;
	made = mem_printf("%.*s%s%s", (int)(at - *text), *text, kind->model, at + len);
	free(*text);
	*text = made;
}

static void rename_disks(struct series *s, const disk_kinds_t *kinds)
{
	for (size_t i = 0; i < s->axes.n; i++)
		for (size_t k = 0; k < kinds->n && !strcmp(s->axes.items[i].name, "device"); k++)
			replace(&s->axes.items[i].value, &kinds->items[k]);
}

int series_name_kinds(struct store *s, struct series_set *set, struct err *err)
{
	VEC(int64_t) seen = { 0 };
	disk_kinds_t kinds = { 0 };
	bool several = of_several_hosts(set);
	int bad = 0;

	for (size_t i = 0; several && !bad && i < set->list.n; i++) {
		int64_t environment = set->list.items[i].environment;
		size_t k = 0;

		while (k < seen.n && seen.items[k] != environment)
			k++;
		if (k < seen.n)
			continue;
		*vec_push(&seen) = environment;
		bad = load_kinds(s, environment, &kinds, err);
	}
	for (size_t i = 0; several && !bad && i < set->list.n; i++)
		rename_disks(&set->list.items[i], &kinds);
	for (size_t k = 0; k < kinds.n; k++) {
		free(kinds.items[k].identity);
		free(kinds.items[k].model);
	}
	vec_free(&kinds);
	vec_free(&seen);
	return bad;
}

/* A sweep of the set, by one of its series. */
struct part {
	const struct series *series;
	int64_t whole;
};

/* Parts of as many: "1/2" and "2/2"; the same part twice is of two nights. */
static bool fit(const struct series *a, const struct series *b)
{
	const char *of_a = a->shard ? strchr(a->shard, '/') : NULL, *of_b = b->shard ? strchr(b->shard, '/') : NULL;

	return of_a && of_b && !strcmp(of_a, of_b) && strcmp(a->shard, b->shard) && a->sweep_name && b->sweep_name &&
	       !strcmp(a->sweep_name, b->sweep_name);
}

/* The first whole that lacks this part; its own sweep if there is none. */
static int64_t find_whole(const struct part *parts, size_t n, const struct series *s)
{
	for (size_t i = 0; i < n; i++) {
		bool lacks = parts[i].whole == parts[i].series->sweep;

		for (size_t k = 0; k < n && lacks; k++)
			lacks = parts[k].whole != parts[i].whole || fit(parts[k].series, s);
		if (lacks)
			return parts[i].whole;
	}
	return s->sweep;
}

void series_join_shards(struct series_set *set)
{
	VEC(struct part) parts = { 0 };

	for (size_t i = 0; i < set->list.n; i++) {
		struct series *s = &set->list.items[i];
		size_t k = 0;

		while (s->shard && k < parts.n && parts.items[k].series->sweep != s->sweep)
			k++;
		if (s->shard && k == parts.n) {
			int64_t whole = find_whole(parts.items, parts.n, s);

			*vec_push(&parts) = (struct part){ s, whole };
		}
		s->whole = s->shard ? parts.items[k].whole : 0;
	}
	vec_free(&parts);
}
