#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Comparison, findings, the A-A check and rows that stop early, from the sweep to the last line.
. tests/lib.sh
need_loop
need_commands fio sqlite3 python3

export IOBENCH_RUNDIR=$T/run IOBENCH_DB=$T/x.db
dev=$(make_loop 64M)
sql() { sqlite3 "$IOBENCH_DB" "$1"; }
quick=(--runtime 100ms --ramp 0 --bs 64k --seed 5)

# the A-A check is a sweep of the same twice
run "$IOBENCH" aa --dev "$dev" --scheds none -n 6 "${quick[@]}"
is $RC 0 'aa ends well'
like "$OUT" 'none#2 against none#1' 'the two names are compared'
is "$(sql 'select count(distinct key) from config')" 2 'and are two configurations'
is "$(sql "select count(*) from run where state = 'ok'")" 12 'with six runs each'

# a comparison of known figures: the second is three times the first with two jobs, the same with one
run "$IOBENCH" sweep --dev "$dev" --scheds none --twice -p read -j 1,2 -n 6 --name known "${quick[@]}"
is $RC 0 'a sweep under two names'
sql "update sample set value = 1000 + 10 * (select block from run where run.id = run)
	* (select 1 + (config_axis.value = '2') from cell join run on run.cell = cell.id join config_axis using (config)
	   where run.id = sample.run and config_axis.name = 'numjobs')
	where metric = (select id from metric where name = 'iops')"
sql "update sample set value = value * 3 where metric = (select id from metric where name = 'iops') and run in
	(select run.id from run join cell on run.cell = cell.id join config on cell.config = config.id join config_axis on
	 config_axis.config = config.id where variant = 'none#2' and name = 'numjobs' and value = '2')"
run "$IOBENCH" compare 'none#1' 'none#2'
is $RC 0 'compare: two variants of the last sweep'
like "$OUT" 'read +2 .* 200\.0 .*better' 'three times as much is 200% more, and better'
like "$OUT" 'read +1 .* 0\.0 .*~' 'the same is no change'
like "$OUT" 'paired within blocks' 'they were measured together'
like "$OUT" 'over the 2 cells' 'the size of the family is said'
run "$IOBENCH" compare 'known/none#1' 'last/none#2' --format csv
got=$(python3 -c '
import csv, sys
print([r["value"] for r in csv.DictReader(sys.stdin) if r["column"] == "change" and r["numjobs"] == "2"][0])' <<< "$OUT")
is "${got%.*}" 200 'the same in csv, with the sides named in full'
run "$IOBENCH" compare jobs=1 jobs=2
like "$OUT" 'jobs=2 against jobs=1' 'two values of an axis'
run "$IOBENCH" compare 'none#1' 'none#2' --min-effect 250%
like "$OUT" 'read +2 .* 200\.0 .*~' '--min-effect: what is smaller is not named'
run "$IOBENCH" compare last~1 last
is $RC 0 'two sweeps are compared'
like "$OUT" 'not measured together' 'unpaired, and said so'
run "$IOBENCH" report --layout compare
like "$OUT" 'none#2 against none#1' 'the layout compare of a report'

run "$IOBENCH" compare 'none#1' nonesuch
is $RC 2 'a side that is nothing: exit 2'
like "$ERR" "'nonesuch' is no sweep" 'said'
run "$IOBENCH" compare 'none#1' jobs=1
is $RC 2 'sides with cells in common: exit 2'
run "$IOBENCH" compare 'none#1' 'none#2' --min-effect much
is $RC 2 'a percentage that is none: exit 2'
run "$IOBENCH" compare 'none#1' 'none#2' --metric sync_lat
is $RC 1 'a metric that is not there: exit 1'

run "$IOBENCH" findings
is $RC 0 'findings'
like "$OUT" '2 jobs: none#2 is 3\.0 times ahead of none#1' 'tell it in words'
run "$IOBENCH" findings --format json
ok "python3 -c 'import json, sys; json.load(sys.stdin)' <<< '$OUT'" 'and as json'

# other figures of the machine stand above the table
sql "insert into environment (hash, content) select hash || 'x', json_set(content, '\$.\"kernel.release\"', '2.6.0',
	'\$.\"fio.version\"', 'fio-1') from environment limit 1;
	update run set environment = (select max(id) from environment) where cell in
	(select id from cell where sweep = (select max(id) from sweep))"
run "$IOBENCH" compare last~1 last
like "$OUT" "different kernels: '.*' and '2\.6\.0'" 'another kernel is named'
like "$OUT" "fio.*'fio-1'" 'another fio too'

# rows that stop; the rate is fixed, so that the ratios are known
# shellcheck disable=SC2016 # these are fio's variables
printf '[j]\nfilename=${DEV}\nrw=read\nbs=4k\nnumjobs=${JOBS}\nruntime=100ms\ntime_based\nrate_iops=500\ngroup_reporting\n' > "$T/own.fio"
fixed=(--job "$T/own.fio" --jobs '1,2' --seed 5)
run "$IOBENCH" sweep --dev "$dev" --scheds none --twice -n 6..8 --precision 500% "${fixed[@]}"
is $RC 0 'a sweep with a precision'
like "$OUT" 'jobs 1: stopped after 6 runs: ratios are known to' 'the report says where a row stopped'
last='(select max(id) from sweep)'
is "$(sql "select count(*) from run join cell on cell = cell.id where sweep = $last")" 24 'no run was made behind that'
# of runs that are all the same any precision is reached: these are not held back
sed '/^rate_iops/d' "$T/own.fio" > "$T/free.fio"
run "$IOBENCH" sweep --dev "$dev" --scheds none --twice -n 6..7 --precision 0.0001% --job "$T/free.fio" --jobs 1,2 --seed 5
like "$OUT" 'jobs 2: precision not reached: \+-[0-9.]+% after 7 runs' 'or that it was not precise enough at the end'

# a row that has stopped stays so when the sweep goes on
sql "update cell set reason = 'stopped' where sweep = $last;
	update cell set state = 'pending', reason = null where sweep = $last and ordinal >= 2;
	pragma foreign_keys = on;
	delete from run where block = 6 and cell in (select id from cell where sweep = $last);
	update sweep set state = 'interrupted' where id = $last"
run "$IOBENCH" resume
is $RC 0 'resume' || diag "$ERR"
is "$(sql "select group_concat(n) from (select count(*) n from run join cell on cell = cell.id where sweep = $last
	and run.state = 'ok' group by ordinal order by ordinal)")" 6,6,7,7 'only the row that had not stopped goes on'
is "$(sql "select reason from cell where sweep = $last and ordinal = 0")" stopped 'the other keeps its reason'

done_testing
