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
	/* as it is typed it is stored, and says which shards belong together: 2/8 is never 02/08 */
	if (*first == '0' || slash[1] == '0')
		return err_set(err, ERR_USAGE, "--shard '%s': write %u/%u", text, *part, *of);
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

/* The first row goes to the shard 'first'. */
static void deal(struct row *rows, size_t n, unsigned of, unsigned first)
{
	AUTOFREE uint64_t *load = mem_alloc(of, sizeof(*load));

	qsort(rows, n, sizeof(*rows), longest_first);
	for (size_t i = 0; i < n; i++) {
		unsigned least = first;

		for (unsigned k = 1; k < of; k++)
			least = load[(first + k) % of] < load[least] ? (first + k) % of : least;
		rows[i].shard = least;
		load[least] += rows[i].ns;
	}
	qsort(rows, n, sizeof(*rows), in_place);
}

static void add_axis(const struct plan *p, int a, struct str *out)
{
	for (size_t i = 0; i < p->axes[a].n; i++)
		str_addf(out, "\n%s=%s", axes[a].name, p->axes[a].items[i].text);
}

/*
 * Of several sweeps with fewer rows than there are shards not all may go to the first shards. What another box may lack, or
 * have less of, has no say in it: or a row would be in two shards, or in none.
 */
static unsigned first_shard(const struct plan *p, size_t n_rows, unsigned of)
{
	AUTOSTR struct str text = { 0 };
	char hash[HASH_TEXT];

	if (n_rows >= of)
		return 0;
	str_add(&text, "");
	for (int a = 0; a < AXIS_N; a++)
		if (a != AXIS_GOVERNOR && a != AXIS_SIZE)
			add_axis(p, a, &text);
	hash_text(hash, text.s, text.len);
	hash[8] = '\0';
	return (unsigned)(strtoul(hash, NULL, 16) % of);
}

size_t shard_count_rows(const struct plan *p)
{
	size_t n = 1;

	for (int a = 0; a < AXIS_N; a++)
		if (a != AXIS_GOVERNOR && p->axes[a].n)
			n *= p->axes[a].n;
	return n;
}

void shard_cut(struct plan *p, unsigned part, unsigned of)
{
	size_t n = shard_count_rows(p), kept = 0;
	AUTOFREE struct row *rows = mem_alloc(n, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		rows[i].place = i;
	/* a job file with times of its own does not tell them: then all rows count alike */
	for (size_t i = 0; i < p->cells.n; i++)
		rows[row_of(p, &p->cells.items[i])].ns += plan_cell_ns(p, &p->cells.items[i]) + 1;
	deal(rows, n, of, first_shard(p, n, of));
	for (size_t i = 0; i < p->cells.n; i++)
		if (rows[row_of(p, &p->cells.items[i])].shard == part - 1)
			p->cells.items[kept++] = p->cells.items[i];
	p->cells.n = kept;
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
		add_axis(p, a, &text);
	hash_text(hash, text.s, text.len);
	return mem_printf("plan-%.8s", hash);
}
