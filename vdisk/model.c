// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/model.h"

#include <string.h>

/* So long no read must have come before writes go from the cache to the disk unasked. Assumed: no maker says. */
#define IDLE_NS 5000000

/* Cached writes are joined up to this length: how long a read may have to wait for one. */
#define EXTENT_SECTORS 2048

/* Of that many cached writes the drive looks for the nearest: its processor has no time for more. Assumed. */
#define EXTENTS_SEEN 64

void model_init(struct model *m, const struct profile *p, uint64_t bytes)
{
	memset(m, 0, sizeof(*m));
	m->profile = *p;
	m->waiting_end = &m->waiting;
	m->finished_end = &m->finished;
	m->last_read_ns = INT64_MIN / 2;
	if (!bytes)
		bytes = p->size_bytes;
	if (p->rotating)
		geometry_make(p, bytes, &m->geometry);
	m->geometry.sectors = bytes / SECTOR_BYTES;
	if (p->write_cache)
		m->dirty_limit = (p->cache_bytes - p->segments * p->segment_bytes) / SECTOR_BYTES;
}

void model_release(struct model *m)
{
	vec_free(&m->dirty);
}

/* ---- the head ---- */

static int64_t turn_to(const struct geometry *g, int64_t at_ns, const struct place *p)
{
	int64_t angle = (geometry_track_angle(g, p) + geometry_sector_offset(g, p, p->sector)) % g->rotation_ns;
	int64_t wait = (angle - at_ns % g->rotation_ns) % g->rotation_ns;

	return wait < 0 ? wait + g->rotation_ns : wait;
}

/* Time from 'from_ns' until the head, where it is now, is at a sector. */
static int64_t positioning_ns(const struct model *m, int64_t from_ns, uint64_t lba, bool write)
{
	struct place p;
	int64_t move;

	geometry_place(&m->geometry, lba, &p);
	move = geometry_move_ns(&m->geometry, m->head.cylinder, m->head.head, &p);
	if (move && write)
		move += m->geometry.write_settle_ns;
	return move + turn_to(&m->geometry, from_ns + move, &p);
}

/*
 * Pass over the sectors from '*lba' to 'end', track after track, from head->ns on, but no longer than 'until_ns'.
 * '*lba' and the head are then where it came to.
 */
static void pass_over(const struct geometry *g, struct head *head, uint64_t *lba, uint64_t end, int64_t until_ns,
		      bool write)
{
	while (*lba < end) {
		struct place p;
		uint64_t chunk;
		int64_t at_ns = head->ns, begin, move;

		geometry_place(g, *lba, &p);
		move = geometry_move_ns(g, head->cylinder, head->head, &p);
		/* only at the start: the skew leaves no time for more from one track to the next */
		if (move && write)
			move += g->write_settle_ns;
		at_ns += move;
		at_ns += turn_to(g, at_ns, &p);
		if (at_ns >= until_ns)
			return;
		chunk = p.track_sectors - p.sector < end - *lba ? p.track_sectors - p.sector : end - *lba;
		begin = geometry_sector_offset(g, &p, p.sector);
		if (at_ns + geometry_sector_offset(g, &p, p.sector + chunk) - begin > until_ns)
			chunk = (uint64_t)(until_ns - at_ns) * p.track_sectors / (uint64_t)g->rotation_ns;
		/* the angles of requests that follow each other must agree to the nanosecond, or a turn is lost */
		head->ns = at_ns + geometry_sector_offset(g, &p, p.sector + chunk) - begin;
		head->cylinder = p.cylinder;
		head->head = p.head;
		*lba += chunk;
		write = false;
		if (head->ns >= until_ns || !chunk)
			return;
	}
}

static void access_media(struct model *m, int64_t from_ns, uint64_t lba, uint64_t end, bool write)
{
	uint64_t before = m->head.cylinder;
	struct place first;

	geometry_place(&m->geometry, lba, &first);
	if (first.cylinder != before) {
		m->count.seeks++;
		m->count.seek_cylinders +=
			first.cylinder > before ? first.cylinder - before : before - first.cylinder;
	}
	m->count.accesses++;
	m->head.ns = from_ns;
	pass_over(&m->geometry, &m->head, &lba, end, INT64_MAX, write);
}

/* ---- reading ahead ---- */

static uint64_t segment_sectors(const struct model *m)
{
	return m->profile.segment_bytes / SECTOR_BYTES;
}

static uint64_t ahead_limit(const struct model *m)
{
	uint64_t limit = m->ahead->start + segment_sectors(m);

	return limit < m->geometry.sectors ? limit : m->geometry.sectors;
}

