// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/settings.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/child.h"
#include "runner/host.h"
#include "runner/journal.h"
#include "runner/sysfs.h"

#define SCHEDULER "queue/scheduler"
#define NR_REQUESTS "queue/nr_requests"
#define WBT "queue/wbt_lat_usec"
#define READ_AHEAD "queue/read_ahead_kb"
#define MARK "IOBENCH_JOURNAL"
#define STALE "a sweep died and left settings of '%s' changed; put them back with: iobench restore"
#define RESTORE_PASSES 3 /* a knob may move another (strict_guarantees raises slice_idle): write until all is still */

/* A value as the last settings_apply left it. */
struct seen {
	unsigned disk;
	char *path, *value;
};

struct settings {
	struct saved *saved; /* shared with the guard */
	char *journal;	     /* path; NULL until settings_begin */
	VEC(int) locks;
	strings_t touched; /* paths that some run has set */
	VEC(struct seen) seen;
	uint64_t iosched_inode[SETTINGS_DISKS];
	const module_files_t *modules; /* NULL: none is exchanged */
	char build_id[BUILD_ID_TEXT];  /* of the module that the last settings_apply left; "": it needs none */
	char *governor; /* of the last apply; NULL: left alone */
};

const char *settings_rundir(void)
{
	const char *dir = getenv("IOBENCH_RUNDIR");

	return dir && *dir ? dir : "/run/iobench";
}

/* ---- locks ---- */

/*
 * 0: locked, '*fd' is it; 1: somebody else has it, '*pid' says who; -1: error. Our pid is written by who keeps it.
 */
static int lock_try(const char *name, int how, int *fd, long *pid, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/%s.lock", settings_rundir(), name);
	char text[24] = "";
	ssize_t n;

	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*fd < 0)
		return err_sys(err, ERR_NEEDS, errno, "cannot open the lock '%s'", path);
	if (flock(*fd, how | LOCK_NB)) {
		n = read(*fd, text, sizeof(text) - 1);
		*pid = n > 0 ? strtol(text, NULL, 10) : 0;
		close(*fd);
		*fd = -1;
		return 1;
	}
	return 0;
}

/* Who holds a lock whose last owner was 'pid': that one, or the guard that outlived it. */
static const char *holder(long pid)
{
	return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH ? "the guard of a dead iobench" : "another iobench";
}

static bool journal_exists(const char *name)
{
	AUTOFREE char *path = mem_printf("%s/%s.journal", settings_rundir(), name);

	return !access(path, F_OK);
}

/* 'what' and 'called': for messages. */
static int lock_keep(struct settings *s, const char *name, int how, const char *what, const char *called, struct err *err)
{
	char text[24];
	long pid = 0;
	int fd, got = 1, len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	/* others may hold it for an instant, to see whether a sweep is alive */
	for (int try = 0; got > 0 && try < 5; try++) {
		if (try)
			usleep(20000);
		got = lock_try(name, how, &fd, &pid, err);
	}
	if (got > 0)
		return err_set(err, ERR_NEEDS, "%s (pid %ld) is using %s '%s': wait for it, or stop it", holder(pid), pid,
			       what, called);
	if (got < 0)
		return -1;
	*vec_push(&s->locks) = fd;
	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)len, 0) != len)
		return err_sys(err, ERR_NEEDS, errno, "cannot write the lock of '%s'", name);
	/* it may have died between our look at what dead sweeps left and our lock */
	if (journal_exists(name))
		return err_set(err, ERR_NEEDS, STALE, name);
	return 0;
}

static int make_rundir(struct err *err)
{
	if (mkdir(settings_rundir(), 0755) && errno != EEXIST)
		return err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", settings_rundir());
	return 0;
}

/* Names (without ".journal") of the journals that are there. */
static void list_journals(strings_t *names)
{
	DIR *dir = opendir(settings_rundir());
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char *dot = strrchr(e->d_name, '.');

		if (dot && !strcmp(dot, ".journal"))
			*vec_push(names) = mem_strndup(e->d_name, (size_t)(dot - e->d_name));
	}
	if (dir)
		closedir(dir);
}

void settings_stale(struct str *lines)
{
	AUTOSTRINGS strings_t names = { 0 };

	list_journals(&names);
	for (size_t i = 0; i < names.n; i++) {
		long pid = 0;
		int fd;

		if (lock_try(names.items[i], LOCK_EX, &fd, &pid, NULL))
			continue;
		close(fd);
		str_addf(lines, STALE "\n", names.items[i]);
	}
}

bool settings_any_alive(void)
{
	AUTOSTRINGS strings_t names = { 0 };
	bool alive = false;

	list_journals(&names);
	for (size_t i = 0; i < names.n; i++) {
		long pid = 0;
		int fd = -1, got = lock_try(names.items[i], LOCK_EX, &fd, &pid, NULL);

		alive |= got > 0;
		if (got == 0)
			close(fd);
	}
	return alive;
}

