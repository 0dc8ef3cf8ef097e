/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PARSERS_CI_NAME_H
#define PARSERS_CI_NAME_H

#include "parsers/sample.h"

/* What the formats of continuous integration share: one name for all that tells a result from the others. */

/*
 * Fill variant, pattern, jobs and axes of 'out' from "variant=bfq/bs=4k/pattern=read/jobs=4" (what report/export.h
 * writes; %xx is a byte). A name of another make, without such a variant, is the variant as a whole.
 */
void ci_name_read(const char *name, struct published *out);

/* A direction in front of a metric's name, "read/"; '*name' is moved behind it. */
enum direction ci_name_direction(const char **name);

#endif
