/* DWARF made byte by byte: both byte orders, both sizes of addresses, forms that the compilers here do not
 * write. */
#include <dwarf.h>

#include "symbolize/debug_entry.h"
#include "symbolize/debug_lines.h"
#include "symbolize/dso_find.h"
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

static char folder[64], path[128];
static struct bytes info, abbrev, line, ranges, rnglists, addr, str;
static bool big, wide; /* byte order; 64-bit addresses */

static void start_sections(bool big_endian, bool wide_addresses)
{
	struct bytes *all[] = { &info, &abbrev, &line, &ranges, &rnglists, &addr, &str };

	big = big_endian;
	wide = wide_addresses;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bytes_start(all[i], big_endian);
}

static void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_u8(b, (uint8_t)(value | 0x80));
	put_u8(b, (uint8_t)value);
}

static void put_address(struct bytes *b, uint64_t address)
{
	wide ? put_u64(b, address) : put_u32(b, (uint32_t)address);
}

static void put_text(struct bytes *b, const char *text)
{
	put_bytes(b, text, strlen(text) + 1);
}

/* Room for a length, which put_length() fills in. */
static size_t leave_length(struct bytes *b)
{
	put_u32(b, 0);
	return b->size;
}

static void put_length(struct bytes *b, size_t start)
{
	uint32_t length = (uint32_t)(b->size - start);

	length = big ? htobe32(length) : htole32(length);
	memcpy(b->at + start - 4, &length, 4);
}

/* Pairs of attribute and form, ended by 0. */
static void put_abbrev(unsigned code, unsigned tag, bool children, const unsigned *pairs)
{
	put_uleb(&abbrev, code);
	put_uleb(&abbrev, tag);
	put_u8(&abbrev, children);
	for (; *pairs; pairs += 2) {
		put_uleb(&abbrev, pairs[0]);
		put_uleb(&abbrev, pairs[1]);
	}
	put_u16(&abbrev, 0);
}

static size_t start_unit(unsigned version)
{
	size_t start = leave_length(&info);

	put_u16(&info, (uint16_t)version);
	if (version == 5) {
		put_u8(&info, DW_UT_compile);
		put_u8(&info, wide ? 8 : 4);
		put_u32(&info, 0);
	} else {
		put_u32(&info, 0);
		put_u8(&info, wide ? 8 : 4);
	}
	return start;
}

static struct image *write_image(const char *name, const char *link, size_t link_size, const void *note,
				 size_t note_size)
{
	static const char *const names[] = { ".debug_info",   ".debug_abbrev",	 ".debug_line",
					     ".debug_ranges", ".debug_rnglists", ".debug_addr",
					     ".debug_str" };
	const struct bytes *all[] = { &info, &abbrev, &line, &ranges, &rnglists, &addr, &str };
	const char *why;
	struct mkelf m = { .class = wide ? ELFCLASS64 : ELFCLASS32,
			   .data = big ? ELFDATA2MSB : ELFDATA2LSB,
			   .machine = EM_PPC,
			   .type = ET_EXEC };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = all[i]->size, .sh_addralign = 1 };
		mkelf_section(&m, names[i], header, all[i]->at);
	}
	GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = link_size, .sh_addralign = 1 };
	if (link)
		mkelf_section(&m, ".gnu_debugaltlink", header, link);
	header = (GElf_Shdr){ .sh_type = SHT_NOTE, .sh_size = note_size, .sh_addralign = 4 };
	if (note)
		mkelf_section(&m, ".note.gnu.build-id", header, note);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	mkelf_write(&m, path);
	struct image *image = image_open(path, &why);
	ck_assert_ptr_nonnull(image);
	return image;
}

/* ---- line tables ---- */

static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

/* Up to the program: folders "d1" (0 is "/comp"), files 1 "a.c" in d1, 2 "/abs.c"; 0 is "a.c" too in DWARF 5.
 */
