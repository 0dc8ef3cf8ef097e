// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/page.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "checks/codes.h"
#include "cli/gnuplot.h"
#include "common/units.h"
#include "report/html.h"

#define TIME_PLOTS_MAX 8 /* plots of runs over time that a page holds */
#define TREND_PLOTS_MAX 24
#define PLOT_WIDTH 480
#define PLOT_HEIGHT 360
#define LEGEND_LINE 22

struct making {
	struct store *s;
	const struct series_set *set;
	const struct view *view;
	const struct view_options *opt;
	const struct metric *metric; /* of the plots and of the list of runs */
	struct html_page page;
};

static const char *time_text(char out[UNITS_TEXT], int64_t ns)
{
	return units_format_time(out, ns, gmtime_r, "%F %T UTC");
}

/* ---- what was measured on what ---- */

static void add_sweep_facts(struct html_page *page, const struct sweep_row *sweep)
{
	AUTOFREE char *title = mem_printf("Sweep %.8s%s%s", sweep->uuid, *sweep->name ? " " : "", sweep->name);
	struct html_facts *f = html_add_facts(page, title, false);
	AUTOFREE char *seed = mem_printf("%" PRIu64, sweep->seed);
	AUTOFREE char *runs = mem_printf("%" PRId64 " good, %" PRId64 " not", sweep->n_runs_ok, sweep->n_runs_bad);
	AUTOFREE char *cells = mem_printf("%" PRId64 " done, %" PRId64 " pending, %" PRId64 " failed", sweep->n_done,
					  sweep->n_pending, sweep->n_failed);
	char when[UNITS_TEXT];

	html_add_fact(f, "command", sweep->command);
	html_add_fact(f, "note", sweep->note);
	html_add_fact(f, "host", sweep->host);
	html_add_fact(f, "devices", sweep->devices);
	html_add_fact(f, "started", time_text(when, sweep->started_ns));
	html_add_fact(f, "ended", sweep->ended_ns ? time_text(when, sweep->ended_ns) : NULL);
	html_add_fact(f, "cells", cells);
	html_add_fact(f, "runs", runs);
	html_add_fact(f, "seed", seed);
}

/* A value of the environment as text, sizes for readers; NULL for null. The caller frees. */
static char *value_text(const cJSON *item, bool readable)
{
	size_t len = strlen(item->string);
	char size[UNITS_TEXT];

	if (cJSON_IsNull(item))
		return NULL;
	if (cJSON_IsString(item))
		return mem_strdup(item->valuestring);
	if (readable && cJSON_IsNumber(item) && len > 6 && !strcmp(item->string + len - 6, "_bytes"))
		return mem_strdup(units_format_size(size, (uint64_t)item->valuedouble));
	return cJSON_PrintUnformatted(item);
}

static void add_named(struct html_facts *f, const cJSON *json, const char *key, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	AUTOFREE char *text = item ? value_text(item, true) : NULL;

	html_add_fact(f, name, text);
}

/* "disk.sdb.model" and its like: what a reader wants to know first of a disk. */
static void add_disk_facts(struct html_facts *f, const cJSON *json)
{
	static const char *const wanted[] = { "model", "transport", "size_bytes", "queue.rotational", "queue.write_cache",
					      "device.queue_depth" };
	const cJSON *item;

	cJSON_ArrayForEach(item, json)
		for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
			const char *disk = str_starts(item->string, "disk.") ? item->string + strlen("disk.") : NULL;
			const char *dot = disk ? strchr(disk, '.') : NULL;
			AUTOFREE char *name = dot ? mem_printf("%.*s %s", (int)(dot - disk), disk, dot + 1) : NULL;
			AUTOFREE char *text = NULL;

			if (!dot || strcmp(dot + 1, wanted[i]) != 0)
				continue;
			text = value_text(item, true);
			if (strlen(name) > 6 && !strcmp(name + strlen(name) - 6, "_bytes"))
				name[strlen(name) - 6] = '\0';
			html_add_fact(f, name, text);
		}
}

