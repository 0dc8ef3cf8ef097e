-- SPDX-License-Identifier: GPL-2.0-or-later
-- Brings the rows of the attached database 'src' into 'main': run by db/merge.c inside of one transaction. What is the
-- same in two files has the same uuid, hash, key or name; ids are of one file only, so each table has a map from its ids
-- there to its ids here. A table that is not named here with 'src.' before it is not merged, and merge says so.

CREATE TEMP TABLE before AS SELECT
	(SELECT ifnull(max(id), 0) FROM main.sweep) AS sweep,
	(SELECT ifnull(max(id), 0) FROM main.cell) AS cell,
	(SELECT ifnull(max(id), 0) FROM main.run) AS run;

-- ---- by content ----

INSERT INTO main.workload (hash, name, text) SELECT hash, name, text FROM src.workload WHERE true ORDER BY id
	ON CONFLICT DO NOTHING;
CREATE TEMP TABLE workload_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO workload_map SELECT s.id, d.id FROM src.workload s JOIN main.workload d ON d.hash = s.hash AND d.name = s.name;

INSERT INTO main.environment (hash, content) SELECT hash, content FROM src.environment WHERE true ORDER BY id
	ON CONFLICT DO NOTHING;
CREATE TEMP TABLE environment_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO environment_map SELECT s.id, d.id FROM src.environment s JOIN main.environment d ON d.hash = s.hash;

INSERT INTO main.settings (hash, content) SELECT hash, content FROM src.settings WHERE true ORDER BY id
	ON CONFLICT DO NOTHING;
CREATE TEMP TABLE settings_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO settings_map SELECT s.id, d.id FROM src.settings s JOIN main.settings d ON d.hash = s.hash;

INSERT INTO main.config (key, variant) SELECT key, variant FROM src.config WHERE true ORDER BY id ON CONFLICT DO NOTHING;
CREATE TEMP TABLE config_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO config_map SELECT s.id, d.id FROM src.config s JOIN main.config d ON d.key = s.key;
INSERT INTO main.config_axis (config, ordinal, name, value)
	SELECT m.dst, a.ordinal, a.name, a.value FROM src.config_axis a JOIN config_map m ON m.src = a.config WHERE true
	ON CONFLICT DO NOTHING;

-- ---- by name ----

INSERT INTO main.metric (name, unit) SELECT name, unit FROM src.metric WHERE true ORDER BY id ON CONFLICT DO NOTHING;
CREATE TEMP TABLE metric_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO metric_map SELECT s.id, d.id FROM src.metric s JOIN main.metric d ON d.name = s.name;

INSERT INTO main.actor (name) SELECT name FROM src.actor WHERE true ORDER BY id ON CONFLICT DO NOTHING;
CREATE TEMP TABLE actor_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO actor_map SELECT s.id, d.id FROM src.actor s JOIN main.actor d ON d.name = s.name;

INSERT INTO main.device (name) SELECT name FROM src.device WHERE true ORDER BY id ON CONFLICT DO NOTHING;
CREATE TEMP TABLE device_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO device_map SELECT s.id, d.id FROM src.device s JOIN main.device d ON d.name = s.name;

-- What is known of the cells of one box is not known of those of others: here, where a second one comes.
UPDATE main.acknowledged SET conditions = json_insert(conditions, '$[#]', 'host=' || box.host)
	FROM (SELECT max(host) AS host, count(DISTINCT host) AS n FROM main.sweep WHERE kind = 'sweep') AS box
	WHERE box.n = 1 AND box.host <> '' AND EXISTS (SELECT 1 FROM src.sweep WHERE kind = 'sweep' AND host <> box.host)
	AND NOT EXISTS (SELECT 1 FROM json_each(conditions) WHERE value GLOB 'host=*');

-- ---- by uuid, and of imports by what was imported ----

-- Files that were imported both here and there made sweeps of different uuids. A sweep of which all files are known here
-- does not come, nor do those behind it, which came from its last file: only the first of a file is in 'import'.
CREATE TEMP TABLE import_known (src INTEGER PRIMARY KEY, uuid TEXT NOT NULL, other TEXT NOT NULL);
INSERT INTO import_known
	WITH owner AS (SELECT s.id, s.uuid, (SELECT max(i.sweep) FROM src.import i WHERE i.sweep <= s.id) AS first
		FROM src.sweep s WHERE s.kind = 'import' AND s.uuid NOT IN (SELECT uuid FROM main.sweep))
	SELECT owner.id, owner.uuid, min(other.uuid) FROM owner JOIN src.sweep f ON f.id = owner.first
	JOIN src.import i ON i.sweep = f.id LEFT JOIN main.import m ON m.hash = i.hash
	LEFT JOIN main.sweep other ON other.id = m.sweep
	GROUP BY owner.id HAVING count(*) = count(other.uuid) AND max(other.uuid = f.uuid) = 0;

