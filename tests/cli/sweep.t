#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sweep over disks and kernels that we do not have: a fake sysfs and a fake fio. The block device itself is a loop.
. tests/lib.sh
. tests/fakesys/lib.sh
need_loop
need_fakesys
need_commands sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
view="create temp view runs as select r.*, q.content requested, e.content effective, g.variant, c.sweep
	from run r join run_detail d on d.run = r.id left join settings q on d.requested = q.id
	left join settings e on d.effective = e.id join cell c on r.cell = c.id join config g on c.config = g.id;"
sql() { sqlite3 "$db" "$view $1"; }

fake_fio

# the tree, with its disk sda standing for our loop device
mount_tree()
{
	local number
	number=$(lsblk -ndo MAJ:MIN "$dev" | tr -d ' ')
	awk -v map="$number" '{ print } /^\[disk sda\]/ { print "map = " map }' "tests/fakesys/trees/$1.tree" > "$T/$1.tree"
	fakesys_mount "$T/$1.tree"
	export IOBENCH_SYSFS=$SYS
	q=$SYS/block/sda/queue
}
settings() { (cd "$q" && grep -rs . . ../device/queue_depth | sort); }
sweep() { run "$IOBENCH" sweep --dev "$dev" --patterns read --jobs 1 --runs "${runs:-1}" --runtime "${runtime:-1s}" --ramp 0 --db "$db" "$@"; }

# ---- a kernel before 5.0: cfq, deadline, noop
mount_tree legacy
before=$(settings)
runs=2 sweep --scheds cfq:slice_idle=0:group_idle=0,cfq,deadline,noop --set device/queue_depth=1,31
is $RC 0 'cfq, deadline and noop are swept on a kernel that has them'
is "$(settings)" "$before" 'settings after are settings before'
is "$(sql "select count(*) from runs where state = 'ok'")" 16 'every run counts'
is "$(sql "select count(*) from runs where variant like 'cfq:slice_idle=0:%' and
	json_extract(effective, '\$.\"sda:queue/iosched/slice_idle\"') = '0'")" 4 'slice_idle=0 was in effect'
is "$(sql "select distinct json_extract(effective, '\$.\"sda:device/queue_depth\"') from runs where variant like '%=1'")" 1 \
	'so was the queue depth of the disk'
sweep --scheds bfq,cfq
is $RC 5 'bfq is not offered there'
like "$ERR" "does not offer 'bfq'" 'and that is said'
is "$(settings)" "$before" 'settings are back'
fakesys_umount

# ---- the order of writes: the disk, rotational, the scheduler, its tunables, the rest
mount_tree scsi
before=$(settings)
fakesys_log clear
sweep --scheds bfq:queue/read_ahead_kb=256:slice_idle=2:queue/rotational=0:device/queue_depth=4
is $RC 0 'settings of every stage in one variant'
order=$(fakesys_log | grep -oE 'queue_depth|rotational|scheduler|slice_idle|read_ahead_kb' | awk '!seen[$0]++' | tr '\n' ' ')
is "$order" 'queue_depth rotational scheduler slice_idle read_ahead_kb ' 'are written in the order of the stages'
is "$(settings)" "$before" 'and all put back'
sweep --scheds bfq:queue/rotational=0,bfq:queue/rotational=1
is "$(sql "select group_concat(v, ' ') from (select distinct json_extract(effective, '\$.\"sda:queue/iosched/slice_idle\"') v
	from runs where sweep = (select max(id) from sweep) order by variant)")" '0 8' \
	'bfq chose its slice_idle by rotational, which was set before it was selected'

# ---- wbt_lat_usec, which no switch of the scheduler resets once it was written
runs=2 sweep --scheds none,bfq --set queue/wbt_lat_usec=1000,default --order sequential
is "$(sql "select group_concat(distinct json_extract(effective, '\$.\"sda:queue/wbt_lat_usec\"')) from runs
	where variant = 'bfq' and sweep = (select max(id) from sweep)")" 0 'bfq runs without throttling where it is not set'
ok "[ \"$(sql "select group_concat(distinct json_extract(effective, '\$.\"sda:queue/wbt_lat_usec\"')) from runs
	where variant = 'none' and sweep = (select max(id) from sweep)")\" != 1000 ]" 'and none with what it was before'