/* ---- saving ---- */

static bool has_attr(const struct saved_disk *d, const char *path)
{
	unsigned i = 0;

	while (i < d->n_attrs && strcmp(d->attrs[i].path, path) != 0)
		i++;
	return i < d->n_attrs;
}

static int save_attr(struct saved_disk *d, const char *path, struct err *err)
{
	char value[SETTINGS_VALUE];
	struct saved_attr *a;

	if (has_attr(d, path))
		return 0;
	/* some attributes are there and cannot be read (EOPNOTSUPP): they cannot be changed either */
	if (!sysfs_writable(d->sysdir, path) || sysfs_read(d->sysdir, path, value, sizeof(value), NULL))
		return 0;
	if (strpbrk(value, "\t\n"))
		return 0;
	if (d->n_attrs == SETTINGS_ATTRS || strlen(path) >= KNOB_PATH)
		return err_set(err, ERR_FAULT, "'%s' has more settings than iobench can save", d->name);
	a = &d->attrs[d->n_attrs++];
	memcpy(a->path, path, strlen(path) + 1);
	memcpy(a->before, value, strlen(value) + 1);
	return 0;
}

/* What a variant sets. Of a scheduler's own tunables each switch makes new ones. */
static int save_settings(struct saved_disk *d, const struct variant *v, struct err *err)
{
	char path[KNOB_PATH];

	for (size_t k = 0; k < v->settings.n; k++) {
		if (v->settings.items[k].knob.stage == KNOB_TUNABLE)
			continue;
		if (save_attr(d, knob_path(&v->settings.items[k].knob, path), err))
			return -1;
		if (!has_attr(d, path))
			return err_set(err, ERR_NEEDS, "'%s' of '%s' cannot be saved, so it could not be put back: it cannot be read, or "
						       "its value is too long or has more than one line", path, d->name);
	}
	return 0;
}

static int save_folder(struct saved_disk *d, const char *folder, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };

	if (sysfs_list(d->sysdir, folder, &names, err))
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		AUTOFREE char *path = mem_printf("%s/%s", folder, names.items[i]);

		if (strcmp(path, SCHEDULER) && save_attr(d, path, err))
			return -1;
	}
	return 0;
}

/* 'offered' may be NULL. */
static int current_scheduler(const struct saved_disk *d, char out[64], strings_t *offered, struct err *err)
{
	AUTOSTRINGS strings_t unwanted = { 0 };
	char line[512];

	if (sysfs_read(d->sysdir, SCHEDULER, line, sizeof(line), err))
		return -1;
	if (sysfs_scheduler_parse(line, out, 64, offered ? offered : &unwanted))
		return err_set(err, ERR_FAULT, "cannot tell the scheduler of '%s' from '%s'", d->name, line);
	return 0;
}

static int save_disk(struct saved_disk *d, const struct disk *disk, const variants_t *variants, struct err *err)
{
	AUTOSTRINGS strings_t offered = { 0 };

	if (snprintf(d->name, sizeof(d->name), "%s", disk->name) >= (int)sizeof(d->name) ||
	    snprintf(d->sysdir, sizeof(d->sysdir), "%s", disk->sysdir) >= (int)sizeof(d->sysdir))
		return err_set(err, ERR_FAULT, "the name of '%s' is too long", disk->name);
	d->diskseq = disk->diskseq;
	if (sysfs_exists(d->sysdir, SCHEDULER) && current_scheduler(d, d->scheduler, &offered, err))
		return -1;
	if (save_attr(d, "device/queue_depth", err) || save_folder(d, "queue", err) ||
	    save_folder(d, "queue/iosched", err))
		return -1;
	for (size_t i = 0; i < variants->n; i++)
		if (save_settings(d, &variants->items[i], err))
			return -1;
	return 0;
}

/* A module under its scheduler's name: many sweeps may measure it, but one that exchanges it must be alone. */
static int lock_module(struct settings *s, const char *scheduler, int how, struct err *err)
{
	AUTOFREE char *name = mem_printf("module-%s", scheduler);

	return lock_keep(s, name, how, "the module", scheduler, err);
}

static int share_modules(struct settings *s, const variants_t *variants, struct err *err)
{
	AUTOSTRINGS strings_t done = { 0 };
	char module[64];

	for (size_t i = 0; i < variants->n; i++)
		if (variants->items[i].module && !strings_has(&done, variants->items[i].scheduler))
			strings_add(&done, variants->items[i].scheduler); /* settings_exchange does it */
	for (size_t i = 0; i < variants->n; i++) {
		const char *scheduler = variants->items[i].scheduler;

		if (strings_has(&done, scheduler) || !module_of_scheduler(scheduler, module))
			continue;
		strings_add(&done, scheduler);
		if (lock_module(s, scheduler, LOCK_SH, err))
			return -1;
	}
	return 0;
}

