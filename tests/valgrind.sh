#!/bin/bash
# What the sanitizers cannot see, use of memory that nobody wrote: some unit tests and the program under valgrind.
. "$(dirname "$0")/lib.bash"
command -v valgrind >/dev/null || skip "there is no valgrind"
grep -q '^SANITIZE_CFLAGS = .*-f' "$top_builddir/Makefile" && skip "a build with sanitizers"
cd "$tmp" || exit 1

# checked COMMAND...: its status is in $status
checked() {
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" >out 2>err
	status=$?
	[[ $status == 99 ]] && fail "$*: $(grep -a '^==' err | head -40)"
	return 0
}

for test in record sample attr evlist folded callchain; do
	CK_FORK=no checked "$top_builddir/tests/check_$test"
	[[ $status == 0 ]] || fail "check_$test: status $status: $(tail -5 out)"
done
for seed in "$top_srcdir"/tests/fuzz/corpus/session/seed-{file-be,zstd,pipe}; do
	checked "$perf2txt" -q --sysroot /nonexistent --header -F +misc,+brstacksym,+uregs,+symoff,+period "$seed"
	checked "$perf2txt" -q --sysroot /nonexistent --folded=all,addrs "$seed"
done
checked "$perf2txt" -q --sysroot "$example/sysroot" "$example/pid.data"
[[ $status == 0 ]] || fail "pid.data: status $status: $(head -5 err)"
exit 0
