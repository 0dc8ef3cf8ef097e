// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export_values.h"

#include <string.h>

#include "cli/output.h"
#include "report/export.h"
#include "report/subset.h"

/* What CI watches, where nothing else is asked for: throughput, latency and its tail, what experiments come down to. */
static const char *const usual[] = { "iops", "lat_mean", "clat_p99", "startup_time", "files" };

static bool fits(const struct exporter *x, const struct metric *m)
{
	return x->better == BETTER_NEITHER || x->better == m->better;
}

static int wrong_direction(const struct exporter *x, const struct metric *m, struct err *err)
{
	const char *is = m->better == BETTER_HIGHER ? "higher" : "lower";

	if (m->better == BETTER_NEITHER)
		return err_set(err, ERR_USAGE, "'%s' is neither better high nor low: '%s' cannot hold it", m->name, x->name);
	for (size_t i = 0; exporter_at(i); i++)
		if (exporter_at(i)->better == m->better)
			return err_set(err, ERR_USAGE, "'%s' is better when it is %s: '%s' cannot hold it, use --format %s", m->name,
				       is, x->name, exporter_at(i)->name);
	return err_set(err, ERR_USAGE, "'%s' is better when it is %s: '%s' cannot hold it", m->name, is, x->name);
}

static int choose(const struct options *opt, const struct exporter *x, metrics_t *metrics, struct err *err)
{
	if (choose_metrics(opt, metrics, err))
		return -1;
	for (size_t i = 0; i < metrics->n; i++)
		if (!fits(x, metrics->items[i]))
			return wrong_direction(x, metrics->items[i], err);
	for (size_t i = 0; !option(opt, "metric") && i < ARRAY_LEN(usual); i++)
		if (fits(x, metric_find(usual[i])))
			*vec_push(metrics) = metric_find(usual[i]);
	return 0;
}

static int load_sweep(struct store *s, int64_t id, const sweep_rows_t *rows, struct export_data *d, struct err *err)
{
	struct export_sweep *sweep = vec_push(&d->sweeps);

	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].id == id)
			return store_find_sweep(s, rows->items[i].uuid, &sweep->row, err) ||
					       store_list_cells(s, id, &sweep->cells, err) || store_list_runs(s, id, &sweep->runs, err) ||
					       store_list_cell_warnings(s, id, &sweep->warnings, err)
				       ? -1
				       : 0;
	return err_set(err, ERR_FAULT, "a sweep is gone");
}

static int load(const struct options *opt, const struct exporter *x, struct store *s, struct export_data *d,
		struct err *err)
{
	AUTOFREE int64_t *ids = NULL;
	struct series_query q = { 0 };
	metrics_t metrics = { 0 };
	sweep_rows_t rows = { 0 };
	int bad = choose(opt, x, &metrics, err) || choose_direction(opt, &q.direction, err) ||
		  choose_sweeps(opt, s, false, &ids, &q.n_sweeps, err) || store_list_sweeps(s, &rows, err);

	q.sweeps = ids;
	q.metrics = metrics.items;
	q.n_metrics = metrics.n;
	bad = bad || store_query_series(s, &q, &d->set, err) || choose_where(opt, &d->set, err);
	for (size_t i = 0; !bad && i < q.n_sweeps; i++)
		bad = load_sweep(s, ids[i], &rows, d, err);
	vec_free(&metrics);
	sweep_rows_release(&rows);
	return bad ? -1 : 0;
}

static bool has_values(const struct export_data *d)
{
	for (size_t i = 0; i < d->set.list.n; i++)
		if (d->set.list.items[i].metric && series_has_data(&d->set.list.items[i]))
			return true;
	return false;
}

static const struct exporter *find_format(const char *name, struct err *err)
{
	AUTOSTR struct str names = { 0 };

	if (exporter_find(name))
		return exporter_find(name);
	for (size_t i = 0; exporter_at(i); i++)
		str_addf(&names, "%s%s", i ? ", " : "", exporter_at(i)->name);
	err_set(err, ERR_USAGE, "unknown format '%s' (%s)", name, str_text(&names));
	return NULL;
}

int export_values(const struct options *opt, struct err *err)
{
	const struct exporter *x = find_format(option(opt, "format"), err);
	struct export_data d = { 0 };
	AUTOSTR struct str text = { 0 };
	struct store *s = x ? open_database(opt, STORE_READ, err) : NULL;
	int bad;

	if (!s)
		return -1;
	bad = load(opt, x, s, &d, err);
	store_close(s);
	if (!bad && !x->without_values && !has_values(&d))
		bad = err_set(err, ERR_USAGE, "nothing to export: no run has a value of these metrics");
	bad = bad || x->write(&d, &text, err) || output_write(option(opt, "output"), &text, err);
	export_data_release(&d);
	return bad ? -1 : 0;
}
