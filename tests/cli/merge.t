#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Databases of several boxes in one: each run once, sweeps that grew, the newest state, all or nothing.
. tests/lib.sh
need_commands sqlite3

made() { "$BUILD/tests/bench/million" "$@" 2> /dev/null; }
merge() { "$IOBENCH" merge --db "$@"; }

# everything that is stored, by what is the same in every file: uuids, keys, names
content()
{
	sqlite3 "$1" <<- 'EOS'
		select 'sweep', s.uuid, kind, s.name, note, command, plan, seed, state, host, devices, w.hash, started_ns, ended_ns
			from sweep s left join workload w on w.id = s.workload order by 2;
		select 'cell', s.uuid, k.key, c.ordinal, c.state, c.reason, x.code, x.text from cell c join sweep s on s.id = c.sweep
			join config k on k.id = c.config left join warning x on x.cell = c.id order by 2, 3, 4;
		select 'axis', key, ordinal, name, value from config_axis a join config k on k.id = a.config order by 2, 3;
		select 'run', r.uuid, s.uuid, k.key, e.content, i.uuid, i.boot_id, block, position, attempt, r.kind, r.state, r.reason,
			r.started_ns, elapsed_ns, randseed, exit_status, q.content, f.content, counters, d.command, tool, format,
			diagnostics, raw.bytes, raw.zstd from run r join cell c on c.id = r.cell join sweep s on s.id = c.sweep
			join config k on k.id = c.config join environment e on e.id = r.environment
			join invocation i on i.id = r.invocation join run_detail d on d.run = r.id left join raw on raw.run = r.id
			left join settings q on q.id = d.requested left join settings f on f.id = d.effective order by 2;
		select 'sample', r.uuid, job, m.name, m.unit, direction, a.name, v.name, value from sample s join run r on r.id = s.run
			join metric m on m.id = s.metric join actor a on a.id = s.actor join device v on v.id = s.device
			order by 2, 3, 4, 6, 7, 8;
		select 'warning', r.uuid, code, text from warning w join run r on r.id = w.run order by 2, 3, 4;
		select 'summary', s.uuid, k.key, e.hash, m.name, direction, n, mean, m2, min, max from summary y
			join cell c on c.id = y.cell join sweep s on s.id = c.sweep join config k on k.id = c.config
			join environment e on e.id = y.environment join metric m on m.id = y.metric order by 2, 3, 4, 5, 6;
		select 'published', k.key, m.name, n, mean, stddev from published p join cell c on c.id = p.cell
			join config k on k.id = c.config join metric m on m.id = p.metric order by 2, 3;
		select 'import', hash, path, format, s.uuid from import i join sweep s on s.id = i.sweep order by 2;
		select 'baseline', b.name, s.uuid, set_ns from baseline b join sweep s on s.id = b.sweep order by 2;
		select 'acknowledged', uuid, since_ns, reason, made_ns from acknowledged order by 2;
	EOS
}

# how many summaries are not those of their samples
wrong_summaries()
{
	sqlite3 "$1" "with t as (select r.cell, r.environment, s.metric, s.direction, count(*) n, avg(value) mean, min(value) low,
		max(value) high from run r join sample s on s.run = r.id and s.job = -1 where r.kind = 'measure' and r.state = 'ok'
		group by 1, 2, 3, 4), d as (select t.*, (select sum((value - t.mean) * (value - t.mean)) from run r join sample s
		on s.run = r.id and s.job = -1 and s.metric = t.metric and s.direction = t.direction where r.cell = t.cell
		and r.environment = t.environment and r.kind = 'measure' and r.state = 'ok') m2 from t)
		select count(*) from d left join summary y on y.cell = d.cell and y.environment = d.environment
		and y.metric = d.metric and y.direction = d.direction where y.n is not d.n or abs(y.mean - d.mean) > 1e-9 * abs(d.mean)
		or abs(y.m2 - d.m2) > 1e-6 * d.m2 + 1e-18 * d.mean * d.mean or y.min <> low or y.max <> high"
}

