#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every workload that comes with iobench, in a short form on loop devices: it runs as it stands, its samples are
# stored, and it prints its tables in its own shape, that of its post where it has one (tests/golden/live-NAME.txt,
# numbers masked; GOLDEN=write makes them anew).
. tests/lib.sh
need_loop
need_commands fio sqlite3 mkfs.ext4

export IOBENCH_RUNDIR=$T/run
a=$(make_loop 512M)
b=$(make_loop 64M)
db=$T/x.db
grep -qw bfq "/sys/block/${a#/dev/}/queue/scheduler" || skip_all 'this kernel does not offer bfq on a loop device'
settings() { for d in "$a" "$b"; do (cd "/sys/block/${d#/dev/}/queue" && grep -rs . .); done | sort; }
before=$(settings)
sql() { sqlite3 "$db" "$1"; }
samples() { # ACTOR METRIC...: how many of these metrics every good run has
	local actor=$1 list
	shift
	list=$(printf "'%s'," "$@")
	sql "select min(n) from (select run.id, count(distinct m.name) n from run left join sample s on s.run = run.id
		left join actor a on s.actor = a.id left join metric m on s.metric = m.id and m.name in (${list%,})
		where a.name = '$actor' group by run.id)"
}
# The shape of a table: numbers are '#', blanks and rules have one length, and what depends on machine and load is left out.
shape() {
	awk '/^(warning |all cells:)/{ said = 1; next } said && /^  /{ next } { said = 0; print }' | sed -E '
		/^no cpufreq on this machine$/d; s/disk\.[A-Za-z0-9]+/DISK/g
		:again; s/(^|[ (])[0-9]+(\.[0-9]+)?($|[ ),])/\1#\3/; t again; s/-{5,}/-----/g; s/ +/ /g; s/ $//' | cat -s
}
is_golden() { # TABLES NAME
	local file=tests/golden/live-$2.txt
	[ "$GOLDEN" = write ] && printf '%s\n' "$1" | shape > "$file"
	is "$(printf '%s\n' "$1" | shape)" "$(cat "$file")" "$2: the shape of its tables"
}
# NAME RUNS ARGUMENT...: it ends well with so many good runs; $TABLES is what it prints
short() {
	local name=$1 runs=$2
	shift 2
	rm -f "$db"*
	run "$IOBENCH" sweep --dev "$a" --job "$name" --runs 1 --db "$db" "$@"
	is $RC 0 "$name runs" || diag "$ERR"
	TABLES=$OUT
	is "$(sql "select count(*) from run where state = 'ok'")" "$runs" "$name: every run is good"
	is "$(settings)" "$before" "$name: settings are back"
	run "$IOBENCH" report --db "$db"
	is "$OUT" "$TABLES" "$name: a report is what the sweep printed"
	run "$IOBENCH" report --db "$db" --layout jobs
	is $RC 0 "$name: any other layout can be asked for"
	# all samples anew from the outputs that are stored, of each actor and of all together
	sql "$everything" > "$T/old"
	sql "update sample set value = 7 where metric <> (select id from metric where name = 'startup_time');
		update summary set mean = 7; delete from sample where metric % 3 = 0 and metric <>
		(select id from metric where name = 'startup_time')" 2> /dev/null
	run "$IOBENCH" import --reparse --db "$db"
	is "$RC $OUT" "0 $runs outputs read again, 0 that cannot be read as before, 0 runs without output" "$name: reparse"
	sql "$everything" > "$T/new"
	run diff "$T/old" "$T/new"
	is "$OUT" '' "$name: and all numbers are as they were"
}
everything="select run, actor, job, device, direction, metric, value from sample order by 1, 2, 3, 4, 5, 6;
	select * from summary order by 1, 2, 3, 4, 5, 6, 7; select state, reason from run; select state, reason from cell"
effective() { sql "select content from settings" | sed 's/[,{]/\n/g' | grep -c "$1"; }

short herrmann2017 8 --jobs 1,8 --runtime 200ms --scheds none --write-ok
is_golden "$TABLES" herrmann2017
like "$TABLES" '\* random writes' 'herrmann2017: a table a pattern'
like "$TABLES" $'\n 8 &' 'herrmann2017: a row a job count'

short carroll2008 4 --jobs 8 --runtime 300ms --scheds bfq
is_golden "$TABLES" carroll2008
like "$TABLES" 'bfq:slice_idle=0' 'carroll2008: with and without slice_idle'
is "$(samples fio bw lat_mean lat_stddev)" 3 'carroll2008: latency, its deviation, bandwidth'
bs=$(sql 'select max(value / 1024) from (select sum(case m.name when "io_bytes" then value end) /
	sum(case m.name when "ios" then value end) value from sample s join metric m on m.id = s.metric
	where job = -1 and direction = 1 group by run)')
