-- SPDX-License-Identifier: GPL-2.0-or-later
-- What 'check' holds a night against: named good nights, and changes that somebody knows of.

CREATE TABLE baseline (
	name   TEXT PRIMARY KEY CHECK (name <> ''),
	sweep  INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
	set_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX baseline_of_sweep ON baseline (sweep);

-- Nights are sweeps by time; 'last' is one too.
CREATE INDEX sweep_by_time ON sweep (started_ns);

-- Nights whose last sweep started before 'since_ns' do not count for the cells that meet all conditions, a JSON array
-- of texts as of --where; "[]": all cells.
CREATE TABLE acknowledged (
	id         INTEGER PRIMARY KEY,
	uuid       TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
	since_ns   INTEGER NOT NULL,
	conditions TEXT NOT NULL CHECK (json_valid(conditions)),
	reason     TEXT NOT NULL CHECK (reason <> ''),
	made_ns    INTEGER NOT NULL
) STRICT;
