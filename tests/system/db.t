#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is stored stays: power cuts, backups of a database that is being written, disks that are full or read-only.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
q=/sys/block/${dev#/dev/}/queue
settings() { (cd "$q" && grep -rs . . | sort); }
before=$(settings)
reported() { sqlite3 "file:$1?mode=ro" "select uuid from run where state = 'ok'" 2> /dev/null | sort; }
# in place of this shell, so that in the background $! is the sweep
writer() { exec "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runtime 10ms --ramp 0 --bs 64k "$@"; }
sweep() { (writer "$@"); }

# the power goes at a random instant: what the file system then holds is what the files hold now, or less; the writer
# syncs before it reports, so a copy taken while it stands still must have every run that was reported before
RANDOM=5
writer --runs 400 --db "$db" > /dev/null 2>&1 &
pid=$!
lost=0 damaged=0 rounds=0
for ((i = 0; i < 100; i++)); do [ "$(reported "$db" | wc -l)" -ge 1 ] && break; sleep 0.1; done
for ((i = 0; i < 20; i++)); do
	sleep "0.$((RANDOM % 900 + 100))"
	kill -STOP $pid || break
	seen=$(reported "$db")
	rm -f "$T"/copy.db*
	cp "$db" "$T/copy.db"
	[ -e "$db-wal" ] && cp "$db-wal" "$T/copy.db-wal"
	kill -CONT $pid
	rounds=$((rounds + 1))
	[ "$(sqlite3 "$T/copy.db" 'pragma integrity_check')" = ok ] || damaged=$((damaged + 1))
	[ -z "$(comm -23 <(echo "$seen") <(reported "$T/copy.db"))" ] || lost=$((lost + 1))
done
is "$rounds rounds, $damaged damaged, $lost lost a run" '20 rounds, 0 damaged, 0 lost a run' \
	'copies of a writer that was stopped hold every run that was reported'
ok "[ $(reported "$db" | wc -l) -ge 10 ]" 'and there were runs to lose'

# a backup while it writes
seen=$(reported "$db")
run "$IOBENCH" db backup "$T/backup.db" --db "$db"
is $RC 0 'a backup can be made while a sweep writes'
run "$IOBENCH" db check --db "$T/backup.db"
is $RC 0 'and is sound'
is "$(comm -23 <(echo "$seen") <(reported "$T/backup.db"))" '' 'and has every run that was reported'
run "$IOBENCH" report --db "$T/backup.db"
like "$OUT" 'sequential reads' 'and reports'
run "$IOBENCH" db backup "$T/backup.db" --db "$db"
is $RC 3 'a backup overwrites nothing'
kill -INT $pid
wait $pid

run "$IOBENCH" db check --db "$db"
is $RC 0 'the database itself is sound'
sqlite3 "$T/backup.db" 'update summary set n = n + 1'
run "$IOBENCH" db check --db "$T/backup.db"
is $RC 1 'a summary that does not fit its runs is found'
like "$OUT" 'summary of cell' 'and named'

# the database disappears
writer --runs 400 --db "$T/gone.db" > /dev/null 2> "$T/err" &
pid=$!
for ((i = 0; i < 100; i++)); do [ "$(reported "$T/gone.db" | wc -l)" -ge 2 ] && break; sleep 0.1; done
rm "$T"/gone.db*
wait $pid
is $? 1 'a database that is deleted ends the sweep'
like "$(cat "$T/err")" "gone.db'" 'it is named'
is "$(settings)" "$before" 'settings are back'

# the disk of the database is full
mkdir "$T/small" && mount -t tmpfs -o size=1M none "$T/small" && at_exit "umount '$T/small'"
sweep --runs 400 --db "$T/small/x.db" > /dev/null 2> "$T/err"
is $? 3 'a full disk under the database ends the sweep'
like "$(cat "$T/err")" 'full' 'it is said'
is "$(settings)" "$before" 'settings are back'
cp "$T/small/x.db" "$T/full.db"
[ -e "$T/small/x.db-wal" ] && cp "$T/small/x.db-wal" "$T/full.db-wal"
is "$(sqlite3 "$T/full.db" 'pragma integrity_check')" ok 'what was stored is sound'
ok "[ $(reported "$T/full.db" | wc -l) -ge 1 ]" 'and there'

rm "$T"/small/*
mkdir "$T/outputs"
for ((i = 0; i < 500; i++)); do printf 'iops %d IOPS\n' $i > "$T/outputs/$i.txt"; done
head -c 600k /dev/zero > "$T/small/ballast"
run "$IOBENCH" import --sched x --db "$T/small/y.db" "$T/outputs"
is $RC 3 'an import into a full disk'
like "$ERR" 'not all is stored: import the same files again.*disk full' 'says what to do'
is "$OUT" '' 'and counts nothing that is not there'
rm "$T/small/ballast"
run "$IOBENCH" import --sched x --db "$T/y.db" "$T/outputs"
like "$OUT" '^500 read, 0 known' 'again, where there is room'
cp "$T/full.db" "$T/small/x.db"

# read-only
mount -o remount,ro "$T/small"
run sweep --runs 1 --db "$T/small/x.db"
is $RC 3 'a read-only database is refused before anything starts'
like "$ERR" 'read-only' 'and said to be so'
is "$(settings)" "$before" 'nothing was touched'

# two sweeps on one database, on two disks
dev2=$(make_loop 64M)
writer --runs 10 --name one --db "$T/two.db" > /dev/null 2>&1 &
pid=$!
dev=$dev2 sweep --runs 10 --name two --db "$T/two.db" > /dev/null 2>&1
is $? 0 'two sweeps may write to one database'
wait $pid
is $? 0 'both end well'
is "$(reported "$T/two.db" | wc -l)" 20 'and nothing is lost'
done_testing