made "$T/one.db" 1900 one
made "$T/two.db" 900 two
sqlite3 "$T/two.db" "insert into raw (run, bytes, zstd) select id, 3, x'010203' from run where id % 7 = 0;
	insert into warning (cell, code, text) select id, 'spread', 'results differ' from cell where id = 3"
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\npost\tread\tcfq\t1\tiops\tIOPS\t10\t100\t5\n' > "$T/p.tsv"
"$IOBENCH" import --db "$T/two.db" "$T/p.tsv" > /dev/null
"$IOBENCH" baseline set good last --db "$T/one.db" > /dev/null
"$IOBENCH" baseline ack last~1 --reason 'new firmware' --where variant=bfq --db "$T/one.db" > /dev/null
content "$T/one.db" > "$T/one"
content "$T/two.db" > "$T/two"

# ---- two boxes into one file ----
run merge "$T/lab.db" "$T/one.db" "$T/two.db"
is $RC 0 'two databases merge into a new one'
like "$OUT" "one.db': 2 sweeps new, 0 grown; 1920 runs new, 0 known" 'what came is said'
content "$T/lab.db" > "$T/lab"
sort -u "$T/one" "$T/two" > "$T/both"
is "$(sort -u "$T/lab" | diff - "$T/both" | head -3)" '' 'all of both is there, and nothing else'
run "$IOBENCH" db check --db "$T/lab.db"
is $RC 0 'and it is sound'
is "$(wrong_summaries "$T/lab.db")" 0 'summaries are those of the samples'
run merge "$T/lab.db" "$T/one.db" "$T/two.db"
like "$OUT" "two.db': 0 sweeps new, 0 grown; 0 runs new, 960 known" 'a second time there is nothing to do'
is "$(content "$T/lab.db" | diff - "$T/lab")" '' 'and nothing changes'
is "$(content "$T/one.db" | diff - "$T/one")" '' 'a source stays as it is'

is "$(sqlite3 "$T/lab.db" 'select conditions from acknowledged')" '["variant=bfq","host=one"]' \
	'a change that is known is that of its box'
"$IOBENCH" baseline set good last~1 --db "$T/one.db" > /dev/null
merge "$T/lab.db" "$T/one.db" > /dev/null
is "$(content "$T/lab.db" | grep ^baseline)" "$(content "$T/one.db" | grep ^baseline)" 'a baseline that was moved is moved here'
"$IOBENCH" baseline set good last~1 --db "$T/lab.db" > /dev/null
before=$(content "$T/lab.db" | grep ^baseline)
merge "$T/lab.db" "$T/one.db" > /dev/null
is "$(content "$T/lab.db" | grep ^baseline)" "$before" 'one that was moved here stays'

# the same in the database into which the other box comes
cp "$T/one.db" "$T/home.db"
merge "$T/home.db" "$T/one.db" > /dev/null
is "$(sqlite3 "$T/home.db" 'select conditions from acknowledged')" '["variant=bfq"]' 'of a single box it is what it was'
merge "$T/home.db" "$T/two.db" > /dev/null
is "$(sqlite3 "$T/home.db" 'select conditions from acknowledged')" '["variant=bfq","host=one"]' \
	'a change that was known here is not known of a box that comes'
"$IOBENCH" baseline ack last --reason 'of all' --db "$T/home.db" > /dev/null
merge "$T/home.db" "$T/two.db" > /dev/null
is "$(sqlite3 "$T/home.db" "select conditions from acknowledged where reason = 'of all'")" '[]' \
	'one that is known of both stays so'

cp "$T/two.db" "$T/guest.db"
"$IOBENCH" baseline set good "$(sqlite3 "$T/guest.db" "select uuid from sweep where kind = 'sweep' limit 1")" --db "$T/guest.db" > /dev/null
run merge "$T/home.db" "$T/guest.db"
like "$ERR" "baseline 'good' was a night of another box here: it is the one that was named last now" 'two baselines of a name are told'
run merge "$T/home.db" "$T/guest.db"
is "$ERR" '' 'once'

