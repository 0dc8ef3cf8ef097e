// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/module.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/child.h"
#include "runner/knob.h"
#include "runner/sysfs.h"

/* A disk drops its scheduler's module a moment after it was switched away from; a load in another process takes longer. */
#define WAIT_NS 20000000L
#define WAITS 250

/* Of a module's directory or file in sysfs; "" if there is none. */
static void attr_of(const char *name, const char *attr, char *out, size_t size)
{
	AUTOFREE char *dir = mem_printf("%s/module/%s", sysfs_root(), name);

	if (sysfs_read(dir, attr, out, size, NULL))
		*out = '\0';
}

bool module_of_scheduler(const char *scheduler, char out[64])
{
	const struct scheduler *s = scheduler_find(scheduler);

	if (!s || !s->module)
		return false;
	snprintf(out, 64, "%s", s->module);
	for (char *c = out; *c; c++)
		if (*c == '-')
			*c = '_';
	return true;
}

bool module_is_schedulers(const char *name)
{
	char module[64];

	for (size_t i = 0; scheduler_at(i); i++)
		if (module_of_scheduler(scheduler_at(i)->name, module) && !strcmp(module, name))
			return true;
	return false;
}

bool module_is_loaded(const char *name)
{
	char state[32];

	/* what is built in has a directory at most, without this */
	attr_of(name, "initstate", state, sizeof(state));
	return *state;
}

void module_build_id(const char *name, char out[BUILD_ID_TEXT])
{
	AUTOFREE char *path = mem_printf("%s/module/%s/notes/.note.gnu.build-id", sysfs_root(), name);
	AUTOSTR struct str notes = { 0 }, hex = { 0 };

	*out = '\0';
	if (module_is_loaded(name) && !file_slurp(path, &notes, NULL) &&
	    module_note_build_id(str_text(&notes), notes.len, &hex))
		snprintf(out, BUILD_ID_TEXT, "%s", str_text(&hex));
}

/* ---- what cannot work ---- */

static int check_signature(const struct module_file *f, struct err *err)
{
	char enforced[16], lockdown[64];

	if (f->is_signed)
		return 0; /* whether the kernel knows the key is only known when it is loaded */
	attr_of("module", "parameters/sig_enforce", enforced, sizeof(enforced));
	if (*enforced == 'Y')
		return err_set(err, ERR_NEEDS, "'%s' is not signed, and this kernel loads signed modules only (sig_enforce)", f->path);
	if (sysfs_read(sysfs_root(), "kernel/security/lockdown", lockdown, sizeof(lockdown), NULL))
		return 0;
	if (strstr(lockdown, "[integrity]") || strstr(lockdown, "[confidentiality]"))
		return err_set(err, ERR_NEEDS, "'%s' is not signed, and this kernel is locked down (secure boot): sign it, or boot "
					       "without lockdown", f->path);
	return 0;
}

int module_check_file(const struct module_file *f, const char *name, struct err *err)
{
	size_t len = f->vermagic ? strcspn(f->vermagic, " ") : 0;
	struct utsname u;

	if (f->name && strcmp(f->name, name) != 0)
		return err_set(err, ERR_USAGE, "'%s' is the module '%s', not '%s'", f->path, f->name, name);
	if (!len)
		return err_set(err, ERR_USAGE, "'%s' does not say for which kernel it was built (no vermagic)", f->path);
	if (uname(&u) || strlen(u.release) != len || strncmp(u.release, f->vermagic, len) != 0)
		return err_set(err, ERR_NEEDS, "'%s' was built for kernel %.*s, this is %s: build it again (scripts/build-bfq)",
			       f->path, (int)len, f->vermagic, u.release);
	if (!f->build_id || strlen(f->build_id) >= BUILD_ID_TEXT)
		return err_set(err, ERR_NEEDS, "'%s' has no build-id, so nobody could tell that it is the one in use: link it with "
					       "--build-id", f->path);
	return check_signature(f, err);
}

static bool may_load(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &head, data) && data[0].effective >> CAP_SYS_MODULE & 1;
}

