#!/bin/bash
# The same recording with its binaries brought along in different ways: the same names, or none, never others.
. "$(dirname "$0")/lib.bash"
corpus=${PERF2TXT_CORPUS:-$top_srcdir/../shared/corpus}/recordings
board=$corpus/aarch64
[[ -d $board/sysroot-debuglink ]] || skip "no corpus (PERF2TXT_CORPUS)"
for tool in python3 zstd; do command -v $tool >/dev/null || skip "no $tool"; done
# A corpus that was handed on may have lost its symbolic links.
if [[ ! -L $board/sysroot/lib ]]; then
	"$top_srcdir/tests/corpus-copy" "$corpus/.." "$tmp/corpus" || fail "corpus-copy"
	corpus=$tmp/corpus/recordings
fi
corpus=$(cd "$corpus" && pwd) board=$corpus/aarch64
cd "$tmp" || exit 1
export HOME=$tmp

# text NAME ARG...: the frames of the board's recording into NAME.out, the summary into NAME.err.
text() {
	local name=$1
	shift
	"$perf2txt" --no-inline --kallsyms "$board/all-fp.data.kallsyms" -F ip,sym,dso "$@" "$board/all-fp.data" \
		>"$name.out" 2>"$name.err" || fail "$name: status $?: $(head -3 "$name.err")"
}

# own FILE: frames of our own programs; known FILE: all that have a name, once each, without the kernel's.
own() { grep -F '(/opt/' "$1.out"; }
known() { grep -F ' (' "$1.out" | grep -vE '\[unknown\]|\(\[(kernel\.|ext4|jbd2|virtio)' | sort -u; }

# no_other NAME: every name there is one of the plain sysroot's.
no_other() {
	known "$1" | comm -13 <(known plain) - >other
	[[ ! -s other ]] || fail "$1: other names than with the plain sysroot: $(head -3 other)"
}

text plain --sysroot "$board/sysroot"
[[ $(own plain | wc -l) -gt 5000 ]] || fail "too few frames: $(own plain | wc -l)"
own plain | grep -F '[unknown]' >other && fail "plain: frames without a name: $(head -3 other)"

for variant in debuglink buildid nodebug mismatch; do
	rm -rf root
	cp -r "$board/sysroot" root
	cp -r "$board/sysroot-$variant/." root
	text $variant --sysroot root
	no_other $variant
done
same plain.out debuglink.out "debug files by .gnu_debuglink give other text"
same plain.out buildid.out "debug files by build-id give other text"

# Stripped: what is exported has names, and the summary says what is not there.
own nodebug | grep -F '(/opt/app/busy)' | grep -v '\[unknown\]\|@plt ' >other && fail "nodebug: names: $(head -3 other)"
own nodebug | grep -F '(/opt/app/libwork' | grep -qvF '[unknown]' || fail "nodebug: no dynamic symbols are used"
grep -q '^perf2txt: no symbols for /opt/app/busy: ' nodebug.err || fail "nodebug: busy is not named"
grep -q '^perf2txt: no symbols for /opt/app/libwork.so.1.0.0: stripped' nodebug.err || fail "nodebug: libwork is not named"

# Other builds: not used, and said.
for name in busy libwork.so.1.0.0; do
	own mismatch | grep -F "(/opt/app/$name)" | grep -vF '[unknown]' >other && fail "mismatch: names: $(head -3 other)"
	grep -q "^perf2txt: no symbols for /opt/app/$name: other build-id, last looked at root/opt" mismatch.err ||
		fail "mismatch: $name is not named: $(head -3 mismatch.err)"
done

# perf's build-id cache alone has all own programs, the vdso and the kernel; no file of this machine gives a name.
text cache --buildid-dir "$board/dot-debug"
same <(own plain) <(own cache) "the build-id cache gives own programs other names"
grep -F '([vdso])' cache.out | grep -F '[unknown]' >other && fail "cache: vdso without names: $(head -3 other)"
known cache | grep -vE '\(/opt/|\(\[vdso\]\)' >other && fail "cache: names from somewhere: $(head -3 other)"
"$perf2txt" -q --buildid-dir "$board/dot-debug" -F ip,sym,dso "$board/all-fp.data" >kernel.out
same <(grep -F '[kernel.' plain.out) <(grep -F '[kernel.' kernel.out) "the cache's kallsyms gives other names"

# Nothing at all: no name of this machine.
text none
[[ -z $(known none) ]] || fail "names from nowhere: $(known none | head -3)"

# spelled FILE: names with offsets as perf 6.1 printed them on the boards: without parameters and return types.
spelled() {
	grep -aF '(/opt/' "$1" | sed -E 's/^.*[ \t][0-9a-f]+ (.*\+0x[0-9a-f]+ \(.*\))$/\1/
		:a; s/\([^()]*\)( const)?(.*\+0x[0-9a-f]+ \()/\2/; ta
		s/^void //; s/ \[clone [^]]*\]//' | grep -v '^_init+\|@plt+' | sort -u
}

# as_on_target BOARD RECORDING TEXT: own functions on other machines, beside what was printed there.
as_on_target() {
	local data=$corpus/$1/$2.data
	zstd -dcq "$corpus/$1/on-target/$3.txt.zst" >want
	"$perf2txt" -q --no-inline --kallsyms "$data.kallsyms" --sysroot "$corpus/$1/sysroot" "$data" >got
	[[ $(spelled want | wc -l) -gt 20 ]] || fail "$1/$2: too few names on the target"
	same <(spelled want) <(spelled got) "$1/$2: other names than on the target"
	grep -F '(/opt/' got | grep -F '[unknown]' >other && fail "$1/$2: frames without a name: $(head -3 other)"
	"$perf2txt" -q --no-inline -F ip,sym,dso "$data" >got
	grep -vF '[unknown]' got | grep -F ' (/' >other && fail "$1/$2: names from nowhere: $(head -3 other)"
}
as_on_target armhf all-fp all-fp.script
as_on_target s390x all-nog all-nog.script
as_on_target s390x pid-dwarf pid-dwarf.script-noinline
exit 0
