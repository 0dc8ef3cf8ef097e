#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What was measured elsewhere comes in whole or not at all, once, and goes out as it came.
. tests/lib.sh
need_commands sqlite3

data=tests/data/text
export IOBENCH_DB=$T/x.db
sql() { sqlite3 "$IOBENCH_DB" "$1"; }
fresh() { rm -f "$IOBENCH_DB"*; }

# a published table prints in the shape of its post
run "$IOBENCH" import $data/post2017.tsv
is $RC 0 'a published table is imported'
like "$OUT" '1 read, 0 known already, 0 skipped, 0 failed' 'and counted'
run "$IOBENCH" report lkml-2017-04-10
is "$OUT" "$(sed -e 's/, intel_pstate driver, powersave governor//' -e 's/- bfq_mq$/- bfq-mq/' tests/golden/post2017.txt)" \
	'and prints as it was posted'
run "$IOBENCH" import $data/post2017.tsv
is "$RC $OUT" '0 0 read, 1 known already, 0 skipped, 0 failed' 'the same file twice is noticed'
like "$ERR" "imported before, as '$data/post2017.tsv' in sweep 'lkml-2017-04-10'" 'and told'
if [ "$(id -u)" -eq 0 ]; then
	run "$IOBENCH" resume lkml-2017-04-10
	is $RC 2 'an import cannot be resumed'
	like "$ERR" 'was imported: there is nothing to run again' 'which is said'
else
	skip 'an import cannot be resumed' 'needs root'
fi
run "$IOBENCH" import $data/table.tsv --name mine --set bs=4k
like "$OUT" 'report mine post' 'a sweep a source'
is "$(sql "select mean, stddev, n from published join metric on metric.id = metric where name = 'iops' and mean > 17060 and mean < 17061 and cell > 32")" \
	'17060.3|77.09|10' 'with mean, stddev, n'
is "$(sql "select count(*), count(stddev), count(n) from published join metric on metric.id = metric where name = 'bw'")" '1|0|0' \
	'what is not given is not there'
is "$(sql "select count(*) from config_axis where name = 'bs_bytes' and value = '4096'")" 3 'and the axis that was typed'

# one that has no rates of I/O prints in the layout whose metrics it has
{ printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\n'
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
		p2008 randread cfq 128 lat_sd_io ms 8 841.788 4070.3 p2008 randread cfq 128 bw KiB/s 8 2428.032 23.1 \
		p2014 randrw mq 8 usr_cpu % 1 3.37 '' p2014 randrw mq 8 ctx '' 1 10462001 '' \
		p2006 read cfq 16 num_read '' 1 16412 '' p2006 read cfq 16 bw_per_process KB/s 1 8338 '' \
		p2006 read cfq 16 iops_per_process IOPS 1 2084 '' p2010 '' cfq 1 files files/s '' 36.1 ''
} > "$T/posts.tsv"
run "$IOBENCH" import "$T/posts.tsv"
is $RC 0 'tables of other metrics' || diag "$ERR"
run "$IOBENCH" report p2008
like "$OUT" $'\ncfq  841.788 \\(4070.3\\)   2428.032 \\(23.1\\)\n' '2008: latency and bandwidth'
run "$IOBENCH" report p2014
like "$OUT" $'\nmq +8 +3.37 +- +10462001 +-' '2014: what I/O costs'
run "$IOBENCH" report p2006
like "$OUT" $'\ncfq +16 +- +16412 +8338 +2084\n' '2006: the rates of a process, as it was posted'
like "$OUT" $'\ncfq +16 +- +133408 +33344' 'and those of all'
run "$IOBENCH" report p2010
like "$OUT" 'files +files/s +36.1' '2010: a workload in its own unit'
run "$IOBENCH" report p2008 --metric iops
is $RC 1 'what is asked for is not replaced'

# a table with a fault leaves nothing
fresh
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\n%s%s' $'a\tread\tcfq\t1\tiops\tIOPS\t2\t1\t1\n' \
	$'a\tread\tcfq\t1\tiops\tIOPS\t2\t2\t1\n' > "$T/twice.tsv"
run "$IOBENCH" import "$T/twice.tsv"
is $RC 1 'a row twice is a fault'
like "$ERR" "two rows give 'iops' of 'cfq', pattern 'read', jobs '1'" 'and named'
run "$IOBENCH" import $data/table_metric.tsv
is $RC 1 'so is an unknown metric'
like "$ERR" "line 2: unknown metric 'iosp'" 'and its line is named'
is "$(sql 'select (select count(*) from sweep) + (select count(*) from cell) + (select count(*) from import)')" 0 \
	'nothing of them is stored'

