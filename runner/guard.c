// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/units.h"

#define MESSAGE_MAX 131072   /* bytes of argv and environment of one child */
#define ANSWER_S 5
#define LOOK_NS NS_PER_S     /* between two looks at outputs that are watched */
#define ARGS_MAX 2048	     /* pointers to them */
#define RUSAGE_BLOCK 512     /* bytes of a block in getrusage(2), whatever the disk */

enum { ASK_BEGIN, ASK_STOP, ASK_END };

struct ask {
	int what;
	unsigned id;
	uint64_t limit_ns, file_max_bytes, output_max_bytes;
	int64_t grace_ns; /* of ASK_STOP */
	bool has_out, has_err, has_cgroup, has_folder;
	unsigned n_argv, n_environment;
	/* behind it: stdout path, stderr path, cgroup, folder, argv, environment, each ended by a NUL */
};

enum { TELL_BEGUN, TELL_ENDED };

struct tell {
	int what;
	struct guard_event event;
	struct err err; /* of TELL_BEGUN; kind ERR_NONE: it runs */
};

struct guard {
	int sock;
	pid_t pid;
	/* ends that were told while we waited for something else */
	struct guard_event ended[GUARD_CHILDREN];
	unsigned n_ended;
};

/* ---- the guard's side: nothing is allocated after the fork ---- */

struct watched {
	pid_t pid; /* 0: free */
	int64_t deadline_ns, kill_ns;
	int64_t look_ns; /* at its outputs; INT64_MAX: never */
	uint64_t output_max_bytes;
	int outputs[2]; /* O_PATH; negative: none */
	bool timed_out;
};

struct guarding {
	struct settings *settings;
	int sock, signals;
	struct watched children[GUARD_CHILDREN];
	unsigned running;
};

static char ask_buffer[sizeof(struct ask) + MESSAGE_MAX];

static void tell(struct guarding *g, const struct tell *t)
{
	/* the runner may be gone: the end of its socket is seen by the loop */
	if (send(g->sock, t, sizeof(*t), MSG_NOSIGNAL) < 0)
		return;
}

static const char *next_string(const char **at, const char *end)
{
	const char *s = *at, *nul = s < end ? memchr(s, '\0', (size_t)(end - s)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? s : "";
}

static int hold(const char *path)
{
	return path ? open(path, O_PATH | O_CLOEXEC) : -1;
}

/* Its outputs may be looked at as long as it runs. */
static void watch_outputs(struct watched *w, const struct child_spec *spec)
{
	w->look_ns = INT64_MAX;
	w->output_max_bytes = spec->output_max_bytes;
	w->outputs[0] = w->outputs[1] = -1;
	if (!spec->output_max_bytes)
		return;
	w->outputs[0] = hold(spec->stdout_path);
	w->outputs[1] = hold(spec->stderr_path);
	w->look_ns = now_monotonic_ns() + LOOK_NS;
}

static bool is_too_long(const struct watched *w)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(w->outputs); i++)
		if (w->outputs[i] >= 0 && !fstat(w->outputs[i], &st) && (uint64_t)st.st_size > w->output_max_bytes)
			return true;
	return false;
}

static void unwatch_outputs(struct watched *w)
{
	for (size_t i = 0; i < ARRAY_LEN(w->outputs); i++)
		if (w->outputs[i] >= 0)
			close(w->outputs[i]);
	w->look_ns = INT64_MAX;
}

static void begin_child(struct guarding *g, const struct ask *a, const char *end)
{
	static const char *strings[ARGS_MAX + 2];
	struct child_spec spec = { .argv = strings, .environment = strings + a->n_argv + 1,
				   .file_max_bytes = a->file_max_bytes, .output_max_bytes = a->output_max_bytes };
	struct tell t = { .what = TELL_BEGUN, .event.id = a->id };
	struct watched *w = &g->children[a->id];
	const char *at = (const char *)(a + 1);
	pid_t pid;

	if (a->has_out)
		spec.stdout_path = next_string(&at, end);
	if (a->has_err)
		spec.stderr_path = next_string(&at, end);
	if (a->has_cgroup)
		spec.cgroup = next_string(&at, end);
	if (a->has_folder)
		spec.folder = next_string(&at, end);
	for (unsigned i = 0; i < a->n_argv; i++)
		strings[i] = next_string(&at, end);
	strings[a->n_argv] = NULL;
	for (unsigned i = 0; i < a->n_environment; i++)
		strings[a->n_argv + 1 + i] = next_string(&at, end);
	strings[a->n_argv + 1 + a->n_environment] = NULL;
	pid = child_spawn(&spec, &t.err);
	if (pid > 0) {
		*w = (struct watched){ .pid = pid, .deadline_ns = INT64_MAX, .kill_ns = INT64_MAX };
		if (a->limit_ns)
			w->deadline_ns = now_monotonic_ns() + (int64_t)a->limit_ns;
		watch_outputs(w, &spec);
		g->running++;
	}
	tell(g, &t);
}

