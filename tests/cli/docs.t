#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# README.md and docs/: what they link to is there, and so are the paths, commands and options that they name.
. tests/lib.sh

# FILE: a line for each link in it that leads nowhere
dead_links()
{
	local dir target file anchor
	dir=$(dirname "$1")
	grep -oE '\]\([^) ]+\)' "$1" | sed 's/^](//; s/)$//' | while read -r target; do
		case $target in http://* | https://*) continue ;; esac
		file=$dir/${target%%#*} anchor=${target#*#}
		[ "${target%%#*}" ] || file=$1
		[ -e "$file" ] || echo "$1: $target"
		case $target in
		*'#'*) anchors "$file" | grep -qxF -- "$anchor" || echo "$1: $target: no such heading" ;;
		esac
	done
}

# FILE: its headings as GitHub makes anchors of them
anchors() { sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'; }

printf '# A b, c\n[1](x.md#a-b-c) [2](x.md#d) [3](y.md) [4](http://z) [5](#a-b-c)\n' > "$T/x.md"
is "$(dead_links "$T/x.md")" "$T/x.md: x.md#d: no such heading"$'\n'"$T/x.md: y.md" 'a dead link is found'
for f in README.md docs/*.md; do
	is "$(dead_links "$f")" '' "$f: every link leads somewhere"
done

# paths of this tree that are named in passing; of a test that is built the source is there
is "$(grep -ohE '\b(docs|scripts|jobs|tests|runner|vdisk)/[A-Za-z0-9_./-]*[A-Za-z0-9]' README.md docs/*.md | sort -u |
	while read -r p; do [ -e "$p" ] || [ -e "$p.c" ] || echo "$p"; done)" '' 'every path of the tree that they name is there'

# every command line in README.md: the command is one, and has these options
"$IOBENCH" help --list > "$T/commands"
while read -r c; do "$IOBENCH" "$c" --help | grep -oE -- '--?[a-z-]+' | sed "s/^/$c /"; done < "$T/commands" > "$T/known"
grep -ohE '^    (ssh .*)?iobench [a-z]+ .*' README.md docs/*.md | sed 's/^ *//; s/#.*//; s/   .*//' |
	sed 's/.*iobench \([a-z]\)/\1/' > "$T/lines"
while read -r line; do
	c=${line%% *}
	grep -qx "$c" "$T/commands" || echo "no command: $line"
	grep -oE -- "(^| )--?[a-z-]+" <<< "$line" | tr -d ' ' | while read -r o; do
		case $o in -) continue ;; esac
		grep -qx -- "$c $o" "$T/known" || echo "no option $o: $line"
	done
done < "$T/lines" > "$T/wrong"
ok "[ $(wc -l < "$T/lines") -gt 40 ]" 'there are command lines in README.md and docs/'
is "$(< "$T/wrong")" '' 'all of them name commands and options that there are'
done_testing
