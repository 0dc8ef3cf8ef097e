// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/workload.h"

#define SUFFIX ".ini"
#define COMMON "all"
#define LINE_MAX_BYTES 198 /* INI_MAX_LINE is 200, with the newline and the end of the string */
#define NAME_MAX_BYTES 48  /* of sections; INI_MAX_SECTION is 50, a longer one is cut without a word */

bool plan_file_is_of_call(const char *option)
{
	static const char *const names[] = { "plan", "save-plan", "dry-run", "budget" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(option, names[i]))
			return true;
	return false;
}

/* ---- where plans are ---- */

static bool has_suffix(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

static bool is_path(const char *name_or_path)
{
	return strchr(name_or_path, '/') || has_suffix(name_or_path);
}

void plan_file_list(strings_t *names)
{
	workload_names((const char *const[]){ SUFFIX }, 1, names);
}

char *plan_file_path(const char *name_or_path)
{
	AUTOSTRINGS strings_t folders = { 0 };

	if (is_path(name_or_path))
		return access(name_or_path, F_OK) ? NULL : mem_strdup(name_or_path);
	workload_folders(&folders);
	for (size_t i = 0; *name_or_path && i < folders.n; i++) {
		char *path = mem_printf("%s/%s" SUFFIX, folders.items[i], name_or_path);

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

static int not_there(const char *name, struct err *err)
{
	AUTOSTRINGS strings_t names = { 0 };
	AUTOSTR struct str list = { 0 };

	if (is_path(name) && access(name, F_OK))
		return err_sys(err, ERR_USAGE, errno, "cannot open plan '%s'", name);
	plan_file_list(&names);
	for (size_t i = 0; i < names.n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", names.items[i]);
	return err_set(err, ERR_USAGE, "no plan '%s' (%s%s; or give the path of a file)", name,
		       names.n ? "there are: " : "none comes with this program", str_text(&list));
}

/* ---- values in quotes ---- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

/* The character that the text behind a '\' stands for; moves to its end. */
static char unescape(const char **at)
{
	const char *p = (*at)++;

	if (*p == 'x' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
		*at = p + 3;
		return (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
	}
	return *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
}

/* NULL if it is in quotes that are not closed, or closed before its end. */
static char *unquote(const char *text)
{
	struct str out = { 0 };
	const char *at = text + 1;

	if (*text != '"')
		return mem_strdup(text);
	while (*at && *at != '"') {
		char c = *at++;

		if (c == '\\' && *at)
			c = unescape(&at);
		str_addn(&out, &c, 1);
	}
	if (*at == '"' && !at[1])
		return out.len ? str_steal(&out) : mem_strdup("");
	str_release(&out);
	return NULL;
}

static bool needs_quotes(const char *value)
{
	size_t len = strlen(value);

	if (!len)
		return false;
	if (len > LINE_MAX_BYTES / 2 || strchr(" \t\";", *value) || strchr(" \t\\", value[len - 1]))
		return true;
	for (const char *p = value; *p; p++)
		if (iscntrl((unsigned char)*p) || (*p == ' ' && p[1] == ';'))
			return true;
	return false;
}

/* One character of a value in quotes. A blank at the start of a line would be lost. */
static void quote_char(char c, bool starts_line, struct str *out)
{
	if (iscntrl((unsigned char)c) || (starts_line && c == ' '))
		str_addf(out, "\\x%02x", (unsigned char)c);
	else
		str_addf(out, strchr("\"\\;#", c) ? "\\%c" : "%c", c);
}

static void add_value(const char *value, struct str *out)
{
	size_t line;

	if (!needs_quotes(value)) {
		str_add(out, value);
		return;
	}
	str_add(out, "\"");
	line = out->len;
	for (; *value; value++) {
		bool starts_line = out->len - line > LINE_MAX_BYTES / 2;

		if (starts_line) {
			str_add(out, "\\\n\t");
			line = out->len;
		}
		quote_char(*value, starts_line, out);
	}
	str_add(out, "\"");
}

/* ---- reading ---- */

struct reading {
	const struct command *command;
	struct plan_file *plan;
	struct err *err;
	bool bad;
};

static struct plan_section *find_section(const struct plan_file *p, const char *name)
{
	for (size_t i = 1; i < p->sections.n; i++)
		if (!strcmp(p->sections.items[i].name, name))
			return &p->sections.items[i];
	return NULL;
}

static bool says(const struct plan_section *s, const char *option)
{
	for (size_t i = 0; i < s->entries.n; i++)
		if (!strcmp(s->entries.items[i].row->name, option))
			return true;
	return false;
}

/* Does it end in a '\' that is not itself behind one? */
static bool goes_on(const char *value)
{
	size_t len = strlen(value), n = 0;

	while (n < len && value[len - 1 - n] == '\\')
		n++;
	return n % 2;
}

/* The value is whole now: what does it stand for? */
static int close_entry(struct plan_entry *e, struct err *err)
{
	AUTOFREE char *given = e->value;
	bool yes_no;

	e->open = false;
	e->value = unquote(given);
	if (!e->value)
		return err_set(err, ERR_USAGE, "the quotes of '%s' are not closed at its end (in them, write \\; and \\\")",
			       e->row->name);
	yes_no = !strcmp(e->value, "yes") || !strcmp(e->value, "no");
	if (!e->row->argument && !yes_no)
		return err_set(err, ERR_USAGE, "'%s' is yes or no, not '%s'", e->row->name, e->value);
	if (yes_no && (!e->row->argument || e->row->may_lack_argument)) {
		e->no = *e->value == 'n';
		*e->value = '\0';
	}
	return 0;
}

static int check_key(const struct reading *r, const struct plan_section *s, const struct option_row *row)
{
	bool common = s == &r->plan->sections.items[0];

	if (plan_file_is_of_call(row->name) && !(common && !strcmp(row->name, "budget")))
		return err_set(r->err, ERR_USAGE,
			       strcmp(row->name, "budget") ? "'%s' belongs on the command line"
							   : "'%s' is for all sweeps together: it belongs to [" COMMON "]",
			       row->name);
	if (!row->repeats && says(s, row->name))
		return err_set(r->err, ERR_USAGE, "'%s' is given twice (a value goes on in the next line behind a '\\')",
			       row->name);
	return 0;
}

static int add_entry(const struct reading *r, struct plan_section *s, const char *name, const char *value)
{
	struct plan_entry *last = s->entries.n ? &s->entries.items[s->entries.n - 1] : NULL;
	const struct option_row *row = option_find(r->command, name, r->err);

	if (!row)
		return -1;
	if (last && last->open && last->row != row)
		return err_set(r->err, ERR_USAGE, "'%s' before it does not go on here", last->row->name);
	if (last && last->open) {
		char *longer = mem_printf("%.*s%s", (int)strlen(last->value) - 1, last->value, value);

		free(last->value);
		last->value = longer;
	} else {
		if (check_key(r, s, row))
			return -1;
		last = vec_push(&s->entries);
		*last = (struct plan_entry){ .row = row, .value = mem_strdup(value) };
	}
	last->open = goes_on(last->value);
	return last->open ? 0 : close_entry(last, r->err);
}

/* 1: go on; 0: ini_parse_string gives the number of the line. */
static int on_value(void *arg, const char *section, const char *name, const char *value)
{
	struct reading *r = arg;
	struct plan_section *s = !*section || !strcmp(section, COMMON) ? &r->plan->sections.items[0]
								       : find_section(r->plan, section);

	if (r->bad)
		return 1; /* the first fault is told */
	if (!s)
		r->bad = err_set(r->err, ERR_USAGE, "the section '%s' must begin its line", section);
	else
		r->bad = add_entry(r, s, name, value);
	return !r->bad;
}

/* inih tells nothing of a section without a key, which is a sweep all the same, and takes two of a name for one. */
static int find_sections(const char *text, struct plan_file *p, struct err *err)
{
	AUTOSTRINGS strings_t lines = { 0 };

	vec_push(&p->sections)->name = mem_strdup(COMMON);
	for (size_t line = 1; *text; text += strcspn(text, "\n"), text += *text == '\n', line++) {
		size_t len = strcspn(text, "\n"), head = *text == '[' ? strcspn(text, "]\n") : 0;
		AUTOFREE char *name = head ? mem_strndup(text + 1, head - 1) : NULL;

		if (len > LINE_MAX_BYTES)
			return err_set(err, ERR_USAGE, "line %zu is longer than %d characters: end it with a '\\' and go on in "
						       "the next", line, LINE_MAX_BYTES);
		if (!name || !strcmp(name, COMMON))
			continue;
		if (!*name || strlen(name) > NAME_MAX_BYTES || find_section(p, name))
			return err_set(err, ERR_USAGE, "line %zu: section '%s' %s", line, name,
				       find_section(p, name) ? "is there twice" : "needs a name of 1 to 48 characters");
		vec_push(&p->sections)->name = mem_strdup(name);
	}
	return 0;
}

static int parse(const struct command *c, const char *text, struct plan_file *p, struct err *err)
{
	struct err why = { 0 };
	struct reading r = { .command = c, .plan = p, .err = &why };
	int line;

	if (find_sections(text, p, &why))
		return err_set(err, ERR_USAGE, "plan '%s', %s", p->path, why.msg);
	line = ini_parse_string(text, on_value, &r);
	if (line)
		return err_set(err, ERR_USAGE, "plan '%s', line %d: %s", p->path, line, r.bad ? why.msg : "is no 'name = value'");
	for (size_t i = 0; i < p->sections.n; i++)
		for (size_t k = 0; k < p->sections.items[i].entries.n; k++)
			if (p->sections.items[i].entries.items[k].open)
				return err_set(err, ERR_USAGE, "plan '%s': '%s' in [%s] does not go on behind its '\\'", p->path,
					       p->sections.items[i].entries.items[k].row->name, p->sections.items[i].name);
	/* a plan without sections is one sweep, named as the file */
	if (p->sections.n == 1)
		vec_push(&p->sections)->name = mem_strdup(p->name);
	return 0;
}

int plan_file_load(const struct command *c, const char *name_or_path, struct plan_file *out, struct err *err)
{
	AUTOSTR struct str text = { 0 };
	AUTOFREE char *path = plan_file_path(name_or_path), *copy = mem_strdup(path);
	char *name;

	*out = (struct plan_file){ 0 };
	if (!path)
		return not_there(name_or_path, err);
	if (file_slurp(path, &text, err)) {
		err->kind = ERR_USAGE;
		return -1;
	}
	name = basename(copy);
	if (has_suffix(name))
		name[strlen(name) - strlen(SUFFIX)] = '\0';
	out->name = mem_strdup(name);
	out->path = mem_strdup(path);
	if (!parse(c, str_text(&text), out, err))
		return 0;
	plan_file_release(out);
	return -1;
}

void plan_file_release(struct plan_file *p)
{
	for (size_t i = 0; i < p->sections.n; i++) {
		struct plan_section *s = &p->sections.items[i];

		for (size_t k = 0; k < s->entries.n; k++)
			free(s->entries.items[k].value);
		vec_free(&s->entries);
		free(s->name);
	}
	vec_free(&p->sections);
	free(p->name);
	free(p->path);
	*p = (struct plan_file){ 0 };
}

bool plan_file_says(const struct plan_file *p, size_t i, const char *option)
{
	return says(&p->sections.items[i], option);
}

const char *plan_file_common(const struct plan_file *p, const char *option)
{
	const struct plan_section *s = &p->sections.items[0];

	for (size_t i = 0; i < s->entries.n; i++)
		if (!strcmp(s->entries.items[i].row->name, option) && !s->entries.items[i].no)
			return s->entries.items[i].value;
	return NULL;
}

static void add_option(struct options *out, const struct option_row *row, const char *value)
{
	*vec_push(&out->given) = (struct option_value){ .row = row, .value = mem_strdup(value) };
}

/* The entries that nobody nearer has said. */
static void add_section(const struct plan_section *s, const struct options *typed, const struct plan_section *nearer,
			struct options *out)
{
	for (size_t i = 0; i < s->entries.n; i++) {
		const struct plan_entry *e = &s->entries.items[i];

		if (!e->no && !option_given(typed, e->row->name) && !(nearer && says(nearer, e->row->name)) &&
		    !plan_file_is_of_call(e->row->name))
			add_option(out, e->row, e->value);
	}
}

void plan_file_options(const struct plan_file *p, size_t i, const struct options *typed, struct options *out)
{
	const struct plan_section *s = &p->sections.items[i];

	*out = (struct options){ .typed = mem_strdup(typed->typed) };
	for (size_t k = 0; k < typed->given.n; k++)
		if (!plan_file_is_of_call(typed->given.items[k].row->name))
			add_option(out, typed->given.items[k].row, typed->given.items[k].value);
	add_section(s, typed, NULL, out);
	add_section(&p->sections.items[0], typed, s, out);
}

/* ---- writing ---- */

/* Does the option say the same in both? */
static bool same_values(const struct options *a, const struct options *b, const char *option)
{
	size_t k = 0;

	for (size_t i = 0; i < a->given.n; i++) {
		if (strcmp(a->given.items[i].row->name, option) != 0)
			continue;
		while (k < b->given.n && strcmp(b->given.items[k].row->name, option) != 0)
			k++;
		if (k == b->given.n || strcmp(a->given.items[i].value, b->given.items[k].value) != 0)
			return false;
		k++;
	}
	for (; k < b->given.n; k++)
		if (!strcmp(b->given.items[k].row->name, option))
			return false;
	return true;
}

/* Is it said by all, and so in [all]? */
static bool is_common(const struct options *sweeps, size_t n, const char *option)
{
	for (size_t i = 1; i < n; i++)
		if (!same_values(&sweeps[0], &sweeps[i], option))
			return false;
	return n > 1 && option_given(&sweeps[0], option);
}

static void add_key(const char *name, const char *value, struct str *out)
{
	str_addf(out, "%s = ", name);
	add_value(value, out);
	str_add(out, "\n");
}

static void add_keys(const struct options *sweeps, size_t n, const struct options *of, bool common, const char *section,
		     struct str *out)
{
	for (size_t i = 0; i < of->given.n; i++) {
		const struct option_value *v = &of->given.items[i];
		bool flag = !v->row->argument || (v->row->may_lack_argument && !*v->value);
		bool is_name = !strcmp(v->row->name, "name") && section && !strcmp(v->value, section);

		if (is_common(sweeps, n, v->row->name) == common && !is_name && !plan_file_is_of_call(v->row->name))
			add_key(v->row->name, flag ? "yes" : v->value, out);
	}
}

/* Can the sweep's name be that of its section? */
static bool names_section(const char *name, const strings_t *taken)
{
	bool good = *name && strlen(name) <= NAME_MAX_BYTES && strcmp(name, COMMON) != 0 && !strings_has(taken, name);

	for (const char *p = name; *p; p++)
		good &= isalnum((unsigned char)*p) || strchr("-_.+", *p);
	return good;
}

static void add_sweep(const struct options *sweeps, size_t n, size_t i, strings_t *taken, struct str *out)
{
	const char *name = option(&sweeps[i], "name"), *job = option(&sweeps[i], "job");
	AUTOFREE char *number = mem_printf("sweep-%zu", i + 1);

	if (!name)
		name = job ? job : "patterns";
	if (!names_section(name, taken))
		name = number;
	strings_add(taken, name);
	str_addf(out, "\n[%s]\n", name);
	add_keys(sweeps, n, &sweeps[i], false, name, out);
}

int plan_file_save(const char *path, const struct options *sweeps, size_t n, const char *budget, struct err *err)
{
	AUTOSTRINGS strings_t taken = { 0 };
	AUTOSTR struct str text = { 0 };
	AUTOCLOSE int fd = -1;

	str_add(&text, "# run it by: iobench sweep --plan THIS-FILE\n");
	if (budget || n > 1)
		str_add(&text, "[" COMMON "]\n");
	if (budget)
		add_key("budget", budget, &text);
	if (n > 1)
		add_keys(sweeps, n, &sweeps[0], true, NULL, &text);
	for (size_t i = 0; i < n; i++)
		add_sweep(sweeps, n, i, &taken, &text);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == EEXIST ? err_set(err, ERR_USAGE, "'%s' is there already: a plan overwrites no file", path)
				       : err_sys(err, ERR_FAULT, errno, "cannot create '%s'", path);
	if (write(fd, text.s, text.len) != (ssize_t)text.len)
		return err_sys(err, ERR_FAULT, errno, "cannot write '%s'", path);
	return 0;
}
