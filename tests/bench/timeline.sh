#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What iobench does from its start to the first fio, as functions that take at least LEAST ms: the fastest of N starts.
# timeline.sh IOBENCH-BUILT-WITH-finstrument-functions; see 'make timeline'.
. tests/lib.sh
need_loop
need_commands fio nm python3

program=$1
mkdir "$T/bin"
cp "$BUILD/tests/bench/fio" "$T/bin/fio"
truncate -s 1M "$T/file"
fio --name=a --filename="$T/file" --rw=randread --size=1M --output-format=json > "$T/output"
nm "$program" > "$T/symbols"
dev=$(make_loop 64M)
export IOBENCH_RUNDIR=$T/run BENCH_OUTPUT=$T/output BENCH_STARTED=$T/started PATH=$T/bin:$PATH

for ((i = 0; i < ${N:-20}; i++)); do
	rm -f "$T"/x.db* "$T/started"
	(
		echo "$EPOCHREALTIME" > "$T/from"
		export LD_PRELOAD=$BUILD/tests/bench/timeline.so BENCH_TIMELINE=$T/timeline.$i
		exec "$program" sweep --dev "$dev" --scheds current --patterns read --jobs 1 --runs 1 --runtime 10ms --ramp 0 \
			--size 8M --db "$T/x.db" > "$T/said" 2>&1
	) || { cat "$T/said" >&2; exit 1; }
	echo "$(< "$T/from") $(< "$T/started") $T/timeline.$i"
done > "$T/starts"
python3 tests/bench/timeline.py "$T/starts" "$T/symbols" "${LEAST:-0.1}"
