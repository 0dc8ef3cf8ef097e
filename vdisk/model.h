/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_MODEL_H
#define VDISK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "vdisk/geometry.h"
#include "vdisk/profile.h"

/*
 * A disk drive in virtual time: commands go in with the time they arrive, come out with the time they are done. It
 * knows no clock and moves no data; the same commands at the same times always give the same answer.
 *
 * One head assembly does one thing at a time, and nothing that it has begun is broken off but reading ahead. What
 * it does next is chosen when it is free: of the commands that the drive holds (at most profile.depth; others wait
 * outside, first come first served) the one with the shortest positioning time, seek and rotation together (D.
 * Jacobson, J. Wilkes, "Disk scheduling algorithms based on rotational position", HPL-CSP-91-7, 1991), or the
 * oldest, if that has waited for age_limit_ms.
 *
 * Caching is that of Ruemmler and Wilkes 1994: segments of consecutive sectors; after a read the head reads on,
 * over track and cylinder boundaries, until the segment is full or another command needs it; a read that goes on
 * where the head is reading loses no rotation. With the write cache on a write is done when the drive has it. It
 * goes to the disk when no read came for a while, when the cache is full, or before a flush is done; writes that
 * follow each other are joined. What the cache holds goes over the interface while the head does something else.
 */

enum command_kind { COMMAND_READ, COMMAND_WRITE, COMMAND_FLUSH };

struct command {
	enum command_kind kind;
	uint64_t lba, sectors; /* inside the disk, at least one; not for a flush */
	int64_t arrival_ns;    /* no earlier than any command before it, and than the last model_run() */
	int64_t extra_ns;      /* that reading the platter takes longer: a bad sector that is tried again */
	void *owner;	       /* the caller's */

	int64_t done_ns; /* the model's: COMMAND_PENDING until it is known */
	int64_t ready_ns;
	struct command *next;
};
#define COMMAND_PENDING INT64_MAX

struct model_counters {
	uint64_t reads, writes, flushes, read_bytes, write_bytes;
	uint64_t read_hits;	/* served from a segment, whole */
	uint64_t cached_writes; /* done before they were on the disk */
	uint64_t accesses;	/* of the platters; each begins with moving the head */
	uint64_t seeks, seek_cylinders;
	int64_t busy_ns;	/* of the head, reading ahead not counted */
	uint64_t depth_sum, depth_max; /* commands in the drive as each one came in, itself included */
};

struct segment {
	uint64_t start, end; /* sectors that it holds; empty: the same */
	uint64_t used;	     /* when, in accesses */
	int64_t valid_ns;    /* when all of it has been read */
};

struct extent {
	uint64_t lba, sectors;
};

struct head {
	uint64_t cylinder, head;
	int64_t ns; /* free from then on; while it reads ahead: when it was at 'ahead_lba' */
};

#define MODEL_DEPTH 32
#define MODEL_CHANNELS 256

struct model {
	struct profile profile;
	struct geometry geometry;
	struct command *waiting, **waiting_end; /* outside the drive */
	struct command *finished, **finished_end;
	struct command *held[MODEL_DEPTH];
	unsigned n_held;
	struct head head;
	struct segment segments[64];
	struct segment *ahead; /* the one that grows by reading ahead; NULL */
	VEC(struct extent) dirty;
	struct extent written; /* back last */
	uint64_t dirty_sectors, dirty_limit;
	int64_t bus_free_ns, last_read_ns;
	int64_t last_ns; /* of the last thing that happened */
	int64_t channel_free_ns[MODEL_CHANNELS]; /* flash */
	struct model_counters count;
};

/* A disk of 'bytes', a multiple of SECTOR_BYTES; 0: as in the profile. */
void model_init(struct model *m, const struct profile *p, uint64_t bytes);
void model_release(struct model *m);

/* Hand over a command. It belongs to the model until model_finished() gives it back. */
void model_submit(struct model *m, struct command *c);

/*
 * Let the disk work until 'now_ns'. Returns when something happens next, if nothing is submitted before; INT64_MAX:
 * never.
 */
int64_t model_run(struct model *m, int64_t now_ns);

/* The next command that was done at the time of the last model_run(), in order of done_ns; NULL: none. */
struct command *model_finished(struct model *m);

#endif
