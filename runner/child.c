// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

static int open_as(const char *path, int flags, int fd)
{
	int got = open(path ? path : "/dev/null", flags, 0600);

	if (got < 0)
		return -1;
	if (got == fd)
		return 0;
	if (dup2(got, fd) < 0)
		return -1;
	return close(got);
}

/* 0 is the process that writes. */
static int join_cgroup(const char *folder)
{
	char path[PATH_MAX];
	int fd, bad;

	if (!folder)
		return 0;
	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	bad = write(fd, "0", 1) != 1;
	return close(fd) || bad;
}

static int limit_files(uint64_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	return bytes ? setrlimit(RLIMIT_FSIZE, &limit) : 0;
}

/* In the new process: only async-signal-safe calls, errno to the parent through 'report'. */
static void child_exec(const struct child_spec *spec, pid_t parent, int report)
{
	const int out = O_WRONLY | O_CREAT | O_TRUNC;
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent && !join_cgroup(spec->cgroup) &&
	    (!spec->folder || !chdir(spec->folder)) && !open_as(NULL, O_RDONLY, 0) &&
	    !open_as(spec->stdout_path, out, 1) && !open_as(spec->stderr_path, out, 2) &&
	    !limit_files(spec->file_max_bytes)) {
		for (const char *const *e = spec->environment; e && *e; e++)
			putenv((char *)*e);
		execvp(spec->argv[0], (char *const *)spec->argv);
	}
	if (write(report, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

static int not_installed(const char *name, struct err *err)
{
	return err_set(err, ERR_NEEDS, "'%s' is not installed (not found in PATH)", name);
}

/* Does not wait for the exec; '*report' is what was_started() will ask. */
static pid_t start(const struct child_spec *spec, int *report, struct err *err)
{
	pid_t parent = getpid(), pid;
	int ends[2], why;

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(err, ERR_FAULT, errno, "cannot start '%s'", spec->argv[0]);
	pid = fork();
	if (!pid)
		child_exec(spec, parent, ends[1]);
	why = errno;
	close(ends[1]);
	*report = ends[0];
	if (pid > 0)
		return pid;
	close(ends[0]);
	return err_sys(err, ERR_NEEDS, why, "cannot start '%s'", spec->argv[0]);
}

/* 'pid' again, or -1: it could not be executed, and has ended. */
static pid_t was_started(pid_t pid, const char *name, int report, struct err *err)
{
	int why = 0;

	/* end of file: the exec closed it, all is well */
	if (read(report, &why, sizeof(why)) == (ssize_t)sizeof(why))
		waitpid(pid, NULL, 0);
	close(report);
	if (!why)
		return pid;
	return why == ENOENT ? not_installed(name, err) : err_sys(err, ERR_NEEDS, why, "cannot start '%s'", name);
}

pid_t child_spawn(const struct child_spec *spec, struct err *err)
{
	int report = -1;
	pid_t pid = start(spec, &report, err);

	return pid > 0 ? was_started(pid, spec->argv[0], report, err) : -1;
}

/* The parent of a process by /proc/PID/stat: the field after the state, behind the last ')' of the name. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *p;
	AUTOCLOSE int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strrchr(text, ')');
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

static void kill_children(void)
{
	struct dirent *e;
	pid_t self = getpid();
	DIR *proc = opendir("/proc");

	while (proc && (e = readdir(proc)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && parent_of(e->d_name) == self)
			kill((pid_t)strtol(e->d_name, NULL, 10), SIGKILL);
	if (proc)
		closedir(proc);
}

unsigned child_kill_all(void)
{
	unsigned n = 0;

	/* each round kills our children; theirs become ours as they die, for the next round */
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid > 0) {
			n++;
		} else if (pid < 0 && errno == ECHILD) {
			return n;
		} else {
			kill_children();
			if (waitpid(-1, NULL, 0) > 0)
				n++;
		}
	}
}

