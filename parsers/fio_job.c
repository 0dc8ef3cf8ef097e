// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/fio_job.h"

#include <math.h>
#include <string.h>

#include "common/str.h"

static const char *const lat_id[FIO_N_LATS] = { "lat", "clat", "slat", "sync_lat" };

enum lat_stat { LAT_MEAN, LAT_MIN, LAT_MAX, LAT_STDDEV, LAT_N, N_LAT_STATS };
static const char *const lat_stat[N_LAT_STATS] = { "mean", "min", "max", "stddev", "n" };

static const char *const share_name[FIO_N_SHARES] = {
	"lat_bucket_2ns", "lat_bucket_4ns", "lat_bucket_10ns", "lat_bucket_20ns", "lat_bucket_50ns",
	"lat_bucket_100ns", "lat_bucket_250ns", "lat_bucket_500ns", "lat_bucket_750ns", "lat_bucket_1000ns",
	"lat_bucket_2us", "lat_bucket_4us", "lat_bucket_10us", "lat_bucket_20us", "lat_bucket_50us",
	"lat_bucket_100us", "lat_bucket_250us", "lat_bucket_500us", "lat_bucket_750us", "lat_bucket_1000us",
	"lat_bucket_2ms", "lat_bucket_4ms", "lat_bucket_10ms", "lat_bucket_20ms", "lat_bucket_50ms",
	"lat_bucket_100ms", "lat_bucket_250ms", "lat_bucket_500ms", "lat_bucket_750ms", "lat_bucket_1000ms",
	"lat_bucket_2000ms", "lat_bucket_ge2000ms",
	"iodepth_level_1", "iodepth_level_2", "iodepth_level_4", "iodepth_level_8", "iodepth_level_16",
	"iodepth_level_32", "iodepth_level_ge64",
	"iodepth_submit_0", "iodepth_submit_4", "iodepth_submit_8", "iodepth_submit_16", "iodepth_submit_32",
	"iodepth_submit_64", "iodepth_submit_ge64",
	"iodepth_complete_0", "iodepth_complete_4", "iodepth_complete_8", "iodepth_complete_16",
	"iodepth_complete_32", "iodepth_complete_64", "iodepth_complete_ge64",
};

/* Metrics by what they are here: a look-up by name for each of 100,000 samples would cost more than reading them. */
static _Thread_local struct {
	const struct metric *bw, *iops, *io_bytes, *runtime, *ios, *usr_cpu, *sys_cpu, *cpu_per_io, *ctx, *ctx_per_io,
		*majf, *minf, *steadystate, *lat[FIO_N_LATS][N_LAT_STATS], *share[FIO_N_SHARES];
	struct {
		unsigned percent_e6;
		const struct metric *metric;
	} percentile[FIO_N_LATS][FIO_MAX_PERCENTILES]; /* of the last list seen, by place in it */
} m;

static void find_metrics(void)
{
	const struct {
		const struct metric **metric;
		const char *name;
	} singles[] = {
		{ &m.bw, "bw" }, { &m.iops, "iops" }, { &m.io_bytes, "io_bytes" }, { &m.runtime, "runtime" },
		{ &m.ios, "ios" }, { &m.usr_cpu, "usr_cpu" }, { &m.sys_cpu, "sys_cpu" },
		{ &m.cpu_per_io, "cpu_per_io" }, { &m.ctx, "ctx" }, { &m.ctx_per_io, "ctx_per_io" },
		{ &m.majf, "majf" }, { &m.minf, "minf" }, { &m.steadystate, "steadystate_attained" },
	};
	char name[64];

	if (m.bw)
		return;
	for (size_t i = 0; i < ARRAY_LEN(singles); i++)
		*singles[i].metric = metric_find(singles[i].name);
	for (int k = 0; k < FIO_N_LATS; k++)
		for (int s = 0; s < N_LAT_STATS; s++) {
			snprintf(name, sizeof(name), "%s_%s", lat_id[k], lat_stat[s]);
			m.lat[k][s] = metric_find(name);
		}
	for (int i = 0; i < FIO_N_SHARES; i++)
		m.share[i] = metric_find(share_name[i]);
}

