# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What is ours of a run: fio is replaced by one that does nothing, tests/bench/fio.c. For run.sh and timeline.sh.

# an output for it to print: $T/7k.json
make_sham_output()
{
	truncate -s 16M "$T/file"
	fio --name=a --filename="$T/file" --rw=randrw --bs=4k --size=1M --runtime=1 --output-format=json > "$T/7k.json"
}

# the fio, and a disk for it: $dev
prepare_sham()
{
	need_root
	mkdir -p "$T/bin"
	cp "$BUILD/tests/bench/fio" "$T/bin/fio"
	dev=$(make_loop 64M)
	export T dev IOBENCH
}

# in place of this shell: (sham SCHEDULER RUNS)
sham()
{
	export PATH=$T/bin:$PATH BENCH_OUTPUT=$T/7k.json
	exec "$IOBENCH" sweep --dev "$dev" --scheds "$1" --patterns read --jobs 1 --runs "$2" --runtime 10ms --ramp 0 --size 8M \
		--db "$T/h.db" > /dev/null 2>&1
}

# a sweep of one run into a database that is made; leaves when it was started and its first fio was, in seconds, in $T/from
# and $T/started
sham_start()
{
	rm -f "$T/started" "$T"/h.db*
	(
		echo "$EPOCHREALTIME" > "$T/from"
		BENCH_STARTED=$T/started sham current 1
	)
}
