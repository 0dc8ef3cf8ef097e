#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What iobench does from its start to the first fio, as functions that take at least LEAST ms: the fastest of N starts.
# Wants an $IOBENCH built with -finstrument-functions: see 'make timeline'.
. tests/lib.sh
. tests/bench/sham.sh
need_loop
need_commands fio nm python3

export IOBENCH_RUNDIR=$T/run
make_sham_output || exit 1
prepare_sham
nm "$IOBENCH" > "$T/symbols"
for ((i = 0; i < ${N:-20}; i++)); do
	(
		export LD_PRELOAD=$BUILD/tests/bench/timeline.so BENCH_TIMELINE=$T/timeline.$i
		sham_start
	) || exit 1
	echo "$(< "$T/from") $(< "$T/started") $T/timeline.$i"
done > "$T/starts"
python3 tests/bench/timeline.py "$T/starts" "$T/symbols" "${LEAST:-0.1}"
