// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/udev_rules.h"

#include <dirent.h>
#include <fnmatch.h>
#include <string.h>

#include "common/file.h"

/* udev(7); /lib is the same as /usr/lib on most systems, and then hidden by it */
static const char *const udev_dirs[] = { "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
					 "/usr/lib/udev/rules.d", "/lib/udev/rules.d" };

static int is_rules_file(const struct dirent *entry)
{
	return !fnmatch("*.rules", entry->d_name, 0);
}

/* Does 'name' fit one of udev's patterns "sd*|nvme*" (not ended by NUL but by 'len')? */
static bool fits(const char *patterns, size_t len, const char *name)
{
	AUTOFREE char *copy = mem_strndup(patterns, len);

	for (char *save = NULL, *p = strtok_r(copy, "|", &save); p; p = strtok_r(NULL, "|", &save))
		if (!fnmatch(p, name, 0))
			return true;
	return false;
}

/* Where the key KEY==" or KEY!=" has its value; NULL if the line does not match by it. */
static const char *match_of(const char *line, const char *key, bool *negated)
{
	const char *p = strstr(line, key);

	if (!p)
		return NULL;
	p += strlen(key);
	if (!str_starts(p, "==\"") && !str_starts(p, "!=\""))
		return NULL;
	*negated = *p == '!';
	return p + 3;
}

/* By the two keys that rules for schedulers use; what else they ask for is taken to be so. */
static bool may_match(const char *line, const struct disk *d)
{
	const struct {
		const char *key, *value;
	} keys[] = { { "KERNEL", d->name }, { "ATTR{queue/rotational}", d->rotational ? "1" : "0" } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		bool negated = false;
		const char *value = match_of(line, keys[i].key, &negated);

		if (value && fits(value, strcspn(value, "\""), keys[i].value) == negated)
			return false;
	}
	return true;
}

static bool may_match_any(const char *line, const struct disk *disks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (may_match(line, &disks[i]))
			return true;
	return !n;
}

/* ATTR{queue/...}="...", or a command that writes below .../queue/; not a mere comparison. */
bool udev_rule_sets(const char *text, const char *attr)
{
	for (const char *p = strstr(text, attr); p; p = strstr(p + 1, attr)) {
		char before = p > text ? p[-1] : ' ';
		const char *after = p + strcspn(p, "} \t\"',");

		after += strspn(after, "} \t");
		if (before == '/' || (before == '{' && *after == '=' && after[1] != '='))
			return true;
	}
	return false;
}

static void read_file(const char *path, const struct disk *disks, size_t n, udev_rules_t *out)
{
	AUTOSTR struct str text = { 0 }, line = { 0 };
	unsigned number = 0, begun = 1;

	/* most files have nothing to do with it */
	if (file_slurp(path, &text, NULL) || !strstr(str_text(&text), "queue/"))
		return;
	for (const char *p = str_text(&text); *p;) {
		size_t len = strcspn(p, "\n");
		bool joined = len && p[len - 1] == '\\';

		number++;
		str_addn(&line, p, joined ? len - 1 : len);
		p += len + (p[len] == '\n');
		if (joined && *p)
			continue;
		if (str_text(&line)[strspn(str_text(&line), " \t")] != '#' && udev_rule_sets(str_text(&line), "queue/") &&
		    may_match_any(str_text(&line), disks, n))
			*vec_push(out) = (struct udev_rule){ mem_strdup(path), mem_strdup(str_trim(line.s)), begun };
		str_clear(&line);
		begun = number + 1;
	}
}

void udev_rules_read(const char *const *dirs, size_t n_dirs, const struct disk *disks, size_t n, udev_rules_t *out)
{
	AUTOSTRINGS strings_t seen = { 0 };

	if (!dirs)
		n_dirs = ARRAY_LEN(udev_dirs);
	for (size_t i = 0; i < n_dirs; i++) {
		const char *dir = dirs ? dirs[i] : udev_dirs[i];
		struct dirent **entries = NULL;
		int count = scandir(dir, &entries, is_rules_file, alphasort);

		for (int k = 0; k < count; k++) {
			AUTOFREE char *path = mem_printf("%s/%s", dir, entries[k]->d_name);

			if (!strings_has(&seen, entries[k]->d_name)) {
				read_file(path, disks, n, out);
				strings_add(&seen, entries[k]->d_name);
			}
			free(entries[k]);
		}
		free(entries);
	}
}

void udev_rules_release(udev_rules_t *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		free(rules->items[i].path);
		free(rules->items[i].text);
	}
	vec_free(rules);
}
