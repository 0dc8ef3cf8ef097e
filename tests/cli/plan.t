#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plan files, time budgets, the kernel's complaints. A fake sysfs and a fake fio; the block device itself is a loop.
. tests/lib.sh
. tests/fakesys/lib.sh
need_loop
need_fakesys
need_commands sqlite3

export IOBENCH_RUNDIR=$T/run IOBENCH_KMSG=$T/kmsg
: > "$IOBENCH_KMSG"
dev=$(make_loop 64M)
db=$T/x.db
sql() { sqlite3 "$db" "$1"; }

fake_fio

number=$(lsblk -ndo MAJ:MIN "$dev" | tr -d ' ')
awk -v map="$number" '{ print } /^\[disk sda\]/ { print "map = " map }' tests/fakesys/trees/scsi.tree > "$T/scsi.tree"
fakesys_mount "$T/scsi.tree"
export IOBENCH_SYSFS=$SYS
settings() { (cd "$SYS/block/sda/queue" && grep -rs . . ../device/queue_depth | sort); }
before=$(settings)
sweep() { run "$IOBENCH" sweep --dev "$dev" --db "$db" "$@"; }

cat > "$T/night.ini" <<'P'
; what all have
patterns = read
jobs = 1
[all]
runs = 2
ramp = 0
runtime = 100ms

[first]
scheds = none,bfq,\
	bfq:low_latency=0
note = "one \; two"
[second]
scheds = mq-deadline
jobs = 1,2
buffered = yes
seed = 5
P

# ---- several sweeps
sweep --plan "$T/night.ini"
is $RC 0 'the sweeps of a plan run'
is "$(sql "select group_concat(name || ' ' || state, ', ') from (select * from sweep order by id)")" 'first done, second done' \
	'each under the name of its section'
is "$(sql "select group_concat(n) from (select count(*) n from run join cell c on cell = c.id where run.state = 'ok' group by sweep order by sweep)")" \
	6,4 'with the options of its section and of all'
is "$(sql "select note from sweep where name = 'first'")" 'one ; two' 'a value in quotes'
like "$OUT" '==== first ====.*low_latency.*==== second ====' 'the tables of each, under its name'
is "$(settings)" "$before" 'settings are put back'
sweep --plan "$T/night.ini" --scheds kyber --seed 5
is "$(sql "select group_concat(distinct variant) from cell join config g on config = g.id where sweep > 2")" kyber \
	'what is typed stands for all sweeps, alone'
sweep --plan "$T/night.ini" --name x
is $RC 2 'one name for two sweeps is refused'
like "$ERR" '\-\-name is for one sweep, the plan has 2' 'with the reason'
sweep --plan "$T/night.ini" --jobs 0
like "$ERR" "sweep 'first': .*jobs must not be 0" 'what is wrong is said before anything runs, with the sweep'
is $RC 2 'and is a usage error'

sed 's/^seed/sead/' "$T/night.ini" > "$T/wrong.ini"
sweep --plan "$T/wrong.ini"
is $RC 2 'an unknown key is refused'
like "$ERR" "wrong.ini', line 17: unknown option 'sead' \(did you mean '--seed'" 'with file, line and the nearest name'
sweep --plan nightly
like "$ERR" "no plan 'nightly' \(there are: .*nightly-hdd" 'plans are found by name'
run "$IOBENCH" sweep --plan "$T/none.ini" --dev "$dev" --dry-run
like "$RC $ERR" "^2 .*cannot open plan '$T/none.ini': No such file" 'a path that is not there is no name'
run "$IOBENCH" jobs
like "$(tr -s '\n ' ' ' <<< "$OUT")" 'nightly-hdd .*\.ini.*every morning.*Time: ' 'and listed with question and time'

# ---- what goes for all sweeps and is of no use to one
printf '[all]\nruns = 1\nruntime = 100ms\nbs = 8k\nramp = 0\nscheds = none\n[a]\npatterns = read\njobs = 1\n[b]\njob = mathur2006\n' > "$T/mixed.ini"
sweep --plan "$T/mixed.ini" --dry-run
is $RC 0 'an axis of [all] that a workload does not have is left out there'
like "$OUT" 'BS=8192.*RUNTIME=100ms' 'and used where it is'
sweep --plan "$T/mixed.ini" --iodepth 4 --job mathur2006
is $RC 2 'one that is typed and of no use to any sweep is refused'
like "$ERR" 'no sweep of the plan uses \$\{IODEPTH\}' 'and said to be'