int settings_exchange(struct settings *s, const char *scheduler, const module_files_t *files, struct err *err)
{
	struct saved_module *m = &s->saved->module;
	const char *disks[SETTINGS_DISKS];
	char name[sizeof(m->name)];

	for (unsigned i = 0; i < s->saved->n_disks; i++)
		disks[i] = s->saved->disks[i].name;
	if (!module_of_scheduler(scheduler, name))
		return err_set(err, ERR_USAGE, "'%s' is never a module", scheduler);
	/* with the lock nobody else exchanges it: now it is the system's own, or it is refused */
	if (lock_module(s, scheduler, LOCK_EX, err) || module_check_machine(name, disks, s->saved->n_disks, err))
		return -1;
	memcpy(m->name, name, sizeof(name));
	module_build_id(name, m->build_id);
	s->modules = files;
	return 0;
}

struct settings *settings_open(const struct disk *const *disks, size_t n, const variants_t *variants, bool governors,
			       struct err *err)
{
	struct settings *s = mem_alloc(1, sizeof(*s));
	int bad = make_rundir(err);

	s->saved = mmap(NULL, sizeof(*s->saved), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->saved == MAP_FAILED)
		abort();
	if (!bad && n > SETTINGS_DISKS)
		bad = err_set(err, ERR_USAGE, "%zu disks are more than the %d a sweep can hold", n, SETTINGS_DISKS);
	for (size_t i = 0; !bad && i < n; i++)
		bad = lock_keep(s, disks[i]->name, LOCK_EX, "disk", disks[i]->name, err);
	if (!bad && governors)
		bad = lock_keep(s, "cpufreq", LOCK_EX, "the governors:", "cpufreq", err);
	bad = bad || share_modules(s, variants, err);
	for (size_t i = 0; !bad && i < n; i++)
		bad = save_disk(&s->saved->disks[s->saved->n_disks++], disks[i], variants, err);
	s->saved->cpus = governors;
	if (!bad && governors)
		bad = cpufreq_save(s->saved->cpu, SETTINGS_CPUS, &s->saved->n_cpus, err);
	if (!bad)
		return s;
	settings_close(s);
	return NULL;
}

const int *settings_locks(const struct settings *s, size_t *n)
{
	*n = s->locks.n;
	return s->locks.items;
}

int settings_begin(struct settings *s, struct err *err)
{
	const char *name = s->saved->n_disks ? s->saved->disks[0].name : "cpufreq";

	s->journal = mem_printf("%s/%s.journal", settings_rundir(), name);
	/* what we start from now on can be told from other processes, should both we and the guard be killed */
	setenv(MARK, s->journal, 1);
	if (!journal_write(s->journal, s->saved, err))
		return 0;
	unlink(s->journal);
	free(s->journal);
	s->journal = NULL;
	return -1;
}

int settings_note_trace(struct settings *s, enum trace_kind kind, const char *path, struct err *err)
{
	struct saved *saved = s->saved;
	struct trace *t = &saved->traces[saved->n_traces];

	if (saved->n_traces == TRACES)
		return err_set(err, ERR_USAGE, "a sweep cannot make more than %d directories and control groups", TRACES);
	*t = (struct trace){ .kind = kind };
	if (strlen(path) >= sizeof(t->path) || strpbrk(path, "\t\n"))
		return err_set(err, ERR_USAGE, "the path is too long, or has a tab or a newline in it: '%s'", path);
	snprintf(t->path, sizeof(t->path), "%s", path);
	if (!trace_is_ours(t))
		return err_set(err, ERR_USAGE, "'%s' is no absolute path that could be a trace of ours", path);
	saved->n_traces++;
	if (!s->journal || !journal_write(s->journal, saved, err))
		return 0;
	saved->n_traces--;
	return -1;
}

void settings_forget_trace(struct settings *s, const char *path)
{
	struct saved *saved = s->saved;

	for (unsigned i = saved->n_traces; i--;)
		if (!strcmp(saved->traces[i].path, path)) {
			memmove(&saved->traces[i], &saved->traces[i + 1],
				(--saved->n_traces - i) * sizeof(saved->traces[0]));
			break;
		}
	/* a journal that still has it does no harm: what is not there is not taken away twice */
	journal_write(s->journal, saved, NULL);
}

/* ---- restoring ---- */

static bool disk_gone(const struct saved_disk *d)
{
	return !sysfs_exists(d->sysdir, "size") ||
	       (d->diskseq && sysfs_read_number(d->sysdir, "diskseq", d->diskseq) != d->diskseq);
}