/* Those that nobody but the kernel itself tells: a fake tree has no say in them. */
static int check_rights(struct err *err)
{
	AUTOSTR struct str disabled = { 0 };

	if (!sysfs_is_kernels())
		return 0;
	if (!may_load())
		return err_set(err, ERR_NEEDS, "this process may not load modules (no CAP_SYS_MODULE: a container?)");
	if (!file_slurp("/proc/sys/kernel/modules_disabled", &disabled, NULL) && *str_text(&disabled) == '1')
		return err_set(err, ERR_NEEDS, "this kernel loads no more modules until it is booted again "
					       "(kernel.modules_disabled is 1)");
	return 0;
}

/* Does the disk list a scheduler of the module, and has it selected one? */
static void look_at_disk(const char *disk, const char *name, bool *lists, bool *uses)
{
	AUTOFREE char *attr = mem_printf("block/%s/queue/scheduler", disk);
	AUTOSTRINGS strings_t offered = { 0 };
	char line[512], current[64], module[64];

	*lists = *uses = false;
	if (sysfs_read(sysfs_root(), attr, line, sizeof(line), NULL) ||
	    sysfs_scheduler_parse(line, current, sizeof(current), &offered))
		return;
	*uses = module_of_scheduler(current, module) && !strcmp(module, name);
	for (size_t i = 0; i < offered.n; i++)
		*lists |= module_of_scheduler(offered.items[i], module) && !strcmp(module, name);
}

static bool is_one_of(const char *disk, const char *const *disks, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(disks[i], disk) != 0)
		i++;
	return i < n;
}

/* Its users: our disks can be switched away, nobody else can. */
static int check_users(const char *name, const char *const *disks, size_t n, struct err *err)
{
	AUTOSTRINGS strings_t all = { 0 };
	uint64_t ours = 0, users;
	bool listed = false;
	char refcnt[32];

	if (sysfs_list_dirs(sysfs_root(), "block", &all, err))
		return -1;
	for (size_t i = 0; i < all.n; i++) {
		bool lists, uses;

		look_at_disk(all.items[i], name, &lists, &uses);
		listed |= lists;
		ours += uses;
		if (uses && !is_one_of(all.items[i], disks, n))
			return err_set(err, ERR_NEEDS, "disk '%s' uses the module '%s', which is to be exchanged: give that disk "
						       "another scheduler", all.items[i], name);
	}
	if (listed && !module_is_loaded(name))
		return err_set(err, ERR_NEEDS, "'%s' is built into this kernel: only what is a module can be exchanged", name);
	attr_of(name, "refcnt", refcnt, sizeof(refcnt));
	users = strtoull(refcnt, NULL, 10);
	if (users > ours)
		return err_set(err, ERR_NEEDS, "the module '%s' has %llu users, and only %llu are disks of this sweep", name,
			       (unsigned long long)users, (unsigned long long)ours);
	return 0;
}

/* The file that modprobe would load, the last of "insmod PATH OPTIONS"; NULL if there is none. The caller frees. */
static char *own_file(const char *name, struct err *err)
{
	const char *argv[] = { "modprobe", "--ignore-install", "--show-depends", name, NULL };
	AUTOSTRINGS strings_t lines = { 0 };
	AUTOSTR struct str text = { 0 };
	char *path = NULL;

	if (child_capture_admin(argv, &text, err))
		return NULL;
	str_split(str_text(&text), '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		const char *at = lines.items[i] + strlen("insmod ");

		if (!str_starts(lines.items[i], "insmod "))
			continue;
		free(path);
		path = mem_strndup(at, strcspn(at, " "));
	}
	if (!path)
		err_set(err, ERR_FAULT, "modprobe knows no file of it");
	return path;
}

