/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_EXPORT_VALUES_H
#define CLI_EXPORT_VALUES_H

#include "cli/command.h"

/* 'export --format NAME': what was measured, in a format of another program (report/export.h). */
int export_values(const struct options *opt, struct err *err);

#endif