# ---- imports ----
cp tests/data/fio_json/sync.json "$T/a.json"
sed 's/"iops" : /&1/' "$T/a.json" > "$T/b.json"
printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\nfirst\tread\tcfq\t1\tiops\tIOPS\t10\t100\t5\nsecond\tread\tcfq\t1\tiops\tIOPS\t10\t90\t5\n' \
	> "$T/q.tsv"
imported() { "$IOBENCH" import --db "$@" > /dev/null; }
imported "$T/here.db" --sched cfq "$T/a.json"
imported "$T/here.db" "$T/q.tsv"
imported "$T/there.db" --sched cfq "$T/b.json"
imported "$T/there.db" "$T/q.tsv"
imported "$T/there.db" --sched cfq "$T/a.json"
is "$(sqlite3 "$T/there.db" 'select count(*) from sweep')" 4 'two results and a table of two sources are imported'
run merge "$T/here.db" "$T/there.db"
like "$OUT" '1 sweeps new, 0 grown; 1 runs new, 1 known' 'files that were imported on both boxes come once'
like "$ERR" 'sweep [0-9a-f]{8} was not merged: the same files were imported here before, as sweep' 'and it is said'
is "$(sqlite3 "$T/here.db" "select count(*) from sweep where name in ('first', 'second')")" 2 'also tables of several sources'
run "$IOBENCH" import --db "$T/here.db" --sched cfq "$T/b.json"
like "$OUT" '1 known already' 'what came is known as imported'

# ---- the boxes are told apart ----
run "$IOBENCH" list --db "$T/lab.db"
like "$OUT" '/dev/sdb on one .*nightly' 'list names the host'
ok "$([[ $OUT != *' on  '* ]]; echo $?)" 'but none of what was imported'
ids=$(sqlite3 "$T/lab.db" "select uuid from sweep where name = 'nightly' group by host order by host, started_ns")
# shellcheck disable=SC2086
run "$IOBENCH" report --db "$T/lab.db" --metric iops $ids
like "$OUT" 'bfq, .*host one' 'a table of two hosts names the one'
like "$OUT" 'bfq, .*host two' 'and the other'
is "$(grep -c 'sequential reads' <<< "$OUT")" 1 'the same configuration on the same kind of disk is one table'
# shellcheck disable=SC2086
run "$IOBENCH" report --db "$T/lab.db" --rows jobs --cols host,variant --where pattern=read --where variant=bfq,none $ids
like "$OUT" 'two, none' 'host is an axis to lay out'
# shellcheck disable=SC2086
run "$IOBENCH" report --db "$T/lab.db" --where host=two $ids
ok "$([[ $OUT == *bfq* && $OUT != *"host one"* ]]; echo $?)" 'and to choose by'
run "$IOBENCH" report --db "$T/lab.db" --layout trend --where pattern=read --where jobs=1
like "$OUT" '\* sequential reads, 1 job, host one' 'a trend is of one box'
like "$OUT" '\* sequential reads, 1 job, host two' 'and another of the other'
is "$(grep -c '^\*' <<< "$OUT")" 3 'and of what was imported'
run "$IOBENCH" report --db "$T/lab.db" --layout trend --where pattern=read --where jobs=1 --where host=two
is "$(grep -c '^\*' <<< "$OUT")" 1 'or of the one that is chosen'
run "$IOBENCH" compare --db "$T/lab.db" host=one host=two
is $RC 0 'hosts are sides of compare'
like "$OUT" 'host: one against two' 'and named as what differs'
ok "$([[ $OUT != *"only A has"* ]]; echo $?)" 'every cell finds its like'
run "$IOBENCH" compare --db "$T/lab.db" nightly/host=one host=three
is $RC 2 'a host that made nothing is a usage error'

