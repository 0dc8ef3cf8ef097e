// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/budget.h"

#include "cli/setup.h"

#define KEPT_SHARE 20

uint64_t budget_total_ns(const struct budget_part *parts, size_t n)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t ns = 0;

		for (size_t k = 0; k < parts[i].fit_rows; k++)
			ns += parts[i].row_ns[k];
		ns *= parts[i].fit_runs;
		total_ns += ns + (parts[i].canaries ? setup_canaries_ns(ns) : 0);
	}
	return total_ns;
}

/* Of those with the most runs the last gives up one. False: all are at their least. */
static bool fewer_runs(struct budget_part *parts, size_t n)
{
	struct budget_part *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (parts[i].fit_runs > parts[i].runs_min && (!most || parts[i].fit_runs >= most->fit_runs))
			most = &parts[i];
	if (most)
		most->fit_runs--;
	return most;
}

static bool fewer_rows(struct budget_part *parts, size_t n)
{
	while (n && !parts[n - 1].fit_rows)
		n--;
	if (n)
		parts[n - 1].fit_rows--;
	return n;
}

void budget_fit(struct budget_part *parts, size_t n, uint64_t budget_ns)
{
	uint64_t usable_ns = budget_ns - budget_ns / KEPT_SHARE;

	for (size_t i = 0; i < n; i++) {
		parts[i].fit_runs = parts[i].runs;
		parts[i].fit_rows = parts[i].n_rows;
	}
	while (budget_total_ns(parts, n) > usable_ns && fewer_runs(parts, n))
		;
	while (budget_total_ns(parts, n) > usable_ns && fewer_rows(parts, n))
		;
}
