/*
 * Registers: arch/s390/include/uapi/asm/perf_regs.h. DWARF numbers: "ELF Application Binary Interface s390x
 * Supplement", table 1.18; the floating point registers go in an order of their own, because their pairs
 * hold long doubles.
 */
#include <elf.h>

#include "arch/arch_tables.h"

static const struct arch_reg regs[] = {
	{ "R0", 0 },	{ "R1", 1 },	{ "R2", 2 },	{ "R3", 3 },	{ "R4", 4 },	{ "R5", 5 },
	{ "R6", 6 },	{ "R7", 7 },	{ "R8", 8 },	{ "R9", 9 },	{ "R10", 10 },	{ "R11", 11 },
	{ "R12", 12 },	{ "R13", 13 },	{ "R14", 14 },	{ "R15", 15 },	{ "FP0", 16 },	{ "FP1", 20 },
	{ "FP2", 17 },	{ "FP3", 21 },	{ "FP4", 18 },	{ "FP5", 22 },	{ "FP6", 19 },	{ "FP7", 23 },
	{ "FP8", 24 },	{ "FP9", 28 },	{ "FP10", 25 }, { "FP11", 29 }, { "FP12", 26 }, { "FP13", 30 },
	{ "FP14", 27 }, { "FP15", 31 }, { "MASK", 64 }, { "PC", 65 },
};

static const char *const aliases[] = { "s390", NULL };

/* The first two bits say how many halfwords: 00 one, 01 and 10 two, 11 three (Principles of Operation, 5). */
static unsigned insn_length(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves)
{
	unsigned length = !size || bytes[0] >= 0xc0 ? 6 : bytes[0] >= 0x40 ? 4 : 2;

	(void)alternate;
	*ret_leaves = false;
	return length <= size ? length : 0;
}

/* Kernel and user space are separate address spaces: any number may be an address of either. */
const struct arch arch_s390x = {
	.name = "s390x",
	.aliases = aliases,
	.elf_machine = EM_S390,
	.word_size = 8,
	.regs = regs,
	.nr_regs = sizeof(regs) / sizeof(regs[0]),
	.reg_ip = 33,
	.reg_sp = 15,
	.reg_lr = 14,
	.reg_fp = 11,
	.dwarf_return = 14,
	.kernel_start = 0,
	.has_link_register = true,
	.capstone_arch = CAPSTONE_SYSZ,
	.insn_size = 6,
	.insn_length = insn_length,
};