static size_t start_line(unsigned version, unsigned max_ops)
{
	size_t start = leave_length(&line);

	put_u16(&line, (uint16_t)version);
	if (version == 5) {
		put_u8(&line, wide ? 8 : 4);
		put_u8(&line, 0);
	}
	size_t header = leave_length(&line);
	put_u8(&line, 2); /* bytes of an instruction */
	if (version >= 4)
		put_u8(&line, (uint8_t)max_ops);
	put_u8(&line, 1);
	put_u8(&line, (uint8_t)-3); /* special opcodes: from -3 on, 12 lines */
	put_u8(&line, 12);
	put_u8(&line, sizeof(operands) + 1);
	put_bytes(&line, operands, sizeof(operands));
	if (version < 5) {
		put_text(&line, "d1");
		put_u8(&line, 0);
		put_text(&line, "a.c");
		put_bytes(&line, "\1\0\0", 3);
		put_text(&line, "/abs.c");
		put_bytes(&line, "\0\0\0", 3);
		put_u8(&line, 0);
	} else {
		put_u8(&line, 1);
		put_uleb(&line, DW_LNCT_path);
		put_uleb(&line, DW_FORM_string);
		put_uleb(&line, 2);
		put_text(&line, "/comp");
		put_text(&line, "d1");
		put_u8(&line, 3);
		put_uleb(&line, DW_LNCT_path);
		put_uleb(&line, DW_FORM_string);
		put_uleb(&line, DW_LNCT_MD5);
		put_uleb(&line, DW_FORM_data16);
		put_uleb(&line, DW_LNCT_directory_index);
		put_uleb(&line, DW_FORM_udata);
		put_uleb(&line, 3);
		for (int i = 0; i < 3; i++) {
			put_text(&line, i == 2 ? "/abs.c" : "a.c");
			put_zeros(&line, 16);
			put_uleb(&line, i == 1);
		}
	}
	put_length(&line, header);
	return start;
}

static void put_set_address(uint64_t address)
{
	put_u8(&line, 0);
	put_uleb(&line, wide ? 9 : 5);
	put_u8(&line, DW_LNE_set_address);
	put_address(&line, address);
}

static void put_end_sequence(void)
{
	put_bytes(&line, "\0\1\1", 3);
}

/* Advance by instructions and lines (-3 to 8), and a row. */
static void put_special(unsigned advance, int lines)
{
	put_u8(&line, (uint8_t)(sizeof(operands) + 1 + advance * 12 + (unsigned)(lines + 3)));
}

/* From @low: line 5 of a.c; +4: line 6; +8: line 1 of /abs.c; the end at +12. */
static void put_rows(uint64_t low)
{
	put_set_address(low);
	put_special(0, 4);
	put_special(2, 1);
	put_u8(&line, DW_LNS_set_file);
	put_uleb(&line, 2);
	put_u8(&line, DW_LNS_advance_line);
	put_u8(&line, 0x7b); /* -5 */
	put_u8(&line, DW_LNS_fixed_advance_pc);
	put_u16(&line, 4);
	put_u8(&line, DW_LNS_copy);
	put_u8(&line, DW_LNS_advance_pc);
	put_uleb(&line, 2);
	put_end_sequence();
}

static struct debug_lines *open_lines(struct debug_file *file)
{
	debug_file_list(file);
	ck_assert_uint_eq(file->units.count, 1);
	return debug_lines_new(file->units.at[0], 0, "/comp");
}

static void expect_row(struct debug_lines *lines, uint64_t address, const char *file, unsigned number)
{
	const struct debug_row *row = debug_lines_find(lines, address);

	if (!file) {
		ck_assert_ptr_null(row);
		return;
	}
	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->line, number);
	ck_assert_str_eq(debug_lines_file(lines, row->file), file);
}

static void put_small_unit(unsigned version)
{
	static const unsigned none[] = { 0 };

	put_abbrev(1, DW_TAG_compile_unit, false, none);
	put_u8(&abbrev, 0);
	size_t start = start_unit(version);
	put_uleb(&info, 1);
	put_length(&info, start);
}

