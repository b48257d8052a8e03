/*
 * user_stack - unwind the user stack of a sample: unwind, with the binaries of an address space.
 *
 * Gives symbolize/unwind what it asks for: the rules of each binary (made on first use, kept in the dso) and
 * bytes of mapped files. Frames are appended to a callchain as perf prints them: a return address as the
 * address before it, because that is in the call (as in perf 7.2). Counts how the walks ended. Knows no
 * records: registers and stack come as values.
 */
#ifndef PERF2TXT_USER_STACK_H
#define PERF2TXT_USER_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/callchain.h"
#include "symbolize/symbolizer.h"
#include "symbolize/unwind.h"

struct arch;
struct user_stack;

/** @symbolizer must outlive it. */
struct user_stack *user_stack_new(struct symbolizer *symbolizer, bool big_endian);
void user_stack_free(struct user_stack *u); /* NULL is fine */

/* The registers and the stack copy of one sample. */
struct user_state {
	const struct arch *arch; /* of the program: of its 32-bit companion when it is one */
	const struct maps *maps;
	uint64_t regs_mask;
	const uint64_t *regs;
	const uint8_t *stack;
	size_t stack_size;  /* that was copied */
	size_t stack_asked; /* that would have been copied if there were as much */
};

/**
 * Append at most @max_frames frames, the interrupted address first: none when it is not among the registers,
 * as those of an unknown processor. False: the root was not reached.
 */
bool user_stack_unwind(struct user_stack *u, const struct user_state *state, size_t max_frames,
		       struct callchain *chain);

/**
 * A chain along frame pointers skips the caller of a leaf function that made no frame (yet): it is in the
 * link register. Put it into @chain where it belongs, as perf prints it on the recorded machine: the address
 * before it. But only when the registers say for sure that it is one: perf also takes what a call left there.
 */
void user_stack_add_leaf_caller(struct user_stack *u, const struct user_state *state,
				struct callchain *chain);

/* How the walks ended, by enum unwind_end. */
struct user_stack_stats {
	uint64_t ends[UNWIND_LIMIT + 1];
	uint64_t no_registers; /* did not begin: the registers do not say where the program was */
	const struct dso *no_rules, *no_file; /* the first binary of that kind, or NULL */
};
const struct user_stack_stats *user_stack_stats(const struct user_stack *u);

#endif
