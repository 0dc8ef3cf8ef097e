#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The bench: every figure beside its goal, ratios measured side by side in turns, medians. 'make bench' runs it.
#	RUNS=N		of the large database (default: 1000000)
#	SHORT=yes	everything once and short: to see that it works, not to judge by
#	REPEAT=5	how often each figure is taken
#	JUDGE=no	exit status 0 whatever was missed
#	PARTS='a b'	only these: matrix harness wakeups parse import queries
# As root on Linux with fio, loop devices, sqlite3, python3. Give it a quiet machine.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/lib.sh
. tests/bench/sham.sh

: "${RUNS:=1000000}" "${SHORT:=no}" "${JUDGE:=yes}" "${PARTS:=parse import queries harness wakeups matrix}"
export IOBENCH_JOBS=$PWD/jobs IOBENCH_RUNDIR=$T/run
bench=$BUILD/tests/bench
missed=0
if [ "$SHORT" = yes ]; then
	repeat=1 files=200 many=60
	[ "$RUNS" -gt 20000 ] && RUNS=20000
else
	repeat=${REPEAT:-5} files=8000 many=220
fi

# ---- figures ----

now() { echo "$((${EPOCHREALTIME/[.,]/}))"; } # microseconds
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
least() { sort -g | head -n 1; }

# seconds of a command
timed()
{
	local from
	from=$(now)
	"$@" > /dev/null 2>&1 || { echo "bench: failed: $*" >&2; return 1; }
	awk -v us=$(($(now) - from)) 'BEGIN { printf "%.6f\n", us / 1e6 }'
}

# two commands in turns: sets A and B to the medians of their seconds, RATIO to that of A/B of each turn
in_turns() # FUNCTION_A FUNCTION_B
{
	local i
	: > "$T/a"
	: > "$T/b"
	for ((i = 0; i < repeat; i++)); do
		timed "$1" >> "$T/a" || exit 1
		timed "$2" >> "$T/b" || exit 1
	done
	A=$(median < "$T/a")
	B=$(median < "$T/b")
	RATIO=$(paste "$T/a" "$T/b" | awk '{ print $1 / $2 }' | median)
}

# the least of several runs of a command: what it takes when nobody disturbs it
best()
{
	local i
	for ((i = 0; i < repeat; i++)); do
		timed "$@" || exit 1
	done | least
}

calc() { awk "BEGIN { printf \"%.4g\", $1 }"; }

# a figure beside its goal: goal VALUE '<=|>=' GOAL UNIT WHAT
goal()
{
	local verdict=ok
	awk -v v="$1" -v g="$3" "BEGIN { exit !(v $2 g) }" || { verdict=MISSED missed=$((missed + 1)); }
	printf '%-7s %10.4g %-8s goal %s %-8s %s\n' $verdict "$1" "$4" "$2" "$3" "$5"
}

beside() { printf '%-7s %10.4g %-8s %20s %s\n' '' "$1" "$2" '' "$3"; }
wants() { [[ " $PARTS " == *" $1 "* ]]; }

# ---- fio's JSON ----

make_outputs()
{
	make_sham_output &&
		fio --name=a --filename="$T/file" --rw=randread --bs=4k --size=4M --numjobs=6 --runtime=1 \
			--output-format=json+ > "$T/54k.json" &&
		fio --name=a --filename="$T/file" --rw=read --bs=4k --size=256k --numjobs=128 --runtime=1 \
			--output-format=json > "$T/128.json" &&
		python3 tests/bench/files.py jobs 8 "$T/128.json" "$T/1024.json" || exit 1
}

