/*
 * arch - what differs between processors, as data: one const struct arch a file.
 *
 * No code outside of arch/ names an architecture; it asks the struct. A NULL hook or a zero means that the
 * architecture has nothing special there. `arch_unknown` stands for what is not in the list: chains and names
 * still work with it. Byte order is a property of the recording and of the ELF file, not of the arch.
 *
 * To add one: write arch/NAME.c with its struct (registers in the order of the kernel's
 * arch/NAME/include/uapi/asm/perf_regs.h), name it in arch_tables.h, in the table of arch.c and in
 * Makefile.am, add its line to tests/check_arch.c and its recording to tests/check_architectures.c.
 */
#ifndef PERF2TXT_ARCH_H
#define PERF2TXT_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_NO_REG (-1)

/* One register of perf's register mask; its place in the array is the bit number in the mask. */
struct arch_reg {
	const char *name; /* as perf script prints it; NULL: the bit means nothing */
	int16_t dwarf;	  /* DWARF register number, ARCH_NO_REG when it has none */
};

/* What a mapping symbol says of the code behind it. */
enum arch_insn_set {
	ARCH_INSN_UNKNOWN, /* it is no mapping symbol, or begins data */
	ARCH_INSN_MAIN,
	ARCH_INSN_ALTERNATE,
};

struct arch {
	const char *name;	    /* as uname -m says on it: "aarch64" */
	const char *const *aliases; /* NULL-terminated: other uname names, --arch spellings */
	uint16_t elf_machine;	    /* EM_* */
	uint8_t word_size;	    /* 4 or 8 */

	const struct arch_reg *regs; /* by perf register number */
	uint8_t nr_regs;
	/* perf numbers of the program counter, stack pointer, link register and frame pointer; ARCH_NO_REG */
	int8_t reg_ip, reg_sp, reg_lr, reg_fp;
	/*
	 * A function that keeps a frame pointer has its caller's at reg_fp + frame_saved_fp and its return
	 * address at reg_fp + frame_return. Both equal: frames are not chained that way here.
	 */
	int8_t frame_saved_fp, frame_return;
	/* The DWARF column of the return address where CFI has one of its own (x86: 16); else that of lr. */
	int16_t dwarf_return;

	/* The program of a 32-bit process on this kernel: aarch64 -> arm, x86_64 -> i386; NULL: none. That
	 * may have one itself: an older ELF machine. */
	const struct arch *compat;

	/* Addresses from here on are the kernel's when nothing else tells; 0: kernel and user share one
	 * space. */
	uint64_t kernel_start;

	/* Take off what is no part of a code address: pointer authentication, tags, the Thumb bit. NULL:
	 * nothing. */
	uint64_t (*clean_address)(uint64_t address);

	/* Bit 0 of a function symbol's value is a mode, not an address (arm). */
	bool symbol_bit0_is_mode;

	/* Not a function but a mark that assemblers leave ($x, $d.12, .L1): such ELF symbols are dropped.
	 * NULL: none. */
	bool (*is_mapping_symbol)(const char *name);

	/* Bytes of the PLT's header and of an entry; 0: take both from the section's sh_entsize. */
	uint16_t plt_header, plt_entry;

	/* A called function's return address is in lr until it is saved (aarch64, arm, riscv ...). */
	bool has_link_register;
	/* An instruction of 4 bytes that sets the frame pointer from the stack pointer; mask 0: not known. */
	uint32_t make_frame_mask, make_frame_insn;

	/* capstone's arch and mode numbers (enum values of <capstone/capstone.h>, checked in
	 * symbolize/disasm.c). */
	int capstone_arch, capstone_mode; /* arch -1: capstone does not know it */
	int capstone_alternate_mode;	  /* of the second instruction set (Thumb); 0: there is none */

	/* Bytes that -F insn shows: those of the longest instruction. 0: those of the instruction. */
	uint8_t insn_size;
	/*
	 * The length of the instruction at @bytes; 0: it is none, or @size cuts it off. @alternate: it is of
	 * the second instruction set. *ret_leaves: the processor never goes on behind it, as after a jump;
	 * false where that is not known. NULL: every instruction has insn_size bytes.
	 */
	unsigned (*insn_length)(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves);
	/* Does code behind a mapping symbol belong to the second instruction set? NULL: there is none. */
	enum arch_insn_set (*mapping_insn_set)(const char *name);
	/* Do the bytes at an aligned place look like code of the main set? To guess where nothing tells. */
	bool (*looks_like_main)(const uint8_t *bytes, size_t size);
	/* May the last of these bytes be those of a call? NULL: nobody knows. */
	bool (*may_end_in_call)(const uint8_t *bytes, size_t size);
};

extern const struct arch arch_unknown;

/** By `uname -m` name or alias, case does not matter; &arch_unknown when there is none. */
const struct arch *arch_by_name(const char *name);

/** By ELF machine and word size (4, 8; 0: any); &arch_unknown when there is none. */
const struct arch *arch_by_elf(uint16_t machine, unsigned word_size);

/** Does a machine of @arch run files of that ELF machine, its own or those of 32-bit programs? */
bool arch_runs(const struct arch *arch, uint16_t elf_machine);

/** The @index-th of all, NULL behind the last. */
const struct arch *arch_get(size_t index);

/** perf's number of the register with that DWARF number, or ARCH_NO_REG. */
int arch_reg_of_dwarf(const struct arch *arch, int dwarf);

/** The place of register @number in an array of the recorded ones, or -1 when @mask lacks it. */
static inline int arch_reg_index(uint64_t mask, int number)
{
	if (number < 0 || number > 63 || !(mask >> number & 1))
		return -1;
	return __builtin_popcountll(mask & ((UINT64_C(1) << number) - 1));
}

#endif
