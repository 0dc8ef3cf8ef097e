#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/nightly: nights of a tiny plan on a loop device, and all that can go wrong in one. The units of systemd.
. tests/lib.sh
need_loop
need_commands fio sqlite3 flock

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
disk=${dev#/dev/}
grep -qw mq-deadline "/sys/block/$disk/queue/scheduler" || skip_all 'this kernel does not offer mq-deadline on a loop device'
before=$(< "/sys/block/$disk/queue/scheduler")
dir=$T/state
db=$dir/nightly.db
sql() { sqlite3 "$db" "$1"; }

cat > "$T/tiny.ini" <<'P'
[all]
runs = 1
ramp = 0
runtime = 150ms
jobs = 1
scheds = none,mq-deadline
[seq]
patterns = read
[rand]
patterns = randread
P

# the program, with a check that ends as $CHECK_CODE says
cat > "$T/iobench" <<F
#!/bin/bash
if [ "\$1" = check ] && [ -n "\$CHECK_CODE" ]; then echo "\$*" > $T/check; exit \$CHECK_CODE; fi
if [ "\$1" = sweep ] && [ "\$SWEEP_CODE" = unrestored ]; then
	trap 'sleep 0.2; exit 4' TERM
	: > $T/sweeps
	while :; do sleep 0.05; done
fi
if [ "\$1" = sweep ] && [ -n "\$SWEEP_CODE" ]; then exit \$SWEEP_CODE; fi
exec $IOBENCH "\$@"
F
chmod +x "$T/iobench"
real=$IOBENCH
export NIGHTLY_DEV=$dev NIGHTLY_PLAN=$T/tiny.ini NIGHTLY_BUDGET=10m NIGHTLY_DIR=$dir CHECK_CODE=0
night() { run env IOBENCH="$T/iobench" "$@" scripts/nightly; }
log() { cat "$(find "$dir/logs" -type f | sort | tail -1)"; }
wait_for() { local i; for ((i = 0; i < 300; i++)); do eval "$1" && return; sleep 0.1; done; false; }

# ---- two nights
night
is $RC 0 'a first night'
sleep 1 # logs are named by the second
night
is $RC 0 'a second one'
is "$(sql "select group_concat(name || ' ' || state) from sweep")" 'seq done,rand done,seq done,rand done' 'both have the sweeps of the plan'
is "$(find "$dir/logs" -type f | wc -l)" 2 'a log of each'
like "$(log)" 'exit code 0.*==== seq ====.*==== rand ====' 'with the tables'
is "$(sqlite3 "$(find "$dir/backups" -type f | sort | tail -1)" 'select count(*) from sweep')" 4 'the database is backed up'
like "$(< "$T/check")" "^check --db $db --junit $dir/reports/.*xml --markdown $dir/reports/.*md --reference none\$" 'the night is checked'
is "$(< "/sys/block/$disk/queue/scheduler")" "$before" 'the settings are back'
touch "$dir/backups/9999.db.part" "$dir/backups/9999.db.part-journal"
night NIGHTLY_KEEP=2 NIGHTLY_BACKUPS=1
is "$(find "$dir/logs" "$dir/backups" -type f | wc -l)" 3 'so many logs and backups are kept as is said'
is "$(find "$dir/backups" -type f -name '*.db' | wc -l)" 1 'what a backup that was killed has left is none'
if "$real" check --help > /dev/null 2>&1; then
	night CHECK_CODE=
	is $RC 12 'the real check says that there are too few nights'
else
	skip 'the real check says that there are too few nights' 'this program has no check'
fi

# ---- exit codes
night CHECK_CODE=10
is $RC 10 'a regression is the exit code of the night'
night CHECK_CODE=11
is $RC 11 'so is one too noisy to tell'
night CHECK_CODE=10 NIGHTLY_CHECK=off
is $RC 0 'a night without a check'
night NIGHTLY_SWEEP='--scheds none,noop' CHECK_CODE=0
is $RC 0 'cells that this kernel cannot run are no failure'
is "$(sql "select count(*) from sweep where state = 'pending'")" 2 'they wait'
night
is $RC 0 'in the next night'
like "$(log)" 'resume.*exit code 5' 'they are tried again'
night
is "$(log | grep -c ' resume ')" 0 'but once a boot only'
night NIGHTLY_PLAN="$T/none.ini"
is $RC 2 'a plan that is not there'
like "$ERR" "sweep: exit code 2: cannot open plan .*none.ini.: No such file" 'is told with its reason'
like "$ERR" 'exit code 2; the log is' 'and where to look'
night NIGHTLY_BUDGET=later
is $RC 2 'a budget that is no time'
night SWEEP_CODE=139
is $RC 1 'a sweep that crashes is no good night'
night SWEEP_CODE=139 CHECK_CODE=12
is $RC 1 'nor one of too few'
night NIGHTLY_DEV=/dev/no-such-disk
is $RC 3 'a disk that is not there'
flock -F "$dir/lock" sleep 60 &
holder=$!
wait_for "! flock -n '$dir/lock' true"
night
is $RC 3 'a second night at the same time'
like "$ERR" 'another night is at work' 'is refused'
kill $holder
wait $holder 2> /dev/null

# ---- a sweep that was killed with its guard: put back, gone on with
"$real" sweep --plan "$T/tiny.ini" --dev "$dev" --db "$db" --runtime 1s --runs 2 > /dev/null 2>&1 &
pid=$!
wait_for "[ \"\$(sql \"select count(*) from sweep where state = 'running'\")\" = 1 ]"
mapfile -t guard < <(pgrep -P "$pid")
kill -9 "$pid" "${guard[@]}"
wait "$pid" 2> /dev/null
ok "[ -e '$IOBENCH_RUNDIR/$disk.journal' ]" 'sweep and guard are dead, the journal is there'
id=$(sql "select substr(uuid, 1, 8) from sweep order by id desc limit 1")
run sqlite3 "$db" "select state from sweep where uuid like '$id%'"
is "$OUT" running 'and nobody has said that the sweep has ended'
night
is $RC 0 'the night after' || diag "$(log)"
like "$(log)" "iobench restore.*resume $id" 'puts back, and goes on with it'
is "$(sql "select state from sweep where uuid like '$id%'")" 'done' 'to its end'

# ---- SIGTERM, as systemd sends it
env IOBENCH="$T/iobench" NIGHTLY_SWEEP='--runtime 30s' scripts/nightly 2> /dev/null &
pid=$!
wait_for "[ -e '$IOBENCH_RUNDIR/$disk.journal' ]"
kill -TERM $pid
wait $pid
is $? 130 'a night that is stopped'
ok "[ ! -e '$IOBENCH_RUNDIR/$disk.journal' ]" 'ends in order'
is "$(< "/sys/block/$disk/queue/scheduler")" "$before" 'the settings are back'
is "$(sql 'select state from sweep order by id desc limit 1')" interrupted 'its sweep can go on'
rm -f "$T/sweeps"
env IOBENCH="$T/iobench" SWEEP_CODE=unrestored NIGHTLY_DIR="$T/other" scripts/nightly 2> /dev/null &
pid=$!
wait_for "[ -e '$T/sweeps' ]"
kill -TERM $pid
wait $pid
is $? 4 'settings that could not be put back are told of a night that was stopped too'

# ---- what is installed, by the PREFIX of this build
make -s install DESTDIR="$T/root" > /dev/null 2>&1
service=$(find "$T/root" -name iobench-nightly.service)
timer=$(find "$T/root" -name iobench-nightly.timer)
prefix=${service%/lib/systemd/system/*}
ok "[ -x '$prefix/libexec/iobench/nightly' ] && [ -e '$prefix/share/iobench/jobs/nightly-hdd.ini' ]" 'script and plan are installed'
is "$(sed -n 's/^ExecStart=//p' "$service")" "${prefix#"$T/root"}/libexec/iobench/nightly" 'the unit starts that script'
if command -v systemd-analyze > /dev/null; then
	sed -i "s|=${prefix#"$T/root"}/|=$prefix/|" "$service" # for systemd to look at
	run systemd-analyze verify "$service" "$timer"
	is "$RC $ERR" '0 ' 'systemd takes the units'
else
	skip 'systemd takes the units' 'systemd is not installed'
fi

done_testing