static void stop_child(struct watched *w, int64_t grace_ns)
{
	int64_t kill_ns = now_monotonic_ns() + grace_ns;

	if (!w->pid)
		return;
	if (w->kill_ns != INT64_MAX) { /* asked already: the shorter grace holds */
		w->kill_ns = kill_ns < w->kill_ns ? kill_ns : w->kill_ns;
		return;
	}
	kill(-w->pid, SIGTERM);
	w->kill_ns = kill_ns;
	w->deadline_ns = INT64_MAX;
}

static void reap(struct guarding *g)
{
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
		for (unsigned i = 0; i < GUARD_CHILDREN; i++) {
			struct watched *w = &g->children[i];
			struct tell t = { .what = TELL_ENDED,
					  .event = { .id = i,
						     .status = status,
						     .timed_out = w->timed_out,
						     .read_bytes = (uint64_t)used.ru_inblock * RUSAGE_BLOCK,
						     .write_bytes = (uint64_t)used.ru_oublock * RUSAGE_BLOCK,
						     .user_us = (uint64_t)used.ru_utime.tv_sec * 1000000 +
								(uint64_t)used.ru_utime.tv_usec } };

			if (w->pid != pid)
				continue;
			w->pid = 0;
			unwatch_outputs(w);
			if (!--g->running)
				t.event.leftover = child_kill_all();
			tell(g, &t);
		}
	}
}

/* Act on deadlines; the nearest one that is left, INT64_MAX if none. */
static int64_t check_deadlines(struct guarding *g)
{
	int64_t now = now_monotonic_ns(), nearest = INT64_MAX;

	for (unsigned i = 0; i < GUARD_CHILDREN; i++) {
		struct watched *w = &g->children[i];

		if (!w->pid)
			continue;
		if (now >= w->kill_ns) {
			kill(w->pid, SIGKILL);
			w->kill_ns = INT64_MAX - 1;
		} else if (now >= w->deadline_ns) {
			w->timed_out = true;
			stop_child(w, GUARD_GRACE_NS);
		}
		if (now >= w->look_ns) {
			w->look_ns = now + LOOK_NS;
			if (is_too_long(w))
				stop_child(w, 0);
		}
		if (w->look_ns < nearest)
			nearest = w->look_ns;
		if (w->deadline_ns < nearest)
			nearest = w->deadline_ns;
		if (w->kill_ns < nearest)
			nearest = w->kill_ns;
	}
	return nearest;
}

static void runner_is_gone(struct guarding *g)
{
	static const char loud[] = "iobench: the sweep died and its settings could not all be put back; "
				   "type: iobench restore\n";

	child_kill_all();
	/* the journal stays when something could not be put back: restore and the next sweep name it */
	if (settings_restore(g->settings, NULL) && write(STDERR_FILENO, loud, sizeof(loud) - 1) < 0)
		_exit(ERR_RESTORE);
	_exit(0);
}

static void serve(struct guarding *g)
{
	ssize_t len = recv(g->sock, ask_buffer, sizeof(ask_buffer), 0);
	const struct ask *a = (const struct ask *)(const void *)ask_buffer;

	if (len < 0 && errno == EINTR)
		return;
	if (len < (ssize_t)sizeof(*a))
		runner_is_gone(g);
	switch (a->what) {
	case ASK_BEGIN:
		begin_child(g, a, ask_buffer + len);
		break;
	case ASK_STOP:
		for (unsigned i = 0; i < GUARD_CHILDREN; i++)
			if (a->id == i || a->id == GUARD_CHILDREN)
				stop_child(&g->children[i], a->grace_ns);
		break;
	default:
		child_kill_all();
		_exit(0);
	}
}

static void guard_main(struct guarding *g)
{
	struct signalfd_siginfo info;
	sigset_t mask;

	/* a session of its own: ^C and a closed terminal are the runner's affair */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "iobench-guard");
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGCHLD)
			signal(sig, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	g->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd p[] = { { .fd = g->sock, .events = POLLIN }, { .fd = g->signals, .events = POLLIN } };
		int64_t nearest = check_deadlines(g), left = nearest - now_monotonic_ns();
		struct timespec ts = { .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };

		if (left <= 0)
			continue;
		if (ppoll(p, ARRAY_LEN(p), nearest >= INT64_MAX - 1 ? NULL : &ts, NULL) < 0)
			continue;
		if (p[1].revents) {
			while (read(g->signals, &info, sizeof(info)) > 0)
				;
			reap(g);
		}
		if (p[0].revents)
			serve(g);
	}
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close everything but stderr and the 'n' descriptors of 'keep', which get sorted. */
static void close_all_but(int *keep, size_t n)
{
	unsigned from = STDERR_FILENO + 1;

	qsort(keep, n, sizeof(*keep), compare_ints);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	close_range(from, UINT_MAX, 0);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
}

