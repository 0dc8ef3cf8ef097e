#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is typed wrong or not there: a clear error, the right exit code, nothing touched.
. tests/lib.sh

export IOBENCH_RUNDIR=$T/run
cd_db=$T/x.db
refuse() { # CODE REGEX NAME ARGUMENT...
	local code=$1 regex=$2 name=$3
	shift 3
	run "$IOBENCH" "$@"
	is "$RC" "$code" "$name: exit $code"
	like "$ERR" "$regex" "$name: said"
}

run "$IOBENCH" --help
is $RC 0 '--help'
is "$(awk '/^[a-z ]+:$/ { group = $0 } $1 == "check" || $1 == "merge" || $1 == "sweep" { print group, $1 }' <<< "$OUT")" \
	$'measure: sweep\nevery night: check\nresults and databases: merge' 'names the commands, in groups'
is "$(awk 'length > 80' <<< "$OUT")" '' 'in lines of 80 columns'
run "$IOBENCH" compare --help
like "$OUT" $'\n      --where AXIS=VALUE\\[,...\\]\n {26}only these.*\n  -o, --output FILE       write there' 'texts of options begin in one column'
like "$OUT" $'\n  iobench compare last~1 last\n' 'examples are indented'
for c in $("$IOBENCH" help --list); do
	run "$IOBENCH" "$c" --help
	is $RC 0 "$c --help"
	like "$OUT" "^usage: iobench $c" "$c --help says how to use it"
	is "$(awk 'length > 80' <<< "$OUT")" '' 'in lines of 80 columns'
done
run "$IOBENCH" --version
like "$OUT" '^iobench [0-9]' '--version'
run "$IOBENCH" jobs
like "$OUT" 'patterns.*How do throughput and latency' 'jobs names the question of each workload'

refuse 2 "unknown command 'swep' \(did you mean 'sweep'" 'a command typed wrong' swep
refuse 2 "unknown option '--schedz' \(did you mean '--scheds'" 'an option typed wrong' sweep --schedz bfq
refuse 2 "'--dev' wants an argument" 'an option without its argument' sweep --dev
refuse 2 "did you mean '--write-ok=/dev/sdb'" '--write-ok with a blank' sweep --write-ok /dev/sdb
refuse 2 'give --dev DEVICE or --dir DIR' 'nothing to measure' sweep
refuse 2 "unknown scheduler 'bqf' \(did you mean 'bfq'" 'a scheduler nobody knows' sweep --dev /dev/null --scheds bqf
refuse 2 "'bfq' has no tunable 'slice_idel' \(did you mean 'slice_idle'" 'a tunable nobody knows' \
	sweep --dev /dev/null --scheds bfq:slice_idel=0
refuse 2 "'mq-deadline' has no tunable 'slice_idle'.*read_expire" "another scheduler's tunable" \
	sweep --dev /dev/null --scheds mq-deadline:slice_idle=0
refuse 2 'list of schedulers is empty' 'an empty list' sweep --dev /dev/null --scheds ''
refuse 2 "unknown pattern 'raed'" 'a pattern nobody knows' sweep --dev /dev/null -p raed
refuse 2 "'8-1' goes backwards" 'a range backwards' sweep --dev /dev/null -j 8-1
refuse 2 '0 is not between|must not be 0|between 1' 'no runs' sweep --dev /dev/null -n 0
refuse 2 'a range starts at 6' 'a range of runs that starts too low' sweep --dev /dev/null -n 3..10
refuse 2 'does not go backwards' 'a range of runs backwards' sweep --dev /dev/null -n 10..6
refuse 2 'needs a range' 'a precision without a range' sweep --dev /dev/null -n 10 --precision 2%
refuse 2 "'0%' can never be reached" 'a precision of nothing' sweep --dev /dev/null -n 6..30 --precision 0%
refuse 2 "'two' is not a percentage" 'a precision in words' sweep --dev /dev/null -n 6..30 --precision two
refuse 2 'order sequential' 'a precision without blocks' sweep --dev /dev/null -n 6..30 --order sequential
refuse 2 'give two sides' 'a comparison with one side' compare last
refuse 2 'one scheduler against itself' 'an A-A check of two schedulers' aa --dev /dev/null --scheds none,bfq
refuse 2 'jobs must not be 0' 'no jobs' sweep --dev /dev/null -j 0
refuse 2 "'4q' is not a size" 'a size that is none' sweep --dev /dev/null --bs 4q
refuse 2 "unknown order 'rnd'" 'an order nobody knows' sweep --dev /dev/null --order rnd
refuse 2 "unknown format 'tex'" 'a format nobody knows' sweep --dev /dev/null --format tex
refuse 2 "unknown metric 'iosp' \(did you mean 'iops'" 'a metric nobody knows' sweep --dev /dev/null --metric iosp
refuse 2 "no workload 'pattrens'.*patterns" 'a workload that is not there' sweep --dev /dev/null --job pattrens
# shellcheck disable=SC2016 # these are fio's variables
printf '[j]\nfilename=${DEV}\nrw=read\n' > "$T/own.fio"
refuse 2 'does not use \$\{BS\}' 'an axis that the job file does not use' sweep --dev /dev/null --job "$T/own.fio" --bs 4k

