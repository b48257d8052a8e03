#include "symbolize/insn_set.h"

#include "arch/arch.h"
#include "symbolize/image.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

#define FUNC GELF_ST_INFO(STB_GLOBAL, STT_FUNC)
#define MARK GELF_ST_INFO(STB_LOCAL, STT_NOTYPE)

static char folder[64];

/* A file of ARM code with one symbol table. */
static struct image *open_with(const char *section, uint32_t type, const GElf_Sym *symbols, size_t count)
{
	static const char names[] = "\0$a\0$t\0$t.1\0$d\0f", code[0x100];
	struct mkelf m = { .class = ELFCLASS32, .data = ELFDATA2LSB, .machine = EM_ARM, .type = ET_DYN };
	const char *why;
	char path[96];
	size_t size;

	void *converted = mkelf_convert(&m, ELF_T_SYM, symbols, count, &size);
	mkelf_section(&m, ".text",
		      (GElf_Shdr){ .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = 0x1000,
				   .sh_offset = 0x1000,
				   .sh_size = sizeof(code) },
		      code);
	mkelf_section(
		&m, section,
		(GElf_Shdr){ .sh_type = type, .sh_link = 3, .sh_info = 1, .sh_size = size, .sh_entsize = 16 },
		converted);
	mkelf_section(&m, ".strtab", (GElf_Shdr){ .sh_type = SHT_STRTAB, .sh_size = sizeof(names) }, names);
	mkelf_load(&m, 0x1000, 0x1000, sizeof(code), PF_R | PF_X);
	snprintf(path, sizeof(path), "%s/elf%s", folder, section);
	mkelf_write(&m, path);
	free(converted);
	struct image *image = image_open(path, &why);
	ck_assert_ptr_nonnull(image);
	return image;
}

static void expect(const struct insn_sets *sets, uint64_t vaddr, bool thumb, bool sure)
{
	bool is_sure;

	ck_assert_msg(insn_sets_alternate(sets, vaddr, &is_sure) == thumb, "%#lx", (unsigned long)vaddr);
	ck_assert_msg(is_sure == sure, "%#lx", (unsigned long)vaddr);
}

static const GElf_Sym mapping[] = {
	{ 0 },
	{ .st_name = 12, .st_info = MARK, .st_shndx = 1, .st_value = 0x1030 }, /* $d */
	{ .st_name = 7, .st_info = MARK, .st_shndx = 1, .st_value = 0x1010 },  /* $t.1 */
	{ .st_name = 1, .st_info = MARK, .st_shndx = 1, .st_value = 0x1020 },  /* $a */
	{ .st_name = 15, .st_info = FUNC, .st_shndx = 1, .st_value = 0x1041, .st_size = 8 },
};
static const GElf_Sym functions[] = {
	{ 0 },
	{ .st_name = 15, .st_info = FUNC, .st_shndx = 1, .st_value = 0x1021, .st_size = 8 },
	{ .st_name = 15, .st_info = FUNC, .st_shndx = 1, .st_value = 0x1040, .st_size = 8 },
	{ .st_name = 15, .st_info = FUNC, .st_shndx = SHN_UNDEF, .st_value = 0x1051, .st_size = 8 },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(mapping_symbols_say_the_set)
{
	mkelf_folder(folder);
	struct image *image = open_with(".symtab", SHT_SYMTAB, mapping, COUNT(mapping));
	struct insn_sets *sets = insn_sets_new(arch_by_name("arm"), image, NULL);
	expect(sets, 0x1000, false, false);
	expect(sets, 0x1010, true, true);
	expect(sets, 0x101e, true, true);
	expect(sets, 0x1020, false, true);
	expect(sets, 0x1042, false, true);
	uint64_t start, end;
	ck_assert(!insn_sets_function(sets, 0x1041, &start, &end)); /* they say nothing of functions */
	insn_sets_free(sets);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

START_TEST(those_of_the_debug_file_will_do)
{
	mkelf_folder(folder);
	struct image *debug = open_with(".symtab", SHT_SYMTAB, mapping, COUNT(mapping));
	struct image *image = open_with(".dynsym", SHT_DYNSYM, functions, COUNT(functions));
	struct insn_sets *sets = insn_sets_new(arch_by_name("arm"), image, debug);
	expect(sets, 0x1010, true, true);
	insn_sets_free(sets);
	image_free(image);
	image_free(debug);
	mkelf_remove(folder);
}
END_TEST

START_TEST(without_them_functions_do)
{
	mkelf_folder(folder);
	struct image *image = open_with(".dynsym", SHT_DYNSYM, functions, COUNT(functions));
	struct insn_sets *sets = insn_sets_new(arch_by_name("arm"), image, NULL);
	expect(sets, 0x1000, false, false);
	expect(sets, 0x1020, true, true);
	expect(sets, 0x1028, true, false);
	expect(sets, 0x1040, false, true);
	expect(sets, 0x1050, false, false);
	uint64_t start, end;
	ck_assert(insn_sets_function(sets, 0x1027, &start, &end));
	ck_assert(start == 0x1020 && end == 0x1028);
	ck_assert(!insn_sets_function(sets, 0x1028, &start, &end));
	ck_assert(!insn_sets_function(sets, 0x1000, &start, &end));
	insn_sets_free(sets);
	insn_sets_free(NULL);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

CHECK_SUITE("insn_set", mapping_symbols_say_the_set, those_of_the_debug_file_will_do,
	    without_them_functions_do)
