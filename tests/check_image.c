#include "symbolize/image.h"

#include <zlib.h>
#include <zstd.h>

#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

static const char *const c_source = "int leaf(int x)\n{\n\treturn x + 1;\n}\n"
				    "int main(void)\n{\n\treturn leaf(-1);\n}\n";

static const uint8_t id_bytes[20] = { 0xab, 0xcd, 1,  2,  3,  4,  5,  6,  7,  8,
				      9,    10,	  11, 12, 13, 14, 15, 16, 17, 18 };

/* Two notes, the second one a build-id; as 32-bit words of the given order. */
static size_t make_notes(uint8_t *at, bool big_endian)
{
	const uint32_t words[] = { 6, 4, 0, /* "Linux", contents of 4 */ 4, 20, NT_GNU_BUILD_ID };
	uint8_t *start = at;

	for (size_t i = 0; i < 6; i++) {
		uint32_t word = big_endian ? htobe32(words[i]) : htole32(words[i]);
		memcpy(at, &word, 4);
		at += 4;
		if (i == 2) {
			memcpy(at, "Linux\0\0\0\1\2\3\4", 12);
			at += 12;
		}
	}
	memcpy(at, "GNU", 4);
	memcpy(at + 4, id_bytes, 20);
	return (size_t)(at + 24 - start);
}

/* Text at offset 0x1000, address 0x401000; data at 0x1800, 0x403800, with 0x100 bytes that only memory has.
 */
static void make_file(const char *path, int class, int data, bool note_section)
{
	static uint8_t notes[64], text[0x400], link[16] = "a.debug\0";
	struct mkelf m = { .class = class, .data = data, .machine = EM_PPC64, .type = ET_EXEC };
	bool big = data == ELFDATA2MSB;
	size_t notes_size = make_notes(notes, big);
	uint32_t crc = big ? htobe32(0x12345678) : htole32(0x12345678);

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)i;
	memcpy(link + 8, &crc, 4);
	GElf_Shdr note_header = { .sh_type = note_section ? SHT_NOTE : SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC,
				  .sh_offset = 0x800,
				  .sh_size = notes_size,
				  .sh_addralign = 4 };
	GElf_Shdr text_header = { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC,
				  .sh_offset = 0x1000,
				  .sh_addr = 0x401000,
				  .sh_size = sizeof(text),
				  .sh_addralign = 4 };
	GElf_Shdr link_header = {
		.sh_type = SHT_PROGBITS, .sh_offset = 0x2000, .sh_size = 12, .sh_addralign = 4
	};
	mkelf_section(&m, ".note", note_header, notes);
	mkelf_section(&m, ".text", text_header, text);
	mkelf_section(&m, ".gnu_debuglink", link_header, link);
	mkelf_load(&m, 0x1000, 0x401000, 0x400, PF_R | PF_X);
	mkelf_load(&m, 0x1800, 0x403800, 0x100, PF_R | PF_W);
	m.segments[1].p_memsz = 0x200;
	m.segments[m.nr_segments++] =
		(GElf_Phdr){ .p_type = PT_NOTE, .p_offset = 0x800, .p_filesz = notes_size, .p_align = 4 };
	mkelf_write(&m, path);
}

static void expect_file(const struct image *image, int class, int data)
{
	uint64_t got;
	size_t size;
	uint32_t crc;

	ck_assert_uint_eq(image->machine, EM_PPC64);
	ck_assert_uint_eq(image->type, ET_EXEC);
	ck_assert_uint_eq(image->word_size, class == ELFCLASS64 ? 8 : 4);
	ck_assert_int_eq(image->big_endian, data == ELFDATA2MSB);
	ck_assert_uint_eq(image->build_id.size, 20);
	ck_assert_mem_eq(image->build_id.bytes, id_bytes, 20);
	ck_assert_uint_eq(image->segments.count, 2);
	ck_assert(image_vaddr_of(image, 0x1010, &got) && got == 0x401010);
	ck_assert(image_offset_of(image, 0x401010, &got) && got == 0x1010);
	ck_assert(!image_vaddr_of(image, 0xfff, &got) && !image_vaddr_of(image, 0x1400, &got));
	ck_assert(!image_offset_of(image, 0x400fff, &got) && !image_offset_of(image, 0x401400, &got));
	ck_assert(image_offset_of(image, 0x4039ff, &got) && got == 0x19ff);
	ck_assert(!image_offset_of(image, 0x403a00, &got));
	const uint8_t *bytes = image_bytes(image, 0x1010, 4, &size);
	ck_assert(bytes && size == 4 && bytes[0] == 0x10 && bytes[3] == 0x13);
	ck_assert_str_eq(image_debuglink(image, &crc), "a.debug");
	ck_assert_uint_eq(crc, 0x12345678);
	const uint8_t *text = image_section_data(image, ".text", &size);
	ck_assert(text && size == 0x400 && text[5] == 5);
	ck_assert_ptr_null(image_section(image, ".nothing", NULL));
}

