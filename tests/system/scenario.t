#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scenarios on loop devices: actors that run together, what is made for them, and that nothing is left of it.
. tests/lib.sh
need_loop
need_commands fio sqlite3 mkfs.ext4

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
name=${dev#/dev/}
q=/sys/block/$name/queue
db=$T/x.db
grep -qw bfq "$q/scheduler" || skip_all 'this kernel does not offer bfq on a loop device'
echo mq-deadline > "$q/scheduler"
settings() { (cd "$q" && grep -rs . . | sort); }
before=$(settings)
sql() { sqlite3 "$db" "$1"; }
sweep() { rm -f "$db"*; run "$IOBENCH" sweep --dev "$dev" --scheds none --runs 1 --db "$db" "$@"; }
value() { # ACTOR METRIC
	sql "select value from sample s join actor a on s.actor = a.id join metric m on s.metric = m.id
		where a.name = '$1' and m.name = '$2' and job = -1 and direction = 0 limit 1"
}
clean() { # NAME
	is "$(settings)" "$before" "$1: settings are back"
	is "$(grep -c "$IOBENCH_RUNDIR" /proc/mounts)" 0 "$1: nothing is mounted"
	is "$(find "$IOBENCH_RUNDIR" -name '*.journal' -o -name '*.work' -o -name '.iobench*' | wc -l)" 0 "$1: nothing that was made is left"
	is "$(pgrep -f "$IOBENCH_RUNDIR" | wc -l)" 0 "$1: no process is left"
	is "$(find /sys/fs/cgroup -maxdepth 3 -name "iobench-$pid-*" | wc -l)" 0 "$1: no control group is left"
}
pid=none

# ---- who ends when ----

cat > "$T/two.scenario" <<'F'
# Do two actors run together?
[scenario]
[front]
delay = 300ms
metrics = bw
job =
	rw=read
	bs=64k
	io_size=1m
[back]
role = background
job =
	rw=randread
	time_based
	runtime=1d
[words]
role = background
program = sleep 100
F
sweep --job "$T/two.scenario"
is $RC 0 'the run ends with the foreground'
ok "[ -n \"$(value front bw)\" ]" 'the foreground is stored under its name'
ok "[ -n \"$(value back bw)\" ]" 'and the background, which was stopped, under its own'
ok "[ $(sql 'select elapsed_ns > 300000000 from run') = 1 ]" 'the foreground began after its delay'
is "$(sql 'select format from run_detail')" bundle 'the outputs are kept together'
run "$IOBENCH" show --db "$db" --raw "$(sql 'select substr(uuid, 1, 8) from run')"
like "$OUT" '^=== front fio-json [0-9]+' 'each behind its name'
run "$IOBENCH" show --db "$db" "$(sql 'select substr(uuid, 1, 8) from run')"
like "$OUT" 'back: .*bw:' 'show says whose a number is'
clean 'two actors'
run "$IOBENCH" report --db "$db" --layout jobs
like "$OUT" 'front' 'the tables name the actor'

sed 's/sleep 100/sleep 0.1/' "$T/two.scenario" > "$T/early.scenario"
sweep --job "$T/early.scenario"
is $RC 1 'a background that ends early'
like "$ERR" "not valid and is repeated: actor 'words', in the background, ended before" 'is said'
is "$(sql 'select count(*), min(state), max(state) from run')" '3|invalid|invalid' 'every try of the run is invalid'
clean 'early end'

sed 's/sleep 100/false/' "$T/two.scenario" > "$T/early.scenario"
sweep --job "$T/early.scenario"
is "$(sql 'select distinct state from run')" invalid 'one that fails at once likewise'
sed 's/delay = 300ms/delay = 0/; s/sleep 100/sleep 100\ndelay = 100/' "$T/two.scenario" > "$T/late.scenario"
sweep --job "$T/late.scenario"
like "$(sql 'select reason from run')" "'words' had not begun when the foreground ended" 'one that never began likewise'
sed 's/io_size=1m/ioengine=nonsense/' "$T/two.scenario" > "$T/bad.scenario"
sweep --job "$T/bad.scenario"
is $RC 1 'a foreground that fails'
like "$(sql 'select state || reason from run limit 1')" "^failedactor 'front' exited with status 1" 'fails the run'
clean 'failure'
sed 's/metrics = bw/metrics = slat_mean/' "$T/two.scenario" > "$T/none.scenario"
sed -i 's/^	io_size=1m/&\n	gtod_reduce=1/' "$T/none.scenario"
sweep --job "$T/none.scenario"
like "$(sql 'select reason from run limit 1')" "actor 'front' gave no slat_mean" 'a run without its main metric fails'
sed 's/metrics = bw/metrics = bwidth/' "$T/two.scenario" > "$T/none.scenario"
sweep --job "$T/none.scenario"
is $RC 2 'a metric that nobody knows is wrong usage'
sed 's/sleep 100/sleep 100\nparser = nonesuch/' "$T/two.scenario" > "$T/none.scenario"
sweep --job "$T/none.scenario"
is $RC 2 'so is a parser'
like "$ERR" "unknown parser 'nonesuch'" 'which is said'

sed 's/sleep 100/yes/' "$T/two.scenario" | sed 's/io_size=1m/time_based\n	runtime=20/' > "$T/flood.scenario"
sweep --job "$T/flood.scenario"
like "$(sql 'select state || reason from run limit 1')" "^failedactor 'words' printed more than 64 MiB and was killed" \
	'a program that never stops printing fails the run'
ok "[ $(sql 'select elapsed_ns < 15000000000 from run limit 1') = 1 ]" 'which does not go on'
clean 'flood'

# ---- what it needs ----

sed 's/sleep 100/nonesuch-program 1/' "$T/two.scenario" > "$T/missing.scenario"
sweep --job "$T/missing.scenario" --set queue/read_ahead_kb=64
is $RC 3 'a program that is not installed'
like "$ERR" "needs 'nonesuch-program', which is not installed" 'is named'
ok "[ ! -e '$db' ]" 'nothing was started, no database made'
is "$(settings)" "$before" 'nor set'

cat > "$T/fs.scenario" <<'F'
# Does a file system come and go?
[scenario]
fs = ext4
prefill = data
[front]
job =
	filename=${DIR}/data
	rw=randread
	size=${SIZE}
	io_size=256k
	time_based
	runtime=${RUNTIME}
[writer]
role = background
program = dd if=/dev/zero of=${SCRATCH}/a\ b bs=4k oflag=sync
[here]
role = background
program = sh -c until\ test\ -e\ a?b;\ do\ sleep\ 0.01;\ done;\ echo\ found;\ sleep\ 100
F
short=(--job "$T/fs.scenario" --size 8M --runtime 300ms)
sweep "${short[@]}"
is $RC 2 'a file system is not made without permission'
like "$ERR" "$dev.*--write-ok" 'the refusal says how to give it'
is "$(blkid -p "$dev")" '' 'the device is as it was'
sweep "${short[@]}" --write-ok
is $RC 0 'with it the scenario runs' || diag "$ERR"
like "$(sql 'select command from run_detail')" 'dd if=/dev/zero .*\.iobench-run/a b' 'programs get plain paths'
is "$(blkid -p "$dev")" '' 'afterwards the device is blank again'
run "$IOBENCH" show --db "$db" --raw "$(sql 'select substr(uuid, 1, 8) from run')"
like "$OUT" '=== here none 6.found' 'and start in the directory of their run'
clean 'file system'
mkfs.ext4 -q "$dev"
sweep "${short[@]}" --write-ok
is $RC 2 'a file system that is there is not overwritten unasked'
like "$ERR" "ext4.*--write-ok=$dev" 'and the refusal says how to ask'

mkdir "$T/user" && mount "$dev" "$T/user" && at_exit "umount '$T/user' 2> /dev/null"
rm -f "$db"*
run "$IOBENCH" sweep --dir "$T/user" --scheds none,bfq --runs 1 --db "$db" "${short[@]}"
is $RC 0 "the user's own file system is used with --dir" || diag "$ERR"
is "$(ls -A "$T/user")" 'lost+found' 'and left as it was'
umount "$T/user"

# ---- killed ----

killed() # NAME ARGUMENT...: start a sweep and kill it with its guard's help
{
	local i what=$1
	shift
	rm -f "$db"*
	"$IOBENCH" sweep --scheds none --runs 50 --db "$db" "$@" > /dev/null 2> "$T/err" &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		if [ "$(sql "select count(*) from run where state = 'ok'" 2> /dev/null || echo 0)" -ge 1 ]; then break; fi
		sleep 0.1
	done
	ok "kill -0 $pid" "$what: it runs"
	kill -9 $pid
	wait $pid 2> /dev/null
	for ((i = 0; i < 100; i++)); do if [ ! -e "$IOBENCH_RUNDIR/$name.journal" ]; then break; fi; sleep 0.1; done
	clean "$what"
}
killed 'kill -9 with a file system' --dev "$dev" "--write-ok=$dev" "${short[@]}"
is "$(blkid -p "$dev")" '' 'kill -9 with a file system: the device is blank'
mkfs.ext4 -qF "$dev" && mount "$dev" "$T/user"
killed 'kill -9 with --dir' --dir "$T/user" "${short[@]}"
is "$(ls -A "$T/user")" 'lost+found' 'kill -9 with --dir: no file is left'
umount "$T/user"
wipefs -aq "$dev"
if find /sys/fs/cgroup -maxdepth 2 -name '*.weight' -o -maxdepth 2 -name 'blkio.*' | grep -q .; then
	killed 'kill -9 with control groups' --dev "$dev" --job fairness --runtime 300ms --ramp 0
fi

# going on needs the permission again: somebody may have put his data there
"$IOBENCH" sweep --dev "$dev" --write-ok --scheds none --runs 8 --db "$T/r.db" "${short[@]}" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
	if [ "$(sqlite3 "$T/r.db" "select count(*) from run where state = 'ok'" 2> /dev/null || echo 0)" -ge 1 ]; then break; fi
	sleep 0.1
done
kill -INT $pid
wait $pid
is $? 130 'a scenario that is interrupted'
clean 'interrupted'
run "$IOBENCH" resume --db "$T/r.db"
is $RC 2 'does not go on without the permission to write'
run "$IOBENCH" resume --db "$T/r.db" --write-ok
is $RC 0 'unless that is allowed'
is "$(sqlite3 "$T/r.db" "select count(*) from run where state = 'ok'")" 8 'then all runs are there'
clean 'resumed'

# both dead at once: restore takes everything away
rm -f "$db"*
"$IOBENCH" sweep --dev "$dev" --write-ok --scheds bfq --runs 50 --db "$db" "${short[@]}" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
	if [ "$(sql "select count(*) from run where state = 'ok'" 2> /dev/null || echo 0)" -ge 1 ]; then break; fi
	sleep 0.1
done
kill -9 $pid "$(pgrep -P $pid -x iobench-guard)"
wait $pid 2> /dev/null
ok "[ $(grep -c "$IOBENCH_RUNDIR" /proc/mounts) = 1 ]" 'runner and guard killed: the file system is still mounted'
run "$IOBENCH" restore
is $RC 0 'restore puts all back'
clean 'restore'
is "$(blkid -p "$dev")" '' 'and leaves the device blank, as a sweep that ends does'
# but a file system that is not the sweep's own is nobody's to wipe
"$IOBENCH" sweep --dev "$dev" --write-ok --scheds bfq --runs 50 --db "$T/w.db" "${short[@]}" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do if grep -q "^$dev .*$IOBENCH_RUNDIR" /proc/mounts; then break; fi; sleep 0.1; done
kill -9 $pid "$(pgrep -P $pid -x iobench-guard)"
wait $pid 2> /dev/null
pkill -9 -f "$IOBENCH_RUNDIR/$name.work/"
for ((i = 0; i < 50; i++)); do if umount "$IOBENCH_RUNDIR/$name.work/.iobench-mnt" 2> /dev/null; then break; fi; sleep 0.1; done
mkfs.ext4 -qF "$dev"
run "$IOBENCH" restore
is $RC 0 'restore after another mkfs'
like "$(blkid -p "$dev")" 'TYPE="ext4"' 'leaves the file system of others'
clean 'restore after another mkfs'
wipefs -aq "$dev"

done_testing
