// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/geometry.h"

#include <math.h>

#define NS_PER_MS 1e6

/* Two tracks are turned against each other by a little more than it takes to get from one to the other. */
#define SKEW_MARGIN_NS 20000

/* Sectors a track so that reading on and on, switches of heads and cylinders included, gives so many MB/s. */
static uint64_t track_sectors_of(const struct geometry *g, double mb_s)
{
	int64_t cylinder_ns = (int64_t)g->heads * g->rotation_ns + (int64_t)(g->heads - 1) * g->head_skew_ns +
			      g->cylinder_skew_ns;
	double sectors = mb_s * 1e6 * (double)cylinder_ns / 1e9 / (double)g->heads / SECTOR_BYTES;

	return sectors < 1 ? 1 : (uint64_t)(sectors + 0.5);
}

/* As many cylinders as 'sectors' need, each zone with the same number of them. */
static void fill_zones(struct geometry *g, const struct profile *p, uint64_t sectors)
{
	uint64_t per_turn = 0, cylinders, first_sector = 0;

	g->n_zones = (unsigned)p->zones;
	for (unsigned i = 0; i < g->n_zones; i++) {
		double inward = g->n_zones > 1 ? (double)i / (double)(g->n_zones - 1) : 0;

		g->zones[i].track_sectors = track_sectors_of(g, p->rim_mb_s + (p->hub_mb_s - p->rim_mb_s) * inward);
		per_turn += g->zones[i].track_sectors * g->heads;
	}
	cylinders = per_turn ? (sectors + per_turn - 1) / per_turn : 1;
	for (unsigned i = 0; i < g->n_zones; i++) {
		g->zones[i].first_sector = first_sector;
		g->zones[i].first_cylinder = i * cylinders;
		g->zones[i].cylinders = cylinders;
		first_sector += cylinders * g->heads * g->zones[i].track_sectors;
	}
	g->cylinders = cylinders * g->n_zones;
}

/*
 * The shape of the curve is that of Ruemmler and Wilkes 1994: the arm accelerates first (a square root), then
 * coasts (a straight line). Data sheets give three points of it: track to track, average, and full stroke. The
 * average of random seeks is a third of the stroke, and there the two parts meet.
 */
static void fit_seeks(struct geometry *g, const struct profile *p)
{
	double track_ns = p->seek_track_ms * NS_PER_MS, average_ns = p->seek_average_ms * NS_PER_MS;
	double full = fmax(g->native_cylinders - 1, 4), third = full / 3;

	g->seek_boundary = third;
	g->seek_b_ns = (average_ns - track_ns) / (sqrt(third) - 1);
	g->seek_a_ns = track_ns - g->seek_b_ns;
	g->seek_e_ns = (p->seek_full_ms * NS_PER_MS - average_ns) / (full - third);
	g->seek_c_ns = average_ns - g->seek_e_ns * third;
}

void geometry_make(const struct profile *p, uint64_t bytes, struct geometry *out)
{
	struct geometry *g = out;

	*g = (struct geometry){ .heads = p->heads, .sectors = bytes / SECTOR_BYTES };
	g->rotation_ns = (int64_t)(60e9 / (double)p->rpm + 0.5);
	g->head_switch_ns = (int64_t)(p->head_switch_ms * NS_PER_MS);
	g->write_settle_ns = (int64_t)(p->write_settle_ms * NS_PER_MS);
	g->head_skew_ns = g->head_switch_ns + SKEW_MARGIN_NS;
	g->cylinder_skew_ns = (int64_t)(fmax(p->seek_track_ms, p->head_switch_ms) * NS_PER_MS) + SKEW_MARGIN_NS;
	fill_zones(g, p, p->size_bytes / SECTOR_BYTES);
	g->native_cylinders = (double)g->cylinders;
	fit_seeks(g, p);
	fill_zones(g, p, g->sectors);
}

void geometry_place(const struct geometry *g, uint64_t lba, struct place *out)
{
	unsigned i = g->n_zones - 1;
	uint64_t in_zone, track;

	while (lba < g->zones[i].first_sector)
		i--;
	in_zone = lba - g->zones[i].first_sector;
	out->track_sectors = g->zones[i].track_sectors;
	track = in_zone / out->track_sectors;
	out->sector = in_zone % out->track_sectors;
	out->cylinder = g->zones[i].first_cylinder + track / g->heads;
	out->head = track % g->heads;
}

int64_t geometry_track_angle(const struct geometry *g, const struct place *p)
{
	/* of whole cylinders and heads before this one, each reduced: no product overflows */
	int64_t of_cylinder = ((int64_t)(g->heads - 1) * g->head_skew_ns + g->cylinder_skew_ns) % g->rotation_ns;
	int64_t cylinders = (int64_t)(p->cylinder % (uint64_t)g->rotation_ns);

	return (cylinders * of_cylinder + (int64_t)p->head * g->head_skew_ns) % g->rotation_ns;
}

int64_t geometry_sector_offset(const struct geometry *g, const struct place *p, uint64_t sector)
{
	return (int64_t)((uint64_t)g->rotation_ns * sector / p->track_sectors);
}

int64_t geometry_seek_ns(const struct geometry *g, uint64_t distance)
{
	double d = (double)distance;

	if (!distance)
		return 0;
	/* to cylinders of the profile's disk: 1 stays 1, a full stroke a full stroke */
	if (g->cylinders > 2)
		d = 1 + (d - 1) * (g->native_cylinders - 2) / (double)(g->cylinders - 2);
	if (d <= g->seek_boundary)
		return (int64_t)(g->seek_a_ns + g->seek_b_ns * sqrt(d));
	return (int64_t)(g->seek_c_ns + g->seek_e_ns * d);
}

int64_t geometry_move_ns(const struct geometry *g, uint64_t cylinder, uint64_t head, const struct place *to)
{
	uint64_t distance = cylinder > to->cylinder ? cylinder - to->cylinder : to->cylinder - cylinder;
	int64_t seek = geometry_seek_ns(g, distance);

	return head != to->head && seek < g->head_switch_ns ? g->head_switch_ns : seek;
}
