// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/setup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>

#include "common/units.h"
#include "parsers/parser.h"
#include "runner/cpufreq.h"
#include "runner/run.h"
#include "runner/shard.h"
#include "runner/sysfs.h"

#define RUNS_MAX 1000000
#define FS_SHARE 5 /* this part of a device is for the file system itself (journal, inodes, reserve of ext4: 5%) */
#define GRACE_NS (30ULL * NS_PER_S)

/*
 * What a run takes beyond ramp + runtime: fio calibrates its clock, starts its jobs together and polls their end
 * (0.33 s with fio 3.33), the switch of the scheduler drains the queue (24 ms).
 */
#define RUN_OVERHEAD_NS (NS_PER_S * 36 / 100)

const struct option_row options_sweep[] = {
	{ "dev", "DEVICE", "block device to measure: a disk, a partition or a link to one; several are measured together",
	  'd', false, true },
	{ "dir", "DIR", "instead of --dev: measure files in a new directory below DIR", 0, false, false },
	{ "scheds", "LIST", "schedulers, each with its own tunables: bfq,bfq:low_latency=0,mq-deadline; "
			    "'current' is what is there now, bfq@FILE.ko the module in that file (default: all that the disk offers, bfq also with "
			    "low_latency=0)", 's', false, false },
	{ "slice-idle", "LIST", "every scheduler that has slice_idle once for each value; 'default' leaves it", 0, false,
	  false },
	{ "set", "KNOB=LIST", "every scheduler once for each value of a setting: queue/nr_requests=64,256, "
			      "device/queue_depth=1,31", 0, false, true },
	{ "force-sched", NULL, "try names of schedulers that nobody knows", 0, false, false },
	{ "tree", "DIR", "kernel source that what is under test comes from: its 'git describe' is stored and shown", 0, false,
	  false },
	{ "job", "NAME|FILE", "workload: a name from 'iobench jobs' or a fio job file (default: patterns)", 0, false, false },
	{ "command", "COMMAND", "what the workload times, instead of its own: words cut at blanks, no shell", 0, false, false },
	{ "patterns", "LIST", "read, write, randread, randwrite, rw, randrw (default: read,randread)", 'p', false, false },
	{ "jobs", "LIST", "numjobs (default: 1-8)", 'j', false, false },
	{ "bs", "LIST", "block sizes (default: 4k)", 0, false, false },
	{ "iodepth", "LIST", "(default: 1)", 0, false, false },
	{ "ioengine", "LIST", "(default: libaio)", 0, false, false },
	{ "direct", NULL, "O_DIRECT (the default; with --buffered: both)", 0, false, false },
	{ "buffered", NULL, "through the page cache, dropped before each run", 0, false, false },
	{ "size", "LIST", "region of each job (default: 5G, less on a small disk)", 0, false, false },
	{ "ramp", "LIST", "time before fio counts (default: 2s)", 0, false, false },
	{ "runtime", "LIST", "time that fio counts (default: 10s)", 't', false, false },
	{ "devices", "LIST", "how many of the devices at once, for a workload that asks (default: 1 up to all)", 0, false,
	  false },
	{ "grace", "TIME", "a run that takes longer than ramp + runtime + this is killed (default: 30s)", 0, false, false },
	{ "governors", "LIST", "CPU frequency governors (default: left alone)", 'g', false, false },
	{ "runs", "N|MIN..MAX", "repetitions of every cell (default: 10); of a range, as many as --precision takes", 'n', false,
	  false },
	{ "precision", "PERCENT", "with --runs 6..30: all schedulers of a row stop together when the 95% intervals of their "
				  "ratios are +- this or less (default: 2%)", 0, false, false },
	{ "twice", NULL, "every scheduler under two names: what differs between them is noise", 0, false, false },
	{ "order", "ORDER", "random: every repetition is a shuffled pass over all cells; sequential: the old way, "
			    "one cell after the other (default: random)", 0, false, false },
	{ "shard", "PART/OF", "only this part of the plan, such as 2/8, in whole rows: other boxes or nights measure the others; "
			      "'report A B' puts them in one table. Of several sweeps, one with fewer rows than parts is in some only", 0, false, false },
	{ "skip-rows", "N", "leave out the last N rows of the tables: what --budget finds no time for", 0, false, false },
	{ "seed", "N", "of the order and of the offsets (default: a new one, stored)", 0, false, false },
	{ "fio-arg", "ARG", "an option for fio's command line, before the job file", 0, false, true },
	{ "write-ok", "DEVICE", "allow patterns that write on a raw device; a device with a partition table or a file "
				"system must be named, each by its own --write-ok", 0, true, true },
	{ "shared-read", NULL, "read from a device that is in use (the measurement is of all its users)", 0, false, false },
	{ 0 },
};