/* Read ahead until now, as far as the segment goes. */
static void read_ahead(struct model *m, int64_t now_ns)
{
	if (!m->ahead || m->head.ns >= now_ns)
		return;
	pass_over(&m->geometry, &m->head, &m->ahead->end, ahead_limit(m), now_ns, false);
	/* full: it rests, and the platters turn away below it */
	if (m->ahead->end >= ahead_limit(m))
		m->head.ns = now_ns;
}

/* The segment that holds the sector, or whose end it is. */
static struct segment *segment_at(struct model *m, uint64_t lba)
{
	struct segment *found = NULL;

	for (size_t i = 0; i < m->profile.segments; i++) {
		struct segment *s = &m->segments[i];

		if (s->start != s->end && lba >= s->start && lba <= s->end && (!found || s->end > found->end))
			found = s;
	}
	return found;
}

static struct segment *oldest_segment(struct model *m)
{
	struct segment *oldest = &m->segments[0];

	for (size_t i = 1; i < m->profile.segments; i++)
		if (m->segments[i].used < oldest->used)
			oldest = &m->segments[i];
	return oldest;
}

/* What was read goes into its segment; older sectors make room for it, and for what is read ahead. */
static void keep_read(struct model *m, uint64_t lba, uint64_t end)
{
	struct segment *s = segment_at(m, lba);

	if (!s) {
		s = oldest_segment(m);
		s->end = end;
	}
	s->start = end - lba > segment_sectors(m) ? end - segment_sectors(m) : lba;
	s->end = s->end > end ? s->end : end;
	s->used = m->count.accesses;
	s->valid_ns = m->head.ns;
	m->ahead = m->profile.read_ahead ? s : NULL;
}

static void forget_written(struct model *m, uint64_t lba, uint64_t end)
{
	for (size_t i = 0; i < m->profile.segments; i++) {
		struct segment *s = &m->segments[i];

		if (s->start == s->end || lba >= s->end || end <= s->start)
			continue;
		if (m->ahead == s)
			m->ahead = NULL;
		s->end = s->start;
	}
}

/* ---- the write cache ---- */

static void keep_write(struct model *m, uint64_t lba, uint64_t sectors)
{
	struct extent *e;

	m->dirty_sectors += sectors;
	for (size_t i = m->dirty.n; i--;) {
		e = &m->dirty.items[i];
		if (e->sectors + sectors > EXTENT_SECTORS)
			continue;
		if (e->lba + e->sectors == lba) {
			e->sectors += sectors;
			return;
		}
	}
	e = vec_push(&m->dirty);
	e->lba = lba;
	e->sectors = sectors;
}

static bool holds(const struct extent *e, uint64_t lba, uint64_t end)
{
	return lba >= e->lba && end <= e->lba + e->sectors;
}

/* Is it among the cached writes, or in the one that went to the disk last? That is still there. */
static bool is_cached_write(const struct model *m, uint64_t lba, uint64_t end)
{
	for (size_t i = 0; i < m->dirty.n; i++)
		if (holds(&m->dirty.items[i], lba, end))
			return true;
	return holds(&m->written, lba, end);
}

static size_t nearest_extent(const struct model *m, int64_t now_ns, int64_t *cost_ns)
{
	size_t best = 0;

	*cost_ns = INT64_MAX;
	for (size_t i = 0; i < m->dirty.n && i < EXTENTS_SEEN; i++) {
		int64_t cost = positioning_ns(m, now_ns, m->dirty.items[i].lba, true);

		if (cost < *cost_ns) {
			*cost_ns = cost;
			best = i;
		}
	}
	return best;
}

static void write_back(struct model *m, size_t i, int64_t now_ns)
{
	struct extent e = m->dirty.items[i];

	m->written = e;
	memmove(&m->dirty.items[i], &m->dirty.items[i + 1], (--m->dirty.n - i) * sizeof(e));
	m->ahead = NULL;
	access_media(m, now_ns, e.lba, e.lba + e.sectors, true);
	m->count.busy_ns += m->head.ns - now_ns;
	m->dirty_sectors -= e.sectors;
}

/* ---- commands ---- */

/* Over the interface, when it is free; returns the end. */
static int64_t over_bus(struct model *m, int64_t from_ns, uint64_t sectors)
{
	if (m->bus_free_ns < from_ns)
		m->bus_free_ns = from_ns;
	m->bus_free_ns += (int64_t)((double)(sectors * SECTOR_BYTES) * 1e3 / m->profile.interface_mb_s);
	return m->bus_free_ns;
}