START_TEST(line_tables_of_every_version_are_read)
{
	mkelf_folder(folder);
	for (unsigned i = 0; i < 16; i++) {
		unsigned version = 2 + i / 4;
		start_sections(i & 1, i & 2);
		put_small_unit(version);
		size_t start = start_line(version, 1);
		put_rows(0x2000); /* sequences need not be in order */
		put_rows(0x1000);
		put_rows(0x1010);
		put_length(&line, start);
		struct image *image = write_image("lines", NULL, 0, NULL, 0);
		struct debug_file *file = debug_file_new(image, false);
		struct debug_lines *lines = open_lines(file);
		ck_assert_ptr_nonnull(lines);
		expect_row(lines, 0xfff, NULL, 0);
		for (uint64_t low = 0x1000; low <= 0x2000; low += low == 0x1000 ? 0x10 : 0xff0) {
			expect_row(lines, low, "d1/a.c", 5);
			expect_row(lines, low + 3, "d1/a.c", 5);
			expect_row(lines, low + 4, "d1/a.c", 6);
			expect_row(lines, low + 8, "/abs.c", 1);
			expect_row(lines, low + 11, "/abs.c", 1);
			expect_row(lines, low + 12, NULL, 0);
		}
		ck_assert_ptr_null(debug_lines_file(lines, 3));
		ck_assert_ptr_null(debug_lines_file(lines, UINT64_MAX));
		if (version == 5)
			ck_assert_str_eq(debug_lines_file(lines, 0), "/comp/a.c");
		else
			ck_assert_ptr_null(debug_lines_file(lines, 0));
		debug_lines_free(lines);
		debug_file_free(file);
		image_free(image);
	}
	mkelf_remove(folder);
}
END_TEST

