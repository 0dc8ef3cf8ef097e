// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen.h"

#define OPTIONS_MAX 96
#define NO_LETTER 256 /* from here on getopt_long's values are numbers of rows */
#define HELP_INDENT 26
#define SAY_HEAD "iobench: "
#define SAY_INDENT 4 /* of the lines behind the first */

const struct option_row options_db[] = {
	{ "db", "FILE", "the database; else $IOBENCH_DB, else ./iobench.db", 0, false, false },
	{ 0 },
};

static const struct option_row help_row = { "help", NULL, "this text", 'h', false, false };

void say(const char *fmt, ...)
{
	AUTOSTR struct str text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	print_wrapped(stderr, SAY_HEAD, str_text(&text), SAY_INDENT, screen_width(stderr));
}

const struct option_row *option_at(const struct command *c, size_t i)
{
	for (size_t g = 0; g < COMMAND_GROUPS && c->groups[g]; g++)
		for (const struct option_row *r = c->groups[g]; r->name; r++)
			if (!i--)
				return r;
	return i == 0 ? &help_row : NULL;
}

/* The option that getopt_long means; --help for what it cannot mean. */
static const struct option_row *option_of(const struct command *c, int got)
{
	const struct option_row *row = got >= NO_LETTER ? option_at(c, (size_t)(got - NO_LETTER)) : NULL;

	for (size_t i = 0; !row && option_at(c, i); i++)
		if (option_at(c, i)->letter == got)
			row = option_at(c, i);
	return row ? row : &help_row;
}

static void print_help_text(const char *prefix, const char *text, size_t indent)
{
	print_wrapped(stdout, prefix, text, indent, prose_width(stdout));
}

static void print_option(const struct option_row *r)
{
	AUTOSTR struct str head = { 0 };

	if (r->letter)
		str_addf(&head, "  -%c, --%s", r->letter, r->name);
	else
		str_addf(&head, "      --%s", r->name);
	if (r->argument)
		str_addf(&head, r->may_lack_argument ? "[=%s]" : " %s", r->argument);
	if (head.len + 2 > HELP_INDENT) {
		puts(str_text(&head));
		str_clear(&head);
	}
	str_pad(&head, ' ', HELP_INDENT - head.len);
	print_help_text(str_text(&head), r->help, HELP_INDENT);
}

void print_help(const struct command *c)
{
	AUTOFREE char *operands = mem_printf("[OPTION]...%s%s", c->operands ? " " : "", c->operands ? c->operands : "");
	AUTOFREE char *usage = mem_printf("usage: iobench %s ", c->name);

	print_help_text(usage, operands, strlen(usage));
	putchar('\n');
	print_help_text("", c->summary, 0);
	putchar('\n');
	for (size_t i = 0; option_at(c, i); i++)
		print_option(option_at(c, i));
	if (c->about) {
		putchar('\n');
		print_help_text("", c->about, 0);
	}
}

static int unknown_option(const struct command *c, const char *typed, struct err *err)
{
	const char *names[OPTIONS_MAX], *nearest, *word = typed + strspn(typed, "-");
	AUTOFREE char *name = mem_strndup(word, strcspn(word, "="));
	size_t n = 0;

	for (; option_at(c, n); n++)
		names[n] = option_at(c, n)->name;
	nearest = str_nearest(name, names, n);
	if (nearest)
		return err_set(err, ERR_USAGE, "unknown option '%s' (did you mean '--%s'? 'iobench %s --help' lists them)",
			       typed, nearest, c->name);
	return err_set(err, ERR_USAGE, "unknown option '%s' ('iobench %s --help' lists them)", typed, c->name);
}

/* What getopt_long refuses; 'optopt' tells which it is. 'typed' is the word that it read last. */
static int bad_option(const struct command *c, const char *typed, struct err *err)
{
	if (optopt >= NO_LETTER)
		return err_set(err, ERR_USAGE, "option '--%s' takes no argument", option_of(c, optopt)->name);
	/* of a letter in "-xyz", the word is not yet behind us */
	return unknown_option(c, optopt ? (char[]){ '-', (char)optopt, '\0' } : typed, err);
}

static int add_value(const struct option_row *row, struct options *opt, const char *value, struct err *err)
{
	struct option_value *v;

	if (!row->repeats && option_given(opt, row->name))
		return err_set(err, ERR_USAGE, "--%s is given twice", row->name);
	v = vec_push(&opt->given);
	v->row = row;
	v->value = mem_strdup(value ? value : "");
	return 0;
}

const struct option_row *option_find(const struct command *c, const char *name, struct err *err)
{
	for (size_t i = 0; option_at(c, i) != &help_row; i++)
		if (!strcmp(option_at(c, i)->name, name))
			return option_at(c, i);
	unknown_option(c, name, err);
	return NULL;
}

int option_add(const struct command *c, struct options *opt, const char *name, const char *value, struct err *err)
{
	const struct option_row *row = option_find(c, name, err);

	return row ? add_value(row, opt, value, err) : -1;
}

