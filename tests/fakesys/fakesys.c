// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fakesys [-f] TREE MOUNTPOINT: a file system that behaves as sysfs does for disks and for cpufreq, made of the disks
 * and CPUs that the text file TREE describes. README.md says how to describe them and how to make them fail.
 *
 * What a write does stands in one table, attrs[]: how the kernel reads the number, the bounds it is clamped to, and a
 * function for what happens besides. Where no source is named, measure.sh found it on kernel 6.18 with HZ=250.
 *
 * Nodes are never freed: a file that is open while its directory goes away answers ENODEV, as in sysfs.
 */
#define FUSE_USE_VERSION 35

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "common/units.h"

#define TICK_MS 4	  /* a jiffy at HZ=250 */
#define DEFAULT_RQ 128	  /* include/linux/blkdev.h: BLKDEV_DEFAULT_RQ */
#define MAX_SCHED_RQ 2048 /* block/blk-mq-sched.h */
#define DEFAULT_MAX_KB 1280 /* include/linux/blkdev.h: BLK_DEF_MAX_SECTORS_CAP */
#define N_CPUS 64
#define PAGE_BYTES 4096 /* the most a sysfs file holds or takes */

struct node {
	fuse_ino_t ino;
	mode_t mode;
	char *name;
	const char *label; /* short paths start at it, "sda" or "policy0": those of the log and of the faults */
	struct node *parent;
	struct disk *disk;	 /* that it belongs to, like its parent */
	const struct attr *attr; /* of a file */
	char *text;		 /* of a file, without the last newline */
	char *kept;		 /* of an energy preference: what comes back after the performance governor */
	char *real;		 /* path of a real file, which is read instead: of a mapped disk, of a module */
	struct node *target;	 /* of a link */
	struct node *kids, *next; /* of a directory: the first thing in it; of that: the next one beside it */
	bool idle; /* a cpufreq policy without an online CPU */
	bool gone;
};

struct disk {
	struct node *dir, *queue, *device, *tags_file;
	strings_t schedulers; /* none: it has no such file */
	const char *current;  /* one of them */
	bool bio;	      /* old kernels' bio-based disk: reads "none", any write succeeds */
	bool mq;
	bool wbt_by_hand; /* once written, no scheduler changes it */
	int64_t wbt_us, tags;
	const char *nonrot_idle_ms;
};

/* How the kernel reads a number: kstrtoul and its kin; 'lax' is simple_strtoul, which takes what it can. */
struct form {
	int base;
	bool lax, sign;
	int64_t low, high;
	int range_errno;
};

struct attr {
	const char *group, *name, *value;
	int (*store)(struct node *n, const char *text); /* NULL: mode 0444. Returns 0 or -errno, as all here */
	const struct form *form;			/* from here on for store_number */
	int64_t min, max;
	bool ticks;				/* milliseconds, kept in jiffies */
	int (*fix)(struct node *n, int64_t *v); /* has the last word on the value that is to be stored */
};

struct fault {
	char *path, *value; /* value NULL: any */
	int errnum;	    /* 0: the write succeeds and changes nothing */
	long left;	    /* so many writes more; -1: all */
};

struct entry {
	char *section, *key, *value;
	bool used;
};

static VEC(struct node *) nodes; /* by inode number - 1 */
static VEC(struct fault) faults;
static VEC(struct entry) entries;
static struct str log_text;
static struct node *root;

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("fakesys: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputs("\n", stderr);
	va_end(ap);
	exit(2);
}

static bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* ---- nodes ---- */

static struct node *node_new(struct node *parent, const char *name, mode_t mode)
{
	struct node *n = mem_alloc(1, sizeof(*n));

	*vec_push(&nodes) = n; // NOLINT(bugprone-sizeof-expression): pointers are what it holds
	n->ino = nodes.n;
	n->mode = mode;
	n->name = mem_strdup(name);
	n->parent = parent;
	if (parent) {
		struct node **end = &parent->kids;

		while (*end)
			end = &(*end)->next;
		*end = n;
		n->disk = parent->disk;
	}
	return n;
}

static struct node *child(const struct node *dir, const char *name)
{
	struct node *n = dir->kids;

	while (n && !is(n->name, name))
		n = n->next;
	return n;
}

/* The same of what attrs[] always puts there. */
static struct node *file(const struct node *dir, const char *name)
{
	struct node *n = child(dir, name);

	if (!n)
		die("there is no '%s' in '%s'", name, dir->name);
	return n;
}

/* The node at 'path' below 'dir', links followed, or NULL. With 'make', what is missing becomes a directory. */
static struct node *node_at(struct node *dir, const char *path, bool make)
{
	AUTOSTRINGS strings_t names = { 0 };
	struct node *n = dir;

	str_split(path, '/', &names);
	for (size_t i = 0; n && i < names.n; i++) {
		struct node *next = child(n, names.items[i]);

		n = next || !make ? next : node_new(n, names.items[i], S_IFDIR | 0755);
		if (n && n->target)
			n = n->target;
	}
	return n;
}

static void link_new(struct node *dir, const char *name, struct node *target)
{
	node_new(dir, name, S_IFLNK | 0777)->target = target;
}

__attribute__((format(printf, 2, 3))) static void node_print(struct node *n, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	free(n->text);
	n->text = text;
}

static void forget(struct node *n)
{
	n->gone = true;
	for (struct node *kid = n->kids; kid; kid = kid->next)
		forget(kid);
}

static void node_remove(struct node *n)
{
	struct node **at = &n->parent->kids;

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	forget(n);
}

/* Append the path from 'top' to 'n'; from the next label upwards if 'top' is NULL. */
static void node_path(const struct node *top, const struct node *n, struct str *out)
{
	if (n == top)
		return;
	if (!top && n->label) {
		str_add(out, n->label);
		return;
	}
	node_path(top, n->parent, out);
	str_addf(out, "%s%s", out->len && out->s[out->len - 1] != '/' ? "/" : "", n->name);
}

static bool is_below(const struct node *n, const struct node *top)
{
	while (n && n != top)
		n = n->parent;
	return n;
}

static void link_text(const struct node *n, struct str *out)
{
	const struct node *top = n->parent;

	for (; top->parent && (top == n->target || !is_below(n->target, top)); top = top->parent)
		str_add(out, "../");
	node_path(top, n->target, out);
}

/* The number in another file of the directory, 0 if there is none; and write it, if there is one. */
static int64_t get(const struct node *dir, const char *name)
{
	const struct node *n = child(dir, name);

	return n ? strtoll(n->text, NULL, 10) : 0;
}

static void put(struct node *dir, const char *name, int64_t v)
{
	struct node *n = child(dir, name);

	if (n)
		node_print(n, "%lld", (long long)v);
}