# folders are variants, files are runs
mkdir -p "$T/in/cfq" "$T/in/bfq:slice_idle=0" "$T/in/cfq/deeper"
json() { # NAME IOPS: a run of 4 s of two jobs
	cat > "$T/in/$1" <<-END
	{ "fio version" : "fio-3.33", "global options" : { "bs" : "4k", "rw" : "randread", "direct" : "1", "ioengine" : "libaio" },
	  "jobs" : [ { "jobname" : "a", "groupid" : 0, "error" : ${3-0}, "job options" : { "iodepth" : "8", "numjobs" : "2",
	  "group_reporting" : "" }, "read" : { "io_bytes" : 4096000, "bw_bytes" : 1024000, "iops" : $2, "runtime" : 4000,
	  "total_ios" : 1000 }, "write" : { "io_bytes" : 0 } } ] }
	END
}
json cfq/randread-1.json 100.5
json cfq/randread-2.json 200.5
json cfq/deeper/randread-3.json 1
json "bfq:slice_idle=0/randread-1.json" 300
json cfq/randread-4.json 999 5
head -c 300 "$T/in/cfq/randread-1.json" > "$T/in/cfq/randread-5.json"
echo 'a text of nobody' > "$T/in/cfq/notes.txt"
ln -s ../../in "$T/in/loop"
{ printf 'SQLite format 3\0'; cat "$T/in/cfq/randread-1.json"; } > "$T/in/a.db"
run "$IOBENCH" import "$T/in" --name lab
is "$RC $(head -1 <<< "$OUT")" '1 4 read, 0 known already, 3 skipped, 2 failed' 'a folder: read, skipped, failed'
like "$ERR" "randread-4.json': stored as a failed run: job 'a' ended with error 5" 'a failed run is named'
like "$ERR" "randread-5.json': stored as a failed run: fio-json: fio's JSON is cut off or damaged in line 3" 'a cut one, with its line'
like "$ERR" "a.db': skipped: no parser knows it" 'a database is skipped whatever is in it'
like "$ERR" "notes.txt': skipped: no parser knows it" 'what is not an output is skipped'
is "$(sql "select count(*) from run where state = 'failed'"),$(sql "select count(*) from sample where run in (select id from run where reason like '%cut off%')")" \
	2,0 'failed runs are stored, of what is cut off no number'
run "$IOBENCH" report lab
like "$OUT" $'\\[2\\] - cfq\n' 'the folder is the variant'
like "$OUT" '2 & +300.000 & +- & +1.000 & +- & +150.500 & +70.711' 'mean and stddev over good runs only, in the row of two jobs'
is "$(grep -c '^\* ' <<< "$OUT")" 1 'what cannot be read makes no table of its own'
like "$OUT" '^\* random reads' 'pattern and options are those of the output'
is "$(grep -c cpufreq <<< "$OUT")" 0 'nothing is said of a machine that is not known'
is "$(sql "select distinct group_concat(name || '=' || value, ' ') over (partition by config order by ordinal rows between unbounded preceding and unbounded following) from config_axis join config on config.id = config where variant = 'bfq:slice_idle=0'")" \
	'ioengine=libaio direct=1 bs_bytes=4096 iodepth=8 pattern=randread numjobs=2' 'axes as sweep would store them'
run "$IOBENCH" show lab
like "$OUT" 'failed .*cut off' 'show says why'
run "$IOBENCH" db check
is $RC 0 'and the database is sound'

# what is typed
run "$IOBENCH" import "$data/v3.txt" --sched kyber --label 'old kernel' --set jobs=3 --set disk=sdb
is $RC 0 'axes can be typed'
is "$(sql "select group_concat(name || '=' || value, ' ') from config_axis join config on config.id = config where variant = 'kyber (old kernel)'")" \
	'disk=sdb ioengine=io_uring bs_bytes=4096 iodepth=8 pattern=randread numjobs=3' 'and win over what the output says'
for bad in =1 x x= 'a b=1' jobs=many bs=4k,8k; do
	run "$IOBENCH" import "$data/v3.txt" --set "$bad"
	is $RC 2 "'--set $bad' is a usage error"
done
run "$IOBENCH" import --format nope "$data/v3.txt"
is $RC 2 'so is an unknown format'
like "$ERR" 'fio-json, fio-terse, fio-text, fs_mark' 'and those there are are named'
run "$IOBENCH" import
is $RC 2 'and nothing to import'
run "$IOBENCH" import - < "$data/fs_mark.txt"
is $RC 0 'standard input'
is "$(sql "select actor.name, value from sample join metric on metric.id = metric join actor on actor.id = actor where metric.name = 'files' and job = -1")" \
	'fs_mark|8324.8' 'with the program as actor'