START_TEST(both_classes_and_byte_orders_are_read)
{
	char folder[64], path[128];
	const char *why = "?";
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a", folder);

	for (int class = ELFCLASS32; class <= ELFCLASS64; class ++) {
		for (int data = ELFDATA2LSB; data <= ELFDATA2MSB; data++) {
			for (int section = 0; section < 2; section++) {
				make_file(path, class, data, section);
				struct image *image = image_open(path, &why);
				ck_assert_msg(image != NULL, "%s", why);
				expect_file(image, class, data);
				ck_assert_str_eq(image->path, path);
				image_free(image);
			}
		}
	}
	mkelf_remove(folder);
}
END_TEST

/* Every use of what is left of a damaged file. */
static void use(struct image *image)
{
	size_t size;
	uint32_t crc;
	uint64_t got;
	unsigned sum = 0;

	image_section_data(image, ".text", &size);
	image_section_data(image, ".note", &size);
	image_debuglink(image, &crc);
	image_vaddr_of(image, UINT64_MAX, &got);
	image_offset_of(image, UINT64_MAX, &got);
	const uint8_t *bytes = image_bytes(image, 0, SIZE_MAX, &size);
	for (size_t i = 0; bytes && i < size; i++)
		sum += bytes[i];
	ck_assert_uint_ne(sum, 0);
	ck_assert_ptr_null(image_bytes(image, UINT64_MAX, 1, &size));
}

static char *read_all(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "r");
	char *data = malloc(1 << 20);

	ck_assert(f && data);
	*ret_size = fread(data, 1, 1 << 20, f);
	fclose(f);
	return data;
}

START_TEST(cut_and_damaged_files_are_refused_or_harmless)
{
	char folder[64], path[128];
	const char *why;
	size_t size;
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a", folder);

	for (int class = ELFCLASS32; class <= ELFCLASS64; class ++) {
		make_file(path, class, ELFDATA2MSB, true);
		char *whole = read_all(path, &size);
		for (size_t cut = 0; cut < size; cut++) {
			char *copy = malloc(cut ? cut : 1);
			memcpy(copy, whole, cut);
			struct image *image = image_memory("cut", copy, cut, &why);
			if (image)
				use(image);
			image_free(image);
		}
		/* Each byte of headers and tables made large in turn. */
		for (size_t at = 16; at < size; at++) {
			char *copy = malloc(size);
			memcpy(copy, whole, size);
			copy[at] = (char)0xff;
			struct image *image = image_memory("damaged", copy, size, &why);
			if (image)
				use(image);
			image_free(image);
		}
		free(whole);
	}
	mkelf_remove(folder);
}
END_TEST

START_TEST(a_refusal_has_a_reason)
{
	char folder[64], path[128];
	const char *why = NULL;
	mkelf_folder(folder);

	snprintf(path, sizeof(path), "%s/a", folder);
	ck_assert_ptr_null(image_open(path, &why));
	ck_assert_str_eq(why, "not found");
	ck_assert_ptr_null(image_open(folder, &why));
	ck_assert_str_eq(why, "no regular file");
	ck_assert_ptr_null(image_open("/dev/null", &why));
	ck_assert_str_eq(why, "no regular file");
	mkelf_text(path, "", 0);
	ck_assert_ptr_null(image_open(path, &why));
	ck_assert_str_eq(why, "no ELF file");
	mkelf_text(path, "#!/bin/sh\n", 10);
	ck_assert_ptr_null(image_open(path, &why));
	ck_assert_str_eq(why, "no ELF file");
	make_file(path, ELFCLASS64, ELFDATA2LSB, true);
	ck_assert_int_eq(truncate(path, 0x2000), 0);
	ck_assert_ptr_null(image_open(path, &why));
	ck_assert_str_eq(why, "damaged ELF file");
	mkelf_text(path,
		   "\xfd"
		   "7zXZ\0 and no more",
		   18);
	ck_assert_ptr_null(image_open(path, &why));
	ck_assert_str_eq(why, "damaged compressed file");
	ck_assert_ptr_null(image_memory("nothing", NULL, 0, &why));
	mkelf_remove(folder);
}
END_TEST

