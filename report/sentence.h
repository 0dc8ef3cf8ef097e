/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_SENTENCE_H
#define REPORT_SENTENCE_H

#include "common/str.h"

/*
 * Append words as lines of at most 72 columns, which a quoted mail has room for; further lines are indented. What is
 * appended starts a line, at column 'at'.
 */
void sentence_add(struct str *out, const char *text, size_t at, size_t indent);

#endif
