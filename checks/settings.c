// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/settings.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct made {
	const cJSON *requested, *effective;
	const struct check_load *load;
	const struct check_target *target;
	struct check_findings *out;
};

/* The text of "DISK:PATH"; "" when it is not in there. */
static const char *value_of(const cJSON *json, const char *disk, const char *path)
{
	AUTOFREE char *key = mem_printf("%s:%s", disk, path);
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

	return text ? text : "";
}

/* "4" and "4.0" would differ, but no attribute reads like that: "0128" is 128, all else must be the same text. */
static bool same_value(const char *a, const char *b)
{
	char *end_a, *end_b;
	long long number_a = strtoll(a, &end_a, 10), number_b = strtoll(b, &end_b, 10);

	if (*a && *b && !*end_a && !*end_b)
		return number_a == number_b;
	return !strcmp(a, b);
}

static void find_clamped(const struct made *m)
{
	const cJSON *want;

	cJSON_ArrayForEach(want, m->requested) {
		const char *have = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(m->effective, want->string));
		const char *path = strchr(want->string, ':');

		if (!path || !cJSON_IsString(want) || (have && same_value(want->valuestring, have)))
			continue;
		if (have)
			check_add(m->out, CHECK_CLAMPED,
				  "'%s' of '%.*s': '%s' was asked for, the kernel made '%s' of it", path + 1,
				  (int)(path - want->string), want->string, want->valuestring, have);
		else
			check_add(m->out, CHECK_CLAMPED, "'%s' of '%.*s': '%s' was asked for, it cannot be read back",
				  path + 1, (int)(path - want->string), want->string, want->valuestring);
	}
}

/*
 * A scheduler that the sweep selects is created anew after 'rotational' was set; one that it leaves alone ("current")
 * was not. bfq starts with slice_idle 0 on a disk that is not rotational at that moment (design.md section 7).
 */
static void find_rotational_late(const struct made *m, const char *disk, const char *scheduler)
{
	const char *asked = value_of(m->requested, disk, "queue/rotational");

	if (*value_of(m->requested, disk, "queue/scheduler") ||
	    (!str_starts(scheduler, "bfq") && strcmp(scheduler, "cfq") != 0))
		return;
	if (*asked)
		check_add(m->out, CHECK_ROTATIONAL_LATE, "'%s' was created before 'rotational' of '%s' was set to %s",
			  scheduler, disk, asked);
	else if (!strcmp(value_of(m->effective, disk, "queue/rotational"), "1") &&
		 !*value_of(m->requested, disk, "queue/iosched/slice_idle") &&
		 !strcmp(value_of(m->effective, disk, "queue/iosched/slice_idle"), "0") &&
		 !strcmp(value_of(m->effective, disk, "queue/iosched/slice_idle_us"), "0"))
		check_add(m->out, CHECK_ROTATIONAL_LATE,
			  "'%s' does not idle though '%s' is rotational: it was created before "
			  "'rotational' was set, or slice_idle was set by hand",
			  scheduler, disk);
}

static bool is_on(const char *value)
{
	return *value && strcmp(value, "0") != 0;
}

static void find_still_idling(const struct made *m, const char *disk)
{
	const char *group = value_of(m->effective, disk, "queue/iosched/group_idle");

	/* only who asks for no idling is misled: cfq itself starts like this on flash */
	if (strcmp(value_of(m->requested, disk, "queue/iosched/slice_idle"), "0") != 0)
		return;
	if (is_on(group))
		check_add(m->out, CHECK_STILL_IDLING, "slice_idle is 0 on '%s', but group_idle is %s ms", disk,
			  group);
	if (is_on(value_of(m->effective, disk, "queue/iosched/strict_guarantees")))
		check_add(m->out, CHECK_STILL_IDLING, "slice_idle is 0 on '%s', but strict_guarantees makes bfq idle",
			  disk);
}

/* Zone write plugging, which keeps the order of writes under every scheduler, came with Linux 6.10. */
#define ZONE_WRITE_PLUGGING 6010

static void find_zoned_scheduler(const struct made *m, const char *disk, const char *scheduler)
{
	if (m->target->host_managed && m->load->writes != CHECK_NO && m->target->kernel < ZONE_WRITE_PLUGGING &&
	    strcmp(scheduler, "mq-deadline") != 0 && strcmp(scheduler, "deadline") != 0)
		check_add(m->out, CHECK_ZONED_SCHEDULER, "'%s' on the host-managed disk '%s'", scheduler, disk);
}

static void find_queue_full(const struct made *m, const char *disk)
{
	uint64_t asked = check_in_flight(m->load);
	uint64_t held = strtoull(value_of(m->effective, disk, "queue/nr_requests"), NULL, 10);

	/* of several disks nobody knows how many requests each gets */
	if (!m->target->stacked && m->load->direct == CHECK_YES && held && asked > held)
		check_add(m->out, CHECK_QUEUE_FULL,
			  "%" PRIu64 " job%s with iodepth %" PRIu64 " have %" PRIu64
			  " requests, nr_requests of '%s' is %" PRIu64,
			  m->load->numjobs, m->load->numjobs == 1 ? "" : "s", m->load->iodepth, asked, disk, held);
}

static void find_of_disk(const struct made *m, const char *disk, const char *scheduler)
{
	find_rotational_late(m, disk, scheduler);
	find_still_idling(m, disk);
	find_zoned_scheduler(m, disk, scheduler);
	find_queue_full(m, disk);
}

void check_settings(const char *requested, const char *effective, const struct check_load *load,
		    const struct check_target *target, struct check_findings *out)
{
	static const char path[] = ":queue/scheduler";
	cJSON *want = cJSON_Parse(requested ? requested : ""), *have = cJSON_Parse(effective ? effective : "");
	const struct made made = { want, have, load, target, out };
	const cJSON *item;

	find_clamped(&made);
	cJSON_ArrayForEach(item, have) {
		const char *at = strstr(item->string, path);
		AUTOFREE char *disk =
			at && !at[sizeof(path) - 1] ? mem_strndup(item->string, (size_t)(at - item->string)) : NULL;

		if (disk && cJSON_IsString(item))
			find_of_disk(&made, disk, item->valuestring);
	}
	cJSON_Delete(want);
	cJSON_Delete(have);
}

bool check_setting(const char *json, const char *path, char *value, size_t size)
{
	cJSON *object = cJSON_Parse(json ? json : "");
	const cJSON *item;
	bool found = false;

	cJSON_ArrayForEach(item, object) {
		const char *at = item->string ? strchr(item->string, ':') : NULL;

		if (!found && at && !strcmp(at + 1, path) && cJSON_IsString(item)) {
			snprintf(value, size, "%s", item->valuestring);
			found = true;
		}
	}
	cJSON_Delete(object);
	return found;
}
