/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHECKS_DOCTOR_H
#define CHECKS_DOCTOR_H

#include "checks/codes.h"
#include "runner/doctor_facts.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE, /* a fact to know: it is part of what is measured */
	DOCTOR_WARN, /* will spoil a measurement, or keeps a sweep from starting */
	DOCTOR_NOT_KNOWN,
};

struct doctor_item {
	enum check_id id; /* title and advice are those of the table of codes */
	enum doctor_status status;
	bool need;     /* with DOCTOR_WARN: a sweep would refuse to start */
	char *subject; /* the disk, NULL for the machine */
	char *text;
};
typedef VEC(struct doctor_item) doctor_items_t;

/* Judge what was found: every item once, of disks once each; timers count when due within 'horizon_ns'. */
void check_doctor(const struct doctor_facts *f, int64_t horizon_ns, doctor_items_t *out);
void doctor_items_release(doctor_items_t *items);

const char *doctor_status_text(enum doctor_status status); /* "ok", "note", "warn", "unknown" */

#endif
