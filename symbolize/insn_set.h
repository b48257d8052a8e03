/*
 * insn_set - which of two instruction sets the code at an address of a binary belongs to (ARM and Thumb).
 *
 * The mapping symbols of the file or its debug file say so ($a, $t). In a stripped binary bit 0 of the values
 * of its functions does (AAELF32, 5.5.3). Code between those is taken for that of the function before, or for
 * the set that the program begins in, but the answer is not sure.
 */
#ifndef PERF2TXT_INSN_SET_H
#define PERF2TXT_INSN_SET_H

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct image;
struct insn_sets;

/** @arch must have mapping_insn_set. @debug may be NULL. Neither is kept. */
struct insn_sets *insn_sets_new(const struct arch *arch, const struct image *binary,
				const struct image *debug);
void insn_sets_free(struct insn_sets *sets); /* NULL is fine */

/** Is the code at the link-time address @vaddr of the second set? */
bool insn_sets_alternate(const struct insn_sets *sets, uint64_t vaddr, bool *ret_sure);

/** The function that is there, when the file has symbols of functions only. False: none is known. */
bool insn_sets_function(const struct insn_sets *sets, uint64_t vaddr, uint64_t *ret_start, uint64_t *ret_end);

#endif
