// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "common/file.h"
#include "runner/host.h"
#include "runner/journal.h"

static char root[] = "/tmp/iobench-journal.XXXXXX";
static struct saved saved, back; /* too large for a stack */
static struct journal_head head;

static enum journal_state parse(const char *text)
{
	return journal_parse(text, &head, &back);
}

/* 'n' bytes of text, none of them a tab or newline, as a string. */
static void fill(char *out, size_t n, char last)
{
	memset(out, 'x', n);
	out[n - 1] = last;
	out[n] = '\0';
}

static bool same_disk(const struct saved_disk *a, const struct saved_disk *b)
{
	bool same = !strcmp(a->name, b->name) && !strcmp(a->sysdir, b->sysdir) && a->diskseq == b->diskseq &&
		    !strcmp(a->scheduler, b->scheduler) && !strcmp(a->tags, b->tags) && a->n_attrs == b->n_attrs;

	for (unsigned i = 0; same && i < a->n_attrs; i++)
		same = !strcmp(a->attrs[i].path, b->attrs[i].path) && !strcmp(a->attrs[i].before, b->attrs[i].before);
	return same;
}

static bool same_cpu(const struct cpufreq_saved *a, const struct cpufreq_saved *b)
{
	return a->cpu == b->cpu && !strcmp(a->driver, b->driver) && !strcmp(a->governor, b->governor) &&
	       !strcmp(a->epp, b->epp) && a->min_khz == b->min_khz && a->max_khz == b->max_khz &&
	       a->speed_khz == b->speed_khz;
}

static bool same_saved(const struct saved *a, const struct saved *b)
{
	bool same = a->n_disks == b->n_disks && a->cpus == b->cpus && a->n_cpus == b->n_cpus;

	for (unsigned i = 0; same && i < a->n_disks; i++)
		same = same_disk(&a->disks[i], &b->disks[i]);
	for (size_t i = 0; same && i < a->n_cpus; i++)
		same = same_cpu(&a->cpu[i], &b->cpu[i]);
	same = same && a->n_traces == b->n_traces && !strcmp(a->module.name, b->module.name) &&
	       !strcmp(a->module.build_id, b->module.build_id);
	for (unsigned i = 0; same && i < a->n_traces; i++)
		same = a->traces[i].kind == b->traces[i].kind && !strcmp(a->traces[i].path, b->traces[i].path);
	return same;
}

/* Write 'saved' and give what is in the file. */
static void write_saved(struct str *text)
{
	AUTOFREE char *path = mem_printf("%s/sda.journal", root);
	struct err err = { 0 };

	str_clear(text);
	if (journal_write(path, &saved, &err) || file_slurp(path, text, &err))
		printf("Bail out! %s\n", err.msg);
	unlink(path);
}

static void add_disk(const char *name, const char *sysdir, uint64_t diskseq, const char *scheduler, const char *tags)
{
	struct saved_disk *d = &saved.disks[saved.n_disks++];

	d->diskseq = diskseq;
	snprintf(d->name, sizeof(d->name), "%s", name);
	snprintf(d->sysdir, sizeof(d->sysdir), "%s", sysdir);
	snprintf(d->scheduler, sizeof(d->scheduler), "%s", scheduler);
	snprintf(d->tags, sizeof(d->tags), "%s", tags);
}

static void add_attr(const char *path, const char *before)
{
	struct saved_disk *d = &saved.disks[saved.n_disks - 1];
	struct saved_attr *a = &d->attrs[d->n_attrs++];

	snprintf(a->path, sizeof(a->path), "%s", path);
	snprintf(a->before, sizeof(a->before), "%s", before);
}

static void fill_small(void)
{
	memset(&saved, 0, sizeof(saved));
	add_disk("sda", "/sys/devices/pci0000:00/block/sda", 17, "bfq", "");
	add_attr("queue/nr_requests", "64");
	add_attr("queue/iosched/slice_idle", "8");
	add_attr("queue/empty", "");
	add_attr("queue/odd", "a \\"); /* a value may end in a backslash, which escapes nothing */
	add_attr("queue/after", "\\n");
	add_disk("nvme0n1", "/sys/devices/virtual/block/nvme0n1", 0, "", "1023");
	saved.module = (struct saved_module){ "bfq", "0123abcd" };
	saved.cpus = true;
	saved.n_cpus = 2;
	saved.traces[saved.n_traces++] = (struct trace){ TRACE_TREE, "/mnt/.iobench-1" };
	saved.traces[saved.n_traces++] = (struct trace){ TRACE_CGROUP, "/cgroup/iobench-1 a" };
	saved.cpu[0] = (struct cpufreq_saved){ 0, "intel_pstate", "powersave", "balance_performance", 800000, 4200000, 0 };
	saved.cpu[1] = (struct cpufreq_saved){ 3, "acpi-cpufreq", "userspace", "", 800000, 4200000, 1700000 };
}