static bool has_mark(const char *pid, const char *mark)
{
	AUTOFREE char *path = mem_printf("/proc/%s/environ", pid);
	AUTOSTR struct str text = { 0 };

	if (file_slurp(path, &text, NULL))
		return false; /* gone, or not ours to read */
	for (const char *s = str_text(&text), *end = s + text.len; s < end; s += strlen(s) + 1)
		if (!strcmp(s, mark))
			return true;
	return false;
}

unsigned child_kill_marked(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	while (proc && (e = readdir(proc)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && has_mark(e->d_name, mark) &&
		    !kill((pid_t)strtol(e->d_name, NULL, 10), SIGKILL))
			n++;
	if (proc)
		closedir(proc);
	return n;
}

/* A file in memory, or -1: then what is printed is lost, which is better than not to start. */
static int text_file(char path[64])
{
	int fd = memfd_create("iobench", MFD_CLOEXEC);

	snprintf(path, 64, fd < 0 ? "/dev/null" : "/proc/%d/fd/%d", (int)getpid(), fd);
	return fd;
}

/* Everything in it, and its end. */
static void take_text(int fd, struct str *out)
{
	char chunk[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		if (out)
			str_addn(out, chunk, (size_t)n);
	if (fd >= 0)
		close(fd);
}

/* May such a program be there, as execvp(3) looks for it? No saves a process that would only find that out. */
static bool may_exist(const char *name)
{
	AUTOFREE char *path = getenv("PATH") ? mem_strdup(getenv("PATH")) : NULL;

	if (!path || strchr(name, '/'))
		return true;
	for (char *dir, *rest = path; (dir = strsep(&rest, ":"));) {
		AUTOFREE char *file = mem_printf("%s%s%s", dir, *dir ? "/" : "", name);

		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static void begin(const char *const *argv, const char *const *environment, struct child_captured *c)
{
	char out_path[64], words_path[64];
	struct child_spec spec = { .argv = argv, .environment = environment, .stdout_path = out_path, .stderr_path = words_path };

	*c = (struct child_captured){ .name = argv[0], .out = -1, .words = -1 };
	if (!environment && !may_exist(argv[0])) {
		c->pid = not_installed(argv[0], &c->err);
		return;
	}
	c->out = text_file(out_path);
	c->words = text_file(words_path);
	c->pid = c->out < 0 ? err_sys(&c->err, ERR_FAULT, errno, "cannot run '%s'", argv[0]) : start(&spec, &c->report, &c->err);
}

void child_capture_begin(const char *const *argv, struct child_captured *c)
{
	begin(argv, NULL, c);
}

int child_capture_end(struct child_captured *c, struct str *out, struct err *err)
{
	struct child_captured ended = *c;
	AUTOSTR struct str words = { 0 };
	int status = 0;

	*c = (struct child_captured){ 0 };
	if (!ended.name)
		return err_set(err, ERR_FAULT, "nothing was started");
	if (ended.pid > 0)
		ended.pid = was_started(ended.pid, ended.name, ended.report, &ended.err);
	while (ended.pid > 0 && waitpid(ended.pid, &status, 0) < 0 && errno == EINTR)
		;
	take_text(ended.out, out);
	take_text(ended.words, &words);
	if (ended.pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
		return err_set(err, ERR_FAULT, words.len ? "'%s' failed: %s" : "'%s' failed%s", ended.name,
			       words.len ? str_trim(words.s) : "");
	if (ended.pid < 0 && err)
		*err = ended.err;
	return ended.pid > 0 ? 0 : -1;
}

static int capture(const char *const *argv, const char *const *environment, struct str *out, struct err *err)
{
	struct child_captured c;

	begin(argv, environment, &c);
	return child_capture_end(&c, out, err);
}

int child_capture(const char *const *argv, struct str *out, struct err *err)
{
	return capture(argv, NULL, out, err);
}

int child_capture_admin(const char *const *argv, struct str *out, struct err *err)
{
	const char *path = getenv("PATH");
	AUTOFREE char *longer = mem_printf("PATH=%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	const char *const environment[] = { longer, NULL };

	return capture(argv, environment, out, err);
}
