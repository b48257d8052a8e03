/*
 * disasm - one machine instruction as text.
 *
 * The wording is capstone's, so it changes with capstone's version; x86 is in AT&T syntax. Where there is no
 * capstone, or it does not know the processor or the bytes, there is no text.
 *
 * Handles are opened once for each instruction set and kept. Nothing is allocated for an instruction. Knows
 * no files and no symbols.
 */
#ifndef PERF2TXT_DISASM_H
#define PERF2TXT_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

struct disasm;

/* How the bytes are to be read. */
struct disasm_mode {
	const struct arch *arch;
	bool big_endian;
	bool alternate; /* the second instruction set (Thumb) */
};

struct disasm_insn {
	const char *mnemonic; /* lent until the next call, like operands, which may be "" */
	const char *operands;
	/* The only operand is a number, as that of a direct jump or call: x86 only, as in perf. */
	bool has_target;
	uint64_t target;
};

/** Is there a capstone, when perf2txt was built and now? */
bool disasm_is_there(void);

struct disasm *disasm_new(void);
void disasm_free(struct disasm *d); /* NULL is fine */

/** The instruction at @bytes, which ran at @address. False: there is no text for it. */
bool disasm_insn(struct disasm *d, const struct disasm_mode *mode, const uint8_t *bytes, size_t size,
		 uint64_t address, struct disasm_insn *ret);

#endif