like "$ERR" 'wbt_lat_usec, once written, no longer follows' 'what cannot be put back is said'
is "$(settings)" "$before" 'settings are back'

# ---- EBUSY
fakesys_do ebusy sda 3
sweep --scheds mq-deadline
is $RC 0 'EBUSY three times is waited for'
is "$(settings)" "$before" 'settings are back'
fakesys_do ebusy sda -1
sweep --scheds bfq
is $RC 1 'EBUSY for ever fails the cell'
like "$ERR" 'busy' 'and is said'
fakesys_do heal sda
run "$IOBENCH" restore
is "$(settings)" "$before" 'settings are back'

# ---- a scheduler that is listed and refused
fakesys_do refuse sda bfq
runs=2 sweep --scheds bfq,mq-deadline
is $RC 1 'a listed scheduler that is refused fails its cells'
like "$ERR" "lists 'bfq' and refuses it" 'with the reason'
is "$(sql "select count(*) from runs where state = 'ok' and sweep = (select max(id) from sweep)")" 2 'the others run'
is "$(settings)" "$before" 'settings are back'
fakesys_do heal sda

# ---- somebody changes settings during the run
export FIO_DO="echo 'flip sda kyber' > $SYS/.fakesys"
sweep --scheds bfq
is $RC 1 'a run whose scheduler is changed is never believed'
is "$(sql "select count(*) from runs where state = 'invalid' and sweep = (select max(id) from sweep)")" 3 'it is tried three times'
like "$(sql "select reason from runs order by id desc limit 1")" "scheduler.*went from 'bfq' to 'kyber'" 'and says what changed'
is "$(settings)" "$before" 'settings are back'
FIO_DO="echo 'set sda queue/nr_requests 33' > $SYS/.fakesys"
sweep --scheds bfq
like "$(sql "select reason from runs order by id desc limit 1")" 'nr_requests.*33' 'a queue setting too'
FIO_DO="echo 'flip sda kyber' > $SYS/.fakesys; echo 'flip sda bfq' > $SYS/.fakesys"
sweep --scheds bfq
like "$(sql "select reason from runs order by id desc limit 1")" 'selected anew' 'also switching away and back'
FIO_DO=
is "$(settings)" "$before" 'settings are back'

# ---- a setting that cannot be put back
FIO_DO="echo 'stick sda queue/read_ahead_kb' > $SYS/.fakesys"
sweep --scheds none --set queue/read_ahead_kb=512
is $RC 4 'a setting that cannot be put back: exit 4'
like "$ERR" "read_ahead_kb' of 'sda': was '[0-9]+' before.*is '512' now" 'named, with its values'
ok "[ -e '$IOBENCH_RUNDIR/sda.journal' ]" 'the journal stays'
FIO_DO=
sweep --scheds none
is $RC 3 'no sweep starts over it'
like "$ERR" 'iobench restore' 'and what to type is said'
run "$IOBENCH" restore
is $RC 4 'restore says that it still cannot'
fakesys_do heal sda
run "$IOBENCH" restore
is $RC 0 'and puts it back when it can'
is "$(settings)" "$before" 'settings are back'
run "$IOBENCH" restore
like "$OUT" 'nothing to put back' 'then there is nothing left'

# ---- a setting that could not be saved
odd=$(printf 'x%.0s' {1..200})
fakesys_do set sda queue/read_ahead_kb "$odd"
sweep --scheds none --set queue/read_ahead_kb=512
is $RC 3 'a setting whose value cannot be kept'
like "$ERR" "'queue/read_ahead_kb' of 'sda' cannot be saved" 'is named'
is "$(cat "$q/read_ahead_kb")" "$odd" 'and not changed'
fakesys_do set sda queue/read_ahead_kb 128

# ---- the disk disappears
FIO_DO="echo 'gone sda' > $SYS/.fakesys"
sweep --scheds bfq
is $RC 1 'a disk that disappears ends the sweep'
like "$ERR" 'gone' 'and is said to be gone'
FIO_DO=
fakesys_umount