/* ---- numbers ---- */

static const struct form UL = { 10, .high = INT64_MAX, .range_errno = ERANGE };
static const struct form UL0 = { 0, .high = INT64_MAX, .range_errno = ERANGE };
static const struct form INT0 = { 0, .sign = true, .low = INT_MIN, .high = INT_MAX, .range_errno = ERANGE };
static const struct form S64 = { 10, .sign = true, .low = INT64_MIN, .high = INT64_MAX, .range_errno = ERANGE };
static const struct form QUEUE = { 10, .high = UINT32_MAX, .range_errno = EINVAL }; /* queue_var_store() */
static const struct form LAX = { 10, .lax = true };
static const struct form LAX0 = { 0, .lax = true };

static int parse_number(const struct form *f, const char *text, int64_t *v)
{
	const char *digits = text + (*text == '+' || (*text == '-' && f->sign));
	char *end;

	errno = 0;
	*v = strtoll(text, &end, f->base);
	if (f->lax)
		return 0;
	if (!isdigit((unsigned char)*digits))
		return -EINVAL;
	end += *end == '\n';
	if (*end)
		return -EINVAL;
	return errno == ERANGE || *v < f->low || *v > f->high ? -f->range_errno : 0;
}

static int store_number(struct node *n, const char *text)
{
	const struct attr *a = n->attr;
	int64_t v;
	int err = parse_number(a->form, text, &v);

	if (err)
		return err;
	v = v < a->min ? a->min : v > a->max ? a->max : v;
	if (a->ticks)
		v = (v + TICK_MS - 1) / TICK_MS * TICK_MS;
	if (a->form == &INT0)
		v = (int32_t)v; /* INT_MAX rounded up to jiffies is shown as an int */
	err = a->fix ? a->fix(n, &v) : 0;
	if (!err)
		node_print(n, "%lld", (long long)v);
	return err;
}

static void show_tags(struct disk *d, int64_t depth)
{
	node_print(d->tags_file, "nr_tags=%lld\nnr_reserved_tags=0\nactive_queues=0\n\nbitmap_tags:\ndepth=%lld",
		   (long long)d->tags, (long long)depth);
}

static int fix_nr_requests(struct node *n, int64_t *v)
{
	struct disk *d = n->disk;
	bool none = d->mq && is(d->current, "none");
	struct node *iosched = child(d->queue, "iosched");

	if (!d->mq)
		return d->bio ? -EINVAL : 0;
	if (*v > (none ? d->tags : MAX_SCHED_RQ))
		return -EINVAL;
	if (*v == get(d->queue, n->name))
		return 0;
	if (none)
		show_tags(d, *v);
	if (iosched)
		put(iosched, "async_depth", *v);
	return 0;
}

static int fix_read_ahead(struct node *n, int64_t *v)
{
	(void)n;
	*v &= ~3; /* pages */
	return 0;
}

static int fix_max_sectors(struct node *n, int64_t *v)
{
	int64_t hw_kb = get(n->parent, "max_hw_sectors_kb");

	if (*v && *v < 4)
		return -EINVAL;
	if (!*v)
		*v = DEFAULT_MAX_KB;
	if (*v > hw_kb)
		*v = hw_kb;
	return 0;
}

static int fix_nomerges(struct node *n, int64_t *v)
{
	(void)n;
	if (*v > 2)
		*v = 1;
	return 0;
}

static int fix_rq_affinity(struct node *n, int64_t *v)
{
	if (*v > 2)
		*v = get(n->parent, n->name);
	return 0;
}

static int fix_wbt(struct node *n, int64_t *v)
{
	if (*v < -1)
		return -EINVAL;
	if (*v == -1)
		*v = get(n->parent, "rotational") ? 75000 : 2000;
	n->disk->wbt_by_hand = true;
	return 0;
}

/* bfq keeps slice_idle and slice_idle_us in one u32 of nanoseconds. */
static int fix_slice_idle(struct node *n, int64_t *v)
{
	uint32_t ns = (uint32_t)(*v * 1000000);

	*v = ns / 1000000;
	put(n->parent, "slice_idle_us", ns / 1000);
	return 0;
}

static int fix_slice_idle_us(struct node *n, int64_t *v)
{
	uint32_t ns = (uint32_t)(*v * 1000);

	*v = ns / 1000;
	put(n->parent, "slice_idle", ns / 1000000);
	return 0;
}

static int fix_strict(struct node *n, int64_t *v)
{
	if (*v && !get(n->parent, n->name) && get(n->parent, "slice_idle_us") < 8000)
		return store_number(file(n->parent, "slice_idle"), "8");
	return 0;
}

/* drivers/scsi/scsi_sysfs.c sdev_store_queue_depth(); libata keeps one of the 32 tags of NCQ for itself. */
static int fix_queue_depth(struct node *n, int64_t *v)
{
	(void)n;
	if (*v < 1 || *v > 32)
		return -EINVAL;
	if (*v == 32)
		*v = 31;
	return 0;
}

/* drivers/cpufreq/cpufreq.c since 5.3: what the CPU or the other bound does not allow is cut, not refused. */
static int fix_freq(struct node *n, int64_t *v)
{
	int64_t low = get(n->parent, "cpuinfo_min_freq"), high = get(n->parent, "cpuinfo_max_freq");

	if (is(n->name, "scaling_setspeed")) {
		if (!is(file(n->parent, "scaling_governor")->text, "userspace"))
			return -EINVAL;
		low = get(n->parent, "scaling_min_freq");
	}
	if (!is(n->name, "scaling_max_freq"))
		high = get(n->parent, "scaling_max_freq");
	*v = *v < low ? low : *v > high ? high : *v;
	if (is(n->name, "scaling_setspeed"))
		put(n->parent, "scaling_cur_freq", *v);
	if (is(n->name, "scaling_max_freq") && get(n->parent, "scaling_min_freq") > *v)
		put(n->parent, "scaling_min_freq", *v);
	return 0;
}

/* ---- words ---- */

/* Is 'word' one of those in the file 'list' of the directory? */
static bool has_word(const struct node *dir, const char *list, const char *word)
{
	const struct node *n = child(dir, list);
	AUTOSTRINGS strings_t words = { 0 };

	str_split(n ? n->text : "", ' ', &words);
	return strings_has(&words, word);
}

static void add_group(struct node *dir, const char *group);
static void file_new(struct node *dir, const char *name, const struct attr *attr, const char *value);

static void show_schedulers(struct disk *d)
{
	AUTOSTR struct str shown = { 0 };

	for (size_t i = 0; i < d->schedulers.n; i++)
		str_addf(&shown, d->schedulers.items[i] == d->current ? "[%s] " : "%s ", d->schedulers.items[i]);
	node_print(file(d->queue, "scheduler"), "%s", str_text(&shown));
}