/* The first disk that has no such setting; NULL if all have it. */
static const struct disk *disk_without(const struct setup *s, const char *knob)
{
	char value[512];

	for (size_t i = 0; i < s->disks.n; i++)
		if (!sysfs_writable(s->disks.items[i]->sysdir, knob) ||
		    sysfs_read(s->disks.items[i]->sysdir, knob, value, sizeof(value), NULL))
			return s->disks.items[i];
	return NULL;
}

static bool some_variant_has(const struct setup *s, const char *tunable)
{
	struct knob knob;

	for (size_t i = 0; i < s->plan.variants.n; i++)
		if (knob_find(tunable, s->plan.variants.items[i].scheduler, &knob, NULL))
			return true;
	return false;
}

/*
 * What a workload wants set, on disks of which the author knew nothing: one without the setting is measured all the
 * same. A single value is the same for every variant and need not be in their names.
 */
static int preset_knob(struct setup *s, const char *assignment, struct err *err)
{
	AUTOFREE char *knob = mem_strndup(assignment, strcspn(assignment, "="));
	const struct disk *lacks = strchr(knob, '/') ? disk_without(s, knob) : NULL;
	AUTOSTRINGS strings_t names = { 0 };

	if (lacks || (!strchr(knob, '/') && !some_variant_has(s, knob))) {
		*vec_push(&s->notes) = mem_printf("workload '%s' wants '%s', which %s does not have: left out",
						  s->workload.name, assignment, lacks ? lacks->name : "no scheduler");
		return 0;
	}
	for (size_t i = 0; i < s->plan.variants.n; i++)
		strings_add(&names, s->plan.variants.items[i].name);
	if (variants_multiply(&s->plan.variants, assignment, err))
		return err_context(err, "workload '%s'", s->workload.name);
	for (size_t i = 0; s->plan.variants.n == names.n && i < names.n; i++) {
		free(s->plan.variants.items[i].name);
		s->plan.variants.items[i].name = mem_strdup(names.items[i]);
	}
	return 0;
}

static int make_variants(const struct options *opt, struct setup *s, struct err *err)
{
	const char *scheds = option(opt, "scheds"), *slice_idle = option(opt, "slice-idle");
	AUTOSTR struct str offered = { 0 };

	/* bfq's defaults trade throughput for latency: alone they would not show what it can do */
	for (size_t i = 0; i < s->offered.n; i++)
		str_addf(&offered, "%s%s%s", i ? "," : "", s->offered.items[i],
			 strcmp(s->offered.items[i], "bfq") ? "" : ",bfq:low_latency=0");
	/* what the disk lists exists, also when we have never heard of it */
	if (variants_parse(scheds ? scheds : str_text(&offered), true, &s->plan.variants, err))
		return -1;
	for (size_t i = 0; !option_given(opt, "force-sched") && i < s->plan.variants.n; i++)
		if (!setup_is_offered(s, s->plan.variants.items[i].scheduler) &&
		    scheduler_check(s->plan.variants.items[i].scheduler, err))
			return -1;
	if (slice_idle && (option_typed(opt, "slice-idle") || some_variant_has(s, "slice_idle"))) {
		AUTOFREE char *set = mem_printf("slice_idle=%s", slice_idle);

		if (variants_multiply(&s->plan.variants, set, err))
			return -1;
	}
	for (size_t i = 0; i < opt->given.n; i++)
		if (!strcmp(opt->given.items[i].row->name, "set") &&
		    (opt->given.items[i].preset ? preset_knob(s, opt->given.items[i].value, err)
						: variants_multiply(&s->plan.variants, opt->given.items[i].value, err)))
			return -1;
	if (option_given(opt, "twice"))
		variants_twice(&s->plan.variants);
	return subject_make(opt, &s->plan.variants, s->disks.items, s->disks.n, &s->subject, &s->notes, err);
}

static size_t count_given(const struct options *opt, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < opt->given.n; i++)
		n += !strcmp(opt->given.items[i].row->name, name);
	return n;
}

/* By its variable; a section for each device is a use of the number of devices too. */
static bool uses_axis(const struct setup *s, enum axis_id id)
{
	bool uses = workload_uses(&s->workload, axes[id].variable);

	for (size_t i = 0; id == AXIS_DEVICES && i < s->scenario.actors.n; i++)
		uses |= s->scenario.actors.items[i].per_device;
	return uses;
}

/* The list for an axis as given or by default; NULL: the axis is not used. */
static const char *axis_text(const struct options *opt, const struct setup *s, enum axis_id id)
{
	const struct axis *a = &axes[id];

	if (id == AXIS_DIRECT && option_given(opt, "buffered"))
		return option_given(opt, "direct") ? "1,0" : "0";
	if (id == AXIS_DIRECT && option_given(opt, "direct"))
		return "1";
	if (option_given(opt, a->option))
		return option(opt, a->option);
	return a->variable && workload_uses(&s->workload, a->variable) ? a->preset : NULL;
}