# ---- fio misbehaves
mount_tree scsi
before=$(settings)
reason() { sql "select state || ': ' || reason from runs order by id desc limit 1"; }
FIO_DO='echo "{ \"jobs\" : [ { \"err"; exit 0'
sweep --scheds none
is $RC 1 'half a JSON fails the run'
FIO_DO='echo garbage; exit 0'
sweep --scheds none
like "$(reason)" 'failed: .*cannot be understood' 'garbage too'
FIO_DO='exit 7'
runs=6 sweep --scheds none
is "$(sql "select count(*) from runs where sweep = (select max(id) from sweep)")" 3 'a cell that fails three times in a row'
like "$ERR" 'given up after 3 failures in a row' 'is given up'
FIO_DO='exit 0'
sweep --scheds none
like "$(reason)" 'failed: fio printed nothing' 'and nothing at all'
FIO_DO='kill -9 $$'
sweep --scheds none
like "$(reason)" 'failed: fio was killed by signal 9' 'a killed fio is told'
FIO_DO='setsid sleep 77 & disown'
sweep --scheds none
like "$(reason)" 'failed: fio left 1 process behind' 'what left its session is found'
is "$(pgrep -fx 'sleep 77' | wc -l)" 0 'and killed'
is "$(settings)" "$before" 'settings are back'
FIO_DO='sleep 78'
runtime=1ms sweep --scheds none --grace 300ms
like "$(reason)" 'failed: fio had not ended after 301 ms and was killed' 'one that hangs is killed'
FIO_DO='trap "" TERM; sleep 79 & sleep 79; sleep 79'
runtime=1ms sweep --scheds none --grace 300ms
like "$(reason)" 'failed: fio had not ended after' 'also one that ignores SIGTERM'
is "$(pgrep -fx 'sleep 7[89]' | wc -l)" 0 'and nothing of them is left'
FIO_DO='yes | head -c 50000000; exit 1'
sweep --scheds none
like "$(reason)" 'failed: fio exited with status 1' 'one that floods its output is stored as failed'
FIO_DO='yes'
sweep --scheds none
like "$(reason)" 'failed: fio printed more than 64 MiB and was killed' 'one that never stops printing is stopped'
FIO_DO='yes >&2'
sweep --scheds none
like "$(reason)" 'failed: fio printed more than 64 MiB and was killed' 'be it on its stderr'
is "$(find "$IOBENCH_RUNDIR" -size +1M | wc -l)" 0 'and nothing of it stays'
FIO_DO='echo "{ \"jobs\" : [ { \"jobname\" : \"x\", \"error\" : 0 } ] }"; echo "fio: no such thing" >&2; exit 1'
sweep --scheds none
like "$(reason)" 'failed: fio exited with status 1: fio: no such thing' 'error 0 in the output does not excuse exit 1'
is "$(settings)" "$before" 'settings are back'
FIO_DO=

# ---- canaries, in sweeps of more than half an hour: this fio says that it has run that long
runs=2 runtime=1000s sweep --scheds none,bfq
is $RC 0 'a long sweep'
is "$(sql "select group_concat(block) from runs where kind = 'canary' and variant = 'none' and sweep = (select max(id) from sweep)")" \
	'0,1' 'has reference runs at its start and at its end'
like "$OUT" 'over 2 runs' 'which are in no mean'
is "$(settings)" "$before" 'settings are back'

FIO_DO='echo "fio: no such thing" >&2; exit 1'
sweep --scheds none
FIO_DO=
run "$IOBENCH" show --db "$db"
is $RC 0 'show lists the runs of the last sweep'
like "$OUT" '  none, sequential reads, 1 job  ' 'and names their cells as the tables do'
run "$IOBENCH" report --layout workloads --db "$db"
is "$RC:$ERR" "1:iobench: no run of it counts ('iobench list --cells' says why)" 'a table of nothing says so'
run "$IOBENCH" list --cells --db "$db"
like "$OUT" '       1 failed   none, sequential reads, 1 job: .*no such thing' 'so does list --cells'
uuid=$(sql 'select uuid from run order by id desc limit 1')
run "$IOBENCH" show --db "$db" "$uuid"
like "$OUT" 'its words: fio: no such thing' "show prints a run with the tool's own words"
fakesys_umount

done_testing
