#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The short form of tests/chaos.sh; 'make chaos' runs the long one.
. tests/lib.sh
need_loop
need_commands fio sqlite3

run tests/chaos.sh 12 7
diag "$OUT"
is $RC 0 'twelve sweeps killed at random leave nothing behind and lose nothing'
done_testing
