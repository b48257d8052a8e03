# lib.bash - what the script tests share.
#
# A test passes with status 0, fails with 1, and is skipped with 77 when the machine lacks what it needs: it says so.
set -u
: "${top_srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}" "${top_builddir:=$top_srcdir/build}"
perf2txt=$top_builddir/perf2txt
example=$top_srcdir/example
export LC_ALL=C TZ=UTC
exec </dev/null # "make -j" gives a test a pipe, which would be read as a recording
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*" >&2
	exit 77
}

# same A B WHAT: two files must not differ.
same() {
	cmp -s "$1" "$2" && return
	diff "$1" "$2" | head -20 >&2
	fail "$3"
}

# Is it a build with a sanitizer? Those are slower and larger: heavy tests do less.
sanitized() {
	grep -qaE '__(asan|ubsan|msan|tsan)_' "$perf2txt"
}
