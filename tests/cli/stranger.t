#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What somebody meets who has just cloned it: slips of the fingers that must not cost a night, terminals that are narrow
# or dumb, a database that is not there or has no room.
. tests/lib.sh
need_loop
need_commands script ps

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
fake_fio
short=(-p read -j 1 -t 1s --ramp 0 --scheds none)
sweep() { run "$IOBENCH" sweep --dev "$dev" "${short[@]}" -n 1 --db "$db" "$@"; }
refused()	# REGEX NAME OPTION...: before anything is measured
{
	local want=$1 name=$2
	shift 2
	sweep "$@"
	like "$RC $ERR" "^2 .*$want" "$name"
	ok "[ ! -e '$db' ]" 'and nothing was measured for it'
}

# ---- before a sweep of hours, not behind it
refused "no axis 'patern' \(did you mean 'pattern'" 'a mistyped axis of --where' --where patern=read
refused "pattern: nothing has 'write' \(there are read" 'a value that no cell will have' --where pattern=write
refused "bs: nothing has '8 KiB' \(there are 4 KiB" 'a size is told as people type it' --where bs=8k
refused "no axis 'schedler'" 'a mistyped axis of --rows' --rows schedler
refused "no axis 'job1'" 'a mistyped axis of --cols' --rows pattern --cols job1
refused "name 'last'.*take another name" 'a name that means another sweep' --name last
refused "name 'kernel=6'" 'likewise' --name kernel=6
refused "100 B is no multiple of the sectors of '${dev#/dev/}', 512 B.*--buffered" 'a block size that O_DIRECT cannot do' --bs 4k,100
sweep --budget 1s
is "$RC $ERR" '2 iobench: --budget 1s is not enough for one row of the first sweep' 'a budget for nothing is told once'
sweep --where jobs=1,host="$(uname -n)" --dry-run
like "$RC $ERR" "^2 .*jobs: nothing has" 'a comma is one of the values'
sweep --where jobs=1 --where kernel=none-that-is --rows jobs --cols scheduler --dry-run
is $RC 0 'what only the runs can tell is not checked before them'
sweep --bs 100 --buffered --dry-run
is $RC 0 'the page cache takes any block size'

# ---- one sweep, and how it is told
sweep
is $RC 0 'a sweep'
like "$ERR" 'the job gets a region' 'one job is one job'
like "$ERR" '1 cell \(1 scheduler\) x 1 run = 1 run, about' 'and one run is one'
like "$OUT" 'all cells: workload patterns, ioengine libaio, direct 1, bs 4 KiB, size .*, runtime 1 s, kernel ' \
	'below the table stands what was measured: block size, depth, times, kernel'
run "$IOBENCH" report --db "$db" --format html
like "$OUT" 'all cells: workload patterns.*bs 4 KiB' 'and on the page'
run "$IOBENCH" list --db "$db"
like "$OUT" "^[0-9a-f]{8}  .{16}  done         ${dev} +1 cell, 1 run$" 'a line of list'
export FIO_DO='echo "fio: unrecognized option --foo" >&2; echo "Did you mean flow?" >&2; exit 1'
sweep
like "$RC $ERR" "^1 .*status 1: fio: unrecognized option --foo; Did you mean flow" 'why fio failed is told, not only its last line'
export FIO_DO=
run "$IOBENCH" list --db "$db"
like "${OUT##*$'\n'}" '  1 cell, 1 failed, 0 runs, 1 not counted$' 'what failed'
run "$IOBENCH" compare none nne --db "$db"
like "$RC $ERR" "^2 .*'nne' is no sweep.*did you mean 'none'" 'a mistyped variant'
run "$IOBENCH" compare none cfq --db "$db"
like "$RC $ERR" "^2 .*'cfq' is no sweep.*which has 'none'" 'one that it has not'
run "$IOBENCH" report --db "$T/not.db"
like "$RC $ERR" "^3 .*there is no database '.*not.db': 'iobench sweep'.*--db" 'a database that is not there: what makes one'

# ---- outputs of which the tables cannot show all
group() { printf '{ "jobname" : "%s", "groupid" : %d, "error" : 0, "job options" : { "rw" : "%s" },
  "read" : { "io_bytes" : 4096000, "bw" : 4000, "iops" : 1000.0, "runtime" : 1000, "total_ios" : 1000 } }' "$1" "$2" "$3"; }
