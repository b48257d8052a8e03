#!/bin/bash
# Ten times as much costs ten times as much, not a hundred: short processes, forks, threads, maps, events.
# And of a pipe only what waits for its turn is kept.
. "$(dirname "$0")/lib.bash"
make=$top_builddir/tests/mkrecording
few=2000 many=20000 megabytes=200
if sanitized; then
	few=1000 many=10000 megabytes=60
	# What the sanitizer keeps of freed memory is not ours.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
fi

# cost ARG...: sets ms and kb.
cost() {
	local status
	read -r status ms kb < <("$make" measure timeout 120 "$perf2txt" -q --sysroot "$tmp/nothing" "$@")
	[[ $status == 0 ]] || fail "perf2txt $*: status $status"
}

mkdir "$tmp/nothing"
for what in processes forks threads maps events; do
	"$make" $what $few "$tmp/few" && "$make" $what $many "$tmp/many" || fail "mkrecording $what"
	for how in --ns --folded --show-mmap-events; do
		cost $how "$tmp/few"
		ms_few=$ms kb_few=$kb
		cost $how "$tmp/many"
		echo "$what $how: $few: $ms_few ms, $kb_few KB; $many: $ms ms, $kb KB"
		# Generous: the machine has other work. What is quadratic costs 100 times as much.
		((ms <= 20 * ms_few + 200)) || fail "$what $how: $ms_few ms for $few, $ms ms for $many"
		((kb <= 13 * kb_few)) || fail "$what $how: $kb_few KB for $few, $kb KB for $many"
	done
	[[ $("$perf2txt" -q -G -F tid "$tmp/many" | wc -l) == $((2 * many)) ]] || fail "$what: samples are missing"
done

# Every one of the short processes has its name, in its stack too.
"$make" processes $many "$tmp/many"
"$perf2txt" -q -F comm,tid,ip,dso "$tmp/many" >"$tmp/text"
[[ $(grep -c '^ *short ' "$tmp/text") == $((2 * many)) ]] || fail "short processes without their name"
[[ $(grep -c '(/lib/libc.so.6)' "$tmp/text") == $((2 * many)) ]] || fail "short processes without their maps"
grep -q '(\[unknown\])' "$tmp/text" && fail "addresses that are in no map"

# stream WHAT ARG...: sets ms and kb.
stream() {
	local status what=$1
	shift
	read -r status ms kb < <("$make" "$what" $megabytes |
		"$make" measure timeout 120 "$perf2txt" -q --sysroot "$tmp/nothing" "$@" -i -)
	[[ $status == 0 ]] || fail "a $what of $megabytes MB, $*: status $status"
	echo "$what of $megabytes MB $*: $ms ms, $kb KB"
}

for how in --ns --folded; do
	stream stream $how
	((kb < 32 * 1024)) || fail "a stream of $megabytes MB with rounds, $how: $kb KB"
	stream flood $how --max-queue 16
	((kb < 64 * 1024)) || fail "a stream of $megabytes MB without rounds, $how --max-queue 16: $kb KB"
done
exit 0
