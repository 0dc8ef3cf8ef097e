// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

#define ENVIRONMENT_MAX 8191 /* variables of a child; the kernel sets no limit to their number, only to their size */
#define STACK_BYTES 65536    /* for what runs before execve(2): some paths, and the argv of a script */

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

/* What the new process is told, and tells: it shares our memory. */
struct launch {
	const struct child_spec *spec;
	pid_t parent;
	int why; /* errno: it could not be executed */
};

/* In the new process, with our memory: only async-signal-safe calls, and nothing of ours is changed but 'why' and errno. */
static int child_exec(void *arg)
{
	const int out = O_WRONLY | O_CREAT | O_TRUNC;
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	struct launch *l = arg;
	const struct child_spec *spec = l->spec;
	sigset_t none;

	sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == l->parent && !join_cgroup(spec->cgroup) &&
	    (!spec->folder || !chdir(spec->folder)) && !open_as(NULL, O_RDONLY, 0) &&
	    !open_as(spec->stdout_path, out, 1) && !open_as(spec->stderr_path, out, 2) &&
	    !limit_files(spec->file_max_bytes))
		execvp(spec->argv[0], (char *const *)spec->argv);
	l->why = errno;
	_exit(127);
}

static int not_installed(const char *name, struct err *err)
{
	return err_set(err, ERR_NEEDS, "'%s' is not installed (not found in PATH)", name);
}

static bool is_named(const char *variable, const char *const *list)
{
	for (; *list; list++) {
		size_t len = strcspn(*list, "=") + 1;

		if (!strncmp(variable, *list, len))
			return true;
	}
	return false;
}

/* Our environment with the additions, which win. -1: it is too long. */
static int add_environment(const char *const *additions, char *out[ENVIRONMENT_MAX + 1])
{
	size_t n = 0;

	for (const char *const *a = additions; *a && n < ENVIRONMENT_MAX; a++)
		out[n++] = (char *)*a;
	for (char **e = environ; *e && n < ENVIRONMENT_MAX; e++)
		if (!is_named(*e, additions))
			out[n++] = *e;
	out[n] = NULL;
	return n < ENVIRONMENT_MAX ? 0 : -1;
}

/*
 * As vfork(2) does it, for the price of a fork() is that of our memory: the new process has it too, with a stack of its
 * own, and we wait until it has executed the program. No handler of ours may run there.
 */
static pid_t launch(struct launch *l)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = clone(child_exec, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	if (pid < 0)
		l->why = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && l->why && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return l->why ? -1 : pid;
}

pid_t child_spawn(const struct child_spec *spec, struct err *err)
{
	static char *environment[ENVIRONMENT_MAX + 1];
	struct launch l = { .spec = spec, .parent = getpid() };
	char **ours = environ;
	pid_t pid;

	if (spec->environment && add_environment(spec->environment, environment))
		return err_sys(err, ERR_NEEDS, E2BIG, "cannot start '%s'", spec->argv[0]);
	/* also execvp() looks for PATH in it */
	if (spec->environment)
		environ = environment;
	pid = launch(&l);
	environ = ours;
	if (pid > 0)
		return pid;
	return l.why == ENOENT ? not_installed(spec->argv[0], err) : err_sys(err, ERR_NEEDS, l.why, "cannot start '%s'", spec->argv[0]);
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

bool child_is_installed(const char *name, struct err *err)
{
	AUTOFREE char *path = getenv("PATH") ? mem_strdup(getenv("PATH")) : NULL;

	if (!path || strchr(name, '/'))
		return true;
	for (char *dir, *rest = path; (dir = strsep(&rest, ":"));) {
		AUTOFREE char *file = mem_printf("%s%s%s", dir, *dir ? "/" : "", name);

		if (!access(file, X_OK))
			return true;
	}
	not_installed(name, err);
	return false;
}

static void begin(const char *const *argv, const char *const *environment, struct child_captured *c)
{
	char out_path[64], words_path[64];
	struct child_spec spec = { .argv = argv, .environment = environment, .stdout_path = out_path, .stderr_path = words_path };

	*c = (struct child_captured){ .name = argv[0], .out = -1, .words = -1 };
	/* no saves a process that would only find that out */
	if (!environment && !child_is_installed(argv[0], &c->err)) {
		c->pid = -1;
		return;
	}
	c->out = text_file(out_path);
	c->words = text_file(words_path);
	c->pid = c->out < 0 ? err_sys(&c->err, ERR_FAULT, errno, "cannot run '%s'", argv[0]) : child_spawn(&spec, &c->err);
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
