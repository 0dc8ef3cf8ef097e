#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Eight small sweeps of one scheduler under two names with a fake fio, and eight in which one cell is changed, through
# the whole program. The rates are measured by tests/false-alarms.sh; here is what eight sweeps can tell. All is seeded;
# other seeds would make a sound iobench fail a check less often than once in a million times.
. tests/lib.sh
. tests/fakefio/lib.sh
fakefio_start

sweep() { fakefio_sweep "$@" --patterns read,randread --jobs 1,2 --runs 6 --runtime 10s --ramp 0; }

# what stands in a column of 'compare', of all cells, in one line
column() { grep -oP "^compare,.*,$1,.*,\K[^,]*$" "$T/compare" | sort | uniq -c | xargs; }

claims=0 judged=0 calls=0 said=0 paired=0
for seed in {1..8}; do
	sweep "$seed" --scheds current --twice || diag "$(cat "$T/fakefio.out")"
	"$IOBENCH" compare current#1 current#2 --format csv > "$T/compare"
	[ "$(column n_a) $(column n_b)" = '4 6 4 6' ] && judged=$((judged + 1))
	[ "$(column how)" = '4 paired' ] && paired=$((paired + 1))
	[[ $(column verdict) = *[a-z]* ]] && claims=$((claims + 1))
	[[ $(column verdict) = *\?* ]] || said=$((said + 1))
	[ "$(cut -d' ' -f1 "$FAKE_STATE")" = 48 ] && calls=$((calls + 1))
	fakefio_deviation >> "$T/squares"
done
is $calls 8 'each sweep called fio 48 times'
is $judged 8 'each cell has its 6 runs on either side'
is $paired 8 'all are paired'
is $said 8 'and there is a verdict on each'
# each claims one with probability 5% at most: six of eight would with 4e-7
ok "[ $claims -le 5 ]" "a change is claimed in $claims of 8 sweeps of the same"
# 160 degrees of freedom; the heavy tails make the figure larger, never this small
noise=$(awk '{ s += $1; n += $2 } END { print (n == 160 && s / n > 0.03 ^ 2) }' "$T/squares")
is "$noise" 1 'there is noise in every run'
others=$(sqlite3 "$IOBENCH_DB" "select count(*) from run where state <> 'ok' or kind <> 'measure'")
is "$others" 0 'and every run counts'

# six ratios that all have the sign of the change: one that has not would be a run at 1/10 or at tenfold rate
export FAKE_FACTOR=10
found=0 alone=0
for seed in {11..18}; do
	sweep "$seed" --scheds current,current:queue/nomerges=2 || diag "$(cat "$T/fakefio.out")"
	"$IOBENCH" compare current current:queue/nomerges=2 --format csv > "$T/compare"
	grep -q '^compare,read,2,.*,verdict,.*better$' "$T/compare" && found=$((found + 1))
	[ "$(grep -cE ',verdict,.*(better|worse)$' "$T/compare")" -le 1 ] && alone=$((alone + 1))
done
ok "[ $found -ge 6 ]" "a tenfold rate in one of four cells is found in $found of 8 sweeps"
ok "[ $alone -ge 3 ]" "in $alone of them no other cell is named"
is "$(cat "/sys/block/${dev#/dev/}/queue/nomerges")" 0 'the setting that made it is as before'
done_testing
