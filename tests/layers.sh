#!/bin/bash
# Who may include whom (HACKING.md), foreign libraries each in their one place, and white space.
. "$(dirname "$0")/lib.bash"
cd "$top_srcdir" || fail "no $top_srcdir"

layers=(util arch events symbolize output)
sources=()
for dir in . "${layers[@]}" tests; do
	for file in "$dir"/*.[ch]; do
		sources+=("${file#./}")
	done
done
bad=0

complain() {
	echo "$*" >&2
	bad=1
}

# includes FILE...: lines "FILE HEADER", HEADER with its quotes or angle brackets.
includes() {
	awk '/^[ \t]*#[ \t]*include/ { sub(/^[ \t]*#[ \t]*include[ \t]*/, ""); sub(/[ \t].*/, ""); print FILENAME, $0 }' "$@"
}

# What output/ may see besides util/, arch/ and itself: the structs that its views point to.
views='events/(perf_abi|evlist|id_index|record|sample|attr|features|header)|symbolize/(location|dso)'

declare -A may=(
	[util]='util/.*'
	[arch]='(util|arch)/.*'
	[events]='(util|events)/.*'
	[symbolize]='(util|arch|symbolize)/.*'
	[output]="(util|arch|output)/.*|($views)\.h"
)

for layer in "${layers[@]}"; do
	while read -r file header; do
		[[ $header == '"config.h"' ]] && continue
		[[ $header =~ ^\"(${may[$layer]})\"$ ]] || complain "$file: $layer may not include $header"
	done < <(includes "$layer"/*.[ch] | grep ' "')
done

# only PATTERN-OF-HEADER FILE...: nobody else includes it. Tests may look at anything.
only() {
	local pattern=$1 file header
	shift
	while read -r file header; do
		[[ " $* " == *" $file "* || $file == tests/* ]] || complain "$file: $header belongs to $*"
	done < <(includes "${sources[@]}" | grep -E " <$pattern>$")
}

only 'zstd\.h' events/zstd.c symbolize/unpack.c
only 'lzma\.h' symbolize/unpack.c
only 'zlib\.h' symbolize/unpack.c symbolize/dso_load.c
only 'libdeflate\.h' symbolize/unpack.c
only '(gelf|libelf)\.h' symbolize/image.h symbolize/load_elf.c symbolize/load_plt.c
only 'elfutils/libdw.*' symbolize/cfi.c
only 'elfutils/debuginfod\.h' symbolize/ask_debuginfod.c
only 'dwarf\.h' symbolize/cfi.c symbolize/dwarf.c symbolize/debug_*.c symbolize/unwind.c symbolize/expression.c
only 'elf\.h' arch/*.c symbolize/user_stack.c
only 'capstone/.*' symbolize/disasm.c
only '(linux|asm|traceevent)[/.].*' nobody # events/perf_abi.h has our own copy of the facts

# calls PATTERN FILE...: nobody else calls such functions.
calls() {
	local pattern=$1 found
	shift
	while IFS=: read -r found _; do
		[[ " $* " == *" $found "* || $found == tests/* ]] || complain "$found: calls $pattern, which belongs to $*"
	done < <(grep -nE "(^|[^a-z_])($pattern)\(" "${sources[@]}" | grep -v ':[0-9]*:[ /]*\*')
}

calls 'dwarf_(cfi|frame|getcfi)[a-z_]*' symbolize/cfi.c
calls 'dwarf_(die|attr|form|diename|tag|child|siblingof|haspc|ranges|getscopes|getsrc|line|lineaddr|linesrc)[a-z_0-9]*' \
	nobody # symbolize/debug_*.c read DWARF
calls 'printf|puts|putchar' perf2txt.c options.c
calls 'malloc|calloc|realloc|strdup|asprintf' util/xalloc.c util/err.c symbolize/unpack.c events/zstd.c tests/rewrite.c

# libcheck is for tests alone.
while read -r file header; do
	[[ $file == tests/* ]] || complain "$file: <check.h> is for tests"
done < <(includes "${sources[@]}" | grep -F ' <check.h>')

# The wiring stays readable in one sitting.
lines=$(wc -l <session.c)
((lines <= 400)) || complain "session.c: $lines lines, 400 at most"

# White space: tabs indent, none at the ends of lines, no line over 110 columns, a newline at the end.
for file in "${sources[@]}"; do
	expand -t 8 "$file" | awk -v file="$file" 'length > 110 { print file ":" FNR ": " length " columns" }'
	[[ -z $(tail -c 1 "$file") ]] || echo "$file: no newline at its end"
done >"$tmp/columns"
grep -nE '[[:blank:]]+$' "${sources[@]}" tests/*.sh tests/*.bash scripts/* README.md HACKING.md >"$tmp/blanks"
grep -nE '^ {8}|^	* +	' "${sources[@]}" >"$tmp/indents"
grep -nE '	' README.md HACKING.md NEWS DIFFERENCES >"$tmp/tabs"
for what in columns blanks indents tabs; do
	[[ -s $tmp/$what ]] || continue
	head -20 "$tmp/$what" >&2
	complain "$what: $(wc -l <"$tmp/$what") lines"
done

exit $bad