# ---- a sweep that went on after it was merged ----
sqlite3 "$T/one.db" "vacuum into '$T/early.db'"
sqlite3 "$T/early.db" "pragma foreign_keys = on; delete from run where (id - 1) % 960 > 500; delete from summary;
	update sweep set state = 'running', ended_ns = null, note = ''; update cell set state = 'pending'"
sqlite3 "$T/one.db" "update sweep set note = 'stopped for want of time'"
content "$T/one.db" > "$T/one"
rm -f "$T"/lab.db*
merge "$T/lab.db" "$T/early.db" > /dev/null
run merge "$T/lab.db" "$T/one.db"
like "$OUT" '0 sweeps new, 2 grown; 9[0-9]* runs new, 10[0-9]* known' 'a sweep that grew gets its new runs'
is "$(content "$T/lab.db" | sort | diff - <(sort "$T/one") | grep -v summary | grep -c '[<>]')" 0 'and is then as it is there'
is "$(wrong_summaries "$T/lab.db")" 0 'summaries are made again'
merge "$T/lab.db" "$T/early.db" > /dev/null
is "$(sqlite3 "$T/lab.db" 'select distinct state from sweep')" 'done' 'an older copy takes no state back'
is "$(sqlite3 "$T/lab.db" 'select distinct state from cell')" 'done' 'nor that of cells'

# ---- what waited was given up ----
sqlite3 "$T/one.db" "vacuum into '$T/waits.db'; vacuum into '$T/dropped.db'"
pending="update sweep set state = 'pending' where id = 1; update cell set state = 'pending' where id = 5"
sqlite3 "$T/waits.db" "$pending"
sqlite3 "$T/dropped.db" "$pending"
first=$(sqlite3 "$T/one.db" 'select uuid from sweep where id = 1')
merge "$T/given.db" "$T/waits.db" > /dev/null
# what resume --drop does
sqlite3 "$T/dropped.db" "update sweep set state = 'done' where id = 1;
	update cell set state = 'failed', reason = 'given up' where id = 5"
merge "$T/given.db" "$T/dropped.db" > /dev/null
merge "$T/given.db" "$T/waits.db" > /dev/null
is "$(sqlite3 "$T/given.db" "select state from sweep where uuid = '$first'")" 'done' 'a sweep that was given up is done here too'
is "$(sqlite3 "$T/given.db" "select reason from cell where state = 'failed' and sweep = (select id from sweep where uuid = '$first')")" \
	'given up' 'with the reason'

# ---- a run that was superseded meanwhile ----
sqlite3 "$T/one.db" "update run set state = 'superseded' where id = (select min(id) from run where cell = 3 and state = 'ok')"
merge "$T/lab.db" "$T/one.db" > /dev/null
is "$(sqlite3 "$T/lab.db" "select count(*) from run where state = 'superseded'")" 1 'a run that was superseded is so here'
is "$(wrong_summaries "$T/lab.db")" 0 'and leaves the summary'
merge "$T/lab.db" "$T/early.db" > /dev/null
is "$(sqlite3 "$T/lab.db" "select count(*) from run where state = 'superseded'")" 1 'an older copy does not bring it back'

# ---- all or nothing ----
made "$T/large.db" 40000 three
killed=0 partial=0
for delay in 0.05 0.2 0.4 0.6 0.8; do
	rm -f "$T"/k.db*
	merge "$T/k.db" "$T/two.db" > /dev/null
	"$IOBENCH" merge --db "$T/k.db" "$T/large.db" > /dev/null &
	pid=$!
	sleep $delay
	kill -KILL $pid 2> /dev/null && killed=$((killed + 1))
	wait $pid 2> /dev/null
	n=$(sqlite3 "$T/k.db" 'select count(*) from run')
	[ "$n" = 960 ] || [ "$n" = $((960 + 40320)) ] || partial=$((partial + 1))
	[ "$(sqlite3 "$T/k.db" 'pragma integrity_check')" = ok ] || partial=$((partial + 1))