static void add_environment(struct html_page *page, const char *text, int64_t id)
{
	cJSON *json = cJSON_Parse(text), *item;
	AUTOFREE char *title = mem_printf("Environment %" PRId64, id);
	AUTOFREE char *all = mem_printf("All of environment %" PRId64, id);
	struct html_facts *f = html_add_facts(page, title, false);

	add_named(f, json, "kernel.release", "kernel");
	add_named(f, json, "cpu.model", "CPU");
	add_named(f, json, "cpu.count", "CPUs");
	add_named(f, json, "memory.total_bytes", "memory");
	add_named(f, json, "cpufreq.driver", "cpufreq driver");
	add_named(f, json, "cpufreq.governor", "cpufreq governor");
	add_named(f, json, "os.name", "system");
	add_named(f, json, "fio.version", "fio");
	add_named(f, json, "iobench.version", "iobench");
	add_disk_facts(f, json);
	f = html_add_facts(page, all, true);
	cJSON_ArrayForEach(item, json) {
		AUTOFREE char *value = value_text(item, false);

		html_add_fact(f, item->string, value ? value : "none");
	}
	cJSON_Delete(json);
}

typedef VEC(int64_t) ids_t;

static bool has_id(const ids_t *ids, int64_t id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->items[i] == id)
			return true;
	return false;
}

/* The environments of the runs that the tables show, one after the other. */
static int add_environments(struct making *m, const run_rows_t *runs, ids_t *told, struct err *err)
{
	for (size_t i = 0; i < runs->n; i++) {
		const struct run_row *r = &runs->items[i];
		struct run_details d = { 0 };

		if (strcmp(r->state, "ok") != 0 || has_id(told, r->environment))
			continue;
		if (store_get_run(m->s, r->uuid, &d, err))
			return -1;
		*vec_push(told) = r->environment;
		add_environment(&m->page, d.environment, r->environment);
		run_details_release(&d);
	}
	return 0;
}

/* ---- warnings ---- */

static int add_warnings(struct making *m, int64_t sweep, struct err *err)
{
	warning_counts_t counts = { 0 };
	int bad = store_count_warnings(m->s, sweep, &counts, err);

	for (size_t i = 0; i < counts.n && !bad; i++) {
		const struct check_code *code = check_code_find(counts.items[i].code);
		struct html_warning *w = vec_push(&m->page.warnings);

		w->code = mem_strdup(counts.items[i].code);
		w->title = code ? mem_strdup(code->title) : NULL;
		w->advice = code ? mem_strdup(code->advice) : NULL;
		w->example = mem_strdup(counts.items[i].text);
		w->n_runs = counts.items[i].n_runs;
		w->n_cells = counts.items[i].n_cells;
	}
	warning_counts_release(&counts);
	return bad;
}

/* ---- every run ---- */

enum run_column { RUN_ID, RUN_STARTED, RUN_BLOCK, RUN_CELL, RUN_STATE, RUN_TOOK, RUN_VALUE, N_RUN_COLUMNS };

static struct table *runs_table(const struct metric *metric)
{
	static const char *const heads[] = { [RUN_ID] = "run", [RUN_STARTED] = "started", [RUN_BLOCK] = "block",
					     [RUN_CELL] = "cell", [RUN_STATE] = "state", [RUN_TOOK] = "took s" };
	struct table *t = table_new("Every run", NULL);

	for (size_t i = 0; i < RUN_VALUE; i++)
		table_add_column(t, heads[i], heads[i], NULL, NULL)->is_label = i == RUN_ID;
	if (metric) {
		AUTOFREE char *head = *metric->print_unit && strcmp(metric->print_unit, "IOPS") != 0
					      ? mem_printf("%s (%s)", metric->name, metric->print_unit)
					      : mem_strdup(metric->name);

		table_add_column(t, head, metric->name, metric->print_unit, NULL);
	}
	return t;
}

static double value_of_run(const struct making *m, int64_t run)
{
	for (size_t i = 0; m->metric && i < m->set->list.n; i++) {
		const struct series *s = &m->set->list.items[i];

		for (size_t k = 0; s->metric == m->metric && s->job == JOB_ALL && k < s->points.n; k++)
			if (s->points.items[k].run == run)
				return s->points.items[k].value * m->metric->print_scale;
	}
	return NAN;
}

/* "bfq, random reads, 4 jobs" */
static char *cell_text(const cell_rows_t *cells, int64_t id)
{
	static const char *const told[] = { "pattern", "numjobs", "bs_bytes", "iodepth", "governor" };
	struct str text = { 0 };

	str_add(&text, "");
	for (size_t i = 0; i < cells->n; i++) {
		const struct cell_row *c = &cells->items[i];

		if (c->id != id)
			continue;
		str_add(&text, c->variant);
		for (size_t k = 0; k < c->n_axes; k++)
			for (size_t t = 0; t < ARRAY_LEN(told); t++)
				if (!strcmp(c->axes[k].name, told[t])) {
					AUTOFREE char *phrase = key_phrase(c->axes[k].name, c->axes[k].value);

					str_addf(&text, ", %s", phrase);
				}
	}
	return str_steal(&text);
}