/* As much as there is room for: every string as long as it can be. */
static void fill_full(void)
{
	memset(&saved, 0, sizeof(saved));
	saved.n_disks = SETTINGS_DISKS;
	for (unsigned i = 0; i < saved.n_disks; i++) {
		struct saved_disk *d = &saved.disks[i];

		fill(d->name, sizeof(d->name) - 1, (char)('A' + i % 26));
		fill(d->sysdir, sizeof(d->sysdir) - 1, 'y');
		fill(d->scheduler, sizeof(d->scheduler) - 1, '\\');
		fill(d->tags, sizeof(d->tags) - 1, '\\');
		d->diskseq = UINT64_MAX - i;
		d->n_attrs = SETTINGS_ATTRS;
		for (unsigned k = 0; k < d->n_attrs; k++) {
			fill(d->attrs[k].path, sizeof(d->attrs[k].path) - 1, '\\');
			fill(d->attrs[k].before, sizeof(d->attrs[k].before) - 1, k % 2 ? '\\' : ' ');
		}
	}
	saved.module = (struct saved_module){ .name = "kyber_iosched" };
	fill(saved.module.build_id, BUILD_ID_TEXT - 1, 'f');
	saved.cpus = true;
	saved.n_cpus = SETTINGS_CPUS;
	for (unsigned i = 0; i < saved.n_cpus; i++) {
		struct cpufreq_saved *c = &saved.cpu[i];

		c->cpu = UINT_MAX - i;
		fill(c->driver, CPUFREQ_NAME - 1, 'd');
		fill(c->governor, CPUFREQ_NAME - 1, 'g');
		fill(c->epp, CPUFREQ_NAME - 1, '\\');
		c->min_khz = i;
		c->max_khz = ULONG_MAX;
		c->speed_khz = ULONG_MAX - i;
	}
}

static void test_round_trip(void)
{
	AUTOSTR struct str text = { 0 };
	char boot_id[UUID_TEXT];

	host_boot_id(boot_id);
	fill_small();
	write_saved(&text);
	is_int(parse(text.s), JOURNAL_WHOLE, "what was written is a whole journal");
	ok(same_saved(&saved, &back), "of the same settings");
	is_int(head.pid, getpid(), "of this process");
	is(head.boot_id, boot_id, "in this boot");

	fill_full();
	write_saved(&text);
	is_int(parse(text.s), JOURNAL_WHOLE, "with as much as there is room for");
	ok(same_saved(&saved, &back), "all comes back");

	memset(&saved, 0, sizeof(saved));
	write_saved(&text);
	is_int(parse(text.s), JOURNAL_WHOLE, "a journal of nothing");
	ok(same_saved(&saved, &back), "leaves nothing of the one before");

	saved.cpus = true;
	write_saved(&text);
	is_int(parse(text.s), JOURNAL_WHOLE, "governors on a machine that has none");
	ok(same_saved(&saved, &back), "are remembered as such");
}

static void test_atomic(void)
{
	AUTOFREE char *path = mem_printf("%s/no/sda.journal", root);
	struct err err = { 0 };

	ok(journal_write(path, &saved, &err), "a journal that cannot be written is an error");
	has(err.msg, path, "that names it");
}

/* Wherever the machine stopped: never whole, and never somebody else's. */
static void test_torn(void)
{
	AUTOSTR struct str text = { 0 };
	size_t torn = 0;

	fill_small();
	write_saved(&text);
	for (size_t len = 0; len < text.len; len++) {
		AUTOFREE char *cut = mem_strndup(text.s, len);
		enum journal_state state = parse(cut);

		torn += state == JOURNAL_TORN;
		if (state != JOURNAL_TORN)
			printf("# cut to %zu bytes it is %d: ...%s\n", len, (int)state, cut + (len > 30 ? len - 30 : 0));
	}
	is_int(torn, (long long)text.len, "cut after any byte it is torn");
}

