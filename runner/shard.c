// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/shard.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/units.h"

struct row {
	size_t place; /* of its first cell among the rows of the plan */
	uint64_t ns;
	unsigned shard;
};

int shard_parse(const char *text, unsigned *part, unsigned *of, struct err *err)
{
	const char *slash = strchr(text, '/');
	AUTOFREE char *first = slash ? mem_strndup(text, (size_t)(slash - text)) : NULL;
	uint64_t k = 0, n = 0;

	if (!slash || units_parse_count(first, &k, NULL) || units_parse_count(slash + 1, &n, NULL) || !k || k > n || n > 1000)
		return err_set(err, ERR_USAGE, "--shard wants PART/OF, such as 2/8, not '%s'", text);
	*part = (unsigned)k;
	*of = (unsigned)n;
	return 0;
}

/* Governors are the outermost axis: a row comes again for each. */
static size_t row_of(const struct plan *p, const struct cell *c)
{
	size_t row = 0;

	for (int a = 0; a < AXIS_N; a++)
		if (a != AXIS_GOVERNOR && p->axes[a].n)
			row = row * p->axes[a].n + c->at[a];
	return row;
}

static int longest_first(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int in_place(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	return a->place < b->place ? -1 : a->place > b->place;
}

static void deal(struct row *rows, size_t n, unsigned of)
{
	AUTOFREE uint64_t *load = mem_alloc(of, sizeof(*load));

	qsort(rows, n, sizeof(*rows), longest_first);
	for (size_t i = 0; i < n; i++) {
		unsigned least = 0;

		for (unsigned k = 1; k < of; k++)
			least = load[k] < load[least] ? k : least;
		rows[i].shard = least;
		load[least] += rows[i].ns;
	}
	qsort(rows, n, sizeof(*rows), in_place);
}

int shard_cut(struct plan *p, unsigned part, unsigned of, struct err *err)
{
	AUTOFREE struct row *rows = NULL;
	size_t n = 1, kept = 0;

	for (int a = 0; a < AXIS_N; a++)
		if (a != AXIS_GOVERNOR && p->axes[a].n)
			n *= p->axes[a].n;
	if (n < of)
		return err_set(err, ERR_USAGE, "--shard %u/%u: the plan has only %zu rows", part, of, n);
	rows = mem_alloc(n, sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		rows[i].place = i;
	/* a job file with times of its own does not tell them: then all rows count alike */
	for (size_t i = 0; i < p->cells.n; i++)
		rows[row_of(p, &p->cells.items[i])].ns += plan_cell_ns(p, &p->cells.items[i]) + 1;
	deal(rows, n, of);
	for (size_t i = 0; i < p->cells.n; i++)
		if (rows[row_of(p, &p->cells.items[i])].shard == part - 1)
			p->cells.items[kept++] = p->cells.items[i];
	p->cells.n = kept;
	return 0;
}

char *shard_plan_name(const struct plan *p)
{
	AUTOSTR struct str text = { 0 };
	char hash[HASH_TEXT];

	str_addf(&text, "runs %u..%u", p->runs_min, p->runs);
	for (size_t i = 0; i < p->variants.n; i++) {
		AUTOFREE char *key = variant_key(&p->variants.items[i]);

		str_addf(&text, "\n%s", key);
	}
	for (int a = 0; a < AXIS_N; a++)
		for (size_t i = 0; i < p->axes[a].n; i++)
			str_addf(&text, "\n%s=%s", axes[a].name, p->axes[a].items[i].text);
	hash_text(hash, text.s, text.len);
	return mem_printf("plan-%.8s", hash);
}