refuse 3 "/dev/no-such-disk'" 'a device that is not there' sweep --dev /dev/no-such-disk
ok "[ ! -e /dev/no-such-disk ]" 'and no file was made in its place'
touch "$T/file"
refuse 3 'regular file.*losetup' 'a regular file as device' sweep --dev "$T/file"
refuse 3 'character device|not a block device' 'a character device' sweep --dev /dev/null
refuse 3 "no-such-dir'" 'a directory that is not there' sweep --dir "$T/no-such-dir"

# databases
refuse 3 "no-such.db'" 'a database that is not there' report --db "$T/no-such.db"
echo 'this is no database, but it is long enough to look at its first bytes' > "$T/text.db"
refuse 3 'not a database' 'a text file as database' report --db "$T/text.db"
if command -v sqlite3 > /dev/null; then
	sqlite3 "$T/other.db" 'create table t (x); insert into t values (1)'
	refuse 3 'another|other program|not .* iobench' "another program's database" list --db "$T/other.db"
fi

# not root
if [ "$(id -u)" = 0 ] && dev=$(make_loop 32M 2> /dev/null); then
	chmod 755 "$T"
	cp "$IOBENCH" "$T/iobench" && chmod 755 "$T/iobench"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/iobench" sweep --dev "$dev" --db "$cd_db"
	is $RC 3 'not root: exit 3'
	like "$ERR" 'root' 'not root: said'
	refuse 2 'do not fit' 'regions that do not fit' sweep --dev "$dev" --size 1G --jobs 4 --scheds none --db "$cd_db"
	refuse 2 "no setting 'queue/nr_request'" 'a setting the disk does not have' \
		sweep --dev "$dev" --scheds none --set queue/nr_request=3 --db "$cd_db"
	refuse 3 'no cpufreq|does not offer|governor' 'governors on a machine that does not offer them' \
		sweep --dev "$dev" --scheds none --governors ondemand,schedutil,conservative --db "$cd_db"
	refuse 2 'over a million runs' 'more runs than a life is long' sweep --dev "$dev" --jobs 1-1000 --iodepth 1-1000 --db "$cd_db"
	# shellcheck disable=SC2016
	printf '[j]\nfilename=${DEV}\nrw=read\nsize=${SIZE}\n' > "$T/size.fio"
	run "$IOBENCH" sweep --dev "$dev" --scheds none --job "$T/size.fio" --dry-run --db "$cd_db"
	is $RC 0 'a job file with SIZE and without BS'
	mkdir "$T/d#e"
	refuse 2 "'#' or ';'" 'a path that fio cannot write' sweep --dir "$T/d#e" --scheds none --size 1M --jobs 1 --db "$T/y.db"
	run "$IOBENCH" sweep --dev "$dev" --scheds none,bfq --jobs 1,2 -p read,randwrite --write-ok --dry-run --db "$cd_db"
	is $RC 0 '--dry-run'
	like "$OUT" 'order: random' '--dry-run prints the order'
	like "$OUT" 'RW=randwrite .*fio ' '--dry-run prints the commands'
	like "$OUT" 'OVERWRITES the first 32 MiB' '--dry-run says what would be overwritten'
	like "$OUT" 'time: about' '--dry-run says how long it takes'
	like "$OUT" 'nothing was touched' '--dry-run touches nothing'
	is "$(grep -c refused <<< "$OUT")" 0 'and a disk that is free raises nothing'
	if mkfs.ext4 -q "$dev" 2> /dev/null && mkdir "$T/mnt" && mount "$dev" "$T/mnt"; then
		at_exit "umount '$T/mnt'"
		run "$IOBENCH" sweep --dev "$dev" --scheds none --dry-run --db "$cd_db"
		is $RC 0 '--dry-run for a disk that is in use'
		like "$OUT" "a sweep would be refused: .*'$dev' is mounted on '$T/mnt'" 'says that a sweep would be refused, and why'
	else
		skip '--dry-run for a disk that is in use' 'cannot mount'
	fi
	# before hours are spent, and before a database is made
	for bad in "$T/no-such-dir/x.tex" "$T" /dev/full/x; do
		refuse 2 "cannot write '$bad'" "output '$bad'" sweep --dev "$dev" --scheds none -o "$bad" --db "$cd_db"
	done
fi
refuse 2 'siunitx is for --format latex' 'siunitx in a mail' report --siunitx
refuse 2 'standalone is for --format latex' 'a document of CSV' sweep --standalone --format csv
ok "[ ! -e '$cd_db' ]" 'no database was made by any of these'
ok "[ ! -e '$T/run' ]" 'nor anything in the run directory'
done_testing