static const struct metric *percentile_metric(enum fio_lat_kind kind, size_t place, unsigned percent_e6)
{
	if (m.percentile[kind][place].percent_e6 != percent_e6) {
		m.percentile[kind][place].percent_e6 = percent_e6;
		m.percentile[kind][place].metric = metric_percentile(lat_id[kind], percent_e6);
	}
	return m.percentile[kind][place].metric;
}

/* Histograms */

static void sort_bins(struct fio_dist *dist)
{
	latency_bins_sort(&dist->bins);
	dist->sorted = dist->bins.n;
}

void fio_dist_add_bin(struct fio_dist *dist, double value_ns, double count)
{
	/* Keeps the total of a thousand jobs as small as one of them. */
	if (dist->bins.n >= 2 * dist->sorted + 4096)
		sort_bins(dist);
	*vec_push(&dist->bins) = (struct latency_bin){ value_ns, count };
}

static void merge_dist(struct fio_dist *into, const struct fio_dist *part)
{
	for (size_t i = 0; !into->parts && i < part->percentiles.n; i++)
		*vec_push(&into->percentiles) = part->percentiles.items[i];
	for (size_t i = 0; i < part->bins.n; i++)
		fio_dist_add_bin(into, part->bins.items[i].value_ns, part->bins.items[i].count);
	into->parts += part->parts;
	into->parts_with_bins += part->parts_with_bins;
}

/*
 * The value below which 'percent_e6' lies, as fio finds it (stat.c, calc_clat_percentiles, since 3.14 in long double):
 * the first bin where the running count reaches the share; bins are not interpolated. NaN without any.
 */
static double bins_percentile(const struct fio_dist *dist, double total, unsigned percent_e6)
{
	long double reach = (long double)(percent_e6 / 1e6) / 100.0 * (long double)total;
	double sum = 0;

	for (size_t i = 0; i < dist->bins.n; i++) {
		sum += dist->bins.items[i].count;
		if ((long double)sum >= reach)
			return dist->bins.items[i].value_ns;
	}
	return NAN;
}

/* Putting together */

