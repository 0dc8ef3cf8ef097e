/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include "common/err.h"
#include "common/str.h"
#include "report/plot.h"

/*
 * Draw a plot with gnuplot, which is run as a program on files in a directory of its own; append the picture to
 * 'picture'. With 'keep' that directory is used, made if need be, and script, data and picture stay in it under 'name'.
 * ERR_NEEDS: gnuplot is not installed.
 */
int gnuplot_draw(const struct plot *p, const struct plot_output *o, const char *name, const char *keep,
		 struct str *picture, struct err *err);

/*
 * A file name without ending for the plot 'number' of several: its label. What file systems or shells might mind becomes
 * '_', what is too long is cut, and then the number tells it from the others.
 */
char *gnuplot_name(const struct plot *p, size_t number);

#endif