/* A disk holds the module of its scheduler, where that is one. */
static void count_user(const char *scheduler, int more)
{
	AUTOFREE char *path = mem_printf("module/%s", scheduler ? scheduler : "");
	struct node *module = scheduler ? node_at(root, path, false) : NULL;

	if (module)
		put(module, "refcnt", get(module, "refcnt") + more);
}

static int switch_scheduler(struct disk *d, const char *name)
{
	struct node *iosched = child(d->queue, "iosched");
	const char *found = NULL;
	bool bfq;

	if (d->mq && is(name, "deadline"))
		name = "mq-deadline"; /* an alias since 4.15 */
	for (size_t i = 0; i < d->schedulers.n; i++)
		if (is(d->schedulers.items[i], name))
			found = d->schedulers.items[i];
	if (!found)
		return -EINVAL;
	if (found == d->current)
		return 0;
	count_user(d->current, -1);
	count_user(found, 1);
	d->current = found;
	bfq = is(found, "bfq");
	show_schedulers(d);
	if (iosched)
		node_remove(iosched);
	if (d->mq)
		put(d->queue, "nr_requests",
		    is(found, "none") ? d->tags : 2 * (d->tags < DEFAULT_RQ ? d->tags : DEFAULT_RQ));
	if (!d->wbt_by_hand)
		put(d->queue, "wbt_lat_usec", bfq ? 0 : d->wbt_us);
	if (is(found, "none"))
		return 0;

	iosched = node_new(d->queue, "iosched", S_IFDIR | 0755);
	add_group(iosched, found);
	put(iosched, "async_depth", get(d->queue, "nr_requests"));
	/* cfq_registered_queue(); bfq only with a patch that 6.18 does not have (README.md) */
	if (child(iosched, "slice_idle") && !get(d->queue, "rotational"))
		return store_number(child(iosched, "slice_idle"), bfq ? d->nonrot_idle_ms : "0");
	return 0;
}

static int store_scheduler(struct node *n, const char *text)
{
	AUTOFREE char *copy = mem_strdup(text);

	return n->disk->bio ? 0 : switch_scheduler(n->disk, str_trim(copy));
}

static int store_write_cache(struct node *n, const char *text)
{
	static const struct {
		const char *word, *means;
	} words[] = { { "write back", "write back" }, { "write through", "write through" }, { "none", "write through" } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_starts(text, words[i].word)) {
			node_print(n, "%s", words[i].means);
			return 0;
		}
	return -EINVAL;
}

static int store_governor(struct node *n, const char *text)
{
	struct node *preference = child(n->parent, "energy_performance_preference");
	AUTOFREE char *copy = mem_strdup(text);
	const char *word = str_trim(copy);
	bool was_performance = is(n->text, "performance"), performance = is(word, "performance");

	if (!has_word(n->parent, "scaling_available_governors", word))
		return -EINVAL;
	node_print(n, "%s", word);
	node_print(file(n->parent, "scaling_setspeed"), "%s",
		   is(word, "userspace") ? file(n->parent, "scaling_cur_freq")->text : "<unsupported>");
	if (!preference || was_performance == performance)
		return 0;
	if (performance) {
		free(preference->kept);
		preference->kept = mem_strdup(preference->text);
	}
	node_print(preference, "%s", performance || !preference->kept ? "performance" : preference->kept);
	return 0;
}

/* drivers/cpufreq/intel_pstate.c: nothing but 'performance' under the governor of that name. */
static int store_preference(struct node *n, const char *text)
{
	AUTOFREE char *copy = mem_strdup(text);
	const char *word = str_trim(copy);

	if (!has_word(n->parent, "energy_performance_available_preferences", word))
		return -EINVAL;
	if (is(file(n->parent, "scaling_governor")->text, "performance") && !is(word, "performance"))
		return -EBUSY;
	node_print(n, "%s", word);
	return 0;
}

static int store_never(struct node *n, const char *text)
{
	(void)n;
	(void)text;
	return -EINVAL;
}

/* ---- CPUs ---- */

static struct {
	struct node *dir;
	uint64_t possible, present, online;
} cpus;

static uint64_t mask_parse(const char *text)
{
	numbers_t list = { 0 };
	uint64_t mask = 0;

	if (units_parse_numbers(text, &list, NULL))
		die("'%s' is not a list of CPUs, like 0-3,5", text);
	for (size_t i = 0; i < list.n; i++)
		if (list.items[i] < N_CPUS)
			mask |= 1ULL << list.items[i];
	vec_free(&list);
	return mask;
}

/* "0-2,5", or each by itself as cpufreq has it: "0 1 2 5" */
static void mask_print(struct node *n, uint64_t mask, bool ranges)
{
	AUTOSTR struct str text = { 0 };

	for (int i = 0; i < N_CPUS; i++) {
		int last = i;

		if (!(mask >> i & 1))
			continue;
		while (ranges && last + 1 < N_CPUS && mask >> (last + 1) & 1)
			last++;
		str_addf(&text, "%s%d", !text.len ? "" : ranges ? "," : " ", i);
		if (last > i)
			str_addf(&text, "-%d", last);
		i = last;
	}
	node_print(n, "%s", str_text(&text));
}

static void cpus_show(void)
{
	struct node *policies = child(cpus.dir, "cpufreq"), *policy = policies ? policies->kids : NULL;

	mask_print(file(cpus.dir, "possible"), cpus.possible, true);
	mask_print(file(cpus.dir, "present"), cpus.present, true);
	mask_print(file(cpus.dir, "online"), cpus.online, true);
	mask_print(file(cpus.dir, "offline"), cpus.possible & ~cpus.online, true);
	for (; policy; policy = policy->next) {
		AUTOFREE char *related = mem_strdup(file(policy, "related_cpus")->text);
		uint64_t mask = 0;

		for (char *save, *w = strtok_r(related, " ", &save); w; w = strtok_r(NULL, " ", &save))
			mask |= mask_parse(w);
		mask_print(file(policy, "affected_cpus"), mask & cpus.online, false);
		policy->idle = !(mask & cpus.online);
	}
}

static int store_online(struct node *n, const char *text)
{
	uint64_t bit = mask_parse(n->parent->name + strlen("cpu"));

	if (*text != '0' && *text != '1')
		return -EINVAL;
	cpus.online = *text == '1' ? cpus.online | bit : cpus.online & ~bit;
	node_print(n, "%c", *text);
	cpus_show();
	return 0;
}

/* ---- what can be made to happen ---- */

/* A disk, a partition, a CPU or a policy. */
static struct node *target(const char *name)
{
	static const char *const dirs[] = { "class/block", "devices/system/cpu", "devices/system/cpu/cpufreq" };
	struct node *n = NULL;

