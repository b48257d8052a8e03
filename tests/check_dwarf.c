#include "symbolize/dwarf.h"

#include "symbolize/image.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

/*
 * outer() calls in1() calls in2(), both inlined; a label of the assembler marks a place in each. Lines count
 * from 1.
 */
static const char source[] =
	"#define MARK(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \": nop\")\n"
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int in2(int x)\n" /* 3 */
	"{\n"
	"\tMARK(spot_in2);\n" /* 5 */
	"\treturn x + sink;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int in1(int x)\n"
	"{\n"
	"\tint y = in2(x + 1);\n" /* 10 */
	"\tMARK(spot_in1);\n"
	"\treturn y * sink;\n"
	"}\n"
	"namespace space {\n"
	"__attribute__((noinline)) int outer(int x)\n" /* 15 */
	"{\n"
	"\tint y = in1(x);\n" /* 17 */
	"\tMARK(spot_outer);\n"
	"\treturn y + sink;\n"
	"}\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\t(void)argv;\n"
	"\treturn space::outer(argc);\n"
	"}\n";

static char folder[64], program[128], debug[128];

/* False: there is no compiler that can. */
static bool build(const char *compiler, const char *options)
{
	char path[128];

	mkelf_folder(folder);
	snprintf(program, sizeof(program), "%s/inl", folder);
	snprintf(debug, sizeof(debug), "%s/inl.debug", folder);
	snprintf(path, sizeof(path), "%s/inl.cpp", folder);
	mkelf_text(path, source, strlen(source));
	if (mkelf_run("cd '%s' && %s -O2 -g %s inl.cpp -o inl", folder, compiler, options))
		return true;
	mkelf_remove(folder);
	return false;
}

static uint64_t address_of(const struct image *image, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *scn = image_section(image, ".symtab", &header);
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *its = elf_strptr(image->elf, header.sh_link, sym.st_name);
		if (its && !strcmp(its, name))
			return sym.st_value;
	}
	ck_abort_msg("no symbol %s", name);
}

static struct image *open_image(const char *path)
{
	const char *why = "";
	struct image *image = image_open(path, &why);

	ck_assert_msg(image != NULL, "%s: %s", path, why);
	return image;
}

static void expect_place(const char *file, uint32_t line, uint32_t expected)
{
	ck_assert_ptr_nonnull(file);
	const char *slash = strrchr(file, '/');
	ck_assert_str_eq(slash ? slash + 1 : file, "inl.cpp");
	ck_assert_uint_eq(line, expected);
}

/* gcc gives static functions no linkage name, clang does. */
static void expect_name(const char *name, const char *expected)
{
	size_t length = strlen(expected);

	ck_assert_msg(!strncmp(name, expected, length) && (!name[length] || !strcmp(name + length, "(int)")),
		      "%s is not %s", name, expected);
}

/* @names: @nr inlined calls, innermost first; @lines: theirs and then the function's. */
static void expect(struct dwarf_info *info, uint64_t address, unsigned nr, const char *const *names,
		   const unsigned *lines)
{
	struct dwarf_answer answer;

	ck_assert(dwarf_lookup(info, address, &answer));
	ck_assert_uint_eq(answer.nr_inlines, nr);
	expect_place(answer.file, answer.line, lines[0]);
	for (unsigned i = 0; i < nr; i++) {
		expect_name(answer.inlines[i].name, names[i]);
		expect_place(answer.inlines[i].file, answer.inlines[i].line, lines[i]);
	}
	ck_assert_str_eq(answer.function, "space::outer(int)");
	expect_place(answer.function_file, answer.function_line, lines[nr]);
}

static void expect_spots(struct dwarf_info *info, const struct image *image)
{
	static const char *const names[] = { "in2", "in1" };
	static const unsigned in2[] = { 5, 10, 17 }, in1[] = { 11, 17 }, outer[] = { 18 };
	struct dwarf_answer answer;

	ck_assert_ptr_nonnull(info);
	ck_assert(dwarf_info_has_lines(info));
	for (int again = 0; again < 2; again++) {
		expect(info, address_of(image, "spot_in2"), 2, names, in2);
		expect(info, address_of(image, "spot_in1"), 1, names + 1, in1);
		expect(info, address_of(image, "spot_outer"), 0, names, outer);
	}
	ck_assert(dwarf_lookup(info, address_of(image, "main"), &answer));
	ck_assert_str_eq(answer.function, "main");
	ck_assert_ptr_nonnull(answer.file);
	ck_assert(!dwarf_lookup(info, 1, &answer));
	ck_assert_ptr_null(answer.file);
	ck_assert(!dwarf_lookup(info, UINT64_MAX, &answer));
}

static void expect_build(const char *compiler, const char *options)
{
	if (!build(compiler, options))
		return;
	struct image *image = open_image(program);
	struct dwarf_info *info = dwarf_info_new(image, NULL);

	expect_spots(info, image);
	dwarf_info_free(info);
	image_free(image);
	mkelf_remove(folder);
}