run "$IOBENCH" import "$T/in/cfq/notes.txt"
is $RC 1 'what was named and is not recognised is a fault'
like "$ERR" 'not recognised: fio-json wants .*; fio-terse wants .*; name-value wants' 'and each parser says what it lacks'
run "$IOBENCH" import "$T/in/cfq/notes.txt" --format fio-text
like "$ERR" "fio-text: no report of a job in it" 'a parser that is forced says why it declines'
run "$IOBENCH" import "$T/nowhere"
is $RC 1 'a file that is not there'

# out again, byte for byte
run "$IOBENCH" export --raw "$T/out" lab
is "$RC $OUT" "0 6 outputs written to '$T/out', 0 runs without output" 'export'
ok "cmp '$T/in/cfq/randread-1.json' '$T/out/cfq/randread-1.json'" 'byte for byte'
ok "cmp '$T/in/cfq/randread-2.json' '$T/out/cfq/randread-2.json'" 'in the order of the runs'
ok "cmp '$T/in/bfq:slice_idle=0/randread-1.json' '$T/out/bfq:slice_idle=0/randread-1.json'" 'a folder a variant'
ok "cmp '$T/in/cfq/randread-5.json' '$T/out/cfq/randread-failed-2.json'" 'what failed says so in its name'
run "$IOBENCH" export --raw "$T/out" lab
is $RC 1 'nothing is overwritten'
old=$(sql 'select group_concat(value) from (select value from sample order by value)')
IOBENCH_DB=$T/again.db run "$IOBENCH" import "$T/out"
is "$(sqlite3 "$T/again.db" 'select count(*), count(*) filter (where state = '"'ok'"') from run')" '6|4' 'and comes in again'
fresh
run "$IOBENCH" import "$data/terse_v3.txt" --sched '../../../etc/x@/y.ko'
run "$IOBENCH" import "$data/terse_v5.txt" --sched '.'
sql "update config set variant = '' where variant = '.'"
run "$IOBENCH" export --raw "$T/evil" last~1
run "$IOBENCH" export --raw "$T/evil" last
is "$(cd "$T/evil" && find . -type f | sort)" $'./%/run-1.txt\n./%2e.%2f..%2f..%2fetc%2fx@%2fy.ko/run-1.txt' \
	'no name of a variant leaves the folder'
mkdir "$T/trap" "$T/target"
ln -s "$T/target" "$T/trap/%"
run "$IOBENCH" export --raw "$T/trap" last
is "$RC $(ls "$T/target")" '1 ' 'nor does a link that is there'
run "$IOBENCH" import "$T/evil"
IOBENCH_DB=$T/third.db run "$IOBENCH" import "$T/evil"
is "$(sqlite3 "$T/third.db" "select variant from config order by 1 limit 1 offset 1")" '../../../etc/x@/y.ko' 'and names come back'

# after a change of a parser: all samples anew from what is stored
fresh
run "$IOBENCH" import "$T/in/cfq/randread-1.json" "$T/in/cfq/randread-2.json" "$T/in/cfq/randread-5.json"
old=$(sql 'select * from sample order by 1, 2, 3, 4')
means=$(sql 'select * from summary order by 1, 2, 3, 4')
sql "update sample set value = 7; update summary set mean = 7; delete from sample where metric = 1"
run "$IOBENCH" import --reparse
is "$RC $OUT" '0 2 outputs read again, 1 that cannot be read as before, 0 runs without output' 'reparse'
is "$(sql 'select * from sample order by 1, 2, 3, 4')" "$old" 'all samples are as they were'
is "$(sql 'select * from summary order by 1, 2, 3, 4')" "$means" 'and so are the summaries'
sql "update run set state = 'failed', reason = 'an old parser thought so' where reason is null"
run "$IOBENCH" import --reparse
is "$(sql 'select count(*) from run where state = '"'ok'"),$(sql 'select * from summary order by 1, 2, 3, 4')" "2,$means" \
	'what an old parser refused counts now'
is "$(sql "select count(*) from cell where state = 'done'")" 1 'and its cell is done'
run "$IOBENCH" import --reparse "$T/in"
is $RC 2 'reparse takes nothing else'

# people's files, where they are
if [ -d ../shared/corpus/fio ]; then
	fresh
	run "$IOBENCH" import ../shared/corpus/fio ../shared/corpus/generated ../shared/corpus/other ../shared/published/all.tsv
	is "$RC $(head -1 <<< "$OUT")" '1 55 read, 0 known already, 9 skipped, 8 failed' 'the corpus'
	is "$(sql "select count(*) from run where state = 'failed'")" 8 'what failed is stored as failed'
	run "$IOBENCH" db check
	is $RC 0 'and the database is sound'
else
	skip 'the corpus' 'none beside this tree'
