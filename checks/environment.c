// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/environment.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "common/str.h"

static const char *text_of(const cJSON *facts, const char *key, char number[32])
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(facts, key);

	if (cJSON_IsString(item))
		return item->valuestring;
	if (!cJSON_IsNumber(item))
		return "(nothing)";
	snprintf(number, 32, "%.17g", item->valuedouble);
	return number;
}

static void compare_fact(const cJSON *before, const cJSON *after, const char *key, struct check_findings *out)
{
	char was_number[32], is_number[32];
	const char *was = text_of(before, key, was_number), *is = text_of(after, key, is_number);

	/* a module's identity is known only while it is loaded */
	if (!strcmp(was, is) || str_starts(key, "module."))
		return;
	check_add(out, str_starts(key, "cpufreq.") ? CHECK_GOVERNOR_CHANGED : CHECK_ENVIRONMENT_CHANGED,
		  "'%s' went from '%s' to '%s'", key, was, is);
}

void check_environment(const char *before, const char *after, struct check_findings *out)
{
	cJSON *was = cJSON_Parse(before), *is = cJSON_Parse(after);
	const cJSON *item;

	cJSON_ArrayForEach(item, was) {
		compare_fact(was, is, item->string, out);
	}
	cJSON_ArrayForEach(item, is) {
		if (!cJSON_GetObjectItemCaseSensitive(was, item->string))
			compare_fact(was, is, item->string, out);
	}
	cJSON_Delete(was);
	cJSON_Delete(is);
}

/* All but kernel and fio; of modules only what was loaded both times. */
static void add_other_facts(const cJSON *first, const cJSON *second, struct check_findings *out)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, first) {
		char one_number[32], other_number[32];
		const char *one = text_of(first, item->string, one_number),
			   *other = text_of(second, item->string, other_number);

		if (str_starts(item->string, "kernel.") || !strcmp(item->string, "fio.version") || !strcmp(one, other) ||
		    (str_starts(item->string, "module.") && !cJSON_GetObjectItemCaseSensitive(second, item->string)))
			continue;
		check_add(out, CHECK_ENVIRONMENT_CHANGED, "'%s': '%.60s' and '%.60s'", item->string, one, other);
	}
}

#define DISK "disk."

/* The name in "disk.NAME.*" of the facts where there is one disk, not ended; its length is 0 where there are none or several. */
static const char *only_disk(const cJSON *facts, size_t *len)
{
	const cJSON *item;
	const char *name = NULL;

	*len = 0;
	cJSON_ArrayForEach(item, facts) {
		const char *this = item->string + strlen(DISK);

		if (!str_starts(item->string, DISK))
			continue;
		if (name && (strcspn(this, ".") != *len || strncmp(this, name, *len) != 0)) {
			*len = 0;
			return NULL;
		}
		name = this;
		*len = strcspn(this, ".");
	}
	return name;
}

/* The one disk of either is compared, whatever the kernel calls it: else nothing of it would be the same. */
static void name_alike(const cJSON *first, cJSON *second)
{
	size_t len, other_len;
	const char *name = only_disk(first, &len), *other = only_disk(second, &other_len);
	AUTOFREE char *now = name ? mem_strndup(name, len) : NULL;
	cJSON *item;

	if (!name || !other || (len == other_len && !strncmp(name, other, len)))
		return;
	cJSON_ArrayForEach(item, second) {
		char *key;

		if (!str_starts(item->string, DISK))
			continue;
		/* cJSON frees it by free(), which mem_printf's is for */
		key = mem_printf(DISK "%s%s", now, item->string + strlen(DISK) + other_len);
		cJSON_free(item->string);
		item->string = key;
	}
}

void check_environments_differ(const char *a, const char *b, struct check_findings *out)
{
	static const struct {
		const char *key;
		enum check_id id;
	} keys[] = {
		{ "kernel.release", CHECK_OTHER_KERNEL },
		{ "kernel.version", CHECK_OTHER_KERNEL },
		{ "fio.version", CHECK_OTHER_FIO },
	};
	cJSON *first = cJSON_Parse(a), *second = cJSON_Parse(b);
	enum check_id last = CHECK_N;

	name_alike(first, second);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		char one_number[32], other_number[32];
		const char *one = text_of(first, keys[i].key, one_number),
			   *other = text_of(second, keys[i].key, other_number);

		if (keys[i].id == last || !strcmp(one, other))
			continue;
		check_add(out, keys[i].id, "'%s' and '%s'", one, other);
		last = keys[i].id;
	}
	add_other_facts(first, second, out);
	cJSON_Delete(first);
	cJSON_Delete(second);
}
