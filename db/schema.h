/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

/* The SQL of db/schema/NNN-*.sql in order; step i takes user_version from i to i + 1. Made by the Makefile. */
extern const char *const schema_steps[];
extern const int schema_n_steps;

/* db/merge.sql */
extern const char *const merge_script;

#endif
