#include "util/arena.h"

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define CHUNK ((size_t)64 << 10)
#define ALIGNMENT ((size_t)16)

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(16) char data[];
};

void arena_free(struct arena *a)
{
	struct arena_chunk *chunk = a->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	memset(a, 0, sizeof(*a));
}

static char *new_chunk(struct arena *a, size_t size)
{
	struct arena_chunk *chunk = xmalloc(sizeof(*chunk) + size);

	a->total += size;
	chunk->next = a->chunks;
	a->chunks = chunk;
	return chunk->data;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (size > CHUNK / 4)
		return new_chunk(a, size);
	if (size > a->left) {
		a->left = CHUNK - sizeof(struct arena_chunk);
		a->at = new_chunk(a, a->left);
	}
	void *block = a->at;
	a->at += size;
	a->left -= size;
	return block;
}

char *arena_strndup(struct arena *a, const char *text, size_t size)
{
	char *copy = arena_alloc(a, size + 1);

	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}
