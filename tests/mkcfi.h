/*
 * mkcfi - call frame information for tests: .debug_frame put together by hand, in any class and byte order.
 *
 * The file has its code at offset 0x1000, address 0x401000, 0x1000 bytes.
 */
#ifndef PERF2TXT_MKCFI_H
#define PERF2TXT_MKCFI_H

#include <dwarf.h>

#include "symbolize/image.h"
#include "tests/bytes.h"
#include "tests/mkelf.h"

#define MKCFI_CODE 0x401000u
#define MKCFI_SIZE 0x1000u
#define MKCFI_OFFSET 0x1000u

struct mkcfi {
	struct bytes b;
	int class, data, machine;
	size_t cie;	   /* of the last one */
	const void *exidx; /* .ARM.exidx at MKCFI_CODE + MKCFI_SIZE, or NULL */
	size_t exidx_size;
	const void *text; /* what the code begins with, or NULL */
	size_t text_size;
};

#define OPS(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static MKELF_UNUSED unsigned mkcfi_word(const struct mkcfi *m)
{
	return m->class == ELFCLASS64 ? 8 : 4;
}

static MKELF_UNUSED void mkcfi_start(struct mkcfi *m, int machine, int class, int data)
{
	bytes_start(&m->b, data == ELFDATA2MSB);
	m->machine = machine;
	m->class = class;
	m->data = data;
	m->exidx = NULL;
	m->text = NULL;
}

/* Fill up with DW_CFA_nop and write the length at @start. */
static MKELF_UNUSED void mkcfi_end(struct mkcfi *m, size_t start)
{
	while ((m->b.size - start - 4) % mkcfi_word(m))
		put_u8(&m->b, DW_CFA_nop);
	size_t end = m->b.size;
	m->b.size = start;
	put_u32(&m->b, (uint32_t)(end - start - 4));
	m->b.size = end;
}

/* @augmentation: "" or "zS" (a signal frame). */
static MKELF_UNUSED void mkcfi_cie(struct mkcfi *m, const char *augmentation, int data_align,
				   uint8_t return_reg, const uint8_t *ops, size_t size)
{
	size_t start = m->b.size;

	m->cie = start;
	put_u32(&m->b, 0);
	put_u32(&m->b, UINT32_MAX);
	put_u8(&m->b, 3);
	put_bytes(&m->b, augmentation, strlen(augmentation) + 1);
	put_u8(&m->b, 1);
	put_u8(&m->b, (uint8_t)data_align & 0x7f);
	put_u8(&m->b, return_reg);
	if (augmentation[0])
		put_u8(&m->b, 0);
	put_bytes(&m->b, ops, size);
	mkcfi_end(m, start);
}

static MKELF_UNUSED void mkcfi_address(struct mkcfi *m, uint64_t address)
{
	if (m->class == ELFCLASS64)
		put_u64(&m->b, address);
	else
		put_u32(&m->b, (uint32_t)address);
}

static MKELF_UNUSED void mkcfi_fde(struct mkcfi *m, bool augmented, uint64_t from, uint64_t size,
				   const uint8_t *ops, size_t ops_size)
{
	size_t start = m->b.size;

	put_u32(&m->b, 0);
	put_u32(&m->b, (uint32_t)m->cie);
	mkcfi_address(m, from);
	mkcfi_address(m, size);
	if (augmented)
		put_u8(&m->b, 0);
	put_bytes(&m->b, ops, ops_size);
	mkcfi_end(m, start);
}

/* The file, with the first @size bytes of the information. @bias: its addresses are so much higher. */
static MKELF_UNUSED struct image *mkcfi_open(struct mkcfi *m, const char *path, size_t size, uint64_t bias)
{
	static uint8_t code[MKCFI_SIZE];
	const char *why = "";
	struct mkelf e = { .class = m->class, .data = m->data, .machine = m->machine, .type = ET_EXEC };
	GElf_Shdr text = { .sh_type = SHT_PROGBITS,
			   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			   .sh_addralign = 4,
			   .sh_addr = MKCFI_CODE + bias,
			   .sh_offset = MKCFI_OFFSET,
			   .sh_size = sizeof(code) };
	GElf_Shdr frame = { .sh_type = SHT_PROGBITS, .sh_size = size, .sh_addralign = 8 };

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)i;
	if (m->text)
		memcpy(code, m->text, m->text_size);
	mkelf_section(&e, ".text", text, code);
	mkelf_load(&e, MKCFI_OFFSET, MKCFI_CODE + bias, MKCFI_SIZE + m->exidx_size * !!m->exidx, PF_R | PF_X);
	if (m->exidx) {
		GElf_Shdr exidx = { .sh_type = SHT_ARM_EXIDX,
				    .sh_flags = SHF_ALLOC,
				    .sh_addralign = 4,
				    .sh_addr = MKCFI_CODE + MKCFI_SIZE,
				    .sh_offset = MKCFI_OFFSET + MKCFI_SIZE,
				    .sh_size = m->exidx_size };
		mkelf_section(&e, ".ARM.exidx", exidx, m->exidx);
		e.segments[e.nr_segments++] = (GElf_Phdr){ .p_type = PT_ARM_EXIDX,
							   .p_offset = exidx.sh_offset,
							   .p_vaddr = exidx.sh_addr,
							   .p_filesz = m->exidx_size,
							   .p_memsz = m->exidx_size,
							   .p_align = 4 };
	}
	if (size)
		mkelf_section(&e, ".debug_frame", frame, m->b.at);
	mkelf_write(&e, path);
	struct image *image = image_open(path, &why);
	ck_assert_msg(image != NULL, "%s", why);
	return image;
}

#endif
