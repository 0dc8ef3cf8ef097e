// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/profile.h"

#include <ini.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "common/units.h"

enum type { TYPE_REAL, TYPE_COUNT, TYPE_SIZE, TYPE_SWITCH };
enum needed { BY_ALL, BY_ROTATING, BY_FLASH };

/* To add a figure: a row here, a field in 'struct profile', and a line in every profile of that kind. */
static const struct key {
	const char *section, *name;
	enum type type;
	enum needed needed;
	size_t offset;
	double min, max;
} keys[] = {
#define KEY(section, name, type, needed, min, max) \
	{ section, #name, type, needed, offsetof(struct profile, name), min, max }
	KEY("disk", size_bytes, TYPE_SIZE, BY_ALL, 1 << 20, 1e18),
	KEY("mechanics", rpm, TYPE_COUNT, BY_ROTATING, 100, 100000),
	KEY("mechanics", heads, TYPE_COUNT, BY_ROTATING, 1, 64),
	KEY("mechanics", zones, TYPE_COUNT, BY_ROTATING, 1, 64),
	KEY("mechanics", rim_mb_s, TYPE_REAL, BY_ROTATING, 1, 10000),
	KEY("mechanics", hub_mb_s, TYPE_REAL, BY_ROTATING, 1, 10000),
	KEY("mechanics", seek_track_ms, TYPE_REAL, BY_ROTATING, 0, 1000),
	KEY("mechanics", seek_average_ms, TYPE_REAL, BY_ROTATING, 0, 1000),
	KEY("mechanics", seek_full_ms, TYPE_REAL, BY_ROTATING, 0, 1000),
	KEY("mechanics", head_switch_ms, TYPE_REAL, BY_ROTATING, 0, 1000),
	KEY("mechanics", write_settle_ms, TYPE_REAL, BY_ROTATING, 0, 1000),
	KEY("flash", channels, TYPE_COUNT, BY_FLASH, 1, 256),
	KEY("flash", page_bytes, TYPE_SIZE, BY_FLASH, 512, 1 << 20),
	KEY("flash", read_us, TYPE_REAL, BY_FLASH, 0, 1e6),
	KEY("flash", write_us, TYPE_REAL, BY_FLASH, 0, 1e6),
	KEY("drive", interface_mb_s, TYPE_REAL, BY_ALL, 1, 100000),
	KEY("drive", overhead_us, TYPE_REAL, BY_ALL, 0, 1e6),
	KEY("drive", depth, TYPE_COUNT, BY_ALL, 1, 32),
	KEY("drive", age_limit_ms, TYPE_REAL, BY_ROTATING, 0, 1e6),
	KEY("drive", cache_bytes, TYPE_SIZE, BY_ROTATING, 0, 1 << 30),
	KEY("drive", segments, TYPE_COUNT, BY_ROTATING, 1, 64),
	KEY("drive", segment_bytes, TYPE_SIZE, BY_ROTATING, 512, 1 << 30),
	KEY("drive", read_ahead, TYPE_SWITCH, BY_ROTATING, 0, 1),
	KEY("drive", write_cache, TYPE_SWITCH, BY_ROTATING, 0, 1),
#undef KEY
};

struct reading {
	const char *name;
	struct profile *p;
	bool has_kind, has[ARRAY_LEN(keys)];
	struct err *err;
	bool bad;
};

static bool key_is_for(const struct key *k, const struct profile *p)
{
	return k->needed == BY_ALL || (k->needed == BY_ROTATING) == p->rotating;
}

static int parse_real(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return *text && !*end && isfinite(*out) ? 0 : -1;
}

static int set_value(struct profile *p, const struct key *k, const char *text, struct err *err)
{
	void *field = (char *)p + k->offset;
	uint64_t whole = 0;
	double value = 0;
	bool bad;

	if (k->type == TYPE_REAL)
		bad = parse_real(text, &value);
	else if (k->type == TYPE_COUNT)
		bad = units_parse_count(text, &whole, NULL);
	else if (k->type == TYPE_SIZE)
		bad = units_parse_size(text, &whole, NULL);
	else
		bad = strcmp(text, "on") && strcmp(text, "off"), whole = !strcmp(text, "on");
	if (k->type != TYPE_REAL)
		value = (double)whole;
	if (bad || value < k->min || value > k->max)
		return err_set(err, ERR_USAGE, "'%s' is not a value of '%s' (%s from %g to %g)", text, k->name,
			       k->type == TYPE_SWITCH ? "on or off," : "a number", k->min, k->max);
	if (k->type == TYPE_REAL)
		memcpy(field, &value, sizeof(value));
	else if (k->type == TYPE_SWITCH)
		*(bool *)field = whole;
	else
		memcpy(field, &whole, sizeof(whole));
	return 0;
}

static int read_pair(struct reading *r, const char *section, const char *name, const char *value, struct err *err)
{
	if (!strcmp(section, "disk") && !strcmp(name, "kind")) {
		r->has_kind = true;
		r->p->rotating = !strcmp(value, "rotating");
		return r->p->rotating || !strcmp(value, "flash")
			       ? 0
			       : err_set(err, ERR_USAGE, "'%s' is not a kind of disk (rotating or flash)", value);
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!strcmp(keys[i].section, section) && !strcmp(keys[i].name, name)) {
			if (r->has[i])
				return err_set(err, ERR_USAGE, "'%s' is there twice", name);
			r->has[i] = true;
			return set_value(r->p, &keys[i], value, err);
		}
	return err_set(err, ERR_USAGE, "there is no key '%s' in section [%s]", name, section);
}

static int on_pair(void *arg, const char *section, const char *name, const char *value)
{
	struct reading *r = arg;

	if (!r->bad && read_pair(r, section, name, value, r->err))
		r->bad = true;
	return !r->bad;
}

static int check_whole(const struct reading *r, struct err *err)
{
	const struct profile *p = r->p;

	if (!r->has_kind)
		return err_set(err, ERR_USAGE, "'kind' is missing in section [disk] (rotating or flash)");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (key_is_for(&keys[i], p) != r->has[i])
			return err_set(err, ERR_USAGE, r->has[i] ? "'%s' in [%s] is not for this kind of disk"
								 : "'%s' is missing in section [%s]",
				       keys[i].name, keys[i].section);
	if (!p->rotating)
		return 0;
	if (p->hub_mb_s > p->rim_mb_s)
		return err_set(err, ERR_USAGE, "hub_mb_s is larger than rim_mb_s");
	if (p->seek_track_ms > p->seek_average_ms || p->seek_average_ms > p->seek_full_ms)
		return err_set(err, ERR_USAGE, "seek_track_ms, seek_average_ms and seek_full_ms do not grow");
	if (p->segment_bytes * p->segments > p->cache_bytes)
		return err_set(err, ERR_USAGE, "the segments are larger than the cache");
	return 0;
}

int profile_parse(const char *name, const char *text, struct profile *out, struct err *err)
{
	struct reading r = { .name = name, .p = out, .err = err };
	int line;

	*out = (struct profile){ 0 };
	snprintf(out->name, sizeof(out->name), "%s", name);
	line = ini_parse_string(text, on_pair, &r);
	if (r.bad)
		return err_context(err, "profile '%s', line %d", name, line);
	if (line)
		return err_set(err, ERR_USAGE, "profile '%s', line %d: this is not 'key = value'", name, line);
	return check_whole(&r, err) ? err_context(err, "profile '%s'", name) : 0;
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

static int load_file(const char *path, struct profile *out, struct err *err)
{
	const char *base = strrchr(path, '/');
	AUTOFREE char *name = mem_strdup(base ? base + 1 : path);
	AUTOSTR struct str text = { 0 };
	size_t len = strlen(name);

	if (len > 4 && !strcmp(name + len - 4, ".ini"))
		name[len - 4] = '\0';
	/* it becomes part of a path and of a line of facts */
	if (!*name || strspn(name, NAME_LETTERS) < strlen(name) || name[0] == '.' ||
	    strlen(name) >= sizeof(out->name))
		return err_set(err, ERR_USAGE,
			       "a profile cannot be named '%s' (letters, digits and '._+-', up to %zu)", name,
			       sizeof(out->name) - 1);
	if (file_slurp(path, &text, err))
		return -1;
	return profile_parse(name, str_text(&text), out, err);
}

int profile_load(const char *name, struct profile *out, struct err *err)
{
	size_t len = strlen(name);
	AUTOSTR struct str names = { 0 };

	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".ini")))
		return load_file(name, out, err);
	for (const struct profile_text *t = profile_texts; t->name; t++) {
		if (!strcmp(t->name, name))
			return profile_parse(name, t->text, out, err);
		str_addf(&names, "%s%s", names.len ? ", " : "", t->name);
	}
	return err_set(err, ERR_USAGE, "there is no profile '%s' (there are: %s; or give a file.ini)", name,
		       str_text(&names));
}

void profile_print(const struct profile *p, struct str *out)
{
	str_addf(out, "kind=%s", p->rotating ? "rotating" : "flash");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const void *field = (const char *)p + keys[i].offset;

		if (!key_is_for(&keys[i], p))
			continue;
		str_addf(out, " %s=", keys[i].name);
		if (keys[i].type == TYPE_REAL)
			str_addf(out, "%g", *(const double *)field);
		else if (keys[i].type == TYPE_SWITCH)
			str_add(out, *(const bool *)field ? "on" : "off");
		else
			str_addf(out, "%" PRIu64, *(const uint64_t *)field);
	}
}
