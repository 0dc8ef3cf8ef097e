// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/utf8.h"

#define USUAL_WIDTH 80
#define LEAST_WIDTH 20 /* below it, it is no size that a terminal has */
#define PROSE_WIDTH 78

size_t screen_width(FILE *stream)
{
	struct winsize w;

	if (!isatty(fileno(stream)))
		return 0;
	return ioctl(fileno(stream), TIOCGWINSZ, &w) || w.ws_col < LEAST_WIDTH ? USUAL_WIDTH : w.ws_col;
}

size_t prose_width(FILE *stream)
{
	size_t width = screen_width(stream);

	return width && width < PROSE_WIDTH ? width : PROSE_WIDTH;
}

bool screen_redraws(FILE *stream)
{
	const char *term = getenv("TERM");

	return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

void print_wrapped(FILE *to, const char *prefix, const char *text, size_t indent, size_t width)
{
	AUTOSTRINGS strings_t lines = { 0 };
	AUTOSTR struct str out = { 0 }, blanks = { 0 };

	str_pad(&blanks, ' ', indent);
	str_split(text, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++)
		utf8_add_wrapped(&out, i ? str_text(&blanks) : prefix, lines.items[i], indent, width ? width : SIZE_MAX);
	fputs(str_text(&out), to);
}
