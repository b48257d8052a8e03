/*
 * unwind - registers and a copy of the stack -> return addresses.
 *
 * Values in, values out. For each frame the rule of its address (symbolize/cfi) says where the caller's
 * registers are; without a rule the frame pointer does, and for the first frame at last the link register.
 * Everything is checked: a walk ends at the root or for a reason, never by garbage, and at most after
 * max_frames.
 *
 * Left to the caller: what binaries there are and their rules (cfi_of), bytes that the stack copy does not
 * hold (read), and how a return address is printed. Knows no files, no libdw, no symbols, no record.
 */
#ifndef PERF2TXT_UNWIND_H
#define PERF2TXT_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi.h"
#include "util/vec.h"

struct arch;
struct dso;
struct map;
struct maps;

/* By DWARF number. The program counter is apart, because not every architecture gives it a number. */
struct unwind_regs {
	uint64_t ip;
	uint64_t valid[CFI_MAX_REGS / 64]; /* a bit each */
	uint64_t value[CFI_MAX_REGS];
};

/**
 * The registers of a sample: @values holds one for each bit of @mask. @arch is that of the interrupted
 * program (arch->compat for a 32-bit one). False: there is no program counter among them.
 */
bool unwind_regs_load(struct unwind_regs *regs, const struct arch *arch, uint64_t mask,
		      const uint64_t *values, size_t nr_values);

struct unwind_space {
	const struct arch *arch; /* of the program */
	bool big_endian;
	const struct maps *maps;
	const uint8_t *stack; /* what was copied from the stack pointer on */
	size_t stack_size;
	bool stack_short;  /* the kernel found less to copy than it was asked for */
	size_t max_frames; /* 0: as many as unwind itself allows */

	void *ctx; /* handed to both functions */
	/* The rules of a binary; NULL: it has no file. */
	struct cfi *(*cfi_of)(void *ctx, struct dso *dso);
	/* @size bytes that the file of @map has for @address; false: there are none. NULL: never. */
	bool (*read)(void *ctx, const struct map *map, uint64_t address, void *ret, size_t size);
};

enum unwind_end {
	UNWIND_ROOT,	 /* complete */
	UNWIND_CUT,	 /* the next frame is above the stack copy */
	UNWIND_HOLE,	 /* so it is, and that copy is short: a larger one would not help */
	UNWIND_NO_RULES, /* `blame` has no rules for the last frame, and its frame pointer is none */
	UNWIND_NO_FILE,	 /* there is no file of `blame`, where the last frame is */
	UNWIND_BROKEN,	 /* what should be an address or a frame is none */
	UNWIND_LIMIT,	 /* max_frames were found, there are more */
};

struct unwind_frame {
	uint64_t ip; /* as on the stack, cleaned: behind the call when it is a return address */
	bool exact; /* no return address: the sampled one, what a signal interrupted, what its handler returns
		       to */
};

/* All zeros is an empty one; it may be used again and again. */
struct unwind_stack {
	VEC(struct unwind_frame) frames; /* the sampled address first */
	enum unwind_end end;
	struct dso *blame; /* for NO_RULES and NO_FILE */
};

void unwind_stack_free(struct unwind_stack *stack);

/** Fill @ret with the frames from @regs on, the first one always among them. */
void unwind(const struct unwind_space *space, const struct unwind_regs *regs, struct unwind_stack *ret);

/** "root reached", "cut by the size of the stack copy" ... */
const char *unwind_end_text(enum unwind_end end);

#endif
