/*
 * hash - a map from two 64-bit numbers to a pointer or a number, and the hash functions used here.
 *
 * Open addressing, no removal of single entries (hash_clear() forgets all). Keys may have any value.
 * A value is never UINT64_MAX: that is "not there".
 */
#ifndef PERF2TXT_HASH_H
#define PERF2TXT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT64_MAX

struct hash_slot {
	uint64_t key1, key2;
	uint64_t value; /* HASH_NONE: the slot is free */
};

/* All zeros is an empty map. */
struct hash {
	struct hash_slot *slots;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

void hash_free(struct hash *h); /* leaves an empty map */
void hash_clear(struct hash *h);

/** HASH_NONE when the key is not there. */
uint64_t hash_get(const struct hash *h, uint64_t key1, uint64_t key2);

/** Adds the key or replaces its value. */
void hash_put(struct hash *h, uint64_t key1, uint64_t key2, uint64_t value);

static inline void *hash_get_ptr(const struct hash *h, uint64_t key1, uint64_t key2)
{
	uint64_t value = hash_get(h, key1, key2);

	return value == HASH_NONE ? NULL : (void *)(uintptr_t)value;
}

static inline void hash_put_ptr(struct hash *h, uint64_t key1, uint64_t key2, void *value)
{
	hash_put(h, key1, key2, (uintptr_t)value);
}

/* For compilers of 32-bit machines, which have no numbers of 128 bits. */
static inline uint64_t hash_fold_by_halves(uint64_t a, uint64_t b)
{
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
	uint64_t cross1 = (a >> 32) * (b & UINT32_MAX), cross2 = (a & UINT32_MAX) * (b >> 32);
	uint64_t middle = (low >> 32) + (cross1 & UINT32_MAX) + (cross2 & UINT32_MAX);

	return (middle << 32 | (low & UINT32_MAX)) ^
	       (high + (cross1 >> 32) + (cross2 >> 32) + (middle >> 32));
}

/** The two halves of a product, xor-ed. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	return hash_fold_by_halves(a, b);
#endif
}

/** Spreads the bits of one or two numbers over the whole result. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t folded = hash_fold(a ^ UINT64_C(0x9e3779b97f4a7c15), b ^ UINT64_C(0xd6e8feb86659fd93));

	return folded ^ (folded >> 29);
}

uint64_t hash_bytes(const void *data, size_t size);

#endif
