/*
 * arm_code - where 32-bit ARM code will return to, for functions without unwind rules.
 *
 * Distributions build C for ARM without unwind tables: .ARM.exidx then says that python's or libc's functions
 * cannot be unwound. But whatever a function saved on the stack it takes back before it returns. So the
 * instructions are followed from an address to the function's returns, all branches of ARM and Thumb code, as
 * far as they move the stack pointer or load registers from the stack. Calls keep both (AAPCS32,
 * section 6.1.1). When all the returns that are found say the same, that is a rule; else there is none.
 *
 * A call that never returns is not known as such: what is behind it may be another function's, or data. So
 * code behind calls is followed only when nothing else leads to a return. What the rule finds should be
 * checked with arm_code_is_call_before().
 */
#ifndef PERF2TXT_ARM_CODE_H
#define PERF2TXT_ARM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi.h"

struct image;

struct arm_code {
	const uint8_t *bytes;
	size_t size;
	uint32_t start; /* address of the first byte */
	/* Big-endian machines have had little-endian instructions, and data beside them, since ARMv6 (BE8).
	 */
	bool big_endian_data, big_endian_code;
};

/** The code around a link-time address, lent from @image. False: there is none, or none that can be read. */
bool arm_code_of(const struct image *image, uint64_t vaddr, struct arm_code *ret);

/**
 * The rule for the instruction at the address @at. @after_call: a call returns there, so that the link
 * register does not hold the function's own return address. False: there is none.
 */
bool arm_code_find(const struct arm_code *code, uint32_t at, bool thumb, bool after_call,
		   union cfi_draft *ret);

/**
 * The same by the ways from a function's beginning @entry to @at, or to where code at @at goes on to: for
 * code that ends in computed jumps. Only code of the function, which ends at @end, is followed.
 */
bool arm_code_find_from(const struct arm_code *code, uint32_t entry, uint32_t end, uint32_t at, bool thumb,
			bool after_call, union cfi_draft *ret);

/** Is the instruction before @at a call? @thumb as bit 0 of the return address says. */
bool arm_code_is_call_before(const struct arm_code *code, uint32_t at, bool thumb);

#endif
