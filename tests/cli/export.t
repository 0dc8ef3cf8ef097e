#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats of continuous integration: each as its published form wants it, with the numbers of the database, and read back.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands python3 sqlite3 xmllint

export IOBENCH_DB=$T/x.db
add()	# FILE IOPS MS: an output with a rate, a latency and its tail
{
	mkdir -p "$T/$(dirname "$1")"
	printf 'iops %s IOPS\nlat_mean %s ms\nclat_p99 %s ms\nusr_cpu 3 %%\nweighted_jain 0.9%s\n' "$2" "$3" "$3" "${2%%.*}" > "$T/$1"
}
odd='odd/name %41 <&"'"'"'> x-4'
i=0
for v in 100.1 90.25 110.123456789012 95; do
	i=$((i + 1))
	add "bfq/$i.txt" $v 1.$((i * i))
	add "none/$i.txt" 10$i.5 1.$i
done
add one/1.txt 50 2
"$IOBENCH" import --name night --set pattern=read --set bs=4k --set jobs=4 "$T/bfq" "$T/none" > /dev/null
"$IOBENCH" import --name more --sched "$odd" --set pattern=randread --set bs=64k --set jobs=2 --set ioengine=sync "$T/one" > /dev/null

number() { sqlite3 "$IOBENCH_DB" "$1"; }

# Go

# As golang.org/design/14313-benchmark-format says, and the names as benchstat reads them.
# shellcheck disable=SC2016 # python's
grammar='
import re, sys
results = {}
for line in open(sys.argv[1], encoding="utf-8"):
    assert line.endswith("\n")
    line = line[:-1]
    if line.startswith("Benchmark"):
        f = line.split()
        assert len(f) >= 4 and len(f) % 2 == 0 and f[1] == "1", line
        assert re.fullmatch(r"Benchmark[A-Z]\w*(/[a-z0-9_.]+=[^/\s]+)+", f[0]) and not re.search(r"-\d+$", f[0]), f[0]
        units = f[3::2]
        assert len(set(units)) == len(units)
        for v, u in zip(f[2::2], units):
            results.setdefault((f[0][len("BenchmarkIO/"):], u), []).append(float(v))
    elif line.startswith("Unit "):
        assert re.fullmatch(r"Unit \S+ better=(higher|lower)", line), line
        assert ("-ns" in line) == line.endswith("lower")
    else:
        assert re.fullmatch(r"[^\sA-Z:][^\sA-Z:]*: \S.*", line) and line[0].islower(), line
for (name, unit), values in sorted(results.items()):
    print(name, unit, len(values), repr(sum(values)))'
run "$IOBENCH" export --format go night
is "$RC$ERR" 0 'go'
echo "$OUT" > "$T/night.go"
run python3 -c "$grammar" "$T/night.go"
is "$RC:$(wc -l <<< "$OUT")" 0:6 'go: its grammar, a name a cell' || diag "$ERR"
like "$OUT" 'variant=bfq/bs=4k/pattern=read/jobs=4 IOPS 4 395.4734567890' 'go: every run, every digit'
like "$OUT" 'variant=bfq/bs=4k/pattern=read/jobs=4 lat_mean-ns 4 5560000' 'go: times in ns, which the unit says'
is "$(grep -c '^Unit' "$T/night.go")" 3 'go: which way is better, once a unit'
is "$(grep -c '^sweep' "$T/night.go")" 0 'go: one sweep is not named'
"$IOBENCH" export --format go night more > "$T/both.go"
run python3 -c "$grammar" "$T/both.go"
is "$RC:$(wc -l <<< "$OUT"):$(grep -c '^sweep: [0-9a-f]*$' "$T/both.go")" 0:9:2 'go: several sweeps are named' || diag "$ERR"
like "$(cat "$T/both.go")" 'variant=odd%2fname%20%2541%20<&"'"'"'>%20x-4/ioengine=sync/bs=64k/' \
	'go: a name is one word, and an axis that varies is in it'