static void add_runs(struct making *m, const run_rows_t *runs, const cell_rows_t *cells)
{
	if (runs->n && !m->page.runs)
		m->page.runs = runs_table(m->metric);
	for (size_t i = 0; i < runs->n; i++) {
		const struct run_row *r = &runs->items[i];
		struct table_row *row = table_add_row(m->page.runs);
		AUTOFREE char *cell = cell_text(cells, r->cell), *id = mem_strndup(r->uuid, 8);
		AUTOFREE char *state = r->reason ? mem_printf("%s: %s", r->state, r->reason) : mem_strdup(r->state);
		char when[UNITS_TEXT];

		table_set_text(row, RUN_ID, id);
		table_set_text(row, RUN_STARTED, time_text(when, r->started_ns));
		table_set_integer(row, RUN_BLOCK, r->block + 1);
		table_set_text(row, RUN_CELL, cell);
		table_set_text(row, RUN_STATE, state);
		table_set_real(row, RUN_TOOK, (double)r->elapsed_ns / NS_PER_S, 1);
		if (m->metric)
			table_set_real(row, RUN_VALUE, value_of_run(m, r->id), 3);
	}
}

static int add_sweep(struct making *m, const struct sweep_row *sweep, ids_t *told, struct err *err)
{
	run_rows_t runs = { 0 };
	cell_rows_t cells = { 0 };
	int bad = store_list_runs(m->s, sweep->id, &runs, err) || store_list_cells(m->s, sweep->id, &cells, err);

	if (!bad) {
		add_sweep_facts(&m->page, sweep);
		add_runs(m, &runs, &cells);
		bad = add_environments(m, &runs, told, err) || add_warnings(m, sweep->id, err);
	}
	run_rows_release(&runs);
	cell_rows_release(&cells);
	return bad ? -1 : 0;
}

/* The rows of the sweeps asked for, in the order of 'ids'. */
static int add_sweeps(struct making *m, const int64_t *ids, size_t n, struct err *err)
{
	sweep_rows_t sweeps = { 0 };
	ids_t told = { 0 };
	struct str title = { 0 };
	int bad = store_list_sweeps(m->s, &sweeps, err);

	str_add(&title, "iobench");
	for (size_t i = 0; i < n && !bad; i++)
		for (size_t k = 0; k < sweeps.n && !bad; k++) {
			const struct sweep_row *sweep = &sweeps.items[k];

			if (sweep->id != ids[i])
				continue;
			if (*sweep->name)
				str_addf(&title, "%s%s", i ? ", " : ": ", sweep->name);
			else
				str_addf(&title, "%s%.8s", i ? ", " : ": ", sweep->uuid);
			bad = add_sweep(m, sweep, &told, err);
		}
	m->page.title = str_steal(&title);
	vec_free(&told);
	sweep_rows_release(&sweeps);
	return bad;
}

/* ---- plots ---- */

static int draw_all(struct making *m, const plots_t *plots, bool folded, struct err *err)
{
	for (size_t i = 0; i < plots->n; i++) {
		AUTOFREE char *name = gnuplot_name(&plots->items[i], i);
		struct str picture = { 0 }, text = { 0 };
		struct html_plot *p;
		/* on a phone the legend has one column, a line an entry */
		unsigned height = PLOT_HEIGHT + LEGEND_LINE * (unsigned)plots->items[i].series.n;
		struct plot_output output = { .terminal = "svg", .width = PLOT_WIDTH, .height = height,
					      .transparent = true };

		if (gnuplot_draw(&plots->items[i], &output, name, NULL, &picture, err)) {
			str_release(&picture);
			return -1;
		}
		plot_describe(&plots->items[i], &text);
		p = vec_push(&m->page.plots);
		*p = (struct html_plot){ .title = mem_strdup(plots->items[i].title), .svg = str_steal(&picture),
					 .text = str_steal(&text), .folded = folded };
	}
	return 0;
}

static bool several_job_counts(const struct series_set *set)
{
	const char *first = NULL;

	for (size_t i = 0; i < set->list.n; i++) {
		const char *jobs = series_axis(&set->list.items[i], "numjobs");

		if (jobs && first && strcmp(jobs, first) != 0)
			return true;
		first = first ? first : jobs;
	}
	return false;
}

