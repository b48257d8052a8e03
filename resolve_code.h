/*
 * resolve_code - the machine code of a sample: the instruction at its ip, and what ran between its branches.
 *
 * The one place that knows both samples and code bytes. An instruction is cut out and disassembled once for
 * every address that it was seen at; a branch stack is walked for each sample, instruction by instruction.
 */
#ifndef PERF2TXT_RESOLVE_CODE_H
#define PERF2TXT_RESOLVE_CODE_H

#include "arch/arch.h"
#include "events/features.h"
#include "output/view.h"
#include "resolve.h"
#include "symbolize/symbolizer.h"

struct resolve_code;

struct resolve_code_options {
	const struct arch *arch;	 /* the recording's */
	bool big_endian;		 /* so is its byte order */
	const struct features *features; /* with the code of BPF programs, lent; NULL: none */
	bool disasm;			 /* instructions get their text */
	unsigned max_blocks;		 /* branches that are followed back; 0: all */
};

/** All must outlive it, but for @options. */
struct resolve_code *resolve_code_new(struct resolve *resolve, struct symbolizer *symbolizer,
				      const struct resolve_code_options *options);
void resolve_code_free(struct resolve_code *r); /* NULL is fine */

/**
 * The instruction at view->ip, which is resolved already, of the sample that @resolve began last. What is
 * filled is good until the next sample.
 */
void resolve_code_insn(struct resolve_code *r, struct view *view);

/** The code between the branches of the sample's stack. */
void resolve_code_branches(struct resolve_code *r, struct view *view);

/** The kernel of @machine changed its code. */
void resolve_code_poke(struct resolve_code *r, struct machine *machine, const struct record *record);

#endif
