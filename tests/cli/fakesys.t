#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fake sysfs itself: other tests believe what it says about the kernel.
# shellcheck disable=SC2016,SC2034 # conditions are evaluated by ok
# shellcheck disable=SC2010,SC2012,SC2086 # names in here have no blanks
# shellcheck disable=SC1091,SC2094
. tests/lib.sh
. tests/fakesys/lib.sh
need_fakesys
fakesys=$BUILD/tests/fakesys/fakesys

# What FILE reads, and what writing VALUE to it gives: "ok" or the error, then what it reads.
reads()
{
	local text
	read -r text < "$1" && printf '%s' "$text"
}
puts()	# FILE VALUE
{
	local error result=ok
	if ! error=$( { printf %s "$2" > "$1"; } 2>&1 ); then result=${error##*: }; fi
	printf '%s, %s' "$result" "$(reads "$1" 2>&1)"
}
fails()	# COMMAND...: the words of the error
{
	local error
	if error=$("$@" 2>&1); then echo ok; else printf '%s' "${error##*: }"; fi
}
inode()
{
	stat -c %i "$1"
}
writes()	# the log as "path=value result", one a line
{
	fakesys_log | awk -F '\t' '{ print $1 "=" $2, $3 }'
}

# ---- as a real kernel: every write of measure.sh has the outcome that it had there
fakesys_mount mq
ok $? 'mq.tree is mounted'
tests/fakesys/measure.sh "$SYS/block/loop0" > "$T/fake" 2>&1
is "$(diff tests/fakesys/measured.txt "$T/fake")" '' 'a disk does what measured.txt says a kernel did'
ok '[ "$(wc -l < "$T/fake")" -gt 800 ]' '... in all of its lines'

# ---- where things are
is "$(ls "$SYS/block")" $'loop0\nnvme0n1\nvdb' 'block/ has the disks'
is "$(ls "$SYS/class/block")" $'loop0\nnvme0n1\nnvme0n1p1\nnvme0n1p2\nnvme0n1p3\nvdb' 'class/block/ has the partitions too'
is "$(readlink "$SYS/block/loop0")" ../devices/virtual/block/loop0 'a virtual disk is below devices/virtual'
is "$(readlink "$SYS/dev/block/254:16")" ../../devices/pci0000:00/0000:00:03.0/virtio2/block/vdb 'dev/block finds a disk'
is "$(readlink "$SYS/block/vdb/device")" ../../../virtio2 'device is the way up'
is "$(reads "$SYS/block/vdb/serial")" vdb-serial 'a file that only the tree names is there'
like "$(puts "$SYS/block/vdb/serial" x)" '^Permission denied' '... and cannot be written'
is "$(realpath "$SYS/dev/block/259:2")" "$(realpath "$SYS/block/nvme0n1/nvme0n1p2")" 'dev/block finds a partition'
is "$(reads "$SYS/class/block/nvme0n1p2/partition")" 2 'a partition has its number'
is "$(cd "$SYS/block/nvme0n1" && cat nvme0n1p1/start nvme0n1p1/size nvme0n1p2/start)" $'2048\n651174373\n651176421' \
	'a partition has a place'
ok '[ ! -e "$SYS/class/block/nvme0n1p2/queue" ]' 'a partition has no queue'
is "$(stat -c '%A %s' "$SYS/block/loop0/queue/scheduler" "$SYS/block/loop0/queue/fua" "$SYS/block/loop0/queue/")" \
	$'-rw-r--r-- 4096\n-r--r--r-- 4096\ndrwxr-xr-x 0' 'modes and sizes are those of sysfs'
ok '[ "$(reads "$SYS/block/loop0/diskseq")" != "$(reads "$SYS/block/vdb/diskseq")" ]' 'disks have a diskseq each'

# ---- files, in what a shell can do with them
q=$SYS/block/loop0/queue
echo none > $q/scheduler
like "$(puts $q/nosuch 1)" '^Permission denied' 'nothing can be created'
chmod 755 "$T"
is "$(setpriv --reuid 65534 --clear-groups bash -c "echo 1 > $q/nomerges" 2>&1 | sed 's/.*: //')" 'Permission denied' \
	'only root writes'
is "$(setpriv --reuid 65534 --clear-groups cat $q/scheduler)" '[none] mq-deadline kyber bfq ' 'everybody reads'
exec 3<> $q/scheduler
printf bfq >&3
is "$(reads $q/scheduler)" 'none mq-deadline kyber [bfq]' 'a file open for both can be written'
exec 3<&-

before=$(inode $q/iosched)
echo bfq > $q/scheduler
is "$(inode $q/iosched)" "$before" 'writing the current scheduler keeps iosched'
echo 7 > $q/iosched/fifo_expire_sync
exec 3< $q/iosched/fifo_expire_sync 4> $q/iosched/fifo_expire_sync
cd $q/iosched || exit 1
echo none > $q/scheduler
ok '[ ! -e $q/iosched ]' 'none has no iosched'
echo bfq > $q/scheduler
ok '[ "$(inode $q/iosched)" != "$before" ]' 'away and back makes a new iosched'
is "$(reads $q/iosched/fifo_expire_sync)" 125 '... with the defaults'
is "$(fails cat <&3)" 'No such device' 'a file held open from the old iosched cannot be read'
is "$( { printf 1 >&4; } 2>&1 | sed 's/.*: //')" 'No such device' '... nor written'
ok '[ ! -e slice_idle ] && [ -z "$(ls)" ]' 'a directory held from before has nothing in it'
cd - > /dev/null || exit 1
exec 3<&- 4>&-

# ---- nr_requests under none resizes the tags, and only debugfs tells
depth()
{
	sed -n 's/^depth=//p' "$SYS/kernel/debug/block/loop0/hctx0/tags"
}
echo none > $q/scheduler
echo 127 > $q/nr_requests
is "$(depth)" 127 'nr_requests under none resizes the tags'
echo bfq > $q/scheduler
echo 99 > $q/nr_requests
is "$(depth)" 127 '... under a scheduler it does not'
echo none > $q/scheduler
is "$(reads $q/nr_requests) $(depth)" '128 127' '... which the file does not say after a switch'
echo 128 > $q/nr_requests
is "$(depth)" 127 '... and writing what the file says does nothing'
echo 127 > $q/nr_requests
echo 128 > $q/nr_requests
is "$(depth)" 128 '... but another value before does'

# ---- a bfq that looks at rotational
q=$SYS/block/vdb/queue
echo 0 > $q/rotational
echo bfq > $q/scheduler
is "$(reads $q/iosched/slice_idle) $(reads $q/iosched/slice_idle_us)" '0 0' 'nonrot_idle=0: no idling if not rotational'
echo 1 > $q/rotational
is "$(reads $q/iosched/slice_idle)" 0 '... setting rotational afterwards changes nothing'
echo none > $q/scheduler
echo bfq > $q/scheduler
is "$(reads $q/iosched/slice_idle) $(reads $q/iosched/slice_idle_us)" '8 8000' '... but before the switch it does'
is "$(puts $q/wbt_lat_usec 1234; echo none > $q/scheduler; reads $q/wbt_lat_usec)" 'ok, 12341234' \
	'wbt set by hand survives a switch'

# ---- the log
fakesys_log clear
is "$(fakesys_log)" '' 'the log can be emptied'
echo kyber > $q/scheduler
printf 'x' 2> /dev/null > $q/nr_requests
printf ' 33\n' 2> /dev/null > $q/nr_requests
{ echo 1 > $q/fua; } 2> /dev/null
echo 999 > $q/iosched/read_lat_nsec
is "$(writes)" 'vdb/queue/scheduler=kyber ok
vdb/queue/nr_requests=x EINVAL
vdb/queue/nr_requests=33 EINVAL
vdb/queue/fua= EACCES
vdb/queue/iosched/read_lat_nsec=999 ok' 'the log has every write in order, with its result'

# ---- what can be made to happen
fakesys_do ebusy vdb 2
is "$(puts $q/scheduler bfq)" 'Device or resource busy, none mq-deadline [kyber] bfq' 'ebusy: a switch fails'
is "$(puts $q/nr_requests 99)" 'ok, 99' '... other writes do not'
is "$(puts $q/scheduler bfq; puts $q/scheduler bfq)" \
	'Device or resource busy, none mq-deadline [kyber] bfqok, none mq-deadline kyber [bfq]' '... and only so often'
fakesys_do ebusy vdb -1
is "$(for _ in 1 2 3 4 5; do puts $q/scheduler none | cut -c1-6; done | uniq -c)" '      5 Device' 'ebusy -1: for ever'
fakesys_do ebusy vdb 0
is "$(puts $q/scheduler none)" 'ok, [none] mq-deadline kyber bfq' 'ebusy 0: no more'
fakesys_do refuse vdb bfq
is "$(puts $q/scheduler bfq)" 'Invalid argument, [none] mq-deadline kyber bfq' 'refuse: a listed scheduler is refused'
is "$(puts $q/scheduler kyber)" 'ok, none mq-deadline [kyber] bfq' '... others are not'
before=$(inode $q/iosched)
fakesys_log clear
fakesys_do flip vdb mq-deadline
is "$(reads $q/scheduler)" 'none [mq-deadline] kyber bfq' 'flip: somebody else switches'
ok '[ "$(inode $q/iosched)" != "$before" ] && [ -e $q/iosched/fifo_batch ]' '... as a switch does'
is "$(fakesys_log)" '' '... and it is no write of ours'
fakesys_do set vdb queue/nr_requests 64
is "$(reads $q/nr_requests)" 64 'set: a value is changed'
fakesys_do set vdb stat '1 2 3'
is "$(reads "$SYS/block/vdb/stat")" '1 2 3' '... with blanks in it, of a read-only file too'
fakesys_do stick vdb queue/nr_requests
is "$(puts $q/nr_requests 32)" 'ok, 64' 'stick: a write succeeds and changes nothing'
fakesys_do stick vdb queue/iosched/fifo_batch
echo kyber > $q/scheduler
echo mq-deadline > $q/scheduler
is "$(puts $q/iosched/fifo_batch 3)" 'ok, 16' '... also of a tunable, over switches'
fakesys_do fail vdb queue/read_ahead_kb EIO 1
is "$(puts $q/read_ahead_kb 8)" 'Input/output error, 128' 'fail: with any error'
is "$(puts $q/read_ahead_kb 8)" 'ok, 8' '... so often'
fakesys_do readonly vdb queue/nomerges
is "$(puts $q/nomerges 2)" 'Permission denied, 0' 'readonly: even for root'
for bad in nonsense 'ebusy nosuch 1' 'ebusy vdb' 'set vdb queue/nosuch 1' 'set vdb queue/scheduler bfq' 'fail vdb queue/nomerges EWHAT 1' \
    'flip vdb cfq' 'gone nosuch' 'offline cpu0'; do
	ok '! fakesys_do $bad 2> /dev/null' "'$bad' is refused"
done
exec 3< $q/scheduler
fakesys_do gone vdb
is "$(fails cat <&3)" 'No such device' 'gone: a file held open gives ENODEV'
exec 3<&-
is "$(fails cat $q/scheduler)" 'No such file or directory' '... the path is gone'
is "$(ls "$SYS/block" "$SYS/dev/block" | grep -c -e vdb -e 254:16)" 0 '... and so are the links'
fakesys_umount
ok '! mountpoint -q "$SYS"' 'it can be unmounted'

# ---- SCSI
fakesys_mount scsi
q=$SYS/block/sda/queue
is "$(reads $q/nr_requests) $(reads "$SYS/block/sda/mq/0/nr_tags")" '64 32' '32 tags: schedulers get 64 requests'
echo none > $q/scheduler
is "$(reads $q/nr_requests)" 32 '... none the tags'
is "$(puts $q/nr_requests 33)" 'Invalid argument, 32' '... and no more'
is "$(reads "$SYS/block/sda/device/model")" ST2000DM008-2FR1 'the device has a model'
is "$(readlink "$SYS/block/sda/device")" ../../../0:0:0:0 '... above the disk'
depth=$SYS/block/sda/device/queue_depth
is "$(puts $depth 1); $(puts $depth 0); $(puts $depth 33); $(puts $depth 32)" \
	'ok, 1; Invalid argument, 1; Invalid argument, 1; ok, 31' 'queue_depth has bounds'
is "$(reads "$SYS/block/sdb/queue/scheduler") $(reads "$SYS/block/sdb/queue/wbt_lat_usec")" \
	'none mq-deadline kyber [bfq] 0' 'a disk can start with any scheduler'
echo none > "$SYS/block/sdb/queue/scheduler"
is "$(reads "$SYS/block/sdb/queue/wbt_lat_usec")" 75000 '... and has the wbt of a rotational disk after it'
is "$(ls "$SYS/block/sda" | grep sda)" $'sda1\nsda2' 'partitions are below the disk'
fakesys_log clear
echo 7 > $depth
is "$(writes)" 'sda/device/queue_depth=7 ok' 'the log names the device'
fakesys_umount

# ---- before blk-mq
fakesys_mount legacy
q=$SYS/block/sda/queue
is "$(cat $q/scheduler)" 'noop deadline [cfq] ' 'legacy: cfq is there'
is "$(ls $q/iosched | paste -sd ' ')" 'back_seek_max back_seek_penalty fifo_expire_async fifo_expire_sync group_idle low_latency quantum slice_async slice_async_rq slice_idle slice_sync target_latency' \
	'... with its tunables'
is "$(puts $q/iosched/slice_idle 5); $(puts $q/iosched/slice_idle x); $(puts $q/iosched/quantum 0)" 'ok, 8; ok, 0; ok, 1' \
	'... which take anything'
echo 512 > $q/nr_requests
is "$(puts $q/scheduler deadline; reads $q/nr_requests)" 'ok, noop [deadline] cfq512' 'deadline is deadline, nr_requests stays'
is "$(ls $q/iosched | paste -sd ' ')" 'fifo_batch front_merges read_expire write_expire writes_starved' '... with its tunables'
echo noop > $q/scheduler
is "$(ls $q/iosched)" '' 'noop has an empty iosched'
for s in none mq-deadline bfq kyber; do
	is "$(puts $q/scheduler $s)" 'Invalid argument, [noop] deadline cfq' "there is no $s"
done
echo cfq > "$SYS/block/sdb/queue/scheduler"
is "$(reads "$SYS/block/sdb/queue/iosched/slice_idle")" 0 'cfq does not idle where nothing rotates'
ok '[ ! -e $q/wbt_lat_usec ] && [ ! -e "$SYS/block/sda/mq" ]' 'what blk-mq brought is not there'
fakesys_umount

# ---- stacked
fakesys_mount dm
q=$SYS/block/dm-0/queue
is "$(reads $q/scheduler)" none 'dm: reads just none'
is "$(puts $q/scheduler bfq); $(puts $q/scheduler garbage)" 'ok, none; ok, none' '... takes everything and changes nothing'
ok '[ ! -e $q/iosched ]' '... has no iosched'
is "$(puts $q/nr_requests 64)" 'Invalid argument, 128' '... and no requests'
ok '[ ! -e "$SYS/block/dm-1/queue/scheduler" ] && [ -e "$SYS/block/dm-1/queue/rotational" ]' 'newer kernels have no such file'
is "$(ls "$SYS/block/dm-0/slaves" "$SYS/block/sda/sda2/holders" "$SYS/block/sdb/holders" "$SYS/block/sda/holders" | grep -v '^$' | sed "s,$SYS/,,")" \
'block/dm-0/slaves:
sda2
sdb
block/sda/holders:
block/sda/sda2/holders:
dm-0
block/sdb/holders:
dm-0' 'slaves and holders name each other'
is "$(realpath "$SYS/block/dm-1/slaves/dm-0")" "$(realpath "$SYS/block/dm-0")" '... over several levels'
is "$(reads "$SYS/block/md0/md/level") $(reads "$SYS/block/dm-0/dm/name")" 'raid1 vg-data' 'dm and md say what they are'
fakesys_umount

# ---- cpufreq
fakesys_mount cpufreq
cpu=$SYS/devices/system/cpu
is "$(cd $cpu && cat possible present online offline)" $'0-7\n0-3,5-6\n0-2,5-6\n3-4,7' 'CPUs have holes'
is "$(cd $cpu && ls -d cpu[0-9]* | paste -sd ' ')" 'cpu0 cpu1 cpu2 cpu3 cpu5 cpu6' '... that is, directories missing'
is "$(readlink $cpu/cpu6/cpufreq)" ../cpufreq/policy5 'CPUs share a policy'
is "$(reads $cpu/cpu6/cpufreq/affected_cpus)" '5 6' '... which says so'
is "$(fails cat $cpu/cpu3/cpufreq/scaling_governor)" 'Device or resource busy' 'the policy of an offline CPU is not in use'
like "$(puts $cpu/cpu3/cpufreq/scaling_governor performance)" '^Device or resource busy' '... nor can it be set'
ok '[ ! -e $cpu/cpu0/online ]' 'cpu0 is always online'
p=$cpu/cpu1/cpufreq
is "$(puts $p/scaling_governor schedutil); $(puts $p/scaling_governor performance)" \
	'Invalid argument, powersave; ok, performance' 'a governor has to be on offer'
is "$(puts $p/energy_performance_preference power); $(puts $p/energy_performance_preference performance)" \
	'Device or resource busy, performance; ok, performance' 'performance leaves no other preference'
is "$(puts $p/scaling_governor powersave; reads $p/energy_performance_preference)" 'ok, powersavebalance_power' \
	'... and the one from before comes back'
is "$(puts $p/energy_performance_preference nonsense); $(puts $p/energy_performance_preference power)" \
	'Invalid argument, balance_power; ok, power' 'a preference has to be on offer'
is "$(puts $p/scaling_max_freq 2000000); $(puts $p/scaling_min_freq 9000000); $(puts $p/scaling_min_freq x)" \
	'ok, 2000000; ok, 2000000; Invalid argument, 2000000' 'bounds are cut to what there is'
is "$(puts $p/scaling_max_freq 900000; reads $p/scaling_min_freq)" 'ok, 900000900000' '... and never cross'
s=$cpu/cpu5/cpufreq
is "$(puts $s/scaling_setspeed 2000000)" 'Invalid argument, <unsupported>' 'only userspace sets a speed'
echo userspace > $s/scaling_governor
is "$(puts $s/scaling_setspeed 2000000); $(puts $s/scaling_setspeed 1)" 'ok, 2000000; ok, 1400000' '... within the bounds'
is "$(reads $s/scaling_cur_freq)" 1400000 '... which is then the speed'
fakesys_do readonly-governor cpu2
is "$(puts $cpu/cpu2/cpufreq/scaling_governor performance)" 'Permission denied, powersave' 'readonly-governor: even for root'
fakesys_do offline cpu5
is "$(cd $cpu && cat online cpu5/online cpu6/cpufreq/affected_cpus cpu6/cpufreq/related_cpus)" $'0-2,6\n0\n6\n5 6' \
	'offline: a CPU goes'
echo 0 > $cpu/cpu6/online
is "$(fails cat $cpu/cpu6/cpufreq/scaling_governor)" 'Device or resource busy' '... and the last takes its policy along'
fakesys_do online cpu5
is "$(reads $cpu/cpu5/cpufreq/scaling_governor) $(reads $cpu/online)" 'userspace 0-2,5' 'online: back'
fakesys_log clear
is "$(unshare -m bash -c "mount --bind $cpu /sys/devices/system/cpu && cd /sys/devices/system/cpu &&
	echo performance > cpu0/cpufreq/scaling_governor && cat online cpu0/cpufreq/scaling_governor" 2>&1)" \
	$'0-2,5\nperformance' 'it can stand in for /sys/devices/system/cpu'
is "$(writes)" 'policy0/scaling_governor=performance ok' 'the log names the policy'
fakesys_umount

# ---- a real block device that stands for a fake disk
if losetup -f > /dev/null 2>&1; then
	fakesys_mount scsi
	dev=$(make_loop 8M)
	number=$(reads "/sys/block/${dev#/dev/}/dev")
	fakesys_do map sda "$number"
	is "$(realpath "$SYS/dev/block/$number")" "$(realpath "$SYS/block/sda")" 'map: the number leads to the fake disk'
	is "$(reads "$SYS/block/sda/dev") $(reads "$SYS/block/sda/size")" "$number 16384" '... which has that number and size'
	dd if="$dev" of=/dev/null bs=4k iflag=direct count=32 2> /dev/null
	is "$(reads "$SYS/block/sda/stat")" "$(reads "/sys/block/${dev#/dev/}/stat")" '... and its counters'
	ok '[ "$(awk "{ print \$3 }" "$SYS/block/sda/stat")" -ge 256 ]' '... live'
	fakesys_do set sda size 99
	is "$(reads "$SYS/block/sda/size")" 99 '... unless they are set'
	fakesys_umount
else
	skip 'map' 'needs loop devices'
fi

# ---- when fakesys itself dies
SYS=$(mktemp -d "$T/sys.XXXXXX")
at_exit "fakesys_unmount $SYS"
pid=$("$fakesys" -f tests/fakesys/trees/mq.tree "$SYS" > /dev/null & echo $!) # of a subshell: its end is not reported
until [ -e "$SYS/block" ]; do kill -0 "$pid" || break; done
kill -KILL "$pid"
while kill -0 "$pid" 2> /dev/null; do :; done
ok '! ls "$SYS" 2> /dev/null' 'fakesys in the foreground is dead when it is killed'
fakesys_umount
is "$(ls "$SYS")" '' '... and can be unmounted all the same'

# ---- descriptions that are wrong
bad_tree()	# TEXT REGEX
{
	printf '%b' "$1" > "$T/bad.tree"
	run "$fakesys" "$T/bad.tree" "$T"
	ok '[ $RC -eq 2 ]' "refused: $1"
	like "$ERR" "$2" '... and says why'
}
bad_tree '[disk sda]\nsize=1\n' "dev: '' is not a number"
bad_tree '[disk sda]\ndev=8:0\nschedulers=none bfq\n' "'none bfq' has none in brackets"
bad_tree '[disk dm-0]\ndev=8:0\nslaves=sda\n' "slave 'sda' is not described"
bad_tree '[policy 0]\ncpus=0\n' 'comes first'
bad_tree '[disc sda]\ndev=8:0\n' 'no section .disc sda'
bad_tree '[disk sda]\ndev=8:0\n[control]\ncommand=ebusy sdb 1\n' "'ebusy sdb 1' cannot be done"
bad_tree 'nonsense\n' 'line 1'
run "$fakesys" "$T/nosuch.tree" "$T"
is "$RC" 2 'a tree that is not there is refused'
like "$ERR" 'No such file' '... and says so'

# ---- faults that are there from the start
printf '[disk sda]\ndev=8:0\nschedulers=[none] bfq\nqueue/nr_requests=17\n[control]\ncommand=refuse sda bfq\ncommand=stick sda queue/nomerges\n' \
	> "$T/own.tree"
fakesys_mount "$T/own.tree"
q=$SYS/block/sda/queue
is "$(puts $q/scheduler bfq); $(puts $q/nomerges 1); $(reads $q/nr_requests)" 'Invalid argument, [none] bfq; ok, 0; 17' \
	'a tree can begin with faults and with any value'
fakesys_umount

# ---- a test that ends early leaves nothing mounted
sys=$(bash -c '. tests/lib.sh; . tests/fakesys/lib.sh; fakesys_mount mq; echo "$SYS"; exec 3< "$SYS/block/loop0/size"; kill -TERM $$; echo survived')
ok '[ -n "$sys" ] && ! mountpoint -q "$sys" && [ ! -e "$sys" ]' 'a test that is killed leaves nothing mounted'

done_testing
