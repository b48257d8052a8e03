#include "util/hash.h"

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

void hash_free(struct hash *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}

void hash_clear(struct hash *h)
{
	for (size_t i = 0; i < h->size; i++)
		h->slots[i].value = HASH_NONE;
	h->count = 0;
}

/* The slot of the key, or the free slot where it would go. There is always a free one. */
static struct hash_slot *find_slot(const struct hash *h, uint64_t key1, uint64_t key2)
{
	size_t mask = h->size - 1;
	size_t i = hash_mix(key1, key2 + 0x2545f4914f6cdd1du) & mask;

	while (h->slots[i].value != HASH_NONE) {
		if (h->slots[i].key1 == key1 && h->slots[i].key2 == key2)
			break;
		i = (i + 1) & mask;
	}
	return &h->slots[i];
}

uint64_t hash_get(const struct hash *h, uint64_t key1, uint64_t key2)
{
	return h->size ? find_slot(h, key1, key2)->value : HASH_NONE;
}

static void hash_grow(struct hash *h)
{
	struct hash old = *h;

	h->size = old.size ? 2 * old.size : 16;
	if (h->size > SIZE_MAX / sizeof(*h->slots))
		xalloc_die();
	h->slots = xmalloc(h->size * sizeof(*h->slots));
	hash_clear(h);
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].value != HASH_NONE)
			*find_slot(h, old.slots[i].key1, old.slots[i].key2) = old.slots[i];
	}
	h->count = old.count;
	free(old.slots);
}

void hash_put(struct hash *h, uint64_t key1, uint64_t key2, uint64_t value)
{
	if (2 * (h->count + 1) > h->size)
		hash_grow(h);
	struct hash_slot *slot = find_slot(h, key1, key2);
	if (slot->value == HASH_NONE)
		h->count++;
	*slot = (struct hash_slot){ key1, key2, value };
}

uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t h = size;

	for (; size >= 8; at += 8, size -= 8) {
		uint64_t word;
		memcpy(&word, at, sizeof(word));
		h = hash_mix(h, word);
	}
	uint64_t tail = 0;
	memcpy(&tail, at, size);
	return hash_mix(h, tail);
}
