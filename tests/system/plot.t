#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plots of a real sweep, drawn by the real gnuplot, read by other programs.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_loop
need_commands fio gnuplot sqlite3 python3

IOBENCH=$(realpath "$IOBENCH") # from another folder too
export IOBENCH_RUNDIR=$T/run IOBENCH_DB=$T/x.db
dev=$(make_loop 64M)
run "$IOBENCH" sweep --dev "$dev" --scheds none,mq-deadline -p read,randread -j 1,2 -n 3 -t 200ms --ramp 0 --bs 64k
is $RC 0 'a sweep'
pictures=$T/pictures
mkdir "$pictures" && cd "$pictures" || exit 1

png_size()	# FILE: "WIDTH HEIGHT" of what has the signature of a PNG
{
	python3 -c 'import struct, sys
b = open(sys.argv[1], "rb").read()
print(*struct.unpack(">II", b[16:24])) if b[:8] == b"\x89PNG\r\n\x1a\n" and b[12:16] == b"IHDR" else print("no PNG")' "$1"
}

xml()	# FILE EXPRESSION: python's ElementTree 't' of an SVG, and 'words', its texts
{
	python3 -c 'import sys, xml.etree.ElementTree as E
t = E.parse(sys.argv[1]); n = "{http://www.w3.org/2000/svg}"; words = [e.text for e in t.iter(n + "text")]
print(eval(sys.argv[2]))' "$1" "$2"
}

for kind in jobs bars cdf time perjob; do
	run "$IOBENCH" plot --kind $kind -o $kind.png --where pattern=read --where jobs=2
	is "$RC:$ERR" '0:' "$kind: a plot"
	is "$OUT" "$kind.png" "$kind: its file is named"
	is "$(png_size $kind.png)" '960 600' "$kind: a PNG of the usual size"
	run "$IOBENCH" plot --kind $kind -o $kind.svg --where pattern=read --where jobs=2
	is "$(xml $kind.svg '"none" in words and "mq-deadline" in words')" True "$kind: an SVG with both variants in the legend"
	is "$(xml $kind.svg '"sequential reads" in words[0] + " ".join(words)')" True "$kind: and its title"
done
is "$(xml jobs.svg '"mean, bars: stddev over 3 runs" in words')" True 'the legend says what error bars are'
is "$(xml time.svg '[w in words for w in ("1", "2", "3")]')" '[True, True, True]' 'the blocks have their numbers'

run "$IOBENCH" plot --size 300x200 -o a.png --where pattern=read
is "$(png_size a.png)" '300 200' '--size is the size'
run "$IOBENCH" plot -o all.pdf
is "$OUT" "$(printf 'all-read.pdf\nall-randread.pdf')" 'several plots are several files'
is "$(head -c 5 all-randread.pdf)" '%PDF-' 'a PDF'
run "$IOBENCH" plot
is "$OUT" "$(printf 'read.svg\nrandread.svg')" 'without -o they are named after what they show'
ok '[ -s randread.svg ]' 'and are there'

run "$IOBENCH" plot --terminal dumb --where pattern=read
is $RC 0 'a plot of characters'
like "$OUT" 'sequential reads' 'on the terminal'
is "$(awk 'length > 76 || / $/' <<< "$OUT")" '' 'fit for a mail: 76 columns, no blanks at the ends'

run "$IOBENCH" plot --keep kept -o b.svg --where pattern=read
is "$(cd kept && echo *)" 'read.dat read.gp read.svg' '--keep keeps script, data and picture'
like "$(< kept/read.gp)" "title 'sequential reads'.*'$dev, bs [0-9]+ KiB, kernel $(uname -r), sweep [0-9a-f]{8} of [0-9]{4}-[0-9-]{5}'" \
	'below the title stands of what disk, kernel, sweep and day it is'
is "$(rm kept/read.svg && cd kept && gnuplot -d read.gp 2>&1 && cmp read.svg ../b.svg && echo same)" same \
	'which are enough to draw it again'
is "$(printf '%s\n' "${TMPDIR:-/tmp}"/iobench-plot-*)" "${TMPDIR:-/tmp}/iobench-plot-*" 'nothing else is left'

# names that gnuplot, SVG or a shell would take for something else
name="a_b^{c} &amp; @x~\\y\"q' größe <x> %d \$(id)"
sqlite3 "$IOBENCH_DB" "update config set variant = '${name//\'/\'\'}' where variant = 'none'"
for kind in jobs bars perjob; do
	run "$IOBENCH" plot --kind $kind -o names.svg --where pattern=read --where jobs=2
	is "$(N=$name xml names.svg '__import__("os").environ["N"] in words')" True "$kind: a name comes out as it is"
done
run "$IOBENCH" plot --kind jobs -o names.png --where pattern=read
is "$RC:$ERR" '0:' 'also in a PNG'

sqlite3 "$IOBENCH_DB" "update config_axis set value = '../x y' where name = 'pattern' and value = 'randread'"
run "$IOBENCH" plot --where 'pattern=../x y'
is "$RC:$OUT" '0:_._x_y-1.svg' 'what a file name should not hold is not in it'

# what is wrong is said
run "$IOBENCH" plot -o x.gif
is $RC 2 'an ending that no terminal has is a usage error'
like "$ERR" 'x.gif.*\.png, \.svg, \.pdf' 'and says which there are'
run "$IOBENCH" plot --kind pie
like "$RC $ERR" "2 .*unknown --kind 'pie' \(jobs, bars, time, perjob, trend, cdf\)" 'an unknown kind'
run "$IOBENCH" plot --kind cdf --metric bw
is $RC 2 'a cdf of bandwidths'
run "$IOBENCH" plot --where pattern=write
like "$RC $ERR" "2 .*nothing has 'write'" 'a pattern that was not run'
sqlite3 "$IOBENCH_DB" 'delete from raw'
run "$IOBENCH" plot --kind cdf -o c.svg
like "$RC $ERR" '1 .*no output there has a histogram' 'outputs that were pruned'
run "$IOBENCH" plot -o /nonexistent/a.svg --where pattern=read
like "$RC $ERR" "1 .*cannot create '/nonexistent/a.svg'" 'a file that cannot be'
mkdir "$T/empty"
run env PATH="$T/empty" "$IOBENCH" plot --where pattern=read
like "$RC $ERR" "3 .*gnuplot.*is not installed" 'without gnuplot'
run env PATH="$T/empty" "$IOBENCH" report --format html -o page.html
is $RC 0 'a page can be made without it'
ok 'grep -q "no plots: plots are drawn by gnuplot" page.html' 'and says that it has no plots'

done_testing
