// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/knob.h"

#include <stdio.h>
#include <string.h>

/*
 * Sources: Documentation/block/{queue-sysfs,bfq-iosched,deadline-iosched,kyber-iosched,cfq-iosched}.txt of Linux
 * 4.20 and 6.x, and the attributes that 6.18 shows on a loop device.
 */
static const struct knob knobs[] = {
	{ "device/queue_depth", NULL, KNOB_DEVICE, KNOB_WATCHED, "requests" },

	{ "queue/rotational", NULL, KNOB_BEFORE, KNOB_WATCHED, "" },
	{ "queue/add_random", NULL, KNOB_BEFORE, 0, "" },

	{ "queue/scheduler", NULL, KNOB_SCHEDULER, KNOB_WATCHED, "" },

	{ "slice_idle", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "slice_idle_us", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "us" },
	{ "group_idle", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "group_idle_us", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "us" },
	{ "low_latency", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "" },
	{ "back_seek_max", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "KiB" },
	{ "back_seek_penalty", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "" },
	{ "fifo_expire_async", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "fifo_expire_sync", "bfq cfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "max_budget", "bfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "sectors" },
	{ "strict_guarantees", "bfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "" },
	{ "timeout_sync", "bfq bfq-mq bfq-sq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "quantum", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "requests" },
	{ "slice_sync", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "slice_sync_us", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "us" },
	{ "slice_async", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "slice_async_us", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "us" },
	{ "slice_async_rq", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "requests" },
	{ "target_latency", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "target_latency_us", "cfq", KNOB_TUNABLE, KNOB_BY_SWITCH, "us" },
	{ "async_depth", "mq-deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "requests" },
	{ "prio_aging_expire", "mq-deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "read_expire", "mq-deadline deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "write_expire", "mq-deadline deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "ms" },
	{ "writes_starved", "mq-deadline deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "" },
	{ "front_merges", "mq-deadline deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "" },
	{ "fifo_batch", "mq-deadline deadline", KNOB_TUNABLE, KNOB_BY_SWITCH, "requests" },
	{ "read_lat_nsec", "kyber", KNOB_TUNABLE, KNOB_BY_SWITCH, "ns" },
	{ "write_lat_nsec", "kyber", KNOB_TUNABLE, KNOB_BY_SWITCH, "ns" },

	{ "queue/nr_requests", NULL, KNOB_AFTER, KNOB_WATCHED | KNOB_BY_SWITCH, "requests" },
	{ "queue/wbt_lat_usec", NULL, KNOB_AFTER, KNOB_WATCHED | KNOB_BY_SWITCH | KNOB_STICKS, "us" },
	{ "queue/async_depth", NULL, KNOB_AFTER, KNOB_BY_SWITCH, "requests" },
	{ "queue/read_ahead_kb", NULL, KNOB_AFTER, KNOB_WATCHED, "KiB" },
	{ "queue/max_sectors_kb", NULL, KNOB_AFTER, KNOB_WATCHED, "KiB" },
	{ "queue/rq_affinity", NULL, KNOB_AFTER, KNOB_WATCHED, "" },
	{ "queue/nomerges", NULL, KNOB_AFTER, KNOB_WATCHED, "" },
	{ "queue/iostats", NULL, KNOB_AFTER, KNOB_WATCHED, "" },
	{ "queue/write_cache", NULL, KNOB_AFTER, KNOB_WATCHED, "" },
	{ "queue/io_poll", NULL, KNOB_AFTER, 0, "" },
	{ "queue/io_poll_delay", NULL, KNOB_AFTER, 0, "" },
	{ "queue/io_timeout", NULL, KNOB_AFTER, 0, "ms" },
};

static const struct scheduler schedulers[] = {
	{ "none", NULL, NULL },
	{ "mq-deadline", "mq-deadline", NULL },
	{ "kyber", "kyber-iosched", "kyber needs Linux 4.12 or newer and CONFIG_MQ_IOSCHED_KYBER" },
	{ "bfq", "bfq", "bfq needs Linux 4.12 or newer and CONFIG_IOSCHED_BFQ" },
	{ "cfq", "cfq-iosched", "cfq left Linux in 5.0" },
	{ "deadline", "deadline-iosched", "deadline left Linux in 5.0; the name stands for mq-deadline since 4.15" },
	{ "noop", "noop-iosched", "noop left Linux in 5.0" },
	{ "anticipatory", "as-iosched", "anticipatory left Linux in 2.6.33" },
	{ "bfq-mq", "bfq-mq-iosched", "bfq-mq was never part of Linux: it is the out-of-tree bfq of 2016-2018" },
	{ "bfq-sq", "bfq-sq-iosched", "bfq-sq was never part of Linux: it is the out-of-tree bfq of 2016-2018" },
};

const struct knob *knob_at(size_t i)
{
	return i < ARRAY_LEN(knobs) ? &knobs[i] : NULL;
}

bool knob_of_scheduler(const struct knob *k, const char *scheduler)
{
	size_t len = strlen(scheduler);

	for (const char *p = k->schedulers; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == len && !strncmp(p, scheduler, len))
			return true;
	return false;
}

const char *knob_path(const struct knob *k, char out[KNOB_PATH])
{
	snprintf(out, KNOB_PATH, "%s%s", k->stage == KNOB_TUNABLE ? "queue/iosched/" : "", k->name);
	return out;
}

static int unknown_tunable(const char *name, const char *scheduler, struct err *err)
{
	const char *has[ARRAY_LEN(knobs)], *nearest;
	AUTOSTR struct str list = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(knobs); i++)
		if (knob_of_scheduler(&knobs[i], scheduler))
			has[n++] = knobs[i].name;
	if (!n)
		return err_set(err, ERR_USAGE, "scheduler '%s' has no tunables, so no '%s'", scheduler, name);
	for (size_t i = 0; i < n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", has[i]);
	nearest = str_nearest(name, has, n);
	if (nearest)
		return err_set(err, ERR_USAGE, "scheduler '%s' has no tunable '%s' (did you mean '%s'? it has %s)", scheduler,
			       name, nearest, str_text(&list));
	return err_set(err, ERR_USAGE, "scheduler '%s' has no tunable '%s' (it has %s)", scheduler, name, str_text(&list));
}

const struct knob *knob_find(const char *name, const char *scheduler, struct knob *other, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(knobs); i++)
		if (!strcmp(knobs[i].name, name) &&
		    (knobs[i].stage != KNOB_TUNABLE || knob_of_scheduler(&knobs[i], scheduler)))
			return &knobs[i];
	if (!strchr(name, '/')) {
		unknown_tunable(name, scheduler, err);
		return NULL;
	}
	/* each attribute has one name: "queue/./scheduler" must not go round the rows of the table */
	if (strlen(name) >= KNOB_PATH || strstr(name, "/.") || strstr(name, "//") || name[strlen(name) - 1] == '/' ||
	    (!str_starts(name, "queue/") && !str_starts(name, "device/")) || str_starts(name, "queue/iosched")) {
		err_set(err, ERR_USAGE, "'%s' is not a setting of a disk (write queue/NAME or device/NAME)", name);
		return NULL;
	}
	*other = (struct knob){ .name = name, .stage = KNOB_AFTER, .unit = "" };
	return other;
}

const struct scheduler *scheduler_at(size_t i)
{
	return i < ARRAY_LEN(schedulers) ? &schedulers[i] : NULL;
}

const struct scheduler *scheduler_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(schedulers); i++)
		if (!strcmp(schedulers[i].name, name))
			return &schedulers[i];
	return NULL;
}
