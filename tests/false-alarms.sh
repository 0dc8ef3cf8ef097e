#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# false-alarms.sh [N]: how often does the whole program claim a change where there is none? N sweeps (default: 200) of
# one scheduler under two names with a fake fio (tests/fakefio), each compared; then N sweeps in which one cell is
# changed by twice the deviation of the paired log ratio that was seen before. All is seeded: the same figures every time.
#	NUMJOBS=1-8	and BLOCKS=10: with two patterns 16 cells; NUMJOBS=1,2 are 4
#	SCHED=current	what is swept twice; a switch of the scheduler takes most of the time of such a run
#	ORDER=random	sequential: what it would be without blocks in random order; is printed and not judged
#	POWER=yes	no: without the sweeps in which something is there
#	SEED=1		of the first sweep
#
# The rule: of the families (a comparison is one) that claim a change, the 95% interval of their share (Wilson) must
# touch 2.5% to 7.5%; of the changes that were found that of their share must touch 90% to 100%. Exit status 1 if not.
. tests/lib.sh
. tests/fakefio/lib.sh

n=${1:-200}
: "${NUMJOBS:=1-8}" "${BLOCKS:=10}" "${SCHED:=current}" "${ORDER:=random}" "${POWER:=yes}" "${SEED:=1}"
bad=0
fakefio_start

sweep()
{
	fakefio_sweep "$@" --patterns read,randread --jobs "$NUMJOBS" --runs "$BLOCKS" --runtime 10s --ramp 0 \
		--order "$ORDER" || { cat "$T/fakefio.out" >&2; echo "false-alarms: sweep with seed $1 failed" >&2; exit 2; }
}

# lines of the cells in which 'compare' names a change
changes() { "$IOBENCH" compare "$@" --format csv | grep -E ',verdict,,,(better|worse)$'; }
# what 'findings' names; that a mean is not pinned down is no change
findings() { "$IOBENCH" findings --format csv | grep -E '^findings,[0-9]+,kind,' | grep -v 'unstable$'; }

# share WHAT LEAST MOST K N: in percent with its interval; bad if that does not touch LEAST to MOST ('-': not judged)
share()
{
	awk -v what="$1" -v least="$2" -v most="$3" -v k="$4" -v n="$5" 'BEGIN {
		z = 1.959964; z2 = z * z / n; p = k / n
		half = z * sqrt(p * (1 - p) / n + z2 / (4 * n))
		low = (p + z2 / 2 - half) / (1 + z2); high = (p + z2 / 2 + half) / (1 + z2)
		low = low < 0 ? 0 : low
		bad = least != "-" && (low * 100 > most || high * 100 < least)
		printf "%-62s %5d of %5d %5.1f%% (%.1f to %.1f)%s\n", what, k, n, p * 100, low * 100, high * 100,
			bad ? " BAD" : ""
		exit bad }' || bad=1
}

least=2.5 most=7.5
[ "$ORDER" = random ] || { least=- POWER=no; }
started=${EPOCHREALTIME/[.,]/}
claimed=0 large=0 found=0
for ((i = SEED; i < SEED + n; i++)); do
	sweep "$i" --scheds "$SCHED" --twice
	[ -z "$(changes "$SCHED#1" "$SCHED#2" --min-effect 0)" ] || claimed=$((claimed + 1))
	[ -z "$(changes "$SCHED#1" "$SCHED#2")" ] || large=$((large + 1))
	[ -z "$(findings)" ] || found=$((found + 1))
	fakefio_deviation
done > "$T/squares"
runs=$(cut -d' ' -f1 "$FAKE_STATE")
deviation=$(awk '{ s += $1; n += $2 } END { print sqrt(s / n) }' "$T/squares")
us=$(((${EPOCHREALTIME/[.,]/} - started) / n / runs))
echo "$n sweeps of $SCHED twice, jobs $NUMJOBS, $BLOCKS blocks, order $ORDER: $runs runs each, $us us a run"
awk -v d="$deviation" 'BEGIN { printf "deviation of a paired log ratio: %.1f%%\n", d * 100 }'
share 'families that claim a change' $least $most $claimed "$n"
share '... beyond 2%' - - $large "$n"
share "sweeps in which 'findings' names more than unstable cells" - - $found "$n"

if [ "$POWER" = yes ]; then
	factor=$(awk -v d="$deviation" 'BEGIN { print exp(2 * d) }')
	export FAKE_FACTOR=$factor
	found=0 others=0
	for ((i = SEED; i < SEED + n; i++)); do
		sweep $((i + 1000000)) --scheds "$SCHED,$SCHED:queue/nomerges=2"
		changes "$SCHED" "$SCHED:queue/nomerges=2" > "$T/changes"
		if grep -q '^compare,read,2,.*better$' "$T/changes"; then found=$((found + 1)); fi
		if grep -qv '^compare,read,2,' "$T/changes"; then others=$((others + 1)); fi
	done
	effect=$(awk -v f="$factor" 'BEGIN { printf "%.1f%%", 100 * (f - 1) }')
	share "a change of two deviations, $effect, in one cell is found" 90 100 $found "$n"
	share '... and a change in another cell beside it' - - $others "$n"
fi
exit $bad
