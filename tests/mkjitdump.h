/*
 * mkjitdump - the bytes of a jitdump, for tests.
 */
#ifndef PERF2TXT_MKJITDUMP_H
#define PERF2TXT_MKJITDUMP_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/mkperf.h"

#define MKJIT_ARCH_TIMESTAMPS 1

static inline void mkjit_header(struct mkbytes *b, uint32_t machine, uint64_t flags)
{
	mkbytes_u32(b, 0x4A695444);
	mkbytes_u32(b, 1);
	mkbytes_u32(b, 40);
	mkbytes_u32(b, machine);
	mkbytes_u32(b, 0);
	mkbytes_u32(b, 7);
	mkbytes_u64(b, 0);
	mkbytes_u64(b, flags);
}

static inline void mkjit_prefix(struct mkbytes *b, uint32_t id, size_t size, uint64_t time)
{
	mkbytes_u32(b, id);
	mkbytes_u32(b, (uint32_t)(16 + size));
	mkbytes_u64(b, time);
}

/* pid 7, tid 8; the code itself is @size zeros. */
static inline void mkjit_load(struct mkbytes *b, uint64_t time, uint64_t address, uint64_t size,
			      uint64_t index, const char *name)
{
	mkjit_prefix(b, 0, 40 + strlen(name) + 1 + size, time);
	mkbytes_u32(b, 7);
	mkbytes_u32(b, 8);
	mkbytes_u64(b, address);
	mkbytes_u64(b, address);
	mkbytes_u64(b, size);
	mkbytes_u64(b, index);
	mkbytes_data(b, name, strlen(name) + 1);
	mkbytes_zeros(b, size);
}

static inline void mkjit_move(struct mkbytes *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
			      uint64_t index)
{
	mkjit_prefix(b, 1, 48, time);
	mkbytes_u32(b, 7);
	mkbytes_u32(b, 8);
	mkbytes_u64(b, to);
	mkbytes_u64(b, from);
	mkbytes_u64(b, to);
	mkbytes_u64(b, size);
	mkbytes_u64(b, index);
}

/* What the rules of mkjit_unwinding() say. */
struct mkjit_rule {
	uint32_t from, size;			 /* where in the code */
	uint8_t cfa_reg, cfa_offset, return_reg; /* DWARF; the return address is at CFA - 8 */
};

/* For the code of @code_size bytes that comes next. */
static inline void mkjit_unwinding(struct mkbytes *b, uint64_t code_size, const struct mkjit_rule *rule)
{
	const uint8_t cie[] = { 1,
				'z',
				'R',
				0,
				1,
				0x78,
				rule->return_reg,
				1,
				0x1b, /* pcrel, sdata4 */
				0x0c,
				rule->cfa_reg,
				rule->cfa_offset,
				(uint8_t)(0x80 | rule->return_reg),
				1,
				0,
				0 };

	mkjit_prefix(b, 4, 24 + 48 + 20, 1);
	mkbytes_u64(b, 48 + 20);
	mkbytes_u64(b, 20);
	mkbytes_u64(b, 0);
	mkbytes_u32(b, 4 + sizeof(cie));
	mkbytes_u32(b, 0);
	mkbytes_data(b, cie, sizeof(cie));
	mkbytes_u32(b, 16);
	mkbytes_u32(b, 28); /* back to the CIE */
	mkbytes_u32(b, rule->from - ((uint32_t)(code_size + 7) / 8 * 8 + 32));
	mkbytes_u32(b, rule->size);
	mkbytes_zeros(b, 4 + 4 + 20); /* end of the FDE, of .eh_frame; .eh_frame_hdr */
}

/* DEBUG_INFO (2), CLOSE (3), UNWINDING_INFO (4): of @size zeros. */
static inline void mkjit_other(struct mkbytes *b, uint32_t id, size_t size)
{
	mkjit_prefix(b, id, size, 1);
	mkbytes_zeros(b, size);
}

static inline void mkjit_write(const char *path, const struct mkbytes *b, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(b->bytes.at, 1, size, file), size);
	fclose(file);
}

#endif
