#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/build-bfq for real, and what iobench reads from the bfq.ko that comes of it: with Debian's kernel source and
# headers of one version, downloaded (some 150 MB, kept in build/check-module) and unpacked, not installed. Nothing is
# loaded. Not part of 'make check': 'make check-module'.
# shellcheck disable=SC2016,SC2034 # conditions are evaluated by ok
cd "$(dirname "$0")/.." || exit 2
. tests/lib.sh
need_commands apt-get apt-cache dpkg xz gcc readelf modinfo

cache=$BUILD/check-module
mkdir -p "$cache" || exit 1
arch=$(dpkg --print-architecture)
depends()	# PACKAGE: names that it depends on, one a line
{
	apt-cache show "$1" | sed -n 's/^Depends: //p' | head -1 | tr ',' '\n' | sed 's/^ *//; s/ .*//'
}
source=$(depends linux-source | grep '^linux-source-') || skip_all 'no package linux-source is known (apt-get update?)'
version=$(apt-cache show "$source" | sed -n 's/^Version: //p' | head -1)
headers=$(depends "linux-headers-$arch=$version" | grep '^linux-headers-') || skip_all "no headers of $version are known"
diag "$source $version and $headers"

# ---- download and unpack, once
tree=$cache/${source}_$version kernel=$cache/${headers}_$version
if [ ! -e "$kernel/done" ]; then
	rm -rf "$tree" "$kernel"
	mkdir -p "$T/debs" "$tree" "$kernel"
	mapfile -t more < <(depends "$headers" | grep -E -- '-common$|^linux-kbuild-|^linux-compiler-')
	began=$EPOCHSECONDS
	ok '(cd "$T/debs" && chmod 755 . && apt-get -qq download "$source=$version" "$headers=$version" \
		"${more[@]/%/=$version}") > "$T/apt" 2>&1' 'download' || diag "$(cat "$T/apt")"
	diag "$(du -cb "$T"/debs/*.deb | tail -1 | cut -f 1) bytes in $((EPOCHSECONDS - began)) s"
	began=$EPOCHSECONDS
	for deb in "$T"/debs/*.deb; do dpkg -x "$deb" "$kernel"; done
	tar -xJf "$kernel/usr/src/$source.tar.xz" -C "$tree" --strip-components 1 "$source/Makefile" "$source/block"
	ok $? 'unpack'
	rm "$kernel/usr/src/$source.tar.xz"
	# where it would be after an installation
	sed -i "s|/usr/src/|$(realpath "$kernel")/usr/src/|" "$kernel/usr/src/$headers/Makefile"
	diag "unpacked in $((EPOCHSECONDS - began)) s"
	touch "$kernel/done"
fi
headers_dir=$kernel/usr/src/$headers
build()	# TREE OUT [OPTION...]
{
	run scripts/build-bfq "$1" -o "$2" --headers "$headers_dir" "${@:3}"
}

# ---- what comes of it
began=$(date +%s%N)
build "$tree" "$T/one"
is $RC 0 'bfq.ko is built' || diag "$ERR"
diag "built in $((($(date +%s%N) - began) / 1000000)) ms, $(stat -c %s "$T/one/bfq.ko") bytes: $OUT"
read_by_us()
{
	"$BUILD/tests/unit/module.t" "$1" | sed -n "s/^$2: //p"
}
id_of()
{
	readelf -n "$1" | sed -n 's/ *Build ID: //p'
}
for key in name vermagic srcversion; do
	is "$(read_by_us "$T/one/bfq.ko" $key)" "$(modinfo -F $key "$T/one/bfq.ko")" "its $key is what modinfo reads"
done
is "$(read_by_us "$T/one/bfq.ko" build-id)" "$(id_of "$T/one/bfq.ko")" 'its build-id is what readelf reads'
like "$(read_by_us "$T/one/bfq.ko" build-id)" '^[0-9a-f]{40}$' 'and is one'
is "$(read_by_us "$T/one/bfq.ko" vermagic | cut -d ' ' -f 1)" "${headers#linux-headers-}" 'it is for the kernel of the headers'
like "$OUT" "for ${headers#linux-headers-}, build-id $(id_of "$T/one/bfq.ko")" 'build-bfq says so'
xz -k "$T/one/bfq.ko"
is "$(read_by_us "$T/one/bfq.ko.xz" build-id)" "$(id_of "$T/one/bfq.ko")" 'packed it reads the same'
head -c 100000 "$T/one/bfq.ko" > "$T/cut.ko"
run "$BUILD/tests/unit/module.t" "$T/cut.ko"
like "$ERR" 'was cut off' 'cut off it is refused'

# ---- a build-id tells builds apart, and only them
build "$tree" "$T/two"
is "$(id_of "$T/two/bfq.ko")" "$(id_of "$T/one/bfq.ko")" 'the same source has the same build-id'
mkdir "$T/changed"
cp -r "$tree/Makefile" "$tree/block" "$T/changed"
sed -i 's/bfq_slice_idle = NSEC_PER_SEC \/ 125/bfq_slice_idle = NSEC_PER_SEC \/ 100/' "$T/changed/block/bfq-iosched.c"
ok '! cmp -s "$tree/block/bfq-iosched.c" "$T/changed/block/bfq-iosched.c"' 'another slice_idle'
build "$T/changed" "$T/three"
ok '[ -n "$(id_of "$T/three/bfq.ko")" ] && [ "$(id_of "$T/three/bfq.ko")" != "$(id_of "$T/one/bfq.ko")" ]' 'has another'

# ---- what does not fit
echo 'int x = ;' >> "$T/changed/block/bfq-wf2q.c"
build "$T/changed" "$T/four"
is $RC 1 'a tree that does not compile'
like "$ERR" "bfq-wf2q.c.*error: expected expression.*cannot be built from '$T/changed'" "is told in the compiler's words"
sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 1/' "$T/changed/Makefile"
build "$T/changed" "$T/four"
is $RC 2 'a tree of another stable release is refused'
like "$ERR" 'any-sublevel' 'and told why, and how to build it all the same'
sed -i '$d' "$T/changed/block/bfq-wf2q.c"
build "$T/changed" "$T/four" --any-sublevel
is $RC 0 'which works'
sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 99/' "$T/changed/Makefile"
build "$T/changed" "$T/five" --any-sublevel
is $RC 2 'a tree of another version is refused whatever is said'
like "$ERR" "is Linux [0-9]+.99.1, the headers of '${headers#linux-headers-}' are" 'with both versions'

done_testing