static int select_scheduler(const struct saved_disk *d, const char *name, struct err *err)
{
	char now[64];

	if (sysfs_write(d->sysdir, SCHEDULER, name, err) || current_scheduler(d, now, NULL, err))
		return -1;
	return strcmp(now, name) ? err_set(err, ERR_FAULT, "'%s' of '%s' is '%s' after '%s' was written", SCHEDULER,
					   d->name, now, name)
				 : 0;
}

/*
 * Give the hardware queue its tags back: nr_requests under `none` writes them, but only when the value differs from
 * what is there, so another value goes first.
 */
static void restore_tags(struct saved_disk *d)
{
	char other[24];

	if (!*d->tags)
		return;
	snprintf(other, sizeof(other), "%lu", strtoul(d->tags, NULL, 10) - 1);
	if (!select_scheduler(d, "none", NULL) && !sysfs_write(d->sysdir, NR_REQUESTS, other, NULL) &&
	    !sysfs_write(d->sysdir, NR_REQUESTS, d->tags, NULL))
		d->tags[0] = '\0';
}

static bool is_before_stage(const char *path)
{
	struct knob other;
	const struct knob *k = str_starts(path, "queue/iosched/") ? NULL : knob_find(path, "", &other, NULL);

	return k && (k->stage == KNOB_DEVICE || k->stage == KNOB_BEFORE);
}

static bool attr_is(const struct saved_disk *d, const struct saved_attr *a)
{
	char now[SETTINGS_VALUE];

	return !sysfs_read(d->sysdir, a->path, now, sizeof(now), NULL) && !strcmp(now, a->before);
}

/* One pass over a disk: write what differs. */
static void restore_values(struct saved_disk *d)
{
	char now[64];

	restore_tags(d);
	for (unsigned i = 0; i < d->n_attrs; i++)
		if (is_before_stage(d->attrs[i].path) && !attr_is(d, &d->attrs[i]))
			sysfs_write(d->sysdir, d->attrs[i].path, d->attrs[i].before, NULL);
	if (*d->scheduler && (current_scheduler(d, now, NULL, NULL) || strcmp(now, d->scheduler)))
		select_scheduler(d, d->scheduler, NULL);
	for (unsigned i = 0; i < d->n_attrs; i++)
		if (!attr_is(d, &d->attrs[i]))
			sysfs_write(d->sysdir, d->attrs[i].path, d->attrs[i].before, NULL);
}

static void problem(struct str *problems, const struct saved_disk *d, const char *path, const char *before,
		    const char *now)
{
	if (problems)
		str_addf(problems, "'%s' of '%s': was '%s' before, should be that again, is '%s' now\n", path, d->name,
			 before, now);
}

/* How many knobs of the disk are not as they were. */
static unsigned verify_disk(const struct saved_disk *d, struct str *problems)
{
	char now[SETTINGS_VALUE] = "";
	unsigned bad = 0;

	if (*d->scheduler && (current_scheduler(d, now, NULL, NULL) || strcmp(now, d->scheduler))) {
		problem(problems, d, SCHEDULER, d->scheduler, now);
		bad++;
	}
	for (unsigned i = 0; i < d->n_attrs; i++) {
		const struct saved_attr *a = &d->attrs[i];

		if (attr_is(d, a))
			continue;
		if (sysfs_read(d->sysdir, a->path, now, sizeof(now), NULL))
			snprintf(now, sizeof(now), "(cannot be read)");
		problem(problems, d, a->path, a->before, now);
		bad++;
	}
	if (*d->tags) {
		problem(problems, d, "hardware tags", d->tags, "(shrunk)");
		bad++;
	}
	return bad;
}

/* Select another than the scheduler of that name, whatever is there. False: there is none. */
static bool leave_scheduler(const struct saved_disk *d, const char *name, const strings_t *offered)
{
	for (size_t i = 0; i < offered->n; i++)
		if (strcmp(offered->items[i], name) && !select_scheduler(d, offered->items[i], NULL))
			return true;
	return false;
}

/* The disks let go of the module: only then can it be unloaded. */
static void leave_module(struct saved *saved)
{
	for (unsigned i = 0; i < saved->n_disks; i++) {
		const struct saved_disk *d = &saved->disks[i];
		AUTOSTRINGS strings_t offered = { 0 };
		char now[64], module[64];

		if (!*d->scheduler || disk_gone(d) || current_scheduler(d, now, &offered, NULL))
			continue;
		if (module_of_scheduler(now, module) && !strcmp(module, saved->module.name))
			leave_scheduler(d, now, &offered);
	}
}

static unsigned restore_module(struct saved *saved, struct str *problems)
{
	const struct saved_module *m = &saved->module;
	struct err err = { 0 };

	if (!*m->name)
		return 0;
	if (module_is_back(m->name, m->build_id))
		return 0;
	leave_module(saved);
	if (!module_put_back(m->name, m->build_id, &err))
		return 0;
	if (problems)
		str_addf(problems, "module '%s': was %s before, should be that again, is not: %s\n", m->name,
			 *m->build_id ? m->build_id : "not loaded", err.msg);
	return 1;
}

