// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layouts 'cpu' (shape of the post of 2014) and 'rawio' (of 2006): a row a variant and number of jobs or disks,
 * a column a metric.
 */
#include <math.h>
#include <string.h>

#include "report/cross_table.h"

#define DEVICE_WIDTH 20 /* beyond it rows would not fit a mail */

struct row_column {
	const char *metric;
	const char *head, *name, *unit;
	double scale;
	int decimals;
	bool per_process; /* divided by the number of jobs */
	const char *of_each; /* the same of one job, where only that is known; NULL: there is none */
};

struct row_layout {
	const char *const *metrics;
	const struct row_column *columns;
	size_t n_columns;
	const char *jobs_head; /* "procs" */
	bool device;	       /* the disk stands in every row, not only where disks differ */
	enum table_style style;
	const char *remark; /* below; NULL: none */
};

/* Labels of a row: what is measured, how many jobs, which disks. */
struct row_labels {
	strings_t keys; /* of the cross: variant, governor, numjobs, devices, device */
	bool jobs, device, counted; /* counted: the number of disks instead of their names */
	bool devices;		    /* that number is an axis of the sweep */
	bool brief;		    /* one disk only: a long path's last part is enough */
};

static size_t count_disks(const char *identity)
{
	size_t n = *identity ? 1 : 0;

	for (const char *s = identity; *s; s++)
		n += *s == ',';
	return n;
}

/* Whether the number of disks tells the rows apart as well as their names do: 1 to 8 LUNs. */
static bool counts_tell(const members_t *members)
{
	for (size_t i = 0; i < members->n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *a = series_axis(members->items[i], "device");
			const char *b = series_axis(members->items[k], "device");

			if (!same_text(a, b) && count_disks(a ? a : "") == count_disks(b ? b : ""))
				return false;
		}
	return true;
}

static void find_labels(const struct row_layout *l, const members_t *members, struct row_labels *out)
{
	AUTOSTRINGS strings_t varying = { 0 }, none = { 0 };

	cross_add_subject(members, &out->keys);
	keys_varying(members, &none, &varying);
	out->devices = !l->device && strings_has(&varying, "devices");
	out->device = l->device || out->devices || strings_has(&varying, "device");
	out->brief = !strings_has(&varying, "device");
	out->counted = out->devices || (!l->device && out->device && counts_tell(members));
	out->jobs = l->device || !out->device || strings_has(&varying, "numjobs");
	if (out->jobs)
		strings_add(&out->keys, "numjobs");
	if (out->device)
		strings_add(&out->keys, out->devices ? "devices" : "device");
}

static void add_labels(struct table *t, const struct row_layout *l, const struct row_labels *labels)
{
	table_add_column(t, "variant", "variant", NULL, NULL)->is_label = true;
	if (labels->jobs)
		table_add_column(t, l->jobs_head, "numjobs", NULL, NULL)->is_label = true;
	if (labels->device)
		table_add_column(t, labels->counted ? "devices" : "device", labels->counted ? "devices" : "device", NULL,
				 NULL)->is_label = true;
}

static const char *value_of(const struct cross_line *line, const struct row_labels *labels, const char *key)
{
	for (size_t k = 0; k < labels->keys.n; k++)
		if (!strcmp(labels->keys.items[k], key))
			return line->values.items[k];
	return "";
}

/* NULL where it is not known. Borrowed from 'identity'. */
static const char *device_text(const char *identity, bool brief)
{
	const char *slash = strrchr(identity, '/');

	return brief && slash && slash[1] && strlen(identity) > DEVICE_WIDTH ? slash + 1 : given_text(identity);
}

/* Gives the number of columns that labels take. */
static size_t set_labels(struct table_row *row, const struct cross_line *line, const struct row_labels *labels)
{
	const char *governor = value_of(line, labels, "governor"), *variant = value_of(line, labels, "variant");
	const char *jobs = value_of(line, labels, "numjobs"), *device = value_of(line, labels, "device");
	const char *devices = value_of(line, labels, "devices");
	AUTOFREE char *name = *governor ? mem_printf("%s, %s", variant, governor) : mem_strdup(variant);
	size_t at = 0;

	table_set_text(row, at++, name);
	if (labels->jobs) {
		if (*jobs)
			table_set_integer(row, at, strtod(jobs, NULL));
		at++;
	}
	if (labels->counted)
		table_set_integer(row, at++, labels->devices ? strtod(devices, NULL) : (double)count_disks(device));
	else if (labels->device)
		table_set_text(row, at++, device_text(device, labels->brief));
	return at;
}

/* The series for a place; '*scale' gets what its values must be multiplied with besides. */
static const struct series *place_of(const struct cross *c, size_t row, const struct row_column *column, double jobs,
				     double *scale)
{
	size_t at = cross_metric_column(c, column->metric);
	const struct series *s = at < c->columns.n ? cross_at(c, row, at) : NULL;

	*scale = 1;
	if (s || !column->of_each)
		return s;
	at = cross_metric_column(c, column->of_each);
	*scale = jobs;
	return at < c->columns.n ? cross_at(c, row, at) : NULL;
}

static struct mean_format format_of(const struct row_column *c, double jobs)
{
	return (struct mean_format){ .head = c->head, .name = c->name, .unit = c->unit,
				     .scale = c->per_process ? c->scale / jobs : c->scale, .decimals = c->decimals };
}

static void add_table(const struct row_layout *l, const struct cross *c, const struct row_labels *labels,
		      struct tables *out)
{
	struct table *t = table_new(c->title, c->label);
	bool spread = cross_has_spread(c);
	struct n_range n = cross_n_range(c);
	struct str caption = { 0 };