#define HEAD "iobench-journal 1\t42\t0123\n"
#define DISK "disk\tsda\t/sys/block/sda\t7\tbfq\t\n"

static void test_alien(void)
{
	static const char *const texts[] = {
		"\n",
		"x",
		"hello\nworld\nend\n",
		"[global]\nend\n",
		"iobench-journal 2\t42\t0123\nend\n", /* of a later version: not ours to remove */
		"iobench-journal 12\t42\t0123\nend\n",
		"iobench-journal 12\t42\t0123\n",
		"iobench-journal 1\nend\n",
		"iobench-journal 1\t42\nend\n",
		"iobench-journal 1\tpid\t0123\nend\n",
		"iobench-journal 1\t42\t0123\tmore\nend\n",
		"iobench-journal 1\t42\t0123456789012345678901234567890123456789\nend\n",
		" " HEAD "end\n",
		HEAD "end\nend\n",
		HEAD "end\nmore",
		HEAD "\nend\n",
		HEAD "what\tis\tthis\nend\n",
		HEAD DISK "attr\tqueue/x\t1\nwhat\nend\n",
		HEAD "attr\tqueue/x\t1\nend\n", /* of no disk */
		HEAD "disk\nend\n",
		HEAD "disk\tsda\t/sys/block/sda\t7\tbfq\nend\n",
		HEAD "disk\tsda\t/sys/block/sda\t7\tbfq\t\tmore\nend\n",
		HEAD "disk\tsda\t/sys/block/sda\tseven\tbfq\t\nend\n",
		HEAD "disk\tsda\t/sys/block/sda\t\tbfq\t\nend\n",
		HEAD "disk\tsda\t/sys/block/sda\t99999999999999999999\tbfq\t\nend\n",
		HEAD "disk\tsda\t/sys/block/../../etc\t7\tbfq\t\nend\n",
		HEAD DISK "attr\t../../etc/passwd\tx\nend\n",
		HEAD DISK "attr\tqueue/../../x\tx\nend\n",
		HEAD DISK "attr\tqueue/x\nend\n",
		HEAD DISK "attr\tqueue/x\t1\t2\nend\n",
		HEAD "module\tbfq\nend\n",
		HEAD "module\tbfq\t01\t02\nend\n",
		HEAD "module\text4\t01\nend\n", /* not one that we would load */
		HEAD "module\t../../x\t01\nend\n",
		HEAD "module\tbfq\t01\nmodule\tbfq\t01\nend\n",
		HEAD "cpus\tx\nend\n",
		HEAD "cpu\t0\tdriver\tgovernor\t\t1\t2\t0\nend\n", /* governors that were not part of it */
		HEAD "cpus\ncpu\t0\tdriver\tgovernor\t\t1\t2\nend\n",
		HEAD "cpus\ncpu\t-1\tdriver\tgovernor\t\t1\t2\t0\nend\n",
		HEAD "cpus\ncpu\t4294967296\tdriver\tgovernor\t\t1\t2\t0\nend\n",
		HEAD "cpus\ncpu\t0\tdriver\tgovernor\t\t1\tx\t0\nend\n",
		HEAD "cpus\ncpu\t0\tdriver\tgovernor\t\t1\t2\t0\t0\nend\n",
		HEAD "cpus\ncpu\t0\tdriver\tgovernor-that-is-far-too-long\t\t1\t2\t0\nend\n",
	};

	is_int(parse(HEAD DISK "attr\tqueue/x\t1\ncpus\ncpu\t0\tdriver\tgovernor\t\t1\t2\t0\nend\n"), JOURNAL_WHOLE,
	       "one that is as it should be");
	is_int(head.pid, 42, "with its pid");
	is(back.disks[0].attrs[0].before, "1", "and its settings");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		enum journal_state state = parse(texts[i]);

		if (!ok(state == JOURNAL_ALIEN, "alien text %zu", i))
			printf("# it is %d:\n# %s\n", (int)state, texts[i]);
	}
}

