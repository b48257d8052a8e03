/*
 * Registers: arch/arm/include/uapi/asm/perf_regs.h. DWARF numbers: "DWARF for the Arm Architecture"
 * (AADWARF32), table 1: the same.
 */
#include <elf.h>

#include "arch/arch_tables.h"

static const struct arch_reg regs[] = {
	{ "r0", 0 },  { "r1", 1 },  { "r2", 2 },  { "r3", 3 },	{ "r4", 4 },   { "r5", 5 },
	{ "r6", 6 },  { "r7", 7 },  { "r8", 8 },  { "r9", 9 },	{ "r10", 10 }, { "fp", 11 },
	{ "ip", 12 }, { "sp", 13 }, { "lr", 14 }, { "pc", 15 },
};

static const char *const aliases[] = {
	"armv7l", "armv7hl", "armv8l", "armv6l", "armv6hl",  "armv5tel", "armv5tejl",
	"armhf",  "armel",   "armv7",  "armv7b", "armv5teb", "armeb",	 NULL,
};

/* Bit 0 of a return address or function pointer selects the Thumb instruction set (Arm ARM, BX). */
static uint64_t clean_address(uint64_t address)
{
	return address & ~UINT64_C(1);
}

static bool is_mapping_symbol(const char *name)
{
	return arch_mapping_letter(name, 'a') || arch_mapping_letter(name, 't') ||
	       arch_mapping_letter(name, 'd');
}

static enum arch_insn_set mapping_insn_set(const char *name)
{
	if (arch_mapping_letter(name, 't'))
		return ARCH_INSN_ALTERNATE;
	return arch_mapping_letter(name, 'a') ? ARCH_INSN_MAIN : ARCH_INSN_UNKNOWN;
}

/* Most ARM instructions have the condition "always" in their last byte; few halfwords of Thumb begin so. */
static bool looks_like_main(const uint8_t *bytes, size_t size)
{
	size_t always = 0;

	for (size_t i = 3; i < size; i += 4)
		always += bytes[i] >> 4 == 0xe;
	return size >= 16 && 4 * always >= 3 * (size / 4);
}

/* A Thumb instruction has a second halfword when the first begins with 11101, 1111 (Arm ARM, A6.1). */
static unsigned insn_length(const uint8_t *bytes, size_t size, bool thumb, bool *ret_leaves)
{
	unsigned length = thumb && (size < 2 || bytes[1] < 0xe8) ? 2 : 4;

	*ret_leaves = false;
	return length <= size ? length : 0;
}

/*
 * Frames: gcc's ARM prologue pushes {fp, lr} and points fp at lr. Thumb code has its frame pointer in r7 and
 * the old APCS layout points fp at the saved pc; neither can be told from the registers.
 */
const struct arch arch_arm = {
	.name = "arm",
	.aliases = aliases,
	.elf_machine = EM_ARM,
	.word_size = 4,
	.regs = regs,
	.nr_regs = sizeof(regs) / sizeof(regs[0]),
	.reg_ip = 15,
	.reg_sp = 13,
	.reg_lr = 14,
	.reg_fp = 11,
	.frame_saved_fp = -4,
	.frame_return = 0,
	.dwarf_return = 14,
	.kernel_start = 0xc0000000,
	.clean_address = clean_address,
	.symbol_bit0_is_mode = true,
	.is_mapping_symbol = is_mapping_symbol,
	.plt_header = 20,
	.plt_entry = 12,
	.has_link_register = true,
	.capstone_arch = CAPSTONE_ARM,
	.capstone_mode = CAPSTONE_MODE_ARM_V8,
	.capstone_alternate_mode = CAPSTONE_MODE_ARM_V8 | CAPSTONE_MODE_ARM_THUMB,
	.insn_size = 4,
	.insn_length = insn_length,
	.mapping_insn_set = mapping_insn_set,
	.looks_like_main = looks_like_main,
};