mkdir -p "$T/lab/none"
printf '{ "fio version" : "fio-3.33", "jobs" : [ %s ] }\n' "$(group a 0 read)" > "$T/lab/none/one.json"
printf '{ "fio version" : "fio-3.33", "jobs" : [ %s, %s ] }\n' "$(group a 0 read)" "$(group b 1 randread)" > "$T/lab/none/two.json"
run "$IOBENCH" import "$T/lab" --db "$T/lab.db"
is $RC 0 'an output of one job is imported, and one of two reporting groups'
run "$IOBENCH" report --db "$T/lab.db"
like "$OUT" 'sequential reads.*not shown: 1 cell with other results only: none.*--layout long' \
	'the groups have no rate together, which is said where the table lacks them'
run "$IOBENCH" report --db "$T/lab.db" --where pattern=read
[[ $OUT != *'not shown'* ]]
ok $? 'but not to whom asks for something'

# ---- interrupted
# shellcheck disable=SC2016 # for the fake fio
FIO_DO='kill -INT $(ps -o ppid= -p $PPID); sleep 5' sweep
like "$RC $ERR" "^130 .*interrupted \(SIGINT\).*'iobench resume' goes on with it" 'interrupted: by what, and how to go on'

# ---- terminals
terminal()	# COLUMNS COMMAND...: what it prints there
{
	local columns=$1
	shift
	script -qec "stty cols $columns; $*" /dev/null < /dev/null | tr -d '\r'
}
longest() { awk '{ if (length > n) n = length } END { print n + 0 }'; }
words="$IOBENCH sweep --dev $dev ${short[*]} -n 1 --db $db"
out=$(TERM=xterm terminal 60 "$words --dry-run --where nonsense=1")
ok "[ $(longest <<< "$out") -le 60 ]" 'a message keeps to the width of the terminal'
like "$out" $'\n    [a-z]' 'and goes on indented'
ok "[ $(TERM=xterm terminal 60 "$IOBENCH devices; $IOBENCH doctor --dev $dev" | longest) -le 60 ]" 'so do devices and doctor'
ok "[ $(TERM=xterm terminal 60 "$IOBENCH jobs" | grep -v '^[a-z]' | longest) -le 60 ]" 'and the questions of jobs'
ok "[ $("$IOBENCH" jobs | grep -v '^[a-z]' | longest) -le 78 ]" 'which fit a mail where there is no terminal'
run "$IOBENCH" sweep --dev "$dev" "${short[@]}" --db "$db" --where patern=read
is "$(wc -l <<< "$ERR")" 1 'where there is no terminal a message is a line'
like "$(TERM=xterm terminal 80 "$words")" $'\e\\[K' 'the progress is drawn over'
out=$(TERM=dumb terminal 80 "$words")
unlike() { [[ ! $1 =~ $2 ]]; tap_result $? "$3" || diag "got: $1"; }
unlike "$out" $'\e' 'but not on a dumb terminal'

# ---- who may not open the disk is told that it is mounted, if it is
mkdir "$T/mounted"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
at_exit "umount -q '$T/mounted'"
if nobody "$IOBENCH" --version > /dev/null 2>&1 && mkfs.ext4 -q "$dev" 2> /dev/null && mount "$dev" "$T/mounted" 2> /dev/null; then
	run nobody "$IOBENCH" sweep --dev "$dev" "${short[@]}" --dry-run
	like "$RC $OUT" "^0 .*would be refused: '$dev' is in use: '$dev' is mounted on" 'a mounted disk that cannot be opened'
	umount "$T/mounted"
else
	skip 'a mounted disk that cannot be opened' 'cannot mount, or nobody cannot run the program'
fi

# ---- a full file system
mkdir "$T/full"
if mount -t tmpfs -o size=300k none "$T/full" 2> /dev/null; then
	at_exit "umount '$T/full'"
	run "$IOBENCH" sweep --dev "$dev" "${short[@]}" -n 200 --db "$T/full/x.db"
	like "$RC $ERR" "^3 .*disk full.*'iobench resume' goes on with it" 'no room: what is there stays, and how to go on'
else
	skip 'a full file system' 'cannot mount'
fi
done_testing