	for (size_t i = 0; !n && i < ARRAY_LEN(dirs); i++) {
		struct node *dir = node_at(root, dirs[i], false);

		n = dir ? node_at(dir, name, false) : NULL;
	}
	return n && S_ISDIR(n->mode) ? n : NULL;
}

static struct disk *target_disk(const char *name)
{
	struct node *n = target(name);

	return n ? n->disk : NULL;
}

static struct node *target_file(char **arg)
{
	struct node *dir = target(arg[0]), *n = dir ? node_at(dir, arg[1], false) : NULL;

	return n && S_ISREG(n->mode) ? n : NULL;
}

/* The attribute need not exist now: iosched/ comes and goes. */
static int fault_add(char **arg, const char *value, int errnum, const char *count)
{
	const struct node *dir = target(arg[0]), *file = target_file(arg);
	struct str path = { 0 };
	struct fault *f = NULL;

	if (!dir || !errnum != !count)
		return -EINVAL;
	node_path(NULL, file ? file : dir, &path);
	if (!file)
		str_addf(&path, "/%s", arg[1]);
	for (size_t i = 0; i < faults.n; i++)
		if (is(faults.items[i].path, path.s) && !faults.items[i].value == !value &&
		    (!value || is(faults.items[i].value, value)))
			f = &faults.items[i];
	if (!f)
		f = vec_push(&faults);
	free(f->path);
	free(f->value);
	*f = (struct fault){ str_steal(&path), mem_strdup(value), errnum, count ? strtol(count, NULL, 10) : -1 };
	return 0;
}

static int do_ebusy(char **arg)
{
	char *what[] = { arg[0], (char[]){ "queue/scheduler" } };

	return fault_add(what, NULL, EBUSY, arg[1]);
}

static int do_refuse(char **arg)
{
	char *what[] = { arg[0], (char[]){ "queue/scheduler" } };

	return fault_add(what, arg[1], EINVAL, "-1");
}

static int do_stick(char **arg)
{
	return fault_add(arg, NULL, 0, NULL);
}

static int do_fail(char **arg)
{
	for (int e = 1; e < 4096; e++)
		if (strerrorname_np(e) && is(strerrorname_np(e), arg[2]))
			return fault_add(arg, NULL, e, arg[3]);
	return -EINVAL;
}

/* Take away every fault of a disk or CPU policy. */
static int do_heal(char **arg)
{
	const struct node *dir = target(arg[0]);
	AUTOSTR struct str path = { 0 };

	if (!dir)
		return -ENOENT;
	node_path(NULL, dir, &path);
	for (size_t i = faults.n; i--;) {
		struct fault *f = &faults.items[i];

		if (!str_starts(f->path, path.s))
			continue;
		free(f->path);
		free(f->value);
		*f = faults.items[--faults.n];
	}
	return 0;
}

static int do_flip(char **arg)
{
	struct disk *d = target_disk(arg[0]);

	return d ? switch_scheduler(d, arg[1]) : -ENOENT;
}

static int do_set(char **arg)
{
	struct node *n = target_file(arg);

	if (!n)
		return -ENOENT;
	if (n->attr && n->attr->store == store_scheduler)
		return -EINVAL;
	free(n->real);
	n->real = NULL;
	node_print(n, "%s", arg[2]);
	return 0;
}

static int do_readonly(char **arg)
{
	struct node *n = target_file(arg);

	if (!n)
		return -ENOENT;
	n->mode = S_IFREG | 0444;
	return 0;
}

static int do_readonly_governor(char **arg)
{
	char *what[] = { arg[0], (char[]){ "cpufreq/scaling_governor" } };

	return do_readonly(what);
}

static int do_gone(char **arg)
{
	struct disk *d = target_disk(arg[0]);

	if (!d)
		return -ENOENT;
	node_remove(d->device ? d->device : d->dir);
	for (size_t i = 0; i < nodes.n; i++)
		if (nodes.items[i]->target && nodes.items[i]->target->gone && !nodes.items[i]->gone)
			node_remove(nodes.items[i]);
	return 0;
}

static int do_map(char **arg)
{
	static const char *const files[] = { "size", "ro", "stat", "inflight", "diskseq" };
	struct node *dir = target(arg[0]), *numbers = node_at(root, "dev/block", true);

	if (!dir || !dir->disk)
		return -ENOENT;
	if (child(numbers, arg[1]))
		node_remove(child(numbers, arg[1]));
	link_new(numbers, arg[1], dir);
	node_print(file(dir, "dev"), "%s", arg[1]);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct node *n = child(dir, files[i]);

		if (!n)
			continue;
		free(n->real);
		n->real = mem_printf("/sys/dev/block/%s/%s", arg[1], files[i]);
	}
	return 0;
}

static int cpu_turn(char **arg, const char *on)
{
	char *what[] = { arg[0], (char[]){ "online" } };
	struct node *n = target_file(what);

	return n ? store_online(n, on) : -ENOENT;
}

static int do_offline(char **arg)
{
	return cpu_turn(arg, "0");
}

static int do_online(char **arg)
{
	return cpu_turn(arg, "1");
}

/* Every blk-mq disk offers the scheduler while its module is loaded. */
static void offer(const char *scheduler, bool on)
{
	struct node *disks = node_at(root, "block", true);

	for (struct node *link = disks->kids; link; link = link->next) {
		struct disk *d = link->target->disk;

		if (!d->mq)
			continue;
		if (on) {
			strings_add(&d->schedulers, scheduler);
		} else {
			size_t i = 0;

			while (i < d->schedulers.n && !is(d->schedulers.items[i], scheduler))
				i++;
			if (i < d->schedulers.n) {
				free(d->schedulers.items[i]);
				d->schedulers.items[i] = d->schedulers.items[--d->schedulers.n];
			}
		}
		show_schedulers(d);
	}
}

static int do_insmod(char **arg)
{
	AUTOFREE char *path = mem_printf("module/%s", arg[0]);
	struct node *module = node_at(root, path, true), *notes;

	if (child(module, "initstate"))
		return -EEXIST;
	file_new(module, "initstate", NULL, "live");
	file_new(module, "refcnt", NULL, "0");
	notes = node_at(module, "notes", true);
	file_new(notes, ".note.gnu.build-id", NULL, "");
	file(notes, ".note.gnu.build-id")->real = mem_strdup(arg[1]);
	offer(arg[0], true);
	return 0;
}

static int do_rmmod(char **arg)
{
	AUTOFREE char *path = mem_printf("module/%s", arg[0]);
	struct node *module = node_at(root, path, false);

	if (!module)
		return -ENOENT;
	if (get(module, "refcnt"))
		return -EWOULDBLOCK;
	node_remove(module);
	offer(arg[0], false);
	return 0;
}