INSERT INTO main.sweep (uuid, kind, name, note, command, plan, seed, state, host, devices, workload, started_ns, ended_ns)
	SELECT uuid, kind, name, note, command, plan, seed, state, host, devices, w.dst, started_ns, ended_ns
	FROM src.sweep s LEFT JOIN workload_map w ON w.src = s.workload
	WHERE s.id NOT IN (SELECT src FROM import_known) ORDER BY s.id
	ON CONFLICT DO NOTHING;
CREATE TEMP TABLE sweep_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL UNIQUE, fresh INTEGER NOT NULL, newer INTEGER NOT NULL);
INSERT INTO sweep_map SELECT s.id, d.id, d.id > before.sweep, 0
	FROM before, src.sweep s JOIN main.sweep d ON d.uuid = s.uuid;

-- Of a sweep that both have, the state is that of the file where something was done last: an end, a call of resume, a run.
-- Nothing tells when the rest was given up (resume --drop): but what is done since then is not done without another call.
UPDATE sweep_map SET newer = (max(
	(SELECT max(started_ns, ifnull(ended_ns, 0)) FROM src.sweep WHERE id = sweep_map.src),
	(SELECT ifnull(max(started_ns), 0) FROM src.invocation WHERE sweep = sweep_map.src),
	(SELECT ifnull(max(run.started_ns + run.elapsed_ns), 0) FROM src.cell CROSS JOIN src.run ON run.cell = cell.id
	 WHERE cell.sweep = sweep_map.src)
), (SELECT state = 'done' FROM src.sweep WHERE id = sweep_map.src)) > (max(
	(SELECT max(started_ns, ifnull(ended_ns, 0)) FROM main.sweep WHERE id = sweep_map.dst),
	(SELECT ifnull(max(started_ns), 0) FROM main.invocation WHERE sweep = sweep_map.dst),
	(SELECT ifnull(max(run.started_ns + run.elapsed_ns), 0) FROM main.cell CROSS JOIN main.run ON run.cell = cell.id
	 WHERE cell.sweep = sweep_map.dst)
), (SELECT state = 'done' FROM main.sweep WHERE id = sweep_map.dst)) WHERE NOT fresh;
UPDATE main.sweep SET (state, ended_ns, note) =
	(SELECT s.state, s.ended_ns, s.note FROM sweep_map m JOIN src.sweep s ON s.id = m.src WHERE m.dst = sweep.id)
	WHERE id IN (SELECT dst FROM sweep_map WHERE newer);

INSERT INTO main.invocation (uuid, sweep, boot_id, command, started_ns)
	SELECT i.uuid, m.dst, i.boot_id, i.command, i.started_ns FROM src.invocation i JOIN sweep_map m ON m.src = i.sweep
	WHERE true ORDER BY i.id
	ON CONFLICT DO NOTHING;
CREATE TEMP TABLE invocation_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO invocation_map SELECT s.id, d.id FROM src.invocation s JOIN main.invocation d ON d.uuid = s.uuid;

-- In the order of the plan: cells of a sweep have ascending ids.
INSERT INTO main.cell (sweep, config, ordinal, state, reason)
	SELECT m.dst, c.dst, s.ordinal, s.state, s.reason FROM src.cell s JOIN sweep_map m ON m.src = s.sweep
	JOIN config_map c ON c.src = s.config WHERE true ORDER BY m.dst, s.ordinal
	ON CONFLICT (config, sweep) DO NOTHING;
CREATE TEMP TABLE cell_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL UNIQUE, fresh INTEGER NOT NULL, newer INTEGER NOT NULL);
INSERT INTO cell_map SELECT s.id, d.id, d.id > before.cell, m.newer
	FROM before, src.cell s JOIN sweep_map m ON m.src = s.sweep JOIN config_map c ON c.src = s.config
	JOIN main.cell d ON d.config = c.dst AND d.sweep = m.dst;
UPDATE main.cell SET (state, reason) =
	(SELECT s.state, s.reason FROM cell_map m JOIN src.cell s ON s.id = m.src WHERE m.dst = cell.id)
	WHERE id IN (SELECT dst FROM cell_map WHERE newer AND NOT fresh);

INSERT INTO main.run (uuid, cell, environment, invocation, block, position, attempt, kind, state, reason, started_ns,
		      elapsed_ns, randseed, exit_status)
	SELECT r.uuid, c.dst, e.dst, i.dst, r.block, r.position, r.attempt, r.kind, r.state, r.reason, r.started_ns,
	       r.elapsed_ns, r.randseed, r.exit_status
	FROM src.run r JOIN cell_map c ON c.src = r.cell JOIN environment_map e ON e.src = r.environment
	JOIN invocation_map i ON i.src = r.invocation WHERE true ORDER BY r.id
	ON CONFLICT (uuid) DO NOTHING;
-- Only of those that are new here: of the others all is here already.
CREATE TEMP TABLE run_map (src INTEGER PRIMARY KEY, dst INTEGER NOT NULL);
INSERT INTO run_map SELECT s.id, d.id FROM before CROSS JOIN main.run d CROSS JOIN src.run s ON s.uuid = d.uuid
	WHERE d.id > before.run;

