#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every layout of a real sweep in every format; rows, columns and conditions as typed.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run IOBENCH_DB=$T/x.db
dev=$(make_loop 64M)
report() { run "$IOBENCH" report "$@"; }
run "$IOBENCH" sweep --dev "$dev" --scheds none,bfq:slice_idle=0 -p read,randread -j 1,2 -n 2 -t 200ms --ramp 0 --bs 64k
is $RC 0 'a sweep'

for layout in jobs schedulers cpu rawio workloads matrix summary long; do
	for format in text latex markdown csv json html; do
		report --layout $layout --format $format
		if [ "$RC:$ERR" != 0: ] || [ -z "$OUT" ]; then break; fi
	done
	is "$format $RC $ERR" 'html 0 ' "$layout: all formats"
	report --layout $layout
	[ $layout = long ] || is "$(awk 'length > 76 || / $/' <<< "$OUT" | head -n 1)" '' "$layout: fit for a mail"
done

# the mean of a cell, as the matrix, plain SQL, and summary have it
mean=$(sqlite3 "$IOBENCH_DB" "select avg(s.value) from sample s join metric m on m.id = s.metric join run r on r.id = s.run
	join cell c on c.id = r.cell join config g on g.id = c.config join config_axis a on a.config = g.id
	join config_axis b on b.config = g.id where m.name = 'iops' and s.job = -1 and s.direction = 0 and variant = 'none'
	and a.name = 'numjobs' and a.value = '2' and b.name = 'pattern' and b.value = 'read'")
for layout in matrix summary jobs; do
	report --layout $layout --format csv --where pattern=read --where jobs=2 --where variant=none
	is "$(awk -F, -v want="$mean" '/,mean,IOPS,/ { n++; d = ($NF - want) / want; good += d < 1e-9 && d > -1e-9 } END { print n, good }' <<< "$OUT")" \
		'1 1' "$layout: the mean is that of plain SQL" || diag "$mean: $OUT"
done

report --rows variant --cols metric --metric bw,clat_p99 --where jobs=2 --where pattern=read,randread
is "$RC:$(grep -c '^\* ' <<< "$OUT")" 0:2 '--rows and --cols make a matrix, a table a pattern'
like "$OUT" 'bw \(KiB/s\) +clat_p99 \(us\)' 'several metrics across'
report --rows pattern --cols variant --where bs=64k --where jobs=1
like "$OUT" 'randread +[0-9]' 'a size as typed'

report --rows jobs --layout summary
like "$RC $ERR" "2 .*--rows and --cols are for the layout 'matrix', not for 'summary'" 'rows for another layout'
report --metric bw,iops
like "$RC $ERR" "2 .*the layout 'jobs' shows one metric" 'several metrics for a layout of one'
report --layout schedulres
like "$RC $ERR" "2 .*unknown layout 'schedulres' \(jobs, schedulers," 'an unknown layout: those that there are'
report --where variant
like "$RC $ERR" "2 .*wants AXIS=VALUE" 'a condition that is none'
report --where numjobz=1
like "$RC $ERR" "2 .*did you mean 'numjobs'" 'an axis mistyped'
report --metric slat_p50
like "$RC $ERR" "1 .*nothing of metric 'slat_p50' is stored there" 'a metric that was not measured'

done_testing