/* Three operations an instruction: an address moves when all of them are passed. */
START_TEST(instructions_of_several_operations_are_counted)
{
	mkelf_folder(folder);
	start_sections(false, true);
	put_small_unit(4);
	size_t start = start_line(4, 3);
	put_set_address(0x1000);
	put_special(0, 1);
	put_special(2, 1);		    /* operation 2 of the same instruction */
	put_special(2, 1);		    /* operation 1 of the next */
	put_u8(&line, DW_LNS_const_add_pc); /* (255 - 13) / 12 = 20 operations: 21 in all */
	put_special(0, 1);
	put_length(&line, start); /* no end of the sequence: the last row ends */
	struct image *image = write_image("lines", NULL, 0, NULL, 0);
	struct debug_file *file = debug_file_new(image, false);
	struct debug_lines *lines = open_lines(file);
	ck_assert_ptr_nonnull(lines);
	expect_row(lines, 0x1001, "d1/a.c", 3);
	expect_row(lines, 0x1002, "d1/a.c", 4);
	expect_row(lines, 0x100f, "d1/a.c", 4);
	expect_row(lines, 0x1010, NULL, 0);
	debug_lines_free(lines);
	debug_file_free(file);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

/* ---- entries ---- */

enum { UNIT = 1, FUNCTION, CALL, ABSTRACT };

/* A unit of [0x1000, 0x1100) with f() at [0x1000, 0x1080), in which g() was inlined at [0x1010, 0x1020). */
static void put_calls(unsigned version, unsigned origin_form, uint64_t origin)
{
	unsigned data4 = version == 3 ? DW_FORM_udata : DW_FORM_data4;
	const unsigned unit[] = {
		DW_AT_low_pc,	DW_FORM_addr,	 DW_AT_high_pc,
		DW_FORM_addr,	DW_AT_stmt_list, version >= 4 ? DW_FORM_sec_offset : DW_FORM_data4,
		DW_AT_comp_dir, DW_FORM_string,	 0
	};
	const unsigned function[] = { DW_AT_name,      DW_FORM_string,	 DW_AT_low_pc,
				      DW_FORM_addr,    DW_AT_high_pc,	 data4,
				      DW_AT_decl_line, DW_FORM_indirect, 0 };
	const unsigned call[] = { DW_AT_abstract_origin,
				  origin_form,
				  DW_AT_low_pc,
				  DW_FORM_addr,
				  DW_AT_high_pc,
				  data4,
				  DW_AT_call_file,
				  DW_FORM_data1,
				  DW_AT_call_line,
				  DW_FORM_udata,
				  0 };
	const unsigned abstract[] = { DW_AT_name, DW_FORM_string, 0 };

	put_abbrev(UNIT, DW_TAG_compile_unit, true, unit);
	put_abbrev(ABSTRACT, DW_TAG_subprogram, false, abstract);
	put_abbrev(FUNCTION, DW_TAG_subprogram, true, function);
	put_abbrev(CALL, DW_TAG_inlined_subroutine, false, call);
	put_u8(&abbrev, 0);
	size_t start = start_unit(version);
	put_uleb(&info, UNIT);
	put_address(&info, 0x1000);
	put_address(&info, 0x1100);
	put_u32(&info, 0);
	put_text(&info, "/comp");
	uint64_t g = info.size - start + 4; /* the unit begins with its length */
	put_uleb(&info, ABSTRACT);
	put_text(&info, "g");
	put_uleb(&info, FUNCTION);
	put_text(&info, "f");
	put_address(&info, 0x1000);
	version == 3 ? put_uleb(&info, 0x80) : put_u32(&info, 0x80);
	put_uleb(&info, DW_FORM_data2);
	put_u16(&info, 1);
	put_uleb(&info, CALL);
	put_u32(&info, (uint32_t)(origin_form == DW_FORM_ref4 ? g : origin));
	put_address(&info, 0x1010);
	version == 3 ? put_uleb(&info, 0x10) : put_u32(&info, 0x10);
	put_u8(&info, 2);
	put_uleb(&info, 77);
	put_u16(&info, 0);
	put_length(&info, start);
	start = start_line(version, 1);
	put_set_address(0x1000);
	put_special(0, 4);
	put_u8(&line, DW_LNS_advance_pc);
	put_uleb(&line, 0x80);
	put_end_sequence();
	put_length(&line, start);
}

static void expect_call(struct dso_find *find, struct image *image, const char *name)
{
	struct dwarf_info *dwarf = dwarf_info_new(find, image, NULL);
	struct dwarf_answer answer;

	ck_assert_ptr_nonnull(dwarf);
	ck_assert(dwarf_lookup(dwarf, 0x1010, &answer));
	ck_assert_uint_eq(answer.nr_inlines, 1);
	ck_assert_str_eq(answer.inlines[0].name, name);
	ck_assert_str_eq(answer.inlines[0].file, "d1/a.c");
	ck_assert_uint_eq(answer.inlines[0].line, 5);
	ck_assert_str_eq(answer.function, "f");
	ck_assert_str_eq(answer.function_file, "/abs.c");
	ck_assert_uint_eq(answer.function_line, 77);
	ck_assert(dwarf_lookup(dwarf, 0x1020, &answer));
	ck_assert_uint_eq(answer.nr_inlines, 0);
	ck_assert_uint_eq(answer.function_line, 5);
	ck_assert(dwarf_lookup(dwarf, 0x1080, &answer));
	ck_assert_ptr_null(answer.function);
	ck_assert(!dwarf_lookup(dwarf, 0x1100, &answer));
	dwarf_info_free(dwarf);
}

START_TEST(inlined_calls_of_every_version_byte_order_and_word_size)
{
	mkelf_folder(folder);
	for (unsigned i = 0; i < 16; i++) {
		start_sections(i & 1, i & 2);
		put_calls(2 + i / 4, DW_FORM_ref4, 0);
		struct image *image = write_image("calls", NULL, 0, NULL, 0);
		expect_call(NULL, image, "g");
		image_free(image);
	}
	mkelf_remove(folder);
}
END_TEST

/* What dwz makes: an abstract function in the supplementary file, its name in that one's .debug_str. */
static uint64_t put_supplement(void)
{
	static const unsigned partial[] = { DW_AT_stmt_list, DW_FORM_data4, 0 };
	static const unsigned abstract[] = { DW_AT_name, DW_FORM_strp, 0 };

	put_abbrev(1, DW_TAG_partial_unit, true, partial);
	put_abbrev(2, DW_TAG_subprogram, false, abstract);
	put_u8(&abbrev, 0);
	put_text(&str, "other");
	put_text(&str, "shared");
	size_t start = start_unit(4);
	put_uleb(&info, 1);
	put_u32(&info, 0);
	uint64_t offset = info.size;
	put_uleb(&info, 2);
	put_u32(&info, 6);
	put_u8(&info, 0);
	put_length(&info, start);
	return offset;
}

static struct image *write_supplement(const char *name, const char *id)
{
	static struct bytes note;

	bytes_start(&note, big);
	put_u32(&note, 4);
	put_u32(&note, 4);
	put_u32(&note, NT_GNU_BUILD_ID);
	put_bytes(&note, "GNU", 4);
	put_bytes(&note, id, 4);
	return write_image(name, NULL, 0, note.at, note.size);
}

START_TEST(a_supplementary_file_has_what_was_moved_there)
{
	static const char relative[] = "sub/common\0\x12\x34\x56\x78";
	static const char absolute[] = "/usr/lib/debug/.dwz/common\0\x12\x34\x56\x78";

	mkelf_folder(folder);
	ck_assert(mkelf_run("mkdir -p '%s/sub' '%s/usr/lib/debug/.dwz'", folder, folder));
	for (unsigned i = 0; i < 8; i++) {
		struct dso_find_options options = { .sysroot = folder };
		struct dso_find *find = dso_find_new(&options);
		const char *names[] = { "sub/common", "usr/lib/debug/.dwz/common" };
		bool is_absolute = i & 4;
		start_sections(i & 1, i & 2);
		uint64_t origin = put_supplement();
		image_free(write_supplement(names[is_absolute], "\x12\x34\x56\x78"));
		start_sections(i & 1, i & 2);
		put_calls(4, DW_FORM_GNU_ref_alt, origin);
		struct image *image =
			write_image("main", is_absolute ? absolute : relative,
				    is_absolute ? sizeof(absolute) - 1 : sizeof(relative) - 1, NULL, 0);
		expect_call(find, image, "shared");
		expect_call(NULL, image, "??");
		/* Another build's must not give names. */
		start_sections(i & 1, i & 2);
		put_supplement();
		image_free(write_supplement(names[is_absolute], "\x12\x34\x56\x79"));
		expect_call(find, image, "??");
		image_free(image);
		dso_find_free(find);
		ck_assert(mkelf_run("rm '%s/%s'", folder, names[is_absolute]));
	}
	mkelf_remove(folder);
}
END_TEST

/* ---- ranges ---- */

/* All ranges of the first entry, "start-end " each. */
static const char *ranges_text(struct image *image)
{
	static char text[512];
	struct debug_file *file = debug_file_new(image, false);
	struct debug_entry first;
	uint64_t start, end;
	size_t used = 0;

	debug_file_list(file);
	ck_assert_uint_eq(file->units.count, 1);
	ck_assert(debug_unit_open(file->units.at[0], &first));
	struct debug_ranges list = debug_ranges_of(&first);
	text[0] = '\0';
	while (debug_ranges_next(&list, &start, &end))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%x-%x ", (unsigned)start,
					 (unsigned)end);
	ck_assert(!debug_ranges_next(&list, &start, &end));
	debug_file_free(file);
	image_free(image);
	return text;
}

