/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_PROFILE_H
#define VDISK_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/str.h"

/*
 * What a disk is like: the figures of its data sheet, from an INI file. A file sets every key of its kind of disk
 * that has no default; profiles/hd103sj.ini shows all of them, the table in profile.c says which there are.
 */
struct profile {
	char name[64];	     /* of the file, without ".ini" */
	bool rotating;	     /* kind = rotating; else flash */
	uint64_t size_bytes; /* that the drive is sold with */

	uint64_t rpm, heads, zones;
	double rim_mb_s, hub_mb_s; /* sustained, 10^6 bytes */
	double seek_track_ms, seek_average_ms, seek_full_ms, head_switch_ms, write_settle_ms;

	uint64_t channels, page_bytes; /* flash: what works at the same time, and how much at once */
	double read_us, write_us;      /* of a page */

	double interface_mb_s, overhead_us; /* overhead: of a command, before anything moves */
	uint64_t depth;			    /* commands that the drive holds and chooses from, 1 to 32 */
	double age_limit_ms;		    /* a command that waited so long is next */
	uint64_t cache_bytes, segments, segment_bytes;
	bool read_ahead, write_cache;
};

/* Profiles that come with the program, ended by a row without name. Their text is in the program. */
struct profile_text {
	const char *name, *text;
};
extern const struct profile_text profile_texts[];

/* A profile by name, or a file: what has a '/' or ends in ".ini". ERR_USAGE names what is wrong with it. */
int profile_load(const char *name_or_file, struct profile *out, struct err *err);

/* As profile_load, of a text; 'name' is what errors call it. */
int profile_parse(const char *name, const char *text, struct profile *out, struct err *err);

/* Every figure, on one line: "kind=rotating size=1000204886016 rpm=7200 …". */
void profile_print(const struct profile *p, struct str *out);

#endif
