// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/export_values.h"
#include "db/store.h"

static const struct option_row options_export[] = {
	{ "format", "NAME", "write what was measured: go (Go benchmark format, a line a run: for benchstat), github-bigger, "
			    "github-smaller (github-action-benchmark), junit (JUnit XML, a test case a cell)", 'f', false, false },
	{ "metric", "NAMES", "as for report (default: iops, lat_mean, clat_p99, startup_time, files, those that were "
			     "measured and fit the format)", 'm', false, false },
	{ "direction", "NAME", "all, read, write, trim: whose I/O the metric is of (default: all)", 0, false, false },
	{ "where", "AXIS=VALUE[,...]", "only these; may be given more than once", 0, false, true },
	{ "output", "FILE", "write there instead of to the terminal", 'o', false, false },
	{ "raw", "DIR", "write the original outputs, byte for byte, as DIR/VARIANT/PATTERN-N.json", 'r', false, false },
	{ 0 },
};

/* How many outputs of a variant, pattern and state there are so far. */
struct counter {
	char *stem;
	unsigned n;
};

struct exporter {
	struct store *s;
	const char *dir;
	int dir_fd;
	cell_rows_t cells;
	VEC(struct counter) counters;
	unsigned n_written, n_without;
};

/*
 * A name as one part of a path: bytes that could mean something to a file system or a shell are %xx, so that names that
 * differ stay different and none leaves its folder. import reads them back.
 */
static void escape(const char *name, struct str *out)
{
	size_t start = out->len;

	for (const char *p = name; *p; p++) {
		bool plain = isalnum((unsigned char)*p) || strchr("_-=:,+@", *p) || (*p == '.' && out->len > start);

		if (plain)
			str_addn(out, p, 1);
		else
			str_addf(out, "%%%02x", (unsigned)(unsigned char)*p);
	}
	if (out->len == start)
		str_add(out, "%");
}

static const struct cell_row *cell_of(const struct exporter *x, int64_t id)
{
	for (size_t i = 0; i < x->cells.n; i++)
		if (x->cells.items[i].id == id)
			return &x->cells.items[i];
	return NULL;
}

static const char *pattern_of(const struct cell_row *cell)
{
	for (size_t i = 0; i < cell->n_axes; i++)
		if (!strcmp(cell->axes[i].name, "pattern"))
			return cell->axes[i].value;
	return "run";
}

static unsigned count(struct exporter *x, const char *stem)
{
	for (size_t i = 0; i < x->counters.n; i++)
		if (!strcmp(x->counters.items[i].stem, stem))
			return ++x->counters.items[i].n;
	*vec_push(&x->counters) = (struct counter){ mem_strdup(stem), 1 };
	return 1;
}

