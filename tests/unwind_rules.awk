# readelf's table of unwind rules of the x86_64 binary `dso` -> a line "DSO START END USE FUNCTION" for each row:
# what its code uses rbp for there. "frame": it points to the frame. "kept": it is the caller's. "other": for
# anything, the caller's is saved.

function flush(i, end, use) {
	for (i = 1; i <= nr; i++) {
		end = i < nr ? from[i + 1] : last
		use = uses[i] == "other" && has_frame ? "kept" : uses[i]
		if (from[i] < end)
			print dso, from[i], end, use, first
	}
	nr = has_frame = 0
}

/ CIE / {
	flush()
	inside = 0
}

/ FDE .* pc=/ {
	flush()
	split(substr($NF, 4), range, /\.\./)
	first = range[1]
	last = range[2]
	inside = nr = 1
	from[1] = first
	uses[1] = "kept"
}

$1 == "LOC" {
	for (column = NF; column && $column != "rbp"; column--)
		;
	nr = 0
}

inside && $1 ~ /^[0-9a-f]+$/ && length($1) == 16 && NF > 2 && $4 != "FDE" {
	from[++nr] = $1
	uses[nr] = $2 ~ /^rbp/ ? "frame" : column && $column ~ /^c/ ? "other" : "kept"
	has_frame = has_frame || uses[nr] == "frame"
}

END {
	flush()
}
