#include "symbolize/load_elf.h"

#include <inttypes.h>

#include "symbolize/image.h"
#include "symbolize/symtab.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

#define SECTION(kind, flag_bits, address, at, bytes)                                                         \
	(GElf_Shdr)                                                                                          \
	{                                                                                                    \
		.sh_type = (kind), .sh_flags = (flag_bits), .sh_addr = (address), .sh_offset = (at),         \
		.sh_size = (bytes), .sh_addralign = 4                                                        \
	}
#define SYM(name_at, kind, bind, section, value, size)                                                       \
	{                                                                                                    \
		(name_at), GELF_ST_INFO(bind, kind), STV_DEFAULT, (section), (value), (size)                 \
	}

static char folder[64], path[128];

static void set_up(void)
{
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a", folder);
}

static void tear_down(void)
{
	mkelf_remove(folder);
}

/* The names of what was loaded, "NAME:START-END ..." in hex, by start. */
static char *load(const struct load_elf *files)
{
	static char text[1 << 20];
	struct symtab *symtab = symtab_new(NULL);
	size_t used = 0;

	load_elf(files, symtab);
	symtab_finish(symtab);
	text[0] = '\0';
	for (size_t i = 0; i < symtab_count(symtab); i++) {
		const struct symbol *s = symtab_at(symtab, i);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%llx-%llx", i ? " " : "",
					 s->name, (long long)s->start, (long long)s->end);
		ck_assert_uint_lt(used, sizeof(text));
	}
	symtab_free(symtab);
	return text;
}

static char *load_file(const char *file, bool kernel)
{
	const char *why;
	struct image *image = image_open(file, &why);

	ck_assert_msg(image != NULL, "%s", why);
	char *text = load(&(struct load_elf){ .symbols = image, .runtime = image, .kernel = kernel });
	image_free(image);
	return text;
}

static const char names[] = "\0func\0object\0ifunc\0label\0absolute\0nowhere\0comment\0hidden\0rolabel\0tls\0"
			    "weak\0zero\0$x\0.L1\0L0x\0$d.5\0undefined";

/* Offset of a name in the string table. */
static GElf_Word at(const char *name)
{
	for (size_t i = 1; i < sizeof(names); i += strlen(names + i) + 1) {
		if (!strcmp(names + i, name))
			return (GElf_Word)i;
	}
	ck_abort_msg("no name %s", name);
}

/* Code at offset 0x1000, address 0x401000, constants at 0x2000, 0x403000; @sections is 5: as the symbols say.
 */
static void make_file(int class, int data, int machine, int type, const GElf_Sym *symbols, size_t count)
{
	static const uint8_t zeros[0x200];
	struct mkelf m = { .class = class, .data = data, .machine = machine, .type = type };
	bool linked = type != ET_REL;
	size_t size;

	mkelf_section(&m, ".text",
		      SECTION(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, linked ? 0x401000 : 0, 0x1000, 0x200),
		      zeros);
	mkelf_section(&m, ".rodat", SECTION(SHT_PROGBITS, SHF_ALLOC, linked ? 0x403000 : 0, 0x2000, 0x100),
		      zeros);
	mkelf_section(&m, ".comment.text", SECTION(SHT_PROGBITS, 0, 0, 0x2100, 0x100), zeros);
	void *table = mkelf_convert(&m, ELF_T_SYM, symbols, count, &size);
	GElf_Shdr header = SECTION(SHT_SYMTAB, 0, 0, 0, size);
	header.sh_link = 5;
	header.sh_entsize = size / count;
	mkelf_section(&m, ".symtab", header, table);
	mkelf_section(&m, ".strtab", SECTION(SHT_STRTAB, 0, 0, 0, sizeof(names)), names);
	if (linked) {
		mkelf_load(&m, 0x1000, 0x401000, 0x200, PF_R | PF_X);
		mkelf_load(&m, 0x2000, 0x403000, 0x100, PF_R);
	}
	mkelf_write(&m, path);
	free(table);
}

