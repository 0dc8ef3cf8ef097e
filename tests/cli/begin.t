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

# ---- the sweep is in the database, and what is doubtful is said, while the first fio runs
export FIO_DO="for i in {1..1000}; do
	[ \"\$(sqlite3 -readonly '$db' \"select count(*) from sweep where state = 'running'\" 2> '$T/why')\" = 1 ] &&
		grep -q 'few repetitions' '$T/.stderr' && { touch '$T/seen'; break; }
	sleep 0.01
done"
sweep
is $RC 0 'a sweep with a fio that waits for its record'
ok "[ -e '$T/seen' ]" 'the record is there, and the warnings, while the first fio runs'
FIO_DO=

# ---- which fio it is
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
like "$ERR" "nothing is stored of it yet but its plan, in '$db'" 'which is said'
is "$(settings)" "$before" 'settings are put back'
cp "$T/new" "$T/bin/fio"
echo 'exit 1' > "$T/bin/fio"
run "$IOBENCH" resume old --db "$db"
is $RC 3 'a fio that cannot even tell its version'
like "$ERR" "needs fio 3.0 or newer: 'fio' failed.*nothing is stored of it yet" 'likewise'
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

# ---- a database that cannot be
rm "$T/calls"
db=/proc/x.db sweep
is $RC 3 'a database that cannot be made'
like "$ERR" "cannot create database '/proc/x.db'" 'is said'
sqlite3 "$T/other.db" 'pragma user_version = 7; create table t (x)'
db=$T/other.db sweep
is $RC 3 'a database of another program too'
ok "[ ! -e '$T/calls' ]" 'before fio runs'
is "$(settings)" "$before" 'and the settings are as they were'

# ---- systemd may take its time
cat > "$T/bin/systemctl" <<S
#!/bin/bash
for i in {1..1000}; do [ -e '$T/calls' ] && break; sleep 0.01; done
[ -e '$T/calls' ] && printf 'Id=tuned.service\nLoadState=loaded\nActiveState=active\n'
S
chmod +x "$T/bin/systemctl"
run on_systemd "$IOBENCH" sweep --dev "$dev" --scheds none --patterns read --jobs 1 --runs 1 --runtime 1s --ramp 0 --db "$db"
is $RC 0 'a systemd that does not answer until fio runs'
like "$ERR" 'tuned.service is active' 'is not waited for before, and what it says is told'
is "$(settings)" "$before" 'settings are as they were'
done_testing
