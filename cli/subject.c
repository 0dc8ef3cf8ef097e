// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/subject.h"

#include <string.h>

#include "runner/child.h"

static bool is_read(const struct subject *s, const char *path)
{
	for (size_t i = 0; i < s->modules.n; i++)
		if (!strcmp(s->modules.items[i].path, path))
			return true;
	return false;
}

static int add_module(struct subject *s, const struct variant *v, strings_t *notes, struct err *err)
{
	struct module_file *f;
	char name[64];

	if (!module_of_scheduler(v->scheduler, name))
		return err_set(err, ERR_USAGE, "'%s': '%s' is no scheduler that is ever a module", v->name, v->scheduler);
	if (s->scheduler && strcmp(s->scheduler, v->scheduler) != 0)
		return err_set(err, ERR_USAGE, "one sweep can exchange the module of one scheduler, not those of '%s' and '%s'",
			       s->scheduler, v->scheduler);
	s->scheduler = v->scheduler;
	f = vec_push(&s->modules);
	if (module_file_read(v->module, f, err) || module_check_file(f, name, err))
		return -1;
	*vec_push(notes) = mem_printf("'%s@%s' is build-id %s, built for %s", v->scheduler, f->path, f->build_id, f->vermagic);
	return 0;
}

static int describe_tree(const char *dir, struct subject *s, struct err *err)
{
	const char *argv[] = { "git", "-C", dir, "describe", "--dirty", "--always", NULL };
	AUTOSTR struct str text = { 0 };

	if (child_capture(argv, &text, err))
		return err_context(err, "cannot tell the version of the kernel tree '%s'", dir);
	s->tree = mem_strdup(text.len ? str_trim(text.s) : "");
	return 0;
}

int subject_make(const struct options *opt, const variants_t *variants, const struct disk *const *disks, size_t n,
		 struct subject *out, strings_t *notes, struct err *err)
{
	AUTOFREE const char **names = mem_alloc(n, sizeof(*names));
	char module[64];

	for (size_t i = 0; i < variants->n; i++)
		if (variants->items[i].module && !is_read(out, variants->items[i].module) &&
		    add_module(out, &variants->items[i], notes, err))
			return -1;
	if (option(opt, "tree") && describe_tree(option(opt, "tree"), out, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		names[i] = disks[i]->name;
	return out->scheduler && module_of_scheduler(out->scheduler, module) ? module_check_machine(module, names, n, err) : 0;
}

void subject_release(struct subject *s)
{
	module_files_release(&s->modules);
	free(s->tree);
}