# ---- what one sweep must not do to another, or to a disk that nobody meant
printf 'dev = %s\n[all]\nruns = 1\nruntime = 100ms\nramp = 0\nscheds = none\njobs = 1\npatterns = read\noutput = %s\n[a]\n[b]\n' "$dev" "$T/table" > "$T/out.ini"
run "$IOBENCH" sweep --plan "$T/out.ini" --db "$db"
is $RC 2 'two sweeps that write to one file are refused'
like "$ERR" "'a' and 'b' both write to '$T/table'" 'and said to'
ok "[ ! -e '$T/table' ]" 'before anything is written'
sed -i "s|^\[b\]|&\noutput = $T/table2|" "$T/out.ini"
run "$IOBENCH" sweep --plan "$T/out.ini" --db "$db"
is "$RC $(cat "$T/table" "$T/table2" | grep -c 'sequential reads')" '0 2' 'each to its own is not'
printf 'dev = %s\nwrite-ok = yes\n[all]\nruns = 1\nruntime = 100ms\nramp = 0\nscheds = none\njobs = 1\n[a]\npatterns = write\n' "$dev" > "$T/write.ini"
run "$IOBENCH" sweep --plan "$T/write.ini" --db "$db"
like "$ERR" "the partition 'sda1'.*say --write-ok=$dev" 'a plan may allow writes to its own disk, as far as --write-ok does'
other=$(make_loop 16M)
run "$IOBENCH" sweep --plan "$T/write.ini" --db "$db" --dev "$other" --dry-run
is $RC 2 'but not to one that is typed'
like "$ERR" "'a': 'write-ok = yes' of the plan is not for a disk that is typed.*\(write-ok = $other\)" 'and says how to'
run "$IOBENCH" sweep --plan "$T/write.ini" --db "$db" --dev "$dev" "--write-ok=$dev" --dry-run
is $RC 0 'consent that is typed is for it'
sed -i "s|write-ok = yes|write-ok = $dev|" "$T/write.ini"
run "$IOBENCH" sweep --plan "$T/write.ini" --db "$db" --dev "$dev" --dry-run
is $RC 0 'so is consent that names it'
for word in --write-ok "--dev=$other" '--db /tmp/x.db'; do
	{ echo "# iobench: $word"; cat jobs/patterns.fio; } > "$T/sly.fio"
	run "$IOBENCH" sweep --job "$T/sly.fio" --patterns write --dry-run
	like "$RC $ERR" "^2 .*workload 'sly' wants '${word%%[ =]*}', which must be typed" "a job file cannot give ${word%%[ =]*}"
done

# ---- dry run
n=$(sql 'select count(*) from sweep')
sweep --plan "$T/night.ini" --dry-run
is $RC 0 'a dry run of a plan'
like "$OUT" '==== first ====.*time: about.*==== second ====.*all sweeps: about.*nothing was touched' 'shows all sweeps and their time'
is "$(sql 'select count(*) from sweep')" "$n" 'and makes none'
sweep --plan nightly-hdd --dry-run
like "$OUT" '==== throughput ====.*==== startup ====.*==== tails ====.*==== fairness ====.*==== cpu ====' 'the plan for a night fits a disk'

