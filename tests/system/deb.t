#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian package builds, lintian finds no error, and it holds and wants what it should. Half a minute. (That it
# installs and runs in a new Debian is scripts/check-deb's.)
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands dpkg-buildpackage dh lintian dpkg-deb
case $BUILD in */build) ;; *) skip_all 'only of the plain build' ;; esac
dpkg-checkbuilddeps > /dev/null 2>&1 || skip_all 'needs the build dependencies of debian/control'

run env DEB_BUILD_OPTIONS=nocheck nice scripts/build-deb "$T/deb"
is "$RC" 0 'it builds, without errors of lintian' || diag "$ERR"
is "$(grep -v '\.deb$' <<< "$OUT")" '' 'lintian says nothing'
deb=$(echo "$T"/deb/iobench_*.deb)
is "$("$IOBENCH" --version)" "iobench $(dpkg-deb -f "$deb" Version)" 'the version of the package is that of the program'
like "$(dpkg-deb -f "$deb" Depends)" 'libcjson1.*libsqlite3-0.*, fio|fio, .*libcjson1.*libsqlite3-0' 'libraries and fio are wanted'
like "$(dpkg-deb -f "$deb" Recommends)" 'gnuplot-nox \| gnuplot' 'gnuplot is recommended'
dpkg-deb --fsys-tarfile "$deb" | tar -t > "$T/files"
for f in bin/iobench bin/iobench-vdisk share/iobench/jobs/patterns.fio share/man/man1/iobench-sweep.1.gz \
	share/bash-completion/completions/iobench share/doc/iobench/copyright; do
	grep -qx "./usr/$f" "$T/files" || missing+=" $f"
done
is "${missing-}" '' 'what is in it'
is "$(git status --porcelain --ignored debian 2> /dev/null | grep '^[?!]')" '' 'nothing is left in debian/'

done_testing
