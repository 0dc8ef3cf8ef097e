// SPDX-License-Identifier: GPL-2.0-or-later
#include "vdisk/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/units.h"
#include "vdisk/replay.h"

/* ---- how late we are ---- */

/* Four buckets an octave of microseconds. */
static unsigned bucket_of(int64_t late_ns)
{
	double us = (double)late_ns / 1e3;
	double bucket = us < 1 ? 0 : 1 + 4 * log2(us);

	return bucket < LATE_BUCKETS - 1 ? (unsigned)bucket : LATE_BUCKETS - 1;
}

/* The upper end of the bucket that the part 'share' of all commands is below of. */
static double late_us(const struct drive *d, double share)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < LATE_BUCKETS; i++) {
		sum += d->late[i];
		if (d->late_n && (double)sum >= share * (double)d->late_n)
			return exp2(i / 4.0);
	}
	return 0;
}

static void note_late(struct drive *d, int64_t late_ns)
{
	d->late[bucket_of(late_ns)]++;
	d->late_n++;
	d->late_ms_n += late_ns > 1000000;
	if (late_ns > d->late_max_ns)
		d->late_max_ns = late_ns;
}

/* ---- time ---- */

/* The model's time stands still while the drive hangs. */
static int64_t model_now(const struct drive *d)
{
	return (d->hang_until_ns ? d->hang_from_ns : now_monotonic_ns()) - d->shift_ns;
}

static void end_hang(struct drive *d, int64_t now_ns)
{
	d->shift_ns += now_ns - d->hang_from_ns;
	d->hang_until_ns = 0;
}

static void wait_until(struct drive *d, int64_t clock_ns)
{
	struct timespec ts = { .tv_sec = clock_ns / NS_PER_S, .tv_nsec = clock_ns % NS_PER_S };

	if (clock_ns == INT64_MAX)
		pthread_cond_wait(&d->work, &d->lock);
	else
		pthread_cond_clockwait(&d->work, &d->lock, CLOCK_MONOTONIC, &ts);
}

/* ---- the thread ---- */

static void finish(struct drive *d, struct command *c, int64_t due_ns)
{
	struct io *io = (struct io *)c;

	d->failed += io->errnum != 0;
	pthread_mutex_unlock(&d->lock);
	io->done(io);
	pthread_mutex_lock(&d->lock);
	if (due_ns)
		note_late(d, now_monotonic_ns() - due_ns);
}

static void finish_all(struct drive *d)
{
	struct command *c;

	while ((c = model_finished(&d->model))) {
		if (((struct io *)c)->stuck) {
			c->next = d->stuck;
			d->stuck = c;
		} else {
			finish(d, c, c->done_ns + d->shift_ns);
		}
	}
}

static void release_stuck(struct drive *d)
{
	while (d->stuck) {
		struct command *c = d->stuck;

		d->stuck = c->next;
		finish(d, c, 0);
	}
}