static size_t make_rules_file(int class, int data, GElf_Sym *symbols)
{
	const GElf_Sym all[] = {
		{ 0 },
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 1, 0x401000, 0x10),
		SYM(at("ifunc"), STT_GNU_IFUNC, STB_GLOBAL, 1, 0x401010, 0x10),
		SYM(at("object"), STT_OBJECT, STB_LOCAL, 2, 0x403000, 0x8),
		SYM(at("label"), STT_NOTYPE, STB_LOCAL, 1, 0x401020, 0),
		SYM(at("rolabel"), STT_NOTYPE, STB_LOCAL, 2, 0x403020, 0), /* not in text or data by name */
		{ at("hidden"), GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE), STV_HIDDEN, 1, 0x401022, 0 },
		SYM(at("absolute"), STT_FUNC, STB_GLOBAL, SHN_ABS, 0x401030, 8),
		SYM(at("undefined"), STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0x401030, 8),
		SYM(at("nowhere"), STT_FUNC, STB_GLOBAL, 99, 0x401030, 8),
		SYM(at("comment"), STT_FUNC, STB_GLOBAL, 3, 0x401030, 8),
		SYM(at("tls"), STT_TLS, STB_GLOBAL, 1, 0x401030, 8),
		SYM(0, STT_FUNC, STB_GLOBAL, 1, 0x401034, 8),	   /* no name */
		SYM(0xffff, STT_FUNC, STB_GLOBAL, 1, 0x401038, 8), /* a name outside of the table */
		SYM(at("weak"), STT_FUNC, STB_WEAK, 1, 0x401040, 0x10),
		SYM(at("zero"), STT_FUNC, STB_GLOBAL, 1, 0x401060, 0),
		SYM(at("tls"), STT_FUNC, STB_GLOBAL, SHN_COMMON, 8,
		    8), /* perf gives up here, and loses what follows */
		SYM(at("nowhere"), STT_FUNC, STB_GLOBAL, 1, 0x401080, 4),
	};

	memcpy(symbols, all, sizeof(all));
	make_file(class, data, EM_S390, ET_EXEC, all, sizeof(all) / sizeof(all[0]));
	return sizeof(all) / sizeof(all[0]);
}

START_TEST(functions_objects_and_labels_of_code_are_kept)
{
	GElf_Sym symbols[32];

	for (int class = ELFCLASS32; class <= ELFCLASS64; class ++) {
		for (int data = ELFDATA2LSB; data <= ELFDATA2MSB; data++) {
			make_rules_file(class, data, symbols);
			ck_assert_str_eq(load_file(path, false),
					 "func:1000-1010 ifunc:1010-1020 label:1020-1040 weak:1040-1050 "
					 "zero:1060-1080 "
					 "nowhere:1080-1084 object:2000-2008");
		}
	}
}
END_TEST

START_TEST(marks_of_the_assembler_are_no_symbols)
{
	const GElf_Sym symbols[] = {
		{ 0 },
		SYM(at("$x"), STT_NOTYPE, STB_LOCAL, 1, 0x401000, 0),
		SYM(at("$d.5"), STT_NOTYPE, STB_LOCAL, 1, 0x401008, 0),
		SYM(at(".L1"), STT_NOTYPE, STB_LOCAL, 1, 0x401010, 4),
		SYM(at("L0x"), STT_NOTYPE, STB_LOCAL, 1, 0x401020, 4),
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 1, 0x401030, 4),
	};

	make_file(ELFCLASS64, ELFDATA2LSB, EM_AARCH64, ET_EXEC, symbols, 6);
	ck_assert_str_eq(load_file(path, false), ".L1:1010-1014 L0x:1020-1024 func:1030-1034");
	ck_assert_str_eq(load_file(path, true), "func:1030-1034");
	make_file(ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_EXEC, symbols, 6);
	ck_assert_str_eq(load_file(path, false),
			 "$x:1000-1008 $d.5:1008-1010 .L1:1010-1014 L0x:1020-1024 func:1030-1034");
}
END_TEST