parse()
{
	local lines ms memory i=0
	local -a times
	mapfile -t lines < <("$bench/parse" "$T/7k.json" "$T/54k.json" "$T/128.json" "$T/1024.json")
	for file in 7k 54k 128 1024; do
		read -r ms memory <<< "${lines[i]}"
		times[i]=$ms
		i=$((i + 1))
		goal "$memory" '<=' 7 'x file' "memory to parse $file.json ($(stat -c %s "$T/$file.json") bytes)"
	done
	goal "${times[0]}" '<=' 0.1 ms 'to parse 7 KB of fio JSON'
	goal "${times[1]}" '<=' 1 ms 'to parse 54 KB (json+)'
	goal "${times[2]}" '<=' 30 ms 'to parse 1 MB (128 jobs)'
	goal "$(calc "${times[3]} / ${times[2]}")" '<=' 10 x '1024 jobs against 128'
}

# ---- import ----

by_iobench() { rm -f "$T"/i.db*; "$IOBENCH" import --db "$T/i.db" "$T/outputs"; }
by_python() { rm -f "$T"/p.db*; python3 tests/bench/suite.py "$T/p.db" "$T/outputs"; }

import()
{
	mkdir "$T/outputs"
	python3 tests/bench/files.py $files "$T/7k.json" "$T/outputs"
	in_turns by_iobench by_python
	goal "$(calc "$files / $A")" '>=' 8000 files/s "import of $files files into one database"
	beside "$(calc "$files / $B")" files/s 'python3: json, sqlite3, zlib'
	goal "$(calc "1 / $RATIO")" '>=' 1 x 'import: iobench against python3'
	export T IOBENCH
	/usr/bin/time -f '%U %S' -o "$T/cpu" bash -c "$(declare -f by_iobench); by_iobench" > /dev/null 2>&1
	beside "$(awk -v n=$files '{ print ($1 + $2) * 1000 / n }' "$T/cpu")" ms 'of CPU a file, iobench'
	/usr/bin/time -f '%U %S' -o "$T/cpu" bash -c "$(declare -f by_python); by_python" > /dev/null 2>&1
	beside "$(awk -v n=$files '{ print ($1 + $2) * 1000 / n }' "$T/cpu")" ms 'of CPU a file, python3'
	rm -r "$T/outputs"
}

# ---- a large database ----

report() { "$IOBENCH" report --db "$T/large.db"; }
compare() { "$IOBENCH" compare last~1 last --db "$T/large.db"; }
trend() { "$IOBENCH" report --layout trend --db "$T/large.db"; }
check() { "$IOBENCH" check --db "$T/large.db"; [ $? -ne 2 ]; }
good="r.kind = 'measure' and r.state = 'ok'"
mean="count(*), avg(value), sqrt((sum(value * value) - count(*) * avg(value) * avg(value)) / (count(*) - 1))"
plain_night()
{
	sqlite3 "$T/large.db" "select k.variant, k.id, $mean from sample s join run r on r.id = s.run join cell c on c.id = r.cell
		join config k on k.id = c.config where c.sweep = (select max(id) from sweep) and $good and s.job = -1
		and s.metric = (select id from metric where name = 'iops') group by k.id"
}
plain_trend()
{
	sqlite3 "$T/large.db" "select c.sweep, c.config, $mean from sample s join run r on r.id = s.run join cell c on c.id = r.cell
		where $good and s.job = -1 and s.metric = (select id from metric where name = 'iops') group by 1, 2"
}
all_values="select c.sweep, c.config, value from sample s join run r on r.id = s.run join cell c on c.id = r.cell
	where $good and s.job = -1 and s.metric = (select id from metric where name = 'iops')"
