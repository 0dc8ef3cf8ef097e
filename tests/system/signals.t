#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# However a sweep ends, its settings are put back and nothing of it goes on. With the real fio on a loop device.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
name=${dev#/dev/}
q=/sys/block/$name/queue
db=$T/x.db
settings() { (cd "$q" && grep -rs . . | sort); }
echo mq-deadline > "$q/scheduler"
echo 99 > "$q/nr_requests"
before=$(settings)
job=$IOBENCH_RUNDIR/$name.work/job.fio

runs() { sqlite3 "$db" "select count(*) from run where state like '$1'" 2> /dev/null || echo 0; }
left() { pgrep -f "$IOBENCH_RUNDIR" | wc -l; }
guard() { pgrep -P "$pid" -x iobench-guard; }

cat > "$T/sweep" <<F
#!/bin/sh
exec "$IOBENCH" sweep --dev "$dev" --scheds bfq,none --patterns read --jobs 4 --runs 40 --runtime 1s --ramp 0 --bs 64k \
	--db "$db"
F
chmod +x "$T/sweep"

start() # [COMMAND...]: what to start it with
{
	local i
	rm -f "$db"*
	"$@" "$T/sweep" > "$T/out" 2> "$T/err" &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		if [ "$(runs ok)" -ge 1 ] && [ "$(pgrep -f "$job" | wc -l)" -ge 5 ]; then return; fi
		sleep 0.05
	done
}

settled() # wait until the guard, too, has done its work
{
	local i
	for ((i = 0; i < 60; i++)); do
		if [ ! -e "$IOBENCH_RUNDIR/$name.journal" ] && [ "$(left)" = 0 ]; then return; fi
		sleep 0.1
	done
}

after() # NAME
{
	settled
	is "$(settings)" "$before" "$1: settings are back"
	is "$(left)" 0 "$1: no process is left"
	is "$(sqlite3 "$db" 'pragma integrity_check')" ok "$1: the database is sound"
	ok "[ $(runs ok) -ge 1 ]" "$1: what was measured is stored"
}

start
kill -INT $pid
sleep 0.05
kill -INT $pid 2> /dev/null
wait $pid
is $? 130 'SIGINT twice: exit 130'
after 'SIGINT twice'

start
kill -TERM $pid
sleep 0.01
kill -TERM "$(guard)" 2> /dev/null
pkill -TERM -f "$job"
wait $pid
is $? 130 "systemd's stop, TERM to all: exit 130"
after "systemd's stop"

start
kill -STOP $pid
sleep 2
kill -CONT $pid
sleep 1
is "$(settings | grep -c '\[mq-deadline\]')" 0 'SIGSTOP for a while: the sweep goes on'
kill -INT $pid
wait $pid
after 'SIGSTOP for a while'

for sig in TERM KILL; do
	start
	kill -$sig "$(pgrep -of "$job")"
	for ((i = 0; i < 100; i++)); do if [ "$(runs failed)" -ge 1 ]; then break; fi; sleep 0.05; done
	is "$(runs failed)" 1 "SIG$sig to fio only: its run failed"
	is "$(runs ok)" "$(sqlite3 "$db" 'select count(distinct run) from sample join run on run.id = sample.run where state = "ok"')" \
		"SIG$sig to fio only: the others count"
	kill -INT $pid
	wait $pid
	after "SIG$sig to fio only"
done

# a terminal that is closed: SIGHUP, and nobody to write to
start script -q /dev/null -c
kill -KILL $pid
{ wait $pid; } 2> /dev/null
after 'terminal closed'

start
kill -KILL $pid
{ wait $pid; } 2> /dev/null
after 'SIGKILL'

start
kill -KILL "$(guard)"
wait $pid
is $? 1 'SIGKILL to the guard: exit 1'
like "$(cat "$T/err")" 'guard process was killed' 'SIGKILL to the guard: said'
after 'SIGKILL to the guard'

# a guard that is stopped does not hang its sweep
start
kill -STOP "$(guard)"
kill -INT $pid
wait $pid
is $? 130 'stopped guard: exit 130'
after 'stopped guard'

# the guard outlives its runner with the locks: nobody measures before it has put things back
start
guard=$(guard)
kill -STOP "$guard"
kill -KILL $pid
{ wait $pid; } 2> /dev/null
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 --db "$db" --shared-read
is $RC 3 'a guard at work: the next sweep waits its turn'
kill -CONT "$guard"
after 'a guard at work'

# a sweep that dies between our look and our lock
mkdir -p "$IOBENCH_RUNDIR"
flock -x "$dev" sleep 1.5 &
while flock -n "$dev" true; do sleep 0.01; done
(
	sleep 0.7
	printf 'iobench-journal 1\t1\t%s\ndisk\t%s\t/sys/devices/virtual/block/%s\t0\tmq-deadline\t\nend\n' \
		"$(cat /proc/sys/kernel/random/boot_id)" "$name" "$name" > "$IOBENCH_RUNDIR/$name.journal"
) &
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 --db "$db"
is $RC 3 'a journal that appears while we wait for the disk'
like "$ERR" 'iobench restore' 'is not overwritten'
wait
"$IOBENCH" restore > /dev/null
is "$(settings)" "$before" 'and says what it said'

# both at once: nobody is left to put anything back, so the next one says so
sed 's/--runtime 1s/--runtime 100s/' "$T/sweep" > "$T/long" && chmod +x "$T/long"
rm -f "$db"*
"$T/long" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do if [ "$(pgrep -f "$job" | wc -l)" -ge 5 ]; then break; fi; sleep 0.05; done
sleep 0.5
kill -KILL $pid "$(guard)"
{ wait $pid; } 2> /dev/null
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 --db "$db"
is $RC 3 'both killed: the next sweep does not start'
like "$ERR" 'iobench restore' 'both killed: and says what to type'
run "$IOBENCH" restore
is $RC 0 'both killed: restore does it'
like "$OUT" 'put back and verified' 'both killed: and says so'
settled
is "$(settings)" "$before" 'both killed: settings are back'
is "$(left)" 0 'both killed: what still ran was killed by restore'

# journals that cannot be replayed
mkdir -p "$IOBENCH_RUNDIR"
printf 'iobench-journal 1\t1\t%s\ndisk\t%s\t/sys/devices/virtual/block/%s\t0\tbfq' "$(cat /proc/sys/kernel/random/boot_id)" \
	"$name" "$name" > "$IOBENCH_RUNDIR/$name.journal"
run "$IOBENCH" restore
is $RC 0 'half a journal: dropped'
like "$OUT" 'not written to its end' 'half a journal: said'
printf 'iobench-journal 1\t1\tan-earlier-boot\ndisk\t%s\t/sys/devices/virtual/block/%s\t0\tbfq\t\nend\n' "$name" "$name" \
	> "$IOBENCH_RUNDIR/$name.journal"
run "$IOBENCH" restore
like "$OUT" 'earlier boot' 'a journal of an earlier boot: dropped, said'
printf 'iobench-journal 1\t1\t%s\ndisk\t%s\t/sys/devices/virtual/block/%s\t1\tbfq\t\nend\n' \
	"$(cat /proc/sys/kernel/random/boot_id)" "$name" "$name" > "$IOBENCH_RUNDIR/$name.journal"
run "$IOBENCH" restore
like "$OUT" 'gone, or another one has its name' 'a journal of a disk that was replaced: said'
is "$(settings)" "$before" 'none of these changed anything'
done_testing