START_TEST(a_packed_file_is_unpacked)
{
	static const char *const packers[] = { "xz -c", "gzip -c", "zstd -qc" };
	char folder[64], path[128], packed[160];
	const char *why;
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a.ko", folder);
	snprintf(packed, sizeof(packed), "%s.packed", path);

	make_file(path, ELFCLASS64, ELFDATA2LSB, true);
	for (size_t i = 0; i < 3; i++) {
		if (!mkelf_run("%s '%s' > '%s'", packers[i], path, packed))
			continue;
		struct image *image = image_open(packed, &why);
		ck_assert_ptr_nonnull(image);
		expect_file(image, ELFCLASS64, ELFDATA2LSB);
		image_free(image);
		struct stat st;
		ck_assert_int_eq(stat(packed, &st), 0);
		for (off_t cut = st.st_size - 1; cut > 8; cut -= 7) {
			ck_assert_int_eq(truncate(packed, cut), 0);
			ck_assert_ptr_null(image_open(packed, &why));
			ck_assert_str_eq(why, "damaged compressed file");
		}
	}
	mkelf_remove(folder);
}
END_TEST

/* Compile with @flags; false: there is no such compiler or linker here. */
static bool compile(const char *folder, const char *flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/t.c", folder);
	mkelf_text(path, c_source, strlen(c_source));
	return mkelf_run("cd '%s' && gcc -g %s t.c -o t", folder, flags);
}

/* A debug file alone must say where the binary's code was, or names land on the wrong functions. */
START_TEST(a_debug_file_keeps_the_offsets_of_its_binary)
{
	static const char *const layouts[] = { "-pie",
					       "-no-pie",
					       "-no-pie -static",
					       "-no-pie -static -Wl,-z,noseparate-code",
					       "-Wl,-z,noseparate-code",
					       "-fuse-ld=lld",
					       "-fuse-ld=gold",
					       "-Wl,-z,max-page-size=0x10000" };
	char folder[64], path[128], debug[160];
	const char *why;
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/t", folder);
	snprintf(debug, sizeof(debug), "%s/t.debug", folder);

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (!compile(folder, layouts[i]) ||
		    !mkelf_run("objcopy --only-keep-debug '%s' '%s'", path, debug))
			continue;
		struct image *binary = image_open(path, &why), *only = image_open(debug, &why);
		ck_assert(binary && only);
		ck_assert_uint_eq(binary->segments.count, only->segments.count);
		for (size_t j = 0; j < binary->segments.count; j++)
			ck_assert_msg(binary->segments.at[j].offset == only->segments.at[j].offset,
				      "%s: segment %zu", layouts[i], j);
		ck_assert(build_id_equal(&binary->build_id, &only->build_id) || !binary->build_id.size);
		image_free(binary);
		image_free(only);
	}
	mkelf_remove(folder);
}
END_TEST

/* Code at 0 with the file's headers, data at @offset: where its segment is said to be in the file. */
static uint64_t offset_of_data(int data_order, uint64_t code_bytes, uint32_t code_flags, uint64_t offset)
{
	struct mkelf m = { .class = ELFCLASS64, .data = data_order, .machine = EM_S390, .type = ET_DYN };
	char folder[64], path[128];
	const char *why;

	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/t.debug", folder);
	mkelf_load(&m, 0, 0, code_bytes, code_flags);
	mkelf_load(&m, offset, 0x4fdc8, 0, PF_R | PF_W);
	m.segments[0].p_memsz = 0x3c1c4;
	m.segments[1].p_memsz = 0x7f70;
	m.segments[0].p_align = m.segments[1].p_align = 0x10000;
	mkelf_write(&m, path);
	struct image *image = image_open(path, &why);
	ck_assert_ptr_nonnull(image);
	uint64_t found = image->segments.at[1].offset;
	image_free(image);
	mkelf_remove(folder);
	return found;
}

/* Where constants are beside the code, and data would land on it: ld does it so except on x86. */
START_TEST(data_in_a_debug_file_is_behind_the_code)
{
	for (int order = ELFDATA2LSB; order <= ELFDATA2MSB; order++) {
		ck_assert_uint_eq(offset_of_data(order, 0x298, PF_R | PF_X, 0xfdc8), 0x3fdc8);
		ck_assert_uint_eq(offset_of_data(order, 0, PF_R | PF_X, 0xfdc8), 0x3fdc8);
		/* A program: all its code is there, or what is not is .bss. */
		ck_assert_uint_eq(offset_of_data(order, 0x3c1c4, PF_R | PF_X, 0x5fdc8), 0x5fdc8);
		ck_assert_uint_eq(offset_of_data(order, 0x298, PF_R | PF_W | PF_X, 0xfdc8), 0xfdc8);
	}
}
END_TEST

