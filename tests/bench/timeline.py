# SPDX-License-Identifier: GPL-2.0-or-later
"""timeline.py STARTS SYMBOLS LEAST: see timeline.sh. STARTS has lines of: start, first fio, file of timeline.c."""
import collections
import sys

starts = [line.split() for line in open(sys.argv[1])]
begun, fio, path = min(((float(a), float(b), c) for a, b, c in starts), key=lambda s: s[1] - s[0])
symbols = {int(f[0], 16): f[2] for f in (line.split() for line in open(sys.argv[2])) if len(f) == 3}
least = float(sys.argv[3])

open_calls = collections.defaultdict(list)
calls = []
for line in open(path):
    ns, thread, entered, address = line.split()
    ms, stack = (int(ns) / 1e9 - begun) * 1e3, open_calls[thread]
    if entered == "1":
        stack.append([ms, thread, len(stack), symbols.get(int(address, 16), address), None])
        calls.append(stack[-1])
    elif stack:
        call = stack.pop()
        call[4] = ms - call[0]

end = (fio - begun) * 1e3
print(f"{end:.2f} ms from the start to the first fio, the least of {len(starts)}, each call timed")
print("  at ms      ms  thread")
threads = []
for ms, thread, depth, name, took in calls:
    took = end - ms if took is None else took
    if thread not in threads:
        threads.append(thread)
    if ms < end and min(took, end - ms) >= least:
        print(f"{ms:7.2f} {min(took, end - ms):7.2f} {threads.index(thread) + 1:7}  {'  ' * depth}{name}")
print(f"{end:7.2f}                  fio")
