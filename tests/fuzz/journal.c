// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/journal.h"
#include "tests/fuzz/check.h"

/* The journal of a sweep that died: only a whole one may be replayed, and never into another place than the disk's. */

static struct saved saved; /* too large for a stack */

#define CHECK_STRING(array) CHECK(memchr(array, '\0', sizeof(array)))

static void check_whole(void)
{
	CHECK(saved.n_disks <= SETTINGS_DISKS && saved.n_cpus <= SETTINGS_CPUS);
	CHECK(saved.cpus || !saved.n_cpus);
	for (unsigned i = 0; i < saved.n_disks; i++) {
		const struct saved_disk *d = &saved.disks[i];

		CHECK_STRING(d->name);
		CHECK_STRING(d->sysdir);
		CHECK_STRING(d->scheduler);
		CHECK_STRING(d->tags);
		CHECK(!strstr(d->sysdir, "..") && d->n_attrs <= SETTINGS_ATTRS);
		for (unsigned k = 0; k < d->n_attrs; k++) {
			CHECK_STRING(d->attrs[k].path);
			CHECK_STRING(d->attrs[k].before);
			CHECK(!strstr(d->attrs[k].path, ".."));
		}
	}
	for (size_t i = 0; i < saved.n_cpus; i++) {
		CHECK_STRING(saved.cpu[i].driver);
		CHECK_STRING(saved.cpu[i].governor);
		CHECK_STRING(saved.cpu[i].epp);
	}
	CHECK_STRING(saved.module.name);
	CHECK_STRING(saved.module.build_id);
	CHECK(!*saved.module.name || module_is_schedulers(saved.module.name));
	CHECK(saved.n_traces <= TRACES);
	for (unsigned i = 0; i < saved.n_traces; i++) {
		CHECK_STRING(saved.traces[i].path);
		CHECK(trace_is_ours(&saved.traces[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *text = mem_strndup((const char *)data, size);
	struct journal_head head;
	enum journal_state state = journal_parse(text, &head, &saved);

	CHECK_STRING(head.boot_id);
	if (state == JOURNAL_ALIEN)
		return 0;
	if (state == JOURNAL_WHOLE)
		check_whole();
	/* cut shorter it is torn */
	for (size_t len = strlen(text); len > 0; len -= len / 8 + 1) {
		text[len - 1] = '\0';
		CHECK(journal_parse(text, &head, &saved) == JOURNAL_TORN);
	}
	return 0;
}
