// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/simdisk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/device.h"
#include "runner/loopdev.h"
#include "runner/settings.h"
#include "runner/sysfs.h"

#define FILE_NAME "simulated-disk" /* vdisk/serve.h */
#define BEFORE ".before"	   /* the settings of the loop device as we found them */
#define NUMBERS 10000
#define TRIES 500 /* of 10 ms */

static char *top_dir(void)
{
	return mem_printf("%s/vdisk", settings_rundir());
}

/* One that makes or removes at a time: half made ones are then dead ones. Released when closed. */
static int lock_top(int *fd, struct err *err)
{
	AUTOFREE char *top = top_dir();
	AUTOFREE char *path = mem_printf("%s/lock", top);

	*fd = -1;
	if (geteuid())
		return err_set(err, ERR_NEEDS, "simulated disks need root");
	if ((mkdir(settings_rundir(), 0755) && errno != EEXIST) || (mkdir(top, 0755) && errno != EEXIST))
		return err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", top);
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd < 0 || flock(*fd, LOCK_EX))
		return err_sys(err, ERR_NEEDS, errno, "cannot lock '%s'", path);
	return 0;
}

/* ---- what there is ---- */

static void look_at(const char *top, const char *name, struct simdisk *d)
{
	AUTOSTR struct str text = { 0 };
	AUTOFREE char *path, *file;

	d->name = mem_strdup(name);
	d->dir = mem_printf("%s/%s", top, name);
	path = mem_printf("%s/description", d->dir);
	file = mem_printf("%s/" FILE_NAME, d->dir);
	d->loop = loopdev_of(file);
	if (!file_slurp(path, &text, NULL) && text.len)
		d->description = mem_strdup(str_trim(text.s));
}

