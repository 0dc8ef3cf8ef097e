#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What scripts/build-bfq refuses. That it builds: make check-module.
# shellcheck disable=SC2016 # $(M) is for make
. tests/lib.sh
need_commands gcc make readelf

tree=$T/tree headers=$T/headers
mkdir -p "$tree/block" "$headers/include/generated/uapi/linux"
touch "$tree"/block/{bfq-iosched.c,bfq-wf2q.c,bfq-cgroup.c,bfq-iosched.h,blk.h}
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 5\n' > "$tree/Makefile"
echo "#define LINUX_VERSION_CODE $((6 << 16 | 1 << 8 | 5))" > "$headers/include/generated/uapi/linux/version.h"
echo '#define UTS_RELEASE "6.1.0-7-amd64"' > "$headers/include/generated/utsrelease.h"
# a kernel that builds without a compiler
printf 'modules:\n\t@cp %s $(M)/bfq.ko\n' "$BUILD/iobench" > "$headers/Makefile"
build() { run scripts/build-bfq "$@"; }

build "$tree" --headers "$headers" -o "$T/out/deep"
is $RC 0 'a tree of the version of the headers is built'
like "$OUT" "^$T/out/deep/bfq.ko: for 6.1.0-7-amd64, build-id [0-9a-f]{40}$" 'and the module told'
like "$ERR" "for '6.1.0-7-amd64'; the kernel that runs is '$(uname -r)'" 'for which kernel too'
sed -i 's/^SUBLEVEL.*/SUBLEVEL = 4/' "$tree/Makefile"
build "$tree" --headers "$headers" -o "$T/out"
is $RC 2 'another stable release is refused'
like "$ERR" "is Linux 6.1.4, the headers of '6.1.0-7-amd64' are 6.1.5.*--any-sublevel" 'with what it means'
build "$tree" --headers "$headers" -o "$T/out" --any-sublevel
is $RC 0 'unless it is wanted'
sed -i 's/^PATCHLEVEL.*/PATCHLEVEL = 2/' "$tree/Makefile"
build "$tree" --headers "$headers" -o "$T/out2" --any-sublevel
is $RC 2 'another version is refused in any case'
ok "[ ! -e '$T/out2' ]" 'and nothing is left'
echo 'modules: ; @echo no such function; false' > "$headers/Makefile"
sed -i 's/^PATCHLEVEL.*/PATCHLEVEL = 1/' "$tree/Makefile"
build "$tree" --headers "$headers" -o "$T/out2" --any-sublevel
is $RC 1 'one that does not build'
like "$ERR" 'no such function' 'is told with the words of the compiler'
rm "$headers/include/generated/utsrelease.h"
build "$tree" --headers "$headers"
is $RC 3 'headers that are none'
rm "$tree/block/bfq-wf2q.c"
build "$tree"
if [ -e "/lib/modules/$(uname -r)/build/Makefile" ]; then
	is $RC 2 'a tree without bfq'
else
	is $RC 3 'no headers are installed'
	like "$ERR" "apt-get install linux-headers-$(uname -r)" 'and what to install is said'
fi
build
is $RC 2 'no tree at all'
build --heders x
like "$ERR" "unknown option '--heders'" 'an unknown option is named'

done_testing
