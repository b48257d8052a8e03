#!/bin/bash
# What goes wrong: the exit status, one sentence that names the thing, and nothing else.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
data=pid.data # words are made of it, whatever the name of the source folder is
ln -s "$example/pid.data" .
ln -s "$example/perf.data" all.data

# fails STATUS PATTERN ARG...: exit status, and the whole of stderr is one line (two with the hint at --help).
fails() {
	local want=$1 pattern=$2 status lines=1
	shift 2
	"$perf2txt" "$@" >out 2>err
	status=$?
	[[ $status == "$want" ]] || fail "perf2txt $*: status $status, not $want: $(head -3 err)"
	[[ -s out ]] && fail "perf2txt $*: prints something: $(head -3 out)"
	[[ $(head -1 err) =~ ^perf2txt:\ $pattern ]] || fail "perf2txt $*: says: $(head -3 err)"
	[[ $(tail -1 err) == "Try 'perf2txt --help'." ]] && lines=2
	[[ $(wc -l <err) == "$lines" ]] || fail "perf2txt $*: says too much: $(cat err)"
}

# fine ARG...: status 0 and no word on stderr (its standard input is ours).
fine() {
	"$perf2txt" "$@" >out 2>err || fail "perf2txt $*: status $?: $(head -3 err)"
	[[ -s err ]] && fail "perf2txt $*: says: $(head -3 err)"
	return 0
}

# Recordings that are none.
mkdir folder
: >empty
echo "This is a text, longer than any magic number is." >text
head -c 12 "$data" >magic
head -c 60 "$data" >header
{ printf 'PERFILE2' && head -c 200 /dev/zero; } >zeros
fails 1 "/nonexistent: cannot open: No such file" /nonexistent
fails 1 "perf\.data: cannot open: No such file"
fails 1 "folder: a directory without a file \"data\"" folder
fails 1 "empty: empty" empty
fails 1 "text: not a perf\.data file but a text: perf2txt takes the recording itself" text
fails 1 "magic: .*cut off in its header: it has only 12 bytes" magic
fails 1 "header: .*cut off in its header: it has only 60 bytes" header
fails 1 "zeros: " zeros
fails 1 "\(standard input\): empty" -i - </dev/null
fails 1 "\(standard input\): cannot " -i - <&-
fails 1 "\(standard input\): not a perf\.data file" -i - <text

# Without -i, standard input is looked at only when it is a pipe.
fails 1 "perf\.data: cannot open" <"$data"

# Wrong usage.
fails 2 "'--nosuch': no such option" --nosuch "$data"
fails 2 "'-Z': no such option" -Z "$data"
fails 2 "'-i' needs a value" -i
fails 2 "'--max-stack' needs a value" --max-stack
fails 2 "--max-stack: 'many' is not a number" --max-stack many "$data"
fails 2 "--max-stack: '-3' is not a number" --max-stack=-3 "$data"
fails 2 "'two': only one recording" one two
fails 2 "'two': the recording is given already \(one\)" -i one two
fails 2 "--arch: 'pdp11' is not known" --arch pdp11 "$data"
fails 2 "--cpu: 'x' is not a list" --cpu x "$data"
fails 2 "--pid: 'x' is not a list" --pid x "$data"
fails 2 "--tid: '1,x' is not a list" --tid 1,x "$data"
fails 2 "Invalid time string" --time x "$data"
fails 2 "--folded: 'x' is none of pid, tid" --folded=pid,x "$data"
fails 2 "--weight: 'x' is neither" --folded --weight x "$data"
fails 2 "--per-event-dump is for the text" --folded --per-event-dump "$data"
fails 2 "--event-filter goes with --folded only" --event-filter cycles "$data"
fails 2 "--weight goes with --folded only" --weight samples "$data"
fails 2 "--incomplete goes with --folded only" --incomplete drop "$data"

# What perf script has and we do not is refused with the reason, long and short.
for option in -l '-s x' '-g x' --xed --list-dlfilters '--dlfilter x' --itrace --insn-trace --itrace=i10us -d; do
	# shellcheck disable=SC2086  # a word or two
	fails 2 "--[a-z-]* does not apply here: [a-z]" $option "$data"
done

# -F: perf script's own words and status; a field that the samples lack is 1, as there.
fails 129 "Invalid field requested\. \('nosuch'\)" -F comm,nosuch "$data"
fails 129 "" -F comm,+ip "$data"
fails 129 "Invalid field requested\. \('nosuch'\)" --header -F nosuch "$data"
fails 1 "Samples for 'cycles' event do not have ADDR attribute set\. Cannot print 'addr' field\." -F comm,addr "$data"
fails 1 "Samples for 'cycles' event do not have ADDR" --header -F comm,addr "$data"

# What the user names has to be there.
fails 1 "/nonexistent: cannot open" --kallsyms /nonexistent "$data"
fails 1 "/nonexistent: cannot open" --vmlinux /nonexistent "$data"
fails 1 "folder: a directory, not a file" --kallsyms folder "$data"
fails 1 "text: not a directory" --guestmount text "$data"
fails 1 "/nonexistent/out: cannot create" -o /nonexistent/out "$data"

# A folder that is not there ends no run, but is told apart from one that lacks the files.
for option in sysroot symfs debug-dir extra-dir buildid-dir perf-map-dir; do
	for dir in /nonexistent "$data"; do
		"$perf2txt" "--$option" "$dir" "$data" 2>err >out || fail "--$option $dir: status $?"
		grep -q "^perf2txt: 1 folders of options that cannot be searched (--${option/symfs/sysroot} $dir: No" err ||
			fail "--$option $dir: $(head -3 err)"
	done
	"$perf2txt" "--$option" folder "$data" 2>&1 >out | grep 'cannot be searched' && fail "--$option folder"