# ---- a plan that is written makes the same sweep
cells() { sql "select group_concat(g.key, char(10)) from (select * from cell order by ordinal) c join config g on c.config = g.id
	where c.sweep = (select max(id) from sweep)"; }
order() { sql "select group_concat(c.ordinal) from (select * from run order by id) r join cell c on r.cell = c.id
	where c.sweep = (select max(id) from sweep)"; }
sweep --scheds 'none,bfq:low_latency=0' --set queue/read_ahead_kb=64,default --set device/queue_depth=1 -p read,randread -j 1-2 -n 2 \
	-t 100ms --ramp 0 --direct --buffered --seed 77 --note 'it "is" ; so' --name mine --fio-arg=--norandommap=1 --save-plan "$T/mine.ini"
is $RC 0 'a sweep whose plan is saved'
wanted=$(cells) wanted_order=$(order)
run "$IOBENCH" sweep --plan "$T/mine.ini"
is $RC 0 'its plan, run again'
is "$(cells)" "$wanted" 'has the same cells with the same keys'
is "$(order)" "$wanted_order" 'in the same order'
is "$(sql "select count(distinct name || note || seed) from sweep where name = 'mine'")" 1 'the same name, note and seed'
is "$(sql "select count(*) from sweep where name = 'mine'")" 2 'and is a sweep of its own'
sweep --scheds none --save-plan "$T/mine.ini"
is $RC 2 'a file that is there is not overwritten'
unseeded() { sed -E '/^seed:/d; /^order:/,/^commands/d; s/RANDSEED=[0-9]*//'; }
sweep --plan "$T/night.ini" --dry-run --save-plan "$T/again.ini" --budget 1h
is $RC 0 'a plan is written from a plan'
run "$IOBENCH" sweep --plan "$T/again.ini" --dry-run
one=$OUT
run "$IOBENCH" sweep --plan "$T/night.ini" --dry-run --dev "$dev"
is "$(unseeded <<< "$one")" "$(unseeded <<< "$OUT")" 'and says the same'
like "$(< "$T/again.ini")" 'budget = 1h' 'its budget too'

# ---- a budget: 3 variants x (1 + 2) rows, 10.36 s each and run, or so it thinks: this fio is done at once
small() { sweep --plan "$T/night.ini" --scheds none,bfq,kyber --runs 10 --runtime 10s "$@"; }
small --budget 788s --dry-run
like "$ERR" "sweep 'second', --budget 788s: 8 runs instead of 10" 'a budget lowers the number of runs, that of the last sweep first'
small --budget 450s --dry-run
like "$ERR" "sweep 'first', --budget 450s: 6 runs instead of 10" 'not below 6'
like "$ERR" "sweep 'second', --budget 450s: 6 runs instead of 10; left out: the last 1 of 2 rows, pattern=read numjobs=2" \
	'then leaves out rows, the last first'
n=$(sql 'select max(id) from sweep')
small --budget 270s
is $RC 0 'a sweep that was cut to the budget is done'
is "$(sql "select group_concat(name || ': ' || note) from sweep where id > $n")" \
	'first: one ; two; --budget 270s: 6 runs instead of 10; no time for second' 'its note says what there was no time for'
is "$(sql "select count(*) from run join cell c on cell = c.id where sweep > $n and run.state = 'ok'")" 18 'the runs are those'
sweep --scheds none,bfq -p read -j 1,2,4 -n 7 -t 10s --ramp 0 --budget 315s --name rows
is $RC 0 'a budget for one sweep'
is "$(sql "select note from sweep where name = 'rows'")" \
	'--budget 315s: 6 runs instead of 7; left out: the last 1 of 3 rows, pattern=read numjobs=4 and behind it' 'what was left out is stored'
sweep --scheds none --budget 1s
is $RC 2 'a budget for nothing is refused'
like "$ERR" 'not enough for one row' 'and said to be'
sweep --scheds none --budget soon
is $RC 2 'so is one that is no time'

# ---- the end of the time: this fio takes a second where it was to take 0.1
n=$(sql 'select max(id) from sweep')
FIO_DO='sleep 1'
sweep --scheds none,bfq -p read -j 1 -n 6 -t 100ms --ramp 0 --budget 6s --name late
is $RC 5 'a sweep that takes longer than its budget is stopped'
is "$(sql "select state from sweep where name = 'late'")" interrupted 'it may go on later'
like "$(sql "select note from sweep where name = 'late'")" 'stopped at the end of --budget, before repetition [1-6] of 6' 'its note says when'
is "$(sql "select count(*) from (select block, count(*) n from run join cell c on cell = c.id where sweep > $n group by block having n <> 2)")" 0 \
	'it was stopped between two repetitions'
is "$(settings)" "$before" 'settings are put back'
run "$IOBENCH" resume late --db "$db" --budget 100ms
is $RC 5 'resume has a budget too'
FIO_DO=
run "$IOBENCH" resume late --db "$db"
is $RC 0 'and goes on'
is "$(sql "select count(*) from run join cell c on cell = c.id where sweep > $n and run.state = 'ok'")" 12 'until all runs are there'
sweep --scheds none,bfq -p read -j 1,2,4 -n 7 -t 10s --ramp 0 --budget 315s --name cut
sql "update run set state = 'failed' where cell in (select id from cell where sweep = (select max(id) from sweep)) and block = 5;
	update sweep set state = 'interrupted' where name = 'cut'; update cell set state = 'pending' where sweep = (select max(id) from sweep)" 
run "$IOBENCH" resume cut --db "$db"
like "$ERR" 'going on with sweep' 'a sweep without its last rows can go on'

# ---- one that fails, one that is not offered, one that is interrupted
printf '[all]\npatterns = read\njobs = 1\nruns = 1\nramp = 0\nruntime = 100ms\n[x]\nscheds = noop,none\n[y]\nscheds = bfq\n' > "$T/two.ini"
n=$(sql 'select max(id) from sweep')
sweep --plan "$T/two.ini"
is $RC 5 'a scheduler that one sweep does not find: 5 for all'
is "$(sql "select group_concat(state) from sweep where id > $n")" 'pending,done' 'the other runs'
# shellcheck disable=SC2016 # for the fake fio to evaluate
FIO_DO='[ $RUNTIME = 100ms ] || exit 1'
printf '[z]\nscheds = none\npatterns = read\njobs = 1\nruns = 1\nruntime = 200ms\nramp = 0\n' >> "$T/two.ini"
sweep --plan "$T/two.ini"
is $RC 1 'a failed cell is worse'
FIO_DO="echo 'stick sda queue/read_ahead_kb' > $SYS/.fakesys"
n=$(sql 'select max(id) from sweep')
sed -i 's/^scheds = noop,none/&\nset = queue\/read_ahead_kb=512/' "$T/two.ini"
sweep --plan "$T/two.ini"
is $RC 4 'a setting that cannot be put back is worst'
is "$(sql "select count(*) from sweep where id > $n")" 1 'and no further sweep is begun'
fakesys_do heal sda
run "$IOBENCH" restore
is "$(settings)" "$before" 'settings are back'
n=$(sql 'select max(id) from sweep')
# shellcheck disable=SC2016 # for the fake fio to evaluate
FIO_DO='kill -INT $(awk "{ print \$4 }" /proc/$PPID/stat); sleep 5'
sed -i '/read_ahead/d' "$T/two.ini"
sweep --plan "$T/two.ini"
is $RC 130 'an interrupted sweep ends all'
is "$(sql "select group_concat(state) from sweep where id > $n")" interrupted 'no further one is begun'
like "$ERR" "not begun, and nothing that 'iobench resume' knows of: '" 'which is said: resume would not'
FIO_DO=
is "$(settings)" "$before" 'settings are back'

# ---- the kernel complains while fio runs
# shellcheck disable=SC2016 # for the fake fio to evaluate
FIO_DO='echo "4,7,9,-;WARNING: CPU: 0 PID: 1 at block/bfq-iosched.c:42 bfq_x+0x1/0x2" >> $IOBENCH_KMSG'
sweep --scheds none -p read -j 1 -n 2 -t 100ms --ramp 0
is $RC 0 'a sweep during which the kernel complains'
like "$ERR" 'warning: the kernel complained: .WARNING: CPU: 0 PID: 1 at block/bfq-iosched.c:42' 'says so'
like "$OUT" 'warning kernel-log: the kernel complained' 'with its table too'
is "$(sql "select count(*) from warning where code = 'kernel-log' and run is not null")" 2 'the runs are known'
FIO_DO=
n=$(sql "select count(*) from warning where code = 'kernel-log'")
sweep --scheds none -p read -j 1 -n 2 -t 100ms --ramp 0
is "$(sql "select count(*) from warning where code = 'kernel-log'")" "$n" 'what was said before a sweep is not its own'

done_testing
