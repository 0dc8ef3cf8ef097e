#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# chaos.sh N [SEED]: N sweeps of short runs on a loop device, each killed at a random instant in a random way. After
# each: settings as before, no process left, database sound, every run that was reported done is there.
# Prints what it did and found; exit status 1 if anything was wrong.
. tests/lib.sh
need_loop
need_commands fio sqlite3

n=${1:-200}
RANDOM=${2:-$$}
export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
name=${dev#/dev/}
q=/sys/block/$name/queue
db=$T/x.db

echo mq-deadline > "$q/scheduler"
echo 100 > "$q/nr_requests"
echo 8 > "$q/iosched/fifo_batch"
settings() { (cd "$q" && grep -rs . . | sort); }
before=$(settings)
bad=0
declare -A done_to

complain()
{
	bad=$((bad + 1))
	echo "# round $i, $what: $1"
}

# runs in the database that a reader outside can see are runs that were reported done
reported() { sqlite3 "file:$db?mode=ro" "select uuid from run where state = 'ok'" 2> /dev/null | sort; }

whom()
{
	case $1 in
	runner) echo "$pid" ;;
	guard) pgrep -P "$pid" -x iobench-guard ;;
	fio) pgrep -f "$IOBENCH_RUNDIR/$name.work/job.fio" | head -1 ;;
	worker) pgrep -f "$IOBENCH_RUNDIR/$name.work/job.fio" | tail -1 ;;
	esac
}

for ((i = 1; i <= n; i++)); do
	victims=(runner runner runner guard fio worker both) signals=(9 9 15 2 1)
	victim=${victims[RANDOM % ${#victims[@]}]} signal=${signals[RANDOM % ${#signals[@]}]}
	what="kill -$signal $victim"
	"$IOBENCH" sweep --dev "$dev" --scheds none,bfq --set queue/nr_requests=default,32 --patterns read,write --write-ok \
		--jobs 2 --runs 20 --runtime 60ms --ramp 0 --bs 64k --db "$db" > "$T/out" 2> "$T/err" &
	pid=$!
	sleep "$((RANDOM % 3)).$((RANDOM % 900 + 100))"
	seen=$(reported)
	case $victim in
	both)
		targets="$pid $(whom guard)"
		signal=9 what='kill -9 runner and guard'
		;;
	*) targets=$(whom "$victim") ;;
	esac
	# shellcheck disable=SC2086 # several pids
	[ -z "$targets" ] || kill "-$signal" $targets 2> /dev/null
	done_to[$what]=$((${done_to[$what]:-0} + 1))
	# what was only hurt is asked to end, too
	sleep 0.3
	kill -15 "$pid" 2> /dev/null
	{ wait "$pid"; } 2> /dev/null
	for ((k = 0; k < 40; k++)); do
		if [ ! -e "$IOBENCH_RUNDIR/$name.journal" ] || [ "$victim" = both ]; then break; fi
		sleep 0.1
	done
	if [ "$victim" = both ]; then
		"$IOBENCH" restore > "$T/restore" 2>&1 || complain "restore failed: $(cat "$T/restore")"
	fi
	now=$(reported | wc -l)
	[ "$now" -gt "${stored:-0}" ] || quiet=$((${quiet:-0} + 1))
	[ -z "${VERBOSE-}" ] || { echo "# round $i, $what: $((now - ${stored:-0})) runs"; sed 's/^/#   /' "$T/err"; }
	stored=$now
	[ "$(settings)" = "$before" ] || complain "settings differ: $(diff <(echo "$before") <(settings) | tr '\n' ' ')"
	[ -z "$(pgrep -f "$IOBENCH_RUNDIR")" ] || complain 'a process is left'
	if [ -e "$db" ]; then
		[ "$(sqlite3 "$db" 'pragma integrity_check' 2>&1)" = ok ] || complain 'the database is damaged'
		[ -z "$(comm -23 <(echo "$seen") <(reported))" ] || complain 'a reported run is lost'
	fi
done

# a sweep that cannot even start loses nothing either
if [ $((2 * ${quiet:-0})) -gt "$n" ]; then
	bad=$((bad + 1))
	echo "# most sweeps stored nothing, so they were not killed at work: $(tail -n 1 "$T/err")"
fi
echo "# $n rounds, $bad faults, $(reported | wc -l) runs stored, ${quiet:-0} rounds stored none"
for what in "${!done_to[@]}"; do printf '# %4d x %s\n' "${done_to[$what]}" "$what"; done | sort -rn -k2
[ $bad = 0 ]
