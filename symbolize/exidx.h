/*
 * exidx - the unwind tables of 32-bit ARM (.ARM.exidx, .ARM.extab) as rules of symbolize/cfi.
 *
 * "Exception Handling ABI for the Arm Architecture" (EHABI32), sections 6 (index table) and 10 (the unwinding
 * instructions). Only the compact forms are understood, and the generic one in the layout that gcc and clang
 * give it. A function's one rule describes its body, not its prologue and epilogue: the format has no more.
 */
#ifndef PERF2TXT_EXIDX_H
#define PERF2TXT_EXIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi.h"

struct image;

struct exidx {
	const struct image *image;
	const uint8_t *table; /* NULL: the file has none */
	size_t count;
	uint64_t vaddr; /* of the table */
};

/** @image must outlive @ret. */
void exidx_init(struct exidx *ret, const struct image *image);

/**
 * The rule of the function that holds @vaddr, and its range. False: there is none, or the table says that the
 * function cannot be unwound.
 */
bool exidx_find(const struct exidx *exidx, uint64_t vaddr, union cfi_draft *ret, uint64_t *ret_start,
		uint64_t *ret_end);

/** The rule that @size bytes of unwinding instructions amount to. False: they do not amount to one. */
bool exidx_decode(const uint8_t *bytes, size_t size, union cfi_draft *ret);

#endif
