#!/bin/bash
# The scene that this project began with: an aarch64 board recorded with -a, and processes that ran before.
# Whatever the order of the records about them, they keep their names; and the texts stay as they are.
# (GOLDEN_WRITE=1 writes the expected texts anew: compare them with perf script before they are committed.)
. "$(dirname "$0")/lib.bash"
rewrite=$top_builddir/tests/rewrite
golden=$top_srcdir/tests/golden
names=(--sysroot "$example/sysroot" --kallsyms "$example/kallsyms")

convert() {
	"$perf2txt" -q "${names[@]}" "$@" || fail "perf2txt $*: status $?"
}

# The same recording as older perf wrote it, as a reader that sorts by kind would see it, and with forks by nobody.
cp "$example/perf.data" "$tmp/as-it-is"
for how in noforkexec maps-first own-parent; do
	"$rewrite" $how "$example/perf.data" "$tmp/$how" || fail "rewrite $how"
	cmp -s "$tmp/as-it-is" "$tmp/$how" && fail "rewrite $how changed nothing"
done
for how in as-it-is noforkexec maps-first own-parent; do
	convert "$tmp/$how" >"$tmp/$how.text"
	convert --folded=all,tid "$tmp/$how" >"$tmp/$how.folded"
	same "$tmp/as-it-is.text" "$tmp/$how.text" "$how: the text differs"
	same "$tmp/as-it-is.folded" "$tmp/$how.folded" "$how: the folded stacks differ"
done
[[ $(grep -c '^[^[:blank:]]\|^ *[^[:blank:]]* .*cycles:' "$tmp/as-it-is.text") -ge 1711 ]] || fail "too few samples"

# All of /opt/app is in the sysroot: nothing there is unknown, and the summary says so of no file there.
for data in "$example/perf.data" "$example/pid.data"; do
	convert "$data" | grep -F '[unknown] (/opt/app/' >&2 && fail "$data: unknown frames in /opt/app"
	"$perf2txt" "${names[@]}" "$data" 2>&1 >/dev/null | grep /opt/app >&2 && fail "$data: names of /opt/app are missed"
done

# functions RECORDING TIMES: "comm: function" of /opt/app that were seen at least that often.
functions() {
	convert --no-inline -F comm,tid,ip,sym,dso "$example/$1" |
		awk -v times="$2" '/^[^\t]/ { comm = $1; next }
			/\(\/opt\/app\// && !/@plt/ { sub(/^[ \t]*[0-9a-f]+ /, ""); seen[comm ": " $0]++ }
			END { for (f in seen) if (seen[f] >= times) print f }' | sort
}

# pid.data is the control: the same process recorded with -p, where nothing could go wrong. What was seen a few
# times in one has been seen in the other.
for pair in perf.data:pid.data pid.data:perf.data; do
	functions "${pair%:*}" 3 | grep '^busy' >"$tmp/often"
	functions "${pair#*:}" 1 >"$tmp/once"
	[[ $(wc -l <"$tmp/often") -ge 15 ]] || fail "${pair%:*}: only $(wc -l <"$tmp/often") functions of busy"
	comm -23 "$tmp/often" "$tmp/once" >"$tmp/lost"
	[[ -s $tmp/lost ]] && fail "$pair: $(cat "$tmp/lost")"
done
printf 'logd: %s (/opt/app/logd)\n' _start checksum.constprop.0 fill main >"$tmp/want"
functions perf.data 1 | grep '^logd' >"$tmp/got"
same "$tmp/want" "$tmp/got" "logd's functions"

# golden NAME LINES ARG...: the first LINES lines are those of golden/NAME.txt.
golden() {
	local name=$1 lines=$2
	shift 2
	convert "$@" | head -"$lines" | grep -v '^# captured on' >"$tmp/$name.txt"
	[[ -n ${GOLDEN_WRITE:-} ]] && cp "$tmp/$name.txt" "$golden/$name.txt"
	same "$golden/$name.txt" "$tmp/$name.txt" "golden/$name.txt (<) is not what $* prints (>)"
}

golden default 100 "$example/pid.data"
golden logd 150 --no-inline --comms logd --time ,41 "$example/perf.data"
golden records 150 -G --show-task-events --show-mmap-events --show-bpf-events "$example/perf.data"
golden fields 100 --no-inline --comms python3 -F comm,pid,tid,cpu,time,event,ip,sym,dso,symoff,period \
	"$example/perf.data"
golden srcline 60 -G --ns --reltime -F comm,time,ip,sym,srcline --comms busy-hash "$example/perf.data"
golden header 100 --header-only -I "$example/perf.data"
golden folded 1000 --folded --no-inline --comms logd,sleep,jbd2/vda-8 "$example/perf.data"
golden folded-lists 1000 --folded=tid,all,inline --weight samples --comms busy-hash "$example/perf.data"
exit 0
