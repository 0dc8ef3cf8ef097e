#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The LaTeX that the golden tests hold is LaTeX: pdflatex makes pages of it, and the numbers and names are on them.
# (Debian: texlive-latex-base, texlive-latex-recommended, poppler-utils; texlive-science for the siunitx form)
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands pdflatex pdftotext kpsewhich

golden=$PWD/tests/golden posts=$PWD/tests/data/text/post2017.tsv shared=$PWD/../shared/published/all.tsv
IOBENCH=$(realpath "$IOBENCH")
export TEXMFVAR=$T/texmf-var # fonts that TeX makes on the way
cd "$T" || exit 1

compile()	# NAME TEXT...: NAME.tex compiles, and each text is on its pages
{
	local name=$1 page text
	shift
	run timeout 120 pdflatex -halt-on-error -interaction=nonstopmode "$name.tex"
	is "$RC" 0 "$name compiles" || { grep -A 5 '^!' "$name.log"; return; }
	is "$(grep -c '^Overfull' "$name.log")" 0 "$name: nothing sticks out of the page"
	page=$(pdftotext -layout "$name.pdf" - | head -n 100)
	for text; do
		[[ $page == *"$text"* ]]
		ok $? "$name: the page holds '$text'" || diag "$page"
	done
}

# Inside somebody's document, with the packages that the comment in the first line asks for.
{
	echo '\documentclass{article}'
	sed -n 's/^% needs //p' "$golden/post2017.tex"
	printf '%s\n' '\begin{document}' 'See tables~\ref{tab:read} and~\ref{tab:write}.' \
		"\\input{$golden/post2017.tex}" '\end{document}'
} > fragment.tex
pdflatex -interaction=nonstopmode fragment.tex > /dev/null # for the references
compile fragment 17060.300 624.111 13617.500 'driver, powersave governor' 'See tables 1 and 2' 'over 10 runs'

cp "$golden/awkward.tex" .
compile awkward 16167.643 "a&b% #\$" '{x}' '100% of a' '\<|>' '[0]*"--"' 'n=1 in [1]'

# More columns than a page is wide.
cp "$golden/wide.tex" .
compile wide 1399177.0 6337448.6

# The shapes of the posts, and the free layouts.
{
	printf '%s\n' '\documentclass{article}' '\usepackage[margin=2cm]{geometry}' '\usepackage{booktabs}' '\begin{document}'
	printf '\\input{%s}\n' "$golden"/{post2006,post2008,post2010,post2014,matrix,summary}.tex
	printf '%s\n' '\end{document}'
} > layouts.tex
compile layouts 133408 '841.788 (4070.3)' 'fio bsr'

if kpsewhich siunitx.sty > /dev/null; then
	cp "$golden/awkward-siunitx.tex" .
	compile awkward-siunitx 1167.643 '{x}' 'n=1 in [1]'
else
	skip 'awkward-siunitx compiles' 'needs siunitx.sty'
fi

# Every layout with the columns of siunitx; findings are a list.
export IOBENCH_DB=$T/x.db
layouts=(jobs matrix summary workloads compare trend)
"$IOBENCH" import "$posts" > import.log 2>&1
if [ -e "$shared" ]; then # the other posts: latencies, CPU shares, rates of processes
	"$IOBENCH" import "$shared" >> import.log 2>&1
	layouts+=(schedulers cpu rawio)
fi
declare -A sweep=([schedulers]=lkml-2008-04-18 [cpu]=linux-scsi-2014-06-18 [rawio]=lkml-2006-12-08)
if kpsewhich siunitx.sty > /dev/null; then
	printf '%s\n' '\documentclass{article}' '\usepackage[margin=2cm]{geometry}' '\usepackage{booktabs,siunitx}' \
		'\begin{document}' > siunitx.tex
	for layout in "${layouts[@]}"; do
		"$IOBENCH" report --layout "$layout" --format latex --siunitx -o "si-$layout.tex" "${sweep[$layout]:-lkml-2017-04-10}"
		printf '\\input{si-%s}\n' "$layout" >> siunitx.tex
	done
	"$IOBENCH" findings --format latex -o si-findings.tex lkml-2017-04-10
	printf '%s\n' '\input{si-findings}' '\end{document}' >> siunitx.tex
	is "$(grep -L 'table-format' si-*.tex | tr '\n' ' ')" \
		"si-findings.tex $([ -e "$shared" ] && echo "si-schedulers.tex ")si-workloads.tex " \
		'all but means with their deviation in parentheses are columns of siunitx'
	compile siunitx '17 060.300'
	like "$(pdftotext siunitx.pdf -)" 'bfq-mq falls to 64' 'siunitx: findings are on its pages'
else
	skip 'columns of siunitx' 'needs siunitx.sty'
fi

# More tables than LaTeX lets float, and characters that no font here has.
{
	sed '/^\\begin{table}/,$d' "$golden/awkward.tex"
	for ((i = 0; i < 60; i++)); do
		sed -n '/^\\begin{table}/,/^\\end{table}/p' "$golden/awkward.tex" | sed 's/größe/größe→漢Ω/'
	done
	printf '%s\n' '\end{document}'
} > many.tex
compile many 'Table 1: '
like "$(pdftotext many.pdf -)" 'Table 60: ' 'many: all tables are there'

done_testing
