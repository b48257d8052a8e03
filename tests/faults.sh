#!/bin/bash
# What the machine does to a run: no memory, no space, calls that fail or do less than they were asked for.
. "$(dirname "$0")/lib.bash"
seeds=$top_srcdir/tests/fuzz/corpus/session
cd "$tmp" || exit 1
: "${ASAN_OPTIONS:=}" "${CC:=cc}"

# sane WHAT...: the last run (its status in $status, its words in err) ended by itself, without a sanitizer's finding.
sane() {
	[[ $status -le 1 ]] || fail "$*: status $status: $(head -5 err)"
	grep -qE 'Sanitizer|runtime error' err && fail "$*: $(head -20 err)"
	[[ $status == 0 || -s err ]] || fail "$*: status $status without a word"
	return 0
}

# Any allocation may be the one that fails: a sentence, status 1.
no_memory() {
	local n=1 runs=0
	while :; do
		PERF2TXT_FAIL_ALLOC=$n "$perf2txt" "$@" >out 2>err
		status=$?
		sane "allocation $n of perf2txt $*"
		[[ $status == 0 ]] && break
		[[ $(<err) == "perf2txt: out of memory" ]] || fail "allocation $n of perf2txt $*: $(head -3 err)"
		n=$((n + 1 + n / 8)) runs=$((runs + 1))
	done
	[[ $runs -gt 20 ]] || fail "perf2txt $*: no allocation failed after number $n"
}
sysroot=(--sysroot "$example/sysroot" --kallsyms "$example/kallsyms")
no_memory -q --sysroot /nonexistent "$seeds/seed-file"
no_memory -q --sysroot /nonexistent --header -I "$seeds/seed-pipe"
no_memory -q --sysroot /nonexistent --folded "$seeds/seed-zstd"
no_memory -q "${sysroot[@]}" "$example/pid.data"
no_memory -q "${sysroot[@]}" --folded=all,inline "$example/pid.data"

# A disk that is full, a reader that goes away.
if [[ -w /dev/full ]]; then
	"$perf2txt" -q "$example/pid.data" >/dev/full 2>err
	status=$?
	[[ $status == 1 && $(<err) == *"No space left on device"* ]] || fail "full disk: status $status: $(<err)"
fi
{ "$perf2txt" -q "${sysroot[@]}" "$example/perf.data" 2>err; echo $? >status; } | head -1 >out
status=$(<status)
[[ $status == 0 && ! -s err ]] || fail "a reader that has enough: status $status: $(<err)"

# A pipe in pieces of any size is the same stream.
for seed in pipe pipe-be zstd-pipe; do
	"$perf2txt" -q --sysroot /nonexistent --header "$seeds/seed-$seed" >want 2>err || fail "$seed: $(<err)"
	for piece in 1 13 4096; do
		mkfifo fifo
		dd if="$seeds/seed-$seed" of=fifo bs=$piece status=none &
		"$perf2txt" -q --sysroot /nonexistent --header fifo >got 2>err || fail "$seed in pieces: $(<err)"
		wait
		rm fifo
		same <(grep -v '^# captured' want) <(grep -v '^# captured' got) "$seed in pieces of $piece differs"
	done
done

# The rest needs a library that is loaded before all others.
$CC -shared -fPIC -O1 -D_GNU_SOURCE -o inject.so "$top_srcdir/tests/inject.c" -ldl 2>err ||
	skip "no compiler for tests/inject.c; what does not need it passed"
# inject CALL HOW AT ARG...
inject() {
	local settings=(INJECT_CALL="$1" INJECT_HOW="$2" INJECT_AT="$3" INJECT_PATH="$tmp/shrinks")
	shift 3
	env LD_PRELOAD="$tmp/inject.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0:detect_leaks=0" \
		"${settings[@]}" "$perf2txt" "$@" >got 2>err
	status=$?
}
EIO=5 EINTR=4 EMFILE=24 ENOMEM=12 ENOSPC=28

inject open $EIO 1 -q "$example/pid.data"
[[ $status == 1 && $(<err) == *"Input/output error"* ]] || skip "LD_PRELOAD does not work here; the rest passed"

cp "$seeds/seed-pipe" recording
"$perf2txt" -q "${sysroot[@]}" "$example/pid.data" >want 2>err || fail "$(<err)"
for how in short $EINTR; do
	inject read "$how" 1 -q "${sysroot[@]}" "$example/pid.data"
	sane "read $how"
	same want got "read $how: another text"
	inject write "$how" 1 -q "${sysroot[@]}" "$example/pid.data"
	sane "write $how"
	same want got "write $how: another text"
done
"$perf2txt" -q --sysroot /nonexistent recording >want 2>err || fail "$(<err)"
for how in short $EINTR; do
	inject read "$how" 1 -q --sysroot /nonexistent -i - < <(cat recording)
	sane "read $how of a pipe"
	same want got "read $how of a pipe: another text"
done
for at in 1 2; do
	inject read $EIO $at -q --sysroot /nonexistent -i - < <(cat recording)
	[[ $status == 1 && $(<err) == *"(standard input): cannot read: Input/output error" ]] ||
		fail "read $at of a pipe fails: status $status: $(<err)"
done
for how in $EIO $ENOSPC; do
	inject write "$how" 1 -q "$example/pid.data"
	[[ $status == 1 && $(<err) == *"standard output: cannot write: "* ]] || fail "write fails: status $status: $(<err)"
done

# A call that fails costs what it was for; the run ends well, or with a sentence.
for at in 1 2 3 5 8 13 21; do
	inject open $EMFILE $at "${sysroot[@]}" "$example/pid.data"
	sane "open $at fails"
	inject mmap $ENOMEM $at "${sysroot[@]}" "$example/pid.data"
	sane "mmap $at fails"
	inject read $EIO $at "${sysroot[@]}" "$example/pid.data"
	sane "read $at fails"
done

# A recording that becomes shorter while it is read.
cp "$example/perf.data" shrinks
inject mmap truncate 1 -q --sysroot /nonexistent shrinks
[[ $status == 1 && $(<err) == "perf2txt: a file became shorter, or its disk failed, while it was read" ]] ||
	fail "a shorter file: status $status: $(<err)"
exit 0