"$IOBENCH" import --db "$T/z.db" --sched bfq-4 "$T/one/1.txt" > /dev/null
like "$("$IOBENCH" export --db "$T/z.db" --format go)" 'BenchmarkIO/variant=bfq%2d4 1 50 IOPS' 'go: "-4" at the end would be GOMAXPROCS'
if command -v benchstat > /dev/null; then
	run benchstat -col /variant "$T/night.go"
	like "$OUT" 'n=4' 'benchstat sees the runs'
else
	skip 'benchstat sees the runs' 'no benchstat here'
fi

# github-action-benchmark

# shellcheck disable=SC2016 # python's
fields='
import json, sys
names = set()
for e in json.load(open(sys.argv[1], encoding="utf-8")):
    assert set(e) <= {"name", "unit", "value", "range", "extra"} and {"name", "unit", "value"} <= set(e), e
    assert type(e["value"]) in (int, float) and all(type(v) is str for k, v in e.items() if k != "value"), e
    assert e["name"] not in names
    names.add(e["name"])
    print(e["name"], "|", e["value"], e["unit"], "|", e.get("range"), "|", e["extra"].replace("\n", "; "))'
run "$IOBENCH" export --format github-bigger night
is "$RC$ERR" 0 'github-bigger'
echo "$OUT" > "$T/bigger.json"
run python3 -c "$fields" "$T/bigger.json"
is "$RC:$OUT" "0:variant=bfq/bs=4k/pattern=read/jobs=4 iops | 98.8683642 IOPS | ± 8.51341058 | mean of 4 runs
variant=none/bs=4k/pattern=read/jobs=4 iops | 103 IOPS | ± 1.29099445 | mean of 4 runs" \
	'github-bigger: documented fields, mean and deviation' || diag "$ERR"
"$IOBENCH" export --format github-smaller night more > "$T/smaller.json"
run python3 -c "$fields" "$T/smaller.json"
is "$RC:$(grep 'bfq\|odd' <<< "$OUT")" "0:variant=bfq/bs=4k/pattern=read/jobs=4 lat_mean | 1390 us | ± 363.868108 | mean of 4 runs
variant=bfq/bs=4k/pattern=read/jobs=4 clat_p99 | 1280 us | 1100 to 1900 | median of 4 runs
variant=odd%2fname%20%2541%20<&\"'>%20x-4/ioengine=sync/bs=64k/pattern=randread/jobs=2 lat_mean | 2000 us | None | mean of 1 run
variant=odd%2fname%20%2541%20<&\"'>%20x-4/ioengine=sync/bs=64k/pattern=randread/jobs=2 clat_p99 | 2000 us | None | median of 1 run" \
	'github-smaller: latencies, the median of a percentile' || diag "$ERR"
"$IOBENCH" export --format github-bigger -m weighted_jain,iops --where variant=none -o "$T/o.json" night
run python3 -c "$fields" "$T/o.json"
is "$(grep -c none <<< "$OUT"):$(grep -c bfq <<< "$OUT")" 2:0 '--metric, --where and --output'
is "$(env LC_ALL=de_DE.UTF-8 "$IOBENCH" export --format github-bigger night)" "$(cat "$T/bigger.json")" 'the same in every locale'

# JUnit

# a cell that failed, one that is pending, warnings of a run and of a cell
printf 'iops 1 IOPS\niosp 2\n' > "$T/bad.txt"
"$IOBENCH" import --name checks --sched bfq --set pattern=read --set bs=4k --set jobs=4 "$T/bfq" --db "$T/y.db" > /dev/null
export IOBENCH_DB=$T/y.db
"$IOBENCH" import --name broken --sched none --set pattern=read --set bs=4k --set jobs=4 "$T/bad.txt" > /dev/null 2>&1
number "update run set reason = reason || ' <&>' || char(27, 10) || '\"' where state <> 'ok';
	update sweep set name = 'checks & <more>' where name = 'checks';
	update cell set sweep = (select min(sweep) from cell), ordinal = id;
	insert into config (key, variant) values ('k', 'cfq');
	insert into cell (sweep, config, ordinal, state, reason)
		select min(sweep), last_insert_rowid(), 9, 'pending', 'not offered \"by this kernel\"' from cell;
	insert into warning (run, code, text) select id, 'spread', 'a <b> & c' from run where state = 'ok' limit 2;
	insert into warning (cell, code, text) select min(id), 'drift', 'in blocks' from cell"
