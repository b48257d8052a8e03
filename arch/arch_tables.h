/*
 * arch_tables - the architectures by symbol, for arch.c and for each other's `compat`. Nobody else includes
 * it.
 */
#ifndef PERF2TXT_ARCH_TABLES_H
#define PERF2TXT_ARCH_TABLES_H

#include "arch/arch.h"

extern const struct arch arch_x86_64, arch_i386;
extern const struct arch arch_aarch64, arch_arm;
extern const struct arch arch_riscv64, arch_riscv32;
extern const struct arch arch_ppc64, arch_ppc;
extern const struct arch arch_s390x;
extern const struct arch arch_mips64, arch_mips;
extern const struct arch arch_loongarch64;
extern const struct arch arch_sparc64, arch_sparc32plus, arch_sparc;

/*
 * capstone's numbers, the same since version 4 (RISCV: since 5). Only symbolize/disasm.c includes capstone's
 * header; it checks these against it. The byte order's bit is added there: it is the file's.
 */
enum arch_capstone {
	CAPSTONE_NONE = -1,
	CAPSTONE_ARM = 0,
	CAPSTONE_ARM64 = 1,
	CAPSTONE_MIPS = 2,
	CAPSTONE_X86 = 3,
	CAPSTONE_PPC = 4,
	CAPSTONE_SPARC = 5,
	CAPSTONE_SYSZ = 6,
	CAPSTONE_RISCV = 15,
};

enum arch_capstone_mode {
	CAPSTONE_MODE_32 = 1 << 2,
	CAPSTONE_MODE_64 = 1 << 3,
	CAPSTONE_MODE_ARM_V8 = 1 << 6,
	CAPSTONE_MODE_ARM_THUMB = 1 << 4,
	CAPSTONE_MODE_SPARC_V9 = 1 << 4,
	CAPSTONE_MODE_RISCV32 = 1 << 0,
	CAPSTONE_MODE_RISCV64 = 1 << 1,
	CAPSTONE_MODE_RISCVC = 1 << 2,
};

/* struct arch's insn_length of arch_x86_64 and arch_i386 (arch/x86_insn.c). */
unsigned x86_insn_length_64(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves);
unsigned x86_insn_length_32(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves);

/* "$x" and "$x.suffix" for one letter: a mapping symbol of the ARM and RISC-V ELF ABIs. Other names that
 * begin with '$' are legal function names. */
static inline bool arch_mapping_letter(const char *name, char letter)
{
	return name[0] == '$' && name[1] == letter && (name[2] == '\0' || name[2] == '.');
}

#endif
