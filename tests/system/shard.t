#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two shards of a plan, run, merged and reported, are one sweep.
. tests/lib.sh
need_loop
need_commands fio sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
sweep()
{
	"$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline,bfq --patterns read,randread --jobs 1-2 -n 2 --runtime 20ms \
		--ramp 0 --size 8M "$@"
}
cells() { sqlite3 "$1" "select key from config join cell on cell.config = config.id ${2:-}" | sort; }

sweep --seed 1 --db "$T/whole.db" > /dev/null 2>&1
is $? 0 'a whole sweep'
for k in 1 2; do
	run sweep --shard $k/2 --db "$T/$k.db"
	is $RC 0 "shard $k"
done
is "$(cat <(cells "$T/1.db") <(cells "$T/2.db") | sort)" "$(cells "$T/whole.db")" 'the shards are the plan, each cell once'
is "$(cells "$T/1.db" | wc -l)" 6 'and as long as each other'
is "$(sqlite3 "$T/1.db" "select min(n), max(n) from (select count(*) n from (select cell.id, max(case when name = 'pattern' then value end) p,
	max(case when name = 'numjobs' then value end) j from cell join config_axis a on a.config = cell.config group by 1) group by p, j)")" \
	'3|3' 'all variants of a row are in one shard'
like "$(sqlite3 "$T/1.db" 'select name from sweep')" '^plan-[0-9a-f]{8}$' 'a shard has the name of its plan'
is "$(sqlite3 "$T/1.db" 'select name from sweep')" "$(sqlite3 "$T/2.db" 'select name from sweep')" 'all have the same'

"$IOBENCH" merge --db "$T/both.db" "$T/1.db" "$T/2.db" > /dev/null
ids=$(sqlite3 "$T/both.db" 'select uuid from sweep')
# but for the figures, and for what a busy machine adds
shape() { sed 's/-\?[0-9]\+\.[0-9]\+/N/g; s/ \+/ /g; /^warning/,$d'; }
whole=$("$IOBENCH" report --db "$T/whole.db" | shape)
# shellcheck disable=SC2086
is "$("$IOBENCH" report $ids --db "$T/both.db" | shape)" "$whole" 'the report of both shards has the tables of the whole sweep'
# shellcheck disable=SC2086
is "$("$IOBENCH" report $ids --db "$T/both.db" --rows jobs,pattern --cols variant | grep -c ' - ')" 0 'and no hole'

# the other shard of another night, and of another box
sqlite3 "$T/2.db" "update sweep set host = 'elsewhere'"
rm "$T/both.db"
"$IOBENCH" merge --db "$T/both.db" "$T/1.db" "$T/2.db" > /dev/null
# shellcheck disable=SC2086
run "$IOBENCH" report $ids --db "$T/both.db"
like "$OUT" 'shard 2/2: jobs [0-9, ]+ on host elsewhere' 'which box has measured what is said'
sweep --shard 1/2 --db "$T/1.db" > /dev/null 2>&1
ids=$(sqlite3 "$T/1.db" 'select uuid from sweep')
# shellcheck disable=SC2086
run "$IOBENCH" report $ids --db "$T/1.db"
like "$OUT" '\[5\] - ' 'the same shard twice is two sweeps'

# it is cut again the same way
run "$IOBENCH" resume "$(sqlite3 "$T/1.db" 'select uuid from sweep limit 1')" --db "$T/1.db"
is $RC 0 'a shard can be resumed'
is "$(sqlite3 "$T/1.db" 'select count(*) from cell where sweep = 1')" 6 'and stays what it is'

refused() { run sweep --dry-run --db "$T/no.db" --shard "$1"; is $RC 2 "--shard $1 is refused"; }
refused 0/2
refused 3/2
refused 2
refused 01/2
refused 1/5
like "$ERR" 'only 4 rows' 'more shards than rows'

# a plan of several sweeps: one with fewer rows than shards is in some of them only
cat > "$T/night.ini" << EOF
[all]
dev = $dev
scheds = none,bfq
runs = 1
runtime = 20ms
ramp = 0
size = 8M
[large]
jobs = 1-2
[small]
patterns = read
jobs = 1
EOF
"$IOBENCH" sweep --plan "$T/night.ini" --db "$T/plan.db" > /dev/null 2>&1
is $? 0 'a whole plan'
left=
for k in 1 2; do
	run "$IOBENCH" sweep --plan "$T/night.ini" --shard $k/2 --db "$T/p$k.db"
	is $RC 0 "shard $k of a plan"
	left+=$(grep -c "sweep 'small': left out, its 1 row is in other shards than $k/2" <<< "$ERR")
done
ok "[ $left = 01 ] || [ $left = 10 ]" 'one of them leaves out the sweep that has one row, and says so'
"$IOBENCH" merge --db "$T/plans.db" "$T/p1.db" "$T/p2.db" > /dev/null
is "$(cells "$T/plans.db")" "$(cells "$T/plan.db")" 'together they are the plan'
for k in 1 2 3 4 5 6 7 8 9; do
	"$IOBENCH" sweep --plan "$T/night.ini" --shard $k/9 --dry-run 2> /dev/null | grep '^shard:'
done > "$T/nine"
is "$(wc -l < "$T/nine")" 5 'of nine shards five have a row'
done_testing
