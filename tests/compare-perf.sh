#!/bin/bash
# Records on this machine what it can record, with the perf that is installed, and compares perf script's text with
# ours: identical but for the widths of columns, which differ by version. (PERF: another perf than the one in PATH.)
. "$(dirname "$0")/lib.bash"
perf=${PERF:-perf}
command -v "$perf" >/dev/null && "$perf" --version >/dev/null 2>&1 || skip "no perf here"
for tool in gcc g++; do
	command -v $tool >/dev/null || skip "no $tool: the recorded programs are built here"
done

# Nothing of this run goes into the user's own cache, nothing there changes what is printed.
export HOME=$tmp/home
mkdir "$HOME" "$tmp/app"
cd "$tmp/app" || exit 1
programs=$example/programs
flags="-g -O2 -fno-omit-frame-pointer -Wl,--build-id"
# shellcheck disable=SC2086  # words
g++ $flags -std=c++17 -fPIC -shared -Wl,-soname,libwork.so.1 -o libwork.so.1 "$programs/work.cpp" &&
	g++ $flags -std=c++17 -fPIC -shared -o libplugin.so "$programs/plugin.cpp" &&
	g++ $flags -std=c++17 -pthread -o busy "$programs/busy.cpp" ./libwork.so.1 -Wl,-rpath,"$PWD" &&
	gcc $flags -o short "$programs/short.c" -ldl && gcc $flags -pthread -o spawner "$programs/spawner.c" ||
	skip "the programs of example/programs cannot be built here"

# perf 6.1 aborts now and then when it looks for the build-id of a library that came and went.
perf_record() {
	"$perf" record "$@" || "$perf" record "$@" || "$perf" record "$@"
}

perf_record -q -e cpu-clock -g -o "$tmp/try.data" ./short 50 >/dev/null 2>&1 || skip "perf cannot record here"
echo "perf: $("$perf" --version)"

# Where kernel symbols are hidden from this user, perf and we have no names: what is left is the program's part.
kernel_names=1
[[ $(head -1 /proc/kallsyms 2>/dev/null) == 0000000000000000* ]] && kernel_names=0

# Older perf prints user addresses of call chains relative to the file's map: then they are not compared.
relative=0
mains=$("$perf" script -F ip,sym,dso -i "$tmp/try.data" 2>/dev/null | grep ' main ') || skip "too few samples"
[[ $mains =~ ^[[:space:]]+[0-9a-f]{1,5}\ main\  ]] && relative=1

# comparable PERFS-TEXT: of the text on standard input, what can be compared. A thread that has ended keeps its name
# and maps while it still runs, perf prints its number (DIFFERENCES): none of these. And in a recording of the whole
# machine only our own programs: perf looks also into the root folders of processes that run now.
own=
comparable() {
	awk -v own="$own" '
	function when(line) {
		return match(line, /[0-9]+(\/[0-9]+)? +(\[[0-9]+\] +)?[0-9]+\.[0-9]+:/) ? substr(line, RSTART, RLENGTH) : line
	}
	FNR == NR { if ($0 ~ /^ *:[0-9]+ /) ended[when($0)]; next }
	/^[^\t]/ { dropped = (when($0) in ended) || (own != "" && $0 !~ "^ *(" own ") ") }
	!dropped { print }' "$1" -
}

