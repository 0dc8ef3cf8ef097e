// SPDX-License-Identifier: GPL-2.0-or-later
#include "db/statements.h"

/* The runs that enter a mean. */
#define GOOD_RUN "run.kind = 'measure' AND run.state = 'ok'"

/*
 * Welford's update of a summary by one sample, in the order in which runs were made. The right-hand sides see the
 * row as it was.
 */
#define INTO_SUMMARY                                                                                            \
	"INSERT INTO summary (cell, environment, metric, direction, actor, device, n, mean, m2, min, max) "     \
	"SELECT run.cell, run.environment, metric, direction, actor, device, 1, value, 0, value, value "        \
	"FROM run CROSS JOIN sample ON sample.run = run.id AND sample.job = -1 WHERE "
#define UPDATE_SUMMARY                                                                                          \
	" ON CONFLICT DO UPDATE SET n = n + 1, mean = mean + (excluded.mean - mean) / (n + 1), "                \
	"m2 = m2 + (excluded.mean - mean) * (excluded.mean - (mean + (excluded.mean - mean) / (n + 1))), "      \
	"min = min(min, excluded.min), max = max(max, excluded.max)"

/* In the order of query.c's readers. */
#define SWEEP_COLUMNS                                                                                           \
	"id, uuid, name, note, command, plan, seed, state, host, devices, started_ns, ifnull(ended_ns, 0), kind"
#define CELL_COLUMNS "cell.id, cell.ordinal, config.key, config.variant, cell.state, cell.reason, cell.config"
#define RUN_COLUMNS                                                                                             \
	"run.id, run.uuid, run.cell, run.environment, run.invocation, run.block, run.position, run.attempt, "   \
	"run.kind, run.state, run.reason, run.started_ns, run.elapsed_ns, run.randseed, run.exit_status, "      \
	"requested.content, effective.content, run_detail.counters, run_detail.command, run_detail.tool, "      \
	"run_detail.format, run_detail.diagnostics"
#define RUN_DETAILS                                                                                             \
	" JOIN run_detail ON run_detail.run = run.id LEFT JOIN settings AS requested ON requested.id = requested " \
	"LEFT JOIN settings AS effective ON effective.id = effective "

/* CROSS JOIN keeps the order of the loops: by cell, never through all runs or samples of the database. */
#define SERIES                                                                                                  \
	"SELECT cell.id, cell.ordinal, run.environment, sample.metric, sample.direction, sample.job, sample.actor, " \
	"sample.device, sample.value, run.block, run.invocation, run.id, run.started_ns "                       \
	"FROM cell CROSS JOIN run ON run.cell = cell.id AND run.kind = ?5 AND run.state = 'ok'"                 \
	" CROSS JOIN sample ON sample.run = run.id "                                                            \
	"WHERE cell.sweep = ?1 AND sample.direction BETWEEN ?2 AND ?3 "

#define SWEEP_WARNINGS                                                                                          \
	"(SELECT cell.id AS cell, code, warning.text, run.id AS run FROM cell "                                 \
	"CROSS JOIN run ON run.cell = cell.id AND " GOOD_RUN                                                    \
	" CROSS JOIN warning ON warning.run = run.id WHERE cell.sweep = ?1 UNION ALL "                          \
	"SELECT cell.id, code, warning.text, NULL FROM cell CROSS JOIN warning ON warning.cell = cell.id "      \
	"WHERE cell.sweep = ?1)"

/* Several rows a statement: what one costs is mostly to start and end it. The numbers of '?' go on from the last. */
#define ADD_SAMPLE                                                                                              \
	"INSERT INTO sample (run, actor, job, metric, direction, device, value) VALUES (?1, ?2, ?, ?, ?, ?, ?)"
#define MORE_SAMPLES ", (?1, ?2, ?, ?, ?, ?, ?)"
#define MORE_SAMPLES_7 MORE_SAMPLES MORE_SAMPLES MORE_SAMPLES MORE_SAMPLES MORE_SAMPLES MORE_SAMPLES MORE_SAMPLES
#define MORE_SAMPLES_56                                                                                         \
	MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7 MORE_SAMPLES_7