-- Cells whose summaries are to be made again: those that grew, and those of which runs were superseded meanwhile.
CREATE TEMP TABLE superseded AS SELECT d.id, d.cell FROM src.run s JOIN main.run d ON d.uuid = s.uuid
	WHERE s.state = 'superseded' AND d.state <> 'superseded';
UPDATE main.run SET state = 'superseded' WHERE id IN (SELECT id FROM superseded);
CREATE TEMP TABLE touched AS SELECT DISTINCT c.dst AS cell FROM cell_map c CROSS JOIN src.run r ON r.cell = c.src
	JOIN run_map m ON m.src = r.id WHERE NOT c.fresh
	UNION SELECT cell FROM superseded;

-- ---- what hangs on runs and cells ----

INSERT INTO main.run_detail (run, requested, effective, counters, command, tool, format, diagnostics)
	SELECT m.dst, q.dst, e.dst, d.counters, d.command, d.tool, d.format, d.diagnostics
	FROM run_map m CROSS JOIN src.run_detail d ON d.run = m.src LEFT JOIN settings_map q ON q.src = d.requested
	LEFT JOIN settings_map e ON e.src = d.effective ORDER BY m.src;
INSERT INTO main.raw (run, bytes, zstd)
	SELECT m.dst, r.bytes, r.zstd FROM run_map m CROSS JOIN src.raw r ON r.run = m.src ORDER BY m.src;
INSERT INTO main.sample (run, job, metric, direction, actor, device, value)
	SELECT m.dst, s.job, metric_map.dst, s.direction, actor_map.dst, device_map.dst, s.value
	FROM run_map m CROSS JOIN src.sample s ON s.run = m.src CROSS JOIN metric_map ON metric_map.src = s.metric
	CROSS JOIN actor_map ON actor_map.src = s.actor CROSS JOIN device_map ON device_map.src = s.device ORDER BY m.src;

DELETE FROM main.warning WHERE cell IN (SELECT dst FROM cell_map WHERE newer AND NOT fresh);
INSERT INTO main.warning (run, cell, code, text)
	SELECT m.dst, NULL, w.code, w.text FROM src.warning w JOIN run_map m ON m.src = w.run ORDER BY w.id;
INSERT INTO main.warning (run, cell, code, text)
	SELECT NULL, m.dst, w.code, w.text FROM src.warning w JOIN cell_map m ON m.src = w.cell WHERE m.fresh OR m.newer
	ORDER BY w.id;

INSERT INTO main.published (cell, metric, direction, n, mean, stddev)
	SELECT c.dst, m.dst, p.direction, p.n, p.mean, p.stddev FROM src.published p JOIN cell_map c ON c.src = p.cell
	JOIN metric_map m ON m.src = p.metric WHERE c.fresh;
INSERT INTO main.import (hash, path, format, sweep, imported_ns)
	SELECT i.hash, i.path, i.format, m.dst, i.imported_ns FROM src.import i JOIN sweep_map m ON m.src = i.sweep WHERE true
	ON CONFLICT DO NOTHING;

-- Of a cell that is new here the summaries are those that it has there; the others db/merge.c makes again.
INSERT INTO main.summary (cell, environment, metric, direction, actor, device, n, mean, m2, min, max)
	SELECT c.dst, e.dst, metric_map.dst, s.direction, actor_map.dst, device_map.dst, s.n, s.mean, s.m2, s.min, s.max
	FROM cell_map c CROSS JOIN src.summary s ON s.cell = c.src JOIN environment_map e ON e.src = s.environment
	CROSS JOIN metric_map ON metric_map.src = s.metric CROSS JOIN actor_map ON actor_map.src = s.actor
	CROSS JOIN device_map ON device_map.src = s.device WHERE c.fresh;

-- ---- what check goes by ----

-- Of two of a name the one that was set last. That a box has moved its own is not worth a word.
CREATE TEMP TABLE baseline_twice AS SELECT d.name FROM src.baseline s JOIN main.baseline d USING (name)
	JOIN src.sweep ss ON ss.id = s.sweep JOIN main.sweep ds ON ds.id = d.sweep WHERE ss.uuid <> ds.uuid AND ss.host IS NOT ds.host;
INSERT INTO main.baseline (name, sweep, set_ns)
	SELECT b.name, m.dst, b.set_ns FROM src.baseline b JOIN sweep_map m ON m.src = b.sweep WHERE true
	ON CONFLICT DO UPDATE SET sweep = excluded.sweep, set_ns = excluded.set_ns WHERE excluded.set_ns > baseline.set_ns;

-- The same of what comes.
INSERT INTO main.acknowledged (uuid, since_ns, conditions, reason, made_ns)
	WITH box AS (SELECT max(host) AS host, count(DISTINCT host) AS n FROM src.sweep WHERE kind = 'sweep')
	SELECT uuid, since_ns, iif(box.n = 1 AND box.host <> '' AND NOT EXISTS (SELECT 1 FROM json_each(conditions)
		WHERE value GLOB 'host=*'), json_insert(conditions, '$[#]', 'host=' || box.host), conditions), reason, made_ns
	FROM box, src.acknowledged WHERE true ORDER BY id
	ON CONFLICT DO NOTHING;
