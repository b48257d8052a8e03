/*
 * Registers: arch/arm64/include/uapi/asm/perf_regs.h (x0..x29, lr, sp, pc; VG at bit 46 since Linux 6.0).
 * DWARF numbers: "DWARF for the Arm 64-bit Architecture", table 1.
 */
#include <elf.h>

#include "arch/arch_tables.h"

#define NONE ARCH_NO_REG

static const struct arch_reg regs[] = {
	{ "x0", 0 },	{ "x1", 1 },	{ "x2", 2 },	{ "x3", 3 },	{ "x4", 4 },	{ "x5", 5 },
	{ "x6", 6 },	{ "x7", 7 },	{ "x8", 8 },	{ "x9", 9 },	{ "x10", 10 },	{ "x11", 11 },
	{ "x12", 12 },	{ "x13", 13 },	{ "x14", 14 },	{ "x15", 15 },	{ "x16", 16 },	{ "x17", 17 },
	{ "x18", 18 },	{ "x19", 19 },	{ "x20", 20 },	{ "x21", 21 },	{ "x22", 22 },	{ "x23", 23 },
	{ "x24", 24 },	{ "x25", 25 },	{ "x26", 26 },	{ "x27", 27 },	{ "x28", 28 },	{ "x29", 29 },
	{ "lr", 30 },	{ "sp", 31 },	{ "pc", 32 },	{ NULL, NONE }, { NULL, NONE }, { NULL, NONE },
	{ NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { NULL, NONE },
	{ NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { "vg", 46 },
};

static const char *const aliases[] = { "arm64", "aarch64_be", "arm64_be", "armv8", NULL };

/*
 * Bit 55 says whose address it is (Arm ARM, D8.9 and D8.10): above the virtual address lie a pointer
 * authentication code (bits 54..48, kernel: 63..56 too) and, in user space, a tag (bits 63..56). The
 * recording does not say how many bits the addresses had; 48 are right for all but programs that ask mmap()
 * for more on a 52-bit kernel, and kernel code is in the top 2^47 bytes in any case.
 */
static uint64_t clean_address(uint64_t address)
{
	const uint64_t high = UINT64_C(0xffff) << 48;

	return address >> 55 & 1 ? address | high : address & ~high;
}

static bool is_mapping_symbol(const char *name)
{
	return arch_mapping_letter(name, 'x') || arch_mapping_letter(name, 'd');
}

/* BL, BLR, and those that authenticate the address. Code is little-endian on big-endian machines too. */
static bool may_end_in_call(const uint8_t *bytes, size_t size)
{
	if (size < 4)
		return false;
	const uint8_t *insn = bytes + size - 4;
	return insn[3] >> 2 == 0x25 || ((insn[3] & 0xfe) == 0xd6 && insn[2] == 0x3f);
}

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.aliases = aliases,
	.elf_machine = EM_AARCH64,
	.word_size = 8,
	.regs = regs,
	.nr_regs = sizeof(regs) / sizeof(regs[0]),
	.reg_ip = 32,
	.reg_sp = 31,
	.reg_lr = 30,
	.reg_fp = 29,
	.frame_saved_fp = 0,
	.frame_return = 8,
	.dwarf_return = 30,
	.compat = &arch_arm,
	.kernel_start = UINT64_C(1) << 63,
	.clean_address = clean_address,
	.is_mapping_symbol = is_mapping_symbol,
	.plt_header = 32,
	.plt_entry = 16,
	.has_link_register = true,
	/* add x29, sp, #N; the assembler's mov x29, sp is the same with 0. */
	.make_frame_mask = 0xffc003ff,
	.make_frame_insn = 0x910003fd,
	.capstone_arch = CAPSTONE_ARM64,
	.insn_size = 4,
	.may_end_in_call = may_end_in_call,
};
