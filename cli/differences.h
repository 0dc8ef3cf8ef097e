/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_DIFFERENCES_H
#define CLI_DIFFERENCES_H

#include "db/store.h"

/* Append a line for each fact of the machine (kernel, fio, disk, settings) that two environments do not share. */
int environment_differences(struct store *db, int64_t a, int64_t b, strings_t *out, struct err *err);

/* The same of the settings that were read back in two runs: tunables of schedulers, which no environment has. */
int setting_differences(struct store *db, int64_t a, int64_t b, strings_t *out, struct err *err);

#endif
