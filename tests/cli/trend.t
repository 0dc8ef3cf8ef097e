#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One metric over the sweeps of a database: which of them, which cells, as a table and as a plot.
. tests/lib.sh
need_commands sqlite3 python3

export IOBENCH_DB=$T/x.db TZ=UTC
night()	# NAME DATE KERNEL IOPS...: a sweep of two cells, each with these runs
{
	local name=$1 date=$2 kernel=$3 v i n=0
	shift 3
	for v in none bfq; do
		mkdir -p "$T/$name/$v"
		for i in "$@"; do
			n=$((n + 1))
			printf '{ "fio version" : "fio-3.33", "global options" : { "bs" : "4k", "rw" : "read", "numjobs" : "2" },
			"jobs" : [ { "jobname" : "a%s-%d", "error" : 0, "read" : { "io_bytes" : 4096000, "bw_bytes" : 1024000,
			"iops" : %s, "runtime" : 4000, "total_ios" : 1000 } } ] }' "$name" $n "$i" > "$T/$name/$v/$n.json"
		done
	done
	"$IOBENCH" import "$T/$name" --name "$name" > "$T/out" 2>&1 || cat "$T/out"
	sqlite3 "$IOBENCH_DB" "update sweep set started_ns = unixepoch('$date') * 1000000000 where name = '$name';
		insert or ignore into environment (hash, content) values ('$kernel', json_object('kernel.release', '$kernel'));
		update run set environment = (select id from environment where hash = '$kernel') where cell in
			(select cell.id from cell join sweep on sweep.id = sweep where name = '$name');
		update summary set environment = (select id from environment where hash = '$kernel') where cell in
			(select cell.id from cell join sweep on sweep.id = sweep where name = '$name')"
}
night third '2026-11-29 23:59:59' 6.12.1-a 300 310 320
night first '2026-11-27 02:00' 6.1.0-9 100 110 120 130
night second '2026-11-29 00:00' 6.1.0-9 200 210
run "$IOBENCH" db check
is $RC 0 'the database of this test is one'

trend() { run "$IOBENCH" report --layout trend "$@"; }
rows() { grep -Eo '^20[0-9-]+( [0-9:]+)?  [a-z]+' <<< "$OUT" | awk '{ print $NF }' | tr '\n' ' '; }
trend
is "$RC:$(rows)" '0:first second third ' 'all sweeps, as they started'
like "$OUT" '2026-11-29 23:59 +third +6.12.1-a +310.000 +10.000' 'a row has date, name, kernel, mean and deviation'
trend --since 2
is "$(rows)" 'second third ' 'the last two'
trend --since 2026-11-28
is "$(rows)" 'second third ' 'those since a day'
trend third first
is "$(rows)" 'third first ' 'those that are named, in this order'
trend --where kernel=6.1.0-9 --where scheduler=bfq
is "$(rows):$(grep -c none <<< "$OUT")" 'first second :0' 'conditions on kernel and scheduler'
run "$IOBENCH" report --since 2 --layout summary --where variant=none
like "$RC $OUT" '^0 .*second.*third' 'other layouts take --since too'

trend --where sweep=first
like "$RC $ERR" "^2 .*'sweep=first': a trend is over sweeps; name some, or use --since" 'a sweep is no condition'
trend --since 2026-12-01
like "$RC $ERR" '^2 .*no sweep in .* started since 2026-12-01' 'no sweep since then'
trend --since tuesday
like "$RC $ERR" "^2 .*--since 'tuesday': wants a day" 'no day'
trend --since 0
like "$RC $ERR" '^2 .*wants a day' 'no number of sweeps'
trend --since 2 first
like "$RC $ERR" "^2 .*give one of them" 'two ways to name sweeps'
trend --metric clat_p99
like "$RC $ERR" "^1 .*nothing of metric 'clat_p99' is stored there" 'what was not measured'

# the same by another program, from the runs
trend --format csv
is "$(python3 -c "
import csv, sqlite3, statistics, sys
db = sqlite3.connect('$IOBENCH_DB')
n = 0
for r in csv.DictReader(sys.stdin):
    values = [v for (v,) in db.execute('''select value from sample join metric on metric.id = metric join run on run.id = run
        join cell on cell.id = cell join sweep on sweep.id = sweep join config on config.id = config
        where metric.name = 'iops' and direction = 0 and job = -1 and sweep.uuid = ? and variant = ?''', (r['id'], r['series']))]
    want = {'mean': statistics.mean, 'stddev': statistics.stdev, 'n': len}[r['column']](values)
    n += abs(float(r['value']) - want) < 1e-9
print(n)" <<< "$OUT")" 18 'means, deviations and numbers of runs are those of the runs'

# a published table among them has its n, mean and stddev
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\npost\tread\tnone\t2\tiops\tIOPS\t10\t999\t9\n' > "$T/post.tsv"
run "$IOBENCH" import "$T/post.tsv"
trend post
like "$OUT" 'post +999.000 +9.000' 'a published table'

if command -v gnuplot > /dev/null; then
	cd "$T" && IOBENCH=$(realpath "$OLDPWD/$IOBENCH" 2> /dev/null || realpath "$IOBENCH")
	run "$IOBENCH" plot --kind trend --since 2026-11-28 --where bs=4k -o t.svg
	is "$RC:$OUT" '0:t.svg' 'a plot'
	ok 'python3 -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" t.svg' 'that is one'
	run "$IOBENCH" plot --kind trend third first --terminal dumb
	like "$OUT" '11-27|2026-11-27' 'for mail, with dates'
else
	skip 'a plot' 'no gnuplot'
fi

done_testing