START_TEST(the_thumb_bit_is_no_part_of_an_address)
{
	const GElf_Sym symbols[] = {
		{ 0 },
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 1, 0x401001, 8),
		SYM(at("object"), STT_OBJECT, STB_GLOBAL, 2, 0x403001, 8),
	};

	make_file(ELFCLASS32, ELFDATA2LSB, EM_ARM, ET_EXEC, symbols, 3);
	ck_assert_str_eq(load_file(path, false), "func:1000-1008 object:2001-2009");
	make_file(ELFCLASS64, ELFDATA2LSB, EM_AARCH64, ET_EXEC, symbols, 3);
	ck_assert_str_eq(load_file(path, false), "func:1001-1009 object:2001-2009");
}
END_TEST

START_TEST(in_a_module_an_address_is_its_place_in_the_file)
{
	const GElf_Sym symbols[] = {
		{ 0 },
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 1, 0x20, 8),
		SYM(at("object"), STT_OBJECT, STB_GLOBAL, 2, 0x10, 8),
	};

	make_file(ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_REL, symbols, 3);
	ck_assert_str_eq(load_file(path, true), "func:1020-1028 object:2010-2018");
}
END_TEST

START_TEST(sizes_that_overflow_are_cut)
{
	const GElf_Sym symbols[] = {
		{ 0 },
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 1, 0x401000, UINT64_MAX),
		SYM(at("weak"), STT_FUNC, STB_GLOBAL, 1, UINT64_MAX - 1, 0x100),
	};

	make_file(ELFCLASS64, ELFDATA2MSB, EM_S390, ET_EXEC, symbols, 3);
	ck_assert_ptr_nonnull(strstr(load_file(path, false), "func:1000-ffffffffffffffff"));
}
END_TEST

/* ELFv1 of PowerPC: the symbol is at a descriptor of three words in .opd, the first of which is the address.
 */
START_TEST(function_descriptors_are_followed)
{
	static const uint8_t zeros[0x100];
	uint64_t opd[6] = { htobe64(0x10000120), 0, 0, htobe64(0xdead0000), 0, 0 };
	struct mkelf m = { .class = ELFCLASS64, .data = ELFDATA2MSB, .machine = EM_PPC64, .type = ET_EXEC };
	const GElf_Sym symbols[] = {
		{ 0 },
		SYM(at("func"), STT_FUNC, STB_GLOBAL, 2, 0x10020000, 0x20),
		SYM(at("nowhere"), STT_FUNC, STB_GLOBAL, 2, 0x10020018,
		    0x20), /* a descriptor of an unmapped address */
		SYM(at("weak"), STT_FUNC, STB_GLOBAL, 1, 0x10000180, 0x10),
	};
	size_t size;

	mkelf_section(&m, ".text", SECTION(SHT_PROGBITS, SHF_ALLOC, 0x10000100, 0x1100, 0x100), zeros);
	mkelf_section(&m, ".opd", SECTION(SHT_PROGBITS, SHF_ALLOC, 0x10020000, 0x2000, sizeof(opd)), opd);
	void *table = mkelf_convert(&m, ELF_T_SYM, symbols, 4, &size);
	GElf_Shdr header = SECTION(SHT_SYMTAB, 0, 0, 0, size);
	header.sh_link = 4;
	mkelf_section(&m, ".symtab", header, table);
	mkelf_section(&m, ".strtab", SECTION(SHT_STRTAB, 0, 0, 0, sizeof(names)), names);
	mkelf_load(&m, 0x1000, 0x10000000, 0x200, PF_R | PF_X);
	mkelf_load(&m, 0x2000, 0x10020000, sizeof(opd), PF_R | PF_W);
	mkelf_write(&m, path);
	free(table);
	ck_assert_str_eq(load_file(path, false), "func:1120-1140 weak:1180-1190");
}
END_TEST

