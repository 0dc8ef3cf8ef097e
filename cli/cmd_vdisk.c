// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "common/units.h"
#include "runner/simdisk.h"
#include "vdisk/fault.h"

static const struct option_row options_vdisk[] = {
	{ "profile", "NAME|FILE", "create: what disk, a name of 'iobench-vdisk --profiles' or a file.ini "
				  "(default: hd103sj)", 'p', false, false },
	{ "size", "SIZE", "create: (default: that of the profile); space is used for what is written only", 0, false,
	  false },
	{ "backing", "WHERE", "create: a directory for a file that holds the data, or 'memory' "
			      "(default: /var/tmp)", 0, false, false },
	{ "discard", NULL, "create: the disk can discard; else discards do nothing", 0, false, false },
	{ "tags", "N", "create: so many requests the loop device takes at a time, 4 to 128 (default: 128)", 0, false,
	  false },
	{ "all", NULL, "remove: every simulated disk, also what dead ones left", 'a', false, false },
	{ 0 },
};

/* iobench-vdisk lies beside this program, in the build tree and where it is installed. */
static char *find_program(struct err *err)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash, *path;

	if (n < 0) {
		err_sys(err, ERR_FAULT, errno, "cannot find this program");
		return NULL;
	}
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	path = mem_printf("%.*s/iobench-vdisk", (int)(slash - exe), exe);
	if (!access(path, X_OK))
		return path;
	err_sys(err, ERR_NEEDS, errno, "the simulator '%s' cannot be started", path);
	free(path);
	return NULL;
}

/* Of "hd103sj" itself, of "../my disk.ini" just "mydisk": it names a directory. */
static char *name_of_profile(const char *profile)
{
	const char *base = strrchr(profile, '/');
	AUTOSTR struct str name = { 0 };

	base = base ? base + 1 : profile;
	for (const char *c = base; *c && strcmp(c, ".ini") != 0; c++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
			str_addn(&name, c, 1);
	return name.len ? str_steal(&name) : mem_strdup("disk");
}

static int create(const struct options *opt, struct err *err)
{
	const char *profile = option_given(opt, "profile") ? option(opt, "profile") : "hd103sj";
	AUTOFREE char *program = NULL, *name = name_of_profile(profile), *node = NULL;
	VEC(const char *) arguments = { 0 };
	static const char *const passed[] = { "size", "backing" };
	uint64_t tags = 0;
	int bad;

	if (option_given(opt, "tags") && units_parse_count(option(opt, "tags"), &tags, err))
		return err_context(err, "--tags");
	if (option_given(opt, "tags") && (tags < 4 || tags > 128))
		return err_set(err, ERR_USAGE,
			       "--tags '%s' is not from 4 to 128: fewer the loop driver does not have",
			       option(opt, "tags"));
	program = find_program(err);
	if (!program)
		return -1;
	*vec_push(&arguments) = "--profile";
	*vec_push(&arguments) = profile;
	for (size_t i = 0; i < ARRAY_LEN(passed); i++)
		if (option_given(opt, passed[i])) {
			*vec_push(&arguments) = i ? "--backing" : "--size";
			*vec_push(&arguments) = option(opt, passed[i]);
		}
	if (option_given(opt, "discard"))
		*vec_push(&arguments) = "--discard";
	*vec_push(&arguments) = NULL;
	bad = simdisk_create(&(struct simdisk_request){ program, name, arguments.items, (unsigned)tags }, &node, err);
	vec_free(&arguments);
	if (bad)
		return -1;
	puts(node);
	say("%s is a simulated disk, profile '%s'; remove it with: iobench vdisk remove %s", node, profile,
	    node + strlen("/dev/"));
	return 0;
}

static const char *size_of(const struct simdisk *d, char out[UNITS_TEXT])
{
	const char *bytes = d->description ? strstr(d->description, " bytes=") : NULL;

	if (!bytes)
		return "dead: 'iobench vdisk remove' takes away what is left of it";
	return units_format_size(out, strtoull(bytes + strlen(" bytes="), NULL, 10));
}

static int list(const simdisks_t *disks)
{
	for (size_t i = 0; i < disks->n; i++) {
		const struct simdisk *d = &disks->items[i];
		char size[UNITS_TEXT];

		printf("%s%s  %s  %s\n", d->loop ? "/dev/" : "", d->loop ? d->loop : "-", d->name, size_of(d, size));
	}
	return 0;
}

static int missing(const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE, "there is no simulated disk '%s' ('iobench vdisk list' shows them)", what);
}