static unsigned restore_saved(struct saved *saved, struct str *problems)
{
	unsigned bad = 0;

	for (unsigned i = saved->n_traces; i--;)
		bad += trace_remove(&saved->traces[i], problems) != 0;

	bad += restore_module(saved, problems);
	for (unsigned i = 0; i < saved->n_disks; i++) {
		struct saved_disk *d = &saved->disks[i];

		for (int pass = 0; pass < RESTORE_PASSES && !disk_gone(d) && (pass == 0 || verify_disk(d, NULL)); pass++)
			restore_values(d);
		if (!disk_gone(d))
			bad += verify_disk(d, problems);
	}
	if (saved->cpus) {
		struct str unwanted = { 0 };

		if (cpufreq_restore(saved->cpu, saved->n_cpus, problems ? problems : &unwanted))
			bad++;
		str_release(&unwanted);
	}
	return bad;
}

int settings_restore(struct settings *s, struct str *problems)
{
	if (!s->journal)
		return 0;
	if (restore_saved(s->saved, problems))
		return -1;
	unlink(s->journal);
	return 0;
}

static void forget_seen(struct settings *s)
{
	for (size_t i = 0; i < s->seen.n; i++) {
		free(s->seen.items[i].path);
		free(s->seen.items[i].value);
	}
	vec_free(&s->seen);
	free(s->governor);
	s->governor = NULL;
}

void settings_close(struct settings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->locks.n; i++)
		close(s->locks.items[i]);
	vec_free(&s->locks);
	forget_seen(s);
	strings_release(&s->touched);
	munmap(s->saved, sizeof(*s->saved));
	free(s->journal);
	free(s);
}

/* ---- applying ---- */

static const struct variant_setting *find_setting(const struct variant *v, const char *path)
{
	char own[KNOB_PATH];

	for (size_t i = 0; i < v->settings.n; i++)
		if (!strcmp(knob_path(&v->settings.items[i].knob, own), path))
			return &v->settings.items[i];
	return NULL;
}

/* Does the variant run on the module that others exchange? "current" does where a disk had its scheduler before. */
static bool wants_module(const struct settings *s, const struct variant *v)
{
	bool current = !strcmp(v->scheduler, "current");
	char module[64];

	for (unsigned i = 0; s->modules && i < s->saved->n_disks; i++)
		if (module_of_scheduler(current ? s->saved->disks[i].scheduler : v->scheduler, module) &&
		    !strcmp(module, s->saved->module.name))
			return true;
	return false;
}

/* The file of the variant; NULL: it wants the system's own. */
static const struct module_file *file_of(const struct settings *s, const struct variant *v)
{
	for (size_t i = 0; s->modules && v->module && i < s->modules->n; i++)
		if (!strcmp(s->modules->items[i].path, v->module))
			return &s->modules->items[i];
	return NULL;
}

static int apply_module(struct settings *s, const struct variant *v, struct err *err)
{
	const char *name = s->saved->module.name;
	const struct module_file *file;

	s->build_id[0] = '\0';
	if (!wants_module(s, v))
		return 0;
	file = file_of(s, v);
	if (!module_is_in_place(name, file, s->modules)) {
		leave_module(s->saved);
		if (module_put_in_place(name, file, s->modules, err))
			return -1;
	}
	module_build_id(name, s->build_id);
	return 0;
}

/* What earlier runs set, this one does not, and no switch of the scheduler has reset: back to what it was. */
static int reset_touched(struct settings *s, struct saved_disk *d, const struct variant *v, struct err *err)
{
	for (unsigned i = 0; i < d->n_attrs; i++) {
		const struct saved_attr *a = &d->attrs[i];
		struct knob other;
		const struct knob *k;

		if (!strings_has(&s->touched, a->path) || find_setting(v, a->path) || attr_is(d, a))
			continue;
		k = knob_find(a->path, "", &other, NULL);
		if (k && (!(k->flags & KNOB_BY_SWITCH) || k->flags & KNOB_STICKS) && sysfs_write(d->sysdir, a->path, a->before, err))
			return err_context(err, "setting '%s' of '%s' back to '%s'", a->path, d->name, a->before);
	}
	return 0;
}

static int remember_tags(struct settings *s, struct saved_disk *d, const char *path, struct err *err)
{
	char scheduler[64];

	if (strcmp(path, NR_REQUESTS) || *d->tags)
		return 0;
	if (current_scheduler(d, scheduler, NULL, err))
		return -1;
	if (strcmp(scheduler, "none"))
		return 0;
	if (sysfs_read(d->sysdir, NR_REQUESTS, d->tags, sizeof(d->tags), err))
		return -1;
	return journal_write(s->journal, s->saved, err);
}

