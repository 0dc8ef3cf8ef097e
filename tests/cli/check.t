#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The gate on databases that are written by a script: every exit code, what is said, baselines, known changes.
. tests/lib.sh
. tests/nights.sh
need_commands sqlite3

export TZ=UTC
check() { # DB CODE NAME [OPTION]...
	local db=$T/$1.db code=$2 name=$3
	shift 3
	run "$IOBENCH" check --db "$db" "$@"
	is "$RC" "$code" "$name: exit $code" || diag "$OUT" "$ERR"
	ONE=$(tr -s ' \n' ' ' <<< "$OUT")
}
baseline() { run "$IOBENCH" baseline --db "$T/$1.db" "${@:2}"; }

# ---- every exit code ----

nights "$T/few.db" 0 5
check few 12 'five nights before it'
like "$ONE" '^too few nights: of 4 cells 4 too few nights' 'the verdict comes first'
like "$ONE" 'too few nights: 4 cells: 5 earlier nights, 6 needed' 'and says once what is missing'
like "$ONE" 'night of 2026-01-06 against 5 earlier ones' 'of which night'

nights "$T/good.db" 0 20
check good 0 'a quiet night'
like "$ONE" '^as before: of 4 cells 4 same' 'said so'
like "$ONE" 'a change of [0-9.]+% \(in the noisiest of [0-9.]+%\) would have been seen' 'with what would have been seen'
like "$ONE" 'no change in the level of these nights' 'and no change before'
check good 11 'a tolerance that these nights do not meet' --tolerance 0.5%
like "$ONE" 'too noisy: bfq, .* only a change of more than' 'names the cells'
check good 11 'a reference that was not measured' --reference kyber
like "$ONE" "'kyber' was not measured in the same blocks" 'is named'
like "$ONE" 'hint: without a reference' 'and what to do'

cp "$T/good.db" "$T/bad.db"
nights "$T/bad.db" 21 21 bfq=0.95 box=0.8 kernel=6.2 slice=4
check bad 10 'bfq is 5% slower, and the box 20%'
like "$ONE" "^regressed: of 4 cells 2 regressed, 2 same" 'two cells of bfq'
like "$ONE" "regressed: bfq, sequential reads, 1 job: -[456]\.[0-9]% to 'none', -2[0-9]\.[0-9]% by itself" 'by how much, and by itself'
like "$ONE" 'the machine got worse: none, sequential reads, 1 job: -(19|20)\.[0-9]%.*this is held against no variant' 'the box'
check bad 0 'the night before it was quiet' last~1
check bad 0 'what is not chosen is not judged' --where variant=mq-deadline
check bad 10 'what is chosen is' --where variant=bfq --where jobs=4
like "$ONE" 'of 1 cell 1 regressed' 'and nothing else'
check bad 0 'a smaller change than --min-effect' --min-effect 10%

cp "$T/good.db" "$T/box.db"
nights "$T/box.db" 21 21 box=0.5
check box 0 'the box alone is no regression'

# ---- a change some nights ago: dated, with what changed, and what is known of it ----

cp "$T/good.db" "$T/step.db"
nights "$T/step.db" 21 28 bfq=0.9 kernel=6.2 slice=4
check step 10 'a step eight nights ago'
like "$ONE" 'regressed: bfq, sequential reads, 1 job: -[0-9.]+% since 2026-01-22' 'since when'
like "$ONE" '2026-01-22: a step -[0-9.]+% bfq, sequential reads, 1 job -[0-9.]+% bfq' 'one change'
like "$ONE" "measured on different kernels: '6.1' and '6.2'" 'the kernel that came with it'
like "$ONE" "'sdb:queue/iosched/slice_idle': '8' and '4'" 'and the tunable'
baseline step ack 2026-01-22
is $RC 2 'acknowledging wants a reason'
like "$ERR" 'give --reason TEXT' 'and says so'
baseline step ack 9999-01-22 --reason x
is $RC 2 'a day behind the end of time is none'
baseline step ack 2026-01-22 --reason 'slice_idle is 4 ms now' --where variant=bfq
is $RC 0 'a change is acknowledged'
check step 0 'then it counts no more'
sqlite3 "$T/step.db" "UPDATE sweep SET host = 'box'"
"$IOBENCH" merge --db "$T/lab.db" "$T/step.db" > /dev/null
check lab 0 'nor where its database was merged into another'
like "$ONE" '2026-01-22: known: slice_idle is 4 ms now -[0-9.]+% bfq' 'but is shown, with the reason'
check step 12 'six nights behind it are needed' last~3
baseline step list
id=${OUT%% *}
like "$OUT" "^[0-9a-f]{8} +acknowledged: a change of 2026-01-22 00:00 where variant=bfq: slice_idle is 4 ms now" 'it is listed'
baseline step remove "$id"
is $RC 0 'and can be taken back'
check step 10 'then it counts again'
baseline step ack last~7 --reason 'the same by a sweep'
check step 0 'a sweep says the night as well'

