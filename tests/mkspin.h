/*
 * mkspin - a program of small functions, one right behind the other, made by hand for any machine.
 *
 * Its code is zeros: only addresses and names matter. Function n begins at SPIN_AT(n), which is its file
 * offset; its address in the ELF file is that plus `bias`.
 */
#ifndef PERF2TXT_MKSPIN_H
#define PERF2TXT_MKSPIN_H

#include "tests/mkelf.h"

#define SPIN_SIZE 0x40 /* of a function */
#define SPIN_AT(n) (0x1100 + SPIN_SIZE * (uint64_t)(n))
#define SPIN_LEAF SPIN_AT(0)
#define SPIN_MID SPIN_AT(1)
#define SPIN_MAIN SPIN_AT(2)
#define SPIN_MAX 64

struct mkspin {
	int class, data, machine; /* 0: 64 bits, little-endian, x86 */
	uint64_t bias;
	bool stripped;		     /* without any symbol table */
	const char *names[SPIN_MAX]; /* none: leaf, mid, main */
};

static MKELF_UNUSED size_t mkspin_strings(const struct mkspin *spin, char *strings, GElf_Sym *symbols,
					  size_t *nr)
{
	size_t used = 1;

	for (*nr = 0; *nr < SPIN_MAX && spin->names[*nr]; ++*nr) {
		symbols[*nr + 1] = (GElf_Sym){
			.st_name = (GElf_Word)used,
			.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = SPIN_AT(*nr) + spin->bias,
			.st_size = SPIN_SIZE,
		};
		strcpy(strings + used, spin->names[*nr]);
		used += strlen(spin->names[*nr]) + 1;
	}
	return used;
}

static MKELF_UNUSED void mkspin_write(const char *path, struct mkspin spin)
{
	static const uint8_t code[0x1000];
	static char strings[0x4000];
	static GElf_Sym symbols[SPIN_MAX + 1];
	struct mkelf m = {
		.class = spin.class ? spin.class : ELFCLASS64,
		.data = spin.data ? spin.data : ELFDATA2LSB,
		.machine = spin.machine ? spin.machine : EM_X86_64,
		.type = ET_DYN,
	};
	GElf_Shdr text = { .sh_type = SHT_PROGBITS,
			   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			   .sh_addr = 0x1000 + spin.bias,
			   .sh_offset = 0x1000,
			   .sh_size = sizeof(code),
			   .sh_addralign = 16 };
	GElf_Shdr table = { .sh_type = SHT_SYMTAB, .sh_link = 3, .sh_info = 1, .sh_addralign = 8 };
	GElf_Shdr names = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	size_t nr, size;

	if (!spin.names[0]) {
		spin.names[0] = "leaf";
		spin.names[1] = "mid";
		spin.names[2] = "main";
	}
	names.sh_size = mkspin_strings(&spin, strings, symbols, &nr);
	void *converted = mkelf_convert(&m, ELF_T_SYM, symbols, nr + 1, &size);
	table.sh_size = size;
	table.sh_entsize = size / (nr + 1);
	mkelf_section(&m, ".text", text, code);
	if (!spin.stripped) {
		mkelf_section(&m, ".symtab", table, converted);
		mkelf_section(&m, ".strtab", names, strings);
	}
	mkelf_load(&m, 0x1000, 0x1000 + spin.bias, sizeof(code), PF_R | PF_X);
	mkelf_write(&m, path);
	free(converted);
}

#endif