static int show(const simdisks_t *disks, const char *what, struct err *err)
{
	const struct simdisk *d = simdisk_find(disks, what);
	AUTOSTR struct str status = { 0 };

	if (!d)
		return missing(what, err);
	if (!d->description)
		return err_set(err, ERR_NEEDS, "simulated disk '%s' is dead", d->name);
	if (simdisk_status(d, &status, err))
		return -1;
	printf("simulated disk %s\ndevice %s%s\n%s\n%s", d->name, d->loop ? "/dev/" : "", d->loop ? d->loop : "none",
	       d->description, str_text(&status));
	return 0;
}

static int fault(const simdisks_t *disks, const char *what, const char *spec, struct err *err)
{
	const struct simdisk *d = simdisk_find(disks, what);
	struct fault f;

	/* the simulator can only say that it is wrong, not what */
	if (fault_parse(spec, &f, err))
		return -1;
	return d ? simdisk_fault(d, spec, err) : missing(what, err);
}

/* Goes on after one that cannot be removed, and ends with its error. */
static int remove_all(const simdisks_t *disks, struct err *err)
{
	int bad = 0;

	for (size_t i = 0; i < disks->n; i++) {
		struct err why = { 0 };

		if (!simdisk_remove(&disks->items[i], &why))
			continue;
		if (bad)
			say("%s", err->msg);
		*err = why;
		bad = -1;
	}
	return bad;
}

static int remove_named(const simdisks_t *disks, const strings_t *operands, struct err *err)
{
	for (size_t i = 1; i < operands->n; i++)
		if (!simdisk_find(disks, operands->items[i]))
			return missing(operands->items[i], err);
	for (size_t i = 1; i < operands->n; i++)
		if (simdisk_remove(simdisk_find(disks, operands->items[i]), err))
			return -1;
	return 0;
}

/* Exactly the operands that the verb takes, itself included. */
static int check_operands(const struct options *opt, struct err *err)
{
	static const struct {
		const char *verb, *operands;
		size_t least, most;
	} verbs[] = {
		{ "create", "", 1, 1 }, { "list", "", 1, 1 }, { "show", " DISK", 2, 2 },
		{ "fault", " DISK FAULT", 3, 3 },
		{ "remove", " DISK... or --all", 1, SIZE_MAX },
	};
	const char *verb = opt->operands.n ? opt->operands.items[0] : "";

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (!strcmp(verbs[i].verb, verb)) {
			if (opt->operands.n >= verbs[i].least && opt->operands.n <= verbs[i].most &&
			    (strcmp(verb, "remove") || option_given(opt, "all") == (opt->operands.n == 1)))
				return 0;
			return err_set(err, ERR_USAGE, "write: iobench vdisk %s%s", verb, verbs[i].operands);
		}
	return err_set(err, ERR_USAGE, "'vdisk' needs one of create, list, show, fault, remove%s%s%s", *verb ? ", not '" : "", verb,
		       *verb ? "'" : "");
}

static int run(const struct options *opt, struct err *err)
{
	simdisks_t disks = { 0 };
	const char *verb;
	int bad;

	if (check_operands(opt, err))
		return -1;
	verb = opt->operands.items[0];
	if (!strcmp(verb, "create"))
		return create(opt, err);
	bad = simdisk_list(&disks, err);
	if (!bad && !strcmp(verb, "list"))
		bad = list(&disks);
	else if (!bad && !strcmp(verb, "show"))
		bad = show(&disks, opt->operands.items[1], err);
	else if (!bad && !strcmp(verb, "fault"))
		bad = fault(&disks, opt->operands.items[1], opt->operands.items[2], err);
	else if (!bad)
		bad = option_given(opt, "all") ? remove_all(&disks, err) : remove_named(&disks, &opt->operands, err);
	simdisks_release(&disks);
	return bad;
}

const struct command cmd_vdisk = {
	.name = "vdisk",
	.summary = "simulated disks that seek and turn, for machines without one",
	.operands = "create|list|show|fault|remove [DISK]... [FAULT]",
	.about = "create makes a loop device, prints its name, and leaves it there until it is removed. A DISK is "
		 "its name in 'list', or its loop device.\n"
		 "A FAULT is eio, slow, stuck, hang, gone or clear, with what it is about: "
		 "eio:from=1M:to=2M:p=0.1:op=read, slow:from=0:to=4k:time=200ms, hang:time=5s; clear ends them all.",
	.groups = { options_vdisk },
	.run = run,
};