# ---- nights of two boxes with disks that have no serial numbers ----
cp "$T/good.db" "$T/one.db"
sqlite3 "$T/one.db" "UPDATE sweep SET host = 'one'"
nights "$T/two.db" 21 41 bfq=1.5
sqlite3 "$T/two.db" "UPDATE sweep SET host = 'two'; UPDATE run SET uuid = replace(uuid, '-8001-', '-8002-')"
"$IOBENCH" merge --db "$T/boxes.db" "$T/one.db" "$T/two.db" > /dev/null
check boxes 0 'a box is held against its own nights'
like "$ONE" 'no change in the level of these nights' 'that bfq is better on the other is no change'
cp "$T/good.db" "$T/two.db"
nights "$T/two.db" 21 28 bfq=0.9
nights "$T/one.db" 21 28 bfq=0.95
sqlite3 "$T/one.db" "UPDATE sweep SET host = 'one'"
sqlite3 "$T/two.db" "UPDATE sweep SET host = 'two', uuid = replace(uuid, '-8000-', '-8002-');
	UPDATE invocation SET uuid = replace(uuid, '-8000-', '-8002-'); UPDATE run SET uuid = replace(uuid, '-8001-', '-8002-')"
rm "$T/boxes.db"
"$IOBENCH" merge --db "$T/boxes.db" "$T/one.db" "$T/two.db" > /dev/null
check boxes 10 'two boxes of which both got worse'
like "$ONE" 'regressed: bfq, sequential reads, 1 job, host one: -[0-9.]+% since' 'the one is named'
like "$ONE" 'regressed: bfq, sequential reads, 1 job, host two: -[0-9.]+% since' 'and the other'
is "$(grep -c ': a step$' <<< "$OUT")" 2 'each has a step of its own'

# ---- baselines ----

check step 2 'a baseline that is not there' --baseline good
like "$ERR" "no baseline 'good'" 'is named'
baseline step set good last~28
is $RC 0 'a good night is named'
like "$OUT" "baseline 'good': the nights since sweep 00000000 of 2026-01-01 02:00" 'a good night has a name'
baseline step set good last~7
baseline step show good
like "$OUT" '^good +the nights since sweep 00000021 nightly of 2026-01-22' 'which may move'
like "$OUT" '7 sweeps since then' 'with how many came after it'
check step 0 'the nights since it' --baseline good
like "$ONE" 'against 7 earlier ones, the first of 2026-01-22' 'and no others'
check step 2 'a night before its baseline' --baseline good last~10
check step 2 'both ways to choose nights' --baseline good --nights 10
check step 2 'too few nights asked for' --nights 5
baseline step remove good
is $RC 0 'a name can be removed'
baseline step remove good
is $RC 2 'once'
baseline step set '' last
is $RC 2 'a name is not empty'
baseline step frob
is $RC 2 'actions nobody knows'

# ---- formats ----

check bad 10 'as tables' --format json -o "$T/bad.json"
is "$(grep -c '"column":"verdict","value":"regressed"' "$T/bad.json")" 2 'JSON has a verdict a cell'
check bad 10 'all at once' --junit "$T/bad.xml" --markdown "$T/bad.md"
like "$(< "$T/bad.md")" '^### regressed: of 4 cells 2 regressed' 'Markdown has the verdict in its head'
like "$(< "$T/bad.md")" '\| bfq \| read \| 4 \| regressed \| -[45]' 'and the cells'
like "$(< "$T/bad.md")" 'change % \| itself % \| p \|.*<0\.0001.*change: of the ratio to the reference.*; seen: smallest change' \
	'with units, no p of 0, and what the columns are'
like "$(< "$T/bad.xml")" '<testsuite name="iobench check" tests="4" failures="2" errors="0" skipped="0"' 'JUnit counts'
like "$(< "$T/bad.xml")" '<testcase name="bfq, sequential reads, 1 job" classname="iops" time="0">
      <failure message="regressed: -[0-9.]+% to &#39;none&#39;' 'and has a failure'
