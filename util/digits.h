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

/*
 * What lies between @from and @end, right-aligned. There are DIGITS_MAX bytes on both sides of @end, blanks
 * in front of @from: a copy of a fixed size is a few moves and takes them along.
 */
static inline char *digits_place(char *at, const char *from, const char *end, int width)
{
	size_t size = (size_t)(end - from);

	if (width > (int)size) {
		at = digits_pad(at, width - DIGITS_MAX);
		size = width < DIGITS_MAX ? (size_t)width : DIGITS_MAX;
	}
	memcpy(at, end - size, DIGITS_MAX);
	return at + size;
}

static inline char *digits_dec(char *at, uint64_t value, int width)
{
	char text[2 * DIGITS_MAX], *end = text + DIGITS_MAX;

	memset(text, ' ', DIGITS_MAX);
	return digits_place(at, digits_before(end, value), end, width);
}

static inline char *digits_sdec(char *at, int64_t value, int width)
{
	if (value >= 0)
		return digits_dec(at, (uint64_t)value, width);
	char text[2 * DIGITS_MAX], *end = text + DIGITS_MAX;
	memset(text, ' ', DIGITS_MAX);
	char *from = digits_before(end, 0 - (uint64_t)value);
	*--from = '-';
	return digits_place(at, from, end, width);
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

/**
 * Exactly six digits of @value, below a million. The first two are the whole part of value / 10000; what is
 * behind its point, times 100, has the next two as its whole part. The factor is rounded up by 2704 / 2^32,
 * which the last pair has grown to 0.63 in at most: not enough to change a digit.
 */
static inline char *digits_six(char *at, uint32_t value)
{
	uint64_t rest = (uint64_t)value * 429497; /* 2^32 / 10000 */

	for (int i = 0; i < 6; i += 2) {
		memcpy(at + i, digits_pairs + 2 * (rest >> 32), 2);
		rest = (rest & UINT32_MAX) * 100;
	}
	return at + 6;
}

/* Sixteen digits at once: of what is done to a vector the compiler makes what the processor has. */
typedef uint8_t digits_bytes __attribute__((vector_size(8)));
typedef uint16_t digits_lanes __attribute__((vector_size(16)));
typedef int8_t digits_text __attribute__((vector_size(16)));

/* All hex digits of @value, leading zeros too. */
static inline void digits_hex_all(uint64_t value, digits_text *ret)
{
	uint64_t big = htobe64(value);
	digits_bytes bytes;

	memcpy(&bytes, &big, sizeof(bytes));
	digits_lanes lanes = __builtin_convertvector(bytes, digits_lanes);
	/* The halves of a byte become two, the upper one first. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	digits_text digits = (digits_text)((lanes >> 4 | lanes << 8) & 0x0f0f);
#else
	digits_text digits = (digits_text)((lanes << 4 | lanes) & 0x0f0f);
#endif
	/* 10 to 15 become letters: 'a' is 39 further than '9' + 1. */
	*ret = digits + '0' + ((digits > 9) & 39);
}

static inline unsigned digits_hex_leading(uint64_t value)
{
	return (unsigned)__builtin_clzll(value | 1) / 4;
}

/** printf's %16llx: always 16 bytes. */
static inline char *digits_hex16(char *at, uint64_t value)
{
	digits_text text, blank;

	digits_hex_all(value, &text);
	memcpy(&blank, digits_blank[digits_hex_leading(value)], sizeof(blank));
	text &= blank;
	memcpy(at, &text, sizeof(text));
	return at + 16;
}

static inline char *digits_hex_any(char *at, uint64_t value)
{
	unsigned leading = digits_hex_leading(value);
	digits_text text;

	digits_hex_all(value << 4 * leading, &text);
	memcpy(at, &text, sizeof(text));
	return at + 16 - leading;
}

static inline char *digits_hex2(char *at, uint8_t value)
{
	memcpy(at, &digits_hex[value], 2);
	return at + 2;
}

#endif
