// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/scenario.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define COMMON "scenario"
#define FIO "fio"
#define FIO_PARSER "fio-json"
#define ACTORS_MAX 60 /* the guard has 64 places */
#define WEIGHT_MAX 1000 /* of blkio.bfq.weight, the narrowest that there are */

struct reading {
	struct scenario *scenario;
	struct err *err;
	bool bad;
};

bool scenario_is(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n'), line += !!line)
		if (str_starts(line, "[" COMMON "]"))
			return true;
	return false;
}

/* ---- the values ---- */

static void add_words(const char *text, char sep, strings_t *out)
{
	AUTOSTRINGS strings_t words = { 0 };

	str_split(text, sep, &words);
	for (size_t i = 0; i < words.n; i++) {
		char *word = str_trim(words.items[i]);

		if (*word)
			strings_add(out, word);
	}
}

static int set_text(char **to, const char *value)
{
	free(*to);
	*to = mem_strdup(value);
	return 0;
}

static int set_flag(bool *to, const char *value, struct err *err)
{
	*to = !strcmp(value, "yes");
	return *to || !strcmp(value, "no") ? 0 : err_set(err, ERR_USAGE, "'%s' is neither yes nor no", value);
}

static int set_role(struct actor *a, const char *value, struct err *err)
{
	a->role = !strcmp(value, "background") ? ACTOR_BACKGROUND : ACTOR_FOREGROUND;
	if (a->role == ACTOR_BACKGROUND || !strcmp(value, "foreground"))
		return 0;
	return err_set(err, ERR_USAGE, "'%s' is neither foreground nor background", value);
}

static int set_weight(struct actor *a, const char *value, struct err *err)
{
	uint64_t n;

	if (units_parse_count(value, &n, err))
		return -1;
	if (!n || n > WEIGHT_MAX)
		return err_set(err, ERR_USAGE, "a weight of %s is not between 1 and %d", value, WEIGHT_MAX);
	a->weight = (unsigned)n;
	return 0;
}

static int set_delay(struct actor *a, const char *value, struct err *err)
{
	uint64_t ns;

	if (!strchr(value, '$') && units_parse_duration(value, &ns, err))
		return -1;
	return set_text(&a->delay, value);
}

static const char *const fs_types[] = { "ext2", "ext3", "ext4", "xfs", "btrfs" };

static int set_fs(struct scenario *s, const char *value, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(fs_types); i++)
		if (!strcmp(value, fs_types[i]))
			return set_text(&s->fs, value);
	return err_set(err, ERR_USAGE, "unknown file system '%s' (there are ext2, ext3, ext4, xfs, btrfs)", value);
}

static int set_prefill(struct scenario *s, const char *value, struct err *err)
{
	if (!*value || strchr(value, '/') || *value == '.')
		return err_set(err, ERR_USAGE, "'%s' is no name for a file in ${DIR}", value);
	return set_text(&s->prefill, value);
}

/* inih tells of a value that goes on in indented lines once for each. */
static void add_job_line(struct actor *a, const char *value)
{
	char *longer = mem_printf("%s%s%s", a->job ? a->job : "", value, *value ? "\n" : "");

	free(a->job);
	a->job = longer;
}

static int set_common(struct scenario *s, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "fs"))
		return set_fs(s, value, err);
	if (!strcmp(name, "prefill"))
		return set_prefill(s, value, err);
	if (!strcmp(name, "space"))
		return units_parse_size(value, &s->space_bytes, err);
	if (!strcmp(name, "needs") || !strcmp(name, "metrics")) {
		add_words(value, ',', *name == 'n' ? &s->needs : &s->metrics);
		return 0;
	}
	return err_set(err, ERR_USAGE, "unknown key '%s' in [" COMMON "] (there are fs, prefill, space, needs, metrics)",
		       name);
}

static int set_of_actor(struct actor *a, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "job"))
		add_job_line(a, value);
	else if (!strcmp(name, "program"))
		add_words(value, ' ', &a->program);
	else if (!strcmp(name, "metrics"))
		add_words(value, ',', &a->metrics);
	else if (!strcmp(name, "parser"))
		return set_text(&a->parser, value);
	else if (!strcmp(name, "role"))
		return set_role(a, value, err);
	else if (!strcmp(name, "delay"))
		return set_delay(a, value, err);
	else if (!strcmp(name, "weight"))
		return set_weight(a, value, err);
	else if (!strcmp(name, "timed"))
		return set_flag(&a->timed, value, err);
	else if (!strcmp(name, "per_device"))
		return set_flag(&a->per_device, value, err);
	else
		return err_set(err, ERR_USAGE,
			       "unknown key '%s' of an actor (there are job, program, parser, role, delay, weight, timed, "
			       "per_device, metrics)",
			       name);
	return 0;
}

