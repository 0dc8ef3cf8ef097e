// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/workload.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *const suffixes[] = { ".fio", ".scenario" };

void workload_folders(strings_t *out)
{
	const char *own = getenv("IOBENCH_JOBS");
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (own && *own)
		strings_add(out, own);
	if (n > 0) {
		exe[n] = '\0';
		*vec_push(out) = mem_printf("%s/jobs", dirname(exe));
	}
	strings_add(out, IOBENCH_DATADIR "/jobs");
}

/* Where one of the suffixes begins in the name; NULL for other files. */
static const char *suffix_of(const char *name, const char *const *ends, size_t n)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (len > strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return name + len - strlen(ends[i]);
	return NULL;
}

void workload_names(const char *const *ends, size_t n, strings_t *names)
{
	AUTOSTRINGS strings_t folders = { 0 };

	workload_folders(&folders);
	for (size_t i = 0; i < folders.n; i++) {
		DIR *dir = opendir(folders.items[i]);
		struct dirent *e;

		while (dir && (e = readdir(dir))) {
			const char *suffix = suffix_of(e->d_name, ends, n);
			AUTOFREE char *name = suffix ? mem_strndup(e->d_name, (size_t)(suffix - e->d_name)) : NULL;

			if (name && !strings_has(names, name))
				strings_add(names, name);
		}
		if (dir)
			closedir(dir);
	}
	strings_sort(names);
}

void workload_list(strings_t *names)
{
	workload_names(suffixes, ARRAY_LEN(suffixes), names);
}

#define PRESETS "iobench:"

/*
 * The comment lines at the start: what fio itself takes for comments, '#' and ';'. SPDX tags are for lawyers, PRESETS
 * for us.
 */
static void read_comment(const char *text, struct workload *w)
{
	struct str question = { 0 }, presets = { 0 };

	while (*text == '#' || *text == ';') {
		const char *start = text + strspn(text, "#; \t"), *end = start + strcspn(start, "\n");

		if (str_starts(start, PRESETS)) {
			start += strlen(PRESETS);
			str_addn(&presets, start, (size_t)(end - start));
		} else if (!str_starts(start, "SPDX-")) {
			if (question.len)
				str_add(&question, "\n");
			str_addn(&question, start, (size_t)(end - start));
		}
		text = *end ? end + 1 : end;
	}
	w->question = str_steal(&question);
	w->presets = str_steal(&presets);
}

void workload_from_text(const char *name, const char *text, struct workload *out)
{
	*out = (struct workload){ .name = mem_strdup(name), .text = mem_strdup(text) };
	read_comment(text, out);
	hash_text(out->hash, text, strlen(text));
}

static int load_path(const char *path, struct workload *out, struct err *err)
{
	AUTOFREE char *copy = mem_strdup(path);
	AUTOSTR struct str text = { 0 };
	const char *suffix;
	char *name;

	if (file_slurp(path, &text, err)) {
		if (err)
			err->kind = ERR_USAGE;
		return -1;
	}
	name = basename(copy);
	suffix = suffix_of(name, suffixes, ARRAY_LEN(suffixes));
	if (suffix)
		name[suffix - name] = '\0';
	workload_from_text(name, str_text(&text), out);
	out->path = mem_strdup(path);
	return 0;
}

int workload_load(const char *name_or_path, struct workload *out, struct err *err)
{
	AUTOSTRINGS strings_t folders = { 0 }, names = { 0 };
	AUTOSTR struct str list = { 0 };

	if (strchr(name_or_path, '/') || suffix_of(name_or_path, suffixes, ARRAY_LEN(suffixes)))
		return load_path(name_or_path, out, err);
	workload_folders(&folders);
	for (size_t i = 0; *name_or_path && i < folders.n * ARRAY_LEN(suffixes); i++) {
		AUTOFREE char *path = mem_printf("%s/%s%s", folders.items[i / ARRAY_LEN(suffixes)], name_or_path,
						 suffixes[i % ARRAY_LEN(suffixes)]);

		if (!access(path, R_OK))
			return load_path(path, out, err);
	}
	workload_list(&names);
	for (size_t i = 0; i < names.n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", names.items[i]);
	return err_set(err, ERR_USAGE, "no workload '%s' (%s%s; or give the path of a job file)", name_or_path,
		       names.n ? "there are: " : "there are none in $IOBENCH_JOBS, beside the program or installed",
		       str_text(&list));
}

void workload_release(struct workload *w)
{
	free(w->name);
	free(w->path);
	free(w->text);
	free(w->question);
	free(w->presets);
	*w = (struct workload){ 0 };
}

/* fio leaves out what is behind a '#' or ';', anywhere in a line; and our opening comments speak of variables too. */
static bool in_comment(const char *text, const char *at)
{
	for (; at > text && at[-1] != '\n'; at--)
		if (at[-1] == '#' || at[-1] == ';')
			return true;
	return false;
}

bool workload_uses(const struct workload *w, const char *variable)
{
	AUTOFREE char *use = mem_printf("${%s}", variable);

	for (const char *at = w->text; (at = strstr(at, use)); at++)
		if (!in_comment(w->text, at))
			return true;
	return false;
}

void workload_environment(const struct plan *p, const struct cell *c, const char *dev, uint64_t randseed,
			  strings_t *out)
{
	*vec_push(out) = mem_printf("DEV=%s", dev);
	*vec_push(out) = mem_printf("RANDSEED=%" PRIu64, randseed);
	for (int i = 0; i < AXIS_N; i++) {
		const struct axis_point *at = plan_at(p, c, i);

		if (!at || !axes[i].variable)
			continue;
		if (axes[i].kind == AXIS_DURATION_NS)
			*vec_push(out) = mem_printf("%s=%" PRIu64 "ms", axes[i].variable, at->number / 1000000);
		else
			*vec_push(out) = mem_printf("%s=%s", axes[i].variable, at->text);
	}
}

/* fio's options that say what files a job works on; those of which one name is the start of another's are one. */
static const char *const file_options[] = { "filename", "directory", "opendir", "filename_format", "read_iolog",
					    "replay_redirect", "include", "name", "section" };

static bool is_file_option(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(file_options); i++)
		if (len == strlen(file_options[i]) && !strncmp(name, file_options[i], len))
			return true;
	return false;
}

