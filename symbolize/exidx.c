#include "symbolize/exidx.h"

#include <string.h>

#include "symbolize/image.h"
#include "util/cursor.h"

#define ENTRY_SIZE 8
#define CANNOT_UNWIND 1
#define COMPACT 0x80000000u
/* A personality routine's table can have 255 words behind the first (EHABI32 section 7.3). */
#define MAX_BYTES (4 + 4 * 255)

#define SP 13
#define LR 14
#define PC 15

/* Where the instructions have come to: vsp = register base + offset, all in this frame's terms. */
struct machine {
	uint8_t base;
	int32_t offset;
	uint16_t popped;   /* registers */
	int32_t where[16]; /* offsets from the base */
};

void exidx_init(struct exidx *ret, const struct image *image)
{
	GElf_Phdr phdr;
	size_t count = 0, size = 0;

	*ret = (struct exidx){ .image = image };
	if (elf_getphdrnum(image->elf, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_ARM_EXIDX)
			continue;
		ret->table = image_bytes(image, phdr.p_offset, phdr.p_filesz, &size);
		ret->count = ret->table ? size / ENTRY_SIZE : 0;
		ret->vaddr = phdr.p_vaddr;
		return;
	}
}

/* An offset of 31 bits from the word itself (R_ARM_PREL31). */
static uint32_t prel31(uint32_t word, uint64_t at)
{
	uint32_t offset = word & 0x7fffffff;

	if (offset & 0x40000000)
		offset |= 0x80000000;
	return (uint32_t)at + offset;
}

static uint32_t function_at(const struct exidx *exidx, size_t index)
{
	uint32_t word = load_u32(exidx->table + index * ENTRY_SIZE, exidx->image->big_endian);

	/* The linker may have set the Thumb bit. */
	return prel31(word, exidx->vaddr + index * ENTRY_SIZE) & ~1u;
}

static bool entry_of(const struct exidx *exidx, uint64_t vaddr, size_t *ret)
{
	size_t low = 0, high = exidx->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (function_at(exidx, middle) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*ret = low - 1;
	return true;
}

static void put_word(uint8_t *bytes, uint32_t word, unsigned nr, size_t *size)
{
	while (nr--)
		bytes[(*size)++] = (uint8_t)(word >> (8 * nr));
}

/* The first word in the exception table, and those behind it, as bytes in the order of execution. */
static size_t table_bytes(const struct exidx *exidx, uint64_t vaddr, uint8_t *bytes)
{
	uint64_t offset;
	size_t left = 0, size = 0;

	if (!image_offset_of(exidx->image, vaddr, &offset))
		return 0;
	const uint8_t *at = image_bytes(exidx->image, offset, MAX_BYTES + 8, &left);
	struct cursor c = cursor_make(at, at ? left : 0, exidx->image->big_endian);
	uint32_t word = cursor_u32(&c);
	unsigned first = 2, more;
	if (word & COMPACT) {
		unsigned personality = word >> 24 & 0xf;
		if (personality > 2)
			return 0;
		first = personality == 0 ? 3 : 2;
		more = personality == 0 ? 0 : word >> 16 & 0xff;
	} else {
		/* The address of a routine of the language; gcc's and clang's keep a count and three
		 * instructions in the next word (EHABI32 section 7.2 leaves it to them). */
		word = cursor_u32(&c);
		first = 3;
		more = word >> 24;
	}
	put_word(bytes, word, first, &size);
	while (more-- && cursor_left(&c) >= 4)
		put_word(bytes, cursor_u32(&c), 4, &size);
	return cursor_bad(&c) ? 0 : size;
}

static void pop(struct machine *m, unsigned mask)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		if (!(mask >> reg & 1))
			continue;
		m->where[reg] = m->offset;
		m->popped |= (uint16_t)(1u << reg);
		m->offset += 4;
	}
	/* "vsp is incremented past the registers unless r13 is among them": then its value is what counts. */
}

static bool add(struct machine *m, uint64_t bytes)
{
	if (bytes > INT32_MAX / 2 || m->offset > INT32_MAX / 2)
		return false;
	m->offset += (int32_t)bytes;
	return true;
}

static bool add_uleb(struct machine *m, struct cursor *c)
{
	uint64_t value = cursor_uleb128(c);

	return value <= UINT32_MAX && add(m, 0x204 + (value << 2));
}

/* vsp = a register: its value in this frame, so nothing may have changed it or been popped by another base.
 */
static bool set_base(struct machine *m, unsigned reg)
{
	if (reg == SP || reg == PC || m->popped)
		return false;
	m->base = (uint8_t)reg;
	m->offset = 0;
	return true;
}

