// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/journal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/units.h"
#include "runner/host.h"

#define FORMAT "iobench-journal 1"
#define FIELDS 8 /* of the longest line */

int journal_write(const char *path, const struct saved *saved, struct err *err)
{
	AUTOSTR struct str text = { 0 };
	char boot_id[UUID_TEXT];

	host_boot_id(boot_id);
	str_addf(&text, FORMAT "\t%ld\t%s\n", (long)getpid(), boot_id);
	for (unsigned i = 0; i < saved->n_disks; i++) {
		const struct saved_disk *d = &saved->disks[i];

		str_addf(&text, "disk\t%s\t%s\t%" PRIu64 "\t%s\t%s\n", d->name, d->sysdir, d->diskseq, d->scheduler,
			 d->tags);
		for (unsigned k = 0; k < d->n_attrs; k++)
			str_addf(&text, "attr\t%s\t%s\n", d->attrs[k].path, d->attrs[k].before);
	}
	if (*saved->module.name)
		str_addf(&text, "module\t%s\t%s\n", saved->module.name, saved->module.build_id);
	if (saved->cpus)
		str_add(&text, "cpus\n");
	for (size_t i = 0; i < saved->n_cpus; i++) {
		const struct cpufreq_saved *c = &saved->cpu[i];

		str_addf(&text, "cpu\t%u\t%s\t%s\t%s\t%lu\t%lu\t%lu\n", c->cpu, c->driver, c->governor, c->epp,
			 c->min_khz, c->max_khz, c->speed_khz);
	}
	for (unsigned i = 0; i < saved->n_traces; i++)
		str_addf(&text, "made\t%s\t%s\n", trace_kind_name(saved->traces[i].kind), saved->traces[i].path);
	str_add(&text, "end\n");
	return file_replace(path, str_text(&text), text.len, err);
}

/* A line cut at its tabs. There are no escapes: a value may end in a backslash. */
struct line {
	char *field[FIELDS];
	size_t n;
};

static bool cut(char *text, struct line *l)
{
	char *piece;

	for (l->n = 0; (piece = strsep(&text, "\t")); l->field[l->n++] = piece)
		if (l->n == FIELDS)
			return false;
	return true;
}

static bool copy(const char *field, char *out, size_t size)
{
	if (strlen(field) >= size)
		return false;
	memcpy(out, field, strlen(field) + 1);
	return true;
}

static bool number(const char *field, uint64_t max, uint64_t *out)
{
	return !units_parse_count(field, out, NULL) && *out <= max;
}

static bool parse_head(const struct line *l, struct journal_head *head)
{
	uint64_t pid;

	if (l->n != 3 || !number(l->field[1], LONG_MAX, &pid))
		return false;
	head->pid = (long)pid;
	return copy(l->field[2], head->boot_id, sizeof(head->boot_id));
}

static bool parse_disk(const struct line *l, struct saved *saved)
{
	struct saved_disk *d;

	if (l->n != 6 || saved->n_disks == SETTINGS_DISKS)
		return false;
	d = &saved->disks[saved->n_disks++];
	memset(d, 0, sizeof(*d));
	return copy(l->field[1], d->name, sizeof(d->name)) && copy(l->field[2], d->sysdir, sizeof(d->sysdir)) &&
	       !strstr(d->sysdir, "..") && number(l->field[3], UINT64_MAX, &d->diskseq) &&
	       copy(l->field[4], d->scheduler, sizeof(d->scheduler)) && copy(l->field[5], d->tags, sizeof(d->tags));
}

static bool parse_attr(const struct line *l, struct saved *saved)
{
	struct saved_disk *d = saved->n_disks ? &saved->disks[saved->n_disks - 1] : NULL;
	struct saved_attr *a;

	if (l->n != 3 || !d || d->n_attrs == SETTINGS_ATTRS)
		return false;
	a = &d->attrs[d->n_attrs++];
	return copy(l->field[1], a->path, sizeof(a->path)) && !strstr(a->path, "..") &&
	       copy(l->field[2], a->before, sizeof(a->before));
}

static bool parse_module(const struct line *l, struct saved *saved)
{
	struct saved_module *m = &saved->module;

	return l->n == 3 && !*m->name && copy(l->field[1], m->name, sizeof(m->name)) && module_is_schedulers(m->name) &&
	       copy(l->field[2], m->build_id, sizeof(m->build_id));
}

static bool parse_cpus(const struct line *l, struct saved *saved)
{
	return saved->cpus = l->n == 1;
}

static bool parse_cpu(const struct line *l, struct saved *saved)
{
	uint64_t cpu, min_khz, max_khz, speed_khz;
	struct cpufreq_saved *c;

	if (l->n != 8 || !saved->cpus || saved->n_cpus == SETTINGS_CPUS || !number(l->field[1], UINT_MAX, &cpu) ||
	    !number(l->field[5], ULONG_MAX, &min_khz) || !number(l->field[6], ULONG_MAX, &max_khz) ||
	    !number(l->field[7], ULONG_MAX, &speed_khz))
		return false;
	c = &saved->cpu[saved->n_cpus++];
	*c = (struct cpufreq_saved){
		.cpu = (unsigned)cpu, .min_khz = min_khz, .max_khz = max_khz, .speed_khz = speed_khz
	};
	return copy(l->field[2], c->driver, sizeof(c->driver)) && copy(l->field[3], c->governor, sizeof(c->governor)) &&
	       copy(l->field[4], c->epp, sizeof(c->epp));
}

static bool parse_made(const struct line *l, struct saved *saved)
{
	struct trace *t;
	int kind = 0;

	if (l->n != 3 || saved->n_traces == TRACES)
		return false;
	while (kind < TRACE_KINDS && strcmp(l->field[1], trace_kind_name((enum trace_kind)kind)))
		kind++;
	if (kind == TRACE_KINDS)
		return false;
	t = &saved->traces[saved->n_traces++];
	*t = (struct trace){ .kind = (enum trace_kind)kind };
	return copy(l->field[2], t->path, sizeof(t->path)) && trace_is_ours(t);
}

static bool parse_line(const struct line *l, struct saved *saved)
{
	static const struct {
		const char *name;
		bool (*parse)(const struct line *l, struct saved *saved);
	} kinds[] = { { "disk", parse_disk },
		      { "attr", parse_attr },
		      { "module", parse_module },
		      { "cpus", parse_cpus },
		      { "cpu", parse_cpu },
		      { "made", parse_made } };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(l->field[0], kinds[i].name))
			return kinds[i].parse(l, saved);
	return false;
}

enum journal_state journal_parse(const char *text, struct journal_head *head, struct saved *saved)
{
	AUTOFREE char *own = mem_strdup(text);
	struct line l;

	saved->n_disks = 0;
	saved->n_cpus = 0;
	saved->n_traces = 0;
	saved->module = (struct saved_module){ 0 };
	saved->cpus = false;
	*head = (struct journal_head){ 0 };
	if (!str_starts(text, FORMAT "\t"))
		return str_starts(FORMAT "\t", text) ? JOURNAL_TORN : JOURNAL_ALIEN;
	/* a torn one may end in the middle of any line: only what ends in a newline counts */
	for (char *line = own, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (!strcmp(line, "end"))
			return end[1] ? JOURNAL_ALIEN : JOURNAL_WHOLE;
		if (!cut(line, &l) || !(line == own ? parse_head(&l, head) : parse_line(&l, saved)))
			return JOURNAL_ALIEN;
	}
	return JOURNAL_TORN;
}
