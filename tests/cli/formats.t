#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the golden tests hold as CSV and JSON, read back by other programs: the same numbers, with unit and kind.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands python3 sqlite3

# Both forms hold the same values under the same names; prints how many.
compare='
import csv, json, sys
rows = [{k: v for k, v in r.items() if v != ""} for r in csv.DictReader(open(sys.argv[1], newline=""))]
for r in rows:
    if "value" in r: r["value"] = float(r["value"])
values = []
for t in json.load(open(sys.argv[2]))["tables"]:
    for v in t["values"]:
        v = {k: x if k == "value" else str(x) for k, x in v.items() if x is not None}
        if t.get("table"): v["table"] = t["table"]
        values.append(v)
assert rows == values, next((a, b) for a, b in zip(rows, values) if a != b)
names = [tuple(sorted((k, v) for k, v in r.items() if k != "value")) for r in rows]
assert all("kind" in r for r in rows) and len(set(names)) == len(names)
print(len(rows))'
for layout in post2017 post2008 post2014 post2006 post2010 matrix summary; do
	csv=tests/golden/$layout.csv
	if [ $layout = post2017 ]; then # its JSON has the reads alone
		grep -v '^write' "$csv" > "$T/$layout.csv"
		csv=$T/$layout.csv
	fi
	run python3 -c "$compare" "$csv" tests/golden/$layout.json
	is "$RC:$OUT" "0:$(($(wc -l < "$csv") - 1))" "$layout: CSV and JSON hold the same values, each named once" || diag "$ERR"
done

query()	# LAYOUT CONDITION [EXPRESSION]: of the CSV as a table in sqlite3
{
	sqlite3 -cmd '.mode csv' -cmd ".import tests/golden/$1.csv t" :memory: '.mode list' "select ${3:-value} from t where $2"
}
# the numbers of the posts, by what they are called
is "$(query post2017 "\"table\" = 'read' and numjobs = 8 and series = 'bfq_mq' and \"column\" = 'mean'")" 15335.3 \
	'2017: the mean of bfq-mq at 8 jobs'
is "$(query post2017 "\"table\" = 'read' and series = 'cfq' and \"column\" = 'stddev'" 'round(sum(value), 3)')" 1408.699 \
	'2017: the deviations of cfq, summed'
is "$(query post2008 "\"table\" like 'randread%' and variant = 'BFQ' and \"column\" = 'bandwidth' and kind like '%stddev%'" \
	'value, unit, kind')" '1375|KiB/s|sample stddev (n-1) over runs' '2008: a deviation with unit and kind'
is "$(query post2014 "variant = 'mq' and devices = 8 and \"column\" = 'ctx' and kind like 'mean%'")" 10462001 \
	'2014: context switches on 8 disks'
is "$(query post2006 "variant = 'NOOP' and \"column\" = 'rate_per_process' and kind like 'mean%'")" 29224 \
	'2006: the rate of a process'
is "$(query post2010 "series = 'cfq, slice_idle=0' and workload = 'fio bsr' and kind like 'mean%'" 'value, unit')" '147|MB/s' \
	'2010: a bandwidth with its unit'

done_testing
