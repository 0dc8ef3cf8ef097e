#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 'make install' below DESTDIR: what lies where, the installed program finds its jobs, another PREFIX is compiled in anew,
# and 'make uninstall' leaves nothing.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands make gcc pkg-config
case $BUILD in */build) ;; *) skip_all 'only of the plain build' ;; esac

# a tree of its own, with objects already made: nobody's build is changed
mkdir "$T/tree"
tar -c --exclude='./build-*' --exclude=./.git . | tar -x -C "$T/tree"
unset IOBENCH_JOBS MAKEFLAGS MFLAGS MAKELEVEL

run make -s -C "$T/tree" install DESTDIR="$T/a" PREFIX="$T/a/opt"
is "$RC$ERR" 0 'make install'
run make -s -C "$T/tree" uninstall DESTDIR="$T/a" PREFIX="$T/a/opt"
is "$(find "$T/a" ! -type d)" '' 'make uninstall leaves no file'

# installed where it was not built for: PREFIX is compiled in
run make -s -C "$T/tree" install PREFIX="$T/b"
is "$RC$ERR" 0 'make install with another PREFIX'
is "$(cd "$T/b" && find . ! -type d | grep -vE '/(jobs|man1|docs)/' | LC_ALL=C sort | xargs)" \
	'./bin/iobench ./bin/iobench-vdisk ./lib/systemd/system/iobench-nightly.service ./lib/systemd/system/iobench-nightly.timer ./libexec/iobench/nightly ./share/bash-completion/completions/iobench ./share/doc/iobench/README.md' 'what is there'
is "$(cd "$T/b/share/iobench/jobs" && echo *)" "$(cd jobs && echo *)" 'all jobs'
is "$(cd "$T/b/share/man/man1" && echo *)" "$(cd "$BUILD/man" && echo *.1)" 'all man pages'
cd "$T/b" || exit 1
run bin/iobench jobs
is "$RC" 0 'the installed program runs'
is "$(grep -c "($T/b/share/iobench/jobs/" <<< "$OUT")" "$(find share/iobench/jobs -type f | wc -l)" 'and finds its jobs, there only'
is "$(grep -c '^[^ ].*(' <<< "$OUT")" "$(find share/iobench/jobs -type f | wc -l)" 'and no others'
grep -q "$T/b/share/iobench/jobs" share/man/man1/iobench.1
ok $? 'the man page says where they are'
is "$(find . ! -type d -perm /022)" '' 'nobody else may write to them'

run make -s -C "$T/tree" install DESTDIR="$T/d" PREFIX=/usr
strings -a "$T/d/usr/bin/iobench" > "$T/strings" 2> /dev/null || tr -c '[:print:]' '\n' < "$T/d/usr/bin/iobench" > "$T/strings"
grep -q '^/usr/share/iobench/jobs' "$T/strings"
ok $? 'DESTDIR is not compiled in, PREFIX is'

done_testing
