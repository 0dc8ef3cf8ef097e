// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cell_text.h"

#include <string.h>

#include "report/cross.h"

static const char *value_of(const struct cell_row *c, const char *axis)
{
	for (size_t i = 0; i < c->n_axes; i++)
		if (!strcmp(c->axes[i].name, axis))
			return c->axes[i].value;
	return "";
}

static bool varies(const cell_rows_t *cells, const char *axis)
{
	for (size_t i = 1; i < cells->n; i++)
		if (strcmp(value_of(&cells->items[i], axis), value_of(&cells->items[0], axis)))
			return true;
	return false;
}

void cells_varying(const cell_rows_t *cells, strings_t *out)
{
	for (size_t i = 0; i < cells->n; i++)
		for (size_t a = 0; a < cells->items[i].n_axes; a++) {
			const char *axis = cells->items[i].axes[a].name;

			if (strings_has(out, axis))
				continue;
			if (!strcmp(axis, "pattern") || !strcmp(axis, "numjobs") || varies(cells, axis))
				strings_add(out, axis);
		}
}

void cell_text(const struct cell_row *c, const strings_t *axes, struct str *out)
{
	str_add(out, c->variant);
	for (size_t i = 0; i < axes->n; i++) {
		const char *value = value_of(c, axes->items[i]);
		AUTOFREE char *phrase = *value ? key_phrase(axes->items[i], value) : NULL;

		if (phrase)
			str_addf(out, ", %s", phrase);
	}
}