START_TEST(compressed_sections_are_handed_out_unpacked)
{
	char folder[64], path[128];
	const char *why;
	size_t plain_size, size;
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/t", folder);

	if (compile(folder, "")) {
		struct image *plain = image_open(path, &why);
		ck_assert_ptr_nonnull(plain);
		const void *plain_data = image_section_data(plain, ".debug_info", &plain_size);
		ck_assert_ptr_nonnull(plain_data);
		ck_assert(compile(folder, "-gz"));
		struct image *packed = image_open(path, &why);
		ck_assert_ptr_nonnull(packed);
		for (int again = 0; again < 2; again++) {
			const void *data = image_section_data(packed, ".debug_info", &size);
			ck_assert_ptr_nonnull(data);
			ck_assert_uint_eq(size, plain_size);
		}
		ck_assert_ptr_null(image_section_data(packed, ".bss", &size));
		image_free(plain);
		image_free(packed);
	}
	mkelf_remove(folder);
}
END_TEST

/* A section of 4000 bytes as a linker packs it; @kind 0: .zdebug_, else ELFCOMPRESS_*. Returns its size. */
static size_t pack(struct bytes *b, unsigned kind, bool wide, const char *text, uint64_t said)
{
	static char packed[8192];
	uLongf zlib_size = sizeof(packed);
	size_t size = kind == 2 ? ZSTD_compress(packed, sizeof(packed), text, 4000, 3) : 0;

	if (kind != 2) {
		ck_assert_int_eq(compress((Bytef *)packed, &zlib_size, (const Bytef *)text, 4000), Z_OK);
		size = zlib_size;
	}
	if (kind) {
		put_u32(b, kind);
		put_zeros(b, wide ? 4 : 0);
		wide ? put_u64(b, said) : put_u32(b, (uint32_t)said);
		wide ? put_u64(b, 1) : put_u32(b, 1);
	} else {
		uint64_t size_be = htobe64(said);
		put_bytes(b, "ZLIB", 4);
		put_bytes(b, &size_be, 8);
	}
	put_bytes(b, packed, size);
	return b->size;
}

static struct image *packed_image(const char *path, bool wide, bool big_endian, unsigned kind,
				  const struct bytes *b, size_t size)
{
	const char *why;
	struct mkelf m = { .class = wide ? ELFCLASS64 : ELFCLASS32,
			   .data = big_endian ? ELFDATA2MSB : ELFDATA2LSB,
			   .machine = EM_PPC,
			   .type = ET_EXEC };
	GElf_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = size, .sh_addralign = 8 };

	header.sh_flags = kind ? SHF_COMPRESSED : 0;
	mkelf_section(&m, kind ? ".debug_x" : ".zdebug_x", header, b->at);
	mkelf_write(&m, path);
	struct image *image = image_open(path, &why);
	ck_assert_ptr_nonnull(image);
	return image;
}

/* Also zstd, which libelf 0.188 does not know. */
START_TEST(every_packing_of_sections_is_known)
{
	static const uint64_t wrong[] = { 3999, 4001, 0, 1 << 30, UINT32_MAX, UINT64_MAX };
	static struct bytes b;
	char folder[64], path[128], text[4000];
	size_t size;

	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/t", folder);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * i >> 5);
	for (unsigned i = 0; i < 12; i++) {
		bool wide = i & 1, big_endian = i & 2;
		unsigned kind = i / 4;
		const char *name = kind ? ".debug_x" : ".zdebug_x";
		bytes_start(&b, big_endian);
		size_t packed = pack(&b, kind, wide, text, sizeof(text));
		struct image *image = packed_image(path, wide, big_endian, kind, &b, packed);
		for (int again = 0; again < 2; again++) {
			const void *data = image_section_data(image, name, &size);
			ck_assert_ptr_nonnull(data);
			ck_assert_uint_eq(size, sizeof(text));
			ck_assert(!memcmp(data, text, size));
		}
		image_free(image);
		for (size_t cut = 0; cut < packed; cut += 1 + packed / 50) {
			image = packed_image(path, wide, big_endian, kind, &b, cut);
			ck_assert_ptr_null(image_section_data(image, name, &size));
			image_free(image);
		}
		for (unsigned j = 0; j < 6; j++) {
			bytes_start(&b, big_endian);
			packed = pack(&b, kind, wide, text, wrong[j]);
			image = packed_image(path, wide, big_endian, kind, &b, packed);
			ck_assert_ptr_null(image_section_data(image, name, &size));
			image_free(image);
		}
	}
	mkelf_remove(folder);
}
END_TEST

CHECK_SUITE("image", both_classes_and_byte_orders_are_read, cut_and_damaged_files_are_refused_or_harmless,
	    a_refusal_has_a_reason, a_packed_file_is_unpacked, a_debug_file_keeps_the_offsets_of_its_binary,
	    data_in_a_debug_file_is_behind_the_code, compressed_sections_are_handed_out_unpacked,
	    every_packing_of_sections_is_known)
