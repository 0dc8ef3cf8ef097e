// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/screen.h"
#include "common/units.h"
#include "runner/device.h"
#include "runner/knob.h"
#include "runner/sysfs.h"

#define INDENT 4

static const struct option_row options_devices[] = {
	{ "knobs", NULL, "every setting that a sweep can change, with its value", 'k', false, false },
	{ 0 },
};

static void print_knobs(const struct disk *d)
{
	char line[512], current[64] = "", path[KNOB_PATH], value[256];
	AUTOSTRINGS strings_t offered = { 0 };

	if (!sysfs_read(d->sysdir, "queue/scheduler", line, sizeof(line), NULL))
		sysfs_scheduler_parse(line, current, sizeof(current), &offered);
	for (size_t i = 0; knob_at(i); i++) {
		const struct knob *k = knob_at(i);

		if (k->stage == KNOB_SCHEDULER || (k->stage == KNOB_TUNABLE && !knob_of_scheduler(k, current)))
			continue;
		if (!sysfs_read(d->sysdir, knob_path(k, path), value, sizeof(value), NULL))
			printf("    %-28s %s%s%s%s\n", k->name, value, *k->unit ? " " : "", k->unit,
			       sysfs_writable(d->sysdir, path) ? "" : " (read only)");
	}
}

/* What is behind the first column goes on in the fifth where the line is full. */
static __attribute__((format(printf, 2, 3))) void print_line(size_t indent, const char *fmt, ...)
{
	AUTOFREE char *blanks = mem_printf("%*s", (int)indent, "");
	AUTOSTR struct str text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	print_wrapped(stdout, blanks, str_text(&text), INDENT, screen_width(stdout));
}

/* May a sweep use it? The same checks that a sweep makes, with the reasons. */
static void print_verdict(const struct disk *d)
{
	struct target t = { 0 };
	uses_t uses = { 0 };
	struct err err = { 0 };
	AUTOFREE char *signature = NULL;

	if (target_open(d->node, &t, &err)) {
		print_line(INDENT, "no sweep: %s", err.msg);
		return;
	}
	if (target_uses(&t, NULL, &uses, &err) && !uses.n)
		print_line(INDENT, "no sweep: %s", err.msg);
	else if (!uses.n)
		print_line(INDENT, "a sweep may read it");
	for (size_t i = 0; i < uses.n; i++)
		print_line(INDENT, "in use: %s", uses.items[i].text);
	if (!target_signature(&t, &signature, NULL))
		print_line(INDENT, "holds %s%s%s", signature ? signature : "nothing known",
			   uses.n ? "" : signature ? ": writing needs --write-ok=" : ": writing needs --write-ok",
			   uses.n || !signature ? "" : d->node);
	uses_release(&uses);
	target_release(&t);
}

static void print_disk(const struct disk *d, bool knobs)
{
	char size[UNITS_TEXT], line[512] = "no scheduler";

	sysfs_read(d->sysdir, "queue/scheduler", line, sizeof(line), NULL);
	print_line(0, "%s  %s  %s%s%s  %s", *d->node ? d->node : d->name, units_format_size(size, d->size_bytes),
		   d->transport ? d->transport : "", d->transport ? ", " : "",
		   d->rotational ? "rotational" : "not rotational", d->model ? d->model : d->identity);
	print_line(INDENT, "schedulers: %s", line);
	print_verdict(d);
	if (knobs)
		print_knobs(d);
}

static int run(const struct options *opt, struct err *err)
{
	AUTOSTRINGS strings_t left_out = { 0 };
	disks_t disks = { 0 };
	bool found = !opt->operands.n;

	if (devices_list(&disks, &left_out, err))
		return -1;
	for (size_t i = 0; i < disks.n; i++) {
		bool wanted = !opt->operands.n;

		for (size_t k = 0; k < opt->operands.n; k++)
			wanted |= !strcmp(opt->operands.items[k], disks.items[i].name) ||
				  !strcmp(opt->operands.items[k], disks.items[i].node);
		found |= wanted;
		if (wanted)
			print_disk(&disks.items[i], option_given(opt, "knobs"));
	}
	for (size_t i = 0; !opt->operands.n && i < left_out.n; i++)
		print_line(0, "left out, %s", left_out.items[i]);
	disks_release(&disks);
	return found ? 0 : err_set(err, ERR_NEEDS, "no disk '%s' ('iobench devices' lists them)", opt->operands.items[0]);
}

const struct command cmd_devices = {
	.name = "devices",
	.summary = "the disks of this box, and whether a sweep may use them",
	.operands = "[DISK]...",
	.groups = { options_devices },
	.run = run,
};
