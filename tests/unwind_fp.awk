# Recorded along frame pointers: nearly every stack reaches its root, unless it passes code that uses
# the register for something else. Those are counted apart, with the place: nobody can pass it. What such code is
# comes from the binaries' unwind rules (after what=rules, only for x86_64; without them only the program itself
# is sure to have frames), and who calls it from the stacks after what=dwarf.
#
# Code that leaves it alone is passed, but the chain lacks its caller, which may be such code.

what == "rules" {
	has_rules = 1
	n = ++nr_rules[$1]
	start[$1, n] = $2
	end[$1, n] = $3
	use[$1, n] = $4
	first[$1, n] = $5
	next
}

# The rule of a frame; 0: it has none. A return address is behind its call.
function rule_of(frame, dso, low, high, middle, exact) {
	dso = dsos[frame]
	low = 1
	high = nr_rules[dso] + 0
	exact = frame == 1 || names[frame - 1] == "__restore_rt"
	while (low <= high) {
		middle = int((low + high) / 2)
		if (offsets[frame] < start[dso, middle] || (!exact && offsets[frame] == start[dso, middle]))
			high = middle - 1
		else if (offsets[frame] > end[dso, middle] || (exact && offsets[frame] == end[dso, middle]))
			low = middle + 1
		else
			return middle
	}
	return 0
}

function use_without_rules(frame) {
	if (has_rules || !(names[frame] in known) || names[frame] ~ /^library_/)
		return "unknown"
	return frame == 1 ? "kept" : "frame"
}

function place(frame, rule) {
	rule = rule_of(frame)
	used[frame] = rule ? use[dsos[frame], rule] : use_without_rules(frame)
	functions[frame] = rule ? dsos[frame] " " first[dsos[frame], rule] : names[frame]
}

function learn_callers(i, pair) {
	place(1)
	for (i = 1; i < nr; i++) {
		place(i + 1)
		if (used[i + 1] == "kept")
			keeps[names[i + 1]] = 1
		pair = functions[i] SUBSEP functions[i + 1] SUBSEP used[i + 1]
		if (pair in learnt)
			continue
		learnt[pair] = 1
		caller[functions[i], ++nr_callers[functions[i]]] = functions[i + 1]
		caller_use[functions[i], nr_callers[functions[i]]] = used[i + 1]
	}
}

# May a caller that is lacking, of code that leaves rbp alone, use it for something else?
function may_hide(callee, depth, i) {
	if (!nr_callers[callee])
		return 1
	for (i = 1; i <= nr_callers[callee]; i++) {
		if (caller_use[callee, i] == "other" || caller_use[callee, i] == "unknown")
			return 1
		if (caller_use[callee, i] == "kept" && depth < 20 && may_hide(caller[callee, i], depth + 1))
			return 1
	}
	return 0
}

# From callee to caller by way of a function that the chain lacks, or of more if that one keeps the register too?
function is_call_by_others(callee, caller, depth, between, i) {
	if (!(callee in known) || caller == "[unknown]")
		return 1
	for (i = split(sources[callee], between, " "); i; i--)
		if (is_call(between[i], caller) || (between[i] in keeps && depth < 3 &&
						    is_call_by_others(between[i], caller, depth + 1)))
			return 1
	return 0
}

function set_apart(how, frame) {
	apart++
	where[how " " names[frame] " (" dsos[frame] ")"]++
}

# What libc starts main() with has nothing to do with frame pointers on most distributions.
function is_start(frame) {
	return is_root(frame) || (names[frame] == "__libc_start_call_main" && may_hide(functions[frame]))
}

function check_call(frame, lacking) {
	pairs++
	lacking = used[frame] != "frame"
	if (lacking && is_call_by_others(names[frame], names[frame + 1]))
		return
	if (!lacking && is_call(names[frame], names[frame + 1]))
		return
	complain("no such call", names[frame + 1] " -> " names[frame])
}

function check_fp_stack(i, hiding, changing) {
	stacks++
	for (i = 1; i <= nr; i++) {
		place(i)
		if (is_start(i)) {
			rooted++
			return
		}
		if (used[i] == "other" || used[i] == "unknown") {
			set_apart(used[i] == "other" ? "in" : "without rules in", i)
			return
		}
		if (!hiding && used[i] == "kept" && may_hide(functions[i]))
			hiding = i
		changing = changing || changes_frames(i)
		if (i < nr && !hiding && !changing)
			check_call(i)
	}
	if (hiding)
		set_apart("behind", hiding)
	else
		print "no root: " sample ": " describe()
}

function check_stack() {
	if (stack_of == "dwarf")
		learn_callers()
	else
		check_fp_stack()
}

function conclude(name) {
	for (name in where)
		print "fp: " where[name] " end " name
	print "fp: " stacks " stacks, " apart + 0 " pass other uses of the frame pointer, " rooted + 0 \
	      " of " stacks - apart " others to the root, " pairs + 0 " calls, " wrong + 0 " wrong"
	if (stacks < 100)
		exit 3
	exit wrong || rooted < 0.995 * (stacks - apart)
}
