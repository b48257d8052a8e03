#!/bin/bash
# Damaged recordings: cut anywhere, or with wrong bytes anywhere. Never a crash, never a hang, and what stood
# before the damage is printed as it is without it.
. "$(dirname "$0")/lib.bash"
data=$example/pid.data
size=$(wc -c <"$data")
edges=100 damages=40
sanitized && edges=30 damages=20
cd "$tmp" || exit 1

# The records, "OFFSET SIZE TYPE SAMPLES-BEFORE" (little-endian; the header says where they are).
od -An -v -tu1 -w8 "$data" | awk '
	function word() { return $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }
	NR == 6 { at = word() }
	NR == 7 { end = at + word() }
	NR > 7 && (NR - 1) * 8 == at && at < end {
		length_ = $7 + 256 * $8
		print at, length_, $1, samples + 0
		samples += $1 == 9
		at += length_
	}
	END { print at, 0, 0, samples + 0 }' >records
[[ $(wc -l <records) -gt 700 ]] || fail "only $(wc -l <records) records were found"

# run FILE: its lines, sorted, are in ./lines. Names and files are no part of this.
run() {
	timeout 60 "$perf2txt" -G -F tid,time,period,ip "$1" >out 2>err
	status=$?
	[[ $status == 0 || $status == 1 ]] || fail "$what: status $status: $(tail -3 err)"
	grep -q 'runtime error\|AddressSanitizer' err && fail "$what: $(head -5 err)"
	[[ $status == 0 || $(head -1 err) == perf2txt:\ * ]] || fail "$what: fails without a word"
	sort out >lines
}

# keeps N: the first N samples of the file are there.
keeps() {
	head -"$1" in-file-order | sort >want
	comm -23 want lines >lost
	[[ -s lost ]] && fail "$what: $(wc -l <lost) of $1 samples before the damage are lost: $(head -1 lost)"
	return 0
}

# Each sample alone has a time of its own and no rounds: the order in the file is that of the times in each round.
what="the whole file"
run "$data"
[[ $status == 0 && ! -s lost && $(wc -l <lines) == "$(tail -1 records | cut -d' ' -f4)" ]] || fail "$what: $(head -3 err)"
uniq -d lines | grep -q . && fail "the recording has two samples alike"
"$perf2txt" -q --show-round-events -G -F tid,time,period,ip "$data" | grep -v PERF_RECORD >in-file-order
sort in-file-order >want
same want lines "the file's order has other lines"

# cut OFFSET SAMPLES: exactly the samples before the cut are printed.
cut_at() {
	what="cut at $1"
	head -c "$1" "$data" >"cut"
	run cut
	[[ $(wc -l <lines) == "$2" ]] || fail "$what: $(wc -l <lines) lines of $2 samples"
	keeps "$2"
	[[ $1 -ge $end || -s err ]] || fail "$what: nobody is told"
}

end=$(tail -1 records | cut -d' ' -f1)
n=0
while read -r at length _ samples; do
	n=$((n + 1))
	# The first ones, each 64th and the last: edges and middles.
	[[ $n -le $edges || $((n % 64)) == 0 || $length == 0 || $at -gt $((end - 600)) ]] || continue
	cut_at "$at" "$samples"
	[[ $length == 0 ]] || cut_at $((at + 1 + n % (length - 1))) "$samples"
done <records

# In the features behind the data: all samples are there.
for at in $((end + 1)) $((end + 100)) $((size - 1)); do
	cut_at "$at" "$(wc -l <in-file-order)"
done

# In the header: an error or no sample at all.
for at in 0 1 7 8 16 40 103 104 110 200 311; do
	what="cut at $at"
	head -c $at "$data" >"cut"
	run cut
	[[ ! -s lines ]] || fail "$what: samples from nowhere"
done

# damage OFFSET BYTES: other bytes there.
damage() {
	cp "$data" damaged
	# shellcheck disable=SC2059  # the bytes are a format
	printf "$2" | dd of=damaged bs=1 seek="$1" conv=notrunc status=none
	what="bytes $2 at $1"
	run damaged
}

# In a record: its header (type, misc, size) and its body. What is behind it may suffer, what is before may not.
patterns=('\0\0\0\0' '\377\377\377\377' '\0\200' '\377\177' '\001' '\011\0\0\0' '\0\0\0\200\377\377\377\377')
n=0
while read -r at length _ samples; do
	n=$((n + 1))
	[[ $length != 0 && ($n -le $damages || $((n % 24)) == 0) ]] || continue
	for where in $((n % 8)) 6 $((8 + n * 7 % (length > 8 ? length - 8 : 1))); do
		damage $((at + where)) "${patterns[$((n % 7))]}"
		[[ $status == 0 ]] || fail "$what: status $status: $(head -1 err)"
		keeps "$samples"
	done
done <records

# In the header, the attrs and the features: no promise but to come back.
for ((at = 0; at < 312; at += 5)); do
	damage $at "${patterns[$((at % 7))]}"
done
for ((at = end; at < size - 8; at += 53)); do
	damage "$at" "${patterns[$((at % 7))]}"
done

# Twice the same recording in one file is one recording and something behind it.
cat "$data" "$data" >twice
what="twice"
run twice
keeps "$(wc -l <in-file-order)"
exit 0