/* Pages lie on the channels in turn; each channel works on one at a time. */
static void serve_flash(struct model *m, struct command *c)
{
	uint64_t page_sectors = m->profile.page_bytes / SECTOR_BYTES;
	int64_t page_ns = (int64_t)((c->kind == COMMAND_READ ? m->profile.read_us : m->profile.write_us) * 1e3);
	int64_t end_ns = c->ready_ns;

	for (uint64_t page = c->lba / page_sectors; page * page_sectors < c->lba + c->sectors; page++) {
		int64_t *free_ns = &m->channel_free_ns[page % m->profile.channels];

		*free_ns = (*free_ns > c->ready_ns ? *free_ns : c->ready_ns) + page_ns;
		m->count.busy_ns += page_ns;
		end_ns = *free_ns > end_ns ? *free_ns : end_ns;
	}
	c->done_ns = over_bus(m, end_ns + c->extra_ns, c->sectors);
}

/* What needs no head, or none any more; false: the command stays. */
static bool serve_without_head(struct model *m, struct command *c, int64_t now_ns)
{
	struct segment *s;

	if (c->kind == COMMAND_FLUSH) {
		if (m->dirty.n || m->head.ns > now_ns)
			return false;
		c->done_ns = now_ns;
		return true;
	}
	if (c->kind == COMMAND_WRITE) {
		if (m->dirty_sectors + c->sectors > m->dirty_limit)
			return false;
		forget_written(m, c->lba, c->lba + c->sectors);
		keep_write(m, c->lba, c->sectors);
		m->count.cached_writes++;
		c->done_ns = over_bus(m, now_ns, c->sectors);
		return true;
	}
	s = segment_at(m, c->lba);
	if (s && (s->end < c->lba + c->sectors || s->valid_ns > now_ns))
		s = NULL;
	if (!s && !is_cached_write(m, c->lba, c->lba + c->sectors))
		return false;
	if (s) {
		s->start = c->lba; /* room to read on */
		s->used = m->count.accesses;
	}
	m->last_read_ns = now_ns;
	m->count.read_hits++;
	c->done_ns = over_bus(m, now_ns, c->sectors);
	return true;
}

/* The first sector that must come from the platter: what is in a segment already need not. */
static uint64_t media_start(struct model *m, const struct command *c, bool *goes_on)
{
	struct segment *s = c->kind == COMMAND_READ ? segment_at(m, c->lba) : NULL;

	*goes_on = s && s == m->ahead && s->end < ahead_limit(m);
	return s ? s->end : c->lba;
}

static int64_t cost_of(struct model *m, const struct command *c, int64_t now_ns)
{
	bool goes_on;
	uint64_t lba = media_start(m, c, &goes_on);

	return goes_on ? 0 : positioning_ns(m, now_ns, lba, c->kind == COMMAND_WRITE);
}

static void serve_with_head(struct model *m, struct command *c, int64_t now_ns)
{
	bool goes_on;
	uint64_t lba = media_start(m, c, &goes_on), end = c->lba + c->sectors;
	int64_t from_ns = goes_on ? m->head.ns : now_ns;

	access_media(m, from_ns, lba, end, c->kind == COMMAND_WRITE);
	m->head.ns += c->extra_ns;
	m->count.busy_ns += m->head.ns - now_ns;
	if (c->kind == COMMAND_READ) {
		keep_read(m, c->lba, end);
		m->last_read_ns = m->head.ns;
	} else {
		m->ahead = NULL;
		forget_written(m, c->lba, end);
	}
	/* the interface is faster than the platter: the transfer ends with the last sector */
	c->done_ns = m->head.ns;
}

/* A command that the head can work on: not done, overhead over, not a flush, nor a write that waits for the cache. */
static bool wants_head(const struct model *m, const struct command *c)
{
	return c->done_ns == COMMAND_PENDING &&
	       (c->kind == COMMAND_READ || (c->kind == COMMAND_WRITE && c->sectors > m->dirty_limit));
}

static struct command *choose(struct model *m, int64_t now_ns, int64_t *cost_ns)
{
	int64_t limit_ns = (int64_t)(m->profile.age_limit_ms * 1e6);
	struct command *best = NULL, *oldest = NULL;

	for (unsigned i = 0; i < m->n_held; i++) {
		struct command *c = m->held[i];
		int64_t cost;

		if (!wants_head(m, c) || c->ready_ns > now_ns)
			continue;
		if (!oldest || c->arrival_ns < oldest->arrival_ns)
			oldest = c;
		cost = cost_of(m, c, now_ns);
		if (!best || cost < *cost_ns) {
			best = c;
			*cost_ns = cost;
		}
	}
	if (oldest && now_ns - oldest->arrival_ns > limit_ns) {
		*cost_ns = -1;
		return oldest;
	}
	return best;
}

/* Does something wait for the write cache to get emptier? */
static bool must_write_back(const struct model *m, int64_t now_ns)
{
	for (unsigned i = 0; m->dirty.n && i < m->n_held; i++)
		if (m->held[i]->done_ns == COMMAND_PENDING && m->held[i]->ready_ns <= now_ns &&
		    m->held[i]->kind != COMMAND_READ && !wants_head(m, m->held[i]))
			return true;
	return false;
}