void options_copy(const struct options *from, struct options *to)
{
	*to = (struct options){ .typed = mem_strdup(from->typed) };
	for (size_t i = 0; i < from->given.n; i++) {
		const struct option_value *v = &from->given.items[i];

		*vec_push(&to->given) = (struct option_value){ v->row, mem_strdup(v->value), v->preset };
	}
	for (size_t i = 0; i < from->operands.n; i++)
		strings_add(&to->operands, from->operands.items[i]);
}

/* The row of "--name" or "--name=value"; '*value' becomes what is behind the '=', NULL without one. */
static const struct option_row *row_of_word(const struct command *c, const char *word, const char **value)
{
	size_t len = strcspn(word, "=");

	*value = word[len] ? word + len + 1 : NULL;
	for (size_t i = 0; str_starts(word, "--") && option_at(c, i); i++)
		if (strlen(option_at(c, i)->name) == len - 2 && !strncmp(option_at(c, i)->name, word + 2, len - 2))
			return option_at(c, i);
	return NULL;
}

int options_preset(const struct command *c, struct options *opt, const char *text, struct err *err)
{
	AUTOFREE char *own = mem_strdup(text);

	for (char *save = NULL, *word = strtok_r(own, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
		const char *value;
		const struct option_row *row = row_of_word(c, word, &value);

		if (!row || row == &help_row)
			return unknown_option(c, word, err);
		if (!value && row->argument && !row->may_lack_argument)
			value = strtok_r(NULL, " \t\n", &save);
		if (!value && row->argument && !row->may_lack_argument)
			return err_set(err, ERR_USAGE, "option '%s' wants an argument", word);
		if (option_typed(opt, row->name))
			continue;
		if (add_value(row, opt, value, err))
			return -1;
		opt->given.items[opt->given.n - 1].preset = true;
	}
	return 0;
}

int options_parse(const struct command *c, int argc, char **argv, struct options *out, struct err *err)
{
	struct option table[OPTIONS_MAX + 1] = { 0 };
	AUTOSTR struct str letters = { 0 }, typed = { 0 };
	int got;

	str_add(&typed, "iobench");
	for (int i = 0; i < argc; i++)
		str_addf(&typed, " %s", argv[i]);
	out->typed = str_steal(&typed);
	str_add(&letters, ":");
	for (size_t i = 0; option_at(c, i); i++) {
		const struct option_row *r = option_at(c, i);

		table[i].name = r->name;
		table[i].has_arg = !r->argument ? no_argument : r->may_lack_argument ? optional_argument : required_argument;
		table[i].val = NO_LETTER + (int)i;
		if (r->letter)
			str_addf(&letters, "%c%s", r->letter, r->argument ? ":" : "");
	}
	opterr = 0;
	optind = 0; /* starts anew, behind argv[0], the name of the command */
	while ((got = getopt_long(argc, argv, str_text(&letters), table, NULL)) >= 0) {
		const struct option_row *row = option_of(c, got);

		if (got == ':')
			return err_set(err, ERR_USAGE, "option '%s' wants an argument", argv[optind - 1]);
		if (got == '?')
			return bad_option(c, argv[optind - 1], err);
		if (row == &help_row) {
			print_help(c);
			return 1;
		}
		if (add_value(row, out, optarg, err))
			return -1;
	}
	for (int i = optind; i < argc; i++)
		strings_add(&out->operands, argv[i]);
	if (out->operands.n && !c->operands) {
		for (size_t i = 0; i < out->given.n; i++)
			if (out->given.items[i].row->may_lack_argument && !*out->given.items[i].value)
				return err_set(err, ERR_USAGE, "'%s' takes no operand '%s' (did you mean '--%s=%s'?)",
					       c->name, out->operands.items[0], out->given.items[i].row->name,
					       out->operands.items[0]);
		return err_set(err, ERR_USAGE, "'%s' takes no operand '%s' ('iobench %s --help' lists its options)",
			       c->name, out->operands.items[0], c->name);
	}
	return 0;
}

void options_release(struct options *opt)
{
	for (size_t i = 0; i < opt->given.n; i++)
		free(opt->given.items[i].value);
	vec_free(&opt->given);
	strings_release(&opt->operands);
	free(opt->typed);
}

const char *option(const struct options *opt, const char *name)
{
	for (size_t i = opt->given.n; i--;)
		if (!strcmp(opt->given.items[i].row->name, name))
			return opt->given.items[i].value;
	return NULL;
}

bool option_typed(const struct options *opt, const char *name)
{
	for (size_t i = 0; i < opt->given.n; i++)
		if (!opt->given.items[i].preset && !strcmp(opt->given.items[i].row->name, name))
			return true;
	return false;
}

bool option_given(const struct options *opt, const char *name)
{
	return option(opt, name);
}

const char *option_db(const struct options *opt)
{
	const char *path = option(opt, "db");

	if (!path)
		path = getenv("IOBENCH_DB");
	return path && *path ? path : "iobench.db";
}

struct store *open_database(const struct options *opt, enum store_mode mode, struct err *err)
{
	struct store *s = store_open(option_db(opt), mode, err);

	if (!s && err && err->errnum == ENOENT)
		err_set(err, ERR_NEEDS, "there is no database '%s': 'iobench sweep' or 'iobench import' makes one, --db or "
					"$IOBENCH_DB names another", option_db(opt));
	return s;
}
