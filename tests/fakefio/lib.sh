# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sweeps with the fake fio for shell tests; source it after tests/lib.sh.
#
#	fakefio_start		makes a loop device, $dev; skip_all where that is not possible
#	fakefio_sweep SEED OPTION...	sweeps it, alone in the database $IOBENCH_DB; whatever is random comes from SEED
#	fakefio_deviation	of that sweep's two variants: the sum of squares of the paired log ratios around their
#				means, and its degrees of freedom

fakefio_start()
{
	local memory=$T
	need_loop
	need_commands sqlite3
	# what a sweep costs is waiting for the disk to have each run: not what is asked here
	if [ -d /dev/shm ] && [ -w /dev/shm ]; then
		memory=$(mktemp -d /dev/shm/iobench-test.XXXXXX) && at_exit "rm -rf $memory"
	fi
	dev=$(make_loop 64M) || skip_all 'needs loop devices'
	# a loop device keeps what whoever had it before has set
	echo 0 > "/sys/block/${dev#/dev/}/queue/nomerges"
	export IOBENCH_RUNDIR=$memory/run IOBENCH_DB=$memory/x.db FAKE_STATE=$memory/machine
	export PATH=$BUILD/tests/fakefio:$PATH
}

fakefio_sweep()
{
	local seed=$1 status=3 attempt
	shift
	# somebody's losetup that looks for a free one has each open for a moment, and the sweep is refused
	for ((attempt = 0; status == 3 && attempt < 10; attempt++)); do
		rm -f "$IOBENCH_DB"* "$FAKE_STATE"
		FAKE_SEED=$seed "$IOBENCH" sweep --dev "$dev" --seed "$seed" --size 2M "$@" > "$T/fakefio.out" 2>&1
		status=$?
	done
	return $status
}

fakefio_deviation()
{
	sqlite3 -separator ' ' "$IOBENCH_DB" "
with rate as (select ordinal / 2 as pair, ordinal % 2 as side, block, value
		from run join cell on cell.id = run.cell join sample on sample.run = run.id
		where run.kind = 'measure' and run.state = 'ok' and job = -1 and direction = 0
			and metric = (select id from metric where name = 'iops')),
	ratio as (select a.pair, ln(b.value / a.value) as d from rate a join rate b using (pair, block)
		where a.side = 0 and b.side = 1),
	of_pair as (select sum(d * d) - sum(d) * sum(d) / count(*) as squares, count(*) - 1 as freedom
		from ratio group by pair)
select sum(squares), sum(freedom) from of_pair"
}