done
is $partial 0 'a merge that is killed has brought all or nothing'
ok "[ $killed -ge 1 ]" 'and one was killed'

# ---- what cannot be merged ----
before=$(content "$T/lab.db")
run merge "$T/lab.db" "$T/lab.db"
is $RC 2 'a database does not merge into itself'
echo text > "$T/text"
run merge "$T/lab.db" "$T/text"
is $RC 3 'what is no database is refused'
run merge "$T/lab.db" "$T/absent.db"
is $RC 3 'what is not there too'
merge "$T/fresh.db" "$T/text" 2> /dev/null
ok "[ ! -e '$T/fresh.db' ]" 'and leaves no empty database'
cp "$T/two.db" "$T/damaged.db"
dd if=/dev/zero of="$T/damaged.db" bs=4096 seek=40 count=40 conv=notrunc 2> /dev/null
run merge "$T/fresh.db" "$T/damaged.db"
is $RC 1 'nor one that is damaged'
like "$ERR" "cannot merge '.*damaged.db': database '.*damaged.db': damaged" 'which is not blamed on where it was to go'
ok "[ ! -e '$T/fresh.db' ] && [ ! -e '$T/fresh.db-wal' ]" 'and where nothing came'
cp "$T/damaged.db" "$T/broken.db"
run merge "$T/broken.db" "$T/one.db"
like "$ERR" "database '.*broken.db': damaged" 'one that is damaged itself is named too'
ok "[ -e '$T/broken.db' ]" 'and stays'
sqlite3 "$T/two.db" "vacuum into '$T/new.db'"
sqlite3 "$T/new.db" 'pragma user_version = 999'
run merge "$T/lab.db" "$T/new.db"
is $RC 3 'a newer database is refused'
like "$ERR" '999.*newer iobench' 'and it is said what to do'
is "$(content "$T/lab.db")" "$before" 'nothing came of them'

# a table of a version to come that does not raise the schema
sqlite3 "$T/two.db" "create table stranger (x); create table strange (x); insert into stranger values (1)"
run merge "$T/lab.db" "$T/two.db"
is $RC 0 'a table that merge does not know is no obstacle'
like "$ERR" "table 'stranger' was not merged" 'but it is said that it was left behind'
ok "$([[ $ERR != *"'strange'"* ]]; echo $?)" 'unless it is empty'

# a database of the first schema
sqlite3 "$T/first.db" < db/schema/001-first.sql
sqlite3 "$T/first.db" "pragma application_id = 0x696f626e; pragma user_version = 1;
	insert into actor (name) values ('someone of old')"
run merge "$T/lab.db" "$T/first.db"
is $RC 0 'a database of the first schema merges'
is "$(sqlite3 "$T/lab.db" "select count(*) from actor where name = 'someone of old'")" 1 'with what it holds'
is "$(sqlite3 "$T/first.db" 'pragma user_version')" 1 'and stays what it is'
is "$(find "$T" -name 'lab.db.merge*')" '' 'no copy is left'
touch "$T/lab.db.merge-99999999.part" "$T/lab.db.merge-$$"
merge "$T/lab.db" "$T/first.db" > /dev/null
is "$(find "$T" -name 'lab.db.merge*')" "$T/lab.db.merge-$$" 'one that a merge left that was killed goes, one that lives stays'

# a source on which somebody else writes, and one that cannot be written
sqlite3 "$T/one.db" > /dev/null <<- EOS
	pragma journal_mode = wal;
	begin immediate;
	insert into actor (name) values ('not yet');
	.shell '$IOBENCH' merge --db '$T/live.db' '$T/one.db' > /dev/null 2>&1
	commit;
EOS
is "$(sqlite3 "$T/live.db" 'select count(*) from run')" 1920 'a database that is being written to merges'
is "$(sqlite3 "$T/live.db" "select count(*) from actor where name = 'not yet'")" 0 'as it was committed'
done_testing
