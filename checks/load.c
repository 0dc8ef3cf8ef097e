// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/load.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "checks/limits.h"

/* ---- what the plan and the job file say ---- */

#define VALUE 64

/* Options of a job file that say the same, with fio's other name for it. */
struct names {
	const char *name, *other;
};

enum found { ABSENT, FOUND, DIFFERS /* it is there with several values */ };

/*
 * The value of an option in a job file, "1" for one without. Where sections differ, no one value holds for the run.
 * This is no parser of fio's format: what it does not understand stays unknown.
 */
static enum found job_option(const char *text, const struct names *names, char value[VALUE])
{
	AUTOFREE char *copy = mem_strdup(text);
	enum found found = ABSENT;

	for (char *save = NULL, *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *key = str_trim(line), *equals = strchr(key, '=');
		const char *is = equals ? str_trim(equals + 1) : "1";

		if (*key == '#' || *key == ';' || *key == '[')
			continue;
		if (equals)
			*equals = '\0';
		key = str_trim(key);
		if (strcmp(key, names->name) != 0 && (!names->other || strcmp(key, names->other) != 0))
			continue;
		if (found == FOUND && strncmp(value, is, VALUE - 1) != 0)
			return DIFFERS;
		snprintf(value, VALUE, "%s", is);
		found = FOUND;
	}
	return found;
}

static unsigned job_sections(const char *text)
{
	unsigned n = 0;

	for (const char *line = text; line; line = strchr(line, '\n'), line += !!line)
		n += *line == '[' && !str_starts(line, "[global]");
	return n;
}

/* The same with ${VARIABLE} resolved as the cell has it; "" where there is no one value. */
static void option_text(const struct plan *p, const struct workload *w, const struct cell *c, const char *name,
			const char *other, char out[VALUE])
{
	const struct names names = { name, other };
	char value[VALUE];

	out[0] = '\0';
	if (job_option(w->text, &names, value) != FOUND)
		return;
	if (!strchr(value, '$')) {
		memcpy(out, value, VALUE);
		return;
	}
	for (int i = 0; i < AXIS_N; i++) {
		AUTOFREE char *variable = axes[i].variable ? mem_printf("${%s}", axes[i].variable) : NULL;

		if (variable && !strcmp(value, variable) && plan_at(p, c, i))
			snprintf(out, VALUE, "%s", plan_at(p, c, i)->text);
	}
}

static const struct {
	const char *name, *other;
	size_t offset;
	enum axis_id axis; /* whose unit a number resolved from it has */
	uint64_t preset;   /* of fio, when the job file does not say */
} numbers[] = {
#define NUMBER(field) offsetof(struct check_load, field)
	{ "numjobs", NULL, NUMBER(numjobs), AXIS_NUMJOBS, 1 },
	{ "iodepth", NULL, NUMBER(iodepth), AXIS_IODEPTH, 1 },
	{ "bs", "blocksize", NUMBER(bs_bytes), AXIS_BS, 4096 },
	{ "size", NULL, NUMBER(region_bytes), AXIS_SIZE, 0 },
	{ "runtime", "timeout", NUMBER(runtime_ns), AXIS_RUNTIME, 0 },
	{ "ramp_time", NULL, NUMBER(ramp_ns), AXIS_RAMP, 0 },
#undef NUMBER
};

static uint64_t number_of(const struct plan *p, const struct workload *w, const struct cell *c, size_t i)
{
	const struct names names = { numbers[i].name, numbers[i].other };
	const struct axis_point *point = plan_at(p, c, numbers[i].axis);
	char text[VALUE], raw[VALUE];
	uint64_t number = 0;
	int bad = -1;

	if (job_option(w->text, &names, raw) == ABSENT)
		return numbers[i].preset;
	option_text(p, w, c, numbers[i].name, numbers[i].other, text);
	if (point && !strcmp(point->text, text) && strchr(raw, '$'))
		return point->number;
	if (axes[numbers[i].axis].kind == AXIS_COUNT)
		bad = units_parse_count(text, &number, NULL);
	else if (axes[numbers[i].axis].kind == AXIS_SIZE_BYTES)
		bad = units_parse_size(text, &number, NULL);
	else if (axes[numbers[i].axis].kind == AXIS_DURATION_NS)
		bad = units_parse_duration(text, &number, NULL);
	return bad ? 0 : number;
}

static bool job_has(const struct workload *w, const char *name)
{
	const struct names names = { name, NULL };
	char value[VALUE];

	return job_option(w->text, &names, value) != ABSENT && strcmp(value, "0") != 0;
}

static enum check_known known_direct(const struct plan *p, const struct workload *w, const struct cell *c)
{
	char direct[VALUE], buffered[VALUE];

