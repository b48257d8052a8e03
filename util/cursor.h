/*
 * cursor - bounded, byte-order-aware reading of bytes that nobody vouches for.
 *
 * After the first read past the end every read yields zeros and cursor_bad() says so: decode a dozen
 * fields, check once. The bytes stay the caller's. Knows no format.
 */
#ifndef PERF2TXT_CURSOR_H
#define PERF2TXT_CURSOR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool big_endian; /* of the bytes, not of this machine */
	bool bad;
};

static inline struct cursor cursor_make(const void *data, size_t size, bool big_endian)
{
	const uint8_t *at = data;

	return (struct cursor){ .at = at, .end = at + size, .big_endian = big_endian };
}

static inline bool cursor_bad(const struct cursor *c)
{
	return c->bad;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/** The next @size bytes, lent as long as the data; NULL (and bad) when there are fewer. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t size)
{
	if (c->bad || cursor_left(c) < size) {
		c->bad = true;
		c->at = c->end;
		return NULL;
	}
	const uint8_t *at = c->at;
	c->at += size;
	return at;
}

static inline void cursor_skip(struct cursor *c, size_t size)
{
	(void)cursor_bytes(c, size);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 1);

	return at ? *at : 0;
}

static inline uint16_t load_u16(const void *at, bool big_endian)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian ? be16toh(v) : le16toh(v);
}

static inline uint32_t load_u32(const void *at, bool big_endian)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian ? be32toh(v) : le32toh(v);
}

static inline uint64_t load_u64(const void *at, bool big_endian)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian ? be64toh(v) : le64toh(v);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 2);

	return at ? load_u16(at, c->big_endian) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 4);

	return at ? load_u32(at, c->big_endian) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 8);

	return at ? load_u64(at, c->big_endian) : 0;
}

/* @ret_sign: the bits that a negative number has above those that were read. */
static inline uint64_t cursor_leb128(struct cursor *c, uint64_t *ret_sign)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
	} while (byte & 0x80);
	*ret_sign = byte & 0x40 && shift < 64 ? UINT64_MAX << shift : 0;
	return value;
}

/** LEB128 as in DWARF; bits beyond 64 are dropped. */
static inline uint64_t cursor_uleb128(struct cursor *c)
{
	uint64_t sign;

	return cursor_leb128(c, &sign);
}

static inline int64_t cursor_sleb128(struct cursor *c)
{
	uint64_t sign, value = cursor_leb128(c, &sign);

	return (int64_t)(value | sign);
}

/** A string that ends with NUL inside the bytes; the cursor goes behind it. NULL (and bad): there is none. */
static inline const char *cursor_string(struct cursor *c)
{
	const uint8_t *nul = c->bad || c->at == c->end ? NULL : memchr(c->at, 0, cursor_left(c));

	if (!nul) {
		c->bad = true;
		c->at = c->end;
		return NULL;
	}
	const char *text = (const char *)c->at;
	c->at = nul + 1;
	return text;
}

#endif