	*vec_push(&out->list) = t;
	t->style = l->style;
	str_add(&caption, spread ? "mean (sample stddev, n-1)" : "mean");
	add_n_text(&caption, &n);
	t->caption = str_steal(&caption);
	add_labels(t, l, labels);
	for (size_t k = 0; k < l->n_columns; k++) {
		struct mean_format f = format_of(&l->columns[k], 1);

		cross_add_mean(t, &f, spread);
	}
	for (size_t r = 0; r < c->rows.n; r++) {
		const struct cross_line *line = &c->rows.items[r];
		const char *jobs = value_of(line, labels, "numjobs");
		struct table_row *row = table_add_row(t);
		size_t at = set_labels(row, line, labels);

		row->rule_before = r && c->rows.n > 2 &&
				   strcmp(line->values.items[0], c->rows.items[r - 1].values.items[0]) != 0;
		for (size_t k = 0; k < l->n_columns; k++, at += MEAN_COLUMNS) {
			double n_jobs = *jobs ? strtod(jobs, NULL) : NAN, scale;
			const struct series *s = place_of(c, r, &l->columns[k], n_jobs, &scale);
			struct mean_format f = format_of(&l->columns[k], n_jobs);

			f.scale *= scale;
			cross_set_mean(row, at, &f, s);
		}
	}
	if (l->remark)
		strings_add(&t->notes, l->remark);
	cross_add_remarks(t, &c->members);
}

static int make_rows(const struct row_layout *l, const struct series_set *set, struct tables *out, struct err *err)
{
	const struct metric *metrics[16];
	AUTOSTRINGS strings_t columns = { 0 };
	struct row_labels labels = { 0 };
	members_t members = { 0 };
	crosses_t crosses = { 0 };
	size_t n = 0;

	for (; l->metrics[n]; n++)
		metrics[n] = metric_find(l->metrics[n]);
	members_find(set, metrics, n, &members);
	if (!members.n)
		return err_set(err, ERR_FAULT, "nothing of metric '%s' is stored there", l->metrics[0]);
	find_labels(l, &members, &labels);
	strings_add(&columns, "metric");
	cross_make(&members, &labels.keys, &columns, &crosses);
	for (size_t i = 0; i < crosses.n; i++)
		add_table(l, &crosses.items[i], &labels, out);
	crosses_release(&crosses);
	strings_release(&labels.keys);
	vec_free(&members);
	return 0;
}

static const char *const cpu_metrics[] = { "usr_cpu", "sys_cpu", "ctx", "ctx_per_io",
					  "iodepth_level_ge64", "lat_mean", NULL };
static const struct row_column cpu_columns[] = {
	{ "usr_cpu", "usr %", "usr_cpu", "%", 1, 2, false, NULL },
	{ "sys_cpu", "sys %", "sys_cpu", "%", 1, 2, false, NULL },
	{ "ctx", "ctx", "ctx", NULL, 1, 0, false, NULL },
	{ "ctx_per_io", "ctx/IO", "ctx_per_io", NULL, 1, 2, false, NULL },
	{ "iodepth_level_ge64", ">=64 %", "iodepth_ge64", "%", 1, 1, false, NULL },
	{ "lat_mean", "lat us", "lat_mean", "us", 1e-3, 3, false, NULL },
};

static int make_cpu(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	static const struct row_layout layout = {
		.metrics = cpu_metrics,
		.columns = cpu_columns,
		.n_columns = ARRAY_LEN(cpu_columns),
		.jobs_head = "jobs",
	};

	(void)opt;
	return make_rows(&layout, set, out, err);
}

const struct view view_cpu = {
	.name = "cpu",
	.title = "what I/O costs: CPU shares and context switches, a row a job count or number of disks",
	.metrics = cpu_metrics,
	.make = make_cpu,
};

/* The post's KB are KiB: 16412 reads x 4 KiB / 0.492 s / 16 processes = 8338. */
static const char *const rawio_metrics[] = { "ios", "bw", "iops", "job_bw_mean", "job_iops_mean", "runtime", NULL };
static const struct row_column rawio_columns[] = {
	{ "ios", "num read", "num_read", NULL, 1, 0, false, NULL },
	{ "bw", "KiB/sec each", "rate_per_process", "KiB/s", 1 / 1024.0, 0, true, "job_bw_mean" },
	{ "iops", "I/O ops/sec each", "ops_per_process", "IOPS", 1, 0, true, "job_iops_mean" },
	{ "bw", "KiB/sec all", "rate_of_all", "KiB/s", 1 / 1024.0, 0, false, "job_bw_mean" },
	{ "iops", "I/O ops/sec all", "ops_of_all", "IOPS", 1, 0, false, "job_iops_mean" },
	{ "runtime", "run time s", "run_time", "s", 1e-9, 6, false, NULL },
};

static int make_rawio(const struct series_set *set, const struct view_options *opt, struct tables *out, struct err *err)
{
	static const struct row_layout layout = {
		.metrics = rawio_metrics,
		.columns = rawio_columns,
		.n_columns = ARRAY_LEN(rawio_columns),
		.jobs_head = "procs",
		.device = true,
		.style = TABLE_DASHED,
		.remark = "each: the rate of one process on average; all: of the processes together",
	};

	(void)opt;
	return make_rows(&layout, set, out, err);
}

const struct view view_rawio = {
	.name = "rawio",
	.title = "rates of one process and of all, and the run time: a row a variant",
	.metrics = rawio_metrics,
	.make = make_rawio,
};
