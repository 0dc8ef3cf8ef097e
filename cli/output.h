/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/command.h"
#include "db/store.h"

/* Tables as --layout, --format, --metric, --direction and -o ask for: what report prints and a sweep ends with. */

/* Find out what is wrong with these options before anything is measured. */
int output_check(const struct options *opt, struct err *err);
int output_tables(const struct options *opt, struct store *s, const int64_t *sweeps, size_t n, struct err *err);

#endif
