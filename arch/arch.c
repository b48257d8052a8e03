#include "arch/arch.h"

#include <strings.h>

#include "arch/arch_tables.h"

/* Where two share an ELF machine the wider one comes first: it is the answer for an unknown word size. */
static const struct arch *const all[] = {
	&arch_x86_64,  &arch_i386,	  &arch_aarch64, &arch_arm,	    &arch_riscv64,
	&arch_riscv32, &arch_ppc64,	  &arch_ppc,	 &arch_s390x,	    &arch_mips64,
	&arch_mips,    &arch_loongarch64, &arch_sparc64, &arch_sparc32plus, &arch_sparc,
};

static const char *const no_aliases[] = { NULL };

const struct arch arch_unknown = {
	.name = "unknown",
	.aliases = no_aliases,
	.word_size = 8,
	.reg_ip = ARCH_NO_REG,
	.reg_sp = ARCH_NO_REG,
	.reg_lr = ARCH_NO_REG,
	.reg_fp = ARCH_NO_REG,
	.dwarf_return = ARCH_NO_REG,
	.kernel_start = UINT64_C(1) << 63,
	.capstone_arch = CAPSTONE_NONE,
};

const struct arch *arch_get(size_t index)
{
	return index < sizeof(all) / sizeof(all[0]) ? all[index] : NULL;
}

static bool is_called(const struct arch *arch, const char *name)
{
	if (!strcasecmp(arch->name, name))
		return true;
	for (const char *const *alias = arch->aliases; *alias; alias++)
		if (!strcasecmp(*alias, name))
			return true;
	return false;
}

const struct arch *arch_by_name(const char *name)
{
	for (size_t i = 0; arch_get(i); i++)
		if (is_called(arch_get(i), name))
			return arch_get(i);
	return &arch_unknown;
}

const struct arch *arch_by_elf(uint16_t machine, unsigned word_size)
{
	for (size_t i = 0; arch_get(i); i++) {
		const struct arch *arch = arch_get(i);

		if (arch->elf_machine == machine && (!word_size || arch->word_size == word_size))
			return arch;
	}
	return &arch_unknown;
}

bool arch_runs(const struct arch *arch, uint16_t elf_machine)
{
	for (; arch; arch = arch->compat)
		if (arch->elf_machine == elf_machine)
			return true;
	return false;
}

int arch_reg_of_dwarf(const struct arch *arch, int dwarf)
{
	if (dwarf < 0)
		return ARCH_NO_REG;
	/* On most architectures the two numbers of a general register are the same. */
	if (dwarf < arch->nr_regs && arch->regs[dwarf].dwarf == dwarf)
		return dwarf;
	for (int i = 0; i < arch->nr_regs; i++)
		if (arch->regs[i].dwarf == dwarf)
			return i;
	return ARCH_NO_REG;
}
