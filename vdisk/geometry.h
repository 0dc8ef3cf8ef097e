/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_GEOMETRY_H
#define VDISK_GEOMETRY_H

#include <stdint.h>

#include "vdisk/profile.h"

/*
 * Where sectors are on a rotating disk, and how long its parts take to move. Pure arithmetic.
 *
 * The layout is the classic one of C. Ruemmler and J. Wilkes, "An introduction to disk drive modeling", IEEE
 * Computer 27(3), 1994: cylinder after cylinder from rim to hub, track after track in a cylinder; zones of
 * cylinders with as many sectors a track; each track is turned against the one before by the head switch time, each
 * cylinder by the time of a seek to the next, so that reading on loses no rotation. All times are in nanoseconds;
 * an angle is the time that the platters take to turn by it, from 0 to rotation_ns.
 */

#define SECTOR_BYTES 512
#define ZONES_MAX 64

struct zone {
	uint64_t first_sector, first_cylinder, cylinders;
	uint64_t track_sectors;
};

struct geometry {
	uint64_t sectors; /* of the disk as made, maybe of another size than the profile's */
	uint64_t cylinders, heads;
	int64_t rotation_ns;
	int64_t head_switch_ns, write_settle_ns, head_skew_ns, cylinder_skew_ns;
	struct zone zones[ZONES_MAX];
	unsigned n_zones;
	/* Seeks: a + b*sqrt(d) up to 'boundary', c + e*d beyond; in cylinders of the profile's own size. */
	double seek_a_ns, seek_b_ns, seek_c_ns, seek_e_ns, seek_boundary;
	double native_cylinders;
};

/*
 * Make a disk of 'bytes' (a multiple of SECTOR_BYTES), not necessarily the profile's size: tracks are as long and
 * full-stroke and track-to-track seeks take as long as in the profile, there are more or fewer of them between.
 */
void geometry_make(const struct profile *p, uint64_t bytes, struct geometry *out);

struct place {
	uint64_t cylinder, head;
	uint64_t sector, track_sectors; /* in its track, and how many that has */
};
void geometry_place(const struct geometry *g, uint64_t lba, struct place *out);

/* The angle of the beginning of a track, and of a place; of sector == track_sectors, the end, one rotation on. */
int64_t geometry_track_angle(const struct geometry *g, const struct place *p);
int64_t geometry_sector_offset(const struct geometry *g, const struct place *p, uint64_t sector);

/* A seek over 'distance' cylinders, settled; 0 for 0. */
int64_t geometry_seek_ns(const struct geometry *g, uint64_t distance);

/* From one place to another's track: the seek or the head switch, whichever is longer. */
int64_t geometry_move_ns(const struct geometry *g, uint64_t cylinder, uint64_t head, const struct place *to);

#endif
