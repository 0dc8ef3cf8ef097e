// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "common/file.h"
#include "runner/child.h"

#define NAME_MAX_LEN 100

struct work {
	char *folder;
	char *script, *data, *picture, *words; /* names in it */
	bool keep;
};

static char *path_in(const struct work *w, const char *name)
{
	return mem_printf("%s/%s", w->folder, name);
}

static int write_file(const struct work *w, const char *name, const struct str *text, struct err *err)
{
	AUTOFREE char *path = path_in(w, name);

	return output_write(path, text, err);
}

static int work_start(struct work *w, const char *name, const char *terminal, const char *keep, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	w->keep = keep;
	w->folder = keep ? mem_strdup(keep) : mem_printf("%s/iobench-plot-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	w->script = mem_printf("%s.gp", name);
	w->data = mem_printf("%s.dat", name);
	w->picture = mem_printf("%s.%s", name, strcmp(terminal, "dumb") ? terminal : "txt");
	w->words = mem_printf("%s.err", name);
	if (keep && mkdir(keep, 0777) && errno != EEXIST)
		return err_sys(err, ERR_FAULT, errno, "cannot create '%s'", keep);
	if (!keep && !mkdtemp(w->folder)) {
		int why = errno;

		err_sys(err, ERR_FAULT, why, "cannot create '%s'", w->folder);
		w->keep = true; /* there is nothing to remove */
		return -1;
	}
	return 0;
}

static void work_end(struct work *w)
{
	const char *const names[] = { w->words, w->script, w->data, w->picture };

	/* gnuplot's words go in any case: what they said is in the error */
	for (size_t i = 0; i < (w->keep ? 1 : ARRAY_LEN(names)); i++) {
		AUTOFREE char *path = path_in(w, names[i]);

		unlink(path);
	}
	if (!w->keep)
		rmdir(w->folder);
	free(w->folder);
	free(w->script);
	free(w->data);
	free(w->picture);
	free(w->words);
}

/* gnuplot repeats the command, points at the place, and says last what is wrong. */
static int gnuplot_failed(const struct work *w, struct err *err)
{
	AUTOFREE char *path = path_in(w, w->words);
	AUTOSTR struct str words = { 0 };
	char *text, *last;

	if (file_slurp(path, &words, NULL) || !words.len)
		return err_set(err, ERR_FAULT, "gnuplot failed");
	text = str_trim(words.s);
	last = strrchr(text, '\n');
	return err_set(err, ERR_FAULT, "gnuplot failed: %s", str_trim(last ? last : text));
}

static int run_gnuplot(const struct work *w, struct err *err)
{
	AUTOFREE char *words = path_in(w, w->words);
	AUTOSTR struct str cd = { 0 };
	int status;
	pid_t pid;

	str_add(&cd, "cd ");
	plot_quote(&cd, w->folder);
	/* -d: not what the user's ~/.gnuplot says */
	pid = child_spawn(&(struct child_spec){ .argv = (const char *const[]){ "gnuplot", "-d", "-e", str_text(&cd),
									       w->script, NULL },
						.stderr_path = words },
			  err);
	if (pid < 0)
		return err->kind == ERR_NEEDS ? err_context(err, "plots are drawn by gnuplot") : -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : gnuplot_failed(w, err);
}

int gnuplot_draw(const struct plot *p, const struct plot_output *o, const char *name, const char *keep,
		 struct str *picture, struct err *err)
{
	AUTOSTR struct str script = { 0 }, data = { 0 };
	struct work w = { 0 };
	int bad = work_start(&w, name, o->terminal, keep, err);

	if (!bad) {
		AUTOFREE char *path = path_in(&w, w.picture);

		plot_script(p, o, w.data, w.picture, &script);
		plot_data(p, &data);
		bad = write_file(&w, w.script, &script, err) || write_file(&w, w.data, &data, err) ||
		      run_gnuplot(&w, err) || file_slurp(path, picture, err);
	}
	work_end(&w);
	return bad ? -1 : 0;
}

char *gnuplot_name(const struct plot *p, size_t number)
{
	AUTOFREE char *name = mem_strndup(p->label, strnlen(p->label, NAME_MAX_LEN));
	bool changed = strlen(p->label) > NAME_MAX_LEN;

	for (char *s = name; *s; s++) {
		bool plain = (unsigned char)*s < 0x80 && (isalnum((unsigned char)*s) || strchr("-_=.", *s));
		bool first = s == name && strchr("-.", *s); /* no option, no hidden file */

		if (plain && !first)
			continue;
		*s = '_';
		changed = true;
	}
	return changed ? mem_printf("%s-%zu", name, number + 1) : mem_strdup(name);
}
