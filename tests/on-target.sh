#!/bin/bash
# User stacks of the corpus' recordings, beside those that perf printed on the recorded machines themselves.
. "${0%/*}/lib.bash"
corpus=${PERF2TXT_CORPUS:-$top_srcdir/../shared/corpus}
compare=$top_srcdir/tests/on-target-compare
[ -d "$corpus/recordings/aarch64/on-target" ] || skip "no corpus (PERF2TXT_CORPUS)"
for tool in python3 zstd; do command -v $tool >/dev/null || skip "no $tool"; done
# A corpus that was handed on may have lost its symbolic links.
if [ ! -d "$corpus/recordings/aarch64/all-fp.data.symfs/opt" ]; then
	"$top_srcdir/tests/corpus-copy" "$corpus" "$tmp/corpus" || fail "corpus-copy"
	corpus=$tmp/corpus
fi
mkdir "$tmp/empty"

# text RECORDING SYSROOT >OUT
text() {
	"$perf2txt" -q -i "$corpus/recordings/$1.data" --symfs "$2" --buildid-dir "$tmp/cache" --no-inline \
		--kallsyms "$corpus/recordings/$1.data.kallsyms"
}

# The board's vdso is beside its sysroot; perf's cache is the place where it is found by its build-id.
vdso_cache() {
	local image=$corpus/recordings/$1/target/vdso.so id
	id=$(readelf -n "$image" 2>/dev/null | sed -n 's/.*Build ID: //p')
	rm -rf "$tmp/cache"
	mkdir -p "$tmp/cache/.build-id/${id:0:2}/${id:2}"
	cp "$image" "$tmp/cache/.build-id/${id:0:2}/${id:2}/vdso"
}

# compare WHAT RECORDING TRUTH
compare() {
	vdso_cache "${2%/*}"
	zstd -dcq "$corpus/recordings/${2%/*}/on-target/$3.txt.zst" >"$tmp/truth"
	text "$2" "$corpus/recordings/$2.data.symfs" >"$tmp/ours"
	text "$2" "$tmp/empty" >"$tmp/plain"
	echo -n "$2 $1: "
	"$compare" "$1" "$tmp/truth" "$tmp/ours" "$tmp/plain" || bad="$bad $2"
}

bad=
compare chains aarch64/all-dwarf all-dwarf.script-noinline
compare chains aarch64/spawn-dwarf spawn-dwarf.script-noinline
compare chains armhf/all-dwarf all-dwarf.libdw-script-noinline
compare chains s390x/pid-dwarf pid-dwarf.script-noinline
compare leaf aarch64/all-fp all-fp.script
compare leaf aarch64/spawn spawn.script
compare leaf aarch64/pid-fp pid-fp.script
compare leaf aarch64/trace-g trace-g.script
[ -z "$bad" ] || fail "frames differ:$bad"