static int is_disk_dir(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

int simdisk_list(simdisks_t *out, struct err *err)
{
	AUTOFREE char *top = top_dir();
	struct dirent **entries = NULL;
	int n = scandir(top, &entries, is_disk_dir, versionsort);

	if (n < 0)
		return errno == ENOENT ? 0 : err_sys(err, ERR_NEEDS, errno, "cannot look into '%s'", top);
	for (int i = 0; i < n; i++) {
		look_at(top, entries[i]->d_name, vec_push(out));
		free(entries[i]);
	}
	free(entries);
	return 0;
}

static void simdisk_release(struct simdisk *d)
{
	free(d->name);
	free(d->dir);
	free(d->loop);
	free(d->description);
}

void simdisks_release(simdisks_t *disks)
{
	for (size_t i = 0; i < disks->n; i++)
		simdisk_release(&disks->items[i]);
	vec_free(disks);
}

const struct simdisk *simdisk_find(const simdisks_t *disks, const char *what)
{
	const char *loop = str_starts(what, "/dev/") ? what + strlen("/dev/") : what;

	for (size_t i = 0; i < disks->n; i++)
		if (!strcmp(disks->items[i].name, what) ||
		    (disks->items[i].loop && !strcmp(disks->items[i].loop, loop)))
			return &disks->items[i];
	return NULL;
}

/* The path of the file 'name' beside the disk's; NULL if this is no simulated disk. The caller frees. */
static char *path_beside(const char *sysdir, const char *name)
{
	char path[PATH_MAX];
	const char *base;

	if (sysfs_read(sysdir, "loop/backing_file", path, sizeof(path), NULL))
		return NULL;
	base = strrchr(path, '/');
	return base && !strcmp(base, "/" FILE_NAME) ? mem_printf("%.*s/%s", (int)(base - path), path, name) : NULL;
}

bool simdisk_is(const char *sysdir, struct str *description)
{
	AUTOFREE char *path = path_beside(sysdir, "description");
	AUTOSTR struct str text = { 0 };

	if (!path)
		return false;
	if (file_slurp(path, &text, NULL) || !text.len)
		str_add(description, "unknown");
	else
		str_add(description, str_trim(text.s));
	return true;
}

/* The number in the line "NAME NUMBER" of a status. */
static bool number_of(const char *status, const char *name, uint64_t *out)
{
	AUTOFREE char *start = mem_printf("\n%s ", name);
	const char *line = strstr(status, start);

	if (line)
		*out = strtoull(line + strlen(start), NULL, 10);
	return line;
}

bool simdisk_late(const char *sysdir, uint64_t *commands, uint64_t *late)
{
	AUTOFREE char *path = path_beside(sysdir, "status");
	AUTOSTR struct str text = { 0 };

	return path && !file_slurp(path, &text, NULL) && number_of(str_text(&text), "ended", commands) &&
	       number_of(str_text(&text), "late_over_1ms", late);
}

int simdisk_status(const struct simdisk *d, struct str *out, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/status", d->dir);

	return file_slurp(path, out, err);
}

int simdisk_fault(const struct simdisk *d, const char *fault, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/fault", d->dir);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, ERR_NEEDS, errno, "simulated disk '%s' does not answer", d->name);
	if (write(fd, fault, strlen(fault)) == (ssize_t)strlen(fault))
		return 0;
	return errno == EINVAL ? err_set(err, ERR_USAGE, "'%s' is not a fault that a simulated disk knows", fault)
			       : err_sys(err, ERR_NEEDS, errno, "simulated disk '%s' does not answer", d->name);
}

/* ---- settings of the loop device ---- */

static char *sysdir_of(const char *loop)
{
	return mem_printf("%s/block/%s", sysfs_root(), loop);
}

/* They survive the loop device's detaching: the next user would find them. "SCHEDULER NR_REQUESTS" under none. */
static int keep_before(const struct simdisk *d, const char *scheduler, struct err *err)
{
	AUTOFREE char *sysdir = sysdir_of(d->loop), *path = mem_printf("%s" BEFORE, d->dir);
	AUTOFREE char *text = mem_printf("%s %llu\n", scheduler,
					 (unsigned long long)sysfs_read_number(sysdir, "queue/nr_requests", 128));

	return file_replace(path, text, strlen(text), err);
}

/* Under none. What the file says need not be what the hardware queue has; the same again changes nothing there. */
static int set_tags(const char *sysdir, uint64_t tags, struct err *err)
{
	char other[24], number[24];

	snprintf(other, sizeof(other), "%" PRIu64, tags > 4 ? tags - 1 : tags + 1);
	snprintf(number, sizeof(number), "%" PRIu64, tags);
	if (sysfs_write(sysdir, "queue/nr_requests", other, err))
		return -1;
	return sysfs_write(sysdir, "queue/nr_requests", number, err);
}

static void restore_before(const struct simdisk *d)
{
	AUTOFREE char *sysdir = sysdir_of(d->loop), *path = mem_printf("%s" BEFORE, d->dir);
	AUTOSTR struct str text = { 0 };
	char *numbers;

	if (file_slurp(path, &text, NULL) || !text.len || !(numbers = strchr(text.s, ' ')))
		return;
	*numbers++ = '\0';
	sysfs_write(sysdir, "queue/scheduler", "none", NULL);
	set_tags(sysdir, strtoull(numbers, NULL, 10), NULL);
	sysfs_write(sysdir, "queue/rotational", "0", NULL);
	sysfs_write(sysdir, "queue/scheduler", text.s, NULL);
}

/* A scheduler chosen before the disk is rotational would keep defaults for flash (design: bfq's slice_idle). */
static int make_rotational(const struct simdisk *d, unsigned tags, struct err *err)
{
	AUTOFREE char *sysdir = sysdir_of(d->loop);
	AUTOSTRINGS strings_t offered = { 0 };
	char line[512], scheduler[64];
	bool rotating = strstr(d->description ? d->description : "", "kind=rotating");

	if (sysfs_read(sysdir, "queue/scheduler", line, sizeof(line), err))
		return -1;
	if (sysfs_scheduler_parse(line, scheduler, sizeof(scheduler), &offered))
		return err_set(err, ERR_FAULT, "cannot understand the schedulers of '%s': '%s'", d->loop, line);
	if (sysfs_write(sysdir, "queue/scheduler", "none", err) || keep_before(d, scheduler, err) ||
	    sysfs_write(sysdir, "queue/rotational", rotating ? "1" : "0", err))
		return -1;
	if (tags && set_tags(sysdir, tags, err))
		return -1;
	return sysfs_write(sysdir, "queue/scheduler", scheduler, err);
}

/* ---- removing ---- */

static int check_unused(const struct simdisk *d, struct err *err)
{
	AUTOFREE char *node = mem_printf("/dev/%s", d->loop);
	struct target t = { 0 };
	int bad = 1;

	/* what sysfs cannot even show is used by nobody */
	if (target_open(node, &t, NULL))
		return 0;
	/* udev looks at disks now and then, for a moment */
	for (int i = 0; bad && i < 20; i++) {
		uses_t uses = { 0 };

		bad = target_uses(&t, NULL, &uses, err) || uses_refuse(&t, &uses, err);
		uses_release(&uses);
		if (bad)
			usleep(100000);
	}
	target_release(&t);
	return bad ? -1 : 0;
}

static long pid_of(const struct simdisk *d)
{
	AUTOSTR struct str text = { 0 };

	if (simdisk_status(d, &text, NULL) || !str_starts(str_text(&text), "pid "))
		return 0;
	return strtol(text.s + strlen("pid "), NULL, 10);
}

/* Unmounted, it ends by itself; our own child is to be waited for besides. */
static void wait_for_end(pid_t pid)
{
	for (int i = 0; pid > 0 && i < TRIES; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid || kill(pid, 0))
			return;
		usleep(10000);
	}
}

/* A simulator that was started by a killed create may mount it just now: again, then. */
static int remove_dir(const char *dir, struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		if (umount2(dir, MNT_DETACH) && errno != EINVAL && errno != ENOENT)
			return err_sys(err, ERR_NEEDS, errno, "cannot unmount '%s'", dir);
		if (!rmdir(dir) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		usleep(10000);
	}
	return err_sys(err, ERR_NEEDS, errno, "cannot remove '%s'", dir);
}