# normal: squeeze the columns; and what cannot be equal.
normal() {
	awk -v relative=$relative -v names=$kernel_names '
	{ frame = /^\t/
	  gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
	frame && !names && /\[kernel\.kallsyms\]|\.ko/ { $0 = "kernel" }
	frame && relative && !/\(\[kernel\.kallsyms\]\)$/ { sub(/^[0-9a-f]+ /, "") }
	{ print }'
}

# unexplained: lines of ./want that are not those of ./got, but for these (DIFFERENCES):
# - a return address that begins a function belongs to the one before it, perf names the next one;
# - the call of execve() that a new program came from is unknown once that is mapped, perf keeps the old maps below;
# - the vdso is looked for in perf's cache, perf takes this machine's; older perf has none while its cache is empty;
# - older perf names PLT entries by what stands before them.
unexplained() {
	awk -v old=$relative 'FNR == NR { want[FNR] = $0; lines = FNR; next }
		$0 == "" { exec = 0 }
		$0 == want[FNR] || (old && /@plt|\.plt/) { next }
		/\[unknown\]( \(\[vdso\]\))?$/ && want[FNR] ~ /__vdso_|\(\[vdso\]\)$/ { next }
		want[FNR] ~ /\[unknown\] \(\[vdso\]\)$/ && /\(\[vdso\]\)$/ { next }
		want[FNR] ~ /execve/ { exec = 1 }
		exec && /\[unknown\]/ { next }
		{ file = want[FNR] }
		sub(/.*\+0x0 \(/, "", file) && index($0, "(" file) { next }
		{ bad = 1; print "line " FNR ": perf: " want[FNR]; print "line " FNR ": ours: " $0 }
		END { if (FNR != lines) print lines " lines of perf, " FNR " of ours"
			exit !bad && FNR == lines }' "$tmp/want" "$tmp/got" | head -20
}

cases=0 skipped=()

# record NAME ARG...: sets $data; false when this machine, perf or user cannot do that.
record() {
	local name=$1
	shift
	data=$tmp/$name.data
	perf_record -q -N -o "$data" "$@" >"$tmp/record.log" 2>&1 && [[ -e $data ]] && return
	skipped+=("$name")
	echo "not recorded: $name: $(grep -v '^ *$' "$tmp/record.log" | head -1)"
	return 1
}

# compare NAME ARG...: perf script ARG... and perf2txt ARG... of $data.
compare() {
	local name=$1
	shift
	: >"$tmp/differ"
	"$perf" script -i "$data" "$@" 2>"$tmp/perf.err" </dev/null >"$tmp/perf.text"
	comparable "$tmp/perf.text" <"$tmp/perf.text" | normal >"$tmp/want"
	"$perf2txt" -q -i "$data" "$@" 2>"$tmp/err" </dev/null >"$tmp/text" || fail "$name: perf2txt $*: $(head -3 "$tmp/err")"
	comparable "$tmp/perf.text" <"$tmp/text" | normal >"$tmp/got"
	if [[ ! -s $tmp/want && ! -s $tmp/got ]]; then
		skipped+=("$name")
		echo "nothing happened: $name: $(head -1 "$tmp/perf.err")"
		return
	fi
	cmp -s "$tmp/want" "$tmp/got" || unexplained >"$tmp/differ"
	[[ ! -s $tmp/differ ]] || fail "$name: perf script $* and perf2txt differ: $(cat "$tmp/differ")"
	cases=$((cases + 1))
	echo "same: $name: $* ($(wc -l <"$tmp/want") lines)"
}

spawn=(./spawner 1 "$PWD")
wide=comm,pid,tid,time,event,ip,sym,dso,symoff,period

# Older perf demangles without arguments, and finds no inlined calls in chains of frame pointers.
plain=(--no-inline --no-demangle) kernel=(--kallsyms /proc/kallsyms)
if record flat -e cpu-clock -F 999 "${spawn[@]}"; then
	compare flat "${plain[@]}"
	compare flat -F $wide
	compare flat --show-task-events --show-mmap-events
	compare flat --ns -F comm,tid,time
	compare flat --comms short -F comm,tid,time,ip,sym
	compare flat --deltatime -F comm,tid,time
fi
if record chains -e cpu-clock -F 999 -g "${spawn[@]}"; then
	compare chains "${plain[@]}"
	compare chains "${plain[@]}" -F $wide
	compare chains -G
	compare chains "${plain[@]}" --max-stack 2
fi
record threads-of-busy -e cpu-clock -F 499 -g ./busy 1 && compare threads-of-busy "${plain[@]}"
if [[ $relative == 0 && -e $tmp/threads-of-busy.data ]]; then
	data=$tmp/threads-of-busy.data
	compare threads-of-busy --no-inline
fi
everything='spawner|short|forked-child|spawn-thread|busy(-[a-z]+)?'
own=$everything
record all-cpus -a -e cpu-clock -F 199 -g "${spawn[@]}" && compare all-cpus "${plain[@]}"
own=
record sample-cpu --sample-cpu -e cpu-clock -F 499 "${spawn[@]}" && compare sample-cpu -F $wide,cpu
record period -e cpu-clock -c 2000000 -g ./short 100 && compare period "${plain[@]}"
record user -e cpu-clock:u -F 999 -g ./short 100 && compare user "${plain[@]}"
record addresses -d -e page-faults -c 1 "${spawn[@]}" && compare addresses
record events -e cpu-clock,page-faults,context-switches -g "${spawn[@]}" && compare events "${plain[@]}"
record group -e '{cpu-clock,page-faults}:S' -F 499 ./short 100 && compare group
record clock -k CLOCK_MONOTONIC -e cpu-clock -F 499 ./short 50 && compare clock --ns
record switches --switch-events -e cpu-clock -F 199 "${spawn[@]}" && compare switches --show-switch-events
record namespaces --namespaces -e cpu-clock -F 199 "${spawn[@]}" && compare namespaces --show-namespace-events
record cgroups --all-cgroups -e cpu-clock -F 199 "${spawn[@]}" && compare cgroups --show-cgroup-events
record build-ids --buildid-mmap -e cpu-clock -F 499 -g "${spawn[@]}" &&
	compare build-ids "${plain[@]}" --show-mmap-events
# These and streams are recorded without the kernel's build-id: that this kernel is meant has to be said.
record compressed -z -e cpu-clock -F 999 -g ./busy 1 && compare compressed "${plain[@]}" "${kernel[@]}"
own=$everything
record directory --threads -a -e cpu-clock -F 199 -g "${spawn[@]}" && compare directory "${plain[@]}" "${kernel[@]}"
own=
record registers --user-regs=ip,sp,bp -e cpu-clock:u -F 499 ./short 50 && compare registers -F comm,tid,time,ip,uregs
record interrupted --intr-regs=ip,sp -e cpu-clock -F 499 ./short 50 && compare interrupted -F comm,tid,time,ip,iregs

# Processes that ran before.
./busy 60 2>/dev/null &
before=$!
sleep 0.5
own=$everything
record by-pid -e cpu-clock -F 499 -g -p $before sleep 0.5 && compare by-pid "${plain[@]}"
record before -a -e cpu-clock -F 199 -g sleep 0.5 && compare before "${plain[@]}"
own=
kill $before
wait $before 2>/dev/null

# A pipe.
data=$tmp/pipe.data
if "$perf" record -q -o - -e cpu-clock -F 499 -g "${spawn[@]}" 2>/dev/null >"$data" && [[ -s $data ]]; then
	compare pipe "${plain[@]}" "${kernel[@]}"
	normal <"$tmp/text" >"$tmp/want"
	"$perf2txt" -q "${plain[@]}" "${kernel[@]}" -i - <"$data" | normal >"$tmp/got"
	same "$tmp/want" "$tmp/got" "a pipe's stream given as standard input"
	# shellcheck disable=SC2002  # a pipe is wanted
	cat "$data" | "$perf2txt" -q "${plain[@]}" "${kernel[@]}" | normal >"$tmp/got"
	same "$tmp/want" "$tmp/got" "a pipe's stream through a pipe"
else
	skipped+=(pipe)
fi

# Tracepoints, of what the kernel says and of our own making.
for event in mmap:vm_unmapped_area sched:sched_switch sched:sched_process_exec raw_syscalls:sys_enter \
	syscalls:sys_enter_openat kmem:kmalloc timer:hrtimer_start signal:signal_generate irq:softirq_entry; do
	record "${event#*:}" -a -e $event -c 1 "${spawn[@]}" && compare "${event#*:}"
done
own=$everything
record tracepoints -a -g -e sched:sched_switch,sched:sched_wakeup -c 1 "${spawn[@]}" &&
	compare tracepoints "${plain[@]}"
own=
if "$perf" probe -q -x ./short --add "perf2txt_$$=leaf" >/dev/null 2>&1; then
	record uprobe -e probe_short:perf2txt_$$ -c 1000 -g ./short 20
	recorded=$?
	"$perf" probe -q --del "probe_short:perf2txt_$$" >/dev/null 2>&1
	[[ $recorded == 0 ]] && compare uprobe "${plain[@]}"
else
	skipped+=(uprobe)
fi

# DWARF: versions differ in where they give up. Each frame that perf finds we find too, in its order.
if record dwarf -e cpu-clock -F 199 --call-graph dwarf,16384 "${spawn[@]}"; then
	"$perf" script "${plain[@]}" -i "$data" -F comm,tid,time,ip,sym 2>/dev/null | normal >"$tmp/want"
	"$perf2txt" -q "${plain[@]}" -i "$data" -F comm,tid,time,ip,sym | normal >"$tmp/got"
	awk 'function name(s) { sub(/^[0-9a-f]+ /, "", s); return s }
		FNR == NR { if (/: *$/) sample = $0; else if (NF) ours[sample] = ours[sample] "\n" name($0) "\n"; next }
		/: *$/ { sample = $0; left = ours[sample]; next }
		!NF || /\[unknown\]$/ { next }
		{ at = index(left, "\n" name($0) "\n")
		  if (!at) { print sample; print "  lacks " $0; bad = 1; exit }
		  left = substr(left, at + length(name($0)) + 1) }
		END { exit bad }' "$tmp/got" "$tmp/want" || fail "dwarf: a frame of perf's is missing"
	cases=$((cases + 1))
	echo "same: dwarf: each of perf's frames"
fi

echo "$cases comparisons; not recorded here: ${skipped[*]:-nothing}"
((cases > 0)) || skip "nothing could be recorded"
exit 0
