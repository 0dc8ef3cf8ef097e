-- SPDX-License-Identifier: GPL-2.0-or-later
-- Times are nanoseconds of CLOCK_REALTIME. Seeds are unsigned 64-bit numbers in SQLite's signed integers.
-- Ids are of this file only; what is the same in two files has the same uuid, hash or key.

CREATE TABLE workload (
	id   INTEGER PRIMARY KEY,
	hash TEXT NOT NULL,
	name TEXT NOT NULL,
	text TEXT NOT NULL,
	UNIQUE (hash, name)
) STRICT;

CREATE TABLE environment (
	id      INTEGER PRIMARY KEY,
	hash    TEXT NOT NULL UNIQUE,
	content TEXT NOT NULL CHECK (json_valid(content))
) STRICT;

-- What was asked of the knobs, or read back from them: the same for most runs of a cell, so kept once.
CREATE TABLE settings (
	id      INTEGER PRIMARY KEY,
	hash    TEXT NOT NULL UNIQUE,
	content TEXT NOT NULL CHECK (json_valid(content))
) STRICT;

-- kind 'import': measured elsewhere; without plan.
CREATE TABLE sweep (
	id         INTEGER PRIMARY KEY,
	uuid       TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
	kind       TEXT NOT NULL CHECK (kind IN ('sweep', 'import')),
	name       TEXT,
	note       TEXT,
	command    TEXT,
	plan       TEXT,
	seed       INTEGER NOT NULL,
	state      TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted', 'pending')),
	host       TEXT,
	devices    TEXT,
	workload   INTEGER REFERENCES workload,
	started_ns INTEGER NOT NULL,
	ended_ns   INTEGER
) STRICT;

CREATE TABLE invocation (
	id         INTEGER PRIMARY KEY,
	uuid       TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
	sweep      INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
	boot_id    TEXT,
	command    TEXT,
	started_ns INTEGER NOT NULL
) STRICT;

CREATE INDEX invocation_of_sweep ON invocation (sweep);

-- One row for a configuration on all nights; a cell is a configuration in a sweep.
CREATE TABLE config (
	id      INTEGER PRIMARY KEY,
	key     TEXT NOT NULL UNIQUE,
	variant TEXT NOT NULL
) STRICT;

CREATE TABLE config_axis (
	config  INTEGER NOT NULL REFERENCES config ON DELETE CASCADE,
	ordinal INTEGER NOT NULL,
	name    TEXT NOT NULL,
	value   TEXT NOT NULL,
	PRIMARY KEY (config, ordinal),
	UNIQUE (config, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell (
	id      INTEGER PRIMARY KEY,
	sweep   INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
	config  INTEGER NOT NULL REFERENCES config,
	ordinal INTEGER NOT NULL,
	state   TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
	reason  TEXT,
	UNIQUE (sweep, ordinal),
	UNIQUE (config, sweep)
) STRICT;

-- Only what queries over many runs look at; the rest of a run is in run_detail and raw.
CREATE TABLE run (
	id          INTEGER PRIMARY KEY,
	uuid        TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
	cell        INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE,
	environment INTEGER NOT NULL REFERENCES environment,
	invocation  INTEGER NOT NULL REFERENCES invocation,
	block       INTEGER NOT NULL,
	position    INTEGER NOT NULL,
	attempt     INTEGER NOT NULL,
	kind        TEXT NOT NULL CHECK (kind IN ('measure', 'canary')),
	state       TEXT NOT NULL CHECK (state IN ('ok', 'failed', 'invalid', 'interrupted', 'superseded')),
	reason      TEXT,
	started_ns  INTEGER NOT NULL,
	elapsed_ns  INTEGER NOT NULL,
	randseed    INTEGER NOT NULL,
	exit_status INTEGER NOT NULL
) STRICT;

CREATE INDEX run_of_cell ON run (cell, kind, state, block);

CREATE TABLE run_detail (
	run         INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	requested   INTEGER REFERENCES settings,
	effective   INTEGER REFERENCES settings,
	counters    TEXT,
	command     TEXT,
	tool        TEXT,
	format      TEXT,
	diagnostics TEXT
) STRICT;

-- The output as it came, one zstd frame; 'bytes' is its length. Pruning deletes rows here and nowhere else.
CREATE TABLE raw (
	run   INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	bytes INTEGER NOT NULL,
	zstd  BLOB NOT NULL
) STRICT;

CREATE TABLE metric (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	unit TEXT NOT NULL
) STRICT;

CREATE TABLE actor (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE device (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO device (id, name) VALUES (0, '');

-- job -1: the run as a whole. direction: 0 all, 1 read, 2 write, 3 trim. device 0: not about a device.
-- The key lets a run append at the end, and finds one metric, or all, of a run as a whole in one range.
CREATE TABLE sample (
	run       INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	job       INTEGER NOT NULL,
	metric    INTEGER NOT NULL REFERENCES metric,
	direction INTEGER NOT NULL CHECK (direction BETWEEN 0 AND 3),
	actor     INTEGER NOT NULL REFERENCES actor,
	device    INTEGER NOT NULL REFERENCES device,
	value     REAL NOT NULL,
	PRIMARY KEY (run, job, metric, direction, actor, device)
) STRICT, WITHOUT ROWID;

CREATE TABLE warning (
	id   INTEGER PRIMARY KEY,
	run  INTEGER REFERENCES run ON DELETE CASCADE,
	cell INTEGER REFERENCES cell ON DELETE CASCADE,
	code TEXT NOT NULL,
	text TEXT NOT NULL,
	CHECK ((run IS NULL) <> (cell IS NULL))
) STRICT;

CREATE INDEX warning_of_run ON warning (run) WHERE run IS NOT NULL;
CREATE INDEX warning_of_cell ON warning (cell) WHERE cell IS NOT NULL;

-- Over the samples with job -1 of runs with kind 'measure' and state 'ok'; m2 is the sum of squared deviations.
CREATE TABLE summary (
	cell        INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE,
	environment INTEGER NOT NULL REFERENCES environment,
	metric      INTEGER NOT NULL REFERENCES metric,
	direction   INTEGER NOT NULL,
	actor       INTEGER NOT NULL REFERENCES actor,
	device      INTEGER NOT NULL REFERENCES device,
	n           INTEGER NOT NULL,
	mean        REAL NOT NULL,
	m2          REAL NOT NULL,
	min         REAL NOT NULL,
	max         REAL NOT NULL,
	PRIMARY KEY (cell, environment, metric, direction, actor, device)
) STRICT, WITHOUT ROWID;

-- Of cells of published tables, which have no runs: what the table gives. stddev is over runs.
CREATE TABLE published (
	cell      INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE,
	metric    INTEGER NOT NULL REFERENCES metric,
	direction INTEGER NOT NULL CHECK (direction BETWEEN 0 AND 3),
	n         INTEGER,
	mean      REAL NOT NULL,
	stddev    REAL,
	PRIMARY KEY (cell, metric, direction)
) STRICT, WITHOUT ROWID;

-- Files that were imported, by the SHA-256 of what they hold; of several sweeps in one file the first.
CREATE TABLE import (
	hash        TEXT PRIMARY KEY,
	path        TEXT NOT NULL,
	format      TEXT NOT NULL,
	sweep       INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
	imported_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX import_of_sweep ON import (sweep);
