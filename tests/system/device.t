#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What runner/device says of real block devices: who uses them, what is on them, what is below. Asked through the
# driver in tests/unit/device.t.c.
# shellcheck disable=SC1091,SC2016 # lib.sh is checked by itself; what stands in single quotes is evaluated later
. tests/lib.sh
need_loop

driver=$BUILD/tests/unit/device.t
[ -x "$driver" ] || skip_all "$driver is not built"
mkdir "$T/mnt" "$T/other" "$T/ns"
at_exit 'kill $(jobs -p) 2> /dev/null; wait 2> /dev/null'

call()	# FUNCTION OPERAND [ARGUMENT]: nothing of udev's is in the way
{
	if [ -e /run/udev/control ]; then udevadm settle; fi
	run "$driver" "$@"
}

uses()	# DEV WANTED NAME
{
	call uses "$1"
	is "$RC:$OUT" "0:$2" "$3"
}

new_loop()	# SIZE: one that may have partitions
{
	local dev
	truncate -s "$1" "$T/part.img" && dev=$(losetup -P -f --show "$T/part.img") && at_exit "losetup -d $dev" &&
		echo "$dev"
}

has_program()
{
	command -v "$1" > /dev/null
}

disk=$(new_loop 128M)
name=${disk#/dev/}
other=$(make_loop 32M)

# A blank one
uses "$disk" '' 'a blank device has no users'
call signature "$disk"
is "$OUT" '(blank)' 'nor anything on it'
call open "$disk"
is "$OUT" "node $disk
identity $T/part.img
size 134217728
partition 0
dir 0
disk $name $disk 134217728" 'it is its own disk'
call write "$disk"
is "$RC" 1 'writing to a blank device needs the option'
like "$OUT" "^error 2: .*'$disk'.*--write-ok\$" 'and says so'
call write "$disk" ''
is "$RC:$OUT" 0: 'the option without a device is enough'
call write "$disk" "$other"
like "$OUT" "^error 2: '--write-ok=$other' is not for '$disk'" 'the option for another device is none'

# Partitions: 1 and 11, so that one name begins with the other
if [ -e "/sys/class/block/${name}p1" ] || ! addpart "$disk" 1 2048 65536 2> /dev/null; then
	skip 'partitions' 'this kernel gives loop devices none'
	done_testing
fi
addpart "$disk" 11 67584 65536
if [ -e /run/udev/control ]; then udevadm settle; fi
p1=${disk}p1 p11=${disk}p11
at_exit "delpart $disk 1; delpart $disk 11"

call signature "$disk"
is "$OUT" "the partition '${name}p1' and the partition '${name}p11'" 'partitions that are only in memory are seen'
uses "$disk" '' 'unused partitions are no users'
call open "$p11"
is "$OUT" "node $p11
identity $T/part.img-part11
size 33554432
partition 1
dir 0
disk $name $disk 134217728" 'a partition has its disk below'
ln -s "$p1" "$T/link"
call open "$T/link"
like "$OUT" "^node $p1" 'a link is followed'
call is "$p1" "$T/link"
is "$RC" 0 'and is the same device'
call is "$p1" "$p11"
is "$RC" 1 'but p11 is not p1'

# A file system, mounted
mkfs.ext4 -q -L data "$p1"
call signature "$p1"
is "$OUT" "an ext4 file system (label 'data')" 'a file system is recognised'
call write "$p1" ''
like "$OUT" "destroy what is on '$p1': an ext4 file system.*--write-ok=$p1\$" 'and not overwritten without its name'
call write "$p1" "$T/link"
is "$RC:$OUT" 0: 'but with it, also by a link'
uses "$disk" '' 'a file system alone is no user'

mount "$p1" "$T/mnt"
at_exit "umount '$T/mnt' 2> /dev/null"
uses "$disk" "mount '$p1' is mounted on '$T/mnt'" 'a mounted partition uses its disk'
uses "$p1" "mount '$p1' is mounted on '$T/mnt'" 'and itself'
uses "$p11" "beside mount '$p1' is mounted on '$T/mnt'" 'and stands beside p11'
call claim "$disk"
is "$OUT" "error 3: '$disk' is in use: '$p1' is mounted on '$T/mnt'" 'the disk cannot be claimed'
call claim "$p11"
is "$OUT" taken 'p11 can'
call dir "$T/mnt"
is "$OUT" "node $p1
identity $T/part.img-part1
size 33554432
partition 1
dir 1
disk $name $disk 134217728" 'a directory has the disk below'
call uses "$disk" "$T/mnt/lost+found"
like "$OUT" "files '$p1' holds the database '$T/mnt/lost\+found'" 'a file of ours on it is named'
call uses "$other" "$T/mnt/lost+found"
is "$RC:$OUT" 0: 'but not for another disk'
mount --bind "$T/mnt" "$T/other"
uses "$disk" "mount '$p1' is mounted on '$T/mnt' and 1 more place" 'several mount points are counted'
umount "$T/other"

# A loop device over a file on the disk is a user of the file system, not of the disk
truncate -s 1M "$T/mnt/image"
inner=$(losetup -f --show "$T/mnt/image")
at_exit "losetup -d $inner 2> /dev/null"
uses "$disk" "mount '$p1' is mounted on '$T/mnt'" 'a loop device over a file is no user of its own'
losetup -d "$inner"

# Swap
mkswap "$p11" > /dev/null
call signature "$p11"
is "$OUT" 'a swap area' 'swap is recognised'
if swapon "$p11" 2> /dev/null; then
	uses "$p11" "swap '$p11' is swap
beside mount '$p1' is mounted on '$T/mnt'" 'swap is a user'
	swapoff "$p11"
else
	skip 'swap is a user' 'swapon is not possible here'
fi
umount "$T/mnt"
uses "$disk" '' 'all is quiet again'

# Another mount namespace: with a process in it, and without
unshare -m --propagation private sh -c "mount $p1 '$T/mnt' && touch '$T/ready' && exec sleep 1000" &
pid=$!
while [ ! -e "$T/ready" ] && kill -0 $pid 2> /dev/null; do sleep 0.05; done
until [ "$(< /proc/$pid/comm)" = sleep ]; do sleep 0.05; done
uses "$disk" "mount '$p1' is mounted on '$T/mnt' in the mount namespace of process $pid (sleep)" \
	'a mount in another namespace is found'
kill $pid
wait $pid 2> /dev/null

mount --bind "$T/ns" "$T/ns"
mount --make-private "$T/ns"
at_exit "umount '$T/ns/mnt' 2> /dev/null; umount '$T/ns'"
touch "$T/ns/mnt"
if unshare --mount="$T/ns/mnt" --propagation private mount "$p1" "$T/mnt" 2> /dev/null; then
	call uses "$disk"
	like "$RC:$OUT" "^0:claimed '$p1' is taken exclusively" 'so is one in a namespace that no process is in'
	call uses "$p11"
	like "$RC:$OUT" "^0:beside claimed '$p1' is taken" 'beside p11'
	call claim "$p1"
	like "$OUT" "^error 3: '$p1' is in use: .* exclusively" 'which cannot be claimed'
	umount "$T/ns/mnt"
else
	skip 'a namespace without a process' 'unshare --mount does not work here'
fi
uses "$disk" '' 'and gone with it'

# Open in another process, whose name is made to confuse
sleep_as="$T/a) b (c"
cp "$(command -v sleep)" "$sleep_as"
"$sleep_as" 1000 9< "$p11" &
pid=$!
until [ "$(< /proc/$pid/comm)" = 'a) b (c' ]; do sleep 0.05; done
uses "$disk" "open process $pid (a) b (c) has '$p11' open" 'a process that has a partition open'
uses "$p1" "beside open process $pid (a) b (c) has '$p11' open" 'stands beside the others'
call claim "$disk" "$driver uses $disk"
like "$OUT" "open process [0-9]+ \(device.t\) has '$disk' open" 'a claim of another iobench is seen'
is "$(wc -l <<< "$OUT")" 3 'and explains that the partitions are taken too'
kill $pid
wait $pid 2> /dev/null
uses "$disk" '' 'and gone with the process'

call own "$disk"
is "$RC:$OUT" 0: 'we and our children do not count'
call claim "$disk" "mount $p1 '$T/mnt'; mkfs.ext4 -q -F $disk"
like "$ERR" 'already mounted or mount point busy' 'nothing can be mounted while we have the device'
like "$ERR" 'apparently in use' 'nor made on it'
call claim-write "$disk"
is "$OUT" taken 'claimed for writing'

# The lock
call lock "$p1" "flock -n $disk true || echo locked; flock -n $p1 true && echo free"
is "$OUT" "taken
locked
free" "the lock is on the partition's disk"
call lock "$p1" "$driver lock $p11"
like "$OUT" "error 3: '$disk' is locked by process [0-9]+ \(device\.t\)" 'who has it is named'
call lock "$disk"
is "$OUT" taken 'it ends with its owner'
call lock-both "$p1" "$p11"
is "$RC:$OUT" '0:1 locks' 'two partitions of a disk need one lock'
call lock-both "$p1" "$other"
is "$RC:$OUT" '0:2 locks' 'two disks need two'

# A loop device over the disk itself: neither a holder nor a claim
inner=$(losetup -f --show "$p11")
uses "$disk" "holder '$p11' is below '$inner'" 'a loop device over a partition is a user'
losetup -d "$inner"
uses "$disk" '' 'until it is gone'

# What a target is made of is taken by the target itself. In a made-up tree $other consists of $disk.
lower=$T/sys/devices/$name upper=$T/sys/devices/upper
mkdir -p "$T/sys/dev/block" "$T/sys/block" "$lower/queue" "$upper/slaves" "$lower/holders"
for dir in "$lower $disk" "$upper $other"; do
	read -r dir dev <<< "$dir"
	number=$(mountpoint -x "$dev")
	echo "$number" > "$dir/dev"
	ln -s "$dir" "$T/sys/dev/block/$number"
done
echo '[none] bfq' > "$lower/queue/scheduler"
ln -s "$lower" "$upper/slaves/"
ln -s "$upper" "$lower/holders/"
export IOBENCH_SYSFS=$T/sys
call open "$other"
like "$OUT" "disk $name $disk" 'a device made of another'
call own "$other" "$disk"
is "$RC:$OUT" 0: 'is not used by what it is made of, though that is taken'
call own "$other" "$other"
like "$OUT" "claimed '/dev/upper' is taken" 'it itself is'
unset IOBENCH_SYSFS

# Layers
if dmsetup create "iobench-$$" --table "0 65536 linear $p11 0" 2> /dev/null; then
	at_exit "dmsetup remove iobench-$$ 2> /dev/null"
	uses "$disk" "holder '$p11' is below '/dev/mapper/iobench-$$'" 'a dm device is a user'
	call open "/dev/mapper/iobench-$$"
	like "$OUT" "disk $name $disk" 'and has the disk below'
	uses "/dev/mapper/iobench-$$" '' 'what it is made of is not used by others'
	dmsetup remove "iobench-$$"
else
	skip 'dm' 'no dmsetup, or this kernel has no device mapper'
fi
if [ -e /proc/mdstat ] && has_program mdadm && mdadm --create /dev/md/iobench --run --force --level=1 \
	--raid-devices=1 "$p11" > /dev/null 2>&1; then
	md=$(realpath /dev/md/iobench)
	at_exit "mdadm --stop $md > /dev/null 2>&1"
	uses "$disk" "holder '$p11' is a member of '${md#/dev/}'" 'an array is a user'
	call open "$md"
	like "$OUT" "disk $name $disk" 'and has the disk below'
	mdadm --stop "$md" > /dev/null 2>&1
	call signature "$p11"
	is "$OUT" 'a linux_raid_member' 'what it leaves is recognised'
else
	skip 'md' 'no mdadm, or this kernel has no md'
fi
big=$(make_loop 128M)
second=$(make_loop 128M)
if grep -qw btrfs /proc/filesystems && has_program mkfs.btrfs &&
	mkfs.btrfs -q -L two "$big" "$second" > /dev/null 2>&1; then
	mount -t btrfs "$big" "$T/mnt"
	uses "$big" "mount '$big' is mounted on '$T/mnt'" 'a btrfs uses the device it was mounted by'
	uses "$second" "mount '$second' is mounted on '$T/mnt'" 'and the other'
	call dir "$T/mnt"
	like "$OUT" "disk ${big#/dev/} .*disk ${second#/dev/} " 'a directory on it has both below'
	umount "$T/mnt"
	call signature "$second"
	is "$OUT" "a btrfs file system (label 'two')" 'it is recognised'
else
	skip 'btrfs' 'no mkfs.btrfs, or this kernel has no btrfs'
fi

# Partition tables and more of what libblkid knows
if has_program parted; then
	parted -s "$other" mklabel gpt
	call signature "$other"
	is "$OUT" 'a gpt partition table' 'a GPT'
	dd if=/dev/zero of="$other" bs=4k count=8 conv=notrunc status=none
	call signature "$other"
	is "$OUT" 'a gpt partition table' 'also by its second copy'
	parted -s "$other" mklabel msdos
	call signature "$other"
	is "$OUT" 'a dos partition table' 'an MBR'
else
	skip 'partition tables' 'no parted'
fi
mkfs.ext4 -q -F "$other"
# An LVM label in the boot block (lib/format_text/layout.h: id, sector, checksum, offset, type), its checksum wrong
printf 'LABELONE\1\0\0\0\0\0\0\0????\40\0\0\0LVM2 001' | dd of="$other" bs=512 seek=1 conv=notrunc status=none
call signature "$other"
is "$OUT" 'an LVM2_member and an ext4 file system' 'two findings are both told, also one with a wrong checksum'

# What is refused
for dir in /proc /dev/shm; do
	call dir "$dir"
	like "$OUT" "^error 3: '$dir' is on (proc|tmpfs).* which has no disk of its own" "a directory on $dir"
done
call dir "$T/part.img"
like "$OUT" "^error 3: '$T/part.img' is not a directory" 'a file as a directory'
call open "$T/no-such"
like "$OUT" "^error 3: no such device '$T/no-such'" 'no such device'
ok '[ ! -e "$T/no-such" ]' 'and none is made'
call open "$name"
like "$OUT" "did you mean '$disk'" 'a name without /dev'
call open "$T/part.img"
like "$OUT" "is a regular file.*losetup" 'a regular file'

call devices
ok 'grep -qx "disk $name" <<< "$OUT"' 'the disk is in the list'
truncate -s 1M "$T/gone"
gone=$(losetup -f --show "$T/gone") && losetup -d "$gone"
call devices
ok 'grep -qE "^not .*size 0.*: (.* )?${gone#/dev/}( |$)" <<< "$OUT"' 'a loop device without a file is not'
ok '! grep -q "${name}p1" <<< "$OUT"' 'nor is a partition'

done_testing
