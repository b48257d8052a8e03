/*
 * Registers: arch/mips/include/uapi/asm/perf_regs.h (pc, then $1..$31). DWARF numbers: MIPS psABI supplement:
 * $0..$31 are 0..31, the pc has none. $26 and $27 belong to exception handlers: the kernel records zeros for
 * them, and perf has no names.
 */
#include <elf.h>

#include "arch/arch_tables.h"

static const struct arch_reg regs[] = {
	{ "PC", ARCH_NO_REG }, { "$1", 1 },   { "$2", 2 },   { "$3", 3 },   { "$4", 4 },   { "$5", 5 },
	{ "$6", 6 },	       { "$7", 7 },   { "$8", 8 },   { "$9", 9 },   { "$10", 10 }, { "$11", 11 },
	{ "$12", 12 },	       { "$13", 13 }, { "$14", 14 }, { "$15", 15 }, { "$16", 16 }, { "$17", 17 },
	{ "$18", 18 },	       { "$19", 19 }, { "$20", 20 }, { "$21", 21 }, { "$22", 22 }, { "$23", 23 },
	{ "$24", 24 },	       { "$25", 25 }, { NULL, 26 },  { NULL, 27 },  { "$28", 28 }, { "$29", 29 },
	{ "$30", 30 },	       { "$31", 31 },
};

static const char *const aliases_64[] = { "mips64el", "mips64r6", "mips64r6el", NULL };
static const char *const aliases_32[] = { "mipsel", "mipsr6", "mipsr6el", NULL };

#define MIPS_COMMON                                                                                          \
	.elf_machine = EM_MIPS, .regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]), .reg_ip = 0,        \
	.reg_sp = 29, .reg_lr = 31, .reg_fp = 30, .dwarf_return = 31, .has_link_register = true,             \
	.capstone_arch = CAPSTONE_MIPS, .insn_size = 4

const struct arch arch_mips64 = {
	MIPS_COMMON,
	.name = "mips64",
	.aliases = aliases_64,
	.word_size = 8,
	.compat = &arch_mips,
	.kernel_start = UINT64_C(1) << 63,
	.capstone_mode = CAPSTONE_MODE_64,
};

const struct arch arch_mips = {
	MIPS_COMMON,
	.name = "mips",
	.aliases = aliases_32,
	.word_size = 4,
	.kernel_start = 0x80000000,
	.capstone_mode = CAPSTONE_MODE_32,
};
