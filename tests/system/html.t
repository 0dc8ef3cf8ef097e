#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML report of a real sweep in a real browser: it says what it has to, fits a phone, complains of nothing.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_loop
need_commands fio gnuplot sqlite3 python3 chromium

IOBENCH=$(realpath "$IOBENCH")
post=$(realpath tests/data/text/post2017.tsv)
export IOBENCH_RUNDIR=$T/run IOBENCH_DB=$T/x.db
dev=$(make_loop 64M)
run "$IOBENCH" sweep --dev "$dev" --name 'a <b> & "c"' --note 'größe' --scheds none,mq-deadline,bfq,cfq -p read,randread \
	-j 1,2,10 -n 2 -t 200ms --ramp 0 --bs 64k --size 4M
is $RC 5 'a sweep, with cells that this kernel cannot run'
cd "$T" || exit 1
run "$IOBENCH" report --format html -o page.html
is "$RC:$ERR" '0:' 'a page'

# one file that asks for nothing else
is "$(grep -coE '(src|href)="|@import|url\(' page.html)" 0 'nothing in it is fetched'
like "$(< page.html)" "default-src 'none'" 'and nothing may be'

facts()	# EXPRESSION: of the parsed page: tags (a list), text (of all), ids
{
	python3 -c 'import sys, html.parser
class P(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.tags = []; self.text = ""; self.ids = []; self.open = []; self.bad = []
    void = {"meta", "br"}
    def handle_starttag(self, tag, attrs):
        self.tags.append(tag); self.ids += [v for k, v in attrs if k == "id"]
        if tag not in self.void: self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag); self.ids += [v for k, v in attrs if k == "id"]
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.bad.append(tag)
    def handle_data(self, data): self.text += data
p = P(); p.feed(open("page.html").read()); tags, text, ids = p.tags, p.text, p.ids
print(eval(sys.argv[1]))' "$1"
}
is "$(facts '(p.bad, p.open)')" '([], [])' 'every element is closed in its turn'
is "$(facts 'len(ids) == len(set(ids))')" True 'no name is there twice'
is "$(facts 'tags.count("svg") - text.count("Runs over time")')" 7 'a plot a pattern, and runs over time of each job count'
is "$(facts '"a <b> & \"c\"" in text and "größe" in text')" True 'names and notes come out as they are'
for what in "--scheds none,mq-deadline,bfq,cfq" "$dev" "$(uname -r)" "$(fio --version)" "not offered by this kernel" \
	"runs are too short" "use --runs 10, at least 5" "Every run"; do
	is "$(W=$what facts '__import__("os").environ["W"] in text')" True "it holds '$what'"
done
is "$(facts 'tags.count("details")')" 3 'the environment, runs over time and all runs are behind folds'
runs=$(sqlite3 "$IOBENCH_DB" 'select count(*) from run')
is "$(grep -c '^<tr>.*random reads\|^<tr>.*sequential reads' page.html)" "$runs" 'every run is there'

# bars are filled with patterns, which have a name of their own in each plot
run "$IOBENCH" report --format html --where jobs=2 -o bars.html
is "$(python3 -c 'import re
t = open("bars.html").read(); used = set(re.findall(r"url\(#([^)]*)\)", t))
print(bool(used), used - set(re.findall(r"id=.([^\"\x27]*)", t)))')" 'True set()' 'every filling that is used is there'

# the picture in the page is XML too, and says in words what it shows
is "$(python3 -c 'import re, xml.etree.ElementTree as E
for s in re.findall(r"<svg.*?</svg>", open("page.html").read(), re.S):
    t = E.fromstring(s); n = "{http://www.w3.org/2000/svg}"
    assert t.get("role") == "img" and t.find(n + "title").text
    assert "none:" in t.find(n + "desc").text
print("good")')" good 'plots are well-formed, with text alternatives'

browser()	# WIDTH ARGUMENT...
{
	local width=$1
	shift
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-dev-shm-usage \
		--user-data-dir="$T/profile" --hide-scrollbars --window-size="$width,900" --enable-logging=stderr "$@" 2> "$T/browser.log"
}

# A copy with a question at its end: what it answers is in its title. In a frame, for a window has a least width.
ask()	# WIDTH JAVASCRIPT
{
	sed "s|^</body>|<script>addEventListener('load',function(){document.title='answer:'+(function(){$2})()})</script></body>|" \
		page.html > ask.html
	printf '%s' '<!DOCTYPE html><title></title><iframe src="ask.html" style="border:0;height:900px;width:'"$1"'px"></iframe>' \
		'<script>addEventListener("load",function(){document.title=frames[0].document.title})</script>' > frame.html
	browser 1400 --allow-file-access-from-files --dump-dom "file://$T/frame.html" |
		sed -n 's|.*<title>answer:\([^<]*\)</title>.*|\1|p'
}
is "$(ask 400 'return 6*7')" 42 'the browser answers' || diag "$(tail -n 5 "$T/browser.log")"
is "$(ask 400 'return innerWidth')" 400 'a window as wide as a phone'
wide='var d=document.documentElement;document.querySelectorAll("details").forEach(function(e){e.open=true});'
is "$(ask 400 "${wide}return d.scrollWidth-d.clientWidth")" 0 'nothing sticks out at 400 px, all folds open'
is "$(ask 1280 "${wide}return d.scrollWidth-d.clientWidth")" 0 'nor at 1280'
browser 400 --dump-dom "file://$T/page.html" > /dev/null
is "$(grep -c CONSOLE "$T/browser.log")" 0 'the console is empty' || diag "$(grep CONSOLE "$T/browser.log")"

# sorted by numbers, up and down; a click more turns it round
column='var t=document.querySelector("table"),h=t.tHead.rows[t.tHead.rows.length-1].cells[0];'
read='return Array.prototype.map.call(t.tBodies[0].rows,function(r){return r.cells[0].textContent}).join()'
is "$(ask 400 "$column$read")" 1,2,10 'rows are in the order of the report'
is "$(ask 400 "${column}h.firstChild.click();h.firstChild.click();$read")" 10,2,1 'two clicks turn them round'
is "$(ask 400 "${column}h.firstChild.click();return h.getAttribute('aria-sort')")" ascending 'which the head says'
is "$(ask 400 "${column}var c=t.tHead.rows[1].cells[7];c.firstChild.click();$read")" 1,2,10 'what is missing everywhere stays'

# and it is seen
for width in 400 1280; do
	browser $width --screenshot="$T/$width.png" "file://$T/page.html"
	is "$(python3 -c 'import struct, sys; b = open(sys.argv[1], "rb").read(); print(struct.unpack(">I", b[16:20])[0])' "$T/$width.png")" \
		$width "a picture of it at $width px"
done

like "$(facts text)" 'Findings.*no verdict possible in [0-9]+ comparisons: too few runs' 'two runs are no finding, which is said'

# a page with findings: the published table of 2017
"$IOBENCH" import --db post.db "$post" > import.log 2>&1
run "$IOBENCH" report --db post.db --format html -o page.html
is "$RC:$ERR" '0:' 'a page of a published table'
is "$(ask 400 'return document.querySelector("h2").textContent+document.querySelectorAll("main>ol>li").length')" Findings2 \
	'its findings come first'
like "$(ask 400 'return document.querySelector("ol").textContent')" 'sequential reads, 2-7 jobs: bfq-mq falls to 64-81%.*low_latency' \
	'as sentences with hints'
is "$(ask 400 "${wide}return d.scrollWidth-d.clientWidth")" 0 'and fit a phone'
browser 400 --dump-dom "file://$T/page.html" > /dev/null
is "$(grep -c CONSOLE "$T/browser.log")" 0 'nor does the browser complain'

done_testing
