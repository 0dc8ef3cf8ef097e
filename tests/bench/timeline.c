// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into an iobench built with -finstrument-functions: when each function was entered and left, written to
 * $BENCH_TIMELINE when main() has ended, a line each: nanoseconds of CLOCK_REALTIME, thread, 1 or 0, address in the program.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 200000

struct event {
	long long ns;
	uintptr_t function;
	pid_t thread;
	int entered;
};
static struct event *events;
static unsigned n_events;
static pid_t runner; /* the guard is another process, with a copy of all this */

static void note(void *function, int entered)
{
	static __thread pid_t thread;
	unsigned i = __atomic_fetch_add(&n_events, 1, __ATOMIC_RELAXED);
	struct timespec now;

	if (i >= EVENTS || !events)
		return;
	if (!thread)
		thread = gettid();
	clock_gettime(CLOCK_REALTIME, &now);
	events[i] = (struct event){ now.tv_sec * 1000000000LL + now.tv_nsec, (uintptr_t)function, thread, entered };
}

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	note(function, 1);
}

void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)caller;
	note(function, 0);
}

static int base_of_program(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1; /* the first is the program */
}

__attribute__((constructor)) static void begin(void)
{
	runner = getpid();
	events = calloc(EVENTS, sizeof(*events));
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("BENCH_TIMELINE");
	FILE *f = path && events && getpid() == runner ? fopen(path, "w") : NULL;
	uintptr_t base = 0;

	if (!f)
		return;
	dl_iterate_phdr(base_of_program, &base);
	for (unsigned i = 0; i < n_events && i < EVENTS; i++)
		fprintf(f, "%lld %d %d %llx\n", events[i].ns, (int)events[i].thread, events[i].entered,
			(unsigned long long)(events[i].function - base));
	fclose(f);
}
