// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/distribution.h"

#include <string.h>

#include "parsers/fio_bins.h"

struct places {
	struct store *s;
	run_rows_t runs; /* of all sweeps; ascending ids in each */
	enum direction direction;
};

static const char *uuid_of(const struct places *p, int64_t run)
{
	for (size_t i = 0; i < p->runs.n; i++)
		if (p->runs.items[i].id == run)
			return p->runs.items[i].uuid;
	return NULL;
}

static int add_run(const struct places *p, int64_t run, latency_bins_t *bins, struct err *err)
{
	struct run_details d = { 0 };
	const char *uuid = uuid_of(p, run);

	if (!uuid)
		return 0; /* stored since the list was made */
	if (store_get_run(p->s, uuid, &d, err))
		return -1;
	if (d.raw)
		fio_bins_add(d.raw, d.raw_len, p->direction, bins);
	run_details_release(&d);
	return 0;
}

static int add_curves(const struct places *p, const struct cross *c, const strings_t *columns, plots_t *out,
		      struct err *err)
{
	struct plot *plot = NULL;

	for (size_t k = 0; k < c->columns.n; k++) {
		const struct series *s = cross_at(c, 0, k);
		AUTOFREE char *name = line_text(&c->columns.items[k], columns);
		latency_bins_t bins = { 0 };
		AUTOFREE struct plot_bin *curve = NULL;
		int bad = 0;

		for (size_t i = 0; s && i < s->points.n && !bad; i++)
			bad = add_run(p, s->points.items[i].run, &bins, err);
		curve = mem_alloc(bins.n, sizeof(*curve));
		for (size_t i = 0; i < bins.n; i++)
			curve[i] = (struct plot_bin){ bins.items[i].value_ns, bins.items[i].count };
		if (bins.n && !bad) {
			plot = plot ? plot : plot_add_cdf(out, c->title, c->label);
			plot_add_curve(plot, name, curve, bins.n);
		}
		vec_free(&bins);
		if (bad)
			return -1;
	}
	return 0;
}

static int load_runs(struct places *p, const int64_t *sweeps, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		run_rows_t of_sweep = { 0 };

		if (store_list_runs(p->s, sweeps[i], &of_sweep, err))
			return -1;
		for (size_t k = 0; k < of_sweep.n; k++)
			*vec_push(&p->runs) = of_sweep.items[k];
		vec_free(&of_sweep); /* the rows have moved */
	}
	return 0;
}

int distribution_plots(struct store *s, const struct series_set *set, const int64_t *sweeps, size_t n_sweeps,
		       enum direction direction, plots_t *out, struct err *err)
{
	struct places p = { .s = s, .direction = direction };
	AUTOSTRINGS strings_t rows = { 0 }, columns = { 0 }, varying = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };
	int bad = load_runs(&p, sweeps, n_sweeps, err);

	members_find(set, NULL, 0, &members);
	strings_add(&columns, "variant");
	keys_varying(&members, &rows, &varying);
	if (strings_has(&varying, "governor"))
		strings_add(&columns, "governor");
	cross_make(&members, &rows, &columns, &crosses);
	for (size_t i = 0; i < crosses.n && !bad; i++)
		bad = add_curves(&p, &crosses.items[i], &columns, out, err);
	if (!bad && !out->n)
		bad = err_set(err, ERR_FAULT, "no output there has a histogram of latencies (json+)");
	crosses_release(&crosses);
	vec_free(&members);
	run_rows_release(&p.runs);
	return bad ? -1 : 0;
}