#define MAX_ARGS 4
static const struct {
	const char *name;
	int n_args; /* the last one takes the rest of the line */
	int (*run)(char **arg);
} commands[] = {
	{ "ebusy", 2, do_ebusy },
	{ "refuse", 2, do_refuse },
	{ "stick", 2, do_stick },
	{ "fail", 4, do_fail },
	{ "heal", 1, do_heal },
	{ "flip", 2, do_flip },
	{ "set", 3, do_set },
	{ "readonly", 2, do_readonly },
	{ "readonly-governor", 1, do_readonly_governor },
	{ "gone", 1, do_gone },
	{ "map", 2, do_map },
	{ "offline", 1, do_offline },
	{ "online", 1, do_online },
	{ "insmod", 2, do_insmod },
	{ "rmmod", 1, do_rmmod },
};

static int store_command(struct node *n, const char *text)
{
	AUTOFREE char *copy = mem_strdup(text);
	char *rest = str_trim(copy), *name = strsep(&rest, " ");
	char *arg[MAX_ARGS];

	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		int got = 0;

		if (!is(name, commands[i].name))
			continue;
		for (; rest && got < commands[i].n_args; got++)
			arg[got] = strsep(&rest, got + 1 < commands[i].n_args ? " " : "\n");
		return got == commands[i].n_args ? commands[i].run(arg) : -EINVAL;
	}
	return -EINVAL;
}

/* Emptied by opening it with O_TRUNC. */
static int store_log(struct node *n, const char *text)
{
	(void)n;
	(void)text;
	return 0;
}

/* ---- attributes ---- */

#define RO .store = NULL
#define NUM(f, low, high) .store = store_number, .form = &(f), .min = (low), .max = (high)
#define MS(f, low, high) NUM(f, low, high), .ticks = true