struct guard *guard_start(struct settings *settings, const int *keep, size_t n_keep, struct err *err)
{
	struct guard *g;
	int pair[2];
	pid_t pid;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err_sys(err, ERR_FAULT, errno, "cannot start the guard process");
		return NULL;
	}
	pid = fork();
	if (!pid) {
		static struct guarding guarding;
		int *all = mem_alloc(n_keep + 1, sizeof(int));

		memcpy(all, keep, n_keep * sizeof(int));
		all[n_keep] = pair[1];
		close_all_but(all, n_keep + 1);
		guarding.settings = settings;
		guarding.sock = pair[1];
		guard_main(&guarding);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		err_sys(err, ERR_FAULT, errno, "cannot start the guard process");
		return NULL;
	}
	/* a guard that does not answer for so long is as good as dead */
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = ANSWER_S }, sizeof(struct timeval));
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_sec = ANSWER_S }, sizeof(struct timeval));
	g = mem_alloc(1, sizeof(*g));
	g->sock = pair[0];
	g->pid = pid;
	return g;
}

/* ---- the runner's side ---- */

void guard_kill(struct guard *g)
{
	kill(g->pid, SIGKILL);
}

static int guard_is_gone(struct err *err)
{
	return err_set(err, ERR_FAULT, "the guard process was killed");
}

static void add_string(struct str *m, const char *s)
{
	str_addn(m, s, strlen(s) + 1);
}

static unsigned add_strings(struct str *m, const char *const *list)
{
	unsigned n = 0;

	for (; list && list[n]; n++)
		add_string(m, list[n]);
	return n;
}

int guard_begin(struct guard *g, unsigned id, const struct child_spec *spec, struct err *err)
{
	AUTOSTR struct str m = { 0 };
	struct ask a = { .what = ASK_BEGIN, .id = id, .limit_ns = spec->limit_ns, .has_out = spec->stdout_path,
			 .has_err = spec->stderr_path, .has_cgroup = spec->cgroup,
			 .file_max_bytes = spec->file_max_bytes, .output_max_bytes = spec->output_max_bytes,
			 .has_folder = spec->folder };
	struct tell t;
	ssize_t len;

	str_addn(&m, (const char *)&a, sizeof(a));
	if (spec->stdout_path)
		add_string(&m, spec->stdout_path);
	if (spec->stderr_path)
		add_string(&m, spec->stderr_path);
	if (spec->cgroup)
		add_string(&m, spec->cgroup);
	if (spec->folder)
		add_string(&m, spec->folder);
	a.n_argv = add_strings(&m, spec->argv);
	a.n_environment = add_strings(&m, spec->environment);
	if (m.len > sizeof(ask_buffer) || a.n_argv + a.n_environment > ARGS_MAX - 2)
		return err_set(err, ERR_USAGE, "the command line of '%s' is too long", spec->argv[0]);
	memcpy(m.s, &a, sizeof(a));
	if (send(g->sock, m.s, m.len, MSG_NOSIGNAL) < 0)
		return guard_is_gone(err);
	for (;;) {
		do
			len = recv(g->sock, &t, sizeof(t), 0);
		while (len < 0 && errno == EINTR);
		if (len != (ssize_t)sizeof(t)) {
			guard_kill(g); /* it may only have been stopped, and must not come back to life */
			return guard_is_gone(err);
		}
		if (t.what == TELL_BEGUN)
			break;
		g->ended[g->n_ended++] = t.event;
	}
	if (t.err.kind == ERR_NONE)
		return 0;
	if (err)
		*err = t.err;
	return -1;
}

int guard_wait(struct guard *g, int64_t timeout_ns, struct guard_event *event, struct err *err)
{
	struct timespec ts = { .tv_sec = timeout_ns / NS_PER_S, .tv_nsec = timeout_ns % NS_PER_S };
	struct pollfd p = { .fd = g->sock, .events = POLLIN };
	struct tell t;
	sigset_t none;

	if (g->n_ended) {
		*event = g->ended[--g->n_ended];
		return 1;
	}
	sigemptyset(&none);
	if (ppoll(&p, 1, timeout_ns < 0 ? NULL : &ts, &none) <= 0)
		return 0;
	if (recv(g->sock, &t, sizeof(t), 0) != (ssize_t)sizeof(t))
		return guard_is_gone(err);
	*event = t.event;
	return 1;
}

void guard_stop(struct guard *g, unsigned id, int64_t grace_ns)
{
	struct ask a = { .what = ASK_STOP, .id = id, .grace_ns = grace_ns };

	/* one that is gone is noticed by the guard_wait that follows */
	if (send(g->sock, &a, sizeof(a), MSG_NOSIGNAL) < 0)
		return;
}

void guard_end(struct guard *g)
{
	struct ask a = { .what = ASK_END };
	char nothing;

	if (!g)
		return;
	/* its end of the socket closes when it has gone; one that was stopped is made to go */
	if (send(g->sock, &a, sizeof(a), MSG_NOSIGNAL) < 0 || recv(g->sock, &nothing, 1, 0) < 0)
		guard_kill(g);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(g->sock);
	free(g);
}
