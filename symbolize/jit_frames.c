#include "symbolize/jit_frames.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/image.h"
#include "util/xalloc.h"

/* The file: header, names of sections, sections, .eh_frame. */
#define NAMES "\0.eh_frame\0.shstrtab"
#define NAME_EH_FRAME 1
#define NAME_SHSTRTAB 11
#define NAMES_AT 64
#define SECTIONS_AT 96
#define NR_SECTIONS 3
#define SHSTRTAB 2
#define EH_FRAME_AT 288

_Static_assert(NAMES_AT + sizeof(NAMES) <= SECTIONS_AT, "the names fit");
_Static_assert(SECTIONS_AT + NR_SECTIONS * sizeof(Elf64_Shdr) <= EH_FRAME_AT, "the sections fit");

struct jit_frames {
	const struct jitdump *dump;
	unsigned word_size;
	size_t count;
	const struct jitdump_code **by_start;
};

static int by_start(const void *left, const void *right)
{
	const struct jitdump_code *a = *(const struct jitdump_code *const *)left;
	const struct jitdump_code *b = *(const struct jitdump_code *const *)right;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

struct jit_frames *jit_frames_new(const struct jitdump_layer *layer)
{
	const struct arch *arch = arch_by_elf(layer->dump->machine, 0);
	size_t count = layer->codes.count;

	if (!layer->dump->has_eh_frames || !arch->word_size)
		return NULL;
	struct jit_frames *f = xcalloc(1, sizeof(*f));
	f->dump = layer->dump;
	f->word_size = arch->word_size;
	f->count = count;
	f->by_start = xreallocarray(NULL, count, sizeof(*f->by_start));
	for (size_t i = 0; i < count; i++)
		f->by_start[i] = &layer->dump->codes.at[layer->codes.at[i]];
	qsort(f->by_start, count, sizeof(*f->by_start), by_start);
	return f;
}

void jit_frames_free(struct jit_frames *f)
{
	if (!f)
		return;
	free(f->by_start);
	free(f);
}

const struct jitdump_code *jit_frames_find(const struct jit_frames *f, uint64_t address)
{
	size_t low = 0, high = f->count; /* what is before low begins at or before the address */

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->by_start[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct jitdump_code *code = low ? f->by_start[low - 1] : NULL;
	return code && address < code->end && code->eh_frame_size ? code : NULL;
}

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

struct image *jit_frames_image(const struct jit_frames *f, const struct jitdump_code *code)
{
	const GElf_Shdr none = { 0 };
	const GElf_Shdr eh_frame = { .sh_name = NAME_EH_FRAME,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC,
				     .sh_addr = jitdump_eh_frame_address(code),
				     .sh_offset = EH_FRAME_AT,
				     .sh_size = code->eh_frame_size,
				     .sh_addralign = 8 };
	const GElf_Shdr names = { .sh_name = NAME_SHSTRTAB,
				  .sh_type = SHT_STRTAB,
				  .sh_offset = NAMES_AT,
				  .sh_size = sizeof(NAMES),
				  .sh_addralign = 1 };
	uint8_t *bytes = xcalloc(1, EH_FRAME_AT + code->eh_frame_size);
	struct writer w = { bytes, f->dump->big_endian, f->word_size };
	const char *why;

	put_header(&w, f->dump->machine);
	memcpy(bytes + NAMES_AT, NAMES, sizeof(NAMES));
	w.at = bytes + SECTIONS_AT;
	put_section(&w, &none);
	put_section(&w, &eh_frame);
	put_section(&w, &names);
	memcpy(bytes + EH_FRAME_AT, code->eh_frame, code->eh_frame_size);
	return image_memory(code->name, bytes, EH_FRAME_AT + code->eh_frame_size, &why);
}
