// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/import_cell.h"
#include "cli/import_file.h"
#include "cli/side.h"
#include "db/import.h"

static const struct option_row options_import[] = {
	{ "sched", "NAME", "the scheduler they were made under, as in sweep's --scheds (default: the name of the folder)",
	  's', false, false },
	{ "label", "TEXT", "what else tells them from others: \"old kernel\"", 'l', false, false },
	{ "set", "KEY=VALUE", "an axis of their cells: bs=4k, jobs=8, disk=sdb ...; before what the output itself says", 0,
	  false, true },
	{ "format", "NAME", "what they are, where it is not seen: fio-json, fio-terse, fio-text, fs_mark, rawio, published, "
			    "go, github, name-value", 'f', false, false },
	{ "name", "NAME", "name of the sweep", 0, false, false },
	{ "reparse", NULL, "read every output that is stored again, with the parsers of now, and nothing else", 0, false,
	  false },
	{ 0 },
};

static int import_all(struct importer *im, struct err *err)
{
	struct import_reader *reader = import_reader_new(im->opt, im->forced, err);
	struct input *in;
	int bad = reader ? 0 : -1;

	while (!bad && (in = import_reader_next(reader)))
		bad = import_file(im, in, err);
	if (reader && import_reader_free(reader, bad ? NULL : err))
		bad = -1;
	return bad;
}

static void print_counts(const struct importer *im)
{
	const char *name = option(im->opt, "name");

	printf("%u read, %u known already, %u skipped, %u failed\n", im->n_read, im->n_known, im->n_skipped, im->n_failed);
	if (im->sweep.id)
		printf("sweep %.8s%s%s: 'iobench report %.8s'\n", im->sweep.uuid, name ? " " : "", name ? name : "",
		       im->sweep.uuid);
	for (size_t i = 0; i < im->tables.n; i++)
		printf("published table: 'iobench report %s'\n", im->tables.items[i]);
}

static int check(const struct options *opt, struct err *err)
{
	const char *format = option(opt, "format");

	if (option_given(opt, "reparse") && (opt->operands.n || opt->given.n > (option_given(opt, "db") ? 2U : 1U)))
		return err_set(err, ERR_USAGE, "--reparse goes with --db only");
	if (!option_given(opt, "reparse") && !opt->operands.n)
		return err_set(err, ERR_USAGE, "nothing to import: name files or folders, or '-' for standard input");
	if (format && !parser_find(format)) {
		AUTOSTR struct str names = { 0 };

		for (size_t i = 0; parser_at(i); i++)
			str_addf(&names, "%s%s", i ? ", " : "", parser_at(i)->name);
		return err_set(err, ERR_USAGE, "unknown format '%s' (%s)", format, str_text(&names));
	}
	return side_check_name(option(opt, "name"), err) || import_cell_check(opt, err) ? -1 : 0;
}

static int run(const struct options *opt, struct err *err)
{
	struct importer im = { .opt = opt };
	bool reparse = option_given(opt, "reparse");
	int bad = 0;

	if (check(opt, err))
		return -1;
	im.forced = option(opt, "format") ? parser_find(option(opt, "format")) : NULL;
	im.store = store_open(option_db(opt), reparse ? STORE_WRITE : STORE_CREATE, err);
	if (!im.store)
		return -1;
	if (reparse) {
		bad = import_reparse(im.store, err);
	} else {
		bad = store_import_begin(im.store, err) || import_all(&im, err) ? -1 : 0;
		if (store_import_end(im.store, bad ? NULL : err))
			bad = -1;
		/* many files are one transaction: some that were counted may not have come to its end */
		if (bad)
			say("not all is stored: import the same files again, those that are stored are known");
		else
			print_counts(&im);
	}
	store_close(im.store);
	sweep_row_release(&im.sweep);
	strings_release(&im.tables);
	return bad ? bad : im.n_failed ? ERR_FAULT : 0;
}

const struct command cmd_import = {
	.name = "import",
	.summary = "outputs made elsewhere: fio, fs_mark, rawread, published tables",
	.operands = "FILE|DIR|-...",
	.about = "A file is stored whole or not at all, and once. What failed or was cut off is stored as a failed run, and "
		 "enters no mean. Without --sched the folder of a file is its variant: cfq/read-1.json, bfq/read-1.json. "
		 "Pattern, block size, depth, job count, engine are taken from the output where it says them.\n\n"
		 "A published table is a file of fields between tabs, with this first line:\n\n"
		 "source pattern variant jobs metric unit n mean stddev\n\n"
		 "Go benchmark format and the JSON of github-action-benchmark become such tables too: of runs of one name, "
		 "number, mean and deviation.",
	.groups = { options_import, options_db },
	.run = run,
};
