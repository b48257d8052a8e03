/*
 * expression - the value of a DWARF expression in an unwind rule.
 *
 * The operations that unwind rules use (DWARF 5, section 2.5.1, without objects' addresses and calls), on
 * values as wide as an address. Anything else, and anything odd, ends it. Left to the caller: what memory
 * holds.
 */
#ifndef PERF2TXT_EXPRESSION_H
#define PERF2TXT_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi.h"

#define EXPRESSION_BROKEN (-1)

struct expression {
	const struct cfi_op *ops;
	size_t nr_ops;
	const uint64_t *regs;  /* by DWARF number, CFI_MAX_REGS of them */
	const uint64_t *valid; /* a bit for each that is known */
	uint64_t cfa;
	unsigned word; /* 4 or 8: bytes of an address */
	void *ctx;     /* handed to read */
	/* @size (1, 2, 4, 8) bytes of memory as a number. 0: done, else why not: more than 0. */
	int (*read)(void *ctx, uint64_t address, unsigned size, uint64_t *ret);
};

/** 0 and the value on top of the stack, or what read() said, or EXPRESSION_BROKEN. */
int expression_evaluate(const struct expression *expression, uint64_t *ret);

#endif