done
"$perf2txt" --symfs /nonexistent,flat "$data" 2>&1 >out | grep -q '^perf2txt: 1 folders' || fail "--symfs /nonexistent,flat"

# What perf archive packed is of use only when it is unpacked.
mkdir archived
cp "$data" archived/perf.data
touch archived/perf.data.tar.bz2
"$perf2txt" archived/perf.data 2>&1 >out | grep -q '^perf2txt: 1 files of perf archive .*(archived/perf.data.tar.bz2)$' ||
	fail "a packed archive is not told"
mkdir archived/.build-id
"$perf2txt" archived/perf.data 2>&1 >out | grep 'perf archive' && fail "an unpacked archive is told to be packed"

# The kallsyms of another kernel, as /proc/kallsyms of an x86 machine for a recording of a board.
sed 's/ D _etext$/ T _etext/' "$example/kallsyms" >other
"$perf2txt" --kallsyms other "$data" 2>&1 >out | grep -q '^perf2txt: 1 kallsyms of another kernel, .* (other: ' ||
	fail "the kallsyms of another kernel is not told"
"$perf2txt" --kallsyms "$example/kallsyms" "$data" 2>&1 >out | grep 'another kernel' && fail "the right kallsyms is refused"

# A run that cannot begin leaves the file that it would have written alone.
echo old >kept
fails 129 "" -F nosuch -o kept "$data"
fails 1 "" -F comm,addr -o kept "$data"
fails 1 "" -o kept /nonexistent
fails 2 "" --folded=x -o kept "$data"
[[ $(cat kept) == old ]] || fail "-o: an old file is gone after a run that failed"

# Nor is a recording lost because it is to be written over, under whatever name.
cp "$data" mine
ln -s mine link
ln mine hard
for name in mine ./mine link hard; do
	fails 1 "-o: $name is the recording itself" -o "$name" mine
done
fails 1 "-o: mine is the recording itself" -o mine -i - <mine
cmp -s mine "$data" || fail "-o: the recording was written over"

# A full disk is said once, whatever was to be written.
if [[ -c /dev/full ]]; then
	for args in "$data" "-G $data" "--folded $data" "--header-only $data" --help --version; do
		# shellcheck disable=SC2086  # words
		"$perf2txt" -q $args >/dev/full 2>err
		status=$?
		[[ $status == 1 ]] || fail "$args >/dev/full: status $status"
		[[ $(cat err) == "perf2txt: standard output: cannot write: No space left on device" ]] ||
			fail "$args >/dev/full: $(cat err)"
	done
	fails 1 "/dev/full: cannot write: No space left" -q -o /dev/full "$data"
fi

# Who reads may have enough: no word, no failure, and no work for nothing.
for args in "$data" "-G $data" "--folded $data" --help; do
	# shellcheck disable=SC2086  # words
	"$perf2txt" -q $args 2>err | head -1 >line
	[[ ${PIPESTATUS[0]} == 0 && ! -s err && $(wc -l <line) == 1 ]] || fail "$args | head -1: $(cat err)"
done

# Standard input: a file can be given there, but a pipe needs a recording made for pipes.
"$perf2txt" -q "$data" >want
fine -q -i - <"$data"
same want out "-i - <FILE is not the same as FILE"
fine -q - <"$data"
same want out "- <FILE is not the same as FILE"
for args in '-i -' - ''; do
	# shellcheck disable=SC2002,SC2086  # a pipe is wanted; words
	cat "$data" | "$perf2txt" $args >out 2>err && fail "a file of the other kind through a pipe: status 0"
	[[ ! -s out && $(wc -l <err) == 1 && $(cat err) == *'give the file itself, or record with "perf record -o -"' ]] ||
		fail "cat FILE | perf2txt $args: $(cat err)"
done

# A library that was there when perf2txt was built, and now is not.
touch libcapstone.so.4 libcapstone.so.5
if ! "$perf2txt" -F disasm "$data" 2>&1 | grep -q 'to be built with'; then
	LD_LIBRARY_PATH=$PWD fails 2 "-F disasm: no libcapstone" -F ip,disasm "$data"
	LD_LIBRARY_PATH=$PWD fine -q -F ip,insn "$data"
fi

# -o, and -q.
fine -q -o written "$data"
same want written "-o writes something else"
[[ -s out ]] && fail "-o: prints something on standard output too"
"$perf2txt" "$data" 2>err >out
same want out "-q changes the text"
grep -q '^perf2txt: no symbols for /opt/app/busy: not found' err || fail "the summary does not name what is missing"
fine -q --stats "$data"

# --stats=json: nothing else is on standard error.
fails 2 "--stats: 'x' is not json" --stats=x "$data"
for args in "$data" all.data "--folded $data"; do
	# shellcheck disable=SC2086  # words
	"$perf2txt" --stats=json $args 2>err >/dev/null
	[[ $(head -c 12 err) == '{"counters":' ]] || fail "--stats=json $args: $(head -3 err)"
	! command -v python3 >/dev/null || python3 -m json.tool err >out || fail "--stats=json $args: no JSON"
done

# An old file that cannot be read is no recording either.
if [[ $(id -u) != 0 ]]; then
	install -m 0 "$data" secret
	fails 1 "secret: cannot open: Permission denied" secret
fi
exit 0