static int apply_stage(struct settings *s, struct saved_disk *d, const struct variant *v, enum knob_stage stage,
		       struct err *err)
{
	for (size_t i = 0; i < v->settings.n; i++) {
		const struct variant_setting *set = &v->settings.items[i];
		char path[KNOB_PATH];

		if (set->knob.stage != stage)
			continue;
		knob_path(&set->knob, path);
		if (!sysfs_exists(d->sysdir, path))
			return err_set(err, ERR_FAULT, "'%s' has no '%s' under this kernel", d->name, path);
		if (!strings_has(&s->touched, path))
			strings_add(&s->touched, path);
		if (remember_tags(s, d, path, err) || sysfs_write(d->sysdir, path, set->value, err))
			return err_context(err, "setting '%s' of '%s' to '%s'", path, d->name, set->value);
	}
	return 0;
}

/* A scheduler created just now: also when it is the current one, whose queues and tunables have a past. */
static enum settings_result fresh_scheduler(const struct saved_disk *d, const char *name, struct err *err)
{
	AUTOSTRINGS strings_t offered = { 0 };
	struct err why = { 0 };
	char now[64];

	if (current_scheduler(d, now, &offered, err))
		return SETTINGS_FAILED;
	if (!strcmp(now, name))
		leave_scheduler(d, name, &offered);
	if (!sysfs_write(d->sysdir, SCHEDULER, name, &why)) {
		if (current_scheduler(d, now, NULL, err))
			return SETTINGS_FAILED;
		if (!strcmp(now, name))
			return SETTINGS_OK;
		err_set(&why, ERR_FAULT, "'%s' reads '%s' after '%s' was written", SCHEDULER, now, name);
	} else if (why.errnum != EINVAL && why.errnum != ENOENT) {
		if (err)
			*err = why;
		err_context(err, "selecting '%s' for '%s'", name, d->name);
		return SETTINGS_FAILED;
	}
	if (strings_has(&offered, name)) {
		err_set(err, ERR_FAULT, "'%s' lists '%s' and refuses it: %.900s", d->name, name, why.msg);
		return SETTINGS_FAILED;
	}
	err_set(err, ERR_FAULT, "'%s' does not offer '%s'", d->name, name);
	return SETTINGS_NOT_OFFERED;
}

/*
 * bfq wants no writeback throttling and switches it off where nobody has written wbt_lat_usec. Once a run has, that is
 * ours to do for the runs that do not set it.
 */
static void release_wbt(const struct settings *s, const struct saved_disk *d, const struct variant *v)
{
	if (strings_has(&s->touched, WBT) && !find_setting(v, WBT) && str_starts(v->scheduler, "bfq"))
		sysfs_write(d->sysdir, WBT, "0", NULL);
}

/*
 * A write to rotational and to other limits of the queue may give read_ahead_kb its default again (seen on 6.18): where a plan sets anything of the queue, it is written last.
 */
static int settle_read_ahead(const struct settings *s, const struct saved_disk *d, const struct variant *v,
			     struct err *err)
{
	const struct variant_setting *set = find_setting(v, READ_AHEAD);

	for (unsigned i = 0; s->touched.n && i < d->n_attrs; i++)
		if (!strcmp(d->attrs[i].path, READ_AHEAD) && (set || !attr_is(d, &d->attrs[i])))
			return sysfs_write(d->sysdir, READ_AHEAD, set ? set->value : d->attrs[i].before, err);
	return 0;
}

static enum settings_result apply_disk(struct settings *s, struct saved_disk *d, const struct variant *v,
				       struct err *err)
{
	bool current = !strcmp(v->scheduler, "current");
	enum settings_result result;

	if (disk_gone(d)) {
		err_set(err, ERR_FAULT, "disk '%s' is gone", d->name);
		return SETTINGS_GONE;
	}
	restore_tags(d);
	if (current)
		restore_values(d);
	if (reset_touched(s, d, v, err) || apply_stage(s, d, v, KNOB_DEVICE, err) ||
	    apply_stage(s, d, v, KNOB_BEFORE, err))
		return disk_gone(d) ? SETTINGS_GONE : SETTINGS_FAILED;
	result = current ? SETTINGS_OK : fresh_scheduler(d, v->scheduler, err);
	if (result != SETTINGS_OK)
		return disk_gone(d) ? SETTINGS_GONE : result;
	release_wbt(s, d, v);
	if (apply_stage(s, d, v, KNOB_TUNABLE, err) || apply_stage(s, d, v, KNOB_AFTER, err) ||
	    settle_read_ahead(s, d, v, err))
		return disk_gone(d) ? SETTINGS_GONE : SETTINGS_FAILED;
	return SETTINGS_OK;
}

