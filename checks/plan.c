// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/plan.h"

#include <string.h>

#include "checks/limits.h"

static bool is_bfq(const struct variant *v)
{
	return str_starts(v->scheduler, "bfq");
}

static bool is_for_throughput(const struct variant *v)
{
	for (size_t i = 0; i < v->settings.n; i++)
		if (!strcmp(v->settings.items[i].name, "low_latency") && !strcmp(v->settings.items[i].value, "0"))
			return true;
	return false;
}

/*
 * Linux commit 43c1b3d6e5: "virtually all benchmarks measure throughput ... but, for BFQ, they use the scheduler in
 * its default configuration", which gives throughput away for latency.
 */
static void find_bfq_latency(const struct plan *p, struct check_findings *out)
{
	const char *bfq = NULL, *other = NULL;

	for (size_t i = 0; i < p->variants.n; i++) {
		const struct variant *v = &p->variants.items[i];

		if (!is_bfq(v))
			other = other ? other : v->name;
		else if (is_for_throughput(v))
			return;
		else
			bfq = bfq ? bfq : v->name;
	}
	if (bfq && other)
		check_add(out, CHECK_BFQ_LATENCY, "'%s' is compared with '%s', and no bfq has low_latency=0", bfq,
			  other);
}

/*
 * bfq makes a weight of the priority, and raises for latency only queues of the usual weight, 40: "otherwise we assume
 * the user wanted to control its weight explicitly" (bfq_bfqq_handle_idle_busy_switch in block/bfq-iosched.c). On a
 * disk that seeks, 4 sequential readers under bfq's defaults got 8 times as much with nice -10 as with nice 0.
 */
static void find_io_priority(const struct plan *p, const char *priority, struct check_findings *out)
{
	for (size_t i = 0; *priority && i < p->variants.n; i++)
		if (is_bfq(&p->variants.items[i])) {
			check_add(out, CHECK_IO_PRIORITY, "%s", priority);
			return;
		}
}

void check_loads(const struct plan *p, const struct workload *w, const struct check_target *target,
		 struct check_findings *out)
{
	unsigned count[CHECK_N] = { 0 };
	struct check_findings all = { 0 };

	for (size_t i = 0; i < p->cells.n; i++) {
		struct check_load load;

		check_load_of(p, w, &p->cells.items[i], &load);
		check_load(&load, target, &all);
	}
	for (size_t i = 0; i < all.list.n; i++)
		count[all.list.items[i].id]++;
	for (size_t i = 0; i < all.list.n; i++) {
		unsigned *n = &count[all.list.items[i].id];

		if (*n > 1 && *n == p->cells.n)
			check_add(out, all.list.items[i].id, "%s, in all cells", all.list.items[i].text);
		else if (*n > 1)
			check_add(out, all.list.items[i].id, "%s (this is the first of %u such cells, of %zu)",
				  all.list.items[i].text, *n, p->cells.n);
		else if (*n)
			check_add(out, all.list.items[i].id, "%s", all.list.items[i].text);
		*n = 0;
	}
	check_findings_release(&all);
}

void check_plan(const struct plan *p, const struct check_target *target, struct check_findings *out)
{
	find_bfq_latency(p, out);
	find_io_priority(p, target->io_priority, out);
	if (p->runs < FEW_RUNS)
		check_add(out, CHECK_FEW_RUNS, "%u run%s of each cell, should be at least %d", p->runs,
			  p->runs == 1 ? "" : "s", FEW_RUNS);
	if (p->sequential && p->cells.n > 1)
		check_add(out, CHECK_SEQUENTIAL_ORDER,
			  "what changes with time is taken for a difference between the %zu cells", p->cells.n);
	if (target->stacked)
		check_add(out, CHECK_STACKED, "schedulers are switched on %s", target->disks);
	if (target->simulated)
		check_add(out, CHECK_SIMULATED_DISK, "%s", target->disks);
}
