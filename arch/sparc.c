/*
 * The kernel records no registers of sparc64, so there is nothing to unwind with; names and recorded chains
 * work.
 */
#include <elf.h>

#include "arch/arch_tables.h"

static const char *const aliases[] = { "sparcv9", "sparc", NULL };

/* Kernel and user space are separate address spaces: any number may be an address of either. */
const struct arch arch_sparc64 = {
	.name = "sparc64",
	.aliases = aliases,
	.elf_machine = EM_SPARCV9,
	.word_size = 8,
	.reg_ip = ARCH_NO_REG,
	.reg_sp = ARCH_NO_REG,
	.reg_lr = ARCH_NO_REG,
	.reg_fp = ARCH_NO_REG,
	.dwarf_return = 15, /* %o7 */
	.kernel_start = 0,
	.plt_header = 128,
	.plt_entry = 32,
	.has_link_register = true,
	.capstone_arch = CAPSTONE_SPARC,
	.capstone_mode = CAPSTONE_MODE_SPARC_V9,
	.insn_size = 4,
};
