/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_NIGHT_REPORT_H
#define REPORT_NIGHT_REPORT_H

#include "common/str.h"
#include "report/nights.h"
#include "report/table.h"

/* What the gate found, for readers and for other programs. */

struct night_event_part {
	const struct night_cell *cell;
	double before, after; /* as of struct change */
};

/*
 * What changed in some cells at once, and what else changed then. All of it are nights. Of a slide 'early' is its first
 * one and 'night' and 'late' its last.
 */
struct night_event {
	size_t night;	    /* the first one after it, most likely */
	size_t early, late; /* it may as well be one of these: by the cell that knows best */
	size_t before;	    /* the last one before 'early' */
	bool slides;
	bool of_references;   /* the machine changed, not what is judged */
	const char *known;    /* the reason, of a change that is known; NULL; borrowed */
	const char *host;     /* the box of its cells; borrowed */
	VEC(struct night_event_part) parts;
	int64_t environments[2], runs[2]; /* of one of the cells, in 'before' and 'late' */
	strings_t differences;		  /* between those; the caller's to fill in */
};

struct night_report {
	const struct gate *gate;
	const nights_t *nights; /* the last one is judged */
	VEC(struct night_event) events; /* in the order of time */
	strings_t keys;		/* what names a cell */
	bool simulated;		/* measured on a simulated disk */
};

/* 'reasons' of the gate's known changes, in their order. All is borrowed. */
void night_report_make(const struct series_set *set, const struct gate *gate, const nights_t *nights,
		       const char *const *reasons, struct night_report *out);
void night_report_release(struct night_report *r);

/* "bfq, sequential reads, 4 jobs". The caller frees. */
char *night_cell_name(const struct night_report *r, const struct night_cell *cell);

/* "regressed: 2 of 32 cells". The caller frees. */
char *night_headline(const struct night_report *r);

/* "night of 2026-11-30, against 41 earlier ones from 2026-10-01 on, reference 'none', IOPS". The caller frees. */
char *night_subject(const struct night_report *r);

/* Why the verdict: "-5.3% against none (p=0.0004; …)". The caller frees. */
char *night_cell_text(const struct night_report *r, const struct night_cell *cell);

/* "2026-11-18: a step (perhaps 2026-11-17 to 2026-11-19)". The caller frees. */
char *night_event_text(const struct night_report *r, const struct night_event *e);

/* In the morning: the verdict, the cells that it is about, what changed when. */
void night_report_text(const struct night_report *r, struct str *out);

/* The same as tables, cells and changes: for --format and --markdown. */
void night_report_tables(const struct night_report *r, struct tables *out);

/* JUnit XML: a test case a cell; what regressed failed, what cannot be told is skipped. */
void night_report_junit(const struct night_report *r, struct str *out);

#endif