/* The axis "devices" has no preset in the table: it is all that were given. */
static int make_devices_axis(const struct options *opt, struct setup *s, struct err *err)
{
	axis_points_t *points = &s->plan.axes[AXIS_DEVICES];
	size_t n = count_given(opt, "dev");
	AUTOFREE char *all = mem_printf("1-%zu", n ? n : 1);

	if (!points->n && uses_axis(s, AXIS_DEVICES))
		return axis_parse(AXIS_DEVICES, all, points, err);
	for (size_t i = 0; i < points->n; i++)
		if (points->items[i].number > n)
			return err_set(err, ERR_USAGE, "--devices %s, but --dev is given %zu time%s", points->items[i].text, n,
				       n == 1 ? "" : "s");
	return 0;
}

/* Governors that a workload wants are left out where there are none; typed ones must be there. */
static int check_governors(const struct options *opt, struct setup *s, struct err *err)
{
	axis_points_t *points = &s->plan.axes[AXIS_GOVERNOR];
	bool typed = option_typed(opt, axes[AXIS_GOVERNOR].option);
	struct err why = { 0 };

	if (points->n && !typed && !cpufreq_present()) {
		*vec_push(&s->notes) = mem_printf("workload '%s' wants governors: left out, this machine has no cpufreq",
						  s->workload.name);
		for (size_t i = 0; i < points->n; i++)
			free(points->items[i].text);
		points->n = 0;
	}
	for (size_t i = 0; i < points->n; i++) {
		if (!cpufreq_check(points->items[i].text, &why))
			continue;
		if (typed) {
			*err = why;
			return -1;
		}
		*vec_push(&s->notes) = mem_printf("workload '%s' wants the governor '%s': left out, %s", s->workload.name,
						  points->items[i].text, why.msg);
		free(points->items[i].text);
		memmove(&points->items[i], &points->items[i + 1], (--points->n - i) * sizeof(*points->items));
		i--;
	}
	return 0;
}

static int make_axes(const struct options *opt, struct setup *s, struct err *err)
{
	for (int id = 0; id < AXIS_N; id++) {
		const char *text = axis_text(opt, s, id);

		if (!text)
			continue;
		if (axes[id].variable && !uses_axis(s, id))
			return err_set(err, ERR_USAGE, "--%s has no effect: the job file '%s' does not use ${%s}",
				       id == AXIS_DIRECT && option_given(opt, "buffered") ? "buffered" : axes[id].option, s->workload.name, axes[id].variable);
		if (axis_parse(id, text, &s->plan.axes[id], err))
			return -1;
	}
	if (make_devices_axis(opt, s, err))
		return -1;
	return check_governors(opt, s, err);
}

#define RUNS_MIN_OF_RANGE 6 /* below, no comparison of pairs can be significant */
#define PRECISION 0.02

/* "10", or with a precision "6..30". */
static int make_runs(const struct options *opt, struct setup *s, struct err *err)
{
	const char *runs = option(opt, "runs"), *precision = option(opt, "precision");
	const char *dots = runs ? strstr(runs, "..") : NULL;
	AUTOFREE char *low = dots ? mem_strndup(runs, (size_t)(dots - runs)) : NULL;
	uint64_t n = 10, min = 0;

	if ((low && units_parse_count(low, &min, err)) || (runs && units_parse_count(dots ? dots + 2 : runs, &n, err)))
		return err_context(err, "--runs");
	if (!n || n > 10000)
		return err_set(err, ERR_USAGE, "--runs '%s' is not between 1 and 10000", runs);
	if (dots && (min < RUNS_MIN_OF_RANGE || min > n))
		return err_set(err, ERR_USAGE, "--runs '%s': a range starts at %d or more and does not go backwards", runs,
			       RUNS_MIN_OF_RANGE);
	if (precision && !dots)
		return err_set(err, ERR_USAGE, "--precision needs a range of runs: --runs 6..30");
	s->plan.runs = (unsigned)n;
	s->plan.runs_min = (unsigned)min;
	s->plan.precision = dots ? PRECISION : 0;
	if (precision && units_parse_percent(precision, &s->plan.precision, err))
		return err_context(err, "--precision");
	if (dots && !(s->plan.precision > 0))
		return err_set(err, ERR_USAGE, "--precision '%s' can never be reached", precision);
	return 0;
}

static int make_order(const struct options *opt, struct setup *s, struct err *err)
{
	const char *order = option(opt, "order"), *seed = option(opt, "seed");

	if (make_runs(opt, s, err))
		return -1;
	if (order && strcmp(order, "random") && strcmp(order, "sequential"))
		return err_set(err, ERR_USAGE, "unknown order '%s' (random or sequential)", order);
	s->plan.sequential = order && !strcmp(order, "sequential");
	if (s->plan.sequential && s->plan.precision > 0)
		return err_set(err, ERR_USAGE, "with --order sequential there are no ratios to know well enough: give one number "
					       "of --runs");
	if (seed && units_parse_count(seed, &s->plan.seed, err))
		return err_context(err, "--seed");
	if (seed)
		return s->plan.seed > INT64_MAX ? err_set(err, ERR_USAGE, "--seed '%s' is too large", seed) : 0;
	if (getrandom(&s->plan.seed, sizeof(s->plan.seed), 0) != (ssize_t)sizeof(s->plan.seed))
		return err_sys(err, ERR_FAULT, errno, "cannot draw a seed");
	s->plan.seed >>= 1; /* SQLite's integers are signed */
	return 0;
}

