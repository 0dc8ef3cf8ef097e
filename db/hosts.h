/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_HOSTS_H
#define DB_HOSTS_H

#include "db/series.h"

/* For series.c: in a set of several hosts, put the model of a disk for its identity into the axis "device". */
int series_name_kinds(struct store *s, struct series_set *set, struct err *err);

#endif
