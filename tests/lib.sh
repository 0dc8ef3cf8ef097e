# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Helpers for shell tests in TAP. A test starts with
#	. tests/lib.sh
# runs from the root of the tree, and ends with done_testing (a test that dies before has no plan, and fails).
#
#	ok COND NAME		COND is a command line to evaluate, or an exit status: ok '[ -e file ]' 'file is there'; ok $? 'it ran'
#	is GOT WANT NAME	the two strings are the same
#	like TEXT REGEX NAME	the extended regular expression is found in the text
#	run COMMAND...		runs it and sets $RC, $OUT and $ERR
#	skip NAME REASON	one check that cannot be made here
#	skip_all REASON		the whole file (before the first check)
#	need_root, need_loop	skip_all where there is none
#	need_commands NAME...	likewise
#	make_loop SIZE		prints a new loop device over a sparse file, direct I/O: dev=$(make_loop 64M)
#	fake_fio		puts a fio into $T/bin, first in PATH: prints a whole result at once; $FIO_DO says what it does before
#	on_systemd COMMAND...	runs it where systemd runs, or seems to (root)
#	at_exit COMMAND		a command line for the end, last registered first, however the test ends; works in $(...) too
#	diag TEXT		a remark
#	done_testing		prints the plan; exit status 1 if anything failed
#
# $T is a temporary directory of this test, removed at the end.

: "${IOBENCH:=$PWD/build/iobench}" "${BUILD:=$PWD/build}" "${IOBENCH_JOBS:=$PWD/jobs}"
export IOBENCH BUILD IOBENCH_JOBS
[ -x "$IOBENCH" ] || { echo "Bail out! '$IOBENCH' is not built"; exit 1; }

T=$(mktemp -d "${TMPDIR:-/tmp}/iobench-test.XXXXXX") || exit 1
tap_run=0 tap_failed=0

# The list is a file and not an array: a command substitution could not add to an array of ours.
at_exit()
{
	printf '%s\n' "$1" >> "$T/.at_exit"
}

tap_cleanup()
{
	local commands=() i
	[ -e "$T/.at_exit" ] && mapfile -t commands < "$T/.at_exit"
	for ((i = ${#commands[@]} - 1; i >= 0; i--)); do
		eval "${commands[i]}"
	done
	rm -rf --one-file-system "$T"
}
trap tap_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /' >&2
}

tap_result()	# STATUS NAME
{
	tap_run=$((tap_run + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' $tap_run "$2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' $tap_run "$2"
	diag "at ${BASH_SOURCE[2]} line ${BASH_LINENO[1]}"
	return 1
}

ok()
{
	local status=$1
	if [[ ! $1 =~ ^[0-9]+$ ]]; then
		eval "$1"
		status=$?
	fi
	tap_result "$status" "$2"
}

is()
{
	[ "$1" = "$2" ]
	tap_result $? "$3" || { diag "got:    $1"; diag "wanted: $2"; return 1; }
}

like()
{
	[[ $1 =~ $2 ]]
	tap_result $? "$3" || { diag "got:    $1"; diag "wanted: /$2/"; return 1; }
}

skip()
{
	tap_run=$((tap_run + 1))
	printf 'ok %d - %s # SKIP %s\n' $tap_run "$1" "$2"
}

skip_all()
{
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# shellcheck disable=SC2034 # for the test to read
run()
{
	OUT=$("$@" 2> "$T/.stderr")
	RC=$?
	ERR=$(< "$T/.stderr")
}

# A check whose name is mistyped would check nothing, and the test go on. bash calls this in a process of its own.
command_not_found_handle()
{
	printf '%s: no such command\n' "$1" | tee -a "$T/.not_found" >&2
	return 127
}

done_testing()
{
	printf '1..%d\n' $tap_run
	[ ! -e "$T/.not_found" ] || { diag "$(< "$T/.not_found")"; exit 1; }
	[ $tap_failed -eq 0 ]
	exit
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
}

need_loop()
{
	need_root
	losetup -f > /dev/null 2>&1 || skip_all 'needs loop devices'
}

need_commands()
{
	local c
	for c; do
		command -v "$c" > /dev/null || skip_all "needs $c"
	done
}

make_loop()
{
	local file dev
	file=$(mktemp "$T/disk.XXXXXX") && truncate -s "$1" "$file" &&
		dev=$(losetup -f --show --direct-io=on "$file") || return 1
	at_exit "losetup -d $dev"
	printf '%s\n' "$dev"
}

fake_fio()
{
	mkdir "$T/bin"
	cat > "$T/bin/fio" <<-'F'
		#!/bin/bash
		if [ "$1" = --version ]; then echo fio-3.33; exit; fi
		eval "$FIO_DO"
		cat <<J
		{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "patterns", "error" : 0, "job_runtime" : 1000,
		  "read" : { "io_bytes" : 40960000, "bw_bytes" : 40960000, "bw" : 40000, "iops" : 10000.0, "runtime" : 1000,
		  "total_ios" : 10000, "clat_ns" : { "min" : 1, "max" : 9, "mean" : 5.0, "stddev" : 1.0, "N" : 10000 } },
		  "usr_cpu" : 1.0, "sys_cpu" : 2.0, "ctx" : 10000, "majf" : 0, "minf" : 1 } ] }
		J
	F
	chmod +x "$T/bin/fio"
	export PATH=$T/bin:$PATH FIO_DO=
}

# Where systemd does not run: a /run that looks so.
# shellcheck disable=SC2317 # run calls it
on_systemd()	# COMMAND...
{
	if [ -d /run/systemd/system ]; then
		"$@"
	else
		# shellcheck disable=SC2016 # for the inner shell
		unshare -m sh -c 'mount -t tmpfs none /run && mkdir -p /run/systemd/system && exec "$@"' sh "$@"
	fi
}
