#!/bin/bash
# Stacks of a program with known call paths, recorded on this machine: they are those of its source.
. "${0%/*}/lib.bash"
source=$top_srcdir/tests/unwind_prog.cpp
for tool in perf g++ awk; do command -v $tool >/dev/null || skip "no $tool"; done
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "not tried on $(uname -m)"
cd "$tmp" || exit 1
g++ -O2 -g -fPIC -shared -fomit-frame-pointer -DLIBRARY -o libunwind_prog.so "$source" &&
	g++ -O2 -g -fPIC -shared -fno-gnu-unique -DPLUGIN -o unwind_plugin.so "$source" &&
	g++ -O2 -g -fno-omit-frame-pointer -o unwind_prog "$source" -L. -lunwind_prog -Wl,-rpath,"$tmp" \
		-pthread ||
	skip "g++ cannot build unwind_prog"

# check MODE PERF-OPTION... (-B: without build-ids, over which perf 6.1 aborts when a library came and went)
check() {
	local mode=$1 status
	shift
	perf record -q -B -N -e cpu-clock "$@" -o "$mode.data" ./unwind_prog >/dev/null 2>&1 ||
		skip "perf record does not work"
	"$perf2txt" -q -i "$mode.data" --symfs / --no-inline -F comm,tid,ip,sym,dso >"$mode.txt" ||
		fail "perf2txt: $mode"
	rm "$mode.data"
	awk -v mode="$mode" -f "$top_srcdir/tests/unwind.awk" "$source" "$mode.txt"
	status=$?
	[ $status != 3 ] || skip "too few samples"
	[ $status = 0 ] || fail "stacks are not those of the source ($mode)"
}

check dwarf -F 400 --call-graph dwarf,65528
check fp -F 1000 -g
