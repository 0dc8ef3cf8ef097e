#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A variant with a module of its own: bfq@FILE.ko. Modules are loaded into a fake sysfs by a fake insmod, rmmod and
# modprobe; the files are real ELF files, with no code in them.
# shellcheck disable=SC2016,SC2034 # conditions are evaluated by ok
. tests/lib.sh
. tests/fakesys/lib.sh
need_loop
need_fakesys
need_commands sqlite3 gcc objcopy git

export T IOBENCH_RUNDIR=$T/run
dev=$(make_loop 64M)
db=$T/x.db
view="create temp view runs as select r.*, e.content effective, g.variant, c.sweep, m.content environment_facts
	from run r join run_detail d on d.run = r.id left join settings e on d.effective = e.id
	join cell c on r.cell = c.id join config g on c.config = g.id join environment m on r.environment = m.id;"
sql() { sqlite3 "$db" "$view $1"; }

mkdir "$T/bin" "$T/loaded"
cat > "$T/bin/fio" <<'F'
#!/bin/bash
if [ "$1" = --version ]; then echo fio-3.33; exit; fi
eval "$FIO_DO"
cat <<J
{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "patterns", "error" : 0, "job_runtime" : 1000,
  "read" : { "io_bytes" : 40960000, "bw_bytes" : 40960000, "bw" : 40000, "iops" : 10000.0, "runtime" : 1000,
  "total_ios" : 10000 } } ] }