awk_trend()
{
	sqlite3 -separator ' ' "$T/large.db" "$all_values" | awk '{ k = $1 " " $2; n[k]++; d = $3 - m[k]; m[k] += d / n[k]
		s[k] += d * ($3 - m[k]) } END { for (k in n) print k, n[k], m[k], sqrt(s[k] / (n[k] - 1)) }'
}
python_trend()
{
	python3 -c "import sqlite3, statistics, collections
groups = collections.defaultdict(list)
for sweep, config, value in sqlite3.connect('$T/large.db').execute(\"\"\"$all_values\"\"\"):
    groups[sweep, config].append(value)
for key, values in groups.items():
    print(key, len(values), statistics.fmean(values), statistics.stdev(values))"
}

# most memory of a command in MiB
memory() { /usr/bin/time -f %M -o "$T/rss" "$@" > /dev/null 2>&1; calc "$(tail -n 1 "$T/rss") / 1024"; }

queries()
{
	local small large
	"$bench/million" "$T/large.db" "$RUNS" 2>&1 || exit 1
	goal "$(best report)" '<=' 0.3 s "the tables of a sweep among $RUNS runs"
	beside "$(best plain_night)" s 'plain SQL over its samples'
	if "$IOBENCH" report --help | grep -q trend; then
		goal "$(best trend)" '<=' 1 s 'a trend over all nights'
	else
		echo 'absent   (no layout trend in this iobench)'
	fi
	beside "$(timed plain_trend)" s 'plain SQL over all samples'
	beside "$(timed awk_trend)" s 'awk behind sqlite3'
	beside "$(timed python_trend)" s 'python3: sqlite3, statistics'
	if "$IOBENCH" check --help > /dev/null 2>&1; then
		goal "$(best check)" '<=' 2 s 'check'
	else
		echo 'absent   (no check in this iobench)'
	fi
	goal "$(best compare)" '<=' 0.5 s 'compare of two nights'
	"$bench/million" "$T/small.db" 10000 2> /dev/null
	small=$(memory "$IOBENCH" report --db "$T/small.db")
	large=$(memory "$IOBENCH" report --db "$T/large.db")
	goal "$(calc "$large / $small")" '<=' 1.2 x "memory of report among $RUNS runs ($large MiB) against 10000 ($small MiB)"
	rm -f "$T"/large.db* "$T"/small.db*
}

# ---- what is ours of a run: fio is replaced by one that does nothing ----

sham_starts() { local i; for ((i = 0; i < many; i++)); do BENCH_OUTPUT=$T/7k.json "$T/bin/fio" > "$T/sham"; done; }

# microseconds of a sweep of RUNS runs with a fresh scheduler for each, and of those in which the kernel changed schedulers
with_switches() # RUNS
{
	local from
	rm -f "$T"/h.db*
	from=$(now)
	(LD_PRELOAD=$(realpath "$bench/switches.so") BENCH_SWITCHES=$T/switched sham mq-deadline "$1")
	echo "$(($(now) - from)) $(< "$T/switched")"
}

# milliseconds a run: all of it, and the part of the switches
per_switched_run()
{
	local i
	for ((i = 0; i < repeat; i++)); do
		echo "$(with_switches 20) $(with_switches $((20 + many)))" |
			awk -v n=$many '{ print ($3 - $1 - $4 + $2) / 1000 / n, ($4 - $2) / 1000 / n }'
	done | least
}

# milliseconds a run more in a long sweep than in a short one; also of CPU, with what it waits for
per_run()
{
	local i
	for ((i = 0; i < repeat; i++)); do
		rm -f "$T"/h.db*
		/usr/bin/time -f '%e %U %S' -o "$T/few" bash -c "$(declare -f sham); sham current 20"
		rm -f "$T"/h.db*
		/usr/bin/time -f '%e %U %S' -o "$T/many" bash -c "$(declare -f sham); sham current $((20 + many))"
		paste "$T/few" "$T/many" | awk -v n=$many -v cpu="$1" '{ print (cpu ? $5 + $6 - $2 - $3 : $4 - $1) * 1000 / n }'
	done | least
}

harness()
{
	local wall start switch
	prepare_sham
	export many
	/usr/bin/time -f '%e %U %S' -o "$T/starts" bash -c "$(declare -f sham_starts); sham_starts"
	start=$(awk -v n=$many '{ print $1 * 1000 / n }' "$T/starts")
	wall=$(per_run '')
	goal "$(calc "$wall - $start")" '<=' 5 ms 'a run outside fio, durable commit included, scheduler left alone'
	goal "$(calc "$(per_run 1) - $(awk -v n=$many '{ print ($2 + $3) * 1000 / n }' "$T/starts")")" '<=' 2 ms \
		'of CPU a run, guard included'
	read -r wall switch <<< "$(per_switched_run)"
	goal "$(calc "$wall - $start")" '<=' 5 ms "a run outside fio and outside the scheduler switch ($switch ms there and back)"
	for ((i = 0; i < 4 * repeat; i++)); do
		sham_start
		paste "$T/from" "$T/started" | awk '{ print ($2 - $1) * 1000 }'
	done | least > "$T/start"
	goal "$(cat "$T/start")" '<=' 10 ms 'from the start to the first fio'
	beside "$(calc "$(best /bin/true) * 1000")" ms 'a program that does nothing'
}

# voluntary switches of the runner and its guard in a second while fio runs
wakeups_of()
{
	local before after pids
	sleep 1.5
	pids=$(pgrep -x iobench -P "$1"; pgrep -x iobench -P "$(pgrep -x iobench -P "$1" | head -n 1)")
	[ -n "$pids" ] || { echo 'bench: no iobench to watch' >&2; exit 1; }
	count() { for pid in $pids; do awk '/^voluntary/ { print $2 }' "/proc/$pid/status"; done | awk '{ n += $1 } END { print n }'; }
	before=$(count)
	sleep 4
	after=$(count)
	calc "($after - $before) / 4"
}

wakeups()
{
	local pid
	prepare_sham
	export BENCH_SLEEP=7
	rm -f "$T"/h.db*
	( (sham current 1); true) &
	pid=$!
	goal "$(wakeups_of $pid)" '<=' 0 /s 'wake-ups while fio runs, without a terminal'
	wait $pid
	rm -f "$T"/h.db*
	PATH=$T/bin:$PATH BENCH_OUTPUT=$T/7k.json script -qfc "exec '$IOBENCH' sweep --dev $dev --scheds current --patterns read \
		--jobs 1 --runs 1 --runtime 10ms --ramp 0 --size 8M --db '$T/h.db'" /dev/null > /dev/null 2>&1 < /dev/null &
	pid=$!
	goal "$(wakeups_of $pid)" '<=' 2 /s 'wake-ups while fio runs, with a progress line'
	wait $pid
	unset BENCH_SLEEP
}

# ---- the matrix: 3 schedulers x 2 patterns x 2 job counts x 2 repetitions ----

matrix_iobench()
{
	rm -f "$T"/m.db*
	"$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline,bfq --patterns read,randread --jobs 1,4 --runs 2 \
		--runtime "$seconds" --ramp 0 --size 16M --db "$T/m.db"
}
matrix_loop()
{
	for run in 1 2; do
		for scheduler in none mq-deadline bfq; do
			for pattern in read randread; do
				for jobs in 1 4; do
					echo $scheduler > "/sys/block/${dev#/dev/}/queue/scheduler"
					fio --name=$pattern --filename="$dev" --rw=$pattern --bs=4k --numjobs=$jobs --size=16M \
						--offset_increment=16M --ioengine=libaio --direct=1 --iodepth=1 --time_based \
						--runtime="$seconds" --readonly --allow_file_create=0 --output-format=json+ \
						--output="$T/loop/$scheduler-$pattern-$jobs-$run.json"
				done
			done
		done
	done
}

matrix()
{
	need_root
	seconds=1
	[ "$SHORT" = yes ] && seconds=50ms
	mkdir -p "$T/loop"
	dev=$(make_loop 64M)
	in_turns matrix_iobench matrix_loop
	goal "$RATIO" '<=' 0.97 x "the 24-run matrix: iobench ($A s) against a bash loop over fio ($B s)"
}

echo "$(uname -sr), $(nproc) CPUs ($(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)), $(fio --version), load $(cut -d' ' -f1 /proc/loadavg)"
need_commands fio sqlite3 python3 /usr/bin/time script
make_outputs
for part in $PARTS; do
	$part
done
echo "$missed missed"
[ $missed -eq 0 ] || [ "$JUDGE" = no ]
