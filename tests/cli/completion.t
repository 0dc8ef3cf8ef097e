#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash: the script is sourced, and its function called as bash would, with disks of a made-up sysfs.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
# shellcheck source=scripts/completions/iobench
. scripts/completions/iobench

root=$PWD
export IOBENCH_SYSFS=$T/sys IOBENCH_DB=$T/x.db
for d in sda:'none [mq-deadline] bfq' sdb:'[none] mq-deadline kyber' ram0:none; do
	mkdir -p "$T/sys/block/${d%%:*}/queue"
	echo "${d#*:}" > "$T/sys/block/${d%%:*}/queue/scheduler"
done
mkdir -p "$T/sys/devices/system/cpu/cpu0/cpufreq" "$T/empty/dir"
echo 'powersave performance ' > "$T/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors"
touch "$T/empty/old.json"
cd "$T/empty" || exit 1

complete_line()	# LINE [POINT]: what bash would be told, words in one line
{
	COMP_LINE=$1 COMP_POINT=${2:-${#1}}
	COMPREPLY=()
	_iobench "$IOBENCH" iobench '' ''
	OUT=${COMPREPLY[*]}
}

completes()	# LINE WANTED NAME
{
	complete_line "$1"
	is "$OUT" "$2" "$3"
}

like "$(complete -p iobench)" '_iobench iobench$' 'bash knows the function'
completes 'iobench ' "$("$IOBENCH" help --list | xargs) help --help --version" 'commands'
completes 'iobench swe' sweep 'a command begun'
completes 'iobench sweep --slice' --slice-idle 'an option begun'
complete_line 'iobench sweep -'
is "$OUT" "$("$IOBENCH" sweep --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--[a-z-]+' | xargs)" \
	'every option that --help has'
completes 'iobench sweep --dev ' '/dev/sda /dev/sdb' 'disks'
completes 'iobench sweep -d /dev/sdb' /dev/sdb 'a disk begun, behind the letter'
completes 'iobench sweep --dev /dev/sda --scheds ' 'bfq current mq-deadline none' 'schedulers of the disk'
completes 'iobench sweep --dev=/dev/sdb -s ' 'current kyber mq-deadline none' 'schedulers of another disk'
completes 'iobench sweep --scheds ' 'bfq current kyber mq-deadline none' 'schedulers of all disks'
completes 'iobench sweep --scheds none,m' none,mq-deadline 'the next of a list'
completes 'iobench sweep --scheds bfq:low_latency=0,cur' 0,current 'only what is behind the last word break of bash'
completes 'iobench import --sched b' bfq 'the scheduler of an import'
completes 'iobench sweep --governors p' 'powersave performance' 'governors'
completes 'iobench sweep --job ' "$(cd "$root/jobs" && printf '%s\n' *.fio *.scenario | sed 's/\..*//' | LC_ALL=C sort | xargs) dir old.json" \
	'workloads and files'
completes 'iobench sweep --plan night' nightly-hdd 'plans'
completes 'iobench report -l ' "$("$IOBENCH" report --layout x 2>&1 | sed 's/.*(//; s/)//; s/,//g')" 'layouts'
completes 'iobench report --format ' "$("$IOBENCH" report --format x 2>&1 | sed 's/.*(//; s/)//; s/,//g')" 'formats'
completes 'iobench report --format=l' latex 'a value behind ='
completes 'iobench import -f ' "$("$IOBENCH" import --format x y 2>&1 | sed 's/.*(//; s/)//; s/,//g')" 'formats of import'
completes 'iobench export --format g' 'go github-bigger github-smaller' 'formats of export'
completes 'iobench report -m iops,clat_p99' 'iops,clat_p99 iops,clat_p99.9' 'metrics'
completes 'iobench report --where gov' governors= 'an axis'
completes 'iobench sweep --write-ok ' '' 'no value behind a blank where it must stand behind ='
completes 'iobench sweep --write-ok=/dev/sda' /dev/sda 'and one where it may'
completes 'iobench vdisk re' remove 'words of a command'
completes 'iobench vdisk --discard re' remove 'behind an option without argument'
completes 'iobench db ' 'info check backup prune vacuum dir old.json' 'words and files'
completes 'iobench sweep --dir ' dir 'directories'
completes 'iobench help sho' show 'commands behind help'
# shellcheck disable=SC2016 # names of files
mkdir "$T/odd" && (cd "$T/odd" && touch 'a b' '$(touch pwned)' 'c`touch pwned`')
cd "$T/odd" || exit 1
complete_line 'iobench import '
# shellcheck disable=SC2016 # as they are named
is "$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | xargs -d '\n')" '$(touch pwned) a b c`touch pwned`' 'names of files are never commands'
ok "[ ! -e '$T/odd/pwned' ]" 'and none is run'
cd "$T/empty" || exit 1
completes 'iobench nosuch --x' '' 'nothing of what there is not'
complete_line 'iobench swe --dev /dev/sda' 11
is "$OUT" sweep 'at the cursor, not at the end'
echo 'iops 100 IOPS' > "$T/a.txt"
"$IOBENCH" import --sched bfq "$T/a.txt" > /dev/null
completes 'iobench report ' "last $("$IOBENCH" list | cut -c 1-8)" 'sweeps'

# the words that stand in the program for completion only are words that it takes
while read -r command option more; do
	for word in $("$IOBENCH" help --list "$command" "$option"); do
		run "$IOBENCH" "$command" "--$option" "$word" ${more:+"$more"}
		[[ $ERR != *"unknown"* && $ERR != *"'$word'"* ]] || refused+=" $option=$word: $ERR"
	done
done <<- 'END'
	sweep patterns --dev=/dev/null
	sweep order --dev=/dev/null
	report direction
	plot kind
	plot bars
	plot terminal
END
is "${refused-}" '' 'every word that is offered is taken'

# and all that it takes: its own list is in what it says of another
for option in 'plot kind' 'plot bars' 'plot terminal' 'report direction'; do
	# shellcheck disable=SC2086
	taken=$("$IOBENCH" ${option% *} "--${option#* }" nosuch 2>&1 | sed 's/.*(//; s/).*//; s/, / /g')
	# shellcheck disable=SC2086
	is "$("$IOBENCH" help --list $option | xargs)" "$taken" "all words of $option"
done

done_testing
