// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/facts.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(facts_t *f, cJSON *value, const char *key, va_list ap)
{
	struct fact *fact = vec_push(f);

	fact->value = value;
	if (!value || vasprintf(&fact->key, key, ap) < 0)
		abort(); /* no memory: as in common/mem.h */
}

void facts_text(facts_t *f, const char *text, const char *key, ...)
{
	AUTOFREE char *ascii = mem_strdup(text);
	va_list ap;

	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c > 0x7e)
			*c = '?';
	va_start(ap, key);
	add(f, cJSON_CreateString(ascii), key, ap);
	va_end(ap);
}

void facts_number(facts_t *f, int64_t value, const char *key, ...)
{
	char digits[24];
	va_list ap;

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	va_start(ap, key);
	add(f, cJSON_CreateRaw(digits), key, ap); /* cJSON's own numbers are doubles */
	va_end(ap);
}

void facts_null(facts_t *f, const char *key, ...)
{
	va_list ap;

	va_start(ap, key);
	add(f, cJSON_CreateNull(), key, ap);
	va_end(ap);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct fact *)a)->key, ((const struct fact *)b)->key);
}

void facts_print(facts_t *f, struct str *json)
{
	cJSON *object = cJSON_CreateObject();
	char *text;

	if (f->n)
		qsort(f->items, f->n, sizeof(*f->items), by_key);
	for (size_t i = 0; i < f->n; i++) {
		cJSON_AddItemToObject(object, f->items[i].key, f->items[i].value);
		free(f->items[i].key);
	}
	vec_free(f);
	text = cJSON_PrintUnformatted(object);
	if (!text)
		abort();
	str_add(json, text);
	cJSON_free(text);
	cJSON_Delete(object);
}

void facts_release(facts_t *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].key);
		cJSON_Delete(f->items[i].value);
	}
	vec_free(f);
}
