#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages: a page a command, without faults, with the same options and words as --help.
# shellcheck disable=SC1091 # lib.sh is checked by itself
. tests/lib.sh
need_commands mandoc python3

pages=$BUILD/man
mapfile -t names < <("$IOBENCH" help --list)
is "$(cd "$pages" && echo ./*.1)" "$(for c in '' "${names[@]}"; do echo "./iobench${c:+-$c}.1"; done | sort | xargs)" \
	'a page for every command, and one over all'
run mandoc -Tlint -W warning "$pages"/*.1
is "$RC$OUT$ERR" 0 'mandoc finds no fault'

# Everything that --help says of options and behind them stands in the page, in the same order; the page has no other.
# shellcheck disable=SC2016 # python's
compare='
import re, sys
def words(text): return " ".join(text.split())
help_lines, page = open(sys.argv[1]).read().split("\n"), open(sys.argv[2]).read()
options, about = [], []
for line in help_lines[2:]:
    if re.match(r"  (-\w, |    )--", line): options.append(line)
    elif line.startswith(" " * 26) and options: options[-1] += " " + line
    else: about.append(line)
about = words(" ".join(about))
body = words(re.search(r"^DESCRIPTION\n(.*?)(?=^[A-Z])", page, re.M | re.S).group(1))
head, found = words(re.search(r"^NAME\n(.*?)(?=^[A-Z])", page, re.M | re.S).group(1)), body.split("The options are: ")
said = words(head.split(" - ", 1)[1] + " " + found[0])
assert said == about, "--help: %s\npage: %s" % (about, said)
want = words(" ".join(options))
assert found[1] == want, "--help: %s\npage: %s" % (want, found[1])
assert len(options) >= 1
print(len(options))'
for c in "${names[@]}"; do
	"$IOBENCH" "$c" --help > "$T/help"
	mandoc -Tascii -O width=100 "$pages/iobench-$c.1" | col -b > "$T/page"
	run python3 -c "$compare" "$T/help" "$T/page"
	is "$RC:$OUT" "0:$("$IOBENCH" help --list "$c" | wc -l)" "$c: the options and words of --help" || diag "$ERR"
done

mandoc -Tascii "$pages/iobench.1" | col -b > "$T/page"
is "$("$IOBENCH" --help | tr -d '\n' | sed 's/.*exit codes: //' | grep -oE '(^|[;,]) ?[0-9]+' | grep -oE '[0-9]+' | xargs)" \
	"$(sed -n '/^EXIT STATUS/,/^     Where/p' "$T/page" | grep -oE '^     [0-9]+' | xargs)" 'exit codes as in --help'
for c in "${names[@]}"; do
	grep -q "^     iobench-$c(1)" "$T/page" || missing+=" $c"
done
is "${missing-}" '' 'the page over all names every command'
mandoc -Tascii "$pages/iobench-vdisk.1" | col -b > "$T/page"
for o in $("$BUILD/iobench-vdisk" --help | grep -oE -- '--[a-z]+' | sort -u); do
	grep -q -- "$o" "$T/page" || missing+=" $o"
done
is "${missing-}" '' 'options of iobench-vdisk'

# what the examples type is there
mandoc -Tascii -O width=100 "$pages"/*.1 | col -b | grep -E '^ +(iobench|.*\| iobench|dev=\$\(iobench) [a-z]+ ' > "$T/examples"
while read -r line; do
	line=${line#*iobench }
	c=${line%% *}
	while read -r o; do
		"$IOBENCH" help --list "$c" 2> /dev/null | cut -f 1,2 | tr '\t' '\n' | grep -qx -- "$o" || wrong+=" $c:$o"
	done < <(grep -oE -- '(^| )--?[a-z][a-z-]*' <<< "$line")
done < <(grep -v 'iobench COMMAND' "$T/examples")
is "${wrong-}" '' "options in the examples ($(wc -l < "$T/examples") lines)"
[ "$(wc -l < "$T/examples")" -gt 15 ]
ok $? 'there are examples'

run "$IOBENCH" help sweep
is "$OUT" "$("$IOBENCH" sweep --help)" "'help COMMAND' is 'COMMAND --help'"
run "$IOBENCH" help swep
is "$RC" 2 "'help' of what is no command"
like "$ERR" "did you mean 'sweep'" 'says what it may be'
run "$IOBENCH" help sweep now
is "$RC" 2 "'help' with too many words"

done_testing