static void see(struct settings *s, unsigned disk, const char *path)
{
	const struct saved_disk *d = &s->saved->disks[disk];
	char value[SETTINGS_VALUE];
	int bad;

	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.items[i].disk == disk && !strcmp(s->seen.items[i].path, path))
			return;
	if (!strcmp(path, SCHEDULER))
		bad = current_scheduler(d, value, NULL, NULL);
	else
		bad = sysfs_read(d->sysdir, path, value, sizeof(value), NULL);
	if (!bad)
		*vec_push(&s->seen) = (struct seen){ disk, mem_strdup(path), mem_strdup(value) };
}

static void see_all(struct settings *s, const struct variant *v)
{
	char path[KNOB_PATH];

	for (unsigned i = 0; i < s->saved->n_disks; i++) {
		const struct saved_disk *d = &s->saved->disks[i];
		AUTOSTRINGS strings_t tunables = { 0 };

		for (size_t k = 0; knob_at(k); k++)
			if (knob_at(k)->flags & KNOB_WATCHED)
				see(s, i, knob_path(knob_at(k), path));
		for (size_t k = 0; k < v->settings.n; k++)
			see(s, i, knob_path(&v->settings.items[k].knob, path));
		s->iosched_inode[i] = sysfs_inode(d->sysdir, "queue/iosched");
		if (sysfs_list(d->sysdir, "queue/iosched", &tunables, NULL))
			continue;
		for (size_t k = 0; k < tunables.n; k++) {
			snprintf(path, sizeof(path), "queue/iosched/%.60s", tunables.items[k]);
			see(s, i, path);
		}
	}
}

static void add_json(cJSON *json, const char *disk, const char *path, const char *value)
{
	AUTOFREE char *key = mem_printf("%s:%s", disk, path);

	cJSON_AddStringToObject(json, key, value);
}

static void print_json(cJSON *json, struct str *out)
{
	char *text = cJSON_PrintUnformatted(json);

	str_add(out, text ? text : "{}");
	cJSON_free(text);
	cJSON_Delete(json);
}

static void describe_requested(const struct settings *s, const struct variant *v, const char *governor,
			       struct str *out)
{
	cJSON *want = cJSON_CreateObject();
	char path[KNOB_PATH];

	for (unsigned i = 0; i < s->saved->n_disks; i++) {
		const char *disk = s->saved->disks[i].name;

		if (strcmp(v->scheduler, "current"))
			add_json(want, disk, SCHEDULER, v->scheduler);
		for (size_t k = 0; k < v->settings.n; k++)
			add_json(want, disk, knob_path(&v->settings.items[k].knob, path), v->settings.items[k].value);
	}
	if (v->module && file_of(s, v))
		add_json(want, "module", s->saved->module.name, file_of(s, v)->build_id);
	if (governor)
		add_json(want, "cpu", "governor", governor);
	print_json(want, out);
}

static void describe_effective(const struct settings *s, struct str *out)
{
	cJSON *have = cJSON_CreateObject();

	for (size_t i = 0; i < s->seen.n; i++)
		add_json(have, s->saved->disks[s->seen.items[i].disk].name, s->seen.items[i].path,
			 s->seen.items[i].value);
	if (*s->build_id)
		add_json(have, "module", s->saved->module.name, s->build_id);
	if (s->governor)
		add_json(have, "cpu", "governor", s->governor);
	print_json(have, out);
}

enum settings_result settings_apply(struct settings *s, const struct variant *v, const char *governor,
				    struct str *requested, struct str *effective, struct err *err)
{
	forget_seen(s);
	describe_requested(s, v, governor, requested);
	if (apply_module(s, v, err))
		return settings_gone(s) ? SETTINGS_GONE : SETTINGS_FAILED;
	for (unsigned i = 0; i < s->saved->n_disks; i++) {
		enum settings_result r = apply_disk(s, &s->saved->disks[i], v, err);

		if (r != SETTINGS_OK)
			return r;
	}
	if (governor && cpufreq_set_governor(governor, err))
		return SETTINGS_FAILED;
	s->governor = mem_strdup(governor);
	see_all(s, v);
	describe_effective(s, effective);
	return SETTINGS_OK;
}

const char *settings_gone(const struct settings *s)
{
	for (unsigned i = 0; i < s->saved->n_disks; i++)
		if (disk_gone(&s->saved->disks[i]))
			return s->saved->disks[i].name;
	return NULL;
}

