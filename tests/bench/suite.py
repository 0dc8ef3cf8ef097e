# SPDX-License-Identifier: GPL-2.0-or-later
"""The opponent of import: suite.py DATABASE FOLDER reads fio's JSON files into SQLite as a Python suite does."""
import json
import os
import sqlite3
import sys
import zlib

db = sqlite3.connect(sys.argv[1])
db.execute('create table run (id integer primary key, path text, raw blob)')
db.execute('create table sample (run integer, job integer, metric text, value real)')
paths = [os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[2]) for name in names]
for path in sorted(paths):
    text = open(path, 'rb').read()
    output = json.loads(text)
    run = db.execute('insert into run (path, raw) values (?, ?)', (path, zlib.compress(text, 3))).lastrowid
    rows = []

    def walk(job, prefix, node):
        for key, value in node.items():
            if isinstance(value, dict):
                walk(job, prefix + key + '.', value)
            elif isinstance(value, (int, float)):
                rows.append((run, job, prefix + key, value))

    for number, job in enumerate(output['jobs']):
        walk(number, '', job)
    db.executemany('insert into sample values (?, ?, ?, ?)', rows)
db.commit()
