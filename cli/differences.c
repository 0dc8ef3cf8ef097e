// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/differences.h"

#include "checks/environment.h"
#include "db/baseline.h"

#define DIFFERENCES_MAX 12 /* lines of them; two machines differ in everything */

static void add_differences(const char *a, const char *b, const char *what, strings_t *out)
{
	struct check_findings found = { 0 };

	check_environments_differ(a, b, &found);
	for (size_t i = 0; i < found.list.n && i < DIFFERENCES_MAX; i++) {
		const struct check_finding *f = &found.list.items[i];
		bool fact = f->id == CHECK_ENVIRONMENT_CHANGED;

		*vec_push(out) = mem_printf("%s: %s", fact ? "not the same" : check_codes[f->id].title, f->text);
	}
	if (found.list.n > DIFFERENCES_MAX)
		*vec_push(out) = mem_printf("and %zu more %s differ", found.list.n - DIFFERENCES_MAX, what);
	check_findings_release(&found);
}

int environment_differences(struct store *db, int64_t a, int64_t b, strings_t *out, struct err *err)
{
	AUTOFREE char *of_a = NULL, *of_b = NULL;

	if (a == b)
		return 0;
	if (store_get_environment(db, a, &of_a, err) || store_get_environment(db, b, &of_b, err))
		return -1;
	add_differences(of_a, of_b, "facts of the machine", out);
	return 0;
}

int setting_differences(struct store *db, int64_t a, int64_t b, strings_t *out, struct err *err)
{
	AUTOFREE char *of_a = NULL, *of_b = NULL;

	if (store_get_effective(db, a, &of_a, err) || store_get_effective(db, b, &of_b, err))
		return -1;
	if (of_a && of_b)
		add_differences(of_a, of_b, "settings", out);
	return 0;
}