static double smaller(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double square_sum(const struct fio_lat *lat)
{
	return lat->weight < 2 ? 0 : lat->stddev_ns * lat->stddev_ns * (lat->weight - 1);
}

/* Chan's parallel variance with n-1, as fio's __sum_stat and calc_lat. */
static void merge_moments(struct fio_lat *into, const struct fio_lat *part)
{
	double weight = into->weight + part->weight, delta = part->mean_ns - into->mean_ns;
	double squares = square_sum(into) + square_sum(part) + delta * delta * into->weight * part->weight / weight;

	into->mean_ns = (part->mean_ns * part->weight + into->mean_ns * into->weight) / weight;
	into->stddev_ns = sqrt(squares / (weight - 1));
	into->weight = weight;
	into->n += part->n;
	into->min_ns = smaller(into->min_ns, part->min_ns);
	into->max_ns = larger(into->max_ns, part->max_ns);
}

static void merge_lat(struct fio_lat *into, const struct fio_lat *part)
{
	struct fio_dist dist = into->dist;

	if (!part->known)
		return;
	if (into->known)
		merge_moments(into, part);
	else
		*into = *part;
	merge_dist(&dist, &part->dist);
	into->dist = dist;
}

/* What has run together: its data over its longest run time, as in fio's group_reporting. */
static void merge_io(struct fio_io *into, const struct fio_io *part)
{
	if (!part->done)
		return;
	for (int k = 0; k < FIO_N_LATS; k++)
		merge_lat(&into->lat[k], &part->lat[k]);
	if (into->done) {
		into->bytes += part->bytes;
		into->ios += part->ios;
		into->weight += part->weight;
		into->runtime_ns = larger(into->runtime_ns, part->runtime_ns);
		into->bw = into->bytes / (into->runtime_ns / 1e9);
		into->iops = into->weight / (into->runtime_ns / 1e9);
	} else {
		into->done = true;
		into->bytes = part->bytes;
		into->ios = part->ios;
		into->weight = part->weight;
		into->runtime_ns = part->runtime_ns;
		into->bw = part->bw;
		into->iops = part->iops;
	}
}

/* The mean of a and b that counts them so many times; what counts nothing changes nothing. */
static double weighted(double a, double a_weight, double b, double b_weight)
{
	if (b_weight == 0)
		return a;
	if (a_weight == 0)
		return b;
	return (a * a_weight + b * b_weight) / (a_weight + b_weight);
}

static double ios_done(const struct fio_job *job)
{
	return job->io[DIR_ALL].done ? job->io[DIR_ALL].weight : 0;
}

static void merge_job(struct fio_job *into, const struct fio_job *job)
{
	double into_ios = ios_done(into), ios = ios_done(job);

	for (int i = 0; i < FIO_SHARE_SUBMIT; i++)
		into->share[i] = weighted(into->share[i], into_ios, job->share[i], ios);
	/* How many calls there were is not printed: what is no agreement is not known. */
	for (int i = FIO_SHARE_SUBMIT; i < FIO_N_SHARES; i++)
		if (into->share[i] != job->share[i])
			into->share[i] = NAN;
	into->usr_cpu = weighted(into->usr_cpu, into->runtime_ns, job->usr_cpu, job->runtime_ns);
	into->sys_cpu = weighted(into->sys_cpu, into->runtime_ns, job->sys_cpu, job->runtime_ns);
	into->runtime_ns += job->runtime_ns;
	into->ctx += job->ctx;
	into->majf += job->majf;
	into->minf += job->minf;
	into->steadystate = smaller(into->steadystate, job->steadystate);
	for (int d = DIR_ALL; d <= DIR_TRIM; d++)
		merge_io(&into->io[d], &job->io[d]);
}

void fio_job_init(struct fio_job *job)
{
	const struct fio_lat no_lat = { .n = NAN, .weight = NAN, .min_ns = NAN, .max_ns = NAN, .mean_ns = NAN,
					.stddev_ns = NAN };
	const struct fio_io no_io = { .bytes = NAN, .runtime_ns = NAN, .bw = NAN, .iops = NAN, .ios = NAN };

	*job = (struct fio_job){ .group = NAN, .start_ns = NAN, .runtime_ns = NAN, .usr_cpu = NAN, .sys_cpu = NAN, .ctx = NAN,
				 .majf = NAN, .minf = NAN, .steadystate = NAN };
	for (int d = DIR_ALL; d <= DIR_TRIM; d++) {
		job->io[d] = no_io;
		for (int k = 0; k < FIO_N_LATS; k++)
			job->io[d].lat[k] = no_lat;
	}
	for (int i = 0; i < FIO_N_SHARES; i++)
		job->share[i] = NAN;
}

void fio_io_finish(struct fio_io *io)
{
	io->done = io->ios > 0 || io->bytes > 0 || io->bw > 0 || io->iops > 0;
	/* fio counts milliseconds, and prints rates of 0 for what took less than one. */
	if (io->runtime_ns == 0)
		io->runtime_ns = io->bw = io->iops = NAN;
	/* Old versions cut rates down to whole KiB/s and IOPS. */
	if (io->bw == 0 && io->bytes > 0)
		io->bw = io->bytes / (io->runtime_ns / 1e9);
	if (io->iops == 0 && io->done)
		io->iops = io->ios / (io->runtime_ns / 1e9);
	io->weight = isnan(io->ios) ? io->iops * io->runtime_ns / 1e9 : io->ios;
}

static void drop_empty(double share[FIO_N_SHARES], int first, int end)
{
	for (int i = first; i < end; i++)
		if (share[i] > 0)
			return;
	for (int i = first; i < end; i++)
		share[i] = NAN;
}

void fio_shares_finish(double share[FIO_N_SHARES])
{
	drop_empty(share, FIO_SHARE_LAT_NS, FIO_SHARE_LEVEL);
	drop_empty(share, FIO_SHARE_LEVEL, FIO_SHARE_SUBMIT);
	drop_empty(share, FIO_SHARE_SUBMIT, FIO_SHARE_COMPLETE);
	drop_empty(share, FIO_SHARE_COMPLETE, FIO_N_SHARES);
}

void fio_job_total(struct fio_job *job)
{
	for (int d = DIR_READ; d <= DIR_TRIM; d++)
		merge_io(&job->io[DIR_ALL], &job->io[d]);
}

void fio_job_release(struct fio_job *job)
{
	for (int d = DIR_ALL; d <= DIR_TRIM; d++)
		for (int k = 0; k < FIO_N_LATS; k++) {
			vec_free(&job->io[d].lat[k].dist.percentiles);
			vec_free(&job->io[d].lat[k].dist.bins);
		}
}

/* Giving out */

static void emit_percentiles(struct fio_dist *dist, enum fio_lat_kind kind, enum direction d, int job,
			     struct parsed *out)
{
	bool pooled = dist->parts > 1;
	double total = 0;

	if (pooled && dist->parts_with_bins < dist->parts)
		return;
	if (pooled)
		sort_bins(dist);
	for (size_t i = 0; pooled && i < dist->bins.n; i++)
		total += dist->bins.items[i].count;
	for (size_t i = 0; i < dist->percentiles.n; i++) {
		const struct fio_percentile *p = &dist->percentiles.items[i];
		double value_ns = pooled ? bins_percentile(dist, total, p->percent_e6) : p->value_ns;

		parsed_add_metric(out, percentile_metric(kind, i, p->percent_e6), d, job, value_ns);
	}
}

static void emit_lat(struct fio_lat *lat, enum fio_lat_kind kind, enum direction d, int job, struct parsed *out)
{
	const double stats[N_LAT_STATS] = {
		[LAT_MEAN] = lat->mean_ns, [LAT_MIN] = lat->min_ns, [LAT_MAX] = lat->max_ns,
		[LAT_STDDEV] = lat->stddev_ns, [LAT_N] = lat->n,
	};

	if (!lat->known)
		return;
	for (int s = 0; s < N_LAT_STATS; s++)
		parsed_add_metric(out, m.lat[kind][s], d, job, stats[s]);
	emit_percentiles(&lat->dist, kind, d, job, out);
}

static void emit_job(struct fio_job *j, int job, struct parsed *out)
{
	const struct fio_io *all = &j->io[DIR_ALL];

	for (int d = DIR_ALL; d <= DIR_TRIM; d++) {
		struct fio_io *io = &j->io[d];

		if (!io->done)
			continue;
		parsed_add_metric(out, m.bw, (enum direction)d, job, io->bw);
		parsed_add_metric(out, m.iops, (enum direction)d, job, io->iops);
		parsed_add_metric(out, m.io_bytes, (enum direction)d, job, io->bytes);
		parsed_add_metric(out, m.runtime, (enum direction)d, job, io->runtime_ns);
		parsed_add_metric(out, m.ios, (enum direction)d, job, io->ios);
		for (int k = 0; k < FIO_N_LATS; k++)
			emit_lat(&io->lat[k], (enum fio_lat_kind)k, (enum direction)d, job, out);
	}
	parsed_add_metric(out, m.usr_cpu, DIR_ALL, job, j->usr_cpu);
	parsed_add_metric(out, m.sys_cpu, DIR_ALL, job, j->sys_cpu);
	parsed_add_metric(out, m.cpu_per_io, DIR_ALL, job, (j->usr_cpu + j->sys_cpu) / 100 * j->runtime_ns / all->ios);
	parsed_add_metric(out, m.ctx, DIR_ALL, job, j->ctx);
	parsed_add_metric(out, m.ctx_per_io, DIR_ALL, job, j->ctx / all->ios);
	parsed_add_metric(out, m.majf, DIR_ALL, job, j->majf);
	parsed_add_metric(out, m.minf, DIR_ALL, job, j->minf);
	parsed_add_metric(out, m.steadystate, DIR_ALL, job, j->steadystate);
	for (int i = 0; all->done && i < FIO_N_SHARES; i++)
		parsed_add_metric(out, m.share[i], DIR_ALL, job, j->share[i]);
}

/* min, max, stddev and R. Jain's index (sum^2 / (n sum of squares)) of the jobs' bandwidths. */
static void emit_fairness(const struct fio_run *run, struct parsed *out)
{
	double n = (double)run->job_bw.n, low = INFINITY, high = 0, sum = 0, squares = 0, deviations = 0;

	for (size_t i = 0; i < run->job_bw.n; i++) {
		double bw = run->job_bw.items[i];

		low = smaller(low, bw);
		high = larger(high, bw);
		sum += bw;
		squares += bw * bw;
	}
	for (size_t i = 0; i < run->job_bw.n; i++)
		deviations += (run->job_bw.items[i] - sum / n) * (run->job_bw.items[i] - sum / n);
	parsed_add(out, "job_bw_min", DIR_ALL, JOB_ALL, low);
	parsed_add(out, "job_bw_max", DIR_ALL, JOB_ALL, high);
	parsed_add(out, "job_bw_stddev", DIR_ALL, JOB_ALL, sqrt(deviations / (n - 1)));
	parsed_add(out, "job_bw_jain", DIR_ALL, JOB_ALL, sum * sum / (n * squares));
}

/* Runs */

#define APART_SHARE 0.1

void fio_run_init(struct fio_run *run)
{
	*run = (struct fio_run){ .one_group = true };
	fio_job_init(&run->total);
	find_metrics();
}

static void note_error(struct fio_run *run, const struct fio_job *job)
{
	if (!job->error || run->nfailed++)
		return;
	run->failed = mem_printf("job '%s' ended with error %.0f", job->name ? job->name : "", job->error);
	run->error = fabs(job->error) < 4096 ? (int)fabs(job->error) : 0;
}

static void note_times(struct fio_run *run, const struct fio_job *job)
{
	double start_ns = job->start_ns, ran_ns = job->io[DIR_ALL].runtime_ns;

	run->untold |= isnan(start_ns) || isnan(ran_ns);
	if (!run->njobs || start_ns < run->first_start_ns)
		run->first_start_ns = start_ns;
	if (!run->njobs || start_ns > run->last_start_ns)
		run->last_start_ns = start_ns;
	if (!run->njobs || ran_ns < run->shortest_ns)
		run->shortest_ns = ran_ns;
}

/* Jobs of one group did, as far as fio tells; those of several if all began within a tenth of the shortest. */
static bool ran_together(const struct fio_run *run)
{
	return run->one_group || (!run->untold && run->last_start_ns - run->first_start_ns <= APART_SHARE * run->shortest_ns);
}

void fio_run_add(struct fio_run *run, struct fio_job *job, struct parsed *out)
{
	const struct fio_io *all = &job->io[DIR_ALL];

	if (!run->njobs) {
		/* The first job as it is: it may be the only one, and then every digit of it is kept. */
		struct fio_job total = *job;

		for (int d = DIR_ALL; d <= DIR_TRIM; d++) {
			total.io[d] = run->total.io[d];
			merge_io(&total.io[d], &job->io[d]);
		}
		run->total = total;
		run->group = job->group;
	} else {
		merge_job(&run->total, job);
	}
	note_times(run, job);
	run->one_group &= isnan(job->group) || isnan(run->group) || job->group == run->group;
	*vec_push(&run->job_bw) = all->done ? all->bw : 0;
	note_error(run, job);
	emit_job(job, run->njobs++, out);
}

void fio_run_fill_gaps(struct fio_run *run, struct fio_job *said)
{
	struct fio_job *total = &run->total;

	if (isnan(total->usr_cpu))
		total->usr_cpu = said->usr_cpu;
	if (isnan(total->sys_cpu))
		total->sys_cpu = said->sys_cpu;
	for (int i = FIO_SHARE_SUBMIT; i < FIO_N_SHARES; i++)
		if (isnan(total->share[i]))
			total->share[i] = said->share[i];
	for (int d = DIR_ALL; d <= DIR_TRIM; d++)
		for (int k = 0; k < FIO_N_LATS; k++) {
			struct fio_dist *ours = &total->io[d].lat[k].dist, *theirs = &said->io[d].lat[k].dist;
			struct fio_dist swap = *ours;

			if (ours->parts_with_bins == ours->parts || !theirs->percentiles.n)
				continue;
			*ours = *theirs;
			*theirs = swap;
		}
}

void fio_run_emit(struct fio_run *run, struct parsed *out)
{
	bool together = ran_together(run);

	/* Groups may have run one after the other (stonewall): they have no joint rate. */
	for (int d = DIR_ALL; d <= DIR_TRIM && !together; d++)
		run->total.io[d].bw = run->total.io[d].iops = run->total.io[d].runtime_ns = NAN;
	emit_job(&run->total, JOB_ALL, out);
	if (run->njobs > 1 && together)
		emit_fairness(run, out);
	out->njobs = run->njobs;
}

/*
 * Lines that fio prints when a run went wrong (backend.c, client.c, filesetup.c, io_u.c); 'error' of the jobs can be 0
 * all the same.
 */
static const char *const complaints[] = {
	"fio: pid=", /* ", err=", ", got signal=", " disappeared" */
	"fio: io_u error",
	"fio: terminating on signal",
	"fio: client",
	"hasn't exited in",
	"job startup hung",
	"failed to start",
	"No space left on device",
};

static bool is_complaint(const char *line)
{
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++)
		if (strstr(line, complaints[i]))
			return true;
	return false;
}

