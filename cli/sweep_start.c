// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sweep_state.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

/* Which one it is tells its first result: to ask for it takes 40 ms. */
static int check_fio(struct err *err)
{
	return child_is_installed("fio", err) ? 0 : err_context(err, NEEDS_FIO);
}

static int check_uses_of(const struct setup *s, const struct target *t, const char *db, struct err *err)
{
	uses_t uses = { 0 };
	bool shared = option_given(&s->options, "shared-read") && !s->writes;
	int bad = target_uses(t, db, &uses, err);

	if (!bad && shared)
		for (size_t i = 0; i < uses.n; i++)
			say("measuring all the same: %s", uses.items[i].text);
	/* what was found before something could not be looked at says enough */
	if (!shared && (!bad || uses.n))
		bad = uses_refuse(t, &uses, err);
	uses_release(&uses);
	return bad ? -1 : 0;
}

static int check_uses(const struct setup *s, const char *db, struct err *err)
{
	for (size_t i = 0; !s->dir && i < s->targets.n; i++)
		if (check_uses_of(s, &s->targets.items[i], db, err))
			return -1;
	return 0;
}

/* What a dead sweep left is put back first: it may also be what uses the disk. */
static int check_stale(struct err *err)
{
	AUTOSTR struct str stale = { 0 };

	settings_stale(&stale);
	return stale.len ? err_set(err, ERR_NEEDS, "%s", str_trim(stale.s)) : 0;
}

int sweep_check_free(const struct setup *s, const char *db, struct err *err)
{
	return check_stale(err) || check_uses(s, db, err) ? -1 : 0;
}

static int lock_targets(struct sweep *w, struct err *err)
{
	for (size_t i = 0; i < w->setup->targets.n; i++)
		if (target_lock(&w->setup->targets.items[i], &w->locks, err)) {
			struct err used = { 0 };

			/* what uses the disk says more than that it cannot be opened */
			if (err && err->errnum != EWOULDBLOCK && check_uses(w->setup, w->db, &used))
				*err = used;
			return -1;
		}
	return 0;
}

static void *open_store(void *arg)
{
	struct sweep *w = arg;

	w->store = store_open(w->db, STORE_CREATE, &w->open_err);
	return NULL;
}

/* Not on the CPU that we are on: where the kernel starts a thread there, it waits for us. */
static void begin_to_open(struct sweep *w)
{
	pthread_attr_t attr;
	cpu_set_t others;

	pthread_attr_init(&attr);
	if (!sched_getaffinity(0, sizeof(others), &others)) {
		CPU_CLR((size_t)sched_getcpu(), &others);
		if (CPU_COUNT(&others))
			pthread_attr_setaffinity_np(&attr, sizeof(others), &others);
	}
	w->opening = !pthread_create(&w->opener, &attr, open_store, w);
	pthread_attr_destroy(&attr);
	if (!w->opening)
		open_store(w);
}

int sweep_store(struct sweep *w, struct err *err)
{
	if (w->opening)
		pthread_join(w->opener, NULL);
	w->opening = false;
	if (!w->store && err)
		*err = w->open_err;
	return w->store ? 0 : -1;
}

int sweep_look(struct sweep *w, struct err *err)
{
	struct setup *setup = w->setup;

	if (check_fio(err) || stage_check(setup, err) || check_stale(err) || lock_targets(w, err))
		return -1;
	if (!w->store)
		begin_to_open(w);
	if (check_uses(setup, w->db, err))
		return -1;
	w->settings = settings_open(setup->disks.items, setup->disks.n, &setup->plan.variants, setup->plan.axes[AXIS_GOVERNOR].n, err);
	if (!w->settings)
		return -1;
	belief_start(&w->belief, setup);
	return 0;
}

/* One journal that has both. */
static int begin_settings(struct sweep *w, struct err *err)
{
	w->workdir = mem_printf("%s/%s.work", settings_rundir(), w->setup->disks.items[0]->name);
	if (settings_note_trace(w->settings, TRACE_WORK, w->workdir, err) || settings_begin(w->settings, err))
		return -1;
	if (mkdir(w->workdir, 0700) && errno != EEXIST)
		return err_sys(err, ERR_NEEDS, errno, "cannot make '%s'", w->workdir);
	return 0;
}

static int start_guard(struct sweep *w, struct err *err)
{
	VEC(int) keep = { 0 };
	const int *locks;
	size_t n;

	locks = settings_locks(w->settings, &n);
	for (size_t i = 0; i < n; i++)
		*vec_push(&keep) = locks[i];
	for (size_t i = 0; i < w->locks.n; i++)
		*vec_push(&keep) = w->locks.items[i];
	w->guard = guard_start(w->settings, keep.items, keep.n, err);
	vec_free(&keep);
	return w->guard ? 0 : -1;
}

int sweep_guard(struct sweep *w, struct err *err)
{
	const struct subject *subject = &w->setup->subject;

	/* modules are not exchanged for results that nothing can take */
	if (subject->scheduler &&
	    (sweep_store(w, err) || settings_exchange(w->settings, subject->scheduler, &subject->modules, err)))
		return -1;
	return begin_settings(w, err) || start_guard(w, err) || sweep_store(w, err) ? -1 : 0;
}

/* Is there anything left to do under the scheduler? */
static bool is_wanted(const struct sweep *w, const char *scheduler)
{
	const struct plan *p = &w->setup->plan;

	for (size_t i = 0; i < p->cells.n; i++)
		if (!w->records[i].closed && !strcmp(p->variants.items[p->cells.items[i].variant].scheduler, scheduler))
			return true;
	return false;
}

int sweep_probe(struct sweep *w, struct err *err)
{
	const struct setup *s = w->setup;
	AUTOSTRINGS strings_t missing = { 0 }, tried = { 0 };
	AUTOFREE char *operands = setup_operands(s);

	for (size_t i = 0; i < s->plan.variants.n; i++) {
		const char *name = s->plan.variants.items[i].scheduler;
		const struct scheduler *known = scheduler_find(name);
		struct err why = { 0 };

		/* what a file has is offered when that is loaded */
		if (s->plan.variants.items[i].module || setup_is_offered(s, name) || strings_has(&tried, name) ||
		    !is_wanted(w, name))
			continue;
		strings_add(&tried, name);
		switch (settings_probe(w->settings, name, &why)) {
		case SETTINGS_OK:
			continue;
		case SETTINGS_NOT_OFFERED:
			break;
		default:
			*err = why;
			return -1;
		}
		strings_add(&missing, name);
		say("this kernel does not offer '%s' for '%s'%s%s: its cells stay pending", name, operands,
		    known && known->history ? " - " : "", known && known->history ? known->history : "");
	}
	for (size_t i = 0; i < s->plan.cells.n; i++) {
		const struct variant *v = &s->plan.variants.items[s->plan.cells.items[i].variant];
		const struct scheduler *known = scheduler_find(v->scheduler);

		if (w->records[i].closed || v->module || !strings_has(&missing, v->scheduler))
			continue;
		w->records[i].closed = true;
		w->records[i].reason = mem_printf("not offered by this kernel%s%s", known && known->history ? "; " : "",
						  known && known->history ? known->history : "");
		w->out->pending = true;
	}
	return 0;
}