/* Relocations @order name dynamic symbols 1, 2, 3; the table has three entries after its header. */
static void make_plt(int class, int machine, uint64_t header_size, uint64_t entry, uint64_t entsize,
		     bool rela, const int order[3])
{
	static const uint8_t zeros[0x100];
	struct mkelf m = { .class = class, .data = ELFDATA2LSB, .machine = machine, .type = ET_DYN };
	const GElf_Sym symbols[] = { { 0 },
				     SYM(at("func"), STT_FUNC, STB_GLOBAL, 0, 0, 0),
				     SYM(at("weak"), STT_FUNC, STB_GLOBAL, 0, 0, 0),
				     SYM(at("zero"), STT_FUNC, STB_GLOBAL, 0, 0, 0),
				     SYM(at("object"), STT_FUNC, STB_GLOBAL, 4, 0xff0, 0) };
	GElf_Rela relas[3];
	GElf_Rel rels[3];
	size_t size, relocs_size;

	for (int i = 0; i < 3; i++) {
		uint64_t info = GELF_R_INFO((uint64_t)order[i], 7);
		relas[i] = (GElf_Rela){ 0x4000 + 8 * (uint64_t)order[i], info, 0 };
		rels[i] = (GElf_Rel){ 0x4000 + 8 * (uint64_t)order[i], info };
	}
	void *table = mkelf_convert(&m, ELF_T_SYM, symbols, 5, &size);
	void *relocs = mkelf_convert(&m, rela ? ELF_T_RELA : ELF_T_REL, rela ? (void *)relas : (void *)rels,
				     3, &relocs_size);
	GElf_Shdr dynsym = SECTION(SHT_DYNSYM, SHF_ALLOC, 0, 0, size);
	dynsym.sh_link = 2;
	GElf_Shdr rel = SECTION(rela ? SHT_RELA : SHT_REL, SHF_ALLOC, 0, 0, relocs_size);
	rel.sh_link = 1;
	GElf_Shdr plt = SECTION(SHT_PROGBITS, SHF_ALLOC, 0x1000, 0x1000, header_size + 3 * entry);
	plt.sh_entsize = entsize;
	if (entsize) /* libelf writes whole entries only */
		plt.sh_size = (plt.sh_size + entsize - 1) / entsize * entsize;
	mkelf_section(&m, ".dynsym", dynsym, table);
	mkelf_section(&m, ".dynstr", SECTION(SHT_STRTAB, SHF_ALLOC, 0, 0, sizeof(names)), names);
	mkelf_section(&m, rela ? ".rela.plt" : ".rel.plt", rel, relocs);
	mkelf_section(&m, ".init.text", SECTION(SHT_PROGBITS, SHF_ALLOC, 0xff0, 0xff0, 0x10), zeros);
	mkelf_section(&m, ".plt", plt, zeros);
	mkelf_load(&m, 0, 0, 0x2000, PF_R | PF_X);
	mkelf_write(&m, path);
	free(table);
	free(relocs);
}

