#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One sweep over two kernels: what the first does not offer is measured under the second, and the tables say so. The
# kernels are two trees of the fake sysfs, and what uname(2) says under setarch.
. tests/lib.sh
. tests/fakesys/lib.sh
need_loop
need_fakesys
need_commands sqlite3 setarch script

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
mkdir "$T/bin"
cat > "$T/bin/fio" <<'F'
#!/bin/bash
if [ "$1" = --version ]; then echo fio-3.33; exit; fi
cat <<J
{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "patterns", "error" : 0, "job_runtime" : 1000,
  "read" : { "io_bytes" : 40960000, "bw_bytes" : 40960000, "bw" : 40000, "iops" : 10000.0, "runtime" : 1000,
  "total_ios" : 10000 } } ] }
J
F
chmod +x "$T/bin/fio"
export PATH=$T/bin:$PATH

mount_kernel() # TREE: with the same disk in both
{
	local number
	number=$(lsblk -ndo MAJ:MIN "$dev" | tr -d ' ')
	awk -v map="$number" '/^device\/(wwid|model|vendor|serial)/ { next } { print }
		/^\[disk sda\]/ { print "map = " map; print "device/wwid = naa.5000c500a1b2c3d4" }' \
		"tests/fakesys/trees/$1.tree" > "$T/$1.tree"
	fakesys_mount "$T/$1.tree"
	export IOBENCH_SYSFS=$SYS
}

mount_kernel legacy
run script -qec "setarch --uname-2.6 '$IOBENCH' sweep --dev $dev --scheds cfq,bfq -p read -j 1,2 -n 3 -t 1 --ramp 0 \
	--db '$db' --name both" /dev/null
is $RC 5 'the old kernel runs cfq and leaves bfq pending'
is "$(grep -oE 'run [0-9]+ of [0-9]+' <<< "$OUT" | uniq | xargs)" \
	'run 1 of 6 run 2 of 6 run 3 of 6 run 4 of 6 run 5 of 6 run 6 of 6' 'the progress counts what can be made'
run setarch --uname-2.6 "$IOBENCH" resume --db "$db"
is $RC 5 'there it stays pending'
like "$ERR" 'none of them is left that can be made now' 'which is said'
fakesys_umount

mount_kernel scsi
run "$IOBENCH" resume --db "$db"
is $RC 0 'the new kernel runs bfq'
is "$(sqlite3 "$db" "select count(*) from run where state = 'ok'")" 12 'and only that'
is "$(sqlite3 "$db" 'select count(distinct environment) from run')" 2 'under an environment of its own'
like "$OUT" '\[0\] - cfq, kernel 2\.6' 'the table says which kernel each column was measured on'
like "$OUT" "\[1\] - bfq, kernel $(uname -r)" 'in both columns'
is "$(sqlite3 "$db" "select count(*) from cell where state = 'done'")" 4 'all cells are done'
done_testing
