// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting programs: what they get, what they cannot change, what cannot be started. */
#include "runner/child.h"

#include "tests/tap.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"

#define MANY 9000 /* more variables than a child may have */

static char dir[] = "/tmp/child.XXXXXX";
static volatile sig_atomic_t caught;

static void note(int sig)
{
	caught = sig;
}

/* What it prints, of a program that is started by child_spawn(). */
static char *output_of(const char *const *argv, const char *const *environment, struct err *err)
{
	AUTOFREE char *path = mem_printf("%s/out", dir);
	const struct child_spec spec = { .argv = argv, .environment = environment, .stdout_path = path };
	struct str text = { 0 };
	pid_t pid = child_spawn(&spec, err);

	if (pid < 0)
		return NULL;
	waitpid(pid, NULL, 0);
	file_slurp(path, &text, NULL);
	return str_steal(&text);
}

static void test_environment(void)
{
	static const char *const argv[] = { "sh", "-c", "echo $CHILD_A $CHILD_B $CHILD_BB; env | grep -c ^CHILD_B=", NULL };
	static const char *const additions[] = { "CHILD_B=new", "CHILD_C=3", NULL };
	AUTOFREE char *plain = NULL, *more = NULL;
	struct err err = { 0 };

	setenv("CHILD_A", "a", 1);
	setenv("CHILD_B", "old", 1);
	setenv("CHILD_BB", "other", 1);
	plain = output_of(argv, NULL, &err);
	is(plain, "a old other\n1\n", "a child has our environment");
	more = output_of(argv, additions, &err);
	is(more, "a new other\n1\n", "an addition replaces what has its name, and only that");
	is(getenv("CHILD_B"), "old", "ours is as it was");
	ok(!getenv("CHILD_C"), "without the additions");
}

/* The PATH that a child gets is also where it is looked for. */
static void test_path(void)
{
	static const char *const argv[] = { "only-there", NULL };
	AUTOFREE char *program = mem_printf("%s/only-there", dir), *path = mem_printf("PATH=%s:%s", dir, getenv("PATH"));
	const char *const environment[] = { path, NULL };
	AUTOFREE char *got = NULL, *none = NULL;
	struct err err = { 0 };
	FILE *f = fopen(program, "w");

	fputs("#!/bin/sh\necho here\n", f);
	fclose(f);
	chmod(program, 0700);
	none = output_of(argv, NULL, &err);
	ok(!none && err.kind == ERR_NEEDS && strstr(err.msg, "'only-there' is not installed"), "what is not in PATH: %s", err.msg);
	got = output_of(argv, environment, &err);
	is(got, "here\n", "what is in the PATH of the additions");
	chmod(program, 0600);
	err = (struct err){ 0 };
	ok(!output_of(argv, environment, &err) && strstr(err.msg, "Permission denied"), "what must not be executed: %s", err.msg);
	ok(waitpid(-1, NULL, WNOHANG) < 0, "what could not be executed is no process any more");
	ok(child_is_installed("sh", NULL) && !child_is_installed("only-there", &err), "is it installed?");
}

/* Our handlers are not the child's, and what we block it does not. */
static void test_signals(void)
{
	static const char *const argv[] = { "sh", "-c", "kill -TERM $$; echo still here", NULL };
	struct sigaction action = { .sa_handler = note };
	AUTOFREE char *got = NULL;
	struct err err = { 0 };
	sigset_t set, now;

	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	got = output_of(argv, NULL, &err);
	is(got, "", "a child ends by a signal that we catch and block");
	ok(!caught, "and our handler knows nothing of it");
	sigprocmask(SIG_SETMASK, NULL, &now);
	ok(sigismember(&now, SIGTERM) && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGINT), "our mask is as it was");
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static void test_too_long(void)
{
	static const char *const argv[] = { "true", NULL };
	static const char *const additions[] = { "CHILD_C=3", NULL };
	struct err err = { 0 };

	for (int i = 0; i < MANY; i++) {
		AUTOFREE char *name = mem_printf("CHILD_%d", i);

		setenv(name, "", 1);
	}
	ok(!output_of(argv, additions, &err) && err.kind == ERR_NEEDS && strstr(err.msg, "cannot start 'true'"),
	   "more variables than there is room for are an error: %s", err.msg);
	for (int i = 0; i < MANY; i++) {
		AUTOFREE char *name = mem_printf("CHILD_%d", i);

		unsetenv(name);
	}
}

static void unlink_all(void)
{
	AUTOFREE char *out = mem_printf("%s/out", dir), *program = mem_printf("%s/only-there", dir);

	unlink(out);
	unlink(program);
	rmdir(dir);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_environment();
	test_path();
	test_signals();
	test_too_long();
	unlink_all();
	return tap_done();
}