	option_text(p, w, c, "direct", NULL, direct);
	option_text(p, w, c, "buffered", NULL, buffered);
	if (*direct)
		return strcmp(direct, "0") != 0 ? CHECK_YES : CHECK_NO;
	if (*buffered)
		return strcmp(buffered, "0") != 0 ? CHECK_NO : CHECK_YES;
	return job_has(w, "direct") || job_has(w, "buffered") ? CHECK_UNKNOWN : CHECK_NO; /* fio's default */
}

/* Jobs of one section start at the same offset unless it says otherwise; of several sections we know nothing. */
static enum check_known known_regions(const struct workload *w)
{
	if (job_has(w, "offset_increment") || (job_has(w, "directory") && !job_has(w, "filename")) ||
	    job_has(w, "filename_format"))
		return CHECK_YES;
	return job_sections(w->text) == 1 ? CHECK_NO : CHECK_UNKNOWN;
}

/* With these a load does not keep its depth. */
static const char *const pacing[] = { "thinktime", "rate", "rate_iops", "flow", "iodepth_batch", "iodepth_batch_submit" };

void check_load_of(const struct plan *p, const struct workload *w, const struct cell *c, struct check_load *out)
{
	const struct pattern *pattern;
	char text[VALUE];

	*out = (struct check_load){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uint64_t number = number_of(p, w, c, i);

		memcpy((char *)out + numbers[i].offset, &number, sizeof(number));
	}
	if (job_sections(w->text) != 1)
		out->numjobs = 0;
	option_text(p, w, c, "rw", "readwrite", text);
	snprintf(out->pattern, sizeof(out->pattern), "%.15s", text);
	option_text(p, w, c, "ioengine", NULL, text);
	snprintf(out->ioengine, sizeof(out->ioengine), "%.15s", text);
	pattern = pattern_find(out->pattern);
	out->writes = !pattern ? CHECK_UNKNOWN : pattern->writes ? CHECK_YES : CHECK_NO;
	out->direct = known_direct(p, w, c);
	out->own_regions = known_regions(w);
	out->has_ramp = job_has(w, "ramp_time") && (out->ramp_ns || !plan_at(p, c, AXIS_RAMP));
	for (size_t i = 0; i < ARRAY_LEN(pacing); i++)
		out->paced |= job_has(w, pacing[i]);
}

/* Behind these a drive tells by itself whether it turns. */
static bool is_physical(const struct disk *d)
{
	static const char *const transports[] = { "sata", "sas", "scsi", "usb", "fc" };

	for (size_t i = 0; d->transport && i < ARRAY_LEN(transports); i++)
		if (!strcmp(d->transport, transports[i]))
			return true;
	return false;
}

static void add_disk(const struct disk *d, struct check_target *out)
{
	out->disk_bytes += d->size_bytes;
	out->rotational &= d->rotational && is_physical(d);
	if (d->logical_block_bytes > out->logical_block_bytes)
		out->logical_block_bytes = d->logical_block_bytes;
	if (d->physical_block_bytes > out->physical_block_bytes)
		out->physical_block_bytes = d->physical_block_bytes;
}

void check_target_of(const struct target *t, const struct doctor_facts *f, struct check_target *out)
{
	AUTOSTR struct str names = { 0 };
	unsigned major, minor;

	*out = (struct check_target){ .files = t->is_dir,
				      .stacked = t->disks.n != 1 || t->chain.n > 1 + (size_t)t->is_partition,
				      .rotational = t->disks.n && !f->virtual_machine,
				      .n_disks = (unsigned)t->disks.n,
				      .ram_bytes = f->memory_bytes };
	for (size_t i = 0; i < t->disks.n; i++) {
		str_addf(&names, "%s%s", i ? ", " : "", t->disks.items[i].name);
		add_disk(&t->disks.items[i], out);
	}
	for (size_t i = 0; i < f->disks.n; i++)
		out->host_managed |= f->disks.items[i].host_managed;
	snprintf(out->disks, sizeof(out->disks), "%s", str_text(&names));
	snprintf(out->io_priority, sizeof(out->io_priority), "%s", f->io_priority ? f->io_priority : "");
	/* NOLINTNEXTLINE(cert-err34-c): what the kernel printed */
	if (f->kernel && sscanf(f->kernel, "%u.%u", &major, &minor) == 2)
		out->kernel = major * 1000 + minor;
}

/* ---- findings ---- */

static bool is_sequential(const struct check_load *load)
{
	return pattern_find(load->pattern) && !str_starts(load->pattern, "rand");
}

/* Engines that have one I/O at a time whatever iodepth says (fio(1), "iodepth"). */
static bool is_synchronous(const struct check_load *load)
{
	static const char *const engines[] = { "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice" };

	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (!strcmp(load->ioengine, engines[i]))
			return true;
	return false;
}

/* Linux does buffered libaio before io_submit returns (io_submit(2) of a file without O_DIRECT). */
static bool is_buffered_libaio(const struct check_load *load)
{
	return load->direct == CHECK_NO && !strcmp(load->ioengine, "libaio");
}

