#!/bin/bash
# Registers and stack of a program deep down, from each architecture, unwind to its first function.
. "${0%/*}/lib.bash"
snapshots=$top_srcdir/tests/snapshots
printf '%s\n' leaf many_registers big_frame recursive recursive with_alloca by_pointer start _start \
	>"$tmp/want"
# The leaf has not saved the link register; in its caller, it still has what the call left there.
printf '%s\n' leaf many_registers many_registers >"$tmp/want-leaf"

# names ARCH NAME [-l]: the functions in $tmp/got, leaf first
names() {
	rm -rf "$tmp/root"
	mkdir "$tmp/root"
	cp "$snapshots/$2.elf" "$tmp/root/deep"
	"$top_builddir/tests/snapshot" ${3:+"$3"} "$1" "$snapshots/$2.elf" "$snapshots/$2.dump" \
		"$tmp/perf.data" ||
		fail "snapshot $2"
	"$perf2txt" -i "$tmp/perf.data" --symfs "$tmp/root" -F ip,sym >"$tmp/out" 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "$2: $(cat "$tmp/err")"
	awk 'NF { print $2 }' "$tmp/out" >"$tmp/got"
}

for machine in aarch64:aarch64 armv7l:armhf riscv64:riscv64 ppc64le:ppc64le s390x:s390x; do
	names ${machine%:*} ${machine#*:}
	same "$tmp/want" "$tmp/got" "frames on $machine"
	names ${machine%:*} ${machine#*:} -l
	same "$tmp/want-leaf" "$tmp/got" "caller of the leaf on $machine"
done

# folded INCOMPLETE-OPTION...: in $tmp/got
folded() {
	"$perf2txt" -q -i "$tmp/perf.data" --symfs "$tmp/root" --folded --weight samples "$@" >"$tmp/got" ||
		fail "--folded $*"
}

cp "$snapshots/riscv64.elf" "$tmp/root/deep"
"$top_builddir/tests/snapshot" -c riscv64 "$snapshots/riscv64.elf" "$snapshots/riscv64.dump" \
	"$tmp/perf.data" || fail "snapshot -c"
echo "deep;big_frame;many_registers;leaf 1" >"$tmp/want"
folded
same "$tmp/want" "$tmp/got" "a cut stack"
echo "deep;[truncated];big_frame;many_registers;leaf 1" >"$tmp/want"
folded --incomplete mark
same "$tmp/want" "$tmp/got" "a marked cut stack"
folded --incomplete drop
[ ! -s "$tmp/got" ] || fail "a cut stack was not dropped"
"$perf2txt" -q -i "$tmp/perf.data" --folded --incomplete none >/dev/null 2>&1
[ $? = 2 ] || fail "--incomplete none is accepted"