static int cut_shard(const struct options *opt, struct setup *s, struct err *err)
{
	const char *shard = option(opt, "shard");
	unsigned part, of;

	if (!shard)
		return 0;
	if (shard_parse(shard, &part, &of, err))
		return -1;
	s->plan_name = shard_plan_name(&s->plan);
	shard_cut(&s->plan, part, of);
	s->too_many_shards = shard_count_rows(&s->plan) < of;
	return 0;
}

static int get_grace(const struct options *opt, struct setup *s, struct err *err)
{
	const char *grace = option(opt, "grace");

	s->grace_ns = GRACE_NS;
	return grace && units_parse_duration(grace, &s->grace_ns, err) ? err_context(err, "--grace") : 0;
}

static void note_target(const struct target *t, strings_t *notes)
{
	AUTOSTR struct str note = { 0 };

	if (!strcmp(t->operand, t->node) && !t->is_partition && t->disks.n == 1)
		return;
	str_addf(&note, "'%s' is %s%s; schedulers are switched on", t->operand, t->node,
		 t->is_partition ? ", a partition" : "");
	for (size_t i = 0; i < t->disks.n; i++)
		str_addf(&note, " %s", t->disks.items[i].name);
	*vec_push(notes) = str_steal(&note);
}

static bool has_disk(const struct setup *s, const struct disk *disk)
{
	for (size_t i = 0; i < s->disks.n; i++)
		if (!strcmp(s->disks.items[i]->sysdir, disk->sysdir))
			return true;
	return false;
}

static int open_devices(const struct options *opt, struct setup *s, struct err *err)
{
	for (size_t i = 0; i < opt->given.n; i++) {
		const char *dev = opt->given.items[i].value;

		if (strcmp(opt->given.items[i].row->name, "dev"))
			continue;
		for (size_t k = 0; k < s->targets.n; k++)
			if (target_is(&s->targets.items[k], dev))
				return err_set(err, ERR_USAGE, "'%s' is given twice: it is '%s'", dev,
					       s->targets.items[k].operand);
		if (target_open(dev, vec_push(&s->targets), err))
			return -1;
	}
	for (size_t i = 0; i < s->targets.n; i++)
		*vec_push(&s->paths) = workload_escape_path(s->targets.items[i].node);
	return 0;
}

static int open_targets(const struct options *opt, struct setup *s, struct err *err)
{
	s->dir = option(opt, "dir");
	if (option_given(opt, "dev") == !!s->dir)
		return err_set(err, ERR_USAGE, s->dir ? "--dev and --dir exclude each other"
						      : "what to measure? give --dev DEVICE or --dir DIR");
	/* fio takes them for comments in a job file, and there is no escape */
	if (s->dir && strpbrk(s->dir, "#;\t\n"))
		return err_set(err, ERR_USAGE, "fio cannot use a path with '#' or ';', tab or newline in it: '%s'", s->dir);
	if (s->dir ? target_of_dir(s->dir, vec_push(&s->targets), err) : open_devices(opt, s, err))
		return -1;
	for (size_t t = 0; t < s->targets.n; t++) {
		const struct target *target = &s->targets.items[t];

		for (size_t i = 0; i < target->disks.n; i++)
			if (!has_disk(s, &target->disks.items[i]))
				*vec_push(&s->disks) = &target->disks.items[i];
		note_target(target, &s->notes);
	}
	return 0;
}

static int list_offered(struct setup *s, struct err *err)
{
	for (size_t i = 0; i < s->disks.n; i++) {
		AUTOSTRINGS strings_t names = { 0 };
		char line[512], current[64];

		if (sysfs_read(s->disks.items[i]->sysdir, "queue/scheduler", line, sizeof(line), err))
			return err_context(err, "the schedulers of '%s'", s->disks.items[i]->name);
		if (sysfs_scheduler_parse(line, current, sizeof(current), &names))
			return err_set(err, ERR_FAULT, "cannot understand the schedulers of '%s': '%s'",
				       s->disks.items[i]->name, line);
		for (size_t k = 0; i == 0 && k < names.n; k++)
			strings_add(&s->offered, names.items[k]);
		for (size_t k = s->offered.n; k--;)
			if (!strings_has(&names, s->offered.items[k])) {
				free(s->offered.items[k]);
				memmove(&s->offered.items[k], &s->offered.items[k + 1],
					(--s->offered.n - k) * sizeof(char *));
			}
	}
	return 0;
}

bool setup_is_offered(const struct setup *s, const char *scheduler)
{
	return !strcmp(scheduler, "current") || strings_has(&s->offered, scheduler);
}