bool settings_changed(struct settings *s, struct str *what)
{
	char build_id[BUILD_ID_TEXT];
	size_t before = what->len;
	struct err err = { 0 };

	for (size_t i = 0; i < s->seen.n; i++) {
		const struct seen *was = &s->seen.items[i];
		const struct saved_disk *d = &s->saved->disks[was->disk];
		char now[SETTINGS_VALUE] = "(cannot be read)";

		if (!strcmp(was->path, SCHEDULER))
			current_scheduler(d, now, NULL, NULL);
		else
			sysfs_read(d->sysdir, was->path, now, sizeof(now), NULL);
		if (strcmp(now, was->value))
			str_addf(what, "%s'%s' of '%s' went from '%s' to '%s'", what->len > before ? "; " : "", was->path,
				 d->name, was->value, now);
	}
	for (unsigned i = 0; i < s->saved->n_disks; i++)
		if (sysfs_inode(s->saved->disks[i].sysdir, "queue/iosched") != s->iosched_inode[i])
			str_addf(what, "%sthe scheduler of '%s' was selected anew", what->len > before ? "; " : "",
				 s->saved->disks[i].name);
	module_build_id(s->saved->module.name, build_id);
	if (*s->build_id && strcmp(build_id, s->build_id) != 0)
		str_addf(what, "%sthe module '%s' went from build-id '%s' to '%s'", what->len > before ? "; " : "",
			 s->saved->module.name, s->build_id, build_id);
	if (s->governor && cpufreq_verify(s->governor, &err))
		str_addf(what, "%s%s", what->len > before ? "; " : "", err.msg);
	return what->len > before;
}

enum settings_result settings_probe(struct settings *s, const char *scheduler, struct err *err)
{
	enum settings_result worst = SETTINGS_OK;

	for (unsigned i = 0; i < s->saved->n_disks && worst == SETTINGS_OK; i++) {
		struct saved_disk *d = &s->saved->disks[i];

		worst = fresh_scheduler(d, scheduler, err);
		restore_values(d);
	}
	return worst;
}

/* ---- what dead sweeps left behind ---- */

static int replay_one(const char *name, const char *boot_id, struct saved *saved, struct restore_report *report,
		      struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/%s.journal", settings_rundir(), name);
	AUTOSTR struct str text = { 0 }, problems = { 0 };
	AUTOFREE char *mark = NULL;
	struct journal_head head;
	unsigned killed;

	if (file_slurp(path, &text, err))
		return -1;
	switch (journal_parse(str_text(&text), &head, saved)) {
	case JOURNAL_ALIEN:
		report->failed++;
		str_addf(&report->text, "'%s' is not a journal that this iobench understands: left alone\n", path);
		return 0;
	case JOURNAL_TORN:
		str_addf(&report->text, "'%s' was not written to its end, so nothing had been changed yet: removed\n", path);
		report->dropped++;
		unlink(path);
		return 0;
	case JOURNAL_WHOLE:
		break;
	}
	if (strcmp(head.boot_id, boot_id)) {
		str_addf(&report->text, "'%s' is of an earlier boot, which has reset all settings: removed\n", path);
		report->dropped++;
		unlink(path);
		return 0;
	}
	mark = mem_printf(MARK "=%s", path);
	killed = child_kill_marked(mark);
	if (killed)
		str_addf(&report->text, "%u processes of the dead sweep were still there: killed\n", killed);
	for (unsigned i = 0; i < saved->n_disks; i++)
		if (disk_gone(&saved->disks[i]))
			str_addf(&report->text, "disk '%s' is gone, or another one has its name: left alone\n",
				 saved->disks[i].name);
	if (restore_saved(saved, &problems)) {
		report->failed++;
		str_addf(&report->text, "could not put back what the sweep of pid %ld changed:\n%s", head.pid,
			 str_text(&problems));
		return 0;
	}
	report->restored++;
	str_addf(&report->text, "put back and verified: settings of");
	for (unsigned i = 0; i < saved->n_disks; i++)
		str_addf(&report->text, " '%s'", saved->disks[i].name);
	if (*saved->module.name)
		str_addf(&report->text, ", the module '%s'", saved->module.name);
	str_addf(&report->text, "%s (the sweep of pid %ld died)\n", saved->cpus ? " and the governors" : "", head.pid);
	unlink(path);
	return 0;
}

int settings_replay(struct restore_report *report, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };
	struct saved *saved = mem_alloc(1, sizeof(*saved));
	char boot_id[UUID_TEXT];
	int bad = 0;

	host_boot_id(boot_id);
	list_journals(&names);
	for (size_t i = 0; !bad && i < names.n; i++) {
		long pid = 0;
		int fd, got = lock_try(names.items[i], LOCK_EX, &fd, &pid, err);

		if (got > 0) {
			report->alive++;
			str_addf(&report->text, "%s (pid %ld) is at work on '%s': left alone\n", holder(pid), pid,
				 names.items[i]);
		} else if (got < 0) {
			bad = -1;
		} else {
			bad = replay_one(names.items[i], boot_id, saved, report, err);
			close(fd);
		}
	}
	free(saved);
	return bad || report->failed ? -1 : 0;
}
