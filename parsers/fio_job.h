/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_FIO_JOB_H
#define PARSERS_FIO_JOB_H

#include <stdbool.h>

#include "common/mem.h"
#include "parsers/fio_bins.h"
#include "parsers/sample.h"

/*
 * What fio says of one job, whatever the format, and how jobs and directions are put together to a run. NaN stands
 * for what was not said. A reader fills one struct fio_job after the other:
 *
 *	fio_job_init → fill name, error, io[DIR_READ…DIR_TRIM], CPU, shares → fio_job_total → fill what is known
 *	of io[DIR_ALL] only → fio_run_add → fio_job_release
 *
 * and gives the run out at the end: fio_run_emit, fio_run_judge, fio_run_release. Putting together follows fio's
 * group_reporting (stat.c, sum_thread_stats), so that the totals are those it would have printed.
 */

enum fio_lat_kind { FIO_LAT, FIO_CLAT, FIO_SLAT, FIO_SYNC_LAT, FIO_N_LATS };

struct fio_percentile {
	unsigned percent_e6; /* millionths of a percent */
	double value_ns;
};

#define FIO_MAX_PERCENTILES 32 /* fio prints at most 20 (FIO_IO_U_LIST_MAX_LEN) */

/* How the latencies are distributed. */
struct fio_dist {
	VEC(struct fio_percentile) percentiles; /* as printed; of the first part once parts > 1 */
	latency_bins_t bins;			/* of json+; may be in any order and repeat */
	size_t sorted;				/* bins that are in order, each once */
	unsigned parts, parts_with_bins;	/* what this was put together from */
};
void fio_dist_add_bin(struct fio_dist *dist, double value_ns, double count);

struct fio_lat {
	bool known;
	double n;      /* I/Os measured, as said */
	double weight; /* the same, or the I/Os done where it is not said */
	double min_ns, max_ns, mean_ns, stddev_ns;
	struct fio_dist dist;
};

struct fio_io {
	bool done; /* any I/O was completed, or failed */
	double bytes, runtime_ns, bw, iops, ios;
	double weight; /* ios, or iops x runtime where it is not said (fio before 2.1.14) */
	struct fio_lat lat[FIO_N_LATS];
};

/* Shares in percent, in the order in which fio prints them. */
enum {
	FIO_SHARE_LAT_NS = 0,			   /* 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000 */
	FIO_SHARE_LAT_US = FIO_SHARE_LAT_NS + 10,  /* the same */
	FIO_SHARE_LAT_MS = FIO_SHARE_LAT_US + 10,  /* the same, 2000, >=2000 */
	FIO_SHARE_LEVEL = FIO_SHARE_LAT_MS + 12,   /* 1, 2, 4, 8, 16, 32, >=64 */
	FIO_SHARE_SUBMIT = FIO_SHARE_LEVEL + 7,	   /* 0, 4, 8, 16, 32, 64, >=64 */
	FIO_SHARE_COMPLETE = FIO_SHARE_SUBMIT + 7, /* the same */
	FIO_N_SHARES = FIO_SHARE_COMPLETE + 7,
};

struct fio_job {
	const char *name; /* borrowed; may be NULL */
	double group;	  /* jobs of different groups may have run one after the other */
	double start_ns;  /* since 1970; NaN: fio does not say (3.35 does not, 3.38 does) */
	double error;	  /* errno, 0 for none */
	struct fio_io io[DIR_TRIM + 1];
	double runtime_ns; /* of its threads, summed: what the CPU shares are of */
	double usr_cpu, sys_cpu, ctx, majf, minf, steadystate;
	double share[FIO_N_SHARES];
};

void fio_job_init(struct fio_job *job);
/*
 * From bytes, runtime_ns, bw, iops, ios as printed: 'done' and 'weight', and rates where fio prints 0 for want of digits.
 * For io[DIR_READ] and so on, and for what fio itself calls "mixed"; before the latencies are read.
 */
void fio_io_finish(struct fio_io *io);
/* Shares that are all 0 are of nothing: not measured (gtod_reduce), or no such calls (synchronous engines). */
void fio_shares_finish(double share[FIO_N_SHARES]);
/* Make io[DIR_ALL] from the single directions. Not for jobs that fio itself reports as "mixed". */
void fio_job_total(struct fio_job *job);
void fio_job_release(struct fio_job *job);

struct fio_run {
	struct fio_job total;
	int njobs;
	bool one_group;
	double group;
	double first_start_ns, last_start_ns, shortest_ns; /* starts and run time of the jobs */
	bool untold;					   /* some job does not say its own */
	VEC(double) job_bw; /* bytes per second */
	int nfailed;
	char *failed; /* the first failed job: "job 'x' ended with error 22" */
	int error;    /* its errno, 0 if it is none */
};

void fio_run_init(struct fio_run *run);
/* Count the job in and add its samples, as the job number njobs, to 'out'. */
void fio_run_add(struct fio_run *run, struct fio_job *job, struct parsed *out);
/*
 * Take from what fio itself says of all jobs together (client/server mode) what our own total lacks: percentiles where
 * there are no bins, CPU shares. No more: until 3.30 fio's sum forgot the latencies of the first client.
 */
void fio_run_fill_gaps(struct fio_run *run, struct fio_job *said);
/* Add the samples of the run as a whole to 'out'. */
void fio_run_emit(struct fio_run *run, struct parsed *out);
/* Fill 'failed' and 'reason' of 'out', from errors of jobs, fio's own words in out->diagnostics, and lack of I/O. */
void fio_run_judge(const struct fio_run *run, struct parsed *out);
void fio_run_release(struct fio_run *run);

/* Whether a line of text is one of fio's own words ("fio: terminating on signal 2"), for out->diagnostics. */
bool fio_says(const char *line);

#endif