run "$IOBENCH" export --format junit -o "$T/j.xml" "$(number 'select uuid from sweep order by id limit 1')"
is "$RC$ERR" 0 'junit'
run xmllint --noout --schema tests/data/ci/junit.xsd "$T/j.xml"
is "$RC" 0 'junit: valid' || diag "$ERR"
xpath() { xmllint --xpath "string($1)" "$T/j.xml"; }
is "$(xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures, " ", //testsuite/@errors, " ", //testsuite/@skipped)')" \
	'3 1 0 1' 'junit: counts'
is "$(xpath 'count(//testcase)')" 3 'junit: a case a cell'
is "$(xpath '//testcase[skipped]/@name') $(xpath '//testcase/skipped/@message')" \
	'variant=cfq not offered "by this kernel"' 'junit: pending is skipped, with the reason'
is "$(xpath '//testcase[failure]/@name')" 'variant=none/bs=4k/pattern=read/jobs=4' 'junit: failed is a failure'
like "$(xpath '//testcase/failure')" "failed: .*unknown metric 'iosp' <&>\?\?\"" 'junit: with the reasons of its runs'
is "$(xpath '//testcase[1]/@classname')" 'iobench.checks & <more>' 'junit: cells of a sweep are a class'
out=$(xpath '//system-out')
like "$out" 'variant=bfq/bs=4k/pattern=read/jobs=4: iops, mean 98.8683642 IOPS, stddev 8.51341058 IOPS, n 4' 'junit: results'
like "$out" 'jobs=4: warning spread: a <b> & c \(2 runs\)' 'junit: warnings of runs'
like "$out" 'jobs=4: warning drift: in blocks' 'junit: warnings of a cell'
run "$IOBENCH" export --format junit -m iops --where variant=cfq "$(number 'select uuid from sweep order by id limit 1')"
is "$RC" 0 'junit: without a single value'
is "$(grep -c '<testcase' <<< "$OUT")" 1 'junit: only the cells asked for'

# What is wrong

export IOBENCH_DB=$T/x.db
refuse()	# REGEX NAME ARGUMENT...
{
	local regex=$1 name=$2
	shift 2
	run "$IOBENCH" export "$@"
	is "$RC$OUT" 2 "$name: exit 2"
	like "$ERR" "$regex" "$name: said"
}
refuse "export --format NAME.*export --raw DIR" 'neither format nor raw' night
refuse "export --format NAME.*export --raw DIR" 'both' --raw "$T/raw" --format go
refuse "unknown format 'gow' \(go, github-bigger, github-smaller, junit\)" 'a format nobody knows' --format gow
refuse "'lat_mean' is better when it is lower: 'github-bigger' cannot hold it, use --format github-smaller" \
	'a metric of the other direction' --format github-bigger -m iops,lat
refuse "'iops' is better when it is higher.*use --format github-bigger" 'and the other way round' --format github-smaller -m iops
refuse "'usr_cpu' is neither better high nor low" 'a metric of no direction' --format github-smaller -m usr_cpu
refuse 'nothing to export: no run has a value' 'a metric that was not measured' --format github-bigger -m bw
refuse "unknown metric 'iosp'" 'a metric typed wrong' --format go -m iosp
refuse '--raw writes whole outputs' 'a metric with --raw' --raw "$T/raw" -m iops
[ ! -e "$T/raw" ]
ok $? 'nothing is written then'

# Read back

summary()	# of the sweep NAME in the CSV of 'report': variant, bs, jobs, n, mean, stddev to nine digits, of the rate
{
	"$IOBENCH" report --db "$T/back.db" -f csv "$1" | python3 -c '
import csv, sys
rows = {}
for r in csv.DictReader(sys.stdin):
    if r["metric"] == sys.argv[1]:
        rows.setdefault((r["variant"], r["bs_bytes"], r["pattern"], r["numjobs"], r.get("ioengine")), {})[r["kind"]] = float(r["value"])
for k, v in sorted(rows.items()):
    print(*k, *("%.8g" % v[x] for x in ("number of runs", "mean over runs", "stddev over runs") if x in v))' "$2"
}
for f in night.go both.go bigger.json smaller.json; do
	run "$IOBENCH" import --db "$T/back.db" --name "$f" "$T/$f"
	is "$RC:$ERR" '0:' "$f is read back" || diag "$ERR"
