#!/bin/bash
# Stacks of a program with known call paths, recorded on this machine: they are those of its source.
. "${0%/*}/lib.bash"
source=$top_srcdir/tests/unwind_prog.cpp
for tool in perf g++ awk readelf; do command -v $tool >/dev/null || skip "no $tool"; done
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "not tried on $(uname -m)"
cd "$tmp" || exit 1
g++ -O2 -g -fPIC -shared -fomit-frame-pointer -DLIBRARY -o libunwind_prog.so "$source" &&
	g++ -O2 -g -fPIC -shared -fno-gnu-unique -DPLUGIN -o unwind_plugin.so "$source" ||
	skip "g++ cannot build unwind_prog"
absent=none
g++ -O2 -g -fPIC -shared -fsplit-stack -DSPLIT -o libunwind_split.so "$source" 2>/dev/null || {
	echo "no split stacks: g++ does not know them here"
	absent="$absent|split"
}
for standard in -std=c++20 -std=c++17; do
	g++ -O2 -g -fno-omit-frame-pointer $standard -o unwind_prog "$source" -L. -lunwind_prog \
		-Wl,-rpath,"$tmp" -pthread && break
	[ $standard = -std=c++20 ] || skip "g++ cannot build unwind_prog"
	echo "no coroutines: g++ does not know C++20"
	absent="$absent|coroutine|awaited|counting|resume"
done 2>/dev/null

# record MODE PERF-OPTION... (-B: without build-ids, over which perf 6.1 aborts when a library came and went)
record() {
	local mode=$1
	shift
	perf record -q -B -N -e cpu-clock "$@" -o "$mode.data" ./unwind_prog >/dev/null 2>&1 ||
		skip "perf record does not work"
	"$perf2txt" -q -i "$mode.data" --symfs / --no-inline -F comm,tid,ip,sym,dso,dsoff >"$mode.txt" ||
		fail "perf2txt: $mode"
	rm "$mode.data"
}

# check MODE AWK-ARGUMENT...
check() {
	local mode=$1 status
	shift
	awk -f "$top_srcdir/tests/unwind_$mode.awk" -f "$top_srcdir/tests/unwind.awk" what=source "$source" "$@"
	status=$?
	[ $status != 3 ] || skip "too few samples"
	[ $status = 0 ] || fail "stacks are not those of the source ($mode)"
}

# What the code of all binaries in the stacks uses the frame pointer for.
rules() {
	local file
	for file in $(grep -ho '(/[^ ]*+0x' ./*.txt | sed 's/^(//; s/+0x$//' | sort -u); do
		# The addresses of such a binary are its offsets.
		readelf -lW "$file" |
			awk '/ LOAD .* R E / { sub("0x0*", "", $2); sub("0x0*", "", $3); exit $2 != $3 }' || continue
		readelf --debug-dump=frames-interp,no-follow-links "$file" 2>/dev/null |
			awk -v dso="$file" -f "$top_srcdir/tests/unwind_rules.awk"
	done | LC_ALL=C sort
}

record dwarf -F 400 --call-graph dwarf,65528
check dwarf absent="$absent" what=dwarf dwarf.txt
record fp -F 1000 -g
[ "$(uname -m)" != x86_64 ] || rules >rules
touch rules
check fp what=rules rules what=dwarf dwarf.txt what=fp fp.txt
