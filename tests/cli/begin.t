#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a sweep does before, while and after its first fio begins. The fio is a fake one.
. tests/lib.sh
need_loop
need_commands sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
sql() { sqlite3 -readonly "$db" "$1"; }
settings() { (cd "/sys/block/${dev#/dev/}/queue" && grep -rs . . | sort); }
sweep() { run "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs "${runs:-1}" --runtime 1s --ramp 0 --db "$db" "$@"; }
before=$(settings)

fake_fio
sed -i "2i echo \"\$*\" >> '$T/calls'" "$T/bin/fio"

# ---- which fio it is
sweep
is $RC 0 'a sweep'
ok "! grep -q -e --version '$T/calls'" 'a fio whose result tells its version is not asked for it'
is "$(sql "select json_extract(content, '\$.\"fio.version\"') from environment")" fio-3.33 'its version is in the environment'
is "$(sql "select distinct tool from run_detail")" fio-3.33 'and with the run'
rm "$T/calls"
runs=2 FIO_DO='echo broken >&2; exit 1' sweep
is $RC 1 'a fio that tells nothing'
is "$(grep -c -e --version "$T/calls")" 1 'is asked for its version, once'
is "$(sql "select count(distinct environment) from run")" 1 'it is the same environment'
n=$(sql 'select count(*) from run')
sed 's/"fio version" : "fio-3.33"/"fio version" : "fio-2.21"/' "$T/bin/fio" > "$T/old" && chmod +x "$T/old" && cp "$T/bin/fio" "$T/new"
cp "$T/old" "$T/bin/fio"
sweep --name old
is $RC 3 'a fio before 3.0'
like "$ERR" "needs fio 3.0 or newer, this one is 'fio-2.21'" 'is refused, and named'
is "$(sql 'select count(*) from run')" "$n" 'what it told is not stored'
is "$(settings)" "$before" 'settings are put back'
cp "$T/new" "$T/bin/fio"
run "$IOBENCH" resume old --db "$db"
is $RC 0 'with another fio the sweep goes on'
is "$(sql 'select count(*) from run')" $((n + 1)) 'and has its run'
rm "$T/bin/fio"
PATH=/nowhere db=$T/none.db sweep
is $RC 3 'no fio at all'
like "$ERR" "needs fio 3.0 or newer: 'fio' is not installed" 'is said'
ok "[ ! -e '$T/none.db' ]" 'before anything is made'
cp "$T/new" "$T/bin/fio"
done_testing