static void *work(void *arg)
{
	struct drive *d = arg;

	prctl(PR_SET_TIMERSLACK, 1UL);
	pthread_mutex_lock(&d->lock);
	while (!d->stop) {
		int64_t next, now_ns = now_monotonic_ns();

		if (d->hang_until_ns && now_ns >= d->hang_until_ns)
			end_hang(d, d->hang_until_ns);
		if (d->hang_until_ns) {
			wait_until(d, d->hang_until_ns);
			continue;
		}
		next = model_run(&d->model, model_now(d));
		if (d->model.finished)
			finish_all(d);
		else
			wait_until(d, next == INT64_MAX ? next : next + d->shift_ns);
	}
	/* nobody waits for what is late now */
	model_run(&d->model, INT64_MAX - 1);
	finish_all(d);
	release_stuck(d);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

int drive_start(struct drive *d, const struct profile *p, uint64_t bytes, struct err *err)
{
	struct sched_param before_all = { .sched_priority = 2 };
	int errnum;

	*d = (struct drive){ .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER };
	d->random = 88172645463325252ULL;
	model_init(&d->model, p, bytes);
	errnum = pthread_create(&d->thread, NULL, work, d);
	if (errnum)
		return err_sys(err, ERR_FAULT, errnum, "cannot start a thread");
	d->realtime = !pthread_setschedparam(d->thread, SCHED_FIFO, &before_all);
	return 0;
}

void drive_stop(struct drive *d)
{
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_signal(&d->work);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	model_release(&d->model);
	vec_free(&d->faults);
}

/* ---- commands ---- */

/* xorshift64 (Marsaglia 2003): faults need no better numbers. */
static double draw(struct drive *d)
{
	d->random ^= d->random << 13;
	d->random ^= d->random >> 7;
	d->random ^= d->random << 17;
	return (double)(d->random >> 11) / 9007199254740992.0;
}

bool drive_judge(struct drive *d, struct io *io)
{
	const struct command *c = &io->command;
	bool there;

	pthread_mutex_lock(&d->lock);
	there = !d->gone && !d->stop;
	if (!there)
		d->failed++;
	for (size_t i = 0; c->kind != COMMAND_FLUSH && i < d->faults.n; i++) {
		struct fault *f = &d->faults.items[i];

		if (!fault_strikes(f, c->kind == COMMAND_WRITE, c->lba * SECTOR_BYTES, c->sectors * SECTOR_BYTES,
				   draw(d)))
			continue;
		f->hits++;
		if (f->kind == FAULT_EIO)
			io->errnum = EIO;
		else if (f->kind == FAULT_STUCK)
			io->stuck = true;
		else
			io->command.extra_ns += f->ns;
	}
	pthread_mutex_unlock(&d->lock);
	return there;
}

void drive_submit(struct drive *d, struct io *io)
{
	pthread_mutex_lock(&d->lock);
	io->command.arrival_ns = model_now(d);
	if (!d->hang_until_ns)
		model_run(&d->model, io->command.arrival_ns);
	model_submit(&d->model, &io->command);
	pthread_cond_signal(&d->work);
	pthread_mutex_unlock(&d->lock);
}

static void clear_faults(struct drive *d)
{
	d->gone = false;
	vec_free(&d->faults);
	if (d->hang_until_ns)
		end_hang(d, now_monotonic_ns());
	release_stuck(d);
}

int drive_fault(struct drive *d, const char *text, struct err *err)
{
	struct fault f;

	if (fault_parse(text, &f, err))
		return -1;
	pthread_mutex_lock(&d->lock);
	if (f.kind == FAULT_CLEAR) {
		clear_faults(d);
	} else if (f.kind == FAULT_GONE) {
		d->gone = true;
	} else if (f.kind == FAULT_HANG) {
		d->hang_from_ns = d->hang_until_ns ? d->hang_from_ns : now_monotonic_ns();
		d->hang_until_ns = now_monotonic_ns() + f.ns;
	} else {
		*vec_push(&d->faults) = f;
	}
	pthread_cond_signal(&d->work);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

void drive_print(struct drive *d, struct str *out)
{
	pthread_mutex_lock(&d->lock);
	counters_print(&d->model.count, &d->model.geometry, out);
	str_addf(out, "failed %" PRIu64 "\nended %" PRIu64 "\nlate_over_1ms %" PRIu64 "\n", d->failed, d->late_n,
		 d->late_ms_n);
	str_addf(out, "late_p50_us %.0f\nlate_p99_us %.0f\nlate_max_us %.0f\nrealtime %s\n", late_us(d, 0.5),
		 late_us(d, 0.99), (double)d->late_max_ns / 1e3, d->realtime ? "yes" : "no");
	for (size_t i = 0; i < d->faults.n; i++) {
		str_add(out, "fault ");
		fault_print(&d->faults.items[i], out);
		str_add(out, "\n");
	}
	if (d->gone)
		str_add(out, "fault gone\n");
	if (d->hang_until_ns)
		str_add(out, "fault hang, now\n");
	pthread_mutex_unlock(&d->lock);
}
