#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several devices measured together: all of them are switched, locked, checked and put back.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
a=$(make_loop 64M)
b=$(make_loop 32M)
db=$T/x.db
settings() { for d in "$a" "$b"; do (cd "/sys/block/${d#/dev/}/queue" && grep -rs . .); done | sort; }
sql() { sqlite3 "$db" "$1"; }
short=(--runtime 200ms --ramp 0 --db "$db" --bs 64k --runs 1 --jobs 1)
grep -qw bfq "/sys/block/${b#/dev/}/queue/scheduler" || skip_all 'this kernel does not offer bfq on a loop device'
echo mq-deadline > "/sys/block/${a#/dev/}/queue/scheduler"
echo none > "/sys/block/${b#/dev/}/queue/scheduler"
before=$(settings)

run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds bfq --patterns read "${short[@]}"
is $RC 0 'two devices are measured together'
like "$(sql 'select command from run_detail')" "DEV=$a:$b .*SIZE=33554432" 'fio gets both; a region fits on the smaller'
like "$ERR" "'$b' has 32 MiB: the job gets a region" 'which is named'
like "$(sql 'select content from settings')" "${a#/dev/}:queue/scheduler.*${b#/dev/}:queue/scheduler" 'both are switched'
is "$(sql 'select count(distinct device) from sample join device d on d.id = device
	where d.name in ('"'${a#/dev/}', '${b#/dev/}'"')')" 2 'samples of the disks carry the device'
is "$(settings)" "$before" 'both are put back'

cat > "$T/many.fio" <<'F'
# How does throughput grow with the number of devices? ${DEVICES}
[many]
filename=${DEV}
size=4m
rw=read
description=${DEVICES}
allow_file_create=0
F
run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds none --job "$T/many.fio" --runs 1 --db "$db"
is $RC 0 'a job may ask for the number of devices'
is "$(sql "select count(*) from run_detail where command like '%DEV=$a RANDSEED%DEVICES=1%'
	or command like '%DEV=$a:$b %DEVICES=2%'")" 2 'which is an axis from 1 to all'
run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds none --job "$T/many.fio" --devices 3 --runs 1 --db "$db"
is $RC 2 'more devices than there are'
like "$ERR" '--devices 3, but --dev is given 2 times' 'are refused'
run "$IOBENCH" sweep --dev "$a" --dev "$a" --scheds none "${short[@]}"
is $RC 2 'one device given twice'
like "$ERR" "'$a' is given twice" 'is refused'

# what is true of the second device only
mkfs.ext4 -q "$b"
run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds none --patterns write --write-ok "--write-ok=$a" "${short[@]}"
is $RC 2 'a file system on the second device'
like "$ERR" "ext4.*--write-ok=$b" 'is not overwritten'
run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds none --patterns write "--write-ok=$b" "--write-ok=$a" "${short[@]}"
is $RC 0 'unless each is named'
mkfs.ext4 -q "$b" && mkdir "$T/mnt" && mount "$b" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
run "$IOBENCH" sweep --dev "$a" --dev "$b" --scheds none --patterns read "${short[@]}"
is $RC 3 'a second device that is mounted'
like "$ERR" "$b' is mounted on '$T/mnt'" 'is refused'
is "$(settings)" "$before" 'and nothing was touched'
umount "$T/mnt"

done_testing