/* Below the last table; takes 'text'. */
static void add_note(struct tables *tables, char *text)
{
	if (tables->list.n)
		*vec_push(&tables->list.items[tables->list.n - 1]->notes) = text;
	else
		free(text);
}

static int draw_some(struct making *m, const plots_t *plots, const char *kind, size_t most, struct tables *tables,
		     struct err *err)
{
	if (plots->n <= most)
		return draw_all(m, plots, !strcmp(kind, "time"), err);
	add_note(tables,
		 mem_printf("%zu plots are too many for this page: 'iobench plot --kind %s' draws them", plots->n, kind));
	return 0;
}

static int add_plots_of(struct making *m, enum plot_kind kind, size_t most, struct tables *tables, struct err *err)
{
	struct plot_options opt = { .kind = kind, .metric = m->metric };
	plots_t plots = { 0 };
	int bad = 0;

	if (!plots_make(m->set, &opt, &plots, NULL))
		bad = draw_some(m, &plots, kind == PLOT_TIME ? "time" : "jobs", most, tables, err);
	plots_release(&plots);
	return bad;
}

/* A page without pictures is still a report: where gnuplot is missing it says so. */
static int forgive(const struct err *why, struct tables *tables, struct err *err)
{
	if (why->kind != ERR_NEEDS) {
		*err = *why;
		return -1;
	}
	add_note(tables, mem_printf("no plots: %s", why->msg));
	return 0;
}

static int add_plots(struct making *m, struct tables *tables, struct err *err)
{
	struct err why = { 0 };

	if (!m->metric || (!add_plots_of(m, several_job_counts(m->set) ? PLOT_JOBS : PLOT_BARS, SIZE_MAX, tables, &why) &&
			   !add_plots_of(m, PLOT_TIME, TIME_PLOTS_MAX, tables, &why)))
		return 0;
	return forgive(&why, tables, err);
}

/* The metric that the tables are about: of several the first that is there. */
static const struct metric *main_metric(const struct series_set *set, const struct view_options *opt)
{
	if (opt->metric)
		return opt->metric;
	for (size_t i = 0; i < set->list.n; i++)
		if (set->list.items[i].metric == metric_find("iops"))
			return set->list.items[i].metric;
	return set->list.n ? set->list.items[0].metric : NULL;
}

/* The end of both: 'bad' is what came of making it. */
static int write_page(struct html_page *page, struct tables *tables, int bad, struct str *out)
{
	page->tables = tables;
	if (!bad)
		html_write(page, out);
	html_release(page);
	tables_release(tables);
	return bad ? -1 : 0;
}

int page_make(struct store *s, const struct series_set *set, struct table *findings, const int64_t *sweeps, size_t n,
	      const struct view *view, const struct view_options *opt, struct str *out, struct err *err)
{
	struct making m = { .s = s, .set = set, .view = view, .opt = opt, .metric = main_metric(set, opt),
			    .page = { .findings = findings } };
	struct tables tables = { 0 };
	/* warnings stand in the page with their figures, so not below the tables */
	int bad = view_make_unwarned(view, set, opt, &tables, err);

	if (findings)
		findings->simulated = tables.list.n && tables.list.items[0]->simulated;
	bad = bad || add_sweeps(&m, sweeps, n, err) || add_plots(&m, &tables, err);

	return write_page(&m.page, &tables, bad, out);
}

static int add_trend_plots(struct making *m, const struct trend *t, struct tables *tables, struct err *err)
{
	struct plot_options opt = { .kind = PLOT_TREND, .metric = m->metric };
	struct err why = { 0 };
	plots_t plots = { 0 };
	int bad = 0;

	if (m->metric && !plots_make_trend(t, &opt, &plots, NULL))
		bad = draw_some(m, &plots, "trend", TREND_PLOTS_MAX, tables, &why);
	plots_release(&plots);
	return bad ? forgive(&why, tables, err) : 0;
}

int page_make_trend(const struct trend *trend, const struct view *view, const struct view_options *opt, struct str *out,
		    struct err *err)
{
	struct making m = { .metric = main_metric(&trend->series, opt),
			    .page = { .title = mem_strdup("iobench: trend"), .plots_first = true } };
	struct tables tables = { 0 };
	int bad = view_make(view, &trend->series, opt, &tables, err) || add_trend_plots(&m, trend, &tables, err);

	return write_page(&m.page, &tables, bad, out);
}