/* Its name becomes that of files and of a control group. */
static bool good_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len && len < 40 && !name[len] && strcmp(name, "global") != 0 && strcmp(name, "all") != 0;
}

static struct actor *actor_named(struct scenario *s, const char *name)
{
	for (size_t i = 0; i < s->actors.n; i++)
		if (!strcmp(s->actors.items[i].name, name))
			return &s->actors.items[i];
	*vec_push(&s->actors) = (struct actor){ .name = mem_strdup(name) };
	return &s->actors.items[s->actors.n - 1];
}

/* 1: go on; 0: ini_parse_string gives the number of the line. */
static int on_value(void *arg, const char *section, const char *name, const char *value)
{
	struct reading *r = arg;

	if (r->bad)
		return 1; /* the first fault is told */
	if (!*section)
		r->bad = err_set(r->err, ERR_USAGE, "'%s' stands before the first section", name);
	else if (!strcmp(section, COMMON))
		r->bad = set_common(r->scenario, name, value, r->err);
	else if (!good_name(section))
		r->bad = err_set(r->err, ERR_USAGE, "'%s' is no name for an actor (letters, digits, '-' and '_')", section);
	else
		r->bad = set_of_actor(actor_named(r->scenario, section), name, value, r->err);
	return !r->bad;
}

/* ---- the whole ---- */

/* The value of "name=" in the options of a job, NULL if it has none. The caller frees. */
static char *job_value(const char *job, const char *name)
{
	AUTOFREE char *copy = mem_strdup(job);
	char *found = NULL;

	for (char *save = NULL, *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *equals = strchr(line, '=');

		if (!equals || strchr("#;[", *line))
			continue;
		*equals = '\0';
		if (!strcmp(str_trim(line), name)) {
			free(found);
			found = mem_strdup(str_trim(equals + 1));
		}
	}
	return found;
}

static bool has_target(const char *job)
{
	AUTOFREE char *file = job_value(job, "filename"), *directory = job_value(job, "directory");

	return file || directory;
}

static int finish_actor(struct actor *a, struct err *err)
{
	AUTOFREE char *options = a->job;

	a->job = NULL;
	if (!options == !a->program.n)
		return err_set(err, ERR_USAGE, options ? "actor '%s' has a job and a program"
						       : "actor '%s' has neither a job nor a program", a->name);
	if (a->timed && a->role == ACTOR_BACKGROUND)
		return err_set(err, ERR_USAGE, "actor '%s' is in the background: there is no end to time", a->name);
	if (!options)
		return a->per_device ? err_set(err, ERR_USAGE, "actor '%s' has no job: per_device is for one", a->name) : 0;
	if (a->parser)
		return err_set(err, ERR_USAGE, "actor '%s' is a fio job: it has a parser", a->name);
	set_text(&a->parser, FIO_PARSER);
	if (a->per_device && has_target(options))
		return err_set(err, ERR_USAGE, "actor '%s' has per_device and names its files itself", a->name);
	if (a->per_device)
		a->job = mem_strdup(options);
	else
		a->job = mem_printf("[global]\n%sallow_file_create=%d\n[%s]\n%s", options, strstr(options, "${SCRATCH}") != NULL,
				    a->name, has_target(options) ? "" : "filename=${DEV}\n");
	return 0;
}

static void need(struct scenario *s, const char *program)
{
	if (!strings_has(&s->needs, program))
		strings_add(&s->needs, program);
}

static int finish(struct scenario *s, struct err *err)
{
	bool foreground = false;

	if (s->actors.n > ACTORS_MAX)
		return err_set(err, ERR_USAGE, "%zu actors are more than %d", s->actors.n, ACTORS_MAX);
	for (size_t i = 0; i < s->actors.n; i++) {
		struct actor *a = &s->actors.items[i];

		if (finish_actor(a, err))
			return -1;
		foreground |= a->role == ACTOR_FOREGROUND;
		need(s, a->job ? FIO : a->program.items[0]);
	}
	if (s->fs) {
		AUTOFREE char *mkfs = mem_printf("mkfs.%s", s->fs);

		need(s, mkfs);
	}
	if (s->prefill && !s->fs)
		return err_set(err, ERR_USAGE, "'prefill' is of a file system, and there is no 'fs'");
	return foreground ? 0 : err_set(err, ERR_USAGE, "no actor is in the foreground: the run would not end");
}

