# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The fake sysfs for shell tests; source it after tests/lib.sh.
#
#	need_fakesys		skip_all where there is no root or no FUSE
#	fakesys_mount TREE	mounts trees/TREE.tree, or the file TREE if there is a '/' in it; sets $SYS, where it is.
#				Unmounted at the end of the test, however that ends. Several can be mounted.
#	fakesys_umount		unmounts $SYS now
#	fakesys_do COMMAND...	gives a command (README.md): fakesys_do ebusy sda 3
#	fakesys_log		prints the log; fakesys_log clear empties it

need_fakesys()
{
	need_root
	{ : <> /dev/fuse; } 2> /dev/null || skip_all 'needs FUSE'
}

fakesys_mount()
{
	local tree=$1
	[[ $tree == */* ]] || tree=tests/fakesys/trees/$tree.tree
	SYS=$(mktemp -d "$T/sys.XXXXXX") || return 1
	at_exit "fakesys_unmount $SYS"
	"$BUILD/tests/fakesys/fakesys" "$tree" "$SYS"
}

# A test that is cut short may still have something open below it. mountpoint(1) is no help if fakesys has died.
fakesys_unmount()	# DIRECTORY
{
	umount "$1" 2> /dev/null || umount -l "$1" 2> /dev/null
}

fakesys_umount()
{
	fakesys_unmount "$SYS"
}

fakesys_do()
{
	printf '%s\n' "$*" > "$SYS/.fakesys"
}

fakesys_log()
{
	if [ "${1-}" = clear ]; then : > "$SYS/.log"; else cat "$SYS/.log"; fi
}
