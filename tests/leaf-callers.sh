#!/bin/bash
# The caller of a leaf function on aarch64, which is in the link register only: it is there when the function was
# just called, and never when it is none. Such a frame is a return address - 1: no other address here ends in
# binary 11.
. "${0%/*}/lib.bash"

# check RECORDING NUMBER: at least so many callers come from the link register
check() {
	"$perf2txt" -q -i "$example/$1" --sysroot "$example/sysroot" --kallsyms "$example/kallsyms" --no-inline \
		-F tid,time,ip,sym,symoff,dso >"$tmp/out" || fail "perf2txt $1"
	awk -v least="$2" -v RS= -F '\n' '
	function part(line) {
		match(line, /^[ \t]*[0-9a-f]+ /)
		address = substr(line, 1, RLENGTH)
		gsub(/[ \t]/, "", address)
		text = substr(line, RLENGTH + 1)
		offset = match(text, /\+0x[0-9a-f]+ \([^ ]*\)$/) ? substr(text, RSTART + 1) : "?"
		name = RSTART ? substr(text, 1, RSTART - 1) : text
		sub(/ .*/, "", offset)
	}
	function wrong(why) {
		print why ":\n" $0
		bad++
	}
	{
		for (i = 2; i <= NF && $i ~ /\(\[kernel|\(\[unknown\]\)$/; i++)
			;
		if (i > NF)
			next
		part($i)
		leaf = name
		called = name ~ /@plt$/ || offset == "0x0"
		for (j = i + 1; j <= NF; j++) {
			part($j)
			inserted = address ~ /[37bf]$/
			count += inserted
			if (j == i + 1 && called && text ~ /\(\/opt\// && !inserted)
				wrong("no caller")
			begun = called || $i ~ /\+0x[48] / || leaf == "[unknown]"
			if (inserted && (j > i + 1 || (leaf == name && !begun)))
				wrong("no such caller")
		}
	}
	END {
		print count " callers from link registers, " bad + 0 " wrong"
		exit bad || count < least
	}' "$tmp/out" || fail "callers of leaf functions in $1"
}

check perf.data 100
check pid.data 100