fi
# workloads of several programs in one table, each in its own unit
fresh
mkdir -p "$T/in2/cfq" "$T/in2/bfq"
cp $data/fs_mark.txt "$T/in2/cfq/fs_mark-1.txt"
{ cat $data/fs_mark.txt; echo '# again'; } > "$T/in2/bfq/fs_mark-1.txt"
for v in cfq bfq; do
	sed "s/100.5/$((${#v} * 100)).$([ $v = cfq ] && echo 1 || echo 2)/" "$T/in/cfq/randread-1.json" > "$T/in2/$v/randread-1.json"
done
run "$IOBENCH" import "$T/in2" --name both
run "$IOBENCH" report --layout workloads
like "$OUT" 'fs_mark +files +files/s +8325 +8325' 'files a second of fs_mark'
like "$OUT" 'random reads.* bw +MB/s +1.024 +1.024' 'beside bandwidth of fio'
is "$(grep -c environment <<< "$OUT")" 0 'that they are different programs is no difference between variants'


# ---- many files: some thousand in a transaction ----
db=$T/many.db
for ((i = 0; i < 300; i++)); do
	mkdir -p "$T/many/v$((i % 4))"
	sed "s/\"timestamp_ms\" : [0-9]*/\"timestamp_ms\" : $((1700000000000 + i))/; s/\"mean\" : \([0-9]\)/\"mean\" : $((i % 7 + 1))\1/" \
		tests/data/fio_json/read_write.json > "$T/many/v$((i % 4))/read-$i.json"
done
"$IOBENCH" import --db "$db" "$T/many" > /dev/null &
pid=$!
sleep 0.1
kill -KILL $pid 2> /dev/null
wait $pid 2> /dev/null
is "$(sqlite3 "$db" 'select count(*) from run' 2> /dev/null)" "$(sqlite3 "$db" 'select count(*) from import' 2> /dev/null)" \
	'an import that is killed has whole files'
run "$IOBENCH" import --db "$db" "$T/many"
is $RC 0 'the next one brings the others'
is "$(sqlite3 "$db" 'select count(*), count(distinct hash) from import')" '300|300' 'each once'
is "$(sqlite3 "$db" "select count(*) from (select sweep, count(*) n, count(distinct block) b, max(block) m from run join cell
	on cell.id = run.cell group by sweep) where n <> b or m <> n - 1")" 0 'each run of an import has a block of its own'
is "$(sqlite3 "$db" 'select count(*) from invocation')" "$(sqlite3 "$db" 'select count(*) from sweep')" \
	'what was typed, which may be thousands of names, is kept once an import, not once a file'
is "$(sqlite3 "$db" 'select distinct state from cell')" 'done' 'cells have their state'
cp "$db" "$T/again.db"
"$IOBENCH" import --db "$T/again.db" --reparse > /dev/null
all='select * from summary order by cell, environment, metric, direction, actor, device'
is "$(sqlite3 "$db" "$all" | md5sum)" "$(sqlite3 "$T/again.db" "$all" | md5sum)" 'summaries are those made run by run, to the last bit'
run "$IOBENCH" db check --db "$db"
is $RC 0 'the database is sound'
run "$IOBENCH" import --db "$db" "$T/many"
is "$RC $OUT" '0 0 read, 300 known already, 0 skipped, 0 failed' 'a folder that is known is counted'
# shellcheck disable=SC2016 # ok evaluates it
ok '[[ $ERR != *"imported before"* ]]' 'and not told file by file'

# files are read ahead of the one that is stored
db=$T/ahead.db
run "$IOBENCH" import --db "$db" "$T/many/v0" <(cat tests/data/fio_json/trim.json) "$T/many/v1" - < tests/data/fio_json/sync.json
is "$RC $(head -1 <<< "$OUT")" '0 152 read, 0 known already, 0 skipped, 0 failed' 'folders, a pipe, standard input'
is "$(sqlite3 "$db" 'select started_ns from run where id <= 75 order by id')" \
	"$(find "$T/many/v0" -name '*.json' | LC_ALL=C sort | xargs -d '\n' stat -c %.9Y | tr -d .)" 'in the order of their names'
is "$(sqlite3 "$db" "select count(*) from cell join config on config.id = cell.config join run on run.cell = cell.id
	where variant = 'v1' and run.id between 77 and 151")" 75 'and operands in theirs'
db=$T/stops.db
"$IOBENCH" import --db "$db" tests/data/fio_json/sync.json > /dev/null
sqlite3 "$db" "create trigger stop before insert on import when (select count(*) from import) = 20 begin
	select raise(abort, 'enough'); end"
run timeout 60 "$IOBENCH" import --db "$db" "$T/many" -
is "$RC" 1 'a database that takes no more ends it'
like "$ERR" 'enough' 'which is told'
is "$(sqlite3 "$db" 'select count(*), (select count(*) from run), (select count(*) from raw) from import')" '20|20|20' \
	'and what was stored before is whole'
done_testing
