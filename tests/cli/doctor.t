#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# iobench doctor: what it asks the machine, by fakes of the programs and, with root, of a real loop device.
. tests/lib.sh

mkdir "$T/bin" "$T/run"
export IOBENCH_RUNDIR=$T/run ASKED=$T/asked
real_path=$PATH

fake()	# NAME TEXT-OF-SCRIPT
{
	printf '#!/bin/sh\n%s\n' "$2" > "$T/bin/$1"
	chmod +x "$T/bin/$1"
}

# The line of an item and the advice below it.
item()	# TITLE
{
	grep -A1 -F "$1" <<< "$OUT"
}

fake fio 'echo fio-3.36'
fake modprobe 'exit 1'
# shellcheck disable=SC2016 # the fake expands it
fake systemctl 'printf "%s\n" "$@" > "$ASKED"
soon=$(($(date +%s) + 7200))
cat << END
Id=tuned.service
LoadState=loaded
ActiveState=active

Id=smartd.service
LoadState=loaded
ActiveState=active

Id=smartd.service
LoadState=loaded
ActiveState=active

Id=tlp.service
LoadState=not-found
ActiveState=inactive

NextElapseUSecRealtime=@$soon
Id=fstrim.timer
LoadState=loaded
ActiveState=active

NextElapseUSecRealtime=@$((soon + 864000))
Id=man-db.timer
LoadState=loaded
ActiveState=active

NextElapseUSecRealtime=
Id=raid-check.timer
LoadState=loaded
ActiveState=inactive
END'
export PATH=$T/bin:$real_path

if [ ! -d /run/systemd/system ]; then
	run "$IOBENCH" doctor
	ok "[ ! -e '$T/asked' ]" 'systemctl is not asked where systemd does not run'
	like "$OUT" 'unknown services' 'its services are not known'
	[ "$(id -u)" -eq 0 ] || { skip 'what systemd tells' 'needs systemd, or root to look so'; done_testing; }
fi
run on_systemd "$IOBENCH" doctor
if [ "$(id -u)" -eq 0 ]; then
	is $RC 0 'notes and warnings are no reason to fail'
	like "$OUT" 'ok +root: yes' 'root is seen'
else
	is $RC 3 'a need is not met'
	like "$OUT" 'warn +root: no' 'not being root is seen'
fi
like "$OUT" 'ok +fio: fio-3\.36' 'version of fio'
like "$(item 'tuned.service is active')" 'warn.*systemctl stop' 'tuned is active, with advice'
is "$(grep -c 'smartd.service is active' <<< "$OUT")" 1 'an alias is named once'
ok "! grep -q tlp.service <<< \"\$OUT\"" 'what is not installed is not named'
like "$OUT" 'warn .*fstrim.timer is due in (1 h 59|2 h 00)' 'a timer due today, with the time left'
ok "! grep -q man-db <<< \"\$OUT\"" 'a timer due in ten days is not'
ok "! grep -q raid-check.timer <<< \"\$OUT\"" 'nor one that is off'
like "$(< "$T/asked")" 'mdcheck_start.timer' 'systemd was asked for mdcheck'
ok "! grep -qvE '^(ok|note|warn|unknown) |^        [^ ]' <<< \"\$OUT\"" 'every line is an item or its advice'
ok "[ \$(grep -cE '^(note|warn|unknown)' <<< \"\$OUT\") -eq \$(grep -c '^        ' <<< \"\$OUT\") ]" \
	'one line of advice for each that is not ok'

fake systemctl 'echo "Failed to connect to bus" >&2; exit 1'
run on_systemd "$IOBENCH" doctor
like "$OUT" 'unknown services' 'a systemd that does not answer: unknown'
like "$OUT" 'unknown timers' 'timers too'

fake fio 'echo fio-2.21'
run "$IOBENCH" doctor
is $RC 3 'a fio that is too old: exit status 3'
like "$(item 'fio: ')" 'warn.*fio-2\.21' 'it is named'
like "$ERR" 'not met' 'and the end says so'
fake fio 'echo fio-3.36'

IOBENCH_RUNDIR=$T/asked/folder run "$IOBENCH" doctor
is $RC 3 'a run folder that cannot be made: exit status 3'

run "$IOBENCH" doctor --dev /nonexistent/disk
is $RC 3 'a device that is not there'
run "$IOBENCH" doctor --no-such-option
is $RC 2 'an unknown option'

if [ "$(id -u)" -ne 0 ] || ! losetup -f > /dev/null 2>&1; then
	skip 'doctor --dev' 'needs root and loop devices'
	done_testing
fi

dev=$(make_loop 64M)
name=${dev#/dev/}
smart()	# JSON
{
	fake smartctl "printf '%s\\n' '$1'; exit 4"
	run "$IOBENCH" doctor --dev "$dev"
}
smart '{"ata_smart_data":{"self_test":{"status":{"value":249,"remaining_percent":90}}},"smart_status":{"passed":true}}'
is $RC 0 'a free loop device'
like "$OUT" "ok +users of the device: none" 'nobody uses it'
like "$OUT" "schedulers offered \\($name\\): .*\\[" 'its schedulers'
like "$OUT" "warn +SMART self-test \\($name\\): running" 'an ATA self-test that runs'
like "$OUT" "ok +SMART health \\($name\\): passed" 'and its health'
smart '{"ata_smart_data":{"self_test":{"status":{"value":0}}},"smart_status":{"passed":false}}'
like "$OUT" "ok +SMART self-test \\($name\\): none" 'none runs'
like "$OUT" "warn +SMART health \\($name\\): .*failing" 'but the disk fails'
smart '{"nvme_self_test_log":{"current_self_test_operation":{"value":2}}}'
like "$OUT" "warn +SMART self-test \\($name\\): running" 'one of an NVMe'
smart 'Smartctl open device failed'
like "$OUT" "unknown SMART self-test \\($name\\)" 'no JSON: unknown'

exec 9< "$dev"
sleep 60 <&9 &
user=$!
exec 9<&-
run "$IOBENCH" doctor --dev "$dev"
is $RC 3 'a device that another process has open: exit status 3'
like "$(item 'users of the device')" "warn.*sleep" 'who is named'
kill $user
wait $user 2> /dev/null

: > "$T/run/$name.journal"
run "$IOBENCH" doctor
is $RC 3 'a journal of a dead sweep: exit status 3'
like "$(item 'dead sweep')" "warn.*iobench restore" 'and what to type'
done_testing
