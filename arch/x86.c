/*
 * Registers: arch/x86/include/uapi/asm/perf_regs.h. DWARF numbers: System V ABI, AMD64 supplement,
 * figure 3.36; i386 supplement, table 2.14. A process of either kind is recorded with the same perf numbers.
 */
#include <elf.h>

#include "arch/arch_tables.h"

#define NONE ARCH_NO_REG
/* An XMM register takes two bits, low half first; DWARF's number goes with the first. */
#define XMM(n, dwarf)                                                                                        \
	{ "XMM" #n, dwarf },                                                                                 \
	{                                                                                                    \
		"XMM" #n, NONE                                                                               \
	}

static const struct arch_reg regs_64[] = {
	{ "AX", 0 },	{ "BX", 3 },	{ "CX", 2 },	{ "DX", 1 },	 { "SI", 4 },	 { "DI", 5 },
	{ "BP", 6 },	{ "SP", 7 },	{ "IP", 16 },	{ "FLAGS", 49 }, { "CS", 51 },	 { "SS", 52 },
	{ "DS", 53 },	{ "ES", 50 },	{ "FS", 54 },	{ "GS", 55 },	 { "R8", 8 },	 { "R9", 9 },
	{ "R10", 10 },	{ "R11", 11 },	{ "R12", 12 },	{ "R13", 13 },	 { "R14", 14 },	 { "R15", 15 },
	{ NULL, NONE }, { NULL, NONE }, { NULL, NONE }, { NULL, NONE },	 { NULL, NONE }, { NULL, NONE },
	{ NULL, NONE }, { NULL, NONE }, XMM(0, 17),	XMM(1, 18),	 XMM(2, 19),	 XMM(3, 20),
	XMM(4, 21),	XMM(5, 22),	XMM(6, 23),	XMM(7, 24),	 XMM(8, 25),	 XMM(9, 26),
	XMM(10, 27),	XMM(11, 28),	XMM(12, 29),	XMM(13, 30),	 XMM(14, 31),	 XMM(15, 32),
};

/* An x86_64 kernel records R8 to R15 of 32-bit processes too: they have names but no DWARF numbers. */
static const struct arch_reg regs_32[] = {
	{ "AX", 0 },	 { "BX", 3 },	  { "CX", 1 },	   { "DX", 2 },	    { "SI", 6 },     { "DI", 7 },
	{ "BP", 5 },	 { "SP", 4 },	  { "IP", 8 },	   { "FLAGS", 9 },  { "CS", 41 },    { "SS", 42 },
	{ "DS", 43 },	 { "ES", 40 },	  { "FS", 44 },	   { "GS", 45 },    { "R8", NONE },  { "R9", NONE },
	{ "R10", NONE }, { "R11", NONE }, { "R12", NONE }, { "R13", NONE }, { "R14", NONE }, { "R15", NONE },
	{ NULL, NONE },	 { NULL, NONE },  { NULL, NONE },  { NULL, NONE },  { NULL, NONE },  { NULL, NONE },
	{ NULL, NONE },	 { NULL, NONE },  XMM(0, 21),	   XMM(1, 22),	    XMM(2, 23),	     XMM(3, 24),
	XMM(4, 25),	 XMM(5, 26),	  XMM(6, 27),	   XMM(7, 28),	    XMM(8, NONE),    XMM(9, NONE),
	XMM(10, NONE),	 XMM(11, NONE),	  XMM(12, NONE),   XMM(13, NONE),   XMM(14, NONE),   XMM(15, NONE),
};

static const char *const aliases_64[] = { "amd64", "x86-64", "x64", NULL };
static const char *const aliases_32[] = { "i686", "i586", "i486", "x86", "ia32", NULL };

/* CALL rel32, or CALL r/m with its longest operand; prefixes stand before it. */
static bool may_end_in_call(const uint8_t *bytes, size_t size)
{
	if (size >= 5 && bytes[size - 5] == 0xe8)
		return true;
	for (size_t length = 2; length <= 7 && length <= size; length++)
		if (bytes[size - length] == 0xff && (bytes[size - length + 1] & 0x38) == 0x10)
			return true;
	return false;
}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.aliases = aliases_64,
	.elf_machine = EM_X86_64,
	.word_size = 8,
	.regs = regs_64,
	.nr_regs = sizeof(regs_64) / sizeof(regs_64[0]),
	.reg_ip = 8,
	.reg_sp = 7,
	.reg_lr = ARCH_NO_REG,
	.reg_fp = 6,
	.frame_saved_fp = 0,
	.frame_return = 8,
	.dwarf_return = 16,
	.compat = &arch_i386,
	.kernel_start = UINT64_C(1) << 63,
	.capstone_arch = CAPSTONE_X86,
	.capstone_mode = CAPSTONE_MODE_64,
	.insn_length = x86_insn_length_64,
	.may_end_in_call = may_end_in_call,
};

const struct arch arch_i386 = {
	.name = "i386",
	.aliases = aliases_32,
	.elf_machine = EM_386,
	.word_size = 4,
	.regs = regs_32,
	.nr_regs = sizeof(regs_32) / sizeof(regs_32[0]),
	.reg_ip = 8,
	.reg_sp = 7,
	.reg_lr = ARCH_NO_REG,
	.reg_fp = 6,
	.frame_saved_fp = 0,
	.frame_return = 4,
	.dwarf_return = 8,
	.kernel_start = 0xc0000000,
	.capstone_arch = CAPSTONE_X86,
	.capstone_mode = CAPSTONE_MODE_32,
	.insn_length = x86_insn_length_32,
	.may_end_in_call = may_end_in_call,
};
