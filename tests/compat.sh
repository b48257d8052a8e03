#!/bin/bash
# With a corpus of recordings and perf script's text for them at hand: as many lines as ever are the same, byte for
# byte, and as many outputs. Raise the floors when more is reached; that nothing gets lost again is what they are for.
. "$(dirname "$0")/lib.bash"
corpus=${PERF2TXT_CORPUS:-$top_srcdir/../shared/corpus}
compat=$corpus/../tools/compat
[[ -d $corpus/recordings && -x $compat ]] || skip "no corpus of recordings at $corpus"
for tool in python3 zstd; do
	command -v $tool >/dev/null || skip "no $tool"
done

"$top_srcdir/tests/corpus-copy" "$corpus" "$tmp/corpus" || fail "corpus-copy"
bad=0

# floor OUTPUTS LINES FOLDERS VARIANTS: at least that many are identical.
floor() {
	local folder variant outputs lines of_outputs of_lines patterns=() start=$SECONDS
	for folder in $3; do
		for variant in $4; do
			patterns+=("$folder/*/$variant")
		done
	done
	CORPUS=$tmp/corpus "$compat" "$perf2txt" "${patterns[@]}" >"$tmp/result"
	read -r outputs of_outputs lines of_lines < <(grep -oE '[0-9]+ of [0-9]+' "$tmp/result" | tr -s 'of \n' ' ')
	echo "$3: $outputs of $of_outputs outputs, $lines of $of_lines lines identical; at least $1 and $2 ($((SECONDS - start)) s)"
	((outputs >= $1 && lines >= $2)) && return
	echo "$3: less than $1 outputs or $2 lines are identical" >&2
	bad=1
}

some="default records header trace"
if sanitized; then
	floor 33 78700 "lpd hotspot perfparser s390x i386" "$some"
	exit $bad
fi
floor 21 703000 aarch64 "$some noinline srcline insn"
floor 6 158500 armhf "$some noinline uregs"
floor 3 2075 i386 "$some noinline fields uregs"
floor 58 243000 x86_64 "$some noinline srcline"
floor 6 66800 s390x "$some uregs"
floor 104 455000 quipper "$some fields brstacksym"
floor 36 13690 "lpd hotspot perfparser" "$some fields addr"
floor 6 568300 pdc "$some"
exit $bad
