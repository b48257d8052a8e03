# Stacks of unwind_prog, beside what its source says. unwind_dwarf.awk or unwind_fp.awk goes with it and says in
# check_stack() and conclude() what has to be right. Files: after what=source unwind_prog.cpp, after any other
# `what` the text of perf2txt -F comm,tid,ip,sym,dso,dsoff.

FNR == 1 {
	finish()
}

what == "source" {
	if (sub(/^\/\* calls: /, "")) {
		sub(/ \*\/.*/, "")
		for (i = split($0, word, " "); i > 1; i--) {
			calls[word[1], word[i]] = 1
			sources[word[1]] = sources[word[1]] " " word[i]
		}
		known[word[1]] = 1
	}
	next
}

function padded(digits) {
	return substr("0000000000000000" digits, length(digits) + 1)
}

function name_of(line, name) {
	name = line
	sub(/^[ \t]*[0-9a-f]+ /, "", name)
	sub(/ \([^ ]*\)$/, "", name)
	sub(/\(.*/, "", name)
	sub(/(\.cold|\.part).*/, "", name)
	sub(/@.*/, "", name)
	sub(/::~.*/, "", name)
	return name
}

function is_root(frame) {
	if (names[frame] ~ /^(_start|clone3|__clone3|clone|start_thread|__start_context|_dl_start_user)$/)
		return 1
	return dsos[frame] ~ /\/ld-linux/ || (names[frame] == "[unknown]" && dsos[frame] ~ /\/libc\.so/)
}

function is_call(callee, caller) {
	return !(callee in known) || (callee, caller) in calls || caller == "[unknown]"
}

# Below code that changes over to another frame calls are not checked: it overwrites what its rules point to.
function changes_frames(frame) {
	return names[frame] ~ /^_Unwind_|swapcontext/ || dsos[frame] ~ /\/libgcc_s/
}

function complain(why, about) {
	print why ": " about " in " sample
	wrong++
}

function describe(i, text) {
	text = names[1]
	for (i = 2; i <= nr; i++)
		text = text " < " names[i]
	return text
}

function finish() {
	# crti's functions have neither rules nor a frame.
	if (nr && names[1] !~ /^_(init|fini)$/)
		check_stack()
	nr = 0
	outside = 0
}

/^[^ \t]/ {
	finish()
	sample = $0
	stack_of = what
	mine = /^unwind_prog/
	next
}

mine && /\(\[unknown\]\)$/ {
	outside = 1
}

mine && NF && !outside && !/\(\[kernel/ {
	nr++
	names[nr] = name_of($0)
	dsos[nr] = $NF
	sub(/^\(/, "", dsos[nr])
	offsets[nr] = dsos[nr]
	sub(/.*\+0x/, "", offsets[nr])
	sub(/\)$/, "", offsets[nr])
	offsets[nr] = padded(offsets[nr])
	sub(/\+0x[0-9a-f]*\)$/, "", dsos[nr])
}

END {
	finish()
	conclude()
}
