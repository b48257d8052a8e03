/*
 * digits - numbers to text, for the lines that are printed by the million.
 *
 * Every function writes at @at and returns the place behind what it wrote; the caller has made room: at most
 * DIGITS_MAX bytes, or the width when that is more. Nothing is terminated. Widths pad with blanks on the
 * left.
 */
#ifndef PERF2TXT_DIGITS_H
#define PERF2TXT_DIGITS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 24

extern const char digits_pairs[201];   /* "000102...99" */
extern const uint16_t digits_hex[256]; /* two hex digits in the order of memory */
/* [n]: clears the bit that tells '0' from ' ' in the first n bytes */
extern const uint8_t digits_blank[17][16];

static inline char *digits_pad(char *at, int count)
{
	if (count <= 0)
		return at;
	memset(at, ' ', (size_t)count);
	return at + count;
}

/* The digits of @value right before @end; returns where they begin. */
static inline char *digits_before(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, digits_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, digits_pairs + 2 * value, 2);
		return end;
	}
	*--end = (char)('0' + value);
	return end;
}

static inline char *digits_dec(char *at, uint64_t value, int width)
{
	char digits[DIGITS_MAX];
	char *end = digits + sizeof(digits), *from = digits_before(end, value);
	size_t length = (size_t)(end - from);

	at = digits_pad(at, width - (int)length);
	memcpy(at, from, length);
	return at + length;
}

static inline char *digits_sdec(char *at, int64_t value, int width)
{
	if (value >= 0)
		return digits_dec(at, (uint64_t)value, width);
	char digits[DIGITS_MAX];
	char *end = digits + sizeof(digits), *from = digits_before(end, 0 - (uint64_t)value);
	*--from = '-';
	size_t length = (size_t)(end - from);
	at = digits_pad(at, width - (int)length);
	memcpy(at, from, length);
	return at + length;
}

/** Exactly @count digits: leading zeros, the last digits of a longer number. */
static inline char *digits_fixed(char *at, uint64_t value, int count)
{
	char *end = at + count;

	for (char *pair = end; pair - at >= 2; value /= 100)
		memcpy(pair -= 2, digits_pairs + 2 * (value % 100), 2);
	if (count & 1)
		*at = (char)('0' + value % 10);
	return end;
}

/* The eight hex digits of @value as eight bytes, the first digit in the highest one. */
static inline uint64_t digits_spread(uint32_t value)
{
	uint64_t v = value;

	v = (v << 16 | v) & UINT64_C(0x0000ffff0000ffff);
	v = (v << 8 | v) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v << 4 | v) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	/* 10 to 15 become letters: 'a' is 39 further than '9' + 1. */
	uint64_t letters = (v + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	return v + UINT64_C(0x3030303030303030) + letters * 39;
}

/** printf's %16llx: always 16 bytes. */
static inline char *digits_hex16(char *at, uint64_t value)
{
	unsigned leading = (unsigned)__builtin_clzll(value | 1) / 4;
	uint64_t high = htobe64(digits_spread((uint32_t)(value >> 32))),
		 low = htobe64(digits_spread((uint32_t)value));
	uint64_t blank[2];

	memcpy(blank, digits_blank[leading], sizeof(blank));
	high &= blank[0];
	low &= blank[1];
	memcpy(at, &high, 8);
	memcpy(at + 8, &low, 8);
	return at + 16;
}

static inline char *digits_hex_any(char *at, uint64_t value)
{
	char text[16];
	unsigned leading = (unsigned)__builtin_clzll(value | 1) / 4;

	digits_hex16(text, value);
	memcpy(at, text + leading, 16 - leading);
	return at + 16 - leading;
}

static inline char *digits_hex2(char *at, uint8_t value)
{
	memcpy(at, &digits_hex[value], 2);
	return at + 2;
}

#endif