/* A section that has begun, and whether something in it or before it says ${DEV}. */
struct section {
	char *name;
	bool global, has_dev, global_has_dev, makes_files;
};

static int end_section(const struct section *s, struct err *err)
{
	return !s->name || s->global || s->has_dev || s->global_has_dev
		       ? 0
		       : err_set(err, ERR_USAGE, "section [%s] of the job file has no filename=${DEV}: it would work on files "
						 "of its own making", s->name);
}

/* Does the line say where to work, and is that what was offered? */
static bool is_offered(const char *line, size_t len, const char *value, bool makes_files)
{
	static const char *const made[] = { "${DIR}", "${SCRATCH}" };
	bool names_file = len == strlen("filename") && str_starts(line, "filename");
	bool names_folder = len == strlen("directory") && str_starts(line, "directory");

	if (names_file && !strcmp(value, "${DEV}"))
		return true;
	for (size_t i = 0; makes_files && (names_file || names_folder) && i < ARRAY_LEN(made); i++)
		if (str_starts(value, made[i]) && (!value[strlen(made[i])] || value[strlen(made[i])] == '/') &&
		    !strstr(value, ".."))
			return true;
	return false;
}

static int check_line(struct section *s, char *line, struct err *err)
{
	size_t len = strcspn(line, "= \t");
	char *value = line + len + strspn(line + len, " \t=");

	if (*line == '[') {
		if (end_section(s, err))
			return -1;
		free(s->name);
		s->name = mem_strndup(line + 1, strcspn(line + 1, "]"));
		s->global = !strcmp(s->name, "global");
		s->has_dev = false;
		return 0;
	}
	if (is_offered(line, len, value, s->makes_files)) {
		s->has_dev = true;
		s->global_has_dev |= s->global;
		return 0;
	}
	if (is_file_option(line, len))
		return err_set(err, ERR_USAGE, "'%s' in the job file: a job may work on filename=${DEV} and on nothing else",
			       line);
	return 0;
}

int workload_check_job(const char *text, bool makes_files, struct err *err)
{
	AUTOSTRINGS strings_t lines = { 0 };
	struct section s = { .makes_files = makes_files };
	int bad = 0;

	str_split(text, '\n', &lines);
	for (size_t i = 0; !bad && i < lines.n; i++) {
		char *line = str_trim(lines.items[i]);

		/* fio takes a comment behind a value off as well */
		if (*line != '#' && *line != ';') {
			line[strcspn(line, "#;")] = '\0';
			bad = check_line(&s, str_trim(line), err);
		}
	}
	if (!bad)
		bad = end_section(&s, err);
	free(s.name);
	return bad;
}

int workload_check_option(const char *option, struct err *err)
{
	const char *name = option + strspn(option, "-");
	size_t len = strcspn(name, "=");

	if (*option != '-')
		return err_set(err, ERR_USAGE, "--fio-arg '%s' is no option (write --fio-arg=--NAME=VALUE)", option);
	for (size_t i = 0; i < ARRAY_LEN(file_options); i++)
		/* getopt takes an option by any start of its name */
		if (len && len <= strlen(file_options[i]) && !strncmp(name, file_options[i], len))
			return err_set(err, ERR_USAGE, "--fio-arg '%s': what is measured is said by --dev or --dir", option);
	return 0;
}

char *workload_escape_path(const char *path)
{
	struct str out = { 0 };

	for (; *path; path++) {
		if (*path == ':') /* nothing else: fio takes every other backslash for a part of the name */
			str_add(&out, "\\");
		str_addn(&out, path, 1);
	}
	return str_steal(&out);
}

size_t workload_count_devices(const struct plan *p, const struct cell *c, const strings_t *paths)
{
	const struct axis_point *devices = plan_at(p, c, AXIS_DEVICES);

	return devices && devices->number < paths->n ? (size_t)devices->number : paths->n;
}

char *workload_devices(const struct plan *p, const struct cell *c, const strings_t *paths)
{
	size_t n = workload_count_devices(p, c, paths);
	struct str out = { 0 };

	for (size_t i = 0; i < n; i++)
		str_addf(&out, "%s%s", i ? ":" : "", paths->items[i]);
	return str_steal(&out);
}
