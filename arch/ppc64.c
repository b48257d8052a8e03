/*
 * Registers: arch/powerpc/include/uapi/asm/perf_regs.h (sdar and siar since Linux 5.17). DWARF numbers:
 * 64-bit ELF V2 ABI, table 2.25: r0..r31 are 0..31, lr 65, ctr 66, xer 76; the 32-bit ABI has the same for
 * these. The callers' frames are chained by the word at the stack pointer, not by a frame pointer.
 */
#include <elf.h>

#include "arch/arch_tables.h"

#define NONE ARCH_NO_REG

static const struct arch_reg regs[] = {
	{ "r0", 0 },	   { "r1", 1 },	      { "r2", 2 },	 { "r3", 3 },	    { "r4", 4 },
	{ "r5", 5 },	   { "r6", 6 },	      { "r7", 7 },	 { "r8", 8 },	    { "r9", 9 },
	{ "r10", 10 },	   { "r11", 11 },     { "r12", 12 },	 { "r13", 13 },	    { "r14", 14 },
	{ "r15", 15 },	   { "r16", 16 },     { "r17", 17 },	 { "r18", 18 },	    { "r19", 19 },
	{ "r20", 20 },	   { "r21", 21 },     { "r22", 22 },	 { "r23", 23 },	    { "r24", 24 },
	{ "r25", 25 },	   { "r26", 26 },     { "r27", 27 },	 { "r28", 28 },	    { "r29", 29 },
	{ "r30", 30 },	   { "r31", 31 },     { "nip", NONE },	 { "msr", NONE },   { "orig_r3", NONE },
	{ "ctr", 66 },	   { "link", 65 },    { "xer", 76 },	 { "ccr", NONE },   { "softe", NONE },
	{ "trap", NONE },  { "dar", NONE },   { "dsisr", NONE }, { "sier", NONE },  { "mmcra", NONE },
	{ "mmcr0", NONE }, { "mmcr1", NONE }, { "mmcr2", NONE }, { "mmcr3", NONE }, { "sier2", NONE },
	{ "sier3", NONE }, { "pmc1", NONE },  { "pmc2", NONE },	 { "pmc3", NONE },  { "pmc4", NONE },
	{ "pmc5", NONE },  { "pmc6", NONE },  { "sdar", NONE },	 { "siar", NONE },
};

static const char *const aliases_64[] = { "ppc64le", "ppc64el", "powerpc64", "powerpc64le", NULL };
static const char *const aliases_32[] = { "powerpc", "ppcle", "powerpcle", NULL };

#define PPC_COMMON                                                                                           \
	.regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]), .reg_ip = 32, .reg_sp = 1, .reg_lr = 36,    \
	.reg_fp = 31, .dwarf_return = 65, .has_link_register = true, .capstone_arch = CAPSTONE_PPC,          \
	.insn_size = 4

const struct arch arch_ppc64 = {
	PPC_COMMON,
	.name = "ppc64",
	.aliases = aliases_64,
	.elf_machine = EM_PPC64,
	.word_size = 8,
	.compat = &arch_ppc,
	.kernel_start = UINT64_C(1) << 63,
	.capstone_mode = CAPSTONE_MODE_64,
};

const struct arch arch_ppc = {
	PPC_COMMON,
	.name = "ppc",
	.aliases = aliases_32,
	.elf_machine = EM_PPC,
	.word_size = 4,
	.kernel_start = 0xc0000000,
	.capstone_mode = CAPSTONE_MODE_32,
};