/* A setting that the disk does not have is a typing error: found before anything starts. */
static int check_knobs(struct setup *s, struct err *err)
{
	bool wbt = false;

	for (size_t i = 0; i < s->plan.variants.n; i++)
		for (size_t k = 0; k < s->plan.variants.items[i].settings.n; k++) {
			const struct variant_setting *set = &s->plan.variants.items[i].settings.items[k];
			const struct disk *lacks = set->knob.stage != KNOB_TUNABLE ? disk_without(s, set->name) : NULL;

			if (lacks)
				return err_set(err, ERR_USAGE, "'%s' has no setting '%s' that can be read and written",
					       lacks->name, set->name);
			wbt |= !strcmp(set->name, "queue/wbt_lat_usec");
		}
	/* wbt_lat_usec keeps what is written over every switch; the kernel's own handling cannot be had back */
	if (wbt)
		strings_add(&s->notes, "queue/wbt_lat_usec, once written, no longer follows the scheduler until the next boot, "
				       "though its value is put back");
	return 0;
}

static uint64_t largest(const axis_points_t *points)
{
	uint64_t max = 0;

	for (size_t i = 0; i < points->n; i++)
		if (points->items[i].number > max)
			max = points->items[i].number;
	return max;
}

/* The one with the least room: regions must fit on every device. */
static const struct target *smallest(const struct setup *s)
{
	const struct target *least = &s->targets.items[0];

	for (size_t i = 1; i < s->targets.n; i++)
		if (s->targets.items[i].size_bytes < least->size_bytes)
			least = &s->targets.items[i];
	return least;
}

/* Bytes that the jobs may use together. */
static int capacity(const struct setup *s, uint64_t *bytes, struct err *err)
{
	struct statvfs fs;
	uint64_t reserve_bytes;

	*bytes = smallest(s)->size_bytes;
	if (!s->dir && s->scenario.fs)
		*bytes -= *bytes / FS_SHARE;
	if (!s->dir && s->scenario.fs)
		*bytes = *bytes > s->scenario.space_bytes ? *bytes - s->scenario.space_bytes : 0;
	if (!s->dir)
		return 0;
	if (statvfs(s->dir, &fs))
		return err_sys(err, ERR_NEEDS, errno, "cannot look at '%s'", s->dir);
	/* twice the reserve of area_create: what else is written meanwhile must not make us fail */
	reserve_bytes = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
	*bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	reserve_bytes += s->scenario.space_bytes;
	*bytes = *bytes > reserve_bytes ? *bytes - reserve_bytes : 0;
	return 0;
}

/* With O_DIRECT every read and write is of whole sectors (open(2)): fio would fail in each run. */
static int check_sectors(const struct setup *s, struct err *err)
{
	const axis_points_t *sizes = &s->plan.axes[AXIS_BS];
	char bs[UNITS_TEXT];

	if (!largest(&s->plan.axes[AXIS_DIRECT]))
		return 0;
	for (size_t i = 0; i < s->disks.n; i++)
		for (size_t k = 0; k < sizes->n; k++)
			if (sizes->items[k].number % s->disks.items[i]->logical_block_bytes)
				return err_set(err, ERR_USAGE, "--bs: %s is no multiple of the sectors of '%s', %u B: O_DIRECT cannot do "
							       "that, --buffered can",
					       units_format_size(bs, sizes->items[k].number), s->disks.items[i]->name,
					       s->disks.items[i]->logical_block_bytes);
	return 0;
}

/* Regions that fit: what is by default too large is made smaller, what was asked for is an error (design.md 4). */
static int fit_regions(const struct options *opt, struct setup *s, struct err *err)
{
	axis_points_t *sizes = &s->plan.axes[AXIS_SIZE];
	uint64_t bytes, bs = largest(&s->plan.axes[AXIS_BS]), size = largest(sizes), most;
	char has[UNITS_TEXT], each[UNITS_TEXT], all[UNITS_TEXT];
	AUTOFREE char *jobs = NULL;

	s->max_jobs = largest(&s->plan.axes[AXIS_NUMJOBS]);
	/* in a file system ${SIZE} is that of the one file that is written before */
	if (!s->max_jobs || s->scenario.fs)
		s->max_jobs = 1;
	if (!sizes->n)
		return 0;
	if (capacity(s, &bytes, err))
		return -1;
	s->region_bytes = size;
	if (size <= bytes / s->max_jobs)
		return 0;
	if (option_typed(opt, "size"))
		return err_set(err, ERR_USAGE, "%" PRIu64 " jobs with %s each do not fit on '%s' (%s)", s->max_jobs,
			       units_format_size(each, size), smallest(s)->operand, units_format_size(has, bytes));
	most = bytes / s->max_jobs;
	most -= most % (most >= 1 << 20 && (!bs || (1 << 20) % bs == 0) ? 1 << 20 : bs ? bs : 4096);
	if (!most)
		return err_set(err, ERR_NEEDS, "'%s' (%s) is too small for %" PRIu64 " jobs",
			       smallest(s)->operand, units_format_size(has, bytes), s->max_jobs);
	s->region_bytes = most;
	sizes->items[0].number = most;
	free(sizes->items[0].text);
	sizes->items[0].text = mem_printf("%" PRIu64, most);
	if (s->scenario.fs) {
		*vec_push(&s->notes) = mem_printf("'%s' has room for a file of %s instead of %s", smallest(s)->operand,
						  units_format_size(each, most), units_format_size(all, size));
		return 0;
	}
	if (s->max_jobs > 1)
		jobs = mem_printf("each of up to %" PRIu64 " jobs", s->max_jobs);
	*vec_push(&s->notes) = mem_printf("'%s' has %s: %s gets a region of %s instead of %s", smallest(s)->operand,
					  units_format_size(has, bytes), jobs ? jobs : "the job", units_format_size(each, most),
					  units_format_size(all, size));
	return 0;
}