done
want='bfq 4096 read 4 None 4 98.868364 8.5134106
none 4096 read 4 None 4 103 1.2909944'
is "$(summary night.go iops)" "$want" 'go: cells, number, mean and deviation of runs'
is "$(summary bigger.json iops)" "$want" 'github: likewise'
is "$(summary smaller.json lat_mean)" "bfq 4096 read 4  4 1390000 363868.11
none 4096 read 4  4 1250000 129099.45
$odd 65536 randread 2 sync 1 2000000" 'github: latencies in ns, a name with everything in it'
is "$(summary smaller.json clat_p99)" '' 'github: medians are no means'
is "$("$IOBENCH" list --db "$T/back.db" | grep -c 'both.go')" 2 'go: sweeps stay apart'

# and what others write
printf 'goos: linux\npkg: x\nBenchmarkCopy/disk-8 \t 100\t 154125 ns/op\t  64.88 MB/s\t 7 allocs/op\nBenchmarkCopy/disk-8 200 2 ns/op 65.12 MB/s\nPASS\nok x 1s\n' > "$T/foreign.go"
run "$IOBENCH" import --db "$T/f.db" --name foreign "$T/foreign.go"
is "$RC" 0 'results of Go itself' || diag "$ERR"
is "$("$IOBENCH" report --db "$T/f.db" -f csv foreign | tail -n +2 | cut -d , -f 3- | tr -d '\r' | xargs)" \
	"Copy/disk,8,,,,,,bw,all,B/s,,,,mean over runs,65000000 Copy/disk,8,,,,,,bw,all,B/s,,,,stddev over runs,169705.62748478196 Copy/disk,8,,,,,,bw,all,B/s,,,,number of runs,2" 'their bandwidth, in bytes'
echo '[{"name": "seq read", "unit": "MB/s", "value": 120, "extra": "whatever"}, {"name": "disk clat_mean", "unit": "ms", "value": 1.5, "range": "± 5%"}]' > "$T/foreign.json"
run "$IOBENCH" import --db "$T/f.db" --name others "$T/foreign.json"
is "$RC" 0 'entries of others' || diag "$ERR"
is "$("$IOBENCH" report --db "$T/f.db" -f csv others | tail -n +2 | tr -d '\r' | cut -d , -f 3- | tr -s , | sort)" \
	'disk,clat_mean,all,ns,mean over runs,1500000
seq read,bw,all,B/s,mean over runs,120000000' 'their units'

decline()	# REGEX NAME TEXT
{
	printf '%s' "$3" > "$T/declined"
	run "$IOBENCH" import --db "$T/d.db" "$T/declined"
	is "$RC" 1 "$2: exit 1"
	like "$ERR" "$1" "$2: said"
}
decline 'line 2: not a name, iterations, and pairs' 'a line of Go without unit' $'BenchmarkA 1 2 B/s\nBenchmarkA 1 2 B/s 3\n'
decline "line 1: 'x' is not a number" 'no number' $'BenchmarkA 1 x B/s\n'
decline 'line 2: no line end behind it' 'cut off' $'BenchmarkA 1 2 B/s\nBenchmarkA 1 2 B/s'
decline 'no line has a unit that tells one of our metrics' 'only units of Go' $'BenchmarkA 1 2 ns/op 3 clat_p99-ns\n'
decline "entry 2: neither does 'b' end in a metric of ours with unit 'ms'" 'an unknown entry' \
	'[{"name":"a","unit":"IOPS","value":1},{"name":"b","unit":"ms","value":1}]'
decline 'entry 1: not an object with name, unit and value' 'an entry without value' '[{"name":"a","unit":"IOPS","value":"1"}]'
decline 'the value is not a number from 0 on' 'a negative value' '[{"name":"a","unit":"IOPS","value":-1}]'
decline 'not a JSON document, or a cut one' 'a cut document' '[{"name":"a","unit":"IOPS","value":1},{'
is "$(sqlite3 "$T/d.db" "select count(*) from run where state = 'ok'")" 0 'nothing of it is stored as good'

done_testing
