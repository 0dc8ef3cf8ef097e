#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep on a loop device: the kernel's schedulers, the real fio.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
name=${dev#/dev/}
q=/sys/block/$name/queue
db=$T/x.db
# runs with their settings and the name of their variant
view="create temp view runs as select r.*, d.command, q.content requested, e.content effective, g.variant, c.sweep
	from run r join run_detail d on d.run = r.id left join settings q on d.requested = q.id
	left join settings e on d.effective = e.id join cell c on r.cell = c.id join config g on c.config = g.id;"
sql() { sqlite3 "$db" "$view $1"; }
in_effect() { sql "select distinct json_extract(effective, '\$.\"$name:queue/$1\"') from runs where $2"; }
settings() { (cd "$q" && grep -rs . . | sort); }
short=(--runtime 200ms --ramp 0 --db "$db" --bs 64k)

for s in mq-deadline bfq kyber; do
	grep -qw -- "$s" "$q/scheduler" || skip_all "this kernel does not offer $s on a loop device"
done

# the user's own settings, each of which a switch of the scheduler resets
echo mq-deadline > "$q/scheduler"
echo 250 > "$q/iosched/read_expire"
echo 4 > "$q/iosched/fifo_batch"
echo 100 > "$q/nr_requests"
echo 64 > "$q/read_ahead_kb"
before=$(settings)

run "$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline:read_expire=123,bfq:slice_idle=0,kyber,current \
	--patterns read,randread --jobs 1-2 --runs 2 --set queue/read_ahead_kb=128 --seed 7 "${short[@]}"
is $RC 0 'a sweep over every scheduler ends well'
is "$(settings)" "$before" 'settings after are settings before'
like "$OUT" '\* sequential reads' 'a table of sequential reads is printed'
like "$OUT" '\* random reads' 'and one of random reads'
like "$ERR" '20 cells \(5 schedulers\) x 2 runs = 40 runs, about' 'the estimate is printed first'
is "$(sql "select count(*) from run where state = 'ok'")" 40 'all 40 runs are stored and count'
is "$(in_effect scheduler 1 | sort | tr '\n' ' ')" 'bfq kyber mq-deadline none ' 'the schedulers in effect are stored'
is "$(sql "select distinct json_extract(requested, '\$.\"$name:queue/iosched/read_expire\"') from runs
	where variant like 'mq-deadline%'")" 123 'the requested value is stored'
is "$(in_effect iosched/read_expire "variant like 'mq-deadline%'")" 124 'and the effective one, where the kernel rounds'
is "$(in_effect iosched/slice_idle "variant like 'bfq%'")" 0 'slice_idle=0 was in effect under bfq'
is "$(in_effect iosched/fifo_batch "variant like 'current%'")" 4 "'current' keeps the user's tunables"
is "$(in_effect iosched/fifo_batch "variant like 'mq-deadline%'")" 16 'and the others start from the defaults'
is "$(in_effect read_ahead_kb 1)" 128 'a queue setting was in effect in every run'
is "$(sql 'select count(distinct randseed), count(distinct block) from run')" '2|2' 'one seed a repetition'
is "$(sql 'select count(*) from (select block, count(distinct cell) n from run group by block) where n = 20')" 2 \
	'every block holds every cell once'
is "$(sql 'select count(*) from (select group_concat(cell) o from (select * from run order by block, position) group by block)')" 2 \
	'each block has an order'
ok "[ \"\$(sql 'select group_concat(cell) from (select cell from run where block=0 order by position)')\" != \
	\"\$(sql 'select group_concat(cell) from (select cell from run where block=1 order by position)')\" ]" \
	'and another than the one before'
is "$(sql 'pragma integrity_check')" ok 'the database is sound'
ok "[ -z \"\$(ls \"\$IOBENCH_RUNDIR\" | grep -v '\\.lock\$')\" ]" 'no journal and no working files are left'

run "$IOBENCH" report --db "$db" --format csv --layout jobs
like "$OUT" 'IOPS' 'report prints csv with the unit'

# a scheduler that this kernel does not have
run "$IOBENCH" sweep --dev "$dev" --scheds cfq,none --patterns read --jobs 1 --runs 1 "${short[@]}"
is $RC 5 'a scheduler that is not offered leaves cells pending: exit 5'
like "$ERR" "does not offer 'cfq'.*cfq left Linux in 5.0" 'and the reason is said'
like "$OUT" 'cfq: not measured: ' 'also in the table'
is "$(settings)" "$before" 'trying it changed nothing'
run "$IOBENCH" sweep --dev "$dev" --scheds deadline,none --patterns read --jobs 1 --runs 1 "${short[@]}"
is $RC 5 "'deadline', which reads back as mq-deadline, is not offered"
is "$(settings)" "$before" 'and settings are back'

# tags: nr_requests under none resizes the hardware queue, which no switch puts back
if [ ! -d /sys/kernel/debug/block ]; then
	mount -t debugfs none /sys/kernel/debug 2>/dev/null && at_exit 'umount /sys/kernel/debug'
fi
# nr_tags stays what it was; what shrinks is the bitmap
tags() { sed -n '/^bitmap_tags:/,/^$/s/^depth=//p' "/sys/kernel/debug/block/$name/hctx0/tags" 2>/dev/null; }
tags_before=$(tags)
run "$IOBENCH" sweep --dev "$dev" --scheds none,bfq --set queue/nr_requests=default,16 --patterns read --jobs 1 --runs 2 "${short[@]}"
is $RC 0 'nr_requests is swept'
is "$(settings)" "$before" 'and put back'
if [ -n "$tags_before" ]; then
	is "$(tags)" "$tags_before" 'the hardware tags too'
else
	skip 'the hardware tags too' 'no debugfs here'
fi
is "$(in_effect nr_requests "variant = 'none' and sweep = (select max(id) from sweep)")" 128 \
	'a run that does not set nr_requests has the tags of the disk'
is "$(in_effect nr_requests "variant = 'bfq' and sweep = (select max(id) from sweep)")" 256 'under every scheduler'

# a value beside 'default': what one run sets the next does not inherit
run "$IOBENCH" sweep --dev "$dev" --scheds none,current --set queue/read_ahead_kb=512,default --set queue/rotational=0,default \
	--patterns read --jobs 1 --runs 2 --order sequential "${short[@]}"
is $RC 0 'a value beside default'
is "$(in_effect read_ahead_kb "variant not like '%ahead%' and sweep = (select max(id) from sweep)")" 64 \
	'default is what it was before the sweep'
is "$(in_effect rotational "variant like 'current%rotational=0' and sweep = (select max(id) from sweep)")" 0 \
	'current, too, gets what is set before a scheduler is chosen'
is "$(in_effect rotational "variant not like '%rotational%' and sweep = (select max(id) from sweep)")" \
	"$(sed -n 's/^.\/rotational://p' <<< "$before")" 'and loses it again'
is "$(settings)" "$before" 'settings are back'

# a tunable that moves another one when it is put back
echo bfq > "$q/scheduler"
echo 1 > "$q/iosched/strict_guarantees"
echo 2 > "$q/iosched/slice_idle"
bfq_before=$(settings)
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 "${short[@]}"
is "$(settings)" "$bfq_before" 'slice_idle is back, though strict_guarantees moves it'
echo mq-deadline > "$q/scheduler"
echo 250 > "$q/iosched/read_expire"
echo 4 > "$q/iosched/fifo_batch"
echo 100 > "$q/nr_requests"
is "$(settings)" "$before" 'the test is where it was'

# nobody else gets the disk during a run
"$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 --runtime 3s --ramp 0 --db "$db" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do if pgrep -f "$IOBENCH_RUNDIR/$name.work/" > /dev/null; then break; fi; sleep 0.05; done
run mkfs.ext4 -q "$dev"
ok "[ $RC != 0 ]" 'mkfs is refused while a run has the disk'
wait $pid

# a job that works on something else
dev2=$(make_loop 32M)
mkfs.ext4 -q "$dev2"
printf '[j]\nfilename=%s\nrw=write\nsize=4m\n' "$dev2" > "$T/evil.fio"
run "$IOBENCH" sweep --dev "$dev" --job "$T/evil.fio" --scheds none --runs 1 --write-ok --db "$db"
is $RC 2 'a job file that names another disk is refused'
printf '[j]\nrw=write\nsize=4m\n' > "$T/evil.fio"
run "$IOBENCH" sweep --dev "$dev" --job "$T/evil.fio" --scheds none --runs 1 --write-ok --db "$db"
like "$ERR" 'section \[j\].*filename=' 'one that makes files of its own, too'
run "$IOBENCH" sweep --dev "$dev" --scheds none --runs 1 "--fio-arg=--filename=$dev2" "${short[@]}"
is $RC 2 'and an option that names another disk'
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns write --runs 1 --write-ok --shared-read "${short[@]}"
is $RC 2 '--shared-read is not for patterns that write'
is "$(blkid -o value -s TYPE "$dev2")" ext4 'the other disk is whole'

# writing
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns write --jobs 1 --runs 1 "${short[@]}"
is $RC 2 'a pattern that writes is refused'
like "$ERR" "$dev.*--write-ok" 'the refusal names device and option'
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns write,randrw --jobs 1 --runs 1 --write-ok "${short[@]}"
is $RC 0 'and runs on a blank device with --write-ok'
like "$OUT" '\* sequential writes' 'its table says what it is'
is "$(settings)" "$before" 'settings are back'
is "$(sql "select group_concat(distinct command like '% --readonly %') from runs where command like '%RW=write%'")" 0 \
	'fio may write then'
is "$(sql "select group_concat(distinct command like '% --readonly %') from runs where command like '%RW=read%'")" 1 \
	'and only then: every read runs with --readonly'
mkfs.ext4 -q "$dev"
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns write --jobs 1 --runs 1 --write-ok "${short[@]}"
is $RC 2 '--write-ok alone is not enough where a file system is'
like "$ERR" "ext4.*--write-ok=$dev" 'what is there is said, and what to type'
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns write --jobs 1 --runs 1 "--write-ok=$dev" "${short[@]}"
is $RC 0 'with the very device named it runs'
wipefs -aq "$dev"

# in use
mkfs.ext4 -q "$dev" && mkdir "$T/mnt" && mount "$dev" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 "${short[@]}"
is $RC 3 'a mounted disk is refused'
like "$ERR" "mounted on '$T/mnt'" 'and where it is mounted is said'
# shellcheck disable=SC2016 # ok evaluates it
ok '[[ $ERR != *warning:* ]]' 'without a warning of what would be wrong with the sweep'
is "$(settings)" "$before" 'nothing was touched'

# --dir on the same disk
run "$IOBENCH" sweep --dir "$T/mnt" --scheds none,bfq --patterns read,randwrite --jobs 1 --runs 1 --size 8M "${short[@]}"
is $RC 0 'files on a mounted file system can be measured'
is "$(ls -A "$T/mnt")" 'lost+found' 'and nothing is left of them'
is "$(settings)" "$before" 'the disk below was switched and put back'
run "$IOBENCH" sweep --dir /proc --scheds none "${short[@]}"
is $RC 3 'a directory without a disk is an error'
umount "$T/mnt"

# failures
mkdir "$T/bin"
cat > "$T/bin/fio" <<'F'
#!/bin/bash
[ "$1" = --version ] && { echo fio-3.33; exit; }
echo "fio: told to fail" >&2
exit 1
F
chmod +x "$T/bin/fio"
PATH=$T/bin:$PATH run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 2 "${short[@]}"
is $RC 1 'a failing fio: exit 1'
like "$ERR" 'fio exited with status 1: fio: told to fail' 'with its own words'
is "$(sql "select state || ': ' || reason from runs order by id desc limit 1")" \
	'failed: fio exited with status 1: fio: told to fail' 'which are stored with the run'
is "$(settings)" "$before" 'settings are back'
echo "echo fio-2.21" > "$T/bin/fio"
PATH=$T/bin:$PATH run "$IOBENCH" sweep --dev "$dev" --scheds none "${short[@]}"
is $RC 3 'a fio older than 3.0 is refused'

# signals
for sig in INT TERM HUP; do
	"$IOBENCH" sweep --dev "$dev" --scheds none,bfq --patterns read --jobs 2 --runs 50 --name "sig$sig" "${short[@]}" \
		> "$T/out" 2> "$T/err" &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		n=$(sql "select count(*) from run r join cell c on r.cell = c.id join sweep s on c.sweep = s.id where s.name = 'sig$sig'" 2>/dev/null)
		if [ "${n:-0}" -ge 2 ]; then break; fi
		sleep 0.1
	done
	kill -$sig $pid
	wait $pid
	is $? 130 "SIG$sig: exit 130"
	is "$(settings)" "$before" "SIG$sig: settings are back"
	ok "[ \"\$(sql \"select n from (select count(*) n from run r join cell c on r.cell = c.id join sweep s on c.sweep = s.id
		where s.name = 'sig$sig' and r.state = 'ok')\")\" -ge 2 ]" "SIG$sig: what was measured is stored"
	is "$(pgrep -f "$IOBENCH_RUNDIR" | wc -l)" 0 "SIG$sig: no process is left"
done

# two at once
"$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 50 "${short[@]}" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do if [ -e "$IOBENCH_RUNDIR/$name.journal" ]; then break; fi; sleep 0.1; done
run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 "${short[@]}"
is $RC 3 'a second sweep of the same disk is refused'
like "$ERR" "$pid" 'and told who has it'
kill $pid
wait $pid

# kill -9: the guard puts everything back
"$IOBENCH" sweep --dev "$dev" --scheds bfq --patterns read --jobs 4 --runs 50 --name k9 "${short[@]}" > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do
	n=$(sql "select count(*) from run r join cell c on r.cell = c.id join sweep s on c.sweep = s.id where s.name = 'k9'" 2>/dev/null)
	if [ "${n:-0}" -ge 1 ]; then break; fi
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
for ((i = 0; i < 50; i++)); do if [ ! -e "$IOBENCH_RUNDIR/$name.journal" ]; then break; fi; sleep 0.1; done
is "$(settings)" "$before" 'kill -9: settings are back'
is "$(pgrep -f "$IOBENCH_RUNDIR" | wc -l)" 0 'kill -9: no process is left'
is "$(sql 'pragma integrity_check')" ok 'kill -9: the database is sound'

done_testing
