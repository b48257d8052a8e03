# The text of perf2txt -F comm,tid,ip,sym,dso against the "calls:" lines of unwind_prog.cpp, which is read
# first. mode=dwarf: nearly every stack must reach its root. Each call must be in the program's source, but for
# a few below _Unwind_Resume and swapcontext: while these change over to another frame they overwrite what their
# rules point to.

FNR == NR {
	if (sub(/^\/\* calls: /, "")) {
		sub(/ \*\/.*/, "")
		for (i = split($0, word, " "); i > 1; i--)
			calls[word[1], word[i]] = 1
		known[word[1]] = 1
	}
	next
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

# Frame pointers lead from a leaf without a frame, and from code without frame pointers, to a later frame. In
# other libraries the frame pointer may be anything.
function is_wrong(frame) {
	if (!(names[frame] in known) || (names[frame], names[frame + 1]) in calls)
		return 0
	if (names[frame + 1] == "[unknown]")
		return 0
	return mode == "dwarf" || (frame > 1 && names[frame] !~ /^library_/)
}

function finish(i, changing) {
	# crti's functions have neither rules nor a frame; those of swapcontext are wrong for some instructions.
	if (names[1] ~ /^_(init|fini)$|swapcontext/ && !is_root(nr))
		nr = 0
	if (nr)
		stacks++
	if (nr && is_root(nr))
		rooted++
	else if (nr && mode == "dwarf")
		print "no root: " sample ": " names[1] " ... " names[nr] " (" dsos[nr] ")"
	for (i = 1; i < nr; i++) {
		seen[names[i]] = 1
		changing += names[i] ~ /^_Unwind_|swapcontext/ || (mode != "dwarf" && !(names[i] in known))
		if (changing)
			continue
		pairs++
		if (is_wrong(i)) {
			wrong++
			print "no such call: " names[i + 1] " -> " names[i] " in " sample
		}
	}
	nr = 0
}

/^[^ \t]/ {
	finish()
	sample = $0
	mine = /^unwind_prog/
	next
}

mine && NF && !/\(\[kernel/ && !/\(\[unknown\]\)$/ {
	nr++
	names[nr] = name_of($0)
	dsos[nr] = $NF
}

END {
	finish()
	# With so many stacks each function is in one, but for those that jump on or are below a change of
	# frames.
	for (name in known)
		if (stacks > 400 && mode == "dwarf" && !(name in seen) &&
		    name !~ /^(tail_start|main|by_coroutine)$/) {
			print "never seen: " name
			wrong++
		}
	print mode ": " stacks " stacks, " rooted + 0 " to the root, " pairs + 0 " calls, " wrong + 0 " wrong"
	if (stacks < 100)
		exit 3
	exit wrong || (mode == "dwarf" && rooted < 0.995 * stacks)
}
