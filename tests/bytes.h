/*
 * bytes - put together what a recording holds, field by field, in either byte order.
 *
 *	static struct bytes b;
 *	bytes_start(&b, big_endian);
 *	put_u32(&b, 7);
 *
 * For tests only: fields that do not fit end the test program.
 */
#ifndef PERF2TXT_TESTS_BYTES_H
#define PERF2TXT_TESTS_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "events/raw_record.h"
#include "util/xalloc.h"

/* The statement that follows runs for little-endian and for big-endian bytes. */
#define EACH_ORDER(big_endian) for (int big_endian = 0; (big_endian) < 2; (big_endian)++)

struct bytes {
	_Alignas(16) uint8_t at[70000];
	size_t size;
	bool big_endian;
};

static inline void bytes_start(struct bytes *b, bool big_endian)
{
	b->size = 0;
	b->big_endian = big_endian;
}

static inline void put_bytes(struct bytes *b, const void *data, size_t size)
{
	if (size > sizeof(b->at) - b->size)
		abort();
	memcpy(b->at + b->size, data, size);
	b->size += size;
}

static inline void put_u8(struct bytes *b, uint8_t v)
{
	put_bytes(b, &v, 1);
}

static inline void put_u16(struct bytes *b, uint16_t v)
{
	v = b->big_endian ? htobe16(v) : htole16(v);
	put_bytes(b, &v, 2);
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
	v = b->big_endian ? htobe32(v) : htole32(v);
	put_bytes(b, &v, 4);
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
	v = b->big_endian ? htobe64(v) : htole64(v);
	put_bytes(b, &v, 8);
}

static inline void put_u16s(struct bytes *b, const uint16_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_u16(b, v[i]);
}

static inline void put_u64s(struct bytes *b, const uint64_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_u64(b, v[i]);
}

static inline void put_zeros(struct bytes *b, size_t n)
{
	while (n--)
		put_u8(b, 0);
}

/* A text with its NUL and zeros up to a multiple of 8 bytes, as the kernel writes names. */
static inline void put_name(struct bytes *b, const char *text)
{
	put_bytes(b, text, strlen(text) + 1);
	put_zeros(b, (8 - b->size % 8) % 8);
}

/* u32 length, text, zeros: a string of a feature section, padded to 64 bytes. */
static inline void put_string(struct bytes *b, const char *text)
{
	size_t room = (strlen(text) + 1 + 63) / 64 * 64;

	put_u32(b, (uint32_t)room);
	put_bytes(b, text, strlen(text));
	put_zeros(b, room - strlen(text));
}

/* The 8-byte header of a record; raw_of() fills in its size. */
static inline void put_header(struct bytes *b, uint32_t type, uint16_t misc)
{
	put_u32(b, type);
	put_u16(b, misc);
	put_u16(b, 0);
}

/* What the reader would say of a record of these bytes. */
static inline struct raw_record raw_of(struct bytes *b, uint32_t type, uint16_t misc)
{
	uint16_t size = (uint16_t)b->size;
	uint16_t field = b->big_endian ? htobe16(size) : htole16(size);

	memcpy(b->at + 6, &field, sizeof(field));
	return (struct raw_record){ .data = b->at, .type = type, .misc = misc, .size = size };
}

/* The first @size bytes of @raw in a block of just that size, so that a read behind them is noticed. */
static inline struct raw_record cut_record(const struct raw_record *raw, uint16_t size, uint8_t **block)
{
	struct raw_record short_record = *raw;

	*block = xmemdup(raw->data, size);
	short_record.data = *block;
	short_record.size = size;
	return short_record;
}

#endif