START_TEST(plt_entries_are_named_by_their_relocations)
{
	static const int in_order[] = { 1, 2, 3 }, backwards[] = { 3, 2, 1 };

	make_plt(ELFCLASS64, EM_AARCH64, 32, 16, 16, true, in_order);
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 .plt:1000-1020 func@plt:1020-1030 weak@plt:1030-1040 "
			 "zero@plt:1040-1050");
	make_plt(ELFCLASS64, EM_AARCH64, 32, 24, 24, true, in_order); /* with pointer authentication */
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 .plt:1000-1020 func@plt:1020-1038 weak@plt:1038-1050 "
			 "zero@plt:1050-1068");
	make_plt(ELFCLASS32, EM_ARM, 20, 12, 4, false, in_order);
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 .plt:1000-1014 func@plt:1014-1020 weak@plt:1020-102c "
			 "zero@plt:102c-1038");
	make_plt(ELFCLASS64, EM_S390, 32, 32, 32, true, backwards);
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 .plt:1000-1020 zero@plt:1020-1040 weak@plt:1040-1060 "
			 "func@plt:1060-1080");
	/* On x86 the entries lie in the order of the slots that they jump through. */
	make_plt(ELFCLASS64, EM_X86_64, 16, 16, 16, true, backwards);
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 .plt:1000-1010 func@plt:1010-1020 weak@plt:1020-1030 "
			 "zero@plt:1030-1040");
	make_plt(ELFCLASS64, EM_X86_64, 0, 16, 16, true, in_order); /* no header */
	ck_assert_str_eq(load_file(path, false),
			 "object:ff0-1000 func@plt:1000-1010 weak@plt:1010-1020 zero@plt:1020-1030");
	make_plt(ELFCLASS64, EM_S390, 32, 32, 0, true, in_order); /* nothing says how large an entry is */
	ck_assert_str_eq(load_file(path, false), "object:ff0-1000");
}
END_TEST

/* perf script has no names for what i386 keeps there. */
#ifdef __i386__
#define PLT_GOT ""
#else
#define PLT_GOT "--section=.plt.got"
#endif

/* False: the PLT of that machine is a table of addresses without code (64-bit PowerPC). @ret_start: how far
 * addresses of code are from its places in the file. */
static bool has_plt_code(const char *file, uint64_t *ret_start)
{
	const char *why;
	GElf_Shdr plt;
	struct image *image = image_open(file, &why);

	ck_assert(image && image->segments.count);
	*ret_start = image->segments.at[0].vaddr - image->segments.at[0].offset;
	bool is_data = image_section(image, ".plt", &plt) && !(plt.sh_flags & SHF_EXECINSTR);
	image_free(image);
	return !is_data;
}

/* objdump names PLT entries by the same relocations with code of its own. */
static void expect_as_objdump(const char *flags)
{
	char line[512];
	int count = 0;

	if (!mkelf_run("cd '%s' && gcc %s t.c -o t && objdump -d --section=.plt " PLT_GOT
		       " --section=.plt.sec t >t.txt",
		       folder, flags))
		return;
	snprintf(line, sizeof(line), "%s/t", folder);
	uint64_t program_start;
	if (!has_plt_code(line, &program_start))
		return;
	char *loaded = load_file(line, false);
	snprintf(line, sizeof(line), "%s/t.txt", folder);
	FILE *f = fopen(line, "r");
	while (fgets(line, sizeof(line), f)) {
		uint64_t address;
		char name[256], wanted[300];
		if (sscanf(line, "%" SCNx64 " <%255[^@>]@plt>", &address, name) != 2 ||
		    !strstr(line, "@plt>:") || name[0] == '*')
			continue;
		snprintf(wanted, sizeof(wanted), "%s@plt:%llx-", name,
			 (unsigned long long)(address - program_start));
		ck_assert_msg(strstr(loaded, wanted) != NULL, "%s: no %s in %s", flags, wanted, loaded);
		count++;
	}
	fclose(f);
	ck_assert_msg(count > 0 || strstr(flags, "static"), "%s: objdump names no entry", flags);
}

START_TEST(every_layout_of_a_real_plt_is_understood)
{
	static const char source[] =
		"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
		"void *p;\nint main(int c, char **v)\n{\n\tp = (void *)strlen;\n\tputs(v[0]);\n"
		"\treturn (int)strlen(v[0]) + atoi(v[c - 1]) + rand();\n}\n";
	char file[128];

	snprintf(file, sizeof(file), "%s/t.c", folder);
	mkelf_text(file, source, strlen(source));
	expect_as_objdump("-O0 -Wl,-z,lazy");
	expect_as_objdump("-O0 -Wl,-z,now");
	expect_as_objdump("-O0 -no-pie -fno-pie -Wl,-z,lazy");
	expect_as_objdump("-O0 -fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy");
	expect_as_objdump("-O0 -static -no-pie");
}
END_TEST

