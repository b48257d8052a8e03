#!/bin/bash
# --help, the man page and the README tell of the same options, and what they say to type works.
. "$(dirname "$0")/lib.bash"
cd "$top_srcdir" || exit 1
page=perf2txt.1

# Options as --help lists them: "  -i, --input FILE", "      --[no-]inline", "      --folded[=LIST]".
"$perf2txt" --help >"$tmp/help"
sed -nE 's/^  (-.,|   ) --(\[no-\])?([A-Za-z-]+).*/\1 --\3/p' "$tmp/help" | tr -d ',' | tr -s ' ' '\n' |
	grep . | sort -u >"$tmp/of-help"
[[ $(wc -l <"$tmp/of-help") -gt 50 ]] || fail "--help lists only $(wc -l <"$tmp/of-help") options"
sed -nE 's/^  +(-., +)?--\[no-\]([a-z-]+).*/--no-\2/p' "$tmp/help" >"$tmp/no-forms"

# Options as the page's headings (.TP and the line behind it, which may go on with a backslash) name them.
awk '/^\.SH/ { on = $2 == "OPTIONS" } head && on { print; if (!/\\$/) head = 0 } /^\.TP/ { head = 1 }' $page |
	grep -oE '\\fB\\-(\\-)?[A-Za-z\\-]+\\fR' | sed 's/\\f[BR]//g; s/\\-/-/g' | sort -u >"$tmp/of-page"
grep -vxFf "$tmp/no-forms" "$tmp/of-page" >"$tmp/of-page.plain"
diff "$tmp/of-help" "$tmp/of-page.plain" >&2 || fail "options of --help (<) and of the man page (>) differ"
grep -vxFf "$tmp/of-page" "$tmp/no-forms" >&2 && fail "the man page lacks these"

# No line of --help is broken by a terminal of ordinary width more often than it must, and none is empty text.
awk 'length > 140 { print; bad = 1 } END { exit bad }' "$tmp/help" >&2 || fail "lines of --help are too long"
awk '/^  / && substr($0, 30) ~ /^ *$/ { print; bad = 1 } END { exit !bad }' "$tmp/help" >&2 && fail "options without a word of help"

# Every option that is listed is taken: with a value where it needs one, an argument that exists.
while read -r option; do
	case $option in
	-h | --help | -V | --version) continue ;;
	esac
	"$perf2txt" "$option" 2>&1 >/dev/null </dev/null | grep -q 'no such option' && fail "$option is not known"
done <"$tmp/of-help"

# The subjects that folded lists may have are in the page too.
for word in pid tid kernel jit inline all addrs srcline; do
	grep -q "^\.IP \\\\fB$word\\\\fR" $page || fail "the page does not explain --folded=$word"
done

# And all fields and types of events that -F may have.
sed -nE 's/^\t\{ "([a-z_-]+)", FIELD_.*/\1/p; s/.*\[OUTPUT_.*\{ "([a-z]+)", .*/\1/p' output/fields.c | sed 's/-/\\\\-/g' >"$tmp/fields"
[[ $(wc -l <"$tmp/fields") -gt 40 ]] || fail "output/fields.c has only $(wc -l <"$tmp/fields") fields"
while read -r word; do
	grep -qE "\\\\fB$word\\\\fR" $page || fail "the page does not explain -F $word"
done <"$tmp/fields"

# runs FILE WHAT FOLDER: each line that begins with perf2txt works there; ours instead of an installed one.
runs() {
	local line n=0
	while read -r line; do
		(cd "$3" && eval "\"\$perf2txt\" ${line#perf2txt}") >"$tmp/out" 2>"$tmp/err" ||
			fail "$2: '$line' ends with status $?: $(head -3 "$tmp/err")"
		[[ -s $tmp/out ]] || fail "$2: '$line' prints nothing"
		n=$((n + 1))
	done <"$1"
	((n > 0)) || fail "$2 has no command that can be run"
}

awk '/^\.SH/ { on = $2 == "EXAMPLES" } on && /^perf2txt/' $page | sed 's/\\-/-/g' >"$tmp/examples"
runs "$tmp/examples" "the man page" .

# The README's, where its file names are the example's; but those with a placeholder.
mkdir "$tmp/here"
ln -s "$example/perf.data" "$tmp/here/perf.data"
ln -s "$example/sysroot" "$tmp/here/board-root"
ln -s "$example/kallsyms" "$tmp/here/board-kallsyms"
awk '/^```/ { on = !on } on && /^perf2txt/ && !/ (DIR|FILE)/' README.md | sed 's/ *[#|].*//' >"$tmp/readme"
runs "$tmp/readme" "README.md" "$tmp/here"

# What the README says to run, exists.
for script in $(grep -oE '^scripts/[a-z]+' README.md); do
	[[ -x $script ]] || fail "README.md: $script cannot be run"
done
for file in $(grep -oE '\]\([A-Za-z./]+\)' README.md | tr -d '()]'); do
	[[ -e $file ]] || fail "README.md: no $file"
done

# Every option that the README names is one.
grep -oE '(^|[ `])--[a-z-]+' README.md | tr -d ' `' | grep -vE '^--(enable-.*|threads)$' | sort -u |
	grep -vxFf "$tmp/of-help" >&2 && fail "README.md: these are no options"

# The version is one, everywhere.
version=$("$perf2txt" --version)
grep -q "^\.TH PERF2TXT 1 \"[0-9-]*\" \"$version\"" $page || fail "the man page is not of $version"
head -1 NEWS | grep -q "^$version " || fail "NEWS does not begin with $version"

# The page is well-formed for both formatters that people have.
if command -v groff >/dev/null; then
	groff -man -Tutf8 -ww -z $page 2>"$tmp/err"
	[[ -s $tmp/err ]] && fail "groff: $(head -5 "$tmp/err")"
fi
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wwarning $page >"$tmp/err" 2>&1 || fail "mandoc: $(head -5 "$tmp/err")"
fi
if command -v man >/dev/null; then
	MANWIDTH=80 man --warnings -l $page >"$tmp/text" 2>"$tmp/err" </dev/null || fail "man -l: $(head -5 "$tmp/err")"
	# A container may have replaced man by a word of advice.
	! grep -q perf2txt "$tmp/text" || [[ ! -s $tmp/err ]] || fail "man: $(head -5 "$tmp/err")"
fi
exit 0