static bool is_fio_line(const char *line)
{
	return strstr(line, "fio: ");
}

bool fio_says(const char *line)
{
	return is_fio_line(line) || is_complaint(line);
}

/* The first line of 'text' that 'wanted' accepts, NULL if none; the caller frees. */
static char *find_line(const char *text, bool (*wanted)(const char *line))
{
	const size_t longest = 500;
	size_t len;

	for (const char *p = text ? text : ""; *p; p += len + strspn(p + len, "\r\n")) {
		char *line = mem_strndup(p, (len = strcspn(p, "\r\n")));

		if (wanted(line)) {
			line[len < longest ? len : longest] = '\0';
			return line;
		}
		free(line);
	}
	return NULL;
}

void fio_run_judge(const struct fio_run *run, struct parsed *out)
{
	const struct fio_io *all = &run->total.io[DIR_ALL];
	AUTOFREE char *complaint = find_line(out->diagnostics, is_complaint);
	AUTOSTR struct str reason = { 0 };

	if (run->nfailed > 1)
		str_addf(&reason, "%d of %d jobs failed; ", run->nfailed, run->njobs);
	if (run->nfailed) {
		str_add(&reason, run->failed);
	} else if (!complaint && (!all->done || all->bytes == 0)) {
		str_add(&reason, "no I/O was done");
		complaint = find_line(out->diagnostics, is_fio_line);
	}
	if (complaint)
		str_addf(&reason, "%s%s", reason.len ? ": " : "", complaint);
	else if (run->error)
		str_addf(&reason, " (%s)", strerror(run->error));
	out->failed = reason.len;
	out->reason = out->failed ? str_steal(&reason) : NULL;
}

void fio_run_release(struct fio_run *run)
{
	fio_job_release(&run->total);
	vec_free(&run->job_bw);
	free(run->failed);
}