check few 12 'JUnit of too few nights' --junit "$T/few.xml"
like "$(< "$T/few.xml")" 'failures="0" errors="0" skipped="4".*<skipped message="too few nights: 5 earlier' 'skips'
if command -v xmllint > /dev/null; then
	ok "xmllint --noout $T/bad.xml $T/few.xml" 'both are XML'
else
	skip 'both are XML' 'no xmllint'
fi
check bad 2 'a format nobody knows' --format junit
check bad 1 'a file that cannot be written' --junit /nowhere/x.xml

# ---- what is not whole ----

cp "$T/good.db" "$T/short.db"
nights "$T/short.db" 21 21 blocks=2
check short 11 'a night that was cut short'
like "$ONE" 'measured in 2 blocks only' 'is told'
cp "$T/good.db" "$T/gone.db"
nights "$T/gone.db" 21 21
sqlite3 "$T/gone.db" "UPDATE run SET state = 'failed' WHERE cell IN (SELECT cell.id FROM cell JOIN config ON config.id = config
	WHERE variant = 'bfq' AND sweep = (SELECT max(id) FROM sweep))"
check gone 11 'cells that failed'
like "$ONE" 'not measured: bfq, sequential reads, 1 job: no good run in this night' 'are told'
sqlite3 "$T/gone.db" "UPDATE cell SET state = 'pending', reason = 'not offered by this kernel' WHERE sweep =
	(SELECT max(id) FROM sweep) AND config IN (SELECT id FROM config WHERE variant = 'bfq')"
check gone 0 'what this kernel does not offer'
like "$ONE" 'not offered: bfq' 'is told, and fails nothing'

cp "$T/good.db" "$T/fewer.db"
nights "$T/fewer.db" 21 21
sqlite3 "$T/fewer.db" "PRAGMA foreign_keys = ON; DELETE FROM cell WHERE sweep = (SELECT max(id) FROM sweep) AND id =
	(SELECT max(cell.id) FROM cell JOIN config ON config.id = config WHERE variant = 'bfq')"
check fewer 0 'a cell that the night before had, and this one has not'
like "$ONE" 'gone: bfq, [^:]*: measured in the night of 2026-01-21, not in this one' 'is told'
check fewer 0 'in JUnit' --junit "$T/fewer.xml"
like "$(< "$T/fewer.xml")" 'skipped="1".*<skipped message="gone: measured' 'it is skipped'

# two sweeps between noon and noon are one night
cp "$T/good.db" "$T/two.db"
nights "$T/two.db" 21 22
sqlite3 "$T/two.db" "UPDATE sweep SET started_ns = started_ns - 86400000000000 + 3600000000000 WHERE id = (SELECT max(id) FROM sweep)"
check two 0 'two sweeps of one night'
like "$ONE" 'night of 2026-01-22 against 21 earlier' 'are one'
check two 0 'unless each is asked for' --each-sweep
like "$ONE" 'night of 2026-01-22 03:00 against 22 earlier' 'then they are two'

# ---- old databases ----

cp "$T/bad.db" "$T/old.db"
sqlite3 "$T/old.db" 'DROP TABLE baseline; DROP TABLE acknowledged; DROP INDEX sweep_by_time; PRAGMA user_version = 1'
check old 10 'a database of schema 1, only read'
is "$(sqlite3 "$T/old.db" 'PRAGMA user_version')" 1 'stays what it is'
run "$IOBENCH" report --db "$T/old.db"
is $RC 0 'and is reported on'
baseline old list
like "$OUT" 'no baseline' 'and has no baselines'
baseline old set good last
is $RC 0 'until one is made'
is "$(sqlite3 "$T/old.db" 'SELECT user_version >= 2 FROM pragma_user_version')" 1 'which migrates it'
baseline old list
like "$OUT" '^good ' 'and stores it'
run "$IOBENCH" db check --db "$T/old.db"
is $RC 0 'the database is sound'

# ---- nothing ----

check absent 3 'no database'
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\nx\tread\tx\t1\tiops\tIOPS\t3\t1\t1\n' > "$T/t.tsv"
"$IOBENCH" import --db "$T/none.db" "$T/t.tsv" > /dev/null
check none 2 'no night'
like "$ERR" 'there is no sweep' 'said'
check good 2 'a sweep nobody knows' nosuch
done_testing
