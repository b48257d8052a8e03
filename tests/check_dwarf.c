#include "symbolize/dwarf.h"

#include <unistd.h>

#include "symbolize/dso_find.h"
#include "symbolize/image.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"
#include "util/cursor.h"

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

/* For -include: a function of another file. */
static const char included[] = "__attribute__((used)) int first(int x) { return x + 1; }\n";

static char folder[64], program[128], debug[128];

static void say_skipped(const char *what)
{
	fprintf(stderr, "check_dwarf: not tried: %s\n", what);
}

/* False: there is no compiler that can. */
static bool build(const char *compiler, const char *options)
{
	char path[128];

	mkelf_folder(folder);
	snprintf(program, sizeof(program), "%s/inl", folder);
	snprintf(debug, sizeof(debug), "%s/inl.debug", folder);
	snprintf(path, sizeof(path), "%s/inl.cpp", folder);
	mkelf_text(path, source, strlen(source));
	snprintf(path, sizeof(path), "%s/first.h", folder);
	mkelf_text(path, included, strlen(included));
	if (mkelf_run("cd '%s' && %s -O2 -g %s inl.cpp -o inl", folder, compiler, options))
		return true;
	mkelf_remove(folder);
	AUTOFREE char *what = xasprintf("%s %s", compiler, options);
	say_skipped(what);
	return false;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data = malloc(1 << 20);

	ck_assert_ptr_nonnull(f);
	*size = fread(data, 1, 1 << 20, f);
	fclose(f);
	return data;
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

/* Behind expect_spots(): what was read is not given any more. */
static void expect_no_lines(struct dwarf_info *info, const struct image *image)
{
	struct dwarf_answer answer;

	dwarf_info_leave_out_lines(info);
	ck_assert(dwarf_lookup(info, address_of(image, "spot_in2"), &answer));
	ck_assert_uint_eq(answer.nr_inlines, 2);
	expect_name(answer.inlines[0].name, "in2");
	expect_name(answer.inlines[1].name, "in1");
	ck_assert_str_eq(answer.function, "space::outer(int)");
	ck_assert_ptr_null(answer.inlines[0].file);
	ck_assert_ptr_null(answer.inlines[1].file);
	ck_assert_ptr_null(answer.file);
	ck_assert_ptr_null(answer.function_file);
	ck_assert_uint_eq(answer.inlines[1].line + answer.function_line, 0);
}

/* As expect_spots(), of a program and the files that it names; @sysroot may be NULL. */
static void expect_file(const char *path, const char *sysroot)
{
	struct dso_find_options options = { .sysroot = sysroot };
	struct dso_find *find = dso_find_new(&options);
	struct image *image = open_image(path);
	struct dwarf_info *info = dwarf_info_new(find, image, NULL);

	expect_spots(info, image);
	expect_no_lines(info, image);
	dwarf_info_free(info);
	image_free(image);
	dso_find_free(find);
}

/* Without its other files: the line is there, the function and the calls in it have no names or are missing.
 */
static void expect_only_lines(const char *path, const char *sysroot)
{
	struct dso_find_options options = { .sysroot = sysroot };
	struct dso_find *find = dso_find_new(&options);
	struct image *image = open_image(path);
	struct dwarf_info *info = dwarf_info_new(find, image, NULL);
	struct dwarf_answer answer;

	ck_assert(dwarf_lookup(info, address_of(image, "spot_in2"), &answer));
	expect_place(answer.file, answer.line, 5);
	ck_assert(!answer.function || !strcmp(answer.function, "??"));
	dwarf_info_free(info);
	image_free(image);
	dso_find_free(find);
}

static void expect_build(const char *compiler, const char *options)
{
	if (!build(compiler, options))
		return;
	expect_file(program, NULL);
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

START_TEST(compressed_sections_and_type_units_are_read)
{
	expect_build("gcc -x c++", "-gz");
	expect_build("gcc -x c++", "-gz=zlib-gnu");
	expect_build("gcc -x c++", "-fdebug-types-section");
	expect_build("gcc -x c++", "-fdebug-types-section -gdwarf-4");
	expect_build("gcc -x c++", "-gdwarf64 -gdwarf-5");
	expect_build("gcc -x c++", "-ffunction-sections -static-pie");
}
END_TEST

START_TEST(sections_packed_by_zstd_are_read)
{
	if (!build("gcc -x c++", ""))
		return;
	if (mkelf_run("cd '%s' && objcopy --compress-debug-sections=zstd inl", folder))
		expect_file(program, NULL);
	else
		say_skipped("objcopy --compress-debug-sections=zstd");
	mkelf_remove(folder);
}
END_TEST

START_TEST(ranges_of_units_need_no_aranges)
{
	static const char *const options[] = { "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -ffunction-sections" };

	for (unsigned i = 0; i < 3; i++) {
		if (!build("gcc -x c++", options[i]))
			continue;
		ck_assert(mkelf_run("cd '%s' && objcopy -R .debug_aranges inl", folder));
		expect_file(program, NULL);
		mkelf_remove(folder);
	}
}
END_TEST

/* A program whose units are split off: "obj.o" becomes obj.dwo, or @name. */
static bool build_split(const char *compiler, const char *options)
{
	if (!build(compiler, ""))
		return false;
	if (mkelf_run("cd '%s' && %s -O2 -g -gsplit-dwarf %s -c inl.cpp -o obj.o && "
		      "ls *.dwo >list && %s obj.o -x none -o inl -x c++ /dev/null",
		      folder, compiler, options, compiler))
		return true;
	mkelf_remove(folder);
	say_skipped("-gsplit-dwarf");
	return false;
}

static const char *const splitters[][2] = {
	{ "gcc", "-gdwarf-4" },
	{ "gcc", "-gdwarf-5" },
	{ "clang", "-gdwarf-4" },
	{ "clang", "-gdwarf-5" },
};

START_TEST(split_units_are_found)
{
	for (unsigned i = 0; i < 4; i++) {
		char elsewhere[160], copy[200];
		if (!build_split(splitters[i][0], splitters[i][1]))
			continue;
		expect_file(program, NULL);
		/* In a sysroot: what is outside of it is not used, what is inside is, at the same path. */
		snprintf(elsewhere, sizeof(elsewhere), "%s/root", folder);
		snprintf(copy, sizeof(copy), "%s/bin/inl", elsewhere);
		ck_assert(mkelf_run("cd '%s' && mkdir -p root/bin root'%s' && cp inl root/bin", folder,
				    folder));
		expect_only_lines(copy, elsewhere);
		ck_assert(mkelf_run("cd '%s' && cp *.dwo root'%s'", folder, folder));
		expect_file(copy, elsewhere);
		/* Beside the binary. */
		ck_assert(mkelf_run("cd '%s' && rm -r root/tmp && cp *.dwo root/bin", folder));
		expect_file(copy, elsewhere);
		/* A file of the right name, from another compilation. */
		ck_assert(mkelf_run(
			"cd '%s' && echo 'int other(int a) { return a; }' >>inl.cpp && "
			"%s -x c++ -O2 -g -gsplit-dwarf %s -c inl.cpp -o obj.o && cp *.dwo root/bin",
			folder, splitters[i][0], splitters[i][1]));
		expect_only_lines(copy, elsewhere);
		mkelf_remove(folder);
	}
}
END_TEST

START_TEST(packages_of_split_units_are_read)
{
	static const char *const packers[] = { "dwp", "llvm-dwp" };
	unsigned tried = 0;

	for (unsigned i = 0; i < 8; i++) {
		const char *const *splitter = splitters[i / 2];
		/* dwp of binutils 2.40 leaves out units of DWARF 5, or gives them any id. */
		if (i % 2 == 0 && !strcmp(splitter[1], "-gdwarf-5"))
			continue;
		if (!build_split(splitter[0], splitter[1]))
			continue;
		/* A second unit, so that the parts of ours do not begin where their sections do. */
		ck_assert(mkelf_run("cd '%s' && printf 'int first(int a) { return a + 1; }' >first.cpp && "
				    "%s -x c++ -O2 -g -gsplit-dwarf %s -c first.cpp -o first.o",
				    folder, splitter[0], splitter[1]));
		if (mkelf_run("cd '%s' && %s first.dwo obj.dwo -o inl.dwp && rm *.dwo", folder,
			      packers[i % 2])) {
			tried++;
			expect_file(program, NULL);
			ck_assert(mkelf_run("cd '%s' && mv inl.dwp other.dwp", folder));
			expect_only_lines(program, NULL);
		}
		mkelf_remove(folder);
	}
	if (!tried)
		say_skipped("dwp, llvm-dwp");
}
END_TEST

/* dwz moves what two programs share to a file of its own. */
START_TEST(a_supplementary_file_of_dwz_is_read)
{
	static const char make_it[] =
		"cd '%s' && mkdir -p root/usr/lib/debug/.dwz root/bin && cp inl root/bin/inl && "
		"cp inl root/bin/twin && dwz -m root/usr/lib/debug/.dwz/common -M %s root/bin/inl "
		"root/bin/twin "
		"&& rm root/bin/twin && readelf -S root/bin/inl | grep -q gnu_debugaltlink";
	static const char *const names[] = { "/usr/lib/debug/.dwz/common", "../usr/lib/debug/.dwz/common" };

	for (unsigned i = 0; i < 4; i++) {
		char root[160], copy[200];
		if (!build("gcc -x c++", i / 2 ? "-gdwarf-5" : "-gdwarf-4"))
			continue;
		snprintf(root, sizeof(root), "%s/root", folder);
		snprintf(copy, sizeof(copy), "%s/bin/inl", root);
		if (mkelf_run(make_it, folder, names[i % 2])) {
			expect_file(copy, root);
			/* Not of another build. */
			ck_assert(mkelf_run("cd '%s/root' && cp bin/inl usr/lib/debug/.dwz/common", folder));
			expect_only_lines(copy, root);
		} else {
			say_skipped("dwz -m");
		}
		mkelf_remove(folder);
	}
}
END_TEST

/* Two units, one with what is asked for: the other one's header is damaged in all ways. */
START_TEST(a_damaged_unit_costs_that_unit_only)
{
	static const char *const order[] = { "inl.cpp other.cpp", "other.cpp inl.cpp" };

	for (unsigned i = 0; i < 2; i++) {
		if (!build("gcc -x c++", ""))
			return;
		ck_assert(mkelf_run("cd '%s' && echo 'int other(int a) { return a; }' >other.cpp && "
				    "gcc -x c++ -nostartfiles -Wl,-e,main -gdwarf-5 -O2 %s -o inl",
				    folder, order[i]));
		size_t size;
		char *data = read_file(program, &size);
		struct image *whole = open_image(program);
		GElf_Shdr header;
		ck_assert_ptr_nonnull(image_section(whole, ".debug_info", &header));
		uint32_t length = load_u32(data + header.sh_offset, whole->big_endian);
		size_t at = header.sh_offset + (i ? 0 : length + 4);
		for (unsigned byte = 4; byte < 14; byte++) {
			const char *why;
			char *copy = malloc(size);
			memcpy(copy, data, size);
			copy[at + byte] = (char)0xee;
			struct image *image = image_memory("copy", copy, size, &why);
			ck_assert_ptr_nonnull(image);
			struct dwarf_info *info = dwarf_info_new(NULL, image, NULL);
			expect_spots(info, image);
			expect_no_lines(info, image);
			dwarf_info_free(info);
			image_free(image);
		}
		free(data);
		image_free(whole);
		mkelf_remove(folder);
	}
}
END_TEST

/*
 * The unit of the code has first.h as its file 1 and inl.cpp as 2, the one that describes the called
 * functions has them the other way round.
 */
START_TEST(the_file_of_a_call_is_one_of_its_own_unit)
{
	expect_build("gcc -x c++", "-flto -fno-toplevel-reorder -include first.h");
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
		ck_assert_ptr_null(dwarf_info_new(NULL, bare, NULL));
		struct dwarf_info *info = dwarf_info_new(NULL, bare, image);
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
	ck_assert_ptr_null(dwarf_info_new(NULL, image, NULL));
	ck_assert_ptr_null(dwarf_info_new(NULL, image, image));
	ck_assert_ptr_null(dwarf_info_new(NULL, NULL, NULL));
	dwarf_info_free(NULL);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

static void look_everywhere(struct image *image, uint64_t from, uint64_t to)
{
	struct dwarf_info *info = dwarf_info_new(NULL, image, NULL);
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
	    compressed_sections_and_type_units_are_read, sections_packed_by_zstd_are_read,
	    ranges_of_units_need_no_aranges, split_units_are_found, packages_of_split_units_are_read,
	    a_supplementary_file_of_dwz_is_read, a_damaged_unit_costs_that_unit_only,
	    the_file_of_a_call_is_one_of_its_own_unit, a_unit_that_tells_no_ranges_is_found_by_its_functions,
	    a_debug_file_goes_first, without_debug_information_there_is_none,
	    damaged_debug_information_ends_without_harm)
