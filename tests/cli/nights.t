#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is asked over many sweeps: trends as tables and plots, and comparisons of days and kernels.
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
	for date in '2026-11-30 12:00:00' '2026-11-30 12:00:01'; do
		sqlite3 "$IOBENCH_DB" "update sweep set started_ns = unixepoch('$date') * 1000000000 where name = 'post'"
		run "$IOBENCH" plot --kind trend post -o post.svg
		is "$RC $ERR" '0 ' "one date alone, $date"
	done
	trend --format html -o "$T/trend.html"
	like "$(grep -oE '<h2>[A-Za-z]+|<svg|<table' "$T/trend.html" | uniq | tr '\n' ' ')" '^<h2>Plots <svg <h2>Tables <table ' \
		'a page of a trend: plots, then the tables'
	mkdir -p "$T/many/none"
	for kib in 1 2 3 4 5 6 7 8 9; do
		sed "s/\"4k\"/\"${kib}k\"/; s/afirst/many$kib/" "$T/first/none/1.json" > "$T/many/none/$kib.json"
	done
	"$IOBENCH" import "$T/many" --name many > /dev/null
	run "$IOBENCH" report many --format html
	like "$OUT" "9 plots are too many for this page: &#39;iobench plot --kind time&#39; draws them|9 plots are too many for this page: 'iobench plot --kind time'" \
		'plots that are left out are told'
	sqlite3 "$IOBENCH_DB" "pragma foreign_keys = on; delete from sweep where name = 'many'"
else
	skip 'a plot' 'no gnuplot'
fi

# sides of a comparison: days, ranges of days, kernels
for i in 1 2 3 4 5 6 7 8; do
	night "n$i" "2026-12-0$i 01:00" "6.$((13 + (i > 4))).0-1" $((100 + i + 50 * (i > 4))) $((102 + i + 50 * (i > 4))) \
		$((98 + i + 50 * (i > 4))) $((101 + i + 50 * (i > 4)))
done
compare() { run "$IOBENCH" compare "$@"; }
compare date=2026-12-01/bfq date=2026-12-05/bfq
is $RC 0 'two days'
like "$OUT" 'read +1 +101.2 +155.2 +53.* 0.029  better' 'a cell of them, by its runs: 2 of 70 ways to deal them are so extreme'
like "$OUT" 'mean over runs, n=4' 'which are counted'
compare date=2026-12-01..2026-12-04/none date=2026-12-05..2026-12-08/none
like "$OUT" 'A: 4 sweeps, kernel 6.13.0-1' 'a range of days: how many sweeps, of which kernel'
like "$OUT" 'mean over sweeps, n=4' 'each of which counts once'
like "$OUT" 'read +1 +102.7 +156.7 +52.6 .* 0.029  better' 'four sweeps against four can tell'
compare date=2026-12-01..2026-12-03/none date=2026-12-05..2026-12-08/none
like "$OUT" '\?.*no verdict possible with n=3: sides of several sweeps' 'three cannot'
compare kernel=6.13.0 kernel=6.14.0-1
like "$OUT" "measured on different kernels: '6.13.0-1' and '6.14.0-1'" 'kernels, by the start of their release'
like "$OUT" 'read +1 +bfq +104.2 +158.2' 'their newest sweeps'
compare kernel=6.14.0/none kernel=6.14.0/bfq
like "$OUT" 'kernel=6.14.0/bfq against kernel=6.14.0/none' 'and variants of them'
compare n1/kernel=6.13.0 n8/kernel=6.14.0
is $RC 0 'a kernel of a sweep'
compare kernel=6.1 second
like "$RC $ERR" "^2 .*'kernel=6.1' and 'second' have cells in common" '6.1 is 6.1.0-9, and not 6.12 or 6.13'
compare kernel=6.1 first
like "$OUT" '\?: no verdict|no verdict possible with n=2 \(4 needed\)' 'too few runs are no verdict'
compare kernel=6 last
like "$RC $ERR" "^2 .*'6' is the start of several: 6.1.0-9, 6.12.1-a" 'a release that is not clear'
compare kernel=5.10 last
like "$RC $ERR" "^2 .*nothing was measured under kernel '5.10' \(there are 6.1.0-9" 'one that never ran'
compare date=2026-12-24 last
like "$RC $ERR" "^2 .*no sweep started on '2026-12-24'" 'a day without sweeps'
compare date=christmas last
like "$RC $ERR" "^2 .*'christmas' is no day" 'no day'
compare date=2026-12-01..2026-12-04 date=2026-12-04..2026-12-08
like "$RC $ERR" "^2 .*have cells in common" 'ranges that overlap'

# several metrics are one family
compare n1 n5 --metric iops,bw
like "$OUT" 'n5 against n1: bandwidth' 'a table a metric'
is "$(grep -o 'over the 4 cells' <<< "$OUT" | sort -u)" 'over the 4 cells' 'one family of all their cells'
compare n1 n5 --metric iops,clat_p99
like "$RC $OUT" "^0 .*no cell with values of metric 'clat_p99' is on both sides" 'what one lacks is said'
compare n1 n5 --metric clat_p99
is $RC 1 'nothing to compare'

done_testing
