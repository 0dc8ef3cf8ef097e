// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <math.h>

struct table *table_new(const char *title, const char *label)
{
	struct table *t = mem_alloc(1, sizeof(*t));

	t->title = mem_strdup(title);
	t->label = mem_strdup(label);
	return t;
}

struct table_column *table_add_column(struct table *t, const char *head, const char *name, const char *unit,
				      const char *kind)
{
	struct table_column *c = vec_push(&t->columns);

	c->head = mem_strdup(head);
	c->name = mem_strdup(name);
	c->unit = mem_strdup(unit);
	c->kind = mem_strdup(kind);
	return c;
}

struct table_row *table_add_row(struct table *t)
{
	struct table_row *row = vec_push(&t->rows);

	row->cells = mem_alloc(t->columns.n, sizeof(*row->cells));
	return row;
}

static struct table_cell *cell_reset(struct table_row *row, size_t column, enum table_cell_type type)
{
	struct table_cell *cell = &row->cells[column];

	if (cell->type == CELL_TEXT && !cell->shared)
		free(cell->text);
	*cell = (struct table_cell){ .type = type };
	return cell;
}

void table_set_text(struct table_row *row, size_t column, const char *text)
{
	struct table_cell *cell = cell_reset(row, column, text ? CELL_TEXT : CELL_MISSING);

	cell->text = mem_strdup(text);
}

void table_set_integer(struct table_row *row, size_t column, double value)
{
	cell_reset(row, column, isfinite(value) ? CELL_INTEGER : CELL_MISSING)->value = value;
}

void table_set_real(struct table_row *row, size_t column, double value, int decimals)
{
	struct table_cell *cell = cell_reset(row, column, isfinite(value) ? CELL_REAL : CELL_MISSING);

	cell->value = value;
	cell->decimals = (signed char)decimals;
}

void table_share_cell(struct table_row *row, size_t column, const struct table_row *earlier)
{
	struct table_cell *cell = cell_reset(row, column, CELL_MISSING);

	*cell = earlier->cells[column];
	cell->shared = true;
}

static void column_release(struct table_column *c)
{
	free(c->group);
	free(c->head);
	free(c->name);
	free(c->unit);
	free(c->kind);
	free(c->series);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t r = 0; r < t->rows.n; r++) {
		for (size_t c = 0; c < t->columns.n; c++)
			cell_reset(&t->rows.items[r], c, CELL_MISSING);
		free(t->rows.items[r].cells);
		free(t->rows.items[r].note);
	}
	vec_free(&t->rows);
	for (size_t c = 0; c < t->columns.n; c++)
		column_release(&t->columns.items[c]);
	vec_free(&t->columns);
	strings_release(&t->legend);
	strings_release(&t->notes);
	free(t->title);
	free(t->label);
	free(t->caption);
	free(t->separator);
	free(t->banner);
	free(t);
}

void tables_release(struct tables *ts)
{
	for (size_t i = 0; i < ts->list.n; i++)
		table_free(ts->list.items[i]);
	vec_free(&ts->list);
}
