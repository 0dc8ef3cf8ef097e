#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Simulated disks: made, used, spoiled, killed, removed. Nothing here depends on how quick this machine is.
. tests/lib.sh
need_loop
need_commands fio sqlite3 mkfs.ext4
[ -c /dev/fuse ] || skip_all 'needs /dev/fuse'

export IOBENCH_RUNDIR=$T/run
mkdir "$IOBENCH_RUNDIR"
at_exit "'$IOBENCH' vdisk remove --all > /dev/null 2>&1"
vdisk() { run "$IOBENCH" vdisk "$@"; }
leftovers() { find "$IOBENCH_RUNDIR/vdisk" -mindepth 1 ! -name lock; grep -s "$IOBENCH_RUNDIR" /proc/self/mounts; losetup -a | grep -F "$IOBENCH_RUNDIR"; }
# its value of a line of 'show'
value() { "$IOBENCH" vdisk show "$1" | sed -n "s/^$2 //p"; }

vdisk list
is "$RC$OUT" 0 'at first there is none'

# ---- made, seen
vdisk create --profile laptop --size 2G
dev=$OUT
is $RC 0 'a disk is made' || diag "$ERR"
like "$dev" '^/dev/loop[0-9]+$' 'its device is printed'
like "$ERR" 'simulated disk.*remove it with: iobench vdisk remove loop' 'and how to get rid of it'
q=/sys/block/${dev#/dev/}/queue
is "$(cat "$q/rotational")" 1 'it is rotational'
is "$(blockdev --getsize64 "$dev")" 2147483648 'it has the size asked for'
echo bfq > "$q/scheduler" && is "$(cat "$q/iosched/slice_idle")" 8 'bfq idles on it'
echo none > "$q/scheduler"
vdisk list
is "$OUT" "$dev  laptop-1  2 GiB" 'list shows it'
vdisk show "${dev#/dev/}"
like "$OUT" 'profile=laptop .*rpm=5400' 'show tells all its figures'
like "$OUT" 'late_p99_us [0-9]+' 'show tells how late it was'

# ---- what is written is read back
mkfs.ext4 -q "$dev" 2> "$T/mkfs.log"
mkdir "$T/mnt"
mount "$dev" "$T/mnt" || diag "$(cat "$T/mkfs.log")"
head -c 3000000 /dev/urandom > "$T/data"
cp "$T/data" "$T/mnt/data"
umount "$T/mnt"
mount "$dev" "$T/mnt"
cmp "$T/data" "$T/mnt/data"
ok $? 'a file is read back from it after umount and mount'
# the first one is taken for done; by it the loop driver finds out that there are none
fstrim "$T/mnt" 2> "$T/fstrim.log"
umount "$T/mnt"
run blkdiscard -f -o 0 -l 2M "$dev"
like "$RC$ERR" '^1.*not supported' 'without --discard it cannot discard'
mount "$dev" "$T/mnt"
cmp "$T/data" "$T/mnt/data"
ok $? 'and the data are still there'
vdisk remove laptop-1
is $RC 3 'while it is mounted it is not removed'
like "$ERR" "mounted on '$T/mnt'" 'and who uses it is said'
umount "$T/mnt"
[ "$(value "$dev" write_bytes)" -gt 3000000 ] && [ "$(value "$dev" flushes)" -gt 0 ]
ok $? 'it has counted what was written'

# ---- faults
read_at() { dd if="$dev" of=/dev/null bs=4k count=1 skip="$1" iflag=direct 2> /dev/null; }
vdisk fault "$dev" eio:from=1M:to=2M
is $RC 0 'a fault is put in'
ok 'read_at 255 && ! read_at 256 && ! read_at 511 && read_at 512' 'reads fail in the range and only there'
like "$("$IOBENCH" vdisk show "$dev")" 'fault eio:from=1048576:to=2097152 \(struck [1-9]' 'show counts how often it struck'
vdisk fault "$dev" clear
ok 'read_at 256' 'cleared, it reads again'
vdisk fault "$dev" slow:from=4M:to=5M:time=700ms
start=$(date +%s%N); read_at 1024; took=$(( ($(date +%s%N) - start) / 1000000 ))
ok "[ $took -ge 700 ]" 'a slow sector takes its time'
vdisk fault "$dev" clear
vdisk fault "$dev" hang:time=1s
start=$(date +%s%N); read_at 9000; took=$(( ($(date +%s%N) - start) / 1000000 ))
ok "[ $took -ge 500 ]" 'a drive that hangs does not answer'
vdisk fault "$dev" stuck
read_at 20000 & reader=$!
sleep 0.3
ok "kill -0 $reader" 'a stuck command is not done'
vdisk fault "$dev" clear
ok "wait $reader" 'until it is cleared'
vdisk fault "$dev" gone
ok '! read_at 30000' 'a drive that is gone fails everything'
vdisk fault "$dev" clear
vdisk fault "$dev" melt
is "$RC" 2 'an unknown fault is refused'
vdisk fault "$dev" slow
like "$ERR" "'slow' needs a time" 'and of a wrong one what is wrong with it is said'
vdisk fault "$dev" ''
is "$RC" 2 'and none at all'
vdisk remove "$dev" nosuch
is "$RC$("$IOBENCH" vdisk list)" "2$dev  laptop-1  2 GiB" 'if one of several is not there, none is removed'

# ---- removed
sim=$(value "$dev" pid)
vdisk remove "$dev"
is "$RC$ERR" 0 'it is removed'
is "$(leftovers)" '' 'nothing is left of it'
ok "! kill -0 $sim 2> /dev/null" 'nor its process'
vdisk remove "$dev"
is $RC 2 'one that is not there cannot be removed'

# ---- killed: the simulator, with work under way
vdisk create --size 4G --backing memory; one=$OUT
vdisk create --size 4G; two=$OUT
like "$("$IOBENCH" vdisk list)" "$one  hd103sj-1.*$two  hd103sj-2" 'there can be several'
fio --name=x --filename="$one" --rw=randread --direct=1 --ioengine=libaio --iodepth=8 --runtime=20 --time_based --readonly \
	--allow_file_create=0 > /dev/null 2>&1 & fio=$!
sleep 0.5
kill -9 "$(value "$one" pid)"
wait $fio
like "$("$IOBENCH" vdisk list)" "$one  hd103sj-1  dead" 'list shows that one is dead'
vdisk remove --all
is "$RC$ERR" 0 'remove --all takes away the dead and the living' || diag "$ERR"
is "$(leftovers)" '' 'nothing is left of them'

# ---- killed: create, at some instant
for delay in 0.005 0.02 0.05 0.1 0.2; do
	"$IOBENCH" vdisk create --size 1G > /dev/null 2>&1 & pid=$!
	sleep $delay
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
done
vdisk remove --all
is "$RC$ERR" 0 'what killed creates left is removed' || diag "$ERR"
is "$(leftovers)" '' 'nothing is left of it'

# ---- refused
vdisk create --profile nosuch
is $RC 2 'an unknown profile is refused'
like "$ERR" "no profile 'nosuch' \(there are: .*hd103sj" 'with those there are'
vdisk create --size 5000
is $RC 2 'a size that is none is refused'
vdisk create --backing "$T/nowhere"
is $RC 3 'a backing directory that is not there is refused'
vdisk create --tags 2
is $RC 2 'so few tags no loop device has'
vdisk brew
is $RC 2 'an unknown verb is refused'
run setpriv --reuid=65534 --clear-groups "$IOBENCH" vdisk create
is $RC 3 'only root can make one'
like "$ERR" 'need root' 'which is said'
private_dev() { # NODE... MAJOR:MINOR pairs: a /dev with nothing else in it
	local script='mount -t tmpfs dev /dev; mknod /dev/null c 1 3;'
	for node; do script+="mknod /dev/${node%%=*} c ${node#*=};"; done
	run unshare -m bash -c "$script exec '$IOBENCH' vdisk create --size 1G"
}
private_dev 'loop-control=10 237'
like "$RC$ERR" '^3.*/dev/fuse.*cannot be used' 'without FUSE that is what is said'
private_dev 'fuse=10 229'
like "$RC$ERR" '^3.*no loop devices.*/dev/loop-control' 'and without loop devices'
private_dev 'fuse=10 229' 'loop-control=10 237'
like "$RC$ERR" '^3.*cannot open the loop device' 'or the one that is free'
is "$(leftovers)" '' 'each leaves nothing'
printf '[disk]\nkind = flash\nsize_bytes = 1G\n[flash]\nchannels = 4\npage_bytes = 4k\nread_us = 100\nwrite_us = 100\n[drive]
interface_mb_s = 500\noverhead_us = 10\ndepth = 8\n' > "$T/mine.ini"
vdisk create --profile "$T/mine.ini"; dev=$OUT
is $RC 0 "a profile of the user's own works" || diag "$ERR"
is "$(cat "/sys/block/${dev#/dev/}/queue/rotational")" 0 'flash does not turn'
vdisk remove --all
is "$(leftovers)" '' 'nothing is left in the end'

# ---- tags: what the loop device lets through at a time; its file in sysfs does not tell
many_reads() { fio --name=x --filename="$1" --rw=randread --direct=1 --ioengine=libaio --iodepth=32 --io_size=400k --readonly \
	--allow_file_create=0 > "$T/fio.log" 2>&1; }
tags_of() { sed -n 's/^depth=//p' "/sys/kernel/debug/block/${1#/dev/}/hctx0/tags" | head -n 1; }
vdisk create --size 16G --tags 4; dev=$OUT
many_reads "$dev"
ok $? '32 reads at a time on a disk with 4 tags'
is "$(value "$dev" depth_max)" 4 'never more than 4 come to the drive'
echo mq-deadline > "/sys/block/${dev#/dev/}/queue/scheduler"
many_reads "$dev"
is "$(value "$dev" depth_max)" 4 'whatever the scheduler'
vdisk remove "$dev"
if [ -e "/sys/kernel/debug/block/${dev#/dev/}" ]; then
	is "$(tags_of "$dev")" 128 'the loop device has all its tags back'
else
	skip 'the loop device has all its tags back' 'debugfs is not mounted'
fi

# ---- discards; and many requests at a time, which no thread of FUSE may hold up
vdisk create --size 16G --discard; dev=$OUT
head -c 1M /dev/urandom | dd of="$dev" bs=1M oflag=direct 2> "$T/dd.log"
ok "! cmp -s -n 1048576 '$dev' /dev/zero" 'what was written is there'
run blkdiscard -o 0 -l 1M "$dev"
is $RC 0 'it can be discarded' || diag "$ERR"
ok "cmp -s -n 1048576 '$dev' /dev/zero" 'and is gone'
many_reads "$dev"
ok "[ $(value "$dev" depth_max) -gt 16 ]" 'without --tags many requests come to the drive at a time'
vdisk remove "$dev"

# ---- a disk that goes away, and a simulator that dies, under a sweep
failing_sweep() { # what happens after its first run
	local i before
	vdisk create --size 16G; dev=$OUT
	before=$(cat "/sys/block/${dev#/dev/}/queue/scheduler")
	rm -f "$T/f.db"*
	"$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline --patterns randread --jobs 2 --runs 10 --runtime 1s --ramp 0 \
		--db "$T/f.db" > "$T/f.out" 2> "$T/f.err" & sweep=$!
	for ((i = 0; i < 300; i++)); do
		[ -n "$(sqlite3 "$T/f.db" 'select 1 from run' 2> /dev/null)" ] && break
		sleep 0.05
	done
	case $1 in
	*disk*) vdisk fault "$dev" gone ;;
	*) kill -9 "$(value "$dev" pid)" ;;
	esac
	wait $sweep
	is $? 1 "$1: the sweep ends, and says that runs failed" || diag "$(cat "$T/f.err")"
	like "$(sqlite3 "$T/f.db" "select state || ' ' || reason from run")" 'failed.*Input/output error' "$1: the runs have the reason"
	is "$(cat "/sys/block/${dev#/dev/}/queue/scheduler")" "$before" "$1: the scheduler is put back"
	vdisk remove --all
	is "$RC$ERR$(leftovers)" 0 "$1: nothing is left"
}
failing_sweep 'the disk goes away'
failing_sweep 'the simulator is killed'

# ---- a scheduler makes a difference on it, and everything that is printed of it says what disk it is
vdisk create --size 16G; dev=$OUT
if grep -qw bfq "/sys/block/${dev#/dev/}/queue/scheduler"; then
	export IOBENCH_DB=$T/x.db
	nice -n 10 "$IOBENCH" sweep --dev "$dev" --scheds bfq --patterns read --jobs 1 --runs 1 --runtime 1s --ramp 0 > "$T/nice.out" 2>&1
	like "$(cat "$T/nice.out")" 'warning io-priority' 'bfq with nice is warned of'
	# with nice bfq raises the weight of nobody, and its defaults are like low_latency=0
	renice -n 0 -p $$ > "$T/renice.log"
	run "$IOBENCH" sweep --dev "$dev" --scheds bfq,bfq:low_latency=0 --patterns read --jobs 4 --bs 64k --runs 3 --runtime 1500ms \
		--ramp 0
	is $RC 0 'a sweep on it ends well' || diag "$ERR"
	like "$ERR" 'warning: the disk is simulated' 'which warns that it is simulated'
	like "$OUT" 'simulated disk: sequential reads' 'and says so in the head of its table'
	# 4 times and more on a quiet machine: a reader that is idled for goes on where the head is
	median() { "$IOBENCH" report --format csv --metric iops --where "variant=$1" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$at["metric"] == "iops" && $at["direction"] == "all" && $at["job"] == "" { print $at["value"] }' | sort -g | sed -n 2p; }
	gain=$(awk -v with="$(median bfq:low_latency=0)" -v without="$(median bfq)" 'BEGIN { print with / without }')
	ok "awk 'BEGIN { exit !($gain > 1.5) }'" "bfq reads several files faster with low_latency=0 ($gain times)"
	for format in text latex markdown csv json html; do
		like "$("$IOBENCH" report --format $format)" 'simulated[ ,]' "report --format $format says that it is simulated"
	done
	for layout in jobs schedulers cpu rawio workloads matrix summary compare; do
		like "$("$IOBENCH" report --layout $layout --format csv | head -n 1)" ',simulated,value$' "so does $layout in csv"
		like "$("$IOBENCH" report --layout $layout | head -n 4)" 'simulated disk: ' 'and for readers in the head'
	done
	is "$("$IOBENCH" findings | head -n 1)" '* simulated disk: findings' 'findings begin with it'
	like "$("$IOBENCH" report --format html)" '<h2>Simulated disk: findings</h2>' 'so does a page'
	for command in findings 'compare bfq bfq:low_latency=0'; do
		# shellcheck disable=SC2086 # words
		for format in text latex markdown csv json; do
			like "$("$IOBENCH" $command --format $format)" 'simulated' "${command%% *} --format $format says it"
		done
	done
	"$IOBENCH" plot -o "$T/plot.svg" > /dev/null 2>&1
	like "$(cat "$T"/plot*.svg)" 'simulated disk: ' 'and a plot'
	like "$(sqlite3 "$T/x.db" "select content from environment")" "\"disk.${dev#/dev/}.simulated\":\"profile=hd103sj iobench-vdisk" \
		'the environment has every figure of it'
	flushes=$(value "$dev" flushes)
	run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read,write --jobs 1 --runs 2 --runtime 200ms --ramp 0 --write-ok \
		--db "$T/w.db"
	is "$RC$(($(value "$dev" flushes) - flushes))" 02 'after each run that wrote the cache of the disk is emptied, after others not'
	# a simulator that is stopped again and again cannot keep its time, and its runs say so
	sim=$(value "$dev" pid)
	(for ((i = 0; i < 40; i++)); do kill -STOP "$sim"; sleep 0.05; kill -CONT "$sim"; sleep 0.03; done) &
	run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns randread --jobs 4 --runs 1 --runtime 2s --ramp 0 --db "$T/late.db"
	wait $!
	like "$OUT" 'warning simulator-late' 'a simulator that is late is warned of'
else
	skip 'a sweep on it' 'this kernel does not offer bfq'
fi
vdisk remove "$dev"
is "$RC$ERR" 0 'and it is removed again'
is "$(leftovers)" '' 'with nothing left'

done_testing