/* One that somebody loaded by hand could not be put back. */
static int check_own(const char *name, struct err *err)
{
	struct module_file own = { 0 };
	AUTOFREE char *path = NULL;
	char loaded[BUILD_ID_TEXT];
	struct err why = { 0 };
	bool same;

	if (!module_is_loaded(name))
		return 0;
	module_build_id(name, loaded);
	if (!*loaded)
		return err_set(err, ERR_NEEDS, "the '%s' that is loaded has no build-id: it could not be told from another", name);
	path = own_file(name, &why);
	if (!path || module_file_read(path, &own, &why))
		return err_set(err, ERR_NEEDS, "the '%s' that is loaded could not be put back: %.700s; unload it first: rmmod %s", name,
			       why.msg, name);
	same = own.build_id && !strcmp(own.build_id, loaded);
	module_file_release(&own);
	return same ? 0 : err_set(err, ERR_NEEDS, "the '%s' that is loaded is not the '%s' that modprobe would put back: unload it "
						  "first: rmmod %s", name, path, name);
}

int module_check_machine(const char *name, const char *const *disks, size_t n, struct err *err)
{
	return check_rights(err) || check_users(name, disks, n, err) || check_own(name, err) ? -1 : 0;
}

/* ---- in and out ---- */

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
}

/* Until it is neither being loaded nor unloaded, by somebody who may have died of it. */
static void wait_until_settled(const char *name)
{
	char state[32];

	for (int i = 0; i < WAITS; i++) {
		attr_of(name, "initstate", state, sizeof(state));
		if (strcmp(state, "coming") != 0 && strcmp(state, "going") != 0)
			return;
		wait_a_little();
	}
}

static int unload(const char *name, struct err *err)
{
	const char *argv[] = { "rmmod", name, NULL };
	char users[32];

	wait_until_settled(name);
	if (!module_is_loaded(name))
		return 0;
	for (int i = 0; i < WAITS; i++) {
		attr_of(name, "refcnt", users, sizeof(users));
		if (!strcmp(users, "0"))
			break;
		wait_a_little();
	}
	if (child_capture_admin(argv, NULL, err))
		return err_context(err, "cannot unload '%s'", name);
	return module_is_loaded(name) ? err_set(err, ERR_FAULT, "'%s' is still loaded after rmmod", name) : 0;
}

bool module_is_back(const char *name, const char *build_id)
{
	char now[BUILD_ID_TEXT];

	module_build_id(name, now);
	return !strcmp(now, build_id) && module_is_loaded(name) == !!*build_id;
}

static int load_file(const char *name, const struct module_file *f, struct err *err)
{
	const char *argv[] = { "insmod", f->path, NULL };
	char now[BUILD_ID_TEXT];

	if (child_capture_admin(argv, NULL, err))
		return err_context(err, "cannot load '%s'", f->path);
	module_build_id(name, now);
	return strcmp(now, f->build_id) ? err_set(err, ERR_FAULT, "'%s' was changed since the sweep began: '%s' has build-id '%s' "
								  "now, not '%s'", f->path, name, now, f->build_id)
					: 0;
}

static int load_own(const char *name, struct err *err)
{
	const char *argv[] = { "modprobe", name, NULL };

	return child_capture_admin(argv, NULL, err) ? err_context(err, "cannot load '%s'", name) : 0;
}

bool module_is_in_place(const char *name, const struct module_file *file, const module_files_t *files)
{
	bool own = module_is_loaded(name);

	if (file)
		return module_is_back(name, file->build_id);
	for (size_t i = 0; i < files->n; i++)
		own &= !module_is_back(name, files->items[i].build_id);
	return own;
}

int module_put_in_place(const char *name, const struct module_file *file, const module_files_t *files, struct err *err)
{
	if (module_is_in_place(name, file, files))
		return 0;
	return unload(name, err) || (file ? load_file(name, file, err) : load_own(name, err)) ? -1 : 0;
}

int module_put_back(const char *name, const char *build_id, struct err *err)
{
	char now[BUILD_ID_TEXT];

	wait_until_settled(name);
	if (module_is_back(name, build_id))
		return 0;
	if (unload(name, err) || (*build_id && load_own(name, err)))
		return -1;
	module_build_id(name, now);
	return strcmp(now, build_id) ? err_set(err, ERR_FAULT, "modprobe loaded another: build-id '%s'", now) : 0;
}
