#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzz every tests/fuzz/NAME.c for SECONDS under ASan and UBSan: run.sh SECONDS [NAME...]. Fails on a finding, whose
# input it names. New inputs are kept in build-fuzz/corpus. Needs clang and its libFuzzer (Debian: libclang-rt-14-dev).
set -u
cd "$(dirname "$0")/../.." || exit 2

seconds=${1:?usage: tests/fuzz/run.sh SECONDS [NAME...]}
shift
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(basename -s .c tests/fuzz/*.c)

build="build-fuzz"
sanitize="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
packages="libcjson blkid mount libudev inih nettle"
objects=()
for source in common/*.c runner/*.c parsers/*.c; do
	objects+=("$build/${source%.c}.o")
done

# The Makefile's warnings are gcc's business.
make -s O=$build CC=clang WARNINGS= CFLAGS="$sanitize -fsanitize=fuzzer-no-link" "${objects[@]}" ||
	exit 2

found=0
for name in "${names[@]}"; do
	fuzzer=$build/$name log=$build/$name.log dict=tests/fuzz/$name.dict
	# shellcheck disable=SC2046,SC2086 # lists of options
	clang -std=gnu17 -I. -D_GNU_SOURCE $sanitize -fsanitize=fuzzer $(pkg-config --cflags $packages) -o "$fuzzer" \
		"tests/fuzz/$name.c" "${objects[@]}" $(pkg-config --libs $packages) -lcpupower -lm || exit 2
	mkdir -p "$build/corpus/$name"
	options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
		-artifact_prefix="$build/$name-")
	[ -f "$dict" ] && options+=(-dict="$dict")
	case $name in fio_json | text_formats) options+=(-max_len=20000) ;; module) options+=(-max_len=4000) ;; *) options+=(-max_len=600) ;; esac
	if "$fuzzer" "${options[@]}" "$build/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
		echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, no finding"
	else
		found=1
		input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
		echo "$name: A FINDING; again: $fuzzer $input; all of it: $log" >&2
		grep -vE '^(#|INFO|NEW_FUNC|Dictionary|stat::)' "$log" | head -30 >&2
	fi
done
exit $found