START_TEST(inlined_calls_have_the_line_of_the_call_in_them)
{
	expect_build("gcc -x c++", "");
}
END_TEST

START_TEST(all_versions_of_dwarf_are_read)
{
	for (int version = 2; version <= 5; version++) {
		char options[64];
		snprintf(options, sizeof(options), "-gdwarf-%d -gno-strict-dwarf", version);
		expect_build("gcc -x c++", options);
	}
}
END_TEST

START_TEST(compressed_sections_type_units_and_split_units_are_read)
{
	expect_build("gcc -x c++", "-gz");
	expect_build("gcc -x c++", "-fdebug-types-section");
	expect_build("gcc -x c++", "-gsplit-dwarf -gdwarf-4");
	expect_build("gcc -x c++", "-gsplit-dwarf -gdwarf-5");
	expect_build("gcc -x c++", "-ffunction-sections -static-pie");
}
END_TEST

START_TEST(a_unit_that_tells_no_ranges_is_found_by_its_functions)
{
	/* clang writes no .debug_aranges, and no sibling attributes either. */
	expect_build("clang -x c++", "");
	expect_build("clang -x c++", "-gdwarf-4");
}
END_TEST

START_TEST(a_debug_file_goes_first)
{
	if (!build("gcc -x c++", ""))
		return;
	if (mkelf_run("cd '%s' && objcopy --only-keep-debug inl inl.debug && objcopy -S inl inl.bare",
		      folder)) {
		char path[160];
		snprintf(path, sizeof(path), "%s.bare", program);
		struct image *bare = open_image(path), *image = open_image(debug);
		ck_assert_ptr_null(dwarf_info_new(bare, NULL));
		struct dwarf_info *info = dwarf_info_new(bare, image);
		expect_spots(info, image);
		dwarf_info_free(info);
		image_free(bare);
		image_free(image);
	}
	mkelf_remove(folder);
}
END_TEST

START_TEST(without_debug_information_there_is_none)
{
	const char *why;
	struct mkelf m = { .class = ELFCLASS64, .data = ELFDATA2MSB, .machine = EM_S390, .type = ET_EXEC };

	mkelf_folder(folder);
	snprintf(program, sizeof(program), "%s/empty", folder);
	mkelf_write(&m, program);
	struct image *image = image_open(program, &why);
	ck_assert_ptr_nonnull(image);
	ck_assert_ptr_null(dwarf_info_new(image, NULL));
	ck_assert_ptr_null(dwarf_info_new(image, image));
	ck_assert_ptr_null(dwarf_info_new(NULL, NULL));
	dwarf_info_free(NULL);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data = malloc(1 << 20);

	ck_assert_ptr_nonnull(f);
	*size = fread(data, 1, 1 << 20, f);
	fclose(f);
	return data;
}

static void look_everywhere(struct image *image, uint64_t from, uint64_t to)
{
	struct dwarf_info *info = dwarf_info_new(image, NULL);
	struct dwarf_answer answer;

	for (uint64_t at = from; info && at < to; at++)
		dwarf_lookup(info, at, &answer);
	dwarf_info_free(info);
}

/* Bytes of the debug sections are replaced, many times, each time others. */
START_TEST(damaged_debug_information_ends_without_harm)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_line",
						".debug_aranges", ".debug_rnglists" };
	uint32_t random = 12345;
	size_t size;

	if (!build("gcc -x c++", "-gdwarf-5"))
		return;
	struct image *whole = open_image(program);
	uint64_t from = address_of(whole, "spot_in2") & ~UINT64_C(15);
	char *data = read_file(program, &size);
	for (int round = 0; round < 300; round++) {
		const char *why;
		GElf_Shdr header;
		char *copy = malloc(size);
		memcpy(copy, data, size);
		if (!image_section(whole, sections[round % 5], &header) || !header.sh_size)
			continue;
		for (int i = 0; i < 1 + round % 7; i++) {
			random = random * 1664525 + 1013904223;
			copy[header.sh_offset + (random >> 8) % header.sh_size] = (char)(random >> 24);
		}
		struct image *image = image_memory("copy", copy, size, &why);
		ck_assert_ptr_nonnull(image);
		look_everywhere(image, from, from + 64);
		image_free(image);
	}
	free(data);
	image_free(whole);
	mkelf_remove(folder);
}
END_TEST

CHECK_SUITE("dwarf", inlined_calls_have_the_line_of_the_call_in_them, all_versions_of_dwarf_are_read,
	    compressed_sections_type_units_and_split_units_are_read,
	    a_unit_that_tells_no_ranges_is_found_by_its_functions, a_debug_file_goes_first,
	    without_debug_information_there_is_none, damaged_debug_information_ends_without_harm)