static bool is_any_target(const struct setup *s, const char *path)
{
	for (size_t i = 0; i < s->targets.n; i++)
		if (target_is(&s->targets.items[i], path))
			return true;
	return false;
}

/* The --write-ok that goes for the target: one that names it, or none of them, else the one without a name. */
static const char *write_ok(const struct options *opt, const struct setup *s, const struct target *t)
{
	const char *bare = NULL;

	for (size_t i = 0; i < opt->given.n; i++) {
		const char *value = opt->given.items[i].value;

		if (strcmp(opt->given.items[i].row->name, "write-ok"))
			continue;
		if (!*value)
			bare = value;
		else if (target_is(t, value) || !is_any_target(s, value))
			return value;
	}
	return bare;
}

int setup_check_permission(const struct setup *s, const struct options *opt, struct err *err)
{
	for (size_t i = 0; i < s->targets.n; i++)
		if (target_write_check(&s->targets.items[i], write_ok(opt, s, &s->targets.items[i]), err))
			return -1;
	return 0;
}

static int check_writes(const struct options *opt, struct setup *s, struct err *err)
{
	for (size_t i = 0; i < s->scenario.actors.n; i++)
		s->writes |= actor_writes(&s->scenario.actors.items[i], &s->plan, NULL);
	s->writes |= s->scenario.fs || s->dir;
	/* a job file of the user's may write in ways that we do not see: fio runs it --readonly unless allowed */
	if (s->scenario.plain && !s->plan.axes[AXIS_PATTERN].n)
		s->writes |= option_given(opt, "write-ok");
	if (s->writes && option_given(opt, "shared-read"))
		return err_set(err, ERR_USAGE, "--shared-read is for workloads that only read");
	if (s->dir && s->scenario.plain && !s->region_bytes)
		return err_set(err, ERR_USAGE, "with --dir the job file must use ${SIZE}: its files are made beforehand");
	return !s->writes || s->dir ? 0 : setup_check_permission(s, opt, err);
}

extern const struct command cmd_sweep;

/* Where is measured, and what may be overwritten, is said by who starts a sweep: a file of somebody else's does not. */
static int check_presets(const struct setup *s, struct err *err)
{
	static const char *const typed_only[] = { "dev", "dir", "write-ok", "shared-read", "db" };

	for (size_t i = 0; i < ARRAY_LEN(typed_only); i++)
		if (option_given(&s->options, typed_only[i]) && !option_typed(&s->options, typed_only[i]))
			return err_set(err, ERR_USAGE, "workload '%s' wants '--%s', which must be typed", s->workload.name,
				       typed_only[i]);
	return 0;
}

/* The workload, and the options with those that it wants where nothing else was typed. */
static int get_workload(const struct options *typed, const struct workload *stored, struct setup *s, struct err *err)
{
	const char *job = option(typed, "job");

	options_copy(typed, &s->options);
	if (stored)
		workload_from_text(stored->name, stored->text, &s->workload);
	else if (workload_load(job ? job : "patterns", &s->workload, err))
		return -1;
	if (options_preset(&cmd_sweep, &s->options, s->workload.presets, err))
		return err_context(err, "workload '%s'", s->workload.name);
	if (check_presets(s, err))
		return -1;
	return scenario_parse(&s->workload, &s->scenario, err);
}

static int check_metrics(const struct setup *s, const char *who, const strings_t *metrics, struct err *err)
{
	for (size_t i = 0; i < metrics->n; i++)
		if (!metric_find(metrics->items[i]))
			return err_set(err, ERR_USAGE, "workload '%s': '%s' has an unknown metric '%s'", s->workload.name, who,
				       metrics->items[i]);
	return 0;
}

