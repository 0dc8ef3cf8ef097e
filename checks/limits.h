/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_LIMITS_H
#define CHECKS_LIMITS_H

#include "common/units.h"

/*
 * Every threshold, with where it comes from. They are set so that the defaults of sweep on a quiet machine raise
 * nothing: what is called doubtful must be so.
 */

/* ---- of a cell ---- */

/*
 * Shorter runs are decided by what a disk does in between (a head's seek profile, writeback every 5 s, an SSD's
 * housekeeping), and hold too few of bfq's 125 ms slices. 10 s and 5 s: the criticism of the 2006 rawio thread.
 */
#define SHORT_ROTATIONAL_NS (10 * NS_PER_S)
#define SHORT_OTHER_NS (5 * NS_PER_S)

/*
 * The largest cache in a rotational disk of today is 512 MiB (of 20 TB and more); small disks have smaller ones,
 * never above a 2048th of their size (128 MiB in 500 GB is a 3700th). The area must be twice that, so that at least
 * half of what is read cannot be in it.
 */
#define DRIVE_CACHE_MAX_BYTES (512ULL << 20)
#define DRIVE_CACHE_SHARE 2048
#define AREA_CACHES 2 /* likewise of memory, with buffered I/O */

/*
 * Of disks without heads, and of virtual ones, the cache is not known; this much has any of the last twenty years, be it
 * in the drive, its controller or the host.
 */
#define DRIVE_CACHE_MIN_BYTES (8ULL << 20)

/* ---- of a run ---- */

/* Of the commands of a simulated disk, later than 1 ms: an eighth of a turn at 7200 rpm, where rotation decides. */
#define SIMULATOR_LATE_SHARE 0.01

/* design.md section 6: what others move may be 1% of what the load moves. */
#define FOREIGN_SHARE 0.01

/* Less than this part of what fio read came from the disk. Direct reads on block devices give 1.000. */
#define FROM_CACHE_SHARE 0.9

/*
 * Random I/Os a second of one rotational disk: half a turn at 15000 rpm takes 2 ms, so 500 without any seek one
 * after the other; a queue of 32 that the disk reorders at most doubles that.
 */
#define ROTATIONAL_IOPS 1000

/*
 * Rate x latency against jobs x depth (0.1: the field's rule of thumb). Measured with fio 3.33 it is 0.99 to 1.00
 * down to 35 us an I/O, 0.93 at 6 us; the rest is fio's own time between two I/Os, its user CPU time
 * (7% there).
 */
#define LITTLE_RESIDUE 0.1
#define LITTLE_MIN_NS 50e6 /* fio counts whole milliseconds: of less, the rate is too coarse */

/* Jobs overlap less than this: time of all jobs over (jobs x the longest). */
#define OVERLAP_SHARE 0.9

/* fio counts milliseconds and a run ends with its last I/O, at 128 jobs 6% late; it is never early by itself. */
#define EARLY_SHARE 0.95
#define LATE_SHARE 1.1
#define LATE_NS 500000000LL

/* Starting and ending fio takes 0.33 s for 1 job; a run that takes half as long again does something else. */
#define WALL_SHARE 1.5
#define WALL_NS (2 * NS_PER_S)

/* Of the time of one CPU. A busy guest with two CPUs showed 0 to 0.2% in runs of 5 s, and 2.4% now and then. */
#define STEAL_SHARE 0.02

/*
 * User time that is not the load's (a machine at rest uses 1 or 2% of one CPU): of one CPU when tasks were seen to
 * wait for CPUs (PSI "some", a 20th of the time), of all CPUs when that is not known or was not so.
 */
#define OTHERS_CPU_SHARE 0.1
#define CPU_WAIT_SHARE 0.05

/*
 * PSI "some" of I/O counts the load itself, except where it waits by libaio's io_getevents (which is no I/O wait to
 * the scheduler): there 0.3 to 5% were measured, 30% as soon as requests waited for tags of a full queue.
 */
#define IO_WAIT_SHARE 0.1

/* Tasks that waited for memory: direct I/O needs none. */
#define MEMORY_WAIT_SHARE 0.01

/* ---- of a series ---- */

/* A mean that is not known to 5% (half its 95% interval) is not worth a comparison of a few percent. */
#define SPREAD_HALF_WIDTH 0.05
#define SPREAD_MIN_RUNS 3 /* below, two values say nothing of the spread */

/*
 * Drift: change from the first block to the last by a straight line; 3% as for canaries. A sweep has hundreds of
 * cells and one drift, so a cell must show it at p < 0.001 and the mean of all at p < 0.01.
 */
#define DRIFT_SHARE 0.03
#define DRIFT_P_CELL 0.001
#define DRIFT_P_SWEEP 0.01
#define DRIFT_MIN_BLOCKS 5

/* Between the runs of a cell, all of the same load, whose turbo is the same: a step of it is 100 MHz, 2 to 3%. */
#define FREQUENCY_SHARE 0.05

#define FEW_RUNS 5 /* the least with which spread and a median mean anything */

/* ---- of the machine ---- */

#define LEAST_MEMORY_BYTES (512ULL << 20) /* for fio and all else that runs, before anything is swapped */
#define BUSY_LOAD_SHARE 0.1 /* of the CPUs, by the load average of a minute */

#endif
