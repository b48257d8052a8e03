#include "symbolize/section_file.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/image.h"
#include "util/xalloc.h"

/* The file: header, names of sections, sections, contents. */
#define NAMES "\0.shstrtab"
#define NAME_SHSTRTAB 1
#define NAME_SECTION sizeof(NAMES)
#define LONGEST_NAME 15
#define NAMES_AT 64
#define NAMES_SIZE (sizeof(NAMES) + LONGEST_NAME + 1)
#define SECTIONS_AT 96
#define NR_SECTIONS 3
#define SHSTRTAB 2
#define CONTENTS_AT 288

_Static_assert(NAMES_AT + NAMES_SIZE <= SECTIONS_AT, "the names fit");
_Static_assert(SECTIONS_AT + NR_SECTIONS * sizeof(Elf64_Shdr) <= CONTENTS_AT, "the sections fit");

struct writer {
	uint8_t *at;
	bool big_endian;
	unsigned word_size;
};

static void put(struct writer *w, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		w->at[w->big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
	w->at += size;
}

static void put_header(struct writer *w, uint16_t machine)
{
	bool is_64 = w->word_size == 8;
	const uint8_t ident[EI_NIDENT] = { ELFMAG0,
					   ELFMAG1,
					   ELFMAG2,
					   ELFMAG3,
					   is_64 ? ELFCLASS64 : ELFCLASS32,
					   w->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
					   EV_CURRENT };

	memcpy(w->at, ident, sizeof(ident));
	w->at += sizeof(ident);
	put(w, 2, ET_DYN);
	put(w, 2, machine);
	put(w, 4, EV_CURRENT);
	put(w, w->word_size, 0); /* entry */
	put(w, w->word_size, 0); /* no segments */
	put(w, w->word_size, SECTIONS_AT);
	put(w, 4, 0); /* flags */
	put(w, 2, is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	put(w, 2, 0);
	put(w, 2, 0);
	put(w, 2, is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	put(w, 2, NR_SECTIONS);
	put(w, 2, SHSTRTAB);
}

static void put_section(struct writer *w, const GElf_Shdr *section)
{
	put(w, 4, section->sh_name);
	put(w, 4, section->sh_type);
	put(w, w->word_size, section->sh_flags);
	put(w, w->word_size, section->sh_addr);
	put(w, w->word_size, section->sh_offset);
	put(w, w->word_size, section->sh_size);
	put(w, 4, 0); /* link */
	put(w, 4, 0); /* info */
	put(w, w->word_size, section->sh_addralign);
	put(w, w->word_size, 0); /* size of an entry */
}

struct image *section_file_image(const struct section_file *f)
{
	const GElf_Shdr none = { 0 };
	const GElf_Shdr section = { .sh_name = NAME_SECTION,
				    .sh_type = SHT_PROGBITS,
				    .sh_flags = f->address ? SHF_ALLOC : 0,
				    .sh_addr = f->address,
				    .sh_offset = CONTENTS_AT,
				    .sh_size = f->size,
				    .sh_addralign = 8 };
	const GElf_Shdr names = { .sh_name = NAME_SHSTRTAB,
				  .sh_type = SHT_STRTAB,
				  .sh_offset = NAMES_AT,
				  .sh_size = NAMES_SIZE,
				  .sh_addralign = 1 };
	uint8_t *bytes = xcalloc(1, CONTENTS_AT + f->size);
	struct writer w = { bytes, f->big_endian, f->word_size };
	const char *why;

	put_header(&w, f->machine);
	memcpy(bytes + NAMES_AT, NAMES, sizeof(NAMES));
	memcpy(bytes + NAMES_AT + NAME_SECTION, f->name, strnlen(f->name, LONGEST_NAME));
	w.at = bytes + SECTIONS_AT;
	put_section(&w, &none);
	put_section(&w, &section);
	put_section(&w, &names);
	memcpy(bytes + CONTENTS_AT, f->data, f->size);
	return image_memory(f->path, bytes, CONTENTS_AT + f->size, &why);
}
