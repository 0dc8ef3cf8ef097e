#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The clock is set back by an hour in the middle of a sweep: times of runs, their order and what is left are not fooled.
. tests/lib.sh
need_loop
need_commands fio sqlite3 gcc

export IOBENCH_RUNDIR=$T/run
cat > "$T/clock.c" <<'F'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
/* every look at the wall clock is an hour before the last */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	static long back;
	int rc;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, ts);
	if (id == CLOCK_REALTIME)
		ts->tv_sec -= back += 3600;
	return rc;
}
F
gcc -shared -fPIC -o "$T/clock.so" "$T/clock.c" -ldl || skip_all 'cannot build the clock'
nm -D "$IOBENCH" | grep -q __asan && skip_all 'the sanitizers want to be loaded first'
dev=$(make_loop 64M)
db=$T/x.db
LD_PRELOAD=$T/clock.so run "$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline -p read -j 1 -n 3 -t 200ms --ramp 0 --db "$db"
is $RC 0 'the sweep ends well'
is "$(sqlite3 "$db" 'select count(*) from run a join run b on b.id = a.id + 1 where b.started_ns < a.started_ns - 3000000000000')" 5 \
	'the clock was set back before every run'
is "$(sqlite3 "$db" 'select count(*) from run where elapsed_ns between 200e6 and 60e9')" 6 'the length of each run is right'
is "$(sqlite3 "$db" "select count(*) from run where state = 'ok'")" 6 'every run counts'
run "$IOBENCH" show --db "$db"
is "$(grep -c 'block' <<< "$OUT")" 6 'show lists them'
is "$(grep -o 'block [123]' <<< "$OUT" | tr -d '\n')" 'block 1block 1block 2block 2block 3block 3' 'in the order in which they were made'
done_testing
