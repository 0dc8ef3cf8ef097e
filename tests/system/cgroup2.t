#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Weights by control groups of version 2. The groups are real; where this machine has its I/O controller in version 1,
# the two files of the root that tell of it are played by plain ones, and the groups have no weight to set.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_loop
need_commands fio sqlite3 unshare

if [ "$1" != inside ]; then
	unshare -m true 2> /dev/null || skip_all 'cannot make a mount namespace'
	rm -rf "$T" # there, it is another one
	exec unshare -m bash "$0" inside
fi
mount --make-rprivate /
umount -l /sys/fs/cgroup/blkio 2> /dev/null
root=$T/cgroup
mkdir "$root"
mount -t cgroup2 none "$root" 2> /dev/null || skip_all 'this kernel has no control groups of version 2'
at_exit "umount -l '$root'"
# those of the system, which come first in the list of mounts
awk -v r="$root" '$3 == "cgroup2" && $2 != r { print $2 }' /proc/mounts | while read -r m; do umount -l "$m"; done
if grep -qw io "$root/cgroup.controllers"; then
	played=no
else
	played=yes
	echo 'cpuset cpu io memory' > "$T/controllers"
	echo 'cpu memory' > "$T/subtree"
	mount --bind "$T/controllers" "$root/cgroup.controllers"
	mount --bind "$T/subtree" "$root/cgroup.subtree_control"
	at_exit "umount '$root/cgroup.controllers' '$root/cgroup.subtree_control'"
fi

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 128M)
db=$T/x.db
sql() { sqlite3 "$db" "$1"; }
sweep() { rm -f "$db"*; run "$IOBENCH" sweep --dev "$dev" --job fairness --runs 1 --runtime 1s --ramp 0 --db "$db" "$@"; }
clean() {
	is "$(find "$root" -maxdepth 1 -name 'iobench-*' | wc -l)" 0 "$1: no group is left"
	is "$(find "$IOBENCH_RUNDIR" -name '*.journal' | wc -l)" 0 "$1: nor a journal"
}

"$IOBENCH" sweep --dev "$dev" --job fairness --runs 1 --runtime 1s --ramp 0 --scheds none --db "$db" > "$T/out" 2> "$T/err" &
pid=$!
groups=0
for ((i = 0; i < 100; i++)); do
	groups=$(cat "$root"/iobench-"$pid"-*/cgroup.procs 2> /dev/null | wc -l)
	[ "$groups" -ge 6 ] && break # three fio and a worker of each
	sleep 0.05
done
ok "[ $groups -ge 6 ]" 'every actor runs in a group of its own, with its workers'
wait $pid
is $? 0 'fairness runs' || diag "$(cat "$T/err")"
is "$(sql "select count(*) from sample join metric on metric.id = metric where name = 'share_per_weight'")" 3 \
	'and shares are measured against the weights'
clean 'none'
if [ $played = yes ]; then
	like "$(cat "$T/subtree")" '^-io' 'the children of the root had the controller, and no longer have it'
	sweep --scheds bfq
	is $RC 1 'bfq without weights'
	like "$(sql 'select reason from run limit 1')" 'has no weight to set: this bfq has no control groups' 'is no run'
else
	sweep --scheds bfq:low_latency=0
	is $RC 0 'bfq with weights' || diag "$ERR"
fi
clean 'bfq'
done_testing