/* The head is free: give it something to do. */
static void use_head(struct model *m, int64_t now_ns)
{
	int64_t cost_ns = INT64_MAX, extent_cost_ns = INT64_MAX;
	struct command *c = choose(m, now_ns, &cost_ns);
	bool pressed = must_write_back(m, now_ns);
	size_t i = 0;

	if (m->dirty.n && (!c || pressed))
		i = nearest_extent(m, now_ns, &extent_cost_ns);
	if (c && (!pressed || cost_ns <= extent_cost_ns))
		serve_with_head(m, c, now_ns);
	else if (m->dirty.n && (pressed || now_ns >= m->last_read_ns + IDLE_NS))
		write_back(m, i, now_ns);
}

static void admit(struct model *m, struct command *c, int64_t now_ns)
{
	m->held[m->n_held++] = c;
	m->count.depth_sum += m->n_held;
	if (m->n_held > m->count.depth_max)
		m->count.depth_max = m->n_held;
	c->ready_ns = now_ns + (int64_t)(m->profile.overhead_us * 1e3);
	if (m->profile.rotating)
		return;
	if (c->kind == COMMAND_FLUSH)
		c->done_ns = c->ready_ns;
	else
		serve_flash(m, c);
}

static void admit_waiting(struct model *m, int64_t now_ns)
{
	while (m->waiting && m->n_held < m->profile.depth) {
		struct command *c = m->waiting;

		m->waiting = c->next;
		if (!m->waiting)
			m->waiting_end = &m->waiting;
		admit(m, c, c->arrival_ns > now_ns ? c->arrival_ns : now_ns);
	}
}

static void count(struct model *m, const struct command *c)
{
	m->count.reads += c->kind == COMMAND_READ;
	m->count.writes += c->kind == COMMAND_WRITE;
	m->count.flushes += c->kind == COMMAND_FLUSH;
	if (c->kind == COMMAND_READ)
		m->count.read_bytes += c->sectors * SECTOR_BYTES;
	else if (c->kind == COMMAND_WRITE)
		m->count.write_bytes += c->sectors * SECTOR_BYTES;
}

void model_submit(struct model *m, struct command *c)
{
	c->done_ns = COMMAND_PENDING;
	c->next = NULL;
	count(m, c);
	*m->waiting_end = c;
	m->waiting_end = &c->next;
	admit_waiting(m, c->arrival_ns);
}

static void retire(struct model *m, int64_t now_ns)
{
	for (unsigned i = 0; i < m->n_held;) {
		struct command *c = m->held[i];

		if (c->done_ns > now_ns) {
			i++;
			continue;
		}
		memmove(&m->held[i], &m->held[i + 1], (--m->n_held - i) * sizeof(struct command *));
		c->next = NULL;
		*m->finished_end = c;
		m->finished_end = &c->next;
	}
	admit_waiting(m, now_ns);
}

struct command *model_finished(struct model *m)
{
	struct command *c = m->finished;

	if (!c)
		return NULL;
	m->finished = c->next;
	if (!m->finished)
		m->finished_end = &m->finished;
	return c;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* When the next thing happens, after 'after_ns': something is done, ready to be begun, or time to write back. */
static int64_t next_event(const struct model *m, int64_t after_ns)
{
	int64_t next = INT64_MAX, free_ns = m->head.ns;

	for (unsigned i = 0; i < m->n_held; i++) {
		const struct command *c = m->held[i];

		if (c->done_ns != COMMAND_PENDING)
			next = earlier(next, c->done_ns);
		else if (c->ready_ns > after_ns)
			next = earlier(next, c->ready_ns);
		else
			next = earlier(next, free_ns > after_ns ? free_ns : after_ns + 1);
	}
	if (m->dirty.n) {
		int64_t idle_ns = m->last_read_ns + IDLE_NS;

		idle_ns = idle_ns > free_ns ? idle_ns : free_ns;
		next = earlier(next, idle_ns > after_ns ? idle_ns : after_ns + 1);
	}
	return next;
}

/* All that happens at one instant. */
static void happen(struct model *m, int64_t now_ns)
{
	retire(m, now_ns);
	if (!m->profile.rotating)
		return;
	read_ahead(m, now_ns);
	for (unsigned i = 0; i < m->n_held; i++)
		if (m->held[i]->done_ns == COMMAND_PENDING && m->held[i]->ready_ns <= now_ns)
			serve_without_head(m, m->held[i], now_ns);
	if (m->head.ns <= now_ns)
		use_head(m, now_ns);
}

int64_t model_run(struct model *m, int64_t now_ns)
{
	int64_t next;

	while ((next = next_event(m, m->last_ns)) <= now_ns) {
		m->last_ns = next;
		happen(m, next);
	}
	return next;
}