static const struct attr attrs[] = {
	{ "root", ".fakesys", "", .store = store_command },
	{ "root", ".log", "", .store = store_log },

	{ "disk", "alignment_offset", "0", RO },
	{ "disk", "capability", "0", RO },
	{ "disk", "dev", "", RO },
	{ "disk", "diskseq", "", RO },
	{ "disk", "hidden", "0", RO },
	{ "disk", "inflight", "       0        0", RO },
	{ "disk", "removable", "0", RO },
	{ "disk", "ro", "0", RO },
	{ "disk", "size", "0", RO },
	{ "disk", "stat", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", RO },

	{ "partition", "alignment_offset", "0", RO },
	{ "partition", "dev", "", RO },
	{ "partition", "inflight", "       0        0", RO },
	{ "partition", "partition", "", RO },
	{ "partition", "ro", "0", RO },
	{ "partition", "size", "", RO },
	{ "partition", "start", "", RO },
	{ "partition", "stat", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", RO },

	{ "device", "queue_depth", "31", NUM(LAX0, INT_MIN, INT_MAX), .fix = fix_queue_depth },

	{ "queue", "add_random", "0", NUM(QUEUE, 0, 1) },
	{ "queue", "discard_granularity", "0", RO },
	{ "queue", "discard_max_bytes", "0", RO },
	{ "queue", "fua", "0", RO },
	{ "queue", "hw_sector_size", "512", RO },
	{ "queue", "iostats", "1", NUM(QUEUE, 0, 1) },
	{ "queue", "logical_block_size", "512", RO },
	{ "queue", "max_hw_sectors_kb", "1280", RO },
	{ "queue", "max_sectors_kb", "1280", NUM(QUEUE, 0, INT64_MAX), .fix = fix_max_sectors },
	{ "queue", "max_segments", "128", RO },
	{ "queue", "minimum_io_size", "512", RO },
	{ "queue", "nomerges", "0", NUM(QUEUE, 0, INT64_MAX), .fix = fix_nomerges },
	{ "queue", "nr_zones", "0", RO },
	{ "queue", "optimal_io_size", "0", RO },
	{ "queue", "physical_block_size", "512", RO },
	{ "queue", "read_ahead_kb", "128", NUM(QUEUE, 0, INT64_MAX), .fix = fix_read_ahead },
	{ "queue", "rotational", "0", NUM(QUEUE, 0, 1) },
	{ "queue", "write_cache", "write back", .store = store_write_cache },
	{ "queue", "zoned", "none", RO },

	/* of disks with a scheduler file */
	{ "request", "nr_requests", "128", NUM(QUEUE, 4, INT64_MAX), .fix = fix_nr_requests },
	{ "request", "rq_affinity", "1", NUM(QUEUE, 0, INT64_MAX), .fix = fix_rq_affinity },
	{ "request", "scheduler", "none", .store = store_scheduler },
	{ "mq", "io_poll", "0", .store = store_never },
	{ "mq", "wbt_lat_usec", "0", NUM(S64, INT64_MIN, INT64_MAX), .fix = fix_wbt },
	{ "hctx", "cpu_list", "0, 1", RO },
	{ "hctx", "nr_reserved_tags", "0", RO },
	{ "hctx", "nr_tags", "", RO },

	{ "mq-deadline", "async_depth", "", NUM(INT0, 1, INT_MAX) },
	{ "mq-deadline", "fifo_batch", "16", NUM(INT0, 0, INT_MAX) },
	{ "mq-deadline", "front_merges", "1", NUM(INT0, 0, 1) },
	{ "mq-deadline", "prio_aging_expire", "10000", MS(INT0, 0, INT_MAX) },
	{ "mq-deadline", "read_expire", "500", MS(INT0, 0, INT_MAX) },
	{ "mq-deadline", "write_expire", "5000", MS(INT0, 0, INT_MAX) },
	{ "mq-deadline", "writes_starved", "2", NUM(INT0, INT_MIN, INT_MAX) },

	{ "kyber", "read_lat_nsec", "2000000", NUM(UL, 0, INT64_MAX) },
	{ "kyber", "write_lat_nsec", "10000000", NUM(UL, 0, INT64_MAX) },

	{ "bfq", "back_seek_max", "16384", NUM(UL, 0, INT_MAX) },
	{ "bfq", "back_seek_penalty", "2", NUM(UL, 1, INT_MAX) },
	{ "bfq", "fifo_expire_async", "250", NUM(UL, 1, INT_MAX) },
	{ "bfq", "fifo_expire_sync", "125", NUM(UL, 1, INT_MAX) },
	{ "bfq", "low_latency", "1", NUM(UL, 0, 1) },
	{ "bfq", "max_budget", "0", NUM(UL, 0, INT_MAX) },
	{ "bfq", "slice_idle", "8", NUM(UL, 0, INT_MAX), .fix = fix_slice_idle },
	{ "bfq", "slice_idle_us", "8000", NUM(UL, 0, INT_MAX), .fix = fix_slice_idle_us },
	{ "bfq", "strict_guarantees", "0", NUM(UL, 0, 1), .fix = fix_strict },
	{ "bfq", "timeout_sync", "124", MS(UL, 1, INT_MAX) },

	/* block/cfq-iosched.c and block/deadline-iosched.c before 4.8 */
	{ "cfq", "back_seek_max", "16384", NUM(LAX, 0, UINT_MAX) },
	{ "cfq", "back_seek_penalty", "2", NUM(LAX, 1, UINT_MAX) },
	{ "cfq", "fifo_expire_async", "248", MS(LAX, 1, UINT_MAX) },
	{ "cfq", "fifo_expire_sync", "124", MS(LAX, 1, UINT_MAX) },
	{ "cfq", "group_idle", "8", MS(LAX, 0, UINT_MAX) },
	{ "cfq", "low_latency", "1", NUM(LAX, 0, 1) },
	{ "cfq", "quantum", "8", NUM(LAX, 1, UINT_MAX) },
	{ "cfq", "slice_async", "40", MS(LAX, 1, UINT_MAX) },
	{ "cfq", "slice_async_rq", "2", NUM(LAX, 1, UINT_MAX) },
	{ "cfq", "slice_idle", "8", MS(LAX, 0, UINT_MAX) },
	{ "cfq", "slice_sync", "100", MS(LAX, 1, UINT_MAX) },
	{ "cfq", "target_latency", "300", MS(LAX, 1, UINT_MAX) },

	{ "deadline", "fifo_batch", "16", NUM(LAX, 0, INT_MAX) },
	{ "deadline", "front_merges", "1", NUM(LAX, 0, 1) },
	{ "deadline", "read_expire", "500", MS(LAX, 0, INT_MAX) },
	{ "deadline", "write_expire", "5000", MS(LAX, 0, INT_MAX) },
	{ "deadline", "writes_starved", "2", NUM(LAX, INT_MIN, INT_MAX) },

	{ "cpus", "kernel_max", "63", RO },
	{ "cpus", "offline", "", RO },
	{ "cpus", "online", "", RO },
	{ "cpus", "possible", "", RO },
	{ "cpus", "present", "", RO },
	{ "cpu", "online", "1", .store = store_online },

	{ "cpufreq", "affected_cpus", "", RO },
	{ "cpufreq", "cpuinfo_max_freq", "3500000", RO },
	{ "cpufreq", "cpuinfo_min_freq", "800000", RO },
	{ "cpufreq", "cpuinfo_transition_latency", "0", RO },
	{ "cpufreq", "related_cpus", "", RO },
	{ "cpufreq", "scaling_available_governors", "performance powersave", RO },
	{ "cpufreq", "scaling_cur_freq", "800000", RO },
	{ "cpufreq", "scaling_driver", "intel_pstate", RO },
	{ "cpufreq", "scaling_governor", "powersave", .store = store_governor },
	{ "cpufreq", "scaling_max_freq", "3500000", NUM(UL0, 0, INT64_MAX), .fix = fix_freq },
	{ "cpufreq", "scaling_min_freq", "800000", NUM(UL0, 0, INT64_MAX), .fix = fix_freq },
	{ "cpufreq", "scaling_setspeed", "<unsupported>", NUM(UL0, 0, INT64_MAX), .fix = fix_freq },
	{ "hwp", "energy_performance_preference", "balance_performance", .store = store_preference },
};

static void file_new(struct node *dir, const char *name, const struct attr *attr, const char *value)
{
	struct node *n = node_new(dir, name, S_IFREG | (attr && attr->store ? 0644 : 0444));

	n->attr = attr;
	node_print(n, "%s", value);
}

static void add_group(struct node *dir, const char *group)
{
	for (size_t i = 0; i < ARRAY_LEN(attrs); i++)
		if (is(attrs[i].group, group))
			file_new(dir, attrs[i].name, &attrs[i], attrs[i].value);
}

/* ---- the description ---- */

/* 1 means that it went well: inih asks for that. */
static int add_entry(void *user, const char *section, const char *key, const char *value)
{
	(void)user;
	*vec_push(&entries) = (struct entry){ mem_strdup(section), mem_strdup(key), mem_strdup(value), false };
	return 1;
}

static const char *take(const char *section, const char *key, const char *otherwise)
{
	for (size_t i = 0; i < entries.n; i++)
		if (is(entries.items[i].section, section) && is(entries.items[i].key, key)) {
			entries.items[i].used = true;
			return entries.items[i].value;
		}
	return otherwise;
}

/* The rest of a section is values of files; one that is not there is made, writable if attrs[] has one of its name. */
static void take_files(const char *section, struct node *dir)
{
	for (size_t i = 0; i < entries.n; i++) {
		struct entry *e = &entries.items[i];
		const char *slash = strrchr(e->key, '/'), *name = slash ? slash + 1 : e->key;
		AUTOFREE char *above = mem_strndup(e->key, slash ? (size_t)(slash - e->key) : 0);
		struct node *in, *n;

		if (e->used || !is(e->section, section))
			continue;
		in = *above ? node_at(dir, above, true) : dir;
		n = child(in, name);
		if (n) {
			node_print(n, "%s", e->value);
			continue;
		}
		size_t a = 0;
		while (a < ARRAY_LEN(attrs) && !is(attrs[a].name, name))
			a++;
		file_new(in, name, a < ARRAY_LEN(attrs) ? &attrs[a] : NULL, e->value);
	}
}

static void number_disk(struct node *dir, unsigned long major, unsigned long minor)
{
	AUTOFREE char *number = mem_printf("%lu:%lu", major, minor);

	node_print(file(dir, "dev"), "%s", number);
	link_new(node_at(root, "dev/block", true), number, dir);
	link_new(node_at(root, "class/block", true), dir->name, dir);
	node_new(dir, "holders", S_IFDIR | 0755);
}

static void add_partitions(struct disk *d, const char *list, unsigned long major, unsigned long minor)
{
	bool digit = isdigit((unsigned char)d->dir->name[strlen(d->dir->name) - 1]);
	numbers_t parts = { 0 };
	int64_t start = 2048, size;

	if (units_parse_numbers(list, &parts, NULL))
		die("[disk %s]: partitions: '%s' is not a list of numbers", d->dir->name, list);
	size = (get(d->dir, "size") - start) / (int64_t)parts.n;
	for (size_t i = 0; i < parts.n; i++) {
		AUTOFREE char *name = mem_printf("%s%s%lu", d->dir->name, digit ? "p" : "", parts.items[i]);
		struct node *dir = node_new(d->dir, name, S_IFDIR | 0755);

		dir->label = dir->name;
		add_group(dir, "partition");
		put(dir, "partition", (int64_t)parts.items[i]);
		put(dir, "start", start);
		put(dir, "size", size);
		start += size;
		number_disk(dir, major, minor + parts.items[i]);
	}
	vec_free(&parts);
}

static void add_slaves(struct disk *d, const char *list)
{
	AUTOSTRINGS strings_t names = { 0 };
	struct node *slaves = node_new(d->dir, "slaves", S_IFDIR | 0755);

	if (!*list)
		return;
	str_split(list, ',', &names);
	for (size_t i = 0; i < names.n; i++) {
		struct node *slave = target(names.items[i]);

		if (!slave)
			die("[disk %s]: slave '%s' is not described before it", d->dir->name, names.items[i]);
		link_new(slaves, slave->name, slave);
		link_new(file(slave, "holders"), d->dir->name, d->dir);
	}
}

/* "none mq-deadline [bfq]", or "none" for a disk that is bio-based, or "" for a kernel that has no file then. */
static void add_schedulers(struct disk *d, const char *list)
{
	AUTOFREE char *copy = mem_strdup(list);
	const char *current = NULL;
	struct node *debug;

	if (!*list)
		return;
	add_group(d->queue, "request");
	d->bio = is(list, "none");
	if (d->bio)
		return;
	for (char *save, *s = strtok_r(copy, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		if (*s == '[') {
			*strchrnul(++s, ']') = '\0';
			current = s;
		}
		strings_add(&d->schedulers, s);
		d->mq |= is(s, "none");
	}
	if (d->mq) {
		struct node *hctx = node_at(d->dir, "mq/0", true);

		add_group(d->queue, "mq");
		add_group(hctx, "hctx");
		put(hctx, "nr_tags", d->tags);
		debug = node_at(node_at(root, "kernel/debug/block", true), d->dir->name, true);
		d->tags_file = node_new(node_at(debug, "hctx0", true), "tags", S_IFREG | 0444);
		show_tags(d, d->tags);
	}
	if (!current || switch_scheduler(d, current))
		die("[disk %s]: schedulers: '%s' has none in brackets", d->dir->name, list);
}

static void add_disk(const char *section)
{
	static int64_t diskseq;
	const char *name = section + strlen("disk "), *above = take(section, "parent", NULL), *number, *mapped;
	AUTOFREE char *path = mem_printf("devices/%s", above ? above : "virtual");
	struct node *parent = node_at(root, path, true);
	struct disk *d = mem_alloc(1, sizeof(*d));
	unsigned long major, minor;
	char *end;

	if (above) {
		d->device = parent;
		parent->label = mem_printf("%s/device", name);
		parent->disk = d;
	}
	d->dir = node_new(node_at(parent, "block", true), name, S_IFDIR | 0755);
	d->dir->label = d->dir->name;
	d->dir->disk = d;
	d->queue = node_new(d->dir, "queue", S_IFDIR | 0755);
	d->tags = strtoll(take(section, "tags", "128"), NULL, 10);
	d->nonrot_idle_ms = take(section, "nonrot_idle", "8");
	add_group(d->dir, "disk");
	add_group(d->queue, "queue");
	if (above)
		link_new(d->dir, "device", parent);
	number = take(section, "dev", "");
	major = strtoul(number, &end, 10);
	minor = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
	if (!major || *end)
		die("[disk %s]: dev: '%s' is not a number like 8:0", name, number);
	number_disk(d->dir, major, minor);
	link_new(node_at(root, "block", true), name, d->dir);
	put(d->dir, "diskseq", ++diskseq);
	put(d->dir, "size", strtoll(take(section, "size", "0"), NULL, 10));
	put(d->queue, "rotational", strtoll(take(section, "queue/rotational", "0"), NULL, 10));
	d->wbt_us = strtoll(take(section, "queue/wbt_lat_usec", get(d->queue, "rotational") ? "75000" : "2000"), NULL, 10);
	add_schedulers(d, take(section, "schedulers", ""));
	add_slaves(d, take(section, "slaves", ""));
	if (*take(section, "partitions", ""))
		add_partitions(d, take(section, "partitions", ""), major, minor);
	mapped = take(section, "map", NULL);
	take_files(section, d->dir);
	if (mapped)
		do_map((char *[]){ d->dir->name, (char *)mapped });
}

static void add_cpus(const char *section)
{
	cpus.dir = node_at(root, "devices/system/cpu", true);
	add_group(cpus.dir, "cpus");
	cpus.possible = mask_parse(take(section, "possible", "0-3"));
	cpus.present = mask_parse(take(section, "present", take(section, "possible", "0-3")));
	cpus.online = mask_parse(take(section, "online", take(section, "present", take(section, "possible", "0-3"))));
	for (int i = 0; i < N_CPUS; i++) {
		AUTOFREE char *name = mem_printf("cpu%d", i);
		struct node *cpu;

		if (!(cpus.present >> i & 1))
			continue;
		cpu = node_new(cpus.dir, name, S_IFDIR | 0755);
		cpu->label = cpu->name;
		if (i)
			add_group(cpu, "cpu");
		put(cpu, "online", cpus.online >> i & 1);
	}
	cpus_show();
	take_files(section, cpus.dir);
}

static void add_policy(const char *section)
{
	AUTOFREE char *name = mem_printf("cpufreq/policy%s", section + strlen("policy "));
	uint64_t related = mask_parse(take(section, "cpus", section + strlen("policy ")));
	struct node *policy;

	if (!cpus.dir)
		die("[%s]: [cpu] comes first", section);
	policy = node_at(cpus.dir, name, true);
	policy->label = policy->name;
	add_group(policy, "cpufreq");
	take_files(section, policy);
	mask_print(file(policy, "related_cpus"), related, false);
	cpus_show();
	for (int i = 0; i < N_CPUS; i++) {
		AUTOFREE char *cpu = mem_printf("cpu%d", i);

		if (related >> i & 1 && child(cpus.dir, cpu))
			link_new(child(cpus.dir, cpu), "cpufreq", policy);
	}
}

static const struct {
	const char *section;
	void (*add)(const char *section);
} kinds[] = { { "disk ", add_disk }, { "cpu", add_cpus }, { "policy ", add_policy } };

static void read_tree(const char *path)
{
	int line = ini_parse(path, add_entry, NULL);

	if (line < 0)
		die("'%s': %s", path, strerror(errno));
	if (line)
		die("'%s' line %d is neither [section] nor key = value", path, line);
	for (size_t i = 0; i < entries.n; i++) {
		const struct entry *e = &entries.items[i];
		size_t k = 0;

		if (i && is(e->section, entries.items[i - 1].section))
			continue;
		if (is(e->section, "control"))
			continue;
		while (k < ARRAY_LEN(kinds) && !str_starts(e->section, kinds[k].section))
			k++;
		if (k == ARRAY_LEN(kinds))
			die("'%s': there is no section [%s]; there are disk NAME, cpu, policy N, control", path, e->section);
		kinds[k].add(e->section);
	}
	for (size_t i = 0; i < entries.n; i++)
		if (is(entries.items[i].section, "control") && store_command(NULL, entries.items[i].value))
			die("'%s': '%s' cannot be done", path, entries.items[i].value);
}

/* ---- what the kernel asks ---- */

static int write_node(struct node *n, const char *text)
{
	AUTOSTR struct str path = { 0 };
	AUTOFREE char *copy = mem_strdup(text);
	const char *value = str_trim(copy);
	int error;
	size_t i = 0;

	if (n->parent == root)
		return n->attr->store(n, text);
	node_path(NULL, n, &path);
	for (; i < faults.n; i++) {
		const struct fault *f = &faults.items[i];

		if (f->left && is(f->path, path.s) && (!f->value || is(f->value, value)))
			break;
	}
	if (n->parent->idle)
		error = -EBUSY;
	else if (i == faults.n)
		error = n->attr->store(n, text);
	else
		error = -faults.items[i].errnum;
	if (i < faults.n && faults.items[i].left > 0)
		faults.items[i].left--;
	str_addf(&log_text, "%s\t%s\t%s\n", path.s, value, error ? strerrorname_np(-error) : "ok");
	return error;
}

static int read_node(const struct node *n, struct str *out)
{
	char buf[PAGE_BYTES];
	size_t len = 0;
	FILE *f;

	if (n->parent == root) {
		str_addn(out, str_text(&log_text), log_text.len);
		return 0;
	}
	if (n->parent->idle)
		return -EBUSY;
	if (!n->real) {
		str_addf(out, "%s\n", n->text);
		return 0;
	}
	f = fopen(n->real, "re");
	if (f) {
		len = fread(buf, 1, sizeof(buf), f);
		fclose(f);
	}
	str_addn(out, buf, len);
	return len ? 0 : -ENODEV;
}

static struct node *node_of(fuse_ino_t ino)
{
	return nodes.items[ino - 1];
}

static struct stat stat_of(const struct node *n)
{
	return (struct stat){
		.st_ino = n->ino,
		.st_mode = n->mode,
		.st_nlink = 1, /* of a directory: unknown, so that nobody counts on it */
		.st_size = S_ISREG(n->mode) ? PAGE_BYTES : 0,
		.st_uid = geteuid(),
		.st_gid = getegid(),
	};
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct node *n = node_of(parent)->gone ? NULL : child(node_of(parent), name);

	if (!n) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fuse_reply_entry(req, &(struct fuse_entry_param){ .ino = n->ino, .generation = 1, .attr = stat_of(n) });
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st = stat_of(node_of(ino));

	(void)fi;
	fuse_reply_attr(req, &st, 0);
}

/* chmod works as in sysfs; truncating does nothing there. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	struct node *n = node_of(ino);

	if (to_set & FUSE_SET_ATTR_MODE)
		n->mode = (n->mode & S_IFMT) | (attr->st_mode & 07777);
	op_getattr(req, ino, fi);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	AUTOSTR struct str text = { 0 };

	link_text(node_of(ino), &text);
	fuse_reply_readlink(req, str_text(&text));
}

/* default_permissions lets root do anything; sysfs wants a bit that allows it all the same (kernfs_fop_open()). */
static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct node *n = node_of(ino);
	bool writes = (fi->flags & O_ACCMODE) != O_RDONLY, reads = (fi->flags & O_ACCMODE) != O_WRONLY;

	if (n->gone) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	if ((writes && !(n->mode & 0222)) || (reads && !(n->mode & 0444))) {
		AUTOSTR struct str path = { 0 };

		node_path(NULL, n, &path);
		if (writes)
			str_addf(&log_text, "%s\t\tEACCES\n", path.s);
		fuse_reply_err(req, EACCES);
		return;
	}
	if (fi->flags & O_TRUNC && n->attr && n->attr->store == store_log)
		str_clear(&log_text);
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)fi;
	fuse_reply_err(req, EACCES);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct node *n = node_of(ino);
	AUTOSTR struct str text = { 0 };
	int error = n->gone ? -ENODEV : read_node(n, &text);
	size_t from = (size_t)off < text.len ? (size_t)off : text.len;

	(void)fi;
	if (error)
		fuse_reply_err(req, -error);
	else
		fuse_reply_buf(req, str_text(&text) + from, text.len - from < size ? text.len - from : size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	struct node *n = node_of(ino);
	AUTOFREE char *text = mem_strndup(buf, size < PAGE_BYTES ? size : PAGE_BYTES);
	int error = n->gone ? -ENODEV : write_node(n, text);

	(void)off;
	(void)fi;
	if (error)
		fuse_reply_err(req, -error);
	else
		fuse_reply_write(req, size);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct node *n = node_of(ino)->gone ? NULL : node_of(ino)->kids;
	AUTOFREE char *buf = mem_alloc(1, size);
	size_t used = 0;

	(void)fi;
	for (off_t i = 0; n; n = n->next, i++) {
		struct stat st = stat_of(n);
		size_t need;

		if (i < off)
			continue;
		need = fuse_add_direntry(req, buf + used, size - used, n->name, &st, i + 1);
		if (need > size - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buf, used);
}

static const struct fuse_lowlevel_ops ops = {
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.open = op_open,
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.readdir = op_readdir,
};

int main(int argc, char **argv)
{
	bool foreground = argc > 1 && is(argv[1], "-f");
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session;
	AUTOFREE char *mountpoint = NULL;
	int status = 1;

	if (argc != 3 + foreground)
		die("usage: fakesys [-f] TREE MOUNTPOINT");
	root = node_new(NULL, "", S_IFDIR | 0755);
	root->label = "";
	add_group(root, "root");
	file(root, ".fakesys")->mode = S_IFREG | 0200;
	read_tree(argv[1 + foreground]);
	mountpoint = realpath(argv[2 + foreground], NULL);
	if (!mountpoint)
		die("'%s': %s", argv[2 + foreground], strerror(errno));
	fuse_opt_add_arg(&args, "fakesys");
	fuse_opt_add_arg(&args, geteuid() ? "-odefault_permissions" : "-odefault_permissions,allow_other");
	fuse_opt_add_arg(&args, "-ofsname=fakesys");
	session = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!session || fuse_set_signal_handlers(session))
		return 1;
	if (!fuse_session_mount(session, mountpoint) && !fuse_daemonize(foreground)) {
		status = fuse_session_loop(session) < 0;
		fuse_session_unmount(session);
	}
	fuse_remove_signal_handlers(session);
	fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	return status;
}
