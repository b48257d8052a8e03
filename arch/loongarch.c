/*
 * Registers: arch/loongarch/include/uapi/asm/perf_regs.h (pc, then r1..r31). DWARF numbers: "ELF for the
 * LoongArch Architecture": r0..r31 are 0..31, the pc has none.
 */
#include <elf.h>
#include <string.h>

#include "arch/arch_tables.h"

static const struct arch_reg regs[] = {
	{ "PC", ARCH_NO_REG }, { "%r1", 1 },   { "%r2", 2 },   { "%r3", 3 },   { "%r4", 4 },   { "%r5", 5 },
	{ "%r6", 6 },	       { "%r7", 7 },   { "%r8", 8 },   { "%r9", 9 },   { "%r10", 10 }, { "%r11", 11 },
	{ "%r12", 12 },	       { "%r13", 13 }, { "%r14", 14 }, { "%r15", 15 }, { "%r16", 16 }, { "%r17", 17 },
	{ "%r18", 18 },	       { "%r19", 19 }, { "%r20", 20 }, { "%r21", 21 }, { "%r22", 22 }, { "%r23", 23 },
	{ "%r24", 24 },	       { "%r25", 25 }, { "%r26", 26 }, { "%r27", 27 }, { "%r28", 28 }, { "%r29", 29 },
	{ "%r30", 30 },	       { "%r31", 31 },
};

static const char *const aliases[] = { "loongarch", "loong64", NULL };

/* Linker relaxation makes the assembler keep its local labels. */
static bool is_mapping_symbol(const char *name)
{
	return !strncmp(name, ".L", 2);
}

/* Frames: r22 (fp) is the caller's stack pointer; ra and the caller's fp are right below it. */
const struct arch arch_loongarch64 = {
	.name = "loongarch64",
	.aliases = aliases,
	.elf_machine = 258, /* EM_LOONGARCH: elf.h has it since glibc 2.36 only */
	.word_size = 8,
	.regs = regs,
	.nr_regs = sizeof(regs) / sizeof(regs[0]),
	.reg_ip = 0,
	.reg_sp = 3,
	.reg_lr = 1,
	.reg_fp = 22,
	.frame_saved_fp = -16,
	.frame_return = -8,
	.dwarf_return = 1,
	.kernel_start = UINT64_C(1) << 63,
	.is_mapping_symbol = is_mapping_symbol,
	.plt_header = 32,
	.plt_entry = 16,
	.has_link_register = true,
	.capstone_arch = CAPSTONE_NONE,
	.insn_size = 4,
};
