#!/bin/bash
# --debuginfod: only then, only with $DEBUGINFOD_URLS, and only the file with the recorded build-id.
. "$(dirname "$0")/lib.bash"
data=$example/pid.data
root=$example/sysroot
cd "$tmp" || exit 1
export DEBUGINFOD_CACHE_PATH=$tmp/cache HOME=$tmp
unset DEBUGINFOD_URLS

refused=$("$perf2txt" --debuginfod "$data" 2>&1 >/dev/null)
status=$?
[[ $status == 2 ]] || fail "--debuginfod without a server: status $status"
[[ $refused == *"no libdebuginfod"* ]] && skip "there is no libdebuginfod, or perf2txt was built without it"
[[ $(head -1 <<<"$refused") == "perf2txt: --debuginfod: \$DEBUGINFOD_URLS names no server" ]] || fail "says: $refused"
command -v readelf >/dev/null || skip "no readelf"

# A server is a folder here: buildid/HEX/executable. (Debug files: tests/check_dso_load.c)
mkdir -p server/buildid empty
id=$(readelf -n "$root/opt/app/busy" 2>/dev/null | sed -n 's/.*Build ID: //p')
[[ -n $id ]] || fail "busy has no build-id"
mkdir "server/buildid/$id"
cp "$root/opt/app/busy" "server/buildid/$id/executable"
lines() { "$perf2txt" -F ip,sym,dso --no-inline "$@" "$data" 2>err | grep -F '(/opt/app/busy)'; }
lines --sysroot "$root" >want
[[ $(grep -vcF '[unknown]' want) -gt 10 ]] || fail "the sysroot gives no names"

# Not asked without the option.
export DEBUGINFOD_URLS=file://$tmp/server
lines --sysroot empty | grep -vF '[unknown]' && fail "a server was asked without --debuginfod"
[[ -e cache ]] && fail "something was downloaded without --debuginfod"

lines --sysroot empty --debuginfod >got
same want got "the server's file gives other names than the sysroot's"
grep -q 'no symbols for /opt/app/busy' err && fail "the summary says that busy is missing"
grep -q 'no symbols for /opt/app/libwork' err || fail "the summary does not say that libwork is missing"

# Another file under that build-id is not used.
rm -rf cache
cp "$root/opt/app/libwork.so.1.0.0" "server/buildid/$id/executable"
lines --sysroot empty --debuginfod | grep -vF '[unknown]' && fail "another file was used"
grep -q 'no symbols for /opt/app/busy: other build-id' err || fail "says: $(cat err)"

# A server that is not there: names are missing, that is all, and not for long.
rm -rf cache
export DEBUGINFOD_URLS=http://127.0.0.1:9/
lines --sysroot empty --debuginfod | grep -vF '[unknown]' && fail "names from nowhere"
exit 0
