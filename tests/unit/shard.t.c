// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/shard.h"

#include <string.h>

#include "tests/tap.h"

static void make(struct plan *p, const char *variants, const char *governors, const char *runtimes, const char *jobs)
{
	struct err err = { 0 };

	*p = (struct plan){ .runs = 2 };
	if (variants_parse(variants, true, &p->variants, &err) || axis_parse(AXIS_RUNTIME, runtimes, &p->axes[AXIS_RUNTIME], &err) ||
	    axis_parse(AXIS_NUMJOBS, jobs, &p->axes[AXIS_NUMJOBS], &err) ||
	    (governors && axis_parse(AXIS_GOVERNOR, governors, &p->axes[AXIS_GOVERNOR], &err))) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	plan_make_cells(p);
}

static uint64_t seconds(const struct plan *p)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < p->cells.n; i++)
		ns += plan_cell_ns(p, &p->cells.items[i]);
	return ns / 1000000000;
}

/* 8 rows of 2 variants and 2 governors: 10, 20 s with 1 to 4 jobs. */
static void test_cut(unsigned of, uint64_t least, uint64_t most)
{
	unsigned seen[2][2][2][4] = { 0 }, twice = 0, apart = 0;
	size_t n = 0;

	for (unsigned part = 1; part <= of; part++) {
		unsigned row[2][4] = { 0 };
		struct plan p;

		make(&p, "bfq,none", "powersave,performance", "10,20", "1-4");
		shard_cut(&p, part, of);
		ok(p.cells.n, "%u of %u", part, of);
		ok(seconds(&p) >= least && seconds(&p) <= most, "is %llu s long, between %llu and %llu",
		   (unsigned long long)seconds(&p), (unsigned long long)least, (unsigned long long)most);
		for (size_t i = 0; i < p.cells.n; i++) {
			const struct cell *c = &p.cells.items[i];

			twice += seen[c->variant][c->at[AXIS_GOVERNOR]][c->at[AXIS_RUNTIME]][c->at[AXIS_NUMJOBS]]++;
			row[c->at[AXIS_RUNTIME]][c->at[AXIS_NUMJOBS]]++;
			apart += i % 2 && c->variant != 1; /* variants stay innermost */
		}
		for (int r = 0; r < 2; r++)
			for (int j = 0; j < 4; j++)
				apart += row[r][j] && row[r][j] != 4;
		n += p.cells.n;
		plan_release(&p);
	}
	is_int((long)n, 32, "together they have all cells");
	is_int(twice, 0, "each once");
	is_int(apart, 0, "rows are whole, with all variants and governors");
}

static void test_names(void)
{
	struct plan a, b;

	make(&a, "bfq,none", NULL, "10,20", "1-4");
	make(&b, "bfq,none", NULL, "10,20", "1-5");
	AUTOFREE char *of_a = shard_plan_name(&a), *of_b = shard_plan_name(&b);
	ok(strcmp(of_a, of_b) != 0, "plans that differ have different names");
	shard_cut(&a, 1, 2);
	AUTOFREE char *cut = shard_plan_name(&a);
	is(cut, of_a, "a shard has the name of its plan");
	plan_release(&a);
	plan_release(&b);
}

/* In which of 9 shards are the 4 rows of a plan? The part of each row; 0: in none, 10: in several. */
static void find_parts(const char *size, const char *runtime, unsigned out[4])
{
	for (int r = 0; r < 4; r++)
		out[r] = 0;
	for (unsigned part = 1; part <= 9; part++) {
		struct err err = { 0 };
		struct plan p;

		make(&p, "bfq,none", NULL, runtime, "1-4");
		axis_parse(AXIS_SIZE, size, &p.axes[AXIS_SIZE], &err);
		shard_cut(&p, part, 9);
		for (size_t i = 0; i < p.cells.n; i += 2)
			out[p.cells.items[i].at[AXIS_NUMJOBS]] = out[p.cells.items[i].at[AXIS_NUMJOBS]] ? 10 : part;
		plan_release(&p);
	}
}

static void test_few_rows(void)
{
	unsigned a[4], b[4], c[4];
	bool once = true;

	find_parts("1G", "10", a);
	find_parts("2G", "10", b);
	find_parts("1G", "11", c);
	for (int r = 0; r < 4; r++)
		once &= a[r] > 0 && a[r] < 10;
	ok(once, "of more shards than rows each row is in one");
	ok(!memcmp(a, b, sizeof(a)), "the same on a box with another disk");
	ok(memcmp(a, c, sizeof(a)) != 0, "which one depends on the plan: not all are in the first");
}

int main(void)
{
	struct err err = { 0 };
	unsigned part, of;

	test_cut(1, 480, 480);
	test_cut(2, 240, 240);
	test_cut(3, 160, 160);
	test_cut(8, 40, 80);
	test_names();
	test_few_rows();
	ok(!shard_parse("2/8", &part, &of, &err) && part == 2 && of == 8, "2/8");
	is_int(shard_parse("02/8", &part, &of, &err), -1, "02/8 is no other name of it");
	return tap_done();
}
