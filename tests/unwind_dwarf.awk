# Recorded with the stack: nearly every stack reaches its root, and each call is in the source. Split stacks end
# where they go on in another piece of memory, unless that is in the copy too.
# absent: a pattern of functions that the program lacks here.

function check_stack(i, changing) {
	# The rules of swapcontext are wrong for some instructions, setcontext's point into the context.
	if (names[1] ~ /(set|swap)context/ && !is_root(nr))
		return
	stacks++
	if (is_root(nr))
		rooted++
	else if (names[nr] == "__morestack")
		split_up++
	else
		print "no root: " sample ": " describe()
	for (i = 1; i < nr; i++) {
		seen[names[i]] = 1
		changing = changing || changes_frames(i)
		if (changing)
			continue
		pairs++
		if (!is_call(names[i], names[i + 1]))
			complain("no such call", names[i + 1] " -> " names[i])
	}
}

function conclude(name) {
	# Each function is in about twenty stacks of 1200, but for those that jump on or are below a change of
	# frames: that none of 800 has it does not happen.
	for (name in known)
		if (stacks > 800 && !(name in seen) && name !~ absent &&
		    name !~ /^(tail_start|main|by_fiber|by_nested_fiber)$/) {
			print "never seen: " name
			wrong++
		}
	print "dwarf: " stacks " stacks, " rooted + 0 " to the root, " split_up + 0 \
	      " split up, " pairs + 0 " calls, " wrong + 0 " wrong"
	if (stacks < 100)
		exit 3
	exit wrong || rooted < 0.995 * (stacks - split_up)
}