static int take_away(const struct simdisk *d, struct err *err)
{
	AUTOFREE char *before = mem_printf("%s" BEFORE, d->dir), *torn = mem_printf("%s.tmp", before);
	long pid = d->description ? pid_of(d) : 0;

	if (d->description)
		simdisk_fault(d, "clear", NULL);
	if (d->loop) {
		restore_before(d);
		if (loopdev_detach(d->loop, err))
			return -1;
	}
	if (remove_dir(d->dir, err))
		return -1;
	wait_for_end((pid_t)pid);
	unlink(before);
	unlink(torn); /* file_replace(), when it was killed */
	return 0;
}

int simdisk_remove(const struct simdisk *seen, struct err *err)
{
	AUTOFREE char *top = top_dir();
	AUTOCLOSE int lock = -1;
	struct simdisk d = { 0 };
	int bad;

	if (lock_top(&lock, err))
		return -1;
	if (access(seen->dir, F_OK) && errno == ENOENT)
		return 0;
	/* anew, behind the lock: it may have been in the making when it was seen */
	look_at(top, seen->name, &d);
	bad = (d.loop && check_unused(&d, err)) || take_away(&d, err);
	simdisk_release(&d);
	return bad ? err_context(err, "simulated disk '%s'", seen->name) : 0;
}

/* ---- making ---- */

static int make_dir(const char *profile, struct simdisk *d, struct err *err)
{
	AUTOFREE char *top = top_dir();

	for (unsigned i = 1; i < NUMBERS; i++) {
		d->name = mem_printf("%s-%u", profile, i);
		d->dir = mem_printf("%s/%s", top, d->name);
		if (!mkdir(d->dir, 0700))
			return 0;
		if (errno != EEXIST)
			return err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", d->dir);
		simdisk_release(d);
		*d = (struct simdisk){ 0 };
	}
	return err_set(err, ERR_NEEDS, "there are too many simulated disks below '%s'", top);
}

/* In the new process. It outlives us, and has nothing of ours but the pipe. */
static void exec_simulator(const char *const *argv, int pipe_fd)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (null >= 0 && dup2(null, 0) == 0 && dup2(pipe_fd, 1) == 1 && dup2(pipe_fd, 2) == 2)
		execv(argv[0], (char *const *)argv);
	dprintf(pipe_fd, "cannot start '%s': %s\n", argv[0], strerror(errno));
	_exit(ERR_NEEDS);
}

/* What it says until it is ready or has ended. */
static int hear(int fd, pid_t pid, struct err *err)
{
	AUTOSTR struct str text = { 0 };
	char buf[512];
	ssize_t n;
	int status = 0;

	while (!strstr(str_text(&text), "ready\n") && (n = read(fd, buf, sizeof(buf))) > 0)
		str_addn(&text, buf, (size_t)n);
	if (strstr(str_text(&text), "ready\n"))
		return 0;
	waitpid(pid, &status, 0);
	return err_set(err, WIFEXITED(status) && WEXITSTATUS(status) == ERR_USAGE ? ERR_USAGE : ERR_NEEDS,
		       "the simulator did not start: %s", text.len ? str_trim(text.s) : "it said nothing");
}

static int start_simulator(const struct simdisk_request *r, const struct simdisk *d, struct err *err)
{
	VEC(const char *) argv = { 0 };
	int ends[2], bad;
	pid_t pid;

	*vec_push(&argv) = r->program;
	*vec_push(&argv) = "--serve";
	*vec_push(&argv) = d->dir;
	for (size_t i = 0; r->arguments[i]; i++)
		*vec_push(&argv) = r->arguments[i];
	*vec_push(&argv) = NULL;
	if (pipe2(ends, O_CLOEXEC)) {
		vec_free(&argv);
		return err_sys(err, ERR_FAULT, errno, "cannot make a pipe");
	}
	pid = fork();
	if (!pid)
		exec_simulator(argv.items, ends[1]);
	close(ends[1]);
	bad = pid < 0 ? err_sys(err, ERR_FAULT, errno, "cannot start '%s'", r->program) : hear(ends[0], pid, err);
	close(ends[0]);
	vec_free(&argv);
	return bad;
}

static int make(const struct simdisk_request *r, struct simdisk *d, struct err *err)
{
	AUTOFREE char *file = mem_printf("%s/" FILE_NAME, d->dir), *path = mem_printf("%s/description", d->dir);
	AUTOSTR struct str text = { 0 };
	AUTOCLOSE int fd = -1;

	if (start_simulator(r, d, err) || file_slurp(path, &text, err))
		return -1;
	d->description = str_steal(&text);
	return loopdev_attach(file, &d->loop, &fd, err) ? -1 : make_rotational(d, r->tags, err);
}

int simdisk_create(const struct simdisk_request *r, char **node, struct err *err)
{
	struct simdisk d = { 0 };
	AUTOCLOSE int lock = -1;
	int bad;

	if (lock_top(&lock, err) || make_dir(r->profile, &d, err))
		return -1;
	bad = make(r, &d, err);
	if (bad)
		take_away(&d, NULL);
	else
		*node = mem_printf("/dev/%s", d.loop);
	simdisk_release(&d);
	return bad;
}