/* A journal with 'line', whose % stands for a string of 'n' bytes. */
static enum journal_state parse_long(const char *line, size_t n)
{
	AUTOFREE char *s = mem_alloc(n + 1, 1);
	AUTOSTR struct str text = { 0 };

	memset(s, 'x', n);
	str_add(&text, HEAD);
	for (; *line; line++)
		str_add(&text, *line == '%' ? s : (char[]){ *line, '\0' });
	str_add(&text, "end\n");
	return parse(text.s);
}

static void test_too_long(void)
{
	static const struct {
		const char *what, *line;
		size_t room;
	} cases[] = {
		{ "name", "disk\t%\t/sys\t0\t\t\n", sizeof(saved.disks[0].name) },
		{ "folder", "disk\tsda\t%\t0\t\t\n", sizeof(saved.disks[0].sysdir) },
		{ "scheduler", "disk\tsda\t/sys\t0\t%\t\n", sizeof(saved.disks[0].scheduler) },
		{ "number of tags", "disk\tsda\t/sys\t0\t\t%\n", sizeof(saved.disks[0].tags) },
		{ "path", DISK "attr\t%\t1\n", sizeof(saved.disks[0].attrs[0].path) },
		{ "value", DISK "attr\tqueue/x\t%\n", sizeof(saved.disks[0].attrs[0].before) },
		{ "build-id", "module\tbfq\t%\n", BUILD_ID_TEXT },
		{ "driver", "cpus\ncpu\t0\t%\tg\t\t1\t2\t0\n", CPUFREQ_NAME },
		{ "governor", "cpus\ncpu\t0\td\t%\t\t1\t2\t0\n", CPUFREQ_NAME },
		{ "preference", "cpus\ncpu\t0\td\tg\t%\t1\t2\t0\n", CPUFREQ_NAME },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ok(parse_long(cases[i].line, cases[i].room - 1) == JOURNAL_WHOLE, "the longest %s", cases[i].what);
		ok(parse_long(cases[i].line, cases[i].room) == JOURNAL_ALIEN, "one byte more is none of ours");
	}
}

static enum journal_state parse_many(const char *before, const char *line, size_t n)
{
	AUTOSTR struct str text = { 0 };

	str_add(&text, HEAD);
	str_add(&text, before);
	while (n--)
		str_add(&text, line);
	str_add(&text, "end\n");
	return parse(text.s);
}

static void test_too_many(void)
{
	const char *attr = "attr\tqueue/x\t1\n", *cpu = "cpu\t0\td\tg\t\t1\t2\t0\n";

	is_int(parse_many("", DISK, SETTINGS_DISKS), JOURNAL_WHOLE, "as many disks as there is room for");
	is_int(parse_many("", DISK, SETTINGS_DISKS + 1), JOURNAL_ALIEN, "one more is refused");
	is_int(parse_many(DISK, attr, SETTINGS_ATTRS), JOURNAL_WHOLE, "as many settings");
	is_int(parse_many(DISK, attr, SETTINGS_ATTRS + 1), JOURNAL_ALIEN, "one more is refused");
	is_int(parse_many("cpus\n", cpu, SETTINGS_CPUS), JOURNAL_WHOLE, "as many CPUs");
	is_int(parse_many("cpus\n", cpu, SETTINGS_CPUS + 1), JOURNAL_ALIEN, "one more is refused");
}

/* Any byte may be wrong: it is another value, or it is refused; nothing is made up. */
static void test_flipped(void)
{
	AUTOSTR struct str text = { 0 };
	bool bounded = true;

	fill_small();
	write_saved(&text);
	for (size_t i = 0; i < text.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			text.s[i] ^= (char)(1 << bit);
			if (parse(text.s) == JOURNAL_WHOLE)
				bounded &= back.n_disks == 2 && back.n_cpus == 2 && back.disks[0].n_attrs == 5;
			text.s[i] ^= (char)(1 << bit);
		}
	ok(bounded, "with a bit flipped it is refused, or has as many settings as before");
	ok(parse(text.s) == JOURNAL_WHOLE && same_saved(&saved, &back), "and flipped back it is the same again");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	test_round_trip();
	test_atomic();
	test_torn();
	test_alien();
	test_too_long();
	test_too_many();
	test_flipped();
	rmdir(root);
	return tap_done();
}