int scenario_parse(const struct workload *w, struct scenario *out, struct err *err)
{
	struct err why = { 0 };
	struct reading r = { .scenario = out, .err = &why };
	int line;

	*out = (struct scenario){ .plain = !scenario_is(w->text) };
	if (out->plain) {
		*vec_push(&out->actors) = (struct actor){ .name = mem_strdup(FIO),
							  .job = mem_strdup(w->text),
							  .parser = mem_strdup(FIO_PARSER) };
		return 0;
	}
	line = ini_parse_string(w->text, on_value, &r);
	if (line) {
		err_set(err, ERR_USAGE, "workload '%s', line %d: %s", w->name, line,
			r.bad ? why.msg : "is no 'name = value', or longer than 200 characters");
	} else if (finish(out, &why)) {
		err_set(err, ERR_USAGE, "workload '%s': %s", w->name, why.msg);
	} else {
		return 0;
	}
	scenario_release(out);
	return -1;
}

static void actor_release(struct actor *a)
{
	free(a->name);
	free(a->job);
	free(a->parser);
	free(a->delay);
	strings_release(&a->program);
	strings_release(&a->metrics);
}

void scenario_release(struct scenario *s)
{
	for (size_t i = 0; i < s->actors.n; i++)
		actor_release(&s->actors.items[i]);
	vec_free(&s->actors);
	free(s->fs);
	free(s->prefill);
	strings_release(&s->needs);
	strings_release(&s->metrics);
	*s = (struct scenario){ 0 };
}

bool scenario_is_timed(const struct scenario *s)
{
	for (size_t i = 0; i < s->actors.n; i++)
		if (s->actors.items[i].timed)
			return true;
	return false;
}

int scenario_set_command(struct scenario *s, const char *command, struct err *err)
{
	for (size_t i = 0; i < s->actors.n; i++) {
		struct actor *a = &s->actors.items[i];

		if (!a->timed)
			continue;
		free(a->job);
		free(a->parser);
		a->job = a->parser = NULL;
		strings_release(&a->program);
		add_words(command, ' ', &a->program);
		if (!a->program.n)
			return err_set(err, ERR_USAGE, "the command is empty");
		need(s, a->program.items[0]);
		return 0;
	}
	return err_set(err, ERR_USAGE, "the workload has no actor that is timed");
}

/* ---- in a run ---- */

bool actor_writes(const struct actor *a, const struct plan *p, const struct cell *cell)
{
	AUTOFREE char *rw = NULL;
	const axis_points_t *patterns = &p->axes[AXIS_PATTERN];
	bool writes = false;

	if (!a->job) {
		for (size_t i = 0; i < a->program.n; i++)
			writes |= strstr(a->program.items[i], "${DEV}") != NULL;
		return writes;
	}
	rw = job_value(a->job, "rw");
	if (!rw)
		rw = job_value(a->job, "readwrite");
	if (!rw)
		return false; /* fio's default is read */
	if (strcmp(rw, "${RW}"))
		return !pattern_find(rw) || pattern_find(rw)->writes;
	if (cell)
		return plan_at(p, cell, AXIS_PATTERN) && pattern_find(plan_at(p, cell, AXIS_PATTERN)->text)->writes;
	for (size_t i = 0; i < patterns->n; i++)
		writes |= pattern_find(patterns->items[i].text)->writes;
	return writes;
}

char *actor_job(const struct actor *a, const strings_t *paths, size_t n)
{
	struct str text = { 0 };

	if (!a->per_device)
		return mem_strdup(a->job);
	str_addf(&text, "[global]\n%sallow_file_create=0\n", a->job);
	for (size_t i = 0; i < n; i++)
		str_addf(&text, "[%s-%zu]\nfilename=%s\n", a->name, i + 1, paths->items[i]);
	return str_steal(&text);
}

static const char *lookup(const strings_t *environment, const char *name, size_t len)
{
	for (size_t i = 0; i < environment->n; i++)
		if (!strncmp(environment->items[i], name, len) && environment->items[i][len] == '=')
			return environment->items[i] + len + 1;
	return NULL;
}

char *scenario_expand(const char *text, const strings_t *environment)
{
	struct str out = { 0 };

	while (*text) {
		const char *end = str_starts(text, "${") ? strchr(text, '}') : NULL;
		const char *value = end ? lookup(environment, text + 2, (size_t)(end - text) - 2) : NULL;

		if (value)
			str_add(&out, value);
		else
			str_addn(&out, text, 1);
		text = value ? end + 1 : text + 1;
	}
	return str_steal(&out);
}

uint64_t actor_delay_ns(const struct actor *a, const strings_t *environment)
{
	AUTOFREE char *text = a->delay ? scenario_expand(a->delay, environment) : NULL;
	uint64_t ns = 0;

	return text && !units_parse_duration(text, &ns, NULL) ? ns : 0;
}