/* What runner/ cannot know: the parsers and metrics that there are. */
static int check_actors(const struct options *opt, struct setup *s, struct err *err)
{
	const char *command = option(opt, "command");

	if (command && scenario_set_command(&s->scenario, command, err))
		return err_context(err, "--command");
	for (size_t i = 0; i < s->scenario.actors.n; i++) {
		const struct actor *a = &s->scenario.actors.items[i];

		if (a->job && !a->per_device && workload_check_job(a->job, s->scenario.fs, err))
			return err_context(err, "workload '%s'", s->workload.name);
		if (a->parser && !parser_find(a->parser))
			return err_set(err, ERR_USAGE, "workload '%s': actor '%s' has an unknown parser '%s'",
				       s->workload.name, a->name, a->parser);
		if (check_metrics(s, a->name, &a->metrics, err))
			return -1;
	}
	if (check_metrics(s, "scenario", &s->scenario.metrics, err))
		return -1;
	if (s->scenario.fs && count_given(opt, "dev") > 1)
		return err_set(err, ERR_USAGE, "workload '%s' makes a file system on one device; --dev is given %zu times",
			       s->workload.name, count_given(opt, "dev"));
	return 0;
}

static int get_fio_args(const struct options *opt, struct setup *s, struct err *err)
{
	for (size_t i = 0; i < opt->given.n; i++) {
		if (strcmp(opt->given.items[i].row->name, "fio-arg"))
			continue;
		if (workload_check_option(opt->given.items[i].value, err))
			return -1;
		strings_add(&s->fio_args, opt->given.items[i].value);
	}
	return 0;
}

/* Always -1: the fault in --scheds if there is one, else the error that is there. */
static int check_typed_schedulers(const struct options *opt, struct err *err)
{
	struct err typed_wrong = { 0 };
	variants_t typed = { 0 };

	if (option_given(opt, "scheds") &&
	    variants_parse(option(opt, "scheds"), option_given(opt, "force-sched"), &typed, &typed_wrong))
		*err = typed_wrong;
	variants_release(&typed);
	return -1;
}

/* The last rows, as many as --skip-rows says. */
static int skip_rows(const struct options *opt, struct setup *s, struct err *err)
{
	const char *text = option(opt, "skip-rows");
	size_t rows = setup_count_rows(s);
	uint64_t n = 0;

	if (!text)
		return 0;
	if (units_parse_count(text, &n, err))
		return err_context(err, "--skip-rows");
	if (n >= rows)
		return err_set(err, ERR_USAGE, "--skip-rows %" PRIu64 " leaves nothing of %zu row%s", n, rows, rows == 1 ? "" : "s");
	s->plan.cells.n -= n * s->plan.variants.n;
	return 0;
}

static int check_count(const struct setup *s, struct err *err)
{
	uint64_t n = s->plan.variants.n * s->plan.runs;

	for (int a = 0; a < AXIS_N; a++)
		if (s->plan.axes[a].n && __builtin_mul_overflow(n, s->plan.axes[a].n, &n))
			n = UINT64_MAX;
	return n > RUNS_MAX ? err_set(err, ERR_USAGE, "that is over a million runs: give shorter lists") : 0;
}

int setup_make(const struct options *typed, const struct workload *stored, struct setup *s, struct err *err)
{
	const struct options *opt = &s->options;

	*s = (struct setup){ 0 };
	if (get_workload(typed, stored, s, err) || check_actors(opt, s, err) || get_fio_args(opt, s, err) ||
	    make_axes(opt, s, err) || make_order(opt, s, err) || get_grace(opt, s, err))
		return -1;
	/* what is typed wrong is said before what the machine lacks */
	if (open_targets(opt, s, err) || list_offered(s, err))
		return check_typed_schedulers(opt, err);
	if (make_variants(opt, s, err) || check_knobs(s, err) || check_sectors(s, err) || fit_regions(opt, s, err) ||
	    check_writes(opt, s, err) || check_count(s, err))
		return -1;
	plan_make_cells(&s->plan);
	return cut_shard(opt, s, err) || (s->plan.cells.n && skip_rows(opt, s, err)) ? -1 : 0;
}

void setup_release(struct setup *s)
{
	subject_release(&s->subject);
	plan_release(&s->plan);
	free(s->plan_name);
	workload_release(&s->workload);
	scenario_release(&s->scenario);
	for (size_t i = 0; i < s->targets.n; i++)
		target_release(&s->targets.items[i]);
	vec_free(&s->targets);
	vec_free(&s->disks);
	strings_release(&s->offered);
	strings_release(&s->fio_args);
	strings_release(&s->notes);
	strings_release(&s->paths);
	options_release(&s->options);
}

uint64_t setup_area_bytes(const struct setup *s)
{
	return s->region_bytes * s->max_jobs;
}

char *setup_identity(const struct setup *s)
{
	struct str out = { 0 };

	for (size_t i = 0; i < s->targets.n; i++)
		str_addf(&out, "%s%s", i ? "," : "", s->targets.items[i].identity);
	return str_steal(&out);
}

char *setup_operands(const struct setup *s)
{
	struct str out = { 0 };

	for (size_t i = 0; i < s->targets.n; i++)
		str_addf(&out, "%s%s", i ? " " : "", s->targets.items[i].operand);
	return str_steal(&out);
}