/* 1011xxxx */
static bool step_b(struct machine *m, uint8_t op, struct cursor *c)
{
	uint8_t next;

	if (op == 0xb1) {
		next = cursor_u8(c);
		if (next == 0 || next > 0xf)
			return false;
		pop(m, next);
		return true;
	}
	if (op == 0xb2)
		return add_uleb(m, c);
	if (op == 0xb3) /* FSTMX: a format word besides the registers */
		return add(m, ((cursor_u8(c) & 0xfu) + 1) * 8 + 4);
	if (op == 0xb4) /* the return address authentication code */
		return add(m, 4);
	if (op == 0xb5) /* vsp is that code's modifier */
		return true;
	if (op >= 0xb8)
		return add(m, ((op & 7u) + 1) * 8 + 4);
	return false;
}

/* 11xxxxxx: registers of coprocessors, of which only the size counts */
static bool step_c(struct machine *m, uint8_t op, struct cursor *c)
{
	if (op <= 0xc5 || (op >= 0xd0 && op <= 0xd7))
		return add(m, ((op & 7u) + 1) * 8);
	if (op == 0xc7) {
		uint8_t mask = cursor_u8(c);
		return mask && mask <= 0xf && add(m, 4u * (unsigned)__builtin_popcount(mask));
	}
	if (op == 0xc6 || op == 0xc8 || op == 0xc9)
		return add(m, ((cursor_u8(c) & 0xfu) + 1) * 8);
	return false;
}

static bool step(struct machine *m, uint8_t op, struct cursor *c)
{
	if (op < 0x40)
		return add(m, ((op & 0x3fu) << 2) + 4);
	if (op < 0x80) {
		m->offset -= (int32_t)((op & 0x3fu) << 2) + 4;
		return m->offset > INT32_MIN / 2;
	}
	if (op < 0x90) {
		unsigned mask = (op & 0xfu) << 8 | cursor_u8(c);
		pop(m, mask << 4);
		return mask != 0; /* 0: "refuse to unwind" */
	}
	if (op < 0xa0)
		return set_base(m, op & 0xfu);
	if (op < 0xb0) {
		pop(m, ((1u << ((op & 7u) + 1)) - 1) << 4 | (op & 8 ? 1u << LR : 0));
		return true;
	}
	return op < 0xc0 ? step_b(m, op, c) : step_c(m, op, c);
}

static void write_rule(const struct machine *m, struct cfi_rule *rule)
{
	rule->cfa_kind = CFI_REGISTER;
	rule->cfa_reg = m->base;
	rule->cfa_offset = m->offset;
	rule->return_reg = m->popped >> PC & 1 ? PC : LR;
	for (uint8_t reg = 0; reg < 16; reg++)
		if (m->popped >> reg & 1)
			rule->regs[rule->nr_regs++] =
				(struct cfi_reg){ reg, CFI_AT_CFA, 0, m->where[reg] - m->offset };
	if (!(m->popped >> SP & 1))
		rule->regs[rule->nr_regs++] = (struct cfi_reg){ SP, CFI_CFA_PLUS, 0, 0 };
}

bool exidx_decode(const uint8_t *bytes, size_t size, union cfi_draft *ret)
{
	struct cursor c = cursor_make(bytes, size, false);
	struct machine m = { .base = SP };

	while (cursor_left(&c)) {
		uint8_t op = cursor_u8(&c);
		if (op == 0xb0)
			break;
		if (!step(&m, op, &c) || cursor_bad(&c))
			return false;
	}
	memset(ret, 0, sizeof(*ret));
	write_rule(&m, &ret->rule);
	return true;
}

bool exidx_find(const struct exidx *exidx, uint64_t vaddr, union cfi_draft *ret, uint64_t *ret_start,
		uint64_t *ret_end)
{
	uint8_t bytes[MAX_BYTES];
	size_t index, size = 0;

	if (!entry_of(exidx, vaddr, &index))
		return false;
	uint64_t at = exidx->vaddr + index * ENTRY_SIZE + 4;
	uint32_t word = load_u32(exidx->table + index * ENTRY_SIZE + 4, exidx->image->big_endian);
	if (word == CANNOT_UNWIND)
		return false;
	if (!(word & COMPACT))
		size = table_bytes(exidx, prel31(word, at), bytes);
	else if (word >> 24 == 0x80)
		put_word(bytes, word, 3, &size);
	*ret_start = function_at(exidx, index);
	*ret_end = index + 1 < exidx->count ? function_at(exidx, index + 1) : UINT32_MAX;
	return size > 0 && exidx_decode(bytes, size, ret);
}
