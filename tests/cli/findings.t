#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Findings are sentences in every format that people read, in a file as on the terminal, and rows for programs.
. tests/lib.sh
need_commands python3 sqlite3

export IOBENCH_DB=$T/x.db
findings() { run "$IOBENCH" findings "$@"; }
run "$IOBENCH" import tests/data/text/post2017.tsv
is $RC 0 'the post of 2017'

findings
like "$OUT" $'^1. sequential reads, 2-7 jobs: bfq-mq falls to 64-81% of cfq' 'text: a numbered sentence'
like "$OUT" $'\n   \\(bfq raises the weight of new queues' 'with the hint below it'
like "$OUT" '44 comparisons, p adjusted for all of them' 'and the size of the family'
is "$(awk 'length > 76 || / $/' <<< "$OUT")" '' 'fit for a mail'
said=$OUT
findings -o "$T/f.txt"
is "$RC:$OUT:$(cat "$T/f.txt")" "0::$said" 'a file holds the same'
for format in markdown latex html; do
	findings --format $format
	printed=$OUT
	findings --format $format -o "$T/f"
	is "$(cat "$T/f")" "$printed" "$format: likewise"
	like "$printed" '2-7 jobs: bfq-mq falls to 65-71\\?% of cfq' "$format: sentences"
	is "$(grep -c '<table\|begin{tabular\|^|' <<< "$printed")" 0 "$format: no table"
done
findings --format markdown
like "$OUT" $'\n2\\. sequential writes' 'markdown: a list'
findings --format html
like "$OUT" '<ol>.*<li>sequential reads.*<h2>|<h2>Findings</h2>.<ol>.<li>sequential reads' 'html: a list'
findings --format latex
like "$OUT" 'begin.enumerate.*item.. sequential reads' 'latex: a list'
for format in csv json; do
	findings --format $format -o "$T/f.$format"
done
is "$(python3 -c '
import csv, json, sys
rows = [(r["number"], r["column"], r["value"]) for r in csv.DictReader(open(sys.argv[1])) if r["column"] in ("kind", "finding")]
values = [(str(v["number"]), v["column"], v["value"]) for v in json.load(open(sys.argv[2]))["tables"][0]["values"]
          if v["column"] in ("kind", "finding")]
print(rows == values, [v for n, c, v in rows if c == "kind"])' "$T/f.csv" "$T/f.json")" "True ['dent', 'dent']" \
	'csv and json: a row a finding, with its kind'

# few runs, and nothing that sticks out
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\n' > "$T/few.tsv"
printf 'few\tread\tcfq\t1\tiops\tIOPS\t3\t100\t1\nfew\tread\tbfq\t1\tiops\tIOPS\t3\t200\t1\n' >> "$T/few.tsv"
run "$IOBENCH" import "$T/few.tsv"
findings few
is "$RC:$OUT" '0:no verdict possible in 1 comparison: too few runs' 'too few runs are said'
findings few --format html
like "$OUT" 'no verdict possible in 1 comparison: too few runs' 'also in html'

printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\n' > "$T/other.tsv"
printf 'cpu\tread\tcfq\t1\tusr_cpu\t%%\t3\t10\t1\nopen\tread\tcfq\t1\tiops\tIOPS\t\t100\t\nopen\tread\tbfq\t1\tiops\tIOPS\t\t200\t\n' \
	>> "$T/other.tsv"
run "$IOBENCH" import "$T/other.tsv"
findings cpu
like "$OUT" '^nothing to compare: findings are about I/O rates' 'a table without rates'
findings open
like "$OUT" 'no verdict possible in 1 comparison: too few runs, or it is not known' 'one that does not say how many runs'
run "$IOBENCH" compare cpu/cfq open/bfq
like "$RC $ERR" "^1 .*nothing of metric 'iops' is stored for 'cpu/cfq' \(--metric names others\)" 'compare names the metric that is not there'


# differences of runs made one cell after the other may be those of the machine
sqlite3 "$IOBENCH_DB" "insert into warning (cell, code, text) select max(id), 'sequential-order', '' from cell"
findings
like "$OUT" 'warning sequential-order: schedulers are measured one after the' 'the old order is warned of'
done_testing
