// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/import_read.h"

#include <errno.h>
#include <fts.h>
#include <pthread.h>
#include <string.h>

#include "cli/import_cell.h"

#define FILE_MAX (256LL << 20) /* bytes: nobody's outputs are so long, and all of it is held in memory */

/* So many files, and so many bytes of them, are read ahead at most; but one always. */
#define AHEAD 64
#define AHEAD_BYTES (32 << 20)

struct import_reader {
	pthread_t thread;
	pthread_mutex_t lock; /* of all up to 'err' */
	pthread_cond_t more, room;
	size_t made, taken, bytes; /* of 'ring': made, given back, in those between */
	bool full, empty, done, stop;
	struct err err;
	struct input ring[AHEAD];
	const struct options *opt;
	const struct parser *forced;
	struct framer framer;
	bool given; /* ring[taken] is with who asked for it */
};

/* Ours, lying in the folder that is imported: it holds outputs, and words of theirs may stand in it as they are. */
static bool is_database(const struct str *text)
{
	static const char magic[] = "SQLite format 3";

	return text->len > sizeof(magic) && !memcmp(text->s, magic, sizeof(magic));
}

void input_read(struct input *in, const struct options *opt, const struct parser *forced)
{
	in->read = true;
	if (in->path && !stat(in->path, &in->st) && in->st.st_size > FILE_MAX)
		err_set(&in->fault, ERR_FAULT, "'%s': over %lld MiB", in->name, FILE_MAX >> 20);
	else
		file_slurp(in->path ? in->path : "/dev/stdin", &in->text, &in->fault);
	if (in->fault.kind)
		return;
	hash_text(in->hash, str_text(&in->text), in->text.len);
	if (is_database(&in->text))
		err_set(&in->refused, ERR_FAULT, "a database is no output");
	else
		parser_read(str_text(&in->text), in->text.len, forced, &in->parsed, &in->parser, &in->refused);
	import_cell_make(opt, in->path, in->refused.kind ? NULL : &in->parsed, &in->cell);
}

static void input_release(struct input *in)
{
	free(in->path);
	str_release(&in->text);
	parsed_release(&in->parsed);
	frame_release(&in->frame);
	cell_row_release(&in->cell);
	*in = (struct input){ 0 };
}

/* A free place; NULL: nobody wants more. */
static struct input *begin(struct import_reader *r)
{
	struct input *in = NULL;

	pthread_mutex_lock(&r->lock);
	r->full = r->made - r->taken == AHEAD || (r->bytes > AHEAD_BYTES && r->made > r->taken);
	while (r->full && !r->stop)
		pthread_cond_wait(&r->room, &r->lock);
	if (!r->stop)
		in = &r->ring[r->made % AHEAD];
	pthread_mutex_unlock(&r->lock);
	if (in)
		input_release(in);
	return in;
}

/* In the place that begin() gave. 'path' NULL: standard input. */
static void finish(struct import_reader *r, struct input *in, const char *path)
{
	in->path = path ? mem_strdup(path) : NULL;
	in->name = path ? in->path : "standard input";
	in->held = in->text.len;
	pthread_mutex_lock(&r->lock);
	r->made++;
	r->bytes += in->held;
	if (r->empty && (r->made - r->taken >= AHEAD / 4 || r->bytes > AHEAD_BYTES / 4)) {
		r->empty = false;
		pthread_cond_signal(&r->more);
	}
	pthread_mutex_unlock(&r->lock);
}

static void read_file(struct import_reader *r, struct input *in, char *path)
{
	in->path = path;
	in->name = path;
	input_read(in, r->opt, r->forced);
	if (in->parser)
		frame_make(&r->framer, str_text(&in->text), in->text.len, &in->frame, NULL);
}

/* One of a walk: files in folders, and whatever was named. -1: nobody wants more. */
static int add_entry(struct import_reader *r, const FTSENT *e)
{
	struct input *in;

	if (e->fts_info == FTS_D || e->fts_info == FTS_DP || e->fts_info == FTS_DC)
		return 0;
	in = begin(r);
	if (!in)
		return -1;
	in->named = e->fts_level == FTS_ROOTLEVEL;
	if (e->fts_info == FTS_F) {
		read_file(r, in, e->fts_path);
	} else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS) {
		err_set(&in->fault, ERR_FAULT, "cannot read '%s': %s", e->fts_path, strerror(e->fts_errno));
	} else if (!in->named) {
		in->skipped = true;
		err_set(&in->fault, ERR_FAULT, "'%s': skipped: not a regular file", e->fts_path);
	}
	finish(r, in, e->fts_path);
	return 0;
}

static int add_stdin(struct import_reader *r)
{
	struct input *in = begin(r);

	if (!in)
		return -1;
	in->named = true;
	finish(r, in, NULL);
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A file, or all files of a folder in the order of their names. */
static int walk(struct import_reader *r, char *path, struct err *err)
{
	char *const paths[] = { path, NULL };
	const FTSENT *e;
	FTS *fts;
	int bad = 0;

	if (!strcmp(path, "-"))
		return add_stdin(r);
	fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (!fts)
		return err_sys(err, ERR_FAULT, errno, "cannot read '%s'", path);
	while (!bad && (e = fts_read(fts)))
		bad = add_entry(r, e);
	fts_close(fts);
	return bad;
}

static void *read_all(void *arg)
{
	struct import_reader *r = arg;
	struct err err = { 0 };

	for (size_t i = 0; i < r->opt->operands.n; i++)
		if (walk(r, r->opt->operands.items[i], &err))
			break;
	pthread_mutex_lock(&r->lock);
	r->err = err;
	r->done = true;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct import_reader *import_reader_new(const struct options *opt, const struct parser *forced, struct err *err)
{
	struct import_reader *r = mem_alloc(1, sizeof(*r));
	int errnum;

	r->opt = opt;
	r->forced = forced;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	pthread_cond_init(&r->room, NULL);
	errnum = pthread_create(&r->thread, NULL, read_all, r);
	if (!errnum)
		return r;
	err_sys(err, ERR_FAULT, errnum, "cannot start a thread");
	free(r);
	return NULL;
}

/* One wake-up for many files. What they hold is freed by the thread that made it: malloc locks what another one frees. */
static void give_back(struct import_reader *r)
{
	struct input *in = &r->ring[r->taken % AHEAD];
	size_t held = in->held, left;

	pthread_mutex_lock(&r->lock);
	r->bytes -= held;
	left = r->made - ++r->taken;
	if (r->full && left <= AHEAD / 2 && (r->bytes <= AHEAD_BYTES || !left)) {
		r->full = false;
		pthread_cond_signal(&r->room);
	}
	pthread_mutex_unlock(&r->lock);
}

struct input *import_reader_next(struct import_reader *r)
{
	struct input *in = NULL;

	if (r->given)
		give_back(r);
	pthread_mutex_lock(&r->lock);
	r->empty = r->made == r->taken;
	while (r->empty && !r->done)
		pthread_cond_wait(&r->more, &r->lock);
	r->given = r->made > r->taken;
	if (r->given)
		in = &r->ring[r->taken % AHEAD];
	pthread_mutex_unlock(&r->lock);
	return in;
}

int import_reader_free(struct import_reader *r, struct err *err)
{
	int bad;

	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->room);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	bad = r->err.kind ? -1 : 0;
	if (bad && err)
		*err = r->err;
	for (size_t i = 0; i < AHEAD; i++)
		input_release(&r->ring[i]);
	framer_release(&r->framer);
	pthread_cond_destroy(&r->room);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return bad;
}
