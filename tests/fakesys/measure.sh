#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# measure.sh DISKDIR: write to the queue of a disk (a loop device of its own: everything is changed) what users and
# programs write, and print what comes of it. A line:
#	attribute <- "value": ok or the error, "what it reads afterwards" [every other attribute that moved]
# measured.txt is what this printed over a real kernel; fakesys has to make it print the same (see README.md).
set -u
export LC_ALL=C
cd "$1/queue" || exit 2
errors=$(mktemp) || exit 2
trap 'rm -f "$errors"' EXIT

watched=(scheduler nr_requests read_ahead_kb max_sectors_kb rotational add_random iostats nomerges rq_affinity
	write_cache wbt_lat_usec io_poll)
declare -A was now

values()	# NAME: read all there is into the array NAME
{
	local -n into=$1
	local f
	# shellcheck disable=SC2034 # another name of an array that is read
	into=()
	for f in "${watched[@]}" iosched/*; do
		[ -f "$f" ] && IFS= read -r "into[$f]" < "$f"
	done
}

try()	# ATTRIBUTE VALUE
{
	local result=ok moved='' f value
	values was
	if ! { printf %b "$2" > "$1"; } 2> "$errors"; then
		read -r result < "$errors"
		result=${result##*: }
	fi
	values now
	for f in "${watched[@]}" iosched/*; do
		if [ "$f" != "$1" ] && [ "${now[$f]-}" != "${was[$f]-}" ]; then moved+=", $f=${now[$f]-gone}"; fi
	done
	IFS= read -r value < "$1"
	printf '%s <- "%s": %s, "%s"%s\n' "$1" "$2" "$result" "$value" "${moved:+ [${moved#, }]}"
}

again()	# SCHEDULER: does writing the same name make a new iosched directory?
{
	local before after
	before=$(stat -c %i iosched 2>&1)
	printf %s "$1" > scheduler
	after=$(stat -c %i iosched 2>&1)
	if [ "$before" = "$after" ]; then echo "$1 again: nothing new"; else echo "$1 again: a new iosched"; fi
}

numbers=(0 1 2 3 7 123 125 500 100000 2147483646 99999999999 99999999999999999999 -1 x ' 5' '5x' '5 ' '5\n' '\n'
	'6\000034' 0x10 010 +3)

for scheduler in none mq-deadline kyber bfq; do
	for rotational in 1 0; do
		echo none > scheduler
		echo $rotational > rotational
		echo "# $scheduler, rotational $rotational"
		try scheduler $scheduler
	done
	values now
	for f in "${watched[@]}"; do printf '%s=%s\n' "$f" "${now[$f]}"; done
	again $scheduler
	for f in iosched/*; do
		[ -f "$f" ] || continue
		for v in "${numbers[@]}"; do try "$f" "$v"; done
	done
done

echo '# scheduler'
for v in bfq deadline deadline ' bfq' 'kyber\n' '\tbfq' 'bfq ' '\n' ' ' cfq noop BFQ '[bfq]' bfq-mq 'bfq mq-deadline' \
    'kyber\0000bfq' none xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do
	try scheduler "$v"
done

echo '# slice_idle and strict_guarantees'
echo bfq > scheduler
try iosched/slice_idle 3
try iosched/strict_guarantees 1
try iosched/slice_idle 0
try iosched/strict_guarantees 1
try iosched/strict_guarantees 0
try iosched/slice_idle 20
try iosched/strict_guarantees 1

echo '# what a switch keeps and resets'
echo 1 > rotational
echo none > scheduler
for s in bfq none mq-deadline kyber; do try scheduler $s; done
try nr_requests 64
try scheduler mq-deadline
try iosched/async_depth 10
try nr_requests 64
try nr_requests 64
try scheduler none
try nr_requests 127
try scheduler mq-deadline
try scheduler none
try nr_requests 127
try nr_requests 128

echo '# queue'
for s in none mq-deadline; do
	echo $s > scheduler
	for v in "${numbers[@]}" 4 5 127 128 129 256 257 2047 2048 2049; do try nr_requests "$v"; done
done
for f in read_ahead_kb max_sectors_kb rotational add_random iostats nomerges rq_affinity io_poll; do
	for v in "${numbers[@]}" 4 5 1279 1280 1281 4294967295 4294967296; do try $f "$v"; done
done
for v in none 'write back' 'write through' 'write back\n' 1 writeback; do try write_cache "$v"; done

echo '# wbt: its default follows the scheduler until it is written'
try scheduler bfq
try scheduler none
for v in "${numbers[@]}" -2; do try wbt_lat_usec "$v"; done
for s in bfq kyber; do try scheduler $s; done
try rotational 0
try wbt_lat_usec -1
try scheduler bfq
try wbt_lat_usec 0
try scheduler none
try rotational 1

echo '# read only'
for f in logical_block_size hw_sector_size ../size ../ro ../dev; do
	if { echo 1 > $f; } 2> "$errors"; then echo "$f: written"; else read -r v < "$errors"; echo "$f: ${v##*: }"; fi
done
