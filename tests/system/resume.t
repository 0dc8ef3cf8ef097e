#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An interrupted sweep goes on where it stopped.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
sql() { sqlite3 "$db" "$1"; }
runs_ok() { sql "select count(*) from run where state = 'ok'" 2> /dev/null || echo 0; }
wait_for_runs() { local i; for ((i = 0; i < 300; i++)); do [ "$(runs_ok)" -ge "$1" ] && return; sleep 0.05; done; }

grep -qw bfq "/sys/block/${dev#/dev/}/queue/scheduler" || skip_all 'this kernel does not offer bfq on a loop device'

sweep=("$IOBENCH" sweep --dev "$dev" --scheds 'none,bfq' --patterns read --jobs '1,2' --runs 4 --runtime 150ms --ramp 0
	--bs 64k --seed 11 --db "$db")

# killed in the middle of its second block
"${sweep[@]}" --name killed > /dev/null 2>&1 &
pid=$!
wait_for_runs 6
kill -9 $pid
wait $pid 2> /dev/null
for ((i = 0; i < 50; i++)); do [ -e "$IOBENCH_RUNDIR/${dev#/dev/}.journal" ] || break; sleep 0.1; done
n=$(runs_ok)
ok "[ $n -ge 6 ]" 'what was reported before kill -9 is there'
run "$IOBENCH" report --db "$db"
is $RC 0 'a report of the torso can be printed'

run "$IOBENCH" resume --db "$db"
is $RC 0 'resume ends well'
like "$ERR" 'going on with sweep' 'and says with what it goes on'
is "$(runs_ok)" 16 'every cell has its runs'
is "$(sql "select count(*) from cell where state = 'done'")" 4 'every cell is done'
is "$(sql 'select state from sweep')" 'done' 'the sweep is done'
is "$(sql "select count(*) from (select block from run where state = 'ok' group by block having count(distinct invocation) > 1)")" 0 \
	'no block mixes runs of two calls'
ok "[ \"\$(sql \"select count(*) from run where state = 'superseded'\")\" = $((n % 4)) ]" \
	'runs of the block that was cut are kept, and count no more'

# the same order as a sweep that nobody interrupted
"${sweep[@]}" --name whole > /dev/null 2>&1
order() { sql "select group_concat(o, ';') from (select r.block || ':' || group_concat(c.ordinal) o from
	(select * from run where state = 'ok' order by block, started_ns) r join cell c on r.cell = c.id
	join sweep s on c.sweep = s.id where s.name = '$1' group by r.block order by r.block)"; }
is "$(order killed)" "$(order whole)" 'the order is that of a whole sweep with this seed'

run "$IOBENCH" resume --db "$db"
is $RC 2 'nothing is left to resume'

# cells without a scheduler stay pending until another kernel, or until they are given up
run "$IOBENCH" sweep --dev "$dev" --scheds cfq,none --patterns read --jobs 1 --runs 1 --runtime 150ms --ramp 0 --db "$db" --name old
is $RC 5 'cfq is pending'
run "$IOBENCH" resume --db "$db"
is $RC 5 'resume under the same kernel leaves it pending'
is "$(sql "select count(*) from run r join cell c on r.cell = c.id join sweep s on c.sweep = s.id where s.name = 'old'")" 1 \
	'and measures nothing again'
run "$IOBENCH" resume --drop --db "$db"
is $RC 0 'pending cells can be given up'
like "$(sql "select c.reason from cell c join sweep s on c.sweep = s.id where s.name = 'old' and c.state = 'failed'")" \
	'given up.*not offered' 'with the reason stored'

# another disk under the same name
run "$IOBENCH" sweep --dev "$dev" --scheds none,cfq --patterns read --jobs 1 --runs 1 --runtime 150ms --ramp 0 --db "$db" --name other
dev2=$(make_loop 64M)
run "$IOBENCH" resume other --dev "$dev2" --db "$db"
is $RC 3 'another disk is refused'
like "$ERR" 'another disk cannot go on with it' 'and said to be another'

done_testing