static void put_ranges_unit(unsigned version, unsigned form)
{
	const unsigned unit[] = {
		DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges, form, DW_AT_addr_base, DW_FORM_sec_offset, 0
	};

	put_abbrev(1, DW_TAG_compile_unit, false, unit);
	put_u8(&abbrev, 0);
	size_t start = start_unit(version);
	put_uleb(&info, 1);
	put_address(&info, 0x100);
	form == DW_FORM_rnglistx ? put_uleb(&info, 1) : put_u32(&info, 4);
	put_u32(&info, 8);
	put_length(&info, start);
}

START_TEST(ranges_are_read_in_every_form)
{
	mkelf_folder(folder);
	for (unsigned i = 0; i < 4; i++) {
		start_sections(i & 1, i & 2);
		put_ranges_unit(4, DW_FORM_sec_offset);
		put_u32(&ranges, 0);
		put_address(&ranges, 0x10);
		put_address(&ranges, 0x20);
		put_address(&ranges, UINT64_MAX);
		put_address(&ranges, 0x5000);
		put_address(&ranges, 0);
		put_address(&ranges, 8);
		put_address(&ranges, 0);
		put_address(&ranges, 0);
		put_address(&ranges, 1);
		put_address(&ranges, 2);
		ck_assert_str_eq(ranges_text(write_image("r", NULL, 0, NULL, 0)), "110-120 5000-5008 ");

		start_sections(i & 1, i & 2);
		put_ranges_unit(5, DW_FORM_rnglistx);
		put_u64(&addr, 0); /* its header */
		put_address(&addr, 0x700);
		put_address(&addr, 0x780);
		size_t start = leave_length(&rnglists);
		put_u16(&rnglists, 5);
		put_u8(&rnglists, wide ? 8 : 4);
		put_u8(&rnglists, 0);
		put_u32(&rnglists, 2);
		put_u32(&rnglists, 8);
		put_u32(&rnglists, 9);
		put_u8(&rnglists, DW_RLE_end_of_list);
		put_bytes(&rnglists, (uint8_t[]){ DW_RLE_offset_pair, 1, 2 }, 3);
		put_u8(&rnglists, DW_RLE_base_address);
		put_address(&rnglists, 0x3000);
		put_bytes(&rnglists, (uint8_t[]){ DW_RLE_offset_pair, 4, 0x80, 1 }, 4);
		put_bytes(&rnglists, (uint8_t[]){ DW_RLE_base_addressx, 1, DW_RLE_offset_pair, 0, 4 }, 5);
		put_bytes(&rnglists, (uint8_t[]){ DW_RLE_startx_endx, 0, 1, DW_RLE_startx_length, 1, 9 }, 6);
		put_u8(&rnglists, DW_RLE_start_end);
		put_address(&rnglists, 0x10);
		put_address(&rnglists, 0x20);
		put_u8(&rnglists, DW_RLE_start_length);
		put_address(&rnglists, 0x30);
		put_uleb(&rnglists, 0x200);
		size_t whole = rnglists.size;
		put_u8(&rnglists, DW_RLE_end_of_list);
		put_bytes(&rnglists, (uint8_t[]){ DW_RLE_offset_pair, 1, 2 }, 3);
		put_length(&rnglists, start);
		static const char all[] = "101-102 3004-3080 780-784 700-780 780-789 10-20 30-230 ";
		ck_assert_str_eq(ranges_text(write_image("r", NULL, 0, NULL, 0)), all);
		rnglists.size = whole - 1; /* cut in the last one's length */
		ck_assert_str_eq(ranges_text(write_image("r", NULL, 0, NULL, 0)),
				 "101-102 3004-3080 780-784 700-780 780-789 10-20 ");
	}
	mkelf_remove(folder);
}
END_TEST

CHECK_SUITE("debug", line_tables_of_every_version_are_read, instructions_of_several_operations_are_counted,
	    inlined_calls_of_every_version_byte_order_and_word_size,
	    a_supplementary_file_has_what_was_moved_there, ranges_are_read_in_every_form)