/* Runs from before ?1 whose sweep is not in the JSON list ?2. */
#define OLD_RUNS                                                                                                \
	"SELECT run.id FROM sweep JOIN cell ON cell.sweep = sweep.id JOIN run ON run.cell = cell.id "           \
	"WHERE (CASE sweep.kind WHEN 'import' THEN sweep.started_ns ELSE run.started_ns END) < ?1 "             \
	"AND sweep.id NOT IN (SELECT value FROM json_each(?2))"

const char *const sql_text[SQL_N] = {
	/* One statement, one state of the file: another process may be creating it. */
	[SQL_IDENTITY] = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
			 "FROM pragma_application_id, pragma_user_version",
	/* IMMEDIATE: a writer that waits at the start can never be refused at the end. */
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_BEGIN_READ] = "BEGIN",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_SAVEPOINT] = "SAVEPOINT part",
	[SQL_RELEASE] = "RELEASE part",
	[SQL_ROLLBACK_TO] = "ROLLBACK TO part",

	[SQL_FIND_WORKLOAD] = "SELECT id FROM workload WHERE hash = ?1 AND name = ?2",
	[SQL_ADD_WORKLOAD] = "INSERT INTO workload (hash, name, text) VALUES (?1, ?2, ?3)",
	[SQL_FIND_ENVIRONMENT] = "SELECT id FROM environment WHERE hash = ?1",
	[SQL_ADD_ENVIRONMENT] = "INSERT INTO environment (hash, content) VALUES (?1, ?2)",
	[SQL_FIND_SETTINGS] = "SELECT id FROM settings WHERE hash = ?1",
	[SQL_ADD_SETTINGS] = "INSERT INTO settings (hash, content) VALUES (?1, ?2)",
	[SQL_FIND_CONFIG] = "SELECT id FROM config WHERE key = ?1",
	[SQL_ADD_CONFIG] = "INSERT INTO config (key, variant) VALUES (?1, ?2)",
	[SQL_FIND_METRIC] = "SELECT id FROM metric WHERE name = ?1",
	[SQL_ADD_METRIC] = "INSERT INTO metric (name, unit) VALUES (?1, ?2)",
	[SQL_FIND_ACTOR] = "SELECT id FROM actor WHERE name = ?1",
	[SQL_ADD_ACTOR] = "INSERT INTO actor (name) VALUES (?1)",
	[SQL_FIND_DEVICE] = "SELECT id FROM device WHERE name = ?1",
	[SQL_ADD_DEVICE] = "INSERT INTO device (name) VALUES (?1)",

	[SQL_ADD_SWEEP] = "INSERT INTO sweep (uuid, name, note, command, plan, seed, state, host, devices, workload, "
			  "started_ns, ended_ns, kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
			  "nullif(?12, 0), ifnull(?13, 'sweep'))",
	[SQL_SET_SWEEP_STATE] = "UPDATE sweep SET state = ?2, ended_ns = nullif(?3, 0) WHERE id = ?1",
	[SQL_NOTE_SWEEP] = "UPDATE sweep SET note = CASE note WHEN '' THEN ?2 ELSE note || '; ' || ?2 END WHERE id = ?1",
	[SQL_ADD_CONFIG_AXIS] = "INSERT INTO config_axis (config, ordinal, name, value) VALUES (?1, ?2, ?3, ?4)",
	[SQL_ADD_CELL] = "INSERT INTO cell (sweep, config, ordinal, state, reason) VALUES (?1, ?2, ?3, ?4, ?5)",
	[SQL_SET_CELL_STATE] = "UPDATE cell SET state = ?2, reason = ?3 WHERE id = ?1",
	[SQL_ADD_INVOCATION] = "INSERT INTO invocation (uuid, sweep, boot_id, command, started_ns) "
			       "VALUES (?1, ?2, ?3, ?4, ?5)",
	[SQL_ADD_RUN] = "INSERT INTO run (uuid, cell, environment, invocation, block, position, attempt, kind, state, "
			"reason, started_ns, elapsed_ns, randseed, exit_status) "
			"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
	[SQL_ADD_RUN_DETAIL] = "INSERT INTO run_detail (run, requested, effective, counters, command, tool, format, "
			       "diagnostics) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[SQL_ADD_RAW] = "INSERT INTO raw (run, bytes, zstd) VALUES (?1, ?2, ?3)",
	[SQL_ADD_SAMPLE] = ADD_SAMPLE,
	[SQL_ADD_8_SAMPLES] = ADD_SAMPLE MORE_SAMPLES_7,
	[SQL_ADD_64_SAMPLES] = ADD_SAMPLE MORE_SAMPLES_7 MORE_SAMPLES_56,
	[SQL_ADD_RUN_WARNING] = "INSERT INTO warning (run, code, text) VALUES (?1, ?2, ?3)",
	[SQL_ADD_CELL_WARNING] = "INSERT INTO warning (cell, code, text) VALUES (?1, ?2, ?3)",
	[SQL_FORGET_CELL_WARNINGS] = "DELETE FROM warning WHERE cell = ?1",
	[SQL_SUMMARISE_RUN] = INTO_SUMMARY "run.id = ?1 AND " GOOD_RUN UPDATE_SUMMARY,
	[SQL_FORGET_SUMMARIES] = "DELETE FROM summary WHERE cell = ?1",
	[SQL_SUMMARISE_CELL] = INTO_SUMMARY "run.cell = ?1 AND " GOOD_RUN " ORDER BY run.id" UPDATE_SUMMARY,
	[SQL_GET_SUMMARY] = "SELECT n, mean, m2, min, max FROM summary WHERE cell = ?1 AND environment = ?2 AND metric = ?3 "
			    "AND direction = ?4 AND actor = ?5 AND device = ?6",
	[SQL_SET_SUMMARY] = "INSERT OR REPLACE INTO summary (cell, environment, metric, direction, actor, device, n, mean, m2, min, "
			    "max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[SQL_SUPERSEDE_RUN] = "UPDATE run SET state = 'superseded' WHERE id = ?1",
	[SQL_CELL_OF_RUN] = "SELECT cell FROM run WHERE id = ?1",

	[SQL_FIND_IMPORT] = "SELECT import.path, coalesce(nullif(sweep.name, ''), substr(sweep.uuid, 1, 8)) "
			    "FROM import JOIN sweep ON sweep.id = import.sweep WHERE import.hash = ?1",
	[SQL_ADD_IMPORT] = "INSERT INTO import (hash, path, format, sweep, imported_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
	[SQL_ADD_PUBLISHED] = "INSERT INTO published (cell, metric, direction, n, mean, stddev) "
			      "VALUES (?1, ?2, ?3, nullif(?4, 0), ?5, ?6)",
	[SQL_FIND_CELL] = "SELECT cell.id FROM config JOIN cell ON cell.config = config.id "
			  "WHERE config.key = ?2 AND cell.sweep = ?1",
	[SQL_COUNT_SWEEP_CELLS] = "SELECT count(*) FROM cell WHERE sweep = ?1",
	[SQL_SET_IMPORTED_CELL] =
		"UPDATE cell SET (state, reason) = (SELECT CASE WHEN count(*) FILTER (WHERE " GOOD_RUN ") THEN 'done' "
		"ELSE 'failed' END, CASE WHEN count(*) FILTER (WHERE " GOOD_RUN ") THEN NULL ELSE max(run.reason) END "
		"FROM run WHERE run.cell = ?1) "
		"WHERE id = ?1 AND sweep IN (SELECT id FROM sweep WHERE kind = 'import')",
	[SQL_FORGET_SAMPLES] = "DELETE FROM sample WHERE run = ?1",
	[SQL_SET_RUN_STATE] = "UPDATE run SET state = ?2, reason = ?3 WHERE id = ?1",

	[SQL_CHECK_INTEGRITY] = "PRAGMA integrity_check",
	[SQL_CHECK_FOREIGN_KEYS] = "SELECT count(*) || ' rows of ' || \"table\" || ' point to no row of ' || parent "
				   "FROM pragma_foreign_key_check GROUP BY \"table\", parent",
	[SQL_LIST_CELL_IDS] = "SELECT id FROM cell ORDER BY id",
	/* A mean made one by one is not to the last bit that of all at once. */
	[SQL_CHECK_SUMMARY] = "SELECT 'the summary of cell ' || ?1 || ' is not that of its runs: ' || count(*) || ' of its figures' FROM "
			      "(SELECT run.environment, metric, direction, actor, device, count(*) AS n, avg(value) AS mean, "
			      "min(value) AS min, max(value) AS max FROM run CROSS JOIN sample ON sample.run = run.id AND sample.job = -1 "
			      "WHERE run.cell = ?1 AND " GOOD_RUN " GROUP BY 1, 2, 3, 4, 5) AS have "
			      "FULL JOIN (SELECT * FROM summary WHERE cell = ?1) AS y USING (environment, metric, direction, actor, device) "
			      "WHERE y.n IS NOT have.n OR y.min <> have.min OR y.max <> have.max "
			      "OR abs(y.mean - have.mean) > 1e-9 * max(abs(have.min), abs(have.max)) HAVING count(*)",

	[SQL_LIST_SWEEPS] = "SELECT " SWEEP_COLUMNS " FROM sweep ORDER BY started_ns, id",
	[SQL_SWEEP_BY_ID] = "SELECT " SWEEP_COLUMNS " FROM sweep WHERE id = ?1",
	[SQL_SWEEP_BY_AGE] = "SELECT " SWEEP_COLUMNS " FROM sweep ORDER BY started_ns DESC, id DESC LIMIT 1 OFFSET ?1",
	[SQL_SWEEP_BY_NAME] = "SELECT " SWEEP_COLUMNS " FROM sweep WHERE name = ?1 "
			      "ORDER BY started_ns DESC, id DESC LIMIT 1",
	[SQL_SWEEP_OF_HOST] = "SELECT " SWEEP_COLUMNS " FROM sweep WHERE host = ?1 AND (?2 = 0 OR name IS "
			      "(SELECT name FROM sweep WHERE id = ?2)) ORDER BY started_ns DESC, id DESC LIMIT 1",
	/* '~' sorts behind every character of a uuid. */
	[SQL_SWEEPS_BY_UUID] = "SELECT id, uuid, name FROM sweep WHERE uuid >= ?1 AND uuid < ?1 || '~' "
			       "ORDER BY uuid LIMIT ?2",
	[SQL_COUNT_CELLS] = "SELECT count(*), count(*) FILTER (WHERE state = 'done'), "
			    "count(*) FILTER (WHERE state = 'pending'), count(*) FILTER (WHERE state = 'failed') "
			    "FROM cell WHERE sweep = ?1",
	[SQL_COUNT_RUNS] = "SELECT count(*) FILTER (WHERE " GOOD_RUN "), "
			   "count(*) FILTER (WHERE run.state IN ('failed', 'invalid', 'interrupted')) "
			   "FROM cell CROSS JOIN run ON run.cell = cell.id WHERE cell.sweep = ?1",
	[SQL_LIST_CELLS] = "SELECT " CELL_COLUMNS " FROM cell JOIN config ON config.id = cell.config "
			   "WHERE cell.sweep = ?1 ORDER BY cell.ordinal",
	[SQL_CELL_BY_ID] = "SELECT " CELL_COLUMNS " FROM cell JOIN config ON config.id = cell.config "
			   "WHERE cell.id = ?1",
	[SQL_LIST_AXES] = "SELECT cell.id, name, value FROM cell JOIN config_axis AS axis ON axis.config = cell.config "
			  "WHERE cell.sweep = ?1 ORDER BY cell.ordinal, axis.ordinal",
	[SQL_AXES_BY_CELL] = "SELECT cell.id, name, value FROM cell "
			     "JOIN config_axis AS axis ON axis.config = cell.config "
			     "WHERE cell.id = ?1 ORDER BY axis.ordinal",
	[SQL_LIST_RUNS] = "SELECT " RUN_COLUMNS " FROM cell CROSS JOIN run ON run.cell = cell.id" RUN_DETAILS
			  "WHERE cell.sweep = ?1 ORDER BY run.id",
	[SQL_RUN_BY_ID] = "SELECT " RUN_COLUMNS ", cell.sweep FROM run JOIN cell ON cell.id = run.cell" RUN_DETAILS
			  "WHERE run.id = ?1",
	[SQL_RUNS_BY_UUID] = "SELECT id, uuid, state FROM run WHERE uuid >= ?1 AND uuid < ?1 || '~' "
			     "ORDER BY uuid LIMIT ?2",
	[SQL_GET_ENVIRONMENT] = "SELECT content FROM environment WHERE id = ?1",
	[SQL_GET_RAW] = "SELECT bytes, zstd FROM raw WHERE run = ?1",
	[SQL_GET_SAMPLES] = "SELECT metric.name, sample.value, sample.job, sample.direction, device.name, actor.name "
			    "FROM sample JOIN metric ON metric.id = sample.metric "
			    "JOIN actor ON actor.id = sample.actor "
			    "JOIN device ON device.id = sample.device WHERE sample.run = ?1 "
			    "ORDER BY sample.actor, sample.job, sample.metric, sample.direction, sample.device",
	[SQL_GET_WARNINGS] = "SELECT code, text, 1, 0, NULL FROM warning WHERE run = ?1 ORDER BY id",
	[SQL_GET_WORKLOAD] = "SELECT workload.name, workload.text FROM sweep JOIN workload ON workload.id = workload "
			     "WHERE sweep.id = ?1",

	[SQL_LIST_METRICS] = "SELECT id, name FROM metric",
	[SQL_LIST_ACTORS] = "SELECT id, name FROM actor",
	[SQL_LIST_DEVICES] = "SELECT id, name FROM device",
	[SQL_SWEEP_NAME] = "SELECT coalesce(nullif(name, ''), substr(uuid, 1, 8)), kind, host, "
			   "(SELECT value ->> 1 FROM json_each(CASE WHEN json_valid(plan) THEN plan END, '$.options') "
			   "WHERE value ->> 0 = 'shard') FROM sweep WHERE id = ?1",
	[SQL_SERIES_OF_METRIC] = SERIES "AND sample.job = -1 AND sample.metric = ?4",
	[SQL_SERIES_OF_ALL] = SERIES "AND sample.job <= ?4",
	[SQL_PUBLISHED] = "SELECT cell.id, cell.ordinal, published.metric, published.direction, ifnull(published.n, 0), "
			  "published.mean, published.stddev FROM cell CROSS JOIN published ON published.cell = cell.id "
			  "WHERE cell.sweep = ?1 AND published.direction BETWEEN ?2 AND ?3",
	[SQL_CELLS_WITHOUT_RUN] = "SELECT id FROM cell WHERE sweep = ?1 AND NOT EXISTS (SELECT 1 FROM run "
				  "WHERE run.cell = cell.id AND " GOOD_RUN ") AND NOT EXISTS (SELECT 1 FROM published "
				  "WHERE published.cell = cell.id) ORDER BY ordinal",
	[SQL_ENVIRONMENT_FACTS] = "SELECT json_extract(content, '$.\"kernel.release\"'), "
				  "json_extract(content, '$.\"cpufreq.driver\"'), "
				  "json_extract(content, '$.\"cpufreq.governor\"'), "
				  /* "module.bfq@PATH.build_id": without the first 7 and the last 9 characters */
				  "(SELECT group_concat(line, char(10)) FROM (SELECT iif(key = 'kernel_tree', "
				  "'kernel tree: ' || value, substr(key, 8, length(key) - 16) || ': build-id ' || "
				  "substr(value, 1, 12)) AS line FROM json_each(content) "
				  "WHERE key = 'kernel_tree' OR key GLOB 'module.*@*.build_id' ORDER BY key)) "
				  "FROM environment WHERE id = ?1",
	/* The model of "disk.sdb.identity" is "disk.sdb.model". */
	[SQL_DISK_MODELS] = "SELECT value, json_extract(content, '$.\"' || substr(key, 1, length(key) - length('identity')) || 'model\"') "
			    "FROM environment, json_each(content) WHERE environment.id = ?1 AND key GLOB 'disk.*.identity'",
	[SQL_WARNING_CODES] = "SELECT code FROM cell CROSS JOIN run ON run.cell = cell.id AND " GOOD_RUN
			      " CROSS JOIN warning ON warning.run = run.id WHERE cell.sweep = ?1 UNION "
			      "SELECT code FROM cell CROSS JOIN warning ON warning.cell = cell.id "
			      "WHERE cell.sweep = ?1 ORDER BY code",
	[SQL_WARNING_COUNTS] = "SELECT code, min(text), count(run), count(*) - count(run), NULL FROM " SWEEP_WARNINGS
			       " GROUP BY code ORDER BY code",

	[SQL_SWEEPS_BY_TIME] = "SELECT id FROM sweep WHERE started_ns >= ?1 AND started_ns < ?2 ORDER BY started_ns, id",
	[SQL_KERNELS] = "SELECT DISTINCT json_extract(content, '$.\"kernel.release\"') AS kernel FROM environment "
			"WHERE kernel NOT NULL ORDER BY kernel",
	[SQL_SWEEP_BY_KERNEL] = "SELECT id FROM sweep WHERE EXISTS (SELECT 1 FROM cell CROSS JOIN summary "
				"ON summary.cell = cell.id AND summary.environment IN (SELECT id FROM environment "
				"WHERE json_extract(content, '$.\"kernel.release\"') = ?1) WHERE cell.sweep = sweep.id) "
				"ORDER BY started_ns DESC, id DESC LIMIT 1",
	[SQL_TREND_SWEEP] = "SELECT uuid, ifnull(name, ''), kind, started_ns, host FROM sweep WHERE id = ?1",
	/*
	 * The environments of each cell are looked up one after the other: the key has them between the cell and the
	 * metric, and without them all metrics of the cell would be read.
	 */
	[SQL_TREND] = "WITH RECURSIVE at (cell, config, ordinal, environment) AS (SELECT id, config, ordinal, "
		      "(SELECT min(environment) FROM summary WHERE summary.cell = cell.id) FROM cell WHERE sweep = ?1 "
		      "UNION ALL SELECT cell, config, ordinal, (SELECT min(environment) FROM summary "
		      "WHERE summary.cell = at.cell AND summary.environment > at.environment) "
		      "FROM at WHERE environment NOT NULL) "
		      "SELECT at.config, y.environment, y.actor, y.device, y.n, y.mean, y.m2, y.min, y.max "
		      "FROM at CROSS JOIN summary AS y ON y.cell = at.cell AND y.environment = at.environment "
		      "AND y.metric = ?2 AND y.direction = ?3 ORDER BY at.ordinal",
	[SQL_TREND_PUBLISHED] = "SELECT cell.config, ifnull(published.n, 0), published.mean, published.stddev "
				"FROM cell CROSS JOIN published ON published.cell = cell.id AND published.metric = ?2 "
				"AND published.direction = ?3 WHERE cell.sweep = ?1 ORDER BY cell.ordinal",
	[SQL_VARIANT_OF_CONFIG] = "SELECT variant FROM config WHERE id = ?1",
	[SQL_AXES_OF_CONFIG] = "SELECT name, value FROM config_axis WHERE config = ?1 ORDER BY ordinal",
	[SQL_HAS_RUN_WARNING] = "SELECT 1 FROM warning WHERE code = ?2 AND run = (SELECT run.id FROM cell CROSS JOIN run "
				"ON run.cell = cell.id AND " GOOD_RUN " WHERE cell.sweep = ?1 LIMIT 1) LIMIT 1",
	[SQL_OLD_RAW] = "SELECT count(*), ifnull(sum(bytes), 0), ifnull(sum(length(zstd)), 0) FROM raw WHERE run IN (" OLD_RUNS ")",
	[SQL_PRUNE_RAW] = "DELETE FROM raw WHERE run IN (" OLD_RUNS ")",
	[SQL_ALL_RAW] = "SELECT count(*), ifnull(sum(bytes), 0), ifnull(sum(length(zstd)), 0) FROM raw",
	[SQL_CHECKPOINT] = "PRAGMA wal_checkpoint(TRUNCATE)",
	/* In the order of store_info; a night is a day on which sweeps began. */
	[SQL_INFO] = "SELECT (SELECT user_version FROM pragma_user_version), "
		     "(SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size), "
		     "(SELECT count(*) FROM sweep WHERE kind = 'sweep'), (SELECT count(*) FROM sweep WHERE kind = 'import'), "
		     "(SELECT count(DISTINCT date(started_ns / 1000000000, 'unixepoch', 'localtime')) FROM sweep WHERE kind = 'sweep'), "
		     "(SELECT count(*) FROM cell), (SELECT count(*) FROM config), (SELECT count(*) FROM environment), "
		     "(SELECT count(*) FROM run), (SELECT count(*) FROM run WHERE " GOOD_RUN "), (SELECT count(*) FROM sample), "
		     "(SELECT ifnull(min(started_ns), 0) FROM run), (SELECT ifnull(max(started_ns), 0) FROM run)",
	[SQL_LIST_HOSTS] = "SELECT DISTINCT host FROM sweep WHERE host <> '' ORDER BY host",
	[SQL_TABLE_SIZES] = "SELECT tbl_name, sum(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name) "
			    "WHERE aggregate = TRUE GROUP BY tbl_name ORDER BY bytes DESC, tbl_name",
	/* With the temporary tables of merge.sql. */
	[SQL_ATTACH_SOURCE] = "ATTACH ?1 AS src",
	[SQL_SOURCE_TABLES] = "SELECT name FROM src.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
	[SQL_CHECK_QUICKLY] = "PRAGMA quick_check(1)",
	[SQL_MERGE_BASELINES] = "SELECT name FROM baseline_twice ORDER BY name",
	[SQL_MERGE_IMPORTS] = "SELECT uuid, other FROM import_known ORDER BY src",
	[SQL_MERGE_TOUCHED] = "SELECT cell FROM touched ORDER BY cell",
	[SQL_MERGE_COUNTS] = "SELECT (SELECT count(*) FROM sweep_map WHERE fresh), "
			     "(SELECT count(DISTINCT cell.sweep) FROM run_map JOIN main.run ON run.id = run_map.dst "
			     "JOIN main.cell ON cell.id = run.cell WHERE cell.sweep IN (SELECT dst FROM sweep_map WHERE NOT fresh)), "
			     "(SELECT count(*) FROM run_map), (SELECT count(*) FROM src.run)",
	[SQL_CELL_WARNINGS] = "SELECT code, min(text), count(run), count(*) - count(run), cell FROM " SWEEP_WARNINGS
			      " GROUP BY cell, code ORDER BY cell, code",
	[SQL_SET_BASELINE] = "INSERT INTO baseline (name, sweep, set_ns) VALUES (?1, ?2, ?3) "
			     "ON CONFLICT DO UPDATE SET sweep = excluded.sweep, set_ns = excluded.set_ns",
	[SQL_LIST_BASELINES] = "SELECT baseline.name, sweep.id, sweep.name, sweep.uuid, sweep.started_ns FROM baseline "
			       "JOIN sweep ON sweep.id = baseline.sweep ORDER BY baseline.name",
	[SQL_REMOVE_BASELINE] = "DELETE FROM baseline WHERE name = ?1",
	[SQL_ADD_ACKNOWLEDGED] = "INSERT INTO acknowledged (uuid, since_ns, conditions, reason, made_ns) "
				 "VALUES (?1, ?2, ?3, ?4, ?5)",
	[SQL_LIST_ACKNOWLEDGED] = "SELECT uuid, since_ns, conditions, reason, made_ns FROM acknowledged "
				  "ORDER BY since_ns, id",
	[SQL_REMOVE_ACKNOWLEDGED] = "DELETE FROM acknowledged WHERE uuid >= ?1 AND uuid < ?1 || '~'",
	[SQL_LIST_SWEEP_TIMES] = "SELECT id, started_ns FROM sweep WHERE kind = 'sweep' ORDER BY started_ns, id",
	[SQL_GET_EFFECTIVE] = "SELECT settings.content FROM run_detail JOIN settings ON settings.id = effective "
			      "WHERE run_detail.run = ?1",
};
