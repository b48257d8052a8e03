#!/bin/bash
# Folded stacks beside the text of the same recording: the format, the sums, the choice of events, the lists.
. "$(dirname "$0")/lib.bash"
names=(--sysroot "$example/sysroot" --kallsyms "$example/kallsyms")

convert() {
	"$perf2txt" -q "${names[@]}" "$@" || fail "perf2txt $*: status $?"
}

# folded OUT ARG...: and the format: "stack SPACE number", sorted by bytes, no stack twice.
folded() {
	local out=$tmp/$1
	shift
	convert "$@" >"$out"
	grep -vE '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$out" | head -3 >&2
	[[ $(grep -cvE '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$out") == 0 ]] || fail "$*: lines that are not 'stack number'"
	sed 's/ [0-9]*$//' "$out" >"$tmp/stacks"
	LC_ALL=C sort -cu "$tmp/stacks" || fail "$*: not sorted by bytes, or a stack twice"
}

sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

for data in perf.data pid.data; do
	# What the text prints of each sample of the event that is folded (cycles, the first).
	convert -G -F event,period "$example/$data" | awk '/cycles/ { print $1 }' >"$tmp/periods"
	samples=$(wc -l <"$tmp/periods")

	folded by-period --folded "$example/$data"
	[[ $(sum "$tmp/by-period") == "$(sum "$tmp/periods")" ]] ||
		fail "$data: weights add up to $(sum "$tmp/by-period"), periods to $(sum "$tmp/periods")"
	folded explicit --folded --weight period "$example/$data"
	same "$tmp/by-period" "$tmp/explicit" "$data: --weight period is not the default"
	folded by-sample --folded --weight samples "$example/$data"
	[[ $(sum "$tmp/by-sample") == "$samples" ]] ||
		fail "$data: $samples samples, but $(sum "$tmp/by-sample") with --weight samples"
	sed 's/ [0-9]*$//' "$tmp/by-period" >"$tmp/stacks.period"
	same "$tmp/stacks.period" "$tmp/stacks" "$data: other stacks with --weight samples"

	# A list changes names, never the sum; inlined calls are frames that --no-inline leaves out.
	for list in pid tid kernel jit inline all addrs srcline pid,tid,all,inline,addrs,srcline; do
		folded "list" --folded=$list "$example/$data"
		[[ $(sum "$tmp/list") == "$(sum "$tmp/periods")" ]] || fail "$data: --folded=$list changes the sum"
	done
	folded no-inline --folded --no-inline "$example/$data"
	[[ $(sum "$tmp/no-inline") == "$(sum "$tmp/periods")" ]] || fail "$data: --no-inline changes the sum"
done

# The stacks are those of the text, outermost first: made here the way that flame graph scripts make them.
convert --no-inline -F comm,tid,time,period,event,ip,sym,dso --no-demangle "$example/perf.data" | awk '
	function done() { if (comm != "") print comm stack, period; comm = "" }
	/^$/ { done(); next }
	/^[^\t]/ && /cycles:/ { match($0, /[0-9]+ +[0-9]+\.[0-9]+: +[0-9]+ +cycles:/)
		comm = substr($0, 1, RSTART - 1); gsub(/^ +| +$/, "", comm); gsub(/ /, "_", comm)
		n = split(substr($0, RSTART, RLENGTH), part, / +/); period = part[3]; stack = ""; next }
	{ dso = $0; sub(/.*\(/, "", dso); sub(/\)$/, "", dso)
	  name = $0; sub(/^[ \t]*[0-9a-f]+ /, "", name); sub(/ \([^(]*\)$/, "", name)
	  if (name == "[unknown]" && dso != "[unknown]") { sub(/.*\//, "", dso); name = "[" dso "]" }
	  stack = ";" name stack }
	END { done() }' | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
	END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | LC_ALL=C sort >"$tmp/by-script"
folded ours --folded --no-inline --no-demangle "$example/perf.data"
# Other modules in brackets ([vdso]) keep theirs: compare what both name.
LC_ALL=C sort "$tmp/ours" >"$tmp/ours.sorted"
same "$tmp/by-script" "$tmp/ours.sorted" "not the stacks of the text"

# The root frame.
folded pid --folded=pid "$example/pid.data"
grep -qvE '^busy(-[a-z]+)?-145;' "$tmp/pid" && fail "--folded=pid: $(grep -vE '^busy(-[a-z]+)?-145;' "$tmp/pid" | head -1)"
folded tid --folded=tid "$example/pid.data"
for root in busy-145/145 busy-hash-145/147 busy-matrix-145/148 busy-strings-145/149; do
	grep -q "^$root;" "$tmp/tid" || fail "--folded=tid: no root $root"
done
folded plain --folded "$example/perf.data"
grep -q '^kworker/0:1H-kb' "$tmp/plain" || fail "no stack of a kernel thread"

# Marks behind names.
folded kernel --folded=kernel "$example/perf.data"
grep -qE ';el0t_64_sync_\[k\];' "$tmp/kernel" || fail "--folded=kernel marks no kernel frame"
grep -E '(main|work::[a-z_]*|\[libc\.so\.6\])_\[k\]' "$tmp/kernel" && fail "--folded=kernel marks programs"
sed 's/_\[k\]//g' "$tmp/kernel" | LC_ALL=C sort >"$tmp/unmarked"
LC_ALL=C sort "$tmp/plain" >"$tmp/plain.sorted"
same "$tmp/plain.sorted" "$tmp/unmarked" "--folded=kernel changes more than marks"
folded inline --folded=inline "$example/pid.data"
grep -q ';work::mix_block;load8_\[i\]' "$tmp/inline" || fail "--folded=inline marks no inlined call"
grep -q 'work::mix_block_\[i\]' "$tmp/inline" && fail "--folded=inline marks a function that was called"
folded all --folded=all "$example/perf.data"
same "$tmp/kernel" "$tmp/all" "no JIT code here: all is kernel"
grep -q '_\[[kij]\]' "$tmp/plain" && fail "marks that nobody asked for"

# Addresses of what has no name, source lines of what has one.
folded addrs --folded=addrs "$example/pid.data"
grep -qE ';\[libc\.so\.6 <ffffa164bf5c>\];' "$tmp/addrs" || fail "--folded=addrs: no address"
grep -qE '\[libc\.so\.6\]' "$tmp/addrs" && fail "--folded=addrs: a frame without address"
folded srcline --folded=srcline "$example/pid.data"
grep -qE ';work::mix_buffer:work\.cpp:[0-9]+;' "$tmp/srcline" || fail "--folded=srcline: no line"
grep -q ';hash_main:busy\.cpp:[0-9]*;' "$tmp/srcline" || fail "--folded=srcline: no line without inlined calls"
folded paths --folded=srcline --full-source-path "$example/pid.data"
grep -qE 'work\.cpp:[0-9]+' "$tmp/paths" || fail "--folded=srcline --full-source-path: no line"

# Which event: the first by default, another by name, all; what was left out is said.
folded first --folded "$example/perf.data"
folded by-name --folded --event-filter cycles "$example/perf.data"
same "$tmp/first" "$tmp/by-name" "--event-filter cycles is not the default"
folded every --folded --event-filter all "$example/perf.data"
same "$tmp/first" "$tmp/every" "only cycles have samples"
folded none --folded --event-filter dummy "$example/perf.data"
[[ -s $tmp/none ]] && fail "--event-filter dummy prints samples of another event"
"$perf2txt" "${names[@]}" --folded --event-filter dummy "$example/perf.data" 2>&1 |
	grep -q '^perf2txt: left out 1711 samples of event cycles' || fail "nobody is told what was left out"

# Filters of samples are filters of stacks.
folded comms --folded --comms logd "$example/perf.data"
grep '^logd;' "$tmp/first" >"$tmp/want"
same "$tmp/want" "$tmp/comms" "--comms logd: other stacks than those of logd"
folded tids --folded=tid --tid 149 "$example/perf.data"
grep -v '^busy-strings-145/149;' "$tmp/tids" | head -1 | grep . && fail "--tid 149: others' stacks"
folded shallow --folded --max-stack 2 --no-inline "$example/perf.data"
# (One more where the leaf's caller was in the link register: as perf script, the chain is limited before.)
grep -qE '^[^;]+(;[^;]+){4}' "$tmp/shallow" && fail "--max-stack 2: deeper stacks"
[[ $(sum "$tmp/shallow") == "$(sum "$tmp/first")" ]] || fail "--max-stack changes the sum"
exit 0
