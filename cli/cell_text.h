/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_CELL_TEXT_H
#define CLI_CELL_TEXT_H

#include "db/store.h"

/* Append what tells the cells of a sweep apart: pattern and job count, and every axis that varies. The caller frees. */
void cells_varying(const cell_rows_t *cells, strings_t *out);

/* Append a cell as a reader knows it: "bfq, sequential reads, 4 jobs", with these axes. */
void cell_text(const struct cell_row *c, const strings_t *axes, struct str *out);

#endif
