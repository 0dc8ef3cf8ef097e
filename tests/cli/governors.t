#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Governors: the real libcpupower on a fake cpufreq tree, bind-mounted over the real one in a private mount namespace.
# The experiment of 2017 in one line, in its short form.
if [ -z "${IOBENCH_TEST_UNSHARED-}" ] && [ "$(id -u)" = 0 ]; then
	IOBENCH_TEST_UNSHARED=1 exec unshare -m "$0"
fi
. tests/lib.sh
. tests/fakesys/lib.sh
need_loop
need_fakesys
need_commands sqlite3

export IOBENCH_RUNDIR=$T/run
dev=$(make_loop 256M)
db=$T/x.db

mkdir "$T/bin"
cat > "$T/bin/fio" <<'F'
#!/bin/bash
if [ "$1" = --version ]; then echo fio-3.33; exit; fi
eval "$FIO_DO"
dir=read
case $RW in *write) dir=write ;; esac
cat <<J
{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "patterns", "error" : 0, "job_runtime" : 10000,
  "$dir" : { "io_bytes" : 4096000, "bw_bytes" : 409600, "bw" : 400, "iops" : $((JOBS * 100)).0, "runtime" : 10000,
  "total_ios" : 1000 } } ] }
J
F
chmod +x "$T/bin/fio"
export PATH=$T/bin:$PATH FIO_DO=

cat > "$T/two.tree" <<'F'
[cpu]
possible = 0-3
present = 0,2,3
online = 0,2

[policy 0]
scaling_governor = powersave

[policy 2]
scaling_governor = powersave

[policy 3]
scaling_governor = powersave
F
fakesys_mount "$T/two.tree"
mount --bind "$SYS/devices/system/cpu" /sys/devices/system/cpu
at_exit 'umount /sys/devices/system/cpu'
cpu=/sys/devices/system/cpu
governors() { (cd $cpu && grep -s . cpu*/cpufreq/scaling_{governor,min_freq,max_freq}); }
before=$(governors)
sweep() { run "$IOBENCH" sweep --dev "$dev" --db "$db" "$@"; }

sweep --scheds bfq,mq-deadline -j 1-2 -p read,write,randread,randwrite --size 5M --ioengine libaio --direct --iodepth 1 \
	-t 10 --ramp 0 -n 2 -g powersave,performance --write-ok
is $RC 0 'the experiment of 2017 in one line'
like "$OUT" '\[0\] - bfq, intel_pstate driver, powersave governor' 'driver and governor are in the legend'
like "$OUT" '\[[1-3]\] - mq-deadline, intel_pstate driver, performance governor' 'of every column'
like "$OUT" $'\njo .*\[0\] .*\nbs .*mean +stddev' 'the head is broken as in the post'
like "$OUT" $'\n 1 &  *100.000 &  *0.000' 'and the columns stand between &, with three decimals'
like "$OUT" 'IOPS.*mean and stddev.*over 2 runs' 'the caption names metric, n and the kind of the deviation'
is "$(grep -c '^\* ' <<< "$OUT")" 4 'a table a pattern'
is "$(governors)" "$before" 'governors and limits are back'
is "$(sqlite3 "$db" "select count(*), count(distinct json_extract(content, '\$.\"cpu:governor\"')) from settings
	where json_extract(content, '\$.\"queue\"') is null and json_extract(content, '\$.\"cpu:governor\"') is not null" | cut -d'|' -f2)" \
	2 'the governor is stored with the settings of each run'

sweep --scheds bfq -j 1 -p read -n 1 -g ondemand
is $RC 3 'a governor that the driver does not offer is refused'
like "$ERR" "ondemand.*performance" 'and those it offers are named'
sweep --scheds bfq -j 1 -p read -n 1 -g powersafe
is $RC 2 'a misspelt one is a usage error'
is "$(governors)" "$before" 'nothing was touched'

# a governor that promises a frequency, and a CPU that does not keep it
FIO_DO="SYS=$SYS; n=\$(cat $T/n 2> /dev/null || echo 0); echo \$((n + 1)) > $T/n
	echo set policy0 scaling_cur_freq \$((2000000 + n % 2 * 1500000)) > \$SYS/.fakesys"
sweep --scheds none -j 1 -p read -n 4 -g performance
is $RC 0 'CPUs that change their frequency between runs do not fail the sweep'
like "$OUT" 'warning cpu-frequency' 'but a warning is printed with the table'
FIO_DO=

# changed behind our back
FIO_DO="echo powersave > $cpu/cpu2/cpufreq/scaling_governor"
sweep --scheds none -j 1 -p read -n 1 -g performance
is $RC 1 'a governor that changes during the run spoils it'
like "$ERR" 'governor' 'which is said'
FIO_DO=
is "$(governors)" "$before" 'governors are back'

# one that cannot be put back
FIO_DO="echo 'readonly-governor cpu2' > $SYS/.fakesys"
sweep --scheds none -j 1 -p read -n 1 -g performance
is $RC 4 'a governor that cannot be put back: exit 4'
like "$ERR" 'powersave.*performance' 'with what it was and what it is'
done_testing
