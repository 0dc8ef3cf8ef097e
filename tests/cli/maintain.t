#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A database that grows for years: what it holds, old outputs forgotten, the file made smaller.
. tests/lib.sh
need_commands sqlite3

db=$T/x.db
made() { "$BUILD/tests/bench/million" "$@" 2> /dev/null; }
ask() { sqlite3 "$db" "$1"; }
made "$db" 1900 box

# outputs of 4000 bytes, the second night's runs made yesterday
ask "insert into raw (run, bytes, zstd) select id, 8000, randomblob(4000) from run;
	update run set started_ns = unixepoch() * 1000000000 - 86400000000000
	where cell in (select id from cell where sweep = 2)"
cp tests/data/fio_json/sync.json "$T/old.json" && touch -d 2015-05-05 "$T/old.json"
"$IOBENCH" import --db "$db" --sched cfq "$T/old.json" > /dev/null

run "$IOBENCH" db info --db "$db"
is $RC 0 'db info'
like "$OUT" 'sweeps +2 in 2 nights, and 1 import' 'sweeps, nights, imports'
like "$OUT" "runs +1921, $(ask "select count(*) from run where state = 'ok'") of them count" 'runs'
like "$OUT" 'oldest run +2015-05-05' 'the oldest'
like "$OUT" 'outputs +of 1921 runs: 14\.[67] MiB, 7\.[34] MiB in the file' 'outputs'
like "$OUT" 'hosts +box' 'hosts'
like "$OUT" 'table raw +[0-9.]+ MiB' 'the tables with their sizes'
like "$OUT" "schema +$(ask 'pragma user_version')" 'the schema'

before=$("$IOBENCH" report nightly --db "$db")
run "$IOBENCH" db prune --db "$db"
is $RC 2 'prune wants an age'
run "$IOBENCH" db prune --older 200000d --db "$db"
is $RC 2 'an age that no clock can tell is refused'
run "$IOBENCH" db prune --older 5y --db "$db"
is $RC 2 'that is one'
run "$IOBENCH" db prune --older 90 --db "$db"
is $RC 2 'a number of nothing is no age'
like "$ERR" 'write 90d for days' 'as it would be taken for seconds'
run "$IOBENCH" db prune --older 90d --keep-sweeps nightli --db "$db"
is $RC 2 'and sweeps to keep that there are'
is "$(ask 'select count(*) from raw')" 1921 'nothing has gone so far'
first=$(ask 'select uuid from sweep where id = 1')
run "$IOBENCH" db prune --older 90d --keep-sweeps "last,$first" --db "$db"
like "$OUT" 'outputs of 0 runs are gone' 'a sweep to be kept is kept'
run "$IOBENCH" db prune --older 90d --db "$db"
is $RC 0 'prune'
like "$OUT" 'outputs of 960 runs are gone: 7\.3 MiB, 3\.7 MiB of the file' 'how much has gone is said'
is "$(ask 'select count(*) from raw join run on run.id = run join cell on cell.id = cell where sweep = 2')" 960 \
	'younger outputs stay'
is "$(ask 'select count(*) from raw join run on run.id = run join cell on cell.id = cell where sweep = 3')" 1 \
	'what was imported now is not old, whatever its file says'
is "$(ask 'select count(*) from run')" 1921 'runs stay'
is "$("$IOBENCH" report nightly --db "$db")" "$before" 'tables stay as they were'
run "$IOBENCH" db prune --older 12h --db "$db"
like "$OUT" 'outputs of 960 runs are gone' 'hours are an age too'

size=$(stat -c %s "$db")
run "$IOBENCH" db vacuum --db "$db"
is $RC 0 'vacuum'
ok "[ $(stat -c %s "$db") -lt $((size - 7000000)) ]" 'the file is smaller'
run "$IOBENCH" db check --db "$db"
is $RC 0 'and sound'
is "$("$IOBENCH" report nightly --db "$db")" "$before" 'and tells the same'
run "$IOBENCH" db vacuum --older 5d --db "$db"
is $RC 2 'an age is for prune'
run "$IOBENCH" db vacuum --db "$T/none.db"
is $RC 3 'a database that is not there is none to make smaller'
sqlite3 "$db" > /dev/null <<- EOS
	begin;
	select count(*) from run;
	.shell '$IOBENCH' db vacuum --db '$db' > '$T/held' 2>&1; echo \$? >> '$T/held'
EOS
like "$(cat "$T/held")" "another process reads '.*x.db', so that it does not get smaller.*3\$" 'who keeps it from getting smaller is told'

# ---- what check finds ----
unsound() { # SQL PATTERN NAME
	sqlite3 "$db" "vacuum into '$T/bad.db'"
	sqlite3 "$T/bad.db" "$1"
	run "$IOBENCH" db check --db "$T/bad.db"
	is $RC 1 "$3"
	like "$OUT" "$2" 'which is said'
	rm "$T/bad.db"
}
unsound 'delete from summary where cell = 3' 'summary of cell 3 is not that of its runs: 12 of its figures' 'a summary that is missing'
unsound 'update summary set mean = mean * 1.01 where cell = 3 and metric = 1' 'cell 3 .*: 1 of its figures' 'a mean that is none'
unsound "update run set state = 'failed' where id = (select max(id) from run where cell = 3 and state = 'ok')" 'summary of cell 3' \
	'a run that counts no more'
unsound 'delete from run where cell = 3' '360 rows of sample point to no row of run' 'what hangs on nothing, in one line'

# ---- a backup of what never rests ----
made "$T/busy.db" 40000 box
touch "$T/go"
while [ -e "$T/go" ]; do
	sqlite3 -cmd '.timeout 5000' "$T/busy.db" "insert into actor (name) values (hex(randomblob(8)))"
done &
writer=$!
run timeout 60 "$IOBENCH" db backup --db "$T/busy.db" "$T/copy.db"
rm "$T/go"
wait $writer
is $RC 0 'a backup comes to an end, however often another process writes'
run "$IOBENCH" db check --db "$T/copy.db"
is $RC 0 'and is sound'
is "$(sqlite3 "$T/copy.db" 'select count(*) from run')" 40320 'and whole'
run "$IOBENCH" db backup --db "$db" "$T/absent/copy.db"
is $RC 3 'a folder that is not there'
like "$ERR" "cannot create '.*absent/copy.db.part': No such file or directory" 'and why it cannot be'
touch "$T/again.db.part" "$T/again.db.part-journal"
"$IOBENCH" db backup --db "$db" "$T/again.db" > /dev/null
is "$(find "$T" -name 'again.db?*')" '' 'what a backup that was killed has left goes with the next'
done_testing