/* "read-3.json"; what is no good run says so in its name: "read-failed-1.json". */
static char *file_name(struct exporter *x, const char *folder, const struct cell_row *cell, const struct run_row *run)
{
	AUTOSTR struct str name = { 0 };
	AUTOFREE char *stem = NULL;

	escape(pattern_of(cell), &name);
	if (strcmp(run->kind, "measure") != 0)
		str_addf(&name, "-%s", run->kind);
	if (strcmp(run->state, "ok") != 0)
		str_addf(&name, "-%s", run->state);
	stem = mem_printf("%s/%s", folder, str_text(&name));
	str_addf(&name, "-%u%s", count(x, stem), run->format && !strcmp(run->format, "fio-json") ? ".json" : ".txt");
	return str_steal(&name);
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return -1;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Nothing that is there already is written to, nor followed. */
static int write_file(const struct exporter *x, const char *folder, const char *name, const char *bytes, size_t len,
		      struct err *err)
{
	AUTOCLOSE int folder_fd = -1;
	int fd, bad;

	if (mkdirat(x->dir_fd, folder, 0777) && errno != EEXIST)
		return err_sys(err, ERR_FAULT, errno, "cannot make '%s/%s'", x->dir, folder);
	folder_fd = openat(x->dir_fd, folder, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder_fd < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot open '%s/%s'", x->dir, folder);
	fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, ERR_FAULT, errno, "cannot create '%s/%s/%s'", x->dir, folder, name);
	bad = write_all(fd, bytes, len) ? errno : 0;
	if (close(fd) && !bad)
		bad = errno;
	return bad ? err_sys(err, ERR_FAULT, bad, "cannot write '%s/%s/%s'", x->dir, folder, name) : 0;
}

static int export_run(struct exporter *x, const struct run_row *run, struct err *err)
{
	const struct cell_row *cell = cell_of(x, run->cell);
	AUTOSTR struct str folder = { 0 };
	struct run_details d = { 0 };
	AUTOFREE char *name = NULL;
	int bad;

	if (!cell || store_get_run(x->s, run->uuid, &d, err))
		return -1;
	if (!d.raw) {
		x->n_without++;
		run_details_release(&d);
		return 0;
	}
	escape(cell->variant, &folder);
	name = file_name(x, str_text(&folder), cell, run);
	bad = write_file(x, str_text(&folder), name, d.raw, d.raw_len, err);
	x->n_written += !bad;
	run_details_release(&d);
	return bad;
}

static int export_sweep(struct exporter *x, int64_t sweep, struct err *err)
{
	run_rows_t runs = { 0 };
	int bad = store_list_cells(x->s, sweep, &x->cells, err) || store_list_runs(x->s, sweep, &runs, err);

	for (size_t i = 0; !bad && i < runs.n; i++)
		bad = export_run(x, &runs.items[i], err);
	run_rows_release(&runs);
	return bad ? -1 : 0;
}

static int open_dir(struct exporter *x, struct err *err)
{
	if (mkdir(x->dir, 0777) && errno != EEXIST)
		return err_sys(err, ERR_FAULT, errno, "cannot make '%s'", x->dir);
	x->dir_fd = open(x->dir, O_DIRECTORY | O_CLOEXEC);
	return x->dir_fd < 0 ? err_sys(err, ERR_FAULT, errno, "cannot open '%s'", x->dir) : 0;
}

static void exporter_release(struct exporter *x)
{
	for (size_t i = 0; i < x->counters.n; i++)
		free(x->counters.items[i].stem);
	vec_free(&x->counters);
	cell_rows_release(&x->cells);
	if (x->dir_fd >= 0)
		close(x->dir_fd);
	store_close(x->s);
}

static int export_raw(const struct options *opt, struct err *err)
{
	const char *which = opt->operands.n ? opt->operands.items[0] : "last";
	struct exporter x = { .dir = option(opt, "raw"), .dir_fd = -1 };
	struct sweep_row sweep = { 0 };
	int bad;

	if (opt->operands.n > 1 || opt->given.n > (option_given(opt, "db") ? 2U : 1U))
		return err_set(err, ERR_USAGE, "--raw writes whole outputs of one sweep: write 'export --raw DIR [SWEEP]'");
	x.s = open_database(opt, STORE_READ, err);
	if (!x.s)
		return -1;
	bad = store_find_sweep(x.s, which, &sweep, err) || open_dir(&x, err) || export_sweep(&x, sweep.id, err);
	if (x.n_written || !bad)
		printf("%u outputs written to '%s', %u runs without output\n", x.n_written, x.dir, x.n_without);
	sweep_row_release(&sweep);
	exporter_release(&x);
	return bad ? -1 : 0;
}

static int run(const struct options *opt, struct err *err)
{
	if (option_given(opt, "raw") == option_given(opt, "format"))
		return err_set(err, ERR_USAGE, "write 'export --format NAME [SWEEP]...' or 'export --raw DIR [SWEEP]'");
	return option_given(opt, "raw") ? export_raw(opt, err) : export_values(opt, err);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "results for other programs, and the original outputs as files",
	.operands = "[SWEEP]...",
	.about = "A cell has the same name in every format: variant=bfq:low_latency=0/bs=4k/pattern=read/jobs=4, and other axes "
		 "where they vary. Metrics that are better high go into github-bigger only, those that are better low into "
		 "github-smaller.\n\n"
		 "Of original outputs, N counts the runs of a variant and pattern in the order in which they were made. Runs that count in no mean "
		 "have their state in the name: read-failed-1.json. Files that are there are not overwritten.",
	.groups = { options_export, options_db },
	.run = run,
};