START_TEST(a_debug_file_needs_its_binary_only_for_addresses)
{
	static const char source[] =
		"static int hidden(int x)\n{\n\treturn x * 3;\n}\n"
		"int data_object = 4;\nint zero_object;\n"
		"int main(int c, char **v)\n{\n\t(void)v;\n\treturn hidden(c) + zero_object;\n}\n";
	char file[128], debug[160];
	const char *why;

	snprintf(file, sizeof(file), "%s/t.c", folder);
	mkelf_text(file, source, strlen(source));
	snprintf(file, sizeof(file), "%s/t", folder);
	snprintf(debug, sizeof(debug), "%s/t.debug", folder);
	if (!mkelf_run("cd '%s' && gcc -O0 t.c -o t && objcopy --only-keep-debug t t.debug", folder))
		return;
	char *whole = strdup(load_file(file, false));
	ck_assert(strstr(whole, "hidden:") && strstr(whole, "data_object:") && strstr(whole, "zero_object:"));
	ck_assert(mkelf_run("cd '%s' && strip t", folder));
	struct image *binary = image_open(file, &why), *only = image_open(debug, &why);
	ck_assert_str_eq(load(&(struct load_elf){ .symbols = only, .runtime = binary }), whole);
	/* Without it the functions are still where they were. */
	const char *alone = load(&(struct load_elf){ .symbols = only, .runtime = only });
	const char *main_there = strstr(whole, " main:"), *main_here = strstr(alone, " main:");
	ck_assert(main_there && main_here && !strncmp(main_there, main_here, 12));
	image_free(binary);
	image_free(only);
	free(whole);
}
END_TEST

static void load_memory(const char *bytes, size_t size)
{
	const char *why;
	char *copy = malloc(size ? size : 1);

	memcpy(copy, bytes, size);
	struct image *image = image_memory("damaged", copy, size, &why);
	if (image)
		load(&(struct load_elf){ .symbols = image, .runtime = image });
	image_free(image);
}

static void damage_everywhere(void)
{
	FILE *f = fopen(path, "r");
	static char whole[1 << 16];
	size_t size = fread(whole, 1, sizeof(whole), f);

	fclose(f);
	for (size_t cut = 0; cut < size; cut += cut < 0x500 ? 1 : 3)
		load_memory(whole, cut);
	for (size_t i = 0; i < size; i++) {
		char old = whole[i];
		if (!old && i > 0x40 && !whole[i - 1] && (i & 7))
			continue;
		whole[i] = (char)(old ? 0xff : 0x7f);
		load_memory(whole, size);
		whole[i] = 0;
		load_memory(whole, size);
		whole[i] = old;
	}
}

START_TEST(damaged_tables_lose_symbols_only)
{
	static const int order[] = { 1, 2, 3 };
	GElf_Sym symbols[32];

	make_rules_file(ELFCLASS64, ELFDATA2MSB, symbols);
	damage_everywhere();
	make_plt(ELFCLASS32, EM_ARM, 20, 12, 4, false, order);
	damage_everywhere();
	make_plt(ELFCLASS64, EM_X86_64, 16, 16, 16, true, order);
	damage_everywhere();
}
END_TEST

CHECK_SUITE_WITH("load_elf", set_up, tear_down,
		 functions_objects_and_labels_of_code_are_kept, marks_of_the_assembler_are_no_symbols,
		 the_thumb_bit_is_no_part_of_an_address, in_a_module_an_address_is_its_place_in_the_file,
		 sizes_that_overflow_are_cut, function_descriptors_are_followed,
		 plt_entries_are_named_by_their_relocations, every_layout_of_a_real_plt_is_understood,
		 a_debug_file_needs_its_binary_only_for_addresses, damaged_tables_lose_symbols_only)