J
F
cat > "$T/bin/insmod" <<'F'
#!/bin/bash
echo "insmod ${1##*/}" >> "$T/kmod.log"
[ -z "$INSMOD_FAILS" ] || [ "${1##*/}" = own.ko ] || { echo "insmod: ERROR: could not insert module $1: $INSMOD_FAILS" >&2; exit 1; }
notes=$(mktemp "$T/loaded/XXXXXX")
objcopy -O binary --only-section=.note.gnu.build-id "$1" "$notes"
echo "insmod bfq $notes" 2> /dev/null > "$SYS/.fakesys"
F
cat > "$T/bin/rmmod" <<'F'
#!/bin/bash
echo "rmmod $1" >> "$T/kmod.log"
{ echo "rmmod $1" > "$SYS/.fakesys"; } 2> /dev/null || { echo "rmmod: ERROR: Module $1 is in use" >&2; exit 1; }
F
cat > "$T/bin/modprobe" <<'F'
#!/bin/bash
if [ "$1" = -n ]; then exit; fi
if [ "$2" = --show-depends ]; then echo "insmod /lib/modules/other.ko "; echo "insmod $T/own.ko opt=1"; exit; fi
echo "modprobe $1" >> "$T/kmod.log"
insmod "$T/own.ko"
F
chmod +x "$T"/bin/*
export PATH=$T/bin:$PATH FIO_DO='' INSMOD_FAILS=''

ko()	# FILE BYTE [NAME [VERMAGIC]]: a module whose build-id is 20 times that byte
{
	gcc -c -x assembler -o "$T/$1" - <<-A
		.section .modinfo,"a"
		.string "name=${3-bfq}"
		.string "vermagic=${4-$(uname -r) SMP preempt mod_unload }"
		.string "srcversion=0123ABC"
		.section .note.gnu.build-id,"a",@note
		.long 4, 20, 3
		.asciz "GNU"
		.fill 20, 1, 0x$2
	A
}
id()	# BYTE
{
	printf "$1%.0s" {1..20}
}
ko own.ko aa
ko old.ko bb
ko new.ko cc

mount_tree()
{
	local number
	number=$(lsblk -ndo MAJ:MIN "$dev" | tr -d ' ')
	awk -v map="$number" '{ print } /^\[disk sda\]/ { print "map = " map }' tests/fakesys/trees/scsi.tree |
		sed '/^schedulers/{s/none\(.*\) \[bfq\]/[none]\1/;s/ bfq//}' > "$T/x.tree"
	fakesys_mount "$T/x.tree"
	export SYS IOBENCH_SYSFS=$SYS
	q=$SYS/block/sda/queue
}
settings() { (cd "$q" && grep -rs . . ../device/queue_depth | sort; od -An -tx1 "$SYS/module/bfq/notes/.note.gnu.build-id" 2>&1 | tail -1); }
loaded() { od -An -tx1 -j16 "$SYS/module/bfq/notes/.note.gnu.build-id" 2> /dev/null | tr -d ' \n'; }
sweep() { run "$IOBENCH" sweep --dev "$dev" -p read -j 1 -n "${runs:-1}" -t "${runtime:-1ms}" --ramp 0 --db "$db" "$@"; }
which_ran() { sql "select variant || ' ' || coalesce(substr(json_extract(effective, '\$.\"module:bfq\"'), 1, 2), '-')
	from runs where state = 'ok' and sweep = (select max(id) from sweep) group by variant order by variant" | tr '\n' ','; }

# ---- two builds, and no module before
mount_tree
before=$(settings)
runs=3 sweep --scheds "bfq@$T/old.ko,bfq@$T/new.ko:low_latency=0,mq-deadline"
is $RC 0 'two builds are swept'
is "$(which_ran)" "bfq@$T/new.ko:low_latency=0 cc,bfq@$T/old.ko bb,mq-deadline -," 'each with its own module loaded'
is "$(sql 'select count(distinct environment) from runs')" 1 'in one environment, so that they are compared in pairs'
is "$(sql "select distinct json_extract(environment_facts, '\$.\"module.bfq@$T/old.ko.build_id\"') || ' ' ||
	json_extract(environment_facts, '\$.\"module.bfq@$T/new.ko.vermagic\"') || ' ' ||
	json_extract(environment_facts, '\$.\"module.bfq@$T/new.ko.srcversion\"') from runs")" \
	"$(id bb) $(uname -r) SMP preempt mod_unload  0123ABC" 'which says what they are'
like "$ERR" "bfq@$T/old.ko' is build-id $(id bb), built for $(uname -r)" 'that is said at the start'
like "$OUT" "bfq@$T/new.ko: build-id $(id cc | cut -c 1-12)" 'and above the table'
run "$IOBENCH" report --db "$db" -f html
like "$OUT" "bfq@$T/new.ko: build-id $(id cc | cut -c 1-12)" 'in a page too'
run "$IOBENCH" compare --db "$db" "bfq@$T/old.ko" "bfq@$T/new.ko:low_latency=0"
is $RC 0 'the builds are compared by their names'
like "$OUT" "A - bfq@$T/old.ko" 'that of the file'
like "$OUT" "bfq@$T/old.ko: build-id $(id bb | cut -c 1-12)" 'and which build it was'
ok '[ ! -e "$SYS/module/bfq" ]' 'afterwards none is loaded, as before'
is "$(settings)" "$before" 'settings are back'

# ---- the system's own was loaded, and the disk used it
fakesys_do insmod bfq "$T/own.notes"
objcopy -O binary --only-section=.note.gnu.build-id "$T/own.ko" "$T/own.notes"
echo bfq > "$q/scheduler"
echo 3 > "$q/iosched/slice_idle"
before=$(settings)
: > "$T/kmod.log"
runs=3 sweep --scheds "bfq,bfq@$T/new.ko,none,current"
is $RC 0 "a build is swept beside the system's own"
is "$(which_ran)" "bfq aa,bfq@$T/new.ko cc,current aa,none -," 'and each has its own'
is "$(settings)" "$before" 'module, scheduler and tunables are back'
is "$(grep -c rmmod "$T/kmod.log")" "$(grep -c insmod "$T/kmod.log")" 'one out for each one in'

# ---- what cannot work is refused before anything starts
: > "$T/kmod.log"
sweeps=$(sql 'select count(*) from sweep')
refused()	# STATUS REGEX NAME, after a sweep
{
	is "$RC" "$1" "$3"
	like "$ERR" "$2" '... with the reason'
}
sweep --scheds "bfq@$T/none.ko"
refused 2 "cannot open '$T/none.ko'|'$T/none.ko'.*No such file" 'a file that is not there'
echo text > "$T/text.ko"
sweep --scheds "bfq@$T/text.ko"
refused 2 'is not an ELF file' 'a file that is no module'
ko kyber.ko dd kyber_iosched
sweep --scheds "bfq@$T/kyber.ko"
refused 2 "is the module 'kyber_iosched', not 'bfq'" 'another module'
ko alien.ko dd bfq '6.0.0-alien SMP '
sweep --scheds "bfq@$T/alien.ko"
refused 3 "built for kernel 6.0.0-alien, this is $(uname -r)" 'a module of another kernel'
sweep --scheds "none@$T/new.ko"
refused 2 "'none' is no scheduler that is ever a module" 'a scheduler that is never a module'
sweep --scheds "bfq@$T/new.ko,kyber@$T/kyber.ko"
refused 2 'the module of one scheduler' 'modules of two schedulers'
objcopy --remove-section .note.gnu.build-id "$T/new.ko" "$T/anonymous.ko"
sweep --scheds "bfq@$T/anonymous.ko"
refused 3 'has no build-id' 'a module without a build-id'
echo none > "$SYS/block/sdb/queue/scheduler"
fakesys_do flip sdb bfq
sweep --scheds "bfq@$T/new.ko"
refused 3 "disk 'sdb' uses the module 'bfq'" 'a module that another disk uses'
sweep --scheds "bfq@$T/new.ko" --dry-run
refused 3 "disk 'sdb' uses the module 'bfq'" 'also in a dry run'
fakesys_do flip sdb none
ko own2.ko ab
mv "$T/own.ko" "$T/own1.ko" && mv "$T/own2.ko" "$T/own.ko"
sweep --scheds "bfq@$T/new.ko"
refused 3 "is not the '$T/own.ko' that modprobe would put back" 'one that modprobe would not bring back'
rm "$T/own.ko"
sweep --scheds "bfq@$T/new.ko"
refused 3 'could not be put back' 'one that modprobe does not know'
mv "$T/own1.ko" "$T/own.ko"
is "$(cat "$T/kmod.log")" '' 'no module was touched'
is "$(sql 'select count(*) from sweep')" "$sweeps" 'and no sweep recorded'
is "$(settings)" "$before" 'and no setting'
sweep --scheds "bfq@$T/new.ko" --dry-run
is $RC 0 'a dry run of what can work'
is "$(cat "$T/kmod.log")" '' 'touches no module'

# ---- by a build of now, in a kernel tree
mkdir "$T/tree" && (cd "$T/tree" && git init -q . && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x &&
	git -c user.name=x -c user.email=x@x tag -a -m x v6.99 && touch x && git add x)
sweep --scheds "bfq@$T/new.ko" --tree "$T/tree"
is $RC 0 'a kernel tree is named'
is "$(sql "select json_extract(environment_facts, '\$.kernel_tree') from runs order by id desc limit 1")" v6.99-dirty \
	'and described in the environment'
like "$OUT" 'kernel tree: v6.99-dirty' 'and above the table'
sweep --scheds "bfq@$T/new.ko" --tree "$T/bin"
refused 1 'git' 'a tree that git does not know'

# ---- faults on the way
INSMOD_FAILS='Key was rejected by service'
sweep --scheds "bfq@$T/new.ko,none"
is $RC 1 'a module that the kernel does not take'
like "$ERR" 'Key was rejected by service' 'with the words of insmod'
INSMOD_FAILS=
is "$(settings)" "$before" '... all is back'
cp "$T/new.ko" "$T/newest.ko"
ko newer.ko cf
FIO_DO="[ ! -e '$T/newer.ko' ] || mv '$T/newer.ko' '$T/newest.ko'"
sweep --scheds "bfq,bfq@$T/newest.ko" --order sequential
FIO_DO=
is $RC 1 'and the cell fails'
like "$ERR" "changed since the sweep began: 'bfq' has build-id '$(id cf)' now, not '$(id cc)'" 'because of that'
is "$(settings)" "$before" '... all is back'
FIO_DO="echo none > '$q/scheduler'; rmmod bfq; insmod '$T/old.ko'; echo bfq > '$q/scheduler'"
sweep --scheds "bfq@$T/new.ko"
FIO_DO=
is $RC 1 'a module that somebody exchanges during the run'
like "$(sql 'select state || reason from runs order by id desc limit 1')" "invalid.*'bfq' went from build-id '$(id cc)' to '$(id bb)'" \
	'makes the run invalid'
is "$(settings)" "$before" '... all is back'

# ---- another disk takes our build
FIO_DO="echo flip sdb bfq > '$SYS/.fakesys'"
sweep --scheds "bfq@$T/new.ko"
FIO_DO=
is $RC 4 'a build that somebody else uses cannot be taken away'
like "$ERR" "module 'bfq': was $(id aa) before, should be that again.*in use" 'and is said to stay'
fakesys_do flip sdb none
run "$IOBENCH" restore
is $RC 0 'restore puts the old one back when it can'
is "$(settings)" "$before" '... all is back'

# ---- dead sweeps
kill_runner="kill -9 \$(cat '$IOBENCH_RUNDIR/sda.lock')"
FIO_DO="$kill_runner; sleep 60"
sweep --scheds "bfq@$T/new.ko"
FIO_DO=
for ((i = 0; i < 200; i++)); do [ -e "$IOBENCH_RUNDIR/sda.journal" ] || break; sleep 0.05; done
is "$(settings)" "$before" 'the sweep is killed: the guard puts the module back'
FIO_DO="kill -STOP \$PPID; $kill_runner; kill -9 \$PPID; sleep 60"
sweep --scheds "bfq@$T/new.ko"
FIO_DO=
is "$(loaded)" "$(id cc)" 'both are killed: our build stays'
like "$(cat "$IOBENCH_RUNDIR/sda.journal")" "module	bfq	$(id aa)" 'and the journal knows the old one'
run "$IOBENCH" restore
is $RC 0 'restore'
like "$OUT" "settings of 'sda', the module 'bfq' " 'says what it put back'
is "$(settings)" "$before" 'puts it back'

# ---- one that exchanges the module is alone with it
FIO_DO="touch '$T/started'; while [ -e '$T/started' ]; do sleep 0.05; done"
db2=$T/y.db
"$IOBENCH" sweep --dev "$dev" -p read -j 1 -n 1 -t 60s --ramp 0 --db "$db2" --scheds "bfq@$T/new.ko" > /dev/null 2>&1 &
for ((i = 0; i < 200; i++)); do [ ! -e "$T/started" ] || break; sleep 0.05; done
is "$(flock -s -n "$IOBENCH_RUNDIR/module-bfq.lock" true; echo $?)" 1 'others that would measure bfq are locked out'
rm -f "$T/started"
wait $!
is $? 0 'it ends well'
FIO_DO=
exec 9> "$IOBENCH_RUNDIR/module-bfq.lock"
flock 9
echo $$ >&9
sweep --scheds bfq
refused 3 "another iobench \(pid $$\) is using the module 'bfq'" 'a sweep with bfq does not start beside it'
sweep --scheds none
is $RC 0 'one without does'
exec 9>&-
FIO_DO=
is "$(settings)" "$before" '... all is back'
fakesys_umount

# ---- built in
mount_tree
fakesys_umount
sed -i '/^schedulers/s/$/ bfq/' "$T/x.tree"
fakesys_mount "$T/x.tree"
export SYS IOBENCH_SYSFS=$SYS
q=$SYS/block/sda/queue
sweep --scheds "bfq@$T/new.ko"
refused 3 'built into this kernel' 'a scheduler that is built in'

fakesys_umount

done_testing
