// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/stage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/units.h"
#include "runner/cgroup.h"

/* ---- what it needs ---- */

static bool is_installed(const char *program)
{
	const char *path = getenv("PATH");
	AUTOSTRINGS strings_t folders = { 0 };

	if (strchr(program, '/') || strchr(program, '$'))
		return strchr(program, '$') || !access(program, X_OK);
	str_split(path ? path : "", ':', &folders);
	for (size_t i = 0; i < folders.n; i++) {
		AUTOFREE char *file = mem_printf("%s/%s", folders.items[i], program);

		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static bool has_weights(const struct scenario *s)
{
	for (size_t i = 0; i < s->actors.n; i++)
		if (s->actors.items[i].weight)
			return true;
	return false;
}

int stage_check(const struct setup *s, struct err *err)
{
	struct cgroups c = { 0 };
	int bad = 0;

	for (size_t i = 0; i < s->scenario.needs.n; i++) {
		const char *program = s->scenario.needs.items[i];
		bool ours = s->dir && str_starts(program, "mkfs.");

		if (!ours && !is_installed(program))
			return err_set(err, ERR_NEEDS, "workload '%s' needs '%s', which is not installed", s->workload.name,
				       program);
	}
	if (has_weights(&s->scenario))
		bad = cgroups_find(&c, err);
	cgroups_release(&c);
	return bad ? err_context(err, "workload '%s' wants weights", s->workload.name) : 0;
}

/* ---- making it ---- */

static int run_program(const struct run_context *run, strings_t *argv, const char *what, struct err *err)
{
	AUTOFREE char *words = mem_printf("%s/stage.words", run->workdir);
	AUTOSTR struct str text = { 0 };
	struct child_spec spec = { .stderr_path = words, .stdout_path = words };
	struct guard_event event;

	*vec_push(argv) = NULL;
	spec.argv = (const char *const *)argv->items;
	if (guard_begin(run->guard, 0, &spec, err) || !run_wait(run, 0, &event, err))
		return -1;
	if (*run->stop || !event.status)
		return 0;
	file_slurp(words, &text, NULL);
	return err_set(err, ERR_FAULT, "'%s' could not %s (status %d): %.600s", argv->items[0], what, event.status,
		       str_trim(text.s ? text.s : (char[]){ "" }));
}

static int write_file(struct stage *st, struct setup *s, const struct run_context *run, struct progress *progress,
		      struct err *err)
{
	AUTOSTRINGS strings_t argv = { 0 };
	uint64_t bytes = setup_area_bytes(s);
	char size[UNITS_TEXT];

	area_layout_command(&st->area, bytes, &argv);
	say("writing %s into '%s' for the jobs to work on", units_format_size(size, bytes), st->area.file);
	snprintf(progress->what, sizeof(progress->what), "laying out files");
	return run_program(run, &argv, "write its file", err);
}

/* With a UUID of ours, and without delayed initialisation, which would go on during the runs. */
static void mkfs_command(const char *fs, const char *uuid, const char *node, strings_t *argv)
{
	AUTOFREE char *command = NULL;

	if (str_starts(fs, "ext"))
		command = mem_printf("mkfs.%s -q -F -E lazy_itable_init=0,lazy_journal_init=0 -U %s", fs, uuid);
	else
		command = mem_printf(!strcmp(fs, "xfs") ? "mkfs.%s -q -f -m uuid=%s" : "mkfs.%s -q -f -U %s", fs, uuid);
	str_split(command, ' ', argv);
	strings_add(argv, node);
}

static int make_file_system(struct stage *st, struct setup *s, struct run_context *run, struct err *err)
{
	const struct target *t = &s->targets.items[0];
	AUTOSTRINGS strings_t argv = { 0 };
	AUTOFREE char *trace = NULL;
	char uuid[UUID_TEXT];

	if (uuid_new(uuid, err))
		return -1;
	trace = mem_printf("%s/%s", t->node, uuid);
	st->dir = mem_printf("%s/.iobench-mnt", run->workdir);
	say("making %s on '%s' and mounting it", s->scenario.fs, t->operand);
	mkfs_command(s->scenario.fs, uuid, t->node, &argv);
	/* once more: the disk may have got something on it since we looked */
	if (setup_check_permission(s, &s->options, err) || settings_note_trace(run->settings, TRACE_FS, trace, err) ||
	    run_program(run, &argv, "make the file system", err))
		return -1;
	if (*run->stop)
		return 0;
	if (settings_note_trace(run->settings, TRACE_MOUNT, st->dir, err))
		return -1;
	if (mkdir(st->dir, 0700) || mount(t->node, st->dir, s->scenario.fs, MS_NOATIME, NULL))
		return err_sys(err, ERR_NEEDS, errno, "cannot mount '%s' on '%s'", t->node, st->dir);
	st->area.file = s->scenario.prefill ? mem_printf("%s/%s", st->dir, s->scenario.prefill) : NULL;
	/* our own mount is on it now: the lock that keeps udev off stays, an exclusive open is not possible */
	run->claim = false;
	return 0;
}

static int make_area(struct stage *st, struct setup *s, struct run_context *run, struct err *err)
{
	uint64_t bytes = setup_area_bytes(s) + s->scenario.space_bytes;

	if (area_choose(s->dir, bytes, &st->area, err) ||
	    settings_note_trace(run->settings, TRACE_TREE, st->area.dir, err) || area_make(&st->area, err))
		return -1;
	if (!s->scenario.fs) {
		*vec_push(&s->paths) = workload_escape_path(st->area.file);
		return 0;
	}
	st->dir = mem_strdup(st->area.dir);
	free(st->area.file);
	st->area.file = s->scenario.prefill ? mem_printf("%s/%s", st->dir, s->scenario.prefill) : NULL;
	return 0;
}

static int make_cgroup(struct stage *st, const struct cgroups *c, const struct actor *a, struct settings *settings,
		       struct err *err)
{
	char *path = a->weight ? cgroup_path(c, a->name) : mem_strdup("");

	*vec_push(&st->cgroups) = path;
	if (!a->weight)
		return 0;
	return settings_note_trace(settings, TRACE_CGROUP, path, err) || cgroup_make(path, err) ? -1 : 0;
}

static int make_cgroups(struct stage *st, const struct setup *s, struct settings *settings, struct err *err)
{
	struct cgroups c = { 0 };
	int bad = cgroups_find(&c, err);

	if (!bad && !c.has_io)
		bad = settings_note_trace(settings, TRACE_IO_SUBTREE, c.root, err) || cgroups_enable_io(&c, err);
	for (size_t i = 0; !bad && i < s->scenario.actors.n; i++)
		bad = make_cgroup(st, &c, &s->scenario.actors.items[i], settings, err);
	cgroups_release(&c);
	return bad;
}

int stage_make(struct stage *st, struct setup *s, struct run_context *run, struct progress *progress, struct err *err)
{
	run->cgroups = &st->cgroups;
	if (has_weights(&s->scenario) && make_cgroups(st, s, run->settings, err))
		return -1;
	if (s->dir && make_area(st, s, run, err))
		return -1;
	if (!s->dir && s->scenario.fs && make_file_system(st, s, run, err))
		return -1;
	run->dir = st->dir;
	if (*run->stop || !st->area.file)
		return 0;
	return write_file(st, s, run, progress, err);
}

void stage_release(struct stage *st)
{
	area_remove(&st->area);
	free(st->dir);
	strings_release(&st->cgroups);
	st->dir = NULL;
}