char *setup_cell_key(const struct setup *s, const struct cell *c)
{
	AUTOFREE char *variant = variant_key(&s->plan.variants.items[c->variant]);
	AUTOFREE char *identity = setup_identity(s);
	struct str key = { 0 };

	str_addf(&key, "variant=%s;workload=%s;%s=%s", variant, s->workload.hash, s->dir ? "dir-on" : "device", identity);
	if (option_given(&s->options, "command"))
		str_addf(&key, ";command=%s", option(&s->options, "command"));
	for (int i = 0; i < AXIS_N; i++)
		if (plan_at(&s->plan, c, i))
			str_addf(&key, ";%s=%s", axes[i].name, plan_at(&s->plan, c, i)->text);
	for (size_t i = 0; i < s->fio_args.n; i++)
		str_addf(&key, ";fio_arg=%s", s->fio_args.items[i]);
	return str_steal(&key);
}

void setup_main_job(const struct setup *s, struct workload *out)
{
	const char *text = "";

	for (size_t i = s->scenario.actors.n; i--;)
		if (s->scenario.actors.items[i].job && s->scenario.actors.items[i].role == ACTOR_FOREGROUND)
			text = s->scenario.actors.items[i].job;
	workload_from_text(s->workload.name, text, out);
}

size_t setup_count_rows(const struct setup *s)
{
	return s->plan.cells.n / s->plan.variants.n;
}

uint64_t setup_row_ns(const struct setup *s, size_t row)
{
	uint64_t sum_ns = 0;

	for (size_t i = row * s->plan.variants.n; i < (row + 1) * s->plan.variants.n; i++)
		sum_ns += run_cell_ns(&s->plan, &s->scenario, &s->plan.cells.items[i]) + RUN_OVERHEAD_NS;
	return sum_ns;
}

static uint64_t runs_ns(const struct setup *s)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < setup_count_rows(s); i++)
		sum_ns += setup_row_ns(s, i);
	return sum_ns * s->plan.runs;
}

bool setup_has_canaries(const struct setup *s)
{
	return s->scenario.plain && runs_ns(s) >= SETUP_CANARY_MIN_NS;
}

uint64_t setup_canaries_ns(uint64_t runs_ns)
{
	uint64_t pair_ns = 2 * (SETUP_CANARY_RUNTIME_NS + SETUP_CANARY_RAMP_NS + RUN_OVERHEAD_NS);

	return runs_ns >= SETUP_CANARY_MIN_NS ? (2 + runs_ns / SETUP_CANARY_EVERY_NS) * pair_ns : 0;
}

uint64_t setup_estimate_ns(const struct setup *s)
{
	uint64_t ns = runs_ns(s);

	return s->scenario.plain ? ns + setup_canaries_ns(ns) : ns;
}

void setup_describe_row(const struct setup *s, const struct cell *c, struct str *out)
{
	const struct plan *p = &s->plan;

	for (int a = 0; a < AXIS_N; a++)
		if (plan_at(p, c, a) && (p->axes[a].n > 1 || a == AXIS_PATTERN || a == AXIS_NUMJOBS))
			str_addf(out, "%s%s=%s", out->len ? " " : "", axes[a].name, plan_at(p, c, a)->text);
}

const char *setup_estimate_word(const struct setup *s)
{
	return s->plan.axes[AXIS_RUNTIME].n ? "about" : "at least";
}

void setup_describe_cell(const struct setup *s, const struct cell *c, struct str *out)
{
	str_add(out, s->plan.variants.items[c->variant].name);
	setup_describe_row(s, c, out);
}

void setup_say(const struct setup *s)
{
	AUTOSTR struct str offered = { 0 };
	size_t runs = s->plan.cells.n * s->plan.runs;
	char time[UNITS_TEXT], size[UNITS_TEXT];

	for (size_t i = 0; i < s->offered.n; i++)
		str_addf(&offered, " %s", s->offered.items[i]);
	for (size_t i = 0; i < s->targets.n; i++) {
		const struct target *t = &s->targets.items[i];

		say("'%s': %s%s, %s, offers%s", t->operand, t->disks.items[0].model ? t->disks.items[0].model : t->identity,
		    s->dir ? " below" : "", units_format_size(size, t->size_bytes), str_text(&offered));
	}
	for (size_t i = 0; i < s->notes.n; i++)
		say("%s", s->notes.items[i]);
	say("%zu cell%s (%zu scheduler%s) x %s%u run%s = %zu run%s, %s %s", s->plan.cells.n,
	    s->plan.cells.n == 1 ? "" : "s", s->plan.variants.n, s->plan.variants.n == 1 ? "" : "s",
	    s->plan.precision > 0 ? "at most " : "", s->plan.runs, s->plan.runs == 1 ? "" : "s", runs, runs == 1 ? "" : "s",
	    setup_estimate_word(s), units_format_duration(time, setup_estimate_ns(s)));
}
