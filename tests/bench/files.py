# SPDX-License-Identifier: GPL-2.0-or-later
"""Outputs for the bench: files.py COUNT TEMPLATE FOLDER makes as many that differ; files.py jobs TIMES TEMPLATE OUT one with
as many times the jobs."""
import json
import os
import sys

if sys.argv[1] == 'jobs':
    output = json.load(open(sys.argv[3]))
    output['jobs'] *= int(sys.argv[2])
    json.dump(output, open(sys.argv[4], 'w'), indent=2)
else:
    text = open(sys.argv[2]).read()
    stamp = '"timestamp_ms" : '
    before, after = text.split(stamp)
    after = after.lstrip('0123456789')
    variants = ['none', 'mq-deadline', 'bfq', 'kyber']
    for number in range(int(sys.argv[1])):
        folder = os.path.join(sys.argv[3], variants[number % 4])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'read-%05d.json' % number), 'w') as f:
            f.write(before + stamp + str(1700000000000 + number) + after)
