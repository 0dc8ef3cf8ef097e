// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"
#include "vdisk/replay.h"
#include "vdisk/serve.h"

struct arguments {
	const char *model, *serve, *profile, *print;
	const char *backing;
	uint64_t bytes; /* 0: the profile's */
	uint64_t depth;
	bool each, discard, list, help;
};

static const struct option longs[] = {
	{ "model", required_argument, NULL, 'm' },   { "serve", required_argument, NULL, 's' },
	{ "profile", required_argument, NULL, 'p' }, { "size", required_argument, NULL, 'S' },
	{ "backing", required_argument, NULL, 'b' }, { "depth", required_argument, NULL, 'd' },
	{ "each", no_argument, NULL, 'e' },	     { "discard", no_argument, NULL, 'D' },
	{ "profiles", no_argument, NULL, 'l' },	     { "print", required_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },	     { "version", no_argument, NULL, 'V' },
	{ 0 },
};

static void print_usage(FILE *to)
{
	fputs("usage: iobench-vdisk --model PROFILE [--size S] [--depth N] [--each] < TRACE\n"
	      "       iobench-vdisk --serve DIR --profile PROFILE [--size S] [--backing DIR|memory] [--discard]\n"
	      "       iobench-vdisk --profiles | --print PROFILE\n\n"
	      "A simulated disk. 'iobench vdisk create' makes a block device of one.\n\n"
	      "--model runs a trace in virtual time and prints what came of it. A line of the trace is\n"
	      "'read|write OFFSET LENGTH [AT]' or 'flush [AT]'; without AT a command is given as soon as fewer\n"
	      "than --depth (1) are under way; with --each every command is printed: operation, offset, length,\n"
	      "arrival and latency in microseconds.\n"
	      "--serve mounts a file system on DIR with the disk as the file 'simulated-disk', until it is\n"
	      "unmounted; the data are kept in a file without a name in DIR (/var/tmp), or in memory.\n"
	      "PROFILE is a name of --profiles, or a file.ini; --print shows one, to make your own from.\n",
	      to);
}

static int take_option(int got, struct arguments *a, struct err *err)
{
	switch (got) {
	case 'm': a->model = optarg; return 0;
	case 's': a->serve = optarg; return 0;
	case 'p': a->profile = optarg; return 0;
	case 'b': a->backing = optarg; return 0;
	case 'P': a->print = optarg; return 0;
	case 'e': return a->each = true, 0;
	case 'D': return a->discard = true, 0;
	case 'l': return a->list = true, 0;
	case 'h': return a->help = true, 0;
	case 'S':
		if (units_parse_size(optarg, &a->bytes, err))
			return -1;
		if (a->bytes < 1 << 20 || a->bytes % 4096)
			return err_set(err, ERR_USAGE, "--size '%s' is not a multiple of 4096 from 1M on", optarg);
		return 0;
	case 'd':
		if (units_parse_count(optarg, &a->depth, err))
			return -1;
		return a->depth && a->depth < 1000000
			       ? 0
			       : err_set(err, ERR_USAGE, "--depth '%s' is not from 1 to 999999", optarg);
	default:
		return err_set(err, ERR_USAGE,
			       "unknown option, or one without its argument ('iobench-vdisk --help' lists them)");
	}
}

static int run_model(const struct arguments *a, struct err *err)
{
	struct replay replay = { .depth = (unsigned)a->depth, .each = a->each ? stdout : NULL };
	AUTOSTR struct str text = { 0 };
	struct profile profile;
	struct model m;
	int bad;

	if (profile_load(a->model, &profile, err))
		return -1;
	model_init(&m, &profile, a->bytes);
	bad = replay_run(&m, stdin, &replay, err);
	if (!bad && !a->each) {
		replay_print(&replay, &text);
		counters_print(&m.count, &m.geometry, &text);
		fputs(str_text(&text), stdout);
	}
	model_release(&m);
	return bad;
}

/* Whoever started us waits for this line, and then wants its terminal back. */
static void say_ready(void)
{
	int null;

	puts("ready");
	fflush(stdout);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

static int run_serve(const struct arguments *a, struct err *err)
{
	struct profile profile;
	struct serve_options opt = { .mountpoint = a->serve,
				     .backing = a->backing ? a->backing : "/var/tmp",
				     .discard = a->discard,
				     .ready = say_ready };

	if (!a->profile)
		return err_set(err, ERR_USAGE, "--serve needs --profile");
	if (profile_load(a->profile, &profile, err))
		return -1;
	if (access("/dev/fuse", R_OK | W_OK))
		return err_sys(err, ERR_NEEDS, errno,
			       "'/dev/fuse' cannot be used (the module fuse may not be loaded)");
	opt.bytes = a->bytes ? a->bytes : profile.size_bytes / 4096 * 4096;
	signal(SIGPIPE, SIG_IGN);
	return serve_run(&profile, &opt, err);
}

static int print_profile(const char *name, struct err *err)
{
	struct profile p;

	for (const struct profile_text *t = profile_texts; t->name; t++)
		if (!strcmp(t->name, name))
			return fputs(t->text, stdout) < 0;
	return profile_load(name, &p, err) ? -1 : err_set(err, ERR_USAGE, "'%s' is a file already", name);
}

/* The first line of a profile that says what it is. */
static void list_profiles(void)
{
	for (const struct profile_text *t = profile_texts; t->name; t++) {
		const char *line = strchr(t->text, '\n') + 1;

		line += strspn(line, "; ");
		printf("%-10s %.*s\n", t->name, (int)strcspn(line, "\n"), line);
	}
}

int main(int argc, char **argv)
{
	struct arguments a = { .depth = 1 };
	struct err err = { 0 };
	int got, bad = 0;

	while (!bad && (got = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		if (got == 'V') {
			puts("iobench-vdisk " IOBENCH_VERSION);
			return 0;
		}
		bad = take_option(got, &a, &err);
	}
	if (!bad && (optind < argc || !(!!a.model + !!a.serve + !!a.print + a.list + a.help == 1)))
		bad = err_set(&err, ERR_USAGE,
			      "one of --model, --serve, --profiles, --print is wanted, and no operands");
	if (!bad && a.help)
		print_usage(stdout);
	else if (!bad && a.list)
		list_profiles();
	else if (!bad)
		bad = a.print ? print_profile(a.print, &err) : a.model ? run_model(&a, &err) : run_serve(&a, &err);
	if (!bad)
		return fflush(stdout) ? 1 : 0;
	fprintf(stderr, "iobench-vdisk: %s\n", err.msg);
	return err.kind;
}
