/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "cli/command.h"
#include "runner/device.h"
#include "runner/host.h"
#include "runner/plan.h"

/*
 * What the variants and --tree say is under test: every file of a variant "bfq@PATH" is read, and refused here, before
 * anything starts, if it could not be loaded or what is loaded could not be put back. Appends to 'notes' which build
 * is which. Touches nothing.
 */
int subject_make(const struct options *opt, const variants_t *variants, const struct disk *const *disks, size_t n,
		 struct subject *out, strings_t *notes, struct err *err);
void subject_release(struct subject *s);

#endif
