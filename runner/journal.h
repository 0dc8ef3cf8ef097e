/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_JOURNAL_H
#define RUNNER_JOURNAL_H

#include "runner/settings.h"

/*
 * The journal: a text file in settings_rundir() named after the first disk, a line a value, the last line "end". The
 * first line gives format, pid of the runner and boot id.
 */

struct journal_head {
	long pid;
	char boot_id[40];
};

enum journal_state {
	JOURNAL_WHOLE,
	JOURNAL_TORN,  /* no "end": the machine stopped while it was written, before the first change */
	JOURNAL_ALIEN, /* not a journal of ours, or of a version that we do not know */
};

int journal_write(const char *path, const struct saved *saved, struct err *err); /* atomic and fsynced */
enum journal_state journal_parse(const char *text, struct journal_head *head, struct saved *saved);

#endif
