/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_FORESEE_H
#define CLI_FORESEE_H

#include "cli/setup.h"

/*
 * Do --where, --rows and --cols name axes that the cells of this sweep will have, and --where values of them? To be known
 * before a sweep of hours, not when its tables are made. ERR_USAGE says what is wrong.
 */
int foresee_axes(const struct options *opt, const struct setup *setup, struct err *err);

#endif
