// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cross.h"
#include "report/emit.h"
#include "report/subset.h"

extern const struct exporter export_go, export_github_bigger, export_github_smaller, export_junit;

static const struct exporter *const exporters[] = { &export_go, &export_github_bigger, &export_github_smaller,
						    &export_junit };

const struct exporter *exporter_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(exporters); i++)
		if (!strcmp(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

const struct exporter *exporter_at(size_t i)
{
	return i < ARRAY_LEN(exporters) ? exporters[i] : NULL;
}

void export_data_release(struct export_data *d)
{
	for (size_t i = 0; i < d->sweeps.n; i++) {
		sweep_row_release(&d->sweeps.items[i].row);
		cell_rows_release(&d->sweeps.items[i].cells);
		run_rows_release(&d->sweeps.items[i].runs);
		warning_counts_release(&d->sweeps.items[i].warnings);
	}
	vec_free(&d->sweeps);
	series_set_release(&d->set);
}

void export_number(struct str *out, double value)
{
	emit_cell_exact(&(struct table_cell){ .type = CELL_REAL, .value = value }, out);
}

void export_figure(struct str *out, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.9g", value);
	export_number(out, strtod(digits, NULL));
}

const char *export_direction(enum direction d)
{
	static const char *const names[] = {
		[DIR_ALL] = "", [DIR_READ] = "read/", [DIR_WRITE] = "write/", [DIR_TRIM] = "trim/"
	};

	return names[d];
}

/* "/key=value", the first one without '/'. */
static void add_part(struct str *out, const char *key, const char *value)
{
	str_addf(out, "%s%s=", out->len ? "/" : "", key);
	for (const char *c = value; *c; c++)
		str_addf(out, isgraph((unsigned char)*c) && (unsigned char)*c < 0x80 && !strchr("/%", *c) ? "%c" : "%%%02x",
			 (unsigned char)*c);
}

static const char *cell_axis(const struct cell_row *cell, const char *name)
{
	for (size_t i = 0; i < cell->n_axes; i++)
		if (!strcmp(cell->axes[i].name, name))
			return cell->axes[i].value;
	return NULL;
}

bool export_has_cell(const struct export_data *d, const struct cell_row *cell)
{
	for (size_t i = 0; i < d->set.list.n; i++)
		if (d->set.list.items[i].cell == cell->id)
			return true;
	return false;
}

static bool varies(const struct export_data *d, const struct cell_row *cell, const char *axis)
{
	const char *value = cell_axis(cell, axis);

	for (size_t i = 0; i < d->set.list.n; i++)
		if (!same_text(series_axis(&d->set.list.items[i], axis), value))
			return true;
	return false;
}

/* "4k": sizes as they are typed, so that a name has no blank in it; other values as readers know them. */
static char *axis_text(const char *key, const char *value)
{
	static const char suffixes[] = "\0kMGT";
	size_t len = strlen(key), power = 0;
	char *end;
	unsigned long long bytes;

	if (len < strlen("_bytes") || strcmp(key + len - strlen("_bytes"), "_bytes") != 0)
		return key_text(key, value);
	bytes = strtoull(value, &end, 10);
	if (end == value || *end)
		return mem_strdup(value);
	for (; bytes && bytes % 1024 == 0 && power < 4; power++)
		bytes /= 1024;
	return mem_printf("%llu%.1s", bytes, suffixes + power);
}

char *export_cell_name(const struct export_data *d, const struct cell_row *cell)
{
	static const char *const always[] = { "pattern", "bs_bytes", "numjobs" };
	struct str name = { 0 };

	add_part(&name, "variant", cell->variant);
	for (size_t i = 0; i < cell->n_axes; i++) {
		const char *key = cell->axes[i].name;
		AUTOFREE char *text = axis_text(key, cell->axes[i].value);
		bool shown = false;
		char buf[KEY_TEXT];

		for (size_t k = 0; k < ARRAY_LEN(always); k++)
			shown = shown || !strcmp(key, always[k]);
		if (shown || varies(d, cell, key))
			add_part(&name, key_head(key, buf), text);
	}
	return str_steal(&name);
}

static const struct cell_row *cell_of(const struct export_data *d, int64_t id)
{
	for (size_t i = 0; i < d->sweeps.n; i++)
		for (size_t k = 0; k < d->sweeps.items[i].cells.n; k++)
			if (d->sweeps.items[i].cells.items[k].id == id)
				return &d->sweeps.items[i].cells.items[k];
	return NULL;
}

char *export_series_name(const struct export_data *d, const struct series *s)
{
	const struct cell_row *cell = cell_of(d, s->cell);
	bool actors = false, disks = false, kernels = false, environments = false;
	struct str name = { 0 };
	AUTOFREE char *own = cell ? export_cell_name(d, cell) : NULL;

	str_add(&name, own ? own : "");
	for (size_t i = 0; i < d->set.list.n; i++) {
		const struct series *other = &d->set.list.items[i];

		if (other->cell != s->cell || other->metric != s->metric || !series_has_data(other))
			continue;
		actors = actors || !same_text(other->actor, s->actor);
		disks = disks || !same_text(other->device, s->device);
		kernels = kernels || !same_text(other->kernel, s->kernel);
		environments = environments || (other->environment != s->environment && same_text(other->kernel, s->kernel));
	}
	if (actors)
		add_part(&name, "actor", s->actor ? s->actor : "");
	if (disks)
		add_part(&name, "disk", s->device ? s->device : "");
	if (kernels)
		add_part(&name, "kernel", s->kernel ? s->kernel : "");
	if (environments) {
		char number[KEY_TEXT];

		add_part(&name, "environment", key_value(s, "environment", number));
	}
	return str_steal(&name);
}
