#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The simulator as a program in virtual time: exact, and no need of root or FUSE. What the model must come to is
# worked out in tests/unit/vdisk_model.t.c.
. tests/lib.sh

vdisk=$(dirname "$IOBENCH")/iobench-vdisk
model() { run "$vdisk" --model "$@" < "$T/trace"; }

run "$vdisk" --profiles
mapfile -t profiles < <(cut -d ' ' -f 1 <<< "$OUT")
is "$RC${profiles[*]}" '0flash hd103sj laptop nearline scsi15k' 'it lists its profiles'
for profile in "${profiles[@]}"; do
	"$vdisk" --print "$profile" > "$T/mine.ini"
	printf 'read 0 4k\nread 20G 4k\nwrite 30G 64k\nflush\n' > "$T/trace"
	model "$profile" --each; whole=$OUT
	model "$T/mine.ini" --each
	is "$RC$OUT" "0$whole" "what it prints of $profile is that profile"
	bare=$("$vdisk" --print "$profile" | sed -n '/^[a-z]/{/;/!p}')
	like "x$(grep -vE '^(kind|read_ahead) ' <<< "$bare")" '^x$' "each figure of $profile has its source beside it"
done

printf 'read 0 4k\nread 500G 4k\n' > "$T/trace"
model hd103sj --each
is "$OUT" $'read 0 4096 0.000 8359.053\nread 536870912000 4096 8359.053 15108.041' 'every command with its time'
model hd103sj
like "$OUT" 'requests 2.*iops 85\.2.*seeks 1' 'or what came of all'
for ((i = 0; i < 4000; i++)); do echo "read $((i * 64))k 64k"; done > "$T/trace"
model hd103sj
rate=$(sed -n 's/^mb_s //p' <<< "$OUT")
ok "awk 'BEGIN { exit !($rate > 145 * 0.97 && $rate < 145 * 1.03) }'" "sequential reads come at the rate of the rim ($rate MB/s)"

printf 'read 0 4k\nread 1P 4k\n' > "$T/trace"
model hd103sj
like "$RC$ERR" '^2.*line 2: ' 'a wrong line of a trace is named'
model nosuch
like "$RC$ERR" "^2.*no profile 'nosuch'" 'so is a profile that is not there'
run "$vdisk" --serve "$T" < /dev/null
like "$RC$ERR" '^2.*--serve needs --profile' 'and what is missing'

done_testing
