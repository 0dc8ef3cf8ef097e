# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# nights DB FIRST LAST [NAME=VALUE]...: nights FIRST to LAST into a database, which is made if it is not there.
#
# A night is a sweep 'nightly' that starts at two in the morning UTC, night 0 on 2026-01-01: none, mq-deadline and bfq,
# sequential reads with 1 and 4 jobs, 6 blocks. What is true of them:
#	bfq=0.95	bfq's rate, of what it was
#	box=0.5		that of all of them
#	noise=10	deviations: about 0.5% from night to night and from run to run, times this
#	reference=kyber	instead of none
#	kernel=6.2	and slice=4, the slice_idle that is read back
#	blocks=2

nights()
{
	local db=$1 first=$2 last=$3
	local bfq=1 box=1 noise=1 reference=none kernel=6.1 slice=8 blocks=6
	shift 3
	[ $# -eq 0 ] || local "$@"
	if [ ! -e "$db" ]; then
		printf 'source\tpattern\tvariant\tjobs\tmetric\tunit\tn\tmean\tstddev\nx\tread\tx\t1\tiops\tIOPS\t3\t1\t1\n' > "$db.tsv"
		"$IOBENCH" import --db "$db" "$db.tsv" > /dev/null
		sqlite3 "$db" 'PRAGMA foreign_keys = ON; DELETE FROM sweep'
	fi
	sqlite3 "$db" << SQL
PRAGMA synchronous = OFF;
BEGIN;
CREATE TEMP TABLE night AS SELECT value AS i, printf('%08d-0000-4000-8000-000000000000', value) AS uuid,
	(unixepoch('2026-01-01 02:00') + value * 86400) * 1000000000 AS ns FROM generate_series($first, $last);
CREATE TEMP TABLE wanted AS SELECT column1 AS variant, column2 AS rate, value AS jobs
	FROM (VALUES ('$reference', 1), ('mq-deadline', 1), ('bfq', $bfq)), generate_series(1, 4, 3);
INSERT OR IGNORE INTO environment (hash, content) VALUES ('$kernel', '{"kernel.release":"$kernel"}');
INSERT OR IGNORE INTO settings (hash, content) VALUES ('$slice', '{"sdb:queue/iosched/slice_idle":"$slice"}');
INSERT OR IGNORE INTO metric (name, unit) VALUES ('iops', 'IOPS');
INSERT OR IGNORE INTO actor (name) VALUES ('fio');
INSERT OR IGNORE INTO config (key, variant) SELECT variant || '/' || jobs, variant FROM wanted;
INSERT OR IGNORE INTO config_axis (config, ordinal, name, value) SELECT id, 0, 'pattern', 'read' FROM config;
INSERT OR IGNORE INTO config_axis (config, ordinal, name, value)
	SELECT config.id, 1, 'numjobs', jobs FROM wanted JOIN config ON key = wanted.variant || '/' || jobs;
INSERT INTO sweep (uuid, kind, name, seed, state, started_ns) SELECT uuid, 'sweep', 'nightly', 1, 'done', ns FROM night;
INSERT INTO invocation (uuid, sweep, started_ns) SELECT uuid, id, started_ns FROM sweep WHERE uuid IN (SELECT uuid FROM night);
INSERT INTO cell (sweep, config, ordinal, state) SELECT sweep.id, config.id, config.id, 'done'
	FROM sweep JOIN night USING (uuid), wanted JOIN config ON key = wanted.variant || '/' || jobs;
CREATE TEMP TABLE made AS SELECT row_number() OVER () + (SELECT count(*) FROM run) AS run, cell.id AS cell, invocation.id AS invocation,
	i, jobs, rate, config.id AS config, block.value AS block
	FROM night JOIN invocation USING (uuid) JOIN cell ON cell.sweep = invocation.sweep JOIN config ON config.id = cell.config
	JOIN wanted ON key = wanted.variant || '/' || jobs, generate_series(0, $blocks - 1) AS block;
INSERT INTO run (id, uuid, cell, environment, invocation, block, position, attempt, kind, state, started_ns, elapsed_ns, randseed,
	exit_status) SELECT run, printf('00000000-0000-4000-8001-%012d', run), cell,
	(SELECT id FROM environment WHERE hash = '$kernel'), invocation, block, 0, 0, 'measure', 'ok', 1, 1, 1, 0 FROM made;
INSERT INTO run_detail (run, effective) SELECT run, (SELECT id FROM settings WHERE hash = '$slice') FROM made;
-- the fractions of large sines look random enough, and are the same every time
INSERT INTO sample (run, job, metric, direction, actor, device, value)
	SELECT run, -1, metric.id, 0, actor.id, 0, 1000 * jobs * rate * $box * exp(0.015 * $noise * (
		mod(1e5 * (1 + sin(i * 12.9898 + config * 78.233 + block * 37.719)), 1) +
		mod(1e5 * (1 + sin(i * 3.1337 + config * 17.17)), 1) - 1))
	FROM made, metric, actor WHERE metric.name = 'iops' AND actor.name = 'fio';
INSERT INTO summary (cell, environment, metric, direction, actor, device, n, mean, m2, min, max)
	SELECT run.cell, run.environment, metric, direction, actor, device, count(*), avg(value),
	max(sum(value * value) - count(*) * avg(value) * avg(value), 0), min(value), max(value)
	FROM made JOIN run ON run.id = made.run JOIN sample ON sample.run = run.id GROUP BY 1, 2, 3, 4, 5, 6;
COMMIT;
SQL
}