is "${bs%.*}" 1024 'carroll2008: sequential reads are of 1 MiB'

short vanassche2014 2 --dev "$b" --runtime 300ms --scheds none --write-ok
is_golden "$TABLES" vanassche2014
is "$(samples randrw usr_cpu sys_cpu ctx iodepth_level_ge64)" 4 'vanassche2014: CPU time, context switches, depth'
is "$(samples randrw lat_mean clat_mean)" 0 'vanassche2014: no latencies, as gtod_reduce leaves them out'
is "$(sql "select count(distinct job) from sample where job >= 0 and run = (select max(run) from sample where job = 1)")" 2 \
	'vanassche2014: a job for each device'
is "$(sql "select count(*) from run_detail where command like '%DEVICES=1%' or command like '%DEVICES=2%'")" 2 \
	'vanassche2014: from one device to all'
ok "[ $(effective 'queue/rotational\":\"0') -ge 2 ] && [ $(effective 'queue/add_random\":\"0') -ge 2 ] &&
	[ $(effective 'queue/rq_affinity\":\"2') -ge 2 ]" 'vanassche2014: the settings of the post are in effect on both'

short mathur2006 1 --scheds none
is_golden "$TABLES" mathur2006
is "$(sql 'select value from sample s join metric m on s.metric = m.id where m.name = "ios" and direction = 1 and job = -1')" \
	16400.0 'mathur2006: 16 processes, 1025 reads each'
like "$TABLES" 'KiB/sec each .*KiB/sec all' 'mathur2006: whose rates they are'
for w in same-blocks tiny-area too-short; do
	like "$TABLES" "warning $w" 'mathur2006: a warning that the thread gave'
done

if ! command -v fs_mark > /dev/null; then
	skip 'moyer2010' 'needs fs_mark'
else
	short moyer2010 2 --size 32M --scheds bfq --write-ok
	is_golden "$TABLES" moyer2010
	is "$(samples fs_mark files)" 1 'moyer2010: files a second'
	is "$(samples bsr bw)" 1 'moyer2010: bandwidth of the reader beside it'
fi

short startup 1 --jobs 2 --ramp 1s --scheds none
is_golden "$TABLES" startup
is "$(samples startup startup_time)" 1 'startup: the start-up time'
is "$(samples background bw)" 1 'startup: and what the others got'
like "$TABLES" 'startup_time +ms' 'startup: the table names the metric and its unit'
short startup 1 --jobs 1 --ramp 1s --scheds none --command 'sleep 0.3'
ok "[ $(sql 'select value > 3e8 from sample s join metric m on s.metric = m.id where m.name = "startup_time"') = 1 ]" \
	'startup: of a command, from its start to its end'

if find /sys/fs/cgroup -maxdepth 2 \( -name 'blkio.*' -o -name io.weight \) | grep -q .; then
	short fairness 1 --runtime 500ms --ramp 0 --scheds bfq:low_latency=0
	is_golden "$TABLES" fairness
	is "$(samples all weighted_jain)" 1 'fairness: the weighted Jain index'
	is "$(samples weight400 bw share share_per_weight)" 3 'fairness: the share of each'
	ok "[ $(sql "select (select value from sample s join actor a on s.actor = a.id join metric m on s.metric = m.id
		where a.name = 'weight400' and m.name = 'share') > (select value from sample s join actor a on s.actor = a.id
		join metric m on s.metric = m.id where a.name = 'weight100' and m.name = 'share')") = 1 ]" \
		'fairness: the heavier has more'
else
	skip 'fairness' 'no control groups for I/O here'
fi

short interference 1 --jobs 2 --runtime 300ms --ramp 0 --scheds none
is_golden "$TABLES" interference
is "$(samples victim clat_p99 clat_p99.9)" 2 "interference: the victim's tail"
short readers-writers 1 --jobs 2 --size 32M --runtime 300ms --ramp 0 --scheds none --write-ok
is_golden "$TABLES" readers-writers
is "$(samples writers iops)" 1 'readers-writers: the writers'
is "$(samples reader clat_p99)" 1 'readers-writers: the reader'
short cpu-cost 1 --jobs 1 --runtime 300ms --ramp 0 --scheds none
is_golden "$TABLES" cpu-cost
is "$(samples fio cpu_per_io ctx_per_io)" 2 'cpu-cost: CPU time and context switches per I/O'

# the question of each is told
run "$IOBENCH" jobs
for job in herrmann2017 carroll2008 vanassche2014 mathur2006 moyer2010 startup fairness interference readers-writers cpu-cost; do
	text=$(printf '%s\n' "$OUT" | sed -n "/^$job (/,/^[a-z]/p")
	[[ $text == *\?* && $text == *'Asked by '* && $text == *Time:* && $text == *Writes:* ]]
	ok $? "$job tells its question, who asked, how long, what it writes"
done

done_testing
