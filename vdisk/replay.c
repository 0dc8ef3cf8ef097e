// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/replay.h"

#include <inttypes.h>
#include <string.h>

#include "common/mem.h"
#include "common/units.h"

struct player {
	struct model *m;
	struct replay *r;
	unsigned under_way;
	int64_t now_ns;
};

static const char *const kind_names[] = {
	[COMMAND_READ] = "read", [COMMAND_WRITE] = "write", [COMMAND_FLUSH] = "flush"
};

static void take_finished(struct player *p)
{
	struct command *c;

	while ((c = model_finished(p->m))) {
		int64_t latency_ns = c->done_ns - c->arrival_ns;

		p->under_way--;
		p->r->commands++;
		p->r->bytes += c->sectors * SECTOR_BYTES;
		p->r->latency_sum_ns += latency_ns;
		if (latency_ns > p->r->latency_max_ns)
			p->r->latency_max_ns = latency_ns;
		p->r->elapsed_ns = c->done_ns;
		if (p->r->each)
			fprintf(p->r->each, "%s %" PRIu64 " %" PRIu64 " %.3f %.3f\n", kind_names[c->kind],
				c->lba * SECTOR_BYTES, c->sectors * SECTOR_BYTES, (double)c->arrival_ns / 1e3,
				(double)latency_ns / 1e3);
		free(c);
	}
}

/* Go on in time until at most 'most' commands are under way. */
static void wait_for(struct player *p, unsigned most)
{
	while (p->under_way > most) {
		/* whatever is under way has an end: without one there would be nothing to wait for */
		int64_t next = model_run(p->m, p->now_ns);

		take_finished(p);
		if (p->under_way > most && next != INT64_MAX)
			p->now_ns = next;
	}
}

/* The words of a line behind its kind; NULL behind the last. */
static int parse_range(const struct geometry *g, char **words, struct command *c, struct err *err)
{
	uint64_t offset, bytes;

	if (!words[0] || !words[1])
		return err_set(err, ERR_USAGE, "offset and length are missing");
	if (units_parse_size(words[0], &offset, err) || units_parse_size(words[1], &bytes, err))
		return -1;
	if (offset % SECTOR_BYTES || bytes % SECTOR_BYTES || !bytes)
		return err_set(err, ERR_USAGE, "offset and length are not whole sectors of %d bytes", SECTOR_BYTES);
	c->lba = offset / SECTOR_BYTES;
	c->sectors = bytes / SECTOR_BYTES;
	if (c->lba >= g->sectors || c->sectors > g->sectors - c->lba)
		return err_set(err, ERR_USAGE, "it is beyond the end of the disk");
	return 0;
}

#define BLANKS " \t\r\n"

static int parse_line(const struct player *p, char *line, struct command *c, int64_t *at_ns, struct err *err)
{
	char *words[5] = { 0 }, *save = NULL;
	size_t n = 0, kind = 0, behind;
	uint64_t ns = 0;

	for (char *w = strtok_r(line, BLANKS, &save); w && n < ARRAY_LEN(words); w = strtok_r(NULL, BLANKS, &save))
		words[n++] = w;
	while (kind < ARRAY_LEN(kind_names) && words[0] && strcmp(kind_names[kind], words[0]) != 0)
		kind++;
	if (kind == ARRAY_LEN(kind_names))
		return err_set(err, ERR_USAGE, "'%s' is not read, write or flush", words[0]);
	c->kind = (enum command_kind)kind;
	behind = c->kind == COMMAND_FLUSH ? 1 : 3;
	if (c->kind != COMMAND_FLUSH && parse_range(&p->m->geometry, words + 1, c, err))
		return -1;
	if (n > behind + 1)
		return err_set(err, ERR_USAGE, "'%s' is too much", words[behind + 1]);
	if (n <= behind)
		return 0;
	if (units_parse_duration(words[behind], &ns, err))
		return -1;
	*at_ns = (int64_t)ns;
	return *at_ns < p->now_ns ? err_set(err, ERR_USAGE, "'%s' is before the line above", words[behind]) : 0;
}

static int play_line(struct player *p, char *line, struct err *err)
{
	struct command *c;
	int64_t at_ns = -1;

	line[strcspn(line, "#\n")] = '\0';
	if (!line[strspn(line, " \t\r")])
		return 0;
	c = mem_alloc(1, sizeof(*c));
	if (parse_line(p, line, c, &at_ns, err)) {
		free(c);
		return -1;
	}
	if (at_ns < 0)
		wait_for(p, p->r->depth - 1);
	else
		p->now_ns = at_ns;
	model_run(p->m, p->now_ns);
	take_finished(p);
	c->arrival_ns = p->now_ns;
	p->under_way++;
	model_submit(p->m, c);
	return 0;
}

int replay_run(struct model *m, FILE *trace, struct replay *r, struct err *err)
{
	struct player p = { .m = m, .r = r };
	AUTOFREE char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	int bad = 0;

	while (!bad && getline(&line, &size, trace) >= 0) {
		number++;
		if (play_line(&p, line, err))
			bad = err_context(err, "line %u", number);
	}
	wait_for(&p, 0);
	return bad;
}

void replay_print(const struct replay *r, struct str *out)
{
	double seconds = (double)r->elapsed_ns / 1e9;

	str_addf(out, "requests %" PRIu64 "\nseconds %.6f\n", r->commands, seconds);
	if (!r->commands || seconds <= 0)
		return;
	str_addf(out, "iops %.3f\nmb_s %.3f\n", (double)r->commands / seconds, (double)r->bytes / 1e6 / seconds);
	str_addf(out, "latency_mean_us %.3f\nlatency_max_us %.3f\n",
		 (double)r->latency_sum_ns / 1e3 / (double)r->commands, (double)r->latency_max_ns / 1e3);
}

void counters_print(const struct model_counters *c, const struct geometry *g, struct str *out)
{
	uint64_t commands = c->reads + c->writes + c->flushes;

	str_addf(out, "reads %" PRIu64 "\nread_bytes %" PRIu64 "\nwrites %" PRIu64 "\nwrite_bytes %" PRIu64 "\n",
		 c->reads, c->read_bytes, c->writes, c->write_bytes);
	str_addf(out, "flushes %" PRIu64 "\n", c->flushes);
	str_addf(out, "busy_seconds %.3f\ndepth_mean %.2f\ndepth_max %" PRIu64 "\n", (double)c->busy_ns / 1e9,
		 commands ? (double)c->depth_sum / (double)commands : 0, c->depth_max);
	if (!g->cylinders)
		return;
	str_addf(out, "cache_read_hits %" PRIu64 "\ncached_writes %" PRIu64 "\n", c->read_hits, c->cached_writes);
	str_addf(out, "accesses %" PRIu64 "\nseeks %" PRIu64 "\n", c->accesses, c->seeks);
	str_addf(out, "seek_mean_cylinders %.0f\ncylinders %" PRIu64 "\n",
		 c->seeks ? (double)c->seek_cylinders / (double)c->seeks : 0, g->cylinders);
}
