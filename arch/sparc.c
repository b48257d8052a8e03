/*
 * The kernel records no registers of SPARC, so there is nothing to unwind with; names and recorded chains
 * work.
 */
#include <elf.h>

#include "arch/arch_tables.h"

static const char *const aliases_64[] = { "sparcv9", NULL };
static const char *const aliases_32plus[] = { "v8plus", NULL };
static const char *const aliases_32[] = { "sparc32", NULL };

#define SPARC_COMMON                                                                                         \
	.reg_ip = ARCH_NO_REG, .reg_sp = ARCH_NO_REG, .reg_lr = ARCH_NO_REG, .reg_fp = ARCH_NO_REG,          \
	.dwarf_return = 15 /* %o7 */, .has_link_register = true, .capstone_arch = CAPSTONE_SPARC,            \
	.insn_size = 4

/* Kernel and user space are separate address spaces: any number may be an address of either. */
const struct arch arch_sparc64 = {
	SPARC_COMMON,	       .name = "sparc64",
	.aliases = aliases_64, .elf_machine = EM_SPARCV9,
	.word_size = 8,	       .compat = &arch_sparc32plus,
	.kernel_start = 0,     .plt_header = 128,
	.plt_entry = 32,       .capstone_mode = CAPSTONE_MODE_SPARC_V9,
};

/* A program of 32-bit addresses and instructions of the 64-bit processor: no kernel says so of itself. */
const struct arch arch_sparc32plus = {
	SPARC_COMMON,
	.name = "sparc32plus",
	.aliases = aliases_32plus,
	.elf_machine = EM_SPARC32PLUS,
	.word_size = 4,
	.compat = &arch_sparc,
	.kernel_start = 0,
	.plt_header = 48,
	.plt_entry = 12,
	.capstone_mode = CAPSTONE_MODE_SPARC_V9,
};

const struct arch arch_sparc = {
	SPARC_COMMON,	       .name = "sparc",
	.aliases = aliases_32, .elf_machine = EM_SPARC,
	.word_size = 4,	       .kernel_start = 0xf0000000,
	.plt_header = 48,      .plt_entry = 12,
};
