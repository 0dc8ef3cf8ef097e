/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VDISK_FAULT_H
#define VDISK_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"

/* What goes wrong with a simulated disk, on request. */
enum fault_kind {
	FAULT_CLEAR, /* ends all others; a hang ends, stuck commands go on */
	FAULT_EIO,   /* the command fails, after the time that it takes */
	FAULT_SLOW,  /* the sector is read again and again for 'ns' */
	FAULT_STUCK, /* the command is never done, until cleared */
	FAULT_HANG,  /* the drive does nothing for 'ns' */
	FAULT_GONE,  /* the drive is not there any more: every command fails at once */
};

struct fault {
	enum fault_kind kind;
	uint64_t from, to; /* bytes: commands that touch them; to UINT64_MAX: the end */
	double probability;
	bool reads, writes;
	int64_t ns;
	uint64_t hits;
};

/* "KIND[:KEY=VALUE]…": eio:from=1M:to=2M:p=0.1:op=read, slow:time=200ms, hang:time=5s, stuck, gone, clear. */
int fault_parse(const char *text, struct fault *out, struct err *err);

/* Back to text, with how often it has struck; appended. */
void fault_print(const struct fault *f, struct str *out);

/* Does it strike a command on these bytes? 'random' is a number from 0 up to but not 1. */
bool fault_strikes(const struct fault *f, bool is_write, uint64_t offset, uint64_t len, double random);

#endif