uint64_t check_in_flight(const struct check_load *load)
{
	return load->numjobs * (is_synchronous(load) || is_buffered_libaio(load) ? 1 : load->iodepth);
}

static void find_short(const struct check_load *load, const struct check_target *target, struct check_findings *out)
{
	uint64_t least_ns = target->rotational ? SHORT_ROTATIONAL_NS : SHORT_OTHER_NS;
	char is[UNITS_TEXT], least[UNITS_TEXT];

	if (load->runtime_ns && load->runtime_ns < least_ns)
		check_add(out, CHECK_TOO_SHORT, "runs of %s, should be at least %s on %s disk",
			  units_format_duration(is, load->runtime_ns), units_format_duration(least, least_ns),
			  target->rotational ? "a rotational" : "this");
}

static void find_same_blocks(const struct check_load *load, const struct check_target *target,
			     struct check_findings *out)
{
	(void)target;
	if (load->numjobs > 1 && is_sequential(load) && load->own_regions == CHECK_NO)
		check_add(out, CHECK_SAME_BLOCKS,
			  "%" PRIu64 " jobs '%s' all begin at the same place: what one reads, the "
			  "others find in a cache",
			  load->numjobs, load->pattern);
}

/* Bytes of the largest cache that can stand between the load and the disk, and what it is; 0: none is known. */
static uint64_t cache_bytes(const struct check_load *load, const struct check_target *target, const char **what)
{
	uint64_t share_bytes = target->disk_bytes / DRIVE_CACHE_SHARE;

	if (load->direct == CHECK_NO) {
		*what = "the memory";
		return target->ram_bytes;
	}
	*what = target->rotational ? "the cache that a disk of this size may have" : "the smallest cache that disks have";
	if (load->direct == CHECK_UNKNOWN)
		return 0;
	if (!target->rotational)
		return DRIVE_CACHE_MIN_BYTES;
	return share_bytes < DRIVE_CACHE_MAX_BYTES ? share_bytes : DRIVE_CACHE_MAX_BYTES;
}

static void find_tiny_area(const struct check_load *load, const struct check_target *target,
			   struct check_findings *out)
{
	uint64_t jobs = load->own_regions == CHECK_NO ? 1 : load->numjobs;
	uint64_t area_bytes = load->region_bytes * jobs, cache;
	char area_text[UNITS_TEXT], cache_text[UNITS_TEXT];
	const char *what;

	cache = cache_bytes(load, target, &what);
	if (load->own_regions != CHECK_UNKNOWN && area_bytes && area_bytes < AREA_CACHES * cache)
		check_add(out, CHECK_TINY_AREA, "%" PRIu64 " job%s work%s on %s, less than %d times %s (%s)",
			  load->numjobs, load->numjobs == 1 ? "" : "s", load->numjobs == 1 ? "s" : "",
			  units_format_size(area_text, area_bytes), AREA_CACHES, what,
			  units_format_size(cache_text, cache));
}

static void find_no_depth(const struct check_load *load, const struct check_target *target,
			  struct check_findings *out)
{
	(void)target;
	if (load->iodepth < 2)
		return;
	if (is_synchronous(load))
		check_add(out, CHECK_NO_DEPTH, "iodepth %" PRIu64 " with '%s', which has one I/O at a time",
			  load->iodepth, load->ioengine);
	else if (is_buffered_libaio(load))
		check_add(out, CHECK_NO_DEPTH,
			  "iodepth %" PRIu64 " with buffered libaio, which Linux does one by one", load->iodepth);
}

static void find_unaligned(const struct check_load *load, const struct check_target *target,
			   struct check_findings *out)
{
	if (!load->bs_bytes || !target->logical_block_bytes || load->direct != CHECK_YES)
		return;
	if (load->bs_bytes % target->logical_block_bytes)
		check_add(out, CHECK_UNALIGNED,
			  "blocks of %" PRIu64 " bytes on a disk with sectors of %u: direct I/O fails",
			  load->bs_bytes, target->logical_block_bytes);
	else if (load->bs_bytes % target->physical_block_bytes && load->writes == CHECK_YES)
		check_add(out, CHECK_UNALIGNED,
			  "writes of %" PRIu64 " bytes on a disk with physical sectors of %u: it must "
			  "read before each",
			  load->bs_bytes, target->physical_block_bytes);
}

void check_load(const struct check_load *load, const struct check_target *target, struct check_findings *out)
{
	static void (*const finds[])(const struct check_load *, const struct check_target *,
				     struct check_findings *) = {
		find_short, find_same_blocks, find_tiny_area, find_no_depth, find_unaligned,
	};

	for (size_t i = 0; i < ARRAY_LEN(finds); i++)
		finds[i](load, target, out);
}
