/*
 * Registers: arch/riscv/include/uapi/asm/perf_regs.h (pc, then x1..x31 by their ABI names). DWARF numbers:
 * RISC-V psABI, "DWARF Register Numbers": x0..x31 are 0..31, the pc has none.
 */
#include <elf.h>
#include <string.h>

#include "arch/arch_tables.h"

static const struct arch_reg regs[] = {
	{ "pc", ARCH_NO_REG }, { "ra", 1 },  { "sp", 2 },   { "gp", 3 },   { "tp", 4 },	 { "t0", 5 },
	{ "t1", 6 },	       { "t2", 7 },  { "s0", 8 },   { "s1", 9 },   { "a0", 10 }, { "a1", 11 },
	{ "a2", 12 },	       { "a3", 13 }, { "a4", 14 },  { "a5", 15 },  { "a6", 16 }, { "a7", 17 },
	{ "s2", 18 },	       { "s3", 19 }, { "s4", 20 },  { "s5", 21 },  { "s6", 22 }, { "s7", 23 },
	{ "s8", 24 },	       { "s9", 25 }, { "s10", 26 }, { "s11", 27 }, { "t3", 28 }, { "t4", 29 },
	{ "t5", 30 },	       { "t6", 31 },
};

static const char *const aliases_64[] = { "riscv", "rv64", NULL };
static const char *const aliases_32[] = { "rv32", NULL };

/* "$x" may carry the instruction set: "$xrv64i2p1_m2p0" (psABI, "Mapping Symbol"). Linker relaxation makes
 * the assembler keep its local labels (".L0 ") in the symbol table. */
static bool is_mapping_symbol(const char *name)
{
	return arch_mapping_letter(name, 'x') || arch_mapping_letter(name, 'd') ||
	       !strncmp(name, "$xrv", 4) || !strncmp(name, ".L", 2);
}

/* Only the low two bits of a compressed instruction are not both set (unprivileged ISA, 1.5). */
static unsigned insn_length(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves)
{
	unsigned length = size && (bytes[0] & 3) != 3 ? 2 : 4;

	(void)alternate;
	*ret_leaves = false;
	return length <= size ? length : 0;
}

/* Frames: s0 is the caller's stack pointer; ra and the caller's s0 are right below it (psABI, "Frame Pointer
 * Convention"). */
#define RISCV_COMMON                                                                                         \
	.elf_machine = EM_RISCV, .regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]), .reg_ip = 0,       \
	.reg_sp = 2, .reg_lr = 1, .reg_fp = 8, .dwarf_return = 1, .is_mapping_symbol = is_mapping_symbol,    \
	.plt_header = 32, .plt_entry = 16, .has_link_register = true, .capstone_arch = CAPSTONE_RISCV, \
	.insn_size = 4, .insn_length = insn_length

const struct arch arch_riscv64 = {
	RISCV_COMMON,
	.name = "riscv64",
	.aliases = aliases_64,
	.word_size = 8,
	.frame_saved_fp = -16,
	.frame_return = -8,
	.compat = &arch_riscv32,
	.kernel_start = UINT64_C(1) << 63,
	.capstone_mode = CAPSTONE_MODE_RISCV64 | CAPSTONE_MODE_RISCVC,
};

const struct arch arch_riscv32 = {
	RISCV_COMMON,
	.name = "riscv32",
	.aliases = aliases_32,
	.word_size = 4,
	.frame_saved_fp = -8,
	.frame_return = -4,
	.kernel_start = 0xc0000000,
	.capstone_mode = CAPSTONE_MODE_RISCV32 | CAPSTONE_MODE_RISCVC,
};
